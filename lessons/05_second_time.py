# %% [markdown]
# # 05  "Trying to backward a second time"
# Sooner or later everybody who trains a net meets this error, and most of us get rid of it by
# adding `retain_graph=True` until it stops. That works often enough to become a habit, and it
# leaves open what was wrong. In this lesson you learn to read the error: which node raised it,
# which call took its data away, and which programs that look just as wrong run a hundred times
# without a word. (If you have it on the screen right now: what to write instead is section 6.)
#
# You know from lesson 04 what freed means: a node drops its reference to what it saved. The
# node stays. Everything below follows from that.
#
# The set-up cell makes the data `x` (1 U, 8,192 B) and the weight `w`. It gives `w` a `.grad` of
# zeros right away, so that no measurement below has to pay for it. And it defines `attempt`, which
# calls something and tells in one line how it ended.

# %% twin=true
import minigrad as mg
import whoholds.step  # brings the cell magic %%step
from course.predict import predict

x = mg.arange(2048.0).view(64, 32) / 2048
w = mg.full((32, 32), 0.01, requires_grad=True)
w.grad = mg.zeros(32, 32)


def attempt(call, **options):
    try:
        call(**options)
    except Exception as error:
        return f"{type(error).__name__}: {str(error).split(' (')[0]}"
    return "passes"


# %% [markdown]
# ## 1. What does the error say?
# Here it is, in full, from the running example. Run the cell; it is meant to fail.

# %% twin=true raises="RuntimeError" at="05.error"
loss = (x @ w).tanh().sum()
loss.backward()
loss.backward()

# %% [markdown]
# Three sentences, and below them two lines of minigrad's own. The next cells catch the error and
# number the sentences.


# %% twin=true at="05.sentences"
def second_error(**second):
    loss = (x @ w).tanh().sum()
    loss.backward()
    try:
        loss.backward(**second)
    except RuntimeError as error:
        return error


for number, sentence in enumerate(str(second_error()).split(". "), 1):
    print(number, sentence)

# %% [markdown]
# **Sentence 1** sounds as if walking a graph twice were forbidden. It is not, as you will see in
# section 3. What is true: a node was reached whose saved tensors are gone. The words in brackets
# give it away, for they name a second way to get the same error, and that way has no second
# backward in it. You only have to look at what a node saved:

# %% twin=true at="05.look"
loss = (x @ w).tanh().sum()
tanh = loss.grad_fn.next_functions[0][0]
print("before:", tanh.name(), "holds a result of shape", tuple(tanh._saved_result.shape))
loss.backward()
print("after: ", attempt(lambda: tanh._saved_result))

# %% [markdown]
# The view opens at the error, at the node that stopped. In slow motion: press Home, then Page Down
# twice (it goes on by a line), and the first `backward` is about to run. Step with the right arrow and
# see the chip of the tanh's node go; step on, and the second one stops at that very node. The last
# lines name what each remedy would keep.

# %% solo="the view" at="05.step"
# %%step --title "A second backward"
loss = (x @ w).tanh().sum()
loss.backward()
loss.backward()

# %% [markdown]
# **Sentence 2** says who took them: the earlier call. In the threads of this course you will read
# "buffers" for what it calls intermediate values; both mean saved tensors. And "freed" has the
# meaning of lesson 04, so tensors that you hold yourself are not touched.
#
# **Sentence 3** offers a remedy, `retain_graph=True`. But in which of the two calls does it belong?
# The sentence does not say.

# %% solo="prediction"
predict(
    "05.which-call",
    "First a plain `loss.backward()`, then `loss.backward(retain_graph=True)`. What does the "
    "second call do?",
    {
        "it passes": "Sentence 3 says to specify it if you need a second time, and this is the "
        "second time. But the option cannot bring anything back. It says what this call leaves "
        "behind for the next one.",
        "the same error": "The first call was the plain one, and it freed everything. The option "
        "belongs in the call after which you still need the graph.",
        "it passes, and adds zeros": "One could build an engine that takes missing data for "
        "zero. It would be wrong without saying so; an error is kinder.",
    },
    run=lambda: "the same error" if second_error(retain_graph=True) else "it passes",
)

# %% [markdown]
# Which node was it, and which call freed it? PyTorch does not say. minigrad adds it as notes, the
# lines below the message. Python keeps them in a list, `error.__notes__`, apart from the text, so
# that the text stays PyTorch's own and a search for it finds what others wrote.

# %% solo="the notes are minigrad's own" at="05.notes"
for note in second_error().__notes__:
    print(note)

# %% [markdown]
# Read it as a sentence about two places. `TanhBackward0` could not run, since what it had saved was
# freed by line 3 of its cell: the first backward, the one that worked. The line that fails
# is often innocent. The line to look for is the one that freed.
#
# **Try it.** In `second_error`, let the first call be `loss.backward(retain_graph=True)` and write
# the line inside `try` twice. The notes now point to the first of these two.

# %% [markdown]
# ## 2. Case file: which of five loops fail?
# Thread 003 is somebody's honest attempt to find the rule by experiment. There is a layer, an input
# `a` that wants no gradient, and a loop. What differs is how much of the work stands inside the
# loop. Here are the programs rebuilt. Each notes the iterations that it finished in the list `done`,
# and `outcome` tells how it ended. In the first program everything is inside the loop.

