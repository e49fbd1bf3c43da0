"""Honest arrays and layouts are told to nobody, however they are made, copied and pickled; and who
has NumPy take a number for an address is told of.
"""

import os
import random

import guarded
import pytest

SEED = int(os.environ.get("MINIGRAD_GUARD_SEED", random.SystemRandom().randrange(10**6)))
LAYOUTS = """
import copy, io, random
rng = random.Random({seed})
def kind(depth):
    way = rng.randrange(9)
    if way < 2 or depth > 2:
        return np.dtype(rng.choice(["O", "<i4", ">f8", "?", "U3", "S2", "V5", "M8[25s]", "c16"]))
    if way == 2:
        return np.dtype((kind(depth + 1), rng.choice([(2,), (1, 3)])))
    if way == 3:
        return np.dtype((rng.choice(["<i4", ">i4"]), [("low", "<i2"), ("high", "<u2")]))
    if way == 4:
        return np.dtype({{"names": ["a", "b"], "formats": ["<i4", "<f4"], "offsets": [0, 0],
                         "itemsize": rng.choice([4, 8])}})
    names = rng.sample(["a", "b", ("title", "c"), "dé", ""], 1 + rng.randrange(3))
    found = np.dtype([(name, kind(depth + 1)) for name in names], align=rng.random() < 0.5)
    if way == 5:
        found = np.dtype((np.record, found))
    if way == 6:
        found = np.dtype(found, metadata={{"unit": [1]}})
    return found
copies = [copy.copy, copy.deepcopy] + [
    lambda one, p=p: pickle.loads(pickle.dumps(one, p)) for p in range(6)
] + [lambda one: pickle._loads(pickle._dumps(one))]
for _ in range(200):
    one = kind(0)
    x = np.zeros(3, one)
    for make in copies:
        d, y = make(one), make(x)
        assert (d, d.type) == (one, one.type), one
        assert dict(d.metadata or {{}}) == dict(one.metadata or {{}})
        assert (y.itemsize, y.shape) == (x.itemsize, x.shape)  # another order of bytes, perhaps
    make(x.view(np.recarray) if x.dtype.names else np.ma.array(x.astype("f4")) if one == "?" else x)
    try:
        file = io.BytesIO()
        np.save(file, x)
    except ValueError:  # the file's format knows no such layout
        continue
    file.seek(0)
    assert np.load(file, allow_pickle=True).shape == x.shape
"""
RESIZED = """
x = np.zeros(9)
{kept}
{other}
try:
    {call}
except ValueError:
    assert {refused}
else:
    assert not {refused} and x.shape == (5,)
"""
CALLS = {
    "x.resize(5)": "", "x.resize((5,))": "", "np.ndarray.resize(x, 5)": "",
    "getattr(x, 'resize')(5)": "", "kept(5)": "kept = x.resize",
    "kept(*[5], **{})": "kept = getattr(x, 'resize')",
    "kept.pop()(5)": "kept = [x.resize]",
}  # fmt: skip
TELLS = "{{'data': ({at}, False), 'shape': (1,), 'typestr': '<i8', 'version': 3}}"
OBJECTS = {
    "of its class": "class A: __array_interface__ = {tells}",
    "of itself": "class A: 0\na = A()\na.__array_interface__ = {tells}\nA = lambda: a",
    "a property": "class A:\n    __array_interface__ = property(lambda own: {tells})",
    "whatever is asked": "class A:\n    def __getattr__(self, name):\n"
    "        if name[8:13] == 'inter': return {tells}\n        raise AttributeError(name)",
    "of a list": "class A(list): __array_interface__ = {tells}",
    "a number of its own": "class N(int): 0\nclass A:\n"
    "    __array_interface__ = {tells} | {{'data': (N({at}), True)}}",
    "an array of such": "class A(np.ndarray):\n    __array_interface__ = {tells}\n"
    "    def __new__(cls): return np.zeros(2).view(cls)\n"
    "A = lambda A=A: np.lib.stride_tricks.as_strided(A(), subok=True) and 0",
}
USES = "np.asarray(A())", "np.add(A(), 1)", "np.zeros(1) + A()", "np.zeros(1)[:] = A()"
SEEN = "makes an array of memory that is not its own"
HONEST = [
    "class A: __array_interface__ = {'data': bytes(8), 'shape': (1,), 'typestr': '<i8', "
    "'version': 3}\nassert np.asarray(A())[0] == 0",
    "class A: __array_struct__ = np.ones(2).__array_struct__\nassert np.asarray(A()).sum() == 2",
    "class A:\n    def __array__(self, dtype=None, copy=None): return np.ones(2)\n"
    "assert (np.asarray(A()) + A()).sum() == 4",
    "assert np.asarray(memoryview(bytes(4))).size == 4\nimport array\n"
    "assert np.asarray(array.array('f', [1, 2])).sum() == 3",
    "class A:\n    def __getattr__(self, name): raise AttributeError(name)\nnp.asarray(A())",
    "np.lib.stride_tricks.as_strided(np.zeros(4), (2,), (8,)), np.broadcast_to(3.0, (4,))",
    "x = mg.ones(2)\ny = mg.from_numpy(x.numpy()), mg.as_tensor(np.ones((4, 3))[1:, ::2])\n"
    "assert (x.numpy() + x.numpy()).sum() == 4 and y[1].shape == (3, 2)",
    "x = np.arange(3)\nassert x.ctypes.data == x.__array_interface__['data'][0]",
]


@pytest.fixture(scope="module")
def seen(tmp_path_factory):
    yield from guarded.server(tmp_path_factory.mktemp("arrays"))


def test_layouts_may_be_pickled_and_copied(seen):
    print(f"MINIGRAD_GUARD_SEED={SEED}")
    assert seen(LAYOUTS.format(seed=SEED)) == [[], ""]


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("other", ["", "y = x", "y = x[:0]", "y = [x]"])
def test_an_array_is_resized_where_numpy_does(call, other, seen):
    source = RESIZED.format(kept=CALLS[call], other=other, call=call, refused=bool(other))
    assert seen(source) == [[], ""]
    exec(source, {"np": __import__("numpy")})  # as it is without a guard


@pytest.mark.parametrize("name", OBJECTS)
@pytest.mark.parametrize("use", USES)
def test_a_number_that_is_taken_for_an_address_is_told(use, name, seen):
    source = OBJECTS[name].format(tells=TELLS.format(at="id(print) + 8"), at="id(print) + 8")
    said, failed = seen(f"{source}\n{use}")
    assert any(one.endswith(SEEN) for one in said), (said, failed)


@pytest.mark.parametrize("source", HONEST)
def test_what_gives_its_own_memory_is_not_told(source, seen):
    assert seen(source) == [[], ""]
