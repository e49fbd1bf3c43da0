"""Module finds the parameters in its attributes; Parameter is a leaf that wants a gradient."""

from __future__ import annotations

from minigrad.core import observer, words
from minigrad.core.dtypes import float16, float32, float64
from minigrad.core.node import NOWHERE
from minigrad.core.tensor import Tensor
from minigrad.nn import state
from minigrad.nn.hooks import Hooked
from minigrad.ops.creation import rand
from minigrad.ops.pickling import notes


class Parameter(Tensor):
    """A tensor that a Module lists as its own. Results computed from it are plain tensors."""

    def __init__(self, data: Tensor, requires_grad: bool = True):
        if not isinstance(data, Tensor):
            kind = words.kind_of(data)
            raise AttributeError(f"Parameter(): argument 'data' must be Tensor, not {kind}")
        if requires_grad and not data.dtype.is_floating_point:
            raise RuntimeError(
                "Only Tensors of floating point and complex dtype can require gradients"
            )
        self._array, self._storage = data._array, data._storage
        self._edge = None if requires_grad else NOWHERE

    def __copy__(self):
        out = Parameter(self.data, self._requires_grad)
        vars(out).update(notes(self))
        return out

    def __deepcopy__(self, memo):
        """Its own elements and no more of the bytes; neither `.grad` nor attributes go along."""
        if id(self) not in memo:
            memo[id(self)] = type(self)(self.data.clone(), self._requires_grad)
        return memo[id(self)]

    def __reduce_ex__(self, protocol):
        return Parameter, (self.data, self._requires_grad), notes(self) or None


