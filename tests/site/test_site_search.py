"""Titles of public threads, as people typed them, find their door first in the site's search."""

import json
import tomllib
from pathlib import Path

import pytest

from course.site import asked, build, search
from course.site.door import doors
from tests.site.test_site_pages import SITE, current

TITLES = tomllib.loads((Path(__file__).parent / "titles.toml").read_text("utf-8"))["title"]
DOOR_OF = {  # the kind of a title: the door, or doors, that answer it
    "backward-twice": "trying-to-backward-a-second-time",
    "checkpoint-memory": "checkpointing-does-not-lower-memory",
    "checkpoint-warning": "none-of-the-inputs-have-requires-grad",
    "create-graph-memory": "gradient-penalty-memory",
    "custom-function": "custom-function-keeps-memory",
    "del-held-by-graph": "does-del-free-a-tensor",
    "detach": "what-does-detach-do",
    "evaluation-memory": "memory-grows-in-validation",
    "find-holder": "who-holds-this-tensor",
    "gpu-cache": "memory-not-given-back",
    "grad-none": "grad-is-none-after-backward",
    "hidden-state": "detach-the-hidden-state",
    "hook-memory": "hook-keeps-memory",
    "inplace": "modified-by-an-inplace-operation",
    "leaf-inplace": "leaf-variable-in-place",
    "memory-grows": "memory-grows-each-iteration",
    "no-grad": "does-no-grad-save-memory",
    "no-grad-fn": "does-not-require-grad",
    "nonleaf-grad": "grad-of-a-non-leaf",
    "numpy-needs-detach": "cant-call-numpy-on-tensor-that-requires-grad",
    "optimizer-memory": "optimizer-memory",
    "retain-graph": "retain-graph-true",
    "reversible": "reversible-keep-the-graph-free-the-data",
    "scalar-output": "grad-can-be-implicitly-created",
    "unused-in-graph": "differentiated-tensor-not-used",
    "what-is-freed": "which-is-freed-which-is-not when-is-a-graph-made-and-freed",
    "zero-grad": "zero-grad-set-to-none",
}
SHARE = 27 / 30
ALL = 0.75  # of all 115: at least 10 of them say nothing of what is asked

made = pytest.mark.skipif(
    not current(), reason="no site of these sources is there: `python3 run.py site` makes it"
)


@pytest.fixture(scope="module")
def data():
    text = (SITE / "_static" / "pages.js").read_text("utf-8")
    return json.loads(text.partition("= ")[2].rstrip().removesuffix(";"))


def first_of_each_query():
    """34 titles, chosen by a rule that looks at no result."""
    found = {}
    for title in TITLES:
        found.setdefault(title["query"], title)
    return list(found.values())


def finds(data, title):
    first = search.search(data, title["text"], 1)
    return first and first[0].removeprefix("doors/").removesuffix(".html") in DOOR_OF[title["kind"]]


def test_each_kind_of_title_has_its_door():
    assert DOOR_OF.keys() == {title["kind"] for title in TITLES}


@made
@pytest.mark.parametrize(("titles", "share"), [(first_of_each_query(), SHARE), (TITLES, ALL)])
def test_titles_find_their_door_first(data, titles, share):
    missed = [title["text"] for title in titles if not finds(data, title)]
    assert len(missed) <= (1 - share) * len(titles), missed


@made
def test_the_threads_questions_find_their_door_first(data):
    known = asked.questions(build.ROOT)
    wanted = {name: f"doors/{door.name}.html" for door in doors() for name in door.asked}
    first = {name: search.search(data, known[name].text, 1)[0] for name in wanted}
    assert first == wanted


@made
def test_what_was_pasted_besides_does_no_harm(data):
    door = DOOR_OF["inplace"]
    pasted = (
        "help!! Traceback (most recent call last): File main.py line 12 RuntimeError: one of the "
        "variables needed for gradient computation has been modified by an inplace operation: "
        "[torch.cuda.FloatTensor [64, 128]], xyzzy"
    )
    assert search.search(data, pasted, 1) == [f"doors/{door}.html"]
    assert search.search(data, "xyzzy") == []


def test_words_lose_their_endings_and_names_their_parts_not():
    assert search.words("Freed tensors: retain_graph=True") == [
        "fre", "tensor", "retain", "graph", "retain_graph", "true",
    ]  # fmt: skip


def test_a_rare_word_and_a_title_count_more():
    pages = [("a", "graph", "", "tensor tensor"), ("b", "tensor", "", "graph"), ("c", "x", "", "y")]
    data = search.index(pages)
    assert search.search(data, "graph") == ["a", "b"] and search.search(data, "y graph")[0] != "b"
