"""How much there is to read. A budget that is hit says what to do."""

import ast
import io
import sys
import tokenize
from pathlib import Path

import pytest

import minigrad as mg
from minigrad.core import observer

ENGINE = Path(mg.__file__).resolve().parent
FILES = sorted(ENGINE.rglob("*.py"))
NAMES = [path.relative_to(ENGINE).as_posix() for path in FILES]
FRONTS = {  # no rules in them
    "__init__", "arranged", "checks", "combined", "composed", "einsum", "functions", "indexing",
    "leaves", "legacy", "makers", "matmul", "messages", "printing", "putting", "reading", "shapes",
    "views",
}  # fmt: skip
RULES = [n for n in NAMES if n.startswith("ops/") and Path(n).stem not in FRONTS]

FILE_LINES = 350  # of text
FUNCTION_LINES = 25  # of code, as all below
RULE_LINES = 12
ENTRIES = 19  # in minigrad/: four are modules that programs import: amp, func, distributions, and
# backends, as `import torch.backends.cudnn as cudnn` stands in many
WAY = 9, 1258  # files and lines that `y = a * b; y.sum().backward()` runs through
PARTS = {  # some three per cent more than there is: room for an op, not for a second way to do one
    "core": 2784,  # 210 of them are errors in words of the call, 20 sums as exact as PyTorch's,
    # 20 dtypes and devices that nobody can change, as PyTorch's, 40 what is said of a program's own
    # callables and of options that are not there, 60 parameters that have another size now,
    # 10 the dtype that new floats have, 5 how new axes lie, 15 tell who watches of writes behind
    # autograd's back
    "ops": 8270,  # names that programs use; what PyTorch refuses, records, and lays out as it does;
    # 17 of the lines tell who watches of answers and errors that depend on values, 25 warn, 22 take
    # what numpy calls, 45 read lists of numbers, 40 tell the limits of dtypes, 85 are views by
    # another name, 65 are a generator of one's own, 70 diagonals, 60 frames, 120 what may be drawn
    # in which dtype, and normal() and bernoulli() in all their forms, 45 groups of
    # channels, 95 products along any axes and differences, 45 windows as views,
    # 55 count by number and draw waiting times, 130 are medians and slices added by index,
    # 10 sizes by name, 55 half floats, of which a result is rounded once, and no number beside
    # them, 40 numbers for which there is no room, no length but a truth value, where what is
    # written over itself is refused, and results that lie as PyTorch's, 35 names of the same,
    # 78 are gates, soft_margin_loss and unflatten, 170 celu, shrinks, threshold, logaddexp,
    # logcumsumexp and take_along_dim, 29 fill_diagonal_, 4 arrays as indices
    "second": 1049,  # second derivatives under PyTorch's names; 50 are group_norm's, a formula
    # there, 8 how what is filled lies, 12 what is recorded of gates, 34 of logcumsumexp and shrinks
    "autograd": 673,  # listening, views and kin of what programs name; 180 of them are gradcheck,
    # 8 what a batch of gradients is not
    "the rest": 535,  # __init__.py, cuda.py, amp.py, distributions.py; func.py with tied weights;
    # 50 are switches that programs set, and nothing happens
    "built on it": 7138,  # nn/ and optim/ with lists and groups of parameters, reversible/, utils/;
    # 35 of them say what PyTorch says where nn is given two things that are wrong, or nothing, 60
    # what a module may have under a name, 32 the words of older programs and where layers are made,
    # 60 files and vectors of parameters, 130 the steps of a layer and of its state that a class may
    # override, 35 sizes and options by position, 55 what a loader is given and holds samples in, 55
    # schedules by a number of the epoch, 60 the mappings that programs take modules apart by, 85
    # hooks on steps and states, 20 a learning rate that is a tensor,
    # 60 two more schedules, 5 that an optimizer moves tensors alone, 175 the norms of groups and
    # of single images, 105 pooling of sequences, 185 losses by margins and of counts,
    # 185 schedules in turn and in cycles, 70 PyTorch's words of files, of states of recurrent
    # layers and what a loader shows of its order, 55 the classes of nn by PyTorch's files,
    # 60 switches that are remembered and where random numbers stand, 110 samplers, data sets that
    # have no numbers, 80 channels dropped, Gumbel's softmax and padded sequences,
    # 110 averages of weights, 12 the options of workers that a loader has not,
    # 42 CELU, shrinks and Threshold,
    # 32 Adadelta and sizes as tuples, 123 RMSNorm, gates, soft_margin_loss and Unflatten, and the
    # places of an optimizer's hooks, which one that was never made lacks
    "memory": 347,  # workspace.py declares what each rule needs beside the ledger: a table
    "missing": 352,  # 80 of them are PyTorch's names of parameters, where minigrad has others,
    # 4 find the instruction at work in each Python, 60 take or name keywords that are not there,
    # 42 the modules in which PyTorch keeps what minigrad has elsewhere
    "replay": 845,
    "gpu": 380,  # 3 of them name what a card has
}
BUILT_ON = {"nn", "optim", "reversible", "utils"}
LONG_FUNCTIONS = {  # why it may be longer than FUNCTION_LINES
    ("core/backward.py", "walk"): "the loop of backward, on one screen, with its cleaning up",
}
REMEDY = (
    "Is there something to take out: a second way to do the same, a check that another one makes? "
    "If not, raise the budget in tests/minigrad/test_size.py, and say in the commit what the lines "
    "are for."
)

