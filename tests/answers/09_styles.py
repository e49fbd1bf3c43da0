"""Lesson 09: right answers in other styles, written from the task cards alone."""


# %% answer="ScaleRows" style="minimal: save_for_backward and view_as"
class ScaleRows(mg.autograd.Function):
    @staticmethod
    def forward(ctx, h, scale):
        ctx.save_for_backward(scale)
        return h.view_as(h)

    @staticmethod
    def backward(ctx, grad):
        return grad * ctx.saved_tensors[0], None


# %% answer="ScaleRows" style="setup_context, returns the input itself"
class ScaleRows(mg.autograd.Function):
    """h, unchanged; its gradient comes out multiplied by `scale`, row by row."""

    @staticmethod
    def forward(h, scale):
        return h

    @staticmethod
    def setup_context(ctx, inputs, output):
        _, scale = inputs
        ctx.save_for_backward(scale)

    @staticmethod
    def backward(ctx, grad):
        (scale,) = ctx.saved_tensors
        return scale * grad, None


# %% answer="ScaleRows" style="defensive: checks shapes, expands the scale"
class ScaleRows(mg.autograd.Function):
    """h, unchanged; its gradient comes out multiplied by `scale`, row by row."""

    @staticmethod
    def forward(ctx, h, scale):
        if tuple(scale.shape) != (h.shape[0], 1):
            raise ValueError(f"scale must have shape ({h.shape[0]}, 1), not {tuple(scale.shape)}")
        if ctx.needs_input_grad[1]:
            raise ValueError("scale gets no gradient")
        if ctx.needs_input_grad[0]:
            ctx.save_for_backward(scale)
        return h.view(*h.shape)

    @staticmethod
    def backward(ctx, grad):
        (scale,) = ctx.saved_tensors
        factors = scale.expand_as(grad)
        return grad.mul(factors), None


# %% answer="ScaleRows" style="detach for 'nothing', a detached twin of the scale saved"
class ScaleRows(mg.autograd.Function):
    """h, unchanged; its gradient comes out multiplied by `scale`, row by row."""

    @staticmethod
    def forward(ctx, h, scale):
        ctx.save_for_backward(scale.detach())
        return h.detach()

    @staticmethod
    def backward(ctx, grad):
        (scale,) = ctx.saved_tensors
        return mg.mul(grad, scale), None


# %% answer="ScaleRows" style="explicit beginner: a copy of the gradient, row by row in place"
class ScaleRows(mg.autograd.Function):
    """h, unchanged; its gradient comes out multiplied by `scale`, row by row."""

    @staticmethod
    def forward(ctx, h, scale):
        ctx.save_for_backward(scale)
        same_as_h = h.view_as(h)
        return same_as_h

    @staticmethod
    def backward(ctx, grad):
        (scale,) = ctx.saved_tensors
        gradient_of_h = grad.clone()
        for row in range(scale.shape[0]):
            gradient_of_h[row] *= scale[row, 0].item()
        gradient_of_scale = None
        return gradient_of_h, gradient_of_scale


# %% answer="late_scale" style="the lesson's order: penalty at once, scale, then main path"
def late_scale(x, first, second, penalty):
    """Leaves its gradients in the weights of `first` and `second`; returns nothing."""
    h = first(x)
    c = h.detach().requires_grad_()
    penalty(c).backward()
    out = second(c)
    c.grad.mul_(out.detach().mean(dim=1, keepdim=True))
    out.sum().backward()
    h.backward(c.grad)


# %% answer="late_scale" style="autograd.grad for the penalty, scaled and added at the end"
def late_scale(x, first, second, penalty):
    """Leaves its gradients in the weights of `first` and `second`; returns nothing."""
    h = first(x)
    c = h.detach().requires_grad_()
    (g,) = mg.autograd.grad(penalty(c), [c])
    out = second(c)
    out.sum().backward()
    with mg.no_grad():
        scale = out.mean(dim=1, keepdim=True)
        c.grad.add_(g.mul_(scale))
    del g, out
    h.backward(c.grad)


# %% answer="late_scale" style="helper functions end the names, gradient as a second start"
def penalty_gradient(h, penalty):
    c = h.detach().requires_grad_()
    penalty(c).backward()
    return c.grad


