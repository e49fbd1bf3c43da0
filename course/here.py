"""The course beside a kernel that somebody else started: on a JupyterHub, on Colab, anywhere.

    import course.here
    course.here.start()                # my/ with the lessons and exercises
    course.here.submit("your name")    # the one zip that you hand in

docs/anywhere.md has the cell that installs it. `run.py` does the same for a clone, with a
JupyterLab of its own; nothing here starts a server or knows one.
"""

import re
from contextlib import contextmanager
from importlib import metadata
from pathlib import Path

from course import carry, copies
from course.predict import record

PACKAGE = Path(__file__).resolve().parent
FIRST = "notebooks/00_welcome.ipynb"
# A checkout has the notebooks beside the package; a wheel has them in it (pyproject.toml).
ROOT = PACKAGE.parent if (PACKAGE.parent / FIRST).is_file() else PACKAGE / "handed_out"


class CannotStart(Exception):
    """The text is one sentence with the remedy, and all that a notebook shows."""

    def _render_traceback_(self):
        return [str(self)]


def start(folder="."):
    """Make the working copies in `folder`, or find them there; say where to go on."""
    with _in_one_sentence():
        _require_packages()
        home = _home(Path(folder).expanduser().resolve())
        made = copies.make(ROOT, home)
        record.work_in(home / "my")
        if made:
            print(f"{len(made)} working copies made in {home / 'my'}: write in them as you like.")
        if copies.outdated(ROOT, home):
            print("Some lessons have a new version: course.here.update() brings it to my/.")
        _lead_to(home / "my" / FIRST)


def update():
    """Bring new lesson versions to `my/`, and keep what the learner wrote."""
    with _in_one_sentence():
        said: list = []
        copies.update(ROOT, said.append, _my().parent)
        print("\n".join(said) or "my/ is up to date.")


def submit(name=""):
    """Make the zip that a learner hands in, from what is saved in `my/exercises/`; gives its path.

    `name` is the learner's, for the file's name.
    """
    from course.classroom import submit as zips  # a start is sooner without it

    with _in_one_sentence(zips.NothingToSubmit):
        return zips.submit(ROOT, name, _my().parent)


def save_progress(file):
    """Write what is recorded, and the cells that you wrote, to one file for another machine."""
    with _in_one_sentence():
        print("\n".join(carry.save(_my(), _path(file))))


def load_progress(file):
    """Join what another machine saved to what is here; nothing that is here gets lost."""
    with _in_one_sentence():
        print("\n".join(carry.load(_my(), _path(file))))


def _path(file):
    return Path(file).expanduser()


def _my():
    """The learner's `my/`: that of this kernel, or in a kernel just started the one beside it."""
    beside = record.around(Path.cwd() / "my")
    my = record.folder() or beside
    if my is None:
        raise CannotStart("No working copies are known here: run course.here.start() first.")
    record.work_in(my)
    return my


def _home(folder):
    """The folder in which `my/` lies or will lie."""
    my = record.around(folder) or folder / "my"
    if not my.exists() or (my / ".base").is_dir():
        return my.parent
    raise CannotStart(
        f"{my} is there already and is not the course's: give another folder, as in "
        'course.here.start("course").'
    )


def _require_packages():
    """A course that was installed without its extra fails in the middle of some lesson."""
    asked = metadata.requires("minigrad-course") or []
    needed = [line for line in asked if re.search(r"extra == ['\"]kernel['\"]", line)]
    names = [re.split(r"[^\w.-]", line)[0] for line in needed]
    missing = [name for name in names if not _is_installed(name)]
    if missing:
        raise CannotStart(
            f"{', '.join(missing)} cannot be found: install the course as minigrad-course[kernel]."
        )


def _is_installed(name):
    try:
        return bool(metadata.version(name))
    except metadata.PackageNotFoundError:
        return False


def _lead_to(lesson):
    """Its path, and in a notebook a link to it where one can lead there."""
    from IPython import get_ipython
    from IPython.display import display

    near = lesson.is_relative_to(Path.cwd())
    path = (lesson.relative_to(Path.cwd()) if near else lesson).as_posix()
    text = f"Go on with {path}"
    if get_ipython() is None or not near:
        print(text)
    else:
        display({"text/plain": text, "text/markdown": f"Go on with [{path}]({path})"}, raw=True)


@contextmanager
def _in_one_sentence(*more):
    """What a learner can mend is said without a stack of calls."""
    try:
        yield
    except (carry.CannotCarry, copies.BrokenNotebook, *more) as error:
        raise CannotStart(f"{str(error).rstrip('.')}.") from None
    except OSError as error:
        raise CannotStart(f"{error.filename or 'A file'}: {error.strerror or error}.") from None
