# %% [markdown]
# # 03  Walking back
# Your program made a graph of nodes, and now you call `loss.backward()`. One line, and a moment
# later the weights have gradients. In this lesson you slow that line down: which node runs first,
# what happens where two paths meet, where a gradient stays and where it is gone again, and what
# each node must have kept from the forward to be able to do its part.
#
# The set-up cell has the data `x` (64 x 32 floats = 8,192 B = 1 U) and the weight `w`. It brings
# `nodes(root)`, which lists every node that can be reached from `root`, each once, and `graph`.

# %% twin=true
from collections import Counter

import minigrad as mg
import whoholds.step  # brings the cell magic %%step
from course.pictures import graph, nodes
from course.predict import predict

x = mg.arange(2048.0).view(64, 32) / 2048
w = mg.full((32, 32), 0.01, requires_grad=True)

# %% [markdown]
# ## 1. In which order do the nodes run?
# To see that, we need a word from each node when its turn comes. `node.register_hook(f)` asks for
# one: the node will call `f`, a hook, when it has run, with what it hands on and with what it
# received. Our hook prints the shapes of both.


# %% twin=true
def shapes(gradients):
    return ", ".join("None" if g is None else str(tuple(g.shape)) for g in gradients)


def watch(node):
    name = type(node).__name__

    def tell(handed_on, received):
        got, on = shapes(received), shapes(handed_on) or "nothing"
        print(f"{name:<14} got {got}, hands on {on}")

    node.register_hook(tell)


# %% [markdown]
# And here is the running example with such a hook on each node.


# %% twin=true at="03.steps"
def watched_example():
    h = x @ w
    y = h.tanh()
    loss = y.sum()
    for node in nodes(loss.grad_fn):
        watch(node)
    loss.backward()


watched_example()

# %% [markdown]
# Read it line by line. The walk begins at the last operation, `sum`. It received a gradient with
# the shape `()`: one single number. That is the **start gradient**, the derivative of the loss by
# itself, so it is 1. From it `SumBackward0` made the gradient for `y`, of the shape of `y`. The
# `tanh` made from that the gradient for `h`. And the product made two: `None` for the data `x`,
# which wants none, and a 32 x 32 gradient for `w`. The last node has nobody to hand anything on
# to. It put what it got into `w.grad`.
#
# So each node does one small thing: from the gradient of its output it makes the gradients of its
# inputs. The start gradient is filled in for you only if there is a single number to start from.
# Otherwise you have to say which start you mean:

# %% twin=true at="03.start"
a = mg.tensor([1.0, 2.0, 3.0], requires_grad=True)
b = a * a
try:
    b.backward()
except RuntimeError as error:
    print("error:", error)
b.backward(mg.tensor([1.0, 10.0, 100.0]))
print(a.grad)

# %% [markdown]
# The derivative of a * a is 2 a, so 2, 4, 6, and each came out multiplied by the start you gave.
# That is as if the loss had been `b[0] + 10 * b[1] + 100 * b[2]`.
#
# In a chain there is not much choice of order. Here is a graph with two branches; its four lines
# are numbered. `order` lists the names of the nodes as they run.


# %% twin=true
def two_branches():
    a = mg.tensor(1.0, requires_grad=True)
    b = mg.tensor(2.0, requires_grad=True)
    p = a.cos()  # line 1
    q = b.exp()  # line 2
    r = q.sin()  # line 3
    return p + r  # line 4


# %% twin=true
def order(result):
    visits = []
    for node in nodes(result.grad_fn):
        name = type(node).__name__
        node.register_hook(lambda *_, name=name: visits.append(name))
    result.backward()
    return visits


# %% solo="prediction"
predict(
    "03.order",
    "`AddBackward0` runs first. In which order do the nodes of the other three operations follow?",
    {
        "Cos, Sin, Exp": "The first input first, or the two neighbours of the addition first: that "
        "is how one reads a drawing of the graph. But the engine has no drawing. It goes by age.",
        "Sin, Cos, Exp": "Taking turns between the branches sounds fair. But after `sin` has run, "
        "two nodes are waiting, `cos` of line 1 and `exp` of line 2, and the newer one goes first.",
        "Sin, Exp, Cos": "Lines 3, 2, 1. Of all nodes that can run, the newest does.",
    },
    run=lambda: ", ".join(n[:3] for n in order(two_branches()) if n[:3] in ("Cos", "Sin", "Exp")),
)

# %% twin=true at="03.newest"
print(*order(two_branches()), sep=", ")

# %% [markdown]
# A node is **ready** when all gradients that it waits for have arrived. Of the ready nodes the newest
# runs first. A line that uses a result comes after the line that made it, so the walk goes through
# your lines from the last to the first, like a film run backwards.
#
# Only the two `AccumulateGrad` do not fit into the film. They belong to no line, and they jump the
# queue: as soon as one is ready, it runs. So `b` had its gradient before `cos` even began.
#
# **Try it.** In `two_branches`, swap lines 1 and 2. You should see `cos` overtake `exp`,
# though not a single number in the result has changed.

# %% [markdown]
# ## 2. What if two paths meet?
# Now a value that is used twice. `b` goes into `b * 5` and into `-b`, and both go into one sum.
# `arrivals` lists what each node received when it ran.


