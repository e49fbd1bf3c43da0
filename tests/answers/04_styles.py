"""Lesson 04: right answers in other styles, written from the task cards alone."""


# %% answer="forgetful_step" style="the smallest repair: plain backward, item"
def forgetful_step(x, w, log):
    """One forward and backward of sum(tanh(x @ w) ** 2); appends the loss to `log` as a float."""
    y = (x @ w).tanh()
    loss = (y * y).sum()
    loss.backward()
    log.append(loss.item())


# %% answer="forgetful_step" style="each step begins with no gradient, explicit names and del"
def forgetful_step(x, w, log):
    """One forward and backward of sum(tanh(x @ w) ** 2); appends the loss to `log` as a float."""
    w.grad = None
    product = x @ w
    activation = product.tanh()
    squares = activation**2
    loss = squares.sum()
    del product, activation, squares
    loss.backward()
    value = loss.detach()
    log.append(float(value))
    del loss, value


# %% answer="forgetful_step" style="retain_graph stays, since the names end with the function"
def forgetful_step(x, w, log):
    """One forward and backward of sum(tanh(x @ w) ** 2); appends the loss to `log` as a float."""
    y = (x @ w).tanh()
    loss = (y * y).sum()
    loss.backward(retain_graph=True)  # nobody holds the graph when we return
    log.append(loss.item())


# %% answer="forgetful_step" style="autograd.grad, added to what is there, in a helper"
def loss_of(x, w):
    return mg.sum(mg.tanh(x @ w).square())


def forgetful_step(x, w, log):
    """One forward and backward of sum(tanh(x @ w) ** 2); appends the loss to `log` as a float."""
    loss = loss_of(x, w)
    (gradient,) = mg.autograd.grad(loss, [w])
    w.grad = gradient if w.grad is None else w.grad + gradient
    log += [loss.tolist()]


# %% answer="forgetful_step" style="an SGD's zero_grad, the value read before backward"
def forgetful_step(x, w, log):
    """One forward and backward of sum(tanh(x @ w) ** 2); appends the loss to `log` as a float."""
    optimizer = mg.optim.SGD([w], lr=0.1)
    optimizer.zero_grad()
    loss = x.matmul(w).tanh().pow(2).sum()
    with mg.no_grad():
        log.append(loss.item())
    loss.backward()
