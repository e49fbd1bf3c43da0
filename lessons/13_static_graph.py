# %% [markdown]
# # 13  The static graph
# Every iteration of your training builds a graph, walks it once and throws it away. The next one
# builds the same graph again. Could one not keep it, and only change the numbers? Thread 004 asks
# this twice: at its beginning somebody wants to try it, and further down somebody wonders how much
# time it would save. The answer to the first was short: no, you cannot, though it is an interesting
# idea. In this lesson we try all the same, and see what "cannot" means: first an error, then, with
# one small change, no error and wrong numbers. After that we keep something else, which does work.
#
# The set-up cell brings two instruments from
# [course/kept_graphs.py](../course/kept_graphs.py). `attempt` calls something and tells in one line
# how it ended. `kept_graph` makes a graph and walks it twice; you will see it in section 1.

# %% twin=true
import minigrad as mg
from course.kept_graphs import attempt, kept_graph, square
from course.lesson import predict

# %% [markdown]
# ## 1. Case file: can a graph be run again?
# The program of thread 004 makes `y = torch.sum(a)` once, before the loop. Inside the loop it gives
# `a` new numbers, calls `y.forward()` and then `y.backward()`. In some older frameworks one worked
# like this. A **placeholder** is a name for data that will come later: you write the computation
# once, with the placeholder in it, and then feed it one batch after the other. Here `a` is meant to
# be one. Lesson 05 ran this; here it is once more, in a few lines. Does it work?

# %% twin=true at="13.thread"
a = mg.ones(3, requires_grad=True)
y = a.sum()
print("y.forward(): ", attempt(lambda: y.forward()))
for i in range(100):
    a.data = mg.full((3,), float(i))
    y.backward()
print("y.backward(): passes 100 times, and a.grad is", a.grad.tolist())
print(f"y is {y.item()}, and a.sum() is {a.sum().item()}")

# %% [markdown]
# There is no `forward` to call. A tensor knows the node that made it, and a node knows one thing:
# its way *back* (lesson 08). How `y` was computed is written down nowhere but in your program, and
# that line has run. So `y` is 3.0, whatever you put into `a`.
#
# `backward` on the other hand ran a hundred times, and each gradient was right: a hundred ones make
# the 100 in `a.grad`. That is luck. The slope of a sum is 1 everywhere, its node saves nothing
# (lesson 05), so there was nothing in it that could be out of date. We take an operation that does
# save something. `y = (a * a).sum()`: the node of the product keeps `a`, and the true gradient is
# 2a. And we keep the graph with `retain_graph=True`: `kept_graph` walks it once, then makes a
# change, and walks it again.

# %% twin=true
from course.code_of import code_of

code_of(kept_graph, square)


# %% twin=true
def refill(a):
    with mg.no_grad():
        a.copy_(mg.full((2,), 10.0))


# %% solo="prediction"
predict(
    "13.copy",
    "`a` is ones, `y = (a * a).sum()`. Then 10 is written into `a` in place, under `no_grad`, and "
    "`y.backward()` runs again on the kept graph. What is `a.grad`?",
    {
        "[2, 2]": "The gradient at the old numbers, if the node had a copy of them. It has none: "
        "it saved the tensor itself, and those bytes now hold tens.",
        "[20, 20]": "The gradient at the new numbers, and what the placeholder is for. The node "
        "would find the tens if it were allowed to look. It is not.",
        "an error": "The write moved the version of `a`, and the node compares it with the one it "
        "noted when it saved. It refuses, without asking whether the new numbers might be meant.",
    },
    run=lambda: {"[2.0, 2.0]": "[2, 2]", "[20.0, 20.0]": "[20, 20]"}.get(
        str(kept_graph(square, refill)), "an error"
    ),
)

# %% twin=true at="13.version"
print(kept_graph(square, refill))

# %% [markdown]
# It is the error of lesson 06. The version counter was made to catch an accident, and a placeholder
# looks just like that accident: somebody has written into a saved tensor. So the plan of the
# thread ends here, unless one knows a way around the counter. There is one. It was used already,
# in the loop above, and in the thread's own program.
#
# **Try it.** In the first cell, make `y = a.exp().sum()` and print `attempt(y.backward)` twice, in
# place of the loop. Without `retain_graph` the second one does not get as far as a version: what
# the exponential saved is gone.

# %% [markdown]
# ## 2. What if nobody checks?
# `a.data = new` exchanges the bytes behind a tensor's back. The version stays what it was. Lesson 06
# showed one wrong gradient that came of it; now we go looking for them. With the same square as
# before, and with the exponential, whose node saves its *result*:


