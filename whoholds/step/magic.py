"""`%%step` runs a cell one statement at a time and shows which bytes lived, and why.

`step(source)` is the same without a notebook. The snippet runs in the reader's own namespace, and
`import torch` in it means minigrad, unless real PyTorch is asked for, or needed in a cell. It
refuses to know how a view is drawn.
"""

from __future__ import annotations

import argparse
import importlib
import shlex
import sys
import traceback
import types
from typing import Any

from whoholds import engines
from whoholds.frames import without_ours
from whoholds.names_first import ordered
from whoholds.step.advice import Advisor
from whoholds.step.choose import choose
from whoholds.step.instrument import Run, StepLimit, assigned_first, compile_snippet

NO_TORCH = (
    "--engine torch needs PyTorch, which is not installed here: "
    "pip install torch --index-url https://download.pytorch.org/whl/cpu "
    "(in the course: python3 run.py lab --torch)"
)


class StepError(RuntimeError):
    """A snippet that cannot be stepped, and what to do about it."""


class Outcome:
    """A recorded trace, and the exception that ended the snippet, if one did."""

    def __init__(self, trace, error: BaseException | None = None):
        self.trace, self.error = trace, error

    def forget(self) -> None:
        """Let the error go, and its frames, which hold the tensors of the snippet's functions."""
        if self.error is not None:
            self.error.__traceback__ = None
        self.error = None


def step(source: str, engine: str = "minigrad", namespace: dict | None = None, title: str = ""):
    """Run `source` statement by statement and return its Trace.

    It begins with the names of `namespace`, which stays as it is; those it leaves are forgotten.
    An exception of the snippet ends the trace (`trace.error` is its text) and is not raised.
    A syntax error is raised, before anything runs; so is KeyboardInterrupt, with `.trace`.
    """
    names = dict(namespace or {})
    try:
        outcome = run(source, engine, names, title)
        if isinstance(outcome.error, KeyboardInterrupt | SystemExit):
            raise outcome.error
    finally:
        names.clear()  # a function of the snippet is a cycle that leads back to them
    outcome.forget()
    return outcome.trace


def run(source: str, engine: str, namespace: dict, title: str = "", rerun=False) -> Outcome:
    """Run and record; the exception, if any, comes with the trace.

    `rerun`: names that the snippet assigns before it reads them are unbound first, so that a cell
    run again begins as it did the first time, without the tensors that it left behind.
    """
    mapped = "minigrad" if engine == "minigrad" else None
    new_recorder = recorder_class(engine)
    snippet = compile_snippet(source, mapped)
    for name in assigned_first(source) if rerun else ():
        namespace.pop(name, None)
    namespace.setdefault("__builtins__", __builtins__)
    one = Run(lambda frame: new_recorder(names=snippet.names, frame=frame))
    with TorchName(namespace, engine, "torch" in snippet.names):
        error = one.execute(snippet, namespace)
    trace = ordered(one.recorder.trace(source, title))
    if error is not None:
        error.__traceback__ = _of_snippet(error.__traceback__)
        error.trace = trace  # type: ignore[attr-defined]
    return Outcome(trace, error)


def recorder_class(engine: str) -> Any:
    """The class that records this engine, imported only when it is asked for; traces can export."""
    if engine not in engines.ENGINES:
        raise StepError(f"there is no engine {engine!r}; there are {' and '.join(engines.ENGINES)}")
    if engine == "torch" and not torch_installed():
        raise StepError(NO_TORCH)
    return engines.recorder_class(engine)


def torch_installed() -> bool:
    return engines.installed("torch")


def _of_snippet(entry):
    """The traceback from the snippet's first frame on, without the recorders' frames."""
    while entry and not entry.tb_frame.f_code.co_filename.startswith("<step "):
        entry = entry.tb_next
    return without_ours(entry)


class TorchName:
    """While the snippet runs, its `torch` is the engine, whatever an earlier cell has imported."""

    def __init__(self, namespace: dict, engine: str, wanted: bool):
        self.namespace, self.engine = namespace, engine
        self.before = namespace.get("torch")
        self.wanted = wanted and (engine == "minigrad" or engines.of(self.before) == {"minigrad"})

    def __enter__(self):
        if self.wanted:
            self.namespace["torch"] = importlib.import_module(self.engine)

    def __exit__(self, *_):
        if self.wanted and isinstance(self.before, types.ModuleType):
            self.namespace["torch"] = self.before


# -- the cell magic --


