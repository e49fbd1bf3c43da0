"""The frame of every small picture: matplotlib only when it is asked for, a transparent page, PNG.

What is drawn is a subclass's affair; each also says in text what it shows.
"""

import io

looked_at = True  # off in a proof that compares no more than whether there is a picture


def drawn(draw) -> bytes:
    """The PNG that `draw()` gives; of no bytes where nobody looks at it."""
    return draw() if looked_at else b""


class Picture:
    """Shown as a PNG where pictures are shown, else as text."""

    size: tuple = (8, 3.2)  # inches, wide and high

    def _repr_png_(self):
        try:
            return drawn(self._png)
        except ImportError:
            return None  # the text says it too

    def _png(self):
        from matplotlib.figure import Figure

        figure = Figure(figsize=self.size, layout="constrained")
        figure.patch.set_alpha(0)
        self.draw(figure)
        file = io.BytesIO()
        figure.savefig(file, format="png", dpi=110, metadata={"Software": None})
        return file.getvalue()

    def draw(self, figure) -> None:
        raise NotImplementedError
