"""Which files are the program's own."""

import pytest

from whoholds.places import library


@pytest.mark.parametrize("folder", ["/home/me/.local/lib/python3.11/site-packages",
                                    "/usr/lib/python3/dist-packages"])  # fmt: skip
def test_installed_packages_of_the_user_and_the_system_are_libraries(folder):
    assert library(f"{folder}/torch/_dynamo/eval_frame.py")
    assert not library("/home/me/site-packages-study/train.py")
