"""What PyTorch printed where minigrad has no such thing: recorded, and named as such.

Each run is a function that imports torch when it is called and returns what it printed.
`python -m course.torch_runs` records all of them anew; a test runs them where torch is installed.
"""

import json
from pathlib import Path

PATH = Path(__file__).parents[1] / "data" / "torch_runs.json"


def torch_run(name):
    """The record of the run `name`, as the value of a cell."""
    return TorchRun(name, json.loads(PATH.read_text("utf-8")))


class TorchRun:
    """Its text, below one line that says which PyTorch printed it, and which program."""

    def __init__(self, name, records):
        self.torch, self.text = records["torch"], "\n".join(records["runs"][name])
        self.program = f"course/torch_runs/{name}.py"

    def __repr__(self):
        return f"Recorded: PyTorch {self.torch}, on a CPU, by {self.program}\n\n{self.text}"
