# %% [markdown]
# # 00  Welcome
# You call `backward()`. Some memory goes, some stays, and a second call ends in an error. After this
# course you can say which bytes, why, and who holds the rest, for code that you have never seen.
# Begin by looking: click into the grey cell below and press **Shift-Enter**, twice.

# %%
import minigrad as mg
import whoholds.step  # brings the cell magic %%step
from course.pictures import curve
from course.predict import predict, progress

# %%
# %%step --end
w = mg.ones(2048, requires_grad=True)
y = w.tanh().tanh().tanh()
loss = y.sum()
loss.backward()
loss.backward()

# %% [markdown]
# Three tensors of 8,192 B (bytes) were kept for the way back. The first `backward()` let go of them and made
# a gradient. The second one found nothing left and stopped. But only two of the three are gone from
# memory. Which one stayed, and who holds it? Step through the view with the left and right arrow keys, or
# with its buttons.
#
# Each arrow that the view draws is a reference; each card is a piece of memory, with its bytes and what
# they are for. Line 1 is the one below `%%step`. Below the view stand the ways out of the error: `keeps`
# is what each of them costs in bytes, `runs again` what it costs in time. Lesson 05 explains both.
#
# **What you can do after the course.** Say which bytes are alive at each line of a program, and who
# holds them. Explain this error, and choose the cheapest way out. Find a leak in a training loop.
# Write operations that save less. Train a deep net in the memory of a few layers, and prove that
# its gradients are still right.
#
# You do all this with `minigrad`, an engine small enough to read. It keeps and frees what PyTorch
# keeps and frees, and says the same when it stops. You need Python, and to have trained a net once.
#
# - **A taste**, {time: 00.3 04.2}: this page without its questions, then the first two sections
#   of [04](04_which_is_freed.ipynb).
# - **The core**, lessons 00 to 08: {time: 00-08}, {time, with exercises: 00-08} with the
#   exercises. One lesson an evening is a good pace.
# - **The whole course**, lessons 00 to 16: {time: 00-16}, {time, with exercises: 00-16} with the exercises.
# - **Afterwards**, in any order: [17](17_on_the_job.ipynb), a training job that grows;
#   [18](18_gradients_of_gradients.ipynb), gradients of gradients;
#   [19](19_a_transformer_block.ipynb), a transformer block. Lessons 00 to 19: {time: 00-19},
#   {time, with exercises: 00-19} with the exercises.
#
# The minutes are estimates, and the small experiments of each lesson are in them. Section 3 has
# more ways in.

# %% [markdown]
# ## 1. How a lesson works
# Predict, run, see, explain. Five lines go with us the whole way: data, a weight that wants a
# gradient, a product, a tanh, a sum. After them we delete `h`, then `y`, and note how many bytes
# each `del` gives back. `mg.memory_allocated()` counts the bytes of all living tensors, exactly.


# %%
def five_lines():
    x = mg.arange(2048.0).view(64, 32) / 2048
    w = mg.full((32, 32), 0.01, requires_grad=True)
    h = x @ w
    y = h.tanh()
    loss = y.sum()
    return x, w, h, y, loss


# %%
def two_dels():
    x, w, h, y, loss = five_lines()
    start = mg.memory_allocated()
    del h
    middle = mg.memory_allocated()
    del y
    return f"{start - middle:,} B and {middle - mg.memory_allocated():,} B"


# %% [markdown]
# The next cell is a **prediction card**; run it to see it. Its code is folded away, for it holds
# the explanations. Choose, and lock your choice: only then does the card fetch the answer. It is
# typed nowhere, the card ran the code and looked. A wrong guess teaches more than a right answer
# that you only read; but a card never keeps you from reading on.
#
# With the keyboard: **Shift-Enter** on the cell above brings you to the card, and the keys A to D choose.
# The arrow keys jump over it, because JupyterLab skips a cell whose code is folded away.

# %% solo="prediction"
predict(
    "00.dels",
    "`h` and `y` hold 64 x 32 floats of 4 B, so each has 8,192 B. What does "
    "`two_dels()` say: how many bytes do `del h` and `del y` give back?",
    {
        "8,192 B and 8,192 B": "It looks as if `del` freed memory. It removes a name; the bytes go when "
        "nothing else refers to them.",
        "0 B and 0 B": "So it would be if the graph kept every intermediate result. It keeps only "
        "what a derivative needs.",
        "0 B and 8,192 B": "So it would be if tanh kept its input, `h`. But its slope is 1 - y * y: the "
        "output is enough.",
        "8,192 B and 0 B": "`h` was held by its name alone. `y` is held by its name and by the graph.",
    },
    run=two_dels,
)