# -- counting, as tinygrad's sz.py: lines that hold a token of code --

SILENT = {
    tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT,
    tokenize.ENCODING, tokenize.ENDMARKER,
}  # fmt: skip


def docstring_lines(tree):
    for node in ast.walk(tree):
        documented = isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef))
        if documented and ast.get_docstring(node):
            yield from range(node.body[0].lineno, node.body[0].end_lineno + 1)


def code_lines(text):
    """The numbers of the lines that are neither blank, nor comment, nor docstring."""
    lines: set = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in SILENT:
            lines.update(range(token.start[0], token.end[0] + 1))
    return lines - set(docstring_lines(ast.parse(text)))


def count(path):
    return len(code_lines(path.read_text()))


def functions(path):
    """(name, lines of code, decorators and header included) of each function."""
    text = path.read_text()
    lines = code_lines(text)
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node.name, len(lines & set(range(node.lineno, node.end_lineno + 1)))


def within(what, lines, budget):
    assert lines <= budget, f"{what}: {lines} lines, but {budget} are allowed. {REMEDY}"


def test_the_counter_counts_code_only():
    text = (
        '"""Idea."""\n\n# why\ndef f():\n    """What."""\n    y = """two\nlines"""\n    return y\n'
    )
    assert code_lines(text) == {4, 6, 7, 8}


# -- budgets --


@pytest.mark.parametrize("name", NAMES)
def test_a_file_is_short(name):
    within(name, len((ENGINE / name).read_text().splitlines()), FILE_LINES)


@pytest.mark.parametrize("name", NAMES)
def test_functions_are_short(name):
    for function, lines in functions(ENGINE / name):
        if (name, function) not in LONG_FUNCTIONS:
            within(f"{function}() of {name}", lines, FUNCTION_LINES)
    missing = {f for file, f in LONG_FUNCTIONS if file == name} - dict(
        functions(ENGINE / name)
    ).keys()
    assert not missing, f"LONG_FUNCTIONS names what is not there: {missing}"


@pytest.mark.parametrize("name", RULES)
def test_rules_are_shorter_still(name):
    for function, lines in functions(ENGINE / name):
        if function != "apply":
            within(f"{function}() of {name}", lines, RULE_LINES)


def test_each_part_keeps_its_budget():
    found = dict.fromkeys(PARTS, 0)
    for path in FILES:
        top = path.relative_to(ENGINE).parts[0]
        part = "built on it" if top in BUILT_ON else top if top in PARTS else "the rest"
        found[part] += count(path)
    print(found)
    for part, lines in found.items():
        within(f"minigrad, {part}", lines, PARTS[part])


def test_what_stands_in_minigrad_is_seen_at_a_glance():
    found = sorted(
        path.name for path in ENGINE.iterdir() if not path.name.startswith(("__pyc", "."))
    )
    assert len(found) <= ENTRIES, f"{len(found)} entries, but {ENTRIES} are allowed: {found}"


def test_the_way_of_a_small_program_is_one_evening():
    """The files it runs through, as they are called; not a list of those one would like."""
    a, b = mg.ones(3, requires_grad=True), mg.ones(3, requires_grad=True)
    called = set()

    def note(frame, event, _):
        file = frame.f_code.co_filename
        if event == "call" and file.startswith(str(ENGINE)):
            called.add(Path(file))

    watching = observer.watching  # whom another test has left there is not on the way
    for one in watching:
        observer.leave(one)
    before = sys.getprofile()
    sys.setprofile(note)
    try:
        y = a * b
        y.sum().backward()
    finally:
        sys.setprofile(before)
        for one in watching:
            observer.watch(one)
    lines = {path.relative_to(ENGINE).as_posix(): count(path) for path in called}
    print(len(lines), "files,", sum(lines.values()), "lines:", lines)
    files, budget = WAY
    assert len(lines) <= files, f"{files} files are allowed, not {sorted(lines)}. {REMEDY}"
    within("the way of `y = a * b; y.sum().backward()`", sum(lines.values()), budget)


@pytest.mark.parametrize("name", NAMES)
def test_a_file_begins_with_its_idea(name):
    docstring = ast.get_docstring(ast.parse((ENGINE / name).read_text()))
    assert docstring and docstring.splitlines()[0].endswith((".", ":", "?", ","))
