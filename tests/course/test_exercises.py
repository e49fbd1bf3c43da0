"""Every exercise can be failed, passed in more than one way, and says what was mistaken.

Each answer of tests/answers is checked in a shell littered with ghosts, as a learner would, and
graded with two seeds. All of it as on another processor than that of the references: numpy's
inexact results are moved.
"""

import asyncio
import json
import os
import re

import pytest
from answers import answers

from course.build.child import run_branches
from course.build.exercises import PROBE as REFERENCES
from course.build.products import exercise_ids, solved, stub
from course.build.project import Project, work_on
from course.trying import cases, expected, plain
from course.trying.draw import PRACTICE, Draw
from course.trying.feedback import Feedback
from course.trying.judge import verdicts
from tests.loaded import COURSE

LESSONS = [lesson for lesson in COURSE if exercise_ids(lesson)]
SEEDS = PRACTICE, "another"
WAYS = 10**6
MOST_WORDS = 40
GHOSTS = """
from course.grade import check
ghosts = [mg.ones(50, 50, requires_grad=True).tanh() for _ in range(3)]
ghosts[0] * 2
ring = []; ring.append((ring, mg.ones(30, 30).exp())); del ring
try:
    mg.ones(2) @ mg.ones(3)
except RuntimeError as error:
    kept = error
mg.ones(7, 7).tanh()
"""
READY = f"""
import gc
from course import jitter
jitter.start({os.environ["MINIGRAD_MOVED"]!r})
from course.trying import cases
cases.exercises()
gc.collect()
gc.freeze()  # then a copy's own collections touch, and copy, little
"""
# Most answers compute what the reference does: what is moved there is known in each copy. Its names
# are its own, or an answer could use them.
REFERENCE = """
def _references():
    from course.trying import run
    for id, source in {sources!r}.items():
        names = dict(globals())
        exec(source, names)
        for seed in {seeds!r}:
            run.run_all(cases.of(id), names[id], seed)
_references()
del _references
gc.collect()
gc.freeze()
"""
KEPT = """
import sys
_check = sys.modules["course.trying.check"]
def _kept(*given, _run=_check.run_all):
    _check.found = _run(*given)
    return _check.found
_check.run_all = _kept
"""
PROBE = """
import json
from course.trying import cases
from course.trying import run as _run  # an answer may have a `run_all` of its own
_more = [_run.run_all(cases.of({id!r}), {id}, seed) for seed in {seeds!r}]
print(json.dumps({before} + _more))
"""
ON_TORCH = ["from course.twin.tracker import as_mg\nmg = as_mg()\ntorch = mg", READY]


@pytest.fixture(scope="module", params=LESSONS, ids=lambda lesson: lesson.number)
def lesson(request):
    return request.param


@pytest.fixture(scope="module")
def wanted(lesson):
    """What the references give, where no ghost is; for check's own seed as it is stored."""
    ids = exercise_ids(lesson)
    start = [lesson.setup.source, *(solved(lesson.of("exercise", id)[0]) for id in ids)]
    branches = [[REFERENCES.format(ids=ids, seeds=[seed])] for seed in SEEDS]
    with work_on(Project()) as work:
        found = asyncio.run(run_branches(lesson.file, start, branches, work))
    given = [json.loads(_text(said))[0] for (said,) in found]
    for outcome in (outcome for one in given for id in ids for outcome in one[id].values()):
        assert "value" in outcome, (lesson.file, outcome)
    return [{id: expected.of(lesson.number, id, given[0][id]) for id in ids}, given[1]]


@pytest.fixture(scope="module")
def graded(lesson, wanted):
    """[(kind, says, exercise, what check() printed, one Feedback a seed)] of every answer."""
    tried = [("stub", "", id, stub(lesson.of("exercise", id)[0])) for id in exercise_ids(lesson)]
    tried += [("style", "the reference", id, solved(lesson.of("exercise", id)[0]))
              for id in exercise_ids(lesson)]  # fmt: skip
    tried += [(one.kind, one.says, one.exercise, one.source) for one in answers(lesson.number)]
    branches = [
        [source, f"check({id})", PROBE.format(id=id, before="[_check.found]", seeds=SEEDS[1:])]
        for _, _, id, source in tried
    ]
    sources = {id: solved(lesson.of("exercise", id)[0]) for id in exercise_ids(lesson)}
    known = REFERENCE.format(sources=sources, seeds=SEEDS)
    start = [lesson.setup.source, GHOSTS, READY + KEPT, known]
    with work_on(Project()) as work:
        found = asyncio.run(run_branches(lesson.file, start, branches, work))
    return [
        (kind, says, id, _text(said), _feedbacks(id, probe, wanted))
        for (kind, says, id, _), (_, said, probe) in zip(tried, found, strict=True)
    ]


