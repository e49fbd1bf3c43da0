# %% [markdown]
# # 09  Eager penalties
# Your net is so large that memory decides what you can train. Along the way it computes penalties:
# small extra losses on the activations, one after each block. None of them is needed to go on. Can
# you take the gradient of a penalty the moment you have it, and be rid of its tensors before
# the next block begins? This is the question of thread 001. The answers there are all good ideas.
# One costs more work than it seems, and one breaks the net that it was meant to spare.
#
# The set-up cell has the data `x` (64 x 32 x 4 = 8,192 B, 1 U) and two weights with their
# `.grad` made beforehand. The **backbone** is the net itself: blocks, each of which adds something
# to its input. A penalty is a **branch**: it leaves the backbone, ends in one number, and nobody
# on the backbone ever looks at it. Ours is wide, 64 x 128, so that it hurts.

# %% twin=true
import minigrad as mg
from course.lesson import attempt, predict, price, same_gradients

x = mg.arange(2048.0).view(64, 32) / 2048
w, v = (mg.full((32, 32), 0.01, requires_grad=True) for _ in range(2))
w.grad, v.grad = mg.zeros(32, 32), mg.zeros(32, 32)
A, U = mg.full((32, 128), 0.02), x.nbytes


def block(h):
    return h + (h @ w).tanh() @ v


def penalty(h):
    return (h @ A).tanh().mean()


# %% [markdown]
# ## 1. Case file: can a branch be freed at once?
# You can do the sums beforehand. A block saves its input `h` (for the gradient of `w`) and the
# tanh (for its own slope and for the gradient of `v`): 2 U. A penalty saves its tanh, 64 x 128 x 4
# bytes: 4 U. `A` wants no gradient, so the product saves nothing new. With one penalty a block,
# a net that waits for one backward at the end holds 6 U a block, and 4 of these are for penalties.
#
# The first answer in the thread is a plan, untested as its author says: call `backward` on the
# penalty right away, with `retain_graph=True` since the backbone below will be needed again;
# then set its names to `None`. So two things happen. Which of the two gives the 4 U back?


# %% twin=true
def one_branch():
    h = block(x)
    before, points = mg.memory_allocated(), []
    p = penalty(h)
    points.append(mg.memory_allocated() - before)
    p.backward(retain_graph=True)
    points.append(mg.memory_allocated() - before)
    del p
    return [*points, mg.memory_allocated() - before]


# %% solo="prediction"
predict(
    "09.who-frees",
    "`p = penalty(h)`, then `p.backward(retain_graph=True)`, then `del p`. Which line gives the "
    "4 U of the branch back?",
    {
        "the backward": "Nobody needs the branch any more, and a plain backward would have freed "
        "it. But this one was told to retain, and the option makes no difference between branch "
        "and backbone: every node that it ran keeps what it saved.",
        "del p": "The option only told the backward not to free. It holds nothing itself. `p` held "
        "its node, that one the next, and so on down to `h`. Without `p` the branch falls.",
        "neither": "One may think that a retained graph stays until a backward without the option "
        "comes by. But retained is not pinned: a graph lives as long as somebody leads to it.",
    },
    run=lambda: {(True, False): "the backward", (False, True): "del p"}.get(
        (one_branch()[1] < U, one_branch()[1] > one_branch()[2]), "neither"
    ),
)

# %% [markdown]
# Here it is line by line, with the bytes above those of the backbone.

