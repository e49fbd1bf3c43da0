# %% [markdown]
# # 04  Which is freed, which is not
# Everybody knows that the graph is freed after `backward()`. The documentation says so, and two of
# our five threads begin with it. Then somebody looks: the tensors are still there, the nodes are
# still there, and `del` gives nothing back. So what exactly is freed, when, and what stays? This
# lesson answers with bytes.
#
# The set-up cell makes `x` (data, 64 x 32 x 4 = 8,192 B, which is 1 U) and `w` (a weight). It also
# makes `w.grad` beforehand, so that its 4,096 B are in none of our differences. The helper `state` asks a node for something that it saved, by name, and puts the answer into words.

# %% twin=true
import weakref

import minigrad as mg
import whoholds.step  # brings the cell magic %%step
from course.pictures import curve, state
from course.predict import predict

x = mg.arange(2048.0).view(64, 32) / 2048
w = mg.full((32, 32), 0.01, requires_grad=True)
w.grad = mg.zeros(32, 32)

# %% [markdown]
# ## 1. When do the bytes go?
# Take the running example and make it deeper: after `x @ w` comes not one tanh but six. Each tanh
# makes a result of 1 U, and its node saves that result, since the slope of tanh is 1 - y * y. (The
# product is saved by nobody and goes as soon as the name `y` moves on.) So the forward pass
# must climb by 1 U a layer. But how does it come down again?
#
# The function below notes the bytes alive after each tanh of the forward pass. For the way back it
# hangs a hook on the input of each tanh: a function that backward calls when the gradient of that
# input is ready, which is right after the tanh's node has run.


# %% twin=true
def triangle(layers):
    points, start = [], mg.memory_allocated()

    def note(label):
        points.append((label, mg.memory_allocated() - start))

    y = x @ w
    for i in range(1, layers + 1):
        y.register_hook(lambda grad, i=i: note(f"back {i}"))
        y = y.tanh()
        note(f"tanh {i}")
    y = y.sum()  # the name y lets go of the last result
    y.backward()
    return [*points, ("end", mg.memory_allocated() - start)]


# %% [markdown]
# Backward starts at the last layer, so it runs the nodes of tanh 6, 5, 4, 3, 2, 1 in this order.
# A **gradient in flight** is one that a node has made and the next node has not used up yet. It
# has the shape of the result it belongs to, so here it takes 1 U as well.

# %% solo="prediction"
predict(
    "04.half",
    "Three of the six nodes have run: tanh 6, 5 and 4. How much is alive at that moment?",
    {
        "7 U": "Six saved results and a gradient in flight. This is what 'the graph is freed after "
        "backward' suggests: all of it, at the end. But no node waits for the end.",
        "9 U": "Six saved results and three gradients, as if each layer kept its own. Only leaves "
        "keep a gradient; one that has been used is gone.",
        "4 U": "Results 1, 2 and 3 are still saved, and one gradient is in flight. The three nodes "
        "that have run have already let go.",
    },
    run=lambda: f"{dict(triangle(6))['back 4'] // 8192} U",
)

# %% [markdown]
# Now the whole curve. The label `back 4` means: the node of tanh 4 has run.

# %% twin=true at="04.triangle"
curve(triangle(6), title="Six tanh layers, forward and backward", unit=8192)

# %% [markdown]
# A triangle with a blunt top: up 1 U with each tanh, then down 1 U with each node. (The first node
# gives up a result and makes a gradient, which is the flat step.) After tanh i it is i U. On the
# way back, after node i, it is i - 1 results and one gradient, i U again, and 8 B: the loss and the
# number 1 that backward starts with, 4 B each. At the end only the loss is left.

# %% twin=true at="04.closed"
U = 64 * 32 * 4
up = [(f"tanh {i}", i * U) for i in range(1, 7)]
down = [(f"back {i}", i * U + 8) for i in range(6, 0, -1)]
print("as computed:", up + down + [("end", 4)] == triangle(6))

# %% [markdown]
# So backward frees as it goes. Each node lets go of what it saved **right after it has run**,
# before the next one begins. One thing the curve cannot show is what happens inside a step. Is
# the end of forward, 6 U, really the highest point?


# %% twin=true at="04.peak"
def peak(layers):
    start = mg.memory_allocated()
    mg.reset_peak_memory_stats()
    triangle(layers)
    return divmod(mg.max_memory_allocated() - start, 8192)


for layers in (6, 60):
    units, rest = peak(layers)
    print(f"{layers} layers: peak {units} U and {rest} B")

# %% [markdown]
# Not quite. While the node of tanh 6 runs, all six results are still saved and it makes a new
# gradient: 7 U, and the same 8 B as before. So memory is highest in the first steps of
# backward, not at the end of forward. But the difference does not grow: it is one activation for
# 6 layers and for 60, because backward frees behind itself.
#
# Now be the engine, on a GPU with no byte to spare. What does not fit stops it, and the bar shows
# how much it would have been. What a node saved is drawn as a *chip* on it, and a click on the chip drops that reference. Run
# each node, and drop its chip neither too early nor too late.

