"""What a call of the learner's function cost: bytes at its peak, bytes kept, products, nodes.

The collector rests until the case is over, and what it frees because the call asks for it counts as
kept: so does every ring.
"""

from contextlib import contextmanager
from weakref import ref

from course.trying import collector, settled, switches, unasked
from course.trying.found import Found
from course.trying.measured import Measured
from course.trying.run import is_stub
from course.trying.witness import Outside
from minigrad import memory
from minigrad.core.observer import Births


def measure(function, *arguments, **named):
    """Call the function and measure it; an error of its own passes through.

    Whatever is asked of a learner's objects is asked while all meters are at work. From where they
    end to where the last number is written down, no code of a learner's runs.
    """
    measured = Measured()
    with collector.at_rest(), unasked.paused(), memory.count_ops() as counted:
        with (
            Outside() as outside,
            Births(measured._born),
            Births(lambda new: outside.born(measured.live)),
        ):
            before, others = settled.Settings(), switches.Switches()
            try:
                measured.value = function(*arguments, **named)
            finally:
                measured.end()  # first: what is put back tells a thread of theirs that it is over
                others.put_back()
                before.put_back()
            outside.look(measured.value, [function, arguments, named])
            collector.still()
        measured.kept = measured.live
        measured.note_end()
        measured._matmuls, measured.ops = counted.matmuls, counted.ops
        measured.visits = counted.visits
        outside.note(measured, counted.matmuls)
        collector.check()
    return measured


def gone(*tensors):
    """A function: how many bytes of these tensors' storages have gone since, by the engine's own
    record. What a call lets go is no room for what it leaves.
    """
    there = [(ref(tensor._storage), tensor.nbytes) for tensor in tensors]
    return lambda: sum(size for storage, size in there if storage() is None)


@contextmanager
def newborn():
    """Gives a function: the bytes of what was born since the block began, and is alive."""
    found = Measured()
    with Births(found._born):
        yield lambda: found.live


def beside(value, **sizes):
    """`value` for a case to return, and the sizes that its budget names."""
    return Found(value, sizes=sizes)


def error_of(function, *arguments, **named):
    """The first line of the error that a call ends in, as "RuntimeError: ...", or "no error".

    That of a stub passes through: the case is then "not written yet".
    """
    try:
        function(*arguments, **named)
    except Exception as error:
        if is_stub(error):
            raise
        first = (str(error).splitlines() or [""])[0]
        return f"{type(error).__name__}: {first}"
    return "no error"
