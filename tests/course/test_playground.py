"""The playground keeps its promises: its links lead somewhere, its snippets run on both engines."""

import ast
import gc
import itertools
import re
from pathlib import Path

import pytest

from course.build.source import read_lesson
from tests.whoholds.promised import told
from whoholds.events import shown
from whoholds.step import step

PAGE = read_lesson(Path(__file__).parents[2] / "lessons" / "playground.py")
MAGIC = re.compile(r"%%step --fresh --title \"(.+)\"\n")
SECOND = "RuntimeError: Trying to backward through the graph a second time"
# It adds to a retained .grad a second time, out of place. The tracker of PyTorch's bytes takes
# that for a sum of gradients, which is made in place.
ADDED_AGAIN = "backward(inputs=[h])"
FAILING = {ADDED_AGAIN, "Backward alone in the loop", "A new sum on an old layer"}


def snippets():
    """{title: source}: the body of each %%step cell, and each text that a cell hands to step()."""
    found = {}
    for cell in PAGE.demos:
        if head := MAGIC.match(cell.source):
            found[head[1]] = cell.source[head.end() :]
            continue
        for node in ast.parse(cell.source).body:
            if isinstance(node, ast.Assign):
                found[node.targets[0].id] = ast.literal_eval(node.value)
    return found


SNIPPETS = snippets()


def test_each_thread_has_a_section_and_the_menu_leads_to_all():
    text = [cell.source for cell in PAGE.cells if cell.kind == "markdown"]
    heads = [match[1] for part in text if (match := re.match(r"## (.*)", part))]
    assert [head[:4] for head in heads] == ["000 ", "001 ", "002 ", "003 ", "004 ", "Your"]
    assert re.findall(r"\]\(#(.*?)\)", text[0]) == [head.replace(" ", "-") for head in heads]


@pytest.mark.parametrize("title", SNIPPETS)
def test_a_snippet_is_short_and_ends_as_the_text_says(title):
    source = SNIPPETS[title]
    assert 4 <= len([row for row in source.splitlines() if row.strip()]) <= 12
    error = step(source).error
    assert error.startswith(SECOND) if title in FAILING else error == ""


@pytest.mark.parametrize("title", [title for title in SNIPPETS if title not in ("JOINT", "Yours")])
def test_the_first_line_for_pytorch_stands_below_the_cell(title):
    wanted = f'`%%step --fresh --engine torch --title "{title}"`'
    if title == "EAGER":
        wanted = '`show({"eager": step(EAGER, "torch"), "joint": step(JOINT, "torch")})`'
    cells = itertools.pairwise(PAGE.cells)
    below = [text.source for cell, text in cells if cell.kind == "code" and title in cell.source]
    assert any(wanted in text for text in below)


def after(source, line):
    """Bytes shown once the last run of `line` is over."""
    events = [e for e in step(source).events if e["line"] <= line]
    return shown(events[-1])


# What a reader is told to try: (title, what to replace, by what).
TRIES = {
    "nobody needs it": ("A product in the middle", "(16, 16, requires_grad=True)", "(16, 16)"),
    "the node has them": ("A product in the middle", "del middle", "del middle\ndel last"),
    "grad() stops there": (
        "backward(inputs=[h])",
        "penalty.backward(inputs=[h])",
        "g, = torch.autograd.grad(penalty, h)",
    ),
    "neither saves": (
        "A new sum on an old layer",
        "layer(data).tanh()",
        "data.requires_grad_() + 1",
    ),
    "no stairs": ("A value fed back", "u * a", "u.detach() * a"),
    "all kept": (
        "An operation that saves nothing",
        "        return x * 2",
        "        ctx.save_for_backward(x)\n        return x * 2",
    ),
}


def tried(name):
    title, old, new = TRIES[name]
    assert SNIPPETS[title].count(old) == 1
    return SNIPPETS[title], SNIPPETS[title].replace(old, new)


def test_what_the_text_says_of_the_product():
    plain, both_gone = tried("the node has them")
    assert after(plain, 7) == after(plain, 8) == 7 * 1024
    assert after(both_gone, 9) == 5 * 1024
    _, not_needed = tried("nobody needs it")
    assert after(not_needed, 7) - after(not_needed, 8) == 1024


@pytest.mark.parametrize("name", ["grad() stops there", "neither saves"])
def test_what_passes_instead(name):
    plain, instead = tried(name)
    assert step(plain).error and not step(instead).error


@pytest.mark.parametrize("name, less", [("no stairs", True), ("all kept", False)])
def test_what_becomes_flat_and_what_does_not(name, less):
    plain, instead = map(step, tried(name))
    assert (instead.peak < plain.peak) is less and instead.peak != plain.peak


def test_eager_needs_less_and_walks_more():
    joint, eager = step(SNIPPETS["JOINT"]), step(SNIPPETS["EAGER"])
    visits = [sum(e["kind"] == "visit" for e in trace.events) for trace in (joint, eager)]
    assert eager.peak < 0.75 * joint.peak and visits[1] > visits[0]


def promised(trace):
    """What both engines tell, up to an error; in which order a node fills its slots is its own."""
    rows = list(itertools.takewhile(lambda row: row[0] != "error", told(trace)))
    groups = itertools.groupby(rows, key=lambda row: row[0] == "save" and row[1:3])
    return [row for _, group in groups for row in sorted(group, key=by_slot)]


def by_slot(row):
    return row[4] if row[0] == "save" else ""


@pytest.mark.parametrize("title", SNIPPETS)
def test_both_engines_tell_the_same_of_a_snippet(title):
    pytest.importorskip("torch")
    gc.collect()
    ours, theirs = step(SNIPPETS[title]), step(SNIPPETS[title], "torch")
    assert promised(ours) == promised(theirs)
    assert ours.error == theirs.error
    if title != ADDED_AGAIN:
        assert ours.peak == theirs.peak
