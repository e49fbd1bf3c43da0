# %% [markdown]
# # 16  Exam
# Nothing new comes now. Eight curves that nobody has labelled, five snippets that you have not
# seen, and the ten ideas of the first page in other clothes: can you say what happens before you
# look?
#
# No one but you sees the result, a score of 23 cards. Choose, lock, read why. Take a break where you
# like, and leave `course/exam` closed until you are done: the hidden programs are there.
#
# `x` is data and `w` a weight, as ever: 64 x 32 floats are 8,192 B, 1 U. `w.grad` is made
# beforehand, so it is in none of our differences.

# %%
import weakref

from IPython.display import display

import minigrad as mg
from course import exam
from course.predict import predict

x = mg.arange(2048.0).view(64, 32) / 2048
w = mg.full((32, 32), 0.01, requires_grad=True)
w.grad = mg.zeros(32, 32)

# %% [markdown]
# ## 1. Whose curve is it?
# Each curve is the memory of a program that has just run in your kernel: KiB alive, from the first
# tensor to the last step. Here an activation has 1 KiB (32 x 8 floats), so read KiB as U. Weights
# and their gradients are not counted.

# %% at="16.gallery"
exam.gallery()

# %% [markdown]
# Three families of programs:
# - **Residual net**: six blocks `y = y + F(y)`, as in lesson 10. One forward, one backward.
# - **Reversible net**: its twin of lesson 11, six blocks on two halves. One forward, one backward.
# - **Loop**: eight turns. In each, two tanh layers make `h` from the batch, and `loss` is its sum.
#   Where `outs` or `h = f(h)` is written, it is one layer.
#
# Count before you choose: how many steps, how high, and where does it end? The wrong options are
# programs too and have run as well; their curves are others.

# %%
# Curves 1 to 4
# fmt: off
display(predict(
    "16.c1",
    "Curve 1 is the curve of ...",
    {
        "Loop: `loss.backward()`, then `losses.append(loss)`": "Each backward would free the two "
        "results of its turn, and the curve come back to 1 U eight times. Lesson 08.",
        "Loop: `h.sum().backward()`, then `outs.append(h.detach())`": "This climbs as well, for "
        "the data itself is kept. But only by one result a turn, to 9 U. Lesson 08.",
        "Loop: `h = f(h)`, `h.sum().backward(retain_graph=True)`": "Also a climb, but each "
        "backward has gradients in flight: a bump in every turn. Here is none. Lesson 08.",
        "Loop: no backward, `losses.append(loss)`": "Two results a turn, and no step down: no "
        "graph was walked, and each loss in the list holds its own. Lesson 08.",
    },
    shown=exam.curve(1),
    run=lambda: exam.whose(1),
))
display(predict(
    "16.c2",
    "Curve 2 is the curve of ...",
    {
        "Residual net: a checkpoint every 3 blocks": "That makes two teeth: one for each segment "
        "that runs again. Count these. Lesson 10.",
        "Residual net: one checkpoint around all 6 blocks": "Then everything is recomputed at "
        "once: one tooth, higher than the plain net. Lesson 10.",
        "Residual net: a checkpoint every 2 blocks": "Three slow steps, then three teeth: each "
        "segment runs again, is walked, and goes. Lesson 10.",
    },
    shown=exam.curve(2),
    run=lambda: exam.whose(2),
))
display(predict(
    "16.c3",
    "Curve 3 is the curve of ...",
    {
        "Loop: `loss.backward()`": "Its backward frees: it would touch 1 U in every turn. This "
        "one never goes below 3 U again. Lesson 05.",
        "Loop: `loss.backward(retain_graph=True)`": "One graph stays alive, never two, but for the "
        "moment in which the next is made while a name still holds the last. Lesson 05.",
        "Loop: `h = f(h)`, `h.sum().backward()`, `h = h.detach()`": "A cut state leaves nothing "
        "behind: 1 U, a tooth of 2 U, and 1 U again. Lesson 08.",
    },
    shown=exam.curve(3),
    run=lambda: exam.whose(3),
))
display(predict(
    "16.c4",
    "Curve 4 was meant to be a flat line. What went wrong?",
    {
        "Reversible net: blocks simply called, no Function": "Then all is recorded: 3 U a block, "
        "20.5 U at the top, and a fall in backward. Lesson 11.",
        "Reversible net: the chain, rebuilt without `detach`, with `retain_graph=True`": "That goes "
        "wrong on the way back. This one climbs on the way forward. Lesson 11.",
        "Reversible net: the chain as a Function, and a list of each block's pair": "1 U a block on the way "
        "forward, and backward frees none of it: a list is no node. Lesson 11.",
        "Residual net: everything stored": "2 U a block, and a slope on the right side. What a "
        "graph keeps, backward frees. Lesson 04.",
    },
    shown=exam.curve(4),
    run=lambda: exam.whose(4),
))
# fmt: on

