"""What the tests of the build share."""

import pytest

from course.build.__main__ import main


@pytest.fixture
def said(capsys):
    """Run a build command, check its exit code, give what it printed."""

    def run(checkout, *arguments, code=1):
        capsys.readouterr()
        assert main([*arguments], checkout) == code, capsys.readouterr()
        return capsys.readouterr().out

    return run