# %% twin=true
layer = mg.nn.Linear(3, 3)
a = mg.ones(2, 3)


def outcome(example):
    done = []
    ended = attempt(lambda: example(done))
    if ended == "passes":
        return f"passes {len(done)} times"
    return f"fails in iteration {len(done)}"


def example_1(done):
    for i in range(100):
        y = layer(a).sum()
        y.backward()
        done.append(i)


# %% [markdown]
# In the second only the backward is inside. In the third the layer is outside and the `sum` inside.


# %% twin=true
def example_2(done):
    y = layer(a).sum()
    for i in range(100):
        y.backward()
        done.append(i)


def example_3(done):
    x_out = layer(a)
    for i in range(100):
        y = x_out.sum()
        y.backward()
        done.append(i)


# %% [markdown]
# The fourth moves the layer back in. The fifth, from a later answer, has everything inside again, but
# calls backward twice.


# %% twin=true
def example_4(done):
    for i in range(100):
        x_out = layer(a)
        y = x_out.sum()
        y.backward()
        done.append(i)


def example_5(done):
    for i in range(100):
        y = layer(a).sum()
        y.backward()
        y.backward()
        done.append(i)


# %% solo="prediction"
predict(
    "05.example-3",
    "Example 3: `x_out = layer(a)` once, before the loop. Inside, `y = x_out.sum()` and "
    "`y.backward()`. What happens? (Iterations count from 0.)",
    {
        "passes 100 times": "The author of thread 003 expected this: `y` is made anew each time, "
        "so its graph is new. The node of the `sum` is new indeed. What it leads to is not.",
        "fails in iteration 0": "If a graph belonged to the loop in which it is used, a layer "
        "called outside would have none. But the graph belongs to no place in your code; "
        "`x_out` holds it wherever it goes.",
        "fails in iteration 1": "Iteration 0 finds all it needs and frees it behind itself. "
        "Iteration 1 comes with a new `sum` on the old layer's node, and that one is empty.",
    },
    run=lambda: outcome(example_3),
)

# %% twin=true at="05.loops"
for example in (example_1, example_2, example_3, example_4, example_5):
    print(example.__name__, outcome(example))

# %% [markdown]
# Examples 1 and 4 are the same program. Each iteration runs the layer again, so each backward finds
# nodes that no one has freed. In examples 2 and 3, iteration 0 uses up what iteration 1 needs.
# Example 5 does the same within one iteration.
#
# In example 3 there are two candidates for the failure: the `sum`, made in the loop, and the layer,
# made before it. Here are two iterations, written out. The view frames the node that raises the error.

# %% solo="the view" at="05.old-node"
# %%step --title "Example 3: a new sum on an old node"
x_out = layer(a)
y = x_out.sum()
y.backward()
y = x_out.sum()
y.backward()

# %% [markdown]
# In iteration 1 the fresh `SumBackward0` runs without trouble, and hands its gradient on. Then
# the layer's old node, `AddmmBackward0`, starts, wants its input `a` to compute the gradient of the
# weight, and has it no longer: its chip is struck through.
#
# But `a` is alive, you could print it. The thread's author found that puzzling, since the
# answer had said that the input was freed. What went is the arrow from the node to `a`. And a node
# does not go looking for another tensor that might do.
#
# From these loops the author drew a rule: `torch.sum` does not recreate a graph, while calling the
# layer does, so it must be the `forward` of a module that makes graphs. The loops fit it. To test
# a rule, keep what it calls important and change the rest. No module in the next
# cell; only the operation before the loop differs.


# %% twin=true
def sum_inside(before_the_loop):
    def example(done):
        x_out = before_the_loop(mg.ones(2, 3, requires_grad=True))
        for i in range(100):
            y = x_out.sum()
            y.backward()
            done.append(i)

    return example


# %% twin=true at="05.rule"
print("x_out = a + 1    ", outcome(sum_inside(lambda a: a + 1)))
print("x_out = a.tanh() ", outcome(sum_inside(lambda a: a.tanh())))

# %% [markdown]
# With `a + 1` outside and `sum` inside, the loop of example 3 passes a hundred times. With `tanh`
# it fails, and there is no module anywhere. So the rule was wrong in both halves. Every
# operation makes a new node each time it is called, `sum` and `+` and a layer's `addmm` alike.
# What decides is whether an *old* node below has something to miss.
#
# **Try it.** In example 3, freeze the layer's weight: put `layer.weight.requires_grad_(False)` as
# its first line and run its outcome (then set it back to `True`). It passes: only the bias wants a
# gradient now, and for that the node saves nothing.

# %% [markdown]
# ## 3. Which operations survive twice?
# Another reader of thread 003 made the example as small as it gets: `a` is one number, `c = a * 5`,
# and `c.backward()` runs twice. We put its neighbour beside it, `a + 5`.

# %% [markdown]
# We will want to try more operations than these, so here is a function for any of them. It notes
# three things: the node, what the node saved, and whether a second backward passes. `saved_by`
# looks through the attributes whose names begin with `_saved_` and lists those that hold a tensor.


# %% twin=true
def saved_by(node):
    names = [name for name in dir(node) if name.startswith("_saved_")]
    tensors = [name for name in names if isinstance(getattr(node, name), mg.Tensor)]
    return [name.removeprefix("_saved_") for name in tensors]


