"""A room: what it answers, what a learner's code can reach from it, and that it ends with it."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from sandbox_attacks import GOOD, within
from sandbox_rooms import CASES, job, rooms, skip_unless_isolated

import course
from course.classroom import syllabus
from course.sandbox import flags, wardens, watch
from course.sandbox import room as rooms_module
from course.sandbox.attempt import shaped
from course.sandbox.room import Refused, Room

pytestmark = pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="grading needs Linux")
room = rooms(seconds=20)
loaded = rooms(seconds=1, cells=1, strikes=1, patience=60)
ROOT = Path(course.__file__).parents[1]


def first(reply):
    return next(iter(reply["outcomes"].values()))


def value(room, expression, *before):
    """What the expression gives in the room, or the name of its error."""
    source = f"import os\nfrom pathlib import Path\ndef total(numbers):\n    return {expression}\n"
    outcome = first(room.run(job(*before, source)))
    return outcome.get("value", outcome.get("error"))


@pytest.fixture(scope="module")
def hidden(tmp_path_factory):
    """A folder with grades in it, and one inside of what a room shows."""
    folder = tmp_path_factory.mktemp("out")
    (folder / "grades.csv").touch()
    return [folder, ROOT / "course/data"]


@pytest.fixture(scope="module")
def isolated(hidden):
    skip_unless_isolated()
    with Room(True, hidden, load=[CASES]) as one:
        yield one


# -- the reply --


def test_each_case_has_an_outcome(room):
    reply = room.run(job("def twice(x): return 2 * x", "print('hi')\n" + GOOD))
    assert list(reply["outcomes"]) == ["two numbers", "many numbers", "no numbers"]
    assert reply["outcomes"]["no numbers"]["value"] == 0
    assert (reply["notes"], reply["flags"], reply["output"]) == ([], [], "hi\n")


def test_who_plots_by_stealth_loses_no_point(room):
    plot = "import importlib\nplt = importlib.import_module('mat' + 'plotlib.py' + 'plot')\n"
    source = f"{plot}plt.plot([1, 2])\nplt.savefig('a.png')\n{GOOD}"
    assert value(room, "'matplotlib.pyplot' in __import__('sys').modules") is True
    assert room.run(job(source))["outcomes"] == room.run(job(GOOD))["outcomes"]


def test_the_seed_draws_the_numbers(room):
    one, same = room.run(job(GOOD)), room.run(job(GOOD))
    other = room.run(job(GOOD) | {"seed": "another"})
    assert one == same
    assert one["outcomes"] != other["outcomes"]


def test_cells_share_their_names_and_jobs_do_not(room):
    assert value(room, "sorted([kept, 2])", "kept = 1") == [1, 2]
    assert value(room, "kept") == "NameError"


def test_a_cell_has_its_text_and_its_module(room):
    before = "import inspect, pickle\ndef f():\n    return 7\n"
    assert value(room, "inspect.getsource(f)", before) == "def f():\n    return 7\n"
    assert value(room, "pickle.loads(pickle.dumps(f))()", before) == 7
    assert value(room, "__name__") == "__main__"


def test_hashes_are_the_same_for_everybody(room):
    with Room(load=[CASES]) as other:
        assert value(room, "hash('a')") == value(other, "hash('a')")


def test_after_a_crash_a_new_child_goes_on(room):
    crash = within("if len(numbers) == 2: os._exit(0)", "print('ran')")
    reply = room.run(job(crash))
    assert [next(iter(outcome)) for outcome in reply["outcomes"].values()] == [
        "ended", "value", "value"
    ]  # fmt: skip
    assert reply["output"] == "ran\nran\n"


def test_after_two_crashes_the_rest_is_not_tried(room):
    outcomes = list(room.run(job(within("os._exit(0)")))["outcomes"].values())
    assert [list(outcome) for outcome in outcomes] == [["ended"], ["ended"], ["untried"]]
    assert outcomes[2]["untried"] == "2 cases before this one crashed or took too long"


def test_a_crash_in_a_cell_is_told_with_its_name(room):
    reply = room.run(job("import os\nos._exit(4)", GOOD))
    why = "the program ended itself (exit status 4)"
    assert reply["notes"] == [f"cell 2: {why}"]
    assert {json.dumps(outcome) for outcome in reply["outcomes"].values()} == {
        json.dumps({"untried": f"cell 2 has to run first, but {why}"})
    }


@pytest.mark.parametrize(
    "outcome",
    [{}, {"error": 1}, {"error": "E", "text": 2}, {"value": 1, "line": "3"}, {"slow": "5"},
     {"value": 1, "curve": 3}, {"untried": "of its own"}],
)  # fmt: skip
def test_only_an_outcome_passes_for_one(outcome):
    with pytest.raises(ValueError):
        shaped(outcome)


def test_an_outcome_is_cut_to_what_belongs_to_it():
    outcome = shaped({"value": 1, "line": 2, "code": "x" * 999, "points": 100})
    assert outcome == {"value": 1, "line": 2, "code": "x" * 400}


# -- what can be reached --


def test_a_job_leaves_nothing_for_the_next(room):
    assert value(room, "Path('kept').write_text('x') and Path('../kept').write_text('x')") == 1
    assert value(room, "os.listdir() + os.listdir('..')") == ["work"]


def test_nothing_of_the_grader_is_in_the_environment(room, monkeypatch):
    monkeypatch.setenv("SECRET", "1")
    with Room(room.isolate, load=[CASES]) as other:
        assert value(other, "'SECRET' in os.environ") is False


def test_the_checkout_is_hidden_in_isolation_only(room):
    there = value(room, f"os.path.exists({str(ROOT / 'lessons')!r})")
    assert there is not room.isolate
    expected = str(ROOT / "course/cases/expected")
    listed = value(room, f"os.path.isdir({expected!r}) and bool(os.listdir({expected!r}))")
    assert listed is (not room.isolate and os.path.isdir(expected))


def test_isolation_shows_neither_work_of_others_nor_what_is_hidden(isolated, hidden):
    out, data = hidden
    for path in (out, Path(__file__)):
        assert value(isolated, f"os.path.exists({str(path)!r})") is False
    assert value(isolated, f"os.listdir({str(data)!r})") == []


def test_what_the_teacher_adds_to_python_is_not_shown(isolated, tmp_path, monkeypatch):
    (tmp_path / "marks.py").write_text("secret = 1")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.syspath_prepend(tmp_path)
    for shut in False, True:
        with Room(shut, load=[CASES]) as other:
            assert value(other, f"os.path.exists({str(tmp_path)!r})") is not shut
            assert value(other, f"{str(tmp_path)!r} in __import__('sys').path") is not shut


def _package(folder, name, within=""):
    """A package whose module `below` has its name as `told`."""
    below = folder / name / within
    below.mkdir(parents=True)
    if not within:
        (below / "__init__.py").touch()
    (below / "below.py").write_text(f"told = {name!r}")


def _links(package, place):
    """A folder of links to the files of a package, as `uv --link-mode symlink` makes it."""
    for path in sorted(package.rglob("*.py")):
        one = place / path.relative_to(package)
        one.parent.mkdir(parents=True, exist_ok=True)
        one.symlink_to(path)


def test_packages_that_are_links_can_be_imported(isolated, tmp_path, monkeypatch):
    """Each by a way of its own, also what no cell before has imported."""
    there, environment = tmp_path / "there", tmp_path / "environment"
    environment.mkdir()
    names = "linked twice relative filed spaced".split()
    for name in names:
        _package(there, name, "within" if name == "spaced" else "")
    (environment / "linked").symlink_to(there / "linked")
    (tmp_path / "between").symlink_to(there / "twice")
    (environment / "twice").symlink_to(tmp_path / "between")
    (environment / "relative").symlink_to("../there/relative")
    for name in "filed", "spaced":
        _links(there / name, environment / name)
    (environment / "nowhere").symlink_to(tmp_path / "nowhere")
    (environment / "round").symlink_to(environment / "round")
    secret = there / "marks.csv"
    secret.touch()
    monkeypatch.syspath_prepend(environment)
    modules = [f"{name}{'.within' * (name == 'spaced')}.below" for name in names]
    told = "[__import__('importlib').import_module(name).told for name in {}]"
    with Room(True, load=[CASES]) as other:
        assert value(other, told.format(modules)) == names
        assert value(other, f"os.path.exists({str(secret)!r})") is False


@pytest.mark.parametrize("where", ["/x", "/usr/x", "/proc/sys/kernel/domainname", str(ROOT / "x")])
def test_isolation_writes_nowhere(isolated, where):
    assert value(isolated, f"Path({where!r}).write_text('x')") == "OSError"
    assert value(isolated, "os.remove(os.__file__)") == "OSError"
    assert value(isolated, "Path('here').write_text('x')") == 1


def test_isolation_has_no_network(isolated):
    connect = "socket.create_connection(('127.0.0.1', 9), 1)"
    assert value(isolated, connect, "import socket") == "OSError"
    assert value(isolated, "socket.if_nameindex()", "import socket") == [[1, "lo"]]


def test_isolation_has_no_privileges(isolated):
    count = "[int(x.split()[1], 16) for x in open('/proc/self/status') if x.startswith('Cap')]"
    assert value(isolated, count) == [0] * 5


@pytest.mark.parametrize("command", ["unshare -U true", "mount -t tmpfs x .", "chroot . true"])
def test_isolation_gives_no_privileges(isolated, command):
    run = f"subprocess.run({command.split()}, capture_output=True).returncode"
    assert value(isolated, run, "import subprocess") not in (0, "FileNotFoundError")


def test_isolation_shows_no_other_process(isolated):
    assert value(isolated, "sorted(int(x) for x in os.listdir('/proc') if x.isdigit())[0]") == 1
    assert value(isolated, "len([x for x in os.listdir('/proc') if x.isdigit()])") == 2
    assert value(isolated, "os.kill(1, 9) or os.kill(1, 2) or os.kill(1, 19)") is None
    assert value(isolated, "open('/proc/1/environ').read()") == "PermissionError"
    assert value(isolated, "open('/proc/1/mem').read()") == "PermissionError"


# -- its end --


def gone(pid):
    """Whether the process has ended, within some seconds."""
    for _ in range(200):
        try:
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return True
        except OSError:
            return True
        time.sleep(0.02)
    return False


def test_a_room_leaves_no_process_and_no_folder(room):
    with Room(room.isolate, load=[CASES]) as other:
        other.run(job(GOOD))
        pid, home = other._warden.pid, other._home
    assert gone(pid)
    assert not os.path.exists(home)


def test_a_warden_that_was_killed_is_followed_by_another(tmp_path):
    attack = within(
        "left = os.fork()",
        "if not left:",
        "    os.setsid()",
        "    time.sleep(99)",
        f"open({str(tmp_path)!r} + '/' + str(left), 'w')",  # one for each try
        "while os.getsid(left) != left:",  # a busy machine may be long about it
        "    time.sleep(0.01)",
        "os.kill(os.getppid(), 9)",
    )
    with Room(load=[CASES]) as room:
        reply = room.run(job(attack))
        assert all("watches over it" in o["ended"] for o in reply["outcomes"].values())
        assert "no case of this exercise counts" in reply["notes"][0]
        assert room.run(job(GOOD))["outcomes"]["no numbers"]["value"] == 0
    left = [int(path.name) for path in tmp_path.iterdir()]
    assert left and all(map(gone, left))


@pytest.mark.parametrize(
    "cells",
    [
        ["import time\ntime.sleep(1.7)\n" + GOOD],
        [*["import time\ntime.sleep(0.8)"] * 2, GOOD],
        [within("time.sleep(1.7)")],
    ],
    ids="cell cells answer".split(),
)
def test_a_loaded_machine_takes_no_marks(loaded, cells):
    """Whoever waits for it takes longer by the clock, and none of the processor's seconds."""
    outcomes = loaded.run(job(*cells))["outcomes"]
    assert all("value" in outcome for outcome in outcomes.values())


