"""The frame of every small picture: matplotlib only when it is asked for, a transparent page, PNG.

What is drawn is a subclass's affair; each also says in text what it shows.
"""

import io


class Picture:
    """Shown as a PNG where pictures are shown, else as text."""

    size: tuple = (8, 3.2)  # inches, wide and high

    def _repr_png_(self):
        try:
            from matplotlib.figure import Figure
        except ImportError:
            return None  # the text says it too
        figure = Figure(figsize=self.size, layout="constrained")
        figure.patch.set_alpha(0)
        self.draw(figure)
        file = io.BytesIO()
        figure.savefig(file, format="png", dpi=110, metadata={"Software": None})
        return file.getvalue()

    def draw(self, figure) -> None:
        raise NotImplementedError
