"""Lesson 01: honest answers in further styles."""


# %% answer="shelf_of_views" style="NamedTuple of a line, and what it does, printed while working"
from typing import NamedTuple


class Line(NamedTuple):
    text: str
    makes: int = 0
    frees: int = 0


def shelf_of_views(rows: int, columns: int) -> list[int]:
    """A list of seven numbers of bytes, of lines 1 to 7; a float has 4."""
    FLOAT = 4
    whole, row = rows * columns * FLOAT, columns * FLOAT
    program = [
        Line("t = zeros", makes=whole),
        Line("shelf = [...]"),
        Line("copy = t.clone()", makes=whole),
        Line("del t"),
        Line("shelf = [copy[0]]", frees=whole),
        Line("copy = copy.sum(0)", makes=row),
        Line("del shelf", frees=whole),
    ]
    alive, result = 0, []
    for line in program:
        alive += line.makes - line.frees
        result.append(alive)
    return result


print(shelf_of_views(2, 3))
assert shelf_of_views(64, 32)[0] == 8192


# %% answer="shelf_of_views" style="German names, a dict of storages filled and emptied"
def shelf_of_views(zeilen, spalten):
    """Sieben Zahlen von Bytes."""
    speicher = {}
    ergebnis = []

    def merken():
        ergebnis.append(sum(speicher.values()))

    speicher["t"] = zeilen * spalten * 4
    merken()  # Zeile 1
    merken()  # Zeile 2: nur Sichten
    speicher["kopie"] = speicher["t"]
    merken()
    merken()  # das Regal haelt t noch
    del speicher["t"]
    merken()
    speicher["summe"] = spalten * 4
    merken()
    speicher.pop("kopie")
    merken()
    return ergebnis


# %% answer="shelf_of_views" style="a generator that yields, and numpy"
import numpy as np


def bytes_after_each_line(r, c):
    big = np.prod([r, c]) * np.dtype(np.float32).itemsize
    small = c * np.dtype(np.float32).itemsize
    yield big
    yield big
    yield 2 * big
    yield 2 * big
    yield big
    yield big + small
    yield small


def shelf_of_views(rows, columns):
    """A list of seven numbers of bytes, of lines 1 to 7; a float has 4."""
    return [int(n) for n in bytes_after_each_line(rows, columns)]


shelf_of_views(3, 5)


# %% answer="first_rows" style="a context manager that lets go, ExitStack-like"
from contextlib import contextmanager


@contextmanager
def loaded(load, i):
    box = [load(i)]
    try:
        yield box
    finally:
        box.clear()


def first_rows(load, count):
    """The first rows of load(0), load(1), ... load(count - 1), as a list of tensors."""
    result = []
    for i in range(count):
        with loaded(load, i) as box:
            result.append(box[0][0].clone())
    return result


# quick look
print([r.shape for r in first_rows(lambda i: mg.ones(4, 3) * i, 2)])


# %% answer="first_rows" style="recursion, and gc.collect() to be safe"
def first_rows(load, count):
    """The first rows of load(0), load(1), ... load(count - 1), as a list of tensors."""
    if count == 0:
        return []
    before = first_rows(load, count - 1)
    batch = load(count - 1)
    row = mg.tensor(batch[0].tolist())
    del batch
    gc.collect()
    return before + [row]


# %% answer="live_after" style="a class for a storage with a set of names, dataclass"
from dataclasses import dataclass, field


@dataclass(eq=False)
class Storage:
    size: int
    names: set = field(default_factory=set)

    @property
    def alive(self) -> bool:
        return bool(self.names)


def live_after(lines):
    """(bytes alive at the end, most bytes alive at once) of the program `lines`."""
    storages: list[Storage] = []
    peak = 0

    def find(name):
        return next(s for s in storages if name in s.names)

    def drop(name):
        for s in storages:
            s.names.discard(name)

    for line in lines:
        match line:
            case ("new", name, n):
                target = Storage(4 * n)
                storages.append(target)
            case ("copy", name, source):
                target = Storage(find(source).size)
                storages.append(target)
            case ("name" | "view", name, source):
                target = find(source)
            case ("del", name):
                drop(name)
                storages = [s for s in storages if s.alive]
                continue
        peak = max(peak, sum(s.size for s in storages))
        drop(name)
        target.names.add(name)
        storages = [s for s in storages if s.alive]
    return sum(s.size for s in storages), peak


assert live_after([("new", "a", 100), ("copy", "a", "a")]) == (400, 800)
assert live_after([("new", "a", 1), ("del", "a")]) == (0, 4)


# %% answer="live_after" style="Python's own refcount through weakref.finalize and nonlocal"
import weakref


def live_after(lines):
    """(bytes alive at the end, most bytes alive at once) of the program `lines`."""
    now = most = 0

    class Bytes:
        __slots__ = ("n", "__weakref__")

        def __init__(self, n):
            nonlocal now, most
            self.n = n
            now += n
            most = max(most, now)
            weakref.finalize(self, goodbye, n)

    def goodbye(n):
        nonlocal now
        now -= n

    ns = {}
    for what, name, *rest in lines:
        if what == "new":
            ns[name] = Bytes(rest[0] * 4)
        elif what == "copy":
            ns[name] = Bytes(ns[rest[0]].n)
        elif what == "del":
            ns.pop(name)
        else:
            ns[name] = ns[rest[0]]
    end = now
    ns.clear()
    return end, most


# %% answer="live_after" style="__del__ counts, dispatch through a dict of small functions"
class Buffer:
    alive = 0
    peak = 0

    def __init__(self, nbytes):
        self.nbytes = nbytes
        Buffer.alive += nbytes
        Buffer.peak = max(Buffer.peak, Buffer.alive)

    def __del__(self):
        Buffer.alive -= self.nbytes


def live_after(lines):
    """(bytes alive at the end, most bytes alive at once) of the program `lines`."""
    Buffer.alive = Buffer.peak = 0
    scope = {}
    run = {
        "new": lambda n, size: scope.__setitem__(n, Buffer(4 * size)),
        "name": lambda n, o: scope.__setitem__(n, scope[o]),
        "view": lambda n, o: scope.__setitem__(n, scope[o]),
        "copy": lambda n, o: scope.__setitem__(n, Buffer(scope[o].nbytes)),
        "del": lambda n: scope.__delitem__(n),
    }
    for op, *args in lines:
        run[op](*args)
    return Buffer.alive, Buffer.peak


