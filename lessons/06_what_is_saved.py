# %% [markdown]
# # 06  What each op saves
# In the last lesson everything hung on one fact: a node that saved something cannot run twice. The
# other question about memory, why a forward pass piles up bytes, hangs on the same fact. So it is
# time to know it for certain. What does each operation save? Who decides? And what if
# somebody writes into a saved tensor before backward comes for it?
#
# Thread 003 asks for this and gets two answers: that there is no general rule, and that there is no
# API to check it. By the end of this lesson you will have a rule of thumb, and the check.
#
# The set-up cell makes the data `x` (64 x 32 x 4 = 8,192 B, 1 U) and the weight `w`. `saved_by`
# asks a node for all that stands under a name with `_saved_`, and keeps the tensors. `attempt`
# calls something and says how it ended: with `passes`, or with the part of the error that matters.
# (Section 4 shows its source.)

# %% twin=true
import minigrad as mg
from course.lesson import attempt, predict

x = mg.arange(2048.0).view(64, 32) / 2048
w = mg.full((32, 32), 0.01, requires_grad=True)
U = x.nbytes


def saved_by(node):
    names = [name for name in dir(node) if name.startswith("_saved_")]
    values = {name.removeprefix("_saved_"): getattr(node, name) for name in names}
    return {slot: t for slot, t in values.items() if isinstance(t, mg.Tensor)}


# %% [markdown]
# ## 1. What does each operation keep, and who decides?
# We make two small matrices, `a` and `b`, compute `y` from them, and ask the node of `y` what it
# saved. `keeps` takes the operation as a text and lets `eval` compute it, so that each line of
# its output says what really ran. To find out *which* tensor was saved, it compares addresses: what
# lies where `a` lies is `a`. `wants` names those of the two that want a gradient.


# %% twin=true
def keeps(text, wants="a"):
    a = mg.full((4, 4), 0.5, requires_grad="a" in wants)
    b = mg.full((4, 4), 2.0, requires_grad="b" in wants)
    y = eval(text)
    where = {a.data_ptr(): "a", b.data_ptr(): "b", y.data_ptr(): "y"}
    found = set()
    for t in saved_by(y.grad_fn).values():
        found.add("a number" if t.ndim == 0 else where.get(t.data_ptr(), "something new"))
    return " and ".join(sorted(found)) or "nothing"


# %% [markdown]
# Here are three functions of one input. As you know, `tanh` keeps its result. What about these?

# %% solo="prediction"
predict(
    "06.input",
    "Which of `a.exp()`, `a.log()` and `a.relu()` keep their input `a`?",
    {
        "exp, log, relu": "Autograd saves inputs: that is how the chain rule is taught, with "
        "f'(a) in it. But often the same slope can be had from the result.",
        "log, relu": "The slope of relu is 1 where its input was positive, so it seems to need "
        "that input. But where the input was positive, so is the result.",
        "log": "The slope of exp is its result, the slope of relu can be read off its result, "
        "and the slope of log is 1 / a.",
    },
    run=lambda: ", ".join(f for f in ("exp", "log", "relu") if keeps(f"a.{f}()") == "a"),
)

# %% [markdown]
# Now twenty-seven operations at once. Only `a` wants a gradient. The loop sorts them by the answer
# that their nodes give.

# %% twin=true at="06.table"
operations = (
    "a + b; a - b; -a; a.sum(); a.mean(); a.t(); a.clone(); "
    "a.exp(); a.tanh(); a.relu(); a.sigmoid(); a.sqrt(); a.softmax(1); "
    "a.log(); a.sin(); a.abs(); a ** 2; a.clamp(0, 1); "
    "a * b; a / b; a @ b; b / a; mg.maximum(a, b); a ** b; "
    "a * 5; a.max(1).values; mg.where(a > b, a, b)"
)
groups = {}
for text in operations.split("; "):
    groups.setdefault(keeps(text), []).append(text)
for answer, texts in groups.items():
    print(f"{answer:14}", ", ".join(texts))

# %% [markdown]
# Nobody typed this table; the nodes filled it in, and PyTorch's nodes fill it in the same way. Row
# by row:
#
# | kept | why |
# |---|---|
# | nothing | The gradient does not depend on the values: adding, moving, reshaping. |
# | the result `y` | The slope can be computed from it. For `exp` it is y, for `tanh` 1 - y * y, for `sqrt` 1 / (2 y); `relu` passes the gradient where y is positive. |
# | the input `a` | The result has lost something: the sign of `a` in `a ** 2` and `a.abs()`, or what lay beyond 1 in `a.clamp(0, 1)`. |
# | the other operand `b` | A product is linear in each factor, so the slope in `a` is `b`; that of `a / b` is 1 / b. |
# | both operands | The slope of `b / a` in `a` is -b / a²; that of `maximum` depends on who won. |
# | both, and `y` | `a ** b` keeps more than this gradient takes: see below. |
# | a number, something new | Neither an input nor the result. `a * 5` keeps the 5, `max` the positions of the winners, `where` the condition. |
#
# So here is the rule of thumb: **a node keeps what its gradient formula needs, and rather the result
# than the input if either will do.** (Why rather the result? Section 3.) And there is a limit, the
# one that you saw in lesson 03: what no *wanted* gradient needs is not kept. Here are five operations
# with three kinds of demand.

