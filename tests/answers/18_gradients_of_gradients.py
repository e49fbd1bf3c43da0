"""Lesson 18: what people write. Each cell is one answer; course/build/README.md tells its keys."""


# %% answer="held_with_gradient" wrong="too few with `g`"
# a gradient is a gradient: recorded or not, only g is new
def held_with_gradient(steps):
    saved = {i for i, step in enumerate(steps) if step in ("tanh", "exp")}
    saved |= {i - 1 for i, step in enumerate(steps) if step == "square"} - {-1}
    return [len(saved), len(saved) + 1]


# %% answer="held_with_gradient" wrong="too many with `g`"
# a recorded backward keeps every gradient that it makes
def held_with_gradient(steps):
    saved = {i for i, step in enumerate(steps) if step in ("tanh", "exp")}
    saved |= {i - 1 for i, step in enumerate(steps) if step == "square"} - {-1}
    return [len(saved), len(saved) + len(steps) + 1]


# %% answer="held_with_gradient" wrong="after forward: which tensors did a node save?"
# what is saved twice has its bytes twice
def held_with_gradient(steps):
    saved = sum({"tanh": 1, "exp": 1, "square": 2}.get(step, 0) for step in steps)
    top = max((i for i, step in enumerate(steps) if step != "shift"), default=-1)
    full = sum(step in ("tanh", "exp", "square") for step in steps[:top])
    return [saved, saved + full + 1]


# %% answer="held_with_gradient" wrong="after forward"
# every result is kept
def held_with_gradient(steps):
    return [len(steps), 2 * len(steps)]


# %% answer="held_with_gradient" wrong="too few with `g`"
# the first gradient is one number for all, so the last saver never has a full one
def held_with_gradient(steps):
    saved = {i for i, step in enumerate(steps) if step in ("tanh", "exp")}
    saved |= {i - 1 for i, step in enumerate(steps) if step == "square"} - {-1}
    savers = sum(step in ("tanh", "exp", "square") for step in steps)
    return [len(saved), len(saved) + savers]


# %% answer="held_with_gradient" style="by places"
def held_with_gradient(steps):
    squares = {i - 1 for i, step in enumerate(steps) if step == "square" and i > 0}
    results = {i for i, step in enumerate(steps) if step in ("tanh", "exp")}
    top = max((i for i, step in enumerate(steps) if step != "shift"), default=-1)
    full = [i for i, step in enumerate(steps) if step in ("tanh", "exp", "square") and i < top]
    kept = len(squares | results)
    return [kept, kept + len(full) + 1]


# %% answer="held_with_gradient" style="one walk there, one back, with a text for each tensor"
def held_with_gradient(steps):
    held, before = {}, None
    for number, step in enumerate(steps):
        if step == "square" and before is not None:
            held[before] = "saved by a square"
        before = f"h{number}"
        if step in ["tanh", "exp"]:
            held[before] = "saved by itself"
    forward = len(held)
    incoming = "one number"
    for number in range(len(steps) - 1, -1, -1):
        step = steps[number]
        if step in ["tanh", "exp", "square"]:
            if incoming != "one number":
                held[incoming] = "saved by a node of the backward"
            incoming = f"g{number}"
        elif step == "minus":
            incoming = f"g{number}"
    held["g"] = "named"
    return (forward, len(held))


