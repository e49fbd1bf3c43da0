"""The proof: which steps a tier has, how a row of them runs, what is said in the end."""

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from course.proof import apart, kernels, places, pythons, runner, tiers
from course.proof.tiers import Step

HERE = Path(__file__).parents[2]
NOTEBOOK = "{}"
FIRST = ["lint", "format", "types", "lessons are current"]
FOLDERS = "notebooks", "solutions", "exercises"
PARTS = [f"tests of {part}" for part in (*tiers.PARTS, "the course")]
SUITE = [*FIRST, *PARTS, "the general way", "stored outputs"]


@pytest.fixture
def root(tmp_path, monkeypatch):
    """Where the notebooks are looked for."""
    monkeypatch.setattr(tiers, "ROOT", tmp_path)
    (tmp_path / "notebooks").mkdir()
    (tmp_path / "notebooks/00_welcome.ipynb").write_text(NOTEBOOK)
    return tmp_path


@pytest.fixture
def script(tmp_path, monkeypatch):
    """A step that runs these lines, with these settings."""
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))

    def step(name, text, **more):
        module = f"step_{len(list(tmp_path.glob('*.py')))}"
        (tmp_path / f"{module}.py").write_text(text)
        return Step(name, (module,), **more)

    return step


def names(tier):
    return [step.name for row in tier for step in row]


def every(tier):
    return [(step.name, step.settings) for row in tier for step in row]


# --- tiers ---------------------------------------------------------------------------------


def test_every_runner_has_its_place(root):
    assert names(tiers.suite()) == SUITE


def test_an_empty_folder_is_left_out_aloud(root, capsys):
    (root / "exercises").mkdir()
    (root / "exercises/01_names.ipynb").write_text(NOTEBOOK)
    outputs, exercises = list(tiers.suite())[-1]
    assert outputs.call[-1] == "notebooks" and exercises.call[-1] == "exercises"
    assert "solutions/ holds no notebook, left out." in capsys.readouterr().out


def test_a_longer_tier_holds_the_shorter_one(root, monkeypatch):
    monkeypatch.setattr(tiers.pythons, "others", lambda: {"3.99": "a"})
    suite, ci, long = names(tiers.suite()), names(tiers.ci()), names(tiers.long())
    assert ci[: len(suite)] == suite and long[: len(ci)] == ci and len(long) > len(ci) > len(suite)
    assert len(set(long)) == len(long), "each step has a name of its own"


def test_installs_belong_to_the_longer_tiers(root):
    suite, ci = dict(every(tiers.suite())), dict(every(tiers.ci()))
    assert all("CI" not in suite[part] and ci[part]["CI"] == "true" for part in PARTS)


def test_each_test_is_in_one_part(root):
    calls = [step.call for row in tiers.tests("", settings={}) for step in row]
    given = [{word for word in call if word.startswith("tests")} for call in calls]
    ignored = {word.partition("=")[2] for word in calls[-1] if word.startswith("--ignore")}
    assert given[-1] == {"tests"} and ignored == set().union(*given[:-1])
    assert sum(map(len, given[:-1])) == len(ignored) and all(
        (HERE / one).is_dir() for one in ignored
    )


def test_a_longer_tier_draws_more_of_what_takes_long_and_the_longest_runs_all(root):
    suite, ci = dict(every(tiers.suite())), dict(every(tiers.ci()))
    share = lambda tier, part: int(tier[part]["MINIGRAD_DRAW"])  # noqa: E731
    assert all(share(suite, part) > share(ci, part) > 1 for part in PARTS)
    assert [name for name, settings in every(tiers.long()) if "MINIGRAD_DRAW" in settings] == []


