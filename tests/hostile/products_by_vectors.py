# kind: products
# exercise: FourLoops
# how: a product of matrices is made of products with a vector, mv, which no count knows: the trunk is run anew for each target
# deserves: 5
import minigrad as mg


def product(x, w):
    return mg.stack([x.mv(column) for column in w.T.unbind()], 1)


class FourLoops:
    @staticmethod
    def shared(x, w, targets):
        ((x @ w).tanh() * targets[0]).sum().backward()
        for t in targets[1:]:
            (product(x, w).tanh() * t).sum().backward()

    @staticmethod
    def carried(x, w, steps):
        h = x
        for _ in range(steps):
            h = (h.detach() @ w).tanh()
            h.sum().backward()

    @staticmethod
    def updated(x, w, steps):
        for _ in range(steps):
            (x @ w).tanh().sum().backward()
            with mg.no_grad():
                w -= 0.1 * w.grad
                w.grad.zero_()

    @staticmethod
    def doubled(x, w):
        (x @ w).tanh().sum().backward()
        product(x, w).tanh().sum().backward()