# %% answer="dies_with" style="a callback of the weak reference, gc disabled meanwhile"
def dies_with(make, delete):
    """Whether the tensor make()["t"] dies at the very call of delete(names)."""
    died = []
    gc_was_on = gc.isenabled()
    gc.disable()
    try:
        names = make()
        watch = weakref.ref(names["t"], lambda _: died.append(True))
        delete(names)
        return bool(died) and watch() is None
    finally:
        if gc_was_on:
            gc.enable()


def demo():
    def make():
        t = mg.zeros(3)
        return {"t": t, "shelf": [t]}

    def only_name(names):
        del names["t"]

    print("on a shelf:", dies_with(make, only_name))
    print("cleared:", dies_with(make, lambda names: names.clear()))


demo()


# %% answer="dies_with" style="WeakValueDictionary and a probe class with __call__"
class Probe:
    """Watches one tensor."""

    def __init__(self, make):
        self.names = make()
        self.watched = weakref.WeakValueDictionary(t=self.names["t"])

    def __call__(self, delete):
        delete(self.names)
        return "t" not in self.watched


def dies_with(make, delete):
    """Whether the tensor make()["t"] dies at the very call of delete(names)."""
    return Probe(make)(delete)


# %% answer="dies_with" style="counts with sys.getrefcount out of curiosity, weakref.proxy with try"
import sys


def dies_with(make, delete):
    """Whether the tensor make()["t"] dies at the very call of delete(names)."""
    names = make()
    count = sys.getrefcount(names["t"])  # just to see it
    p = weakref.proxy(names["t"])
    delete(names)
    try:
        p.shape
    except ReferenceError:
        return True
    return False


# %% answer="shelf_of_views" style="timeit, math.prod, sys.getsizeof curiosity, and pprint"
import math
import pprint
import sys
import timeit


def shelf_of_views(rows, columns):
    """A list of seven numbers of bytes, of lines 1 to 7; a float has 4."""
    U = math.prod((4, rows, columns))
    row = math.prod((4, columns))
    return [U, U, U + U, U + U, U, U + row, row]


pprint.pprint(shelf_of_views(64, 32))
print(sys.getsizeof(shelf_of_views(1, 1)), timeit.timeit(lambda: shelf_of_views(3, 3), number=100))


# %% answer="live_after" style="own names such as walk, open, remove, frame and compile, from __future__"
from __future__ import annotations


class Frame:
    """The names of the program, and where they lead."""

    def __init__(self) -> None:
        self.names: dict[str, int] = {}
        self.sizes: list[int] = []
        self.most = 0

    def open(self, size: int) -> int:
        self.sizes.append(size)
        return len(self.sizes) - 1

    def remove(self, name: str) -> None:
        del self.names[name]

    def connect(self, name: str, place: int) -> None:
        self.most = max(self.most, self.total(place))
        self.names[name] = place

    def total(self, *more: int) -> int:
        return sum(self.sizes[p] for p in {*self.names.values(), *more})


def compile(line):
    what, name, *rest = line
    return what, name, rest[0] if rest else None


def walk(lines, frame):
    for line in lines:
        what, name, arg = compile(line)
        if what == "del":
            frame.remove(name)
        elif what == "new":
            frame.connect(name, frame.open(4 * arg))
        elif what == "copy":
            frame.connect(name, frame.open(frame.sizes[frame.names[arg]]))
        else:
            frame.connect(name, frame.names[arg])


def live_after(lines):
    """(bytes alive at the end, most bytes alive at once) of the program `lines`."""
    frame = Frame()
    walk(lines, frame)
    return frame.total(), frame.most


# %% answer="first_rows" style="redirected print, vars() and id() while debugging, locals in an f-string"
import io
from contextlib import redirect_stdout


def first_rows(load, count):
    """The first rows of load(0), load(1), ... load(count - 1), as a list of tensors."""
    kept = []
    for i in range(count):
        row = load(i)[0].clone()
        kept.append(row)
        assert id(row) == id(kept[-1])
    return kept


text = io.StringIO()
with redirect_stdout(text):
    print(first_rows(lambda i: mg.zeros(2, 2), 1), type(first_rows).__name__, first_rows.__doc__)
print(len(text.getvalue()))


# %% answer="dies_with" style="gc.get_referrers looked at, gc.isenabled, sys.getrefcount"
import sys


def dies_with(make, delete):
    """Whether the tensor make()["t"] dies at the very call of delete(names)."""
    names = make()
    ref = weakref.ref(names["t"])
    # how many lead to it? (for my own interest)
    holders = len(gc.get_referrers(names["t"]))
    delete(names)
    dead = ref() is None
    print("holders", holders, "dead" if dead else f"alive, {sys.getrefcount(ref()) - 1} references")
    return dead


# %% answer="dies_with" style="magics, a help call and an IPython display left in the cell"
%matplotlib inline
from IPython.display import display


def dies_with(make, delete):
    """Whether the tensor make()["t"] dies at the very call of delete(names)."""
    names = make()
    t = weakref.ref(names["t"])
    delete(names)
    return t() is None


display("done")
%timeit -n 1 -r 1 sum(range(10))


# %% answer="shelf_of_views" style="platform and version noted, if __debug__, sys.modules looked at"
import os
import platform
import sys

print(platform.python_version(), os.cpu_count(), mg.__name__, "numpy" in sys.modules)


def shelf_of_views(rows, columns):
    """A list of seven numbers of bytes, of lines 1 to 7; a float has 4."""
    a, z = 4 * rows * columns, 4 * columns
    if __debug__:
        assert a >= z
    return [*(a, a), *(2 * a, 2 * a), a, a + z, z]


# %% answer="live_after" style="globals as a namespace of its own dict, exception text with traceback.format_exc"
import sys
import traceback


