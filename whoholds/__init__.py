"""Which bytes of a program live, and who holds them: for minigrad and for PyTorch.

    with whoholds.record() as trace:
        train_step(model, batch)
    print(trace)
    trace.save("answer.html")
    whoholds.who(tensor)
    whoholds.grows(lambda: train_step(model, batch))

None of the engines is imported before it is needed.
"""

from whoholds.growth import assert_steady, grows
from whoholds.holders.who import who
from whoholds.recording import record
from whoholds.step import step

__all__ = ["assert_steady", "grows", "record", "step", "who"]
