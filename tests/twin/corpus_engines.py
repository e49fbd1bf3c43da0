"""What a program written for PyTorch needs to run on either engine, with the same random numbers.

`import torch` brings minigrad. PyTorch draws minigrad's numbers: each of its random functions runs,
and what it made is overwritten by what minigrad's of that name draws. It runs without oneDNN, whose
LSTM is one node with a workspace of its own.
"""

import functools
import importlib
import importlib.abc
import importlib.util
import sys
import threading

import minigrad
from minigrad.core.packing import Packed
from minigrad.memory.saves import tensors_in
from minigrad.utils.data import shuffled

# -- `torch` is minigrad --


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds minigrad.x.y for whoever asks for torch.x.y."""

    def find_spec(self, name, path=None, target=None):
        if name.startswith("torch."):
            importlib.import_module(self.twin(name))
            return importlib.util.spec_from_loader(name, self)
        return None

    def create_module(self, spec):
        return importlib.import_module(self.twin(spec.name))

    def exec_module(self, module):
        """It has run under its own name."""

    @staticmethod
    def twin(name):
        return name.replace("torch", "minigrad", 1)


def become_minigrad():
    """From here on `torch` and all below it is minigrad; for this process, which ends soon."""
    for name in [name for name in sys.modules if name.partition(".")[0] == "torch"]:
        del sys.modules[name]
    sys.modules["torch"] = minigrad
    sys.meta_path.insert(0, Finder())


# -- the same numbers --


def twin_dtype(tensor):
    return getattr(minigrad, str(tensor.dtype).partition(".")[2])


def twin_of(tensor):
    return minigrad.tensor(tensor.tolist(), dtype=twin_dtype(tensor))


def same_shape(name):
    """The numbers of a function that makes a tensor of some size."""

    def numbers(result, *args, generator=None, **options):
        make = getattr(minigrad, name)
        return make(tuple(result.shape), dtype=twin_dtype(result), generator=generator)

    return numbers


def in_place(name):
    def numbers(result, *args, **options):
        new = minigrad.zeros(tuple(result.shape), dtype=twin_dtype(result))
        return getattr(new, name)(*args[1:], **options)

    return numbers


def weighted(name):
    def numbers(result, input, *args, **options):
        return getattr(minigrad, name)(twin_of(input), *args, **options)

    return numbers


def order(result, n, generator=None, **options):
    return minigrad.randperm(n, generator=generator)


def dealt(result, n, generator=None, **options):
    own = None if generator is minigrad.default_generator else generator
    return minigrad.tensor(shuffled(n, own))


def samples(sampler):
    """The order in which a loader of minigrad's goes through so many samples."""
    own = sampler.generator
    return iter(shuffled(len(sampler.data_source), own and twin_generator(own)))


def twin_generator(own):
    """minigrad's generator for one of PyTorch's, which stands where that one stands."""
    torch = sys.modules["torch"]
    if own is torch.default_generator:
        return minigrad.default_generator
    fresh = torch.Generator().manual_seed(own.initial_seed()).get_state()
    if own not in GENERATORS or own.get_state().equal(fresh):
        GENERATORS[own] = minigrad.Generator().manual_seed(own.initial_seed())
    return GENERATORS[own]


GENERATORS: dict = {}  # PyTorch's -> minigrad's


def whole(result, *args, high=None, generator=None, **options):
    bounds = [a for a in (*args, high) if type(a) is int]
    return minigrad.randint(*bounds, tuple(result.shape), generator=generator)


def normals(result, mean, std, *args, generator=None, **options):
    """Those of a mean and a deviation each, as torch.distributions draws them."""
    mean, std = (twin_of(one) if hasattr(one, "dtype") else one for one in (mean, std))
    return minigrad.randn(tuple(result.shape), generator=generator) * std + mean


FUNCTIONS = {
    "rand": same_shape("rand"), "randn": same_shape("randn"), "rand_like": same_shape("rand"),
    "randn_like": same_shape("randn"), "randint": whole, "randperm": order, "normal": normals,
    "multinomial": weighted("multinomial"), "bernoulli": weighted("bernoulli"),
}  # fmt: skip
METHODS = "uniform_", "normal_", "bernoulli_"


def share_numbers(torch):
    """PyTorch's random functions give minigrad's numbers."""
    torch.backends.mkldnn.set_flags(False)
    for name, numbers in FUNCTIONS.items():
        plain = getattr(torch, name)
        for holder in (torch, *holders(plain, "torch")):
            setattr(holder, name, filled(plain, numbers))
    parts = torch.utils.data.dataset  # of random_split
    parts.randperm = filled(parts.randperm.__wrapped__, dealt)
    for name in METHODS:
        setattr(torch.Tensor, name, filled(getattr(torch.Tensor, name), in_place(name)))
    torch.utils.data.RandomSampler.__iter__ = samples
    functional = torch.nn.functional
    functional.dropout = dropout(torch, functional.dropout)
    attend = functional.scaled_dot_product_attention
    functional.scaled_dot_product_attention = attention(torch, attend)
    plainly = torch.manual_seed
    torch.get_rng_state, torch.set_rng_state = minigrad.get_rng_state, minigrad.set_rng_state
    torch.manual_seed = lambda seed: (minigrad.manual_seed(seed), plainly(seed))[1]