# %%
# Curves 5 to 8
# fmt: off
display(predict(
    "16.c5",
    "Curve 5 is the curve of ...",
    {
        "Residual net: everything stored": "2 U up with each block and 2 U down: the triangle. The "
        "top is in the first steps of backward. Lesson 04.",
        "Reversible net: blocks simply called, no Function": "A triangle too, but with 3 U a "
        "block: the halves go through F and through G, and both save. Lesson 11.",
        "Residual net: one checkpoint around all 6 blocks": "Its forward is flat: the climb begins "
        "only with backward, and its top is 1 U higher. Lesson 10.",
    },
    shown=exam.curve(5),
    run=lambda: exam.whose(5),
))
display(predict(
    "16.c6",
    "Curve 6 is the curve of ...",
    {
        "Residual net: one checkpoint around all 6 blocks": "Flat on the way forward, yes. But then "
        "all six blocks run again with everything stored: 15 U. Lesson 10.",
        "Reversible net: one Function for the chain, which saves its output": "3 U at every block on "
        "the way forward, 5 U at every block on the way back. Lesson 11.",
        "Reversible net: the chain as a Function, and a list of each block's pair": "The list would show: 1 U "
        "more with every block. Lesson 11.",
    },
    shown=exam.curve(6),
    run=lambda: exam.whose(6),
))
display(predict(
    "16.c7",
    "Curve 7 was flat as promised, until its author met an error and silenced it. What is it?",
    {
        "Residual net: one checkpoint around all 6 blocks": "It climbs after a flat forward as "
        "well, but comes down in steps: its graph is walked and freed. Lesson 10.",
        "Reversible net: the chain as a Function, and a list of each block's pair": "The list grows on the way "
        "forward, where this curve is flat. Lesson 11.",
        "Reversible net: the chain, rebuilt without `detach`, with `retain_graph=True`": "Each "
        "rebuilt block hangs on the one before: 4 U a block, and wrong gradients. Lesson 11.",
    },
    shown=exam.curve(7),
    run=lambda: exam.whose(7),
))
display(predict(
    "16.c8",
    "Curve 8 is the curve of ...",
    {
        "Loop: `h = f(h)`, `h.sum().backward(retain_graph=True)`": "1 U more in each turn, and "
        "each bump is longer: backward walks the whole past again. Lesson 08.",
        "Loop: no backward, `losses.append(loss)`": "It only ever climbs. Here are bumps, so "
        "something walks. Lesson 08.",
        "Loop: `loss.backward(retain_graph=True)`": "Without a state that is carried on the "
        "graph of the turn before goes: a plateau. Lesson 05.",
        "Loop: `h.sum().backward()`, then `outs.append(h.detach())`": "Also 1 U a turn, but its "
        "turns are all equally long. Here each is longer than the last. Lesson 08.",
    },
    shown=exam.curve(8),
    run=lambda: exam.whose(8),
))
# fmt: on

# %% [markdown]
# **Try it.** `from course.exam.curves import PROGRAMS, measure`, and give `measure` the program of
# an option that you believed in.

# %% [markdown]
# ## 2. Five snippets
# Each is a function of `torch`; the cards hand it minigrad, and it would run with PyTorch as well.
# A question for bytes means those that are alive because of what the function *returned*.
#
# **Snippet 1.** Somebody keeps one example of every batch, to draw it later.


# %%
def one_row_each(torch, x, w):
    rows = []
    for _ in range(10):
        h = (x @ w).tanh()
        h.sum().backward()
        rows.append(h[0].detach())
    return rows


# %% solo="prediction"
predict(
    "16.s1",
    "Snippet 1: how many bytes do the ten rows hold? A row is 32 floats.",
    unit="bytes",
    run=lambda: exam.held(one_row_each, x=x, w=w),
    why="`h[0]` is a view, `detach` makes another; both share the storage of `h`, which lives as "
    "long as either. Ten rows hold ten batches. `h[0].detach().clone()` would hold ten rows. "
    "Lessons 01 and 08.",
    wrong={
        1280: "Ten rows of 128 B. A storage is kept whole or not at all. Lesson 01.",
        0: "The graphs are walked and gone, and `detach` cut the rows off. But the rows have data.",
        8192: "One batch: the names move on. The list does not. Lesson 08.",
    },
)

