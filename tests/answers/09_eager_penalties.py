"""Lesson 09: what people write. Each cell is one answer; course/build/README.md tells its keys."""


# %% answer="nodes_that_ran" wrong="by way of the node that made h"
# backward(inputs=[h]) is autograd.grad that writes into .grad: it goes to h and stops
def nodes_that_ran(steps, way):
    ran = steps if way == "plain" else []
    return [len(ran), not any(step in ("tanh", "double") for step in ran)]


# %% answer="nodes_that_ran" wrong="stops in front of the node"
# a backward computes the whole tree, whatever one names
def nodes_that_ran(steps, way):
    return [len(steps), not any(step in ("tanh", "double") for step in steps)]


# %% answer="nodes_that_ran" wrong="it cannot run again"
# a number is not saved: only tensors are freed
def nodes_that_ran(steps, way):
    ran = {"plain": steps, "inputs": steps[-1:], "grad": []}[way]
    return [len(ran), "tanh" not in ran]


# %% answer="nodes_that_ran" wrong="had saved nothing"
# every second backward through a node is an error
def nodes_that_ran(steps, way):
    ran = {"plain": steps, "inputs": steps[-1:], "grad": []}[way]
    return [len(ran), not ran]


# %% answer="nodes_that_ran" style="branches and sets"
def nodes_that_ran(steps, way):
    if way == "grad":
        return 0, True
    touched = steps if way == "plain" else [steps[-1]]
    return len(touched), set(touched) <= {"plus", "minus"}


# %% answer="nodes_that_ran" style="a slice by number"
def nodes_that_ran(steps, way):
    count = {"plain": len(steps), "inputs": 1}.get(way, 0)
    fatal = [step for step in steps[len(steps) - count :] if step[0] in "td"]
    return [count, len(fatal) == 0]


# %% answer="nodes_that_ran" spare="4 of 5"
# counts with a tensor
def nodes_that_ran(steps, way):
    ran = {"plain": steps, "inputs": steps[-1:], "grad": []}[way]
    saves = mg.tensor([0.0] + [float(step in ("tanh", "double")) for step in ran])
    return [len(ran), saves.sum().item() == 0]


# %% answer="nodes_that_ran" proof=true
def nodes_that_ran(steps, way):
    done = {
        "tanh": lambda h: h.tanh(),
        "minus": lambda h: -h,
        "plus": lambda h: h + 1,
        "double": lambda h: h * 2,
    }
    h, count = mg.ones(4, requires_grad=True), []
    for step in steps:
        h = done[step](h)
        h.grad_fn.register_hook(lambda inputs, outputs: count.append(1))
    p = (h * h).sum()
    if way == "plain":
        p.backward()
    if way == "inputs":
        p.backward(inputs=[h])
    if way == "grad":
        mg.autograd.grad(p, [h])
    ran = len(count)
    try:
        h.sum().backward()
    except RuntimeError:
        return [ran, False]
    return [ran, True]


# %% answer="ScaleRows" wrong="what does its `ctx` hold that backward did not let go"
# an attribute is as good as save_for_backward
class ScaleRows(mg.autograd.Function):
    @staticmethod
    def forward(ctx, h, scale):
        ctx.scale = scale
        return h.view_as(h)

    @staticmethod
    def backward(ctx, grad):
        return grad * ctx.scale, None


# %% answer="ScaleRows" wrong="The main path was scaled too"
# a hook on h is the same in one line
class ScaleRows:
    @staticmethod
    def apply(h, scale):
        h.register_hook(lambda grad: grad * scale)
        return h


# %% answer="ScaleRows" wrong="a view has those of its tensor"
# a result must have bytes of its own
class ScaleRows(mg.autograd.Function):
    @staticmethod
    def forward(ctx, h, scale):
        ctx.save_for_backward(scale)
        return h.clone()

    @staticmethod
    def backward(ctx, grad):
        return grad * ctx.saved_tensors[0], None


# %% answer="ScaleRows" wrong="forward changes nothing"
# scales forward as well, where the gradient then comes out right
class ScaleRows:
    @staticmethod
    def apply(h, scale):
        return h * scale


