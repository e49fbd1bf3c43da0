# %% [markdown]
# # 02  What a graph is made of
# You write `y = (x @ w).tanh()` and, beside the result, something else comes into being: the thing
# that `y.backward()` will walk. People call it the graph, and most of us carry a picture of it that
# nobody ever checked. In this lesson you check yours: you take a graph apart by hand, piece by
# piece, and find out what it holds and what it does not.
#
# The set-up cell makes the two tensors of the whole course: `x` is data (64 x 32 floats, 8,192 B,
# which we call 1 U) and `w` is a weight that wants a gradient. It also brings `graph`, which draws a
# graph. Section 2 first does by hand what `graph` does.

# %% twin=true
import weakref

import minigrad as mg
import whoholds.step  # brings the cell magic %%step
from course.pictures import curve, graph
from course.predict import predict

x = mg.arange(2048.0).view(64, 32) / 2048
w = mg.full((32, 32), 0.01, requires_grad=True)

# %% [markdown]
# ## 1. Are tensors the nodes of the graph?
# Most drawings of a graph show tensors as circles and operations as arrows. Then every
# intermediate tensor is a part of the graph, and as long as the graph stands, so must the tensor.
# Is that how it is?
#
# A **node** is the record of one operation. Python shows it to you as `y.grad_fn`: the tensor `y`
# refers to the node of the operation that made it. To see who lives longer, a tensor or its node,
# we have to look at a tensor without holding it. That is what a weak reference does:
# `watch = weakref.ref(h)` does not count as a reference, and `watch()` gives the tensor while it
# lives and `None` afterwards.
#
# The function below makes a tensor `h`, uses it, deletes its name, and returns two things: what the
# weak reference still sees, and the node one step behind the node of `y`. (How `next_functions`
# gets there is for section 2.)


# %% twin=true
def after_del_h():
    h = w + 1
    y = h * 2.0
    watch = weakref.ref(h)
    del h
    return watch(), y.grad_fn.next_functions[0][0]


# %% solo="prediction"
predict(
    "02.left",
    "After `del h`, and with `y` still there: what is left of the line `h = w + 1`?",
    {
        "the tensor and its node": "This is the picture with tensors as circles: `y` was computed "
        "from `h`, so the graph of `y` should contain `h`. But the graph contains the operation. "
        "The tensor stays only if somebody refers to it, and nobody does.",
        "the node without the tensor": "The node of `y` refers to the node of `h`, not to `h`. "
        "With its last name gone, `h` was gone at once.",
        "neither": "If the node went with its tensor, `del h` would cut the graph in two, and "
        "`w` could never receive its gradient. It does, as you will see.",
    },
    run=lambda: {
        (True, True): "the tensor and its node",
        (False, True): "the node without the tensor",
        (False, False): "neither",
    }[tuple(thing is not None for thing in after_del_h())],
)

# %% twin=true at="02.dies"
tensor, node = after_del_h()
print("the tensor h:", tensor)
print("its node:    ", node.name())

# %% [markdown]
# The tensor is gone; the node is there and knows its name. (The `0` at the end belongs to the
# name, in PyTorch too.) But is such a node good for anything? Let us ask for a gradient that has to
# pass through it, and count the bytes that `del h` gives back on the way: 32 x 32 x 4 = 4,096 B would
# be all of `h`.


# %% twin=true at="02.gradient"
def gradient_through_it():
    v = mg.full((32, 32), 0.01, requires_grad=True)
    h = v + 1
    y = h * 2.0
    before = mg.memory_allocated()
    del h
    print(f"del h gave back {before - mg.memory_allocated():,} B")
    y.sum().backward()
    print("gradient of v[0, 0]:", v.grad[0, 0].item())


gradient_through_it()

# %% [markdown]
# All the bytes of `h` went, and the gradient is right: `y` is 2 times `v + 1`, so the slope is 2.
# To pass a gradient back through `+ 1` nobody needs to know what `h` was.
#
# Here is that moment as the picture that we keep through the whole course. An arrow is a reference.
# Names stand on the left, tensors with their bytes in the middle, nodes on the right.
#
# ```
# names          tensors -> storages            nodes
# -----          -------------------            -----
# y -----------> [y   4,096 B] --grad_fn------> (MulBackward0)
#                                                     |
#                                                     v
#                ( freed     )                  (AddBackward0)
#                                                     |
#                                                     v
# v -----------> [v   4,096 B] <--------------- (its end: section 2)
# ```
#
# Follow the arrows from `y`: nothing leads to the slot where `h` was.
#
# **Try it.** In `after_del_h`, write `y = h * h` instead of `h * 2.0` and run the section again:
# now `h` outlives its name, and its numbers are printed in place of `None`. Some nodes do hold on
# to a tensor; lesson 03 says which.

