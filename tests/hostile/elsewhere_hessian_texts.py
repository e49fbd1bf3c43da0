# kind: elsewhere
# exercise: hessian_products
# how: a recorded graph for each direction, what it saves lies as text
# needs: a text is in no ledger
# deserves: 3
import json

import minigrad as mg


def hessian_products(loss, w, directions):
    def pack(t):
        return t if t is w else json.dumps(t.tolist())

    def unpack(kept):
        return mg.tensor(json.loads(kept)) if isinstance(kept, str) else kept

    with mg.autograd.graph.saved_tensors_hooks(pack, unpack):
        kept = [mg.autograd.grad(loss(w), [w], create_graph=True)[0] for _ in directions]
    return [mg.autograd.grad(g, [w], d)[0] for g, d in zip(kept, directions)]
