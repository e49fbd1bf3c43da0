"""Random training loops: nets of some blocks, an optimizer, and now and then a leak."""

import random
from importlib import import_module

import whoholds


def loop(seed, engine, turns=3):
    """The trace of some turns; what is kept over turns is drawn as well."""
    lib, rng = import_module(engine), random.Random(seed)
    lib.manual_seed(seed)
    wide, kept = rng.choice([2, 4]), []
    make = (
        lambda: lib.nn.Linear(wide, wide),
        lambda: lib.nn.Sequential(lib.nn.Linear(wide, wide), lib.nn.ReLU()),
        lambda: lib.nn.BatchNorm1d(wide),
        lib.nn.Tanh if engine == "torch" else lib.nn.ReLU,
    )
    net = lib.nn.Sequential(lib.nn.Linear(wide, wide), *(rng.choice(make)() for _ in range(4)))
    options = rng.choice([{}, {"momentum": 0.5}])
    optimizer = lib.optim.SGD(net.parameters(), lr=0.1, **options)
    leak, told = rng.choice(["out", "loss", None]), rng.random() < 0.5
    with whoholds.record(engine=engine) as trace:
        for _ in range(turns):
            x = lib.ones(5, wide)
            out = net(x * 2)
            loss = out.tanh().sum()
            kept += [{"out": out, "loss": loss}[leak]] if leak else []
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if told:
                trace.recorder.turn()
    return trace
