"""Which engine is recorded: the one that the code of the block uses."""

import types

import pytest

import minigrad as mg
import whoholds
from whoholds.engines import WhichEngine, engine_of

torch = pytest.importorskip("torch", reason="PyTorch is not installed")


def on_torch():
    return torch.ones(3).exp()


def on_minigrad():
    return mg.ones(3).exp()


@pytest.mark.parametrize("function", [on_torch, on_minigrad])
@pytest.mark.parametrize("how", ["called", "held", "deeper"])
def test_a_block_is_recorded_on_the_engine_that_it_uses(function, how):
    if how == "called":
        with whoholds.record() as trace:
            function()
    elif how == "held":
        tensor = function()
        with whoholds.record() as trace:
            tensor * 2
    else:
        outer = lambda: function()  # noqa: E731
        with whoholds.record() as trace:
            outer()
    assert trace.engine == function.__name__.removeprefix("on_")
    assert [event for event in trace.events if event["kind"] == "born"]


def test_code_that_uses_neither_or_both_is_asked_for_the_name():
    def both():
        return on_torch(), on_minigrad()

    for code in both.__code__, (lambda: None).__code__:
        with pytest.raises(WhichEngine, match=r'say record\(engine="torch"\)'):
            engine_of(code, globals(), {})


def test_the_modules_around_tell_where_the_code_does_not():
    code = (lambda table: table["f"]()).__code__
    assert engine_of(code, {"mg": mg, "types": types}, {}) == "minigrad"
    assert engine_of(code, {"nn": torch.nn}, {}) == "torch"


@pytest.mark.parametrize("engine", [mg, torch], ids=["minigrad", "torch"])
def test_a_decorated_function_has_the_trace_of_its_last_call(engine):
    w = engine.ones(4, requires_grad=True)

    @whoholds.record()
    def step(factor):
        (w * factor).sum().backward()
        return factor

    assert [step(2.0), step(3.0)] == [2.0, 3.0]
    assert sum(event["kind"] == "backward" for event in step.trace.events) == 1


def test_start_and_stop_do_what_a_block_does():
    recording = whoholds.record()
    trace = recording.start()
    on_torch()
    assert trace.recording and recording.stop() is trace and not trace.recording
    assert trace.peak == 24


def test_lines_of_other_functions_are_told_by_their_place():
    with whoholds.record() as trace:
        on_torch()
    inside = {trace.places[event.get("at", 0)][2] for event in trace.events if event["line"]}
    lines = {event["line"] for event in trace.events if event["kind"] == "born"}
    assert lines == {on_torch.__code__.co_firstlineno + 1} and inside == {""}


def test_what_runs_in_another_file_has_its_place(tmp_path):
    source = "import torch\ndef made():\n    return torch.ones(5)\n"
    code, space = compile(source, str(tmp_path / "other.py"), "exec"), {}
    exec(code, space)
    made = space["made"]
    with whoholds.record() as trace:
        made()
    (born,) = [event for event in trace.events if event["kind"] == "born"]
    assert trace.places[born["at"]] == [str(tmp_path / "other.py"), 3, "made"]