# %% twin=true
def exchange(a):
    a.data = mg.full((2,), 10.0)


def exponential(a):
    return a.exp().sum()


# %% solo="prediction"
predict(
    "13.data",
    "The same with `a.data = tens` in place of the write. No error this time. Which gradients do "
    "`(a * a).sum()` and `a.exp().sum()` give on their kept graphs?",
    {
        "both the new data's": "For the square it is so: its node keeps the tensor `a`, and finds "
        "the tens in it. The exponential keeps its result, and nobody has computed that anew.",
        "both the old data's": "For the exponential it is so: its node keeps what came out, e to "
        "the power 1. But the node of the square keeps the tensor `a`, in which there are tens now.",
        "square: new, exp: old": "Each node answers from what it saved. One saved an input, which "
        "was exchanged, the other a result, which was not.",
    },
    run=lambda: {
        (True, False): "square: new, exp: old",
        (True, True): "both the new data's",
        (False, False): "both the old data's",
    }[kept_graph(square, exchange)[0] > 10, kept_graph(exponential, exchange)[0] > 10],
)

# %% twin=true at="13.swapped"
for f in (square, exponential):
    print(f"{f.__name__:12} a.grad after the exchange: {kept_graph(f, exchange)[0]:.3f}")

# %% [markdown]
# Neither is an error message, and each for itself could pass for right: one is the gradient at the
# new numbers, one at the old. A net has both kinds of nodes. Then the mixture is the gradient of
# nothing at all:
#
# ```
# names          tensors -> storages            nodes
# -----          -------------------            -----
#                [h = exp(1), old] <---result-- (ExpBackward0)
#                    ^                                ^
#                    +---------------self------ (MulBackward0)  h * a
#                                                     |
# a -----------> [a = 2,      new] <----other---------+
# ```
#
# We let `a` go from 1 to 2, and compare with the right gradient at either point.


# %% twin=true
def mixed(a):
    return (a.exp() * a).sum()


def right(value):
    a = mg.full((2,), value, requires_grad=True)
    mixed(a).backward()
    return a.grad[0].item()


def swap_in_a_two(a):
    a.data = mg.full((2,), 2.0)


# %% twin=true at="13.mixture"
print(f"right at 1:   {right(1.0):6.3f}")
print(f"right at 2:   {right(2.0):6.3f}")
print(f"kept graph:   {kept_graph(mixed, swap_in_a_two)[0]:6.3f}")

# %% [markdown]
# In slow motion: the view opens in front of the last line. Step through that, and look at the labels
# of the two nodes before and after it. `h` is still the old exponential, `a` is on new bytes, and no arrow between the nodes has
# changed. The small hump at the end of the curve is the exchange: for a moment both are alive.

# %% solo="the view" at="13.step"
# %%step --at "y.backward" --title "Other data behind the back of a kept graph"
a = mg.ones(2, requires_grad=True)
h = a.exp()
y = (h * a).sum()
y.backward(retain_graph=True)
a.data = mg.full((2,), 2.0)

# %% [markdown]
# 8.155 is 3 times e: the old exponential times (the new `a` plus 1). No point has this slope. And
# nothing warns: not the engine, not the value of `y`, which is still the first one.
#
# Would training notice? Here is the smallest one, which moves a weight `w` until `tanh(w * x)` hits
# its target for two batches of data in turn. The loop on the right way makes the graph anew. The
# other keeps the first graph and exchanges the data of `x`.


# %% twin=true
def fit(keep):
    batches = [mg.tensor([0.5, 1.0]), mg.tensor([2.0, -1.0])]
    targets = [(1.5 * x).tanh() for x in batches]
    w, x = mg.tensor(0.1, requires_grad=True), mg.zeros(2)
    target, y = mg.zeros(2), None
    for i in range(400):
        x.data, target.data, w.grad = batches[i % 2], targets[i % 2], None
        if y is None or not keep:
            y = ((w * x).tanh() - target).square().sum()
        y.backward(retain_graph=keep)
        w.data -= 0.2 * w.grad
    return w.item()


# %% twin=true at="13.training"
print(f"a new graph each time: w = {fit(keep=False):.2f}")
print(f"the kept graph:        w = {fit(keep=True):.2f}")

# %% [markdown]
# The targets were made with 1.5. One loop finds it. The other runs to its end, without an error,
# and delivers a weight that has nothing to do with the problem. This is the second half of the
# answer to thread 004. You cannot do it; and worse, it lets you.
#
# **Try it.** Exchange the data without changing it: in `fit`, let `batches` hold the same tensor
# twice. Now only `w` moves, and the kept graph is still wrong, since the tanh has kept its first
# result.

