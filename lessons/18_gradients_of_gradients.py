# %% [markdown]
# # 18  Gradients of gradients
# An elective. Some losses are made of gradients: the penalty that keeps a critic's slope near 1, a
# training step that is itself trained, the curvature of a loss. Each of them needs a gradient that
# can be differentiated again, and PyTorch makes one if you say `create_graph=True`. It is one
# argument. It multiplies what a step keeps, it can leave a ring in memory that nobody collects, and
# where you forget it the program runs on and trains something else.
#
# You know the pieces: a graph keeps what its nodes saved (lesson 04), a plain backward frees it
# (lesson 05), `autograd.grad` returns gradients and writes no `.grad` (lesson 09). New is only that
# a backward can have a graph too.
#
# The set-up cell has the data `x` (64 x 32 x 4 = 8,192 B, 1 U), a weight `w` of half a U, and `v`, a
# last layer that makes one number of each row. Their `.grad` is made beforehand. `critic` is the net
# of sections 2 and 3.

# %% twin=true
import minigrad as mg
from course.lesson import attempt, predict, price, same_gradients

x = mg.arange(2048.0).view(64, 32) / 2048
w = mg.full((32, 32), 0.01, requires_grad=True)
v = mg.full((32, 1), 0.5, requires_grad=True)
w.grad, v.grad = mg.zeros(32, 32), mg.zeros(32, 1)
U, grad, functional = x.nbytes, mg.autograd.grad, mg.autograd.functional


def critic(h, layers):
    for _ in range(layers):
        h = (h @ w).tanh()
    return h @ v


# %% [markdown]
# ## 1. What does create_graph=True do?
# Take three numbers and their cubes. The gradient of the sum is `3 * a**2`. Ask for it twice, first
# as always, then with the argument.

# %% twin=true at="18.first"
a = mg.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = (a**3).sum()
(g,) = grad(y, [a], retain_graph=True)
print("as always:   ", g.tolist(), " wants a gradient:", g.requires_grad)
(g,) = grad(y, [a], create_graph=True)
print("create_graph:", g.tolist(), " wants a gradient:", g.requires_grad)
(h,) = grad(g.sum(), [a])
print("again:       ", h.tolist())

# %% [markdown]
# The numbers are the same. But the second tensor has a history. So it can be differentiated like any
# other, and out comes `6 * a`. A backward computes with tensors, mostly products. Usually none of it
# is recorded, as under `no_grad`. With `create_graph=True` it is. That is all the argument does.
#
# Here is the graph of `g`. It ends in the leaf, and all its other nodes were made by the backward.

# %% twin=true at="18.graph"
from course.pictures import graph

a = mg.tensor([1.0, 2.0, 3.0], requires_grad=True)
(g,) = grad((a**3).sum(), [a], create_graph=True)
graph(g, a=a)

# %% [markdown]
# The backward of the cube computes `grad * (3 * a**2)`: a power and two products, each with a node of
# its own. There is no second table with second derivatives. The formula of a first derivative is
# made of operations, and each of these has a derivative.
#
# For some operations PyTorch computes the backward in one go. Then it has one node, whose name is
# that of the first with another `Backward` behind it. (relu's is named after the threshold.) You meet
# such names in error messages.


# %% twin=true at="18.names"
def nodes_of(op):
    a = mg.ones(64, 32, requires_grad=True)
    y = op(a)
    (g,) = grad(y.sum(), [a], create_graph=True)
    return f"{y.grad_fn.name():18} and its backward: {g.grad_fn.name()}"


for op in (mg.tanh, mg.sigmoid, mg.relu, mg.exp, mg.square):
    print(nodes_of(op))

# %% [markdown]
# `create_graph=True` also retains. The nodes of the first backward lead to nodes of the graph that it
# walked, and the next backward needs what these saved. Where you say nothing about `retain_graph`, it
# is what `create_graph` is. The second backward below is a plain one, and frees.

# %% twin=true at="18.implied"
a = mg.ones(3, requires_grad=True)
y = a.tanh().sum()
(g,) = grad(y, [a], create_graph=True)
print("y again, after create_graph:", attempt(lambda: grad(y, [a], retain_graph=True)))
print("g, by a plain backward:     ", attempt(lambda: grad(g.sum(), [a])))
print("y again, after that:        ", attempt(lambda: grad(y, [a])))

# %% [markdown]
# Nobody walked `y` twice, but the backward of `g` ran a node of `y`. `g` was computed from the result
# of the tanh, so its graph leads to the node that made this result. The two graphs share that node,
# and it has let go. If you need both, add the losses and walk once, or retain. (The gradient of the
# cube uses `a` alone. Its graph has no old node, and there `y` passes.)
#
# Now the bytes. We take one tanh of 1 U. After its forward 1 U is held, the result that the node
# saved; a plain `grad` would free it and return 1 U of gradient. And with `create_graph`?


# %% twin=true
def one_tanh():
    a = x.clone().requires_grad_()
    before = mg.memory_allocated()
    y = a.tanh().sum()
    (g,) = grad(y, [a], create_graph=True)
    del y
    return (mg.memory_allocated() - before) // U