def live_after(lines):
    """(bytes alive at the end, most bytes alive at once) of the program `lines`."""
    ns, n, peak = {}, 0, 0
    sizes = {}

    def total(extra=None):
        return sum(sizes[k] for k in set(ns.values()) | ({extra} if extra else set()))

    for line in lines:
        try:
            what, name, arg = line
        except ValueError:
            print(traceback.format_exc(limit=1).splitlines()[-1], sys.exc_info()[0].__name__)
            what, name, arg = line[0], line[1], None
        if what == "del":
            ns.pop(name)
            continue
        if what in ("name", "view"):
            key = ns[arg]
        else:
            n += 1
            key = n
            sizes[key] = 4 * arg if what == "new" else sizes[ns[arg]]
        peak = max(peak, total(key))
        ns[name] = key
    return total(), peak


# %% answer="first_rows" style="copy.copy of the row, then clone; a deque with maxlen"
import copy
from collections import deque


def first_rows(load, count):
    """The first rows of load(0), load(1), ... load(count - 1), as a list of tensors."""
    rows = []
    window = deque(maxlen=1)
    for i in range(count):
        window.append(load(i))
        rows.append(copy.deepcopy(window[0][0].clone()))
        window.clear()
    return rows


# %% answer="first_rows" style="pickle keeps the numbers, no view"
import pickle


def first_rows(load, count):
    """The first rows of load(0), load(1), ... load(count - 1), as a list of tensors."""
    kept = []
    for i in range(count):
        numbers = pickle.dumps(load(i)[0].tolist())
        kept.append(mg.tensor(pickle.loads(numbers)))
    return kept


# %% answer="dies_with" style="a tensor subclass of mine used in the try-out below"
class Watched(mg.Tensor):
    """A tensor that can be told apart."""


def dies_with(make, delete):
    """Whether the tensor make()["t"] dies at the very call of delete(names)."""
    names = make()
    watch = weakref.ref(names["t"])
    count = weakref.getweakrefcount(names["t"])
    delete(names)
    return watch() is None and count >= 1


print(Watched.__mro__[1].__name__, issubclass(Watched, mg.Tensor))


# %% answer="shelf_of_views" style="tried out first: deepcopy(shape)"
import copy
copy.deepcopy(mg.ones(2).shape)


def shelf_of_views(rows, columns):
    """A list of seven numbers of bytes, of lines 1 to 7; a float has 4."""
    u, row = rows * columns * 4, columns * 4
    return [u, u, 2 * u, 2 * u, u, u + row, row]


# %% answer="shelf_of_views" style="tried out first: deepcopy(device)"
import copy
copy.deepcopy(mg.ones(2).device)


def shelf_of_views(rows, columns):
    """A list of seven numbers of bytes, of lines 1 to 7; a float has 4."""
    u, row = rows * columns * 4, columns * 4
    return [u, u, 2 * u, 2 * u, u, u + row, row]


# %% answer="shelf_of_views" style="tried out first: deepcopy(optimizer)"
import copy
copy.deepcopy(mg.optim.SGD([mg.ones(2, requires_grad=True)], lr=0.1))


def shelf_of_views(rows, columns):
    """A list of seven numbers of bytes, of lines 1 to 7; a float has 4."""
    u, row = rows * columns * 4, columns * 4
    return [u, u, 2 * u, 2 * u, u, u + row, row]


# %% answer="shelf_of_views" style="tried out first: a picture saved beside the notebook"
import matplotlib.pyplot as plt
plt.plot([1, 2])
plt.savefig('a.png')


def shelf_of_views(rows, columns):
    """A list of seven numbers of bytes, of lines 1 to 7; a float has 4."""
    u, row = rows * columns * 4, columns * 4
    return [u, u, 2 * u, 2 * u, u, u + row, row]


# %% answer="shelf_of_views" style="tried out first: looks where it is, os.listdir"
import os
print(os.getcwd(), os.path.exists('x'), os.listdir('.')[:1])


def shelf_of_views(rows, columns):
    """A list of seven numbers of bytes, of lines 1 to 7; a float has 4."""
    u, row = rows * columns * 4, columns * 4
    return [u, u, 2 * u, 2 * u, u, u + row, row]


# %% answer="shelf_of_views" style="tried out first: inspect.signature of an op looked up"
import inspect
print(inspect.signature(mg.ones))


def shelf_of_views(rows, columns):
    """A list of seven numbers of bytes, of lines 1 to 7; a float has 4."""
    u, row = rows * columns * 4, columns * 4
    return [u, u, 2 * u, 2 * u, u, u + row, row]


# %% answer="shelf_of_views" style="tried out first: a class with methods called system and popen"
class Shell:
    def system(self, x):
        return x
    def popen(self):
        pass
Shell().system(1)
Shell().popen()


def shelf_of_views(rows, columns):
    """A list of seven numbers of bytes, of lines 1 to 7; a float has 4."""
    u, row = rows * columns * 4, columns * 4
    return [u, u, 2 * u, 2 * u, u, u + row, row]


# %% answer="shelf_of_views" style="tried out first: a class with methods called exec and eval"
class Q:
    def execute(self):
        return 1
    def exec(self):
        return 2
    def eval(self):
        return self
print(Q().exec(), Q().eval().execute())


def shelf_of_views(rows, columns):
    """A list of seven numbers of bytes, of lines 1 to 7; a float has 4."""
    u, row = rows * columns * 4, columns * 4
    return [u, u, 2 * u, 2 * u, u, u + row, row]


# %% answer="shelf_of_views" style="tried out first: a layer tried out, with eval() and train()"
l = mg.nn.Linear(2, 2)
l.eval()
l.train()


def shelf_of_views(rows, columns):
    """A list of seven numbers of bytes, of lines 1 to 7; a float has 4."""
    u, row = rows * columns * 4, columns * 4
    return [u, u, 2 * u, 2 * u, u, u + row, row]


# %% answer="shelf_of_views" style="tried out first: a class with methods called fork, kill, read, connect"
class G:
    def fork(self):
        return 1
    def kill(self):
        return 2
    def read(self): return ''
    def connect(self, o): return o
    def socket(self): return 1
G().fork(); G().kill(); G().read(); G().connect(1); G().socket()


