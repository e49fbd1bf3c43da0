"""What a learner notes on a tensor is there, graded as in a notebook, and shows nothing else."""

import random

import guarded
import pytest

NAMES = "note", "_mine", "count", "é"
DEEDS = {  # by t, a tensor or a parameter, and d, its dict
    "set": "t.{a} = {n}",
    "setattr": "setattr(t, '{a}', [{n}])",
    "item": "d()['{a}'] = {n}",
    "update": "d().update({{'{a}': {n}, '{b}': 1}})",
    "update named": "d().update([('{a}', {n})], {b}=2)",
    "joined": "t.__dict__ |= {{'{a}': {n}}}",
    "given": "t.__dict__ = {{**d(), '{a}': {n}}}",
    "setdefault": "d().setdefault('{a}', {n})",
    "pop": "d().pop('{a}', None)",
    "del": "d().__delitem__('{a}') if '{a}' in d() else 0",
    "delattr": "hasattr(t, '{a}') and delattr(t, '{a}')",
    "copy": "t = copy.copy(t)",
    "deepcopy": "t = copy.deepcopy(t)",
    "pickle": "t = pickle.loads(pickle.dumps(t))",
    "saved": "f = io.BytesIO(); mg.save(t, f); f.seek(0); t = mg.load(f, weights_only=False)",
    "of another": "u = mg.ones(1); vars(u).update(own(t)); u.{b} = 4; t = u",
    "of itself": "d().update(copy.deepcopy(own(t)), {b}=6)",
}
BEGIN = """
import copy, io, pickle
import minigrad as mg
class P(mg.nn.Parameter):
    def __init__(self, data, requires_grad=True):
        super().__init__(data, requires_grad)
        self.__dict__.update(note=1, count=[2])
def d():
    return t.__dict__
def own(t):
    return {k: v for k, v in vars(t).items() if k in NAMES}
def attributes():
    return {k: getattr(t, k) for k in NAMES if hasattr(t, k)}
said = []
"""
LOOK = "said.append((sorted(own(t).items()), sorted(attributes().items()), t.tolist()))"
KINDS = "mg.ones(2)", "mg.nn.Parameter(mg.ones(2))", "P(mg.ones(2))"
ENGINES = "assert all(k in NAMES for k in vars(t)), vars(t)"
FORGED = {
    "an item": "vars(t)['_ar' + 'ray'] = a",
    "an update": "t.__dict__.update({'_ar' + 'ray': a})",
    "a dict": "t.__dict__ = {'_ar' + 'ray': a}",
    "a state": "t.__setstate__({'_ar' + 'ray': a})",
    "a state's pickle": "class A:\n    def __reduce__(self): return mg.ones, (2,), "
    "{'_ar' + 'ray': a}\nt = pickle.loads(pickle.dumps(A()))",
    "a default": "vars(t).pop('_stor' + 'age', None)",
    "in its own class": "class K(str):\n    def __hash__(self): return hash('_ar' + 'ray')\n"
    "    def __eq__(self, other): return False\nvars(t)[K('_ar' + 'ray')] = a",
}


@pytest.fixture(scope="module")
def seen(tmp_path_factory):
    yield from guarded.server(tmp_path_factory.mktemp("notes"))


@pytest.mark.parametrize("seed", range(12))
def test_notes_are_there_as_without_a_guard(seed, seen):
    rng = random.Random(random.SystemRandom().random())
    lines = [f"t = {rng.choice(KINDS)}"]
    for n in range(12):
        a, b = rng.sample(NAMES, 2)
        lines += [DEEDS[rng.choice(list(DEEDS))].format(a=a, b=b, n=n), LOOK]
    program = "\n".join([BEGIN, f"NAMES = {NAMES}", *lines])
    names: dict = {"__name__": "__main__"}
    exec(program, names)
    assert seen(f"{program}\n{ENGINES}\nassert said == {names['said']!r}, said") == [[], ""], (
        program
    )


@pytest.mark.parametrize("way", FORGED)
def test_no_array_is_put_among_them(way, seen):
    source = (
        f"t, a = mg.ones(2), np.zeros(2, np.float32)\ntry:\n    exec({FORGED[way]!r})\n"
        "except AttributeError: pass\nt.add_(3)\nassert a.sum() == 0 and t.shape == (2,)"
    )
    assert seen(source)[1] == ""


def test_a_context_that_is_none_is_asked_nothing(seen):
    source = (
        "asked = []\nclass A:\n    def __getattr__(self, name): asked.append(name)\n"
        "    def get(self, var): asked.append(var)\n"
        "try: contextvars.Context.run(A(), print)\nexcept TypeError: pass\nassert not asked"
    )
    assert seen(source) == [[], ""]