# %% twin=true
def diamond():
    a = mg.tensor(3.0, requires_grad=True)
    b = a**2
    return a, b * 5 + -b


def arrivals(result):
    seen = []
    for node in nodes(result.grad_fn):
        name = type(node).__name__
        node.register_hook(lambda _, got, name=name: seen.append((name, got[0].item())))
    result.backward()
    return seen


# %% [markdown]
# Two paths lead from the root to the node of `b`, and so the drawing is a diamond:
#
# ```
#                 (AddBackward0)
#                 /            \
#               1                1
#               v                v
#       (MulBackward0)      (NegBackward0)
#               5               -1
#                 \            /
#                  v          v
#                 (PowBackward0)        the node of b = a ** 2
#                       |
#                       v
#                (AccumulateGrad)  --variable-->  a
# ```
#
# Two gradients are on their way to `PowBackward0`: a 5 from one side and a -1 from the other.

# %% solo="prediction"
predict(
    "03.diamond",
    "What does `PowBackward0` receive? The list has one entry for each time that it runs.",
    {
        "[5.0, -1.0]": "Two paths, two visits: this is the chain rule as we learn it, a sum over "
        "all paths. The result would even be right. You will see what it costs.",
        "[-1.0]": "`-b` is newer than `b * 5`, so its gradient arrives first, and the node could go "
        "at once. But then the 5 would come too late: the node has run.",
        "[4.0]": "The node waits until both have arrived, and they are added up before it runs.",
    },
    run=lambda: [got for name, got in arrivals(diamond()[1]) if name == "PowBackward0"],
)

# %% twin=true at="03.waits"
a, out = diamond()
for name, got in arrivals(out):
    print(f"{name:<14} got {got}")
print("a.grad is", a.grad.item())

# %% [markdown]
# One visit, with 5 + -1 = 4. A **consumer** of a node is an operation that used its result, and so
# sends it a gradient. A node waits for all of its consumers and runs once, with the sum. By hand:
# out = 5 b - b = 4 b, b = a ** 2, so the slope at a = 3 is 4 x 2 x 3 = 24.
#
# Why is it worth waiting? Suppose nobody did. A node is a function; you may call it yourself with
# a gradient, `node(grad)`, and get back what it would hand on. So we can write a walker that knows
# nothing of the rest and follows every path to its end.


# %% twin=true
def walk_paths(node, grad, visits):
    visits.append(type(node).__name__)
    handed_on = node(grad)
    if not isinstance(handed_on, tuple):  # one input: the gradient itself
        handed_on = (handed_on,)
    for (target, _), part in zip(node.next_functions, handed_on, strict=True):
        if target is not None:
            walk_paths(target, part, visits)


# %% twin=true at="03.paths"
def by_paths(leaf, result):
    visits = []
    with mg.no_grad():  # the walk itself should not be recorded
        walk_paths(result.grad_fn, mg.tensor(1.0), visits)
    return leaf.grad.item(), visits


gradient, visits = by_paths(*diamond())
print(len(visits), "visits:", ", ".join(visits))
print("a.grad is", gradient)

# %% [markdown]
# The same 24. `AccumulateGrad`, called twice, added its two parts up. But `PowBackward0` worked
# twice as well, and so did all that lies behind it. Now put such doublings in a row: in `ladder`,
# each line uses the result of the line before it twice.


# %% twin=true at="03.ladder"
def ladder(lines):
    a = mg.tensor(1.0, requires_grad=True)
    h = a
    for _ in range(lines):
        h = h + h
    return a, h


graph(ladder(3)[1], "ladder(3)")

# %% twin=true at="03.visits"
for lines in (1, 5, 10):
    gradient, visits = by_paths(*ladder(lines))
    leaf, result = ladder(lines)
    engine, slope = arrivals(result), leaf.grad.item()
    print(f"ladder({lines:>2}) by paths: {len(visits):>4} visits, gradient {gradient}")
    print(f"ladder({lines:>2}) engine:   {len(engine):>4} visits, gradient {slope}")

# %% [markdown]
# Each line doubles the paths. Ten lines have 1 + 2 + 4 + ... + 1,024 = 2,047 visits, against eleven
# nodes that run once each. Fifty lines have about 2 to the power of 51: at a million visits a
# second, some seventy years. A residual connection, `h = h + f(h)`, is such a line.
#
# Now be the engine: click the nodes in its order. The newest stands at the bottom. A wrong choice
# costs nothing but a mistake, and the node tells you why it is wrong.

# %% solo="the game" at="03.play"
from course.play import play

play(
    """a = mg.ones(3, requires_grad=True)
c = mg.ones(3, requires_grad=True)
b = -a
p = -b
q = b + c
loss = (p + q).sum()
del b, p, q
loss.backward()""",
    title="Be the engine: newest first, and complete",
)

# %% [markdown]
# **Try it.** In `ladder`, write `h = h + h + h` in the loop. For ten lines, the engine now visits
# 21 nodes, two for each line and one at the end. Guess the other count before you look.

# %% [markdown]
# ## 3. Could you write it yourself?
# You have all the parts: nodes that can be called, edges, and the rule that a node waits for its
# consumers. To know how long to wait, count how many edges lead to each node. That is one line:


# %% twin=true
def edges_to(root):
    return Counter(target for node in nodes(root) for target, _ in node.next_functions)


# %% [markdown]
# After that, a dozen lines are a backward:


# %% twin=true
def backward_by_hand(root, start):
    waiting, pending, ready = edges_to(root), {root: start}, [root]
    while ready:
        node = ready.pop()
        handed_on = node(pending.pop(node))
        parts = handed_on if isinstance(handed_on, tuple) else (handed_on,)
        for (target, _), part in zip(node.next_functions, parts, strict=True):
            if target is not None:
                pending[target] = pending[target] + part if target in pending else part
                waiting[target] -= 1
                if waiting[target] == 0:
                    ready.append(target)


# %% [markdown]
# `pending` holds the gradients that wait for their node. The line with the plus is the meeting of
# two paths: if something has arrived before, the new part is added to it. And `ready` grows when
# the last consumer of a node has delivered. Does it agree with the engine? Here is our example
# with a fork in it.


# %% twin=true at="03.by-hand"
def compare():
    v = mg.full((32, 32), 0.01, requires_grad=True)
    y = (x @ v).tanh()
    loss = (y * y + y).sum()
    for _ in range(2):
        with mg.no_grad():
            backward_by_hand(loss.grad_fn, mg.tensor(1.0))
        by_hand, v.grad = v.grad, None
    loss.backward()
    print("the same as the engine's:", mg.equal(by_hand, v.grad))


compare()

# %% [markdown]
# The same to the last bit. (`v.grad` is set to `None` after each turn, so that nothing adds up; that is
# the next section.)
#
# Did you notice that we walked the same graph twice by hand, and then a third time with the
# engine? Calling a node uses nothing up. Whoever has tried to call `backward()` twice knows an
# error that says otherwise. So the engine must do something in its walk that our dozen lines do
# not. Keep that thought for lesson 04.
#
# One more difference: our loop takes any ready node, the last of the list. Every order adds the same
# gradients up, so the result is the same, apart from rounding where three or more of them meet. The
# engine's order matters for how long gradients lie around.
#
# If you want to read the real loop, it is `walk` in `minigrad/core/backward.py`, on one screen.
#
# **Try it.** Take the first ready node instead of the last: `ready.pop(0)`. The comparison still
# says `True`.

# %% [markdown]
# ## 4. What happens to a `.grad` that is already there?
# `AccumulateGrad` was called twice by our path walker, and the parts were added up. It does the
# same if the calls come from two different walks. But what exactly is added to what? Suppose you
# kept the first gradient under a name of its own. (The `_version` is explained below the output.)


# %% twin=true
def two_walks():
    v = mg.tensor([1.0, 2.0], requires_grad=True)
    (v**2).sum().backward()
    kept = v.grad
    before = kept.tolist(), kept._version
    (v**2).sum().backward()
    return v, kept, before


# %% solo="prediction"
predict(
    "03.kept",
    "The gradient of `(v**2).sum()` is [2, 4]. You keep it as `kept = v.grad`. Then you write the "
    "same line again, and its backward runs. What is in `kept` now?",
    {
        "[2.0, 4.0]": "It would be, if the second backward put a new tensor into `v.grad`: as a "
        "new sum, or to replace the old one. But no new tensor is made.",
        "[4.0, 8.0]": "The second gradient was added into the bytes of the first. There is one "
        "tensor with two names, `kept` and `v.grad`.",
        "None": "One might expect that each backward begins by clearing the old gradients. It "
        "does not, and that is why an optimizer has a `zero_grad`.",
    },
    run=lambda: two_walks()[1].tolist(),
)

# %% twin=true at="03.in-place"
v, kept, before = two_walks()
print("after one walk:  {}, version {}".format(*before))
print(f"after two walks: {kept.tolist()}, version {kept._version}")
print("still the same tensor:", v.grad is kept)

# %% [markdown]
# Every tensor has a **version counter**. It starts at 0 and goes up by one each time somebody writes
# into the bytes in place. The first gradient was
# simply taken over as `.grad`. The second was added in place, so: same object, version 1.
#
# So `.grad` is a sum over all the walks since it was last empty, just as a node's incoming gradient
# is a sum over its consumers. People use this on purpose: four small batches, four walks, one
# step of the optimizer. And people forget it. This training should bring `v` to 1, and the step is
# chosen so that it gets there at once.


# %% twin=true at="03.zero-grad"
def train(forget):
    v = mg.tensor([0.0], requires_grad=True)
    optimizer = mg.optim.SGD([v], lr=0.5)
    for _ in range(7):
        if not forget:
            optimizer.zero_grad()
        ((v - 1) ** 2).sum().backward()
        optimizer.step()
        yield v.item()


print("with zero_grad:   ", *train(forget=False))
print("without zero_grad:", *train(forget=True))

# %% [markdown]
# Without `zero_grad` it swings around 1 for ever: each step follows the sum of all gradients so
# far, as if `v` were a ball in a bowl without friction. No error, and it even looks like training.
#
# **Try it.** What `zero_grad` does is set `.grad` to `None`. Put `v.grad = None` before the second
# backward in `two_walks`: `kept` stays [2, 4] with version 0, and `v.grad` is another tensor.