@pytest.mark.parametrize("deaf", [False, True])
def test_who_works_too_long_is_ended_by_the_processors_seconds(loaded, deaf):
    ignore = ["for s in (14, 27): signal.signal(s, signal.SIG_IGN)"] * deaf
    began = loaded.worked()
    assert first(loaded.run(job(within(*ignore, "while True: pass"))))["slow"] == 1
    assert 0.9 < loaded.worked() - began < 20, "by the clock it may be a minute"


def test_a_warden_that_was_stopped_is_ended(monkeypatch):
    monkeypatch.setattr(rooms_module, "MARGIN", -4)  # two seconds of patience are left
    with Room(load=[CASES], limits=watch.Limits(seconds=0, cells=1, patience=1)) as room:
        reply = room.run(job(within("os.kill(os.getppid(), signal.SIGSTOP)", "time.sleep(9)")))
        assert "watches over it" in first(reply)["ended"]
        assert room.run(job(GOOD))["outcomes"]["no numbers"]["value"] == 0


GRADER = """
import sys
sys.path[:] = {paths}
from sandbox_attacks import within
from sandbox_rooms import CASES, job
from course.sandbox.room import Room
with Room({isolate}, load=[CASES]) as room:
    print(room._warden.pid, room._home, flush=True)
    room.run(job(within("print('x', flush=True)", "while True: time.sleep(1)")))
"""