# %% [markdown]
# ## 3. How much would there be to save?
# Before we try harder: is it worth it? Further down in the thread somebody asks which share of
# forward and backward is spent on making the graph, and nobody answers. It can be measured. Run
# the forward pass once as always and once under `no_grad`. The arithmetic is the same; the
# difference is what recording costs. Divide it by a whole forward and backward.
#
# We take two kinds of net: a chain of a thousand operations on 4 numbers, where the arithmetic is
# next to nothing, and layers like those of lesson 05, with weights of growing size.


# %% solo="it measures minigrad"
def chain(a, length=1000):
    for _ in range(0, length, 2):
        a = a * 1.001
        a = a + 0.001
    return a.sum()


def layers(w, n):
    h = mg.ones(64, n)
    for _ in range(20):
        h = (h @ w).tanh()
    return h.sum()


# %% solo="it measures minigrad"
from course.code_of import code_of
from course.recording_cost import said, share

code_of(share)

# %% [markdown]
# Make a guess before you run it: half of the time? A tenth? And which way will it go as the weights
# grow? (`~` and "measured" stand around a figure of your machine: it will be another one next time.)

# %% solo="it measures minigrad" measured="shares of this machine's time" at="13.share"
a = mg.ones(4, requires_grad=True)
print("Recording takes, of forward and backward:")
print(f"chain of 1000 on 4 numbers   {said(share(lambda: chain(a)))}")
for n in (8, 64, 256):
    w = mg.full((n, n), 0.01, requires_grad=True)
    part = share(lambda w=w, n=n: layers(w, n))
    print(f"20 layers, weight {n:3} x {n:3}   {said(part)}")

# %% [markdown]
# On tiny tensors making the graph is a part that one can see: when this course was made, about 15 %
# for the chain and for weights of 8 x 8, and 7 % for 64 x 64. With the size of the tensors it sinks
# into the noise, since the arithmetic grows and the number of nodes does not. minigrad is written in
# Python, where making an object is dear. The same sum for PyTorch 2.13 on two cores gave 6 % for the
# chain and 0 to 5 % for nets.
#
# So keeping *the graph* could not save much, even if it worked. But a chain of tiny operations costs
# much else: Python reads the line, looks up the method, checks shapes and
# dtypes, makes a new array for the result and a new tensor around it. All of this comes out the same
# in each iteration. To save that, one has to keep something else.
#
# **Try it.** Give `share` the forward of your own choice, for instance `lambda: chain(a, 10)`.

# %% [markdown]
# ## 4. What has to be kept instead?
# What we have done so far has a name. In **define-by-run** the graph is a by-product: your program
# runs, and what it happens to do is recorded. The opposite is a **static graph**: a description of
# the whole computation, made once and run many times. The graph of `grad_fn` is not such a
# description, for two reasons you have seen. It has no forward, and it holds the data of
# one particular run.
#
# What would be one? Look one floor deeper. Whatever a tensor method does, in the end some numpy
# function is called on some arrays and fills another one. Suppose you write all these calls down,
# in order, forward and backward, and keep the arrays. Then anybody can do it again. New
# numbers are copied into the first array, every call is repeated *into the array it filled
# before*, and the last arrays hold the results. Here is the idea with nothing but numpy:

# %% solo="numpy, no tensors"
import numpy as np

x, w = np.array([1.0, 2.0]), np.array([3.0, 4.0])
product, total = np.empty(2), np.empty(())
sums = product, None, None, total  # no axis and no dtype: the sum of all
tape = [(np.multiply, (x, w, product)), (np.sum, sums)]

for numbers in ([1.0, 2.0], [10.0, 20.0]):
    x[...] = numbers
    for call, arguments in tape:
        call(*arguments)
    print(f"for {numbers} the tape gives {total}")

# %% [markdown]
# That is all there is to it: a list, and a loop of two lines. `mg.replay.record` writes such a list
# for any function of yours. The first call runs the function as always and notes what numpy is
# asked to do. Each later call is a **replay**: the numpy calls again, on the same arrays. The
# function does the backward, too, so the gradients come along.


# %% solo="PyTorch has no such list to look at" at="13.tape"
def step(x):
    loss = (x * w).tanh().sum()
    loss.backward()
    return loss.detach()


w = mg.tensor([0.5, -0.5], requires_grad=True)
replayed = mg.replay.record(step)
replayed(mg.tensor([1.0, 2.0]))
print(replayed.tape)

