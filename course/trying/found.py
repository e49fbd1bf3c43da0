"""What a case returns that measures, or that is about one line of the learner's."""

from dataclasses import dataclass, field


@dataclass
class Found:
    """A value that a case returns, the learner's line that it is about, and what was measured.

    curve: [(line, bytes)]. sizes: {"U": bytes}, those that the case's budget names. alive: [(line
    that made them, shape, how many, bytes)], `when`.
    """

    value: object
    line: int | None = None
    curve: list = field(default_factory=list)
    sizes: dict = field(default_factory=dict)
    alive: list = field(default_factory=list)
    when: str = ""
