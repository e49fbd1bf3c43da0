"""Lesson 05: right answers in other styles, written from the task cards alone."""


# %% answer="FourLoops" style="the shortest: add, detach, compute anew, scale"
class FourLoops:
    @staticmethod
    def shared(x, w, targets):
        """Add to w.grad the gradient of sum(tanh(x @ w) * t), for each t of the list `targets`."""
        h = (x @ w).tanh()
        sum((h * t).sum() for t in targets).backward()

    @staticmethod
    def carried(x, w, steps):
        """Carry h on as tanh(h @ w); add each step's gradient of h.sum(), of this step only."""
        h = x
        for _ in range(steps):
            h = (h @ w).tanh()
            h.sum().backward()
            h = h.detach()

    @staticmethod
    def updated(x, w, steps):
        """Gradient descent on sum(tanh(x @ w)): each step uses the gradient at its own w."""
        for _ in range(steps):
            loss = (x @ w).tanh().sum()
            loss.backward()
            with mg.no_grad():
                w -= 0.1 * w.grad
                w.grad.zero_()

    @staticmethod
    def doubled(x, w):
        """Add to w.grad twice the gradient of sum(tanh(x @ w))."""
        loss = (x @ w).tanh().sum()
        (2 * loss).backward()


# %% answer="FourLoops" style="autograd.grad everywhere, .grad written by hand"
class FourLoops:
    @staticmethod
    def shared(x, w, targets):
        """Add to w.grad the gradient of sum(tanh(x @ w) * t), for each t of the list `targets`."""
        h = (x @ w).tanh()
        loss = mg.tensor(0.0)
        for t in targets:
            loss = loss + (h * t).sum()
        if targets:
            w.grad += mg.autograd.grad(loss, w)[0]

    @staticmethod
    def carried(x, w, steps):
        """Carry h on as tanh(h @ w); add each step's gradient of h.sum(), of this step only."""
        h = x
        for _ in range(steps):
            h = (h.detach() @ w).tanh()
            w.grad += mg.autograd.grad(h.sum(), w)[0]

    @staticmethod
    def updated(x, w, steps):
        """Gradient descent on sum(tanh(x @ w)): each step uses the gradient at its own w."""
        for _ in range(steps):
            (gradient,) = mg.autograd.grad((x @ w).tanh().sum(), [w])
            with mg.no_grad():
                w.sub_(gradient, alpha=0.1)

    @staticmethod
    def doubled(x, w):
        """Add to w.grad twice the gradient of sum(tanh(x @ w))."""
        (gradient,) = mg.autograd.grad((x @ w).tanh().sum(), w)
        w.grad.add_(gradient, alpha=2)


# %% answer="FourLoops" style="the trunk cut off, start gradients instead of sum()"
class FourLoops:
    @staticmethod
    def shared(x, w, targets):
        """Add to w.grad the gradient of sum(tanh(x @ w) * t), for each t of the list `targets`."""
        h = (x @ w).tanh()
        cut = h.detach().requires_grad_()
        for t in targets:
            (cut * t).sum().backward()  # as far as the cut; the gradients add up there
        if cut.grad is not None:
            h.backward(cut.grad)

    @staticmethod
    def carried(x, w, steps):
        """Carry h on as tanh(h @ w); add each step's gradient of h.sum(), of this step only."""
        h = x
        for _ in range(steps):
            h = (h @ w).tanh()
            h.backward(mg.ones_like(h))
            h = h.detach()

    @staticmethod
    def updated(x, w, steps):
        """Gradient descent on sum(tanh(x @ w)): each step uses the gradient at its own w."""
        for _ in range(steps):
            w.grad.zero_()
            y = (x @ w).tanh()
            y.backward(mg.ones_like(y))
            del y
            with mg.no_grad():
                w.add_(w.grad, alpha=-0.1)

    @staticmethod
    def doubled(x, w):
        """Add to w.grad twice the gradient of sum(tanh(x @ w))."""
        loss = (x @ w).tanh().sum()
        loss.backward(mg.tensor(2.0))


# %% answer="FourLoops" style="helper functions, several roots in one backward, an optimizer"
def activation(h, w):
    return mg.tanh(mg.matmul(h, w))


def one_step(h, w):
    """Adds the gradient of this step to w.grad; the next h, outside the graph."""
    h = activation(h, w)
    mg.sum(h).backward()
    return h.detach()


class FourLoops:
    @staticmethod
    def shared(x, w, targets):
        """Add to w.grad the gradient of sum(tanh(x @ w) * t), for each t of the list `targets`."""
        h = activation(x, w)
        mg.autograd.backward([mg.sum(h * t) for t in targets])

    @staticmethod
    def carried(x, w, steps):
        """Carry h on as tanh(h @ w); add each step's gradient of h.sum(), of this step only."""
        h = x
        for _ in range(steps):
            h = one_step(h, w)

    @staticmethod
    def updated(x, w, steps):
        """Gradient descent on sum(tanh(x @ w)): each step uses the gradient at its own w."""
        optimizer = mg.optim.SGD([w], lr=0.1)
        for _ in range(steps):
            loss = mg.sum(activation(x, w))
            loss.backward()
            optimizer.step()
            w.grad.zero_()

    @staticmethod
    def doubled(x, w):
        """Add to w.grad twice the gradient of sum(tanh(x @ w))."""
        loss = mg.sum(activation(x, w))
        mg.autograd.backward([loss + loss])