# %% [markdown]
# Read it from the left. A product, a tanh, a sum: the forward. A `fill` sets the 1 that every
# backward begins with. The next three are the rule of the tanh, `grad * (1 - result * result)`;
# then comes the product with `x` for the gradient of `w`, and a copy into `w.grad`. (The last entry
# stands for either: if `w.grad` is filled already, the replay adds.) The sum's own backward is
# missing. It only shows the 1 as a larger tensor, and a view needs no call: it looks at the same
# bytes the next time.
#
# No node is made, no tensor, no array. And it is the same arithmetic, so the results should be
# equal to the last bit. Are they?

# %% solo="minigrad's replay" at="13.equal"
for values in ([0.3, -2.0], [5.0, 0.1]):
    w.grad = None
    one = replayed(mg.tensor(values)).item(), w.grad.tolist()
    w.grad = None
    other = step(mg.tensor(values)).item(), w.grad.tolist()
    print(f"For {values}, replay and function are equal to the bit: {one == other}")

# %% [markdown]
# They are, with new data each time: what the placeholder was meant to do. And the time? We take the
# chain of section 3, forward and backward.


# %% solo="it measures minigrad"
from statistics import median

from course.recording_cost import seconds


def chain_step():
    y = a
    for _ in range(500):
        y = y * 1.001 + 0.001
    y.sum().backward()


# %% solo="it measures minigrad" measured="a ratio of this machine's times" at="13.faster"
a = mg.ones(4, requires_grad=True)
recorded = mg.replay.record(chain_step)
recorded()
ratios = [seconds(recorded) / seconds(chain_step) for _ in range(15)]
print(f"time of a replay, where the function takes 1: ~{median(ratios):.2f} measured")

# %% [markdown]
# When this course was made, it was about 0.1. Compare this with the share of section 3. The graph
# itself was the smaller part of what a thousand small steps cost; what goes away here is everything
# around the arithmetic.
#
# Large tensors gain next to nothing, for there the arithmetic is all of it. And it is paid for in
# bytes, so let us count them. A net of six layers, 1 U each, once as always and once replayed.


# %% solo="minigrad's replay"
x = mg.arange(2048.0).view(64, 32) / 2048
v = mg.full((32, 32), 0.01, requires_grad=True)
U = x.nbytes


def six_layers(x):
    h = x
    for _ in range(6):
        h = (h @ v).tanh()
    loss = h.sum()
    loss.backward()
    return loss.detach()


# %% solo="minigrad's replay"
def rise(call):
    v.grad = None
    before = mg.memory_allocated()
    mg.reset_peak_memory_stats()
    call(x)
    return mg.max_memory_allocated() - before, mg.memory_allocated() - before


def rise_of_a_replay():
    replayed = mg.replay.record(six_layers)
    replayed(x)
    return rise(replayed)[0]


# %% solo="prediction"
predict(
    "13.bytes",
    "Define-by-run: `six_layers(x)` rises by some U above what was there before the call. How many "
    "bytes does a replay of it rise?",
    {
        "as many": "The same results come to be, and the same gradients. But they do not come to "
        "be now: every array that the calls fill has been there since the recording.",
        "0 bytes": "Each call writes into the array that it filled the first time. Nothing is "
        "made, so nothing can rise; and nothing is freed either.",
        "4 bytes, for the loss": "The result has to be handed to you in some tensor. It is, but "
        "that tensor shows the buffer that the last call has filled.",
    },
    run=lambda: {0: "0 bytes", 4: "4 bytes, for the loss"}.get(rise_of_a_replay(), "as many"),
)

# %% solo="minigrad's replay" at="13.rise"
six_replayed = mg.replay.record(six_layers)
six_replayed(x)
for name, call in (("define-by-run", six_layers), ("replay", six_replayed)):
    highest, after = rise(call)
    print(f"{name:13} rises {highest / U:3.1f} U, and leaves {after / U:3.1f} U behind")
print(f"the recording holds {six_replayed.nbytes / U:4.1f} U as long as it lives")

# %% [markdown]
# Here is the price. 36 arrays are of 1 U: the batch; for each layer a matmul, a tanh and the three
# calls of its rule; five times the gradient of an `h`. Seven are of half a U: each layer's gradient
# of `v`, and `v.grad`. Together 39.5 U. (Define-by-run leaves half a U behind, `v.grad`; the replay
# has a buffer for it.)
#
# A define-by-run step frees each layer behind itself on the way back, which is what half of this
# course was about. A replay cannot free: the arrays are where the next call writes. (A cleverer one
# would let results that are not needed at the same time share an array. Ours gives each call its
# own, so that you can read the list.)
#
# **Try it.** `print(six_replayed.tape)`. Count the matmuls behind the `fill`, where the backward
# begins: two a layer, but only one for the first, since `x` wants no gradient.

