"""Writes each rule's `call` and `apply` for the ordinary case, from what the rule declares.

op.py says what they do, for any rule and whatever is switched on. Most calls are ordinary: numpy
arrays of one dtype, no pack hooks, no replay, the whole graph is wanted. For these the same steps
are written out, with the rule's own names, as dataclasses writes an `__init__`; observers are told
on this way, too. Look at one:

    print(MulBackward0.source())

All else is handed on to op.py. With MINIGRAD_PLAIN=1 in the environment nothing is generated.
"""

from __future__ import annotations

import functools
import linecache
from textwrap import indent

import numpy as np

from minigrad.core import modes, observer, storage
from minigrad.core.node import LOST, NOWHERE, edge, newer
from minigrad.core.storage import Storage
from minigrad.core.tensor import Tensor
from minigrad.core.words import USUAL, refused

CALL = """\
def call({parameters}):
    try:
        if {unusual}:
            return {general}
        {arrays} = {arrays_of}
        if {foreign}:
            return {general}
        try:
            result = forward({arrays}{arguments})
        except (TypeError, ValueError):
            return {general}  # which says in PyTorch's words what is wrong
        if observer.on_computed:
            observer.tell_computed(op)
{make}
        if {unwanted}:
            return out
        node = op()
{edges}
        node._order = next(newer)
{facts}
        out._edge = node, 0
        if observer.watching:
            for tell in observer.on_recorded:
                tell(node, out, {given})
        return out
    except Exception as error:
        told = [refused(error, asked, {named}, {rest})]
        if told == [None]:
            raise
    if told == [NotImplemented]:
        return NotImplemented  # Python asks the other operand
    raise told.pop()  # a name for it would hold, by its traceback, what the op was given
"""

VIEW = """\
def call({parameters}):
    if modes.packing or modes.off or observer.watching:
        return {general}
    out = blank(Tensor)
    out._array = forward({first}._array{arguments})
    out._storage = {first}._storage
    base = out._base = {first} if {first}._base is None else {first}._base
    if {first}._view_kind:
        out._view_kind = {first}._view_kind
    if {first}._edge is NOWHERE:
        out._edge = NOWHERE
        base._remember_view(out)
        return out
    out._made_at = {first}._storage.stamp
    node = op()
{edges}
    node._order = next(newer)
{facts}
    out._was, out._edge = (node, 0), LOST
    return out
"""

APPLY = """\
def apply(node, grads, asked=None):
    grad = grads[0]
    if modes.packing or grad is None or asked is not None:
        return Op.apply(node, grads, asked)
{unpack}
    given = grad._array
{peak}
    results = op.backward(node, {given})
    results = results if type(results) is tuple else (results,)
    if observer.on_computed:
        observer.tell_computed(node.__class__, results)
    outputs = []
    for result in results:
        if result is None:
            out = None
        elif result is given:
            out = grad
        else:
{make}
        outputs.append(out)
    for i, shape, dtype in node._meta:
        outputs[i] = fit(outputs[i], shape, dtype)
    return outputs
"""

ENTRIES = """\
entries = node._saved
if type(entries) is not list:
    return Op.apply(node, grads, asked)  # which says who has freed it"""

UNPACK = """\
entry = entries[{index}]
if entry is None:
    saved_{name} = None
elif type(entry) is tuple:
    tensor, version = entry
    if tensor._storage.version != version or tensor._detached:
        return Op.apply(node, grads, asked)  # which says what was changed
    saved_{name} = tensor._array
else:
    return Op.apply(node, grads, asked)"""

INPUT_ENTRY = """\
({name}, {name}._storage.version)"""

OUTPUT_ENTRY = """\
(out._twin(out._array), 0)"""

