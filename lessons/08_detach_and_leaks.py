# %% [markdown]
# # 08  detach, no_grad, and leaks
# A training run that needs a little more memory with every iteration, until it dies at three in the
# morning: this lesson is about that. Nothing is ever lost in such a run. Somebody holds it: a
# state carried from one iteration into the next, a list of losses, an average of weights. And
# there are three tools to let go: `detach`, `no_grad` and a plain `del`. We look at what each of
# them does, in bytes, and at what it does to the gradient.
#
# The set-up is that of lesson 05: data `x` (1 U, 8,192 B) and a weight `w` that has its `.grad`
# already. `attempt`, whose source [lesson 06](06_what_is_saved.ipynb) shows, calls something and tells
# in one line how it ended.

# %% twin=true
import minigrad as mg
from course.lesson import attempt, predict

x = mg.arange(2048.0).view(64, 32) / 2048
w = mg.full((32, 32), 0.01, requires_grad=True)
w.grad = mg.zeros(32, 32)
U = x.nbytes

# %% [markdown]
# ## 1. What does detach cut, and what does it share?
# In lesson 05, `h.detach()` was the tensor with the bytes of `h` and without its node. How
# literally is "the bytes of `h`" meant? Its neighbour in most code is `clone`, and many people
# write both, one after the other. We count what each of them costs.


# %% twin=true
def row(name, make):
    y = (x @ w).tanh()
    before = mg.memory_allocated()
    other = make(y)
    node = other.grad_fn.name() if other.grad_fn else "no node"
    print(f"{name:20}{mg.memory_allocated() - before:>5,} B more   {node}")


# %% twin=true at="08.share"
row("y.detach()", lambda y: y.detach())
row("y.clone()", lambda y: y.clone())
row("y.clone().detach()", lambda y: y.clone().detach())
row("y.detach().clone()", lambda y: y.detach().clone())

# %% [markdown]
# `detach` costs nothing, for it is a second tensor on the same storage. It cuts one arrow, the one
# to the node. `clone` does the opposite: it copies the bytes, and keeps the connection, through
# a node of its own.
#
# ```
# names          tensors -> storages            nodes
# -----          -------------------            -----
# y -----------> [y   8,192 B] --grad_fn------> (TanhBackward0)
#                     ^
#                     | the same storage, no grad_fn
# d -----------> [d ]-+
# ```
#
# But then `d` can be written to. And the node of `y` has saved these very bytes.


# %% twin=true
def write_into(d_from):
    y = (x @ w).tanh()
    d = d_from(y)
    d.zero_()
    print(f"version of d {d._version}, of y {y._version}; y is all zeros: {y.sum().item() == 0.0}")
    return attempt(y.sum().backward)


# %% solo="prediction"
predict(
    "08.write",
    "`d = y.detach()`, then `d.zero_()`, then `y.sum().backward()`. What does backward do?",
    {
        "passes, with the right gradient": "So it would be if `d` had bytes of its own. Detached "
        "sounds like separated. But only the graph is cut off, and no byte is copied.",
        "passes, with a wrong gradient": "The zeros do land in the bytes that the tanh has saved. "
        "But somebody noticed.",
        "raises an error": "Two tensors on one storage share its version counter too. The node "
        "compares it before it runs, and sees that somebody wrote.",
    },
    run=lambda: (
        "raises an error"
        if write_into(lambda y: y.detach()) != "passes"
        else "passes, with a wrong gradient"
    ),
)

# %% twin=true at="08.version"
print("backward:", write_into(lambda y: y.detach()))
print("backward:", write_into(lambda y: y.detach().clone()))

# %% [markdown]
# The write through `d` changed `y`, and it moved the version of both, since the version counter
# (lesson 06) goes with the bytes. So backward refuses. (Through `y.data`, the detour of lesson 06,
# the same write would pass and give a wrong gradient. This is why `detach` replaced it.)
#
# That settles a detail of thread 001, where a tensor is cut off with `clone().detach()`. The clone
# costs a full copy, and is needed only if somebody is going to write into it. If you do need both,
# detach first: then the clone makes no node just to have it cut off.
#
# ### And no_grad?
# `no_grad` is not something that you do to a tensor. **no_grad** is a mode: inside its block,
# operations compute and record nothing. So it cuts nothing either; there is nothing to cut. Compare
# three tanh layers, computed plainly, detached at the end, and in the mode.


# %% twin=true
def three_layers(way):
    start = mg.memory_allocated()
    mg.reset_peak_memory_stats()
    with mg.set_grad_enabled(way != "no_grad"):
        y = (x @ w).tanh().tanh().tanh()
    if way == "detach":
        y = y.detach()
    highest, held = mg.max_memory_allocated() - start, mg.memory_allocated() - start
    print(f"{way:8} highest {highest // U} U   held {held // U} U")