def row(operation):
    c = operation(mg.tensor([1.0, 2.0], requires_grad=True))
    saved, seed = saved_by(c.grad_fn), mg.ones_like(c)
    c.backward(seed)
    return c.grad_fn.name(), saved, attempt(lambda: c.backward(seed)) == "passes"


# %% solo="prediction"
predict(
    "05.five",
    "`c.backward()` twice, once with `c = a + 5` and once with `c = a * 5`. Which one passes?",
    {
        "neither": "The error speaks of the graph, and both have one. But it is raised by a "
        "node that misses something, not by the second visit.",
        "only a + 5": "The slope of `a + 5` is 1, whatever `a` is, so its node keeps nothing. "
        "The slope of `a * 5` is 5, and that has to be kept somewhere.",
        "both": "One may think: 5 is no tensor, it is written in the code, there is no buffer to "
        "free. The node does not read your code. It keeps the 5 like any other factor.",
    },
    run=lambda: {(True, True): "both", (True, False): "only a + 5"}.get(
        (row(lambda a: a + 5)[2], row(lambda a: a * 5)[2]), "neither"
    ),
)

# %% [markdown]
# One pair proves little. Let us run seventeen. They stand in a text, separated by semicolons, and
# `eval` computes what each piece says, so a row shows exactly what ran: the operation, its node,
# what that saved, and how a second backward ends.

# %% twin=true at="05.survivors"
operations = (
    "a + 5; 5 - a; -a; a.sum(); a.mean(); a.view(2, 1); a[0]; a.clone(); "
    "a * 5; a / 5; a * a; a ** 2; a ** 1; a.exp(); a.relu(); a.tanh(); a.log()"
)
for text in operations.split("; "):
    name, saved, passes_twice = row(lambda a, text=text: eval(text))
    verdict = "passes" if passes_twice else "error"
    print(f"{text:13}{name:17}{', '.join(saved) or '-':13}{verdict}")

# %% [markdown]
# The last two columns say the same: **a node that saved nothing can run again; a node that saved something
# cannot, once it was freed.** One such node anywhere on the way is enough to stop the walk. So the
# right question to ask of the error is never "is this graph used twice?", but "which node on it
# had saved something?"
#
# Two rows deserve a look. `a ** 1` is `a`, with slope 1, and could do without its input; the node
# follows the general recipe for powers all the same. And `a * 5` lists `other`. What is in there?

# %% twin=true at="05.wrapped"
c = mg.tensor(2.0, requires_grad=True) * 5
print("saved:", c.grad_fn._saved_other)
c.backward()
print("after:", attempt(lambda: c.grad_fn._saved_other))

# %% [markdown]
# A **wrapped number** is a Python number that an operation turned into a tensor of its own, here
# `tensor(5)`. The node saves it by the same rule as any factor and drops it by the same rule.
# In the views and in `memory_allocated()` it counts as 0 B.
#
# ### A graph that can be used a hundred times
# Thread 004 asks for exactly that. Its idea: build `y = a.sum()` once, then in each iteration put
# new data into `a` and call `y.forward()` and `y.backward()`, as with a placeholder in a static
# framework. The answer was no. Now that you know the rule, which of the two calls will fail?


# %% twin=true at="05.static"
def placeholder(operation):
    a = mg.zeros(2, 3, requires_grad=True)
    y = operation(a)
    print("y.forward()    ", attempt(lambda: y.forward()))
    for i in range(100):
        a.data = mg.full((2, 3), float(i))
        ended = attempt(y.backward)
        if ended != "passes":
            break
    print("y.backward()   ", ended, f"(iteration {i})")
    print("y              ", y.item(), "but computed anew", operation(a).item())
    print("gradient       ", a.grad[0, 0].item())


placeholder(lambda a: a.sum())

# %% [markdown]
# There is no `forward` to call: a graph only knows the way back. But `y.backward()` passes a
# hundred times, since a sum saved nothing, and the gradient is the sum of a hundred ones. What
# never changes is `y`. It was computed once, from zeros, while the data has long moved on.
#
# For a sum the old gradient happens to be right. With most operations the second iteration raises
# our error, and with `retain_graph=True` the loop runs on and gives gradients that belong to no `y`
# you ever saw. Lesson 13 takes the idea to that end, and then makes it work.
#
# **Try it.** Run `placeholder(lambda a: (a * a).sum())`. It stops in iteration 1: this graph had
# saved something.

# %% [markdown]
# ## 4. Does it help to keep the tensors yourself?
# In thread 003 a reader was told two things that are both true: freed means that the graph drops
# its reference, and a tensor that you refer to as well is not destroyed. The next question there is
# natural: how do I prevent the freeing, then? Just by keeping a reference?


# %% twin=true
U = x.nbytes


def keep_y():
    before = mg.memory_allocated()
    y = (x @ w).tanh()
    loss = y.sum()
    loss.backward()
    held = (mg.memory_allocated() - before) // U
    return held, attempt(loss.backward)


