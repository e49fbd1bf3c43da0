"""docs/anywhere.md in an environment that holds the class zip and a kernel, and nothing else.

Its kernel is started from outside, for the lessons by nbclient, for the widgets by a JupyterLab
below a base_url, as a hub starts one.
"""

import asyncio
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import nbformat
import pytest
from jupyter_client.kernelspec import KernelSpec, KernelSpecManager
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient

from course import copies
from course.classroom import release
from course.classroom.inbox import submissions
from tests.browser.conftest import fresh_environment, printed_address
from tests.browser.test_lab import assert_clean, run_all, unexpected, wait_until_ready
from tests.stopped import stop

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/anywhere.md").read_text("utf-8")
LESSONS = "01_names_objects_bytes", "04_which_is_freed"  # cards; and a view and the game
EXERCISE = "forgetful_step"
RIGHT = """def forgetful_step(x, w, log):
    y = (x @ w).tanh()
    loss = (y * y).sum()
    loss.backward()
    log.append(loss.item())
"""
BASE = "/user/ada/"
pytestmark = pytest.mark.slow


def block(number):
    """The page's Python block of this number, line by line."""
    return re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)[number].splitlines()


def block_with(call):
    """The block that calls this of `course.here`."""
    blocks = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    (found,) = (one for one in blocks if f"course.here.{call}(" in one)
    return found.splitlines()


@pytest.fixture(scope="module")
def bare(tmp_path_factory):
    """The Python of an environment into which the page's first line has installed the class zip."""
    folder = tmp_path_factory.mktemp("anywhere")
    try:
        release.make(ROOT, folder / "minigrad-class.zip")
    except release.CannotRelease as reason:
        pytest.skip(str(reason))
    subprocess.run([sys.executable, "-m", "venv", folder / "env"], check=True)
    python = folder / "env/bin/python"
    pip, install, *options, what = block(0)[0].split()
    assert (pip, install, options) == ("%pip", "install", ["--quiet"])
    pip = [python, "-m", "pip", "--retries", "2", "install", "--quiet", "--no-compile"]
    done = subprocess.run(
        [*pip, what.strip('"'), "ipykernel"],
        cwd=folder,
        env=hidden(),
        capture_output=True,
        text=True,
    )
    if "No matching distribution found for hatchling" in done.stderr:
        pytest.skip("no package can be had here: the network, or an index, is missing")
    assert done.returncode == 0, done.stderr[-2000:]
    return python


def hidden():
    """The environment without what leads to this checkout."""
    own = "PYTHONPATH", "VIRTUAL_ENV", "MINIGRAD_REVEAL"
    return {name: value for name, value in os.environ.items() if name not in own}


@pytest.fixture(scope="module")
def home(bare, tmp_path_factory):
    """A folder in which the rest of the page's first block has been run."""
    folder = tmp_path_factory.mktemp("home")
    ran(bare, folder, "\n".join(block(0)[1:]))
    return folder


class _Bare(KernelSpecManager):
    """Knows one kernel: that of the bare environment."""

    def __init__(self, python):
        super().__init__()
        self.argv = [str(python), "-m", "ipykernel_launcher", "-f", "{connection_file}"]

    def get_kernel_spec(self, kernel_name):
        return KernelSpec(argv=self.argv, display_name="bare", language="python")


def ran(python, folder, *sources):
    """The cells, run in `folder` by a kernel of that Python."""
    cells = [nbformat.v4.new_code_cell(source) for source in sources]
    return execute(python, folder, nbformat.v4.new_notebook(cells=cells)).cells


def execute(python, folder, notebook):
    """nbclient does, and here a cell that ends in an error that is not announced raises."""
    kernel = AsyncKernelManager(kernel_spec_manager=_Bare(python))
    client = NotebookClient(
        notebook, km=kernel, timeout=120, resources={"metadata": {"path": str(folder)}}
    )
    return asyncio.run(client.async_execute(cleanup_kc=True, env=hidden()))


def said(cell):
    texts = [o.get("text") or o.get("data", {}).get("text/plain", "") for o in cell.outputs]
    return "".join(texts)