def shelf_of_views(rows, columns):
    """A list of seven numbers of bytes, of lines 1 to 7; a float has 4."""
    u, row = rows * columns * 4, columns * 4
    return [u, u, 2 * u, 2 * u, u, u + row, row]


# %% answer="shelf_of_views" style="tried out first: own functions called glob, listdir, load and loads"
def glob(x): return x
def listdir(x): return x
def load(x): return x
def loads(x): return x
glob(1); listdir(2); load(3); loads(4)


def shelf_of_views(rows, columns):
    """A list of seven numbers of bytes, of lines 1 to 7; a float has 4."""
    u, row = rows * columns * 4, columns * 4
    return [u, u, 2 * u, 2 * u, u, u + row, row]


# %% answer="shelf_of_views" style="tried out first: pathlib.Path.glob, exists"
from pathlib import Path
print(list(Path('.').glob('*.txt')), Path('x').exists())


def shelf_of_views(rows, columns):
    """A list of seven numbers of bytes, of lines 1 to 7; a float has 4."""
    u, row = rows * columns * 4, columns * 4
    return [u, u, 2 * u, 2 * u, u, u + row, row]


# %% answer="shelf_of_views" style="tried out first: setattr in an __init__ with keywords"
class A:
    def __init__(self, **kw):
        for k, v in kw.items():
            setattr(self, k, v)
A(x=1)


def shelf_of_views(rows, columns):
    """A list of seven numbers of bytes, of lines 1 to 7; a float has 4."""
    u, row = rows * columns * 4, columns * 4
    return [u, u, 2 * u, 2 * u, u, u + row, row]


# %% answer="shelf_of_views" style="tried out first: setattr for requires_grad"
t = mg.ones(2)
setattr(t, 'requires_grad', True)


def shelf_of_views(rows, columns):
    """A list of seven numbers of bytes, of lines 1 to 7; a float has 4."""
    u, row = rows * columns * 4, columns * 4
    return [u, u, 2 * u, 2 * u, u, u + row, row]


# %% answer="shelf_of_views" style="tried out first: a __setattr__ of ones own with super()"
class A:
    def __setattr__(self, k, v):
        super().__setattr__(k, v)
a = A()
a.x = 1


def shelf_of_views(rows, columns):
    """A list of seven numbers of bytes, of lines 1 to 7; a float has 4."""
    u, row = rows * columns * 4, columns * 4
    return [u, u, 2 * u, 2 * u, u, u + row, row]


# %% answer="shelf_of_views" style="tried out first: copy.copy(tensor)"
import copy
copy.copy(mg.ones(2))


def shelf_of_views(rows, columns):
    """A list of seven numbers of bytes, of lines 1 to 7; a float has 4."""
    u, row = rows * columns * 4, columns * 4
    return [u, u, 2 * u, 2 * u, u, u + row, row]


# %% answer="shelf_of_views" style="tried out first: saved_tensors_hooks"
with mg.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
    mg.ones(2, requires_grad=True).exp().sum().backward()


def shelf_of_views(rows, columns):
    """A list of seven numbers of bytes, of lines 1 to 7; a float has 4."""
    u, row = rows * columns * 4, columns * 4
    return [u, u, 2 * u, 2 * u, u, u + row, row]


# %% answer="shelf_of_views" style="tried out first: threadpool"
from concurrent.futures import ThreadPoolExecutor
with ThreadPoolExecutor(1) as e:
    print(list(e.map(abs, [-1])))


def shelf_of_views(rows, columns):
    """A list of seven numbers of bytes, of lines 1 to 7; a float has 4."""
    u, row = rows * columns * 4, columns * 4
    return [u, u, 2 * u, 2 * u, u, u + row, row]


# %% answer="shelf_of_views" style="tried out first: runtime protocol"
from typing import Protocol, runtime_checkable
@runtime_checkable
class P(Protocol):
    def backward(self): ...
print(isinstance(mg.ones(1), P))


def shelf_of_views(rows, columns):
    """A list of seven numbers of bytes, of lines 1 to 7; a float has 4."""
    u, row = rows * columns * 4, columns * 4
    return [u, u, 2 * u, 2 * u, u, u + row, row]


# %% answer="shelf_of_views" style="tried out first: hooks"
l = mg.nn.Linear(2, 2)
h = l.register_forward_hook(lambda m, i, o: None) if hasattr(l, 'register_forward_hook') else None


def shelf_of_views(rows, columns):
    """A list of seven numbers of bytes, of lines 1 to 7; a float has 4."""
    u, row = rows * columns * 4, columns * 4
    return [u, u, 2 * u, 2 * u, u, u + row, row]


# %% answer="shelf_of_views" style="tried out first: profile"
import cProfile
p = cProfile.Profile()
p.enable()
mg.ones(2)
p.disable()


def shelf_of_views(rows, columns):
    """A list of seven numbers of bytes, of lines 1 to 7; a float has 4."""
    u, row = rows * columns * 4, columns * 4
    return [u, u, 2 * u, 2 * u, u, u + row, row]


# %% answer="shelf_of_views" style="tried out first: warn"
import warnings
warnings.warn('careful')
warnings.filterwarnings('ignore')


def shelf_of_views(rows, columns):
    """A list of seven numbers of bytes, of lines 1 to 7; a float has 4."""
    u, row = rows * columns * 4, columns * 4
    return [u, u, 2 * u, 2 * u, u, u + row, row]


# %% answer="shelf_of_views" style="tried out first: metaclass"
class M(type):
    pass
class A(metaclass=M):
    pass
B = type('B', (A,), {})


def shelf_of_views(rows, columns):
    """A list of seven numbers of bytes, of lines 1 to 7; a float has 4."""
    u, row = rows * columns * 4, columns * 4
    return [u, u, 2 * u, 2 * u, u, u + row, row]


# %% answer="shelf_of_views" style="tried out first: np.save"
import numpy as np
np.save('a.npy', np.zeros(2))
print(np.load('a.npy'))


def shelf_of_views(rows, columns):
    """A list of seven numbers of bytes, of lines 1 to 7; a float has 4."""
    u, row = rows * columns * 4, columns * 4
    return [u, u, 2 * u, 2 * u, u, u + row, row]


