"""`%%step` without `--engine`: PyTorch where only PyTorch will do, and a line that says so."""

import ast
import json
import shlex
import subprocess
import sys
import types
from pathlib import Path
from random import Random

import pytest

import minigrad
from minigrad.missing import everywhere, pytorch
from whoholds import engines
from whoholds.step import magic
from whoholds.step.choose import choose, leads_to
from whoholds.step.instrument import names_of
from whoholds.step.lacking import BUILT_ON_IT, lacking
from whoholds.step.magic import run, step_cell

ROOT = Path(__file__).resolve().parents[2]
PLACES = {name.replace("minigrad", "torch", 1): sys.modules[name] for name in everywhere.MODULES}
HELP = "`%%step --engine minigrad` runs it on minigrad."


@pytest.fixture
def torch_is_there(monkeypatch):
    """As far as choosing goes: it does not import it."""
    monkeypatch.setattr(engines, "installed", lambda name: True)


@pytest.fixture
def torch_is_absent(monkeypatch):
    monkeypatch.setattr(engines, "installed", lambda name: name != "torch")


def spellings(place, name):
    """Programs that use this name of a module, as people import it."""
    above, _, last = place.rpartition(".")
    yield f"import {place}\n{place}.{name}"
    yield f"import {place} as it\nit.{name}(3).x"
    yield f"from {place} import {name}"
    yield f"import {place}.{name} as it"
    yield f"def f(x):\n    import {place} as it\n    return it.{name}"
    yield f"import torch\nit = {place}.{name}"
    if above:
        yield f"from {above} import {last}\nclass C({last}.{name}):\n    pass"
        yield f"import torch\nit = {place}\nprint(it.{name})"


# -- names under torch --


@pytest.mark.parametrize("place", PLACES)
def test_a_name_that_only_pytorch_has_chooses_it_however_it_is_written(place, torch_is_there):
    names = sorted(pytorch.names()[place])
    draw = Random(place)  # each place's names with one spelling each; all spellings are drawn
    for name in names:
        lacked = name not in vars(PLACES[place])
        source = draw.choice(list(spellings(place, name)))
        engine, why = choose(source, {})
        assert engine == ("torch" if lacked else "minigrad"), source
        sentence = f"This cell runs on PyTorch: minigrad has no `{place}.{name}`. {HELP}"
        assert why == (sentence if lacked else ""), source


@pytest.mark.parametrize(
    "source",
    [
        "import torch\ntorch.svd_of_everything()",  # PyTorch lacks it too
        "import torch\ntorch = object()\ntorch.logspace",
        "from torch import nn\ndef f(nn):\n    return nn.KLDivLoss()",
        "import numpy as torch\ntorch.logspace(3)",
        "import minigrad as torch\ntorch.logspace(3)",
        "import minigrad as mg, torch\ntorch.logspace(3)\nmg.ones(2)",
        "x.KLDivLoss, nn.KLDivLoss",
        "from torch import *",
        "from . import torch",
        "import torch\nb = = 2",
        "",
    ],
)
def test_what_pytorch_would_not_mend_stays_with_minigrad(source, torch_is_there):
    assert choose(source, {}) == ("minigrad", "")


def test_a_private_name_is_pytorch_s_own(torch_is_there):
    for name in "_dynamo", "_C":
        assert choose(f"import torch\ntorch.{name}", {})[0] == "torch"


@pytest.mark.parametrize("package", sorted(BUILT_ON_IT))
def test_what_is_built_on_pytorch_runs_on_it(package, torch_is_there):
    why = f"This cell runs on PyTorch: minigrad has no `{package}`. {HELP}"
    used = f"import torch\nfrom {package}.models import net\nnet(torch.ones(2))"
    assert choose(used, {}) == ("torch", why)
    earlier = {"it": types.ModuleType(package)}
    assert choose("it.models.net()", earlier) == ("torch", why)
    assert choose(f"{package} = 3\nprint({package})", {}) == ("minigrad", "")


def test_the_first_name_in_the_text_is_told(torch_is_there):
    source = "from torch import nn, optim\nnn.Linear(2, 2)\nnn.CTCLoss()\noptim.Adadelta\nnn.GLU()"
    assert "`torch.nn.CTCLoss`" in choose(source, {})[1]


