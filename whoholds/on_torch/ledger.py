"""A ledger for real PyTorch: every storage counts from the op that made it until it dies.

PyTorch keeps no such figure for the processor. A dispatch mode sees the result of every op, also of
backward's, so gradients in flight count; storages are watched through weak pointers and swept
before each answer. Views share a storage and count once; Python numbers that torch wraps for an op
hold no ledger bytes; temporaries *inside* one kernel are invisible, and a storage resized later
keeps its first size.

It must not change what it measures. A Python object on a storage, or merely a dispatch mode,
makes torch's engine sum gradients out of place; so storages are read through one borrowed probe,
and the one add that torch would have done in place is done in place here.

Births are seen in the thread that installed it, deaths in all.
"""

import ctypes
import functools
import gc
import sys
import threading

import torch
from torch._C._dynamo.eval_frame import set_eval_frame
from torch.utils._python_dispatch import TorchDispatchMode

from whoholds.frames import ours

ADD = torch.ops.aten.add.Tensor
PRODUCTS = {torch.ops.aten.mm.default, torch.ops.aten.bmm.default, torch.ops.aten.addmm.default}
OPS = torch._ops.__file__
expired, free_weak = torch.UntypedStorage._expired, torch.UntypedStorage._free_weak_ref


class Probe:
    """One storage object that is lent to any storage, so that none needs its own."""

    def __init__(self):
        self.home = torch.empty(0)
        self.storage = torch.UntypedStorage(0)
        self.rest()
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(self.storage))  # torch forbids its death

    def rest(self):
        self.storage._set_cdata(torch._C._storage_address(self.home))

    def read(self, address):
        """Return a weak pointer to the storage at `address`, and its bytes."""
        self.storage._set_cdata(address)
        try:
            return self.storage._weak_ref(), self.storage.nbytes()
        finally:
            self.rest()


class Ledger:
    """Live and peak bytes of the storages seen so far."""

    def __init__(self):
        self.watched = {}  # address -> (weak pointer, bytes); the pointer keeps the address taken
        self.total = self.peak = 0  # total: an upper bound between two sweeps
        self.counts = []  # the count_ops() that are open
        self.lock = threading.RLock()
        self.probe = Probe()

    def see(self, tensor):
        """Count the storage of `tensor` if it is a new one."""
        if tensor.device.type == "meta" or tensor.layout != torch.strided:
            return
        address = torch._C._storage_address(tensor)
        with self.lock:
            if self.lives(address):
                return
            self.add(address)
            if self.total > self.peak:  # only then can the true figure be a new peak
                self.peak = max(self.peak, self.live())

    def lives(self, address) -> bool:
        """Whether the storage at this address was seen and has not died since."""
        known = self.watched.get(address)
        return known is not None and not expired(known[0])

    def add(self, address):
        """Count a storage that does not live in the ledger."""
        if address in self.watched:
            self.forget(address)
        self.watched[address] = self.probe.read(address)
        self.total += self.watched[address][1]

    def live(self):
        with self.lock:
            for address in [a for a, (weak, _) in self.watched.items() if expired(weak)]:
                self.forget(address)
            return self.total

    def forget(self, address):
        weak, size = self.watched.pop(address)
        free_weak(weak)
        self.total -= size

    def reset_peak(self):
        self.peak = self.live()


def only_ours(tensor):
    """Is a pending gradient held by the engine alone, so that torch would add into it?

    Expected holders: the engine and this dispatch's argument list (4 references of each kind,
    counting this function's), one tensor on the storage, no gaps or repeats in its layout.
    """
    dense = sorted(tensor.stride(), reverse=True) == list(torch.empty(tensor.shape).stride())
    return (
        tensor._use_count() == 4
        and sys.getrefcount(tensor) <= 5
        and torch._C._storage_Use_Count(torch._C._storage_address(tensor)) == 1
        and dense
    )


class Watch(TorchDispatchMode):
    """Shows each op's results to the ledger."""

    def __init__(self, ledger):
        super().__init__()
        self.ledger = ledger

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        """PyTorch would put frames around the op, and a kept error would keep what they hold."""
        return False

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        compiling = set_eval_frame(None)  # nothing of ours is compiled
        try:
            result = self.run(func, args, kwargs or {})
            self.show(result)
            return result
        except BaseException as error:
            error.__traceback__ = _theirs(error.__traceback__)
            raise
        finally:
            set_eval_frame(compiling)
            del self, func, types, args, kwargs  # a kept error keeps this frame

    def run(self, func, args, kwargs):
        """What the op gives."""
        for count in self.ledger.counts:
            count.matmuls += func in PRODUCTS
        summing = func is ADD and not kwargs and torch._C._current_graph_task_id() != -1
        if summing and getattr(args[1], "shape", args[0].shape) != args[0].shape:
            summing = False  # a formula of PyTorch's own: gradients that meet have one shape
        if summing and not torch.is_grad_enabled() and only_ours(args[0]):
            return args[0].add_(args[1])
        return func(*args, **kwargs)

    def show(self, result):
        if isinstance(result, torch.Tensor):
            self.ledger.see(result)
        elif isinstance(result, (tuple, list)):
            for part in result:
                self.show(part)


def _theirs(entry):
    """A traceback without the frames that lead to the op, which are there because we watch."""
    while entry is not None and (ours(file := entry.tb_frame.f_code.co_filename) or file == OPS):
        entry = entry.tb_next
    return entry


@functools.cache
def warm_up():
    """Let torch do its late imports now: their caught errors would hold a caller's frame alive.

    Its compiler is one, imported by the first checkpoint and by the first optimizer; the tensors
    that it makes meanwhile would be counted, too.
    """
    import torch._dynamo

    torch._dynamo.eval_frame.skip_code(Watch.__torch_dispatch__.__code__)
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    (x * x).exp().sum().backward()
    repr(x.grad)
    gc.collect()