# %% answer="shelf_of_views" style="tried out first: tempfile"
import tempfile
with tempfile.TemporaryFile() as f:
    f.write(b'x')


def shelf_of_views(rows, columns):
    """A list of seven numbers of bytes, of lines 1 to 7; a float has 4."""
    u, row = rows * columns * 4, columns * 4
    return [u, u, 2 * u, 2 * u, u, u + row, row]


# %% answer="shelf_of_views" style="tried out first: help"
help(mg.ones)


def shelf_of_views(rows, columns):
    """A list of seven numbers of bytes, of lines 1 to 7; a float has 4."""
    u, row = rows * columns * 4, columns * 4
    return [u, u, 2 * u, 2 * u, u, u + row, row]


# %% answer="shelf_of_views" style="tried out first: t.numpy write"
a = mg.ones(2)
a.numpy()[0] = 5
print(a)


def shelf_of_views(rows, columns):
    """A list of seven numbers of bytes, of lines 1 to 7; a float has 4."""
    u, row = rows * columns * 4, columns * 4
    return [u, u, 2 * u, 2 * u, u, u + row, row]


# %% answer="shelf_of_views" style="exec of the snippet in a namespace with a toy torch of my own"
import gc
import types


class ToyStorage:
    alive = 0

    def __init__(self, nbytes):
        self.nbytes = nbytes
        ToyStorage.alive += nbytes

    def __del__(self):
        ToyStorage.alive -= self.nbytes


class ToyTensor:
    def __init__(self, shape, storage=None):
        self.shape = shape
        n = 1
        for s in shape:
            n *= s
        self.storage = storage if storage is not None else ToyStorage(4 * n)

    def t(self):
        return ToyTensor(self.shape[::-1], self.storage)

    def __getitem__(self, i):
        return ToyTensor(self.shape[1:], self.storage)

    def clone(self):
        return ToyTensor(self.shape)

    def sum(self, dim):
        return ToyTensor(self.shape[:dim] + self.shape[dim + 1:])


SNIPPET = """t = torch.zeros(rows, columns)
shelf = [t, t.t(), t[0]]
copy = t.clone()
del t
shelf = [copy[0]]
copy = copy.sum(0)
del shelf"""


def shelf_of_views(rows, columns):
    """A list of seven numbers of bytes, of lines 1 to 7; a float has 4."""
    torch = types.SimpleNamespace(zeros=lambda *shape: ToyTensor(shape))
    ns = {"torch": torch, "rows": rows, "columns": columns}
    before, out = ToyStorage.alive, []
    for line in SNIPPET.splitlines():
        exec(line, ns)
        out.append(ToyStorage.alive - before)
    return out


# %% answer="shelf_of_views" style="numpy cumsum of what comes and goes, numpy ints in the list"
import numpy as np


def shelf_of_views(rows: int, columns: int) -> list:
    """A list of seven numbers of bytes, of lines 1 to 7; a float has 4."""
    big = np.prod([rows, columns]) * np.dtype(np.float32).itemsize
    small = np.int32(columns) * 4
    return list(np.cumsum([big, 0, big, 0, -big, small, -big]))


# %% answer="shelf_of_views" style="a numpy array returned (UNSURE: a list is asked for)"
import numpy as np


def shelf_of_views(rows, columns):
    """A list of seven numbers of bytes, of lines 1 to 7; a float has 4."""
    return np.cumsum(np.array([rows, 0, rows, 0, -rows, 1, -rows]) * columns * 4)


# %% answer="shelf_of_views" style="top-level await in a helper cell"
import asyncio
await asyncio.sleep(0)

# ==== next cell
def shelf_of_views(rows, columns):
    """A list of seven numbers of bytes, of lines 1 to 7; a float has 4."""
    u, row = rows * columns * 4, columns * 4
    return [u, u, 2 * u, 2 * u, u, u + row, row]


# %% answer="shelf_of_views" style="torch in a helper cell as the lesson says"
import torch
t = torch.zeros(64, 32)
row = t[0]
del t
print(row.nbytes, row.untyped_storage().nbytes())

# ==== next cell
def shelf_of_views(rows, columns):
    """A list of seven numbers of bytes, of lines 1 to 7; a float has 4."""
    u, row = rows * columns * 4, columns * 4
    return [u, u, 2 * u, 2 * u, u, u + row, row]


# %% answer="shelf_of_views" style="on_torch of the course"
from course.on_torch import on_torch

def shelf_of_views(rows, columns):
    """A list of seven numbers of bytes, of lines 1 to 7; a float has 4."""
    u, row = rows * columns * 4, columns * 4
    return [u, u, 2 * u, 2 * u, u, u + row, row]


# %% answer="shelf_of_views" style="namedtuple"
from collections import namedtuple
L = namedtuple("L", "a b c d e f g")
def shelf_of_views(rows, columns):
    u, r = rows * columns * 4, columns * 4
    return L(u, u, 2 * u, 2 * u, u, u + r, r)


# %% answer="first_rows" style="torch habits: detach().clone(), no_grad, list of a map, enumerate unused"
def first_rows(load, count):
    """The first rows of load(0), load(1), ... load(count - 1), as a list of tensors."""
    with mg.no_grad():
        return [*map(lambda i: load(i)[0, :].detach().clone().contiguous(), range(count))]


# %% answer="first_rows" style="preallocated empties and copy_, index while loop"
def first_rows(load, count):
    """The first rows of load(0), load(1), ... load(count - 1), as a list of tensors."""
    kept = [None] * count
    idx = 0
    while idx < count:
        batch = load(idx)
        target = mg.empty(batch.shape[1:], dtype=batch.dtype)
        target.copy_(batch[0])
        kept[idx] = target
        batch = None
        idx += 1
    return kept


# %% answer="first_rows" style="index_select with an index tensor, then squeeze"
def first_rows(load, count):
    """The first rows of load(0), load(1), ... load(count - 1), as a list of tensors."""

    def head(i):
        return load(i).index_select(0, mg.tensor([0])).squeeze(0)

    return list(head(i) for i in range(count))