# %% [markdown]
# **Snippet 2.** Two losses, and a step of the optimizer between them, for the weights in `stepped`.


# %%
def step_between(torch, x, w, v, stepped):
    h = (x @ w).tanh()
    y = h @ v
    y.sum().backward(retain_graph=True)
    with torch.no_grad():
        for weight in stepped:
            weight -= 0.1 * weight.grad
    (y * y).sum().backward()


# %% solo="prediction"
predict(
    "16.s2",
    "Snippet 2: what happens with `stepped=[w]`, and what with `stepped=[v]`? (Line 1 is `h = ...`.)",
    {
        "passes; passes": "The graph was retained, so nothing is freed. But what it saved must "
        "also be unchanged. Lesson 06.",
        "line 7 fails; line 7 fails": "A product saves a factor only for the gradient of the "
        "other. `x` wants none, so nobody saved `w`. Lesson 06.",
        "passes; line 7 fails": "`h @ v` saved `v`, for the gradient of `h`, and finds another "
        "version. `x @ w` saved `x` alone: `x` wants no gradient. Lessons 05 and 06.",
        "passes; line 6 fails": "Writing is allowed; nobody looks at that moment. The version is "
        "compared when backward opens what was saved. Lesson 06.",
    },
    run=lambda: "; ".join(exam.stepped(step_between, x)),
)

# %% [markdown]
# **Snippet 3.** An operation of one's own, written in a hurry.


# %%
def square(torch):
    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx, u):
            ctx.u = u
            return u * u

        @staticmethod
        def backward(ctx, grad):
            return 2 * ctx.u * grad

    return Square.apply


# %% solo="prediction"
predict(
    "16.s3",
    "Snippet 3: `y = square(torch)(x @ w)`, then `y.sum().backward()`. What does `y` hold after it, "
    "and how does a second `y.sum().backward()` end? (`x @ w` is walked, too.)",
    {
        "8,192 B, fails": "So it is with `save_for_backward`: the node lets go of `u`. "
        "An attribute of `ctx` is none of backward's business. Lesson 07.",
        "16,384 B, fails": "`u` stays: `ctx.u` is an attribute like any other, which backward "
        "does not free. But the node of `x @ w` did save, and has let go. Lessons 05 and 07.",
        "16,384 B, passes": "Your own node would run again, for it still has `u`. But behind it "
        "stands the node of `x @ w`, and that one has let go. Lesson 05.",
        "8,192 B, passes": "If `u` were gone there would be nothing to walk with. Lesson 07.",
    },
    run=lambda: (
        f"{exam.held(lambda torch: exam.walked(square(torch)(x @ w))):,} B, "
        + exam.again(square(mg)(x @ w))
    ),
)

# %% [markdown]
# **Snippet 4.** A penalty that must not wait for the end of the net. **Snippet 5.** Memory is
# short, so every single operation gets a checkpoint.


# %%
def early_penalty(torch, x, w):
    h = (x @ w).relu()
    z = h.detach().requires_grad_()
    penalty = (z * z).sum()
    penalty.backward()
    return h, z, penalty


def wrap_each(torch, x, w, checkpoint):
    h = x @ w
    for _ in range(4):
        h = checkpoint(torch.tanh, h, use_reentrant=False)
    return h