def parser() -> argparse.ArgumentParser:
    result = argparse.ArgumentParser(
        prog="%%step", description="Step through the cell; see what each line keeps alive."
    )
    chosen = "without it PyTorch, where only PyTorch will do and it is installed; else minigrad"
    result.add_argument("--engine", choices=engines.ENGINES, help=chosen)
    result.add_argument("--fresh", action="store_true", help="start without your other names")
    result.add_argument("--title", default="", help="a heading for the view")
    called = "open the view on the event called so: words of its sentence, or of its line"
    result.add_argument("--at", default="", metavar="WORDS", help=called)
    result.add_argument("--end", action="store_true", help="open the view on the last step")
    hide = "the curve shows what was stepped over; the view opens on --at, or before all steps"
    result.add_argument("--hide", action="store_true", help=hide)
    tries = (
        "try ways out of growth, too, in copies of this process: for a cell that may be run again"
    )
    result.add_argument("--ways", action="store_true", help=tries)
    result.add_argument("--export", metavar="FILE.html", help="write one self-contained page, too")
    result.add_argument(
        "--raise", dest="raises", action="store_true", help="an error of the cell is raised again"
    )
    return result


def step_cell(line: str, cell: str, namespace: dict, display=None) -> None:
    """What `%%step` does: run, show the view, print the error and what its fixes cost."""
    try:
        options = parser().parse_args(shlex.split(line))
    except ValueError as error:  # a quote without its partner
        print(f"%%step cannot read {line!r}: {error}")
        return
    except SystemExit:  # argparse has said what is wrong, or printed its help
        return
    names = {"__name__": "__main__"} if options.fresh else namespace
    engine, why = (options.engine, "") if options.engine else choose(cell, names)
    if why:
        print(why)

    def again(text):
        return run(text, engine, names, rerun=True), names

    with Advisor(cell, again, options.ways) as advisor:
        try:
            outcome = run(cell, engine, names, options.title, rerun=True)
        except (StepError, SyntaxError) as error:
            print(_one_line(error))
            return
        end = len(outcome.trace) if options.end else None
        view = show(outcome.trace, display, step=end, at=options.at, hide=options.hide)
        rows = advisor.rows(outcome.trace)
    if options.export and view is not None:
        print(f"written: {view.export(options.export)}")
    report(outcome, rows, options.raises, shown=view is not None)
    if options.fresh:
        names.clear()  # as `step` does


def report(outcome: Outcome, rows: list, raises: bool, shown=False) -> None:
    """Print what went wrong, or where the view has `shown` it, only how to go on: `rows`. Raise it
    where that was asked for, or where it was meant to stop.
    """
    stops = raises or isinstance(outcome.error, KeyboardInterrupt | SystemExit)
    help_ = "\n".join(rows) or noted(outcome.error)
    if outcome.error is not None and not stops and not (shown and rows):
        print(error_text(outcome.error))
    if help_:
        print(help_)
    if stops:
        raise outcome.error  # type: ignore[misc]
    outcome.forget()


def noted(error) -> str:
    """The notes of the error: what minigrad has to say of a name it lacks, for example."""
    notes = getattr(error, "__notes__", ())
    no_torch = any("--engine torch" in note for note in notes) and not torch_installed()
    return "\n".join([*notes, NO_TORCH] if no_torch else notes)


def error_text(error) -> str:
    """`line 7, o.backward(): RuntimeError: ...`, one paragraph, the same on every machine."""
    if isinstance(error, StepLimit):
        return str(error)
    where = ""
    for frame in traceback.extract_tb(error.__traceback__):
        if frame.filename.startswith("<step "):
            where = f"line {frame.lineno}, `{frame.line}`: "
    return f"{where}{type(error).__name__}: {error}"


def _one_line(error) -> str:
    if isinstance(error, SyntaxError):
        text = f": `{error.text.strip()}`" if error.text else ""
        return f"{type(error).__name__} on line {error.lineno}{text}: {error.msg}; nothing was run"
    return str(error)


def show(trace, display=None, at="", **how):
    """The view, opened as `whoholds.views.show` says; or, without views, how many events there are.

    If no event is called `at`, that is said, and the view opens as without it.
    """
    if display is None:
        from IPython.display import display
    try:
        from whoholds.views.telling import NoSuchEvent
        from whoholds.views.widget import show as view
    except ImportError:
        print(summary(trace))
        return None
    try:
        found = view(trace, at=at, **how)
    except NoSuchEvent as error:
        print(f"--at: {error}")
        found = view(trace, **how)
    display(found)
    return found


def summary(trace) -> str:
    lines = max((event["line"] for event in trace.events), default=0)
    return f"{len(trace)} events up to line {lines}; at most {trace.peak} bytes lived at once"


def register(shell) -> None:
    """Give `shell` (an IPython one) the magic."""

    def magic(line, cell):
        step_cell(line, cell, shell.user_ns)

    shell.register_magic_function(magic, "cell", "step")


def running_shell():
    """The IPython shell this runs in, or None; does not import IPython."""
    ipython = sys.modules.get("IPython")
    return ipython.get_ipython() if ipython is not None else None
