"""The exam asks what is true: its curves follow their closed forms, and PyTorch agrees."""

import ast
import functools
import gc
import importlib.util
import re
from pathlib import Path

import pytest

import minigrad
from course import exam
from course.build.names import only_predictions, predictions
from course.build.source import read_lesson
from course.exam import curves, loops, nets
from course.exam.gain import CONCEPTS

LESSONS = Path(__file__).parents[2] / "lessons"
LESSON = read_lesson(LESSONS / "16_exam.py")
U = nets.B * nets.D * 4
BY_TITLE = pytest.mark.parametrize("title", curves.PROGRAMS)
needs_torch = pytest.mark.skipif(not importlib.util.find_spec("torch"), reason="needs PyTorch")


def cards(lesson=LESSON):
    found: dict = {}
    for cell in lesson.demos:
        found |= predictions(cell.source)
    return found


def options(call):
    """{option: explanation} of a card with options."""
    return ast.literal_eval(call.args[2])


CURVES = {id: call for id, call in cards().items() if id.startswith("16.c")}


def units(program):
    """What a program notes, in U."""
    return [n / U for n in curves.measure(program)]


# --- the curves ----------------------------------------------------------------------------

# x, each block forward, the end and the seed, each block backward, x's gradient, the end.
# (0.25 U: a weight's gradient on its way.)
FORMS = {
    nets.stored: [1, 3, 5, 7, 9, 11, 13, 13, 14, 14, 13, 11, 9, 7, 5, 4.25, 3],
    nets.every_two: [1, 2, 3, 4, 4, 5, *[7, 9, 9, 8], *[7, 9, 9, 8], *[6, 8, 8, 7], 4, 3],
    nets.reversible: [1, *[3] * 6, 2, 3, *[5] * 6, 4, 3],
    nets.with_a_list: [1, 3, 3, 4, 5, 6, 7, 8, 9, *[11] * 6, 10, 9],
}


@pytest.mark.parametrize("program", FORMS, ids=lambda one: one.__name__)
def test_a_net_follows_its_closed_form(program):
    assert units(program) == FORMS[program]


def test_without_detach_each_rebuilt_block_adds_four():
    backward = units(nets.undetached)[9:15]
    assert [b - a for a, b in zip(backward, backward[1:], strict=False)] == [4] * 5


def test_a_retained_loop_holds_one_graph_and_overlaps_by_one():
    alive = [round(n) for n in units(loops.retained)]
    assert alive == [1, 2, 3, 3, 3, *[4, 5, 3, 3] * (loops.TURNS - 1)]


def test_losses_that_nobody_walks_add_two_a_turn():
    assert [round(n) for n in units(loops.losses_unwalked)] == list(range(1, 18))


def test_a_carried_state_adds_one_a_turn_and_its_walks_get_longer():
    alive = [round(n - 0.3) for n in units(loops.carried_on)]
    expected = [1]
    for turn in range(1, loops.TURNS + 1):
        expected += [turn + 1, turn + 1, *[turn + 2] * (turn - 1), turn + 1]
    assert alive == expected


@needs_torch
@BY_TITLE
def test_a_program_notes_the_same_bytes_under_pytorch(title):
    from course.twin.tracker import as_mg

    program = curves.PROGRAMS[title]
    with as_mg() as torch:
        assert curves.measure(program, torch) == curves.measure(program)


def test_no_two_programs_have_one_curve():
    found = {tuple(noted) for noted in curves.all_measured().values()}
    assert len(found) == len(curves.PROGRAMS)


def test_no_ring_of_somebody_else_vanishes_from_a_curve():
    def program(torch, note):
        ring = [torch.zeros(1000)]
        ring.append(ring)
        del ring
        note.start()
        assert [[] for _ in range(10_000)]  # more than enough to call the collector
        note()

    gc.enable()  # the fixture of all tests has put it to sleep
    assert curves.measure(program) == [0] and gc.isenabled()


def test_measuring_for_the_lesson_leaves_nothing_behind():
    curves.all_measured.cache_clear()
    gc.collect()
    gc.disable()
    try:
        before = minigrad.memory_allocated()
        curves.all_measured()
        assert minigrad.memory_allocated() == before
    finally:
        gc.enable()


def gradients(program, engine=minigrad):
    made = program(engine, curves.Notes(engine))
    return engine.cat([grad.view(-1) for grad in made])


@pytest.mark.parametrize("program", [nets.every_two, nets.every_three, nets.all_at_once])
def test_checkpoints_change_no_gradient(program):
    assert minigrad.equal(gradients(program), gradients(nets.stored))


def test_rebuilding_is_right_and_forgetting_to_detach_is_wrong():
    truth = gradients(nets.without_function)
    assert minigrad.allclose(gradients(nets.reversible), truth, rtol=1e-5)
    wrong = (gradients(nets.undetached) - truth).abs().max() / truth.abs().max()
    assert wrong.item() > 0.1