def main_gradient(h, second):
    """(gradient of the sum at h, mean of each row of the output)"""
    c = h.detach().requires_grad_()
    out = second(c)
    out.sum().backward()
    return c.grad, out.detach().mean(dim=1, keepdim=True)


def late_scale(x, first, second, penalty):
    """Leaves its gradients in the weights of `first` and `second`; returns nothing."""
    h = first(x)
    g = penalty_gradient(h, penalty)
    main, scale = main_gradient(h, second)
    h.backward(main + scale * g)


# %% answer="late_scale" style="explicit beginner: p has a name and is deleted, grad set aside"
def late_scale(x, first, second, penalty):
    """Leaves its gradients in the weights of `first` and `second`; returns nothing."""
    h = first(x)
    cut = h.detach()
    cut.requires_grad_(True)

    p = penalty(cut)
    p.backward()
    del p
    penalty_grad = cut.grad
    cut.grad = None

    out = second(cut)
    loss = out.sum()
    loss.backward()
    scale = out.detach().mean(dim=1, keepdim=True)
    del out, loss

    penalty_grad *= scale
    total = cut.grad
    total += penalty_grad
    del penalty_grad
    h.backward(gradient=total)


# %% answer="late_scale" style="no cut: the stored gradient is injected by a hook, one backward"
def late_scale(x, first, second, penalty):
    """Leaves its gradients in the weights of `first` and `second`; returns nothing."""
    late = {}
    h = first(x)
    (late["g"],) = mg.autograd.grad(penalty(h), [h])
    h.register_hook(lambda grad: grad + late.pop("g") * late.pop("scale"))
    out = second(h)
    late["scale"] = out.detach().mean(dim=1, keepdim=True)
    out.sum().backward()


# %% answer="penalised_step" style="cut after each block, resume in reverse with pop"
def penalised_step(x, blocks, penalty):
    """One forward and backward; leaves its gradients in the weights and returns nothing."""
    cuts = []
    c = x
    for block in blocks:
        h = block(c)
        c = h.detach().requires_grad_()
        penalty(c).backward()
        cuts.append((h, c))
    del h
    c.sum().backward()
    del c
    while cuts:
        h, c = cuts.pop()
        h.backward(c.grad)


# %% answer="penalised_step" style="autograd.grad, and an inject node on the backbone"
class AddGradient(mg.autograd.Function):
    @staticmethod
    def forward(ctx, h, g):
        ctx.save_for_backward(g)
        return h.view_as(h)

    @staticmethod
    def backward(ctx, grad):
        (g,) = ctx.saved_tensors
        return grad + g, None


def penalised_step(x, blocks, penalty):
    """One forward and backward; leaves its gradients in the weights and returns nothing."""
    h = x
    for block in blocks:
        h = block(h)
        (g,) = mg.autograd.grad(penalty(h), [h])
        h = AddGradient.apply(h, g)
    h.sum().backward()


# %% answer="penalised_step" style="autograd.grad, and a hook on each h"
def inject(h, g):
    h.register_hook(lambda grad: grad + g)


def penalised_step(x, blocks, penalty):
    """One forward and backward; leaves its gradients in the weights and returns nothing."""
    h = x
    for block in blocks:
        h = block(h)
        inject(h, *mg.autograd.grad(penalty(h), [h]))
    h.sum().backward()


# %% answer="penalised_step" style="the ready-made checkpoint around each penalty"
def penalised_step(x, blocks, penalty):
    """One forward and backward; leaves its gradients in the weights and returns nothing."""
    checkpoint = mg.utils.checkpoint.checkpoint
    h, penalties = x, []
    for block in blocks:
        h = block(h)
        penalties.append(checkpoint(penalty, h, use_reentrant=False))
    loss = h.sum() + sum(penalties)
    loss.backward()


# %% answer="penalised_step" style="recursion: each call cuts, goes on, and resumes"
def penalised_step(x, blocks, penalty):
    """One forward and backward; leaves its gradients in the weights and returns nothing."""
    if not blocks:
        x.sum().backward()
        return
    first, *rest = blocks
    h = first(x)
    cut = h.detach().requires_grad_()
    penalty(cut).backward()
    penalised_step(cut, rest, penalty)
    h.backward(cut.grad)
