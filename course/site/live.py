"""What the page's half of a widget is given where no kernel answers: its whole state.

A lesson's cells are run once more, in a process of their own; a view, a card or a game then shows
its state instead of itself. `python -m course.site.live NOTEBOOK` prints, for each code cell, one
entry for each output that is displayed: a state, or null. It refuses to know what a page looks
like.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from traitlets.config import Config

from course.build import runner
from course.site.needed import needed
from course.site.played import rules
from whoholds import figure
from whoholds.step import magic

LIVE = "text/x-live"  # runner keeps what is text
ENVIRONMENT = {
    "MINIGRAD_REVEAL": "1",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "PYTHONHASHSEED": "0",
    "PYTHONWARNINGS": "",
}


def view(shown) -> dict:
    """Of a view: the trace, and where it opens."""
    return {"kind": "view", "state": {k: getattr(shown, k) for k in ("trace", "step", "which")}}


def card(question) -> dict:
    """Of a card: what is asked, and the verdict on each answer that can be given."""
    state = {"asked": question.asked(), "verdict": {}, "problem": ""}
    verdicts: Any = {"skip": question.judged(None)}
    if hasattr(question, "options"):
        verdicts["options"] = [question.judged(i) for i in range(len(question.options))]
    else:
        verdicts["number"] = question.answer
        verdicts["known"] = [
            [n, question.judged(str(n))] for n in (question.answer, *question.wrong)
        ]
    return {"kind": "card", "state": state, "verdicts": verdicts}


def game(shown) -> dict:
    """Of a game: the board, the start, and what the rules need."""
    state = {"board": shown.board, "now": shown.now}
    return {"kind": "game", "state": state, "rules": rules(shown.game)}


TOLD = {
    ("whoholds.views.widget", "View"): view,
    ("course.predict.cards", "Prediction"): card,
    ("course.predict.cards", "NumberPrediction"): card,
    ("course.play.widget", "Play"): game,
}


def states(sources, whole=False) -> list:
    """For each cell the states of what it displayed, run in order in this process.

    Cells that no widget needs are left out, unless `whole`.
    """
    sources = list(sources)
    runs = [whole or one for one in needed(sources)]
    config = Config()
    config.HistoryManager.enabled = False
    config.InteractiveShell.colors = "nocolor"
    shell = runner.Shell.instance(config=config)
    magic.register(shell)
    figure.looked_at = False  # no picture is drawn
    formatter: Any = shell.display_formatter
    for (module, name), told in TOLD.items():
        formatter.mimebundle_formatter.for_type_by_name(module, name, _bundle(told))
    given = iter(runner.cells(shell, [s for s, run in zip(sources, runs, strict=True) if run]))
    return [_shown(next(given)) if run else [] for run in runs]


def _shown(outputs) -> list:
    return [output["data"].get(LIVE) for output in outputs if "data" in output]


def _bundle(told):
    return lambda shown: {LIVE: told(shown)}


def of(notebook: Path, root: Path) -> list:
    """`states` of a notebook's code cells, in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", __name__, str(notebook)],
        cwd=root,
        env=os.environ | ENVIRONMENT,
        stdout=subprocess.PIPE,
        check=True,
    )
    return json.loads(done.stdout)


def main(path, *rest):
    cells = json.loads(Path(path).read_text("utf-8"))["cells"]
    answer = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what a cell's C code prints is no part of the answer
    sys.stdout, sys.stderr = runner.Stream("stdout"), runner.Stream("stderr")
    sources = ["".join(c["source"]) for c in cells if c["cell_type"] == "code"]
    json.dump(states(sources, whole=bool(rest)), answer)
    answer.flush()
    os._exit(0)  # a cell's threads must not hold the answer back


if __name__ == "__main__":
    main(*sys.argv[1:])
