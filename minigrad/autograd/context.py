"""The ctx of a Function is its node: what forward says to it, and what backward finds in it."""

from __future__ import annotations

from typing import Any

from minigrad.core import saved
from minigrad.core.backend import full
from minigrad.core.messages import freed_error
from minigrad.core.node import Node
from minigrad.core.op import fit
from minigrad.core.saved import Freed
from minigrad.core.variable import Variable
from minigrad.tensor import wrap


class BackwardCFunction(Node):
    """The node of a Function, and its ctx."""

    _function: Any  # the Function class
    _is_tensor: list  # of each argument of apply()
    _inputs: list  # (shape, dtype) of each tensor among them
    _outputs: list  # (shape, 0, dtype, device) of each floating point result: zeros like it
    _saved_outputs: dict  # which saved tensor is which output
    _to_save: tuple = ()
    _dirty: tuple = ()
    _non_differentiable: tuple = ()
    _materialize = True
    _needs: tuple = ()

    # -- what forward may say --

    def save_for_backward(self, *tensors) -> None:
        """Keep these tensors (inputs, outputs, others, or None) until backward has run."""
        for i, t in enumerate(tensors):
            if t is not None and not isinstance(t, Variable):
                raise TypeError(
                    "save_for_backward can only save variables, but argument "
                    f"{i} is of type {type(t).__name__}"
                )
        self._to_save = tensors

    def mark_dirty(self, *tensors) -> None:
        """These inputs were changed in place; return them."""
        self._dirty = tensors

    def mark_non_differentiable(self, *tensors) -> None:
        """These outputs have no gradient."""
        self._non_differentiable = tensors

    def set_materialize_grads(self, value: bool) -> None:
        """If False, backward receives None instead of zeros for an output nobody used."""
        self._materialize = value

    @property
    def needs_input_grad(self) -> tuple:
        return self._needs

    @property
    def saved_tensors(self) -> tuple:
        """What save_for_backward kept; an error once it was freed or if it was changed."""
        if self.saved.__class__ is Freed:
            raise freed_error(self, self.saved)
        return tuple([saved.unpack(self, i) for i in range(len(self.saved))])

    def __repr__(self):
        return f"<{type(self).__module__}.{type(self).__name__} object at {id(self):#x}>"

    # -- what the engine asks --

    def release(self, freed: Freed) -> None:
        self.saved = freed  # also if nothing was saved: saved_tensors is an error from now on

    def output_number(self, index: int):
        return self._saved_outputs.get(index)

    def apply(self, grads: list, asked=None) -> list:
        if self._materialize:
            grads = [self._zeros(i) if g is None else g for i, g in enumerate(grads)]
        results = self._function.backward(self, *grads)
        results = results if isinstance(results, tuple) else (results,)
        return [self._checked(i, g) for i, g in enumerate(self._for_tensors(results))]

    def __call__(self, *grads):
        raise TypeError(f"'{self.name()}' object is not callable")

    def _zeros(self, i):
        """Zeros for an output that nobody used; None for what is no tensor."""
        return None if self._outputs[i] is None else wrap(full(*self._outputs[i]))

    def _for_tensors(self, results: tuple) -> list:
        """One gradient per tensor argument; what came for other arguments must be None."""
        expected, got = len(self._is_tensor), len(results)
        if got > expected and all(g is None for g in results[expected:]):
            results = results[:expected]
        if len(results) != expected:
            raise RuntimeError(
                f"function {self.name()} returned an incorrect number of gradients "
                f"(expected {expected}, got {got})"
            )
        for i, (g, is_tensor) in enumerate(zip(results, self._is_tensor, strict=True)):
            if g is not None and not is_tensor:
                raise RuntimeError(
                    f"function {self.name()} returned a gradient different from None at position "
                    f"{i + 1}, but the corresponding forward input was not a Variable"
                )
        return [g for g, is_tensor in zip(results, self._is_tensor, strict=True) if is_tensor]

    def _checked(self, i, g):
        """A gradient that fits input `i`: broadcasting undone, dtype restored."""
        if g is None or self.next_functions[i][0] is None:
            return None
        if not isinstance(g, Variable):
            raise RuntimeError(f"expected Variable or None (got {type(g).__name__})")
        shape, _ = self._inputs[i]
        if not _expandable(shape, g._array.shape):
            raise RuntimeError(
                f"Function {self.name()} returned an invalid gradient at index {i} - got "
                f"{list(g.shape)} but expected shape compatible with {list(shape)}"
            )
        return fit(g, *self._inputs[i])


def _expandable(small: tuple, large: tuple) -> bool:
    """True if `small` broadcasts to `large`."""
    pairs = zip(reversed(small), reversed(large), strict=False)
    return len(small) <= len(large) and all(m in (1, n) for m, n in pairs)
