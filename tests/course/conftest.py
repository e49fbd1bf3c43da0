"""What the tests of the build share, and those of a class."""

import pytest
from classroom_run import course, handed, run  # noqa: F401

from course.build.__main__ import main
from course.trying import banned
from minigrad import gpu


@pytest.fixture(autouse=True, scope="module")
def what_lesson_14_starts_ends():
    """Its set-up cell starts a simulated card, which ends with its notebook."""
    yield
    while gpu.started:
        gpu.started[-1].stop()


@pytest.fixture(autouse=True)
def no_ban_outlives_a_test():
    yield
    assert not banned._replaced


@pytest.fixture
def said(capsys):
    """Run a build command, check its exit code, give what it printed."""

    def command(checkout, command, *lessons, code=1, **options):
        capsys.readouterr()
        assert main(command, checkout, lessons=lessons, **options) == code, capsys.readouterr()
        return capsys.readouterr().out

    return command
