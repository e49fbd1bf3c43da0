"""No list, dict or set that the guard or the engine goes by can be written into by a learner.

What is found is enumerated: a new one fails, wherever it stands. And what memory, classes and
proxies hand out.
"""

import ast
import sys
from pathlib import Path

import guarded
import pytest

ROOT = Path(__file__).resolve().parents[2]
GUARD = sorted((ROOT / "course/sandbox/guard").glob("*.py"))
ASKED = {"sys.modules"}  # of a library, by the guard: an import's own, and found there by identity
FIND = """
import collections.abc as abc, types
OURS = "minigrad", "whoholds", "course"
CLOSED = "minigrad.core", "course.trying", "course.cases", "course.sandbox"
def is_of(name, tops):
    return any((name + ".").startswith(top + ".") for top in tops)
WRITES = {"append", "add", "update", "clear", "insert", "extend", "__setitem__", "setdefault"}
def is_open(thing):
    if isinstance(thing, type) or type(thing).__module__ == "numpy":
        return False
    if isinstance(thing, (abc.MutableMapping, abc.MutableSequence, abc.MutableSet)):
        return True
    own = type(thing).__module__
    return not is_of(own, OURS) and bool(WRITES & {*dir(type(thing))})
def ours():
    for name, module in list(sys.modules.items()):
        if is_of(name, OURS) and not is_of(name, CLOSED) and module is not None:
            yield name, module
found = []
"""
OF_MODULES = """
for name, module in ours():
    for key in dir(module):
        one = getattr(module, key)
        inside = list(one) if type(one) is tuple else [one]
        again = getattr(module, key)
        pairs = zip(inside, list(again) if type(again) is tuple else [again])
        found += [f"{name}.{key}" for a, b in pairs if is_open(a) and a is b]
    names = vars(module)
    found += [f"vars({name})[{k}]" for k, v in names.items() if is_open(v) and v is vars(module)[k]]
"""
OF_CLASSES = """
seen = set()
for name, module in ours():
    for cls in vars(module).values():
        if isinstance(cls, type) and is_of(cls.__module__, OURS) and id(cls) not in seen:
            seen.add(id(cls))
            for base in cls.__mro__:
                found += [
                    f"{base.__module__}.{base.__qualname__}.{key}"
                    for key, one in vars(base).items()
                    if is_open(one) and is_of(base.__module__, OURS)
                    and key not in ("__annotations__", "__dataclass_fields__")
                ]
"""


@pytest.fixture(scope="module")
def seen(tmp_path_factory):
    yield from guarded.server(tmp_path_factory.mktemp("shared"))


def test_a_learner_is_lent_copies_of_what_modules_hold(seen):
    planted = "import minigrad.gpu\nassert is_open(minigrad.gpu.kinds)\n"
    assert seen(f"{FIND}{planted}{OF_MODULES}\nassert not found, found") == [[], ""]


def test_no_class_has_what_a_learner_can_write_into(seen):
    assert seen(f"{FIND}{OF_CLASSES}\nassert len(seen) > 300\nassert not found, found") == [[], ""]


SHARED = """
import dis
from course.sandbox import guard, warden
warden.prepare()
import sys
KINDS = dict, list, set, bytearray
def names(module):
    return [value for name, value in vars(module).items() if name != "__builtins__"]
modules = [(name, module) for name, module in sys.modules.items() if hasattr(module, "__dict__")]
tops = "minigrad", "whoholds", "course"
theirs = {
    id(value) for name, module in modules if name.partition(".")[0] not in tops
    for value in names(module) if isinstance(value, KINDS)
}
assert id(dis.opname) in theirs
found = [
    f"{name}.{key}" for name, module in modules if name.partition(".")[0] in tops
    for key, value in vars(module).items() if key != "__builtins__" and id(value) in theirs
]
print(found)
"""


