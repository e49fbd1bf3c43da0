"""Break any one place that frees, saves, counts versions or bytes: probe.py notices."""

import ast
import os
import queue
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import minigrad
from tests import drawn
from tests.minigrad import mutations
from tests.minigrad.mutants import OUTSIDE, files, mutants
from tests.minigrad.probe_server import NO_PYTHON

ENGINE = Path(minigrad.__file__).resolve().parent
HERE = Path(__file__).parent
WORKERS = 2

# Broken, yet no program can tell: (function, statement, what takes the place): why.
EQUIVALENT = {
    ("book", "if live > peak:", "live + 1"): "at live == peak, peak becomes what it was",
    (
        "unpack",
        "if entry is None or entry.__class__ in NUMBERS:",
        "entry.__class__ in NUMBERS",
    ): "the class of None is in NUMBERS",
    ("Untracked", "stamp = 0", "0 + 1"): "any number, if it never moves",
    ("pass_by", "if live + size > peak:", "live + 1"): "as in book()",
    (
        "rearranged",
        "out._edge, out._was = (out._was, NOWHERE)",
        "pass",
    ): "without a base, what its edge was is what its edge is",
    (
        "keep_output",
        "if modes.packing and modes.state.saved_hooks:",
        "modes.state.saved_hooks",
    ): "a quick look before the slow one",
    (
        "Tensor._wrap",
        "if array.base is not None and owner(array) is self._storage.array:",
        "owner(array) is self._storage.array",
    ): "an array without a base is its own owner",
    (
        "Leaves.retain_grad",
        "if self._node is None or self._retains_grad:",
        "self._node is None",
    ): "the second time, the same tensor is entered at the same place",
    (
        "_gradient",
        "return grad._new(array) if array.base is None else grad._wrap(array)",
        "grad._wrap(array)",
    ): "the quick way, which _wrap would find out for itself",
    (
        "_holds",
        "return leaf._grad is not None and leaf._grad is lent.last()",
        "leaf._grad is lent.last()",
    ): "where neither is there, what is remembered of the older gradient is not used",
    (
        "_versions",
        "return [(id(p), p._version, p.requires_grad) for p in module.parameters()]",
        "p._version + 1",
    ): "compared with another one from here",
    ("record", "plan = op.plan(wanted) if op.saves else ()", "op.plan(wanted)"): "it is empty, too",
    ("let_go", "roots.clear()", "pass"): "the frames of the callers have them all the same",
    (
        "Node._release",
        "had, self._saved = (self._saved and self._saved is not freed, freed)",
        "self._saved",
    ): "a walk releases a node once",
    (
        "owner",
        "if base.__class__ is ndarray and base.base is None:",
        "base.__class__ is ndarray",
    ): "numpy gives a view of a view the base of the first",
    (
        "owner",
        "if base.__class__ is ndarray and base.base is None:",
        "base.base is not None",
    ): "the quick way, which the loop would find out for itself",
    (
        "Anomaly._let_go",
        "walk[1] = None",
        "pass",
    ): "a hook may be taken away as often as you like",
    **{
        (f"{block}.__exit__", "self._guard = None", "pass"): "to leave again changes nothing"
        for block in ("saved_tensors_hooks", "_Mode", "recomputing", "Observer")
    },
    **{
        (name, f"saves = {before}", after): "a backward is recorded for an input that needs one"
        for name, before, after in (
            (
                "OfResult",
                "{'grad_output': 'output', 'output': 'grad_output output'}",
                "{'grad_output': 'grad_output output', 'output': 'grad_output output'}",
            ),
        )
    },
    (
        "_copied",
        "alone = tensor._new(array.copy('K'))",
        "tensor._share(array.copy('K'))",
    ): "the arrays of a recording and of a card; the probes have numpy's",
    (
        "_AllowMutationOnSavedContext.pack",
        "place = (id(tensor), tensor._storage.data_ptr(), tensor._version)",
        "tensor._version + 1",
    ): "any number that another write changes tells the same",
    **{
        (
            "edge",
            "if tensor._base is not None and tensor._made_at != tensor._storage.stamp:",
            new,
        ): "a quick look, which _look_again takes itself"
        for new in ("tensor._base is not None", "tensor._storage.stamp + 1")
    },
    # What is generated, and what of it the general way would find out for itself.
    (
        "VIEW.call",
        "if modes.packing or modes.off or observer.watching:",
        "modes.off or observer.watching",
    ): "a view saves no tensor that could be packed",
    (
        "APPLY.apply",
        "if modes.packing or grad is None or asked is not None:",
        "grad is None or asked is not None",
    ): "what was packed goes the general way all the same",
    ("NEW", "if storage.live > storage.peak:", "storage.live + 1"): "as in book()",
    **{
        (
            "texts",
            "if hasattr(op, 'backward') and op.saves.keys() <= {*op.inputs, *op.extras, 'result'}:",
            new,
        ): why
        for new, why in {
            "hasattr(op, 'backward')": "no rule of the engine saves by another name",
            "op.saves.keys() > {*op.inputs, *op.extras, 'result'}": "all go the general way",
        }.items()
    },
}