def test_where_there_is_no_pytorch_minigrad_runs_and_the_error_has_the_remedy(
    torch_is_absent, capsys
):
    assert choose("import torch\ntorch.logspace(0, 1, 2)", {}) == ("minigrad", "")
    step_cell("", "import torch\ntorch.nn.CTCLoss()", {}, display=lambda view: None)
    where, help_, remedy = capsys.readouterr().out.splitlines()
    assert where.startswith("line 2, `torch.nn.CTCLoss()`: AttributeError: ")
    assert help_.startswith("minigrad has no `torch.nn.CTCLoss`") and remedy == magic.NO_TORCH


@pytest.mark.parametrize("line", ["raise ValueError", "import torch\ntorch.no_such_name"])
def test_no_other_error_has_that_remedy(line, torch_is_absent, capsys):
    step_cell("", line, {}, display=lambda view: None)
    assert len(capsys.readouterr().out.splitlines()) == 1


def test_where_there_is_no_minigrad_there_is_nothing_to_choose(monkeypatch):
    monkeypatch.setattr(engines, "installed", lambda name: name != "minigrad")
    assert choose("x = 1", {}) == ("torch", "")


def test_torch_is_not_imported_to_find_out():
    source = "import torch\nx = torch.nn.KLDivLoss()\ny = [x, n]"
    code = "import sys; from whoholds.step.choose import choose; "
    code += f"choose({source!r}, {{'n': 1}}); print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert done.stdout == "False\n", done.stderr


# -- cells that are committed --


def committed():
    """(options, source) of each cell of a notebook or a lesson that `%%step` runs."""
    for folder in "notebooks", "exercises", "solutions":
        for path in sorted((ROOT / folder).rglob("*.ipynb")):
            for cell in json.loads(path.read_text("utf-8"))["cells"]:
                source = "".join(cell["source"])
                if cell["cell_type"] == "code" and source.startswith("%%step"):
                    head, _, body = source.partition("\n")
                    yield magic.parser().parse_args(shlex.split(head)[1:]), body


def test_no_committed_cell_changes_its_engine():
    cells = list(committed())
    assert len(cells) > 20
    for options, body in cells:
        tree = ast.parse(body)
        assert options.engine or not lacking(tree, {name: "torch" for name in names_of(tree)}), body


# -- what PyTorch has made --

MADE = """
import functools
import torch, torch.nn as nn, torch.nn.functional as F
from torch import ones
net = nn.Linear(2, 2)
opt = torch.optim.Adam(net.parameters())
t = torch.ones(2)
class Net(nn.Module): pass
class Agent:
    def __init__(self): self.net = nn.Linear(2, 2)
agent = Agent()
def train(): return net(torch.ones(2))
def helper(): return torch.ones(2)
def maker(w):
    return lambda: w
inner = maker(t)
part = functools.partial(train)
method = agent.__init__
nested, pairs, several = [{"a": agent}], {"n": net}, (1, {2, net})
numbers = [1, 2]
def plain(): return numbers
def again(): return train()
def unbound():
    def inner(): return value
    return inner
    value = 1
empty = unbound()
"""
OTHERS = """
def direct(): return net
def far(): return direct()
"""


@pytest.fixture(scope="module")
def made():
    pytest.importorskip("torch", reason="PyTorch is not installed")
    namespace = {"__name__": "__main__", "mine": minigrad.ones(2), "mg": minigrad}
    exec(MADE, namespace)
    others = {"__name__": "a_library", "net": namespace["net"]}
    exec(OTHERS, others)
    namespace |= {name: others[name] for name in ("direct", "far")}
    namespace["module"] = types.ModuleType("module")
    namespace["module"].t = namespace["t"]
    yield namespace
    namespace.clear()


IS, USES = (
    "net opt t Net nn F ones".split(),
    "agent Agent train inner part method nested pairs again direct",
)


@pytest.mark.parametrize("name", [*IS, *USES.split(), "helper", "several"])
@pytest.mark.parametrize(
    "source", ["print({})", "y = [{0} for _ in (1,)]", "def f():\n    return {}.x", "{0} = {0}"]
)
def test_a_cell_that_mentions_what_pytorch_has_made_runs_on_it(name, source, made):
    engine, why = choose(source.format(name), made)
    said = f"`{name}` is PyTorch's" if name in IS else f"`{name}` uses PyTorch"
    assert (engine, why) == ("torch", f"This cell runs on PyTorch: {said}. {HELP}")