def test_there_are_eight_cards_and_each_asks_about_its_own_curve():
    assert list(CURVES) == [f"16.c{n}" for n in range(1, 9)]
    for n, call in enumerate(CURVES.values(), 1):
        given = {word.arg: ast.unparse(word.value) for word in call.keywords}
        assert given == {"shown": f"exam.curve({n})", "run": f"lambda: exam.whose({n})"}


@pytest.mark.parametrize("id", CURVES)
def test_each_option_is_a_program_that_can_run(id):
    assert set(options(CURVES[id])) <= set(curves.PROGRAMS)
    assert exam.whose(int(id[4:])) in options(CURVES[id])


def test_the_gallery_gives_nothing_away():
    said = repr(exam.gallery())
    assert len(said.splitlines()) == 9 and not re.search("[a-z]{4}", said.split("\n", 1)[1])
    assert all(re.fullmatch(r"\d+", label) for n in range(1, 9) for label, _ in exam.curve(n))
    assert exam.gallery()._repr_png_().startswith(b"\x89PNG")


# --- the snippets, and the functions of form B ---------------------------------------------


def namespace(engine):
    """The names that the lesson's open cells define, with `engine` as `mg`."""
    names = {"mg": engine}
    for cell in LESSON.demos:
        if not only_predictions(cell.source) and "predict(" not in cell.source:
            exec(cell.source.replace("import minigrad as mg\n", ""), names)
    return names


def found(engine):
    """{card: what its functions say}, of all that PyTorch can answer, too."""
    names = namespace(engine)
    x, w = names["x"], names["w"]
    held = functools.partial(exam.held, engine=engine, x=x, w=w)
    square = names["square"](engine)
    return {
        "s1": held(names["one_row_each"]),
        "s2": exam.stepped(names["step_between"], x, engine),
        "s3": exam.held(lambda torch: exam.walked(square(x @ w)), engine),
        "s3 again": exam.again(square(x @ w)),
        "s4": held(names["early_penalty"]),
        "s5 plain": held(names["wrap_each"], checkpoint=exam.plain),
        "s5": held(names["wrap_each"], checkpoint=engine.utils.checkpoint.checkpoint),
        "b1": names["one_of_four"](),
        "b2": list(exam.left(*names["inside"](engine.ones(3, requires_grad=True)))),
        "b3": exam.edges(engine.ones(3) * engine.ones(3, requires_grad=True)),
        "b4": names["two_batches"](),
        "b6": names["name_moves_on"]()[0],
        "b8": names["twenty_turns"](),
        "b9": [exam.again(c) for c in both_ways(engine)],
        "b10": names["two_ways"](*(engine.zeros(1, requires_grad=True) for _ in "ab")),
    }


def both_ways(engine):
    a = engine.zeros(1, requires_grad=True)
    return a.view(1), a.exp()


def test_what_the_functions_say():
    assert found(minigrad) == {
        "s1": 10 * 8192,
        "s2": ["passes", "line 7 fails"],
        "s3": 2 * 8192,
        "s3 again": "fails",
        "s4": 2 * 8192 + 4,
        "s5 plain": 4 * 8192,
        "s5": 5 * 8192,
        "b1": 2,
        "b2": [False, True],
        "b3": "NoneType, AccumulateGrad",
        "b4": 7.0,
        "b6": 8192,
        "b8": 0,
        "b9": ["works", "fails"],
        "b10": (1.0, 2.0),
    }


@needs_torch
def test_pytorch_says_the_same():
    import torch.utils.checkpoint  # noqa: F401  (a module of its own)

    from course.twin.tracker import as_mg

    with as_mg() as torch:
        assert found(torch) == found(minigrad)


def test_a_line_is_counted_in_the_snippet_itself():
    def snippet(torch, fail):
        torch.ones(1)
        return inner(fail)

    def inner(fail):
        if fail:
            raise RuntimeError

    assert exam.fails(snippet, fail=True) == 2 and exam.fails(snippet, fail=False) == 0


# --- the inventory -------------------------------------------------------------------------


def inventory(name, form):
    found = cards(read_lesson(LESSONS / name)).items()
    return {
        id: call
        for id, call in found
        if any(word.arg == "form" and word.value.value == form for word in call.keywords)
    }


def test_form_b_asks_what_form_a_asked():
    a, b = inventory("00_welcome.py", "A"), inventory("16_exam.py", "B")
    assert list(a) == [f"00.a{n}" for n in range(1, 11)]
    assert list(b) == [f"16.b{n}" for n in range(1, 11)]
    for before, after, (_, lesson) in zip(a.values(), b.values(), CONCEPTS, strict=True):
        assert ast.unparse(before.args[1])[:4] == ast.unparse(after.args[1])[:4]  # the number
        for call in (before, after):
            assert any(f"Lesson {lesson}." in why for why in options(call).values())


def test_the_right_answers_stand_in_many_places():
    """Nobody passes with one letter."""
    places = []
    for id, call in CURVES.items():
        places.append(list(options(call)).index(exam.whose(int(id[4:]))))
    assert len(set(places)) >= 3
