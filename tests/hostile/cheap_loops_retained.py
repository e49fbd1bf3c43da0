# kind: cheap
# exercise: FourLoops
# how: retain_graph where the error comes
# needs: nobody looks whether a graph was kept
# deserves: 3
import minigrad as mg


class FourLoops:
    @staticmethod
    def shared(x, w, targets):
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
        loss = (x @ w).tanh().sum()
        loss.backward(retain_graph=True)
        loss.backward()
