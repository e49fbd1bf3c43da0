"""All that waits for an NVIDIA card, in one command: `python3 run.py gpu`.

It needs Python, numpy and CuPy; PyTorch with CUDA, where it is there, is asked too. Each stage
(plan.py) runs in a process of its own, is stopped when its share of the time is spent, and yields
rows (row.py); the others go on whatever becomes of it (runner.py). At the end stands one table
(report.py). `--simulate` does what can be done on the stand-in.
"""
