# kind: ban
# exercise: FlatChain
# how: as ban_source_again, of the modules of minigrad.reversible, all in one namespace
# deserves: 0
import os
import re

import minigrad as mg

TOP = mg.reversible
NAMES = {}
for name in ("coupling", "recompute", "baton", "block", "chain"):
    NAMES.update(vars(vars(TOP)[name]))
for name in ("coupling", "recompute", "chain"):
    text = open(os.path.join(os.path.dirname(TOP.__file__), name + ".py")).read()
    exec(re.sub(r"^from minigrad[^(\n]*(\([^)]*\))?.*$", "", text, flags=re.M), NAMES)


class Part:
    def __init__(self, F, G):
        self.F, self.G = F, G
    def parameters(self):
        return []
    def buffers(self):
        return []
    def modules(self):
        return [self]


class Blocks(list):
    trimmed, tolerance = True, None


def leaves(f):
    return [c.cell_contents for c in f.__closure__ if isinstance(c.cell_contents, mg.Tensor)]


class FlatChain:
    @staticmethod
    def apply(x, blocks):
        chain = Blocks(Part(f, g) for f, g in blocks)
        weights = [w for pair in blocks for f in pair for w in leaves(f)]
        return NAMES["ReversibleChain"].apply(x, chain, *weights)