# %% solo="prediction"
predict(
    "18.drop-y",
    "`y = a.tanh().sum()`, then `(g,) = grad(y, [a], create_graph=True)`, then `del y`. `a` has "
    "1 U. How much is held beside `a` while `g` is there?",
    {
        "1 U": "This is `g` itself, and one would be right without `create_graph`. But `g` was "
        "computed from the result of the tanh, and its graph has saved it.",
        "2 U": "`g`, and the result of the tanh. `del y` drops one root of two. The graph of `g` "
        "leads to the node of the tanh, so this node lives as long as `g` does.",
        "0 U": "`y` is a root, and a graph goes with its root (lesson 09). But here are two roots: "
        "`g` leads to the node of the tanh too.",
    },
    run=lambda: f"{one_tanh()} U",
)

# %% [markdown]
# The view opens when `y` loses its name. `g` still leads to the node of the tanh, which keeps its
# result. The next line is a plain backward; step on, and all nodes that it reaches let go.

# %% solo="the view" at="18.step"
# %%step --at "the name y is gone" --title "A backward that was recorded"
a = x.clone().requires_grad_()
y = a.tanh().sum()
(g,) = mg.autograd.grad(y, [a], create_graph=True)
del y
(h,) = mg.autograd.grad(g.sum(), [a])
del g

# %% [markdown]
# Stack several. A plain backward through L layers of tanh makes L gradients, and each goes as soon
# as the next node has used it. A recorded one keeps them, for each is saved by the node that used
# it: `TanhBackwardBackward0` saves the gradient that came in (`grad_output`), and the result of the
# tanh, whose bytes it shares with the old node.


# %% twin=true
def chain(layers):
    a = x.clone().requires_grad_()
    before, h = mg.memory_allocated(), a
    for _ in range(layers):
        h = h.tanh()
    y = h.sum()
    (g,) = grad(y, [a], create_graph=True)
    return (mg.memory_allocated() - before) // U


# %% solo="prediction"
predict(
    "18.chain",
    "Eight layers of tanh, each result 1 U. After forward 8 U are held. How many are held after "
    "`(g,) = grad(y, [a], create_graph=True)`, `g` among them? (The input `a` does not count.)",
    unit="U",
    why="Eight results and eight gradients: seven that are saved on the way, and `g`. The gradient "
    "that came into the last layer is that of the sum, one number for all.",
    wrong={
        8: "This is the forward alone. A recorded backward keeps the gradients that it makes.",
        9: "The eight results, and `g`. This is right if the backward is not recorded but retains. "
        "A recorded one saves the gradients on the way too.",
        24: "As if results were saved a second time. The new nodes save the same tensors as the "
        "old ones; a tensor's bytes count once.",
    },
    run=lambda: chain(8),
)

# %% twin=true at="18.chain-form"
for layers in (1, 2, 4, 8):
    print(f"L = {layers}: {chain(layers):2} U")
    assert chain(layers) == 2 * layers

# %% [markdown]
# So **2 L**, in place of L. The rule of thumb: a recorded backward keeps what a plain one makes and
# drops. What a plain one *makes* depends on the layers, as the next section shows.
#
# **Try it.** Print `one_tanh()` with and without the line `del y`. Then put `a.square()` in place of
# the tanh: it saves its input, which is there anyway.

# %% [markdown]
# ## 2. What does a gradient penalty cost?
# A critic is a net that gives each row one number. To keep it from jumping, one wants its slope to be
# about 1: at points `p` between real and generated data one takes the gradient of the critic's
# score, and adds `(|g| - 1)**2` to the loss, the mean over the rows. This is the gradient penalty of
# the WGAN-GP paper. The gradient is taken with respect to the data, and the loss made of it is for
# the weights. So the gradient needs a history.
#
# Two steps: an ordinary one on the score, and one with the penalty. `p` is a new leaf each time, as
# the points are new in each step.


# %% twin=true
def penalty_of(g):
    return ((g.norm(dim=1) - 1) ** 2).mean()


def ordinary(layers):
    p = x.clone().requires_grad_()
    return critic(p, layers).mean()


def penalised(layers):
    p = x.clone().requires_grad_()
    score = critic(p, layers)
    (g,) = grad(score.sum(), [p], create_graph=True)
    return score.mean() + 10 * penalty_of(g)


# %% [markdown]
# `price` is that of lesson 09: it runs a forward and its backward, and gives the bytes held in
# between, the highest point, and the products of matrices, backward's too.

# %% twin=true at="18.bill"
print("            U held           U highest        products")
print("layers      1   4   8  16    1   4   8  16    1   4   8  16")
for step in (ordinary, penalised):
    bills = [price(step, layers) for layers in (1, 4, 8, 16)]
    held = "".join(f"{bill.held // U:4}" for bill in bills)
    highest = "".join(f"{bill.highest // U:4}" for bill in bills)
    products = "".join(f"{bill.products:4}" for bill in bills)
    print(f"{step.__name__:9}{held} {highest} {products}")

