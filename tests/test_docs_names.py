"""docs/names.md is what `python -m course.build.torch_names` writes, and tells the truth."""

import random

from course.build import torch_names
from minigrad.missing import pytorch


def test_the_page_is_not_stale():
    page = torch_names.FILE.read_text("utf-8")
    assert page == torch_names.text(), "run `python -m course.build.torch_names`"


def test_each_name_of_pytorch_s_is_told_once():
    for place, thing in torch_names.things().items():
        rows = torch_names.sorted_out(place, thing)
        assert sorted(sum(rows.values(), [])) == sorted(pytorch.names()[place])


def test_what_it_says_is_there_is_there_and_nothing_else():
    for place, thing in torch_names.things().items():
        rows = torch_names.sorted_out(place, thing)
        for name in random.sample(rows["lacks"], min(20, len(rows["lacks"]))):
            assert not hasattr(thing, name), (place, name)
        for name in rows["has"]:
            assert name == "grad" or hasattr(thing, name), (place, name)
