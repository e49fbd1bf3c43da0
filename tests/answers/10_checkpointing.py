"""Lesson 10: what people write. Each cell is one answer; course/build/README.md tells its keys."""


# %% answer="HonestCheckpoint" wrong="let the second run begin at copies"
# the saved tensors are the tensors: no need to cut them off
class HonestCheckpoint(mg.autograd.Function):
    @staticmethod
    def forward(ctx, run, *tensors):
        ctx.run = run
        ctx.save_for_backward(*tensors)
        return run(*tensors)

    @staticmethod
    def backward(ctx, grad):
        tensors = ctx.saved_tensors
        with mg.enable_grad():
            y = ctx.run(*tensors)
        y.backward(grad)
        return None, *[t.grad for t in tensors]


# %% answer="HonestCheckpoint" wrong="h wants no gradient here"
# only the first tensor is "the input"; the weights have their own way to their gradients
class HonestCheckpoint(mg.autograd.Function):
    @staticmethod
    def forward(ctx, run, *tensors):
        ctx.run = run
        ctx.save_for_backward(*tensors)
        return run(*tensors)

    @staticmethod
    def backward(ctx, grad):
        again = [t.detach().requires_grad_(t.requires_grad) for t in ctx.saved_tensors]
        with mg.enable_grad():
            y = ctx.run(*again)
        y.backward(grad)
        if again[0].grad is None:
            return None, *[None for t in again]
        return None, *[t.grad for t in again]


# %% answer="HonestCheckpoint" wrong="the second run needs `mg.enable_grad()`"
# backward records by itself
class HonestCheckpoint(mg.autograd.Function):
    @staticmethod
    def forward(ctx, run, *tensors):
        ctx.run = run
        ctx.save_for_backward(*tensors)
        return run(*tensors)

    @staticmethod
    def backward(ctx, grad):
        again = [t.detach().requires_grad_() for t in ctx.saved_tensors]
        y = ctx.run(*again)
        return None, *mg.autograd.grad(y, again, grad)


# %% answer="HonestCheckpoint" wrong="Backward returns one value for each argument"
# a gradient for the input, as in the lesson
class HonestCheckpoint(mg.autograd.Function):
    @staticmethod
    def forward(ctx, run, *tensors):
        ctx.run = run
        ctx.save_for_backward(*tensors)
        return run(*tensors)

    @staticmethod
    def backward(ctx, grad):
        again = [t.detach().requires_grad_() for t in ctx.saved_tensors]
        with mg.enable_grad():
            y = ctx.run(*again)
        return None, mg.autograd.grad(y, again, grad)[0]


# %% answer="HonestCheckpoint" wrong="What does `ctx` hold"
# keeps the graph of the first run: right gradients, and no checkpoint
class HonestCheckpoint(mg.autograd.Function):
    @staticmethod
    def forward(ctx, run, *tensors):
        ctx.again = [t.detach().requires_grad_(t.requires_grad) for t in tensors]
        with mg.enable_grad():
            ctx.y = run(*ctx.again)
        return ctx.y.detach().clone()

    @staticmethod
    def backward(ctx, grad):
        ctx.y.backward(grad)
        return None, *[t.grad for t in ctx.again]


# %% answer="HonestCheckpoint" style="a backward into copies"
class HonestCheckpoint(mg.autograd.Function):
    @staticmethod
    def forward(ctx, run, *tensors):
        ctx.save_for_backward(*tensors)
        ctx.run = run
        return ctx.run(*tensors)

    @staticmethod
    def backward(ctx, grad):
        copies = []
        for tensor in ctx.saved_tensors:
            copies.append(tensor.detach())
            copies[-1].requires_grad = tensor.requires_grad
        with mg.enable_grad():
            ctx.run(*copies).backward(grad)
        return (None, *(copy.grad for copy in copies))