# %% [markdown]
# Now look. `surprise` notes how many bytes are alive after each step, and goes one step further, to
# `loss.backward()`. `curve` draws what it noted.


# %%
def surprise():
    points, before = [], mg.memory_allocated()

    def note(step):
        points.append((step, mg.memory_allocated() - before))

    x, w, h, y, loss = five_lines()
    note("the five lines")
    del h
    note("del h")
    del y
    note("del y")
    loss.backward()
    note("loss.backward()")
    return points


# %% at="00.surprise"
curve(surprise(), "Two dels and a backward")

# %% [markdown]
# The first point is 28,676 B, and you can check it by hand: `x`, `h` and `y` have 8,192 B each, `w`
# has 4,096 B, `loss` 4 B. Then come two tensors of the same size and the same `del` for both, and
# only one of them had an effect.
#
# Bytes stay while something refers to them. Only its name referred to `h`. Two things referred to
# `y`: its name, and the graph, which needs `y` for the derivative of tanh. So `del y` alone gave
# nothing back. In `loss.backward()` the graph, too, let go of `y` (8,192 B less), and the
# gradient of `w` came into being (4,096 B more).
#
# **Try it.** In `surprise`, put a `#` before `del y` and run the two cells again: now `backward()`
# makes the curve go *up*. Lessons are full of such small experiments; none is graded.
#
# **Exercises** are notebooks of their own, linked at the end of a lesson: a task, a cell for your
# answer, and a `check(...)` that tries it at once and says where to look. Hints open one by one. With
# the keyboard, press Tab until a hint is framed, then Enter; Enter on the whole cell would open its
# text, with all hints at once.

# %% [markdown]
# ## 2. Your set-up
# This output differs from machine to machine, so it is not stored: run the cell.

# %% measured="versions differ"
import importlib.util
import platform

import numpy as np

print("Python ", platform.python_version(), "on", platform.system())
print("numpy  ", np.__version__)
found = importlib.util.find_spec("torch")
print("PyTorch", "is here" if found else "is not here (no need for it)")
gpu = mg.cuda.get_device_name() if mg.cuda.is_available() else mg.cuda.why_not()
print("GPU    ", gpu)

# %% [markdown]
# This one is the same everywhere: what a tensor takes, and where it is unless you say otherwise.

# %% at="00.gpu"
t = mg.zeros(64, 32)
print(f"{t.dtype} on the {t.device} takes {t.nbytes:,} B")

# %% [markdown]
# A graph keeps and frees the same on any device, so without a GPU you miss nothing: lesson 14 brings
# a simulated one.
#
# `run.py` has opened a copy of this lesson that is yours; write in it as you like. The file
# `my/progress.json` notes the first choice that you lock on each card. It stays on this machine.
# Run the next cell again whenever you wonder how far you are.

# %%
progress()

# %% [markdown]
# ## 3. Where to begin
# Each lesson needs the ones before it as far as [08](08_detach_and_leaks.ipynb). After that take
# what you like. The minutes count the small experiments.
#
# {lessons}
#
# - **With code of your own**: the [playground](playground.ipynb) runs any few lines, yours or those
#   of a thread, one statement at a time. It draws what each line makes, keeps and frees.
# - **With a question**: the course grew out of five threads of PyTorch's forum. What was asked in
#   them, and where each question is answered, stands on [a page of its own](threads.ipynb). If one
#   of them asks what you ask, start where this table says.
#
# | its question | start here |
# |---|---|
# | thread 000: Can I keep the graph and throw away the data? | [02], section 6; then [11] and [12]; on its GPU, [14] |
# | thread 001: Can a penalty send its gradient early and be freed? | [09]; on checkpoints, [10] |
# | thread 002: The graph is freed, and yet it is still there? | [04]; on leaks, [08] |
# | thread 003: Why does it fail when one line leaves the loop? | [05]; on `del`, [01]; what is saved, [06] |
# | thread 004: When is a graph made, when does it go? | [02], section 4; if it grows, [08]; can it be used again, [13] |
#
# [01]: 01_names_objects_bytes.ipynb
# [02]: 02_the_graph.ipynb
# [04]: 04_which_is_freed.ipynb
# [05]: 05_second_time.ipynb
# [06]: 06_what_is_saved.ipynb
# [08]: 08_detach_and_leaks.ipynb
# [09]: 09_eager_penalties.ipynb
# [10]: 10_checkpointing.ipynb
# [11]: 11_reversible.ipynb
# [12]: 12_still_right.ipynb
# [13]: 13_static_graph.ipynb
# [14]: 14_on_the_gpu.ipynb