# %% twin=true at="06.wants"
print(f"{'':18}{'a wants':16}{'b wants':16}both want")
for text in ("a * b", "a @ b", "a / b", "mg.maximum(a, b)", "a ** b"):
    answers = [keeps(text, wants) for wants in ("a", "b", "a b")]
    print(f"{text:18}{answers[0]:16}{answers[1]:16}{answers[2]}")

# %% [markdown]
# The thread explains the matter with a product, which is the tidiest row: each factor is kept for the
# other's sake. Do not conclude from it that every operation with two operands works like that.
# Division is lopsided: the slope of a / b in `a` is 1 / b, and in `b` it is -a / b², so one question
# takes one operand and the other takes both. `maximum` needs both to see who won. And `a ** b` keeps
# all three in any case, even the result, which only the gradient of `b` would use.
#
# So it remains a rule of thumb. `log` could do with its result, as 1 / a is e^-y, but that would
# cost more and be less exact. Somebody wrote these formulas by hand, one by one. In this sense
# thread 003 is right to say that each operation decides for itself.
#
# **Try it.** Print `keeps("a * a")` and `keeps("a * b + a")`. The first says `a`, once, although
# there are two slots. The second says `nothing`: we asked the last node only, and `+` keeps nothing.

# %% [markdown]
# ## 2. What does it save to freeze a layer?
# A layer is **frozen** if its weight wants no gradient. People freeze layers to train the rest
# faster and in less memory. By the rule of section 1 a product `h @ weight` with a frozen weight
# need not keep `h`. So freezing half of the layers should save about half of the memory, should it
# not? We build six layers, freeze three of them, and count the bytes that the graph holds.


# %% twin=true
def held(frozen, activation):
    trains = [i not in frozen for i in range(1, 7)]
    weights = [mg.full((32, 32), 0.01, requires_grad=one) for one in trains]
    before = mg.memory_allocated()
    h = x
    for weight in weights:
        h = activation(h @ weight)
    loss = h.sum()
    del h  # only the graph holds on to results now
    loss_bytes = loss.nbytes
    return (mg.memory_allocated() - before - loss_bytes) // U


# %% [markdown]
# With nothing frozen the graph holds six results of `tanh`, 6 U, as in lesson 04. (`x` was there
# before, and the 4 bytes of the loss are subtracted.) Now freeze the *last* three layers.

# %% solo="prediction"
predict(
    "06.frozen",
    "`h = (h @ weight).tanh()`, six times; the weights of layers 4, 5 and 6 are frozen. How much "
    "does the graph hold?",
    {
        "3 U": "Half of the layers, half of the memory. But the gradient for layer 3 has to travel "
        "through layers 4, 5 and 6, and their `tanh` need their results for that.",
        "6 U": "The frozen products no longer keep their inputs. But each of these is also the "
        "result of a `tanh`, and the `tanh` keeps it for itself.",
        "0 U": "Frozen sounds like switched off. It would be 0 U if all six were frozen: then "
        "no gradient is wanted by anybody, and no node is made.",
    },
    run=lambda: f"{held((4, 5, 6), lambda h: h.tanh())} U",
)

# %% twin=true at="06.freeze"
choices = {"none": (), "1, 2, 3": (1, 2, 3), "4, 5, 6": (4, 5, 6), "all": range(1, 7)}
for name, frozen in choices.items():
    with_tanh = held(frozen, lambda h: h.tanh())
    without = held(frozen, lambda h: h)
    print(f"frozen: {name:9} with tanh {with_tanh} U   products alone {without} U")

# %% [markdown]
# Which end you freeze matters more than how much. Freeze the first three, and no one asks for a
# gradient there: those layers make no nodes at all. What is left is the input of layer 4, kept by
# its product, and three results: 4 U. Freeze the last three, and with `tanh` nothing is gained.
#
# The last column is the same net without any `tanh`. Now the rule shows undisguised: product
# number i keeps its input for the gradient of its own weight. The input of the first is `x`, which
# is there anyway, so five products keep 1 U each. With 4, 5 and 6 frozen, only 2 and 3 do.
#
# **Try it.** Freeze layers 2 to 6, with `tanh`: `print(held((2, 3, 4, 5, 6), lambda h: h.tanh()))`.
# Still 6: one small weight at the far end keeps the memory of the whole net alive.

# %% [markdown]
# ## 3. Whose bytes are they?
# In the net of section 2 each result of `tanh` was kept twice: once by the `tanh`, as its
# result, and once by the next product, as its input. And yet it cost 1 U a layer, not 2. You know
# why: a saved tensor is an arrow, and the bytes lie where they lie.
#
# ```
# names          tensors -> storages            nodes
# -----          -------------------            -----
# loss --------> [loss    4 B] --grad_fn------> (SumBackward0)
#                                                     |
#                                                     v
#                [y2  8,192 B] <----result----- (TanhBackward0)
#                                                     |
#                                                     v
#                [y1  8,192 B] <-----self------ (MmBackward0)
#                      ^                              |
#                      |                              v
#                      +-------------result---- (TanhBackward0)
#                                                     |
#                                                     v
# x -----------> [x   8,192 B] <-----self------ (MmBackward0)
# ```
#
# This is why so many operations keep their result rather than their input. The next operation
# is often a product, which wants that very tensor. So it costs nothing to keep it as well. (The
# products also keep the weights, for the gradients of their inputs. Those bytes are yours anyway.)