# %% answer="HonestCheckpoint" style="grad for those that want one, by their numbers"
class HonestCheckpoint(mg.autograd.Function):
    @staticmethod
    def forward(ctx, run, *tensors):
        ctx.run = run
        ctx.save_for_backward(*tensors)
        return run(*tensors)

    @staticmethod
    def backward(ctx, grad):
        wanted = [i for i, t in enumerate(ctx.saved_tensors) if t.requires_grad]
        with mg.enable_grad():
            again = [t.detach() for t in ctx.saved_tensors]
            for i in wanted:
                again[i].requires_grad_()
            found = mg.autograd.grad([ctx.run(*again)], [again[i] for i in wanted], [grad])
        slots = [None] * (1 + len(again))
        for i, one in zip(wanted, found):
            slots[1 + i] = one
        return tuple(slots)


# %% answer="HonestCheckpoint" wrong="Whole numbers cannot want a gradient"
# gradients for all, whether asked for or not
class HonestCheckpoint(mg.autograd.Function):
    @staticmethod
    def forward(ctx, run, *tensors):
        ctx.run = run
        ctx.save_for_backward(*tensors)
        return run(*tensors)

    @staticmethod
    def backward(ctx, grad):
        with mg.enable_grad():
            again = [t.detach().requires_grad_() for t in ctx.saved_tensors]
            found = mg.autograd.grad([ctx.run(*again)], again, [grad])
        return None, *found


# %% answer="HonestCheckpoint" wrong="let the second run begin at copies"
# autograd.grad writes into no .grad, so nothing need be cut off
class HonestCheckpoint(mg.autograd.Function):
    @staticmethod
    def forward(ctx, run, *tensors):
        ctx.run = run
        ctx.save_for_backward(*tensors)
        return run(*tensors)

    @staticmethod
    def backward(ctx, grad):
        tensors = ctx.saved_tensors
        with mg.enable_grad():
            y = ctx.run(*tensors)
        found = iter(mg.autograd.grad(y, [t for t in tensors if t.requires_grad], grad))
        return None, *[next(found) if t.requires_grad else None for t in tensors]


# %% answer="HonestCheckpoint" wrong="hold something that backward did not empty"
# an attribute keeps the arguments as well as save_for_backward does
class HonestCheckpoint(mg.autograd.Function):
    @staticmethod
    def forward(ctx, run, *tensors):
        ctx.run, ctx.tensors = run, tensors
        return run(*tensors)

    @staticmethod
    def backward(ctx, grad):
        again = [t.detach().requires_grad_(t.requires_grad) for t in ctx.tensors]
        with mg.enable_grad():
            y = ctx.run(*again)
        found = iter(mg.autograd.grad(y, [t for t in again if t.requires_grad], grad))
        return None, *[next(found) if t.requires_grad else None for t in again]


# %% answer="HonestCheckpoint" spare="8 of 9"
# clones what it could detach, and the clones
class HonestCheckpoint(mg.autograd.Function):
    @staticmethod
    def forward(ctx, run, *tensors):
        ctx.run = run
        ctx.save_for_backward(*tensors)
        return run(*tensors)

    @staticmethod
    def backward(ctx, grad):
        safe = [[t.clone() for t in ctx.saved_tensors] for _ in "12"]
        again = [t.detach().clone().requires_grad_(t.requires_grad) for t in ctx.saved_tensors]
        with mg.enable_grad():
            y = ctx.run(*again)
        y.backward(grad)
        safe.clear()
        return None, *[t.grad for t in again]


# %% answer="SameDice" wrong="Where did the numbers stand as `run` began"
# puts the state back after backward, and has not seen that it is the wrong state
class SameDice(mg.autograd.Function):
    @staticmethod
    def forward(ctx, run, h):
        y = run(h)
        ctx.run, ctx.dice = run, mg.get_rng_state()
        ctx.save_for_backward(h)
        return y

    @staticmethod
    def backward(ctx, grad):
        now = mg.get_rng_state()
        mg.set_rng_state(ctx.dice)
        h = ctx.saved_tensors[0].detach().requires_grad_()
        with mg.enable_grad():
            y = ctx.run(h)
        mg.set_rng_state(now)
        y.backward(grad)
        return None, h.grad