# %% solo="prediction"
predict(
    "05.own",
    "`y` is the very tensor that `TanhBackward0` saves, and you hold it by name. "
    "Does a second `loss.backward()` pass?",
    {
        "it passes": "What is needed is still there, and you prevented its destruction. Both "
        "true. But the node reaches a tensor by its own arrow only, and this arrow is erased.",
        "it fails, the bytes are gone": "Backward does not destroy tensors. It drops references, "
        "and yours is one that it knows nothing about.",
        "it fails, though the bytes are still there": "Your arrow keeps the bytes. The node's "
        "arrow is what a backward needs, and no name of yours can stand in for it.",
    },
    run=lambda: {
        (1, False): "it fails, though the bytes are still there",
        (0, False): "it fails, the bytes are gone",
    }.get((keep_y()[0], keep_y()[1] == "passes"), "it passes"),
)

# %% twin=true at="05.own-seen"
held, ended = keep_y()
print("held by my name y:", held, "U")
print("second backward:  ", ended)

# %% [markdown]
# You keep 1 U alive and have gained nothing for a second backward:
#
# ```
# names          tensors -> storages            nodes
# -----          -------------------            -----
# loss --------> [loss    4 B] --grad_fn------> (SumBackward0)
#                                                     |
#                                                     v
# y -----------> [y       1 U] --grad_fn------> (TanhBackward0)
#                                                     |
#                                                   saved
#                                                     |
#                                                ( freed )
# ```
#
# `y` knows its node. The node does not know `y` any more. The one thing that helps is to tell the
# call that does the freeing. In thread 003 the option for this is given as `keep_graph`, in 004,
# from an older time, as `retain_variables`. Neither exists today:

# %% twin=true at="05.names"
for option in ("keep_graph", "retain_variables", "retain_graph"):
    loss = (x @ w).tanh().sum()
    print(attempt(loss.backward, **{option: True}))

# %% [markdown]
# **retain_graph** is an option of one backward call. It says: run the nodes, but let each of them
# keep what it saved. (The name is a little off. The graph, its nodes and edges, stays in any case.
# What is retained are the saved tensors.)
#
# We watch it on two layers. We count the data `x`, 1 U, and each `tanh` saves 1 U, so we expect to
# begin at 3 U. Then: one backward that retains, one that does not, and one too many.


# %% twin=true
def net(layers):
    h = x
    for _ in range(layers):
        h = (h @ w).tanh()
    return h.sum()


def units(since):
    return round((mg.memory_allocated() - since) / U, 1)


# %% twin=true at="05.e5"
def three_calls():
    without_x = mg.memory_allocated() - x.nbytes  # so that x counts
    loss = net(2)
    print("forward              ", units(without_x), "U")
    loss.backward(retain_graph=True)
    print("backward, retaining  ", units(without_x), "U")
    loss.backward()
    print("backward, plain      ", units(without_x), "U")
    print("backward, once more  ", attempt(loss.backward))
    print("still there:         ", loss.grad_fn.next_functions[0][0].name())


three_calls()

# %% [markdown]
# The first call leaves a plateau: nothing falls. The second finds everything in its place,
# runs, and frees, down to the 1 U of `x`, which you hold. The third fails. And the last line shows
# that even now no node is gone.
#
# Be the engine of both, on a GPU that is just large enough: which chip, the label of something
# saved, may go in which backward?

# %% solo="the game" at="05.play"
from course.play import play

play(
    """x = mg.ones(64, 32)
w = mg.full((32, 32), 0.01, requires_grad=True)
h = x @ w
h = h.tanh()
h = h.tanh()
h = h.sum()
h.backward(retain_graph=True)
h.backward()""",
    title="Be the engine: twice, on a tiny GPU",
)

# %% [markdown]
# ### And in a loop?
# Thread 004 asks what this costs in training. With `retain_graph=True` in every iteration, are
# there a hundred graphs in memory at the end, or only one? We take six layers, 6 U for a graph.


# %% twin=true
def training(iterations, keep, forget=False):
    start, steps = mg.memory_allocated(), []
    for i in range(iterations):
        mg.reset_peak_memory_stats()
        y = net(6)
        y.backward(retain_graph=keep)
        if forget:
            del y
        steps.append((f"highest in {i}", mg.max_memory_allocated() - start))
        steps.append((f"after {i}", mg.memory_allocated() - start))
    return steps


# %% solo="prediction"
predict(
    "05.hundred",
    "100 times `y = net(6)` and `y.backward(retain_graph=True)`. What is alive after the loop?",
    {
        "600 U: all 100 graphs": "You asked to retain each of them. But the option only tells a "
        "backward not to free. A graph lives as long as some name leads to it, and `y` is one "
        "name.",
        "6 U: one graph": "Each time `y` gets a new tensor, the last arrow to the old graph "
        "goes, and with it the whole graph. The last one is still called `y`.",
        "0 U: no graph": "Thread 004 says that the loop's variables go out of scope. In Python a "
        "`for` body is no scope: `y` is still there after the loop, and so is its graph.",
    },
    run=lambda: {600.0: "600 U: all 100 graphs", 6.0: "6 U: one graph", 0.0: "0 U: no graph"}[
        round(training(100, keep=True)[-1][1] / U, 1)
    ],
)

