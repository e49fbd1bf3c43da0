"""A case draws, runs, and is judged: outcomes, verdicts, hints."""

import gc
import warnings
from dataclasses import replace

import pytest
from trying_verdicts import TWICE, fails, one, outcome, stub, verdict

import minigrad as mg
from course.cases.lesson_03 import about_old
from course.cases.several import along
from course.trying import cases, differ, judge
from course.trying.cases import Raised
from course.trying.draw import Draw
from course.trying.feedback import Feedback
from course.trying.measure import beside, error_of, measure
from course.trying.run import Found, run_all


def test_a_draw_is_the_same_for_the_same_seed_and_no_other():
    def seen(*place):
        draw = Draw(*place)
        return draw.ints(3, 1, 99), draw.choice("abc"), draw.some("abcd", 2), draw.array(2).tolist()

    assert seen("s", "e", "c") == seen("s", "e", "c")
    assert len({str(seen(*place)) for place in ("sec", "xec", "sxc", "sex")}) == 4


def test_a_draw_counts_its_ways():
    draw = Draw("s", "e", "c")
    draw.int(1, 10), draw.choice("ab"), draw.some("abc", 2), draw.array(1)
    assert draw.ways == 10 * 2 * 6 * 128


def test_a_drawn_array_is_exact_and_without_zeros():
    array = Draw("s", "e", "c").array(50, 4)
    assert array.dtype == "float32" and array.shape == (50, 4)
    assert (array != 0).all() and (array * 64 == (array * 64).astype(int)).all()


def test_right_and_wrong():
    good, bad = verdict(lambda n: n + n), verdict(lambda n: n)
    assert (good.points, good.of, good.hint, good.passed) == (2, 2, "", True)
    assert (bad.points, bad.hint, bad.passed) == (0, "Two of them.", False)
    assert good.expected == bad.expected == good.got != bad.got


def loops(n):
    while True:
        pass


def recurses(n):
    return recurses(n)


def leaves(n):
    raise SystemExit(0)


def test_an_error_tells_the_learners_line():
    found = outcome(fails)
    assert found["error"] == "TypeError" and found["text"] == "no such thing"
    assert found["line"] == fails.__code__.co_firstlineno + 1
    assert found["code"] == 'raise TypeError("no such thing")'
    assert verdict(fails).line == f"line {found['line']}: {found['code']}"
    assert "no such thing" in verdict(fails).got and verdict(fails).hint == judge.STOPPED


def imports(n):
    import no_such_module

    return no_such_module.answer(n)


def asks(n):
    return no_such_name + n  # noqa: F821


@pytest.mark.parametrize("given", [imports, asks])
def test_of_an_error_that_comes_of_no_value_no_value_is_asked(given):
    found, kind = verdict(given), outcome(given)["error"]
    assert kind in found.got and found.hint == judge.NO_VALUE[kind]


def test_a_stub_is_not_a_failure_to_be_explained():
    assert outcome(stub) == {"missing": True}
    assert verdict(stub).missing and verdict(stub).hint == ""


def test_a_loop_that_never_ends_is_ended():
    assert outcome(loops)["slow"] == 2
    assert "longer than 2 s" in verdict(loops).hint


def test_an_error_that_cannot_say_what_it_is():
    class Mute(Exception):
        def __str__(self):
            raise ValueError

    def fails(n):
        raise Mute

    assert (outcome(fails)["error"], outcome(fails)["text"]) == ("Mute", "")


def test_other_ways_to_leave():
    assert outcome(recurses)["error"] == "RecursionError"
    assert outcome(leaves)["error"] == "SystemExit"
    assert verdict(lambda n: None).hint == judge.NOTHING
    assert outcome(lambda n: object())["error"] == "Returned"


def test_a_case_starts_from_the_same_state_whatever_the_learner_left():
    noisy = one(lambda f, draw: [f(1), mg.is_grad_enabled(), mg.rand(2).tolist()])
    first = outcome(lambda n: mg.rand(3).tolist(), noisy)
    mg.set_grad_enabled(False)
    try:
        again = outcome(lambda n: mg.rand(3).tolist(), noisy)
        assert not mg.is_grad_enabled()  # and the learner's own state is as it was
    finally:
        mg.set_grad_enabled(True)
    assert first == again and first["value"][1] is True


def test_warnings_cost_nothing():
    def warns(n):
        warnings.warn("old", DeprecationWarning, stacklevel=1)
        return 2 * n

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert verdict(warns).passed