# %% solo="the game" at="04.play"
from course.play import play

play(
    """x = mg.ones(64, 32)
w = mg.full((32, 32), 0.01, requires_grad=True)
h = x @ w
h = h.tanh()
h = h.tanh()
h = h.tanh()
h = h.sum()
h.backward()""",
    title="Be the engine: a tiny GPU",
)

# %% [markdown]
# **Try it.** In `triangle`, write `loss = y.sum()` and `loss.backward()`, and draw the curve again:
# from `back 6` on every point lies 1 U higher. Why exactly one? The next section tells.

# %% [markdown]
# ## 2. What does it mean that something is freed?
# In thread 003 someone is told that the input buffers of a layer are freed by backward, prints the
# input afterwards, and there it is, alive and well. What then was freed? Decide for our own
# example.


# %% twin=true
def look_at_y_afterwards():
    y = (x @ w).tanh()
    before = y.tolist()
    y.sum().backward()
    return y.tolist() == before


# %% solo="prediction"
predict(
    "04.readable",
    "`y = (x @ w).tanh()`, then `y.sum().backward()`. The node of the tanh had saved `y`. What "
    "about `y` now?",
    {
        "reading it is an error": "There is such an error, and you will meet it in a moment. But "
        "it comes when you ask the node for `y`, not when you ask `y`.",
        "its values are gone": "Freed sounds like wiped or handed to somebody else. In C it might "
        "be. Python never takes bytes away from an object that you can still reach.",
        "it is there, unchanged": "You hold it by a name. Backward has no power over your names.",
    },
    run=lambda: "it is there, unchanged" if look_at_y_afterwards() else "its values are gone",
)

# %% [markdown]
# Here is the same in slow motion: we ask the node, run backward, and ask it again.

# %% twin=true at="04.freed"
y = (x @ w).tanh()
node = y.grad_fn
print("the node's y before:", state(node, "result"))
y.sum().backward()
print("the node's y after: ", state(node, "result"))
print(f"your own y:          {y.nbytes:,} B, the first number is {y[0, 0]:.4f}")

# %% [markdown]
# **Freed** means: the node has dropped its reference. That is all. Backward never destroys a
# tensor; it erases an arrow. If it was the last arrow to these bytes, they go at once, as with
# any Python object. If you hold another one, they stay.
#
# (More exactly: a node saves its own *result* as a second tensor on the same bytes. Otherwise `y` and
# its node would hold each other in a circle, and neither could ever go.)
#
# So whether backward gives you bytes back depends on you. We count them once with the name `y` in
# place, and once without.


# %% twin=true at="04.given"
def given_back(hold_y):
    y = (x @ w).tanh()
    loss = y.sum()
    if not hold_y:
        del y
    before = mg.memory_allocated()
    loss.backward()
    return before - mg.memory_allocated()


print(f"you hold y: {given_back(True):>6,} B given back")
print(f"you do not: {given_back(False):>6,} B given back")

# %% [markdown]
# Now watch it, one statement at a time (`%%step`). The view opens where the tanh's node has let go:
# its label is struck through, and `y` stays.

# %% solo="the view" at="04.step"
# %%step --at "TanhBackward0 lets go" --title "Freed is not gone"
y = (x @ w).tanh()
y.sum().backward()

# %% [markdown]
# This is also how a training loop can eat memory while its graphs are freed as they should be: a
# list of predictions, a `self.last_output`, a forgotten name. Nothing leaks there. It is held.
#
# Thread 003 was told that there is no way to look. There is one today, the `_saved_` names of
# lesson 03; `state` reads them. Once a node has let go, reading them fails with the very error of a
# second backward. Here is its first sentence.

# %% twin=true at="04.message"
try:
    node._saved_result
except RuntimeError as error:
    print(str(error).split(". ")[0])

# %% [markdown]
# The words in brackets are newer than the thread: you may look, as long as there is something to
# see. So from a hook we can ask each node while a backward is half-way. The hook on `second` is called when its gradient is ready, which is after the node of
# `third` has run and before its own node has.


# %% twin=true at="04.middle"
def in_the_middle():
    first = (x @ w).tanh()
    second = first.tanh()
    third = second.tanh()
    nodes = [first.grad_fn, second.grad_fn, third.grad_fn]

    def tell(grad):
        print(*[state(node, "result") for node in nodes], sep=", ")

    second.register_hook(tell)
    third.sum().backward()


in_the_middle()

# %% [markdown]
# One node of a graph has let go while the others wait. There is no moment at which "the graph"
# is freed; there is one moment for each node.
#
# **Try it.** Hang the hook on `first` instead: one `kept`, then `freed` twice.

