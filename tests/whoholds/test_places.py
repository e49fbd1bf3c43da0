"""Which files are the program's own."""

import pytest

from whoholds.places import file_name, library


@pytest.mark.parametrize("folder", ["/home/me/.local/lib/python3.11/site-packages",
                                    "/usr/lib/python3/dist-packages"])  # fmt: skip
def test_installed_packages_of_the_user_and_the_system_are_libraries(folder):
    assert library(f"{folder}/torch/_dynamo/eval_frame.py")
    assert not library("/home/me/site-packages-study/train.py")


def test_a_cell_of_a_notebook_is_not_called_by_its_number():
    assert file_name("/tmp/ipykernel_4711/2733381791.py") == "a cell"
    assert file_name(r"C:\Temp\ipykernel_4711\2733381791.py") == "a cell"
    assert file_name("/home/me/ipykernel_4711/train.py") == "train.py"