def test_a_hint_may_depend_on_what_came():
    def about(got, want):
        if isinstance(got, Raised):
            return f"An error: {got.kind}."
        return "Once only." if got * 2 == want else None

    case = replace(TWICE, hint=about)
    assert verdict(lambda n: n, case).hint == "Once only."
    assert verdict(fails, case).hint == "An error: TypeError."
    assert verdict(lambda n: 0, case).hint.startswith("Compare")


def test_what_does_nothing_gets_no_points_for_costing_nothing():
    known = [
        one(lambda f, draw: f(draw.int(2, 9**9))),
        one(lambda f, draw: measure(f, 3).peak, at_most="99"),
        one(lambda f, draw: f(1)),
    ]
    known = [replace(case, name=name) for case, name in zip(known, "abc", strict=True)]
    wanted = run_all(known, lambda n: 2 * n, "s")
    wanted["b"] = {"value": 99}
    points = {
        f: [v.points for v in judge.verdicts(known, run_all(known, f, "s"), wanted)]
        for f in (lambda n: 2 * n, lambda n: 2, lambda n: None)
    }
    assert list(points.values()) == [[1, 1, 1], [0, 0, 1], [0, 0, 0]]


def test_a_hint_that_fails_loses_no_verdict():
    case = replace(TWICE, hint=lambda got, want: got["no such"])
    assert verdict(lambda n: n, case).hint.startswith("Compare")


def test_at_most_lets_less_pass_and_says_so():
    def run(f, draw):
        size = draw.int(300, 300)
        return beside(f(size), U=size, w=7)

    case = one(run, at_most="2.5 U + w + 8")
    assert verdict(lambda n: 765, case).passed and verdict(lambda n: n, case).passed
    beyond = verdict(lambda n: 766, case)
    assert not beyond.passed
    assert beyond.expected == "at most 2.5 U + w + 8 = 765 (here U 300, w 7)"
    assert not verdict(lambda n: True, case).passed
    assert not verdict(lambda n: "few", case).passed


def test_no_learner_moves_the_sizes_of_a_budget():
    def run(f, draw):
        return f(draw)

    case = one(run, at_most="2 U")
    wanted = {"value": 8, "sizes": {"U": 4}}
    outcomes = {"value": 9, "sizes": {"U": 99}}, {"value": 8, "sizes": {"U": 0}}
    assert [judge.judge(case, each, wanted).passed for each in outcomes] == [False, True]


def test_a_secret_is_not_shown():
    assert verdict(lambda n: n, replace(TWICE, secret=True)).expected == "-"


def test_a_reference_that_fails_is_the_authors_fault():
    with pytest.raises(ValueError, match="the reference solution of double fails 'a case'"):
        verdict(lambda n: n, reference=fails)


def test_only_bytes_born_in_the_call_count():
    ghosts = [mg.ones(100), mg.ones(100)]

    def call():
        ghosts.clear()  # 800 bytes of before die meanwhile
        a = mg.ones(10)
        b = a * 2
        del a
        return b * 2

    found = measure(call)
    assert (found.peak, found.kept) == (80, 40)
    assert found.line == call.__code__.co_firstlineno + 5 or found.line is None
    assert found.left() == 0


def test_a_ring_counts_as_kept():
    def call():
        ring = [mg.ones(10)]
        ring.append(ring)

    assert measure(call).kept == 40


def test_a_ring_counts_as_kept_also_where_the_call_asks_the_collector_to_come():
    def ring():
        ring = [mg.ones(10)]
        ring.append(ring)
        del ring
        gc.collect()

    found = measure(ring)
    assert (found.peak, found.kept, found.left()) == (40, 40, 40)
    assert measure(lambda: (mg.ones(10), gc.collect())[1]).kept == 0


def test_nobody_keeps_the_case_from_hearing_the_collector():
    before = [*gc.callbacks]
    with pytest.raises(RuntimeError, match="gc.callbacks has lost"):
        measure(gc.callbacks.clear)
    gc.callbacks[:] = before
    measure(mg.ones, 2)
    assert gc.callbacks == before


def test_a_ring_is_still_there_when_what_is_left_is_counted():
    def rings():
        for _ in range(2000):  # enough for the collector to come by, were it awake
            ring = [mg.ones(1)]
            ring.append(ring)

    def case(f, draw):
        found = measure(f)
        [[] for _ in range(5000)]
        return found.left()

    assert outcome(rings, one(case))["value"] == 8000