# %% [markdown]
# ## 3. Case file: between, or including, a and o?
# The last question of thread 003 is the best one. A tensor `a` (a view of a leaf) goes through a
# `Linear`, gives `y`, then `z = y * 5`, then the sum `o`. What is freed after `o.backward()`, the
# asker wants to know: everything *between* `a` and `o`, or `a` and `o` as well?


# %% twin=true
def make():
    layer = mg.nn.Linear(1, 3)
    leaf = mg.tensor([2.0, 3.0], requires_grad=True)
    a = leaf.view(2, 1)
    y = layer(a)
    z = y * 5
    return {"a": a, "y": y, "z": z, "o": z.sum()}


# %% [markdown]
# `survivors` keeps only the tensors in `hold`. It watches all four through weak references, and says
# who is alive before backward and after it.


# %% twin=true
def survivors(hold):
    tensors = make()
    watch = {name: weakref.ref(tensor) for name, tensor in tensors.items()}

    def alive():
        return " ".join(name for name in watch if watch[name]() is not None)

    root = tensors["o"]
    tensors = {name: tensor for name, tensor in tensors.items() if name in hold}
    before = alive()
    root.backward()
    return before, alive()


# %% solo="prediction"
predict(
    "04.between",
    "You hold all four, `a`, `y`, `z` and `o`. Which of them are still alive after `o.backward()`?",
    {
        "a o": "Freed is what lies between: the word intermediate, and the comments in the "
        "thread's first answer, both suggest it. But `y` and `z` are objects that you hold.",
        "o": "Everything that went into `o`, `a` included. It is true that the graph lets go of "
        "`a`. You do not.",
        "a y z o": "All of them. Freeing happens in nodes, and never reaches your names.",
    },
    run=lambda: survivors("ayzo")[1],
)

# %% twin=true at="04.survivors"
for hold in ("ayzo", "o"):
    before, after = survivors(hold)
    print(f"hold {' '.join(hold):7}  alive before: {before:7}  after: {after}")

# %% [markdown]
# The first line settles the question for somebody who holds everything: nothing goes. The second
# line is the interesting one. With only `o` held, `y` and `z` are dead *before* backward begins.
# They were not freed by it; nobody kept them in the first place. And `a` is alive before and dead
# after: this is the one tensor of the four that backward really freed. From which node? The
# function below looks through all that two nodes can save: the layer's, `AddmmBackward0` (a
# product with a bias added), and that of `y * 5`.

# %% twin=true
SLOTS = [("y", "mat1"), ("y", "mat2"), ("z", "self"), ("z", "other")]


def saved_by(tensors, name):
    for owner, slot in SLOTS:
        node = tensors[owner].grad_fn
        if getattr(node, "_saved_" + slot) is tensors[name]:
            return f"{node.name()} as {slot}"
    return "nobody"


# %% twin=true at="04.table"
before, after = survivors("o")
for name in "ayzo":
    print(
        f"{name}  alive before: {name in before!s:5}  after: {name in after!s:5}",
        f" saved by: {saved_by(make(), name)}",
    )

# %% [markdown]
# Read the table down its last column. Only `a` was saved: the layer's node calls it `mat1` and
# needs it for the gradient of the weight. And `o` lives since it is held. What else did these nodes
# save? Step through the last two lines: which cards go in the `del`, and what in backward? (A view
# is no card, but a line in the card of the bytes that it looks into.)

# %% solo="the view" at="04.slots"
# %%step --at "o names" --title "Between a and o"
layer = mg.nn.Linear(1, 3)
leaf = mg.tensor([2.0, 3.0], requires_grad=True)
a = leaf.view(2, 1)
y = layer(a)
z = y * 5
o = z.sum()
del a, y, z
o.backward()

# %% [markdown]
# `y` and `z` went in the `del`, for no node has them. Backward freed `a`, and with it `mat2`, the
# transposed weight (for the gradient of `a`), and the number 5, which has no chip. `a` and `mat2`
# are views, of `leaf` and of the weight: their lines went, and no byte ("0 new").
#
# Neither between nor including, then. The freed things are those that **some node saved and that
# had no other holder**. Where a tensor stands on the way from `a` to `o` does not matter; which
# operation comes *after* it does. Two sentences of the thread need mending. The intermediate
# variables are not what is freed: a variable that you hold stays, and one that no node
# saved was never kept. And a `Linear` stores no input: its node does, until it has run.
#
# (The leaf behind `a` and the weights are held by their AccumulateGrad nodes, as `variable`. These
# are no saved tensors, so backward does not free them.)
#
# **Try it.** In `make`, write `z = y * y` and run the section: now `y` is saved, so it lives until
# backward and dies in it, just as `a` does.

# %% [markdown]
# ## 4. Why do the nodes stay?
# The author of thread 002 read about `retain_graph`, an option of backward (lesson 05): if it is
# False, the documentation says, the graph used to compute the gradients will be freed. Then the
# author ran a loop of one turn, with a backward in it, and printed the result after the loop.

