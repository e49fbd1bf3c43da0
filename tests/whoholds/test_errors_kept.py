"""A kept error keeps what it keeps without a recording: no frame of ours holds anything."""

import contextlib
import secrets
import weakref
from random import Random

import pytest

import whoholds
from whoholds.frames import ours

torch = pytest.importorskip("torch", reason="PyTorch is not installed")


class Program:
    """Fails in a way that is drawn, and keeps the error; `made` are its tensors, weakly."""

    def __init__(self, rng):
        self.errors, self.made = [], []
        self.rows, self.wide = rng.randint(2, 40), rng.randint(2, 40)
        self.net = torch.nn.Linear(self.wide, 4)
        self.fails = rng.choice([self.product, self.module, self.walk, self.seed, self.twice])

    def fresh(self, *shape):
        tensor = torch.randn(*shape, requires_grad=True) * 2
        self.made.append(weakref.ref(tensor))
        return tensor

    def product(self):
        y = self.fresh(self.rows, self.wide)
        y @ self.fresh(self.wide + 1, 3)

    def module(self):
        self.net(self.fresh(self.rows, self.wide + 1))

    def walk(self):
        y = self.fresh(self.rows)
        y.exp().backward(self.fresh(self.rows + 1))

    def seed(self):
        self.fresh(self.rows).backward()

    def twice(self):
        y = self.fresh(self.rows).exp().sum()
        y.backward()
        y.backward()

    def step(self):
        try:
            self.fails()
        except RuntimeError as error:
            self.errors.append(error)

    def alive(self):
        return [ref() is not None for ref in self.made]

    def frames(self):
        for error in self.errors:
            entry = error.__traceback__
            while entry is not None:
                yield entry.tb_frame
                entry = entry.tb_next


@pytest.mark.parametrize("detail", ["tensor", "line", "module"])
@pytest.mark.parametrize("seed", range(12))
def test_it_keeps_the_same_bytes_and_none_by_frames_of_ours(detail, seed):
    drawn = secrets.randbelow(10**6)
    print(seed, "drawn", drawn)
    plain, watched = Program(Random(drawn)), Program(Random(drawn))
    plain.step()
    with whoholds.record(engine="torch", detail=detail):
        watched.step()
    assert watched.errors and plain.alive() == watched.alive()
    for frame in watched.frames():
        if ours(frame.f_code.co_filename):
            assert {*map(type, frame.f_locals.values())} <= {bool, type(None)}, frame
    theirs = [f.f_code.co_name for f in plain.frames()]
    kept = [f for f in watched.frames() if not ours(f.f_code.co_filename)]
    if detail != "module":  # there PyTorch itself has one more
        assert [f.f_code.co_name for f in kept] == theirs


def test_the_decorator_keeps_no_arguments():
    def fails(x):
        x = None
        raise ValueError(x)

    tensor = torch.ones(3)
    gone = weakref.ref(tensor)
    with contextlib.suppress(ValueError):
        try:
            whoholds.record(engine="torch")(fails)(tensor)
        except ValueError as error:
            kept = error
            raise
    del tensor
    assert gone() is None and kept


@pytest.mark.parametrize("how", ["product", "module"])
def test_the_variable_is_named_behind_which_it_is_kept(how):
    program = Program(Random(secrets.randbits(32)))
    program.fails = getattr(program, how)
    told = str(whoholds.grows(program.step, engine="torch"))
    name = {"product": "product.y", "module": "forward.input"}[how]
    size = program.rows * (program.wide + (how == "module")) * 4
    assert f"+{size:,} B a turn, held by program.errors[...], its traceback: {name}, made" in told
