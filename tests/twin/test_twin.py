"""minigrad says what PyTorch said, case by case; and what PyTorch said is still what it says."""

import pytest

from course.twin.compare import differences
from tests.twin import golden, registry
from tests.twin.known import KNOWN_DIFFERENCES

CASES = registry.all_cases()
GOLDEN = golden.load()


def explain(title, wrong):
    lines = [
        f"    {label}\n        PyTorch {one}\n        now     {two}" for label, one, two in wrong
    ]
    return "\n".join([f"[{title}] differs:", *lines])


@pytest.mark.parametrize("name", CASES)
def test_minigrad_is_the_twin(name):
    title, function = CASES[name]
    found = registry.run_case(function, registry.engine("minigrad"))
    wrong = differences(GOLDEN[name], found)
    known = KNOWN_DIFFERENCES.get(name, {})
    stale = set(known) - {label for label, *_ in wrong}
    assert not stale, f"{name}: no difference any more in {stale}: take it out of known.py"
    wrong = [difference for difference in wrong if difference[0] not in known]
    assert not wrong, explain(title, wrong)


@pytest.mark.parametrize("name", CASES)
def test_the_recording_is_fresh(name, live_torch, record_property):
    title, function = CASES[name]
    wrong = differences(GOLDEN[name], registry.run_case(function, live_torch))
    for label, recorded, now in wrong:
        record_property(label, (recorded, now))
    assert not wrong, explain(title, wrong) + "\nrecord anew: python -m tests.twin.record"


def test_the_recording_is_of_the_version_that_the_project_names():
    assert golden.recorded_from() == golden.VERSION, "record anew: python -m tests.twin.record"


def test_the_recording_has_these_cases_and_no_other():
    assert list(GOLDEN) == list(CASES), "record anew: python -m tests.twin.record"


def test_known_differences_name_real_cases_and_labels():
    for name, labels in KNOWN_DIFFERENCES.items():
        assert set(labels) <= {label for label, _ in GOLDEN[name]}, name
        assert all(reason.strip() for reason in labels.values()), name