# %% twin=true at="08.modes"
for way in ("plain", "detach", "no_grad"):
    three_layers(way)

# %% [markdown]
# `detach` lets go of a graph that was made and paid for; what comes back afterwards was there at
# the highest point. `no_grad` never pays. So use `detach` to cut *one value* out of a computation
# whose graph you need, and `no_grad` for a computation that needs *no graph at all*.
#
# **Try it.** In `three_layers`, give the detached tensor a name of its own, `d = y.detach()`.
# The row then holds 3 U, as the plain one: `y` is still there, and `detach` by itself frees
# nothing.

# %% [markdown]
# ## 2. What does an iteration leave behind?
# A **leak** is memory that grows with the number of iterations and that nobody will use again. (It
# is not lost. Somebody holds it without meaning to.) A loop can carry two things over without
# being told: the names of its body, and what it puts into lists. First the names. Here is an
# evaluation, a forward pass without a backward, written in four ways.


# %% twin=true
def net():
    return (x @ w).tanh().tanh().tanh().sum()


def plain():
    for _ in range(10):
        loss = net()
    return loss.item()


def with_del():
    for _ in range(10):
        loss = net()
        del loss


# %% twin=true
def step():
    loss = net()
    return loss.item()


def in_a_function():
    for _ in range(10):
        step()


@mg.no_grad()
def without_grad():
    for _ in range(10):
        loss = net()
    return loss.item()


# %% [markdown]
# (`@mg.no_grad()` above a function puts its whole body into the mode.) One graph of `net` holds
# 3 U, its three tanh results.


# %% twin=true at="08.late"
def highest(loop):
    start = mg.memory_allocated()
    mg.reset_peak_memory_stats()
    loop()
    return (mg.max_memory_allocated() - start) // U


for loop in (plain, with_del, in_a_function, without_grad):
    print(f"{loop.__name__:15} highest {highest(loop)} U")

# %% [markdown]
# In the plain loop two graphs are alive at once. In `loss = net()`, Python first computes the right
# side to the end, and only then turns the name. All this time `loss` holds the graph of the
# iteration before. Thread 004 has it that the loop's variables go out of scope in the next
# iteration. No scope ends there, and the difference is not academic: **rebinding frees, but one
# graph late**, and that second graph may be the one that does not fit.
#
# `del loss` at the end of the body lets go in time. So does a function, which *is* a scope: it
# returns a Python number, and its names go. The tidiest training loops call a `step()` that does
# everything and returns a number, or `loss.detach()`. And under `no_grad` there was no graph in the first place.
#
# (With a plain `loss.backward()` in the loop the overlap is small, since the old graph is empty by
# the time the next forward begins. That was the end of lesson 05, section 4.)
#
# Now the lists. `ten` trains for ten iterations and puts something of each into a list. It returns
# how many bytes the list keeps alive.


# %% twin=true
def ten(keep, backward=True):
    start, kept = mg.memory_allocated(), []
    for _ in range(10):
        out = (x @ w).tanh().tanh().tanh()
        loss = out.sum()
        if backward:
            loss.backward()
        kept.append(keep(out, loss))
        del out, loss
    return mg.memory_allocated() - start


# %% solo="prediction"
predict(
    "08.list",
    "Ten times `loss.backward()` and `losses.append(loss)`. How much do the ten losses keep alive?",
    {
        "30 U and 40 B": "A much repeated warning: do not append the loss, it drags its "
        "graph along. It does. But this graph has been walked, and its nodes have let go.",
        "40 B": "Ten numbers of 4 B. The nodes are kept too, but what they had saved was "
        "freed by the ten backwards.",
        "0 B": "Nothing but numbers? `loss.item()` would be just a number. `loss` is a tensor, "
        "with a storage of 4 B and a node behind it.",
    },
    run=lambda: "40 B" if ten(lambda out, loss: loss) == 40 else "30 U and 40 B",
)

# %% twin=true at="08.lists"
keeps = {
    "loss": lambda out, loss: loss,
    "loss.item()": lambda out, loss: loss.item(),
    "out": lambda out, loss: out,
    "out.detach()": lambda out, loss: out.detach(),
}
print("kept           after backward   without one")
for name, keep in keeps.items():
    after, without = divmod(ten(keep), U), divmod(ten(keep, backward=False), U)
    print(f"{name:15} {after[0]:2} U + {after[1]:2} B   {without[0]:2} U + {without[1]:2} B")

# %% [markdown]
# Read the first row twice. After a backward a list of losses keeps 4 B of tensors each. Without one,
# as in a validation loop, each loss keeps 3 U more, everything its graph has saved. The same line of
# code is harmless in one loop and fatal in the other.
#
# The last two rows hold another surprise. After backward, `out.detach()` saves nothing over `out`.
# The prediction itself is 1 U, and it is the thing you asked to keep. Without backward detaching is
# worth 2 U an iteration. So `detach` is no memory fix as such: **it helps exactly as much as the
# graph behind the tensor still holds.**
#
# Does this make `append(loss)` fine? Not quite. Each loss also keeps its nodes. No count of tensor
# bytes shows them, neither ours nor PyTorch's, but the process pays for them. So here is a recorded
# run of real PyTorch which asks the C library how much it has handed out, for the same net and the
# same ways to keep a loss.

