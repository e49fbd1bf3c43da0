"""A Tensor: one array, the Storage that owns its bytes, and its place in the graph.

Here stands what autograd needs to know of it. What one can compute with it, and what it tells of
its numbers, stands in ops/: each file there attaches its methods. The graph never holds a tensor
unless a rule saved it, or it is a leaf that waits for its gradient.
"""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

from numpy import ndarray, zeros_like

from minigrad.core import observer
from minigrad.core.arrays import as_array, device_of
from minigrad.core.dtypes import BY_NUMPY, Size, device
from minigrad.core.modes import state
from minigrad.core.node import NOWHERE, edge
from minigrad.core.storage import Storage, book, owner
from minigrad.missing import Face

_blank = object.__new__


class Tensor(metaclass=Face):
    """An n-dimensional array of one dtype that can remember how it was computed.

    `_array` may be a view of the Storage's array; the Storage is what is counted and shared.
    """

    __module__ = "minigrad"

    # Set on each tensor when it is made.
    _array: Any
    _storage: Storage
    # Where a gradient goes: (grad_fn, output_nr), NOWHERE, LOST, or None: to its own .grad.
    _edge: tuple | None = NOWHERE
    _was: tuple = NOWHERE  # where it went before it was LOST; who asks looks whether it still does

    # Most tensors have none of these: a class attribute costs nothing to make.
    _grad: Any = None
    _base: Any = None  # the tensor this one is a view of
    _view_kind = ""  # why an in-place write to this view is refused, if it is
    _views: Any = None  # living views, those without a node, which follow its requires_grad
    _made_at = 0  # the version of the bytes that the node of this view is for
    _detached = 0  # by detach_, after somebody may have saved it: when, as nodes are numbered
    _accumulator = staticmethod(lambda: None)  # weak: the graphs own the AccumulateGrad
    _tensor_hooks: dict | None = None  # of a leaf; a non-leaf's hooks stand on its grad_fn
    _grad_hooks: dict | None = None  # called after a gradient was accumulated into this leaf
    _retains_grad = False
    _own = False  # of a gradient that numpy calls a view: of an array that nobody else has

    if TYPE_CHECKING:  # what ops/ attaches

        def __getattr__(self, name: str) -> Any: ...

        __add__: Any
        __mul__: Any

    # -- making one --

    @staticmethod
    def _new(array):
        """A tensor of its own around a new array."""
        if array.__class__ is not ndarray:
            array = as_array(array)  # numpy hands out scalars where PyTorch has 0-d
        owned = book(array)  # first: if the bytes are refused, there is no half-made tensor
        out = _blank(Tensor)
        out._array = array
        out._storage = owned
        out._edge = NOWHERE
        for tell in observer.on_made:
            tell(out, True)
        return out

    def _share(self, array):
        """A tensor around `array`, a view of this one's bytes, outside the graph."""
        out = self._twin(array)
        for tell in observer.on_made:
            tell(out, False)
        return out

    def _twin(self, array):
        """The same, for the engine alone: nobody is told of it."""
        out = _blank(Tensor)
        out._array = array
        out._storage = self._storage
        out._edge = NOWHERE
        return out

    # -- what the engine asks of a gradient --

    def _wrap(self, array):
        """A gradient computed from this one; it shares this Storage if it is a view of it."""
        if array.base is not None and owner(array) is self._storage.array:
            return self._share(array)
        out = self._new(array)
        out._own = array.flags.c_contiguous  # else PyTorch's, too, is a view of what was computed
        return out

    def _zeros(self):
        """What stands for a gradient that never came."""
        return self._new(zeros_like(self._array))

    def _add_in_place(self, other) -> None:
        """Add another gradient into these bytes; everyone who holds this tensor sees it."""
        self._array += other._array
        self._storage.written()

    # -- what an in-place write asks --

    def _past(self):
        """This tensor with the history it has now, for the node of the write that ends it."""
        past = self._share(self._array)
        past._edge = edge(self)
        return past

    def _is_secret_view(self) -> bool:
        """A view made under no_grad of a tensor that has a gradient: a write would go unnoticed."""
        return self._view_kind in ("no_grad", "inference") and self._base._requires_grad

    def _remember_view(self, view) -> None:
        self._views = self._views or weakref.WeakKeyDictionary()  # a set, in the order of making
        self._views[view] = None
        view._made_at = view._storage.stamp

    # -- what it is --

    @property
    def shape(self) -> Size:
        return tuple.__new__(Size, self._array.shape)  # whose lengths are numbers

    @property
    def dtype(self):
        return BY_NUMPY[self._array.dtype]

    @property
    def device(self) -> device:
        """Where the bytes live."""
        return device_of(self._array)

    @property
    def is_cuda(self) -> bool:
        return self.device.type == "cuda"

    def _is_view(self) -> bool:
        return self._base is not None

    def untyped_storage(self):
        """The owner of the bytes, shared by views and detached twins."""
        return self._storage

    # -- leaf or not --

    @property
    def grad_fn(self):
        """The node that made this tensor; None for a leaf."""
        if not self._edge and self._base is not None:
            self._look_again()
        return self._node

    @property
    def _node(self):
        """The same, as it stands."""
        return (self._edge or self._was)[0]

    @property
    def output_nr(self) -> int:
        """Which of that node's outputs this is."""
        return (self._edge or self._was)[1]

    @property
    def _requires_grad(self) -> bool:
        return self._edge is not NOWHERE

    @property
    def is_leaf(self) -> bool:
        return self.grad_fn is None

    def detach(self):
        """The same bytes and the same version counter, outside the graph."""
        return self._share(self._array)


def wrap(array, requires_grad: bool = False) -> Tensor:
    """A tensor around `array`, which must belong to nobody else."""
    out = Tensor._new(array)
    if requires_grad:
        check_wanted(out)
        out._edge = None
    return out


def check_wanted(tensor) -> None:
    """Refuse a leaf that is to require a gradient, and is not of floats, or of inference mode."""
    if not tensor.dtype.is_floating_point:
        raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
    if not (tensor._storage.counts or state.inference):
        raise RuntimeError(
            "Setting requires_grad=True on inference tensor outside InferenceMode is not allowed."
        )


def attach(methods: type) -> type:
    """Give Tensor the methods and properties that stand in the body of a class: `@attach` it.

    The class derives from Tensor for whoever reads or checks it; no tensor is made of it.
    """
    for name, thing in vars(methods).items():
        if (callable(thing) or isinstance(thing, property)) and not name.startswith("__annot"):
            if getattr(thing, "__qualname__", "").startswith(methods.__name__ + "."):
                thing.__qualname__ = f"Tensor.{name}"  # as error texts say it
            setattr(Tensor, name, thing)
    return methods


def recording(tensors) -> bool:
    """True if an operation on these must be recorded."""
    return state.grad_enabled and any(t._requires_grad for t in tensors)


# The attributes of a tensor, and of nothing that only says it is one.
own_names = vars(Tensor)["__dict__"].__get__
