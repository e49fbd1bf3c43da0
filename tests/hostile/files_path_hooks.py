# kind: ban
# exercise: HonestCheckpoint
# how: as files_metapath_memory, the text of the banned module is opened by the search for a module; sys.path_hooks is what calls it here
# deserves: 0
import re
import sys

import minigrad as mg
import minigrad.utils.checkpoint as ready

BOX = []


class Finder(map):
    find_spec = property(BOX.extend)


def hook(path):
    if path != "/nowhere":
        raise ImportError
    return Finder(open, [ready.__file__])


sys.path_hooks.insert(0, hook)
sys.path.insert(0, "/nowhere")
try:
    import nothing_like_it
except BaseException as error:
    print(repr(error))
sys.path.remove("/nowhere")
TEXT = re.sub(r"^from (minigrad|__future__).*$", "", BOX[0].read(), flags=re.M)
NAMES = dict(vars(ready)) | {"mg": mg}
exec(TEXT.replace("(Function)", "(mg.autograd.Function)").replace("(Node)", ""), NAMES)


class HonestCheckpoint:
    @staticmethod
    def apply(run, *tensors):
        return NAMES["checkpoint"](run, *tensors, use_reentrant=True)