# %% [markdown]
# ## 4. If you like: what do you know already?
# **You may skip this section** and go on with [lesson 01](01_names_objects_bytes.ipynb). It is an
# offer, and nothing later needs it. The ten questions use words and calls that only the lessons
# explain, such as `grad_fn` and `next_functions`. It is no bad sign if they tell you nothing yet.
#
# What are they good for? The exam at the end asks about the same ten ideas in other words. If you
# have answered here, you see there what the course has changed. And if you know PyTorch well, they
# tell you where to begin. Nothing is graded. If you do not know, guess: the card shows what is true
# and names the lesson that says why.
#
# **Round one.** Run the functions, read them, run the cards. The five lines stand here once more,
# so that this section runs by itself.

# %%
import weakref

from IPython.display import display


def lines_again():
    x = mg.arange(2048.0).view(64, 32) / 2048
    w = mg.full((32, 32), 0.01, requires_grad=True)
    h = x @ w
    y = h.tanh()
    loss = y.sum()
    return x, w, h, y, loss


# %%
def in_memory():
    before = mg.memory_allocated()
    a = mg.zeros(64, 32)
    three = [a, a.t(), a.clone()]
    return (mg.memory_allocated() - before) // three[0].nbytes


def after_del():
    x, w, h, y, loss = lines_again()
    watch = weakref.ref(h)
    del h
    return watch() is None, y.grad_fn.next_functions[0][0] is None


# %% solo="prediction"
# Questions 1 to 3
# fmt: off
display(predict(
    "00.a1",
    "1. `in_memory()`: how many times are the bytes of `a` in memory?",
    {
        "1": "`clone` makes bytes of its own. Lesson 01.",
        "2": "Only `clone` copies. Lesson 01.",
        "3": "A transposed tensor looks like new data, but shares the old. Lesson 01.",
    },
    run=in_memory,
    form="A",
))
display(predict(
    "00.a2",
    "2. `after_del()`: the line `h = x @ w` made the tensor `h` and, in the graph, a node: the "
    "record of this product. `after_del()` looks for both. Which are gone after `del h`?",
    {
        "both": "Then no gradient could reach `w` any more. Lesson 02.",
        "neither": "True if tensors were the nodes. Operations are. Lesson 02.",
        "the tensor": "The node does not hold what it made. Lesson 02.",
    },
    run=lambda: {(1, 1): "both", (1, 0): "the tensor", (0, 0): "neither"}[after_del()],
    form="A",
))
display(predict(
    "00.a3",
    "3. What type of object stands at the end of the graph of `w + 1`, if `w` wants a gradient?",
    {
        "AccumulateGrad": "The node that adds to `w.grad`. Lesson 02.",
        "Tensor": "Close: a node stands there, and it holds `w`. Lesson 02.",
        "NoneType": "That stands where no gradient is wanted. Lesson 02.",
    },
    run=lambda: type((mg.ones(3, requires_grad=True) + 1).grad_fn.next_functions[0][0]).__name__,
    form="A",
))
# fmt: on

# %% [markdown]
# **Round two.**


# %%
def two_rounds():
    a = mg.tensor(1.0, requires_grad=True)
    for _ in range(2):
        (a * 3).backward()
    return a.grad.item()


def del_in_a_chain():
    x, w, h, y, loss = lines_again()
    e = (h @ w).sum()
    before = mg.memory_allocated()
    del h
    given_back = before - mg.memory_allocated()
    e.backward()
    return given_back


