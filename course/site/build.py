"""The site: pages' sources from notebooks and doors, then Sphinx; `_site/` when it is whole."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from html import unescape
from pathlib import Path
from tempfile import TemporaryDirectory
from xml.sax.saxutils import escape

from course.site import asked, door_page, index, live, notebook_page, scripts, search
from course.site.door import doors
from course.site.record import stored

ROOT = Path(__file__).resolve().parents[2]
HEAD = re.compile(r"<title>(.*?)(?: - [^-]*)?</title>", re.DOTALL)
MADE_FROM = (
    *("doors", "course", "whoholds", "minigrad", "notebooks", "exercises", "solutions"),
    asked.COVERAGE,
)
KINDS = ".py", ".js", ".css", ".html", ".json", ".ipynb", ".toml"
MARK = "made-from.txt"  # tells what a site was made from
NOT_FOUND = "search.html", "genindex.html", "index.html", "questions.html"  # by a search
UNUSED = "objects.inv", ".buildinfo", "searchindex.js", "searchtools.js", "language_data.js"


class Failed(RuntimeError):
    """The site could not be made; the text says why."""


def build(out: Path, base_url: str = "", root: Path = ROOT) -> list:
    """Write the site to `out`, in the place of an older one; the addresses of its pages."""
    require_own(out)
    with TemporaryDirectory(prefix="minigrad-site-") as scratch:
        work = Path(scratch)
        sources(work / "source", root)
        _sphinx(work / "source", work / "html", base_url)
        pages = sorted(
            p.relative_to(work / "html").as_posix() for p in work.rglob("html/**/*.html")
        )
        _index(work / "html", pages, _other_words(root))
        (work / "html" / "sitemap.xml").write_text(sitemap(pages, base_url), "utf-8")
        (work / "html" / MARK).write_text(digest(root) + "\n", "utf-8")
        (work / "html" / ".nojekyll").touch()  # a host must not leave out what begins with _
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir(parents=True)
        (out / MARK).touch()  # or what an interrupt leaves would count as somebody else's
        unused = shutil.ignore_patterns(*UNUSED)
        shutil.copytree(work / "html", out, ignore=unused, dirs_exist_ok=True)
    return pages


def require_own(out: Path) -> None:
    """What stands where the site will be is an older site, or nothing: all of it is replaced."""
    if out.is_file() or (out.is_dir() and any(out.iterdir()) and not (out / MARK).is_file()):
        raise Failed(
            f"{out} holds something else, which the site would replace: name another folder with "
            "--out, one that is empty or not there yet."
        )


def _index(html, pages, known) -> None:
    """Write what the search page searches; `known` has other words for a page's title."""
    rows = []
    for page in pages:
        text = (html / page).read_text("utf-8")
        title = unescape(HEAD.search(text)[1])  # type: ignore[index]
        if page not in NOT_FOUND:
            rows.append((page, title, known.get(page, ""), search.text_of(text)))
    (html / "_static" / "pages.js").write_text(search.script(search.index(rows)), "utf-8")
    shutil.copy(scripts.STATIC / "search.js", html / "_static")


def _other_words(root) -> dict:
    """{address: words} of the doors: as people say it, and as a thread asked it."""
    known = asked.questions(root)
    return {
        f"doors/{door.name}.html": " ".join([door.also, *asked.texts(door, known)])
        for door in doors(root / "doors")
    }


def digest(root: Path = ROOT) -> str:
    """Of all that the site is made from, its own code included."""
    found = hashlib.sha256()
    for folder in MADE_FROM:
        for path in sorted({root / folder, *(root / folder).rglob("*")}):
            if path.is_file() and path.suffix in KINDS:
                found.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes())
    return found.hexdigest()


def sources(work: Path, root: Path) -> None:
    """The folder that Sphinx reads."""
    pictures = work / "_extra" / "pictures"
    for folder in (
        pictures,
        work / "_own",
        work / "doors",
        *(work / f for f in notebook_page.FOLDERS.values()),
    ):
        folder.mkdir(parents=True)
    (work / "_own" / "minigrad.js").write_text(scripts.script(), "utf-8")
    (work / "_own" / "minigrad.css").write_text(scripts.style(), "utf-8")
    shutil.copy(Path(__file__).with_name("conf.py"), work)
    shutil.copytree(Path(__file__).with_name("templates"), work / "_templates")
    titles = _notebooks(work, root, pictures)
    lessons = {n[:2]: (title, f"../lessons/{n}.html") for n, title in titles["lessons"].items()}
    found, known = doors(root / "doors"), asked.questions(root)
    for door in found:
        text = door_page.page(door, stored(door), lessons, pictures, asked.texts(door, known))
        (work / "doors" / f"{door.name}.md").write_text(text, "utf-8")
    text = asked.page(found, known, titles["lessons"], _threads(root))
    (work / "questions.md").write_text(text, "utf-8")
    for name, text in index.pages(found, titles).items():
        (work / f"{name}.md").write_text(text, "utf-8")


def _threads(root) -> dict:
    """{number: heading} of the page of threads."""
    cells = json.loads((root / "notebooks" / "threads.ipynb").read_text("utf-8"))["cells"]
    lines = "".join("".join(cell["source"]) + "\n" for cell in cells)
    return dict(re.findall(r"^## (?=Thread (\d{3}))(.*)$", lines, re.MULTILINE))


def _notebooks(work, root, pictures) -> dict:
    """Write their pages; {folder: {name: title}} of them."""
    paths = [p for folder in notebook_page.FOLDERS for p in sorted((root / folder).glob("*.ipynb"))]
    notebooks = [json.loads(path.read_text("utf-8")) for path in paths]
    for path in notebook_page.files(notebooks, root):
        copy = work / "_extra" / "files" / f"{path.relative_to(root)}.txt"
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, copy)
    titles: dict = {}
    with ThreadPoolExecutor(os.cpu_count() or 2) as pool:
        states = pool.map(lambda path: _states(path, root), paths)
        for path, notebook, given in zip(paths, notebooks, states, strict=True):
            folder = notebook_page.FOLDERS[path.parent.name]
            page = notebook_page.page(notebook, given, f"{folder}-{path.stem}", pictures)
            (work / folder / path.name).write_text(json.dumps(page), "utf-8")
            titles.setdefault(folder, {})[path.stem] = _title(notebook)
    return titles


def _title(notebook) -> str:
    first = "".join(notebook["cells"][0]["source"]).partition("\n")[0]
    return first.removeprefix("# ")


def _states(path, root) -> list:
    """Only lessons show widgets."""
    return live.of(path, root) if path.parent.name == "notebooks" else []


def _sphinx(source, out, base_url) -> None:
    command = [
        sys.executable,
        "-m",
        "sphinx",
        "-b",
        "html",
        "-q",
        "-W",
        "--keep-going",
        "-j",
        "auto",
    ]
    done = subprocess.run(
        [*command, "-d", str(out.parent / "doctrees"), str(source), str(out)],
        env=os.environ | {"MINIGRAD_BASE_URL": base_url},
        stderr=subprocess.PIPE,
        text=True,
    )
    if done.returncode:
        raise Failed(done.stderr.strip())


def sitemap(pages, base_url) -> str:
    """The addresses, absolute where the site's own is known."""
    base = base_url.rstrip("/") + "/" if base_url else ""
    rows = "".join(f"<url><loc>{escape(base + page)}</loc></url>\n" for page in pages)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{rows}</urlset>\n'
    )