# %% answer="ScaleRows" wrong="Nobody else holds this `h`"
# backward gets what forward got
class ScaleRows(mg.autograd.Function):
    @staticmethod
    def forward(ctx, h, scale):
        ctx.save_for_backward(h, scale)
        return h.view_as(h)

    @staticmethod
    def backward(ctx, grad):
        return grad * ctx.saved_tensors[1], None


# %% answer="ScaleRows" wrong="backward returns two values"
# only what wants a gradient gets one
class ScaleRows(mg.autograd.Function):
    @staticmethod
    def forward(ctx, h, scale):
        ctx.save_for_backward(scale)
        return h.view_as(h)

    @staticmethod
    def backward(ctx, grad):
        return grad * ctx.saved_tensors[0]


# %% answer="ScaleRows" wrong="make a new tensor"
# grad is handed over: one may write into it
class ScaleRows(mg.autograd.Function):
    @staticmethod
    def forward(ctx, h, scale):
        ctx.save_for_backward(scale)
        return h.view_as(h)

    @staticmethod
    def backward(ctx, grad):
        return grad.mul_(ctx.saved_tensors[0]), None


# %% answer="ScaleRows" style="with setup_context left out and mul"
class ScaleRows(mg.autograd.Function):
    @staticmethod
    def forward(ctx, h, scale):
        ctx.save_for_backward(scale)
        return h.view(h.shape)

    @staticmethod
    def backward(ctx, grad):
        return mg.mul(ctx.saved_tensors[0], grad), None


# %% answer="ScaleRows" style="detach, and a gradient only where it is wanted"
class ScaleRows(mg.autograd.Function):
    @staticmethod
    def forward(ctx, h, scale):
        ctx.save_for_backward(scale.detach())
        return h.detach()

    @staticmethod
    def backward(ctx, grad):
        (scale,) = ctx.saved_tensors
        return (grad * scale if ctx.needs_input_grad[0] else None), None


# %% answer="ScaleRows" spare="5 of 7"
# keeps a spare copy of the scale beside the saved one
class ScaleRows(mg.autograd.Function):
    @staticmethod
    def forward(ctx, h, scale):
        ctx.save_for_backward(scale)
        ctx.spare = scale.detach()
        return h.view_as(h)

    @staticmethod
    def backward(ctx, grad):
        return grad * ctx.saved_tensors[0], None


# %% answer="late_scale" wrong="`c.grad` must hold the penalty's part, and it alone"
# mends the bytes, and leaves the order
def late_scale(x, first, second, penalty):
    h = first(x)
    c = h.detach().requires_grad_()
    penalty(c).backward()
    out = second(c)
    out.sum().backward()
    c.grad.mul_(out.detach().mean(dim=1, keepdim=True))
    h.backward(c.grad)


# %% answer="late_scale" wrong="a copy of h"
# detach() alone would let somebody else write into h
def late_scale(x, first, second, penalty):
    h = first(x)
    c = h.detach().clone().requires_grad_()
    penalty(c).backward()
    out = second(c)
    c.grad.mul_(out.detach().mean(dim=1, keepdim=True))
    out.sum().backward()
    h.backward(c.grad)


# %% answer="late_scale" wrong="still held by a name"
# a backward gives the branch back, so its name does no harm; but it was told to retain
def late_scale(x, first, second, penalty):
    h = first(x)
    c = h.detach().requires_grad_()
    p = penalty(c)
    p.backward(retain_graph=True)
    out = second(c)
    c.grad.mul_(out.detach().mean(dim=1, keepdim=True))
    out.sum().backward()
    h.backward(c.grad)


# %% answer="late_scale" wrong="is computed a second time"
# runs the net once to learn the scale, and once to use it
def late_scale(x, first, second, penalty):
    with mg.no_grad():
        scale = second(first(x)).mean(dim=1, keepdim=True)
    h = first(x)
    (g,) = mg.autograd.grad(penalty(h), [h])
    h.register_hook(lambda grad: grad + g * scale)
    second(h).sum().backward()


# %% answer="late_scale" style="autograd.grad in place of a boundary's .grad"
def late_scale(x, first, second, penalty):
    h = first(x)
    (g,) = mg.autograd.grad(penalty(h), [h])
    c = h.detach().requires_grad_()
    out = second(c)
    c.grad = g.mul_(out.detach().mean(dim=1, keepdim=True))
    del g
    out.sum().backward()
    h.backward(c.grad)


