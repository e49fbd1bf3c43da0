# kind: ban
# exercise: FlatChain
# how: an empty module stands in sys.modules in the place of each banned one: its functions are not found, and course.chains, which has the chain ready-made, works
# deserves: 0
import sys
import types

import course.chains as chains
from course.chains import AnyChain, undo_half

for name in [n for n in sys.modules if n.startswith(("minigrad.reversible", "course.chains", "course.stored_twin", "course.coupled"))]:
    sys.modules[name] = types.ModuleType(name)


class FlatChain:
    @staticmethod
    def apply(x, blocks):
        return AnyChain.apply(x, blocks, undo_half, None)