# %% [markdown]
# ## 5. What may change, and what not?
# A list of numpy calls knows nothing of your program. If the program would do something else for
# the next batch, the list does what it did the first time, and you are back at section 2: plausible
# numbers, no error. So everything hangs on noticing. Let us try to fool it.
#
# First an `if` that looks at a number. The list holds one of the two ways.


# %% solo="minigrad's replay" at="13.branch"
def branch(x):
    return x * 2 if x.sum() > 0 else -x


try:
    mg.replay.record(branch)(mg.ones(2))
except mg.replay.ReplayError as error:
    print(error)

# %% [markdown]
# Refused while it is being recorded, at the very line. During a recording the operations are not
# shown arrays but stand-ins, which pass every computation on to numpy and note it, and which give
# no number away: not to an `if`, not to `item()`, not to `print`. What no Python code has seen, no
# Python code can have acted on.
#
# Then the values that the program reads besides its arguments.


# %% solo="minigrad's replay"
def scaled(x):
    return x * rate


def change_the_rate():
    global rate
    rate = 0.5
    replayed = mg.replay.record(scaled)
    replayed(mg.ones(2))
    rate = 0.25
    try:
        return str(replayed(mg.ones(2))[0].item())
    except mg.replay.ReplayError as error:
        return str(error)


# %% solo="prediction"
predict(
    "13.rate",
    "`def scaled(x): return x * rate` is recorded while the global `rate` is 0.5. Then you write "
    "`rate = 0.25` and call it again with ones. What do you get?",
    {
        "0.5": "The list holds `multiply` with the number of that time, so this is what it would "
        "compute. It would be wrong without saying so, and that is why it is looked at first.",
        "0.25": "The function would read the name again. But in a replay no line of it runs.",
        "an error": "Before it starts, a replay looks at all plain values that the function can "
        "reach, and one of them is not what it was.",
    },
    run=lambda: {"0.5": "0.5", "0.25": "0.25"}.get(change_the_rate(), "an error"),
)

# %% solo="minigrad's replay" at="13.guard"
print(change_the_rate())

# %% [markdown]
# A **guard** is a condition that was true when the recording was made and has to be true for a
# replay to be right. Before each replay they are all looked at: shape and dtype of the arguments,
# variables of closures, globals, defaults, attributes such as `training`, lengths of lists, and for
# each tensor whether it is still the same one. Its *numbers* may change. They are read where they
# lie, so a step of the optimizer is seen:

# %% solo="minigrad's replay" at="13.optimizer"
w = mg.ones(2, requires_grad=True)
optimizer = mg.optim.SGD([w], lr=0.5)
doubled = mg.replay.record(lambda: w.detach() * 2)
w.grad, before = mg.ones(2), doubled().tolist()
optimizer.step()
print(f"The replay gives {before} before the optimizer's step, {doubled().tolist()} after it.")

# %% [markdown]
# A program may also do things besides computing. Here are four more attempts.


# %% solo="minigrad's replay"
def refusal(function, *batches):
    replayed = mg.replay.record(function)
    try:
        for batch in batches:
            replayed(batch)
    except mg.replay.ReplayError as error:
        return str(error).split(", so")[0].split(", and a replay")[0].split(", whose")[0]
    return "no objection"


seen = []


# %% solo="minigrad's replay" at="13.refused"
import random

print("1.", refusal(lambda x: x * 2, mg.ones(2), mg.ones(3)))
print("2.", refusal(lambda x: seen.append(1) or x * 2, mg.ones(2)))
print("3.", refusal(lambda x: x * random.random(), mg.ones(2)))
print("4.", refusal(lambda x: x * mg.rand(2), mg.ones(2), mg.ones(2)))
seen.clear()

# %% [markdown]
# 1: another shape. 2: it changes something that it reads, and a replay would not. 3: Python's random
# numbers. There is no objection to 4, since minigrad's own random numbers are drawn anew
# in each replay.
#
# To refuse is the default, `on_change="refuse"`. With `record(function, on_change="record")` such a
# change is no error: the call is then an ordinary one, which is recorded anew. And one trap is
# left, for the caller:

# %% solo="minigrad's replay" at="13.kept"
double = mg.replay.record(lambda x: x * 2)
kept = [double(mg.full((2,), float(i))) for i in range(4)]
print("The four results kept:", *[t.tolist() for t in kept])

# %% [markdown]
# All four results were made in *one* array. If they all still showed it, you would read `[6, 6]` four
# times. Before a replay overwrites a result that you hold, it moves yours to bytes of its own. That
# is the only array it ever makes, and only if you keep something.
#
# Is it safe, then? Against what it looks at. Let the function read a number from a file, and no
# guard sees the file change. This is the honest limit of the idea. `record(function, check=10)` runs
# each tenth replay beside the function itself and compares every bit.
#
# **Try it.** Make `branch` acceptable with `mg.where(x.sum() > 0, x * 2, -x)`: both ways are
# computed, and the choice becomes a numpy call. Compare it with the function for ones and for `-ones`.

