# kind: ban
# exercise: SameDice
# how: as ban_source_again
# deserves: 0
import re

import minigrad.utils.checkpoint as banned

NAMES = dict(vars(banned))
TEXT = re.sub(r"^from minigrad.*$", "", open(banned.__file__).read(), flags=re.M)
exec(TEXT, NAMES)


class SameDice:
    @staticmethod
    def apply(run, *tensors):
        return NAMES["checkpoint"](run, *tensors, use_reentrant=True)