# %% answer="SameDice" wrong="put the state back after the second run"
# the second run leaves the numbers where the first one left them: is that not the same?
class SameDice(mg.autograd.Function):
    @staticmethod
    def forward(ctx, run, h):
        ctx.run, ctx.dice = run, mg.get_rng_state()
        ctx.save_for_backward(h)
        return run(h)

    @staticmethod
    def backward(ctx, grad):
        mg.set_rng_state(ctx.dice)
        h = ctx.saved_tensors[0].detach().requires_grad_()
        with mg.enable_grad():
            y = ctx.run(h)
        y.backward(grad)
        return None, h.grad


# %% answer="SameDice" wrong="hold something that backward did not empty"
# a tensor in ctx is as good as a saved one
class SameDice(mg.autograd.Function):
    @staticmethod
    def forward(ctx, run, h):
        ctx.run, ctx.h, ctx.dice = run, h, mg.get_rng_state()
        return run(h)

    @staticmethod
    def backward(ctx, grad):
        now = mg.get_rng_state()
        mg.set_rng_state(ctx.dice)
        h = ctx.h.detach().requires_grad_()
        with mg.enable_grad():
            y = ctx.run(h)
        mg.set_rng_state(now)
        y.backward(grad)
        return None, h.grad


# %% answer="SameDice" wrong="Each node has a state of its own"
# one seed for all: each mask is the same, and right with one segment only
class SameDice(mg.autograd.Function):
    @staticmethod
    def forward(ctx, run, h):
        SameDice.dice = mg.get_rng_state()
        ctx.run = run
        ctx.save_for_backward(h)
        return run(h)

    @staticmethod
    def backward(ctx, grad):
        now = mg.get_rng_state()
        mg.set_rng_state(SameDice.dice)
        h = ctx.saved_tensors[0].detach().requires_grad_()
        with mg.enable_grad():
            y = ctx.run(h)
        mg.set_rng_state(now)
        y.backward(grad)
        return None, h.grad


# %% answer="SameDice" wrong="The weights got no gradient"
# the gradient of h is all that backward returns, so it is all that is asked for
class SameDice(mg.autograd.Function):
    @staticmethod
    def forward(ctx, run, h):
        ctx.run, ctx.dice = run, mg.get_rng_state()
        ctx.save_for_backward(h)
        return run(h)

    @staticmethod
    def backward(ctx, grad):
        now = mg.get_rng_state()
        mg.set_rng_state(ctx.dice)
        h = ctx.saved_tensors[0].detach().requires_grad_()
        with mg.enable_grad():
            y = ctx.run(h)
        mg.set_rng_state(now)
        return None, mg.autograd.grad(y, [h], grad)[0]


# %% answer="SameDice" style="autograd.grad, and a finally"
class SameDice(mg.autograd.Function):
    @staticmethod
    def forward(ctx, run, h):
        ctx.save_for_backward(h)
        ctx.dice, ctx.run = mg.get_rng_state(), run
        return run(h)

    @staticmethod
    def backward(ctx, grad):
        (h,) = ctx.saved_tensors
        h, now = h.detach().requires_grad_(), mg.get_rng_state()
        try:
            mg.set_rng_state(ctx.dice)
            with mg.enable_grad():
                y = ctx.run(h)
        finally:
            mg.set_rng_state(now)
        mg.autograd.backward([y], [grad])
        return None, h.grad


# %% answer="SameDice" wrong="is banned in this exercise"
class SameDice:
    @staticmethod
    def apply(run, h):
        return mg.utils.checkpoint.checkpoint(run, h, use_reentrant=True)


# %% answer="SameDice" spare="5 of 6"
# keeps copies of the gradient
class SameDice(mg.autograd.Function):
    @staticmethod
    def forward(ctx, run, h):
        ctx.run, ctx.dice = run, mg.get_rng_state()
        ctx.save_for_backward(h)
        return run(h)

    @staticmethod
    def backward(ctx, grad):
        now, spare, more = mg.get_rng_state(), grad.clone(), grad * 1.0
        mg.set_rng_state(ctx.dice)
        h = ctx.saved_tensors[0].detach().requires_grad_()
        with mg.enable_grad():
            y = ctx.run(h)
        mg.set_rng_state(now)
        y.backward(spare)
        del more
        return None, h.grad