# %% twin=true at="04.k-and-m"
m = mg.tensor([0.0], requires_grad=True)
for i in range(1):
    p = mg.tensor([3.0 + i], requires_grad=True)
    k = p * 2
    k.backward()
    m = k
print(m.requires_grad)
print(m)

# %% [markdown]
# It prints a `grad_fn`, although backward has run. Is that only a name for printing, or is the node
# still there?


# %% twin=true
def after_one_backward():
    k = mg.tensor([3.0], requires_grad=True) * 2
    k.backward()
    return k.grad_fn


# %% solo="prediction"
predict(
    "04.nodes",
    "After `k.backward()`: what is left of the graph of `k = p * 2`?",
    {
        "the name only": "If the graph is freed, as the documentation says, only the text "
        "`MulBackward0` could be left over for printing. But the object is there, and it leads on.",
        "all of it": "`k` still has its `grad_fn`, so perhaps nothing happened. Then a second "
        "`k.backward()` would work; it does not, since the node no longer has its 2.",
        "node and edges, but not the number 2": "What the node saved is freed. The node itself "
        "is a small object that `k` refers to, and it stays like any other.",
    },
    run=lambda: {"freed": "node and edges, but not the number 2", "kept": "all of it"}[
        state(after_one_backward(), "other")
    ],
)

# %% twin=true at="04.left"
node = after_one_backward()
print(node.name(), "->", node.next_functions[0][0].name())
print("the number 2:", state(node, "other"))
print("the leaf:    ", node.next_functions[0][0].variable)

# %% [markdown]
# The node is there, its edge is there, and at the end of the edge the leaf, although nobody here
# has a name for it. Only what was saved is gone. (A Python number counts as saved: `p * 2` refuses
# a second backward as `p * q` does.)
#
# So is the documentation correct, asks the thread. Read it like this: **the saved tensors of
# the nodes that ran are released; nodes and edges stay until the last tensor that refers to them
# goes.** "The graph will be freed" promises more than happens; it means the bytes that matter.
#
# ```
# names          tensors -> storages            nodes
# -----          -------------------            -----
# k, m --------> [k       4 B] --grad_fn------> (MulBackward0)   2: ( freed )
#                                                     |
#                                                     v
# p -----------> [p       4 B] <--variable----- (AccumulateGrad)
# ```
#
# Which leads to the thread's real question: why keep nodes whose saved tensors are gone? There are
# four answers.
#
# 1. Nobody *keeps* them. `k.grad_fn` is a reference, and to get rid of the node one would have to
#    reach into a tensor that is yours.
# 2. They can still be of use. Here two losses share the node of `v + 1`, which saved nothing; the
#    first backward has passed through it already.


# %% twin=true at="04.shared"
def two_losses():
    v = mg.ones(3, requires_grad=True)
    shared = v + 1
    first, second = shared.sum(), (shared * 2.0).sum()
    first.backward()
    second.backward()
    return v.grad


print(two_losses())

# %% [markdown]
# 1 from the first loss and 2 from the second. Had the first backward taken the nodes away, the
# second could not have reached `v`.
#
# 3. A node that cannot run any more can say so: the error of lesson 05 is raised by a node which is
#    still there and knows what it lacks.
# 4. It is cheap. How cheap? Here is the data, in U: a chain of a thousand additions, each of which
#    saves nothing, and one of a thousand tanh.


# %% twin=true at="04.cost"
def thousand(step):
    start = mg.memory_allocated()
    y = x @ w
    for _ in range(1000):
        y = step(y)
    forward = mg.memory_allocated() - start
    y.sum().backward()
    after = mg.memory_allocated() - start
    return f"{forward // 8192:>5,} U before backward, {after // 8192} U after it"


print("plus 1:", thousand(lambda y: y + 1.0))
print("tanh:  ", thousand(lambda y: y.tanh()))

# %% [markdown]
# After backward the same 1 U is left in both cases: `y`, which we hold. A thousand nodes hold no
# data at all; what they do cost is the memory of small Python objects.
#
# The answer in the thread gives another reason: graphs are kept because one can export them and
# run inference with them. No. A node knows how to go backward only; there is no forward in it
# that one could run, and it cannot even be stored:

# %% twin=true at="04.pickle"
import pickle

try:
    pickle.dumps(after_one_backward())
except TypeError as error:
    print(error)

# %% [markdown]
# What people export is another object, made from the code of the model (`torch.export` and
# `torch.compile` today; `torch.jit` at the time of the thread); see lesson 08.
#
# The thread ends with a way out, `detach()`, which gives the same bytes without the node, and with
# an explanation why it works: `k` lives in the loop, so after the loop the garbage collector takes
# `k` and its graph. Test both halves.

# %% twin=true at="04.detach"
for i in range(1):
    p = mg.tensor([3.0 + i], requires_grad=True)
    k = p * 2
    k.backward()
    m = k.detach()
print(m.requires_grad)
print(m)
print("k after the loop:", k)