def filled(draw, numbers):
    """`draw`, whose result is overwritten."""

    @functools.wraps(draw)
    def drawn(*args, **options):
        own = options.get("generator")
        twin = {} if own is None else {"generator": twin_generator(own)}
        result = draw(*args, **options)
        options |= twin
        given = numbers(result, *args, **options).reshape(-1).tolist()
        dtype, torch = result.dtype, sys.modules["torch"]
        result.data.copy_(torch.tensor(given, dtype=dtype).view(result.shape))
        return result

    return drawn


def dropout(torch, plain):
    """As PyTorch computes it on a CPU."""

    def dropped(input, p=0.5, training=True, inplace=False):
        if not training or not 0 < p < 1:
            return plain(input, p, training, inplace)
        stays = (minigrad.rand(tuple(input.shape)) >= p).tolist()
        kept = torch.tensor(stays, dtype=input.dtype).div_(1 - p)
        return input.mul_(kept) if inplace else input * kept

    return dropped


def attention(torch, plain):
    """With dropout PyTorch composes it, on a CPU, and so it is composed here."""

    def attended(
        query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, **options
    ):
        if not dropout_p:
            return plain(query, key, value, attn_mask, 0.0, is_causal, scale=scale, **options)
        if is_causal:
            ones = torch.ones(query.shape[-2], key.shape[-2], dtype=torch.bool)
            attn_mask = ones.tril()
        if attn_mask is not None and attn_mask.dtype is torch.bool:
            none = torch.zeros_like(attn_mask, dtype=query.dtype)
            attn_mask = none.masked_fill_(attn_mask.logical_not(), float("-inf"))
        root = (query.shape[-1] ** -0.5 if scale is None else scale) ** 0.5
        weights = (query * root) @ (key.transpose(-2, -1) * root)
        weights = weights if attn_mask is None else weights.add_(attn_mask)
        weights = torch.ops.aten._safe_softmax(weights, -1)
        return torch.nn.functional.dropout(weights, dropout_p) @ value

    return attended


# -- what a graph has saved --


def of_torch(node) -> list:
    """The tensors but those of one number: PyTorch keeps a Python number so."""
    from whoholds.on_torch import parts  # it imports PyTorch, which may not be there

    found = [parts.plain(one) for _, one in parts.saved(node) if hasattr(one, "untyped_storage")]
    return [one for one in found if one.dim()]


def of_minigrad(node) -> list:
    if node.name().endswith("CopySlices"):  # PyTorch's keeps them in a function nobody can see
        return []
    entries = node._saved if isinstance(node._saved, list) else []
    found = [one for entry in entries for one in tensors_in(entry)]
    packed = [entry.content for entry in entries if isinstance(entry, Packed)]
    found += [one for one in packed if isinstance(one, minigrad.Tensor)]
    return [one for one in found if one.dim()]


def saved_bytes(roots, saved) -> int:
    """Of the graph below these tensors, each storage once."""
    nodes = nodes_below([root.grad_fn for root in roots if root is not None])
    return bytes_of([tensor for node in nodes for tensor in saved(node)])


def bytes_of(tensors) -> int:
    storages = [tensor.untyped_storage() for tensor in tensors]
    return sum({storage.data_ptr(): storage.nbytes() for storage in storages}.values())


def nodes_below(todo) -> set:
    """These nodes, and all that they lead to."""
    seen: set = set()
    while todo:
        node = todo.pop()
        if node is not None and node not in seen:
            seen.add(node)
            todo += [target for target, _ in node.next_functions]
    return seen


def watch(mg, saved, found):
    """Write down, for each backward that the program asks for, what its graph has saved."""
    places = [(mg.Tensor, "backward"), (mg.autograd, "backward"), (mg.autograd, "grad")]
    if mg is minigrad:
        places.append((sys.modules["minigrad.core.backward"], "grad"))  # jacobian's, gradcheck's
    inside = threading.local()
    for place, name in places:
        plain = getattr(place, name)
        for holder in (place, *holders(plain, mg.__name__)):
            setattr(holder, name, watched(plain, saved, found, inside))


def holders(function, engine) -> list:
    """The engine's modules that took this function by its name when they were imported."""
    modules = [m for name, m in list(sys.modules.items()) if name.startswith(f"{engine}.")]
    return [m for m in modules if vars(m).get(function.__name__) is function]


def watched(run, saved, found, inside):
    @functools.wraps(run)
    def backward(*args, **options):
        roots = args[0] if args else options.get("outputs", options.get("tensors"))
        outermost = not vars(inside)
        if outermost:
            several = roots if isinstance(roots, (list, tuple)) else [roots]
            found.append(saved_bytes(several, saved))
        inside.backward = True
        try:
            return run(*args, **options)
        finally:
            if outermost:
                del inside.backward

    return backward
