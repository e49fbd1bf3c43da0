"""The picture of the README, drawn by the view itself: `python docs/second_time.py` draws it anew.

The text of the view goes into the file with it, so that a test can tell an old picture.
"""

from io import BytesIO
from pathlib import Path

from PIL import Image
from PIL.PngImagePlugin import PngInfo

import minigrad as mg
from whoholds.step import step
from whoholds.views.picture import picture
from whoholds.views.text import text

PROGRAM = """\
a = mg.ones(512, requires_grad=True)
b = a.exp()
c = b * a
loss = c.sum()
loss.backward()
loss.backward()
"""
PATH = Path(__file__).with_suffix(".png")


def trace():
    return step(PROGRAM, namespace={"mg": mg})


def draw() -> None:
    shown = trace()
    described = PngInfo()
    described.add_text("Description", text(shown))
    with Image.open(BytesIO(picture({"": shown}))) as drawn:
        drawn.save(PATH, pnginfo=described, optimize=True)


if __name__ == "__main__":
    draw()
