"""A run of lesson 14 on a real card, as `python3 run.py gpu` recorded it there; if it ever did.

Nothing but what that run printed is shown. Without a record one sentence says so.
"""

import json
from pathlib import Path

PATH = Path(__file__).with_name("data") / "gpu_14.json"
NONE = "No run on a real card has been recorded yet: every figure here is of a simulated one."
FACTS = "CuPy", "CUDA of the driver", "Python", "numpy"
CLOCK = "14.clock"  # a cell that the lesson shows and cannot run on a simulated card


class RealCard:
    """The cells that named the card when they printed, under the versions they ran with."""

    def __init__(self, path=PATH):
        self.record: dict = json.loads(path.read_text("utf-8")) if path.is_file() else {}

    def __repr__(self):
        if not self.record:
            return NONE
        known = self.record["facts"]
        versions = ", ".join(f"{name} {known[name]}" for name in FACTS if name in known)
        head = f"Recorded on a {self.record['device']}, {self.record['date']} ({versions}):"
        return "\n\n".join([head, *self._texts()])

    def _texts(self):
        for cell in self.record["cells"]:
            if self.record["device"] in cell["prints"] or cell["cell"] == CLOCK:
                yield f"[{cell['cell']}] {cell['prints'].rstrip()}"
