"""Programs about lists and dicts of parameters that nobody thought of, as text; beside PyTorch.

After each line all is told that there is then: what it looks like, names, state, bytes, gradients.
"""

import copy
import pickle
import random
from collections import OrderedDict

VALUES = (
    "P(t[0])", "P(t[1], requires_grad=False)", "t[2]", "t[0] * 2", "t[3]", "3", "'a'", "None",
    "P(t[2])", "[t[0]]", "t[0].detach()", "kept", "kept", "l[0]", "d['a']",
)  # fmt: skip
KEYS = "'a'", "'a'", "'b'", "'c'", "'0'", "'a.b'", "''", "'keys'", "3", "'w'"
PLACES = "0", "1", "-1", "2", "-3", "True", "'0'", "slice(1, None)", "slice(None, None, -1)"
PAIRS = (
    "{{{k}: {v}, {j}: {w}}}", "OrderedDict([({k}, {v}), ({j}, {w})])", "[({k}, {v}), ({j}, {w})]",
    "[[{k}, {v}]]", "[({k},)]", "[3]", "3", "d", "e", "zip([{k}], [{v}])", "l", "{{}}",
)  # fmt: skip
OF_LISTS = (
    "l = nn.ParameterList([{v}, {w}])", "l = nn.ParameterList()", "l = nn.ParameterList({w})",
    "l.append({v})", "l.append({v})", "l.append({v}).append({w})", "l.extend([{v}, {w}])",
    "l.extend(x for x in l[:1])", "l += [{v}]", "l[{i}] = {v}", "l[{i}] = {v}", "l.extend({v})",
    "r = l[{i}]", "r = [type(x).__name__ for x in l]", "r = l[1:]", "r = kept in list(l)", "l(3)",
    "r = [*reversed(l)]", "del l[0]", "l.pop(0)", "l = l + [{v}]", "l.insert(0, {v})",
    "net.own = l", "net.add = nn.ParameterList([kept, l[0]])", "l = nn.ParameterList(l)",
)  # fmt: skip
OF_DICTS = (
    "d = nn.ParameterDict({p})", "d = nn.ParameterDict({p})", "d = nn.ParameterDict()",
    "d[{k}] = {v}", "d[{k}] = {v}", "d.update({p})", "d.update({p})", "r = d[{k}]",
    "r = d.pop({k})", "del d[{k}]", "r = d.popitem()", "r = d.setdefault({k}, {v})",
    "r = d.setdefault({k})", "r = d.get({k}, {v})", "d.clear()", "d.update(t[0])", "e = d.copy()",
    "e = d | e", "e |= d", "e = {p} | e", "e = d.fromkeys([{k}, {j}], {v})",
    "r = [{k} in d, len(d), [*d], [*reversed(d)]]",
    "r = [[*d.keys()], [*d.values()], [*d.items()]]", "d(3)", "d()", "net.named = d",
    "net.more = nn.ModuleDict({{'d': d, 'l': l}})",
)  # fmt: skip
OF_BOTH = (
    "y = sum((p.sum() * i for i, p in enumerate(net.parameters(), 1)), t[0].sum()); y.backward()",
    "net.zero_grad()", "net = copy.deepcopy(net)", "net = pickle.loads(pickle.dumps(net))",
    "s = net.state_dict()", "r = net.load_state_dict(s)",
    "r = net.load_state_dict(s, strict=False)", "net.to(mg.float64)", "net.requires_grad_(False)",
    "r = net.load_state_dict(net.state_dict(), assign=True)",
    "o = mg.optim.SGD(net.parameters(), 0.1); o.step()", "l = net.own", "d = net.named",
)  # fmt: skip


def lines(seed: int) -> list:
    """The program of this number."""
    draw = random.Random(seed)
    found = ["d = nn.ParameterDict({'b': t[0], 'a': kept})", "l = nn.ParameterList([t[1], kept])"]
    found += ["e = nn.ParameterDict()", "net.own, net.named = l, d; s = net.state_dict()"]
    for _ in range(draw.randint(4, 12)):
        line = draw.choice(draw.choice([OF_LISTS, OF_DICTS, OF_BOTH]))
        found.append(filled(draw, line))
    return found


def filled(draw, line: str) -> str:
    """The line with values, keys and places by chance."""

    def some():
        one = {name: draw.choice(VALUES) for name in "vw"} | {"i": draw.choice(PLACES)}
        return one | {name: draw.choice(KEYS) for name in "kj"}

    return line.format(**some(), p=draw.choice(PAIRS).format(**some()))


def program(seed: int):
    """What a twin case runs."""

    def run(mg, out):
        t = [mg.arange(6.0).view(2, 3), mg.ones(3), mg.zeros(()), mg.arange(3)]
        P = mg.nn.Parameter
        names = {"mg": mg, "nn": mg.nn, "P": P, "t": t, "kept": P(mg.ones(2, 1))}
        names |= {"net": mg.nn.Module(), "copy": copy, "pickle": pickle}
        names["OrderedDict"] = OrderedDict
        for line in lines(seed):
            names.pop("r", None)
            try:
                exec(line, names)
            except Exception as error:
                out(line, [type(error).__name__, str(error)])
            told(mg, out, names)

    return run


def told(mg, out, names) -> None:
    """All that is there now."""
    for name in sorted(names.keys() & {*"lde"}):
        out(name, [type(names[name]).__name__, looks(names[name]), len(names[name])])
    net = names["net"]
    out("net", [looks(net), [[n, p, p.grad] for n, p in net.named_parameters()]])
    out("state", [[n, p] for n, p in net.state_dict().items()])
    out("r", seen(mg, names.get("r")))
    out("bytes", mg.memory_allocated() - out.start)


def looks(module) -> list:
    try:
        return repr(module).split("\n")
    except AttributeError as error:  # a key that was refused is counted, and nothing is there
        return [str(error)]


def seen(mg, value):
    """What came of a line, so that it can be compared."""
    if isinstance(value, mg.Tensor):
        return [type(value).__name__, value.detach(), value.requires_grad]
    if isinstance(value, (list, tuple)):
        return [seen(mg, one) for one in value]
    return repr(value).split("\n")