# %% twin=true at="06.shared"
y1 = (x @ w).tanh()
product = (y1 @ w).grad_fn
result, factor = y1.grad_fn._saved_result, product._saved_self
print("the same address:", result.data_ptr() == factor.data_ptr())

# %% [markdown]
# What if we replace `tanh` by a function that keeps its input, `sin`? (That is not as exotic as it
# looks: in PyTorch, `silu` and `gelu`, which sit in many language models, keep their input too.) We
# take six layers, each a product and then `activation`, and keep nothing but the loss.


# %% twin=true
def layers(activation):
    before = mg.memory_allocated()
    h = x
    for _ in range(6):
        h = activation(h @ w)
    loss = h.sum()
    del h
    return mg.memory_allocated() - before - loss.nbytes


# %% solo="prediction"
predict(
    "06.sin",
    "Six layers `h = (h @ w).sin()`. With `tanh` the graph held 6 U. How much is it with `sin`?",
    {
        "6 U": "Each `sin` keeps one tensor, just as each `tanh` did. But it keeps another one: the "
        "product, which nobody else wants.",
        "11 U": "Six products, kept by `sin`, and five results, kept by the product that follows. "
        "The last result is followed by a `sum`, which keeps nothing.",
        "12 U": "Two tensors a layer, nearly right. But who would keep the last result? After it "
        "comes a `sum`.",
    },
    run=lambda: f"{layers(lambda h: h.sin()) // U} U",
)

# %% [markdown]
# Four activations and one more: the last is `silu` as you would write it yourself, h * sigmoid(h).

# %% twin=true at="06.activations"
activations = {
    "h.tanh()": lambda h: h.tanh(),
    "h.relu()": lambda h: h.relu(),
    "h.sin()": lambda h: h.sin(),
    "mg.where(h > 0, h, b)": lambda h: mg.where(h > 0, h, mg.zeros(64, 32)),
    "h * h.sigmoid()": lambda h: h * h.sigmoid(),
}
for text, activation in activations.items():
    held = layers(activation)
    print(f"{text:22} {held:>7,} B, {held / U:4} U")

# %% [markdown]
# The same product, the same shape of everything, and the graphs differ by a factor of almost three.
#
# - `tanh` and `relu`: one tensor a layer, shared with the next product.
# - `sin`: its input is kept as well, for its sake. Nearly twice the price.
# - `where` is a `relu` written by hand. It keeps its condition, one byte for each of 2,048 numbers
#   instead of four. Six times 2,048 B are 1.5 U, which nobody shares. The other 5 U are the results,
#   kept by the products.
# - `h * h.sigmoid()`: the `*` keeps `h` and the sigmoid, and the next product keeps the result. That
#   makes three tensors a layer, and two for the last. (The sigmoid keeps its result too, but that
#   one is shared with the `*`.)
#
# Here are two of them as they grow, three layers deep. (`trace` runs a program that is given as a
# text, and records what `%%step` would show.) The menu in the corner chooses whose tensors and nodes
# you see; the other is a dashed line. Step with the arrow keys, and compare what a layer adds.

# %% solo="the view" at="06.side"
from whoholds.step import step as trace
from whoholds.views import show

program = """h = x
for i in range(3):
    h = {}
loss = h.sum()
del h
"""
lines = "(h @ w).tanh()", "(h @ w).sin()"
show({line: trace(program.format(line), namespace={"x": x, "w": w}) for line in lines})

# %% [markdown]
# With `tanh`, two arrows lead to the same result, one from its own node and one from the next
# product, and the second label is dashed: no new bytes. With `sin` they lead to two tensors.
#
# Two functions that compute the same numbers need not cost the same bytes. PyTorch's own `silu`
# keeps only its input, 11 U in this net; written by hand it takes 17. (Lesson 07 lets you write
# such an operation.) And to predict what a line costs, ask two things: what does its node keep, and
# would anybody have kept it anyway?
#
# **Try it.** Add dropout to `activations`, as `lambda h: h.tanh() * (h > 0).float()`; think of the
# mask as random. It takes 17 U: the mask, a tensor of floats, is new in each layer, and so is the
# masked result, which the next product wants.

# %% [markdown]
# ## 4. What if somebody writes into a saved tensor?
# Because saving is only an arrow, the tensor remains yours, and you can write into it. An
# operation works **in place** if it writes its result into the bytes of its input, as `y += 1` and
# every method with a final underscore do. If a node has saved those bytes, its gradient would come
# out wrong. Run the cell; it is meant to fail.

# %% twin=true raises="RuntimeError" at="06.error"
a = mg.tensor([0.0, 0.0], requires_grad=True)
y = a.exp()
print("version", y._version)
y += 1
print("version", y._version)
y.sum().backward()

