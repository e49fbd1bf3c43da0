"""The ledger lent to PyTorch is exact: it counts what PyTorch's allocator hands out, no more."""

import itertools
import subprocess
import sys

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed")

from course.twin.tracker import as_mg  # noqa: E402
from tests.twin.allocations import allocations  # noqa: E402

X = "x=torch.full((1000,), 0.5, requires_grad=True);"
PROGRAMS = [
    "y=(x*x).sum();y.backward()",
    "y=(x.exp()+x.tanh()+x.sigmoid()).sum();y.backward()",
    "h=x.neg();y=(h.exp()+h.tanh()).sum();del h;y.backward();del y",
    "y=x.sum();y.backward()",
    "w=torch.ones(1000);y=(x+x).exp();y.backward(w)",
    "w=torch.ones(1000);h=x.exp();y=(h-h-h).exp();y.backward(w)",
    "b=torch.ones(1,requires_grad=True);y=(x*b).sum();y.backward()",
    "h=x.view(10,100);W=torch.ones(100,20,requires_grad=True);w=torch.ones(10,20)"
    ";y=(h@W).relu();y.backward(w)",
    "h=x.exp();y=(h.tanh()+h.sigmoid()).sum();g,=torch.autograd.grad(y,h);y2=h.sum();y2.backward()",
    "h=x.exp();h.retain_grad();y=(h.tanh()+h.sigmoid()).sum();y.backward()",
    "kept=[];h=x.exp();h.register_hook(kept.append);y=(h.tanh()+h.sigmoid()).sum();y.backward()",
    "h=x.exp();h.register_hook(lambda g:g.neg());y=(h+h).sum();y.backward()",
    "y=x.exp().sum();y.backward(retain_graph=True);y.backward();del y",
    "h=x.clone();h[0:500]=x[500:].exp();y=h.sum();y.backward()",
    "y=torch.cat([x,x.exp()]).sum();y.backward()",
    "a,b=x.chunk(2);y=(a*b).sum();y.backward()",
    "y=x.double().exp().sum();y.backward()",
    "y=x.view(10,100).t()*x.view(100,10);w=torch.ones(100,10);y.backward(w)",
    "a=x.view(1000,1).expand(1000,3);y=a.exp().sum();y.backward()",
]


MARK = 4 * 12345


@pytest.fixture(scope="module")
def allocator():
    """(live, peak) of each program as torch's own profiler saw its allocations, from after x on."""

    def run():
        for code in PROGRAMS:
            space = {"torch": torch}
            exec(X, space)
            torch.empty(MARK // 4)  # marks the place where the program begins
            exec(code, space)
            torch.empty(MARK // 4)  # and where it ends

    sizes = allocations(run)
    marks = [place for place, size in enumerate(sizes) if size == MARK]
    parts = [sizes[a + 2 : b] for a, b in zip(marks[::2], marks[1::2], strict=True)]
    totals = [list(itertools.accumulate(part, initial=0)) for part in parts]
    return {c: (t[-1], max(t)) for c, t in zip(PROGRAMS, totals, strict=True)}


def ledger(code):
    with as_mg() as mg:
        space = {"torch": mg}
        exec(X, space)
        start = mg.memory_allocated()
        mg.reset_peak_memory_stats()
        exec(code, space)
        return mg.memory_allocated() - start, mg.max_memory_allocated() - start


@pytest.mark.parametrize("code", PROGRAMS)
def test_live_and_peak_are_the_allocators(code, allocator):
    assert ledger(code) == allocator[code]


FACTORIES = {
    "torch.ones(10)": 40, "torch.zeros(10, dtype=torch.float64)": 80, "torch.tensor([1.0, 2.0])": 8,
    "torch.tensor(3)": 8, "torch.tensor([True])": 1, "torch.arange(5)": 40, "torch.rand(3)": 12,
    "torch.full((2,), 1.0)": 8, "torch.empty(7)": 28, "torch.zeros_like(x)": 4000,
    "x.view(10, 100)": 0, "x.detach()": 0, "x.data": 0, "x[0]": 0, "x.unbind()": 0,
    "x.clone()": 4000, "x * 5": 4000,
    "x.max(0)": 12, "torch.nn.Linear(2, 3)": 36, "x.detach().numpy()": 0,
    "x.untyped_storage()": 0, "torch.nn.Parameter(torch.ones(2))": 8,
}  # fmt: skip


@pytest.mark.parametrize("code", FACTORIES)
def test_each_birth_is_seen_and_each_death(code):
    with as_mg() as mg:
        space = {"torch": mg}
        exec(X, space)
        start = mg.memory_allocated()
        exec(f"r = {code}", space)
        assert mg.memory_allocated() - start == FACTORIES[code]
        del space["r"]
        assert mg.memory_allocated() == start


def test_counts_from_its_installation_and_no_longer_after():
    before = torch.ones(100)
    with as_mg() as mg:
        assert mg.memory_allocated() == mg.cuda.memory_allocated() == 0
        kept = before + 1
        assert mg.memory_allocated(None) == mg.cuda.max_memory_allocated() == 400
    later = torch.ones(5)
    assert mg.memory_allocated() == 400
    del kept, later
    assert mg.memory_allocated() == 0


def test_the_facade_is_torch_otherwise():
    with as_mg() as mg:
        assert mg.Tensor is torch.Tensor and mg.nn is torch.nn and "ones" in dir(mg)
        with pytest.raises(AttributeError):
            mg.nothing_like_it  # noqa: B018


FIRST = """
import gc
from course.twin.tracker import as_mg
mg = as_mg()
assert mg.max_memory_allocated() == 0
gc.disable()
def f():
    x = mg.ones(1000, requires_grad=True)
    before = mg.memory_allocated()
    {first}
    print(mg.max_memory_allocated() - before, end=" ")
f()
print(mg.memory_allocated())
"""


@pytest.mark.parametrize(
    ("first", "said"),
    [
        ("mg.utils.checkpoint.checkpoint(lambda t: t * 2, x, use_reentrant=False)", "4000 0\n"),
        ("mg.optim.SGD([x], lr=0.1)", "0 0\n"),
    ],
)
def test_what_torch_imports_late_is_not_counted_and_holds_no_frame(first, said):
    process = [sys.executable, "-c", FIRST.format(first=first)]
    assert subprocess.run(process, capture_output=True, text=True, check=True).stdout == said


def test_deaths_in_another_thread_are_seen():
    import threading

    with as_mg() as mg:
        held = [mg.ones(100)]
        thread = threading.Thread(target=held.clear)
        thread.start()
        thread.join()
        assert mg.memory_allocated() == 0


def test_watching_does_not_change_where_gradients_go():
    def pointers(module):
        x = module.ones(10, requires_grad=True)
        seen = []
        x.register_hook(lambda grad: seen.append(grad.data_ptr()))
        (x.exp() + x.tanh()).sum().backward()
        return x.grad.data_ptr() == seen[0]

    with as_mg() as mg:
        assert pointers(mg) == pointers(torch) is True


def test_matrix_products_are_counted_on_both_engines():
    def products(mg):
        x, w = mg.ones(3, 4), mg.ones(4, 4).requires_grad_()
        linear = mg.nn.Linear(4, 2)
        with mg.memory.count_ops() as n:
            linear((x @ w) @ w).sum().backward()
            with mg.no_grad():
                x @ w
        x @ w
        return n.matmuls

    import minigrad

    with as_mg() as mg:
        assert products(mg) == products(minigrad) == 9
