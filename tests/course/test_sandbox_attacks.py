"""Every attack in the table: the outcome that it must have, and nothing else comes of it."""

import json
import os
import re
from pathlib import Path

import pytest
from sandbox_attacks import ALL, ENDLESS, GOOD
from sandbox_rooms import OPEN, job, rooms

from course.sandbox import watch

pytestmark = pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="grading needs Linux")
room = rooms(seconds=20, memory=256 * watch.MIB)
short = rooms(seconds=1, strikes=1, patience=2)  # for those who take as long as they may


@pytest.fixture(scope="module")
def wanted(room):
    return room.run(job(GOOD))["outcomes"]


@pytest.fixture(scope="module")
def wanted_short(short):
    return short.run(job(GOOD))["outcomes"]


def tried(attack, room):
    mode = "isolate" if room.isolate else "plain"
    if attack.only not in ("", mode):
        pytest.skip(f"tried in the mode {attack.only} only")
    got = attack.plain if attack.plain and not room.isolate else attack.got
    return got, room.run(job(attack.source))


@pytest.mark.parametrize("name", ALL)
def test_an_attack(name, room, wanted):
    check(ALL[name], room, wanted)


@pytest.mark.parametrize("name", ENDLESS)
def test_an_endless_attack(name, short, wanted_short):
    check(ENDLESS[name], short, wanted_short)


def check(attack, room, wanted):
    got, reply = tried(attack, room)
    first = json.dumps(next(iter(reply["outcomes"].values())))
    if got == "right":
        assert reply["outcomes"] == wanted, reply
    else:
        assert re.search(got, first), reply
    assert re.search(attack.flag, " ".join(reply["flags"])) or got == attack.plain, reply
    assert re.search(attack.note, " ".join(reply["notes"])), reply
    assert len(reply["output"]) <= room.limits.output
    assert list(reply["outcomes"]) == list(wanted)
    after(room, wanted)


def after(room, wanted):
    """Nothing lives on, nothing is left, and the next job is as if nothing had been."""
    next_one = room.run(job(GOOD))
    assert next_one == {"outcomes": wanted, "notes": [], "flags": [], "made": False, "output": ""}
    assert len(watch.below(room._warden.pid)) == int(room.isolate)  # below the one that waits
    wardens = [one._warden.pid for one in OPEN if one._warden]
    theirs = set(wardens).union(*map(watch.below, wardens))
    assert watch.below(room._warden.server.process.pid) <= theirs
    assert strays(b"sleep\x0098.7", "cmdline") == set()
    assert os.listdir(room._home) == []


def strays(mark, file):
    """The processes with this in their environment or their command line."""
    return {
        int(path.parts[2]) for path in Path("/proc").glob(f"[1-9]*/{file}") if mark in read(path)
    }


def read(path):
    try:
        return path.read_bytes()
    except OSError:
        return b""