# %% solo="a recorded run of PyTorch: the bytes of its nodes are not minigrad's" at="08.process"
from course.on_torch import on_torch

on_torch("kept_losses")

# %% [markdown]
# So a kept loss is 4 B of tensors and almost 4 KB of the process: five nodes, and the objects around
# a tensor. `loss.detach()` keeps the tensor without the nodes, `loss.item()` keeps a Python number.
#
# So always `item()`? On a GPU it has another price. Python runs ahead of the card there: it queues
# the work of an iteration and goes on (lesson 14). A number has to be *known*, so `item()` makes
# Python wait until the card has computed it and everything queued before it. Called in each
# iteration it takes that lead away each time. `detach()` does not wait. So on a GPU keep
# `loss.detach()`, and make numbers of all losses at once: `torch.stack(losses).tolist()` waits once.
#
# **Try it.** A total instead of a list: in `ten`, begin with `total = 0.0`, write
# `total = total + loss` in place of the line with `append`, and run the table. After backward it
# costs 4 B, without one 30 U and 4 B: the total's graph leads to every loss.

# %% [markdown]
# ## 3. Case file: the graph that grows
# Thread 004 asked about a loop with `retain_graph=True`, and lesson 05 showed that it stays flat:
# the name moves on, the old graph goes. Further down somebody adds a warning: it grows all the
# same if a variable that is updated in the loop feeds the next iteration. Who is right?
#
# Such a variable is a **carried state**: the hidden state of a recurrent net, or an image that is
# improved step by step. The loop below carries `h`. Written with a plain `backward()` it fails in
# iteration 1, because the new loss leads into the old, emptied node. And the error suggests a
# remedy, `retain_graph=True`. We note the bytes after each iteration. A hook on each `h` counts
# how many layers the backwards walk through.


# %% twin=true
def carry(cut, **options):
    h, visits, start, points = x, [], mg.memory_allocated(), []
    for i in range(10):
        h = (h @ w).tanh()
        h.register_hook(lambda grad: visits.append(1))
        h.sum().backward(**options)
        if cut:
            h = h.detach()
        points.append((f"iteration {i}", mg.memory_allocated() - start))
    return points, len(visits)


# %% twin=true at="08.advice"
print("plain:       ", attempt(lambda: carry(cut=False)))
print("with retain: ", attempt(lambda: carry(cut=False, retain_graph=True)))

# %% solo="prediction"
predict(
    "08.slope",
    "Ten iterations of the loop with `retain_graph=True`. How much does it keep alive at the end?",
    {
        "1 U": "As in lesson 05: the name moves on and the old graph goes. There each iteration "
        "began anew from `x`. Here the new `h` was computed from the old one.",
        "10 U": "The new node leads to the old one, which leads to the one before. The last `h` "
        "holds them all, and each has kept its 1 U.",
        "55 U": "1 + 2 + ... + 10, as if each iteration stored all the earlier ones again. "
        "The chain is shared; each link is there once. But keep this number in mind.",
    },
    run=lambda: f"{carry(cut=False, retain_graph=True)[0][-1][1] // U} U",
)

# %% [markdown]
# Here are the first steps without any function around them. The last line lets go of everything.

# %% twin=true at="08.grow"
h = x
start = mg.memory_allocated()
for i in range(4):
    h = (h @ w).tanh()
    h.sum().backward(retain_graph=True)
    print(f"after iteration {i}: {(mg.memory_allocated() - start) // U} U")
h = None
print(f"after h = None:    {(mg.memory_allocated() - start) // U} U")

# %% [markdown]
# So both were right. What decides is not the option but the arrows: can the newest tensor reach
# the oldest node? (The nodes of the products are left out; the view below has them.)
#
# ```
# names          tensors -> storages            nodes
# -----          -------------------            -----
# h -----------> [h 2     1 U] --grad_fn------> (TanhBackward0)   iteration 2
#                                                     |
#                [h 1     1 U] <----saved------ (TanhBackward0)   iteration 1
#                                                     |
#                [h 0     1 U] <----saved------ (TanhBackward0)   iteration 0
# ```
#
# The view opens where `h` is still the data. Step through three iterations, a line at a time with
# Page Down. The column of nodes grows at its lower end, and `h` moves down with it. In each backward
# count the nodes that the walk visits.

# %% solo="the view" at="08.step"
# %%step --at "h names" --title "A carried state, retained"
h = x
for _ in range(3):
    h = (h @ w).tanh()
    h.sum().backward(retain_graph=True)