# %% [markdown]
# Three times the bytes, and twice the products. Both can be said beforehand. For L layers, in U:
#
# - `ordinary` holds the points `p` and L results of tanh: **L + 1**.
# - `penalised` holds these too. Its recorded backward makes two gradients a layer. One goes into the
#   tanh and is saved by `TanhBackwardBackward0`. The other comes out of it, and the node of the
#   product saves it, for `w` wants a gradient of this product as well: 2 L. And there is `g` itself:
#   **3 L + 2**.
# - A layer has 1 product in forward and 2 in backward. `penalised` has as many once more: its
#   recorded backward has 1 a layer, and that has 2 in its own backward.
#
# Little is kept beyond: two numbers for each row in `penalty_of`, and the one number that the sum
# hands on.

# %% twin=true at="18.formula"
for layers in (1, 4, 8, 16):
    plain, with_penalty = price(ordinary, layers), price(penalised, layers)
    more = with_penalty.held - plain.held - (2 * layers + 1) * U
    print(f"L = {layers:2}: {more} B beyond")
    assert plain.held // U == layers + 1 and with_penalty.held // U == 3 * layers + 2
    assert plain.products == 3 * layers + 3 and with_penalty.products == 6 * layers + 5

# %% [markdown]
# Now for what goes wrong. Somebody leaves out `create_graph=True`, or writes `g.detach()`, perhaps
# since a line elsewhere complained. The penalty is computed, its number is right, and it is logged.


# %% twin=true
def forgotten(layers):
    p = x.clone().requires_grad_()
    score = critic(p, layers)
    (g,) = grad(score.sum(), [p], retain_graph=True)
    return score.mean() + 10 * penalty_of(g)


def detached(layers):
    p = x.clone().requires_grad_()
    score = critic(p, layers)
    (g,) = grad(score.sum(), [p], create_graph=True)
    return score.mean() + 10 * penalty_of(g.detach())


# %% solo="prediction"
predict(
    "18.forgotten",
    "`forgotten` has no `create_graph=True`. Its loss is the same number as that of `penalised`. "
    "Which gradient does `loss.backward()` leave in `w`?",
    {
        "the same": "The penalty is part of the loss, one sees it in the number. But a gradient "
        "follows nodes, not numbers, and `g` has none.",
        "that of the score alone": "`g` is a constant: it has no `grad_fn`. So its penalty is one "
        "as well, and a constant has the gradient 0. Nothing says so.",
        "an error": "The loss as a whole wants a gradient, for the score does. Only if the penalty "
        "were all of the loss, backward would complain that nothing requires grad.",
    },
    run=lambda: (
        "that of the score alone"
        if same_gradients([w, v], lambda: forgotten(2).backward(), lambda: ordinary(2).backward())
        else "the same"
    ),
)

# %% twin=true at="18.silent"
for step in (penalised, forgotten, detached):
    ways = [lambda s=s: s(2).backward() for s in (step, penalised, ordinary)]
    penalty, none = same_gradients([w, v], *ways[:2]), same_gradients([w, v], *ways[::2])
    print(f"{step.__name__:9} loss {step(2).item():.2f}, ", end="")
    print(f"trains as penalised: {penalty}, as without penalty: {none}")

# %% [markdown]
# Three times the same loss, and in two of them the penalty trains nothing. Of these `detached` is the
# worse: it pays for the graph of the gradient and then cuts it off. The same happens with
# `g.data`, with `penalty.item()` in a sum, and if the penalty is computed under `no_grad`.
#
# Ask the *penalty* whether it has a history, before it disappears in the sum. Alone it complains.

# %% twin=true at="18.ask"
p = x.clone().requires_grad_()
score = critic(p, 2)
(g,) = grad(score.sum(), [p], retain_graph=True)
print("loss:   ", (score.mean() + penalty_of(g)).requires_grad)
print("penalty:", penalty_of(g).requires_grad)
print("penalty.backward():", attempt(penalty_of(g).backward))

# %% [markdown]
# `detach` has its right place, too: at the points. `p` should be a leaf, or the penalty would train
# whatever made the points. A line such as `p = mix.detach().requires_grad_()` says so, and costs
# nothing, for `detach` shares the bytes.
#
# **Try it.** Take the penalty with respect to `w` instead: `(g,) = grad(score.mean(), [w],
# create_graph=True)` and `(g * g).sum()`. It punishes steep places of the loss. Are the bytes of 8
# layers more or fewer than those of the table?

# %% [markdown]
# ## 3. Whose ring is it?
# `loss.backward()` can record as well. Then PyTorch warns. It does so once in a process, so search for
# other places yourself. (It adds the place in its own code, which `told` leaves out.)


# %% twin=true at="18.warning"
import warnings


def told(call):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    return [str(one.message).split(" (Triggered")[0] for one in caught]


leaf = mg.ones(3, requires_grad=True)
(warning,) = told(lambda: (leaf**3).sum().backward(create_graph=True))
leaf.grad = None
print(warning.replace(". ", ".\n"))
warnings.simplefilter("ignore", UserWarning)  # known by now

