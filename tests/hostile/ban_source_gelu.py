# kind: ban
# exercise: GeluLinear
# how: as ban_source_again
# deserves: 0
import re

import minigrad as mg
import minigrad.utils.checkpoint as banned

NAMES = dict(vars(banned))
exec(re.sub(r"^from minigrad.*$", "", open(banned.__file__).read(), flags=re.M), NAMES)


class GeluLinear:
    @staticmethod
    def apply(u, w):
        return NAMES["checkpoint"](lambda u, w: F.gelu(u) @ w, u, w, use_reentrant=False)