# %% twin=true at="05.e6"
ways = {"plain": (False,), "retain": (True,), "retain, del y": (True, True)}
print(f"{'in U':14}", *[f"{label:>12}" for label, _ in training(2, False)], "after 99")
for name, way in ways.items():
    sizes = [size / U for _, size in training(100, *way)]
    print(f"{name:14}", *[f"{size:12.1f}" for size in sizes[:4]], f"{sizes[-1]:8.1f}")

# %% [markdown]
# One graph, and it is flat. (In the thread's own loop, `y = a.sum()`, the option would retain
# nothing: a sum saves nothing.) So nothing leaks, but it is not free. Here are the first three
# iterations as a curve.

# %% twin=true at="05.e6-curve"
from course.pictures import curve

loops = {name: training(3, *way) for name, way in ways.items()}
curve(loops, "retain_graph=True in a loop", unit=U)

# %% [markdown]
# Where do 7.5, 9 and 13 come from? In lesson 04 six layers took 7 U. Here each layer has a product
# of its own, and its node makes a gradient for `w`, too: half a U (32 x 32 x 4 B). Backward meets
# product 6 first. This is alive at each highest moment, in U:
#
# | | plain | `retain`, in 0 | `retain`, in 1 |
# |---|---|---|---|
# | what runs | node of product 6 | node of product 5 | `tanh` 6 of the forward |
# | saved results of this iteration | 5 | 6 | 6 |
# | gradient that comes in | 1 | 1 | |
# | gradient made for the layer below | 1 | 1 | |
# | gradient made for `w` | 0.5 | 0.5 | |
# | that of product 6, waiting for more | | 0.5 | |
# | product 6, on its way into its `tanh` | | | 1 |
# | the graph of iteration 0, held by `y` | | | 6 |
# | together | 7.5 | 9 | 13 |
#
# The last row but one is what costs most. Only when the right-hand side is complete does the name `y` get
# the new tensor, and with that the old graph dies. No scope ends here.
#
# `del y` at the end of each iteration takes the overlap away. A plain backward does better: it
# frees node by node while it walks, and by the time the next forward begins there is nothing
# left to overlap.
#
# **Try it.** In `training`, append each `y` to a list made before the loop, and print 5 iterations
# with and without `keep`. With it, each costs 6 U more. Without it, a list of losses holds next
# to nothing.

# %% [markdown]
# ## 5. What has already happened when it fails?
# Some people wrap the call in `try` and go on. Suppose a loss has two parts, `(a * a).sum()`, which
# saves something, and `b.sum()`, which does not. The first backward passes and leaves 1.0 in
# `b.grad`. The second one raises the error. Is everything as it was before that call?


# %% twin=true
def failing_call(build):
    a = mg.tensor(1.0, requires_grad=True)
    b = mg.tensor(1.0, requires_grad=True)
    loss = build(a, b)
    loss.backward()
    first = b.grad.item()
    ended = attempt(loss.backward).split(":")[0]
    return first, b.grad.item(), ended


# %% solo="prediction"
predict(
    "05.half",
    "`loss = (a * a).sum() + b.sum()`. `b.grad` was 1.0 after the first backward; the second one "
    "raises. What is `b.grad` now?",
    {
        "1.0": "A call that fails should change nothing. For that an engine would have to check "
        "every node before it runs the first one, and this one does not.",
        "2.0": "By the time the walk met the empty node, the part with `b` had already run, and "
        "its gradient had been added.",
        "0.0": "An engine might clean up after a failure. But `.grad` is yours, and "
        "backward only ever adds to it.",
    },
    run=lambda: failing_call(lambda a, b: (a * a).sum() + b.sum())[1],
)

# %% twin=true at="05.half-seen"
losses = {
    "b written last": lambda a, b: (a * a).sum() + b.sum(),
    "b written first": lambda a, b: b.sum() + (a * a).sum(),
}
for name, build in losses.items():
    first, second, ended = failing_call(build)
    print(f"{name:16} {ended}; b.grad was {first} before it and is {second} after it")

# %% [markdown]
# An operation is **atomic** if it happens as a whole or not at all. A backward is not. And which
# half has happened depends on something as slight as the order of two terms.
#
# The order is the one of lesson 03: of all nodes that are ready, the one created last runs first.
# In the first line `b.sum()` was written last, so its node runs before those of `a` and adds its
# 1.0; then `MulBackward0` has its turn and raises. In the second line the product comes last
# and raises before anything got to `b`.
#
# So after a failed backward the gradients are neither old nor new. If you catch the error, throw
# the gradients away (`optimizer.zero_grad()`) before you do anything else. PyTorch behaves in
# the same way.
#
# **Try it.** Use `b.exp().sum()` instead of `b.sum()` in the first line. Now two nodes could
# raise, and the newer one does so at once: `b.grad` stays what it was.

# %% [markdown]
# ## 6. What to do instead?
# In real code the second time is rarely a second `y.backward()`. It is a second loss on the same
# trunk. A **trunk** is the part of a net that several losses share. Ours is six layers deep; one
# loss sums its result, the other sends it through one more layer with a weight `v`.

# %% twin=true
v = mg.full((32, 32), 0.01, requires_grad=True)
v.grad = mg.zeros(32, 32)
U, runs = x.nbytes, {}


def trunk():
    runs["forward"] += 1
    h = x
    for _ in range(6):
        h = (h @ w).tanh()
    h.register_hook(lambda grad: runs.update(backward=runs["backward"] + 1))
    return h