# %% [markdown]
# Where is that cycle? `backward` writes the gradient into the leaf's `.grad`. With a history the
# gradient leads to its graph, the graph ends in the AccumulateGrad of the leaf, and that node holds
# the leaf, as it must know where to write:
#
# ```
# p (leaf) --.grad--> the gradient --.grad_fn--> nodes of the backward
#    ^                                                   |
#    |                                                   v
#    +--- AccumulateGrad <--- nodes of the forward, and all they saved
# ```
#
# A ring keeps itself alive: each of its parts is held by another one, so counting references frees
# none of them (lesson 01). Let us see it in the step that people write first. It takes the gradient
# from `p.grad`. The weights' `.grad` is set to None, as `optimizer.zero_grad()` does it.
#
# `growth` runs a step five times, and says after each how many U there are more than before.
# Meanwhile the collector is off: otherwise it runs when it likes.


# %% twin=true
def by_backward():
    p = x.clone().requires_grad_()
    critic(p, 1).sum().backward(create_graph=True)
    (p.grad**2).sum().backward()
    w.grad = v.grad = None


# %% twin=true
import gc


def growth(step, times=5):
    gc.collect()
    gc.disable()
    w.grad = v.grad = None
    before, found = mg.memory_allocated(), []
    for _ in range(times):
        told(step)  # the warning, taken in
        found.append(round((mg.memory_allocated() - before) / U, 1))
    gc.enable()
    w.grad, v.grad = mg.zeros(32, 32), mg.zeros(32, 1)
    return found


# %% solo="prediction"
predict(
    "18.ring",
    "`by_backward` makes a new `p` of 1 U in each step, and resets the weights' gradients. No name "
    "survives the step. After each of five steps, with the collector off, how many U are there more?",
    {
        "0, 0, 0, 0, 0": "No name leads there any more, and the last backward was a plain one: it "
        "freed what the nodes saved. But freed are saved tensors. `p` and `p.grad` are not saved, "
        "they are held.",
        "2, 4, 6, 8, 10": "Per step `p` and `p.grad`. What the nodes saved is freed by the second "
        "backward; the ring itself is left. `zero_grad` resets weights, and `p` is none.",
        "2, 2, 2, 2, 2": "As if the next step's ring took the place of the last one. But each step "
        "makes a `p` of its own, and each of them has its own ring.",
    },
    run=lambda: ", ".join(f"{size:g}" for size in growth(by_backward)),
)

# %% [markdown]
# The leak is not in the weights, of which the warning speaks as "the parameter". An optimizer resets
# those. It is in the leaf that no optimizer knows. There are two ways out, and the warning names both.


# %% twin=true
def by_grad():
    p = x.clone().requires_grad_()
    (g,) = grad(critic(p, 1).sum(), [p], create_graph=True)
    (g**2).sum().backward()
    w.grad = v.grad = None


def by_none():
    p = x.clone().requires_grad_()
    critic(p, 1).sum().backward(create_graph=True)
    (p.grad**2).sum().backward()
    w.grad = v.grad = p.grad = None


# %% twin=true at="18.ways-out"
for step in (by_backward, by_grad, by_none):
    print(f"{step.__name__:11}", growth(step))

# %% [markdown]
# `autograd.grad` is the better one. It writes into nobody, so no arrow from `p` closes a ring. And
# `backward` sends the score's gradient into `w.grad` too, where nobody asked for it: the step above
# trains on that as well.
#
# Here is the ring. The view opens when `p` has lost its name.

# %% solo="the view" at="18.step-ring"
# %%step --at "the name p is gone" --title "A ring through .grad"
gc.disable()  # no collector for now
p = x.clone().requires_grad_()
p.tanh().sum().backward(create_graph=True)
del p

# %% [markdown]
# Can the collector help? In minigrad it can: all of it is Python, and the collector sees all arrows.
# In PyTorch it cannot. Nodes and the arrow from a tensor to its `.grad` are C++ objects, and Python's
# collector does not see that they form a ring. What you lose there is lost until the process ends.

# %% solo="a recorded run of PyTorch: its collector does not see the ring" at="18.never"
from course.on_torch import on_torch

gc.collect()
before = mg.memory_allocated()
left = growth(by_backward)[-1]
gc.collect()
then = (mg.memory_allocated() - before) // U
print(f"minigrad, before gc.collect(): {left:.0f} U, after it: {then} U")
on_torch("ring_of_grad")

# %% [markdown]
# One more growth has the same cause and is no ring. Let a weight's `.grad` stand from step to step,
# as in accumulation. The new gradient is added to the old one, and the sum is recorded. So the graph
# of each step hangs on the next one.


# %% twin=true at="18.accumulate"
def accumulating():
    critic(x, 1).sum().backward(create_graph=True)


print("kept from step to step:", growth(accumulating))

# %% [markdown]
# **Try it.** Write `gc.collect()` as the last line of `by_backward`, and run the cells below it again.
# Then put `p.grad.detach_()` in place of `p.grad = None` in `by_none`. Does that open the ring? What
# is left of it?

# %% [markdown]
# ## 4. How do you ask a Hessian a question?
# The **Hessian** of a loss has the second derivatives of all pairs of weights: n weights, n x n
# numbers. `w` has 1,024 of them, so its Hessian has 4 MiB, and that of a million weights 4 TB. Nobody
# wants to see these numbers. One wants their product with a vector: how does the gradient change if
# I go in this direction?
#
# The product needs no Hessian. `g` is a function of `w`, and a backward from `g` with the
# gradient `d` gives the sum of all second derivatives, weighted with `d`. That is the product, and it
# costs two backwards, one of them recorded. To compare, `functional.hessian` makes all of it; `cost`
# gives what comes back, the highest point and the products.


