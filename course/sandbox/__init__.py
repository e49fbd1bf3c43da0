"""Where a learner's code runs: a process of its own, that is watched, and isolated where it can be.

Knows how an exercise is tried, and nothing of a class.
"""

SETUP = "set-up"  # the name of the cell that is the course's own