# %% [markdown]
# ## 5. Where are the gradients of the tensors in between?
# The walk made a gradient for `y` and one for `h`, and you saw their shapes go by. Afterwards they
# should be in `y.grad` and `h.grad`. We look at such a `.grad`, and print the first sentence of any
# warning that comes with it. We look twice: once as it is, and once where we asked for it before
# the walk, with `y.retain_grad()`.

# %% twin=true
import warnings


def look_at_grad(tensor):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        print("grad:", tensor.grad)
    for warning in caught:
        print("warning:", str(warning.message).split(". ")[0])


# %% twin=true at="03.non-leaf"
def small_example(keep):
    a = mg.tensor([1.0, 2.0], requires_grad=True)
    y = a * 3
    if keep:
        y.retain_grad()
    (y * y).sum().backward()
    look_at_grad(y)


small_example(keep=False)
small_example(keep=True)

# %% [markdown]
# The first time nothing is there: `y` is no leaf, so no `AccumulateGrad` waits for its gradient.
# After `retain_grad()` it is there, and right: y * y has the slope 2 y, and y is 3 and 6.
#
# Why does one have to ask? Look at what it costs. We walk the running example and count the
# bytes that are alive afterwards and were not before.


# %% twin=true at="03.price"
def new_bytes(keep):
    v = mg.full((32, 32), 0.01, requires_grad=True)
    h = x @ v
    y = h.tanh()
    if keep:
        h.retain_grad()
    loss = y.sum()
    before = mg.memory_allocated()
    loss.backward(retain_graph=True)
    return mg.memory_allocated() - before


print(f"as it is:        {new_bytes(keep=False):>6,} B")
print(f"h.retain_grad(): {new_bytes(keep=True):>6,} B")

# %% [markdown]
# The 4,096 B are the gradient of the weight, 32 x 32 x 4. With `retain_grad` there is 1 U more, the
# gradient of `h`. (`retain_graph=True` is there so that the walk does nothing but walk; what
# it turns off is the subject of lesson 04.)
#
# So without `retain_grad` the gradient of `h` was made and was gone again before the walk was over.
# A **gradient in flight** is one that has been handed on and is not yet used. It is a tensor like
# any other, with bytes; when its node has run, nobody refers to it any more. How many of them are
# alive at the same time?


# %% twin=true
def extra_at_peak(op, length):
    h = mg.full((64, 32), 0.5, requires_grad=True)
    for _ in range(length):
        h = op(h)
    loss = h.sum()
    del h  # no names of ours on the chain: the graph alone
    before = mg.memory_allocated()
    mg.reset_peak_memory_stats()
    loss.backward()
    return (mg.max_memory_allocated() - before) // 8192  # in whole U


# %% solo="prediction"
predict(
    "03.flight",
    "Fifty lines `h = -h`, 1 U each, and `h.sum().backward()`. Each of the fifty nodes makes a new "
    "gradient of 1 U. How many U does the walk need, at its highest, on top of what was there?",
    {
        "50 U": "One gradient for each tensor, as if the walk filled in a `.grad` everywhere. Then "
        "backward would be as hungry as forward. But each gradient has one reader, and after it "
        "nobody.",
        "2 U": "While a node runs, it has the gradient that it received and the one that it makes. "
        "Then the first goes, and the second is the next node's.",
        "0 U": "This would be so if the gradients were written over the values of the forward "
        "pass, or into one another. A node never writes into what it received.",
    },
    run=lambda: f"{extra_at_peak(lambda h: -h, 50)} U",
)

# %% twin=true at="03.peak"
for length in (2, 10, 50, 200):
    neg = extra_at_peak(lambda h: -h, length)
    tanh = extra_at_peak(lambda h: h.tanh(), length)
    print(f"{length:>3} x  -h:  {neg} U    tanh:  {tanh} U")

# %% [markdown]
# Two, no matter how long the chain is. Watch them come and go in a chain of three: step through the
# last line. (The tensor without a name is the first `h`; the graph's end holds it.)

# %% solo="the view" at="03.in-flight"
# %%step --title "Gradients in flight"
h = mg.full((64, 32), 0.5, requires_grad=True)
h = -h
h = -h
h = -h
loss = h.sum()
del h
loss.backward()

# %% [markdown]
# So the highest point of a training step is about what the forward has piled up, plus a gradient or
# two in flight (where paths meet, a few more may be waiting), plus the `.grad` of the leaves, which
# stay. How deep the net is does not matter for that part. It matters for what the *forward* piles
# up, and that is what the rest of this course asks about.
#
# But look at the second column of the table above the view. With `tanh` the walk got along with a
# single U on top, though a node of `tanh` receives one gradient and makes another, too. So 1 U must have been given back at
# each step, somewhere. Lesson 04 finds it.
#
# **Try it.** In `small_example`, delete the factor: `y = a`. Then `y` is the leaf itself, and its
# `.grad` is there without a warning, whether you ask for it or not.

