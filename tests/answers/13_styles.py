"""Lesson 13: right answers in other styles, written from the task cards alone."""


# %% answer="slopes" style="everything moved into the loop, clone and backward"
def slopes(f, batches):
    found = []
    for batch in batches:
        a = batch.clone().requires_grad_()
        y = f(a)
        y.backward()
        found.append([y.item(), a.grad.tolist()])
    return found


# %% answer="slopes" style="comprehension, a helper for one batch, detach shares the bytes"
def slope(f, batch):
    a = batch.detach().requires_grad_()
    y = f(a)
    y.backward()
    return [y.item(), a.grad.tolist()]


def slopes(f, batches):
    return [slope(f, batch) for batch in batches]


# %% answer="slopes" style="autograd.grad, the tuple unpacked"
def slopes(f, batches):
    found = []
    for batch in batches:
        leaf = batch.detach().clone().requires_grad_(True)
        value = f(leaf)
        (gradient,) = mg.autograd.grad(value, leaf)
        found.append([value.item(), gradient.tolist()])
    return found


# %% answer="slopes" style="one leaf that is filled anew for each batch, as job code has it"
def slopes(f, batches):
    a = None
    results = []
    for batch in batches:
        if a is None or a.shape != batch.shape or a.dtype != batch.dtype:
            a = mg.empty_like(batch, requires_grad=True)
        with mg.no_grad():
            a.copy_(batch)
        a.grad = None
        y = f(a)
        y.backward()
        results.append([y.item(), a.grad.tolist()])
        del y
    return results


# %% answer="slopes" style="explicit beginner: recursion over the list, value first, del"
def slopes(f, batches):
    if len(batches) == 0:
        return []
    first_batch = batches[0]
    placeholder = mg.tensor(first_batch.tolist(), dtype=first_batch.dtype)
    placeholder.requires_grad = True
    result = f(placeholder)
    value = result.item()
    result.backward()
    gradient = placeholder.grad.tolist()
    del result, placeholder
    return [[value, gradient]] + slopes(f, batches[1:])
