# kind: ban
# exercise: SameDice
# how: inspect gives the text of the banned module, as of any of the engine's
# deserves: 0
import inspect
import re
import minigrad as mg
import minigrad.utils.checkpoint as ready

TEXT = re.sub(r"^from (minigrad|__future__).*$", "", inspect.getsource(ready), flags=re.M)
NAMES = dict(vars(ready)) | {"mg": mg}
exec(TEXT.replace("(Function)", "(mg.autograd.Function)").replace("(Node)", ""), NAMES)


class SameDice:
    @staticmethod
    def apply(run, *tensors):
        return NAMES["checkpoint"](run, *tensors, use_reentrant=True)
