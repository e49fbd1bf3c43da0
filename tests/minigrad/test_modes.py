"""Modes that a thread is in: recording, and running a forward again for its backward only."""

import threading

import pytest

import minigrad as mg
from minigrad.core.modes import recomputing, state

ON_GPU = True  # too: see conftest.py


def test_recomputing_is_on_inside_and_as_before_outside():
    assert not state.recomputing
    with recomputing():
        assert state.recomputing
        with recomputing():
            pass
        assert state.recomputing, "the inner block is not the end of the outer one"
    assert not state.recomputing


def test_recomputing_ends_with_an_error_too():
    with pytest.raises(KeyError), recomputing():
        raise KeyError
    assert not state.recomputing


def test_recomputing_is_this_threads_affair():
    seen = []
    with recomputing():
        other = threading.Thread(target=lambda: seen.append(state.recomputing))
        other.start()
        other.join()
    assert seen == [False]


def test_a_generator_that_is_closed_cleans_up_in_its_own_mode():
    seen = []

    @mg.no_grad()
    def numbers():
        try:
            yield 1
        finally:
            seen.append(mg.is_grad_enabled())

    running = numbers()
    next(running)
    running.close()
    assert seen == [False] and mg.is_grad_enabled()
