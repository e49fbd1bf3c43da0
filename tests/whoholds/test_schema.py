"""docs/trace.md: all that a trace has is documented there, and all that is documented exists."""

import json
import re
from pathlib import Path

import pytest

import whoholds.events
from tests.whoholds.random_snippets import snippet
from tests.whoholds.test_views_traces import ALL
from whoholds.events import CATEGORIES, FIELDS, Trace
from whoholds.growth import grows
from whoholds.step import step
from whoholds.views.export import save

DOC = (Path(__file__).parents[2] / "docs/trace.md").read_text("utf-8")
BEGIN, KINDS, END = (DOC.index(head) for head in ("## Every event", "## Kinds", "## Fields"))
NULL = {  # the sentence below the table of fields
    ("error", "node"), ("grad", "storage"), ("save", "storage"), ("tensor", "storage"),
    ("node", "tensor"), ("role", "tensor"), ("save", "tensor"), ("tensor", "fn"),
    ("tensor", "base"),
}  # fmt: skip
OPTIONAL = {"at", "module", "calls", "again", "paths"}
IS = {
    "string": lambda v: type(v) is str,
    "number": lambda v: type(v) is int,
    "boolean": lambda v: type(v) is bool,
    "list": lambda v: type(v) is list,
}


def table(text):
    """{name: type} of the rows of a table."""
    return dict(re.findall(r"^\| `(\w+)` \| ([^|]*?) \|", text, re.MULTILINE))


TOP, COMMON = table(DOC[:BEGIN]), table(DOC[BEGIN:KINDS])
TYPES = table(DOC[END : DOC.index("## Categories")])


def fits(value, kind):
    whole, _, null = kind.partition(" or ")
    if whole.startswith("list of "):
        return type(value) is list and all(
            IS[whole.removeprefix("list of ")[:-1]](v) for v in value
        )
    return IS[whole](value) or (value is None and null == "null")


def saved(trace, folder):
    """The trace as its JSON tells it."""
    return json.loads(save(trace, folder / "a.json").read_text("utf-8"))


def check(data):
    """Every key and field is documented, and of the documented type."""
    assert set(data) == set(TOP)
    assert {key for key, kind in TOP.items() if not fits(data[key], kind)} == set()
    for event in data["events"]:
        own = FIELDS[event["kind"]]
        assert set(event) - OPTIONAL == {*COMMON, *own} - OPTIONAL
        types = {**COMMON, **{name: TYPES[name] for name in own}}
        wrong = {name: v for name, v in event.items() if not fits(v, types[name])}
        assert wrong == {}, event
        assert {(event["kind"], name) for name in own if event[name] is None} <= NULL
        assert len(event["bytes"]) == len(data["categories"])
        assert 0 <= event.get("at", 0) < max(1, len(data["places"]))


@pytest.mark.parametrize("name", ALL)
def test_a_hand_written_trace_is_as_documented(name, tmp_path):
    check(saved(ALL[name](), tmp_path))


@pytest.mark.parametrize("engine", ["minigrad", "torch"])
def test_random_programs_tell_only_what_is_documented(engine, tmp_path):
    """On either engine; and of each kind there is an event somewhere."""
    pytest.importorskip(engine, reason=f"{engine} is not installed")
    met = set()
    for seed in range(12):
        data = saved(step(snippet(seed), engine=engine), tmp_path)
        check(data)
        assert data["engine"] == engine and data["version"]
        met |= {event["kind"] for event in data["events"]}
    assert {"backward", "grad", "held", "save", "unbind", "error"} <= met


def test_the_rarer_kinds_exist(tmp_path):
    """`turn` of a loop, `elsewhere` of what lived before, and `lost` where the recorder failed."""
    mg = pytest.importorskip("minigrad")
    before, w = mg.ones(64), mg.ones(4, requires_grad=True)
    data = saved(grows(lambda: (w * w).sum().backward()).trace, tmp_path)
    check(data)
    kinds = {event["kind"] for event in data["events"]}
    assert {"turn", "elsewhere"} <= kinds and before.numel() == 64
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    with whoholds.record(engine="torch") as trace:
        trace.recorder.guarded(lambda: 1 / 0)
        torch.ones(4)
    data = saved(trace, tmp_path)
    check(data)
    assert [e["text"][:13] for e in data["events"] if e["kind"] == "lost"] == ["not followed "]


def test_every_documented_kind_and_field_is_one_of_the_recorder():
    block = re.search(r"## Kinds\n\n(.*?)\n\n##", DOC, re.DOTALL)[1]
    assert block in whoholds.events.__doc__, "the same words as in whoholds/events.py"
    found, last = {}, ""
    for line in block.splitlines():
        last, own = line[4:14].strip() or last, line[14:52].split()
        found[last] = (*found.get(last, ()), *own)
    assert found == FIELDS
    assert set(TYPES) == {name for own in FIELDS.values() for name in own}
    assert set(TOP) == set(Trace([]).to_json())
    assert re.findall(r"^\| `(\w+)` \|", DOC[DOC.index("## Categories") :], re.MULTILINE) == [
        *CATEGORIES
    ]