def test_what_runs_another_way_is_drawn_from_all_files_but_in_the_longest_tier(root, monkeypatch):
    monkeypatch.setattr(tiers, "has_pytorch", lambda: True)
    ways = {name for name in names(tiers.ci()) if name.startswith("tests of the engine w")}
    ways |= {name for name in names(tiers.ci()) if name.startswith("cases with")}
    for tier, other in ((tiers.suite, {"the general way"}), (tiers.ci, ways)):
        steps = dict(every(tier()))
        assert all(steps[name]["MINIGRAD_DRAW_FROM"] == "all" for name in other)
        assert all("MINIGRAD_DRAW_FROM" not in steps[part] for part in PARTS)
    (root / "lessons").mkdir()
    for number in range(5):
        (root / f"lessons/{number:02}_some.py").touch()
    drawn = [tuple(tiers.some_lessons()) for _ in range(40)]
    assert {*drawn} == {("00", "02", "04"), ("01", "03")}
    (step,) = (step for row in tiers.lessons_elsewhere(tiers.AGAIN) for step in row)
    assert tuple(json.loads(step.call[-1])["lessons"]) in drawn
    (step,) = (step for row in tiers.lessons_elsewhere({}) for step in row)
    assert step.call == tiers.LESSONS


def test_the_engines_tests_run_on_the_general_way_too(root):
    for tier in (tiers.suite, tiers.ci):
        (step,) = (step for row in tier() for step in row if step.name == "the general way")
        assert step.settings["MINIGRAD_PLAIN"] == "1"
        assert {"tests/minigrad", "tests/twin"} <= {*step.call}
    left = [word.partition("=")[2] for word in step.call if word.startswith(("--ign", "--des"))]
    assert len(left) == 7 and all((HERE / file.partition("::")[0]).exists() for file in left)
    plain = [name for name, settings in every(tiers.long()) if "MINIGRAD_PLAIN" in settings]
    assert plain == [step.name]


def test_a_jittered_check_draws_its_seed_anew_and_says_it():
    steps = [tiers.jittered("lessons") for _ in range(3)]
    seeds = {json.loads(step.call[2])["jitter"] for step in steps}
    assert len(seeds) > 1 and all(seed.isdecimal() for seed in seeds)
    assert all(steps[0].call[i] in runner.headline(steps[0]) for i in range(3))


def test_every_kind_of_kernel_but_the_processors_own_is_tried(root):
    said = " ".join(names(tiers.long()))
    assert all(f"lessons with {name} kernels" in said for name in kernels.others())
    assert f"with {kernels.own()} kernels" not in said, "the suite has tried it"


def test_other_pythons_are_tried_one_of_them_where_a_tier_draws(root, monkeypatch):
    monkeypatch.setattr(tiers.pythons, "others", lambda: {"3.98": "a", "3.99": "b"})
    own = [name for name in names(tiers.ci()) if name.startswith("on Python")]
    assert len(own) == 1 and own[0] in ("on Python 3.98", "on Python 3.99")
    long = [name for name in names(tiers.long()) if name.startswith("on Python")]
    assert sorted(long) == ["on Python 3.98", "on Python 3.99"]


def test_a_python_that_is_there_tells_its_version():
    """One that only has the name of another, as pyenv's commands have, is left out."""
    for name, program in pythons.others().items():
        done = subprocess.run([program, "--version"], capture_output=True, text=True)
        assert done.stdout.startswith(f"Python {name}.")
    assert "{}.{}".format(*sys.version_info) not in pythons.others()


@pytest.mark.parametrize("others", [{}, {"Old": {"OLD": "1"}, "Less old": {"OLD": "2"}}])
@pytest.mark.parametrize("there", [True, False])
def test_a_ci_runs_the_lessons_elsewhere_once(root, monkeypatch, others, there):
    """On the oldest kernels, and without PyTorch: what there is of both in one step."""
    monkeypatch.setattr(tiers, "has_pytorch", lambda: there)
    monkeypatch.setattr(tiers.kernels, "others", lambda: others)
    steps = [step for row in tiers.ci() for step in row if step.name.startswith("lessons with")]
    long = names(tiers.long())
    assert len(set(long)) == len(long), "each step has a name of its own"
    apart = ({"lessons without PyTorch"} if there else set()) | {
        f"lessons with {name} kernels" for name in others
    }
    assert apart <= {*long}
    assert len(steps) == bool(others or there)
    for step in steps:
        assert step.settings == others.get("Old", {}) and (step.place is not None) == there
        assert ("PyTorch" in step.name) == there and ("Old" in step.name) == bool(others)