# %% twin=true
def loss_of(w):
    return (x @ w).tanh().sum()


def product_with(d, at):
    (g,) = grad(loss_of(at), [at], create_graph=True)
    return grad(g, [at], d)[0]


# %% twin=true
def cost(call, *given):
    before = mg.memory_allocated()
    mg.reset_peak_memory_stats()
    with mg.memory.count_ops() as counted:
        found = call(*given)
    highest = mg.max_memory_allocated() - before
    return f"{found.nbytes:8,} B back {highest:9,} B highest {counted.matmuls:5} products"


# %% solo="prediction"
predict(
    "18.products",
    "`product_with` has one product of matrices in forward, and two backwards. The full Hessian of "
    "32 x 8 weights, 256 of them: how many products does `functional.hessian` need?",
    {
        "4": "As many as one product with a vector. But each row of the Hessian is the gradient of "
        "one element of `g`, and so a backward of its own.",
        "514": "The forward and the recorded backward have one each. Then each of the 256 rows is a "
        "backward from one element of `g`, with two.",
        "65,536": "One for each number? A backward gives a whole row at once.",
    },
    run=lambda: cost(functional.hessian, loss_of, mg.full((32, 8), 0.01)).split()[-2],
)

# %% twin=true at="18.hessian"
for columns in (2, 4, 8):
    small = mg.full((32, columns), 0.01, requires_grad=True)
    d = mg.ones(32, columns)
    print(f"{32 * columns:4} weights, Hessian", cost(functional.hessian, loss_of, small))
    print("             product", cost(product_with, d, small))

# %% [markdown]
# Twice the weights: four times the bytes and twice the products for the Hessian. The product with a
# vector comes back in the size of the weights, and has four products always.
#
# - The Hessian comes back in **4 n² bytes**, and at its highest point there are the rows and, stacked
#   from them, the result: about twice as much.
# - The product has **4 n** bytes. On its way it needs what any recorded backward needs.
#
# And they agree: the Hessian as a matrix, times the direction as a column, is the product. There are
# ready-made ones. `functional.vhp` multiplies from the other side, which is the same for a smooth
# loss; `functional.hvp` takes a third backward to do it from this one.

# %% twin=true at="18.agree"
small, d = mg.full((32, 4), 0.01, requires_grad=True), mg.ones(32, 4)
full = functional.hessian(loss_of, small).view(128, 128)
ours = product_with(d, small)
theirs = (full @ d.view(128, 1)).view(32, 4)
print("as the Hessian says:", mg.allclose(theirs, ours, rtol=1e-3))
for ready in (functional.vhp, functional.hvp):
    same = mg.allclose(ready(loss_of, small, d)[1], ours, rtol=1e-3)
    print(ready.__name__, same, cost(lambda f: f(loss_of, small, d)[1], ready))

# %% [markdown]
# **Try it.** `product_with` records its graph anew for each direction. For ten directions at one
# place: make `g` once, and take ten backwards from it. Which argument does the second `grad` then
# need, and how many products are saved?

# %% [markdown]
# ## 5. Can a training step be differentiated?
# In **meta-learning** the weights are trained so that *one more step* from them is good. So the loss
# is computed after the step, and its gradient has to go back through the step: through `w - lr * g`,
# and through `g`. That is an ordinary graph if `g` was recorded, and if the step makes a new tensor
# in place of writing into `w`.


# %% twin=true
def adapted(steps, record):
    fast = w
    for _ in range(steps):
        inner = (x @ fast).tanh().mean()
        (g,) = grad(inner, [fast], create_graph=record)
        fast = fast - 0.5 * g
    return (x @ fast).tanh().sum()


# %% [markdown]
# The last `fast` leads through a subtraction to its own `g` and to the `fast` before it, and so on to
# `w`. How much does it keep?