# %% [markdown]
# ## 6. What must a node have kept?
# `-h` and `tanh` differ in one more way. The slope of `-h` is -1 everywhere. The slope of `tanh`
# is different in each place, so its node cannot run without knowing something about the values.
# Each operation has a rule of this kind; g is the gradient that comes in:
#
# | forward | gradients handed on | needs |
# |---|---|---|
# | `a + b` | g and g | nothing |
# | `a * b` | g * b and g * a | the other factor |
# | `y = tanh(a)` | g * (1 - y * y) | its own result |
# | `a @ b` | g @ b.T and a.T @ g | the other factor |
#
# A **saved tensor** is one to which a node holds a reference, from the forward until its turn in
# the walk. The node shows it to you under a name that begins with `_saved_`. The helper `saved`
# finds these names, and `show` prints the shape of each tensor, or `empty` where there is a place
# for one and nothing in it.


# %% twin=true
def saved(node):
    names = [name for name in dir(node) if name.startswith("_saved_")]
    found = {name.removeprefix("_saved_"): getattr(node, name) for name in names}
    return {name: t for name, t in found.items() if t is None or isinstance(t, mg.Tensor)}


def show(line, node):
    found = saved(node).items()
    parts = [f"{name} {'empty' if t is None else tuple(t.shape)}" for name, t in found]
    print(f"{line:<10}{', '.join(parts) or 'nothing'}")


# %% [markdown]
# Now the table, checked. The tensor `a` wants a gradient, `b` and `x` are only data. PyTorch calls
# the left operand of an operation `self`, the right one `other` or `mat2`, and the output `result`.

# %% twin=true at="03.saved"
a = mg.full((64, 32), 0.5, requires_grad=True)
b = mg.full((64, 32), 2.0)
show("a + b", (a + b).grad_fn)
show("a * b", (a * b).grad_fn)
show("a.tanh()", a.tanh().grad_fn)
show("x @ w", (x @ w).grad_fn)

# %% [markdown]
# Plus keeps nothing. Times keeps `other`, which is `b`, since that is what the gradient of `a`
# takes; `self` would only be for the gradient of `b`, and nobody wants that. The product keeps `x`
# for the gradient of `w`, and not `w`. **A node saves only what a wanted gradient needs.**
#
# Are these copies? Lesson 01 would say: look whether it is the same object, or the same bytes.

# %% twin=true at="03.same"
y = a.tanh()
print("times: ", (a * b).grad_fn._saved_other is b)
print("tanh:  ", y.grad_fn._saved_result.data_ptr() == y.data_ptr())

# %% [markdown]
# No copies, just one more arrow to bytes that are there anyway. They cost nothing as long as you
# need them yourself. The price shows when you do not: then the node alone keeps them alive. We
# count what a node holds when its inputs and its result have no name any more.


# %% twin=true at="03.bytes"
def held_by_node(op):
    a = mg.full((64, 32), 0.5, requires_grad=True)
    before = mg.memory_allocated()
    node = op(a).grad_fn
    print(f"{node.name():<14} holds {mg.memory_allocated() - before:>5,} B")


held_by_node(lambda a: a + mg.ones(64, 32))
held_by_node(lambda a: a * mg.ones(64, 32))
held_by_node(lambda a: a.tanh())
held_by_node(lambda a: a @ mg.ones(32, 32))

# %% [markdown]
# Nothing for `+`; 1 U for the other factor of `*`; 1 U for the result of `tanh`; and 4,096 B for
# the 32 x 32 factor of `@`. Now to our example, where `w` wants a gradient. `held` collects the
# addresses of everything that its nodes saved, and looks which tensors lie there. (About
# `y.sum()`, guess: does it need any values?)


# %% twin=true
def held():
    h = x @ w
    y = h.tanh()
    loss = y.sum()
    slots = [saved(node).values() for node in nodes(loss.grad_fn)]
    kept = [t for values in slots for t in values if t is not None]
    addresses = [t.data_ptr() for t in kept]
    tensors = {"x": x, "h": h, "y": y, "loss": loss}
    return ", ".join(name for name, t in tensors.items() if t.data_ptr() in addresses)


# %% solo="prediction"
predict(
    "03.holds",
    "`h = x @ w`, `y = h.tanh()`, `loss = y.sum()`. Which of the four tensors "
    "`x`, `h`, `y`, `loss` are saved by a node?",
    {
        "x, h, y, loss": "The graph stores every activation: thread 000 starts from this belief. "
        "But `h` is not in the table. The product needs its factor, `tanh` needs its result.",
        "x, h": "The input of each operation: that is how the chain rule is usually written, "
        "f'(h). But the slope of `tanh` can be had from its result, so `y` is saved, not `h`.",
        "x, y": "`x` for the gradient of `w`, and `y` for the slope of `tanh`. Nobody saved "
        "`h`, and `sum` saved only a shape.",
    },
    run=held,
)

# %% [markdown]
# Here is the picture that lesson 02 left unfinished, with the two arrows that were missing:
#
# ```
# names          tensors -> storages            nodes
# -----          -------------------            -----
# loss --------> [loss    4 B] --grad_fn------> (SumBackward0)
#                                                     |
#                                                     v
# y -----------> [y   8,192 B] --grad_fn------> (TanhBackward0)
#                      ^                          |   |
#                      +------ saved result ------+   |
#                                                     v
# h -----------> [h   8,192 B] --grad_fn------> (MmBackward0)
#                                                 |   |
# x -----------> [x   8,192 B] <-- saved self ----+   |
#                                                     v
# w -----------> [w   4,096 B] <--variable----- (AccumulateGrad)
# ```
#
# Now you can tell what `del h` and `del y` would do. The only arrow that leads to the bytes of `h`
# is its name, so `del h` gives back 1 U, as you measured in lesson 02. `y` has two, and `del y`
# erases one.
#
# See it happen (`v` is a fresh weight). A saved tensor is a label on its node, a *chip*, with an arrow
# to the bytes. In the last line follow the walk from the newest node up, and look at each chip once
# the walk has passed.

