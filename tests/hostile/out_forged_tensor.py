# kind: forged
# exercise: memory_golf
# how: a tensor is forged out of another's state, by object.__new__ and object.__setattr__, over a bytearray: it has no storage of its own, and copy_ writes to where the learner looks without a word
# deserves: 2
import numpy as np

import minigrad as mg


def forged(t, memory):
    new = object.__new__(mg.Tensor)
    for name, one in object.__getstate__(mg.zeros(tuple(t.shape))).items():
        if type(one) is np.ndarray:
            one = np.ndarray(tuple(t.shape), np.float32, memory)
        object.__setattr__(new, name, one)
    return new


def pack(t):
    if t.is_leaf:
        return t
    memory = bytearray(4 * t.numel())
    forged(t, memory).copy_(t.detach())
    return memory, t


def pack_away(t):
    kept = pack(t)
    return kept if isinstance(kept, mg.Tensor) else (kept[0], mg.zeros(0).expand(0), tuple(t.shape))


def unpack(kept):
    if isinstance(kept, mg.Tensor):
        return kept
    return mg.from_numpy(np.ndarray(kept[2], np.float32, kept[0])).clone()


def memory_golf(x, blocks):
    with mg.autograd.graph.saved_tensors_hooks(pack_away, unpack):
        for block in blocks:
            x = block(x)
    return x