# %% [markdown]
# ## 2. What does a node hold?
# Now the running example of the course, in one line. Where does its graph begin, and where does
# it lead? The last node is `loss.grad_fn`. An **edge** leads from a node to the node that gets the
# gradient next. All edges of a node stand in its attribute `next_functions`, one for each input of
# the operation, and each is a pair: the next node, and a number. (The number says which output
# of the next node is meant. It is 0 wherever there is a single output.)

# %% twin=true at="02.hand"
loss = (x @ w).tanh().sum()
node = loss.grad_fn
print(node.name(), "has", len(node.next_functions), "edge")

for edge in ("first", "second"):
    node, number = node.next_functions[0]
    print(f"{edge} edge: to {node.name()}, output {number}")

# %% [markdown]
# Three nodes, and we stand at the product. Behind it lie only `x` and `w`, which no operation
# made. The walk must end somewhere: at a tensor that wants a gradient stands an
# **AccumulateGrad**, a node that adds whatever arrives to the `.grad` of that one tensor. The
# product had two inputs, so it has two edges.

# %% solo="prediction"
predict(
    "02.edges",
    "Where do the two edges of the node of `x @ w` lead? (`x` is data, `w` wants a gradient.)",
    {
        "Tensor and Tensor": "The operation was computed from two tensors, so one expects to meet "
        "them here. But an edge leads to a node: it says who gets a gradient next, not where a "
        "value came from.",
        "AccumulateGrad and AccumulateGrad": "Both are inputs that no operation made, so they look "
        "alike. But `x` wants no gradient, and where no gradient is wanted, no node is made.",
        "nowhere and AccumulateGrad": "The place of `x` is kept, so that the second edge still "
        "belongs to the second input, but it leads nowhere.",
    },
    run=lambda: " and ".join(
        "nowhere" if node is None else type(node).__name__
        for node, _ in (x @ w).grad_fn.next_functions
    ),
)

# %% twin=true at="02.ends"
to_x, to_w = (x @ w).grad_fn.next_functions
print("for x:", to_x)
print("for w:", to_w[0].name(), "which holds w:", to_w[0].variable is w)
print("its own edges:", len(to_w[0].next_functions))

# %% [markdown]
# For `x` the edge is `(None, 0)`: nowhere to go. For `w` it leads to the AccumulateGrad of `w` (the
# prefix is PyTorch's C++ name for it, and minigrad prints the same), which has no edges of its own.
# It is the one kind of node that always holds a tensor, as `variable`: it must know where to put
# the gradient.
#
# A **graph**, then, is what you reach from a `grad_fn` by following edges: nodes, and nothing
# but nodes. You walked it step by step. `graph` does the same, and draws each node that it meets.

# %% twin=true at="02.walk"
graph(loss, w=w)

# %% [markdown]
# Read downwards, it is your line of code backwards: sum, tanh, product, and at the ends nothing for
# `x` and the AccumulateGrad of `w`. There is no way to run it forward; it leads only from the
# result to the weights.
#
# What if `w` is used twice? Will there be two AccumulateGrad?

# %% twin=true at="02.twice"
graph(w * 2.0 + w * 3.0, w=w)

# %% [markdown]
# There is one. A tensor has a single AccumulateGrad at a time, and each operation that uses the
# tensor gets an edge to it. (The two `None` are the Python numbers 2.0 and 3.0: inputs as well, and
# nobody wants their gradient.) Lesson 03 asks how a gradient finds its way through such a fork.
#
# Now watch a graph come into being, with a value `h` that is used twice. (As in lesson 01: click
# into the view, arrow keys for a step, Page Down for a line.) The newest node stands at the bottom,
# so the edges point up. (What it calls "elsewhere, not drawn" are bytes that were allocated before
# and have no part in it, such as those of `x`.) The view opens in front of the last line: which
# cards will it take away?

# %% solo="the view" at="02.step"
# %%step --hide --at "z names" --title "Nodes appear, tensors go"
h = w + 1
y = h * 2.0
z = y + h
del h, y

