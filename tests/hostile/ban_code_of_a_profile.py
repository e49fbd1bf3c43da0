# kind: ban
# exercise: SameDice
# how: Python's own profiler has the code of whatever was called, the banned functions' too; of it functions are made anew
# deserves: 0
import _lsprof
import types

import minigrad as mg
import minigrad.utils.checkpoint as ready

profiler = _lsprof.Profiler()
profiler.enable()
ready.checkpoint(lambda h: h * 2, mg.ones(2, requires_grad=True), use_reentrant=True).sum().backward()
profiler.disable()
CODES = {}
for entry in profiler.getstats():
    if isinstance(entry.code, types.CodeType) and entry.code.co_filename == ready.__file__:
        CODES[entry.code.co_name] = entry.code.replace(co_filename="<own>")
NAMES = dict(vars(ready))
NAMES["_inner_backward"] = types.FunctionType(CODES["_inner_backward"], NAMES)
FORWARD = types.FunctionType(CODES["forward"], NAMES)
BACKWARD = types.FunctionType(CODES["backward"], NAMES)


class SameDice(mg.autograd.Function):
    @staticmethod
    def forward(ctx, run, *tensors):
        return FORWARD(ctx, run, NAMES["rng_states"](), *tensors)

    @staticmethod
    def backward(ctx, *grads):
        return BACKWARD(ctx, *grads)[1:]
