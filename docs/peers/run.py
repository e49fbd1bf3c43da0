"""What each tool says of three small leaks: `python docs/peers/run.py [tool [leak]]`.

Each runs in a process of its own, in the way its documentation tells. What is not installed, or
needs a GPU, is "not run". docs/peers.md says which versions were run, and what is made of them.
"""

import contextlib
import importlib
import io
import itertools
import re
import subprocess
import sys

LEAKS = ("kept_list", "running_total", "kept_error")
TURNS = 3


def whoholds(leak):
    from whoholds import grows

    print(grows(leak.step))


def profiler(leak):
    """Three turns: what is left of a turn, and the calls whose own bytes are more than none."""
    from torch._C._profiler import _ExperimentalConfig
    from torch.profiler import ProfilerActivity, profile, record_function

    leak.step()  # the gradients are made in the first
    config = _ExperimentalConfig(verbose=True)  # the stacks of the calls
    with profile(
        activities=[ProfilerActivity.CPU],
        profile_memory=True,
        with_stack=True,
        experimental_config=config,
    ) as profiled:
        for _ in range(TURNS):
            with record_function("turn"):
                leak.step()
    (whole,) = [row for row in profiled.key_averages() if row.key == "turn"]
    print(f"turn: {whole.count} calls, CPU Mem {whole.cpu_memory_usage:,} B")
    rows = profiled.key_averages(group_by_stack_n=16)
    for row in sorted(rows, key=lambda row: -row.self_cpu_memory_usage)[:6]:
        where = [call for call in row.stack if leak.__name__ in call]
        if row.self_cpu_memory_usage > 0:
            print(f"{row.key}: Self CPU Mem {row.self_cpu_memory_usage:,} B, {where}")


def memory_viz(leak):
    import torch

    if not torch.cuda.is_available():
        raise ImportError("it needs CUDA")
    torch.cuda.memory._record_memory_history()
    leak.step()
    torch.cuda.memory._dump_snapshot(f"{leak.__name__}.pickle")


def mem_tracker(leak):
    from torch.distributed._tools.mem_tracker import MemTracker

    tracker = MemTracker()
    tracker.track_external(leak.net)
    with tracker:
        for turn in range(TURNS):
            leak.step()
            tracker.reset_mod_stats()  # else it refuses a second turn
            for parts in tracker.get_tracker_snapshot("current").values():
                told = {getattr(part, "value", part): n for part, n in parts.items() if n}
                print(f"after turn {turn + 1}: {told}")


def torchviz(leak):
    """The graph of the tensor that is kept, if somebody knows which that is."""
    from torchviz import make_dot

    kept = {
        "kept_list": lambda: leak.net.cache[-1],
        "running_total": lambda: leak.total,
        "kept_error": lambda: leak.errors[-1].__traceback__.tb_next.tb_frame.f_locals["h"],
    }[leak.__name__]
    for turn in range(TURNS):
        leak.step()
        try:
            source = make_dot(kept(), dict(leak.net.named_parameters()), show_saved=True).source
        except RuntimeError as error:
            print("with show_saved=True:", str(error)[:66])
            source = make_dot(kept(), dict(leak.net.named_parameters())).source
        labels = re.findall(r'label="?\s*([^"\]]*)', source)
        print(f"after turn {turn + 1}: {len(labels)} boxes:", *map(repr, sorted(set(labels))))


def pytorch_memlab(leak):
    from pytorch_memlab import MemReporter

    reporter = MemReporter(leak.net)
    for turn in range(TURNS):
        leak.step()
        with contextlib.redirect_stdout(io.StringIO()) as told:
            reporter.report()
        print(f"after turn {turn + 1}:")
        for line in told.getvalue().splitlines():
            if line.startswith(("Tensor", "Total")):
                print("   ", " ".join(line.split()))


def objgraph(leak):
    """The objects that a turn adds, and what leads to each tensor that was not there before."""
    from objgraph import by_type, find_backref_chain, growth, is_proper_module, show_chain

    leak.step()
    growth()
    leak.step()
    print(", ".join(f"{name} +{more}" for name, _, more in growth()))
    old = by_type("Tensor")
    leak.step()
    for tensor in by_type("Tensor"):
        if any(tensor is one for one in old):
            continue
        dot = io.StringIO()
        show_chain(find_backref_chain(tensor, is_proper_module), output=dot)
        boxes = re.findall(r'\d\[label="([^"]*)', dot.getvalue())[:0:-1]
        edges = re.findall(r'-> o\d+ \[label="([^"]*)', dot.getvalue())[::-1]
        names = [re.sub(r"\\n.*/|\\n", " ", box)[:30] for box in boxes]
        pairs = itertools.zip_longest(names, edges, fillvalue="")
        print(tuple(tensor.shape), "<-", *(f"[{box}] {edge}" for box, edge in pairs))


def torchlens(leak):
    """One forward pass of its own: the layers of the module, with the line of each."""
    import torch
    from torchlens import trace

    leak.step()
    traced = trace(leak.net, torch.ones(32, 64))
    for layer in traced.layers:
        lines = [f"{at.file.rpartition('/')[2]}:{at.line_number}" for at in layer.code_context]
        print(layer.layer_label, tuple(layer.shape), layer.activation_memory, lines)


TOOLS = {
    tool.__name__: tool
    for tool in (
        whoholds, profiler, memory_viz, mem_tracker, torchviz, pytorch_memlab, objgraph, torchlens,
    )
}  # fmt: skip


def main(tools=None, leaks=None):
    if tools and leaks:
        try:
            TOOLS[tools](importlib.import_module(leaks))
        except ImportError as missing:
            print(f"not run: {missing}")
        return
    for leak, tool in itertools.product(LEAKS, [tools] if tools else TOOLS):
        print(f"\n== {leak}, {tool}", flush=True)
        ended = subprocess.run([sys.executable, __file__, tool, leak])
        if ended.returncode:
            print("failed: its error is above, on standard error", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
