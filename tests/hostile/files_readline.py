# kind: ban
# exercise: SameDice
# how: readline opens a file by itself, in C, and tells no hook: the text of the banned module comes as a history of lines
# deserves: 0
import re
import readline

import minigrad as mg
import minigrad.utils.checkpoint as ready

readline.clear_history()
readline.read_history_file(ready.__file__)
LINES = [readline.get_history_item(n) or "" for n in range(1, readline.get_current_history_length() + 1)]
TEXT = re.sub(r"^from (minigrad|__future__).*$", "", "\n".join(LINES), flags=re.M)
NAMES = dict(vars(ready)) | {"mg": mg}
exec(TEXT.replace("(Function)", "(mg.autograd.Function)").replace("(Node)", ""), NAMES)


class SameDice:
    @staticmethod
    def apply(run, *tensors):
        return NAMES["checkpoint"](run, *tensors, use_reentrant=True)
