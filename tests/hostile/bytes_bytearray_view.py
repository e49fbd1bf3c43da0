# kind: bytes
# exercise: lean_step
# how: all is stored, in bytearrays behind memoryviews
# needs: the same
# deserves: 4
import array, os, contextvars
import numpy as np
import minigrad as mg

def lean_step(net, x, labels, log):
    def pack(t):
        a = np.ascontiguousarray(t.detach().numpy())
        return memoryview(bytearray(a)), a.dtype, a.shape
    def unpack(kept):
        a = np.frombuffer(kept[0], kept[1]).reshape(kept[2])
        return mg.tensor(a)
    with mg.autograd.graph.saved_tensors_hooks(pack, unpack):
        loss = cross_entropy(net(x), labels)
    loss.backward()
    log.append(loss.item())
