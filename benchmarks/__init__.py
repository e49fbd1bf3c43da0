"""How fast, beside others: minigrad, PyTorch, hand-written numpy and some Python engines.

    python3 run.py bench [CASE ...] [--rounds N] [--quick]

A case (cases/) is one program, written for each engine in that engine's own style. Each engine
has a process of its own (worker.py) on the same core, with one thread; it is asked in turn, in an
order that is drawn anew each round (rounds.py). What is kept is a ratio of each round: a neighbour
who slows the machine down slows both of its terms. view.py stands apart: it times the browser.
"""