# What Tensor._new does, for an array that owns its bytes.
NEW = """\
if type(result) is not ndarray or result.base is not None or observer.booking:
    out = {otherwise}(result)
else:
    owner = Storage()
    owner.array = result
    owner.version = 0
    owner.bytes = size = result.nbytes
    storage.live += size
    if storage.live > storage.peak:
        storage.peak = storage.live
    out = blank(Tensor)
    out._array = result
    out._storage = owner
    out._edge = NOWHERE
    if observer.watching:
        for tell in observer.on_made:
            tell(out, True)"""

NAMES: dict = {
    "LOST": LOST, "asked": None, "refused": refused, "usual": USUAL.issuperset,
    "NOWHERE": NOWHERE, "Storage": Storage, "Tensor": Tensor,
    "edge": edge, "blank": object.__new__, "modes": modes, "ndarray": np.ndarray, "newer": newer,
    "__name__": __name__, "observer": observer, "state": modes.state, "storage": storage,
}  # fmt: skip


def functions(op, names: dict) -> dict:
    """{"call": function, "apply": function} of a rule, those of the two that its source has.

    `names` are those of op.py that the source uses.
    """
    made = {}
    for name, text in texts(op).items():
        namespace = {**NAMES, **names, "op": op, "forward": getattr(op, "forward", None)}
        exec(code(text), namespace)
        made[name] = namespace[name]
        made[name].generated = True
    return made


@functools.cache
def code(text: str):
    """The text compiled, once for all rules that have the same; a traceback shows its lines."""
    file = f"<minigrad generated {len(linecache.cache)}>"
    linecache.cache[file] = len(text), None, text.splitlines(True), file
    return compile(text, file, "exec")


def texts(op) -> dict:
    """What is generated for a rule: what follows from what it declares, if that is all it takes."""
    found = {}
    if hasattr(op, "forward") and not op.several:
        found["call"] = _call(op)
    if hasattr(op, "backward") and op.saves.keys() <= {*op.inputs, *op.extras, "result"}:
        found["apply"] = _apply(op)
    return found


def _call(op) -> str:
    names, every = op.inputs, (*op.inputs, *op.extras)
    arrays = "abcdefgh"[: len(every)]
    rest = ", *arguments" if op.argument_names and not op.arguments else ""
    given = f"{_tuple(every)}, {'arguments' if rest else '()'}"
    depth = " " * (4 if op.view else 8)
    others = ["a.dtype is not b.dtype"] * op.promotes
    foreign = ["not usual(map(type, arguments))"] * bool(rest and not op.exact)  # see words.exact
    return (VIEW if op.view else CALL).format(
        parameters=", ".join(every) + rest,
        arguments=rest,
        general=f"apply_view(op, {names[0]}{rest})" if op.view else f"apply(op, {given})",
        given=_tuple(every),
        first=names[0],
        unusual=" or ".join(["modes.packing", *_no_tensors(op), *foreign]),
        arrays=", ".join(arrays),
        arrays_of=", ".join([*map(_array, names), *map(_array_if_given, op.extras)]),
        named="{" + ", ".join(f'"{name}": {name}' for name in names) + "}",
        rest=_tuple([*op.extras, *["*arguments"] * bool(rest)]),
        foreign=" or ".join([*_foreign(op, arrays), *others]),
        make=indent(NEW.format(otherwise=f"{names[0]}._new"), depth),
        unwanted=_unwanted(names),
        edges=indent("\n".join(_edges(names)), depth),
        facts=indent("\n".join(_facts(op, arrays, bool(rest))), depth),
    )


def _array(name) -> str:
    return f"{name}._array"


def _array_if_given(name) -> str:
    return f"None if {name} is None else {name}._array"


def _foreign(op, arrays):
    """The conditions under which an array is none of numpy's; of extras, one that is given."""
    for name, array in zip((*op.inputs, *op.extras), arrays, strict=True):
        given = f" and {name} is not None" if name in op.extras else ""
        yield f"(type({array}) is not ndarray{given})"


