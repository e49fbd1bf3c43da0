"""What all tests share: a test marked slow runs only where somebody waits for it (CI=true)."""

import os

import pytest

from tests.twin.mode import mode_line


def pytest_report_header():
    return mode_line()


def pytest_collection_modifyitems(items):
    if os.environ.get("CI") == "true":
        return
    skip = pytest.mark.skip(reason="slow: set CI=true to run it")
    for item in items:
        if "slow" in item.keywords:
            item.add_marker(skip)