# %% twin=true at="18.inner"
print("              U held       U highest    products")
print("steps         0   1   4   8   0   1   4   8   0   1   4   8")
for name, record in (("recorded", True), ("constant", False)):
    bills = [price(adapted, steps, record) for steps in (0, 1, 4, 8)]
    cells = [bill.held // U for bill in bills] + [bill.highest // U for bill in bills]
    cells += [bill.products for bill in bills]
    print(f"{name:10}", "".join(f"{cell:4}" for cell in cells))

# %% [markdown]
# `recorded` holds **1 + 2 K** for K steps, in U: of each step the result of its tanh and the gradient
# that came into it. `constant`, without `create_graph`, holds 1 whatever K is. Each inner graph is
# freed in its own step, and all that is left of it are subtractions, which save nothing.
#
# `constant` is a method, too. It takes `g` for a constant, and is called first-order MAML. But it is
# another gradient:

# %% twin=true at="18.first-order"
for steps in (0, 1, 4):
    ways = [lambda r=r, k=steps: adapted(k, r).backward() for r in (True, False)]
    print(f"K = {steps}, the same gradient:", same_gradients([w], *ways))

# %% [markdown]
# Nobody can tell from outside whether it was meant or the argument was forgotten. Ask
# `g.requires_grad` in a test.
#
# And if the step is written as an optimizer writes it, in place?


# %% twin=true at="18.in-place"
def in_place():
    fast = w.clone()
    (g,) = grad((x @ fast).tanh().mean(), [fast], create_graph=True)
    with mg.no_grad():
        fast -= 0.5 * g
    return (x @ fast).tanh().sum()


print("in place, no_grad:", attempt(lambda: in_place().backward()))
ways = [lambda: in_place().backward(), lambda: adapted(1, False).backward()]
print("as the constant step:", same_gradients([w], *ways))

# %% [markdown]
# It passes, and is the constant step again: under `no_grad` the subtraction has no node, so nothing
# leads to `g`, and what `create_graph` recorded is dropped unused. `optimizer.step()` works in the
# same way. That is why libraries for meta-learning bring optimizers of their own, whose step
# returns new tensors.
#
# What keeps a chain of steps alive is the name of the last `fast`, nothing else. If you only want to
# *use* the adapted weights, as in evaluation, take `fast.detach()` and let the chain go.
#
# **Try it.** Give `adapted` a list, and append each `fast` to it, as one does to plot them. What does
# it cost when `record` is true, and when it is false?

# %% [markdown]
# ## 6. Does your own operation have a second derivative?
# In lesson 07 you wrote backward by hand. Under `create_graph=True` it is run with recording on. If
# it is written with tensors, its operations have nodes, and all is well. Two things can go
# wrong. Here is a square, written three ways.


# %% twin=true
class Square(mg.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        ctx.save_for_backward(a)
        return a * a

    @staticmethod
    def backward(ctx, grad):
        (a,) = ctx.saved_tensors
        return 2 * a * grad


# %% [markdown]
# `Prepared` is clever: it computes `2 * a` in forward, to have it ready. It keeps as many bytes, and
# spares backward a product.


# %% twin=true
class Prepared(mg.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        ctx.save_for_backward(2 * a)
        return a * a

    @staticmethod
    def backward(ctx, grad):
        (slope,) = ctx.saved_tensors
        return slope * grad


# %% [markdown]
# `Once` is marked: it says that it has no second derivative. The first derivative of all three is
# right. `second_of` asks for the second one of `a * a * a`, with the operation for the square. It
# should be `6 * a`.


# %% twin=true
class Once(Square):
    @staticmethod
    @mg.autograd.function.once_differentiable
    def backward(ctx, grad):
        (a,) = ctx.saved_tensors
        return 2 * a * grad


def second_of(op):
    a = mg.tensor([1.0, 2.0, 3.0], requires_grad=True)
    (g,) = grad((op.apply(a) * a).sum(), [a], create_graph=True)
    return grad(g.sum(), [a])[0].tolist()


# %% solo="prediction"
predict(
    "18.prepared",
    "`Prepared.apply(a) * a`, at a = 1, 2, 3. Its first derivative is right: 3, 12, 27. What is the "
    "second? It should be 6, 12, 18.",
    {
        "6, 12, 18": "Backward is made of recorded operations, one may think, so all is recorded. "
        "But `2 * a` was computed in forward, and forward is not recorded (lesson 07).",
        "4, 8, 12": "`slope` came out of an unrecorded forward, so for the second derivative it is "
        "a constant. The part that goes through it is missing, without a word.",
        "an error": "It would be kinder. But a saved tensor without a history is nothing unusual: "
        "all data are of this kind.",
    },
    run=lambda: ", ".join(f"{value:g}" for value in second_of(Prepared)),
)

# %% twin=true at="18.own"
for op in (Square, Prepared, Once):
    print(f"{op.__name__:8}", second_of(op))

# %% [markdown]
# `Prepared` is wrong, and says nothing. What backward uses must be an input or an output of the
# operation, for these have a history; anything in between is a constant to it. So save the input,
# and compute in backward. (If what lies in between is expensive, return it as a second output.)
#
# And `Once` is wrong as well, though it was marked! What `once_differentiable` does is to hang a
# node behind the gradient that raises when it runs. `grad(..., [a])` runs only nodes that lead to
# `a`. This one leads nowhere, so it is left out with all that lies behind it. A `backward()` runs
# everything, and meets it.


# %% twin=true at="18.once"
def once(last):
    a = mg.tensor([1.0, 2.0, 3.0], requires_grad=True)
    (g,) = grad((Once.apply(a) * a).sum(), [a], create_graph=True)
    return attempt(lambda: last(g.sum(), a))


print("grad(..., [a]):", once(lambda y, a: grad(y, [a])))
print("backward():    ", once(lambda y, a: y.backward()))

# %% [markdown]
# So rely on neither. `gradgradcheck`, the sister of `gradcheck`, compares second derivatives with
# differences of first ones. Each operation of your own deserves one. It needs float64, as differences
# need the digits.


# %% twin=true at="18.check"
def is_right(check, op):
    a = mg.tensor([1.0, 2.0, 3.0], dtype=mg.float64, requires_grad=True)
    try:
        return check(op.apply, (a,))
    except RuntimeError:
        return False


for op in (Square, Prepared, Once):
    first = is_right(mg.autograd.gradcheck, op)
    second = is_right(mg.autograd.gradgradcheck, op)
    print(f"{op.__name__:8} gradcheck: {first}  gradgradcheck: {second}")

# %% [markdown]
# **Try it.** Save `a.detach()` in `Square`. It is the same number and the same bytes. Which of the
# two checks notices?

# %% [markdown]
# ### The same in PyTorch
# Six lines below the import. They print `True`, `False` and `[6.0, 12.0]`.
#
# ```python
# import torch
#
# a = torch.tensor([1.0, 2.0], requires_grad=True)
# g, = torch.autograd.grad((a ** 3).sum(), a, create_graph=True)
# print(g.requires_grad)                  # g has a history
# k, = torch.autograd.grad((a ** 3).sum(), a)
# print(k.requires_grad)                  # k is a constant
# print(torch.autograd.grad(g.sum(), a)[0].tolist())
# ```
#
# ### Three things you can trust
# A backward of a gradient frees the old nodes that it reaches. Without `create_graph` a penalty is a
# constant. `autograd.grad` writes nowhere, so it closes no ring.

# %% twin=true at="18.asserts"
a = mg.ones(3, requires_grad=True)
y = a.tanh().sum()
(g,) = grad(y, [a], create_graph=True)
grad(g.sum(), [a])
assert attempt(y.backward) != "passes"

(k,) = grad(a.tanh().sum(), [a])
assert not (k * k).sum().requires_grad
assert a.grad is None
print("all three hold")

# %% [markdown]
# What was simplified: our critic has one weight for all its layers, and its activation is a tanh.
# Other layers make other numbers of gradients on their way; measure yours with `price`. And the
# bytes of nodes themselves are in none of these tables, though a recorded backward makes many.
#
# **Next:** you can say now what a graph keeps, and what the graph of its backward keeps. What about
# a whole transformer block?

# %% [markdown] card="held_with_gradient"
# ### What does the second graph hold?
# You have never seen this program. `steps` is a list such as `["tanh", "minus", "square"]`.
#
# ```python
# import torch
#
# h = a = torch.full((64, 32), 0.01, requires_grad=True)   # 1 U
# for step in steps:
#     h = {"tanh": torch.tanh, "exp": torch.exp, "minus": torch.neg,
#          "shift": lambda h: h + 1, "square": lambda h: h * h}[step](h)
# y = h.sum()
# del h
# g, = torch.autograd.grad(y, [a], create_graph=True)
# ```
#
# How many U are held beside `a` after `del h`, and how many after the last line, `g` among them?
# Return both, `[forward, with_g]`, as whole numbers. At least one step saves something. Do not run it.
#
# *When it passes you can say what a penalty will cost before you write it.*


# %% exercise="held_with_gradient" kind="predict+transfer" difficulty=2 minutes=12
def held_with_gradient(steps):
    """[U held after forward, U held with the recorded gradient]"""
    ### BEGIN SOLUTION
    kept, current = set(), "a"
    for place, step in enumerate(steps):
        if step in ("tanh", "exp"):
            kept.add(place)
        if step == "square":
            kept.add(current)
        current = place
    forward = len(kept - {"a"})
    gradients, full = 0, False
    for step in reversed(steps):
        if step in ("tanh", "exp", "square"):
            gradients += full
        full = full or step != "shift"
    return [forward, forward + gradients + 1]
    ### END SOLUTION


# %% check="held_with_gradient"
check(held_with_gradient)

# %% [markdown] hint="held_with_gradient"
# First the forward, by the table of lesson 06: who saves a result, who an input, who nothing? Then
# walk back, and ask of each gradient: has the node that used it saved it?

# %% [markdown] hint="held_with_gradient"
# `h * h` saves `h`, the tensor that the step before made; it may be saved already, or be `a`. On the
# way back a node that saved something in forward saves its incoming gradient too. The gradient of a
# sum is one number for all; a shift passes on what it gets.

# %% [markdown] hint="held_with_gradient"
# With g: the forward's U, 1 for `g`, and 1 for each step that saves and whose incoming gradient is
# full. It is full as soon as any step above it is not a shift.

# %% [markdown] why="held_with_gradient"
# **Why.** The formula of such a backward is `grad * something made of what was saved`. To
# differentiate a product one needs both factors. The second factor is held already; the first is the
# gradient, and that is new. `minus` and `shift` multiply by a constant, so nothing of theirs is
# needed, and a gradient that only they have used is gone at once.

# %% [markdown] card="critic_step"
# ### A penalty without a ring
# This step trains on `critic(p).mean() + 10 * penalty`, where `p` has the values of `points` and the
# penalty is the mean of `(|g| - 1)**2` over the rows, `g` the gradient of the score's sum at `p`. It
# was meant to. But the weights get something else, and each step leaves bytes behind, which only the
# collector could free. Repair it, so that nobody has to call the collector. One score is enough: L
# layers may take 6 L + 5 products. `points` wants no gradient, and the weights have a `.grad` to which
# the step adds.
#
# *When it passes you can train a critic all night.*


# %% exercise="critic_step" kind="repair" difficulty=2 minutes=8
def critic_step(points, critic):
    """Adds its gradients to the weights of the critic; returns nothing."""
    ### BEGIN SOLUTION
    p = points.detach().requires_grad_()
    score = critic(p)
    (slope,) = mg.autograd.grad(score.sum(), [p], create_graph=True)
    size = slope.norm(dim=1)
    (score.mean() + 10 * ((size - 1) ** 2).mean()).backward()
    ### STUB
    # p = points.detach().requires_grad_()
    # score = critic(p)
    # score.sum().backward(create_graph=True)
    # size = p.grad.norm(dim=1)
    # (score.mean() + 10 * ((size - 1) ** 2).mean()).backward()
    ### END SOLUTION


# %% check="critic_step"
check(critic_step)

# %% [markdown] hint="critic_step"
# Into which `.grad` does the first backward write? Who else needs these, and what do they lead to?

# %% [markdown] hint="critic_step"
# It writes into `p.grad`, which closes the ring, and into each weight's `.grad`, where the score's sum
# has no business. One function gives a gradient with a history and writes nowhere.

# %% [markdown] hint="critic_step"
# `(slope,) = mg.autograd.grad(score.sum(), [p], create_graph=True)` in place of the backward, and
# `slope` in place of `p.grad`.

# %% [markdown] why="critic_step"
# **Why.** One line did three things: it gave `p.grad`, it added the score's sum to what the weights
# train on, and it tied each leaf to its own graph. The first was wanted. With
# `backward(create_graph=True, inputs=[p])` the second is gone and the ring is not, until
# `p.grad = None`. `autograd.grad` does the first and nothing else.

# %% [markdown] card="hessian_products"
# ### Curvature in many directions
# `loss(w)` gives one number, and takes one product of matrices. Return a list with the product of its
# Hessian at `w` and each of `directions`, which have the shape of `w`. No Hessian is made: the peak is
# at most 8 U and the results, where U has the bytes of the activation. The first gradient is computed
# once for all. The results have no history, and `w.grad` stays as it was.
#
# *When it passes you can look at the curvature of a net of any size.*


# %% exercise="hessian_products" kind="write" difficulty=2 minutes=10
def hessian_products(loss, w, directions):
    """[Hessian of `loss` at w, times d] for each d of `directions`, in the shape of w."""
    ### BEGIN SOLUTION
    (slopes,) = mg.autograd.grad(loss(w), [w], create_graph=True)
    return [mg.autograd.grad(slopes, [w], d, retain_graph=True)[0] for d in directions]
    ### END SOLUTION


# %% check="hessian_products"
check(hessian_products)

# %% [markdown] hint="hessian_products"
# Section 4 does it for one direction. Which of its lines does not depend on the direction?

# %% [markdown] hint="hessian_products"
# The recorded gradient is made once. Each direction then takes a backward from it, and none of these
# may free the graph while another one is to come.

# %% [markdown] hint="hessian_products"
# `(slopes,) = grad(loss(w), [w], create_graph=True)`; then, for each `d`,
# `grad(slopes, [w], d, retain_graph=True)[0]`.

# %% [markdown] why="hessian_products"
# **Why.** A backward multiplies a direction by all derivatives at once, and a Hessian is nothing but
# the derivatives of the gradient. So each question costs a backward, and the answer has the size of
# the weights. `create_graph=True` in the second call would retain too, and give each result a history
# that nobody asked for; it is the same habit as retaining everything in lesson 05.

# %% [markdown] card="fast_weights"
# ### Steps that can be differentiated
# `fast_weights(inner, w, rate, steps, exact)` takes `steps` steps of descent on `inner`, from `w`, and
# returns the weights where they end. `w` stays as it is. A loss computed with the result has a
# gradient at `w`: with `exact` the true one, through all steps; otherwise that of first order, for
# which the gradient of each step is a constant. In first order the result keeps no bytes but
# its own. `inner(weights)` gives one number.
#
# *When it passes you can train the start of a training.*


# %% exercise="fast_weights" kind="write" difficulty=3 minutes=12
def fast_weights(inner, w, rate, steps, exact):
    """The weights after `steps` steps from w; they lead back to w."""
    ### BEGIN SOLUTION
    for _ in range(steps):
        (slope,) = mg.autograd.grad(inner(w), [w], create_graph=exact)
        w = w - rate * slope
    return w
    ### END SOLUTION


# %% check="fast_weights"
check(fast_weights)

# %% [markdown] hint="fast_weights"
# A step is `new = old - rate * gradient`. Of which of the three names does each kind of gradient
# want a history?

# %% [markdown] hint="fast_weights"
# Of `old`, always: so no `detach` of the weights, no write in place, no `no_grad` around the step. Of
# `gradient`, only if it is exact.

# %% [markdown] hint="fast_weights"
# `(slope,) = mg.autograd.grad(inner(w), [w], create_graph=exact)`, then `w = w - rate * slope`, in a
# loop. The name `w` moves on; the caller's tensor does not.

# %% [markdown] why="fast_weights"
# **Why.** The chain of `w - rate * slope` leads back to the first `w` in any case, and saves nothing.
# What costs bytes are the graphs that hang on the slopes, one a step. `create_graph=False` lets each
# of them go in its own step, and the price is the part of the gradient that went through them.