# %% solo="the view" at="03.step"
# %%step --title "Saved, and walked"
v = mg.full((32, 32), 0.01, requires_grad=True)
h = x @ v
y = h.tanh()
loss = y.sum()
del h
del y
loss.backward()

# %% [markdown]
# Each node that has run has crossed its chip out. What that means for the bytes is the question of
# lesson 04.

# %% [markdown]
# ### Case file: which of the two factors?
# In thread 003 somebody has understood that a backward frees what lies in between, and asks what
# "in between" means: in a chain of operations that begins with `a` and ends with `o`, are the two
# ends freed, too? The answer given there is still right: position has nothing to do with it. Every
# operation keeps what its own derivative takes. (Lesson 04 goes through that chain node by node.)
#
# The answer's own example is a product in which only `self` wants a gradient, so that only `other`
# should be kept. To prove it, the thread offers a probe: write into one of the factors, in place,
# and see whether backward complains. We rebuild it, with the line that makes `self`, which is
# missing there.


# %% twin=true
def probe(victim, other_wants=False):
    self = mg.ones(10, requires_grad=True).clone()
    other = mg.full((10,), 2.0, requires_grad=other_wants).clone()
    factors = {"self": self, "other": other}
    output = self * other
    factors[victim] += 1
    try:
        output.sum().backward()
        return "passes"
    except RuntimeError as error:
        return str(error).split(" Hint")[0]


# %% twin=true at="03.probe"
print("self += 1: ", probe("self"))
print("other += 1:", probe("other"))

# %% [markdown]
# Writing into `self` does no harm: no node has it. Writing into `other` is noticed when the node
# wants to use it. Together with `other`, the node had saved its version counter, 0; now that is 1,
# so the values are not those of the forward any more, and a wrong gradient would have come out.
# (Why the `clone()`? Writing into a leaf that wants a gradient is forbidden from the start, so the
# probe works on a copy.)

# %% solo="prediction"
predict(
    "03.both",
    "Now `other` wants a gradient as well: `probe('self', other_wants=True)`. What does "
    "`self += 1` do?",
    {
        "passes": "It did a moment ago, and the line is the same. But what a product keeps "
        "depends on who wants a gradient.",
        "raises an error": "The gradient of `other` is g * self. So now `self` is saved, too, and "
        "its version has moved on.",
        "passes, with a wrong gradient for other": "So it would be without the version counter. It "
        "is there to turn this silent mistake into an error.",
    },
    run=lambda: "passes" if probe("self", other_wants=True) == "passes" else "raises an error",
)

# %% [markdown]
# The thread calls its probe a hack that might not always work, and that is true: lesson 06 shows
# writes that it does not notice. Above all, it destroys what it looks at. Today there is a better
# one, and you have used it: ask the node.


# %% twin=true at="03.better-probe"
def ask(other_wants):
    self = mg.ones(10, requires_grad=True)
    other = mg.full((10,), 2.0, requires_grad=other_wants)
    node = (self * other).grad_fn
    kept = node._saved_self is self, node._saved_other is other
    print("self kept:", kept[0], "  other kept:", kept[1])


ask(other_wants=False)
ask(other_wants=True)

# %% [markdown]
# **Try it.** Compare `show("a / b", (a / b).grad_fn)` with `show("b / a", (b / a).grad_fn)`; `a` is
# the one that wants a gradient. One node keeps both operands, the other only the divisor. The
# derivative of b / a by a is -b / a ** 2: can you tell which is which before you run it?
#
# ### The same in PyTorch
# These lines print `None True`, then `tensor([2., 2., 2.]) 0` and `tensor([4., 4., 4.]) 1`.
#
# ```python
# import torch
#
# a, b = torch.ones(3, requires_grad=True), torch.full((3,), 2.0)
# print((a * b).grad_fn._saved_self, (a * b).grad_fn._saved_other is b)
# for _ in range(2):
#     (a * b).sum().backward()
#     print(a.grad, a.grad._version)
# ```
#
# ### Three things you can trust
# A node runs once, with the sum of what its consumers send. A second walk adds into the same
# `.grad`. And a node keeps only what a wanted gradient needs.

# %% twin=true at="03.asserts"
a = mg.tensor([1.0, 2.0], requires_grad=True)
b = a**2
visits = []
b.grad_fn.register_hook(lambda _, received: visits.append(received[0].tolist()))
(b * 5 + -b).sum().backward()
first = a.grad
(a * 3).sum().backward()

assert visits == [[4.0, 4.0]]
assert a.grad is first and first.tolist() == [4 * 2 * 1.0 + 3, 4 * 2 * 2.0 + 3]
assert (a * mg.ones(2)).grad_fn._saved_self is None
print("all three hold")

