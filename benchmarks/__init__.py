"""How fast, beside others: minigrad, PyTorch, hand-written numpy and some Python engines.

    python3 run.py bench [CASE ...] [--rounds N] [--quick]

A case (cases/) is one program, written for each engine in that engine's own style. Two of them make
a ratio: they run in one process with one thread, proved to compute the same, warmed up, and take
turns (pair.py). Each round gives a ratio: a neighbour who slows the machine down slows both of its
terms. Shown are the median of 25 rounds, the quartiles, and the most that it may be (bars.py). A
whole run writes the table in README.md (readme.py). view.py stands apart: it times the browser.
"""
