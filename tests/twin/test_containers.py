"""Sequential and ModuleList by chance: made, indexed, written to, cut and joined as in PyTorch."""

import os
import random
import re

import minigrad

SEED = int(os.environ["MINIGRAD_MOVED"])
LAYERS = "nn.ReLU()", "nn.Tanh()", "nn.Linear(1, 2)", "nn.Sequential(nn.GELU())"
WRONG = "3", "'a'", "nn.ReLU", "[nn.ReLU()]", "None", "None"
NAMES = "a", "b", "0", "training", "c.d", "", "1"
STEPS = (
    "m.append({layer})", "m.extend([{layer}, {layer}])", "m.extend({other})", "m.extend(3)",
    "m.insert({i}, {layer})", "m.pop({i})", "m[{i}]", "m[{i}] = {layer}", "del m[{i}]",
    "m[{i}:{j}]", "del m[{i}:{j}]", "m[::-1]", "m += {other}", "m + {other}", "len(m)",
    "[type(one).__name__ for one in m]", "m[0] in m", "m.add_module({name!r}, {layer})",
    "[*m.state_dict()]", "m = m[{i}:]", "m * {i}", "{i} * m", "m *= {i}", "m * 1.5", "m *= {other}",
)  # fmt: skip


def container(draw) -> str:
    layers = [layer(draw) for _ in range(draw.randint(0, 3))]
    if draw.random() < 0.3:
        return f"nn.ModuleList([{', '.join(layers)}])"
    if draw.random() < 0.4:
        rows = ", ".join(f"({draw.choice(NAMES)!r}, {one})" for one in layers)
        return f"nn.Sequential(OrderedDict([{rows}]))"
    return f"nn.Sequential({', '.join(layers)})"


def layer(draw) -> str:
    return draw.choice(WRONG if draw.random() < 0.04 else LAYERS)


def program(seed) -> list:
    """Lines; the first one makes what the others change."""
    draw = random.Random(seed)
    lines = [f"m = {container(draw)}"]
    steps = [step for step in STEPS if not breaks(step, lines[0])]
    for _ in range(draw.randint(1, 8)):
        line = draw.choice(steps)
        places = {"i": draw.randint(-4, 4), "j": draw.randint(-4, 4), "other": container(draw)}
        while "{layer}" in line:
            line = line.replace("{layer}", layer(draw), 1)
        lines.append(line.format(name=draw.choice(NAMES), **places))
    return lines


def breaks(step, first) -> bool:
    """PyTorch's own code loses its way among names that are no numbers, and half writes them."""
    numbered = "OrderedDict" not in first and "ModuleList" not in first
    if "insert" in step or step.startswith("m *="):
        return not numbered
    return "add_module" in step and "OrderedDict" not in first or numbered and "m = m[" in step


def said(engine, lines) -> list:
    """What each line gives, and what the container is after it."""
    names = {"nn": engine.nn}
    exec("from collections import OrderedDict", names)
    found: list = []
    for line in lines:
        try:
            statement = line.startswith(("m = ", "m += ", "m *= ", "del ")) or "] = " in line
            result = exec(line, names) if statement else repr(eval(line, names))
        except Exception as error:
            text = re.sub(r"\b(torch|minigrad)\.[\w.]+\.(?=\w)", "", str(error))
            result = type(error).__name__, text
        found.append((line, result, repr(names.get("m"))))
    return found


def test_programs_by_chance_say_the_same(torch):
    for seed in range(SEED * 1000, SEED * 1000 + 600):
        lines = program(seed)
        for one, other in zip(said(torch, lines), said(minigrad, lines), strict=True):
            assert one == other, f"seed {seed}\n" + "\n".join(lines)