# %% twin=true at="09.eager"
h = block(x)
before = mg.memory_allocated()
p = penalty(h)
print("the branch is there ", (mg.memory_allocated() - before) // U, "U")
p.backward(retain_graph=True)
print("it has run, retained", (mg.memory_allocated() - before) // U, "U")
del p
print("its root is dropped ", (mg.memory_allocated() - before) // U, "U")
h.sum().backward()

# %% [markdown]
# The last line passes: the backbone was whole. The plan works, and you can see why. References in
# a graph point one way, from the root down:
#
# ```
# names          tensors -> storages            nodes
# -----          -------------------            -----
# p --- del ---  [p       4 B] --grad_fn------> (MeanBackward0)
#                                                     |
#                                                     v
#                [tanh    4 U] <----result----- (TanhBackward0)
#                                                     |
#                                                     v
#                                               (MmBackward0)
#                                                     |
#                                                     v
# h -----------> [h       1 U] --grad_fn------> (AddBackward0) --> backbone
# ```
#
# Nothing on the backbone points up into a branch, so a branch hangs on its root alone. Watch it
# fall. The view opens when the branch is made; `p.backward` visits every node and crosses nothing out,
# and the last line takes the branch away. (`block` and `penalty` are written out, so that you see their tensors; the `mat2` of the
# penalty is `A`, which is there anyway. In the view the newest node is at the bottom, and Page Down
# goes on by a line.)

# %% solo="the view" at="09.step"
# %%step --at "p names" --title "A branch hangs on its root"
h = x + (x @ w).tanh() @ v
p = (h @ A).tanh().mean()
p.backward(retain_graph=True)
del p

# %% [markdown]
# The backbone stays, its labels whole, ready for its own backward. That a branch falls with `p` holds
# as long as its root is the only thing you hold. In the plan the pieces of the penalty have names
# too, and each of them is set to `None`. Is that needed?


# %% twin=true at="09.names"
def with_a_piece():
    h = block(x)
    before = mg.memory_allocated()
    t = (h @ A).tanh()
    p = t.mean()
    p.backward(retain_graph=True)
    del p
    print("without p:", (mg.memory_allocated() - before) // U, "U")
    del t
    print("without t:", (mg.memory_allocated() - before) // U, "U")


with_a_piece()

# %% [markdown]
# Yes, if they are names in your training loop. If they are local variables of a function such as
# `penalty`, they went when it returned. The asker hoped that even the input of the penalty could
# go. That is not ours to say: the next block saves `h` for the gradient of `w`.
#
# Last doubt: are the gradients those of one big loss? Backward only ever adds to `.grad`, so two
# backwards should leave what one backward of the sum leaves. `same_gradients` zeroes the `.grad` of
# the weights before each of two ways to train, and compares what they leave, up to three millionths.
# It has to be so strict: our penalty is small, and a loose comparison would not notice its absence.


# %% twin=true
def jointly():
    h = block(x)
    (penalty(h) + h.sum()).backward()


def eagerly():
    h = block(x)
    penalty(h).backward(retain_graph=True)
    h.sum().backward()


# %% twin=true at="09.same"
print("eagerly as jointly: ", same_gradients([w, v], eagerly, jointly))
print("without the penalty:", same_gradients([w, v], lambda: block(x).sum().backward(), jointly))

# %% [markdown]
# Up to rounding, yes. In `eagerly` the penalty never had a name: the line ends and it is gone.
#
# Here are both on one axis, with three layers instead of blocks and a penalty after each, up to the
# point where the last backward would begin. Choose the trace in the corner, and step with the arrow
# keys.

# %% solo="the view" at="09.side"
from whoholds.step import step as trace
from whoholds.views import show

program = """h, total = x, 0.0
for i in range(3):
    h = (h @ w).tanh()
    p = (h @ A).tanh().mean()
    {}
    del p
"""
plans = {"eagerly": "p.backward(retain_graph=True)", "jointly": "total = total + p"}
given = {"x": x, "w": w, "A": A}
show({plan: trace(program.format(line), namespace=dict(given)) for plan, line in plans.items()})

# %% [markdown]
# `jointly` climbs by the 4 U of a branch with each layer; `eagerly` comes down again. But its third
# backward takes longer than its first, for it goes through all three layers. Section 5 counts such
# walks.
#
# **Try it.** In `one_branch`, append `p` to a list before `del p`, as people do to log it. All 4 U
# stay. Append `p.item()`, which is a plain number, or `p.detach()`, and they go.

# %% [markdown]
# ## 2. How far does a backward go?
# Some weeks later the asker is back. A backward computes the whole tree, they say; how can I make
# it stop at the input of the penalty? The last reply in the thread has a tip: name the tensors,
# as in `p.backward(inputs=[h])`, and only the part of the graph that is needed for them will run.
#
# To test it we let a penalty run in three ways, and then ask whether the backbone still can.
# `mg.autograd.grad` is the third: it returns the gradients of what you name, and touches no
# `.grad`. None of the three retains anything. (`attempt` says how a call ended, as in lesson 06.)


# %% twin=true
def backbone_after(stop, make=lambda: (x @ w).tanh()):
    h = make()
    stop(penalty(h), h)
    return attempt(h.sum().backward)


# %% twin=true
ways = {
    "p.backward()": lambda p, h: p.backward(),
    "p.backward(inputs=[h])": lambda p, h: p.backward(inputs=[h]),
    "autograd.grad(p, [h])": lambda p, h: mg.autograd.grad(p, [h]),
}

# %% solo="prediction"
predict(
    "09.inputs",
    "`h = (x @ w).tanh()`, `p = penalty(h)`, then `p.backward(inputs=[h])` without retaining. "
    "Does `h.sum().backward()` pass afterwards?",
    {
        "it passes": "This is what the tip promises: nothing beyond `h` is needed for the "
        "gradient of `h`. Nearly nothing. One node too many is run, and it is the wrong one.",
        "it fails": "The gradient goes no further than `h`, and `w.grad` is not touched. But the "
        "node that made `h` is run too, its result is thrown away, and it is freed like any "
        "node that ran.",
    },
    run=lambda: {True: "it passes", False: "it fails"}[
        backbone_after(ways["p.backward(inputs=[h])"]) == "passes"
    ],
)

# %% twin=true at="09.stops"
for name, stop in ways.items():
    print(f"{name:23}", backbone_after(stop))

# %% [markdown]
# The tip fails with the same error as the plain backward; `autograd.grad` passes. To see why,
# let the node that made `h` tell us when it runs. A node has hooks of its own:
# `node.register_hook` takes a function that is called after the node has run.

# %% twin=true at="09.node"
h = (x @ w).tanh()
w_before = w.grad.tolist()
h.grad_fn.register_hook(lambda inputs, outputs: print("   the node of h runs"))
print("autograd.grad:")
(g,) = mg.autograd.grad(penalty(h), [h])
print("backward(inputs=[h]):")
penalty(h).backward(inputs=[h])
print("same gradient:", mg.equal(g, h.grad), " w.grad untouched:", w.grad.tolist() == w_before)
print("the node's result:", attempt(lambda: h.grad_fn._saved_result))

# %% [markdown]
# Both give the gradient of `h`, both leave `w.grad` alone. But `backward` can only deliver a
# gradient to `h` by way of the node that made it, and so it runs this node, as it runs the
# AccumulateGrad of a leaf. For a leaf that is what you want. For our `h` it does a useless product
# of 1 U and, worse, frees what the backbone will need. `autograd.grad` stops *in front of* that
# node:
#
# ```
#  autograd.grad stops here       backward(inputs=[h]) stops here
#             |                                 |
# (Mm of p) --+--> (TanhBackward0: made h) -----+--> (MmBackward0: x @ w)
#                    result: ( freed )                 still whole
# ```
#
# The view has one after the other, and opens in front of the first. Step with the arrow keys; a thick frame marks the node that
# runs. In which line does it get to the node of `h`, the upper TanhBackward0, and what becomes of
# the label there?

# %% solo="the view" at="09.step-node"
# %%step --at "p names" --title "In front of a node, or through it"
h = (x @ w).tanh()
p = (h @ A).tanh().mean()
(g,) = mg.autograd.grad(p, [h])
p = (h @ A).tanh().mean()
p.backward(inputs=[h])
del p

# %% [markdown]
# Why did the tip's author, and perhaps you, never notice? Try the same with our block.

# %% twin=true at="09.luck"
for name, stop in ways.items():
    print(f"{name:23}", backbone_after(stop, make=lambda: block(x)))

# %% [markdown]
# A block ends in `+`, and the node of `+` saved nothing. It may run as often as it likes
# (lesson 05). So `backward(inputs=[h])` is harmless if the last operation before the cut happens to
# save nothing, and it breaks the day somebody puts an activation there. That is nothing to build
# on. **For the gradient up to a tensor in the middle, use `autograd.grad`.**
#
# **Try it.** Add `retain_graph=True` to the second way. It passes now, but so would anything; and
# the node of `h` still runs for nothing.

# %% [markdown]
# ## 3. How do you change a gradient on its way?
# The asker wants to scale what comes out of a penalty before it enters the backbone. Lesson 04 used
# hooks to look. They can do more. A **hook** on a tensor is called with the gradient of that
# tensor, and if it returns something, that takes the gradient's place.
#
# Take it small: a leaf `a` of ones, a tensor `h` made of it, and two uses of `h`, a main path and a
# branch. Each of the two sends back a gradient of 1. We want the branch to count ten times, so
# 1 + 10 = 11 should arrive.


# %% twin=true
def arrives(prepare):
    a = mg.ones(3, requires_grad=True)
    h = a * 1.0
    branch = prepare(h)
    (h.sum() + branch.sum()).backward()
    return a.grad.tolist()


def hook_on_h(h):
    h.register_hook(lambda grad: grad * 10.0)
    return h


# %% solo="prediction"
predict(
    "09.hook",
    "`h.register_hook(lambda grad: grad * 10)`; then `h` is used by the main path and by the "
    "branch. What arrives in `a.grad`?",
    {
        "11": "What we want. But the hook does not know who uses `h`. It is called once, when all "
        "of them have sent their part.",
        "20": "The gradient of `h` is complete before the hook sees it: 1 + 1. Ten times 2 is 20. "
        "The main path has been scaled as well.",
        "2": "A hook that could only look would give this. In PyTorch, and here, what a hook "
        "returns replaces the gradient.",
    },
    run=lambda: int(arrives(hook_on_h)[0]),
)

# %% [markdown]
# So the branch needs a tensor of its own, with the bytes of `h` but a node apart; `h.view_as(h)`
# is one. The hook goes there.


# %% twin=true
def hook_on_branch(h):
    branch = h.view_as(h)
    branch.register_hook(lambda grad: grad * 10.0)
    return branch


# %% [markdown]
# The thread's answer is an operation that does nothing in forward and multiplies in backward. With
# lesson 07 it takes six lines.


# %% twin=true
class GradScale(mg.autograd.Function):
    @staticmethod
    def forward(ctx, h, scale):
        ctx.scale = scale
        return h.view_as(h)

    @staticmethod
    def backward(ctx, grad):
        return grad * ctx.scale, None


# %% twin=true at="09.gradscale"
print("no change:     ", arrives(lambda h: h))
print("hook on h:     ", arrives(hook_on_h))
print("hook on branch:", arrives(hook_on_branch))
print("GradScale:     ", arrives(lambda h: GradScale.apply(h, 10.0)))

# %% [markdown]
# The last two are the same thing. The Function has a name, which shows up in the graph as
# `GradScaleBackward`; the hook is one line. Does either cost memory in forward?


# %% twin=true at="09.free"
def cost(prepare):
    h = block(x)
    before = mg.memory_allocated()
    branch = prepare(h)
    shared = branch.data_ptr() == h.data_ptr()
    return f"{mg.memory_allocated() - before} B more, on the bytes of h: {shared}"


print("hook on branch:", cost(hook_on_branch))
print("GradScale:     ", cost(lambda h: GradScale.apply(h, 10.0)))

# %% [markdown]
# Not a byte: both are views. (So do not write into the result in place. PyTorch refuses that for
# the view that a Function returns, and says so.)
#
# **Try it.** Scale by -1.0. The branch now pushes the layers below it the other way, which is
# a well-known trick: train them so that some classifier on the branch does *badly*.

# %% [markdown]
# ## 4. What if the scale is known only at the end?
# Here is the asker's real difficulty. There is a scale for each sample, and it comes out of the
# *last* block. But the penalties are to be gone long before that. So their gradient has to
# be taken now and used later: it must be stored. A gradient at `h` has the shape of `h`. Storing
# it costs 1 U, in place of the 4 U of the branch.
#
# In this section the net has two blocks with a penalty between them, and the scale of a sample is
# the mean of its row in the output. As the standard to compare with, `cheat` runs the
# net twice: once to learn the scale, once to use it on the way.


# %% twin=true
def scale_of(out):
    return out.detach().mean(dim=1, keepdim=True)


def cheat():
    scale = scale_of(block(block(x)))
    h = block(x)
    branch = h.view_as(h)
    branch.register_hook(lambda grad: grad * scale)
    (block(h).sum() + penalty(branch)).backward()


# %% [markdown]
# ### Cut and resume
# A **boundary** is a tensor without history that takes over the bytes of one with history:
# `c = h.detach().requires_grad_()`. It is a leaf. So a backward from above ends there, in `c.grad`,
# and it needs no `retain_graph`, as the backbone below is out of its reach.


# %% twin=true at="09.resume"
def cut_and_resume():
    h = block(x)
    before = mg.memory_allocated()
    c = h.detach().requires_grad_()
    penalty(c).backward()  # the branch is gone, its gradient is in c.grad
    stored = mg.memory_allocated() - before
    out = block(c)
    c.grad.mul_(scale_of(out))  # now the scale is known
    out.sum().backward()  # adds the main path's gradient to c.grad
    h.backward(c.grad)  # resume below the boundary
    return stored


print(f"boundary and stored gradient: {cut_and_resume():,} B")

# %% [markdown]
# Step through a small version, with a tanh layer for each block and 0.5 for the scale. Where `c` is
# made, it takes its place beside `h`, on the same bytes, but no arrow leads from it to a node: what
# is built on `c` is a second graph. The last line walks the first one, beginning with `c.grad`.

# %% solo="the view" at="09.step-resume"
# %%step --at "c names" --title "Cut, and resume"
h = (x @ w).tanh()
c = h.detach().requires_grad_()
(c @ A).tanh().mean().backward()
out = (c @ v).tanh()
c.grad.mul_(0.5)
out.sum().backward()
h.backward(c.grad)

# %% [markdown]
# The boundary itself costs nothing; the 8,192 B are `c.grad`, 1 U. In both programs `h.backward`
# resumes the walk with the gradient that has gathered at the boundary. That is nothing new: a tensor
# that is not one number has to be told its gradient. In the thread the advice was
# `clone().detach()`. The clone costs 1 U more, and only somebody who writes into `c` in place needs
# it.
#
# ### Inject
# With a boundary at every block you would resume by hand at every block. The other way leaves the
# backbone in one piece. Take the gradient of the penalty with `autograd.grad`, and
# put an **inject node** on the backbone: an operation that does nothing in forward and *adds* the
# stored gradient in backward. The scale comes by way of a dictionary which is filled later.

# %% twin=true
late = {}


class Inject(mg.autograd.Function):
    @staticmethod
    def forward(ctx, h, g):
        ctx.save_for_backward(g)
        return h.view_as(h)

    @staticmethod
    def backward(ctx, grad):
        (g,) = ctx.saved_tensors
        return grad + g * late["scale"], None


# %% [markdown]
# And the same as a hook, in one line: on `h` itself this time, since we add and do not scale.


# %% twin=true
def with_function(h, g):
    return Inject.apply(h, g)


def with_hook(h, g):
    h.register_hook(lambda grad: grad + g * late["scale"])
    return h


# %% [markdown]
# Both go into the same training step, `place` says which of them.


# %% twin=true
def injected(place):
    h = block(x)
    (g,) = mg.autograd.grad(penalty(h), [h])
    h = place(h, g)
    out = block(h)
    late["scale"] = scale_of(out)
    loss = out.sum()
    loss.backward()
    return loss


# %% [markdown]
# First, are they right? We compare each with `cheat`. The last way forgets the scale, to show that
# the comparison can tell.


# %% twin=true at="09.late"
def unscaled():
    h = block(x)
    (block(h).sum() + penalty(h)).backward()


late_ways = {
    "cut and resume": cut_and_resume,
    "inject node": lambda: injected(with_function),
    "inject hook": lambda: injected(with_hook),
    "no scale": unscaled,
}
for name, way in late_ways.items():
    print(f"{name:15} as cheat: {same_gradients([w, v], way, cheat)}")

# %% [markdown]
# The three are right. Are they equally good? After the backward nobody needs `g` any more. The
# function `injected` returns the loss, a tensor of 4 bytes, and all else in it goes out of reach.


# %% twin=true
def left_over(place):
    late["scale"] = mg.zeros(64, 1)
    before = mg.memory_allocated()
    loss = injected(place)
    return mg.memory_allocated() - before - loss.nbytes


# %% solo="prediction"
predict(
    "09.closure",
    "You keep the loss of `injected(with_hook)` after its backward, say for a plot. How many bytes "
    "of the net do you keep with it?",
    {
        "0 B": "Backward frees behind itself, so one would think that nothing is left. But it "
        "frees what nodes saved. It knows nothing of what your function remembers.",
        "8,192 B": "1 U, the stored gradient. The loss holds its graph, the graph's node "
        "holds the hook, and the hook, a function, holds the `g` it was written with.",
        "16,384 B": "2 U would be the block's own share, if backward had freed nothing.",
    },
    run=lambda: f"{left_over(with_hook):,} B",
)

# %% twin=true at="09.left"
print(f"inject node: {left_over(with_function):>5,} B")
print(f"inject hook: {left_over(with_hook):>5,} B")

# %% [markdown]
# `save_for_backward` is freed by backward; what a hook remembers is not. It stays until the graph
# goes, and until then the hook costs as much after backward as before. With a loss that you drop
# at the end of each iteration this makes no difference. In a list of losses it is a leak.
#
# **Try it.** Before `loss.backward()` in `injected`, write `g.mul_(2.0)`. The inject node raises
# the error of lesson 06, for a saved tensor has changed. The hook says nothing and uses the new
# values.

# %% [markdown]
# ## 5. What do they cost in a deep net?
# Time for the bill. A strategy is a function that receives the activation after each block, does
# something about the penalty, and returns the activation to go on with and what to add to the loss.
# Here is the backbone without penalties, and the two ways of section 1.


# %% twin=true
def none(h):
    return h, 0.0


def joint(h):
    return h, penalty(h)


def eager(h):
    penalty(h).backward(retain_graph=True)
    return h, 0.0


# %% [markdown]
# `stored` will be the inject hook of section 4 without the scale. The last one is a look ahead. The
# branch depends on `h` alone, and the backbone saves `h` in any case. So one may throw the branch away
# without a backward, and in backward compute it a second time. That is a **checkpoint**, and a
# Function can do it: forward is not recorded (lesson 07), and saves one tensor which is there anyway.


# %% twin=true
class Later(mg.autograd.Function):
    @staticmethod
    def forward(ctx, h):
        ctx.save_for_backward(h)
        return penalty(h)

    @staticmethod
    def backward(ctx, grad):
        c = ctx.saved_tensors[0].detach().requires_grad_()
        with mg.enable_grad():
            p = penalty(c)
        return mg.autograd.grad(p, [c], grad)[0]


# %% twin=true
def stored(h):
    (g,) = mg.autograd.grad(penalty(h), [h])
    h.register_hook(lambda grad: grad + g)
    return h, 0.0


def later(h):
    return h, Later.apply(h)


# %% [markdown]
# `net` is the loop. Do all of them train alike? We compare the gradients with those of `joint`. (That
# `none` differs shows that the comparison can tell.)


# %% twin=true at="09.alike"
def net(depth, strategy):
    h, total = x, 0.0
    for _ in range(depth):
        h, extra = strategy(block(h))
        total = total + extra
    return h.sum() + total


for strategy in (none, eager, stored, later):
    ways = [lambda s=s: net(4, s).backward() for s in (strategy, joint)]
    print(f"{strategy.__name__:7} as joint: {same_gradients([w, v], *ways)}")

# %% [markdown]
# And what do they cost? `price` runs a forward and its backward. It gives the bytes held in between,
# the highest point and the products of matrices: inside `count_ops` every operation is counted,
# forward and backward. Here is its code, and that of `same_gradients`.

# %% twin=true at="09.price"
from course.code_of import code_of
from course.training_step import gradients

code_of(price, same_gradients, gradients)

# %% [markdown]
# Count the products before you look. A block has 2 in forward and 4 in backward, one for each
# factor; the first block only 3, as `x` wants no gradient. A penalty has 1 and 1. With 16 blocks
# and one joint backward that makes 16 x 8 - 1 = 127.

# %% solo="prediction"
predict(
    "09.matmuls",
    "16 blocks. The joint backward takes 127 products. And `eager`, with its "
    "`backward(retain_graph=True)` after each block?",
    {
        "127": "Each penalty is walked once and each block is walked once; so one would hope. But "
        "a backward does not stop at `h`. That was the asker's own complaint.",
        "254": "Each block walked twice, once for its penalty and once for the loss? Block 1 lies "
        "below all 16 penalties.",
        "655": "Penalty i walks i blocks down to the bottom: 1 + 2 + ... + 16 = 136 walks through "
        "a block for the penalties, on top of the 16 for the loss.",
    },
    run=lambda: price(net, 16, eager).products,
)

# %% twin=true at="09.bill"
print("             U held         U highest      products")
print("blocks      4   8  16      4   8  16      4   8  16")
for strategy in (none, joint, eager, stored, later):
    bills = [price(net, depth, strategy) for depth in (4, 8, 16)]
    held = "".join(f"{bill.held // U:4}" for bill in bills)
    highest = "".join(f"{bill.highest // U:4}" for bill in bills)
    products = "".join(f"{bill.products:4}" for bill in bills)
    print(f"{strategy.__name__:9}{held}   {highest}   {products}")

# %% [markdown]
# Take the difference from 8 to 16 blocks and divide by 8: that is what each further block costs.
#
# - `none`: 2 U and 6 products. This is the backbone.
# - `joint`: 6 U and 8 products. All branches wait for the end.
# - `eager`: 2 U, the backbone's own. The penalties cost no memory that grows. But the products
#   grow faster than the net: twice the depth, about three times the work.
# - `stored`: 3 U, one stored gradient a block more. The products are those of `joint`.
# - `later`: 2 U, and one product a block more than `joint`, the one that is computed again.
#   (And 1 U in all: the last `h`, which nobody else saves.)
#
# The bill of `eager` can be written down. For L blocks: 3 L products in forward; for the
# penalties L + 4 (1 + 2 + ... + L) - L, as each walk to the bottom saves one product at `x`; and
# 4 L - 1 for the loss.

# %% twin=true at="09.formula"
for depth in (4, 8, 16):
    walks = sum(range(1, depth + 1))
    formula = 3 * depth + depth + 4 * walks - depth + 4 * depth - 1
    print(depth, "blocks:", walks, "walks through a block,", formula, "products")
    assert formula == price(net, depth, eager).products

# %% [markdown]
# So the untested plan was right in everything it said, and there was one thing that it did not say:
# each backward with `retain_graph=True` walks all of the backbone below its penalty. With few
# penalties, or at the bottom of the net, that is fine. With one penalty a block the work grows with
# the square of the depth.
#
# The asker reports in the end that it works, and points to the way checkpoints are built. Now you
# know why this is good advice: `later` has the memory of `eager` and nearly the work
# of `joint`. Can it be combined with a scale that comes late? Its backward runs at the end, when
# the scale is known, so yes: multiply in `Later.backward`. Then nothing at all has to be stored.
# What remains for `stored` are penalties that are too expensive to compute twice.
#
# **Try it.** Put `stored` with an inject node instead of a hook (`Inject` of section 4, without the
# scale) into the table. The row is the same; only what is left after backward differs.

# %% [markdown]
# ### The same in PyTorch
# Five lines below the import. They print `True`, and the last one ends in the error.
#
# ```python
# import torch
#
# w = torch.ones(3, requires_grad=True)
# h = w.tanh()
# g, = torch.autograd.grad(h.sum(), [h])              # stops before h's node
# print(h.grad_fn._saved_result is not None)          # still there
# h.sum().backward(inputs=[h]); h.sum().backward()    # ... a second time
# ```
#
# ### Three things you can trust
# A retained branch goes with its root. `autograd.grad` leaves the node of `h` whole. A boundary
# collects the gradient, and resuming with it gives what one backward would have given.


# %% twin=true
def step(cut):
    h = (x @ w).tanh()
    c = h.detach().requires_grad_() if cut else h
    (penalty(c) + c.sum()).backward()
    if cut:
        h.backward(c.grad)


# %% twin=true at="09.asserts"
h = (x @ w).tanh()
before = mg.memory_allocated()
p = penalty(h)
p.backward(retain_graph=True)
del p
assert mg.memory_allocated() == before

mg.autograd.grad(penalty(h), [h])
assert h.grad_fn._saved_result is not None
assert same_gradients([w], lambda: step(cut=True), lambda: step(cut=False))
print("all three hold")

# %% [markdown]
# What was simplified: all blocks share two weights, so that their gradients take no room in the
# table. In a real net each `stored` gradient and each retained branch stands beside the weights,
# their gradients and the optimizer's state. And `autograd.grad` gives the gradient at `h` only; if
# the penalty has weights of its own, name them in the list as well, or they will not be trained.
#
# **Next:** `later` threw a branch away and computed it again. What if one did that to the backbone
# itself? Lesson 10.

# %% [markdown] card="nodes_that_ran"
# ### How far did it go?
# An unseen snippet. `steps` is a list such as `["plus", "tanh"]`, and `way` one of three words.
#
# ```python
# import torch
#
# h = torch.ones(4, requires_grad=True)
# for step in steps:
#     h = {"tanh": torch.tanh, "minus": torch.neg,
#          "plus": lambda h: h + 1, "double": lambda h: h * 2}[step](h)
# p = (h * h).sum()
# if way == "plain": p.backward()
# if way == "inputs": p.backward(inputs=[h])
# if way == "grad": torch.autograd.grad(p, [h])
# h.sum().backward()
# ```
#
# How many of the nodes that `steps` made has the first backward run? And does the last line pass?
# Return `[nodes, True or False]`. There is at least one step.
#
# Work it out by hand; a function that makes no tensor is asked for.
#
# *When it passes you know where to cut a graph, and with what.*


# %% exercise="nodes_that_ran" kind="predict+transfer" difficulty=2 minutes=8
def nodes_that_ran(steps, way):
    """[how many of the nodes of `steps` the first backward ran, whether the last line passes]"""
    ### BEGIN SOLUTION
    ran = {"plain": steps, "inputs": steps[-1:], "grad": []}[way]
    return [len(ran), not any(step in ("tanh", "double") for step in ran)]
    ### END SOLUTION


# %% check="nodes_that_ran"
check(nodes_that_ran)

# %% [markdown] hint="nodes_that_ran"
# Two questions, one after the other: which nodes ran? And had one of them something to lose?

# %% [markdown] hint="nodes_that_ran"
# `autograd.grad` stops in front of the node that made `h`; `backward(inputs=[h])` goes through it. Of
# the four steps two save nothing: which? (A number that is multiplied counts as saved.)

# %% [markdown] hint="nodes_that_ran"
# The nodes that ran belong to `steps`, `steps[-1:]` or `[]`. The last line fails if `"tanh"` or
# `"double"` is among them.

# %% [markdown] why="nodes_that_ran"
# **Why.** A node that ran has let go of what it saved; a node that saved nothing may run again. So
# whether a cut does harm depends on where it is *and* on what stands there. With `inputs=[h]` it
# stands on one node, and whether this one saves something is an accident of your model. With
# `autograd.grad` nothing of the backbone runs, whatever it is made of.

# %% [markdown] card="ScaleRows"
# ### A scale for each row
# Write an operation that is nothing in forward and in backward multiplies each row of the gradient:
# `ScaleRows.apply(h, scale)`, where `scale` has the shape `(rows, 1)` and wants no gradient. Forward
# costs no bytes. When backward is over nothing leads to `scale` any more, even if somebody keeps the
# loss. And if `scale` is changed in place in between, backward ends in the usual error.
#
# *When it passes you can weigh samples anywhere in a net, for free.*


# %% exercise="ScaleRows" kind="write" difficulty=2 minutes=8
class ScaleRows(mg.autograd.Function):
    """h, unchanged; its gradient comes out multiplied by `scale`, row by row."""

    @staticmethod
    def forward(ctx, h, scale):
        ### BEGIN SOLUTION
        ctx.save_for_backward(scale)
        return h.view_as(h)
        ### END SOLUTION

    @staticmethod
    def backward(ctx, grad):
        ### BEGIN SOLUTION
        (scale,) = ctx.saved_tensors
        return grad * scale, None
        ### END SOLUTION


# %% check="ScaleRows"
check(ScaleRows)

# %% [markdown] hint="ScaleRows"
# It is `GradScale` of section 3, with a tensor in place of the number. Where does a tensor belong?

# %% [markdown] hint="ScaleRows"
# `save_for_backward` is emptied by backward and notices a change in place; an attribute of `ctx` does
# neither. And a view costs nothing.

# %% [markdown] hint="ScaleRows"
# Forward: save `scale`, return `h.view_as(h)`. Backward: multiply, and return two values, None for
# `scale`.

# %% [markdown] why="ScaleRows"
# **Why.** Three things come with `save_for_backward` that an attribute has not: the version is checked,
# backward lets go of it, and a saved *output* makes no circle. A number can live in `ctx`, a tensor
# should not. The result must be a tensor of its own, or the main path would be scaled as well; a view is one,
# and has the bytes of `h`.

# %% [markdown] card="late_scale"
# ### Cut, and resume, in the right order
# The scale of a sample is the mean of its row in `out`, so it is known last. This step cuts the net
# after `first`, and resumes. It was meant to give the gradients of `out.sum()` and of the
# penalty, whose gradient at `h` is multiplied by the scale. It scales too much, and at its peak it has
# more alive than it needs. Repair it: right gradients, no more products than now, fewer bytes
# (no copy of `h`, and no branch alive during `second`). `second` has 16 layers here; the peak is at
# most 21 U, where U is the bytes of `h`.
#
# *When it passes you can use today what will only be known tomorrow.*


# %% exercise="late_scale" kind="repair" difficulty=2 minutes=10
def late_scale(x, first, second, penalty):
    """Leaves its gradients in the weights of `first` and `second`; returns nothing."""
    ### BEGIN SOLUTION
    h = first(x)
    c = h.detach().requires_grad_()
    penalty(c).backward()
    out = second(c)
    c.grad.mul_(out.detach().mean(dim=1, keepdim=True))
    out.sum().backward()
    h.backward(c.grad)
    ### STUB
    # h = first(x)
    # c = h.detach().clone().requires_grad_()
    # p = penalty(c)
    # p.backward(retain_graph=True)
    # out = second(c)
    # out.sum().backward()
    # c.grad.mul_(out.detach().mean(dim=1, keepdim=True))
    # h.backward(c.grad)
    ### END SOLUTION


# %% check="late_scale"
check(late_scale)

# %% [markdown] hint="late_scale"
# Two gradients come together in `c.grad`. What is in it at each line?

# %% [markdown] hint="late_scale"
# When the scale is multiplied, only the penalty's gradient may be there. As for the bytes: who holds
# the branch while `second` runs? And who needs a copy of `h`?

# %% [markdown] hint="late_scale"
# Move the line with `mul_` up by one, leave out `retain_graph`, `clone()` and the name `p`.

# %% [markdown] why="late_scale"
# **Why.** A boundary is a small account: backward pays in, `mul_` works on the balance, and the resumed
# walk takes it out. So the order of the lines is the formula. The branch has its boundary below it,
# so there is nothing to retain; without a name it is gone before `second` begins. `detach` shares the
# bytes, and a clone pays 1 U for protection from a write that never comes.

# %% [markdown] card="penalised_step"
# ### Two budgets at once
# After each block comes a penalty, and all of them count: the gradients are those of
# `h.sum()` at the end, plus `penalty(h)` after each block. A block is `(h @ w).tanh()` with
# a weight of its own; a penalty is one product and a tanh, four times as wide, without weights. `x`
# wants no gradient.
#
# One backward for all holds every branch to the end. A backward for each penalty walks everything
# below it. Stay under both budgets: a peak of about 2 U for each block, and at most 6 products for
# each block. (A block has 1 and 2, a penalty 1 and 1.)
#
# *When it passes you have answered thread 001.*


# %% exercise="penalised_step" kind="write" difficulty=3 minutes=10
def penalised_step(x, blocks, penalty):
    """One forward and backward; leaves its gradients in the weights and returns nothing."""
    ### BEGIN SOLUTION
    h = x
    for block in blocks:
        h = block(h)
        (g,) = mg.autograd.grad(penalty(h), [h])
        h.register_hook(lambda grad, g=g: grad + g)
    h.sum().backward()
    ### END SOLUTION


# %% check="penalised_step"
check(penalised_step)

# %% [markdown] hint="penalised_step"
# The branch must be gone before the next block begins. What of it has to stay, and how many bytes is
# that? Section 4 has two places for it, section 5 a third way.

# %% [markdown] hint="penalised_step"
# `autograd.grad(penalty(h), [h])` walks the branch and stops there. Its result has the shape of `h`
# and has to be added to the gradient of `h` when the one backward comes by.

# %% [markdown] hint="penalised_step"
# A hook on `h` may return `grad + g`. Made in a loop it needs its own `g`: `lambda grad, g=g: ...`.
# Then one `backward` at the end. Or wrap the penalty in a checkpoint.

# %% [markdown] why="penalised_step"
# **Why.** 1 U of gradient stands in for 4 U of branch, and each block is walked once. That is `stored`
# of section 5. `later` passes as well: it keeps nothing, for one more product a block. The plain
# eager plan keeps nothing either, but walks a square. None of the three is best by itself; a
# budget in bytes and one in products decide together.
