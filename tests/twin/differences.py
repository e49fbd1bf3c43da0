"""docs/differences.md, made of known.py: `python -m tests.twin.differences` writes it."""

from pathlib import Path

from tests.twin.known import CLASSES

FILE = Path(__file__).parents[2] / "docs" / "differences.md"
HEAD = """\
# Where minigrad differs from PyTorch

`python -m tests.twin.differences` writes this page; a test says when it is stale. These are the
known differences, {count} in all, of what minigrad has: what it lacks is in
[names.md](names.md). None is a wrong value or a wrong gradient. Each has tests that show it and
notice when it is gone, and random programs look for others:
`python -m tests.twin.any_programs 1000`. Of equal numbers PyTorch promises no order where `sort`,
`argsort` or `topk` is not asked for a stable one: there minigrad keeps them as they stand, always.

| of what | which, and why |
|---|---|
"""


def text() -> str:
    rows = [f"| {kind} | {sentence} |" for kind, sentence in CLASSES.items()]
    return HEAD.format(count=len(rows)) + "\n".join(rows) + "\n"


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
    print(f"{FILE.name} written")
