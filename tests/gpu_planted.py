"""Stages that go wrong, for test_gpu_command.py: each in its own way, after a row that is kept."""

import os
import signal
import time

from benchmarks.gpu.row import PASSED, Row

FIRST = Row("planted", "before", PASSED)


def good(place):
    yield FIRST


def failing(place):
    yield FIRST
    raise ValueError("planted to fail")


def hanging(place):
    yield FIRST
    time.sleep(600)


def leaving(place):
    yield FIRST
    os._exit(3)


def crashing(place):
    yield FIRST
    os.kill(os.getpid(), signal.SIGSEGV)


def babbling(place):
    yield FIRST
    print("an engine's own words")
    os.write(1, b"and those of a library\n")