# %% [markdown]
# This is the second famous error of autograd. Read it from behind. The node of `exp` had saved `y`
# and, beside it, a note: the **expected version**, which is the version that `y` had at that
# moment, 0. The version counter (lesson 03) belongs to the storage, and `y += 1` moved it from 0
# to 1. When the node is to run, it compares, and refuses.
#
# ```
# names          tensors -> storages            nodes
# -----          -------------------            -----
# y -----------> [y       8 B] --grad_fn------> (AddBackward0)    y += 1
#                [version   1]                        |
#                      ^                              v
#                      +-------------result---- (ExpBackward0)    y = a.exp()
#                                               expects version 0
# ```
#
# Step through it: the view says at which step the version moves, and not a byte moves with it. The
# walk stops at the node in red. Below the view stands who had saved, who wrote, and what each way
# out would cost.

# %% solo="the view" at="06.step"
# %%step --title "A write into a saved tensor"
a = mg.tensor([0.0, 0.0], requires_grad=True)
y = a.exp()
y += 1
y.sum().backward()

# %% [markdown]
# The counter counts writes. It does not look at values. So what will it say to a write that
# changes nothing?


# %% twin=true
def after(write):
    a = mg.tensor([0.0, 0.0], requires_grad=True)
    y = a.exp()
    out = y + 0.0  # saves nothing, and stands for the rest of the net
    write(y)
    return attempt(out.sum().backward)


# %% solo="prediction"
predict(
    "06.times-one",
    "`y = a.exp()` and then `y *= 1`, which leaves every number as it was. Does backward pass?",
    {
        "it passes": "The values that the node saved are all there, so the gradient would be "
        "right. But to know that, the engine would have to keep a copy and compare.",
        "it fails": "One write, so version 1 instead of 0. The counter is cheap since it does not "
        "look at the numbers, and so it can cry wolf.",
    },
    run=lambda: "it passes" if after(lambda y: y.mul_(1)) == "passes" else "it fails",
)


# %% [markdown]
# Now let us see who shares a counter. We write through something that was made from `y`, and look
# whether the first number in `y` has changed (from 1.0 to 2.0), and what its counter says.

# %% twin=true at="06.counter"
texts = "y; y[0]; y.view(2, 1); y.detach(); y.clone(); y.data; y.detach().numpy()"
for text in texts.split("; "):
    y = mg.ones(2)
    other = eval(text)
    other += 1
    print(f"{text:20} first number {y[0].item()}   version {y._version}")

# %% [markdown]
# Views and detached tensors share the bytes *and* the counter, so a write through any of them is
# noticed. A clone has bytes of its own: no change, no count. The last two lines are the bad ones.
# The number has changed, and the counter knows nothing. We come back to them in section 5.
#
# It does not help to write under `no_grad`, either. That only stops the recording of
# nodes; a write is still a write. And it does no harm to write *before* a node saves: the
# expected version is then simply a later one. `attempt` shows how each ends; lessons to come use it
# too, so here is its source.

# %% twin=true at="06.attempt"
import inspect

import course.attempt

print(inspect.getsource(course.attempt))

# %% [markdown]
# Now the two writes.


# %% twin=true at="06.no-grad"
def quietly(y):
    with mg.no_grad():
        y += 1


def write_first():
    y = mg.tensor([0.0, 0.0], requires_grad=True) * 1.0
    y += 1
    z = y.log()  # saves y, and expects version 1
    z.sum().backward()


print("under no_grad:", after(quietly))
print("written first:", attempt(write_first))

# %% [markdown]
# One more thing about reading the error. The words after "which is output 0 of" name the node that
# made the tensor in question. Which one that is depends on how the tensor was saved.


# %% twin=true at="06.culprit"
def message(operation, write_into):
    a = mg.ones(2, requires_grad=True)
    c = a.clone()
    y = operation(c)
    out = y + 0.0
    tensor = {"input": c, "result": y}[write_into]
    tensor += 1
    return attempt(out.sum().backward)


print("exp:", message(lambda c: c.exp(), "result"))
print("log:", message(lambda c: c.log(), "input"))

# %% [markdown]
# The first says Exp: the operation that had saved its own result. The second says Add. The tensor
# was made by `clone` and saved by `log`, but its node of today is that of `+= 1`, so here the
# message names the culprit. Had the write been under `no_grad`, which makes no node, it would say
# Clone.
#
# So look at the shape first, then at the name. Then find the line that saved the tensor, and
# search *below* it for a write. (PyTorch's hint about anomaly detection leads to the line that
# saved, and that one is innocent. minigrad's note names the node that had saved.)
#
# What to do? Write out of place, `y = y + 1`: that makes a new tensor and leaves the saved one
# alone. Or save a copy, with `clone()`, and pay its bytes.
#
# **Try it.** In the failing cell, use `a.sin()` instead of `a.exp()`. It passes, with a version of 1:
# `sin` keeps its input, so nobody has saved what you wrote into.

# %% [markdown]
# ## 5. Case file: a probe, and what it cannot see
# Thread 003 turns the error around and makes a **probe** of it: to see whether a tensor is needed
# for backward, write into it, and see whether backward fails. Its author calls this a hack that
# might not always work. Let us find out when. We write into `a`, `b` and `y` in turn, and ask the
# node as well.


