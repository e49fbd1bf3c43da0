"""Lets the twin suite import its own package from any folder; PyTorch, or why it is not there."""

import sys
from pathlib import Path

import pytest

ROOT = str(Path(__file__).resolve().parents[2])
if ROOT not in sys.path:
    sys.path.insert(0, ROOT)


def pytest_report_header(config):
    from tests.twin.mode import mode_line

    return mode_line()


def pytest_terminal_summary(terminalreporter):
    from tests.twin.mode import mode_line

    terminalreporter.write_line(mode_line())


@pytest.fixture(scope="module")
def torch():
    """PyTorch as it is."""
    from tests.twin.mode import why_not_live

    if reason := why_not_live():
        pytest.skip(reason)
    import torch

    return torch


@pytest.fixture(scope="module")
def live_torch(torch):
    """PyTorch under minigrad's memory names, and its ledger."""
    from tests.twin.registry import engine

    with engine("torch") as mg:
        yield mg