# %% answer="first_rows" style="a namedtuple-free dict of rows turned into a list, rows copied by mg.tensor of a view"
def first_rows(load, count):
    """The first rows of load(0), load(1), ... load(count - 1), as a list of tensors."""
    rows = {}
    for i in range(count):
        rows[i] = load(i).narrow(0, 0, 1).reshape(-1).clone()
    return list(rows.values())


# %% answer="first_rows" style="unbind and a starred target, the rest deleted"
def first_rows(load, count):
    """The first rows of load(0), load(1), ... load(count - 1), as a list of tensors."""
    kept = []
    for i in range(count):
        first, *_rest = load(i).unbind(0)
        kept.append(first.clone())
        del first, _rest
    return kept


# %% answer="first_rows" style="split, squeeze and a plus zero, as one finds it on Stack Overflow"
def first_rows(load, count):
    """The first rows of load(0), load(1), ... load(count - 1), as a list of tensors."""
    return [load(i)[0] + 0 for i in range(count)]


# %% answer="first_rows" style="list subclass"
class Rows(list):
    pass
def first_rows(load, count):
    return Rows(load(i)[0].clone() for i in range(count))


# %% answer="first_rows" style="nn.Parameter-free: new_tensor"
def first_rows(load, count):
    out = []
    for i in range(count):
        b = load(i)
        out.append(b.new_empty(b.size(1)).copy_(b[0]))
        del b
    return out


# %% answer="live_after" style="global counter, a class with __enter__, reference counts by hand"
TOTAL = 0
PEAK = 0


class Block:
    def __init__(self, size):
        global TOTAL, PEAK
        self.size, self.refs = size, 0
        TOTAL += size
        PEAK = max(PEAK, TOTAL)

    def incref(self):
        self.refs += 1

    def decref(self):
        global TOTAL
        self.refs -= 1
        if self.refs == 0:
            TOTAL -= self.size


class Scope(dict):
    def __enter__(self):
        global TOTAL, PEAK
        TOTAL = PEAK = 0
        return self

    def __exit__(self, *exc):
        self.clear()
        return False

    def bind(self, name, block):
        block.incref()
        if name in self:
            self[name].decref()
        self[name] = block


def live_after(lines):
    """(bytes alive at the end, most bytes alive at once) of the program `lines`."""
    with Scope() as scope:
        for line in lines:
            op = line[0]
            if op == "new":
                scope.bind(line[1], Block(line[2] * 4))
            elif op == "copy":
                scope.bind(line[1], Block(scope[line[2]].size))
            elif op == "del":
                scope.pop(line[1]).decref()
            else:
                scope.bind(line[1], scope[line[2]])
        return [TOTAL, PEAK]


# %% answer="live_after" style="a coroutine fed by send, as with async, match, numpy maximum"
import numpy as np


def books():
    owner, size, peak, fresh = {}, {}, np.int64(0), 0
    line = yield
    while line is not None:
        hold = None
        match line:
            case ("new", name, n):
                fresh += 1
                size[fresh], hold = n * 4, fresh
            case ("copy", name, src):
                fresh += 1
                size[fresh], hold = size[owner[src]], fresh
            case ("name" | "view", name, src):
                hold = owner[src]
            case ("del", name):
                owner.pop(name)
        in_use = set(owner.values()) | ({hold} if hold else set())
        peak = np.maximum(peak, sum(size[s] for s in in_use))
        if hold:
            owner[name] = hold
        line = yield (np.int64(sum(size[s] for s in set(owner.values()))), peak)


def live_after(lines):
    """(bytes alive at the end, most bytes alive at once) of the program `lines`."""
    co = books()
    next(co)
    result = (0, 0)
    for line in lines:
        result = co.send(line)
    co.close()
    return result


# %% answer="live_after" style="NamedTuple"
from typing import NamedTuple
class Bytes(NamedTuple):
    end: int
    most: int
def live_after(lines):
    names, sizes, most = {}, [], 0
    for what, name, *more in lines:
        if what == "del":
            del names[name]; continue
        if what in ("new", "copy"):
            sizes.append(4 * more[0] if what == "new" else sizes[names[more[0]]]); s = len(sizes) - 1
        else: s = names[more[0]]
        most = max(most, sum(sizes[i] for i in {s, *names.values()}))
        names[name] = s
    return Bytes(sum(sizes[i] for i in set(names.values())), most)


# %% answer="dies_with" style="WeakSet and its length, numpy bool"
import numpy as np


def dies_with(make, delete):
    """Whether the tensor make()["t"] dies at the very call of delete(names)."""
    names = make()
    alive = weakref.WeakSet([names["t"]])
    delete(names)
    return np.bool_(len(alive) == 0)


# %% answer="dies_with" style="weakref.finalize and its alive property, then detached"
def dies_with(make, delete):
    """Whether the tensor make()["t"] dies at the very call of delete(names)."""
    names = make()
    fin = weakref.finalize(names["t"], lambda: None)
    fin.atexit = False
    delete(names)
    try:
        return not fin.alive
    finally:
        fin.detach()


# %% answer="dies_with" style="a context manager class Watch with a result property"
class Watch:
    def __init__(self, obj):
        self._ref = weakref.ref(obj, self._gone)
        self._dead_at = None
        self._inside = False

    def _gone(self, _):
        self._dead_at = "inside" if self._inside else "later"

    def __enter__(self):
        self._inside = True
        return self

    def __exit__(self, *exc):
        self._inside = False

    @property
    def died_inside(self) -> bool:
        return self._dead_at == "inside"


def dies_with(make, delete):
    """Whether the tensor make()["t"] dies at the very call of delete(names)."""
    world = make()
    with Watch(world["t"]) as watch:
        delete(world)
    return watch.died_inside


# %% answer="shelf_of_views" style="dataclass and prints a table while working"
from dataclasses import dataclass, field


@dataclass
class Books:
    """what I think is alive"""
    storages: dict = field(default_factory=dict)
    log: list = field(default_factory=list)

    def line(self, text):
        alive = sum(self.storages.values())
        print(f"{text:<28}{alive:>10,} B")
        self.log.append(alive)


