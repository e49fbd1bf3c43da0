# kind: by hand
# exercise: nodes_that_ran
# how: the snippet runs on nodes of one's own, whose results are views of a tensor of the set-up cell: no storage is born, in the case for pencil and paper, too
# deserves: 4
RAN = []


class Saves(mg.autograd.Function):
    @staticmethod
    def forward(ctx, h):
        ctx.save_for_backward(h)
        return h.view_as(h)

    @staticmethod
    def backward(ctx, g):
        ctx.saved_tensors
        RAN.append(1)
        return g


class Saves2(Saves):
    @staticmethod
    def backward(ctx, g):
        ctx.saved_tensors
        return g


class Plain(mg.autograd.Function):
    @staticmethod
    def forward(ctx, h):
        return h.view_as(h)

    @staticmethod
    def backward(ctx, g):
        RAN.append(1)
        return g


def nodes_that_ran(steps, way):
    seed = x[1]
    h = w.detach()[0].requires_grad_()
    h.grad = w.grad[0]
    for step in steps:
        below = h
        h = (Saves if step in ("tanh", "double") else Plain).apply(h)
    p = Saves2.apply(h)
    RAN.clear()
    if way == "plain":
        p.backward(seed)
    if way == "inputs":
        mg.autograd.grad(p, [below], seed)  # by way of the node that made h
    if way == "grad":
        mg.autograd.grad(p, [h], seed)
    ran = len(RAN)
    try:
        h.backward(seed)
    except RuntimeError:
        return [ran, False]
    return [ran, True]
