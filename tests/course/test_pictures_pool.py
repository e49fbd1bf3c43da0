"""A picture of the pool: it says what it shows, names its GPU, and keeps no tensor."""

import re

import pytest

import minigrad as mg
from course.pictures.pool import look, pool_picture
from minigrad import gpu

MiB = 2**20


def moments():
    with mg.cuda.simulate(8 * MiB):
        tensors = [mg.zeros(256, 1024, device="cuda") for _ in range(2)]
        yield look("two of 1 MiB")
        del tensors[0]
        yield look("one")
        tensors.clear()
        mg.cuda.empty_cache()
        yield look("none")


def test_the_text_says_what_the_picture_shows_and_that_it_is_simulated():
    shown = pool_picture(moments())
    assert repr(shown).splitlines() == [
        "simulated GPU (8.00 MiB): the segments of its pool (# in use, . kept)",
        "two of 1 MiB: 2.00 MiB used, 2.00 MiB reserved",
        f"  [{'#' * 24}][{'#' * 24}]",
        "one: 1.00 MiB used, 2.00 MiB reserved",
        f"  [{'.' * 24}][{'#' * 24}]",
        "none: 0 bytes used, 0 bytes reserved",
        "  no segment",
    ]
    assert shown._repr_png_().startswith(b"\x89PNG")


def test_a_look_keeps_no_tensor():
    with mg.cuda.simulate(8 * MiB) as card:
        seen = look("now"), mg.zeros(9, device="cuda"), look("then")
        assert card.used() == 512
        seen = seen[0], seen[2]
        assert card.used() == 0 and seen[1].sums() == (512, 512)


def test_a_card_that_tells_two_sums_is_one_bar(monkeypatch):
    class Card:
        simulated, name = False, "Some Card"
        used, reserved = (lambda self: 1024), (lambda self: 4096)

    monkeypatch.setattr(gpu, "started", [Card()])
    assert repr(pool_picture([look("now")])).count("simulated") == 0
    assert look("now").segments == [[(1024, True), (3072, False)]]


def test_without_a_gpu_there_is_nothing_to_look_at(monkeypatch):
    monkeypatch.setattr(gpu, "current", lambda: None)
    with pytest.raises(RuntimeError, match=re.escape("simulate(bytes)")):
        look("now")