class Module(Hooked):
    """Derive from this, set parameters and modules as attributes, and define forward()."""

    training = True
    _buffers: tuple = ()  # names of tensors that no optimizer moves
    _not_persistent: tuple = ()  # those of them that are no part of the state
    _version = 1  # of what the state of this class consists of

    def __setattr__(self, name, value):
        """A parameter may only be replaced by a Parameter: a plain tensor would go untrained."""
        fits = value is None or isinstance(value, (Parameter, Module))
        if not fits and isinstance(vars(self).get(name), Parameter):
            kind = value.dtype.legacy if isinstance(value, Tensor) else type(value).__qualname__
            raise TypeError(
                f"cannot assign '{kind}' as parameter '{name}' "
                "(torch.nn.Parameter or None expected)"
            )
        object.__setattr__(self, name, value)

    def forward(self, *args):
        raise NotImplementedError(
            f'Module [{type(self).__name__}] is missing the required "forward" function'
        )

    def named_children(self):
        """(name, module) of the modules right below, each once."""
        return once(self._parts())

    def _parts(self):
        """The same, each as often as it is there."""
        return self._own(Module)

    def _own(self, kind):
        return ((k, v) for k, v in vars(self).items() if isinstance(v, kind))

    def children(self):
        return (child for _, child in self.named_children())

    def named_parameters(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ):
        """(name, parameter), each once if `remove_duplicate`; only its own unless `recurse`."""
        prefix = prefix and prefix + "."
        own = ((prefix + name, p) for name, p in self._own(Parameter))
        found = self._named_parameters(prefix) if recurse else own
        return once(found) if remove_duplicate else iter(found)

    def _named_parameters(self, prefix):
        """Its own, then those below. (A list: generators in generators take twice as long.)"""
        own, below = [], []
        for name, value in vars(self).items():
            if isinstance(value, Parameter):
                own.append((prefix + name, value))
            elif isinstance(value, Module):
                below += value._named_parameters(f"{prefix}{name}.")
        return own + below

    def parameters(self, recurse: bool = True):
        """All parameters, each once."""
        return (p for _, p in self.named_parameters(recurse=recurse))

    def named_buffers(self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True):
        """(name, buffer) of those here and below, as named_parameters() does it."""
        found = self._named_buffers(prefix and prefix + ".", recurse)
        there = ((name, buffer) for name, buffer in found if buffer is not None)
        return once(there) if remove_duplicate else there

    def _named_buffers(self, prefix, recurse=True):
        yield from ((prefix + name, getattr(self, name)) for name in self._buffers)
        for name, child in self._parts() if recurse else ():
            yield from child._named_buffers(f"{prefix}{name}.")

    def buffers(self, recurse: bool = True):
        """All buffers, each once."""
        return (t for _, t in self.named_buffers(recurse=recurse))

    def register_buffer(self, name: str, value, persistent: bool = True) -> None:
        """A tensor (or None) that no optimizer moves; if persistent, it is part of the state."""
        self._buffers = (*self._buffers, name)
        if not persistent:
            self._not_persistent = (*self._not_persistent, name)
        setattr(self, name, value)
        for tell in observer.on_joined if value is not None else ():
            tell(value, "buffer")

    def state_dict(self, *, destination=None, prefix: str = "", keep_vars: bool = False):
        """{name: parameter or buffer, detached unless keep_vars}: the values share the bytes."""
        destination = state.empty_state() if destination is None else destination
        state.stored(self, destination, prefix, keep_vars)
        return destination

    def load_state_dict(self, state_dict, strict: bool = True, assign: bool = False):
        """Copy these tensors into this module's; `assign`: put them in their place.

        If `strict`, a name that only one side has is an error; they are returned otherwise.
        """
        return state.load(self, state_dict, strict, assign)

    def _lasting(self) -> dict:
        """{name: parameter or buffer} that the state has, without those of the modules below."""
        names = [name for name in self._buffers if name not in self._not_persistent]
        own = [*self._own(Parameter), *((name, getattr(self, name)) for name in names)]
        return {name: t for name, t in own if t is not None}

    def _before_loading(self, state_dict: dict, prefix: str, version) -> None:
        """A class whose state has changed with its _version may complete an older one here."""

    def _as_own(self, old, new):
        """`new` as what shall take the place of `old`."""
        if not isinstance(old, Parameter):
            return new
        if not isinstance(new, Parameter):
            return Parameter(new, old.requires_grad)
        return new.requires_grad_(old.requires_grad)

    def apply(self, fn):
        """Call it with every module below, each child once, and then with this one."""
        for child in {id(child): child for child in self.children()}.values():
            child.apply(fn)
        fn(self)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Drop the gradients, or fill them with zeros."""
        clear_grads(self.parameters(), set_to_none)

    def requires_grad_(self, requires_grad: bool = True):
        """Freeze or thaw all parameters."""
        for p in self.parameters():
            p.requires_grad_(requires_grad)
        return self

    def to(self, *args, **kwargs):
        """Move parameters, their gradients and buffers to another device or dtype, in place."""
        for p in self.parameters():
            p.data = p.data.to(*args, **kwargs)
            if p._grad is not None:
                p._grad = p._grad.to(*args, **kwargs)
        for module in self.modules():
            for name in module._buffers:
                if (value := getattr(module, name)) is not None:
                    setattr(module, name, moved(value, args, kwargs))
        return self

    def named_modules(self, memo=None, prefix: str = "", remove_duplicate: bool = True):
        """(name, module) of this one, as `prefix`, and of all below, each once."""
        memo = set() if memo is None else memo
        if self in memo:
            return
        if remove_duplicate:
            memo.add(self)
        yield prefix, self
        for name, child in self._parts():
            yield from child.named_modules(
                memo, f"{prefix}{'.' * bool(prefix)}{name}", remove_duplicate
            )

    def modules(self):
        """This one and all below, each once."""
        return (module for _, module in self.named_modules())

    def get_submodule(self, target: str):
        """The module of this name, as named_modules() tells it; "" is this one."""
        module = self
        for name in target.split(".") if target else ():
            if not hasattr(module, name):
                raise AttributeError(f"{type(module).__name__} has no attribute `{name}`")
            module = getattr(module, name)
            if not isinstance(module, Module):
                raise AttributeError(f"`{name}` is not an nn.Module")
        return module

    def get_parameter(self, target: str):
        """The parameter of this name, as named_parameters() tells it."""
        return self._get(target, Parameter, "an nn.Parameter")

    def get_buffer(self, target: str):
        """The buffer of this name, as named_buffers() tells it."""
        return self._get(target, Tensor, "a buffer")

    def _get(self, target, kind, said):
        path, _, name = target.rpartition(".")
        module = self.get_submodule(path)
        if not hasattr(module, name):
            raise AttributeError(f"{type(module).__name__} has no attribute `{name}`")
        found = getattr(module, name)
        if not isinstance(found, kind) or (kind is Tensor and name not in module._buffers):
            raise AttributeError(f"`{name}` is not {said}")
        return found

    def register_parameter(self, name: str, param) -> None:
        """The same as an attribute; None stands for one that is left out."""
        setattr(self, name, param)

    def add_module(self, name: str, module) -> None:
        """The same as an attribute."""
        setattr(self, name, module)

    register_module = add_module

    def double(self):
        """Floating point parameters and buffers as float64."""
        return self.to(float64)

    def float(self):
        """The same as float32."""
        return self.to(float32)

    def half(self):
        """The same as float16."""
        return self.to(float16)

    def cuda(self):
        """Move it to the GPU."""
        return self.to("cuda")

    def cpu(self):
        """Move it to the memory of the host."""
        return self.to("cpu")

    def train(self, mode: bool = True):
        """Set training mode here and below."""
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        self.training = mode
        for child in self.children():
            child.train(mode)
        return self

    def eval(self):
        return self.train(False)

    def extra_repr(self) -> str:
        return ""

    def __repr__(self):
        extra = self.extra_repr()
        lines = [f"({name}): {child!r}".replace("\n", "\n  ") for name, child in self._parts()]
        if not lines and "\n" not in extra:
            return f"{type(self).__name__}({extra})"
        lines = extra.split("\n") * bool(extra) + lines
        return f"{type(self).__name__}(\n  " + "\n  ".join(lines) + "\n)"


class Sequential(Module):
    """Modules one after the other."""

    def __init__(self, *modules):
        for i, module in enumerate(modules):
            if not (module is None or isinstance(module, Module)):
                raise TypeError(f"{words.kind_of(module)} is not a Module subclass")
            setattr(self, str(i), module)

    def __iter__(self):
        return (module for _, module in self._parts())

    def __len__(self):
        return sum(1 for _ in self)

    def __getitem__(self, i):
        if not isinstance(i, slice):
            return list(self)[i]
        part = type(self)()
        for name, module in [*self._parts()][i]:
            setattr(part, name, module)
        return part

    def append(self, module):
        """One more at the end."""
        setattr(self, str(len(self)), module)
        return self

    def extend(self, modules):
        """These at the end."""
        for module in modules:
            self.append(module)
        return self

    def forward(self, x):
        for module in self:
            x = module(x)
        return x


def moved(buffer, args, kwargs):
    """buffer.to(...); what counts, in integers, goes on counting in them."""
    new = buffer.to(*args, **kwargs)
    return new if buffer.dtype.is_floating_point else buffer.to(device=new.device)


def once(named):
    """Those of the (name, tensor) pairs whose tensor is there, and was not among them before."""
    seen = {id(None)}
    for name, tensor in named:
        if id(tensor) not in seen:
            seen.add(id(tensor))
            yield name, tensor


def begun(values) -> Parameter:
    """A layer's parameter: PyTorch makes it first and writes into it, so its version is 1."""
    return Parameter(written(values))


def bound_of(inputs: int) -> float:
    """Of the numbers that a layer begins with, if each output has so many inputs."""
    return inputs**-0.5 if inputs else 0.0


def uniform(shape, bound: float) -> Parameter:
    """Random numbers from -bound to bound, as PyTorch's layers begin with."""
    return begun((rand(shape) * 2 - 1) * bound)


def written(values):
    """The tensor, as if its numbers had been written into it."""
    values._storage.version += 1
    return values


def clear_grads(parameters, set_to_none: bool) -> None:
    """What zero_grad() of modules and optimizers does."""
    for p in parameters:
        if set_to_none or p._grad is None:
            p._grad = None
        elif p._grad.grad_fn is not None:  # of a backward with create_graph
            p._grad.detach_().zero_()
        else:
            p._grad.requires_grad_(False).zero_()
    for tell in observer.on_changed:
        tell()
