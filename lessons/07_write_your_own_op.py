# %% [markdown]
# # 07  Write your own op
# Up to now other people decided what a node keeps. In this lesson you decide. An operation of your
# own is a class with two short functions, and whatever you write into it is what the graph will
# hold, no more and no less. So it is the place to save memory, and also the place where PyTorch
# stops looking after you.
#
# Thread 000 came here with a wish that sounds impossible: keep the graph, throw away the data, and
# compute the gradient by a function of one's own. We rebuild its experiment, find out why it proved
# less than it seemed to, and then ask when such a magic gradient can exist.
#
# The set-up cell makes the data `x` (64 x 32 x 4 = 8,192 B, 1 U), the weight `w`, and its
# `.grad`, so that no difference below has to pay for that.

# %% twin=true
import gc
import weakref

import minigrad as mg
from course.lesson import attempt, predict

x = mg.arange(2048.0).view(64, 32) / 2048
w = mg.full((32, 32), 0.01, requires_grad=True)
w.grad = mg.zeros(32, 32)
U = x.nbytes

# %% [markdown]
# ## 1. What does an op have to say?
# Two things: how to compute its result, and how to turn the gradient of the result into the
# gradient of its input. A **Function**, with a capital F, is a class that says just that. Its
# `forward` is the first rule, its `backward` the second. Both receive as their first argument the
# **ctx**, short for context: the place where forward leaves what backward will need.
#
# This is the whole template, with our old friend tanh in it. The slope is 1 - y * y, so forward
# leaves its result `y`.


# %% twin=true at="07.template"
class MyTanh(mg.autograd.Function):
    @staticmethod
    def forward(ctx, h):
        y = h.tanh()
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, grad):
        (y,) = ctx.saved_tensors
        return grad * (1 - y * y)


# %% [markdown]
# You call it as `MyTanh.apply(h)`. Inside forward nothing is recorded, so the inner `h.tanh()` leaves no node of its own: the whole class becomes *one* node.
# Backward receives one gradient for each result of forward, and returns one for each argument of
# forward, with `None` where there is none to give.
#
# Next to the built-in tanh: the node's name, the bytes that `y` and its graph add, and one element
# of the gradient that arrives at `w`.


# %% twin=true at="07.compare"
def compare(op):
    before = mg.memory_allocated()
    y = op(x @ w)
    held = mg.memory_allocated() - before
    w.grad.zero_()
    y.sum().backward()
    print(f"{y.grad_fn.name():15}{held:,} B   gradient {w.grad[0, 0]:.2f}")


compare(lambda h: h.tanh())
compare(MyTanh.apply)

# %% [markdown]
# No difference, except for the name. The author of thread 000 suspected that one would have to hack
# this ctx. Forward packs something, backward unpacks it. Who holds it in between? An op can note its
# ctx from both sides.


# %% twin=true
seen = []


class Spy(mg.autograd.Function):
    @staticmethod
    def forward(ctx, h):
        seen.append(ctx)
        return h * 2.0

    @staticmethod
    def backward(ctx, grad):
        seen.append(ctx)
        return grad * 2.0


# %% twin=true at="07.ctx"
y = Spy.apply(x @ w)
y.sum().backward()
in_forward, in_backward = seen[-2:]
print("forward's ctx is the node: ", in_forward is y.grad_fn)
print("backward's ctx is the node:", in_backward is y.grad_fn)

# %% [markdown]
# The ctx is the node. That answers most questions about memory in advance: what you put on ctx is
# on the node, and lives as long as lesson 04 said that nodes live, unless the node lets go of it.
#
# Is a rule right, once written? **gradcheck** is the test: it moves each element of the input a
# little to both sides, looks how the result moves, and compares that slope with what backward says.
# It wants float64, since in float32 the small differences drown in rounding.

# %% twin=true at="07.gradcheck"
point = mg.tensor([0.5, -1.0], dtype=mg.float64, requires_grad=True)
print(mg.autograd.gradcheck(MyTanh.apply, (point,)))

# %% [markdown]
# One detail from the thread. Its classes have no `@staticmethod`, and they work. Does it matter?


# %% twin=true at="07.static"
import warnings


class Bare(mg.autograd.Function):
    def forward(ctx, h):
        return h * 2.0

    def backward(ctx, grad):
        return grad * 2.0


print("applied:", Bare.apply(x @ w).grad_fn.name())
with warnings.catch_warnings(action="ignore"):
    print("called: ", attempt(lambda: Bare()(x)))

# %% [markdown]
# It works by accident. `apply` takes the functions from the class, where a method is a plain
# function. Make an object and call that, as one calls a layer, and you get the error. (`Bare()`
# alone only warns; we switched the warning off.) Write `@staticmethod`: it says what is meant, that
# there is no `self` and no object.
#
# **Try it.** In `MyTanh.backward`, forget the square: `grad * (1 - y)`. The shapes fit, nothing
# complains, and only gradcheck notices. (It raises an error which shows both slopes.)

# %% [markdown]
# ## 2. Case file: did the thread's own op save memory?
# The author of thread 000 was told: if you want no tensor to be saved, save none on ctx, and every
# tensor dies when nobody refers to it. Both halves are true. So the author wrote an op for the
# matrix product that saves nothing, and put two of them in a row.
#
# The first product is enormous, and yet the forward pass went through. Proof, it seemed, that an op
# of one's own frees the inner product. Only the gradient was missing, in the form of two functions
# that nobody had written.


