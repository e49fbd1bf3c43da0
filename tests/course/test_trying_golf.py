"""A try at memory golf is measured beside the known ways, refused when it is wrong, and kept."""

import json

import pytest

import minigrad as mg
from course.trying import golf

PEAK = 64 * 6  # two tanh, the seed, the gradient it became, and the two of the upper product


def make():
    x, w = mg.ones(4, 4), mg.full((4, 4), 0.5, requires_grad=True)
    return (x, w), {"w": w}


def plain(x, w):
    return ((x @ w).tanh() @ w).tanh()


def segment(x, w):
    return mg.utils.checkpoint.checkpoint(plain, x, w, use_reentrant=False)


KNOWN = {"plain": (5, PEAK), "one segment": (7, PEAK + 64)}


@pytest.fixture
def green(monkeypatch, tmp_path):
    monkeypatch.setattr(golf, "_holes", {})
    monkeypatch.setattr(golf, "_session", {})
    monkeypatch.setattr(golf, "FOLDER", tmp_path)
    (tmp_path / "99.json").write_text(json.dumps({"putt": KNOWN}))
    return golf.hole("putt", "Two layers", "99", make, plain)


def putt(way):
    def putt(x, w):
        return way(x, w)

    return golf.play(putt)


def test_a_way_is_measured_in_products_and_bytes_at_the_peak(green):
    products = 5  # 2 forward; backward 3, for x wants no gradient
    assert golf.stroke(green, plain) == [products, PEAK, ""]
    more, _, why = golf.stroke(green, segment)
    assert (more, why) == (7, "")


def test_tries_are_kept_once_and_the_last_is_judged(green):
    assert putt(plain).note == "Your last try costs exactly what 'plain' costs."
    again = putt(lambda x, w: plain(x, w * 1.0))
    assert again.note.startswith("Your last try: 'plain' needs no more of either")
    assert len(putt(plain).tries) == 2


def test_a_way_that_runs_its_own_backward_counts(green):
    def whole(x, w):
        plain(x, w).sum().backward()

    assert len(putt(whole).tries) == 1


def test_a_wrong_gradient_is_refused_by_name(green):
    shown = putt(lambda x, w: (x @ w).tanh() @ w)
    assert shown.note == "This try does not count: its gradient of w is not that of the plain way."
    assert shown.tries == []


def test_an_error_is_a_sentence_and_no_try(green):
    shown = putt(lambda x, w: x @ mg.ones(3))
    assert shown.note.startswith("This try does not count: it ended in RuntimeError:")
    assert shown.tries == []


def test_a_stub_and_a_stranger_are_not_played(green):
    def stub(x, w):
        raise NotImplementedError("putt: not written yet")

    assert putt(stub) is None
    assert golf.play(plain) is None


@pytest.mark.parametrize("text", ["", "{}"])
def test_a_map_that_is_lost_is_a_sentence(green, text):
    (golf.FOLDER / "99.json").write_text(text)
    assert "`python3 run.py build 99` makes it" in putt(plain)


def test_the_text_has_every_point_and_the_picture_is_drawn(green):
    shown = putt(plain)
    assert [row[0] for row in shown.rows()] == ["plain", "one segment", "your try 1"]
    assert "Two layers" in repr(shown) and f"{PEAK} B" in repr(shown)
    pytest.importorskip("matplotlib")
    assert shown._repr_png_().startswith(b"\x89PNG")


def test_tries_are_recorded_in_the_learners_copy(green, tmp_path, monkeypatch):
    (tmp_path / "my" / ".base").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "my")
    monkeypatch.delenv("MINIGRAD_REVEAL", raising=False)
    putt(plain), putt(plain)
    found = json.loads((tmp_path / "my" / "progress.json").read_text())
    assert found["golf"] == {"putt": [[5, PEAK]]}
    golf._session.clear()
    assert len(putt(lambda x, w: plain(x, w * 1.0)).tries) == 2
