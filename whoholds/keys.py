"""What each widget's script begins with: how it shares the keys with JupyterLab."""

import re
from pathlib import Path

COMMENT = re.compile(r"^ *(//|/\*\*|\*).*\n", re.MULTILINE)  # lines of nothing else


def script(path: Path) -> str:
    """The script at `path` as it travels with every widget: without what only readers need."""
    return COMMENT.sub("", path.read_text("utf-8"))


SCRIPT = script(Path(__file__).with_suffix(".js"))