# %% [markdown]
# **Next:** the walk has gone through, and each node had its turn. Of all the bytes that were kept
# for it, which are free now, which are not, and who is holding on? Lesson 04.

# %% [markdown] card="backward_order"
# ### Who runs when?
# `lines` is a small program, one tuple for each line: `("p", "a")` is `p = a.exp()`, and
# `("r", "p", "q")` is `r = p + q`. A name that no line makes is a leaf, `"a"`, `"b"` or `"c"`; all
# three want a gradient. Backward starts at the result of the **last** line.
#
# Return the names in the order in which their nodes run: the name of a line for the node that it
# made, the name of a leaf for its AccumulateGrad. A node that backward does not reach is left out.
# Make no tensors: go by the rules of section 1.
#
# *When it passes you can play a backward in your head, with the moment at which each `.grad` is
# there.*


# %% exercise="backward_order" kind="predict" difficulty=2 minutes=10
def backward_order(lines):
    """The names of lines and leaves in the order in which backward runs their nodes."""
    ### BEGIN SOLUTION
    needed, made = {lines[-1][0]}, {name for name, *_ in lines}
    for name, *inputs in reversed(lines):
        needed |= set(inputs) if name in needed else set()
    waiting = Counter(one for name, *inputs in lines if name in needed for one in inputs)
    order = []
    for name, *inputs in reversed(lines):  # of all that are ready, the newest
        if name not in needed:
            continue
        order.append(name)
        for one in inputs:
            waiting[one] -= 1
            if waiting[one] == 0 and one not in made:
                order.append(one)  # a leaf jumps the queue
    return order
    ### END SOLUTION


# %% check="backward_order"
check(backward_order)

# %% [markdown] hint="backward_order"
# Three questions: which lines does backward reach, in which order do their nodes run, and when has
# a leaf received all that it waits for?

# %% [markdown] hint="backward_order"
# From the last line to the first, mark what is needed: the inputs of a line that is needed. The
# nodes of the needed lines run from the last line to the first. A leaf comes right after the last of
# the needed lines that use it has run.

# %% [markdown] hint="backward_order"
# Count with a `Counter` how often the needed lines use each name. Go through them in reverse: append
# the name, take 1 off for each input, and if a leaf's count is 0 now, append the leaf.

# %% [markdown] why="backward_order"
# **Why.** Of the nodes that are ready the newest runs first. A consumer is newer than the node whose
# result it used, so when the walk comes to a line, all its consumers have run: it goes through your
# lines backwards and leaves out what the root does not need. An AccumulateGrad is on no line and jumps
# the queue. That is why a weight of the last layer has its gradient long before backward is over.

# %% [markdown] card="grads_and_bytes"
# ### Where gradients stay, in PyTorch
# You have never seen this snippet. How many bytes of tensors are alive after each of its last nine
# lines, besides those of `a`? And what do `kept`, `a.grad` and `c.grad` hold at the end? (`p` and
# `q` are Python numbers.)
#
# ```python
# import torch
#
# a = torch.ones(rows, columns, requires_grad=True)
#
# b = a * p
# c = b * b
# c.retain_grad()
# del b
# (c * q).sum().backward()
# kept = a.grad
# (a * q).sum().backward()
# a.grad = None
# (a * q).sum().backward()
# ```
#
# Return a pair: the list of nine numbers of bytes, and the first elements of `kept`, `a.grad` and
# `c.grad`. Work them out by hand; a formula that makes no tensor is asked for.
#
# *When it passes you know who owns a gradient, and until when.*


# %% exercise="grads_and_bytes" kind="predict+transfer" difficulty=2 minutes=9
def grads_and_bytes(rows, columns, p, q):
    """([nine numbers of bytes], [kept[0, 0], a.grad[0, 0], c.grad[0, 0]])."""
    ### BEGIN SOLUTION
    unit = rows * columns * 4
    units = [
        1,  # b; its node keeps the number p
        2,  # c; its node keeps b
        2,  # retain_grad makes no tensor yet
        2,  # b is held by the node of c
        3,  # b goes; c.grad and a.grad come
        3,  # one more name for a.grad
        3,  # added in place
        3,  # kept still leads to it
        4,  # a.grad was empty, so a new tensor is taken over
    ]
    return [n * unit for n in units], [2 * p * p * q + q, q, q]
    ### END SOLUTION


# %% check="grads_and_bytes"
check(grads_and_bytes)

# %% [markdown] hint="grads_and_bytes"
# For each line ask two things: which tensors come, and which arrow to a tensor goes? Backward gives
# some nodes' arrows away as well: the view at the end of section 6 shows it.

# %% [markdown] hint="grads_and_bytes"
# `b * b` keeps `b`, a product with a number keeps no tensor of yours. The first backward makes two
# gradients that stay: `retain_grad` asked for one, and the other belongs to a leaf. A second one adds
# in place.

# %% [markdown] hint="grads_and_bytes"
# In units of `rows * columns * 4`: `b`, then `c`, then twice no change; the first backward takes `b`
# and brings two gradients; then three lines without a change; the last one brings a gradient.
# `kept` holds the sum of two walks, `a.grad` only the third.