# %% [markdown]
# <details><summary>Which cards went: open this when you have said it</summary>
#
# Two tensors went, 4,096 B each. All four nodes stayed, and so did all edges, the two to the
# node of `h` among them. The name `z` leads to a tensor, its tensor to the newest node, and from
# there one edge after the other leads to `w`.
#
# </details>
#
# **Try it.** Draw the graph of `((w @ w).tanh() + w).sum()` by hand, then with `graph`: three edges
# should lead to the one AccumulateGrad.

# %% [markdown]
# ## 3. Which tensors are leaves?
# Two words that people mix up. The **root** of a graph is where backward starts: the tensor that
# you call `.backward()` on, usually the loss, and likewise its node, the first to run. A **leaf**
# is a tensor with no recorded operation behind it: its `grad_fn` is `None`. Thread 001 adds
# penalties on the way to the loss and wants a backward from each as soon as it is computed. Each
# penalty is a root; its author called them leaves.
#
# The answer there told roots from leaves, and gave a narrower definition than ours: a leaf wants a
# gradient and is not derived from anything that does. Which of the two does the engine go by? Test
# them on five tensors. The last two are computed, `c` from `x` alone, and `n` inside `no_grad()`, a
# block that computes and records nothing.


# %% twin=true
def five_tensors():
    with mg.no_grad():
        n = x @ w
    return {"x": x, "w": w, "h": x @ w, "c": x * 2.0, "n": n}


# %% solo="prediction"
predict(
    "02.leaves",
    "Which of the five say that they are a leaf (`is_leaf`)?",
    {
        "w": "Thread 001's definition. Natural, for these are the leaves we care about: "
        "unless you ask for more, a backward fills only their `.grad`. The engine's rule is "
        "simpler, and wider.",
        "x, w": "Made by you, not computed: that is what the word suggests. But the "
        "engine has no memory of how `c` and `n` came about, so it cannot tell them from `x`.",
        "x, w, c, n": "All but `h`. A leaf is a tensor without a `grad_fn`, so every tensor that "
        "wants no gradient is one.",
    },
    run=lambda: ", ".join(name for name, t in five_tensors().items() if t.is_leaf),
)

# %% twin=true at="02.leaf"
for name, t in five_tensors().items():
    node, wants = t.grad_fn.name() if t.grad_fn else None, t.requires_grad
    print(f"{name}: is_leaf {t.is_leaf!s:5}  requires_grad {wants!s:5}  node {node}")

# %% [markdown]
# Only `h` has a node. For `c` nobody will ever ask for a gradient, so no node was made. And `n` is
# the same product as `h`, computed inside `no_grad()`: the same numbers, no node, and no trace
# that `w` had any part in it.
#
# So a node is made when recording is on and at least one input wants a gradient, and every tensor
# without a node is a leaf. Thread 001's definition was too narrow: `x`, `c` and `n` want no gradient
# and are leaves. It fits those leaves that do want one, here `w`; they get an AccumulateGrad when a
# graph first needs it.
#
# **Try it.** Add `"d": mg.zeros(3, requires_grad=True).double()` to `five_tensors` and run the
# table: `d` is no leaf, for the conversion was recorded. The same happens to
# `zeros(3, requires_grad=True).cuda()` in threads 000 and 004: what they hold is a copy, and its
# `.grad` stays empty (lesson 14).

# %% [markdown]
# ## 4. Is it the same graph in the next iteration?
# Thread 004 asks this about a training loop in which one line runs a hundred times. The line
# is the same, the shapes are the same, the input is the same tensor. Does the engine make a new
# graph each time, or does it see that it has one already?
#
# To answer we count nodes. `nodes` collects every node that can be reached, each only once, since
# a Python set holds nothing twice. Three rounds will do, and we keep their results in a list,
# so that no graph can go before it is counted.


# %% twin=true
def nodes(node, found):
    if node is not None:
        found.add(node)
        for next_node, _ in node.next_functions:
            nodes(next_node, found)
    return found


def three_rounds():
    a = mg.ones(2, 3, requires_grad=True)
    return [a.sum() for _ in range(3)]


# %% [markdown]
# The graph of one `a.sum()` has two nodes, `SumBackward0` and `AccumulateGrad`.

# %% solo="prediction"
predict(
    "02.shared",
    "How many different nodes do the three graphs have together?",
    {
        "2": "One graph for one line of code is how static frameworks work, and what thread 004 "
        "hoped for. Here nothing looks at the line: each call of `sum` is recorded anew.",
        "4": "Three new `SumBackward0`, one per call. And one AccumulateGrad, since there is "
        "one `a`.",
        "6": "Three graphs of two nodes, nothing in common: almost. But the AccumulateGrad "
        "belongs to `a`, not to a round, and while it lives every new graph gets an edge to it.",
    },
    run=lambda: len(set().union(*(nodes(y.grad_fn, set()) for y in three_rounds()))),
)