def test_no_list_of_a_librarys_is_a_name_of_ours():
    """Which anybody may change: dis.opname was."""
    import subprocess

    done = subprocess.run([sys.executable, "-c", SHARED], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout == "[]\n", done.stdout + done.stderr


def chains(tree):
    """Each `a.b.c` that stands there."""
    for node in ast.walk(tree):
        text = ast.unparse(node) if isinstance(node, ast.Attribute) else ""
        if text.replace(".", "").replace("_", "").isalnum():
            yield text


def imported(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((name.asname or name.name, __import__(name.name)) for name in node.names)


@pytest.mark.parametrize("path", GUARD, ids=lambda path: path.stem)
def test_the_guard_asks_no_list_of_a_library(path):
    tree = ast.parse(path.read_text("utf-8"))
    modules = dict(imported(tree))
    for chain in chains(tree):
        top, *rest = chain.split(".")
        thing = modules.get(top)
        for name in rest if thing is not None else ():
            thing = getattr(thing, name, None)
        assert not isinstance(thing, dict | list | set) or chain in ASKED, chain


# --- what memory, classes and proxies hand out ----------------------------------------------------

GRAB = """
class Grab:
    def __eq__(self, names):
        made.append(names)
        return False
    __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __or__ = __ror__ = __eq__
made = []
grab = Grab()
class Own: pass
import types
cls, proxy = Own, vars(Own)
try:
    {way}
except TypeError: pass
for names in made:
    if type(names) is dict:
        names["put"] = 3
assert not hasattr(cls, "put")
"""
WAYS = {
    "==": "proxy == grab",
    "!=": "proxy != grab",
    "<": "proxy < grab",
    "reversed": "grab >= proxy",
    "|": "proxy | grab",
    "| reversed": "grab | proxy",
    "its method": "proxy.__eq__(grab)",
    "its join": "proxy.__or__(grab)",
    "the other join": "types.MappingProxyType.__ror__(proxy, grab)",
    "operator": "operator.eq(proxy, grab)",
    "in a list": "[proxy] == [grab]",
    "in": "grab in [proxy]",
    "a copy": "made.append(proxy.copy())",
    "a proxy of a proxy": "types.MappingProxyType(proxy) == grab",
    "the view of its keys": "made.append(proxy.keys().mapping); made[0] == grab",
    "a dict's join": "{} | proxy | grab",
    "of the engine": "cls = mg.memory.count_ops; vars(cls) == grab",
    "of frames": "cls = type(sys._getframe()); vars(cls) == grab",
    "of modules": "cls = type(sys); vars(cls) == grab",
}


@pytest.mark.parametrize("way", WAYS)
def test_a_proxy_hands_nobody_the_dict_of_a_class(way, seen):
    assert seen(GRAB.format(way=WAYS[way])) == [[], ""]


def test_a_proxy_compares_as_before(seen):
    source = (
        "import types\np, q = types.MappingProxyType({1: 2}), types.MappingProxyType({1: 2})\n"
        "assert p == q == {1: 2} == p and p != {} and p | {3: 4} == {1: 2, 3: 4} == {3: 4} | p\n"
        "import collections\n"
        "assert types.MappingProxyType(collections.OrderedDict(a=1)) == {'a': 1}\n"
        "try: p < q\nexcept TypeError: pass\nelse: raise AssertionError"
    )
    assert seen(source) == [[], ""]


BEYOND = {
    "fields": "np.dtype([('v', '<i8')]).__setstate__((3, '|', None, ('v',), "
    "{'v': (np.dtype('<i8'), 800)}, 8, 1, 0))",
    "fields before it": "np.dtype([('v', '<i8')]).__setstate__((3, '|', None, ('v',), "
    "{'v': (np.dtype('<i8'), -8)}, 8, 1, 0))",
    "fields under a title": "np.dtype([('v', '<i8')]).__setstate__((3, '|', None, ('v',), "
    "{'v': (np.dtype('<i8'), 0), 't': (np.dtype('<i4'), 800)}, 8, 1, 0))",
    "numbers as objects": "np.dtype([('v', '<i8')]).__setstate__((3, '|', None, ('v',), "
    "{'v': (np.dtype('O'), 0)}, 8, 1, 0))",
    "an array's own dtype": "np.zeros(2, 'V8').dtype.__setstate__((3, '|', None, None, None, 800, "
    "1, 0))",
    "everybody's dtype": "np.dtype('<f4').__setstate__((3, '>', None, None, None, -1, -1, 0))",
    "a smaller part": "np.dtype('V8').__setstate__((3, '|', (np.dtype('<i8'), (9,)), None, None, "
    "8, 1, 0))",
    "pickle": "d = np.dtype([('v', '<i8')])\nclass A:\n    def __reduce__(self): return np.dtype, "
    "('V8',), (3, '|', None, ('v',), {'v': (np.dtype('<i8'), 800)}, 8, 1, 0)\n"
    "pickle.loads(pickle.dumps(A()))",
    "resize": "x = np.zeros(9)\nv = x[:]\nx.resize(99, refcheck=False)",
    "resize by the class": "x = np.zeros(9)\nv = x[:]\nnp.ndarray.resize(x, (99,), refcheck=0)",
    "a pickle's state": "x = np.zeros(9)\nv = x[:]\nx.__setstate__(np.ones(3).__reduce__()[2])",
    "data": "x = np.zeros(9)\nv = x[:]\nx.data = np.ones(9).data",
    "strides": "np.lib.stride_tricks.as_strided(np.zeros(2), (9,), (8,))",
    "strides of a class": "class A(np.ndarray):\n    base = None\n"
    "np.lib.stride_tricks.as_strided(np.zeros(2).view(A), (9,), (8,), subok=True)",
    "numpy's helper": "np.lib._stride_tricks_impl.DummyArray({})",
}
HONEST = [
    "d = np.dtype([('a', '<i4'), ('b', 'S3', (2,))])\nassert pickle.loads(pickle.dumps(d)) == d",
    "d = np.dtype([('a', '<i4'), ('b', '<f8')], align=True)\n"
    "x = pickle.loads(pickle.dumps(np.zeros(3, d)))\nassert x.dtype == d",
    "for d in 'f4', '>i8', 'U5', 'S3', 'V8', 'M8[s]', 'm8', '?', 'c16', 'O':\n"
    "    assert pickle.loads(pickle.dumps(np.dtype(d))) == np.dtype(d)\n"
    "    x = pickle.loads(pickle.dumps(np.zeros((2, 3), d)))\n    assert x.shape == (2, 3)",
    "x = np.zeros(3)\nx.resize(5)\nassert x.shape == (5,)",
    "x = np.zeros(3)\nv = x[:]\ntry: x.resize(5)\nexcept ValueError: pass\n"
    "else: raise AssertionError",
    "v = np.lib.stride_tricks.sliding_window_view(np.arange(9), 3)\nassert v.shape == (7, 3)",
    "import copy\nx = copy.deepcopy(np.arange(9))\nassert bytes(x.data) == x.tobytes()",
    "b = bytearray(8)\nx = np.ndarray(2, 'f4', b)\nx[0] = 1\nassert b[3] == 63\n"
    "try: b.clear()\nexcept BufferError: pass\nelse: raise AssertionError",
    "import array\nb = array.array('f', [0] * 9)\nx = np.ndarray(9, 'f4', buffer=b)\n"
    "try: b.append(1)\nexcept BufferError: pass\nelse: raise AssertionError",
    "x = np.ndarray((2, 3), dtype='i4', buffer=bytes(24))\nassert not x.flags.writeable\n"
    "y = np.ndarray(3, 'i4', np.arange(6, dtype='i4'), 4, (8,))\nassert y.tolist() == [1, 3, 5]",
    "class A(np.ndarray):\n    def __new__(cls): return super().__new__(cls, (2,))\n"
    "assert A().shape == (2,) and type(A()) is A and np.ndarray(shape=3).size == 3\n"
    "np.matrix('1 2'), np.recarray(2, 'i4'), np.ndarray.__new__(A, 3)\n"
    "try: np.ndarray(-1)\nexcept ValueError: pass\nelse: raise AssertionError",
    "import numpy.ma\nnp.ma.array([1, 2], mask=[0, 1]).sum()",
]


@pytest.mark.parametrize("way", BEYOND)
def test_memory_that_is_not_its_own_is_told(way, seen):
    said, failed = seen(BEYOND[way])
    assert said and said[0].endswith("memory that is not its own"), (said, failed)


@pytest.mark.parametrize("source", HONEST)
def test_honest_arrays_are_not_told(source, seen):
    assert seen(source) == [[], ""]
