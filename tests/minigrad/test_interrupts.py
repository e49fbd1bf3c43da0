"""Ctrl-C, wherever it lands, is not lost, and leaves ledger, modes and observers as they were."""

import contextlib
import os
import secrets
import sys

import pytest

import minigrad as mg
from tests.minigrad.interrupted import Interrupt, interrupt, moment, place, unseen

PLACES = int(os.environ.get("MINIGRAD_INTERRUPTS", 100))  # of signals a tenth


@contextlib.contextmanager
def ours():
    """The hook that minigrad has set: pytest puts its own in the place for each test."""
    before = sys.unraisablehook
    mg.utils.interrupts.install()
    try:
        yield
    finally:
        sys.unraisablehook = before


@pytest.mark.parametrize("chosen", ["place", "moment"])
def test_a_program_that_is_interrupted_leaves_everything_as_it_was(chosen):
    first = secrets.randbelow(10**9)
    how, count = {"place": (place, PLACES), "moment": (moment, PLACES // 10)}[chosen]
    for seed in range(first, first + count):
        with ours():
            wrong = interrupt(seed, how)
        assert not wrong, f"seed {seed}, {chosen}: {wrong}"


def places(program):
    """Run it once for each place; what it did not raise."""
    with Interrupt() as counting:
        program()
    with ours():
        return [at for at in range(1, counting.places + 1) if is_lost(program, at)]


def is_lost(program, at):
    try:
        with Interrupt(at) as sent:
            program()
        str(at)
    except KeyboardInterrupt:
        return False
    return sent.done


def test_no_place_of_a_tensors_end_forgets_it():
    def program():
        x = mg.ones(3)
        y = x * 2
        del x, y

    before = unseen()
    program()
    assert places(program) == []
    assert unseen() == before


def test_no_place_of_a_block_leaves_it_open():
    def program():
        with mg.no_grad():
            with mg.enable_grad():
                mg.is_grad_enabled()

    program()
    assert places(program) == []
    assert mg.is_grad_enabled() and mg.core.modes.off == 0


def test_a_block_that_is_asked_for_its_exit_is_not_left():
    block = mg.no_grad()
    with block:
        assert hasattr(block, "__exit__") and not mg.is_grad_enabled()
        assert block._guard() is not None  # what the `with` statement holds
    assert mg.is_grad_enabled()


def test_what_else_is_swallowed_goes_where_it_went(monkeypatch):
    told = []
    monkeypatch.setattr(sys, "unraisablehook", lambda one: told.append(one.exc_type))
    mg.utils.interrupts.install()

    class Fails:
        def __del__(self):
            raise ValueError

    Fails()
    assert told == [ValueError]