# %% [markdown]
# (`register_hook` calls a function each time a gradient reaches `h`. So `runs` counts how
# often the trunk runs in each direction.) The two losses, and the program
# as most of us write it first:


# %% twin=true
def loss_1(h):
    return h.sum()


def loss_2(h):
    return (h @ v).tanh().sum()


def as_written():
    h = trunk()
    loss_1(h).backward()
    loss_2(h).backward()


# %% twin=true at="05.two-losses"
runs.update(forward=0, backward=0)
print(attempt(as_written))

# %% [markdown]
# `loss_2(h)` is brand new, and fails: it stands on the trunk that `loss_1` has freed. It is example
# 3 again. Here are four ways out, two of them first.


# %% twin=true
def retain():
    h = trunk()
    loss_1(h).backward(retain_graph=True)
    loss_2(h).backward()


def add():
    h = trunk()
    (loss_1(h) + loss_2(h)).backward()


# %% [markdown]
# The third computes the trunk anew for the second loss. The fourth cuts the second loss off from
# the trunk: **`h.detach()`** is a tensor with the bytes of `h` and without its node, so that no
# gradient goes further back than that.


# %% twin=true
def recompute():
    loss_1(trunk()).backward()
    loss_2(trunk()).backward()


def detach():
    h = trunk()
    loss_1(h).backward()
    loss_2(h.detach()).backward()


# %% [markdown]
# What does each cost? We measure the bytes at the highest point, the passes through the trunk, and
# what arrives in `w.grad` and `v.grad`, as one sum each, to see whether the answer is the same.


# %% twin=true
def price(way):
    runs.update(forward=0, backward=0)
    w.grad.zero_()
    v.grad.zero_()
    start = mg.memory_allocated()
    mg.reset_peak_memory_stats()
    way()
    peak = (mg.max_memory_allocated() - start) / U
    print(
        f"{way.__name__:10} highest {peak:4.1f} U   trunk: {runs['forward']} forward, "
        f"{runs['backward']} backward   gradients {w.grad.sum():.1f}, {v.grad.sum():.1f}"
    )


# %% twin=true at="05.prices"
for way in (retain, add, recompute, detach):
    price(way)

# %% [markdown]
# | way | memory | work | gradients |
# |---|---|---|---|
# | `retain` | the most: the trunk stays whole while its own backward runs | backward twice | right |
# | `add` | least | once each way: the trunk receives the sum of both gradients | right |
# | `recompute` | as `add` | twice each way, as in examples 1 and 4 | right |
# | `detach` | as `add` | once each way | *another one*: the second loss does not train the trunk |
#
# If you can write one loss, `add`. Lesson 10 makes a method of `recompute`. `detach` is right where
# you mean it, as when a state is carried from one iteration into the next (lesson 08); elsewhere it
# is a silent mistake. And `retain_graph=True` is for the case that you really need two walks over
# one graph and cannot add the losses. Lesson 09 has such a case.
#
# **Try it.** Carry a state: `h = x`, then five times `h = (h @ w).tanh()` and
# `h.sum().backward()`. It fails in iteration 1, although nothing looks repeated. Which of the four
# ways fits? (Put `h = h.detach()` at the end of the loop.)

# %% [markdown]
# ### The same in PyTorch
# Five lines below the import. The last of them ends in the error, and no other does.
#
# ```python
# import torch
#
# a = torch.ones(3, requires_grad=True)
# y = (a + 5).sum()              # + and sum saved nothing
# y.backward(); y.backward()     # so this passes
# z = (a * 5).sum()              # * saved its 5
# z.backward(); z.backward()     # RuntimeError: ... a second time
# ```
#
# ### Three things you can trust
# What saved nothing runs again. Holding the tensor yourself does not help. A second node on top
# does not renew the first one below.

# %% twin=true at="05.asserts"
leaf = mg.ones(2, 3, requires_grad=True)
shift, product, bend = (leaf + 5).sum(), (leaf * 5).sum(), leaf.tanh()
total = bend.sum()
for first in (shift, product, total):
    first.backward()

assert attempt(shift.backward) == "passes" and attempt(product.backward) != "passes"
assert bend.shape == (2, 3) and attempt(total.backward) != "passes"
assert attempt(bend.sum().backward) != "passes"
print("all three hold")

# %% [markdown]
# What was simplified: the memory of Python's own objects is not in these bytes, so a freed node is
# counted as nothing. In PyTorch a node without its saved tensors still takes some hundreds of
# bytes. And the `_saved_` names in our table are only those of tensors: plain values such as a
# shape or an exponent stand beside them, and survive the freeing.
#
# **Next:** everything here hung on what a node had saved, and we took that from a table of
# seventeen rows. Which bytes are these exactly, who shares them, and what if somebody writes into
# one before the backward comes? Lesson 06.