# %% answer="held_with_gradient" spare="4 of 5"
# runs it and looks: right, but not by hand
def held_with_gradient(steps):
    done = {
        "tanh": lambda h: h.tanh(),
        "exp": lambda h: h.exp(),
        "minus": lambda h: -h,
        "shift": lambda h: h + 1,
        "square": lambda h: h * h,
    }
    h = a = mg.full((64, 32), 0.01, requires_grad=True)
    before = mg.memory_allocated()
    for step in steps:
        h = done[step](h)
    y = h.sum()
    del h
    forward = (mg.memory_allocated() - before) // a.nbytes
    (g,) = mg.autograd.grad(y, [a], create_graph=True)
    return [forward, (mg.memory_allocated() - before) // g.nbytes]


# %% answer="held_with_gradient" proof=true
def held_with_gradient(steps):
    done = {
        "tanh": lambda h: h.tanh(),
        "exp": lambda h: h.exp(),
        "minus": lambda h: -h,
        "shift": lambda h: h + 1,
        "square": lambda h: h * h,
    }
    h = a = mg.full((64, 32), 0.01, requires_grad=True)
    before = mg.memory_allocated()
    for step in steps:
        h = done[step](h)
    y = h.sum()
    del h
    forward = (mg.memory_allocated() - before) // 8192
    (g,) = mg.autograd.grad(y, [a], create_graph=True)
    return [forward, (mg.memory_allocated() - before) // 8192]


# %% answer="critic_step" wrong="Does some backward send the score into the weights"
# the ring is opened, as the warning says; what else that backward wrote is not seen
def critic_step(points, critic):
    p = points.detach().requires_grad_()
    score = critic(p)
    score.sum().backward(create_graph=True)
    size = p.grad.norm(dim=1)
    (score.mean() + 10 * ((size - 1) ** 2).mean()).backward()
    p.grad = None


# %% answer="critic_step" wrong="has the gradient that it is made of a history?"
# retain_graph, as the error message says
def critic_step(points, critic):
    p = points.detach().requires_grad_()
    score = critic(p)
    (slope,) = mg.autograd.grad(score.sum(), [p], retain_graph=True)
    size = slope.norm(dim=1)
    (score.mean() + 10 * ((size - 1) ** 2).mean()).backward()


# %% answer="critic_step" wrong="has the gradient that it is made of a history?"
# detach lets the ring go
def critic_step(points, critic):
    p = points.detach().requires_grad_()
    score = critic(p)
    (slope,) = mg.autograd.grad(score.sum(), [p], create_graph=True)
    size = slope.detach().norm(dim=1)
    (score.mean() + 10 * ((size - 1) ** 2).mean()).backward()


# %% answer="critic_step" wrong="lead back to its own leaf?"
# inputs= keeps the weights clean, and the ring closed
def critic_step(points, critic):
    p = points.detach().requires_grad_()
    score = critic(p)
    score.sum().backward(create_graph=True, inputs=[p])
    size = p.grad.norm(dim=1)
    (score.mean() + 10 * ((size - 1) ** 2).mean()).backward()


# %% answer="critic_step" wrong="At which tensor with the same values"
# the points as they come
def critic_step(points, critic):
    score = critic(points)
    (slope,) = mg.autograd.grad(score.sum(), [points], create_graph=True)
    (score.mean() + 10 * ((slope.norm(dim=1) - 1) ** 2).mean()).backward()


# %% answer="critic_step" wrong="returns a tuple, also of one gradient"
# a gradient that is not taken out
def critic_step(points, critic):
    p = points.detach().requires_grad_()
    score = critic(p)
    slope = mg.autograd.grad(score.sum(), [p], create_graph=True)
    (score.mean() + 10 * ((slope.norm(dim=1) - 1) ** 2).mean()).backward()


# %% answer="critic_step" style="inputs=, and the ring opened by hand"
def critic_step(points, critic):
    p = points.detach().requires_grad_()
    score = critic(p)
    score.sum().backward(create_graph=True, inputs=[p])
    size = p.grad.norm(dim=1)
    p.grad = None
    loss = score.mean() + 10 * ((size - 1) ** 2).mean()
    loss.backward()


# %% answer="critic_step" style="the norm by hand, a clone, the whole Tuple"
def critic_step(points, critic):
    p = points.clone().requires_grad_(True)
    score = critic(p)
    slopes = mg.autograd.grad(score, p, grad_outputs=mg.ones_like(score), create_graph=True)
    size = (slopes[0] ** 2).sum(dim=1).sqrt()
    penalty = (size - 1).pow(2).mean()
    mg.autograd.backward(score.mean() + penalty * 10)


# %% answer="critic_step" style="two backwards, the first retains"
def critic_step(points, critic):
    p = points.detach().requires_grad_()
    score = critic(p)
    weights_loss = score.mean()
    (slope,) = mg.autograd.grad(score.sum(), [p], create_graph=True)
    (weights_loss + 10 * (slope.norm(dim=1) - 1).square().mean()).backward()


# %% answer="critic_step" spare="4 of 5"
# a second score for the penalty
def critic_step(points, critic):
    critic(points).mean().backward()
    p = points.detach().requires_grad_()
    (slope,) = mg.autograd.grad(critic(p).sum(), [p], create_graph=True)
    (10 * ((slope.norm(dim=1) - 1) ** 2).mean()).backward()


# %% answer="hessian_products" wrong="it has to be recorded"
# the gradient of the gradient, of a gradient without a history
def hessian_products(loss, w, directions):
    (slopes,) = mg.autograd.grad(loss(w), [w])
    return [mg.autograd.grad(slopes, [w], d)[0] for d in directions]


# %% answer="hessian_products" wrong="it must stay"
# each backward frees what the next one needs
def hessian_products(loss, w, directions):
    (slopes,) = mg.autograd.grad(loss(w), [w], create_graph=True)
    return [mg.autograd.grad(slopes, [w], d)[0] for d in directions]


# %% answer="hessian_products" wrong="What is the same for all directions?"
# a graph of its own for each direction
def hessian_products(loss, w, directions):
    found = []
    for d in directions:
        (slopes,) = mg.autograd.grad(loss(w), [w], create_graph=True)
        found.append(mg.autograd.grad(slopes, [w], d)[0])
    return found


# %% answer="hessian_products" wrong="Is all of the Hessian made"
# all of it, and then a product for each
def hessian_products(loss, w, directions):
    n = w.numel()
    full = mg.autograd.functional.hessian(loss, w).reshape(n, n)
    return [(full @ d.reshape(n, 1)).reshape(w.shape) for d in directions]


# %% answer="hessian_products" wrong="do they have a history"
# create_graph retains as well
def hessian_products(loss, w, directions):
    (slopes,) = mg.autograd.grad(loss(w), [w], create_graph=True)
    return [mg.autograd.grad(slopes, [w], d, create_graph=True)[0] for d in directions]


# %% answer="hessian_products" wrong="which function returns gradients"
# .grad is where gradients are
def hessian_products(loss, w, directions):
    found = []
    (slopes,) = mg.autograd.grad(loss(w), [w], create_graph=True)
    for d in directions:
        w.grad = None
        slopes.backward(d, retain_graph=True)
        found.append(w.grad)
    return found


# %% answer="hessian_products" wrong="with the direction as its incoming gradient"
# as if all second derivatives stood on the diagonal
def hessian_products(loss, w, directions):
    (slopes,) = mg.autograd.grad(loss(w), [w], create_graph=True)
    (curvature,) = mg.autograd.grad(slopes.sum(), [w])
    return [curvature * d for d in directions]


# %% answer="hessian_products" wrong="returns a tuple, also of one gradient"
# the gradient of all weights, multiplied as if it were one tensor
def hessian_products(loss, w, directions):
    slopes = mg.autograd.grad(loss(w), [w], create_graph=True)
    return [mg.autograd.grad((slopes * d).sum(), [w], retain_graph=True)[0] for d in directions]


# %% answer="hessian_products" style="the sum of the gradient times the direction"
def hessian_products(loss, w, directions):
    (slopes,) = mg.autograd.grad(loss(w), [w], create_graph=True)
    found = []
    for d in directions:
        along = (slopes * d).sum()
        (product,) = mg.autograd.grad(along, [w], retain_graph=True)
        found.append(product)
    return found


# %% answer="hessian_products" style="a leaf of its own, the last one frees"
def hessian_products(loss, w, directions):
    here = w.detach().requires_grad_()
    slopes = mg.autograd.grad(loss(here), here, create_graph=True)[0]
    found = []
    for number, d in enumerate(directions, 1):
        more = number < len(directions)
        found += mg.autograd.grad(slopes, here, grad_outputs=d, retain_graph=more)
    return found


# %% answer="hessian_products" spare="4 of 5"
# the ready-made one, once for each direction
def hessian_products(loss, w, directions):
    return [mg.autograd.functional.vhp(loss, w, d)[1] for d in directions]


# %% answer="fast_weights" wrong="Nothing came back to `w`"
# new weights are new leaves
def fast_weights(inner, w, rate, steps, exact):
    for _ in range(steps):
        fast = w.detach().requires_grad_()
        (slope,) = mg.autograd.grad(inner(fast), [fast])
        w = (fast - rate * slope).detach().requires_grad_()
    return w


# %% answer="fast_weights" wrong="`w` itself was changed"
# as an optimizer does it
def fast_weights(inner, w, rate, steps, exact):
    for _ in range(steps):
        (slope,) = mg.autograd.grad(inner(w), [w], create_graph=exact)
        with mg.no_grad():
            w -= rate * slope
    return w


# %% answer="fast_weights" wrong="it goes through each step's own gradient as well"
# the subtractions lead back, so all is there
def fast_weights(inner, w, rate, steps, exact):
    for _ in range(steps):
        (slope,) = mg.autograd.grad(inner(w), [w])
        w = w - rate * slope
    return w


# %% answer="fast_weights" wrong="is a constant, and only that"
# always exact: better is better
def fast_weights(inner, w, rate, steps, exact):
    for _ in range(steps):
        (slope,) = mg.autograd.grad(inner(w), [w], create_graph=True)
        w = w - rate * slope
    return w


# %% answer="fast_weights" wrong="what still leads to it, or what was saved?"
# a list of the losses, to look at them
LOSSES = []


def fast_weights(inner, w, rate, steps, exact):
    for _ in range(steps):
        loss = inner(w)
        LOSSES.append(loss)
        (slope,) = mg.autograd.grad(loss, [w], retain_graph=True, create_graph=exact)
        w = w - rate * slope
    return w


# %% answer="fast_weights" wrong="returns a tuple, also of one gradient"
# in one line
def fast_weights(inner, w, rate, steps, exact):
    for _ in range(steps):
        w = w - rate * mg.autograd.grad(inner(w), [w], create_graph=exact)
    return w


# %% answer="fast_weights" style="recursion"
def fast_weights(inner, w, rate, steps, exact):
    if steps == 0:
        return w
    slope = mg.autograd.grad(inner(w), w, create_graph=exact)[0]
    return fast_weights(inner, w.sub(slope, alpha=rate), rate, steps - 1, exact)


# %% answer="fast_weights" style="always recorded, and detached for first order"
def fast_weights(inner, w, rate, steps, exact):
    fast = w
    for _ in range(steps):
        loss = inner(fast)
        (slope,) = mg.autograd.grad(loss, [fast], create_graph=True)
        if not exact:
            slope = slope.detach()
        fast = fast + slope * -rate
    return fast


# %% answer="fast_weights" style="one step as a function, a loop over it"
def fast_weights(inner, w, rate, steps, exact):
    def step(weights):
        slopes = mg.autograd.grad(inner(weights), (weights,), create_graph=exact)
        return weights - rate * slopes[0]

    result = step(w) if steps else w
    for _ in range(1, steps):
        result = step(result)
    return result


# %% answer="fast_weights" spare="4 of 6"
# a product that saves each slope, in first order too
def fast_weights(inner, w, rate, steps, exact):
    scale = mg.tensor(rate, requires_grad=True)
    for _ in range(steps):
        (slope,) = mg.autograd.grad(inner(w), [w], create_graph=exact)
        w = w - scale * slope
    return w