def test_without_pytorch_each_notebook_runs_once(root, monkeypatch):
    """The check of a lesson runs and compares what is stored with outputs; nbval runs the rest."""
    (root / "exercises").mkdir()
    (root / "exercises/01_names.ipynb").write_text(NOTEBOOK)
    monkeypatch.setattr(tiers, "has_pytorch", lambda: True)
    tests = [f"tests of {part}" for part in tiers.ALONE]
    wanted = [f"{name} without PyTorch" for name in (*tests, "exercises run")]
    assert names(tiers.without_pytorch({})) == wanted
    assert [
        path for row in tiers.without_pytorch({}) for path in row[0].call if path in FOLDERS
    ] == ["exercises"]
    assert "stored outputs without PyTorch" in names(tiers.long())


def test_what_a_ci_leaves_out_without_pytorch_is_in_the_longest_tier(root, monkeypatch):
    monkeypatch.setattr(tiers, "has_pytorch", lambda: True)
    steps = {step.name: step.call for row in tiers.long() for step in row}
    calls = [steps[f"tests of {part} without PyTorch"] for part in tiers.ALONE]
    left = [{word for word in call if word.startswith("--ignore=")} for call in calls]
    later = {*steps["grading without PyTorch"], *steps["the engine without PyTorch"]}
    left_out = {word.removeprefix("--ignore=") for word in left[0]}
    assert all(others == left[0] for others in left)
    assert left_out == {word for word in later if word.endswith(".py")} and len(left_out) > 30


def test_where_pytorch_is_not_installed_all_is_a_proof_without_it(root, monkeypatch, capsys):
    monkeypatch.setattr(tiers, "has_pytorch", lambda: False)
    assert not any("PyTorch" in name for name in names(tiers.long()))
    assert "all of this proof is one without it" in capsys.readouterr().out


# --- what knows nothing of PyTorch ---------------------------------------------------------


@pytest.mark.parametrize(
    "text, verdict",
    [
        ("import minigrad as mg\nfrom tests.minigrad.helps import one", True),
        ("import pytest\nWORDS = 'Errors say [torch.FloatTensor [2]].'", True),
        ("import torch", False),
        ("def test(): from torch import nn", False),
        ("import whoholds.step", False),
        ("from tests.minigrad import asks", False),
        ("import asks", False),
        ("import subprocess\nCOMMAND = ['python', 'asks.py']", False),
        ("import importlib\nONE = importlib.import_module('asks')", False),
        ("CODE = 'import torch; print(torch.ones(2))'", False),
        ("CODE = 'import numpy, torch'", False),
        ("NAME = 'torch'", False),
        ("NAME = 'course.grade'", False),
        ("CODE = 'python -m whoholds program.py'", False),
        ("import unheard_of", False),
    ],
)
def test_a_test_is_apart_if_nothing_that_it_leads_to_knows_of_pytorch(tmp_path, text, verdict):
    folder = tmp_path / "tests/minigrad"
    folder.mkdir(parents=True)
    (folder / "helps.py").write_text("import numpy")
    (folder / "asks.py").write_text("from tests.minigrad import further")
    (folder / "further.py").write_text("import torch")
    (folder / "test_it.py").write_text(text)
    assert apart.from_pytorch("tests/minigrad", tmp_path) == ["tests/minigrad/test_it.py"] * verdict
    (folder / "conftest.py").write_text("import asks")
    assert apart.from_pytorch("tests/minigrad", tmp_path) == []


def test_the_engines_tests_are_apart_and_those_beside_pytorch_are_not():
    found = apart.from_pytorch("tests/minigrad")
    assert {f"tests/minigrad/test_{name}.py" for name in ("gradients", "mutations")} <= {*found}
    beside = "both_ways missing_names modules_by_chance replay storage".split()
    assert not {f"tests/minigrad/test_{name}.py" for name in beside} & {*found}
    others = "tests/twin", "tests/whoholds", "tests/for_torch"
    assert not any(apart.from_pytorch(folder) for folder in others)


