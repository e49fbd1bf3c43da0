"""What a stage says of one thing it tried; the table counts the rows of a group together."""

from __future__ import annotations

from dataclasses import dataclass, field

PASSED, FAILED, LEFT_OUT = "passed", "FAILED", "left out"


@dataclass(frozen=True)
class Row:
    """`group`: a line of the table; `detail`: why it failed or was left out, or what came out."""

    group: str
    name: str
    outcome: str
    detail: str = ""
    figures: dict = field(default_factory=dict)


def tried(group: str, name: str, check, *arguments) -> Row:
    """The row of a check that raises if it fails; its result, a string or None, is the detail."""
    try:
        return Row(group, name, PASSED, check(*arguments) or "")
    except Exception as error:  # whatever a card can do to a check: the next one is to run
        return Row(group, name, FAILED, in_a_line(error))


def compared(group: str, name: str, wrong: list) -> Row:
    """The row of a comparison: what differs, as (label, expected, found)."""
    if not wrong:
        return Row(group, name, PASSED)
    label, expected, found = wrong[0]
    more = f", and {len(wrong) - 1} more" if len(wrong) > 1 else ""
    return Row(group, name, FAILED, short(f"{label}: {found}, not {expected}") + more)


def left_out(group: str, why: str) -> Row:
    return Row(group, "", LEFT_OUT, why)


def in_a_line(error: BaseException) -> str:
    return short(f"{type(error).__name__}: {error}")


def short(text: str, most: int = 300) -> str:
    """On one line, cut."""
    text = " ".join(str(text).split())
    return text if len(text) <= most else text[: most - 4] + " ..."