# %% [markdown] at="13.torch"
# ## 6. What does PyTorch do today?
# In thread 004 somebody says that this was basically done by tracing, and that the current way is
# `torch.jit.script`. That was true then. In 2.13 both `torch.jit.trace` and `torch.jit.script` warn
# that they are deprecated, and name two successors, `torch.compile` and `torch.export`. None of the
# four reads the graph of `grad_fn`. `script` and `compile` read your *program*; `trace` and
# `export` run it once and note what it does. (`export` runs it on stand-ins, with a shape and no
# numbers.)
#
# `torch.jit.trace` shows why guards matter. Given the `branch` of section 5 with ones as its example,
# it gives a warning, and a recording of one way only. For `-ones` that answers -2, where the function
# says 1.
#
# `torch.compile` is our `on_change="record"`, on a grand scale. It reads the bytecode of your
# function, makes a graph of operations out of it, hands that to a compiler, and puts guards in front.
# The compiler may be any function. This one only counts what it is given, and returns it as it is:
#
# ```python
# import torch
#
# graphs = []
# def look(graph, examples):
#     graphs.append(graph)
#     return graph
#
# rate = 0.5
# f = torch.compile(lambda x: (x * rate).tanh().sum(), backend=look)
# f(torch.ones(4)); f(torch.zeros(4))
# print(len(graphs))                      # 1: other numbers, the same graph
# rate = 0.25
# f(torch.ones(4)); print(len(graphs))    # 2: the guard on rate has failed
# f(torch.ones(5)); print(len(graphs))    # 3: and now the one on the shape
# ```
#
# At `branch` it does better than we do. Where we refuse, it makes a **graph break**: the graph ends
# in front of the `if`, Python decides, and another graph goes on behind it. Called with ones and
# with `-ones` it gives 2 and 1, both right, from three graphs: one up to the `if`, and one for either
# way. Each break costs a return to Python. With `fullgraph=True` a break is an error instead
# ("Data-dependent branching"). And a function that appends to a list goes on appending, since what
# it does to Python objects is noted and repeated.
#
# `torch.export` is our `on_change="refuse"`. It makes one graph, without Python, to be used
# elsewhere. `branch` is an error when it is exported; a batch of another shape is an error when it
# is run (`Guard failed: x.size()[0] == 4`). But the global `rate` is written into the program as a
# number, once and for all, without a guard: exported with 0.25, it stays 0.25. A program that
# leaves the house cannot look back at your variables.
#
# What `torch.compile` has, and what an exported program can be handed to, is a compiler, which
# joins many small operations into one pass over the data. A list of numpy calls can never get under
# the cost of the calls. But the idea is the one that the thread called interesting: record once,
# guard, replay.
#
# ### The twin of `replay`: CUDA Graphs
# Our `replay` calls numpy's functions from a list, on buffers that it keeps. PyTorch has just that for
# a GPU. A **CUDA Graph** is a recording of what the GPU was told to do, and on which addresses. It is
# started by one call, and Python is not asked again. `torch.cuda.CUDAGraph` is the recording: made
# under `with torch.cuda.graph(g):`, run by `g.replay()`. `torch.cuda.make_graphed_callables` records
# the forward and the backward of a net, and puts them behind one node of autograd. And
# `torch.compile(f, mode="reduce-overhead")` has the compiler make the recordings, behind its guards.
#
# What PyTorch's documentation says of them you have met in this lesson. The addresses are those of
# the recording, so new data are written into the old input, and the buffers stay: memory is paid for
# overhead. Shapes are fixed. A way that depends on a value cannot be taken, and `.item()` inside is an
# error. What `make_graphed_callables` returns has no second derivatives. And a bare recording has no
# guards: the numbers that it was given stay as they were, as `rate` does in an exported program.
# (None of this was run here: it takes a card.)
#
# ### The same in PyTorch
# Five lines below the import: the kept graph that lies. They print `2.0 tensor([20., 20.])`: the value
# at the old numbers beside the gradient at the new ones.
#
# ```python
# import torch
#
# a = torch.ones(2, requires_grad=True)
# y = (a * a).sum()                  # built once
# a.data = torch.full((2,), 10.0)    # behind the version counter's back
# y.backward(retain_graph=True)
# print(y.item(), a.grad)            # the old value, the new gradient
# ```
#
# ### Three things you can trust
# A kept graph with exchanged data gives no error, and where nodes of both kinds are in it the gradient
# is that of no data at all. A replay gives the function's own answer on new data, and holds its
# buffers. A changed value is refused.