# %% solo="prediction"
# Questions 4 to 6
# fmt: off
display(predict(
    "00.a4",
    "4. What does `two_rounds()` return?",
    {
        "0.0": "Nobody sets `a.grad` to zero unless you do. Lesson 03.",
        "3.0": "The second is added, it does not replace the first. Lesson 03.",
        "6.0": "Each backward adds to what is there. Lesson 03.",
    },
    run=two_rounds,
    form="A",
))
display(predict(
    "00.a5",
    "5. What does the graph keep for the derivative of `y = h ** 2`?",
    {
        "its output": "So it was for tanh. But the slope here is 2 * h. Lesson 03.",
        "its input": "The slope is 2 * h, so it needs `h` itself. Lesson 03.",
        "both": "Only what the formula needs. Lesson 03.",
    },
    run=lambda: {"self": "its input", "result": "its output", "self result": "both"}[
        " ".join(row["name"] for row in mg.memory.saved(mg.ones(3, requires_grad=True) ** 2))],
    form="A",
))
display(predict(
    "00.a6",
    "6. How many bytes does `del_in_a_chain()` give back? `h` has 8,192 B.",
    {
        "0 B": "To give `w` its gradient, the second product keeps `h`. Lesson 04.",
        "4,096 B": "A tensor's bytes go together or not at all. Lesson 01.",
        "8,192 B": "If its name alone held `h`, yes. Lesson 04.",
    },
    run=lambda: f"{del_in_a_chain():,} B",
    form="A",
))
# fmt: on

# %% [markdown]
# **Round three.**


# %%
def after_backward():
    x, w, h, y, loss = lines_again()
    loss.backward()
    return y.sum().item() == loss.item(), mg.memory.saved(y)[0]["freed"]


def loop():
    watches = []
    for _ in range(100):
        x, w, h, y, loss = lines_again()
        watches.append(weakref.ref(loss.grad_fn))
        loss.backward(retain_graph=True)
    return sum(watch() is not None for watch in watches)


# %% solo="prediction"
# Questions 7 and 8
# fmt: off
display(predict(
    "00.a7",
    "7. After `loss.backward()`, what the graph had kept is freed. It had kept `y`. "
    "Who can still read `y`?",
    {
        "nobody": "`y` is still your name for it. Lesson 04.",
        "you, not the graph": "Freed means: the graph lets go. Lesson 04.",
        "you and the graph": "The graph has let go. Lesson 04.",
    },
    run=lambda: {(1, 1): "you, not the graph", (0, 1): "nobody", (1, 0): "you and the graph"}[
        after_backward()],
    form="A",
))
display(predict(
    "00.a8",
    "8. `loop()` counts the graphs alive after 100 times `retain_graph=True`. How many?",
    {
        "0": "`loss` still refers to one. Lesson 05.",
        "1": "The last, for `loss` refers to it. Lesson 05.",
        "100": "It spares a graph in one backward. It does not hold on to it later. Lesson 05.",
    },
    run=loop,
    form="A",
))
# fmt: on

# %% [markdown]
# **Round four.**


# %%
def twice(c):
    c.backward()
    try:
        c.backward()
        return "works"
    except RuntimeError:
        return "fails"


def half_way():
    a, b = mg.ones(1, requires_grad=True), mg.ones(1, requires_grad=True)
    twice(a * a + (b + 1))
    return a.grad.item(), b.grad.item()


# %% solo="prediction"
# Questions 9 and 10
# fmt: off
display(predict(
    "00.a9",
    "9. A second `c.backward()`, for `c = a * 5` and for `c = a + 5`?",
    {
        "fails, fails": "The sum had kept nothing, so nothing of it was freed. Lesson 05.",
        "works, works": "The product had kept its factor, and lost it. Lesson 05.",
        "fails, works": "The product had kept its factor, the sum nothing. Lesson 05.",
    },
    run=lambda: ", ".join(twice(c) for a in [mg.ones(1, requires_grad=True)]
                          for c in [a * 5, a + 5]),
    form="A",
))
display(predict(
    "00.a10",
    "10. In `half_way()` one backward gives gradients 2.0 and 1.0; the second fails. "
    "What does it return?",
    {
        "(2.0, 1.0)": "An error should leave all as it was. This one does not. Lesson 05.",
        "(2.0, 2.0)": "`b` had its second part when the product failed. Lesson 05.",
        "(4.0, 2.0)": "The product could not run, so `a` got nothing. Lesson 05.",
    },
    run=half_way,
    form="A",
))
# fmt: on

# %% [markdown]
# **Your score**: the cards counted along.

# %%
progress()

# %% [markdown]
# Where to begin, if you have answered all ten: with up to four right, at
# [01](01_names_objects_bytes.ipynb); with up to eight, at [02](02_the_graph.ipynb); with nine or ten,
# at [04](04_which_is_freed.ipynb), and see whether you still agree.
#
# Lesson 01 asks: what exactly does `del` delete?
