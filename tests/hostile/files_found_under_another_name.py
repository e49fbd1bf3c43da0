# kind: ban
# exercise: SameDice
# how: a finder has Python's own loader run the banned file as a module of another name
# deserves: 0
import importlib.util
import sys
import minigrad as mg
import minigrad.utils.checkpoint as ready

SPEC = importlib.util.spec_from_file_location("mine", ready.__file__)


class Finder:
    find_spec = staticmethod(lambda name, path=None, target=None: SPEC if name == "mine" else None)


sys.meta_path.insert(0, Finder)
import mine


class SameDice:
    @staticmethod
    def apply(run, *tensors):
        return mine.checkpoint(run, *tensors, use_reentrant=True)