# %% solo="prediction"
# Snippets 4 and 5
# fmt: off
display(predict(
    "16.s4",
    "Snippet 4: how many activations of 1 U are alive at the end? (Not counting the 4 B of "
    "`penalty`.)",
    {
        "1 U": "`h` and `z` share their bytes, and the penalty's graph is freed. But the walk has "
        "made something that stays. Lesson 09.",
        "2 U": "The bytes that `h` and `z` share, and `z.grad`. With it, `h.backward(z.grad)` can "
        "resume. Lessons 08 and 09.",
        "3 U": "`h`, `z` and `z.grad`, as if `detach` copied. Lesson 08.",
        "4 U": "`z * z` counted as well. The sum saved nothing, so the product was gone before "
        "backward began. Lesson 04.",
    },
    run=lambda: f"{exam.held(early_penalty, x=x, w=w) // 8192} U",
))
display(predict(
    "16.s5",
    "Snippet 5: how much does the result hold, with a `checkpoint` that only calls the function, "
    "and with a real one?",
    {
        "4 U and 1 U": "As if a checkpoint kept nothing. It keeps what goes in. Lesson 10.",
        "5 U and 4 U": "The first product is saved by nobody in the plain version. Lesson 04.",
        "4 U and 4 U": "Four nodes, one tensor each, it seems. But which ones? Lesson 10.",
        "4 U and 5 U": "tanh keeps its result, a checkpoint its input: the four inputs, the first "
        "product among them, and the result in your hand. It costs memory. Lesson 10.",
    },
    run=lambda: " and ".join(
        f"{exam.held(wrap_each, x=x, w=w, checkpoint=one) // 8192} U"
        for one in (exam.plain, mg.utils.checkpoint.checkpoint)
    ),
))
# fmt: on

# %% [markdown]
# ## 3. The ten ideas, form B
# In the order of lesson 00. Read the functions, then run the cards. (`weakref.ref` watches a tensor
# and holds nothing.)


# %%
def one_of_four():
    before = mg.memory_allocated()
    a = mg.zeros(64, 32)
    four = [a, a.view(2048), a.detach(), a * 1]
    return (mg.memory_allocated() - before) // four[0].nbytes


def inside(a):
    h = a * a
    return h + 1, weakref.ref(h)


# %% solo="prediction"
# Questions 1 to 3
# fmt: off
display(predict(
    "16.b1",
    "1. `one_of_four()`: how many times are the bytes of `a` in memory?",
    {
        "1": "`a * 1` has the same values, and bytes of its own. Lesson 01.",
        "2": "A view and a detached tensor share; an operation makes new bytes. Lesson 01.",
        "3": "`detach` cuts the graph off, not the data. Lesson 08.",
    },
    run=one_of_four,
    form="B",
))
display(predict(
    "16.b2",
    "2. `y, watch = inside(a)`: the name `h` is gone with the function, `y` is there. What is left "
    "of `h`?",
    {
        "its node": "The walk from `y` to `a` must pass it. The tensor was held by a name. "
        "Lesson 02.",
        "its tensor and its node": "A sum saves none of its inputs. Lesson 02.",
        "nothing": "Then the way from `y` to `a` would be broken. Lesson 02.",
    },
    run=lambda: {(1, 1): "its tensor and its node", (0, 1): "its node", (0, 0): "nothing"}[
        exam.left(*inside(mg.ones(3, requires_grad=True)))],
    form="B",
))
display(predict(
    "16.b3",
    "3. `mg.ones(3) * v`: data times a weight. What do the two edges of its node lead to?",
    {
        "AccumulateGrad, AccumulateGrad": "Data wants no gradient, so no node waits. Lesson 02.",
        "NoneType, Tensor": "An edge leads to a node. This one holds `v`. Lesson 02.",
        "NoneType, AccumulateGrad": "No edge for data; for the weight, the node that adds to "
        "`v.grad`. Lesson 02.",
    },
    run=lambda: exam.edges(mg.ones(3) * mg.ones(3, requires_grad=True)),
    form="B",
))
# fmt: on


# %%
def two_batches():
    a = mg.tensor(1.0, requires_grad=True)
    for scale in (2, 5):
        (a * scale).backward()
    return a.grad.item()


def name_moves_on():
    h = x @ w
    before = mg.memory_allocated()
    h = h @ w
    return mg.memory_allocated() - before, h.shape