# %% twin=true
def probe_and_ask(text, victim):
    a = mg.full((4, 4), 0.5, requires_grad=True).clone()  # no leaf, so that we may write
    b = mg.full((4, 4), 2.0)
    y = eval(text)
    out, tensor = y + 0.0, {"a": a, "b": b, "y": y}[victim]
    asked = tensor.data_ptr() in [t.data_ptr() for t in saved_by(y.grad_fn).values()]
    tensor += 1
    probed = attempt(out.sum().backward) != "passes"
    return asked, probed


# %% twin=true at="06.probe"
texts = "a + b; a.exp(); a.log(); a * b; b / a; a ** b; mg.where(a > b, a, b)"
for text in texts.split("; "):
    answers = {victim: probe_and_ask(text, victim) for victim in "aby"}
    asked = " ".join(victim for victim in "aby" if answers[victim][0])
    probed = " ".join(victim for victim in "aby" if answers[victim][1])
    print(f"{text:22} asked: {asked or '-':7} probed: {probed or '-'}")

# %% [markdown]
# On these the two agree everywhere. So the probe is good; but three things are wrong with it.
#
# First, it can only test what you can write to. The last line claims that `where` needs
# nothing. In truth its node has saved the condition, for which we have no name. The 5 of `a * 5`
# and the positions of `max` are the same. Second, it tells you afterwards: the graph that you wanted
# to look at is spoilt. Third, it relies on the counter, and there are bytes that the counter
# does not watch. A **silent** error is a wrong result that comes without any message.
#
# ### Silent, number one: `.data`
# `y.data` is a tensor on the same bytes with a counter of its own. In an old thread (000) it is
# said that it will be removed. It is still there, without a warning, and old training code uses it
# to update weights. Suppose we update a weight `v` *between* a forward and its backward, as easily
# happens with two losses or two optimizers. The loss is 3 * u * v with u = 1 and v = 2, so the
# gradient of `u` is 3 * v = 6.


# %% twin=true
def update_between(update):
    u = mg.tensor(1.0, requires_grad=True)
    v = mg.tensor(2.0, requires_grad=True)
    loss = 3.0 * u * v
    update(v)
    ended = attempt(loss.backward)
    return f"u.grad is {u.grad.item()}" if ended == "passes" else ended


def by_data(v):
    v.data -= 1.0


# %% solo="prediction"
predict(
    "06.data",
    "Between the forward and `loss.backward()` comes `v.data -= 1.0`. What then?",
    {
        "u.grad is 6.0": "The loss was computed with v = 2, so 6 is right. It would come out if the "
        "node had a copy of `v` from that time. It has an arrow.",
        "an error": "There should be one. The counter exists for this case. But `.data` has a "
        "counter of its own, and that of `v` still says 0.",
        "u.grad is 3.0": "The node reads `v` as it is now, 1, and multiplies by 3. A gradient that "
        "belongs to no loss anybody computed.",
    },
    run=lambda: update_between(by_data),
)


# %% twin=true at="06.data-trap"
def by_no_grad(v):
    with mg.no_grad():
        v -= 1.0


def by_optimizer(v):
    v.grad = mg.tensor(1.0)
    mg.optim.SGD([v], lr=1.0).step()


for update in (by_data, by_no_grad, by_optimizer):
    print(f"{update.__name__:13}", update_between(update))

# %% [markdown]
# The same update three times. Two of them are counted, and stopped. (If you meet this error in
# training, with the shape of a weight in it, the first thing to look for is a `step()` that came too
# early.) The one with `.data` goes through and trains on nonsense.
#
# If you need a tensor outside the graph, take `detach()`: it shares the bytes too, but also the
# counter. If you need to write, write under `no_grad`. Neither needs `.data`. (Writing
# through numpy, as in the counter table, is just as silent. numpy has no counter.)
#
# ### Silent, number two: a fused optimizer
# Few write `.data` today, but many write `fused=True`. With it SGD, Adam, AdamW and Adagrad update
# all weights in compiled code. Does that count as a write? minigrad has no fused optimizer, so this is
# a recorded run of PyTorch 2.13: the program above, with each kind of `step()`.

# %% solo="a recorded run of PyTorch: minigrad has no fused optimizer" at="06.fused"
from course.on_torch import on_torch

on_torch("fused")

# %% [markdown]
# With `fused=True` the version stays at 0, though the weight has changed. So backward passes, and
# `u.grad` is 3 where 6 is right. (AdamW also shrinks the weight a little, hence 2.94. That is a write
# of its own, hence version 2 where it is counted.)
#
# PyTorch's manual promises that you can trust the gradients if you write in place and see no error.
# That holds for writes that are counted. So call `step()` when every backward through these weights
# is done, and try a new loop once without `fused`.
#
# ### Silent, number three: what a node keeps on its own account
# Lesson 07 shows how to write your own operation. It can save a tensor properly, with
# `ctx.save_for_backward(c)`, or just put it into an attribute, `ctx.c = c`. Both work. Only one of
# them notes a version.


# %% twin=true
class Square(mg.autograd.Function):
    @staticmethod
    def forward(ctx, c):
        ctx.c = c  # not saved: merely kept
        return c * c

    @staticmethod
    def backward(ctx, grad):
        return grad * 2 * ctx.c


# %% twin=true at="06.ctx"
def square_after_write(operation):
    a = mg.tensor(1.0, requires_grad=True)
    c = a.clone()
    y = operation(c)
    c += 100
    ended = attempt(y.backward)
    return f"gradient {a.grad.item()}" if ended == "passes" else ended


