"""What most operations come to is noted in one step, and says what the steps one by one say."""

import gc
import os

import pytest

from tests.whoholds.random_snippets import snippet
from whoholds.on_minigrad.notes import Notes
from whoholds.step import step

FRESH = int(os.environ["MINIGRAD_MOVED"])  # drawn anew in each run


@pytest.mark.parametrize("part", range(4))
def test_a_new_tensor_and_its_node_are_told_as_one_after_the_other(part, monkeypatch):
    at_once, both = [], Notes.tell_both

    def counted(self, node, out, ref):
        at_once.append(both(self, node, out, ref))
        return at_once[-1]

    for seed in (*range(part * 5, part * 5 + 5), FRESH + part):
        source = snippet(seed)
        monkeypatch.setattr(Notes, "tell_both", counted)
        told = events(source)
        monkeypatch.setattr(Notes, "tell_both", lambda *_: False)
        assert events(source) == told, f"seed {seed}"
    assert at_once.count(True) > 10, "the programs are worth their time"


def events(source):
    gc.collect()  # what another program has left would be counted
    return step(source, namespace={"hide": id, "__name__": "snippet"}).events
