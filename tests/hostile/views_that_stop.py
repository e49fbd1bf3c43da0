# kind: by hand
# exercise: where_it_stops
# how: the program runs on nodes of one's own, whose results are views of a tensor of the set-up cell: no storage is born, in the case for pencil and paper, too
# deserves: 4
AT = []


class Saves(mg.autograd.Function):
    @staticmethod
    def forward(ctx, h, place):
        ctx.save_for_backward(h)
        ctx.place = place
        return h.view_as(h)

    @staticmethod
    def backward(ctx, g):
        AT.append(ctx.place)
        ctx.saved_tensors
        return g, None


class Plain(mg.autograd.Function):
    @staticmethod
    def forward(ctx, h, place):
        return h.view_as(h)

    @staticmethod
    def backward(ctx, g):
        return g, None


def made(step, y, place):
    saves = step in ("y * 5", "y * y", "y.exp()", "y.tanh()")
    return (Saves if saves else Plain).apply(y, place)


def where_it_stops(before, inside, retain):
    y = w.detach()[0].requires_grad_()
    y.grad = w.grad[0]
    for place, step in enumerate(before):
        y = made(step, y, place)
    trunk = y
    for turn, keep in enumerate(retain):
        y = trunk
        for step in inside:
            y = made(step, y, None)
        try:
            y.backward(x[0], retain_graph=keep)
        except RuntimeError:
            return turn, AT[-1]
    return None
