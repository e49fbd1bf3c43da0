# kind: ban
# exercise: SameDice
# how: traceback.FrameSummary shows any line of a file of the engine's, and linecache then holds all of it: the banned function is run from its text, in names that vars() lends
# deserves: 0
import linecache
import re
import traceback

import minigrad as mg
import minigrad.utils.checkpoint as ready

traceback.FrameSummary(ready.__file__, 1, "x").line
TEXT = "".join(linecache.getlines(ready.__file__))
TEXT = re.sub(r"^from minigrad.*$", "", TEXT, flags=re.M)
NAMES = dict(vars(ready))
TEXT = TEXT.replace("(Function)", "(mg.autograd.Function)").replace("(Node)", "").replace("from __future__ import annotations", "")
NAMES["mg"] = mg
exec(TEXT, NAMES)


class SameDice:
    @staticmethod
    def apply(run, *tensors):
        return NAMES["checkpoint"](run, *tensors, use_reentrant=True)