def test_a_room_ends_with_its_grader(room):
    code = GRADER.format(paths=sys.path, isolate=room.isolate)
    grader = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    with grader:
        pid, home = grader.stdout.readline().split()
        pid = int(pid)
        while not (below := watch.below(pid)):
            time.sleep(0.01)
        grader.send_signal(signal.SIGKILL)
    assert gone(pid)
    assert all(gone(one) for one in below)
    assert room.isolate or not os.path.exists(home)  # else an empty folder stays


IMPORTS = """
import contextlib, io, json, os, sys
from course.sandbox import child, warden
warden.prepare()
known = {*sys.modules}
for source in json.load(sys.stdin):
    if not os.fork():
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(source, "<set-up>", "exec"), child._namespace())
        print(*{*sys.modules} - known, flush=True)
        os._exit(0)
    os.wait()
"""


def test_a_set_up_cell_finds_all_it_imports():
    """It runs before each exercise of each learner; what it imports, a child would import anew."""
    sources = [lesson.setup for lesson in syllabus.lessons(ROOT)]
    command = [sys.executable, "-c", IMPORTS]
    ran = subprocess.run(command, cwd=ROOT, input=json.dumps(sources), text=True, stdout=-1)
    assert ran.stdout.split("\n") == [""] * (len(sources) + 1)


