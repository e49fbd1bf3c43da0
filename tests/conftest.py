"""What all tests share: the order of files, and that slow tests run only where CI=true."""

import os

import pytest

from tests.twin.mode import mode_line


def pytest_report_header():
    return mode_line()


def starts_late(item) -> bool:
    """Few tests that take minutes come first, or one worker ends alone with them."""
    return "browser" not in item.path.parts and item.path.stem != "test_mutations"


def pytest_collection_modifyitems(items):
    items.sort(key=starts_late)
    if os.environ.get("CI") == "true":
        return
    skip = pytest.mark.skip(reason="slow: set CI=true to run it")
    for item in items:
        if "slow" in item.keywords:
            item.add_marker(skip)