# %% twin=true at="02.rounds"
y0, y1, y2 = three_rounds()
print("nodes per graph:", *[len(nodes(y.grad_fn, set())) for y in (y0, y1, y2)])
print("same sum node:  ", y0.grad_fn is y1.grad_fn)
ends = [y.grad_fn.next_functions[0][0] for y in (y0, y1)]
print("same end node:  ", ends[0] is ends[1])

# %% [markdown]
# So it is a new graph in every iteration, built by running the lines. Only its ends are shared with
# the other graphs that live at the time.
#
# ```
# names          tensors -> storages            nodes
# -----          -------------------            -----
# y0 ----------> [y0      4 B] --grad_fn------> (SumBackward0) ---+
# y1 ----------> [y1      4 B] --grad_fn------> (SumBackward0) ---+
# y2 ----------> [y2      4 B] --grad_fn------> (SumBackward0) ---+
#                                                                 |
#                                                                 v
#                [a      24 B] <--variable--------------- (AccumulateGrad)
# ```
#
# The graphs hold the AccumulateGrad, and it holds `a`, although the name `a` went when
# `three_rounds` ended. No arrow leads from `a` to the node. Then it should live just as long as
# some graph needs it. Every node has a dictionary `metadata` for notes of our own, so let us leave
# a note on it and see where we meet it again.


# %% twin=true at="02.note"
def notes(y):
    return y.grad_fn.next_functions[0][0].metadata


def note_on_the_end():
    a = mg.ones(2, 3, requires_grad=True)
    y = a.sum()
    notes(y)["note"] = "seen"
    z = a.mean()
    print("a second graph meets the note:", "note" in notes(z))
    del y, z
    z = a.sum()
    print("after both were gone:         ", "note" in notes(z))


note_on_the_end()

# %% [markdown]
# The second graph met the note. With both graphs gone, so was the node, and the third graph
# got a fresh one.
#
# One more belief, from thread 003: that calling a layer makes a graph, while `torch.sum` makes
# none. Its author got an error when only the `sum` was inside the loop, so it was a fair
# guess. Here a product is computed once and summed twice.

# %% twin=true at="02.old-below"
out = x @ w
first, second = out.sum(), out.sum()
print("same sum node:    ", first.grad_fn is second.grad_fn)
below = [y.grad_fn.next_functions for y in (first, second)]
print("same product node:", below[0] == below[1])

# %% [markdown]
# Every operation makes a node, `sum` like any other. But each new `SumBackward0` sits on the one
# old `MmBackward0`, and the error of thread 003 comes from the old node below. Lesson 05
# follows it to its source.
#
# **Try it.** In `three_rounds`, return
# `[mg.ones(2, 3, requires_grad=True).sum() for _ in range(3)]` and run the card again: six nodes,
# for three tensors need three ends.

# %% [markdown]
# ## 5. Is the layer in the graph?
# Thread 003 asks which variables and which modules the graph contains, and later whether a
# `Linear` layer is freed with it. First: what node does a layer's result have?

# %% solo="prediction"
predict(
    "02.module",
    "`layer = mg.nn.Linear(3, 3)`, then `out = layer(a)` for some data `a`. What is the name of "
    "`out.grad_fn`?",
    {
        "LinearBackward0": "You called one thing, the layer, so one node of its name seems "
        "right. But a module is only Python code that calls operations. The operations are "
        "recorded, the module is not.",
        "AddmmBackward0": "The operation that the layer's forward called: add a bias to the "
        "product of two matrices.",
        "AccumulateGrad": "The layer holds the parameters, so it could be the place where "
        "gradients end up. They do end at the parameters, but `out` was computed from these and "
        "has an operation's node.",
    },
    run=lambda: type(mg.nn.Linear(3, 3)(mg.ones(2, 3)).grad_fn).__name__,
)

# %% twin=true at="02.layer"
layer = mg.nn.Linear(3, 3)
out = layer(mg.ones(2, 3))
graph(out, bias=layer.bias, weight=layer.weight)