# %% [markdown] card="where_it_stops"
# ### Where does it stop?
# You have never seen this program. `before` and `inside` are lists of steps such as `"-y"` or
# `"y.exp()"`; `retain` holds one True or False for each iteration.
#
# ```python
# import torch
#
# y = trunk = torch.ones(3, requires_grad=True)
# for step in before:
#     y = trunk = eval(step)
# for keep in retain:
#     y = trunk
#     for step in inside:
#         y = eval(step)
#     y.sum().backward(retain_graph=keep)
# ```
#
# Return `None` if it runs to its end. Otherwise return two numbers, counted from 0: the iteration
# in which `backward` raises, and the place in `before` of the step whose node raises. The steps are
# `y + 5`, `5 - y`, `-y`, `y.clone()`, `y * 5`, `y * y`, `y.exp()` and `y.tanh()`. Do not run them.
#
# *When it passes you can name the innocent line, and the guilty call, without running anything.*


# %% exercise="where_it_stops" kind="predict+transfer" difficulty=1 minutes=8
def where_it_stops(before, inside, retain):
    """None, or (iteration, place in `before`) of the node that raises."""
    ### BEGIN SOLUTION
    saves = [step in ("y * 5", "y * y", "y.exp()", "y.tanh()") for step in before]
    if not any(saves) or all(retain[:-1]):
        return None
    frees = retain.index(False)
    newest = max(place for place, saved in enumerate(saves) if saved)
    return frees + 1, newest
    ### END SOLUTION


# %% check="where_it_stops"
check(where_it_stops)

# %% [markdown] hint="where_it_stops"
# Two questions, and neither needs the other: which call takes something away, and which node misses
# it first?

# %% [markdown] hint="where_it_stops"
# The nodes of `inside` are new in each iteration, so they have all they need. Those of `before` are
# old. The first call without `retain_graph` empties them; the next call fails, if there is one.

# %% [markdown] hint="where_it_stops"
# The iteration is `retain.index(False) + 1`, if that exists. Backward walks from the newest node to
# the oldest, so the place is the largest one in `before` whose step saves something.

# %% [markdown] why="where_it_stops"
# **Why.** `inside` does not matter at all: its nodes live for one iteration. Of the old nodes those
# that saved nothing run again as if nothing had been, and the first saver on the way raises. The
# guilty call is one iteration earlier, and passed. A call that retains after it comes too late, and
# if the first call that frees is the last one, nobody is left to complain.

# %% [markdown] card="FourLoops"
# ### Four loops, four remedies
# Each of these loops ends in "Trying to backward through the graph a second time". Mend all four
# without `retain_graph`, so that each does what its docstring says. `w.grad` exists already, and
# gradients are added to it. One remedy does not fit all: section 6 has three, and `doubled` wants
# a fourth. Matrix products are counted, and so are the bytes of `carried`: at its peak at most
# 5.75 U and the gradient, where U is the bytes of `h`.
#
# *When it passes you can choose a remedy by what the program means, not by what silences the
# error.*


# %% exercise="FourLoops" kind="repair" difficulty=2 minutes=10
class FourLoops:
    @staticmethod
    def shared(x, w, targets):
        """Add to w.grad the gradient of sum(tanh(x @ w) * t), for each t of `targets`."""
        ### BEGIN SOLUTION
        h = (x @ w).tanh()
        total = sum((h * t).sum() for t in targets)
        total.backward()
        ### STUB
        # h = (x @ w).tanh()
        # for t in targets:
        #     (h * t).sum().backward()
        ### END SOLUTION

    @staticmethod
    def carried(x, w, steps):
        """Carry h on as tanh(h @ w); add the gradient of h.sum() of each step alone."""
        ### BEGIN SOLUTION
        h = x
        for _ in range(steps):
            h = (h @ w).tanh()
            h.sum().backward()
            h = h.detach()
        ### STUB
        # h = x
        # for _ in range(steps):
        #     h = (h @ w).tanh()
        #     h.sum().backward()
        ### END SOLUTION

    @staticmethod
    def updated(x, w, steps):
        """Descent on sum(tanh(x @ w)): each step uses the gradient at its own w."""
        ### BEGIN SOLUTION
        for _ in range(steps):
            loss = (x @ w).tanh().sum()
            loss.backward()
            with mg.no_grad():
                w -= 0.1 * w.grad
                w.grad.zero_()
        ### STUB
        # loss = (x @ w).tanh().sum()
        # for _ in range(steps):
        #     loss.backward()
        #     with mg.no_grad():
        #         w -= 0.1 * w.grad
        #         w.grad.zero_()
        ### END SOLUTION

    @staticmethod
    def doubled(x, w):
        """Add to w.grad twice the gradient of sum(tanh(x @ w))."""
        ### BEGIN SOLUTION
        loss = (x @ w).tanh().sum()
        (2 * loss).backward()
        ### STUB
        # loss = (x @ w).tanh().sum()
        # loss.backward()
        # loss.backward()
        ### END SOLUTION


# %% check="FourLoops"
check(FourLoops)

# %% [markdown] hint="FourLoops"
# Ask of each loop what its second backward needs. The same trunk, unchanged? A state that shall
# have no past? A trunk with new numbers in it? Or nothing new at all?

# %% [markdown] hint="FourLoops"
# Gradients add up, so several losses on one trunk may be added before a single backward. `detach`
# cuts off the past. After an update the trunk must be computed anew.

# %% [markdown] hint="FourLoops"
# `shared`: sum the losses, then one backward. `carried`: `h = h.detach()` as the last line of the
# loop. `updated`: move the line of the loss into the loop. `doubled`: twice a loss has twice the
# gradient.