# %% answer="late_scale" style="the scale under no_grad, names dropped"
def late_scale(x, first, second, penalty):
    h = first(x)
    boundary = h.detach()
    boundary.requires_grad = True
    mg.autograd.backward(penalty(boundary))
    out = second(boundary)
    with mg.no_grad():
        boundary.grad *= out.mean(dim=1, keepdim=True)
    mg.autograd.backward(out.sum())
    del out
    mg.autograd.backward(h, boundary.grad)


# %% answer="late_scale" style="the sum is named beforehand"
def late_scale(x, first, second, penalty):
    h = first(x)
    c = h.detach().requires_grad_()
    penalty(c).backward()
    out = second(c)
    total = out.sum()
    c.grad.mul_(out.detach().mean(dim=1, keepdim=True))
    total.backward()
    h.backward(c.grad)


# %% answer="late_scale" spare="3 of 5"
# a product out of place
def late_scale(x, first, second, penalty):
    h = first(x)
    c = h.detach().requires_grad_()
    penalty(c).backward()
    out = second(c)
    spare = c.grad.clone()
    c.grad = spare * out.detach().mean(dim=1, keepdim=True)
    out.sum().backward()
    h.backward(c.grad)


# %% answer="penalised_step" wrong="Does too much wait for the end"
# one backward for all: each branch is there to the end
def penalised_step(x, blocks, penalty):
    h, total = x, 0.0
    for block in blocks:
        h = block(h)
        total = total + penalty(h)
    (h.sum() + total).backward()


# %% answer="penalised_step" wrong="a square"
# the plan of the thread's first answer
def penalised_step(x, blocks, penalty):
    h = x
    for block in blocks:
        h = block(h)
        penalty(h).backward(retain_graph=True)
    h.sum().backward()


# %% answer="penalised_step" wrong="stop in front of the node"
# the plan of the thread's last answer
def penalised_step(x, blocks, penalty):
    h = x
    for block in blocks:
        h = block(h)
        penalty(h).backward(inputs=[h])
    h.sum().backward()


# %% answer="penalised_step" wrong="must reach all the weights below it"
# a boundary, and nobody resumes
def penalised_step(x, blocks, penalty):
    h = x
    for block in blocks:
        h = block(h)
        penalty(h.detach().requires_grad_()).backward()
    h.sum().backward()


# %% answer="penalised_step" style="computed again later"
class Again(mg.autograd.Function):
    @staticmethod
    def forward(ctx, penalty, h):
        ctx.penalty = penalty
        ctx.save_for_backward(h)
        return penalty(h)

    @staticmethod
    def backward(ctx, grad):
        c = ctx.saved_tensors[0].detach().requires_grad_()
        with mg.enable_grad():
            p = ctx.penalty(c)
        return None, *mg.autograd.grad(p, [c], grad)


def penalised_step(x, blocks, penalty):
    h, total = x, 0.0
    for block in blocks:
        h = block(h)
        total = total + Again.apply(penalty, h)
    (h.sum() + total).backward()


# %% answer="penalised_step" style="an inject node"
class Put(mg.autograd.Function):
    @staticmethod
    def forward(ctx, h, g):
        ctx.save_for_backward(g)
        return h.view_as(h)

    @staticmethod
    def backward(ctx, grad):
        return grad + ctx.saved_tensors[0], None


def penalised_step(x, blocks, penalty):
    for block in blocks:
        x = block(x)
        x = Put.apply(x, mg.autograd.grad(penalty(x), [x])[0])
    x.sum().backward()


# %% answer="penalised_step" spare="3 of 5"
# a copy of each stored gradient
def penalised_step(x, blocks, penalty):
    h, kept = x, []
    for block in blocks:
        h = block(h)
        (g,) = mg.autograd.grad(penalty(h), [h])
        kept.append(g)
        h.register_hook(lambda grad, g=g.clone(): grad + g)
    h.sum().backward()


# %% answer="penalised_step" wrong="Every hook adds the `g` of the last turn"
# late binding: the name is looked up when the hook runs
def penalised_step(x, blocks, penalty):
    h = x
    for block in blocks:
        h = block(h)
        (g,) = mg.autograd.grad(penalty(h), [h])
        h.register_hook(lambda grad: grad + g)
    h.sum().backward()