# %% [markdown]
# Three edges: the bias, the input (data, so `None`), and the weight, which is stored as
# (outputs, inputs) and has to be transposed first, an operation of its own. No line says
# Linear. What the graph knows of the layer are two leaves, its parameters.
#
# Then the graph should work without the layer. Delete the layer while its result lives: does the
# module die, and do its weights?


# %% twin=true at="02.gone"
def without_the_layer():
    layer = mg.nn.Linear(3, 3)
    out = layer(mg.ones(2, 3))
    module, weight = weakref.ref(layer), weakref.ref(layer.weight)
    del layer
    print("module alive:", module() is not None)
    print("weight alive:", weight() is not None)
    del out
    print("weight alive without the graph:", weight() is not None)


without_the_layer()

# %% [markdown]
# The module went at once; its weight stayed, held by an AccumulateGrad, until the graph went
# too. While you hold the layer, nothing that happens to a graph can free it or its parameters.
#
# Thread 003 also claims that a `Linear` stores its input as an attribute, and that this is what
# gets freed. Then the input would live as long as the layer does.


# %% twin=true at="02.input"
def who_keeps_the_input():
    layer = mg.nn.Linear(3, 3)
    a = mg.ones(2, 3)
    out = layer(a)
    watch = weakref.ref(a)
    del a
    print("with layer and out:", watch() is not None)
    del out
    print("with layer alone:  ", watch() is not None)


who_keeps_the_input()

# %% [markdown]
# The layer stores no input. Yet something that hangs on `out` kept `a` alive after its name was
# gone. Only the node can have done that: `AddmmBackward0` will need the input for the gradient of
# the weight. This is called saving, and lesson 03 comes to it.
#
# **Try it.** Draw the graph of `mg.nn.Linear(3, 3, bias=False)(mg.ones(2, 3))`: without a bias to
# add, the layer calls a plain product.

# %% [markdown]
# ## 6. Case file: does the graph store every activation?
# Thread 000 comes from somebody who builds a reversible network, in which every activation can be
# computed again from the next one. Its author wants to keep the graph and drop the tensors, and
# believes that this cannot be: tensors are the nodes, so the graph always stores every activation.
# You know already that tensors are not the nodes. But do the bytes agree?
#
# Take two lines of our example, first written as one: `y = (x @ w).tanh()`. Two results are
# computed here, of 1 U each.


# %% twin=true
def one_line():
    before = mg.memory_allocated()
    mg.reset_peak_memory_stats()
    y = (x @ w).tanh()
    live = mg.memory_allocated() - before
    peak = mg.max_memory_allocated() - before
    return live, peak, y.grad_fn


# %% solo="prediction"
predict(
    "02.oneline",
    "How many bytes more are alive after `y = (x @ w).tanh()` than before it?",
    {
        "1 U": "Only `y`. The product was needed for a moment, had no name, and no node kept it.",
        "2 U": "`y` and the product: the graph stores every activation, says thread 000. It was so "
        "for a moment, in the middle of the line.",
        "3 U": "`y`, the product, and a copy of `x` for the backward pass. A node that needs "
        "`x` refers to it, and a reference copies no data (lesson 01).",
    },
    run=lambda: f"{one_line()[0] // 8192} U",
)

# %% twin=true at="02.bytes"
live, peak, node = one_line()
print(f"alive after the line: {live:,} B, at most during it: {peak:,} B")
graph(node, w=w)

# %% [markdown]
# In the middle of the line both results were there, at its end only one. And the graph is complete:
# the node of the product stands in its place while the product is gone. Now in slow motion, with a
# name `h` for the product.


# %% twin=true
def stepping():
    points, start = [], mg.memory_allocated()

    def note(line):
        points.append((line, mg.memory_allocated() - start))

    h = x @ w
    note("h = x @ w")
    y = h.tanh()
    note("y = h.tanh()")
    del h
    note("del h")
    del y
    note("del y")
    return points


# %% twin=true at="02.stepping"
curve(stepping(), "Who holds the product?")

# %% [markdown]
# It was the name `h` that held 8,192 B, not the graph. Before `del y` things stand like this:
#
# ```
# names          tensors -> storages            nodes
# -----          -------------------            -----
# y -----------> [y   8,192 B] --grad_fn------> (TanhBackward0)
#                                                     |
#                                                     v
#                ( freed     )                  (MmBackward0) ----> None
#                                                     |
#                                                     v
# w -----------> [w   4,096 B] <--variable----- (AccumulateGrad)
# x -----------> [x   8,192 B]
# ```
#
# (Two arrows are still missing here; lesson 03 will draw them.)
#
# Why then did the author of thread 000 come to that belief? Because of a test: multiply three
# matrices in two steps, delete the intermediate `d`, look at the memory. We run it twice. First as
# in the thread, where all three matrices want a gradient; then with a `c` that is only data. The
# function says how many bytes `del d` gave back, and which node of `d` is still there. The tensor
# `d` has 32 x 128 x 4 = 16,384 B.