# %% answer="FourLoops" style="linear in the target, so one loss for the sum; del and copy_"
class FourLoops:
    @staticmethod
    def shared(x, w, targets):
        """Add to w.grad the gradient of sum(tanh(x @ w) * t), for each t of the list `targets`."""
        if not targets:
            return
        all_targets = targets[0].clone()
        for t in targets[1:]:
            all_targets += t
        h = (x @ w).tanh()
        h.backward(all_targets)

    @staticmethod
    def carried(x, w, steps):
        """Carry h on as tanh(h @ w); add each step's gradient of h.sum(), of this step only."""
        state = x
        for _ in range(steps):
            product = state @ w
            new_state = product.tanh()
            del product
            loss = new_state.sum()
            loss.backward()
            del loss
            state = new_state.detach()
            del new_state

    @staticmethod
    def updated(x, w, steps):
        """Gradient descent on sum(tanh(x @ w)): each step uses the gradient at its own w."""
        for step in range(steps):
            product = x @ w
            loss = product.tanh().sum()
            del product
            loss.backward()
            with mg.no_grad():
                w.copy_(w - 0.1 * w.grad)
                w.grad.fill_(0.0)

    @staticmethod
    def doubled(x, w):
        """Add to w.grad twice the gradient of sum(tanh(x @ w))."""
        y = (x @ w).tanh()
        loss = (y * 2.0).sum()
        del y
        loss.backward()


# %% answer="all_or_nothing" style="copies first, try and except, back by assignment"
def all_or_nothing(loss, leaves):
    """Add the gradients of `loss` to each leaf's `.grad`; on an error, leave all as it was."""
    copies = [None if leaf.grad is None else leaf.grad.clone() for leaf in leaves]
    try:
        loss.backward()
    except BaseException:
        for leaf, copy in zip(leaves, copies, strict=True):
            leaf.grad = copy
        raise


# %% answer="all_or_nothing" style="autograd.grad writes nothing, the gradients are added after it"
def all_or_nothing(loss, leaves):
    """Add the gradients of `loss` to each leaf's `.grad`; on an error, leave all as it was."""
    gradients = mg.autograd.grad(loss, leaves, allow_unused=True)
    for leaf, gradient in zip(leaves, gradients, strict=True):
        if gradient is None:
            continue
        if leaf.grad is None:
            leaf.grad = gradient.clone()  # two leaves may have been given one tensor
        else:
            leaf.grad.add_(gradient)


# %% answer="all_or_nothing" style="the old ones put aside, backward into empty .grad, then added"
def all_or_nothing(loss, leaves):
    """Add the gradients of `loss` to each leaf's `.grad`; on an error, leave all as it was."""
    old = {leaf: leaf.grad for leaf in leaves}
    for leaf in old:
        leaf.grad = None
    try:
        loss.backward()
    except BaseException:
        for leaf, before in old.items():
            leaf.grad = before
        raise
    for leaf, before in old.items():
        if before is None:
            continue
        if leaf.grad is not None:
            before += leaf.grad
        leaf.grad = before


# %% answer="all_or_nothing" style="a context manager, the old values copied back in place"
from contextlib import contextmanager


@contextmanager
def undone_on_error(leaves):
    copies = [(leaf, leaf.grad.clone()) for leaf in leaves if leaf.grad is not None]
    empty = [leaf for leaf in leaves if leaf.grad is None]
    try:
        yield
    except BaseException:
        while copies:
            leaf, copy = copies.pop()
            leaf.grad.copy_(copy)
            del copy
        for leaf in empty:
            leaf.grad = None
        raise
    finally:
        copies.clear()  # whoever keeps the error keeps this frame


def all_or_nothing(loss, leaves):
    """Add the gradients of `loss` to each leaf's `.grad`; on an error, leave all as it was."""
    with undone_on_error(leaves):
        loss.backward()


# %% answer="all_or_nothing" style="a class as snapshot, a flag and finally instead of except"
class Snapshot:
    def __init__(self, leaves):
        self.leaves = list(leaves)
        self.values = []
        for leaf in self.leaves:
            self.values.append(leaf.grad.detach().clone() if leaf.grad is not None else None)

    def restore(self):
        for leaf, value in zip(self.leaves, self.values, strict=True):
            leaf.grad = value

    def forget(self):
        self.leaves, self.values = [], []


def all_or_nothing(loss, leaves):
    """Add the gradients of `loss` to each leaf's `.grad`; on an error, leave all as it was."""
    snapshot = Snapshot(leaves)
    done = False
    try:
        mg.autograd.backward(loss)
        done = True
    finally:
        if not done:
            snapshot.restore()
        snapshot.forget()
