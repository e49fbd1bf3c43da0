"""Lesson 14: right answers in other styles, written from the task cards alone."""


# %% answer="fit_on_gpu" style="first on the GPU, then a leaf; the loop as it was"
def fit_on_gpu(start, batches, rate):
    w = start.detach().cuda().requires_grad_()
    for x in batches:
        loss = (x.cuda() * w).tanh().sum()
        loss.backward()
        with mg.no_grad():
            w -= rate * w.grad
        w.grad = None
    return w


# %% answer="fit_on_gpu" style="to(device), autograd.grad, the step in a helper"
def slope_at(w, x):
    (slope,) = mg.autograd.grad((x * w).tanh().sum(), w)
    return slope


def fit_on_gpu(start, batches, rate):
    device = mg.device("cuda")
    w = start.to(device).requires_grad_(True)
    for x in batches:
        slope = slope_at(w, x.to(device))
        with mg.no_grad():
            w.sub_(slope, alpha=rate)
    return w


# %% answer="fit_on_gpu" style="an optimizer, zero_grad at the end of each step"
def fit_on_gpu(start, batches, rate):
    w = start.detach().to("cuda").requires_grad_()
    optimizer = mg.optim.SGD([w], lr=rate)
    for x in batches:
        loss = (x.to("cuda") * w).tanh().sum()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    return w


# %% answer="fit_on_gpu" style="a new leaf for each step, out of place"
def fit_on_gpu(start, batches, rate):
    w = start.cuda().detach().requires_grad_()
    for x in batches:
        (x.cuda() * w).tanh().sum().backward()
        w = (w.detach() - rate * w.grad).requires_grad_()
    return w


# %% answer="fit_on_gpu" style="empty_like on the device and copy_, everything named and deleted"
def fit_on_gpu(start, batches, rate):
    weight = mg.empty_like(start, device="cuda")
    weight.copy_(start.detach())
    weight.requires_grad = True
    for batch in batches:
        batch_on_gpu = batch.cuda()
        product = batch_on_gpu * weight
        activation = product.tanh()
        loss = activation.sum()
        loss.backward()
        gradient = weight.grad
        with mg.no_grad():
            step = gradient * rate
            weight.copy_(weight - step)
        weight.grad = None
        del batch_on_gpu, product, activation, loss, gradient, step
    return weight