# %% [markdown]
# Each time two more, a tanh and a product, though the line is the same. `h = h.detach()` at the end
# of the body erases the arrow from `h` to its node, and the whole column falls. Then a plain backward will do, too.

# %% twin=true at="08.e7"
from course.pictures import curve

grown, walked = carry(cut=False, retain_graph=True)
flat, walked_once = carry(cut=True)
print(f"layers walked in ten backwards: {walked} with retain_graph, {walked_once} with detach")
curve({"retain_graph=True": grown, "h = h.detach()": flat}, "Ten iterations", unit=U)

# %% [markdown]
# One curve is a line with slope 1 U, the other is flat. And there are the 55 of the prediction:
# the first iteration walks one layer, the tenth walks ten. In k iterations that makes
# k(k + 1) / 2 steps, against k. Memory grows with the number of iterations, the work with its
# square. That is often how it is noticed: each iteration takes longer than the last.
#
# Yet the two loops do not compute the same. With the arrow gone, no gradient reaches the
# iterations before. Is that a loss? It is what the next section measures.
#
# **Try it.** Add `with mg.no_grad(): w.mul_(1.0)` as the last line of the loop in `carry`, and run
# `print(attempt(lambda: carry(cut=False, retain_graph=True)))`. The line changes no value, but like
# an optimizer it writes into `w`, which the nodes have saved. Now the error of lesson 06 stops the
# loop: in real training, retaining does not even help.

# %% [markdown]
# ## 4. How far back should a gradient reach?
# There are loops whose past matters. A recurrent net is trained on the very question of how an
# early step influences a later loss. Cut after each step, and it cannot learn that; never cut, and
# the memory grows with the length of the text. The compromise is to cut every k steps.
# This is **truncated backpropagation through time**.


# %% twin=true
def truncated(state, advance, k):
    loss = 0.0
    for t in range(1, 13):
        state = advance(state)
        loss = loss + state.sum()
        if t % k == 0:
            loss.backward()
            state, loss = state.detach(), 0.0


# %% [markdown]
# Twelve steps, a loss at each, and after k of them one backward for the losses so far. Mind the
# order: first backward, then detach, since what is cut off before gets no gradient.
#
# To *see* how far a gradient reaches we want the simplest net there is. The state is one number,
# and each step multiplies it by a weight `a`. Let both be 1. Then after t steps the state is `a`
# to the power t, and its slope is t: it counts the steps that the gradient has passed.


# %% twin=true
def gradient(k):
    a = mg.tensor(1.0, requires_grad=True)
    truncated(mg.tensor(1.0), lambda state: state * a, k)
    return int(a.grad.item())


# %% [markdown]
# With k = 12 nothing is cut before the end, and the twelve losses give 1 + 2 + ... + 12 = 78, the
# true gradient.

# %% solo="prediction"
predict(
    "08.reach",
    "The same twelve steps and losses, cut after every 4. What is the gradient of `a`?",
    {
        "78": "The same steps, the same losses, each of them walked. If detach only saved memory, "
        "this would be so. But a walk ends where the arrow is cut.",
        "30": "Each window of four gives 1 + 2 + 3 + 4 = 10, and there are three. The loss of step "
        "12 sees steps 9 to 12, and not what came before.",
        "26": "78 / 3, as if cutting in three made each part a third. What is missing is not "
        "spread evenly: it is the long ways, from late losses to early steps.",
    },
    run=lambda: gradient(4),
)

# %% [markdown]
# And what does it save? For the bytes we take the state of 1 U and its tanh layer again.


# %% twin=true at="08.tbptt"
def highest_of(k):
    start = mg.memory_allocated()
    mg.reset_peak_memory_stats()
    truncated(x, lambda state: (state @ w).tanh(), k)
    return (mg.max_memory_allocated() - start) / U


for k in (1, 2, 4, 6, 12):
    print(f"k = {k:2}   gradient {gradient(k):2} of 78   highest {highest_of(k):4.1f} U")

# %% [markdown]
# Down the table memory grows with the window: k steps need k U, and 2.5 to 3.5 U beside. The gradient
# goes from 12, where each loss sees its own step only, to the full 78. In every row the twelve steps are walked
# exactly once, so the time is the same. (That holds for k = 12, too. It gives all the gradient of
# the retaining loop of section 3 without its long walks, for losses may be added up.)
#
# Here is how that goes over six steps, cut at the end or after every two. (Choose the trace in the
# corner, and step with the arrow keys.)

# %% solo="the view" at="08.side"
from whoholds.step import step as trace
from whoholds.views import show

program = """state, loss = x, 0.0
for t in range(1, 7):
    state = (state @ w).tanh()
    loss = loss + state.sum()
    if t % k == 0:
        loss.backward()
        state, loss = state.detach(), 0.0
"""
show({f"k = {k}": trace(program, namespace={"x": x, "w": w, "k": k}) for k in (6, 2)})