print("ctx.c = c:", square_after_write(Square.apply))
print("c * c:    ", square_after_write(lambda c: c * c))

# %% [markdown]
# The slope of c * c at 1 is 2, and the custom operation says 202. Nor does the attribute show up under
# `_saved_`, so this is a blind spot of the node's own answer as well. The remedy is to use
# `save_for_backward`.
#
# **Try it.** In `by_data`, write `v.detach().sub_(1.0)` instead. It does the same to the bytes, and
# now backward complains.

# %% [markdown]
# ## 6. Is there an API to check this?
# Thread 003 asks how to check whether buffers are freed, and the answer is that there is no
# API for it. There is today. The attributes that begin with `_saved_` look private, but PyTorch's
# manual itself sends you there, for learning and debugging (in "Autograd mechanics", under saved
# tensors). They answer three questions at once. A value means kept. The error of lesson 05 means
# freed. And the error of section 4, which you get by mere reading, without a backward, means that
# somebody has written into it.


# %% twin=true
def read(node, name):
    try:
        return getattr(node, name)
    except RuntimeError as error:
        return "WRITTEN TO" if "inplace" in str(error) else "FREED"


# %% [markdown]
# With `read` it takes a dozen lines to report on a whole graph. We walk over the nodes, as you did
# in lesson 03, and print each slot with the bytes behind it. The dictionary `first` remembers
# where we met an address before, so that shared bytes are marked.


# %% twin=true
def report(root):
    nodes, first = [root.grad_fn], {}
    for node in nodes:
        for name in [name for name in dir(node) if name.startswith("_saved_")]:
            value = read(node, name)
            here = f"{node.name()}.{name.removeprefix('_saved_')}"
            if isinstance(value, mg.Tensor):
                met = first.setdefault(value.data_ptr(), here)
                value = f"{value.nbytes:,} B" if met == here else f"the bytes of {met}"
            if isinstance(value, str):
                print(f"  {here:22} {value}")
        nodes += [n for n, _ in node.next_functions if n is not None and n not in nodes]


# %% [markdown]
# Two layers of our running example; the weight of the second is frozen.


# %% twin=true
def two_layers():
    y1 = (x @ w).tanh()
    y2 = (y1 @ w.detach()).tanh()
    return y2, y2.sum()


# %% [markdown]
# We report before backward, then after a write into `y2`, then, on a second graph, after backward.

# %% twin=true at="06.report"
y2, loss = two_layers()
print("forward:")
report(loss)
y2 += 1
print("after y2 += 1:")
report(loss)
y2, loss = two_layers()
loss.backward()
print("after backward:")
report(loss)

# %% [markdown]
# You can read all of this lesson off the first list. Each `tanh` keeps its result, 1 U. The
# second product keeps only its weight (4,096 B, which are those of `w`, for `detach` copies
# nothing); that weight is frozen, so the input is not kept. The first product keeps `x`, 1 U, and
# no weight, since `x` wants no gradient. And the last list answers the thread: four times freed.
#
# minigrad has such a report built in, `mg.memory.saved(loss)`. It also sees what stands in `ctx`
# through `save_for_backward`, and adds everything up.

# %% solo="saved() is minigrad's own" at="06.saved"
print(mg.memory.saved(two_layers()[1]))

# %% [markdown]
# PyTorch has a second, more powerful interface, which calls you at the moment when a tensor is
# saved: `saved_tensors_hooks`. It is in lesson 07, since with it one can not only look but change
# what is kept.
#
# **Try it.** Take the `.detach()` out of `two_layers`. The second product then keeps its input
# too, and the report says whose bytes these are.
#
# ### The same in PyTorch
# These lines print `True None`, then `1`, and the last one ends in the error of section 4.
#
# ```python
# import torch
#
# a, b = torch.zeros(2, requires_grad=True), torch.ones(2)
# print((a * b).grad_fn._saved_other is b, (a * b).grad_fn._saved_self)
# y = a.exp()
# y += 1; print(y._version)
# y.sum().backward()     # RuntimeError: ... modified by an inplace operation
# ```
#
# ### Three things you can trust
# A node keeps what a wanted gradient needs, and no copy of it. A counted write into a saved tensor
# is an error. A write through `.data` is not counted, and changes the gradient.

# %% twin=true at="06.asserts"
a, b = mg.zeros(2, requires_grad=True), mg.ones(2)
assert saved_by((a + b).grad_fn) == {} and list(saved_by((a * b).grad_fn)) == ["other"]
assert (a * b).grad_fn._saved_other is b

y = a.exp()
y += 1
assert "expected version 0" in attempt(y.sum().backward)

y = a.exp()
y.data += 1
y.sum().backward()
assert a.grad.tolist() == [2.0, 2.0]  # right would be 1
print("all three hold")

# %% [markdown]
# What was simplified: `saved_by` and `report` look at single tensors only. The indices of
# `a[[0, 1]]` are a tuple of tensors, and the node of an operation of your own shows what it saved
# under one name, `saved_tensors`. And an address tells us *where* a tensor begins; two views of
# one storage that begin in different places would count as two.
#
# **Next:** all of this was decided by somebody who wrote a formula. Could you write an operation
# that saves less than PyTorch's? Lesson 07.

