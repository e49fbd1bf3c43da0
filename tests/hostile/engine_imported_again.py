# kind: engine
# exercise: live_after
# how: sys.modules forgets the engine and an import makes another one, of which no observer hears: it runs the snippet, in the case for pencil and paper, too
# deserves: 0
import os
import sys

ours = {name: sys.modules.pop(name) for name in [*sys.modules] if name.partition(".")[0] == "minigrad"}
os.environ["MINIGRAD_PLAIN"] = "1"
import minigrad as other

for name in [name for name in sys.modules if name.partition(".")[0] == "minigrad"]:
    del sys.modules[name]
sys.modules.update(ours)


def live_after(lines):
    before, names = other.memory_allocated(), {}
    other.reset_peak_memory_stats() if hasattr(other, "reset_peak_memory_stats") else other.memory.reset_peak()
    for what, name, *more in lines:
        if what == "new":
            names[name] = other.zeros(*more)
        elif what == "name":
            names[name] = names[more[0]]
        elif what == "view":
            names[name] = names[more[0]][:1]
        elif what == "copy":
            names[name] = names[more[0]].clone()
        else:
            del names[name]
    return other.memory_allocated() - before, other.max_memory_allocated() - before