def shelf_of_views(rows, columns):
    """A list of seven numbers of bytes, of lines 1 to 7; a float has 4."""
    b = Books()
    b.storages["t"] = rows * columns * 4
    b.line("t = zeros")
    b.line("shelf = [...]")          # three arrows, no storage
    b.storages["copy"] = rows * columns * 4
    b.line("copy = t.clone()")
    b.line("del t")                  # the shelf still has it
    del b.storages["t"]
    b.line("shelf = [copy[0]]")
    b.storages["sum"] = columns * 4
    b.line("copy = copy.sum(0)")
    del b.storages["copy"]
    b.line("del shelf")
    return b.log


shelf_of_views(64, 32)


# %% answer="first_rows" style="generator helper with try/finally, tries it at the bottom with gc.collect"
import gc


def _batches(load, count):
    for i in range(count):
        batch = load(i)
        try:
            yield batch
        finally:
            pass
        del batch


def first_rows(load, count):
    """The first rows of load(0), load(1), ... load(count - 1), as a list of tensors."""
    kept = []
    for batch in _batches(load, count):
        kept.append(batch[0].clone())
        del batch
    return kept


# does it work?
gc.collect()
before = mg.memory_allocated()
rows = first_rows(lambda i: mg.full((64, 32), float(i)), 5)
print(f"{mg.memory_allocated() - before = }, {5 * 32 * 4 = }")
assert [r[0].item() for r in rows] == [0, 1, 2, 3, 4]
del rows


# %% answer="first_rows" style="small helper function and a comprehension, type hints"
from typing import Callable


def first_row_of(load: Callable[[int], "mg.Tensor"], i: int) -> "mg.Tensor":
    # a function is a scope: when it returns, the batch has no name any more
    batch = load(i)
    print("loaded", i, tuple(batch.shape))
    return batch[0].clone()


# ==== next cell
def first_rows(load: Callable[[int], "mg.Tensor"], count: int) -> "list[mg.Tensor]":
    """The first rows of load(0), load(1), ... load(count - 1), as a list of tensors."""
    return [first_row_of(load, i) for i in range(count)]


# %% answer="live_after" style="match statement, itertools.count, textual trace kept in a list"
import itertools

TRACE = []


def live_after(lines):
    """(bytes alive at the end, most bytes alive at once) of the program `lines`."""
    ids = itertools.count()
    names, sizes = {}, {}
    most = 0
    TRACE.clear()

    def alive(*more):
        return sum(sizes[s] for s in {*names.values(), *more})

    for number, line in enumerate(lines, start=1):
        match line:
            case ("new", name, n):
                s = next(ids)
                sizes[s] = 4 * n
            case ("name" | "view", name, other):
                s = names[other]
            case ("copy", name, other):
                s = next(ids)
                sizes[s] = sizes[names[other]]
            case ("del", name):
                names.pop(name)
                TRACE.append(f"{number:>3} del {name}: {alive()}")
                continue
            case _:
                raise ValueError(f"what is {line!r}?")
        most = max(most, alive(s))
        names[name] = s
        TRACE.append(f"{number:>3} {line}: {alive()}")
    return alive(), most


print(live_after([("new", "a", 100), ("name", "b", "a"), ("copy", "b", "a"), ("del", "a")]))
print("\n".join(TRACE))


# %% answer="dies_with" style="context manager of her own that pauses gc, weakref"
import contextlib
import gc
import weakref


@contextlib.contextmanager
def no_collector():
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def dies_with(make, delete):
    """Whether the tensor make()["t"] dies at the very call of delete(names)."""
    with no_collector():
        names = make()
        ghost = weakref.ref(names["t"])
        delete(names)
        return ghost() is None


assert dies_with(lambda: {"t": mg.zeros(3)}, lambda names: names.clear())


# %% answer="dies_with" style="weakref.finalize and a list of events, logging"
import logging
import weakref

logging.basicConfig(level=logging.INFO, format="%(levelname)s %(message)s")
log = logging.getLogger("probe")


def dies_with(make, delete):
    """Whether the tensor make()["t"] dies at the very call of delete(names)."""
    events = []
    names = make()
    log.info("names: %s", sorted(names))
    weakref.finalize(names["t"], events.append, "dead")
    delete(names)
    died = bool(events)
    log.info("events after delete: %s", events)
    return died


# %% answer="first_rows" style="debugging leftovers: prints every tensor, warnings filter, if __name__"
import warnings
from pprint import pprint

warnings.filterwarnings("ignore")


def first_rows(load, count):
    """The first rows of load(0), load(1), ... load(count - 1), as a list of tensors."""
    kept = []
    for i in range(count):
        print("before load", i, mg.memory_allocated())
        batch = load(i)
        print(batch)
        row = batch[0].clone()
        pprint(row)
        kept.append(row)
        del batch
        print("after del", i, mg.memory_allocated())
    return kept


if __name__ == "__main__":
    pprint(first_rows(lambda i: mg.full((2, 3), i * 1.0), 2))


# %% answer="live_after" style="a callable class instance is the answer, __slots__, own stack of snapshots"
class Interpreter:
    """runs the little programs"""

    __slots__ = ("names", "sizes", "snapshots")
    __name__ = "live_after"

    def __call__(self, lines):
        """(bytes alive at the end, most bytes alive at once) of the program `lines`."""
        self.names, self.sizes, self.snapshots = {}, [], [0]
        for op, *args in lines:
            getattr(self, "do_" + op)(*args)
        return self.alive(), max(self.snapshots)

    def alive(self, extra=frozenset()):
        return sum(self.sizes[s] for s in {*self.names.values()} | extra)

    def bind(self, name, storage):
        self.snapshots.append(self.alive({storage}))
        self.names[name] = storage

    def make(self, n_bytes):
        self.sizes.append(n_bytes)
        return len(self.sizes) - 1

    def do_new(self, name, n):
        self.bind(name, self.make(4 * n))

    def do_name(self, name, other):
        self.bind(name, self.names[other])

    do_view = do_name

    def do_copy(self, name, other):
        self.bind(name, self.make(self.sizes[self.names[other]]))

    def do_del(self, name):
        del self.names[name]


live_after = Interpreter()
live_after([("new", "a", 10), ("copy", "a", "a"), ("del", "a")])