# %% [markdown] why="FourLoops"
# **Why.** With `retain_graph=True` none of the four raises any more. `shared` and `doubled` are
# then right, and walk the trunk several times for what one walk gives. `carried` sends each
# gradient through all earlier steps as well, and `updated` repeats the gradient of the first `w`
# for ever: both wrong, and both silent. The error was the kinder outcome.

# %% [markdown] card="price_of_retaining"
# ### What does retain_graph cost?
# `x` is a leaf of 1 U whose `.grad` is there already. Then runs:
#
# ```python
# def net(h, layers):
#     for _ in range(layers):
#         h = h.tanh()
#     return h.sum()
#
# log = []
# for _ in range(steps):
#     y = net(x, layers)
#     y.backward(retain_graph=retain)
#     ...                     # `then`: "nothing", "del y" or "log.append(y)"
# ```
#
# Besides `x` and `x.grad`, how many U are alive at the highest point of the whole loop, and how
# many after it? Return both, as whole numbers; the few bytes of losses do not count. There are two
# steps or more, and two layers or more. Work it out by hand.
#
# *When it passes you can tell what the option costs, and when it costs nothing that lasts.*


# %% exercise="price_of_retaining" kind="predict" difficulty=3 minutes=15
def price_of_retaining(layers, steps, retain, then):
    """(highest, after) in U; `then` is "nothing", "del y" or "log.append(y)"."""
    ### BEGIN SOLUTION
    if not retain:
        return layers + 1, 0
    if then == "del y":
        return layers + 2, 0
    if then == "log.append(y)":
        return steps * layers + 2, steps * layers
    return max(2 * layers, layers + 2), layers
    ### END SOLUTION


# %% check="price_of_retaining"
check(price_of_retaining)

# %% [markdown] hint="price_of_retaining"
# First the second number: after the loop, which names and lists lead to a graph, and has this graph
# kept anything? Then look for the highest point in two places, in a forward and in a backward.

# %% [markdown] hint="price_of_retaining"
# While a tanh node runs, one gradient comes in and one is made. (The gradient that comes into the
# first node, that of the sum, has 4 B.) A plain backward has already let go of a result. And who
# still holds the old graph while a new one is built?

# %% [markdown] hint="price_of_retaining"
# Plain: `layers + 1`. Retained and dropped at once: `layers + 2`. Retained and still called `y`:
# the larger of that and two graphs. In a list: all graphs, and the last backward's two gradients.

# %% [markdown] why="price_of_retaining"
# **Why.** Retaining alone costs 1 U at the highest point of a backward: the results that would have
# gone. What makes it expensive is a name that still leads to the graph. The name `y` moves only
# when the new graph is complete, so two overlap; a list keeps them all. The same list after plain
# backwards holds losses of 4 B, and their empty nodes.

# %% [markdown] card="all_or_nothing"
# ### All or nothing
# A backward that fails may have written half of the gradients (section 5). Write one that is
# atomic. `all_or_nothing(loss, leaves)` does what `loss.backward()` does; `leaves` are all leaves
# of the graph. If the error comes, it passes on to the caller, and each `.grad` has the values that
# it had before, or is `None` if it was. Nothing is left in memory that was not there before, and
# at the peak two tensors more for each leaf are enough. The graph is used up, as by a plain
# `backward()`. Some of the leaves may have no `.grad` yet.
#
# *When it passes you may catch the error and go on, which nobody should after a plain backward.*


# %% exercise="all_or_nothing" kind="write" difficulty=3 minutes=15
def all_or_nothing(loss, leaves):
    """Add the gradients of `loss` to the `.grad` of each leaf.

    On an error, leave all as it was.
    """
    ### BEGIN SOLUTION
    before = [leaf.grad for leaf in leaves]
    for leaf in leaves:
        leaf.grad = None  # backward then writes into new tensors
    try:
        loss.backward()
    except RuntimeError:
        for leaf, old in zip(leaves, before, strict=True):
            leaf.grad = old
        raise
    for leaf, old in zip(leaves, before, strict=True):
        if old is not None and leaf.grad is not None:
            leaf.grad += old
        elif old is not None:
            leaf.grad = old
    ### END SOLUTION


# %% check="all_or_nothing"
check(all_or_nothing)

# %% [markdown] hint="all_or_nothing"
# You need the old gradients after a failure. Is a second name for them enough? Ask how backward
# adds to a `.grad` that is there: into the same bytes, or into new ones?

# %% [markdown] hint="all_or_nothing"
# It adds in place. So either copy each gradient before (`clone`), or let backward have no `.grad`
# to write into: set it to `None`, and bring the old one back afterwards. Mind the leaves that had
# none.

# %% [markdown] hint="all_or_nothing"
# `try: loss.backward()`, then `except RuntimeError:` with a loop that puts every old `.grad` back,
# and a bare `raise` at its end. If you set gradients to None, add the old ones after a success.

# %% [markdown] why="all_or_nothing"
# **Why.** A database does the same: write elsewhere, and let the result count when all is done.
# Here elsewhere costs one more tensor for each leaf, and this is why no engine does it unasked. A
# second name for the old gradient protects nothing, as backward adds into its bytes. And zeroing
# everything after a failure loses what earlier backwards had put there.