# %% solo="minigrad's replay" at="13.asserts"
import math


def product(a):
    return (a.exp() * a).sum()


stale = kept_graph(product, lambda a: setattr(a, "data", mg.full((2,), 2.0)))[0]
# right would be 2 e at the old numbers, 3 e * e at the new
assert math.isclose(stale, 3 * math.e, rel_tol=1e-3)

# %% solo="minigrad's replay"
rate, w = 0.5, mg.ones(2, requires_grad=True)
replayed = mg.replay.record(lambda x: (x * w * rate).exp().sum().backward())
for value in (1.0, 2.0):
    w.grad = None
    replayed(mg.full((2,), value))
assert mg.allclose(w.grad, mg.full((2,), math.e)) and replayed.nbytes > 0

rate = 0.25
assert "rate was 0.5" in attempt(lambda: replayed(mg.ones(2)))
print("all three hold")

# %% [markdown]
# What was simplified: our recording knows numpy and nothing else, keeps every buffer, and asks you
# to call `backward` inside the function. `torch.compile` traces forward and backward together and
# cuts the result in two, so that your code may stand between them.
#
# **Next:** all bytes so far were the CPU's. On a GPU somebody stands between you and the memory who
# keeps what you free. Lesson 14.

# %% [markdown] card="slopes"
# ### The placeholder that lies
# Somebody wants the value and the gradient of `f` at several batches, and "builds the graph only
# once". The program runs to its end. The values are all those of the first batch, and the gradients
# are right for some `f` and wrong for others.
#
# Repair it. Contract: `slopes(f, batches)` returns a list with `[value, gradient]` for each batch,
# as `y.item()` and `a.grad.tolist()`. `f` is called once for each batch. The tensors in `batches`
# stay as they are: same numbers, no gradient wanted, no `.grad`. There is never more than one graph
# with something saved in it, and nothing is left behind. With U for the bytes of a batch, the peak
# is at most 15.5 U for an `f` of ten tanh.
#
# *When it passes you have seen the one honest way to feed new data to define-by-run.*


# %% exercise="slopes" kind="repair" difficulty=1 minutes=5
def slopes(f, batches):
    """[[value, gradient], ...]: of f at each of the batches."""
    ### BEGIN SOLUTION
    found = []
    for batch in batches:
        a = batch.clone().requires_grad_()
        y = f(a)
        y.backward()
        found.append([y.item(), a.grad.tolist()])
    return found
    ### STUB
    # a = batches[0].clone().requires_grad_()
    # y = f(a)
    # found = []
    # for batch in batches:
    #     a.data, a.grad = batch, None
    #     y.backward(retain_graph=True)
    #     found.append([y.item(), a.grad.tolist()])
    # return found
    ### END SOLUTION


# %% check="slopes"
check(slopes)

# %% [markdown] hint="slopes"
# Which line computes the value? How often does it run?

# %% [markdown] hint="slopes"
# A graph has no forward, and its nodes hold what they saved the first time. So there is nothing to
# keep from one batch to the next, neither the graph nor the leaf.

# %% [markdown] hint="slopes"
# Move the first two lines into the loop, with `batch` in place of `batches[0]`. Then no `.data` is
# exchanged, and `y.backward()` needs no option.

# %% [markdown] why="slopes"
# **Why.** Four lines, and each of them has to run again, since each makes something that belongs to
# one batch: the leaf, the result, what the nodes saved, the gradient. Without `retain_graph` a walk
# also frees its graph before the next one is built, so the honest program is the one with the lower
# peak, too.

# %% [markdown] card="kept_gradient"
# ### Half old, half new, in PyTorch
# You have never seen this snippet. It builds a sum once and then exchanges the number behind the
# leaf's back:
#
# ```python
# import torch
#
# TERMS = {
#     "a * a": lambda a: a * a,
#     "exp": lambda a: a.exp(),
#     "log": lambda a: a.log(),
#     "sin": lambda a: a.sin(),
#     "sqrt": lambda a: a.sqrt(),
#     "tanh": lambda a: a.tanh(),
#     "a.exp() * a": lambda a: a.exp() * a,
# }
# a = torch.tensor(old, requires_grad=True)
# y = sum(TERMS[term](a) for term in terms)
# a.data = torch.tensor(new)
# y.backward()
# ```
#
# Return `[y.item(), a.grad.item()]` for a list of `terms` and two positive numbers. Work it out
# with `math`, without a tensor. Lesson 06 said which operation saves its input, and which its
# result.
#
# *When it passes you can explain a wrong gradient that no error announces.*