# %% [markdown]
# A `for` loop is no scope: `k` is still bound after it, with its node. So the detached `m` alone
# frees no graph; it just does not keep one alive. And when the last name does go, no collector
# is needed. We switch the collector off and watch the leaf `p`: once its own name is deleted,
# only the graph of `k` holds it, so it is alive just as long as that graph.

# %% twin=true at="04.collector"
import gc


def drop_the_last_name():
    p = mg.tensor([3.0], requires_grad=True)
    k, watch = p * 2, weakref.ref(p)
    del p
    print("with k:      leaf alive", watch() is not None)
    del k
    print("without k:   leaf alive", watch() is not None)


gc.disable()
drop_the_last_name()
gc.enable()

# %% [markdown]
# Gone in the very statement that dropped the name. Python counts references and deletes at zero;
# the collector is only there for circles, and a graph has none unless you build one (lesson 07).
#
# **Try it.** In the cell of the two losses, write `shared = v * 2.0`. Now the shared node has
# something to lose, and the second backward raises the error that lesson 05 is about.

# %% [markdown]
# ## 5. Who still holds it?
# Thread 000 tried the other way to save memory: not waiting for backward, but deleting the
# intermediate result by hand. It multiplies three matrices, `d = a @ b`, `e = d @ c`, and finds
# that `del d` gives nothing back. Lesson 02 told you why: where `c` wants a gradient, the node of
# `d @ c` saved `d`. Now we follow the bytes to the end.


# %% twin=true
def chain(c_wants_gradient):
    a = mg.zeros(32, 64, requires_grad=True)
    b = mg.zeros(64, 128, requires_grad=True)
    c = mg.zeros(128, 256, requires_grad=c_wants_gradient)
    start, points = mg.memory_allocated(), []
    d = a @ b
    e = d @ c
    points.append(("d and e", mg.memory_allocated() - start))
    del d
    points.append(("del d", mg.memory_allocated() - start))
    del e
    return points + [("del e", mg.memory_allocated() - start)]


# %% [markdown]
# By hand: `d` is 32 x 128 x 4 = 16,384 B, `e` is 32 x 256 x 4 = 32,768 B. (The inputs `a`, `b` and `c`
# stay throughout and are not counted.) When `del d` has given nothing back, what will `del e` give?

# %% solo="prediction"
predict(
    "04.del-e",
    "`c` wants a gradient, `del d` gave back 0 B. How many does `del e` give back?",
    {
        "0 B": "If `del` did nothing for `d`, why should it for `e`? But `del` did do "
        "something: it erased one of two arrows. For `e` it erases the only one.",
        "32,768 B": "The bytes of `e` itself. They do go. But something else was hanging on "
        "`e`, and on nothing but `e`.",
        "49,152 B": "`e` and `d` together. `e` held its node, the node held `d`; when `e` went, "
        "the node went, and with it the last arrow to `d`.",
    },
    run=lambda: f"{chain(True)[1][1] - chain(True)[2][1]:,} B",
)

# %% twin=true at="04.chain"
curve({"c wants a gradient": chain(True), "c is only data": chain(False)}, "Two dels")

# %% [markdown]
# The thread concluded that deleting is impossible. It is not; but `del` frees nothing by itself. It
# erases one arrow, from a name. The bytes go with the *last* arrow, whoever holds that one:
#
# ```
# names          tensors -> storages          nodes
# -----          -------------------          -----
# e -----------> [e  32,768 B] --grad_fn----> (MmBackward0) --> (MmBackward0)
#                                                   |
# d --- del ---  [d  16,384 B] <-------self---------+
# ```
#
# This makes one question more useful than all others: *who still holds it?* PyTorch cannot answer
# it in one call. Two tools can: `mg.memory.saved(e)` lists what the graph of `e` saved, and
# `whoholds.who(t)` lists everybody who keeps the bytes of `t` alive, as a path that can be typed:
# a name, a place in a list, a chip of a node. Here is a smaller chain.


# %% solo="saved() is minigrad's own" at="04.holders"
def who_holds_d():
    a = mg.zeros(32, 64, requires_grad=True)
    c = mg.zeros(64, 256, requires_grad=True)
    d = a * 2.0
    e = d @ c
    print(mg.memory.saved(e))
    print("\nholders of d:")
    print(whoholds.who(d))


who_holds_d()

# %% [markdown]
# The first list gives each node, what it calls what it saved, and its bytes (`a leaf` would stay without the
# graph as well). Two arrows lead to `d`: your name, and the node of the product, which calls
# its left factor `self`. Delete the name and one is left. In your own PyTorch code you ask in your
# head, in this order: which names (also `self.something`, lists, closures)? Which nodes saved it,
# and which tensor do I hold that leads to these nodes? And, in a notebook, one more, which is next.
#
# **Try it.** Before the `print` lines in `who_holds_d` add `shelf = [d, d.view(-1)]` and read the
# list of holders again: a list is a holder, and so is a view.

