"""The child of a proof: runs cells in a fresh IPython namespace and says what each gave.

The same shell class as a kernel's, so that `Out[]`, `_` and the last traceback keep alive exactly
what they keep in a notebook. Reads a job as JSON from stdin, answers with JSON on stdout.
"""

import gc
import importlib
import json
import os
import sys

from IPython.core.displayhook import DisplayHook
from IPython.core.displaypub import DisplayPublisher
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

OUTPUTS: list = []  # of the cell that is running


class Hook(DisplayHook):
    """Keeps `Out` and `_` as any IPython does, and notes the value's text instead of printing."""

    def write_output_prompt(self):
        pass

    def write_format_data(self, format_dict, md_dict=None):
        OUTPUTS.append(
            {"output_type": "execute_result", "data": _text_only(format_dict), "metadata": {}}
        )


class Publisher(DisplayPublisher):
    """Notes what `display` shows."""

    def publish(self, data, metadata=None, *args, **kwargs):
        OUTPUTS.append({"output_type": "display_data", "data": _text_only(data), "metadata": {}})


class Shell(InteractiveShell):
    """A kernel's shell without the kernel."""

    def init_displayhook(self):
        self.displayhook_class = Hook
        super().init_displayhook()

    def init_display_pub(self):
        self.display_pub_class = Publisher
        super().init_display_pub()

    def _showtraceback(self, etype, evalue, stb):
        lines = stb if isinstance(stb, list) else [stb]
        OUTPUTS.append(
            {
                "output_type": "error",
                "ename": etype.__name__,
                "evalue": str(evalue),
                "traceback": lines,
            }
        )


class Stream:
    """sys.stdout or sys.stderr of the cell."""

    encoding = "utf-8"

    def __init__(self, name):
        self.name = name

    def write(self, text):
        OUTPUTS.append({"output_type": "stream", "name": self.name, "text": str(text)})
        return len(text)

    def flush(self):
        pass

    def isatty(self):
        return False


def _text_only(data):
    """Pictures are compared by presence alone: they are not even drawn."""
    return {kind: value if kind.startswith("text/") else "" for kind, value in data.items()}


def engine_module(name, facade):
    """The module that `mg` is in this run; torch dressed as minigrad answers to its name too."""
    if not facade:
        return importlib.import_module(name) if name else None
    module = importlib.import_module(facade).as_mg()
    sys.modules[name] = module
    return module


def run(sources, branches=None, engine=None, facade=None):
    """The outputs of each cell, in order, in one fresh namespace.

    `branches` are lists of cells, each of which goes on from what `sources` left, in a copy of
    this process: what they give comes after it, branch by branch.
    """
    config = Config()
    config.HistoryManager.enabled = False
    config.InteractiveShell.colors = "nocolor"
    shell = Shell.instance(config=config)  # what get_ipython() and display() find
    _draw_nothing()
    module = engine_module(engine, facade)
    if module is not None:
        shell.user_ns["mg"] = module
    results = cells(shell, sources)
    return results if branches is None else [copied(shell, branch) for branch in branches]


def _draw_nothing():
    """Pictures are only counted. Importing whoholds brings %%step to a shell that is there."""
    from whoholds import figure

    figure.looked_at = False


def cells(shell, sources):
    """The outputs of each of `sources`, run in order."""
    results = []
    for source in sources:
        OUTPUTS.clear()
        shell.run_cell(source, store_history=True)
        results.append(list(OUTPUTS))
    return results


def copied(shell, sources):
    """As `cells`, in a copy of this process: importing everything anew takes a second each time."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        _answer(shell, sources, writing)
    os.close(writing)
    with os.fdopen(reading, encoding="utf-8") as answer:
        text = answer.read()
    os.waitpid(child, 0)
    return json.loads(text or "null")  # None: it ended early


def _answer(shell, sources, writing):
    """The copy's whole life; whatever happens, it must not go on as its parent would."""
    try:
        with os.fdopen(writing, "w", encoding="utf-8") as answer:
            json.dump(cells(shell, sources), answer)
    finally:
        os._exit(0)


def main():
    job = json.load(sys.stdin)
    answer = os.fdopen(os.dup(1), "w", encoding="utf-8")
    silent = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silent, 1)  # what C code prints must not mix with the answer
    sys.stdin = open(os.devnull, encoding="utf-8")
    sys.stdout, sys.stderr = Stream("stdout"), Stream("stderr")
    if collector := job.pop("collector", None):
        gc.set_threshold(collector)
    json.dump(run(**job), answer)
    answer.flush()
    os._exit(0)  # a cell's threads or __del__ must not hold the answer back


if __name__ == "__main__":
    main()