def test_a_call_that_fails_leaves_the_engine_as_it_was():
    from minigrad.core import storage

    book = storage.book
    with pytest.raises(ZeroDivisionError):
        measure(lambda: mg.ones(3) + 1 / 0)
    assert storage.book is book


def test_products_and_nodes_are_counted():
    w = mg.ones(3, 3, requires_grad=True)
    found = measure(lambda: (w @ w).sum().backward())
    assert (found.matmuls, found.ops, found.visits) == (3, 2, 3)


def test_the_line_at_the_peak_comes_with_the_value():
    def call(n):
        a = mg.ones(n)
        b = a * 2
        return (a + b).sum().item()

    def case(f, draw):
        found = measure(f, 5)
        return found.at_peak(found.peak)

    found = outcome(call, one(case))
    assert found["value"] == 64 and found["code"] == "return (a + b).sum().item()"
    assert found["curve"] == [
        [call.__code__.co_firstlineno + i, bytes] for i, bytes in ((1, 20), (2, 40), (3, 64))
    ]


def test_a_long_curve_keeps_its_peak_in_few_points():
    curve = [(line, line % 97) for line in range(500)]
    found = outcome(lambda: 0, one(lambda f, draw: Found(1, 1, curve)))["curve"]
    assert len(found) <= 40 and max(size for _, size in found) == 96


def test_error_of():
    assert error_of(fails, 1) == "TypeError: no such thing"
    assert error_of(len, "ab") == "no error"


def test_two_cases_of_one_name_or_two_lessons_are_refused():
    known = cases.of("held_by_chain")
    add = cases.case("held_by_chain", known[0].name)
    with pytest.raises(ValueError, match="two cases named"):
        add(test_error_of)
    with pytest.raises(ValueError, match="in two lessons"):
        cases.case("held_by_chain", "another")(test_error_of)
    assert cases.of("held_by_chain") == known and cases.lesson_of("held_by_chain") == "04"


def rows(feedback):
    return [row[0] for row in feedback.rows()]


def test_feedback_in_text_and_page_say_the_same():
    feedback = Feedback("double", [verdict(lambda n: 2 * n), verdict(fails)], ["Onwards."])
    text, page = repr(feedback), feedback._repr_html_()
    assert rows(feedback) == ["ok", "no"] and text.startswith("double: 1 of 2 cases, 2 of 4 points")
    for words in ("a case", "no such thing", "Onwards.", judge.STOPPED):
        assert words in text and words in page
    assert "&#10007;" in page and "<script" not in page


def test_what_waits_is_marked_as_no_mistake_and_what_else_failed_is_counted():
    right, wrong = verdict(lambda n: 2 * n), verdict(fails)
    waits = replace(right, points=0, waits=True)
    for found, marks, more in (
        ([wrong, waits], ["no", "wait"], ""),
        ([right, wrong, wrong], ["ok", "no", "no"], "1 more case failed: its hint"),
        ([wrong, waits, wrong, wrong], ["no", "wait", "no", "no"], "2 more cases failed: their"),
    ):
        feedback = Feedback("double", found)
        assert rows(feedback) == marks
        assert feedback._repr_html_().count("&#10007;") == marks.count("no")
        for text in (repr(feedback), feedback._repr_html_()):
            assert more in text and ("more case" in text) == bool(more)


def test_entries_are_called_by_their_names():
    for hint, place in ((along(("one", "two")), "[0] of line 2"), (about_old, "w.grad[0]")):
        assert differ.named((1, 0), one(fails, hint=hint).names) == place
    assert differ.named((1, 0), one(fails).names) == "[1][0]"
    assert differ.wrong([0] * 9, [1] * 9, ["line 1"]).startswith("wrong: line 1: 0; result[1]: 0; ")
    assert differ.wrong([10**12] * 9, [1] * 9).endswith(" and 7 more")


def test_feedback_escapes_what_the_learner_wrote():
    page = Feedback("double", [verdict(lambda n: "<script>x</script>")])._repr_html_()
    assert "<script" not in page and "&lt;script" in page


def test_a_stub_shows_no_table():
    feedback = Feedback("double", [verdict(stub)])
    assert feedback.missing and repr(feedback) == "double: not written yet"
    assert "<table" not in feedback._repr_html_()