# --- kernels and places --------------------------------------------------------------------


def test_the_settings_of_each_kernel_lead_to_it():
    found = [kernels._core(settings) for settings in ({}, *kernels.others().values())]
    assert len(set(found)) == len(found) and ("" not in found or len(found) == 1)


def test_a_kernel_that_the_processor_cannot_run_is_none(monkeypatch):
    monkeypatch.setattr(kernels, "PROBE", "import os; os.abort()")
    assert kernels.others.__wrapped__() == {}


HAS = """
import importlib.metadata, importlib.util, sys
found = importlib.util.find_spec(sys.argv[1]) is not None
installed = any(one.name == sys.argv[2] for one in importlib.metadata.distributions())
print(found, installed)
"""


def has(python, module, package):
    """Whether it can be imported, and is installed; with no help of PYTHONPATH."""
    done = subprocess.run(
        [python, "-I", "-c", HAS, module, package], capture_output=True, text=True
    )
    return done.stdout.split()


@pytest.mark.skipif(os.name != "posix", reason="an environment of links is POSIX")
def test_a_place_lacks_one_package_and_has_the_others(tmp_path):
    python = places.without(["pytest"], tmp_path / "place")
    assert has(python, "pytest", "pytest") == has(python, "_pytest", "pytest") == ["False"] * 2
    assert has(python, "numpy", "numpy") == has(sys.executable, "numpy", "numpy") == ["True"] * 2
    assert has(sys.executable, "pytest", "pytest") == ["True"] * 2


@pytest.mark.skipif(os.name != "posix", reason="an environment of links is POSIX")
def test_a_shell_in_a_place_lacks_it_too(monkeypatch, capsys):
    """IPython adds the packages of the environment that VIRTUAL_ENV names, and run.py sets it."""
    monkeypatch.setenv("VIRTUAL_ENV", sys.prefix)
    ask = "import importlib.util as u; print([bool(u.find_spec(n)) for n in ('pytest', 'numpy')])"
    place = lambda folder: places.without(["pytest"], folder)  # noqa: E731
    runner.prove([[Step("shell", ("IPython", "--no-banner", "-c", ask), place=place)]])
    assert "\n[False, True]\n" in capsys.readouterr().out


