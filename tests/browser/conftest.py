"""A learner's first minute: `run.py lab` in a fresh home, looked at through Chromium.

The lab gets a folder of its own, so that nobody's working copies or settings are touched.
"""

import functools
import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.stopped import stop

ROOT = Path(__file__).parents[2]
BROWSERS = "chromium", "chromium-browser", "google-chrome"
STARTUP_SECONDS = 60
# Nothing gets out of this machine. A route that looks at each request would do it as well, but it
# turns the browser's cache off: each page would load and compile all of JupyterLab again.
ALONE = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost"
WINDOW = {"width": 1280, "height": 900}
# JupyterLab's debugger asks each kernel that starts; one that a test ends or restarts before it has
# answered makes it say this. The message comes when it likes, also in the visit after that.
UNANSWERED = "Could not restore the debugger state: Canceled future for debug_request message"
PATIENCE = 120_000  # ms; each wait ends as soon as it may, and a busy machine is no fault
START = (
    "import sys, pathlib; from course import cli; cli.ROOT = pathlib.Path(sys.argv[1]); "
    "sys.exit(cli.main('lab', port=0, browser=False))"
)


@pytest.fixture(scope="session")
def project(tmp_path_factory):
    """A folder that holds what the lab serves."""
    root = tmp_path_factory.mktemp("course")
    for folder in "notebooks", "exercises", "solutions", ".jupyter":
        if (ROOT / folder).is_dir():
            shutil.copytree(ROOT / folder, root / folder)
    return root


@pytest.fixture(scope="session")
def address(project, tmp_path_factory):
    """The address `run.py lab` prints, while the lab runs."""
    home = tmp_path_factory.mktemp("home")
    (home / ".jupyter").mkdir()
    # Lets a test ask the notebook's model: what is out of sight is not in the page.
    settings = {"LabApp": {"expose_app_in_browser": True}}
    (home / ".jupyter/jupyter_lab_config.json").write_text(json.dumps(settings))
    # A file, not a pipe: a server whose pipe nobody reads does not stop when asked to.
    with open(home / "lab.log", "w+b") as log:
        process = subprocess.Popen(
            [sys.executable, "-c", START, str(project)],
            cwd=ROOT,
            env=fresh_environment(home),
            stdout=log,
            stderr=log,
        )
        try:
            yield printed_address(process, home / "lab.log")
        finally:
            stop(process)


def fresh_environment(home):
    """A learner's own; what `run.py test` has set is for the lab itself to leave out."""
    own = "JUPYTER", "XDG_"
    kept = {k: v for k, v in os.environ.items() if not k.startswith(own)}
    return {**kept, "HOME": str(home), "IPYTHONDIR": str(home), "JUPYTER_PREFER_ENV_PATH": "1"}


def printed_address(process, log):
    deadline = time.monotonic() + STARTUP_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        if found := re.search(r"http://127\.0\.0\.1:\d+/\S+", log.read_text("utf-8")):
            return found.group()
        time.sleep(0.1)
    pytest.fail(f"the lab printed no address:\n{log.read_text('utf-8')}")


@pytest.fixture(scope="module")
def browser():
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    executable = next(filter(None, map(shutil.which, BROWSERS)), None)
    if executable is None:
        pytest.skip(f"no browser found (looked for {', '.join(BROWSERS)})")
    with sync_api.sync_playwright() as playwright:
        # Chromium refuses its sandbox to root, the usual user in a container.
        flags = ["--no-sandbox"] if os.name == "posix" and os.geteuid() == 0 else []
        chromium = playwright.chromium.launch(executable_path=executable, args=[*flags, ALONE])
        yield chromium
        chromium.close()


class Visit:
    """One page and all that went wrong on it."""

    def __init__(self, page):
        self.page, self.errors, self.external = page, [], []
        page.on("pageerror", self.broke)
        page.on("console", self.note)
        page.on("request", self.asked)

    def note(self, message):
        if message.type == "error" and not message.text.startswith(UNANSWERED):
            self.errors.append(message.text)

    def leave(self):
        """Look no more at what goes wrong: another visit begins."""
        self.page.remove_listener("pageerror", self.broke)
        self.page.remove_listener("console", self.note)
        self.page.remove_listener("request", self.asked)

    def broke(self, error):
        self.errors.append(str(error))

    def asked(self, request):
        if not re.match(r"(http|ws)://(127\.0\.0\.1|localhost)[:/]|data:|blob:|file:", request.url):
            self.external.append(request.url)


@pytest.fixture(scope="module")
def context(browser):
    """One for a file's pages: each new one would load and compile all of JupyterLab again."""
    made = browser.new_context(reduced_motion="reduce", viewport=WINDOW)
    made.set_default_timeout(PATIENCE)
    yield made
    made.close()


@pytest.fixture
def visit(context):
    page = context.new_page()
    yield Visit(page)
    page.close()


@pytest.fixture(scope="module")
def lab_page(context):
    page = context.new_page()
    yield page
    page.close()


@pytest.fixture
def lab(lab_page):
    """A visit of the JupyterLab in which a file's notebooks open one after another: to load all of
    it anew takes longer than a lesson runs."""
    lab_page.set_viewport_size(WINDOW)
    visit = Visit(lab_page)
    yield visit
    visit.leave()


@pytest.fixture
def table(visit):
    """Put a game on a bare page, and nothing may go wrong on it."""
    from tests.browser.play_table import laid

    yield functools.partial(laid, visit.page)
    assert visit.external == [] and visit.errors == []


@pytest.fixture(scope="session")
def screenshots(tmp_path_factory):
    """Where the pictures go: MINIGRAD_SCREENSHOTS, or pytest's own temporary folder."""
    chosen = os.environ.get("MINIGRAD_SCREENSHOTS")
    folder = Path(chosen) if chosen else tmp_path_factory.mktemp("screenshots")
    folder.mkdir(parents=True, exist_ok=True)
    return folder