# %% exercise="kept_gradient" kind="predict+transfer" difficulty=2 minutes=8
def kept_gradient(terms, old, new):
    """[value of y, gradient of a] after the exchange; `terms` are keys of TERMS."""
    ### BEGIN SOLUTION
    import math

    value = {
        "a * a": old * old,
        "exp": math.exp(old),
        "log": math.log(old),
        "sin": math.sin(old),
        "sqrt": math.sqrt(old),
        "tanh": math.tanh(old),
        "a.exp() * a": math.exp(old) * old,
    }
    slope = {
        "a * a": 2 * new,  # these save their input,
        "log": 1 / new,
        "sin": math.cos(new),
        "exp": value["exp"],  # these their result,
        "sqrt": 1 / (2 * value["sqrt"]),
        "tanh": 1 - value["tanh"] ** 2,
        "a.exp() * a": value["exp"] * (new + 1),  # one node of either kind
    }
    return [sum(value[term] for term in terms), sum(slope[term] for term in terms)]
    ### END SOLUTION


# %% check="kept_gradient"
check(kept_gradient)

# %% [markdown] hint="kept_gradient"
# `y` was computed before the exchange. And for each slope: is it computed from what the node saved
# as its input, or from what it saved as its result?

# %% [markdown] hint="kept_gradient"
# `a * a`, `log` and `sin` saved the tensor `a`, in which there is now the new number. `exp`, `sqrt`
# and `tanh` saved what came out the first time, and their slopes are formulas of that.

# %% [markdown] hint="kept_gradient"
# With the result r: exp has the slope r, sqrt `1 / (2 r)`, tanh `1 - r * r`. `a.exp() * a` sends
# back `r` to `a`, and the new `a` to the exponential, which multiplies it with r.

# %% [markdown] why="kept_gradient"
# **Why.** A node answers from what it holds, and what it holds was chosen so that backward is
# cheap, not so that it could be fed again. So the kept graph is not old and not new; it is a
# mixture that depends on the implementation of each operation. That no version is moved by `.data
# =` is the only reason why nobody objects.

# %% [markdown] card="Tape"
# ### A replay of your own
# Write the class that section 4 promises, with plain numpy and no tensors. Three things:
#
# - `tape.call(function, *arrays)` calls the numpy function, notes the call, and returns the result as
#   an array. (`np.sum` gives a number that is no array: `np.asarray` makes one of it.)
# - `tape.replay()` makes all noted calls again, in order, each **into the array that it filled the
#   first time**. Every function that you get takes `out=`. No array is made.
# - `tape.nbytes` is the number of bytes of all results that the tape holds.
#
# To use it one writes new numbers into the input array (`x[...] = numbers`), calls `replay()`, and
# reads the array that `call` has returned.
#
# *When it passes you have built what makes a static graph fast, and you know what it costs.*


# %% exercise="Tape" kind="write" difficulty=2 minutes=10
class Tape:
    ### BEGIN SOLUTION
    def __init__(self):
        self.calls = []

    def call(self, function, *arrays):
        import numpy as np

        result = np.asarray(function(*arrays))
        self.calls.append((function, arrays, result))
        return result

    def replay(self):
        for function, arrays, result in self.calls:
            function(*arrays, out=result)

    @property
    def nbytes(self):
        return sum(result.nbytes for _, _, result in self.calls)

    ### STUB
    # def __init__(self):
    #     raise NotImplementedError("not written yet")
    #
    # def call(self, function, *arrays):
    #     raise NotImplementedError("not written yet")
    #
    # def replay(self):
    #     raise NotImplementedError("not written yet")
    #
    ### END SOLUTION


# %% check="Tape"
check(Tape)

# %% [markdown] hint="Tape"
# What must be noted of a call, so that somebody else can make it again without your program?

# %% [markdown] hint="Tape"
# Three things: the function, the arrays that it read (the arrays themselves, no copies), and the
# array that it filled. In a replay the third is handed to the function as `out=`.

# %% [markdown] hint="Tape"
# `self.calls.append((function, arrays, result))`, where `result = np.asarray(function(*arrays))`;
# and `for function, arrays, result in self.calls: function(*arrays, out=result)`.

# %% [markdown] why="Tape"
# **Why.** The arrays are wired to each other by the recording itself: what one call fills, the next
# one reads. So a replay has nothing to look up, nothing to make and nothing to free. That is the
# speed, and the price as well: `nbytes` stays for as long as the tape lives. And a tape that copies
# its inputs replays the past, which was section 2.