def _no_tensors(op):
    """The conditions under which something is no tensor; the first is one."""
    for name in (*op.inputs[1:], *op.extras):
        given = f"{name} is not None and " if name in op.extras else ""
        yield f"({given}type({name}) is not Tensor and not isinstance({name}, Tensor))"


def _tuple(parts) -> str:
    return f"({', '.join(parts)},)" if parts else "()"


def _edges(names):
    """The lines of `node.next_functions`; of several inputs each edge has a name, `to_other`: it is
    NOWHERE if the gradient of `other` is not wanted, or lost."""
    found = [f"{name}._edge or edge({name})" for name in names]
    if len(names) > 1:
        yield from (f"to_{name} = {line}" for name, line in zip(names, found, strict=True))
        found = [f"to_{name}" for name in names]
    yield f"node.next_functions = {_tuple(found)}"


def _unwanted(names) -> str:
    none = " and ".join(f"{name}._edge is NOWHERE" for name in names)
    return f"({none}) or (modes.off and not state.grad_enabled)"


def _facts(op, arrays, rest):
    """The lines that set what the node remembers."""
    if rest:
        yield "node.arguments = arguments" if op.exact else "node.arguments = settled(arguments)"
    if op.sized:
        yield f"node.sizes = {op.inputs[0]}._array.shape"
    if op.stretched:
        yield from _meta(op, arrays)
    if op.saves:
        yield from _saved(op)


def _meta(op, arrays):
    """The lines of `node._meta`: the inputs to be fitted again, if one is not like `out`."""
    if op.view:
        arrays, result = [f"{op.inputs[0]}._array"], "out._array"
    else:
        result = "result"
    places = [op.inputs.index(name) for name in op.stretched]
    every = [f"({i}, {arrays[i]}.shape, {arrays[i]}.dtype)" for i in places]
    if len(op.inputs) > 1:
        wanted = [f"(to_{op.inputs[i]} is not NOWHERE)" for i in places]
        every = [f"*[{row}] * {yes}" for row, yes in zip(every, wanted, strict=True)]
    rows = ", ".join(every)
    unlike = [f"{arrays[i]}.{of} != {result}.{of}" for i in places for of in ("shape", "dtype")]
    yield f"if {'a.shape != b.shape' if op.promotes else ' or '.join(unlike)}:"
    yield f"    node._meta = [{rows}]"


def _saved(op):
    """The lines of `node._saved`: an entry for each name, under the rule's condition."""
    users = {name: set(names.split()) for name, names in op.saves.items()}
    always = {name for name, inputs in users.items() if inputs >= set(op.inputs)}
    if not always:
        yield f"if {_needed(op, set().union(*users.values()))}:"
    yield "    " * (not always) + "node._saved = ["
    for name, inputs in users.items():
        entry = OUTPUT_ENTRY if name == "result" else INPUT_ENTRY.format(name=name)
        needs = [f"({_needed(op, inputs)})"] * (name not in always)
        needs += [f"{name} is not None"] * (name in op.extras)
        needed = f" if {' and '.join(needs)} else None" if needs else ""
        yield "    " * (2 - bool(always)) + f"{entry}{needed},"
    yield "    " * (not always) + "]"


def _needed(op, names) -> str:
    return " or ".join(f"to_{name} is not NOWHERE" for name in op.inputs if name in names)


def _apply(op) -> str:
    lines = [ENTRIES] * bool(op.saves)
    lines += [UNPACK.format(index=i, name=name) for i, name in enumerate(op.saves)]
    given = ", ".join(["given", *(f"saved_{name}" for name in op.saves)])
    size = f"{op.peak} * given.nbytes" if isinstance(op.peak, int) else f"op.peak(node, {given})"
    return APPLY.format(
        unpack=indent("\n".join(lines), " " * 4),
        given=given,
        peak=f"    storage.pass_by({size})" if op.peak else "",
        make=indent(NEW.format(otherwise="grad._wrap"), " " * 12),
    )