# %% [markdown] why="grads_and_bytes"
# **Why.** The gradients of `c * q` and of `b` were there for a moment and left no trace: only a leaf,
# or a tensor that asked with `retain_grad`, keeps one. The second walk added into the bytes of the
# first, so `kept` changed behind your back. `a.grad = None` freed nothing, for `kept` held it, and
# it ended the accumulation: the third walk found no gradient to add to.

# %% [markdown] card="mean_gradient"
# ### Counted twice
# A large batch comes in parts, since its graph would not fit. Afterwards `w.grad` is to hold the
# gradient of the **mean** of the parts' losses, and nothing of what was in it before; the mean is
# returned as a float. This version gives wrong gradients, and it holds the graphs of all parts at
# once. Repair it: the graph of one part at a time, and little beside it. (With U for the bytes of
# `part @ w`, the peak is at most 6.5 U and the gradient.) An old gradient that somebody has kept under
# another name must stay as it was.
#
# *When it passes you can train with batches that do not fit into memory.*


# %% exercise="mean_gradient" kind="repair" difficulty=2 minutes=8
def mean_gradient(w, parts):
    """w.grad = gradient of the mean over `parts` of sum(tanh(part @ w) ** 2).

    Returns the mean.
    """
    ### BEGIN SOLUTION
    w.grad = None
    mean = 0.0
    for part in parts:
        loss = ((part @ w).tanh() ** 2).sum() / len(parts)
        loss.backward()  # adds its share
        mean += loss.item()
    return mean
    ### STUB
    # total = 0.0
    # for part in parts:
    #     loss = ((part @ w).tanh() ** 2).sum()
    #     loss.backward(retain_graph=True)
    #     total = total + loss
    # mean = total / len(parts)
    # mean.backward()
    # return mean.item()
    ### END SOLUTION


# %% check="mean_gradient"
check(mean_gradient)

# %% [markdown] hint="mean_gradient"
# How often does backward walk through the graph of one part? And what was in `w.grad` before the
# first walk?

# %% [markdown] hint="mean_gradient"
# `.grad` adds the shares up by itself, so one walk for each part is enough, if each loss is a share
# of the mean. What outlives a turn of the loop must have no graph: a float. And for the old
# gradient, section 4 has an assignment that writes into no bytes.

# %% [markdown] hint="mean_gradient"
# First `w.grad = None`. In the loop: divide the loss by `len(parts)`, call `backward()` on it, and
# add `loss.item()` to the mean. Nothing after the loop but the `return`.

# %% [markdown] why="mean_gradient"
# **Why.** The sum in `.grad` is the tool here: a gradient of a sum is the sum of gradients, so each
# part walks alone, and its graph is gone before the next one is made. A tensor `total` keeps every
# graph alive, and a walk from it counts each part again. `w.grad = None` turns an arrow;
# `w.grad.zero_()` would write into bytes that somebody else may still read.

# %% [markdown] card="net_by_hand"
# ### Backward without an engine
# Write forward and backward of a small net yourself: `h = tanh(x @ w1)`, `y = h @ w2`,
# `loss = sum(y * y)`. Return the loss as a float and the gradients for `w1` and for `w2`. The
# engine must not run: no `backward`, no graph (the weights want gradients, so you have to switch
# recording off), five products of matrices in all, and at the peak no large tensor that no later
# line needs: at most 4.5 U and twice `y`, where U is the bytes of `h`. Compute with tensors of
# minigrad, since nobody counts what NumPy does. `w1.grad` and `w2.grad` stay as they are.
#
# *When it passes you have been the engine, down to the last byte.*


# %% exercise="net_by_hand" kind="write" difficulty=3 minutes=14
def net_by_hand(x, w1, w2):
    """(loss as a float, gradient for w1, gradient for w2), by the table of section 6."""
    ### BEGIN SOLUTION
    with mg.no_grad():
        h = (x @ w1).tanh()
        y = h @ w2
        loss = (y * y).sum().item()
        to_y = y * 2
        for_w2 = h.t() @ to_y
        to_product = (to_y @ w2.t()) * (1 - h * h)
        return loss, x.t() @ to_product, for_w2
    ### END SOLUTION


# %% check="net_by_hand"
check(net_by_hand)

# %% [markdown] hint="net_by_hand"
# Walk the four lines of the forward backwards. For each: which gradient comes in, and which does it
# hand on to each of its inputs?

# %% [markdown] hint="net_by_hand"
# The gradient for `y` is `2 * y`. A product hands on `g @ b.T` to its left factor and `a.T @ g` to
# its right one. Between the products stands the tanh, whose slope comes from its result `h`.

# %% [markdown] hint="net_by_hand"
# `with mg.no_grad():`, then `h = (x @ w1).tanh()` without a name for the product; `g = y * 2`; for
# `w2` it is `h.t() @ g`; then `g = (g @ w2.t()) * (1 - h * h)`; and for `w1`, `x.t() @ g`.

# %% [markdown] why="net_by_hand"
# **Why.** Three tensors had to wait for the way back: `x`, `h` and `y`. The product `x @ w1` was
# needed by nobody, so it must have no name. The peak is where the gradient passes the tanh: `h`,
# the slope `1 - h * h`, the gradient that comes in and the one that goes out. The engine holds one
# tensor less there: its node makes none of the slope. (PyTorch goes from `h` and the gradient to
# the result in one sweep.)