# %% [markdown] card="what_a_write_does"
# ### What will the write do?
# You have never seen this program. `op` is a text such as `"a * b"` or `"a.exp()"`; `victim` says
# which tensor `t` is; `write` is one of `t += 1`, `t *= 1`, `t = t + 1`, `t.clone().add_(1)`,
# `t.detach().add_(1)`, `t.data.add_(1)`, `no_grad: t += 1` and `no_grad: t[0] += 1` (a write inside
# `with torch.no_grad():`).
#
# ```python
# import torch
#
# leaf = torch.full((4, 4), 0.5, requires_grad=True)
# a, b = leaf.clone(), torch.full((4, 4), 2.0)
# y = eval(op)       # + - * / @ of a and b; a ** 2, exp, tanh, log, sin of a
# loss = (y + 0.0).sum()
# t = {"a": a, "b": b, "y": y}[victim]
# exec(write)
# loss.backward()
# ```
#
# Return `"error"` if backward raises, `"wrong"` if it passes and `leaf.grad` is not the gradient of
# `loss`, and `"right"` otherwise.
#
# Work it out by hand; a function that makes no tensor is asked for.
#
# *When it passes you know which writes are noticed, and which one to fear.*


# %% exercise="what_a_write_does" kind="predict+transfer" difficulty=1 minutes=8
def what_a_write_does(op, victim, write):
    """ "right", "error" or "wrong"."""
    ### BEGIN SOLUTION
    saved = {"a * b": "b", "a / b": "b", "a @ b": "b", "a.exp()": "y", "a.tanh()": "y"}
    saved |= {"a.log()": "a", "a.sin()": "a", "a ** 2": "a"}  # + and - save nothing
    if saved.get(op) != victim or write in ("t = t + 1", "t.clone().add_(1)"):
        return "right"
    return "wrong" if write == "t.data.add_(1)" else "error"
    ### END SOLUTION


# %% check="what_a_write_does"
check(what_a_write_does)

# %% [markdown] hint="what_a_write_does"
# Two questions: has the node of `y` saved the victim? And does the write change the counter, or the
# bytes, or neither?

# %% [markdown] hint="what_a_write_does"
# Only `a` wants a gradient, so `a * b`, `a / b` and `a @ b` save `b`. For the rest see section 1.
# The counter counts writes into a storage, whatever they write, through whatever tensor; section 4
# has the exception.

# %% [markdown] hint="what_a_write_does"
# If the victim is not what `op` saved: right. If the write goes into new bytes (`t + 1`, `clone`):
# right. Through `.data`: wrong. All others: error.

# %% [markdown] why="what_a_write_does"
# **Why.** The check knows two things only: which storage, and how many writes. So it stops `t *=
# 1`, which does no harm, and lets `.data` pass, which does. `no_grad` and `detach` are no hiding
# places: one is about recording nodes, and the other shares the counter. And most writes are
# harmless, since most tensors are saved by nobody.

# %% [markdown] card="scaled_layers"
# ### Mend it, and pay nothing
# One line of this loop writes into a tensor that a node has saved, so backward fails. Find it, and
# mend it so that the loss and the gradient of `w` are what the lines say. The first thing that
# comes to mind costs one more activation in every layer. There is a mend that costs none. Graded
# are the bytes that the graph holds when the function returns, 1 U for each layer (in the table:
# `results`), and the highest point of the forward pass, 1 U more. Half a U beyond is let pass in
# both, where backward runs no product of forward again. (U is the bytes of `h`.) `x` wants no
# gradient.
#
# *When it passes you look for a better place before you make a copy.*


# %% exercise="scaled_layers" kind="repair" difficulty=2 minutes=10
def scaled_layers(x, w, layers):
    """The sum after that many layers: add 0.1, take the tanh, halve it, multiply by w."""
    ### BEGIN SOLUTION
    h = x @ w
    for _ in range(layers):
        h += 0.1
        h = h.tanh()
        h = h @ w
        h *= 0.5  # nobody saved the product, so this write is free
    return h.sum()
    ### STUB
    # h = x @ w
    # for _ in range(layers):
    #     h += 0.1
    #     h = h.tanh()
    #     h *= 0.5
    #     h = h @ w
    # return h.sum()
    ### END SOLUTION


# %% check="scaled_layers"
check(scaled_layers)

# %% [markdown] hint="scaled_layers"
# There are two writes in place. For each: which node made the tensor, and has any node saved it at
# that moment?

# %% [markdown] hint="scaled_layers"
# A product keeps its factors and not its result; a tanh keeps its result. `h = h * 0.5` mends the
# second write, but then both the tanh's result and the half of it are kept. Where could the halving
# stand so that it writes into something that nobody needs?

# %% [markdown] hint="scaled_layers"
# Half of `h`, times `w`, is half of `h @ w`. Exchange the last two lines of the loop.

# %% [markdown] why="scaled_layers"
# **Why.** A write in place is wrong or free, depending on where it stands: after a tanh it destroys
# what the tanh needs, after a product it touches what nobody needs. Out of place it is always
# right, and here it would double the bytes of the graph: the tanh keeps its result, the next
# product the half of it. A scalar may pass through a product, so the order can be chosen.

