# kind: instruments
# exercise: FourLoops
# how: the graph is kept and walked twice, under saved_tensors_hooks of the answer's own: the case counts what is read again by hooks, and the inner ones shadow them
# deserves: 3
import minigrad as mg


def same(t):
    return t


class FourLoops:
    @staticmethod
    def shared(x, w, targets):
        with mg.autograd.graph.saved_tensors_hooks(same, same):
            h = (x @ w).tanh()
            for t in targets:
                (h * t).sum().backward(retain_graph=True)

    @staticmethod
    def carried(x, w, steps):
        h = x
        for _ in range(steps):
            h = (h @ w).tanh()
            h.sum().backward(retain_graph=True)
            h = h.detach()

    @staticmethod
    def updated(x, w, steps):
        for _ in range(steps):
            loss = (x @ w).tanh().sum()
            loss.backward(retain_graph=True)
            with mg.no_grad():
                w -= 0.1 * w.grad
            w.grad.zero_()

    @staticmethod
    def doubled(x, w):
        with mg.autograd.graph.saved_tensors_hooks(same, same):
            loss = (x @ w).tanh().sum()
        loss.backward(retain_graph=True)
        loss.backward()
