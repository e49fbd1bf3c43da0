"""What all tests share: which come first, which are slow, when the collector may run."""

import gc
import os

import pytest

from tests.twin.mode import mode_line


def pytest_report_header():
    return mode_line()


@pytest.fixture(autouse=True)
def nothing_of_another_test_dies_within_this_one():
    """Its dead circles would take their bytes with them while this test counts bytes.

    What was there before is out of the collector's sight: or each collection that a test asks for
    would visit half a million objects, most of them torch's and pytest's.
    """
    gc.disable()
    gc.freeze()
    yield
    gc.collect()
    gc.enable()


LONG = "test_exercises", "test_mutations", "test_environment", "test_nbgrader", "test_grade_pages"


def starts_late(item) -> bool:
    """Few tests that take minutes come first, or one worker ends alone with them."""
    return "browser" not in item.path.parts and item.path.stem not in LONG


def pytest_collection_modifyitems(items):
    items.sort(key=starts_late)
    if os.environ.get("CI") == "true":
        return
    skip = pytest.mark.skip(reason="slow: set CI=true to run it")
    for item in items:
        if "slow" in item.keywords:
            item.add_marker(skip)
