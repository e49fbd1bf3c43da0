# kind: fake
# exercise: FourLoops
# how: the trunk is an op of one's own whose ctx has a name `variable`, so the observer takes it for a leaf: a kept graph is walked for each target and nobody counts
# deserves: 3
class Trunk(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x, w):
        y = (x @ w).tanh()
        ctx.save_for_backward(x, y)
        ctx.variable = None
        return y
    @staticmethod
    def backward(ctx, grad):
        x, y = ctx.saved_tensors
        return None, x.t() @ (grad * (1 - y * y))


class TrunkSum(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x, w):
        y = (x @ w).tanh()
        ctx.save_for_backward(x, y)
        ctx.variable = None
        return y.sum()
    @staticmethod
    def backward(ctx, grad):
        x, y = ctx.saved_tensors
        return None, x.t() @ (grad * (1 - y * y))


class FourLoops:
    @staticmethod
    def shared(x, w, targets):
        h = Trunk.apply(x, w)
        for t in targets:
            (h * t).sum().backward(retain_graph=True)

    @staticmethod
    def carried(x, w, steps):
        h = x
        for _ in range(steps):
            h = (h @ w).tanh()
            h.sum().backward()
            h = h.detach()

    @staticmethod
    def updated(x, w, steps):
        for _ in range(steps):
            loss = (x @ w).tanh().sum()
            loss.backward()
            with mg.no_grad():
                w -= 0.1 * w.grad
                w.grad.zero_()

    @staticmethod
    def doubled(x, w):
        loss = TrunkSum.apply(x, w)
        loss.backward(retain_graph=True)
        loss.backward()