# %% solo="prediction"
# Questions 4 to 7
# fmt: off
display(predict(
    "16.b4",
    "4. What does `two_batches()` return?",
    {
        "2.0": "The first batch only. The second arrives too. Lesson 03.",
        "5.0": "The last batch only, as if backward wrote over it. Lesson 03.",
        "7.0": "2 and 5: nobody set `a.grad` to zero. Lesson 03.",
    },
    run=two_batches,
    form="B",
))
display(predict(
    "16.b5",
    "5. What does the graph keep for the derivative of `y = h.sigmoid()`?",
    {
        "its output": "The slope is y * (1 - y). Lesson 03.",
        "its input": "It would do. But the slope is y * (1 - y): the output is enough. Lesson 03.",
        "nothing": "That is for operations with a fixed slope, such as a sum. Lesson 03.",
    },
    run=lambda: {"self": "its input", "result": "its output", "": "nothing"}[
        " ".join(row["name"] for row in mg.memory.saved(mg.ones(3, requires_grad=True).sigmoid()))],
    form="B",
))
display(predict(
    "16.b6",
    "6. `name_moves_on()`: `h = h @ w` makes 8,192 B, and the name leaves the old ones. By how much "
    "has memory grown?",
    {
        "0 B": "New ones come, old ones go: so it is if the name was their last holder. Lesson 04.",
        "8,192 B": "The second product keeps the old `h`, to give `w` its gradient. Lesson 04.",
        "16,384 B": "The second product has saved `h` itself, not a copy. Lesson 04.",
    },
    run=lambda: f"{name_moves_on()[0]:,} B",
    form="B",
))
display(predict(
    "16.b7",
    "7. `(x @ w).sum().backward()`: the product has saved the batch `x`, and backward frees what was "
    "saved. What about `x` in the next epoch?",
    {
        "load it again": "Freed bytes would be gone for all. But freed means: one holder let go. "
        "Lesson 04.",
        "use it, and so can the node": "This node has let go; a new product makes a new node. "
        "Lesson 04.",
        "use it": "The node has let go of it. Your name has not. Lesson 04.",
    },
    run=lambda: {(1, 1): "use it", (0, 1): "load it again", (1, 0): "use it, and so can the node"}[
        exam.next_epoch(x, w)],
    form="B",
))
# fmt: on


# %%
def one_turn():
    loss = (x @ w).tanh().sum()
    loss.backward(retain_graph=True)


def twenty_turns():
    before = mg.memory_allocated()
    for _ in range(20):
        one_turn()
    return (mg.memory_allocated() - before) // 8192


def two_ways(a, b):
    exam.again(a.tanh() + b.view(1))  # walks twice, and catches the error
    return a.grad.item(), b.grad.item()


# %% solo="prediction"
# Questions 8 to 10
# fmt: off
display(predict(
    "16.b8",
    "8. `twenty_turns()`: each graph keeps 8,192 B, and each was retained. How many are alive?",
    {
        "0": "A function's names end with it, and a number holds no graph. Lesson 05.",
        "1": "In a loop without a function, the last one would be held by `loss`. Lesson 05.",
        "20": "Retaining means that one walk frees nothing. It holds nothing afterwards. Lesson 05.",
    },
    run=twenty_turns,
    form="B",
))
display(predict(
    "16.b9",
    "9. A second backward through `c`, for `c = a.view(1)` and for `c = a.exp()`?",
    {
        "works, works": "`exp` had kept its result and let go of it. Lesson 05.",
        "works, fails": "A view keeps a shape, no tensor. `exp` had kept its result. Lesson 05.",
        "fails, fails": "The view had kept no tensor, so it lost none. Lesson 05.",
    },
    run=lambda: ", ".join(exam.again(c) for a in [mg.zeros(1, requires_grad=True)]
                          for c in [a.view(1), a.exp()]),
    form="B",
))
display(predict(
    "16.b10",
    "10. `two_ways(a, b)`, for two zeros: the slope of tanh at 0 is 1. The first backward gives both a gradient of "
    "1.0, the second fails in the tanh. What is returned?",
    {
        "(1.0, 1.0)": "So it would be if a failing walk were taken back. Lesson 05.",
        "(2.0, 2.0)": "The tanh could not run, so `a` got nothing. Lesson 05.",
        "(1.0, 2.0)": "The view ran before the tanh failed, and what it added stays. Lesson 05.",
    },
    run=lambda: two_ways(*(mg.zeros(1, requires_grad=True) for _ in "ab")),
    form="B",
))
# fmt: on

# %% [markdown]
# ## 4. Your score, and what you gained
# All 23 cards count for the score, at your first choice. And your first choice on each idea, in lesson 00 and now. The **normalised gain** is the part of what
# you lacked then that you have now. Only ideas count for which you locked a choice both times; if
# you skipped form A, form B stands alone.

# %%
display(exam.score())
exam.gain()

# %% [markdown]
# Ten cards are a small sample; one or two may be luck. What stays is a habit. When memory is full the
# next time, ask **which bytes, who holds them, who lets go?** And count before you run.
#
# From here: the [playground](playground.ipynb) takes your own lines. And if you want to read an
# engine now, `minigrad/core/backward.py` has its backward on one screen.
