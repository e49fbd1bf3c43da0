"""The chain of 1000 mul/add on 4 elements: minigrad's time over PyTorch's, as a ratio.

    python benchmarks/chain.py [rounds]

Each engine has a process of its own, pinned to the same core with one thread; the rounds
alternate; the ratio is formed round by round, and its median and quartiles are printed.
"""

import os
import statistics
import subprocess
import sys
import time

N = 1000
WORKER = "--worker"


def step(mg, x, factors):
    """One forward and backward through N operations; returns seconds of CPU time."""
    start = time.process_time()
    y = x
    for _ in range(0, N, 2):
        y = y * factors[0]
        y = y + factors[1]
    y.sum().backward()
    x.grad = None
    return time.process_time() - start


def worker(engine):
    """Answer each line on stdin with the median time of 10 steps."""
    if engine == "torch":
        import torch as mg

        mg.set_num_threads(1)
    else:
        import minigrad as mg
    x = mg.ones(4, requires_grad=True)
    factors = mg.full((4,), 1.001), mg.full((4,), 0.001)
    step(mg, x, factors)
    for _ in sys.stdin:
        print(statistics.median(step(mg, x, factors) for _ in range(10)), flush=True)


def launch(engine):
    command = [sys.executable, __file__, WORKER, engine]
    env = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": os.getcwd()}
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=env
    )
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(process.pid, {min(os.sched_getaffinity(0))})
    return process


def ask(process):
    process.stdin.write("\n")
    process.stdin.flush()
    return float(process.stdout.readline())


def main(rounds):
    engines = {name: launch(name) for name in ("minigrad", "torch")}
    times = [{name: ask(process) for name, process in engines.items()} for _ in range(rounds)]
    ratios = sorted(t["minigrad"] / t["torch"] for t in times)
    low, middle, high = statistics.quantiles(ratios, n=4)
    for name in engines:
        each = statistics.median(t[name] for t in times) / N * 1e9
        print(f"{name:9} {each:6.0f} ns per operation, forward and backward")
    print(f"minigrad / torch  {middle:.2f}  (quartiles {low:.2f} to {high:.2f}, {rounds} rounds)")
    for process in engines.values():
        process.stdin.close()
        process.wait()


if __name__ == "__main__":
    if WORKER in sys.argv:
        worker(sys.argv[-1])
    else:
        main(int(sys.argv[1]) if len(sys.argv) > 1 else 12)