# %% [markdown]
# One hill, or three small ones: the same six steps up and the same six down, and a new hill begins
# where the last one ended.
#
# Neither end is right or wrong. In our toy each step matters as much as any other; in most nets
# the influence of a step fades, and a moderate k misses little. But now you know the price of
# `detach`, which costs no bytes: **each cut buys memory with gradient.** When you cut only to
# silence an error, you have made this choice without looking. (Lessons 10 and 11 save memory and
# keep the gradient whole; they pay in other coin.)
#
# **Try it.** Write `state = advance(state).detach()` in `truncated`. It fails at once, since the
# loss leads nowhere. With the parameters of a last layer behind it there would be no error at all.

# %% [markdown]
# ## 5. Who records the teacher?
# Thread 002 ends with an example from a method called BYOL, in which a student net learns with the
# help of a teacher net. The answer there says that the teacher is updated by a moving average of
# the student's gradients, and gives this as a use for stored backward graphs.
#
# It is not so. A **teacher** here is a second set of weights that follows the student's: a moving average *of
# weights*. No gradient comes into it, and no graph. (Averaged gradients exist as well. They are
# called momentum, live in the optimizer, and need no graph either.)
#
# But the average is easily written so that it makes one. The obvious line is the first.


# %% twin=true
def recorded(teacher, student):
    return 0.75 * teacher + 0.25 * student


def cut_off(teacher, student):
    return 0.75 * teacher + 0.25 * student.detach()


def in_place(teacher, student):
    return teacher.mul_(0.75).add_(0.25 * student)


@mg.no_grad()
def not_recorded(teacher, student):
    return teacher.mul_(0.75).add_(0.25 * student)


# %% [markdown]
# `graph_size` counts the nodes that can be reached from a tensor. With it we follow the teacher
# for four steps, and count its bytes too. The weights here are 32 x 32, which is 4,096 B.


# %% twin=true
def graph_size(tensor):
    nodes, todo = set(), [tensor.grad_fn]
    while todo:
        node = todo.pop()
        if node is not None and node not in nodes:
            nodes.add(node)
            todo += [following for following, _ in node.next_functions]
    return len(nodes)


# %% twin=true at="08.teacher"
def follow(update):
    start, sizes, held = mg.memory_allocated(), [], []
    teacher = mg.zeros(32, 32)
    for _ in range(4):
        teacher = update(teacher, w)
        sizes.append(graph_size(teacher))
        held.append(f"{mg.memory_allocated() - start:,}")
    print(f"{update.__name__:13} nodes {sizes!s:15} bytes {'  '.join(held)}")


for update in (recorded, cut_off, in_place, not_recorded):
    follow(update)

# %% [markdown]
# The first and the third teacher carry their entire history along, three nodes more with every
# step. (In the third, an in-place operation has quietly turned a plain buffer into a part of the
# graph.) And look at the bytes: they are flat. A product with a Python number saves that number, the
# wrapped number of lesson 05, which has no bytes in our counts. So here is **a leak that no count of tensor bytes shows**. It eats the memory of the
# process, some hundreds of bytes a node as in section 2, and its time.
#
# It does worse once the teacher is used in a loss. Take weights of one number and the loss
# `student - teacher`. A teacher is a fixed target, so the gradient must be 1, always.


# %% twin=true
def distances(update, **options):
    student, teacher = mg.tensor(2.0, requires_grad=True), mg.tensor(0.0)
    gradients = []
    for _ in range(4):
        teacher, student.grad = update(teacher, student), None
        (student - teacher).backward(**options)
        gradients.append(student.grad.item())
    return gradients


# %% twin=true at="08.target"
print("recorded:    ", attempt(lambda: distances(recorded)))
print("and retained:", distances(recorded, retain_graph=True))
print("not recorded:", distances(not_recorded))

# %% [markdown]
# First our old acquaintance: the second step walks into the first step's nodes, whose 0.25 was
# freed. If you now add `retain_graph=True`, as the message says, you lose the error and keep the
# mistake. The gradient runs through the teacher back into the student, and dwindles.
#
# So the error was a friend. The right ways are the second and the fourth: take the student's value
# with `detach`, or write the average under `no_grad`, in place. The fourth is the usual one, for
# it needs no new tensor for the teacher and cannot forget anything.
#
# ### The same mistake in a hand-made optimizer
# Thread 004's warning ties growth to `retain_graph`. Here is growth without it. The weight
# is improved by `y = y - 0.1 * g`, and each step asks for a fresh gradient.


# %% twin=true at="08.history"
def descend(update):
    y, sizes = mg.ones(3, requires_grad=True), []
    for _ in range(5):
        loss = (y * y).sum()
        (g,) = mg.autograd.grad(loss, y)
        y = update(y, g)
        sizes.append(graph_size(loss))
    return sizes


