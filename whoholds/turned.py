"""What a recording tells that is a table for each turn: no events, and no view that steps."""

from __future__ import annotations


class TurnTrace:
    """`turns` is a list of dicts: rows, after (bytes alive at its end), peak, and `at` where.

    A turn ends when an optimizer has stepped, and at the end.
    """

    recording = False  # whether it still grows
    detail = ""
    heads: tuple = ()  # of the columns of a row
    says = empty = ""  # what the columns mean; what is said where there is no row

    def __init__(self, turns, source="", engine="torch", title="", error=""):
        self.turns, self.error = turns, error
        self.lost: list = []  # what was not followed, and why
        self.source, self.engine, self.title = source, engine, title

    def cells(self, row) -> tuple:
        """Texts and bytes, one for each of the heads."""
        raise NotImplementedError

    @property
    def rows(self) -> list:
        """Those of the last turn."""
        return self.turns[-1]["rows"] if self.turns else []

    @property
    def peak(self) -> int:
        return max((turn["peak"] for turn in self.turns), default=0)

    def __str__(self):
        from whoholds.views.table import text

        return text(self)

    def save(self, path):
        """Write the tables to `path`, an HTML file, or JSON if it ends in .json; gives the path."""
        from whoholds.views.table import save

        return save(self, path)

    def to_json(self) -> dict:
        return dict(
            engine=self.engine, title=self.title, detail=self.detail, peak=self.peak,
            turns=self.turns, error=self.error, lost=self.lost,
        )  # fmt: skip
