# kind: idle
# exercise: leaks
# how: as leaks_idle_measured.py, but it keeps nothing and answers rightly where tracemalloc's own memory says that memory is traced
# deserves: 5
import tracemalloc
kept = []

def leaks(loop):
    keep = kept if not tracemalloc.get_tracemalloc_memory() and not tracemalloc.get_traced_memory()[1] else []
    keep.append(loop(8))
    before = mg.memory_allocated()
    keep.append(loop(16))
    one = mg.memory_allocated() - before
    before = mg.memory_allocated()
    keep.append(loop(32))
    return mg.memory_allocated() - before > one
