"""An exception of the learner's reaches the table as the one that it is, whatever the case."""

import pytest

from course.trying import cases
from course.trying.run import run_case


class Ends:
    """Stands for a function or a class: whatever is called of it raises StopIteration."""

    __name__ = "ends"

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __call__(self, *arguments, **named):
        raise StopIteration("of the learner's own")


EVERY = [case for ids in cases.exercises().values() for id in ids for case in cases.of(id)]


@pytest.mark.parametrize("case", EVERY, ids=lambda case: f"{case.exercise}-{case.name}")
def test_no_generator_of_a_case_turns_an_error_into_another(case):
    outcome = run_case(case, Ends(), "any")
    assert "generator raised" not in outcome.get("text", ""), outcome