print("nodes, step by step")
print("y - 0.1 * g:             ", descend(lambda y, g: y - 0.1 * g))
print("detach, requires_grad_():", descend(lambda y, g: (y - 0.1 * g).detach().requires_grad_()))

# %% [markdown]
# Nothing is retained, no error is raised, and a subtraction saves no byte. Only the history grows,
# a node a step, because **the new y keeps its history**. An optimizer's `step()`
# writes into the weights under `no_grad`, and this is why.
#
# **Try it.** In `recorded`, write `0.25 * w * student` in place of `0.25 * student`, run its cell
# and `follow(recorded)`. Now each step records a product of two tensors, and the bytes rise too.

# %% [markdown]
# ## 6. Can a backward graph be exported?
# The other question at the end of thread 002: can a backward graph be stored and used later, even
# if what it had saved is already freed? In lesson 04 a node refused to be pickled. But a tensor can
# be pickled. Does it take its graph along?


# %% twin=true
import pickle


def there_and_back():
    k = mg.tensor([3.0], requires_grad=True) * 2
    return pickle.loads(pickle.dumps(k))


# %% solo="prediction"
predict(
    "08.pickle",
    "`k = p * 2` is stored with pickle and loaded again. What do you get?",
    {
        "6 with its MulBackward0": "A file should give back what was put in. But a node is a piece "
        "of the engine with arrows to other nodes, and none of that is written.",
        "6, a leaf": "The value, and the flag that it wants a gradient. What was a result is now a "
        "beginning; a backward from it ends right there.",
        "6, which wants no gradient": "A plain number would be the cautious choice. But the flag "
        "`requires_grad` is stored, so a weight comes back as a weight.",
    },
    run=lambda: {
        (True, True): "6, a leaf",
        (True, False): "6, which wants no gradient",
        (False, True): "6 with its MulBackward0",
    }[there_and_back().is_leaf, there_and_back().requires_grad],
)

# %% twin=true at="08.stored"
again = there_and_back()
print(f"value {again.item()}, a leaf: {again.is_leaf}, its node: {again.grad_fn}")

# %% [markdown]
# The graph stays behind. Would it be of use? A node can be run by hand, so try: call it with a
# gradient, before and after a backward.


# %% twin=true at="08.by-hand"
p = mg.tensor([3.0, 5.0], requires_grad=True)
square = p * p
node, seed = square.grad_fn, mg.ones(2)
print("as made:   ", [part.tolist() for part in node(seed)])
square.sum().backward()
print("once freed:", attempt(lambda: node(seed)))

# %% [markdown]
# This is all there is in a node: a rule for going back, and the saved tensors of *one* forward
# pass. For `p * p` it answers with the slopes at 3 and 5, once for each factor, whatever the next
# batch may be. Freed, it cannot answer at all. So a stored graph would give the gradient of
# yesterday's data or none. There is nothing in it worth exporting.
#
# What you want to export is the *recipe* that makes such graphs, and that is your program. For the
# forward pass `torch.export` writes it down by running the model's code, not by reading its
# `grad_fn`. For the backward pass there is an answer today that the thread could not have: write a
# function which computes a gradient, and have *that* traced.
#
# ```python
# import torch
# from torch.fx.experimental.proxy_tensor import make_fx
#
# def gradient(p, seed):
#     return torch.autograd.grad(p * p, p, seed)
#
# p, seed = torch.ones(2, requires_grad=True), torch.ones(2)
# print(make_fx(gradient)(p, seed).code)
# ```
#
# Out comes a function of three products (one is the forward pass, which nothing uses) and a sum,
# which takes `p` and `seed` anew with each call. So the answer to the thread: not this graph, but
# another one, made for the purpose. Lesson 13 builds a small one.
#
# **Try it.** Write `square = p + p` in the cell that calls the node. Now it answers both times: it
# saved nothing, so it belongs to no data.

# %% [markdown]
# ### The same in PyTorch
# Five lines after the import. They print `True 1`, then `None` and `<AddBackward0 ...>`.
#
# ```python
# import torch
#
# w = torch.ones(2, requires_grad=True)
# y = w.tanh(); d = y.detach(); d.zero_()
# print(d.data_ptr() == y.data_ptr(), y._version)    # they share both
# teacher = 0.75 * torch.zeros(2) + 0.25 * w.detach(); print(teacher.grad_fn)
# teacher = 0.75 * teacher + 0.25 * w; print(teacher.grad_fn)
# ```
#
# ### Three things you can trust
# A carried state costs 1 U per iteration and a detached tensor nothing. What `detach` cuts goes as
# soon as no name holds it. A list of losses that were walked keeps 4 B of tensors each.