def _text(outputs):
    texts = [o.get("text") or o.get("data", {}).get("text/plain") or repr(o) for o in outputs]
    return "\n".join(texts)


def _feedbacks(id, probe, wanted):
    runs = json.loads(_text(probe))
    return [
        Feedback(id, verdicts(cases.of(id), run, one[id]))
        for run, one in zip(runs, wanted, strict=True)
    ]


def test_check_and_the_grader_agree_with_ghosts_or_without(graded):
    for kind, says, id, text, (practice, _) in graded:
        assert text.startswith(repr(practice)), (kind, says, id)
        assert "Traceback" not in text


def test_the_stub_fails_and_the_solution_passes(graded):
    for kind, says, id, _, feedbacks in graded:
        for feedback in feedbacks:
            assert kind != "stub" or not feedback.passed, id
            assert says != "the reference" or feedback.passed, feedback


def test_other_right_styles_pass_in_full(graded):
    for kind, says, _, _, feedbacks in graded:
        for feedback in feedbacks:
            assert kind != "style" or feedback.passed, (says, feedback)


def test_something_needless_scores_as_stated(graded):
    for kind, says, _, _, feedbacks in graded:
        for feedback in feedbacks:
            assert kind != "spare" or f"{feedback.points} of {feedback.of}" == says, feedback


def test_a_wrong_answer_gets_the_hint_that_names_it(graded):
    for kind, says, _, _, feedbacks in graded:
        for feedback in feedbacks:
            if kind == "wrong":
                assert not feedback.passed and says in feedback.help[2], (says, feedback)


def test_no_hint_has_more_than_forty_words_or_tells_a_figure_of_the_answer(graded, wanted):
    for _, _, id, _, feedbacks in graded:
        for feedback, seeded in zip(feedbacks, wanted, strict=True):
            for verdict in feedback.verdicts:
                assert len(verdict.hint.split()) <= MOST_WORDS, verdict.hint
                right = plain.line(seeded[id][verdict.case]["value"])
                figures = set(re.findall(r"\d{3,}", right))
                assert not figures & set(re.findall(r"\d{3,}", verdict.hint)), verdict


def test_each_exercise_has_enough_planted_answers(lesson):
    planted = [(one.exercise, one.kind) for one in answers(lesson.number)]
    for id in exercise_ids(lesson):
        kinds = [kind for exercise, kind in planted if exercise == id]
        assert kinds.count("wrong") >= 3 and kinds.count("style") >= 2, id
        assert "spare" in kinds, id


def test_what_is_predicted_about_pytorch_is_measured_on_it(lesson, graded):
    """A proof gets every point but those for working by hand, here on minigrad."""
    transfer = [
        id for id in exercise_ids(lesson)
        if "transfer" in lesson.of("exercise", id)[0].keys.get("kind", "")
    ]  # fmt: skip
    proofs = {id: feedbacks for kind, _, id, _, feedbacks in graded if kind == "proof"}
    assert set(transfer) <= set(proofs)
    for feedbacks in proofs.values():
        for feedback in feedbacks:
            failed = [verdict.case for verdict in feedback.verdicts if not verdict.passed]
            assert failed in ([], ["worked out by hand"]), feedback


@pytest.fixture(scope="session")
def proved_on_torch():
    """{lesson: [(exercise, its runs on PyTorch)]}, of all at once: PyTorch starts slowly."""
    pytest.importorskip("torch", reason="PyTorch is not installed")
    proofs = [one for lesson in LESSONS for one in answers(lesson.number) if one.kind == "proof"]
    branches = [
        [one.source, PROBE.format(id=one.exercise, before="[]", seeds=SEEDS)] for one in proofs
    ]
    with work_on(Project()) as work:
        found = asyncio.run(run_branches("the proofs on PyTorch", ON_TORCH, branches, work))
    proved = {lesson.number: [] for lesson in LESSONS}
    for one, (_, probe) in zip(proofs, found, strict=True):
        proved[one.lesson].append((one.exercise, probe))
    return proved


def test_the_same_proof_on_real_pytorch(lesson, wanted, proved_on_torch):
    for exercise, probe in proved_on_torch[lesson.number]:
        for feedback in _feedbacks(exercise, probe, wanted):
            failed = [verdict.case for verdict in feedback.verdicts if not verdict.passed]
            assert failed in ([], ["worked out by hand"]), feedback


def test_nobody_can_have_guessed_the_draw(lesson, graded):
    references = {id: None for id in exercise_ids(lesson)}
    for id in references:
        for case in cases.of(id):
            draw = Draw("any", id, case.name)
            try:
                case.run(_nothing, draw)
            except Exception:
                pass
            assert case.fixed or draw.ways >= WAYS, (id, case.name, draw.ways)


def _nothing(*arguments, **named):
    return None
