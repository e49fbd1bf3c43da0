# kind: bytes
# exercise: lean_step
# how: all is stored, in files of the working folder
# needs: the disk is nobody's
# deserves: 4
import array, os, contextvars
import numpy as np
import minigrad as mg
N = [0]
def lean_step(net, x, labels, log):
    def pack(t):
        a = t.detach().numpy()
        N[0] += 1
        with open(f'{N[0]}.bin', 'wb') as f: f.write(a.tobytes())
        return f'{N[0]}.bin', a.dtype, a.shape
    def unpack(kept):
        with open(kept[0], 'rb') as f: return mg.tensor(np.frombuffer(f.read(), kept[1]).reshape(kept[2]))
    with mg.autograd.graph.saved_tensors_hooks(pack, unpack):
        loss = cross_entropy(net(x), labels)
    loss.backward()
    log.append(loss.item())