class Prober:
    """A copy of the engine, in which one file at a time is replaced, and what probes it."""

    def __init__(self, folder):
        self.folder = folder
        shutil.copytree(ENGINE, folder / "minigrad")
        for part in HERE.glob("prob*.py"):
            shutil.copy(part, folder)
        command = [sys.executable, "-B", folder / "probe_server.py", folder]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        self.server = subprocess.Popen(command, stderr=subprocess.DEVNULL, text=True, **pipes)

    def passes(self, broken="") -> bool:
        """True if the probe finds nothing wrong with the engine, of which one file was replaced."""
        print(broken, file=self.server.stdin, flush=True)
        code = int(self.server.stdout.readline())
        assert code != NO_PYTHON, f"{broken} is no Python: an operator has written nonsense"
        return code == 0

    def survives(self, mutant) -> bool:
        path = self.folder / "minigrad" / mutant.file
        original = path.read_text()
        try:
            path.write_text(mutant.text)
            return self.passes(f"minigrad/{mutant.file}")
        finally:
            path.write_text(original)


@pytest.fixture(scope="module")
def probers(tmp_path_factory):
    """One for each worker, free to be taken; before and after, the engine as it is passes."""
    free: queue.Queue = queue.Queue()
    made = [Prober(tmp_path_factory.mktemp("prober")) for _ in range(WORKERS)]
    for prober in made:
        assert prober.passes()  # so it has read the files, and one may be broken
        free.put(prober)
    yield free
    for prober in made:
        assert prober.passes()
        prober.server.communicate()  # it has heard all, and ends


def survivors(probers, tried) -> list:
    """Those of the mutants that no probe kills."""

    def survives(mutant):
        prober = probers.get()
        try:
            return prober.survives(mutant)
        finally:
            probers.put(prober)

    with ThreadPoolExecutor(WORKERS) as pool:
        alive = [*pool.map(survives, tried)]
    return [m for m, lives in zip(tried, alive, strict=True) if lives]


def told(found) -> str:
    return "\n" + "\n".join(f"{m.file}:{m.line} {m.operator} {m.key}" for m in found)


@pytest.fixture(scope="module")
def all_mutants():
    return mutants(ENGINE)


def test_every_mutant_is_killed(probers, all_mutants):
    tried = [mutant for mutant in all_mutants if mutant.key not in EQUIVALENT]
    one_in = drawn.share()
    alive = survivors(probers, tried[int(os.environ["MINIGRAD_MOVED"]) % one_in :: one_in])
    assert not alive, told(alive)


def test_every_operator_finds_something_to_break(all_mutants):
    used = {mutant.operator for mutant in all_mutants}
    assert not [o for o in mutations.OPERATORS if o.__name__ not in used]


def test_a_fault_in_a_template_is_a_mutant_too(all_mutants):
    broken = {mutant.function.partition(".")[0] for mutant in all_mutants}
    assert {"VIEW", "APPLY", "ENTRIES", "UNPACK", "INPUT_ENTRY", "NEW"} <= broken


def test_every_word_of_the_vocabulary_is_a_name_of_the_engine():
    used = {name for _, text in files(ENGINE) for name in mutations.names(ast.parse(text))}
    assert not mutations.WORDS - used, "renamed? then mutations.VOCABULARY has to say how"


def test_no_excuse_is_stale(probers, all_mutants):
    excused = [mutant for mutant in all_mutants if mutant.key in EQUIVALENT]
    assert not EQUIVALENT.keys() - {mutant.key for mutant in excused}
    stale = EQUIVALENT.keys() - {mutant.key for mutant in survivors(probers, excused)}
    assert not stale, stale


def test_what_is_outside_exists():
    assert not [name for name in OUTSIDE if not (ENGINE / name).exists()]