# %% twin=true at="02.case"
def freed_by_del_d(c_wants_gradient):
    a = mg.zeros(32, 64, requires_grad=True)
    b = mg.zeros(64, 128, requires_grad=True)
    c = mg.zeros(128, 256, requires_grad=c_wants_gradient)
    d = a @ b
    e = d @ c
    before = mg.memory_allocated()
    del d
    node = e.grad_fn.next_functions[0][0].name()
    given = before - mg.memory_allocated()
    return f"del d gave back {given:>6,} B, its node {node} is there"


print("c wants a gradient:", freed_by_del_d(True))
print("c is only data:    ", freed_by_del_d(False))

# %% [markdown]
# The first line is what the thread saw: `del d` gives nothing back, as if the graph could not
# stand without `d`. In the second line the node of `d` stands where it stood, and every byte of
# `d` goes. So it was never the graph as such. One node, that of `d @ c`, held on to `d`, because
# the gradient of `c` takes it.
#
# The answer in the thread was right: the graph is made of nodes, and a node saves what
# its own backward needs, no more. What the author wanted, a graph that stands while the data is
# gone, is nothing unusual. You made several. How to get one where a node does need the data
# is the story of lessons 07 and 11.
#
# **Try it.** In `stepping`, add `z = y * 2.0` with a note before `del y`. The name `y` goes, `z` needs
# only the number 2.0, and still the 8,192 B of `y` stay. Who could be holding them? (Lesson 03
# answers.)
#
# ### The same in PyTorch
# Five lines for any Python with PyTorch. They print `AddBackward0` and `True`.
#
# ```python
# import torch
#
# w = torch.ones(3, requires_grad=True)
# y = (w + 1) * 2.0                        # w + 1 is dead after this line
# node = y.grad_fn.next_functions[0][0]    # its node is not
# print(node.name())
# print(node.next_functions[0][0].variable is w)
# ```
#
# ### Three things you can trust
# A tensor can die while its node lives. Every call makes a new node, on ends that are shared. A
# tensor without a node is a leaf, whether it wants a gradient or not.

# %% twin=true at="02.asserts"
one, two = (x @ w).tanh(), (x @ w).tanh()
mm_one, mm_two = one.grad_fn.next_functions[0][0], two.grad_fn.next_functions[0][0]
h = x @ w
y, watch = h.tanh(), weakref.ref(h)
del h

assert watch() is None and y.grad_fn.next_functions[0][0].name() == "MmBackward0"
assert mm_one is not mm_two and mm_one.next_functions == mm_two.next_functions
assert x.is_leaf and w.is_leaf and (x * 2.0).is_leaf and not y.is_leaf
print("all three hold")

# %% [markdown]
# What was simplified: `nodes` calls itself, so a chain of some thousand operations is too deep for
# it. The engine's own walk is a loop. A node in minigrad is the class `Node` in
# `minigrad/core/node.py`, short enough to read now.
#
# **Next:** a gradient enters the graph at its root. In which order do the nodes run, and what
# must each have kept for its turn? Lesson 03.

# %% [markdown] card="count_parts"
# ### How many parts has this graph?
# `w` wants a gradient, `x` is data, both of shape `(3,)`. A chain starts with `y = w`; then each
# step rebinds `y`:
#
# | step | line |
# |---|---|
# | `"tanh"` | `y = y.tanh()` |
# | `"double"` | `y = y * 2.0` |
# | `"square"` | `y = y * y` |
# | `"plus x"`, `"plus w"` | `y = y + x`, `y = y + w` |
# | `"plus new"` | `y = y + mg.ones(3, requires_grad=True)` |
# | `"no grad"` | `y = y.tanh()` inside `mg.no_grad()` |
#
# Look at the graph that can be reached from the last `y.grad_fn`. Return three counts: nodes of
# **operations**, **AccumulateGrad** nodes, and edges that lead **nowhere** (`None`). Count by hand;
# a function that makes no tensor is asked for.
#
# *When it passes you can draw the graph of a line before you run it.*


