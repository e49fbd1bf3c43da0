"""inference_mode: as no_grad, and what is made inside is no part of any graph ever after.

The storage of such a tensor is of a kind that has no version counter: who asks for it, to save the
tensor or to overwrite it, is refused in PyTorch's words.
"""

from __future__ import annotations

from typing import Any

from minigrad.core.modes import _Bare, state
from minigrad.core.observer import Observer, leave, watch
from minigrad.core.storage import Alias, Storage
from minigrad.core.tensor import Tensor, attach

NO_VERSION = "Inference tensors do not track version counter."
NOT_SAVED = (
    "Inference tensors cannot be saved for backward. Please do not use Tensors created in "
    "inference mode in computation tracked by autograd. To work around this, you can make a clone "
    "to get a normal tensor and use it in autograd, or use `torch.no_grad()` instead of "
    "`torch.inference_mode()`."
)
NOT_WRITTEN = (
    "Inplace update to inference tensor outside InferenceMode is not allowed.You can make a clone "
    "to get a normal tensor before doing inplace update.See "
    "https://github.com/pytorch/rfcs/pull/17 for more details."
)


def is_inference_mode_enabled() -> bool:
    """True inside inference_mode, on this thread."""
    return state.inference


class Untracked(Storage):
    """The storage of an inference tensor."""

    __slots__ = ()
    counts = False
    stamp = 0  # no version moves

    def written(self) -> None:
        """As in PyTorch, the bytes are new before it is seen that nothing counts their versions."""
        if not is_inference_mode_enabled():
            raise RuntimeError(NOT_WRITTEN)

    @property
    def version(self) -> int:
        if not is_inference_mode_enabled():
            raise RuntimeError(NOT_SAVED)
        return 0

    @version.setter
    def version(self, value) -> None:
        """There is none."""


class UntrackedAlias(Alias, Untracked):
    """What `.data` of an inference tensor has: it may be written, and counts, but not be saved."""

    __slots__ = ("stamp",)

    version = vars(Untracked)["version"].setter(lambda self, value: setattr(self, "stamp", value))

    def written(self) -> None:
        self.stamp += not is_inference_mode_enabled()


Untracked.apart = staticmethod(lambda own: own if state.inference else UntrackedAlias(own))


class Marker(Observer):
    """Gives each tensor that is made inside its kind of storage."""

    def made(self, tensor, owns):
        if owns and is_inference_mode_enabled():
            tensor._storage.__class__ = Untracked


_marker, _inside = Marker(), 0


class inference_mode(_Bare):
    """Operations inside are not recorded, and their results can never be; mode=False: as ever."""

    def __new__(cls, mode: Any = True):
        return object.__new__(cls) if isinstance(mode, bool) else cls()(mode)

    def __init__(self, mode: bool = True):
        self.mode, self.wanted = mode, not mode

    def __enter__(self):
        global _inside
        self.outer, state.inference = state.inference, self.mode
        super().__enter__()
        _inside += 1
        if _inside == 1:
            watch(_marker)

    def __exit__(self, *exc):
        global _inside
        _inside -= 1
        if not _inside:
            leave(_marker)
        state.inference = self.outer
        super().__exit__(*exc)

    def _again(self):
        return type(self)(self.mode)


_detach = Tensor.detach


@attach
class Inference(Tensor):
    """Methods of Tensor."""

    def detach(self):
        """The same bytes outside the graph; of an inference tensor, as .data gives them."""
        return _detach(self) if self._storage.counts else self.data

    def is_inference(self) -> bool:
        """True if it was made in inference mode."""
        return isinstance(self._storage, Untracked)

    @property
    def _version(self) -> int:
        if type(self._storage) is Untracked:
            raise RuntimeError(NO_VERSION)
        return self._storage.stamp
