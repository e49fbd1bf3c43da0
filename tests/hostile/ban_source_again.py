# kind: ban
# exercise: HonestCheckpoint
# how: the text of the banned module, without its imports, is executed anew: its functions are others
# deserves: 0
import re

import minigrad as mg
import minigrad.utils.checkpoint as banned

NAMES = dict(vars(banned))
exec(re.sub(r"^from minigrad.*$", "", open(banned.__file__).read(), flags=re.M), NAMES)


class HonestCheckpoint:
    @staticmethod
    def apply(run, *tensors):
        return NAMES["checkpoint"](run, *tensors, use_reentrant=False)
