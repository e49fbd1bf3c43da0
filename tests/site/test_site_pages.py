"""The site as it was made: whole, light, its links lead somewhere, and it asks no other host.

`python3 run.py site` makes it; a site of other sources counts as none.
"""

import re
from html import unescape
from pathlib import Path
from urllib.parse import unquote, urldefrag

import pytest

from course.site import asked, build
from course.site.door import doors

SITE = build.ROOT / "_site"
MOST, LESSON = 25_000_000, 300_000  # bytes: of the site; of the scripts of one lesson
TAG = re.compile(r"<(?:a|img|link|script|form)\b[^>]*?\s(href|src|action)=\"([^\"]*)\"", re.DOTALL)
LOADED = re.compile(
    r"<(?:script|img|iframe|source)\b[^>]*\ssrc=\"([^\"]+)\""
    r"|<link\b[^>]*rel=\"(?:stylesheet|preload|icon)\"[^>]*href=\"([^\"]+)\""
)
PLACE = re.compile(r"\s(?:id|name)=\"([^\"]+)\"")
STATE = re.compile(r"<script type=\"application/.*?</script>", re.DOTALL)


def current():
    mark = SITE / build.MARK
    return mark.is_file() and mark.read_text("utf-8").strip() == build.digest()


pytestmark = pytest.mark.skipif(
    not current(), reason="no site of these sources is there: `python3 run.py site` makes it"
)


@pytest.fixture(scope="module")
def pages():
    """{address: text, without the widgets' states}."""
    found = sorted(SITE.rglob("*.html"))
    return {p.relative_to(SITE).as_posix(): STATE.sub("", p.read_text("utf-8")) for p in found}


@pytest.fixture(scope="module")
def places(pages):
    return {name: {unescape(one) for one in PLACE.findall(text)} for name, text in pages.items()}


def test_it_is_whole(pages):
    assert {f"doors/{door.name}.html" for door in doors()} <= pages.keys()
    for folder, ours in ("notebooks", "lessons"), ("exercises",) * 2, ("solutions",) * 2:
        names = {path.stem for path in (build.ROOT / folder).glob("*.ipynb")}
        assert names and {f"{ours}/{name}.html" for name in names} <= pages.keys()


def test_it_is_light():
    assert sum(path.stat().st_size for path in SITE.rglob("*") if path.is_file()) < MOST


def test_all_links_lead_somewhere(pages, places):
    wrong = []
    for name, text in pages.items():
        for _, link in TAG.findall(text):
            path, place = urldefrag(unquote(unescape(link)))
            if re.match(r"[a-z]+:|//", path):
                continue
            path = path.partition("?")[0]
            target = ((SITE / name).parent / path).resolve() if path else SITE / name
            inside = target.is_relative_to(SITE.resolve()) or not path
            address = target.relative_to(SITE.resolve()).as_posix() if path and inside else name
            if not inside or not target.is_file():
                wrong.append((name, link))
            elif place and address in places and place not in places[address]:
                wrong.append((name, link))
    assert wrong == []


def test_nothing_is_loaded_from_another_host(pages):
    loaded = {
        one for text in pages.values() for pair in LOADED.findall(text) for one in pair if one
    }
    assert {one for one in loaded if re.match(r"https?:|//", one)} == set()
    styles = "".join(path.read_text("utf-8") for path in SITE.rglob("*.css"))
    assert re.findall(r"(?:@import|url\()\s*[\"']?(?:https?:)?//[^)\"']*", styles) == []


def test_a_lesson_needs_few_scripts(pages):
    for name, text in pages.items():
        if name.startswith(("lessons/", "doors/")):
            sources = re.findall(r"<script\b[^>]*\ssrc=\"([^\"?]+)", text)
            own = [((SITE / name).parent / source).stat().st_size for source in sources]
            assert sum(own) < LESSON, (name, sources)


def test_the_sitemap_lists_all_pages(pages):
    listed = re.findall(r"<loc>(.*?)</loc>", (SITE / "sitemap.xml").read_text("utf-8"))
    assert sorted(Path(one).name for one in listed) == sorted(Path(one).name for one in pages)


def test_a_sitemap_has_the_sites_own_address():
    text = build.sitemap(["a.html", "b/c.html"], "https://example.org/course")
    assert re.findall(r"<loc>(.*?)</loc>", text) == [
        "https://example.org/course/a.html",
        "https://example.org/course/b/c.html",
    ]


def test_doors_can_be_read_without_scripts(pages):
    """Title, three lines, the program, what it said, and what each way costs."""
    for door in doors():
        text = pages[f"doors/{door.name}.html"]
        said = re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", "", text.partition("<article")[2])))
        assert door.title.replace("`", "") in said, door.name
        if any(cell.kind == "step" for cell in door.programs):
            assert "What each costs" in said and 'class="mg-still"><img' in text


def test_each_question_of_the_threads_is_listed_with_its_door(pages):
    listed, known = pages["questions.html"], asked.questions(build.ROOT)
    for door in doors():
        own = re.sub(
            r"\s+", " ", unescape(re.sub(r"<[^>]+>", "", pages[f"doors/{door.name}.html"]))
        )
        for text in asked.texts(door, known):
            assert text.replace("`", "") in own, door.name
        assert (f'href="doors/{door.name}.html"' in listed.partition("<article")[2]) == bool(
            door.asked
        )


def test_a_solution_is_folded(pages):
    (text,) = [t for name, t in pages.items() if name.startswith("solutions/05")]
    assert text.count("<details") > 3 and "tag_hide-input" in text


def test_each_page_of_a_notebook_says_what_it_is_and_leads_to_how_to_run_it(pages):
    found = [name for name in pages if name.startswith(("lessons/", "exercises/", "solutions/"))]
    assert found and all("This page is a copy to read." in pages[name] for name in found)
    assert all('href="../index.html#get-the-course"' in pages[name] for name in found)
    assert 'id="get-the-course"' in pages["index.html"]