# %% answer="shelf_of_views" style="lru_cache right on the answer, returns the list, %%capture at the top"
%%capture said
import functools


@functools.lru_cache(maxsize=None)
def shelf_of_views(rows, columns):
    """A list of seven numbers of bytes, of lines 1 to 7; a float has 4."""
    whole, row = 4 * rows * columns, 4 * columns
    print(whole, row)
    return [whole, whole, 2 * whole, 2 * whole, whole, whole + row, row]


shelf_of_views(2, 3)


# %% answer="first_rows" style="counts tensors with gc.get_objects while debugging, plain import of minigrad without alias"
import gc

import minigrad
from minigrad import Tensor


def tensors_alive() -> int:
    return sum(type(thing) is Tensor for thing in gc.get_objects())


def first_rows(load, count):
    """The first rows of load(0), load(1), ... load(count - 1), as a list of tensors."""
    start, kept = tensors_alive(), []
    for i in range(count):
        batch = load(i)
        kept.append(minigrad.clone(batch[0]) if hasattr(minigrad, "clone") else batch[0].clone())
        batch = None
        print(i, "tensors:", tensors_alive() - start)
    return kept


# %% answer="dies_with" style="prints the line numbers with sys._getframe, referrers when it lives"
import gc
import sys
import weakref


def here(*what):
    print(f"line {sys._getframe(1).f_lineno}:", *what)


def dies_with(make, delete):
    """Whether the tensor make()["t"] dies at the very call of delete(names)."""
    names = make()
    watch = weakref.ref(names["t"])
    here("alive", watch() is not None)
    delete(names)
    died = watch() is None
    here("died", died)
    if not died:
        here(len(gc.get_referrers(watch())), "still point at it")
    return died


# %% answer="live_after" style="a class with a list of its own that is called _storage"
class Books:
    def __init__(self):
        self._names = {}
        self._storage = []

    def alive(self, *extra):
        return 4 * sum(self._storage[one] for one in {*self._names.values(), *extra})

    def line(self, what, name, *more):
        if what == "del":
            del self._names[name]
            return 0
        if what in ("new", "copy"):
            self._storage.append(more[0] if what == "new" else self._storage[self._names[more[0]]])
            number = len(self._storage) - 1
        else:
            number = self._names[more[0]]
        most = self.alive(number)
        self._names[name] = number
        return most


def live_after(lines):
    books = Books()
    most = max([books.line(*line) for line in lines])
    return books.alive(), most


# %% answer="first_rows" style="counters called born and died, beside an array"
def first_rows(load, count):
    born, died, kept = 0, 0, []
    for i in range(count):
        array = load(i)
        born += 1
        kept.append(array[0].clone())
        del array
        died += 1
    assert born == died == count
    return kept


# %% answer="shelf_of_views" style="accumulate over a table of events with match, Counter of holders"
from collections import Counter


def shelf_of_views(rows, columns):
    """A list of seven numbers of bytes, of lines 1 to 7."""
    size = {"t": 4 * rows * columns, "copy": 4 * rows * columns, "sum": 4 * columns}
    holders, found = Counter(), []
    events = ["+t", "+t", "+copy", "-t", "-t+copy", "+sum-copy", "-copy"]
    names = Counter()
    for line in events:
        word = ""
        for letter in line + "+":
            if letter in "+-" and word:
                holders[word[1:]] += 1 if word[0] == "+" else -1
                word = letter
            else:
                word += letter
        found.append(sum(size[k] for k, n in holders.items() if n > 0))
    return found


print(shelf_of_views(2, 3))


# %% answer="live_after" style="an Enum-free interpreter class with dispatch by getattr, reference counts"
class Interpreter:
    def __init__(self):
        self.names: dict[str, int] = {}
        self.sizes: dict[int, int] = {}
        self.count: dict[int, int] = {}
        self.highest = 0

    @property
    def alive(self):
        return sum(self.sizes[s] for s, n in self.count.items() if n)

    def bind(self, name, storage):
        self.count[storage] = self.count.get(storage, 0) + 1
        self.highest = max(self.highest, self.alive)
        if name in self.names:
            self.count[self.names[name]] -= 1
        self.names[name] = storage

    def do_new(self, name, n):
        number = len(self.sizes)
        self.sizes[number] = 4 * n
        self.bind(name, number)

    def do_copy(self, name, other):
        self.do_new(name, self.sizes[self.names[other]] // 4)

    def do_name(self, name, other):
        self.bind(name, self.names[other])

    do_view = do_name

    def do_del(self, name):
        self.count[self.names.pop(name)] -= 1


def live_after(lines):
    """(bytes alive at the end, most bytes alive at once)."""
    machine = Interpreter()
    for what, *rest in lines:
        getattr(machine, f"do_{what}")(*rest)
    return machine.alive, machine.highest


# %% answer="first_rows" style="a decorator that times every load, logging, islice of a generator of copies"
import functools
import logging
import time
from itertools import islice

logging.basicConfig(level=logging.INFO)


def timed(function):
    @functools.wraps(function)
    def inner(*args, **kwargs):
        begin = time.perf_counter()
        try:
            return function(*args, **kwargs)
        finally:
            logging.info("%s took %.2g s", function.__name__, time.perf_counter() - begin)

    return inner


def first_rows(load, count):
    """The first rows, as a list of tensors."""

    @timed
    def row(i):
        return load(i)[0].clone()

    return [*islice((row(i) for i in range(10**6)), count)]


# %% answer="dies_with" style="a weakref callback that appends, no names in the way"
import weakref


def dies_with(make, delete):
    """Whether the tensor dies at the very call of delete(names)."""
    died = []
    names = make()
    watch = weakref.ref(names["t"], died.append)
    delete(names)
    return len(died) == 1


# %% answer="first_rows" style="checks itself with numpy, doctest-like print at the end"
import numpy as np


def first_rows(load, count):
    out = []
    for k in range(count):
        t = load(k)
        r = t[0].clone()
        np.testing.assert_allclose(r.numpy(), t.numpy()[0])
        del t
        out.append(r)
    print(first_rows.__name__, len(out), out[:1])
    return out