@pytest.mark.parametrize(
    "source",
    [
        "import torch\ntorch.ones(2)",
        "torch.ones(2)",
        "import torch\ny = helper() + torch.ones(2)",  # its torch, too, is minigrad meanwhile
        "mine * 2",
        "mg.ones(2)",
        "numbers, plain()",
        "t = 1\nt + 1",
        "import torch.nn as nn\nnn.Linear(2, 2)",
        "for t in range(2):\n    t",
        "def net(): pass\nnet()",
        "def f(t):\n    return t",
        "def f():\n    return t\nt = 1\nf()",
        "module.t",  # who knows what else it has
        "far()",  # how a library does it is not followed
        "empty()",
        "x = object()\nx.net",
        "import torch\nmine * torch.logspace(0, 1, 2)",  # PyTorch could not multiply it
        "unknown + 1",
    ],
)
def test_any_other_cell_runs_on_minigrad(source, made):
    assert choose(source, made) == ("minigrad", "")


def test_the_shell_leads_to_all_names_and_mentions_none(made):
    class Shell:
        def get_ipython(self):
            return self

    shell = Shell()
    shell.user_ns, shell.history = made, {"Out": [made["t"]]}
    namespace = {"get_ipython": shell.get_ipython}
    assert choose("print(get_ipython())", namespace) == ("minigrad", "")
    shell.history.clear()
    assert leads_to(shell, made, False) == set()


def test_a_cell_run_again_keeps_its_engine():
    pytest.importorskip("torch", reason="PyTorch is not installed")
    source, namespace = "import torch\nw = torch.ones(2)\nfor i in (1,):\n    y = w * 2", {}
    for options in "", "--engine torch", "":
        step_cell(options, source, namespace, display=lambda view: None)
        assert engines.of(namespace["y"]) == {"torch" if options else "minigrad"}


def test_looking_calls_nothing_and_has_an_end():
    class Angry:
        def __getattribute__(self, name):
            raise AssertionError(name)

        __iter__ = __len__ = __eq__ = __bool__ = __getattr__ = __getattribute__

    class Items(list):
        __iter__ = __len__ = Angry.__getattribute__

    circle = [Angry(), Items([minigrad])]
    circle.append(circle)
    assert leads_to(circle, {}, False) == {"minigrad"}
    wide = [[[object() for _ in range(24)] for _ in range(24)] for _ in range(24)]
    wide[-1][-1][-1] = minigrad.ones(1)
    assert leads_to(wide, {}, False) == set() and leads_to(wide[-1][-1], {}, False)


# -- the magic --


def test_the_line_stands_before_the_view_and_the_cell_runs_on_pytorch(capsys):
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    namespace = {}
    step_cell(
        "",
        "import torch\nx = torch.logspace(0, 1, 2)",
        namespace,
        display=lambda view: print("VIEW"),
    )
    first, *_, last = capsys.readouterr().out.splitlines()
    assert first == f"This cell runs on PyTorch: minigrad has no `torch.logspace`. {HELP}"
    assert last == "VIEW" and type(namespace["x"]) is torch.Tensor


@pytest.mark.parametrize("source", ["import torch\nx = torch.logspace(0, 1, 2)", "y = net"])
def test_who_names_an_engine_gets_it_and_no_line(source, made, capsys):
    step_cell("--engine minigrad", source, dict(made), display=lambda view: None)
    assert "This cell runs on" not in capsys.readouterr().out


def test_names_drawn_from_pytorch_run_on_it(capsys):
    pytest.importorskip("torch", reason="PyTorch is not installed")
    draw = Random(16)
    for place in "torch.nn", "torch.nn.functional", "torch.optim":
        lacked = sorted(n for n in pytorch.names()[place] if n not in vars(PLACES[place]))
        for name in draw.sample(lacked, 4):
            namespace, plain, source = {}, {}, f"from {place} import {name} as found"
            step_cell("", source, namespace, lambda view: None)
            exec(source, plain)
            assert namespace["found"] is plain["found"]
            assert capsys.readouterr().out.startswith("This cell runs on PyTorch")


def test_the_name_torch_that_minigrad_left_is_pytorch_on_its_engine():
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    namespace = {"torch": minigrad}
    assert choose("x = torch.logspace(0, 1, 2)", namespace)[0] == "torch"
    run("x = torch.logspace(0, 1, 2)", "torch", namespace)
    assert type(namespace["x"]) is torch.Tensor and namespace["torch"] is minigrad