def test_the_cell_of_the_page_makes_the_working_copies_in_a_bare_environment(bare, home):
    packages = subprocess.run(
        [bare, "-m", "pip", "list", "--format=freeze"], capture_output=True, text=True, check=True
    ).stdout
    assert "anywidget" in packages and not re.search(r"^(jupyterlab|notebook)=", packages, re.M)
    cells = ran(bare, home, "\n".join(block(0)[1:]), "import course; course.__file__")
    assert said(cells[0]) == "Go on with my/notebooks/00_welcome.ipynb"
    assert str(bare.parents[1]) in said(cells[1])
    made = {path.relative_to(home / "my") for path in (home / "my").glob("*/*.ipynb")}
    assert made == set(copies.lessons(ROOT)) - {
        path.relative_to(ROOT) for path in ROOT.glob("solutions/*.ipynb")
    }


@pytest.mark.parametrize("lesson", LESSONS)
def test_every_lesson_named_here_runs_in_it(bare, home, lesson):
    folder = home / "my/notebooks"
    notebook = nbformat.read(folder / f"{lesson}.ipynb", as_version=4)
    done = execute(bare, folder, notebook)
    assert list(unexpected(done.cells)) == []
    kinds = {
        kind for cell in done.cells for o in cell.get("outputs", []) for kind in o.get("data", {})
    }
    assert {"text/html", "image/png"} <= kinds, "what stands in for the widgets"


def test_what_is_submitted_there_is_read_by_the_grader_here(bare, home):
    path = home / "my/exercises/04_which_is_freed.ipynb"
    notebook = nbformat.read(path, as_version=4)
    for cell in notebook.cells:
        mark = cell.metadata.get("minigrad", {})
        if (mark.get("exercise"), mark.get("role")) == (EXERCISE, "answer"):
            cell.source = RIGHT
    done = execute(bare, path.parent, notebook)
    nbformat.write(done, path)
    assert "5 of 5 points" in "".join(said(cell) for cell in done.cells if cell.cell_type == "code")
    assert json.loads((home / "my/progress.json").read_text())["exercises"][EXERCISE] is True
    *rest, last = (
        said(ran(bare, path.parent, "\n".join(block_with("submit")))[0]).strip().splitlines()
    )
    assert "Made my/minigrad-your-name.zip" in "\n".join(rest)
    [one] = submissions(home / "my/minigrad-your-name.zip")
    assert one.name == "your-name" and one.notes == () and one.file("04").notebook


@pytest.fixture(scope="module")
def hub(bare, home, tmp_path_factory):
    """A JupyterLab of this environment below a base_url, whose one kernel is the bare one."""
    kernels, own = tmp_path_factory.mktemp("jupyter"), tmp_path_factory.mktemp("own")
    spec = kernels / "kernels/python3/kernel.json"
    spec.parent.mkdir(parents=True)
    argv = _Bare(bare).argv
    spec.write_text(json.dumps({"argv": argv, "display_name": "bare", "language": "python"}))
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root"]
    command += ["--ServerApp.port=0", f"--ServerApp.base_url={BASE}"]
    command += [f"--ServerApp.root_dir={home}", "--LabApp.expose_app_in_browser=True"]
    fresh = {name: value for name, value in fresh_environment(own).items() if name in hidden()}
    env = {**fresh, "JUPYTER_PATH": str(kernels)}
    with open(own / "lab.log", "w+b") as log:
        process = subprocess.Popen(command, cwd=home, env=env, stdout=log, stderr=log)
        try:
            yield printed_address(process, own / "lab.log")
        finally:
            stop(process)


def test_the_cards_and_views_are_live_under_a_base_url(visit, hub, home, screenshots):
    page, url = visit.page, urlsplit(hub)
    assert url.path.startswith(BASE)
    lesson = "04_which_is_freed"
    page.goto(f"http://{url.netloc}{BASE}lab/tree/my/notebooks/{lesson}.ipynb?{url.query}")
    wait_until_ready(page)
    assert list(unexpected(run_all(page))) == []
    card = page.locator(".mgp-card").first
    card.scroll_into_view_if_needed()
    card.get_by_role("radio").first.click()
    card.get_by_role("button", name="Lock and see").click()
    card.locator(".mgp-headline").wait_for()  # the verdict, which only the kernel knows
    card.screenshot(path=screenshots / "hub_card.png")
    assert len(json.loads((home / "my/progress.json").read_text())["predictions"]) == 1
    view = page.locator(".mg-view", has=page.locator(".mg-mode")).first
    view.scroll_into_view_if_needed()
    view.locator(".mg-mode").select_option("all")
    view.focus()
    shown = []
    for key in ["Home", *["ArrowRight"] * 5]:
        page.keyboard.press(key)
        shown.append(view.locator(".mg-range").input_value())
    assert shown == list("012345")
    view.screenshot(path=screenshots / "hub_view.png")
    assert_clean(visit)
