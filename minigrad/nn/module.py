"""Module finds the parameters in its attributes; Parameter is a leaf that wants a gradient."""

from __future__ import annotations

from minigrad.core import observer
from minigrad.core.dtypes import float16, float32, float64
from minigrad.core.modes import no_grad
from minigrad.core.tensor import Tensor
from minigrad.core.words import USUAL, as_dtype
from minigrad.nn import registering
from minigrad.nn.mappings import parts
from minigrad.nn.named import Parameter
from minigrad.nn.registering import typename
from minigrad.nn.state import Stateful
from minigrad.ops.creation import empty

USUAL.add(Parameter)  # which is no number either


class Module(Stateful):
    """Derive from this, set parameters and modules as attributes, and define forward()."""

    training = True
    _parameters, _buffers, _modules = map(parts, ("parameter", "buffer", "module"))
    _buffer_names: tuple = ()  # names of tensors that no optimizer moves
    _in_repr: tuple = ()  # names of attributes that its repr tells

    def __setattr__(self, name, value):
        """What is a parameter, a child or a buffer stays one: a plain tensor would go untrained."""
        kind = registering.kind_of(self, name)
        if isinstance(value, (Parameter, Module)):
            new = "parameter" if isinstance(value, Parameter) else "module"
            registering.check_replaced(kind, name, value)
            if kind != new:
                self._forget(name)
                vars(self).pop(name, None)
            if new == "parameter":
                registering.check_name(self, new, name)
        elif kind and value is not None:
            registering.check_replaced(kind, name, value)
        elif kind and kind != "buffer":
            self._absent = {**self._absent, name: kind}
        object.__setattr__(self, name, value)

    def __delattr__(self, name):
        self._forget(name)
        object.__delattr__(self, name)

    def _forget(self, name):
        """Its name is no longer that of a buffer, nor of what is left out."""
        for names in ("_buffer_names", "_not_persistent") * (name in self._buffer_names):
            setattr(self, names, tuple(one for one in getattr(self, names) if one != name))
        if name in self._absent:
            self._absent = {one: kind for one, kind in self._absent.items() if one != name}

    def forward(self, *args):
        raise NotImplementedError(
            f'Module [{type(self).__name__}] is missing the required "forward" function'
        )

    def register_buffer(self, name: str, tensor, persistent: bool = True) -> None:
        """A tensor (or None) that no optimizer moves; if persistent, it is part of the state."""
        registering.check_name(self, "buffer", name)
        registering.check_kind("buffer", name, tensor, Tensor)
        if name not in self._buffer_names:
            self._buffer_names = (*self._buffer_names, name)
        others = tuple(one for one in self._not_persistent if one != name)
        self._not_persistent = others if persistent else (*others, name)
        object.__setattr__(self, name, tensor)  # also a Parameter stays a buffer
        for tell in observer.on_joined if tensor is not None else ():
            tell(tensor, "buffer")

    def apply(self, fn):
        """Call it with every module below, each child once, and then with this one."""
        for child in self.children():
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
        registering.check_floats(*args, *kwargs.values())
        return self._apply(lambda t: moved(t, args, kwargs))

    def _apply(self, fn, recurse: bool = True):
        """Let fn() make new tensors of all that there are; a parameter stays what it is."""
        for child in self.children() if recurse else ():
            child._apply(fn)
        with no_grad():
            for _, p in self._own(Parameter):
                p.data = fn(p)
                if p._grad is not None:
                    p._grad = fn(p._grad)
        for name, value in self._buffers.items():
            if value is not None:
                object.__setattr__(self, name, fn(value))
        return self

    def register_parameter(self, name: str, param) -> None:
        """The same as an attribute; None stands for one that is left out."""
        registering.check_name(self, "parameter", name)
        registering.check_kind("parameter", name, param, Parameter)
        self._fill("parameter", name, param)

    def _fill(self, kind, name, value):
        """Set it; None holds the place of one."""
        if value is None:
            self._absent = {**self._absent, name: kind}
        setattr(self, name, value)

    def add_module(self, name: str, module) -> None:
        """Make `module` a child of that name, if it is one and the name can be one."""
        if not isinstance(module, Module) and module is not None:
            raise TypeError(f"{typename(module)} is not a Module subclass")
        registering.check_name(self, "module", name)
        self._fill("module", name, module)

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

    def type(self, dst_type):
        """All parameters and buffers, those of whole numbers too, as this dtype."""
        return self._apply(lambda t: t.type(dst_type))

    def cuda(self, device=None):
        """Move it to the GPU."""
        return self.to(f"cuda:{device}" if isinstance(device, int) else device or "cuda")

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
        return ", ".join(f"{name}={getattr(self, name)}" for name in self._in_repr)

    def __repr__(self):
        extra = self.extra_repr()
        lines = [f"({name}): {child!r}".replace("\n", "\n  ") for name, child in self._slots()]
        if not lines and "\n" not in extra:
            return f"{self._get_name()}({extra})"
        lines = extra.split("\n") * bool(extra) + lines
        return f"{self._get_name()}(\n  " + "\n  ".join(lines) + "\n)"

    def _get_name(self) -> str:
        return type(self).__name__


def moved(tensor, args, kwargs):
    """tensor.to(...); what counts, in integers, goes on counting in them."""
    new = tensor.to(*args, **kwargs)
    return new if tensor.dtype.is_floating_point else tensor.to(device=new.device)


def vacant(module: Module, shapes: dict, device, dtype) -> None:
    """Parameters for reset_parameters() to write into; one whose shape is None is left out."""
    dtype = as_dtype(dtype)
    for name, shape in shapes.items():
        made = None if shape is None else Parameter(empty(shape, device=device, dtype=dtype))
        module.register_parameter(name, made)


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