# %% twin=true at="08.asserts"
h = x
before = mg.memory_allocated()
for i in range(1, 5):
    h = (h @ w).tanh()
    d = h.detach()
    assert mg.memory_allocated() - before == i * U
h = d
assert mg.memory_allocated() - before == U
losses = [(x @ w).tanh().sum() for _ in range(4)]
assert [loss.backward() for loss in losses] == [None] * 4
assert mg.memory_allocated() - before == U + 4 * 4
del h, d, losses
print("all three hold")

# %% [markdown]
# What was simplified: the states of real recurrent nets are pairs or lists of tensors; cut each of
# them. And a byte count of tensors, ours like PyTorch's, does not see nodes; `graph_size` does.
#
# **Next:** here we cut a graph where we could do without its gradient. Can we free a part of it
# early and have the gradient too? Lesson 09.

# %% [markdown] card="log_and_learn"
# ### Find the leaks
# This loop learns, validates and logs. After a hundred batches a hundred graphs are alive, and at its
# peak two at once. Repair it. It should return the same numbers (as Python floats) and the same best
# prediction, leave behind nothing but that one prediction and the gradient, and never have more than
# one graph alive: at the peak at most 4 U and 2 V, where U is the bytes of `out` and V those of
# `held_out @ w`. (V is four times as large here.)
#
# *When it passes the loop can run until three in the morning, and beyond.*


# %% exercise="log_and_learn" kind="repair" difficulty=2 minutes=10
def log_and_learn(batches, w, held_out):
    """(losses, scores, best): a float for each batch, twice, and the output of lowest score."""
    ### BEGIN SOLUTION
    losses, scores, best, lowest = [], [], None, 1e9
    for x in batches:
        out = (x @ w).tanh()
        loss = (out * out).mean()
        loss.backward()
        with mg.no_grad():
            w.sub_(0.1 * w.grad)
            w.grad.zero_()
            score = (held_out @ w).tanh().mean().item()
        losses.append(loss.item())
        scores.append(score)
        if score < lowest:
            lowest, best = score, out.detach()
        del out, loss
    return losses, scores, best
    ### STUB
    # losses, scores, best, lowest = [], [], None, 1e9
    # for x in batches:
    #     out = (x @ w).tanh()
    #     loss = (out * out).mean()
    #     loss.backward(retain_graph=True)
    #     with mg.no_grad():
    #         w.sub_(0.1 * w.grad)
    #         w.grad.zero_()
    #     score = (held_out @ w).tanh().mean()
    #     losses.append(loss)
    #     scores.append(score)
    #     if score < lowest:
    #         lowest, best = score, out
    # return losses, scores, best
    ### END SOLUTION


# %% check="log_and_learn"
check(log_and_learn)

# %% [markdown] hint="log_and_learn"
# Go through the loop once and list what outlives the turn: three things go into lists or names.

# %% [markdown] hint="log_and_learn"
# Numbers belong into a log as numbers. A validation needs no graph. A best output that is kept with its
# `grad_fn` keeps the nodes. And which names still hold the last turn, while the next one computes?

# %% [markdown] hint="log_and_learn"
# `loss.item()`, and `.item()` of the score too; `best = out.detach()`. For the peak, no name may hold
# a graph into the next turn: no `retain_graph`, the score under `no_grad`, `del out, loss`. One of
# these may be enough; together they are safe whatever the net.

# %% [markdown] why="log_and_learn"
# **Why.** The worst of them is the validation: no backward ever walks its graphs, so they keep all they
# saved. A loss that was walked keeps 4 B and its nodes, unless somebody retains. (On a GPU you would
# collect `loss.detach()` and make numbers at the end: each `item()` waits for the card.) The `del`
# mends something else, the overlap: rebinding frees one turn late. A function that is called for each
# batch does the same without a `del`.

# %% [markdown] card="follow_student"
# ### The teacher follows
# `teacher` and `student` are lists of weights, as `parameters()` would give them. Move each weight of
# the teacher towards the student's: `decay` times itself plus `1 - decay` times the student's. It
# stays the same tensor with the same storage, records no node, and the student is not touched. The
# teacher may have been copied from the student, flag `requires_grad` and all. At the peak, one
# temporary of the largest weight is allowed. (`.data` passes here; `no_grad` says what you mean.)
#
# *When it passes your teacher has no history.*


# %% exercise="follow_student" kind="write" difficulty=1 minutes=6
def follow_student(teacher, student, decay):
    """Moves the weights of `teacher` towards those of `student`, in place; returns nothing."""
    ### BEGIN SOLUTION
    with mg.no_grad():
        for old, new in zip(teacher, student, strict=True):
            old.mul_(decay).add_((1 - decay) * new)
    ### END SOLUTION


# %% check="follow_student"
check(follow_student)

# %% [markdown] hint="follow_student"
# Which of the four updates of section 5 writes in place and records nothing?

