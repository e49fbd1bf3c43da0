# kind: late
# exercise: live_after
# how: a generator: nothing has run when it was measured
# deserves: 4
import minigrad as mg


def live_after(program):
    names, peak, base = {}, 0, mg.memory_allocated()
    mg.reset_peak_memory_stats()
    for what, name, *more in program:
        if what == "new":
            names[name] = mg.zeros(*more)
        elif what == "name":
            names[name] = names[more[0]]
        elif what == "view":
            names[name] = names[more[0]][:]
        elif what == "copy":
            names[name] = names[more[0]].clone()
        else:
            del names[name]
    yield mg.memory_allocated() - base
    yield mg.max_memory_allocated() - base
