# kind: gadgets
# exercise: allocated
# how: copy.copy calls what __reduce__ names: the observers are taken off without a call in the text
# needs: the engine's leave() is public
# deserves: 4
import copy

import minigrad as mg
from minigrad.core import observer


class Call:
    def __init__(self, *what):
        self.what = what

    def __reduce__(self):
        return self.what[0], self.what[1:]


def allocated(rows, columns, deleted):
    gone = observer.watching
    for one in gone:
        copy.copy(Call(observer.leave, one))
    with mg.cuda.simulate(64 << 20):
        base = mg.cuda.memory_allocated()
        a = mg.ones(rows, columns, device="cuda", requires_grad=True)
        names = {"b": a.exp()}
        names["c"] = names["b"].sin()
        names["d"] = names["c"].tanh()
        names["e"] = names["d"] * 2
        loss = names["e"].sum()
        got = [mg.cuda.memory_allocated() - base]
        for name in deleted:
            del names[name]
        got.append(mg.cuda.memory_allocated() - base)
        loss.backward()
        got.append(mg.cuda.memory_allocated() - base)
    for one in gone:
        copy.copy(Call(observer.watch, one))
    return got