# %% [markdown]
# ## 6. Ghosts of the notebook
# You have dropped every name, backward has run, no node is left, and the bytes are still there. A
# **ghost** is a tensor that the notebook itself holds. There are two kinds.
#
# The first comes from an innocent habit: ending a cell with a name, to look at it.

# %% solo="a notebook's Out[] is not torch's business"
from IPython import get_ipython

before = mg.memory_allocated()
ghost = x * 2.0
watch = weakref.ref(ghost)
ghost

# %% solo="a notebook's Out[] is not torch's business" at="04.out"
ghost = None
print(f"still alive:        {mg.memory_allocated() - before:,} B")
shown = get_ipython().user_ns
print("is it in Out?     ", any(value is watch() for value in shown["Out"].values()))
print("is it _ ?         ", shown["_"] is watch())

# %% [markdown]
# You dropped your name and nothing came back. Whatever a cell shows as its last line, the
# notebook keeps: in `Out[n]`, in `_n` (n is the cell's number), and the last three also in `_`,
# `__` and `___`. `del` on your own name cannot touch those. In a training session each look at an
# activation adds one ghost, and if the tensor has a `grad_fn`, its whole graph comes along.
#
# To get rid of such ghosts there is a command, `%reset -f out`, the first line below. It empties
# `Out`, but alone it does not help: names such as `_` may still lead to the ghost. So the loop
# deletes every such name, among yours (`user_ns`) and the notebook's own (`user_ns_hidden`).

# %% solo="a notebook's Out[] is not torch's business" at="04.reset"
get_ipython().displayhook.flush()
for names in (get_ipython().user_ns, get_ipython().user_ns_hidden):
    for name in [name for name, value in names.items() if value is watch()]:
        del names[name]
print("still alive:", watch() is not None)

# %% [markdown]
# Better not to make them. The cells of this course obey one rule: **end a memory cell
# with a call that returns None**, such as `print(...)`. What is None is neither shown nor kept. A
# semicolon at the end of the last line does it too.
#
# The second kind of ghost comes from errors. This function makes 1 U, and fails while it holds it.

# %% twin=true
seen = []


def fail():
    big = x * 3.0
    seen.append(weakref.ref(big))
    raise RuntimeError("stopped on purpose")


def caught():
    try:
        fail()
    except RuntimeError:
        pass
    return "nothing is left" if seen[-1]() is None else "it stays alive"


# %% solo="prediction"
predict(
    "04.caught",
    "We call `fail()` inside `try: ... except RuntimeError: pass`. What about `big` afterwards?",
    {
        "it stays alive": "An error remembers where it happened, with all local variables of the "
        "functions it passed through, and an error can leak memory in this way. But here the error "
        "itself is gone once the `except` block is done, and it takes its memories along.",
        "nothing is left": "The error object dies at the end of the `except` block; with it goes "
        "the last reference to the frame of `fail`, and so does `big`.",
    },
    run=caught,
)

# %% twin=true at="04.try"
try:
    fail()
except RuntimeError as error:
    print(error)
print("big is alive:", seen[-1]() is not None)

# %% [markdown]
# And the same call with nobody to catch the error, as it happens on a bad day:

# %% solo="the notebook keeps the traceback, not the engine" raises="RuntimeError"
fail()

# %% solo="the notebook keeps the traceback, not the engine" at="04.traceback"
print(f"big is alive: {seen[-1]() is not None}, with {seen[-1]().nbytes:,} B")
print(whoholds.who(seen[-1]()))

# %% [markdown]
# An error that nobody caught is kept by the notebook, so that you can debug it afterwards. The
# error holds its traceback, the traceback holds the frame of `fail`, and the frame holds the local
# variable `big`. After an out-of-memory error in a training step this may be the entire step, with
# its graph. It stays until the *next* uncaught error takes its place, and then some more: the old
# error and the frames it holds form a circle, so it waits for the garbage collector.
#
# **Try it.** Run `1 / 0` in a new cell, `import gc; gc.collect();` in another, and then the cell
# above again: it fails, for `big` is gone and there is nothing to ask for its bytes.
#
# ### The same in PyTorch
# Five lines. They print `True`, then `0.76... True`, and the last line ends in the error that you
# read in section 2.
#
# ```python
# import torch
#
# y = torch.ones(2, requires_grad=True).tanh()
# print(y.grad_fn._saved_result is not None)   # saved
# y.sum().backward()
# print(y[0].item(), y.grad_fn is not None)    # your y, its node: both there
# y.grad_fn._saved_result                      # freed: RuntimeError
# ```
#
# ### Three things you can trust
# Backward lets go node by node, so its curve is a triangle. What you hold stays, and what nobody
# saved was never kept. Nodes and edges stay until the last tensor that leads to them goes.

# %% twin=true at="04.asserts"
y = (x @ w).tanh()
z, values, halfway = y.tanh(), y.tolist(), []
nodes = [y.grad_fn, z.grad_fn]
y.register_hook(lambda grad: halfway.extend(state(node, "result") for node in nodes))
z.sum().backward()