@pytest.mark.skipif(os.name != "posix", reason="an environment of links is POSIX")
def test_what_cannot_be_installed_is_a_sentence_and_a_failure(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    place = lambda folder: places.with_another("pytest==0.0.1", folder)  # noqa: E731
    assert runner.prove([[Step("old", ("pytest",), place=place)]]) == 1
    said = capsys.readouterr().out
    assert "pytest==0.0.1 cannot be installed here: " in said and "FAILED: old" in said


# --- the runner ----------------------------------------------------------------------------


def closing(capsys):
    return capsys.readouterr().out.partition("\n=== Everything")[2].splitlines()[1:]


def test_a_runner_keeps_its_words_and_its_code(script, capsys):
    line = "=== 3 passed, 1 skipped in 12.34s ==="
    assert runner.prove([[script("tests", f"print('first'); print('{line}'); exit(3)")]]) == 1
    said = capsys.readouterr().out
    assert "first\n" in said and said.endswith(f"=== FAILED: tests\n{line}\n")


@pytest.mark.parametrize(
    "line",
    [
        "============= 1 failed, 2 passed, 1 warning in 61.20s (0:01:01) =============",
        "===== no tests ran in 0.01s =====",
        "left out: tests/a.py: PyTorch is not installed",
    ],
)
def test_each_line_worth_saying_again_is_known(line):
    assert runner.LAST_WORDS.match(line)


def test_runners_share_the_settings_of_the_stored_outputs_and_have_their_own(script, capsys):
    text = "import os; print(os.environ['MINIGRAD_REVEAL'], os.environ['MINE'])"
    runner.prove([[script("tests", text, settings={"MINE": "so"})]])
    said = capsys.readouterr().out
    assert "\n1 so\n" in said and "=== tests: MINE='so' python -m step_0" in said


def test_what_the_runners_import_is_compiled_once_whatever_the_shell_has_set(
    script, monkeypatch, capsys
):
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    runner.prove([[script("tests", "import sys; print(sys.dont_write_bytecode)")]])
    assert "\nFalse\n" in capsys.readouterr().out


def test_a_row_runs_side_by_side_and_speaks_in_order(script, tmp_path, capsys):
    """The first ends only when the second has; yet its words come first."""
    first = "import os, time\nprint('one')\nwhile not os.path.exists({0!r}): time.sleep(0.01)"
    second = "print('two'); open({0!r}, 'w')"
    steps = [script(text[7:10], text.format(str(tmp_path / "go"))) for text in (first, second)]
    assert runner.prove([steps]) == 0
    said = capsys.readouterr().out
    assert 0 < said.index("\none\n") < said.index("\ntwo\n")


def test_a_failure_stops_nothing_and_hides_nothing(script, capsys):
    line = "=== 5 passed in 1.00s ==="
    rows = [
        [script("lint", "exit(1)"), script("types", "exit(2)")],
        [script("tests", f"print('{line}')")],
    ]
    assert runner.prove(rows) == 1
    assert capsys.readouterr().out.endswith(f"\n=== FAILED: lint, types\n{line}\n")


FAULT_LINES = [
    "FAILED tests/a.py::test_b[1] - assert 1 == 2",
    "ERROR tests/a.py - ImportError: no",
    "  problem: lessons/04_freed.py:12: minigrad gives text `1` where it was text `2` under torch",
    'minigrad/core/tensor.py:12: error: Name "x" is not defined  [name-defined]',
]


@pytest.mark.parametrize("line", FAULT_LINES)
@pytest.mark.parametrize("code", [0, 1])
def test_a_fault_is_said_again_at_the_end_if_its_step_failed(script, capsys, line, code):
    runner.prove([[script("a", f"print({line!r}); print('beside it'); exit({code})")]])
    end = capsys.readouterr().out.partition("=== How long")[2]
    assert (line.strip() in end) == bool(code) and "beside it" not in end


def test_many_faults_are_said_again_in_part(script, capsys):
    runner.prove([[script("a", "for n in range(99): print('FAILED', n)\nexit(1)")]])
    end = capsys.readouterr().out.partition("=== How long")[2]
    assert end.count("FAILED ") == runner.MOST


def test_the_last_word_is_the_runners(script, capsys):
    lines = [f"=== {number} passed in 1.00s ===" for number in (5, 6)]
    assert runner.prove([[script(f"step {line[4]}", f"print('{line}')")] for line in lines]) == 0
    assert closing(capsys) == lines


def test_each_step_is_told_with_its_seconds(script, capsys):
    steps = [script("quick", "print()"), script("slow", "import time; time.sleep(1)")]
    runner.prove([steps])
    told = capsys.readouterr().out.partition("=== How long each step took\n")[2]
    rows = [re.fullmatch(r" *(\d+) s  (\w+)", line) for line in told.splitlines()[:2]]
    assert [row[2] for row in rows] == ["quick", "slow"] and int(rows[1][1]) >= 1


def test_what_is_under_way_ends_with_its_proof(script, tmp_path):
    mark = tmp_path / "running"
    endless = f"import os, time\nopen({str(mark)!r}, 'w').write(str(os.getpid()))\ntime.sleep(600)"

    def rows():
        yield [script("quick", "print()"), script("endless", endless)]

    follow = runner.follow

    def interrupted(running):
        if running.step.name == "quick":
            return follow(running)
        while not (mark.exists() and mark.read_text()):
            time.sleep(0.02)
        raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(runner, "follow", interrupted)
        runner.prove(rows())
    stat = Path(f"/proc/{mark.read_text()}/stat")
    while stat.exists() and stat.read_text().split()[2] != "Z":
        time.sleep(0.02)
