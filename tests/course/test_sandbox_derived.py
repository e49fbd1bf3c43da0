"""Whoever derives a class from one that the engine calls back is told of, however it is made."""

import guarded
import pytest

TOLD = {
    "another base hides it": "class M:\n    def __init_subclass__(cls): pass\n"
    "class A(M, mg.memory.count_ops): 0",
    "an error on the way": "class M:\n    def __init_subclass__(cls): raise ValueError\n"
    "class A(mg.memory.count_ops, M): 0",
    "a metaclass": "class K(type(mg.memory.count_ops)):\n"
    "    def __new__(kind, *given): return type.__new__(kind, *given)\n"
    "class A(mg.memory.count_ops, metaclass=K): 0",
    "a metaclass of tensors": "class K(type(mg.Tensor)):\n"
    "    def __new__(kind, *given): return type.__new__(kind, *given)\n"
    "class A(mg.Tensor, metaclass=K): 0",
    "an order of its own": "class K(type(mg.Tensor)):\n"
    "    def mro(cls): return [cls, *mg.nn.Parameter.__mro__]\n"
    "class A(mg.nn.Parameter, metaclass=K): 0",
    "types": "import types\ntypes.new_class('A', (mg.memory.count_ops,))",
    "the engine is asked": "mg.utils.checkpoint.checkpoint(type, 'A', (mg.memory.count_ops,), {}, "
    "use_reentrant=False)",
    "a forward": "import functools\nclass F(mg.autograd.Function):\n"
    "    forward = functools.partial(lambda make, *given: make('A', (mg.memory.count_ops,), {}), "
    "type)\nF.apply(mg.ones(2))",
    "__setattr__": "class A(mg.nn.Parameter):\n    def __setattr__(self, *given): 0",
    "__getattribute__": "class A(mg.Tensor):\n    def __getattribute__(self, name): 0",
    "a property": "class A(mg.nn.Parameter):\n    is_leaf = property(lambda self: True)",
    "places": "class A(mg.nn.Parameter):\n    __slots__ = ('_array',)",
    "places in a generator": "class A(mg.nn.Parameter):\n    __slots__ = (n for n in ['_array'])",
    "later": "class A(mg.nn.Parameter): 0\nA.__setattr__ = 3",
    "later, by type": "class A(mg.nn.Parameter): 0\ntype.__setattr__(A, 'grad', 3)",
    "other bases": "class A(mg.nn.Parameter): 0\nclass B(mg.nn.Parameter): 0\nA.__bases__ = (B,)",
    "other bases, by type": "class A(mg.nn.Parameter): 0\nclass B(mg.nn.Parameter): 0\n"
    "type.__dict__['__bases__'].__set__(A, (B,))",
    "a base that may change": "class M: 0\nclass A(M, mg.nn.Parameter): 0",
}
HONEST = [
    "class A(mg.nn.Parameter):\n    count = 0\n    def __init__(self, data):\n"
    "        super().__init__(data)\n        self.note = 1\n"
    "    def __repr__(self): return 'A'\n    def twice(self): return self * 2\n"
    "A.count += 1\nA.more = 3\ndel A.more\na = A(mg.ones(2))\na.note = 2\n"
    "assert a.twice().tolist() == [2, 2] and repr(a) == 'A'",
    "class A(mg.Tensor): 'a tensor'\nassert issubclass(A, mg.Tensor)",
    "import abc, enum, typing\nclass A(abc.ABC, mg.nn.Module): 0\nA.x = 1\n"
    "class B(enum.Enum):\n    X = 1\nclass C(typing.NamedTuple):\n    x: int = 1\n"
    "class D(typing.Generic[typing.TypeVar('T')]): 0\nclass E(D[int]): 0\nassert C().x == 1",
    "class M(type):\n    def __new__(kind, name, bases, names, extra=0):\n"
    "        return super().__new__(kind, name, bases, names)\n"
    "class A(metaclass=M, extra=1): 0\nclass B:\n"
    "    def __init_subclass__(cls, name=0, names=0, bases=0): cls.n = name\n"
    "class C(B, name=3, names=4, bases=5): 0\nassert C.n == 3",
    "class F(mg.autograd.Function):\n    @staticmethod\n    def forward(ctx, x): return x * 2\n"
    "class G(F): 0\nassert G.apply(mg.ones(1)).item() == 2",
    "import copy\na, p = mg.ones(2), mg.nn.Parameter(mg.ones(2))\na.mine = p.mine = 1\n"
    "assert copy.deepcopy(a).mine == copy.copy(a).mine == copy.copy(p).mine == 1\n"
    "pickle.loads(pickle.dumps(p)), copy.deepcopy(p)",
]


@pytest.fixture(scope="module")
def seen(tmp_path_factory):
    yield from guarded.server(tmp_path_factory.mktemp("derived"))


@pytest.mark.parametrize("name", TOLD)
def test_who_derives_from_what_is_called_back_is_told(name, seen):
    said, failed = seen(TOLD[name])
    assert any("derives a class" in one or "changes" in one for one in said), (said, failed)


@pytest.mark.parametrize("source", HONEST)
def test_an_honest_class_is_not_told(source, seen):
    assert seen(source) == [[], ""]