# %% [markdown] card="graph_bytes"
# ### Predict a save set
# `layers` is a list of pairs, an activation and whether the layer's weight wants a gradient:
#
# ```python
# h = x                              # data: rows x width float32 numbers
# for (activation, trains), weight in zip(layers, weights):
#     h = h @ weight                 # weight.requires_grad is trains
#     h = activate(h, activation)    # "tanh", "sin", or "shift": h + 1
# loss = h.sum()
# del h
# ```
#
# How many bytes does the graph hold, besides `x`, the weights and `loss`? Return the number, from
# the list and the sizes alone.
#
# *When it passes you can say what freezing a layer saves before you try it.*


# %% exercise="graph_bytes" kind="predict" difficulty=3 minutes=12
def graph_bytes(layers, rows, width):
    """Bytes held; `layers` is a list such as [("tanh", True), ("shift", False)]."""
    ### BEGIN SOLUTION
    held = set()  # of ("product", i) and ("result", i)
    wanted = False  # whether a gradient is wanted below
    for i, (activation, trains) in enumerate(layers):
        if trains and i > 0:
            held.add(("result", i - 1))  # the product keeps its input
        wanted = wanted or trains
        if wanted and activation == "tanh":
            held.add(("result", i))
        if wanted and activation == "sin":
            held.add(("product", i))
    return len(held) * rows * width * 4
    ### END SOLUTION


# %% check="graph_bytes"
check(graph_bytes)

# %% [markdown] hint="graph_bytes"
# Each layer has two tensors, the product and what the activation makes of it. Go through both and
# ask who, if anybody, keeps it.

# %% [markdown] hint="graph_bytes"
# A product keeps its input if its weight trains (the first input is `x`). `tanh` keeps its result,
# `sin` the product, `shift` nothing. All of this only if a weight at or below this layer trains.

# %% [markdown] hint="graph_bytes"
# Put pairs into a set, so that nothing counts twice: `("result", i - 1)` if layer i trains, then
# `("result", i)` for a tanh or `("product", i)` for a sin. Each has `rows * width * 4` bytes.

# %% [markdown] why="graph_bytes"
# **Why.** Three rules of this lesson at once. What no wanted gradient needs is not kept, so below
# the first trained weight there is nothing, and a frozen product drops its input. What two nodes
# keep is there once: a tanh and the product after it share. And an activation that keeps its input
# shares with nobody, which is why `sin` pays for a tensor of its own.

# %% [markdown] card="saved_bytes"
# ### Measure a save set
# Now the tool that proves such a prediction: `saved_bytes(root)` walks over the graph of `root` and
# adds up the bytes that its nodes have saved, whoever else holds them. Each **storage** counts
# once, and in full, even if only a view of it was saved. What was freed counts 0. A graph may be
# thousands of nodes deep, so the walk keeps a list and does not call itself.
#
# A node shows what it saved under names that begin with `_saved_`; the node of an op of your own
# has a tuple `saved_tensors` (with `None` in it, perhaps). Reading either raises a `RuntimeError`
# once it is freed. `t.untyped_storage()` has a `data_ptr()` and a number of bytes, `nbytes()`.
# Banned here: `mg.memory.saved`, and `course.pictures`.
#
# *When it passes you have a report that counts right where the one of section 6 did not.*


# %% exercise="saved_bytes" kind="write" difficulty=3 minutes=15
def saved_bytes(root):
    """Bytes of all storages that the nodes from `root.grad_fn` on have saved."""
    ### BEGIN SOLUTION
    storages, seen, waiting = {}, set(), [root.grad_fn]
    while waiting:
        node = waiting.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        waiting += [parent for parent, _ in node.next_functions]
        for t in kept_by(node):
            storage = t.untyped_storage()
            storages[storage.data_ptr()] = storage.nbytes()
    return sum(storages.values())


def kept_by(node):
    """The tensors that a node has saved; none if they were freed."""
    names = [name for name in dir(node) if name.startswith("_saved_")]
    try:
        found = [getattr(node, name) for name in names]
        found += getattr(node, "saved_tensors", ())
    except RuntimeError:
        return []
    return [value for value in found if isinstance(value, mg.Tensor)]
    ### END SOLUTION


# %% check="saved_bytes"
check(saved_bytes)

# %% [markdown] hint="saved_bytes"
# Two jobs: reach every node once, and get the tensors of one node. Then think of what makes two
# tensors the same bytes.

# %% [markdown] hint="saved_bytes"
# A list of nodes that wait and a set of those you have seen (lesson 03). For the bytes, a
# dictionary from the storage's `data_ptr()` to its `nbytes()`: an address that comes again changes
# nothing.

# %% [markdown] hint="saved_bytes"
# For one node: `names` as in `saved_by` of the set-up cell, and `getattr(node, "saved_tensors",
# ())` besides; both inside one `try`, and `except RuntimeError` means that there is nothing.

# %% [markdown] why="saved_bytes"
# **Why.** The bytes of a graph are those of storages, not of tensors: a tanh and the next product
# save two tensors and one storage, two halves of a batch are two views of one. An address of a
# *tensor* tells them apart and counts twice; its own `nbytes` would count a view as its part,
# though the whole storage stays alive for it. `mg.memory.saved(root)` is built the same way.