# %% exercise="count_parts" kind="predict" difficulty=2 minutes=9
def count_parts(steps):
    """(operation nodes, AccumulateGrad nodes, edges to nowhere) of the chain `steps`."""
    ### BEGIN SOLUTION
    wants, operations, leaves, nowhere = True, 0, {"w"}, 0
    for i, step in enumerate(steps):
        leaf = {"plus w": "w", "plus new": i}.get(step)
        if step == "no grad":  # y has no node any more: the graph begins anew
            wants, operations, leaves, nowhere = False, 0, set(), 0
        elif wants or leaf is not None:
            operations += 1
            nowhere += step in ("double", "plus x") or not wants
            leaves |= {leaf} - {None}
            wants = True
    return operations, len(leaves), nowhere
    ### END SOLUTION


# %% check="count_parts"
check(count_parts)

# %% [markdown] hint="count_parts"
# Write the chain down as section 2 draws it: one node a line, one edge for each input. Which inputs
# want a gradient, and which inputs are the same tensor twice?

# %% [markdown] hint="count_parts"
# Keep four things while you go through the steps: does `y` want a gradient, how many operations,
# which leaves, how many edges to nowhere. Data plus data makes no node; `"no grad"` cuts `y` off
# from all that was before.

# %% [markdown] hint="count_parts"
# Start with `leaves = {"w"}`; `"plus w"` adds `"w"` again and `"plus new"` a leaf of its own. An
# edge leads nowhere for the number in `"double"`, for `x`, and for a `y` that wants nothing. After
# `"no grad"` all four are empty.

# %% [markdown] why="count_parts"
# **Why.** One node an operation, one edge an input. `y * y` is one node with two edges to the same
# place. `w` has a single AccumulateGrad however often it is used, and a leaf made in a line has one
# of its own. And a result of `no_grad()` has no node, so nothing leads back from it: the old graph
# is not paused but out of reach, and a later `"plus w"` begins a new one.

# %% [markdown] card="peeks"
# ### To look at a value later
# The author wants the result `y` of a chain of doublings, with its graph, and wants to look at some
# values on the way later: those whose numbers are in `keep`. Two beliefs are in this code: that the
# graph needs its tensors, so all of them must be held; and that whoever has a node has its tensor.
#
# Repair it. `peeks(v, layers, keep)` returns `y` and a dictionary that gives for each number in
# `keep` that tensor: the one of the chain, no copy. The other results die as soon as they have been
# used, and backward still works. Two numbers are in `keep`; with U for the bytes of one result, the
# peak is at most 5 U.
#
# *When it passes you hold what you want to see, and the graph holds itself.*


# %% exercise="peeks" kind="repair" difficulty=1 minutes=6
def peeks(v, layers, keep):
    """(last y, {i: y of layer i, for each i in keep}) of `layers` times y = y * 2.0."""
    ### BEGIN SOLUTION
    y, seen = v, {}
    for i in range(layers):
        y = y * 2.0
        if i in keep:
            seen[i] = y
    return y, seen
    ### STUB
    # y, history = v, []
    # for i in range(layers):
    #     y = y * 2.0
    #     history.append(y)  # the graph needs its tensors
    # return y, {i: history[i].grad_fn for i in keep}  # the node has the value
    ### END SOLUTION


# %% check="peeks"
check(peeks)

# %% [markdown] hint="peeks"
# Section 1: what is left of the line `h = w + 1` after `del h`? And did the gradient mind?

# %% [markdown] hint="peeks"
# A node does not lead to a value. To see a value later you need an arrow to its tensor. The other
# values need none: the node of `y * 2.0` does without them.

# %% [markdown] hint="peeks"
# Drop `history`. In the loop: `if i in keep`, put `y` itself into a dictionary under `i`.

# %% [markdown] why="peeks"
# **Why.** The graph of this chain is whole without a single one of its results: a node refers to
# nodes, and to pass a gradient through `y * 2.0` the number 2.0 is enough. So the list `history`
# held all that memory for nobody. And the one thing that it was meant for, to look at values, the
# nodes could not give: `grad_fn` leads from a tensor to its node, never back.

# %% [markdown] card="topological"
# ### Every node before those it leads to
# Write the walk that an engine needs. `topological(root)` returns a list of all nodes that can be
# reached from `root.grad_fn`, itself included, each once, in such an order that **every edge points
# forward**: a node stands before all the nodes that its edges lead to. (There may be several such
# orders; each is right.) For a tensor without a node the list is empty. The engine's own backward
# must not run. Banned here: `mg.memory.saved`, and `course.pictures`.
#
# It is tried on graphs in which a short path and a long one lead to the same node, in which a value
# is used twice sixteen lines in a row, and on a chain of some thousand nodes.
#
# *When it passes you have the list along which lesson 03 walks back.*