# %% twin=true
class ThreadMM(mg.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        return a @ b

    @staticmethod
    def backward(ctx, grad):
        raise NotImplementedError("no magic function yet")


# %% [markdown]
# Here is the experiment at a tenth of its width: `a` is 1000 x 10, `b` is 10 x 1000 and `c` is
# 1000 x 100, so the inner product takes 1000 x 1000 x 4 = 4,000,000 B and the result 400,000 B. As
# in the thread, only `a` wants a gradient. What the thread did not try is the same program with
# the built-in `@`.


# %% twin=true
def two_products(mm, c_wants_gradient=False):
    a = mg.full((1000, 10), 0.5, requires_grad=True)
    b = mg.full((10, 1000), 0.5)
    c = mg.full((1000, 100), 0.5, requires_grad=c_wants_gradient)
    before = mg.memory_allocated()
    out = mm(mm(a, b), c)
    held = mg.memory_allocated() - before
    try:
        out.sum().backward()
        return held, "gradient " + str(a.grad[0, 0].item())
    except NotImplementedError as error:
        return held, str(error)


# %% solo="prediction"
predict(
    "07.fair",
    "`(a @ b) @ c` with the built-in `@`; only `a` wants a gradient. How many bytes are alive when "
    "the forward pass is done, on top of `a`, `b` and `c`?",
    {
        "4,400,000 B": "The inner product and the result. The thread's experiment only makes "
        "sense if this is so: why else write an op that saves nothing?",
        "840,000 B": "The result, and the factors `b` and `c` that the two nodes did save. They "
        "did; but saving is an arrow to your own tensor and costs nothing while you have it.",
        "400,000 B": "The result alone. The inner product is only needed for the gradient of "
        "`c`. Nobody wants that, so nobody saved it.",
    },
    run=lambda: f"{two_products(lambda a, b: a @ b)[0]:,} B",
)

# %% [markdown]
# As many as with the thread's own op (the table below will show it), and with a gradient. Nothing
# was wrong with the measurement, but it was no test: in this program nobody would have saved the
# inner product.
#
# For a fair test, let `c` want a gradient, and let our own op do its duty. Its two
# rules are those of lesson 03: the gradient of `a` takes `b`, that of `b` takes `a`. And like the
# built-in one, it should save only what a wanted gradient needs. The node can tell:
# `ctx.needs_input_grad` has one True or False for each argument.


# %% twin=true at="07.fair-op"
class FairMM(mg.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        for_a, for_b = ctx.needs_input_grad
        ctx.save_for_backward(b if for_a else None, a if for_b else None)
        return a @ b

    @staticmethod
    def backward(ctx, grad):
        b, a = ctx.saved_tensors
        grad_a = None if b is None else grad @ b.T
        return grad_a, None if a is None else a.T @ grad


# %% twin=true at="07.fair-table"
ops = {"thread's op": ThreadMM.apply, "fair op": FairMM.apply}
ops["built-in @"] = lambda a, b: a @ b
for c_wants_gradient in (False, True):
    print("c wants a gradient:", c_wants_gradient)
    for name, mm in ops.items():
        held, ended = two_products(mm, c_wants_gradient)
        print(f"   {name:12}{held:>9,} B   {ended}")

# %% [markdown]
# Read the lower half. The thread's op is still at 400,000 B, but it has no gradient. Those
# that have one pay 4,000,000 B for it, our own no less than the built-in one.
# **The bytes are the price of a gradient, not of the graph**, and not of whose op it is.
# Writing a Function saves nothing by itself. It only lets *you* decide what backward may use.
#
# **Try it.** In `FairMM.forward`, save `b, a` without looking at `needs_input_grad`. The upper half
# of the table now costs as much as the lower. It is the most common waste in ops of one's own.

# %% [markdown]
# ## 3. Why not simply `ctx.h = h`?
# A ctx is a Python object, and one may put anything on it. For a number or a shape that is the
# right thing to do. With a tensor it seems to work just as well. Here is an op for the square of
# `h`, with slope 2 * h, as you know it by now.


# %% twin=true
class Square(mg.autograd.Function):
    @staticmethod
    def forward(ctx, h):
        ctx.save_for_backward(h)
        return h * h

    @staticmethod
    def backward(ctx, grad):
        return 2 * ctx.saved_tensors[0] * grad


# %% [markdown]
# And here it is with an attribute.


# %% twin=true
class SquareOnCtx(Square):
    @staticmethod
    def forward(ctx, h):
        ctx.h = h
        return h * h

    @staticmethod
    def backward(ctx, grad):
        return 2 * ctx.h * grad


# %% [markdown]
# Lesson 06 showed the first difference; here it is once more, side by side. Somebody writes into
# `h` after the op has used it. All elements of `h` were 1, so the right slope is 2.


# %% twin=true at="07.no-check"
def written_afterwards(op):
    v = mg.ones(3, requires_grad=True)
    h = v * 1.0
    y = op.apply(h)
    h += 100
    ended = attempt(y.sum().backward)
    return f"{ended}, gradient {v.grad[0].item()}" if ended == "passes" else ended


print("save_for_backward:", written_afterwards(Square))
print("ctx.h = h:        ", written_afterwards(SquareOnCtx))

# %% [markdown]
# `save_for_backward` notes the version as well, and backward compares. An attribute is just an
# arrow, and the gradient is wrong. The second difference is in bytes. In the next function `h` is 1 U that nobody holds but
# the op (`v + 1.0` saves nothing), and we count before backward and after it.


# %% twin=true
def life(op):
    v = mg.full((64, 32), 0.5, requires_grad=True)
    v.grad = mg.zeros(64, 32)
    start = mg.memory_allocated()
    loss = op.apply(v + 1.0).sum()
    before = mg.memory_allocated() - start
    loss.backward()
    return before, mg.memory_allocated() - start


# %% solo="prediction"
predict(
    "07.on-ctx",
    "Before backward, `SquareOnCtx` holds `h`, and you hold `loss`: 8,196 B. How many after it?",
    {
        "4 B": "Only the loss, for backward frees what a node keeps. It frees what the node "
        "**saved**. Of your attributes it knows nothing.",
        "8,196 B": "As many as before. The node lives as long as `loss`, and `h` as long as "
        "the node.",
        "0 B": "Backward is done, the graph has served its purpose, all is gone? But you hold "
        "`loss`, and through it the node. Lesson 04: nodes stay.",
    },
    run=lambda: f"{life(SquareOnCtx)[1]:,} B",
)

# %% twin=true at="07.not-freed"
for name, op in {"save_for_backward": Square, "ctx.h = h": SquareOnCtx}.items():
    before, after = life(op)
    print(f"{name:18} {before:,} B before backward, {after:,} B after it")

# %% [markdown]
# One op has given back its 1 U; the other holds it for as long as `loss` lives. Here are both on one
# axis, with the bytes of `v` and of its gradient. The menu in the corner chooses whose tensors and
# nodes you see. Step to the last line (arrow keys, or Page Down for a line): what becomes of the
# label on the node of the first op, `[0]` for the first tensor that it saved, and of the 8,192 B
# of `h` in each?

# %% solo="the view" at="07.side"
from whoholds.step import step as trace
from whoholds.views import show

program = """v = mg.full((64, 32), 0.5, requires_grad=True)
loss = Op.apply(v + 1.0).sum()
loss.backward()
"""
ops = {"save_for_backward": Square, "ctx.h = h": SquareOnCtx}
show({name: trace(program, namespace={"mg": mg, "Op": op}) for name, op in ops.items()})

# %% [markdown]
# In the second trace the node has no orange label: an attribute is not among the things that a node
# *saved*, so backward lets it be. Step to the end of a line, and the view tells who holds the 8,192 B:
# the attribute `h` of the node. Keep the losses of an epoch in a list, and you keep one activation for
# each. So: **tensors go through `save_for_backward`; numbers, shapes and flags may go on ctx.**
#
# ### And the result, `ctx.y = y`?
# For tanh we want to keep the *result*. By now you can see what an attribute would do. The
# result points at its node, by `grad_fn`. The node is ctx. And ctx points back:
#
# ```
# names          tensors -> storages            nodes
# -----          -------------------            -----
# y --- del ---  [y   8,192 B] --grad_fn------> (TanhOnCtxBackward)
#                      ^                             |
#                      +------------ ctx.y ----------+
# ```
#
# A ring, as in lesson 01: no name leads to it, and it keeps itself alive. `save_for_backward`
# avoids it by the trick of lesson 04, a second tensor on the same bytes. RevTorch, a library for
# reversible nets, used the attribute, and let backward delete it. We do the same.


# %% twin=true
class TanhOnCtx(mg.autograd.Function):
    @staticmethod
    def forward(ctx, h):
        ctx.y = h.tanh()
        return ctx.y

    @staticmethod
    def backward(ctx, grad):
        y = ctx.y
        del ctx.y  # opens the ring
        return grad * (1 - y * y)


# %% [markdown]
# The view opens at the end. No name leads to the 8,192 B that `y` named. Two arrows join their card
# and the node: `grad_fn` leads to the node, and the attribute `y` leads back. (In a narrow window
# they lie on each other: one line with two heads.)

# %% solo="the view" at="07.step"
# %%step --end --title "Who holds y?"
gc.disable()  # no collector until we call it
y = TanhOnCtx.apply(x @ w)
del y

# %% [markdown]
# No name, nothing saved, and still there. Now the same three lines outside of the view, with a weak
# reference to look through and the collector at the end:

# %% twin=true at="07.ring"
gc.disable()  # so that the collector comes only when we call it
y = TanhOnCtx.apply(x @ w)
watch = weakref.ref(y)
del y
print("alive without a name:", watch() is not None)
gc.collect()
print("after the collector: ", watch() is not None)
gc.enable()

# %% [markdown]
# Here no backward was run at all. That happens each time you evaluate a net and forget
# `no_grad`, or have a second result that goes into no loss. Ten results, none of which has a name in the end:


# %% twin=true at="07.ten"
def ten_results(use):
    gc.collect()
    start = mg.memory_allocated()
    for _ in range(10):
        y = TanhOnCtx.apply(x @ w)
        if use:
            y.sum().backward()
    del y
    return (mg.memory_allocated() - start) // U


gc.disable()
print("used in a loss:", ten_results(True), "U left")
print("in no loss:    ", ten_results(False), "U left")
gc.enable()

# %% [markdown]
# The collector would have come some day. But it counts objects, not bytes: ten
# tensors on a GPU are ten small objects to it, and memory may run out long before.
#
# **Try it.** In `TanhOnCtx`, write `ctx.y = y.detach()` after `y = h.tanh()`, and return `y`. The
# ring is gone, for the detached twin has no `grad_fn`. (The version check is still missing.)

# %% [markdown]
# ## 4. When can the magic gradient exist?
# Back to the wish of thread 000: a backward for which nothing was saved. Its template for it is a
# forward that computes some f, and a backward that returns ones. (It also lets the incoming
# `grad` fall on the floor; by the chain rule one has to multiply by it, so we pass it on.) For
# which f is that right? We need not ponder. Gradcheck knows.


# %% twin=true
class PassOn(mg.autograd.Function):
    @staticmethod
    def forward(ctx, f, h):
        return f(h)

    @staticmethod
    def backward(ctx, grad):
        return None, grad


# %% twin=true at="07.pass-on"
def verdict(op, *values):
    point = mg.tensor(values, dtype=mg.float64, requires_grad=True)
    right = mg.autograd.gradcheck(op, (point,), raise_exception=False)
    return "right" if right else "wrong"


print("h + 7.0 ", verdict(lambda h: PassOn.apply(lambda h: h + 7.0, h), 3.0, -3.0))
print("h * 5.0 ", verdict(lambda h: PassOn.apply(lambda h: h * 5.0, h), 3.0, -3.0))
print("h * h   ", verdict(lambda h: PassOn.apply(lambda h: h * h, h), 3.0, -3.0))

# %% [markdown]
# For a plain shift, and for nothing else. Backward has only two sources, the gradient that comes in
# and what the node kept. If it needs the data, it must find the data there. So a magic gradient
# exists in two cases.
#
# **First: the slope does not depend on the data.** It is a number that you knew beforehand. Shifts
# are of this kind, and sums, copies, changes of shape, changes of sign, and `h * 5.0`: put the 5.0
# on ctx, and nothing else.


# %% twin=true
class Times(mg.autograd.Function):
    @staticmethod
    def forward(ctx, h, factor):
        ctx.factor = factor
        return h * factor

    @staticmethod
    def backward(ctx, grad):
        return grad * ctx.factor, None


# %% twin=true at="07.no-data"
def six_times(op):
    start = mg.memory_allocated()
    h = x @ w
    for _ in range(6):
        h = op(h)
    h = h.sum()
    name = h.grad_fn.next_functions[0][0].name()
    print(f"six {name:14}{mg.memory_allocated() - start:>7,} B")


six_times(lambda h: Times.apply(h, 5.0))
six_times(lambda h: h.tanh())

# %% [markdown]
# Six nodes, and not one byte of data; the 4 B are the loss. This is literally what the thread
# asked for, the structure of a graph without its tensors. (The six tanh keep 6 U.) A residual
# block `x + f(x)` is of this kind in its first half: the plus sign keeps nothing.
#
# **Second: the data can be had from something that is alive anyway.** The most important such
# thing is the result of the op, since the next op often saves it as its own input. If f can be
# inverted, the result determines the input, and with it the slope. For tanh, y stands for h:
# the slope is 1 - y * y. But a square, say, cannot be inverted without doubt: 9 has two roots.


# %% twin=true
class SquareFromResult(mg.autograd.Function):
    @staticmethod
    def forward(ctx, h):
        y = h * h
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, grad):
        (y,) = ctx.saved_tensors
        h = y.sqrt()  # the inverse, or so it seems
        return 2 * h * grad


# %% twin=true at="07.invert-seen"
print("at  3.0:", verdict(SquareFromResult.apply, 3.0))
print("at -3.0:", verdict(SquareFromResult.apply, -3.0))

# %% [markdown]
# At -3.0 it gets +3.0 back, and a slope of 6 in place of -6. The sign was lost in forward, and no
# backward can make it up. (Note that a gradcheck tells about the points that you gave it. Had
# we asked at 3.0 only, the op would have passed and trained a net with wrong signs.)
#
# So to the answer that the thread was given, "do not save it, and it is not saved", belongs a
# condition: this is right for what backward can do without. Where it cannot, one has to save it, or
# rebuild it. The additive blocks of reversible nets are made so that they can always be inverted:
# from `y = x + f(z)` and `z` one gets `x = y - f(z)`, whatever f is. Lesson 11 builds a chain of
# them. (And rebuilt numbers are rounded ones. Lesson 12 measures what that costs.)
#
# **Try it.** Let `SquareFromResult` save a second tensor, `h > 0`, and flip the sign of the root
# where it is False: `mg.where(positive, root, -root)`. Both are right now, and the price is
# one byte an element, on top of `y`.

# %% [markdown]
# ## 5. Can my op save less?
# Yes, if you know something that the engine does not. Here is the first of two examples, an
# activation that halves what is negative. Its slope is 1 or 0.5, and the sign decides. The formula
# suggests to save the input. But the result would do: its sign is the same.


# %% twin=true
class Halve(mg.autograd.Function):
    @staticmethod
    def forward(ctx, h, save):
        y = mg.where(h > 0, h, h * 0.5)
        ctx.save_for_backward(h if save == "input" else y)
        return y

    @staticmethod
    def backward(ctx, grad):
        (kept,) = ctx.saved_tensors
        return mg.where(kept > 0, grad, grad * 0.5), None


# %% [markdown]
# Either way each node saves one tensor of 1 U. We put six layers `h = Halve.apply(h @ w, save)` in a
# row, hold nothing but the loss, and count.


# %% twin=true
def six_layers(save):
    w.grad.zero_()
    gc.collect()  # what the rings above have left
    start, h = mg.memory_allocated(), x
    for _ in range(6):
        h = Halve.apply(h @ w, save)
    h = h.sum()
    held = (mg.memory_allocated() - start) // U
    h.backward()
    return held, f"{w.grad.sum():.1f}"


# %% solo="prediction"
predict(
    "07.input-or-result",
    "How many U are alive after the forward pass: if the op saves its input, and if it saves its "
    "result?",
    {
        "6 and 6": "Six nodes with 1 U each in both versions. So it would be if they were alone. "
        "But each product saves something as well, for the gradient of `w`.",
        "11 and 6": "The product saves its left factor, and that is the result of the activation "
        "before. To save the result is to share these bytes; to save the input adds some.",
        "11 and 11": "Six for the activations and five for the products. (The first product "
        "saves `x`, which is yours.) But two nodes that save one tensor pay for it once.",
    },
    run=lambda: " and ".join(str(six_layers(save)[0]) for save in ("input", "result")),
)

# %% twin=true at="07.saves-less"
for save in ("input", "result"):
    held, gradient = six_layers(save)
    print(f"saves its {save:7} {held:2} U held, the gradient sums to {gradient}")

# %% [markdown]
# Nearly half, for the same gradient and the same work. PyTorch's relu, tanh and sigmoid save their
# result, too. The cheapest thing to save is what your neighbour saves anyway.
#
# The second example pays in work, and it is the answer to thread 000. A **fused** op does in one
# node what took several. To **recompute** means to throw a value away in forward and make it again
# in backward. In `(a @ b) @ c` the fat inner product can be made again from `a` and `b`, each of
# which is a hundredth of its size, and alive anyway.


# %% twin=true
class Pair(mg.autograd.Function):
    @staticmethod
    def forward(ctx, a, b, c, in_order):
        ctx.save_for_backward(a, b, c)
        ctx.in_order = in_order
        return (a @ b) @ c

    @staticmethod
    def backward(ctx, grad):
        a, b, c = ctx.saved_tensors
        for_c = b.T @ (a.T @ grad) if ctx.in_order else (a @ b).T @ grad
        return grad @ (b @ c).T, None, for_c, None


# %% [markdown]
# For the gradient of `c` the formula says `(a @ b).T @ grad`: the product is recomputed. But look at
# it once more. The transposed product is `b.T @ a.T`, so with other brackets, `in_order`, the fat
# matrix never appears at all. (For simplicity both leave out the gradient of `b`, which wants none.)


# %% twin=true
def price(name, op):
    a = mg.full((1000, 10), 0.5, requires_grad=True)
    b = mg.full((10, 1000), 0.5)
    c = mg.full((1000, 100), 0.5, requires_grad=True)
    start = mg.memory_allocated()
    out = op(a, b, c)
    held = mg.memory_allocated() - start
    mg.reset_peak_memory_stats()
    out.backward(mg.ones(1000, 100))
    highest = mg.max_memory_allocated() - start
    gradients = f"{a.grad[0, 0].item():10}{c.grad[0, 0].item():8}"
    print(f"{name:16}{held:>9,} B {highest:>9,} B{gradients}")


# %% twin=true at="07.pair"
print("                     held     highest  gradients of a and c")
price("built-in @", lambda a, b, c: (a @ b) @ c)
price("Pair, recomputed", lambda a, b, c: Pair.apply(a, b, c, False))
price("Pair, in order", lambda a, b, c: Pair.apply(a, b, c, True))

# %% [markdown]
# First the built-in operations; at their highest the inner product and a gradient of its size stand
# side by side. `Pair` holds the result and nothing else, at the price of one more product; while
# backward runs, the fat matrix is back for a moment. In the last line it is not. There is the
# gradient that the thread called magic: it keeps nothing that was not alive anyway.
#
# All it takes is the right order, and the engine could not have found that, for it differentiates
# one operation at a time and never sees the line as a whole. (Neither did we: `a @ (b @ c)`, with
# no op of our own, holds 404,000 B. Before you write an op, look at the line.)
#
# ### In the middle of a backward
# A node lets go of what it saved *after* it has run, even if backward needs it only in its first
# line. In PyTorch 2.13 a
# Function can say `clear_saved_tensors_on_access = True`: reading `ctx.saved_tensors` empties the
# node, and your local names are all that is left. (With `boxed_grads_call` it can let go of the
# incoming gradients, too.) minigrad does not have it; an attribute that is deleted in time shows
# the effect.


# %% twin=true
class SquareAgain(mg.autograd.Function):
    @staticmethod
    def forward(ctx, h, let_go):
        ctx.h, ctx.let_go = h, let_go
        return h * h

    @staticmethod
    def backward(ctx, grad):
        slope = 2 * ctx.h
        if ctx.let_go:
            del ctx.h
        return slope * grad, None


# %% twin=true at="07.middle"
def highest_in_backward(let_go):
    start = mg.memory_allocated()
    loss = SquareAgain.apply(x @ w, let_go).sum()
    mg.reset_peak_memory_stats()
    loss.backward()
    units, rest = divmod(mg.max_memory_allocated() - start, U)
    return f"{units} U and {rest} B"


print("kept until the node has run:", highest_in_backward(let_go=False))
print("let go in the middle:       ", highest_in_backward(let_go=True))

# %% [markdown]
# 1 U less: while the result of backward is made, `h` is already gone. (The attribute has
# its price, as you know from section 3: no version check. The option of 2.13 keeps it.)
#
# **Try it.** Lesson 06 found that `h * h.sigmoid()` takes 17 U in six layers, and PyTorch's
# `silu` 11. Make `Halve` such an op: `y = h * h.sigmoid()` in forward; in backward,
# `s = kept.sigmoid()` anew, and the slope `s * (1 + kept * (1 - s))`. With the input saved it takes 11 U.

# %% [markdown]
# ## 6. Can I change how other ops save?
# You cannot rewrite tanh and `@`, but you can step between a node and what it saves. Inside a
# block `with mg.autograd.graph.saved_tensors_hooks(pack, unpack):` each node, instead of keeping a
# tensor, calls the **pack hook** with it and keeps what that returns. When backward needs the
# tensor, it calls the unpack hook with the kept thing, and expects a tensor again.
#
# What lies between is up to you: a file, another device, fewer digits, or nothing but a note how to
# recompute. (This last one is how checkpointing in PyTorch works today: lesson 10.)
#
# Take the running example, where the product saves `x` and tanh its result. float16 takes 2 bytes a
# number where float32 takes 4, so let us pack in float16: half the size.


# %% twin=true
def running_example(pack):
    hooks = mg.autograd.graph.saved_tensors_hooks(pack, lambda t: t.to(mg.float32))
    w.grad.zero_()
    start = mg.memory_allocated()
    with hooks:
        loss = (x @ w).tanh().sum()
    held = mg.memory_allocated() - start
    loss.backward()
    return held, w.grad[0, 0].item()


# %% solo="prediction"
predict(
    "07.half",
    "The running example, of which we hold only `loss` (4 B). Without hooks it adds 8,196 B "
    "to those of `x` and `w`. What if every saved tensor is packed as float16?",
    {
        "4,100 B": "Half of 1 U, and the loss. So it would be if the result of tanh were all. "
        "But the hook is called for `x`, too.",
        "8,196 B": "Half a U for the result of tanh, and half a U for a copy of `x`, which "
        "the node used to share with you for nothing. So much for the saving.",
        "12,292 B": "The original and the packed ones side by side. But once it is packed, "
        "no node holds the original; only your names do, and the result of tanh has none.",
    },
    run=lambda: f"{running_example(lambda t: t.to(mg.float16))[0]:,} B",
)

# %% twin=true at="07.packed"
packs = {
    "as it is": lambda t: t.detach(),
    "float16": lambda t: t.to(mg.float16),
    "float16, no leaf": lambda t: t if t.is_leaf else t.to(mg.float16),
}
right = running_example(packs["as it is"])[1]
for name, pack in packs.items():
    held, slope = running_example(pack)
    assert abs(slope / right - 1) < 1e-4
    said = "exact" if slope == right else "off by less than 0.01 %"
    print(f"{name:17} {held:>6,} B   gradient {said}")

# %% [markdown]
# The third line lets leaves pass (data and weights, which you hold anyway), and only this one
# saves anything. The gradient here is one element, 29.95: the last digits that it is off by are
# what we paid. A pack hook sees a tensor, and not who else has it. You have to know.
#
# ### save_on_cpu
# The hook that PyTorch brings along is `save_on_cpu`: pack copies each saved tensor from the GPU
# to the main memory, and unpack brings it back. GPUs have little memory and computers have much,
# so it trades copying time for room. And here, where everything is on the CPU already?


# %% twin=true
def forward_only(hooks):
    gc.collect()
    gc.disable()
    start = mg.memory_allocated()
    with hooks:
        y = (x @ w).tanh()
    with_y = (mg.memory_allocated() - start) // U
    del y
    without_y = (mg.memory_allocated() - start) // U
    gc.enable()
    return f"{with_y} U with y, {without_y} U after del y"


# %% twin=true at="07.on-cpu"
graph = mg.autograd.graph
hooks = graph.saved_tensors_hooks
print("t.detach()  ", forward_only(hooks(lambda t: t.detach(), lambda t: t)))
print("t itself    ", forward_only(hooks(lambda t: t, lambda t: t)))
print("save_on_cpu ", forward_only(graph.save_on_cpu()))

# %% [markdown]
# Nothing is copied; `cpu()` of a tensor on the CPU is that very tensor. So it gains nothing, and
# it does a harm that nobody expects: after `del y`, 1 U is left. You know this ring. The hook
# returns the result *itself*, the node keeps it, and it points at the node.
#
# A backward opens the
# ring, for the node lets go as always; a forward without backward does not. In minigrad the
# collector then finds it. In PyTorch it does not: that ring runs through C++, where Python's
# collector cannot look, and the bytes are lost until the program ends. So let a pack hook return
# a copy, or at least `t.detach()`.
#
# **Try it.** Call `forward_only` with `mg.no_grad()`. No graph, no ring: 1 U, then 0.
#
# ### The same in PyTorch
# An op that saved nothing runs twice. This prints `DoubleBackward ()`, then `tensor([4., 4., 4.])`.
#
# ```python
# import torch
#
# class Double(torch.autograd.Function):
#     forward = staticmethod(lambda ctx, h: h * 2)
#     backward = staticmethod(lambda ctx, grad: grad * 2)
#
# leaf = torch.ones(3, requires_grad=True)
# y = Double.apply(leaf)
# print(y.grad_fn.name(), y.grad_fn.saved_tensors)
# for _ in range(2): y.backward(torch.ones(3))
# print(leaf.grad)
# ```
#
# ### Three things you can trust
# The ctx is the node. What went through `save_for_backward` is freed by backward. What is an
# attribute of ctx is not.


# %% twin=true
class Keeper(mg.autograd.Function):
    @staticmethod
    def forward(ctx, h):
        ctx.attribute = h.clone()
        ctx.save_for_backward(h.clone())
        return h * 2.0

    @staticmethod
    def backward(ctx, grad):
        return grad * 2.0


# %% twin=true at="07.asserts"
y = Keeper.apply(x @ w)
saved = weakref.ref(y.grad_fn.saved_tensors[0])
assert y.grad_fn.attribute.nbytes == saved().nbytes == U
y.sum().backward()
assert saved() is None
assert y.grad_fn.attribute.nbytes == U
print("all three hold")

# %% [markdown]
# What was simplified: ops with several results, ops that write into their input (`mark_dirty`) and
# the second style with `setup_context` are missing here; all three work in minigrad as
# they do in PyTorch. Gradients of gradients, for which a backward must itself be recorded, do not.
# The whole of `Function` is in `minigrad/autograd/function.py` and `context.py`.
#
# **Next:** all nodes of this lesson kept something for a purpose. Many graphs grow for none: a list
# of losses, a running average, a state that is carried along. How to cut a graph, and where,
# is lesson 08.

# %% [markdown] card="held_by_op"
# ### What does this op hold?
# You have never seen this op. `keeps` is a list of the lines that its `forward` really has, of the
# five that are marked:
#
# ```python
# import torch
#
# class Op(torch.autograd.Function):
#     @staticmethod
#     def forward(ctx, h):
#         y = h * 2
#         ctx.save_for_backward(h)     # "save h"
#         ctx.save_for_backward(y)     # "save y"; with both, one call
#         ctx.h = h                    # "ctx.h"
#         ctx.y = y                    # "ctx.y"
#         ctx.shape = h.shape          # "ctx.shape"
#         return y
#
#     @staticmethod
#     def backward(ctx, grad):
#         return grad * 2
#
# leaf = torch.ones(rows, columns, requires_grad=True)    # it has its .grad
# loss = Op.apply(leaf + 1.0).sum()
# loss.backward()
# del loss
# ```
#
# Return the bytes alive after each of the last three lines, besides `leaf` and `leaf.grad`. No
# garbage collector comes by.
#
# Work them out by hand; a function that makes no tensor is asked for.
#
# *When it passes you can read off an op's forward what it costs, and for how long.*


# %% exercise="held_by_op" kind="predict+transfer" difficulty=2 minutes=8
def held_by_op(keeps, rows, columns):
    """[after forward, after backward, after `del loss`] in bytes; floats have 4 bytes."""
    ### BEGIN SOLUTION
    unit = rows * columns * 4
    before = sum("save " + t in keeps or "ctx." + t in keeps for t in "hy")
    attributes = sum("ctx." + t in keeps for t in "hy")
    ring = "ctx.y" in keeps  # y -> node -> y
    return [before * unit + 4, attributes * unit + 4, attributes * unit if ring else 0]
    ### END SOLUTION


# %% check="held_by_op"
check(held_by_op)

# %% [markdown] hint="held_by_op"
# Neither `h` nor `y` has a name once the line is done. So for each of the two, and after each line:
# who still points at it?

# %% [markdown] hint="held_by_op"
# Backward frees what was saved, and knows nothing of attributes. Those live as long as the node.
# And the node lives as long as somebody leads to it: `loss`, or a tensor that it made itself.

# %% [markdown] hint="held_by_op"
# First number: one unit for `h` if it is kept in any way, one for `y` likewise, and 4. Second: only
# those that are attributes, and 4. Third: the same without the 4 if `"ctx.y"` closes a ring, else
# 0.

# %% [markdown] why="held_by_op"
# **Why.** Saving twice costs once: both arrows lead to one storage. Backward takes away one kind of
# arrow and leaves the other. After `del loss` a node with `ctx.h` goes, and `h` with it, but
# `ctx.y` makes a ring, and a ring takes everything along that hangs on it: `ctx.h` as well, which
# alone would have done no lasting harm. A shape has no bytes here.

# %% [markdown] card="CubeOp"
# ### An op that forgets to let go
# This op for `h * h * h` gives right gradients almost everywhere, and each training step with it
# leaves bytes behind. A result that goes into no loss is not even freed by `del`. And if somebody
# writes into `h` before backward, it computes a wrong gradient without a word. Repair it all, and
# save no more than one tensor.
#
# *When it passes your op keeps its bytes exactly as long as the built-in ones do.*


# %% exercise="CubeOp" kind="repair" difficulty=1 minutes=8
class CubeOp(mg.autograd.Function):
    """The third power of a tensor, elementwise; its slope is 3 * h * h."""

    ### BEGIN SOLUTION
    @staticmethod
    def forward(ctx, h):
        ctx.save_for_backward(h)
        return h * h * h

    @staticmethod
    def backward(ctx, grad):
        (h,) = ctx.saved_tensors
        return grad * 3 * h * h

    ### STUB
    # @staticmethod
    # def forward(ctx, h):
    #     ctx.h = h
    #     ctx.y = h * h * h
    #     return ctx.y
    #
    # @staticmethod
    # def backward(ctx, grad):
    #     return grad * 3 * ctx.y / ctx.h
    ### END SOLUTION


# %% check="CubeOp"
check(CubeOp)

# %% [markdown] hint="CubeOp"
# There are two attributes, and they do different harm. Which one outlives backward, and which one
# closes a ring?

# %% [markdown] hint="CubeOp"
# One of the two is enough for the slope 3 * h * h. Let it go through `save_for_backward`, which
# notes the version and is freed after backward.

# %% [markdown] hint="CubeOp"
# In forward `ctx.save_for_backward(h)` and `return h * h * h`; in backward `(h,) =
# ctx.saved_tensors` and the slope from `h` alone.

# %% [markdown] why="CubeOp"
# **Why.** `ctx.h` lives as long as the node, and thus as long as a loss that somebody keeps.
# `ctx.y` is worse, since the result points at the node. And dividing the result by `h` was wrong at
# 0, where the slope is 0 and not 0 / 0. A gradient test at 0.5 and -1.0 passes all this, for it
# looks neither at bytes nor at zeros.

# %% [markdown] card="SinCos"
# ### Two results for the price of none
# Some nets need sine and cosine of the same tensor. `h.sin(), h.cos()` keeps `h` for the slopes.
# Write it as one op that saves less. `SinCos.apply(h)` returns two results, `(h.sin(), h.cos())`,
# and its graph holds no bytes but those of the results themselves. While forward runs, at most
# 4.5 U are alive, where U is the bytes of `h`, which is one of them.
#
# A forward with two results returns a tuple; its backward then receives two gradients. If one of
# the results went into no loss, its gradient comes as zeros.
#
# *When it passes you have an op that is cheaper than the two built-in ones, as it sees both at
# once.*


# %% exercise="SinCos" kind="write" difficulty=2 minutes=12
class SinCos(mg.autograd.Function):
    """(h.sin(), h.cos()), as one node."""

    @staticmethod
    def forward(ctx, h):
        ### BEGIN SOLUTION
        sin, cos = h.sin(), h.cos()
        ctx.save_for_backward(sin, cos)
        return sin, cos
        ### END SOLUTION

    @staticmethod
    def backward(ctx, for_sin, for_cos):
        ### BEGIN SOLUTION
        sin, cos = ctx.saved_tensors
        return for_sin * cos - for_cos * sin
        ### END SOLUTION


# %% check="SinCos"
check(SinCos)

# %% [markdown] hint="SinCos"
# What are the slopes of sine and cosine? Where have you seen these numbers?

# %% [markdown] hint="SinCos"
# The slope of each is the other one, one of them with a minus sign. So backward can do without `h`,
# if it has the two results. Save them; they are alive anyway.

# %% [markdown] hint="SinCos"
# `forward` saves `sin, cos` and returns them. `backward(ctx, for_sin, for_cos)` gets both from
# `ctx.saved_tensors` and returns one gradient: `for_sin` times the one, minus `for_cos` times the
# other.

# %% [markdown] why="SinCos"
# **Why.** The input had one holder more than it needed. An engine that differentiates one operation
# at a time cannot see that two results are each other's slopes; you can. Had you put them on ctx as
# attributes, each would close a ring. And had you saved `h`, it would cost its bytes whenever
# nobody else keeps it, as after a product.

# %% [markdown] card="trustworthy"
# ### Test somebody else's op
# Now you are the one who tests. `trustworthy(op)` gets an op with one input and one result, as one
# calls it: `y = op(h)`. It returns True if all of these hold, and False otherwise.
#
# 1. Its gradients are right, for positive numbers and for negative ones, and whatever gradient
#    comes in.
# 2. After backward its graph holds nothing, though you still hold the loss.
# 3. A result that went into no backward goes with its last name, without the collector.
#
# Your test is run on right ops and on broken ones. It must not break itself: whatever the op does,
# an error counts as False. (`gc`, `weakref` and `mg.autograd.gradcheck` are at hand.)
#
# *When it passes you have a test for your own ops, much like the one behind `check`.*


# %% exercise="trustworthy" kind="write" difficulty=3 minutes=20
def trustworthy(op):
    """True if the op has right gradients, lets go after backward, and makes no ring."""
    ### BEGIN SOLUTION
    try:
        return right_gradients(op) and lets_go(op) and no_ring(op)
    except Exception:
        return False


def right_gradients(op):
    values = [0.5, -1.0, 2.0, -0.25]
    point = mg.tensor(values, dtype=mg.float64, requires_grad=True)
    return mg.autograd.gradcheck(op, (point,), raise_exception=False)


def lets_go(op):
    leaf = mg.ones(64, requires_grad=True)
    leaf.grad = mg.zeros(64)
    before = mg.memory_allocated()
    loss = op(leaf + 1.0).sum()
    loss.backward()
    return mg.memory_allocated() - before == loss.nbytes


def no_ring(op):
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        y = op(mg.ones(64, requires_grad=True) + 1.0)
        watch = weakref.ref(y)
        del y
        return watch() is None
    finally:
        if was_enabled:
            gc.enable()
    ### END SOLUTION


# %% check="trustworthy"
check(trustworthy)

# %% [markdown] hint="trustworthy"
# Three questions, three small functions, and one line that joins them with `and`. Which of the
# three did this lesson already measure, and how?

# %% [markdown] hint="trustworthy"
# Gradcheck in float64, at several points of both signs. For the bytes, `mg.memory_allocated()`
# before and after; give the op an input that nobody else holds, such as `leaf + 1.0`. For the ring,
# a weak reference, with the collector off.

# %% [markdown] hint="trustworthy"
# Bytes: `loss = op(leaf + 1.0).sum()`, `loss.backward()`, and the difference must be `loss.nbytes`
# if `leaf.grad` was there before. Ring: `gc.disable()`, `watch = weakref.ref(y)`, `del y`, `watch()
# is None`; then `gc.enable()`.

# %% [markdown] why="trustworthy"
# **Why.** A gradient test alone passes every leak, and a byte test alone passes every wrong sign.
# Each point needs its trap set right: a single positive number hides a lost sign, an input that you
# hold by a name hides a leak, a collector that comes by hides a ring. A test proves what it could
# have caught, and no more.
