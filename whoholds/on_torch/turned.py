"""What the recorders have in common that tell a table for each turn, and no events."""

from __future__ import annotations

from torch.optim.optimizer import register_optimizer_step_post_hook

from whoholds.frames import no_error
from whoholds.on_torch.guarded import Guarded
from whoholds.steps import Steps
from whoholds.turned import TurnTrace


class Turned(Guarded):
    """A turn ends when the optimizers have stepped; `report` is filled as turns end."""

    def __init__(self, report: TurnTrace):
        super().__init__()
        self.report = report
        self.followers: list = []  # called at the end
        self.walks = 0  # that are under way
        self.steps = Steps()

    def trace(self, source="", title="") -> TurnTrace:
        self.report.source, self.report.title = source, title
        return self.report

    def _turn(self) -> None:
        """A turn is over."""
        raise NotImplementedError

    def _step(self, optimizer, *_) -> None:
        """An optimizer has stepped, and perhaps ended a turn."""
        self.steps.see(optimizer)
        if self.steps.over:
            self._turn()

    def _end(self, error, where="") -> None:
        """The last turn is over, by this error perhaps."""
        self.guarded(self._turn)
        if not no_error(error):
            self.report.error = f"{where}{type(error).__name__}: {error}"
        for call in self.followers:
            call()

    def lose(self, text):
        self.report.lost.append(text)

    def after_step(self, call):
        """Have `call` called after each step of any optimizer; gives a handle with remove()."""
        return register_optimizer_step_post_hook(call)

    def turn(self) -> None:
        """Somebody says that a turn is over; the optimizer has said so here."""

    def stepped(self, steps, other) -> None:
        """Somebody says that an optimizer has stepped, which is known here."""