# %% exercise="topological" kind="write" difficulty=3 minutes=14
def topological(root):
    """All nodes from `root.grad_fn` on, in an order in which every edge leads on."""
    ### BEGIN SOLUTION
    order, seen, waiting = [], set(), [(root.grad_fn, False)]
    while waiting:
        node, done = waiting.pop()
        if done:  # all that it leads to is in the list
            order.append(node)
        elif node is not None and node not in seen:
            seen.add(node)
            waiting.append((node, True))
            waiting += [(target, False) for target, _ in node.next_functions]
    return order[::-1]
    ### END SOLUTION


# %% check="topological"
check(topological)

# %% [markdown] hint="topological"
# If you list the nodes as you find them, a node on a short path comes too early. When is it safe to
# put a node down?

# %% [markdown] hint="topological"
# Two ways. Put a node down when everything it leads to is down, and turn the list round at the end.
# Or count the edges that lead to each node, and put it down when all of them have been followed.
# Use a list of waiting nodes in place of a function that calls itself.

# %% [markdown] hint="topological"
# For the first way, let pairs wait: `(node, False)` on the way in. When it comes out, and is new,
# push `(node, True)` and then `(target, False)` for each edge; when `(node, True)` comes out, append
# it. Return `order[::-1]`.

# %% [markdown] why="topological"
# **Why.** A graph is not a tree. If two paths meet at a node, it can be put down only after both
# have arrived, and it must be put down once: sixteen lines `h = h + h` have 65,536 paths and 17
# nodes. Engines count edges, for they walk the list while they make it; and they use a loop, for
# real graphs are deeper than Python's stack.

# %% [markdown] card="only_the_node"
# ### Only the node is left, in PyTorch
# You have never seen this snippet. How many bytes of tensors are alive after each of its last
# nine lines, 1 to 9?
#
# ```python
# import torch
#
# x = torch.ones(batch, inputs)
# layer = torch.nn.Linear(inputs, outputs)
# out = layer(x)
# total = out.sum()
# del out
# del layer
# node = total.grad_fn
# del total, x
# del node
# ```
#
# The layer has a weight and a bias, and the node of its product keeps its input (section 5).
# Work the bytes out from the sizes: a formula that makes no tensor is asked for.
#
# *When it passes you know what one forgotten `grad_fn` can hold.*


# %% exercise="only_the_node" kind="predict+transfer" difficulty=2 minutes=7
def only_the_node(batch, inputs, outputs):
    """A list of nine numbers of bytes, of lines 1 to 9; a float has 4."""
    ### BEGIN SOLUTION
    data = batch * inputs * 4
    layer = (inputs * outputs + outputs) * 4  # weight and bias
    out = batch * outputs * 4
    return [
        data,
        data + layer,
        data + layer + out,
        data + layer + out + 4,
        data + layer + 4,  # no node keeps out: sum needs only its shape
        data + layer + 4,  # the AccumulateGrad nodes hold weight and bias
        data + layer + 4,  # a name for a node makes no bytes
        data + layer,  # total goes; x is kept by the node of the product
        0,
    ]
    ### END SOLUTION


# %% check="only_the_node"
check(only_the_node)

# %% [markdown] hint="only_the_node"
# Draw the three columns: names, tensors, nodes. From `node` go along the edges: which nodes hold a tensor?

# %% [markdown] hint="only_the_node"
# Two kinds of nodes here hold tensors: an AccumulateGrad its leaf, the product's node its input.
# The sum's node holds none. The module itself is no part of the graph.

# %% [markdown] hint="only_the_node"
# With `data`, `layer` (weight and bias), `out`, and 4 B for `total`: add one in each of the
# first four lines. Then `del out` takes `out`, `del layer` nothing, `del total, x` only the 4, and
# `del node` all that is left.

# %% [markdown] why="only_the_node"
# **Why.** `del out` frees bytes though the graph goes on: a tensor can die while its node lives.
# `del layer` frees the module and no byte of it, for the graph's ends hold weight and bias. `del x`
# frees nothing, since one node saved it. And then a single name, for something that is no tensor,
# holds a layer and a batch; with it goes everything.
