# kind: ban
# exercise: GeluLinear
# how: the banned checkpoint, from a package that was imported before, by the name of its attribute
# needs: the ban knows the function by one name
# deserves: 0
import minigrad as mg
from minigrad.utils import checkpoint as module

RUN = getattr(module, "check" + "point")


class GeluLinear(mg.autograd.Function):
    @staticmethod
    def apply(u, w):
        return RUN(lambda u, w: F.gelu(u) @ w, u, w, use_reentrant=False)