assert halfway == ["kept", "freed"]
assert y.tolist() == values and state(y.grad_fn, "result") == "freed"
assert z.grad_fn.next_functions[0][0] == y.grad_fn
print("all three hold")

# %% [markdown]
# What was simplified: a node takes memory of its own, and we did not count it. With millions of tiny
# tensors one must. The freeing itself is one line of `minigrad/core/backward.py`,
# `node._release(freed)`, between running a node and handing its gradients on.
#
# **Next:** a node that has let go of something cannot run again. Which nodes can? What does
# `retain_graph=True` keep, and what does it cost? Lesson 05.

# %% [markdown] card="held_by_chain"
# ### What does this chain hold?
# A chain of elementwise steps begins at a leaf `x` of shape `(rows, columns)`, float32. Each step
# rebinds the one name `y`: `"tanh"` is `y = y.tanh()`, `"exp"` is `y = y.exp()`, `"double"` is
# `y = y * 2` and `"square"` is `y = y * y`. Then comes `y.sum().backward()`, whose result nobody
# names.
#
# Return two numbers of bytes, besides those of `x` and `x.grad`: alive **before** that last line, and
# alive **after** it. Work them out by hand; a formula that makes no tensor is asked for.
#
# *When it passes you can read off a forward pass what it will hold, without running it.*


# %% exercise="held_by_chain" kind="predict" difficulty=2 minutes=8
def held_by_chain(steps, rows, columns):
    """(bytes before backward, bytes after) of `steps` such as ["tanh", "double"]."""
    ### BEGIN SOLUTION
    unit = rows * columns * 4
    saved = 0
    for i, step in enumerate(steps):
        by_its_own_node = step in ("tanh", "exp")
        by_the_next_node = steps[i + 1 : i + 2] == ["square"]
        last = i == len(steps) - 1  # the name y
        saved += by_its_own_node or by_the_next_node or last
    return saved * unit, unit
    ### END SOLUTION


# %% check="held_by_chain"
check(held_by_chain)

# %% [markdown] hint="held_by_chain"
# Walk along the chain and ask of each result: who still points at it? Its own node, the next node,
# or the name `y`?

# %% [markdown] hint="held_by_chain"
# `tanh` and `exp` keep their *result*, `y * y` keeps its *input* (both factors are one storage),
# `y * 2` keeps no tensor of yours. A result with two holders is still there once.

# %% [markdown] hint="held_by_chain"
# Count the results with `step in ("tanh", "exp")` or `next step == "square"` or `it is the last`;
# each is `rows * columns * 4` bytes. Afterwards only the last holder of the three is left.

# %% [markdown] why="held_by_chain"
# **Why.** A result lives as long as anybody points at it. There are three who may: the node that made
# it (if the derivative is easiest from the result), the node that used it (if the derivative needs
# the input), and a name. Backward takes away the first two, whichever they are. It never takes away
# a name, so 1 unit stays. `x` does not count here, though a first `square` points at it.

# %% [markdown] card="forgetful_step"
# ### A step that forgets nothing
# This training step was written by somebody careful: it retains the graph "to be safe" and logs the
# loss "as it is". After a hundred steps a hundred graphs are alive. Repair it, so that a step leaves
# behind one Python float in `log`, the gradient in `w.grad`, and no byte more. Bytes are what
# counts: how you come to that is up to you. So is whether gradients add up from step to step or
# each step begins with `w.grad = None`. Within a step the peak is at most 5.5 U and the gradient,
# where U is the bytes of `x @ w`.
#
# *When it passes, the curve of a training loop is a saw with flat feet.*


# %% exercise="forgetful_step" kind="repair" difficulty=1 minutes=5
def forgetful_step(x, w, log):
    """One forward and backward of sum(tanh(x @ w) ** 2).

    Appends the loss to `log` as a float.
    """
    ### BEGIN SOLUTION
    y = (x @ w).tanh()
    loss = (y * y).sum()
    loss.backward()
    log.append(loss.item())
    ### STUB
    # y = (x @ w).tanh()
    # loss = (y * y).sum()
    # loss.backward(retain_graph=True)
    # log.append(loss)
    ### END SOLUTION


# %% check="forgetful_step"
check(forgetful_step)

# %% [markdown] hint="forgetful_step"
# The names `y` and `loss` end with the call. What does not?

# %% [markdown] hint="forgetful_step"
# `log` outlives the call. Follow the arrows from what you append to it: tensor, `grad_fn`, nodes,
# saved tensors. And who had these saved tensors kept after backward?

# %% [markdown] hint="forgetful_step"
# Leave `retain_graph` out, and append `loss.item()`: a float points at nothing.

# %% [markdown] why="forgetful_step"
# **Why.** One of the two mends is enough to save most of the bytes, and neither is enough to save
# all. Without `retain_graph` the nodes drop what they saved, but the logged loss still holds 4 B and
# its nodes. With `.item()` alone nothing holds the graph, so even a retained graph dies with the
# call: retaining is a promise to the graph, not to its bytes.

