"""Lesson 03: right answers in other styles, written from the task cards alone."""


# %% answer="mean_gradient" style="each part's loss divided by their number, backward, item"
def mean_gradient(w, parts):
    """w.grad = gradient of the mean over `parts` of sum(tanh(part @ w) ** 2); returns the mean."""
    w.grad = None  # not zero_(): somebody may hold the old one
    total = 0.0
    for part in parts:
        loss = ((part @ w).tanh() ** 2).sum() / len(parts)
        loss.backward()
        total += loss.item()
    return total


# %% answer="mean_gradient" style="autograd.grad per part, summed out of place, .grad set once"
def mean_gradient(w, parts):
    """w.grad = gradient of the mean over `parts` of sum(tanh(part @ w) ** 2); returns the mean."""
    gradient = mg.zeros_like(w)
    losses = []
    for part in parts:
        loss = (part @ w).tanh().square().sum()
        gradient = gradient + mg.autograd.grad(loss, w)[0]
        losses.append(loss.item())
    w.grad = gradient / len(parts)
    return sum(losses) / len(losses)


# %% answer="mean_gradient" style="a function per part ends the names, the division at the end"
def one_part(w, part):
    """Adds the gradient of this part's loss to w.grad; the loss, outside the graph."""
    y = (part @ w).tanh()
    loss = (y * y).sum()
    loss.backward()
    return loss.detach()


def mean_gradient(w, parts):
    """w.grad = gradient of the mean over `parts` of sum(tanh(part @ w) ** 2); returns the mean."""
    w.grad = None
    total = mg.tensor(0.0)
    for part in parts:
        total += one_part(w, part)
    with mg.no_grad():
        w.grad /= len(parts)
        return (total / len(parts)).item()


# %% answer="mean_gradient" style="the share as start gradient, every result named and deleted"
def mean_gradient(w, parts):
    """w.grad = gradient of the mean over `parts` of sum(tanh(part @ w) ** 2); returns the mean."""
    number_of_parts = len(parts)
    share = mg.tensor(1.0 / number_of_parts)
    list_of_losses = []
    w.grad = mg.zeros_like(w)  # a new tensor, the old one stays as it is
    for part in parts:
        product = part @ w
        activation = product.tanh()
        del product
        squares = activation**2
        del activation
        loss = squares.sum()
        del squares
        loss.backward(share)
        list_of_losses.append(loss.item())
        del loss
    return sum(list_of_losses) / number_of_parts


# %% answer="mean_gradient" style="a generator of losses, stack and mean of what was detached"
def losses_with_backward(w, parts):
    for part in parts:
        loss = mg.sum(mg.tanh(mg.matmul(part, w)) ** 2)
        mg.autograd.backward([loss])
        yield loss.detach()


def mean_gradient(w, parts):
    """w.grad = gradient of the mean over `parts` of sum(tanh(part @ w) ** 2); returns the mean."""
    w.grad = None
    mean = mg.stack(list(losses_with_backward(w, parts))).mean()
    w.grad.mul_(1.0 / len(parts))
    return mean.item()


# %% answer="net_by_hand" style="one line per step in a no_grad block, del after the last use"
def net_by_hand(x, w1, w2):
    """(loss as a float, gradient for w1, gradient for w2), by the table of section 6."""
    with mg.no_grad():
        a = x @ w1
        h = a.tanh()
        del a
        y = h @ w2
        squares = y * y
        loss = squares.sum().item()
        del squares
        grad_y = 2.0 * y
        del y
        grad_w2 = h.t() @ grad_y
        grad_h = grad_y @ w2.t()
        del grad_y
        h_squared = h * h
        del h
        slope = 1.0 - h_squared
        del h_squared
        grad_a = grad_h * slope
        del grad_h, slope
        grad_w1 = x.t() @ grad_a
    return loss, grad_w1, grad_w2


# %% answer="net_by_hand" style="no_grad as a decorator, written over in place"
@mg.no_grad()
def net_by_hand(x, w1, w2):
    """(loss as a float, gradient for w1, gradient for w2), by the table of section 6."""
    h = (x @ w1).tanh_()
    y = h @ w2
    loss = (y * y).sum().item()
    y *= 2  # from here on the gradient of the loss for y
    g2 = h.T @ y
    gh = y @ w2.T
    del y
    h.mul_(h).mul_(-1).add_(1)  # the slope of tanh
    gh *= h
    del h
    return loss, x.T @ gh, g2


# %% answer="net_by_hand" style="detached twins instead of no_grad, few names"
def net_by_hand(x, w1, w2):
    """(loss as a float, gradient for w1, gradient for w2), by the table of section 6."""
    x, w1, w2 = x.detach(), w1.detach(), w2.detach()
    h = (x @ w1).tanh()
    y = h @ w2
    loss = float((y**2).sum())
    y = y * 2  # dloss/dy
    gw2 = h.t().matmul(y)
    y = y.matmul(w2.t())  # dloss/dh
    h = 1 - h.square()
    y = y * h
    return loss, x.t().matmul(y), gw2


# %% answer="net_by_hand" style="one function per rule of the table"
def forward(x, w1, w2):
    h = (x @ w1).tanh()
    return h, h @ w2


def loss_and_its_gradient(y):
    return (y * y).sum().item(), y * 2.0


def factor_gradients(a, b, g):
    """Of a @ b: for a, and for b."""
    return g @ b.t(), a.t() @ g


def slope_of_tanh(h):
    return 1.0 - h * h


def net_by_hand(x, w1, w2):
    """(loss as a float, gradient for w1, gradient for w2), by the table of section 6."""
    with mg.no_grad():
        h, y = forward(x, w1, w2)
        loss, g = loss_and_its_gradient(y)
        del y
        g, grad_w2 = factor_gradients(h, w2, g)
        h = slope_of_tanh(h)
        g = g * h
        del h
        grad_w1 = x.t() @ g
    return loss, grad_w1, grad_w2


# %% answer="net_by_hand" style="a class with forward and backward that empties its attributes"
class Net:
    def __init__(self, w1, w2):
        self.w1, self.w2 = w1, w2
        self.x = self.h = self.y = None

    def forward(self, x):
        self.x = x
        self.h = mg.tanh(mg.mm(x, self.w1))
        self.y = mg.mm(self.h, self.w2)
        return mg.sum(self.y * self.y).item()

    def backward(self):
        g = self.y.mul_(2.0)
        self.y = None
        grad_w2 = mg.mm(mg.t(self.h), g)
        g = mg.mm(g, mg.t(self.w2))
        g -= g.mul(self.h).mul_(self.h)  # g * (1 - h * h)
        self.h = None
        return mg.mm(mg.t(self.x), g), grad_w2


def net_by_hand(x, w1, w2):
    """(loss as a float, gradient for w1, gradient for w2), by the table of section 6."""
    with mg.set_grad_enabled(False):
        net = Net(w1, w2)
        loss = net.forward(x)
        grad_w1, grad_w2 = net.backward()
    return loss, grad_w1, grad_w2