# -- where it is refused --


def test_elsewhere_it_says_that_it_needs_linux(monkeypatch):
    monkeypatch.setattr(sys, "platform", "darwin")
    with pytest.raises(Refused, match="on Linux only; use a Linux machine, WSL or a container"):
        Room().__enter__()


def test_refused_namespaces_are_no_silent_fall_back(monkeypatch):
    """A kernel that has been built without a kind of them says what it says to an unknown kind."""
    unknown = "from course.sandbox import isolate; isolate.USERS = 1; "
    monkeypatch.setattr(wardens, "BOOT", wardens.BOOT.replace("main()", f"{unknown}main()"))
    monkeypatch.setattr(wardens, "_servers", {})
    with pytest.raises(Refused, match=r"cannot isolate .*Invalid argument\)\. Grade .* --plain"):
        Room(isolate=True).__enter__()
    for server in wardens._servers.values():
        server.close()


def test_cases_that_cannot_be_imported_are_told(tmp_path):
    (tmp_path / "cases_98.py").write_text("1 / 0")
    with pytest.raises(Refused, match="did not start: ZeroDivisionError"):
        Room(load=[tmp_path / "cases_98.py"]).__enter__()


# -- flags --


def test_a_tensors_own_array_is_flagged():
    for source in (
        "x\nt._array",
        "\ngetattr(t, '_storage')",
        "\nt.untyped_storage().array",
        "s = t.untyped_storage()\nbytes(s.array)",
        "s = t.untyped_storage()\ngetattr(s, 'array')",
        "class A:\n    def take(self): return self._array",
        "class A:\n    def take(self, t): self, self._array = t, 1; return self._array",
        "class A(B):\n    def take(self): self._array = self._array",
        "class A:\n    def take(self): self._array = self._array\nA.take(t)",
    ):
        (found,) = flags.of_cells([{"name": "cell 2", "source": source}])
        assert found == "cell 2 line 2: reaches into the engine for a tensor's array"
    there = [{"name": "cell 1", "source": "s = t.untyped_storage()"}]
    assert flags.of_cells([*there, {"name": "cell 2", "source": "s.array"}])
    assert not flags.of_cells([*there, {"name": "cell 2", "source": "np.array([s.nbytes()])"}])


def test_what_is_called_like_ours_is_no_flag_if_it_is_a_learners():
    for source in (
        "class A:\n    def __init__(self): self._storage = []\n"
        "    def one(self): return [n for n in self._storage]",
        "born, died = 0, 0\narray = load(1)\nborn += array",
        "import re\ncompile = re.compile\ncompile('a')",
        "def f(n, eval=True):\n    wants = eval\n    return lambda compile: (compile, wants)",
    ):
        assert not flags.of_cells([{"name": "cell 1", "source": source}]), source
    for source in (
        "def f(exec=exec): 0",
        "def f(exec):\n    def g():\n        global exec\n        a = exec",
    ):
        assert flags.of_cells([{"name": "cell 1", "source": source}]), source


def test_ordinary_code_has_no_flags():
    lessons = (ROOT / "lessons/01_names_objects_bytes.py").read_text()
    assert flags.of_cells([{"name": "all", "source": lessons}]) == []
    assert flags.of_cells([{"name": "cell 2", "source": "def f(:"}]) == []
