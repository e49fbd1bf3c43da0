"""Lets the twin suite import its own package from any folder, and says what it compared with."""

import sys
from pathlib import Path

ROOT = str(Path(__file__).resolve().parents[2])
if ROOT not in sys.path:
    sys.path.insert(0, ROOT)


def pytest_report_header(config):
    from tests.twin.mode import mode_line

    return mode_line()


def pytest_terminal_summary(terminalreporter):
    from tests.twin.mode import mode_line

    terminalreporter.write_line(mode_line())