# %% [markdown] hint="follow_student"
# `teacher[i] = ...` puts a new tensor into the list; the net that owns the old one would not notice.
# And a leaf that wants a gradient may be written into only where nothing is recorded.

# %% [markdown] hint="follow_student"
# Under `mg.no_grad()`, for each pair: `old.mul_(decay)`, then `old.add_((1 - decay) * new)`.

# %% [markdown] why="follow_student"
# **Why.** `no_grad` does two things here. It keeps the product `(1 - decay) * new` out of the graph, and
# it permits the write into a leaf. `detach` on the student would do only the first. A teacher that is a
# new tensor in each step costs its bytes twice for a moment, and every list or optimizer that
# holds the old one goes on with the old one.

# %% [markdown] card="truncated_account"
# ### What truncation keeps, and what it loses
# An unseen snippet. Line A is reached every `k` steps.
#
# ```python
# import torch
#
# state, loss = torch.ones(rows, width), 0.0
# for t in range(1, steps + 1):
#     state = (state @ w).tanh()      # w: (width, width), wants a gradient
#     loss = loss + state.sum()
#     if t % k == 0:
#         pass                        # A
#         loss.backward()
#         state, loss = state.detach(), 0.0
# ```
#
# Return three numbers: the bytes alive at A; those alive after the loop; and the number of pairs
# of a step and a loss, out of all `steps * (steps + 1) / 2`, between which a gradient has
# flowed. `w` and `w.grad` do not count. `k` is at most `steps`.
#
# Work them out by hand; a function that makes no tensor is asked for.
#
# *When it passes you can choose k before you have run out of memory.*


# %% exercise="truncated_account" kind="predict+transfer" difficulty=2 minutes=6
def truncated_account(rows, width, steps, k):
    """[bytes at A, bytes after the loop, pairs]: all float32."""
    ### BEGIN SOLUTION
    unit, over = rows * width * 4, steps % k
    at_a = (k + 1) * unit + 4
    after = (over + 1) * unit + (4 if over else 0)
    return [at_a, after, steps // k * (k * (k + 1) // 2)]
    ### END SOLUTION


# %% check="truncated_account"
check(truncated_account)

# %% [markdown] hint="truncated_account"
# Take `steps=5, k=2` and draw it: which results are saved at A? What is left when the loop ends in the
# middle of a window?

# %% [markdown] hint="truncated_account"
# A window of k steps holds the state it began with and k results; two nodes may save the same
# one. The loss has 4 bytes. After the loop the steps since the last cut still stand.

# %% [markdown] hint="truncated_account"
# In units: `k + 1` at A, and `steps % k + 1` after the loop, each with a loss, if there is one. A whole
# window has `k * (k + 1) // 2` pairs, an unfinished one has none.

# %% [markdown] why="truncated_account"
# **Why.** The bytes follow the window, the pairs follow its square, so a longer window pays off in
# gradient faster than it costs. And the remainder is a trap of its own: steps after the last whole window
# take part in no backward, and their graph stays until `state` and `loss` are bound anew. Either choose k
# so that it divides, or walk once more at the end.

# %% [markdown] card="leaks"
# ### Write the test
# This time you write the test, and it is tested. `loop(n)` runs n iterations of some training and
# returns whatever it likes. `leaks(loop)` says True if the memory that is alive afterwards grows with
# the number of iterations, were it by 4 bytes each, and False if not. What is returned counts as alive.
#
# It must not cry wolf: a loop may make something at its first call that stays (a `.grad`), or keep
# the last graph, or the last five outputs. Your test meets loops of both sorts, in any order.
#
# *When it passes you have a test for your own training loop.*


# %% exercise="leaks" kind="write" difficulty=2 minutes=10
def leaks(loop):
    """Whether `loop(n)` leaves behind more, the larger n is."""

    ### BEGIN SOLUTION
    def left(n):
        before = mg.memory_allocated()
        returned = loop(n)
        grown = mg.memory_allocated() - before
        del returned  # held until now
        return grown

    left(10)  # what is made only once is made now
    return left(20) > left(10)
    ### END SOLUTION


# %% check="leaks"
check(leaks)

# %% [markdown] hint="leaks"
# One measurement cannot tell a growing thing from a large one. How many do you need?

# %% [markdown] hint="leaks"
# Let the loop run once, so that all is there that is made only once. Then compare a short run with a
# longer one, both longer than anything that is bounded.

# %% [markdown] hint="leaks"
# `before = mg.memory_allocated()`, `returned = loop(n)`, and the difference, while `returned` is still
# bound. Do it for 10 (and forget it), then compare 20 with 10.

# %% [markdown] why="leaks"
# **Why.** A leak is a slope, and a slope needs two points. A bound such as "less than 1 MB" finds only the
# leaks that are large today and cries wolf at honest caches. The warm-up takes out what is made once.
# And if nobody holds what the loop returns while you look, the leak you were looking for is gone.