# %% [markdown] card="graph_report"
# ### Which is freed, which is not?
# Write the tool that thread 003 asked for. Given a root (a loss, or any result), walk its graph and
# count the nodes: those that still have everything they saved (`"kept"`), those whose saved tensors
# are gone (`"freed"`), and those that never saved a tensor (`"nothing"`). Each node counts once.
#
# A node's saved tensors answer to attributes that begin with `_saved_`. Reading one that was freed
# raises a `RuntimeError`. Values that are no tensors (sizes, numbers, `None`) do not count. Banned
# here: `course.pictures`.
#
# *When it passes you can ask any graph the question of this lesson.*


# %% exercise="graph_report" kind="write" difficulty=3 minutes=10
def graph_report(root):
    """{"kept": n, "freed": n, "nothing": n} over all nodes from `root.grad_fn` on."""
    ### BEGIN SOLUTION
    counts = {"kept": 0, "freed": 0, "nothing": 0}
    seen, waiting = set(), [root.grad_fn]
    while waiting:
        node = waiting.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        waiting += [parent for parent, _ in node.next_functions]
        counts[state_of(node)] += 1
    return counts


def state_of(node):
    """ "kept", "freed" or "nothing" for one node."""
    found = "nothing"
    for name in dir(node):
        if name.startswith("_saved_"):
            try:
                value = getattr(node, name)
            except RuntimeError:
                return "freed"
            found = "kept" if isinstance(value, mg.Tensor) else found
    return found
    ### END SOLUTION


# %% check="graph_report"
check(graph_report)

# %% [markdown] hint="graph_report"
# Two jobs: reach every node once, and judge one node. Write the second as a function of its own.

# %% [markdown] hint="graph_report"
# Keep a list of nodes that wait and a set of those you have seen; `next_functions` holds pairs, and
# the node in a pair may be `None`. Calling yourself for each node fails on a deep graph.

# %% [markdown] hint="graph_report"
# For one node: `for name in dir(node): if name.startswith("_saved_")`, then `try: getattr(node,
# name)`, `except RuntimeError: return "freed"`; it is `"kept"` if a value was a tensor.

# %% [markdown] why="graph_report"
# **Why.** The graph is made of nodes, and nodes stay (section 4); so the question "is it freed?" is
# asked of what a node saved, never of the node. Three answers are needed, since a node such as
# `AddBackward0` has nothing to free: that is also why it may run twice. A list that waits in place
# of a recursive call is what real engines use, because graphs are deeper than Python's stack.

# %% [markdown] card="alive_line_by_line"
# ### Line by line, in PyTorch
# You have never seen this snippet. How many bytes of tensors are alive after each of its last six
# lines, 1 to 6, besides those of `a` and `a.grad`?
#
# ```python
# import torch
#
# a = torch.ones(rows, columns, requires_grad=True)
#
# b = a.exp()
# c = b + 1
# d = c * b
# del b, c
# e = d.sum()
# e.backward()
# ```
#
# Work them out by hand; a function that makes no tensor is asked for.
#
# *When it passes you can tell what a `del` in a forward pass is good for.*


# %% exercise="alive_line_by_line" kind="predict+transfer" difficulty=2 minutes=6
def alive_line_by_line(rows, columns):
    """A list of six numbers of bytes, of the last six lines; a float has 4."""
    ### BEGIN SOLUTION
    unit = rows * columns * 4
    after_exp = unit  # b, which its node saves too
    after_add = after_exp + unit  # c: a node of + saves nothing, but the name c holds it
    after_mul = after_add + unit  # d, and its node saves c and b
    after_del = after_mul  # the nodes still hold b and c
    after_sum = after_del + 4  # e
    after_backward = unit + 4  # d and e have names; b and c had only the graph
    return [after_exp, after_add, after_mul, after_del, after_sum, after_backward]
    ### END SOLUTION


# %% check="alive_line_by_line"
check(alive_line_by_line)

# %% [markdown] hint="alive_line_by_line"
# Draw the three columns (names, tensors, nodes) and add one arrow per line. Which arrows does the `del` take away?

# %% [markdown] hint="alive_line_by_line"
# `exp` saves its result; `c * b` saves both factors; `b + 1` and `sum` save no tensor. `e` has a
# single element.

# %% [markdown] hint="alive_line_by_line"
# Write `unit = rows * columns * 4`. Going down: `unit`, one more, one more, the `del` changes
# nothing, `+ 4`; and backward leaves what still has a name.

# %% [markdown] why="alive_line_by_line"
# **Why.** `del b, c` takes away two names, and no bytes: the node of `exp` holds `b`, the node of `*`
# holds both. It is not useless, though. Backward drops the nodes' arrows, and because no name is
# left, these 2 units go at that moment; with the names alive they would stay until the function ends.
