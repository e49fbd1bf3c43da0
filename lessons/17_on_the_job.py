# %% [markdown]
# # 17  On the job
# Your code has changed since lesson 08. It is a class in another file, somebody else wrote half of
# it, and it needs a little more memory with every step. This lesson is about the hour that follows.
# First you measure whether it grows. Then you look for the part of the step that grows, then for the
# name that holds it. At the end you ask what the step needs anyway.
#
# The set-up cell brings a small training job on the digits of lesson 15. For small experiments it also
# makes the data `x` (8,192 B) and the weight `w` of lesson 08.

# %% twin=true
import gc

import minigrad as mg
import whoholds
from course.job import Job, Net, after_each, grown, new_job
from course.on_torch import on_torch
from course.pictures import wrongness
from course.predict import predict

x = mg.arange(2048.0).view(64, 32) / 2048
w = mg.full((32, 32), 0.01, requires_grad=True)

# %% [markdown]
# ## 1. Does it grow at all?
# Here is the job ([course/job.py](../course/job.py)). Read it once, quickly: you need not find its
# faults by reading.

# %% at="17.source"
from course.code_of import code_of

code_of(Net, Job)

# %% [markdown]
# `new_job()` makes one with the same weights each time. The file also has two instruments.

# %% at="17.instruments"
code_of(after_each, grown)

# %% [markdown]
# Three meters are in use, and count differently.
#
# | meter | counts | falls when |
# |---|---|---|
# | allocated: `torch.cuda.memory_allocated()` | tensors that are alive | the last holder lets go |
# | reserved: `torch.cuda.memory_reserved()` | what the allocator has taken from the card | `empty_cache()`, and only whole segments |
# | the process: `nvidia-smi`, `top` | reserved, and all else: libraries, Python's objects, nodes | perhaps never |
#
# Only the first one answers "is a tensor held?". So read *allocated*, at the same place of each step,
# as our ledger does. If it is flat and *reserved* climbs, no tensor leaks. The allocator cannot use
# the holes it has, as in lesson 14, and you look for lengths that change.
#
# Without a card `torch.cuda.memory_allocated()` says 0. Count the tensors that Python knows, and look
# at the process (this file is Linux's; elsewhere `psutil` has it):
#
# ```python
# import gc
# import os
# import torch
#
# some = [t for t in gc.get_objects() if issubclass(type(t), torch.Tensor)]
# known = [t.untyped_storage() for t in some]
# print(sum({s.data_ptr(): s.nbytes() for s in known}.values()), "B")
# with open("/proc/self/statm") as file:
#     pages = int(file.read().split()[1])
# print(pages * os.sysconf("SC_PAGE_SIZE"), "B in the process")
# ```
#
# The first is blind to tensors that only nodes hold, and to a `.grad` that nobody has read.
#
# If all tensors are flat and the process climbs, it may be something that is no tensor: nodes, lists
# of numbers, a cache of strings. It may also be no leak. Libraries keep something for each new
# length (PyTorch's oneDNN does), and the heap has holes; this climb becomes flatter by itself. So run
# longer, or make a **null run**: the same step, always on one batch. If only that one is flat, your
# lengths or your events do it.


# %% at="17.alive"
from itertools import pairwise

points = after_each(new_job(), 6)
print("alive after each step:", *[f"{n:,}" for n in points])
print("more than before:     ", *[f"{b - a:,}" for a, b in pairwise([0, *points])])

# %% [markdown]
# The first step is dearer. It makes what every later one uses again, such as the averages of Adam.
# That is no growth. Afterwards each step adds the same number, and that is growth. One number does
# not tell the two apart; a difference of two does, as in `grown`.
#
# A slope that is the same every time is one thing, or a few, done once a step. If the slope itself
# grows, something is copied that contains all earlier turns. If it comes in jumps, look for an event:
# a checkpoint, a plot, an error (section 4).
#
# **Try it.** Make one `job = new_job()`, and print `after_each(job, 3)` twice. The second list has no
# dearer first step: the job is warm.

# %% [markdown]
# ## 2. Which part of the step grows?
# On the job, call section 3's `grows` on the whole step first. If it names nothing, or you cannot
# install it, take the step apart.
#
# This one has six parts. Run the first alone, again and again, then the first two, and so on. The
# first prefix that grows ends with a part that keeps something. (With many parts **bisect**: begin in
# the middle, and halve what is left.)

# %%
predict(
    "17.part",
    "`load` alone, then `load` and `forward`, and so on. Which is the first part with which it grows?",
    {
        "forward": "`self.features` gets the hidden layer of each batch. There is no backward in "
        "this prefix, so its graph is kept as well.",
        "validate": "It does keep each score with its graph, and nobody walks it. But something "
        "kept more before it.",
        "log": "A running average of losses looks suspicious, and it is. But the bytes it holds "
        "are those of one number.",
        "backward": "A backward lets go of what the graph saved. The gradients that it makes are "
        "thrown away in `update`, or replaced.",
    },
    run=lambda: next(Job.parts[n - 1] for n in range(1, 7) if grown(new_job(), Job.parts[:n])),
)

# %% twin=true at="17.bisect"
for n in range(1, 7):
    print(f"up to {Job.parts[n - 1]:9}{grown(new_job(), Job.parts[:n]):>8,} B a turn")

# %% [markdown]
# `forward` it is. But look at the second row again: up to `forward` it grows by three times as much
# as up to `backward`. **A prefix is another program.** Without its backward nobody frees what
# the graph has saved, and `features` leads to that graph. So the first row that is not 0 names the
# part. How much the part really keeps is told by rows that contain the backward.
#
# Then come `update`, which adds nothing, `validate`, with a second jump, and `log`, which adds no
# byte. So there are two places to look. This works in any framework, if your step *has* parts that
# can be called. (In a step of 200 lines in one function, put `return` after half of it.)

# %% [markdown]
# ## 3. Who holds it?
# The part is known, and in a larger program you would not see the name at once. Three ways to ask.
#
# ### By hand: gc.get_referrers
# Python can list which objects refer to a given one.

# %% at="17.referrers"
job = new_job()
job.step()
print(*[type(one).__name__ for one in gc.get_referrers(job.net.features[0])])
holder = gc.get_referrers(job.net.features)[0]
# from Python 3.13 on the object itself refers to it, and no dict
names = holder if isinstance(holder, dict) else vars(holder)
print("and the list is in a dict with the keys", [key for key in names if key[0] != "_"])

# %% [markdown]
# Each step up is one more call, and many a referrer is only the frame or the list you are looking
# with. And it goes up through Python objects only. In minigrad a node is one. In PyTorch it is not,
# as this record shows.

# %% at="17.referrers-torch"
on_torch("referrers")

# %% [markdown]
# `get_referrers` knows one referrer: the name that we have just made. The node that holds the bytes is
# not in Python's books. So if `get_referrers` finds nobody, it is not nobody.
#
# ### By tool: whoholds
# `whoholds` (its page is `docs/whoholds.md`) goes through names *and* nodes, in minigrad and in
# PyTorch, so its `who` replaces `get_referrers`. `grows(step)` calls the step four times and tells
# what stays.

# %% at="17.grows"
job = new_job()
print(whoholds.grows(job.step))

# %% [markdown]
# Four rows, and each of them is a sentence for the bug report: how much, held by whom, made where.
# The first is `features`. The next two are the scores: four bytes each, and behind each of them a
# graph. The last row has no bytes at all: each running average leads to the one before, a chain of
# graphs. A buffer of a module that is updated without `detach()` makes the same chain.
#
# Now one fault is mended: the net keeps no features any more.


# %%
class Lean(Net):
    def forward(self, images):
        return self.head(self.body(images).tanh())


# %%
predict(
    "17.left",
    "The job grew by 18,952 B a turn, 16,384 of them in `features`. How much is left now?",
    {
        "0 B": "Then `features` would have been the only fault. There were four rows.",
        "2,568 B": "18,952 less 16,384. But a storage in two hands is counted once. Which of the "
        "tensors in `features` does somebody else hold as well?",
        "10,760 B": "Half of `features` came from `validate`. The graph of each score has saved "
        "that hidden layer too, so 8,192 B of it stay.",
        "18,952 B": "As if every byte had a second holder. The batch of training was walked: its "
        "graph had let go.",
    },
    run=lambda: f"{grown(new_job(Lean)):,} B",
)

# %% at="17.second"
job = new_job(Lean)
print(whoholds.grows(job.step))

# %% [markdown]
# The same bytes as before, under another name. `features` had been the shorter way to them, so it
# was told first. **A storage with two holders goes when the second lets go.** This is why a
# right mend may seem to do little, or nothing. Do not take it back. Measure again, and ask who holds
# the rest. For one tensor `who` lists all of them.


# %% at="17.who"
def both_holders():
    job = new_job()
    job.step()
    print(whoholds.who(job.net.features[-1]))


both_holders()

# %% [markdown]
# The last path goes from the score through `next_functions`, node by node, to the slot that saved
# the tensor. Who reads such a path knows what to do: keep the number of the score, not the score.
#
# `record` follows a program line by line. With the parts of a step as its lines it shows the balance
# of each: what it adds, which node saves what, and what backward frees.


# %% at="17.record"
def one_step():
    job = new_job(Lean)
    job.step()
    with whoholds.record() as trace:
        job.load()
        job.forward()
        job.backward()
        job.update()
        job.validate()
        job.log()
    print(trace)


one_step()

# %% [markdown]
# Compare `forward` and `validate`: the same nodes save the same things. After the first, a line of
# frees follows. After the second, none.
#
# The two faults that are left are mended by `no_grad` and `.item()`: no graph where nobody walks one,
# and numbers in the books. `assert_steady` is `grows` as a test. Put it into the test suite of the job, and
# the leak does not come back unseen.


# %% at="17.steady"
class Mended(Job):
    def validate(self):
        with mg.no_grad():
            self.scores.append(self.loss_of(self.held_out, self.answers).item())

    def log(self):
        self.average = 0.9 * self.average + 0.1 * self.loss.item()


job = new_job(Lean, Mended)
print(whoholds.grows(job.step))
whoholds.assert_steady(job.step)

# %% at="17.mended"
from course.pictures import curve


def steps(*kinds):
    alive = after_each(new_job(*kinds), 8)
    return [(f"step {n}", held) for n, held in enumerate(alive, 1)]


curve({"as it was": steps(), "Lean": steps(Lean), "Lean and Mended": steps(Lean, Mended)})

# %% [markdown]
# ### On a card
# `torch.cuda.memory_summary()` prints what is allocated and what is reserved, now and at the peak; it
# answers "leak or allocator?". `torch.cuda.memory._record_memory_history()` begins to note each
# allocation with its Python stack, and `_dump_snapshot("snapshot.pickle")` writes a file that the page
# pytorch.org/memory_viz draws; it answers "which line made it?". Nobody ran them on a card for this
# lesson, so none of their figures are shown. Neither answers "who holds it?".
#
# **Try it.** Mend only `validate`, and look at the row with nodes in `whoholds.grows`. It stands
# for a leak that no meter of tensors shows.

# %% [markdown]
# ## 4. Holders that you did not write
# No list and no attribute of yours has a tensor too many. Then suspect a number that leads to a
# graph, an error, and a ring.
#
# ### The loss list, once more
# Lesson 08 counted what a list of losses keeps. Here are the three kinds again with two columns: the
# bytes of tensors, and the nodes.


# %%
def books(keep, walk):
    kept = []

    def turn():
        loss = (x @ w).tanh().sum()
        if walk:
            loss.backward()
        kept.append(keep(loss))

    found = whoholds.grows(turn)
    return f"{found.bytes:>7,} B {found.graph:>2} nodes"


# %% at="17.losses"
ways = {
    "loss": lambda loss: loss,
    "loss.detach()": lambda loss: loss.detach(),
    "loss.item()": lambda loss: loss.item(),
}
print("a turn adds           after backward     without one")
for name, keep in ways.items():
    print(f"{name:16}{books(keep, True):>20}{books(keep, False):>20}")

# %% [markdown]
# After a backward the difference between the first two rows is nodes. The ledger does not show
# them and the process pays for them; lesson 08 has a recorded figure from PyTorch. Without a backward the
# first row keeps all that the graph has saved, here the result of a tanh.
#
# And `.item()`? It gives a Python float, which holds nothing. On a card it has a price: Python has
# to wait until everything queued before it is computed. `print(loss)`, `if loss > 1:`,
# `loss.tolist()` and `float(loss)` wait in the same way, for they need the number too. In a loop keep
# `loss.detach()`, and make numbers of a hundred at once.
#
# ### The kept error
# A job that runs for days catches errors: a bad batch is noted and skipped.


# %% twin=true at="17.notes"
def bad_batch():
    h = (x @ w).tanh()
    raise ValueError(f"{h.shape[0]} rows, and no labels")


def skipped(note, turns=5):
    before, notes = mg.memory_allocated(), []
    for _ in range(turns):
        try:
            bad_batch()
        except ValueError as error:
            notes.append(note(error))
    held = (mg.memory_allocated() - before) // turns
    notes.clear()  # a traceback leads to this frame, and it to `notes`
    return held


# %%
predict(
    "17.error",
    "`notes.append(error)`, five times. `h` has 8,192 B. What does each kept error hold?",
    {
        "nothing but its text": "So it would be with `str(error)`. But an error has a traceback, for "
        "whoever wants to know where it happened.",
        "8,192 B": "The traceback holds the frame of `bad_batch`, and a frame holds its names. `h` "
        "is one of them. It could be a whole graph.",
        "8,192 B, until the function returns": "The function has returned, by raising. Its frame "
        "would go now, if nobody held it.",
    },
    run=lambda: "8,192 B" if skipped(lambda error: error) == 8192 else "nothing but its text",
)

# %% twin=true at="17.errors"
print("error:            ", skipped(lambda error: error), "B each")
print("str(error):       ", skipped(str), "B each")
print("without traceback:", skipped(lambda error: error.with_traceback(None)), "B each")

# %% [markdown]
# ### What only some turns leave
# An error does not come in every turn, nor does a retry or a new best. `grows` sees so few turns that
# it may miss them: give it more. Here one attribute keeps one error, but each error leads to the one
# before, by `from`. And `means` grows in every turn.


# %%
class Reader:
    def __init__(self):
        self.last_error, self.means = None, []

    def read(self):
        blob = x * 2
        if len(self.means) % 3 == 0:
            raise OSError(f"{len(blob)} rows unread") from self.last_error

    def step(self):
        self.means.append(x.mean())
        try:
            self.read()
        except OSError as error:
            self.last_error = error


# %% at="17.seldom"
reader = Reader()
for turns in (3, 12):
    print(whoholds.grows(reader.step, turns=turns), end="\n\n")

# %% [markdown]
# The new row tells in how many turns, through whose traceback, and which name of which frame. Keep
# `str(error)` here too.
#
# Not every row is a leak. A buffer for shuffling has a bound, and so has a `deque(maxlen=8)`: there
# `grows` waits until it is full. Else it is sure only after about four times as many turns.

# %% at="17.bounded"
last = []


def shuffled():
    last.append(x * 2)
    del last[:-8]


for turns in (3, 12, 24):
    print(whoholds.grows(shuffled, turns=turns))

# %% [markdown]
# Before the third call it was full, and still it has a row: each turn leaves its own, and takes an
# older one away. Take more turns than the bound, then twice as many. Bytes and number of turns stay,
# and all are "from the last turns": older ones have left nothing. A leak has a row of "a turn", or
# about twice the bytes. Or read *allocated*: it is flat once the holder is full.
#
# ### Rings
# The frame of an error can be held by a ring. `last = error` inside a function makes one: the frame
# holds `last`, the error its traceback, the traceback the frame. No count falls to zero there, and the
# bytes stay until the garbage collector comes. It comes after so many new *objects*, and does not
# know that one of them has a gigabyte behind it.
#
# Autograd has a ring of its own. With `create_graph=True` the gradient is the result of
# operations, so it has a graph, and this graph leads to the weight. The weight leads to its `.grad`.


# %% at="17.warning"
import warnings


def penalty(weight):
    """Returns what minigrad warned of."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        weight.pow(3).sum().backward(create_graph=True)
    return str(told[0].message) if told else "nothing"


print(penalty(mg.ones(64, 32, requires_grad=True)))

# %% [markdown]
# The view opens at the peak. Step on to its end, a line at a time with Page Down. The last two lines
# take away every name, and the bytes stay: follow the arrows from `.grad` to the weight and back.

# %% at="17.ring-view"
from whoholds.step import step as trace
from whoholds.views import show

program = """weight = mg.ones(64, 32, requires_grad=True)
loss = weight.pow(3).sum()
loss.backward(create_graph=True)
del loss
del weight
"""
gc.collect()
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    found = trace(program, namespace={"mg": mg})
gc.collect()
show({"a ring": found}, title="A weight and its own gradient")

# %% [markdown]
# PyTorch warns in the same words. How long does the ring live? We let the collector rest, drop the
# weight, count, and then let it work. First the ring of an error, then that of a gradient.


# %%
def own_error():
    h = (x @ w).tanh()
    try:
        raise ValueError(f"{h.shape[0]} rows")
    except ValueError as error:
        last = error
    return str(last)


def gradient(cut=False):
    weight = mg.ones(64, 32, requires_grad=True)
    penalty(weight)
    if cut:
        weight.grad = None


# %% at="17.rings"
def waits(make):
    gc.collect()
    gc.disable()
    before = mg.memory_allocated()
    make()
    left = mg.memory_allocated() - before
    gc.enable()
    gc.collect()
    return f"{left:>6,} B by count, {mg.memory_allocated() - before} B after gc.collect()"


print("an error in its own frame:", waits(own_error))
print("create_graph:             ", waits(gradient))
print("the same, .grad = None:   ", waits(lambda: gradient(cut=True)))

# %%
predict(
    "17.ring",
    "In minigrad the collector takes the ring of weight and gradient. What happens in PyTorch?",
    {
        "the same": "minigrad is Python from end to end, so Python's collector sees every arrow. "
        "PyTorch's nodes are C++.",
        "it is never freed": "Part of the ring goes through C++, where the collector cannot look. "
        "It sees a count that does not fall, and leaves it.",
        "it is freed at once": "Then there would be no warning. A count does not fall to zero in a "
        "ring.",
    },
    run=lambda: (
        "it is never freed"
        if "as it is alive without a name: True, after gc.collect(): True"
        in on_torch("cycle").printed
        else "the same"
    ),
)

# %% at="17.cycle"
on_torch("cycle")

# %% [markdown]
# Here the two engines differ, and PyTorch's is the harder case: a real leak, of the kind that no
# `gc.collect()` mends. The way out is that of the warning. Set `.grad` to `None` after the step, or
# take the gradient with `torch.autograd.grad(loss, weights, create_graph=True)`: what it returns is
# your name, and no attribute of the weight.
#
# A hook can make such a ring as well, as in `h.register_hook(lambda grad: grad * h)`: `h` leads to its
# node, the node to the hook, the hook to `h`. PyTorch never frees this one either. `grows` names the
# closure's variable, or "a ring of references that gc.collect() does not end". Detach before, and let
# the hook use that.
#
# **Try it.** In `own_error`, write `last = str(error)`. Then nothing waits for the collector.

# %% [markdown]
# ## 5. What does a step need anyway?
# The job is steady now, and too big. Three settings help that cost nothing, or a line.
#
# ### set_to_none
# `zero_grad()` sets each `.grad` to `None`. Older code, and some that copied it, says
# `set_to_none=False`: then gradients are filled with zeros and stay. It shows in a net whose weights
# are larger than its batch.


# %% twin=true
rows = mg.ones(8, 256)


def zeroed(to_none):
    nn = mg.nn
    net = nn.Sequential(nn.Linear(256, 256), nn.Tanh(), nn.Linear(256, 256), nn.Tanh())
    optimizer = mg.optim.SGD(net.parameters(), lr=0.1)
    start = mg.memory_allocated()
    for _ in range(2):
        mg.reset_peak_memory_stats()
        net(rows).sum().backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=to_none)
    return mg.memory_allocated() - start, mg.max_memory_allocated() - start


# %% twin=true at="17.zeroed"
for to_none in (True, False):
    between, highest = zeroed(to_none)
    print(f"set_to_none={to_none!s:5}", end="")
    print(f"  between steps {between:>7,} B  highest {highest:>7,} B")

# %% [markdown]
# Zeros are tensors like others. They lie there through the whole forward, where the activations come
# on top. And backward makes the gradient of a weight first and adds it afterwards, so for a
# moment there are two of them; where `.grad` is `None`, the first just stays. (`None` changes one
# thing more: an optimizer skips a weight without a gradient. One whose gradient is 0 it still moves,
# by momentum or decay.)
#
# ### Accumulation
# The batch is what activations scale with. `backward()` adds into `.grad`, so a batch can be taken
# in portions: forward and backward of each, one step of the optimizer at the end. Each portion's
# loss is a *mean*, so it must be weighed by its share.


# %% twin=true
def in_portions(size, weigh):
    weight = mg.full((32, 32), 0.01, requires_grad=True)
    weight.grad = mg.zeros(32, 32)
    start, portions = mg.memory_allocated(), x.split(size)
    mg.reset_peak_memory_stats()
    for part in portions:
        share = len(part) / len(x) if weigh else 1 / len(portions)
        ((part @ weight).tanh().pow(2).mean() * share).backward()
    return weight.grad, mg.max_memory_allocated() - start


def close(gradient):
    return wrongness([gradient], [in_portions(64, True)[0]]) < 1e-5


# %%
predict(
    "17.portions",
    "64 rows in portions of 24, 24 and 16, each loss divided by 3. Is the gradient that of the whole?",
    {
        "yes": "With portions of equal size it is. Here the last portion's rows count for more than "
        "the others: a third of the loss for a quarter of the rows.",
        "no": "A mean of means is the mean only if all portions are of one size. The last one is "
        "often smaller. Weigh it by its rows.",
        "no, it is three times as large": "That would be without any division. It is the other "
        "usual slip.",
    },
    run=lambda: "yes" if close(in_portions(24, False)[0]) else "no",
)

# %% twin=true at="17.accumulate"
for size in (64, 32, 16, 8, 24):
    (by_rows, highest), (by_number, _) = in_portions(size, True), in_portions(size, False)
    print(
        f"portions of {size:2}: highest {highest:>6,} B   "
        f"weighed by rows: {close(by_rows)!s:5}   "
        f"divided by their number: {close(by_number)}"
    )

# %% [markdown]
# A quarter of the rows needs a quarter of the bytes, and no more work. What it does not divide are
# weights, gradients and the optimizer's state. And a layer that looks at the whole batch, such as
# BatchNorm, sees a portion only: then the numbers are others.
#
# ### inference_mode
# For validation there is a stricter mode beside `no_grad`.


# %% twin=true
def in_mode(mode):
    start = mg.memory_allocated()
    mg.reset_peak_memory_stats()
    with mode():
        y = (x @ w).tanh().tanh()
    return y, mg.max_memory_allocated() - start, mg.memory_allocated() - start


def told(call):
    try:
        return call()
    except RuntimeError as error:
        return str(error).split(". ")[0]


# %% twin=true at="17.modes"
for mode in (mg.enable_grad, mg.no_grad, mg.inference_mode):
    y, highest, held = in_mode(mode)
    print(f"{mode.__name__:15} highest {highest:>6,} B   held {held:>6,} B")
    print("   its version:", told(lambda y=y: y._version))
    print("   times w:    ", told(lambda y=y: (y[:32] * w).grad_fn.name()))

# %% [markdown]
# In bytes the two modes are equal. `inference_mode` saves work instead: its tensors have no version
# counter. For this it takes something from you. Such a tensor can never be saved by a node, so it
# cannot enter a graph later. So take `inference_mode` for numbers that end as numbers, and `no_grad`
# for what goes back into training: a teacher's output, a hidden state, a cache of features.
#
# **Try it.** In `in_mode`, return `y.clone()` after the `with` block. A clone is a normal tensor, as
# the error says, and `times w` works.

# %% [markdown]
# ## 6. What does half precision halve?
# **Automatic mixed precision** (AMP) is two things. `autocast` runs products of matrices in a type
# of 16 bits, and leaves the rest in float32. minigrad has no autocast, so this is PyTorch, on the
# processor, with one net twice.

# %% at="17.amp"
on_torch("amp")

# %% [markdown]
# The large activation is half as big, since its product
# was made in bfloat16. `log_softmax` and the loss have stayed float32: they need the digits.
# The weights, their gradients and the state of Adam are float32 as before. And two rows are new:
# copies in bfloat16, of the images and of a weight, which the plain run need not make. So a step does
# not need "half the memory". **Only activations of products are halved**, and with a small batch the
# copies may eat that up.
#
# The other thing is for float16 alone. bfloat16 has the range of float32 and fewer digits. float16
# has more digits and little range: what is too small is 0.


# %% twin=true
def slope_of(scale):
    """The gradient of a weight whose slope is 1e-8, walked in float16."""
    weight = mg.ones(1, dtype=mg.float16, requires_grad=True)
    loss = (weight * 1e-4 * 1e-4).to(mg.float32)
    (loss * scale).backward()
    return weight.grad.to(mg.float32).item() / scale


# %%
predict(
    "17.scale",
    "A slope of 1e-8 in float16, and the loss multiplied by 8,192 before backward. Dividing "
    "`.grad` by it afterwards gives:",
    {
        "0": "Without the factor it does: 1e-8 is below the smallest float16. But backward starts "
        "with the factor, and every gradient on the way carries it.",
        "about 1e-8": "All gradients are larger by the factor, so they fit into the range of "
        "float16. The division is made in float32.",
        "inf": "That happens when the factor is too large for some gradient. 1e-8 times 8,192 is "
        "less than 0.001.",
    },
    run=lambda: "about 1e-8" if 0.9e-8 < slope_of(8192.0) < 1.1e-8 else "0",
)

# %% twin=true at="17.scales"
for power in (0, 13, 17):
    print(f"times 2 ** {power:2}   slope found: {slope_of(2.0**power):.0e}")

# %% [markdown]
# Too small a factor, and the gradient is 0 without a word. Too large, and it is inf. Nobody knows the
# right one beforehand, and it changes during training. `GradScaler` looks for it. Here it runs on
# the processor, for three turns; in the second one the slope is inf.

# %% at="17.scaler"
on_torch("scaler")

# %% [markdown]
# In the second turn `scaler.step(optimizer)` skipped the step, `w` stayed, and `update` halved the
# scale. (After enough good turns it doubles it.) Two things follow. A step now and then that does
# nothing is no bug. And the scaler has to *know* whether there was an inf. It asks with `.item()`,
# unless the optimizer is a fused one, so there is one wait for the card in every step.
#
# With accumulation the order matters: `scaler.scale(loss).backward()` for each portion, `step` and
# `update` once. To clip gradients, call `scaler.unscale_(optimizer)` first, or you clip the scale.
#
# **Try it.** Add 15 and 16 to the powers in the loop over `slope_of`. Backward begins with the factor itself, and
# float16 ends at 65,504: at which of the two is it over?

# %% [markdown]
# ### On Monday
# | you see | you ask | with |
# |---|---|---|
# | memory climbs | does it grow? Read it at the same place of each step | `memory_allocated()`; tensors in `gc` |
# | allocated is flat, reserved is not | do lengths change? | `memory_summary()`, lesson 14 |
# | all is flat but the process | does it end? | a longer run, a null run; `grows`: rows of nodes |
# | it grows | who holds it? | `grows` of the whole step, `who` |
# | it grows in jumps | which event? | `grows` with more turns |
# | nothing is named | which part? | run the first one, two, three ... |
# | a row, but allocated is flat | has the holder a bound? | twice as many turns |
# | nobody holds it | an error? a ring? | `gc.collect()`; `create_graph`, hooks |
# | mended | does it stay so? | `assert_steady`, in the tests |
# | steady, and too big | what does a step need anyway? | sections 5 and 6, lessons 10 and 11 |
#
# ### The same in PyTorch
# A test for a job of your own. The first print gives `steady: no tensor's bytes of a turn are left two turns later`,
# and the second `True`.
#
# ```python
# import torch
# import whoholds
#
# net = torch.nn.Linear(64, 64)
# losses = []
#
# def step(keep):
#     net.zero_grad()
#     loss = net(torch.ones(32, 64)).tanh().sum()
#     loss.backward()
#     losses.append(keep(loss))
#
# print(whoholds.grows(lambda: step(torch.Tensor.item)))
# print(bool(whoholds.grows(lambda: step(torch.Tensor.detach))))
# ```
#
# ### Three things you can trust
# What is kept once a turn adds the same bytes in every turn. Its holder has a name. And an error holds
# nothing before it is raised.

# %% at="17.asserts"
from itertools import pairwise

job = new_job()
assert {b - a for a, b in pairwise(after_each(job, 6))} == {grown(job)}
assert "job.net.features" in str(whoholds.grows(job.step))
error = ValueError("a sentence")
assert error.__traceback__ is None  # raising makes it hold frames
print("all three hold")

# %% [markdown]
# What was simplified: the parts of this job can be called alone, those of a real one often must be
# cut out first. One process was looked at; with several workers each has its own ledger. And three
# leaks in twenty lines are more than most jobs have.
#
# **Next:** a job of your own. Measure it before you read it. (Two electives follow: gradients of
# gradients, and a transformer block.)

# %% [markdown] card="Watched"
# ### Watching holds
# This net trains itself and watches three things: its losses, the average spread of its hidden layer,
# and how much that layer matters (the sum of `grad * h`). All three numbers are right. But each step
# leaves more behind than one hidden layer.
#
# Find what is held, and by what, and mend it. `losses`, `slopes` and `spread` shall have the same
# values, as Python floats. After a step nothing may be left but the gradients of the weights; what
# waits for the garbage collector counts as left, also if you call it. At its peak a step may need 4 U
# and two times the weights, where U is the bytes of `h`.
#
# *When it passes you can watch a job for a month.*


# %% exercise="Watched" kind="repair" difficulty=2 minutes=12
class Watched(mg.nn.Module):
    """A net with one hidden layer that trains itself, and watches what it does."""

    ### BEGIN SOLUTION
    def __init__(self, body, head):
        super().__init__()
        self.body, self.head = body, head
        self.losses, self.slopes, self.spread = [], [], 0.0

    def forward(self, x):
        h = self.body(x).tanh()
        value = h.detach()
        self.spread = 0.75 * self.spread + 0.25 * (value * value).mean().item()
        h.register_hook(lambda grad: self.slopes.append((grad * value).sum().item()))
        return self.head(h)

    def step(self, x, target, optimizer):
        optimizer.zero_grad()
        loss = (self(x) - target).pow(2).mean()
        loss.backward()
        optimizer.step()
        self.losses.append(loss.item())

    ### STUB
    # def __init__(self, body, head):
    #     super().__init__()
    #     self.body, self.head = body, head
    #     self.losses, self.slopes, self.spread = [], [], 0.0
    #
    # def forward(self, x):
    #     h = self.body(x).tanh()
    #     self.spread = 0.75 * self.spread + 0.25 * (h * h).mean()
    #     h.register_hook(lambda grad: self.slopes.append((grad * h).sum()))
    #     return self.head(h)
    #
    # def step(self, x, target, optimizer):
    #     optimizer.zero_grad()
    #     loss = (self(x) - target).pow(2).mean()
    #     loss.backward()
    #     optimizer.step()
    #     self.losses.append(loss)
    ### END SOLUTION


# %% check="Watched"
check(Watched)

# %% [markdown] hint="Watched"
# Ask of each of the three: is it a number or a tensor? If it is a tensor, who walks the graph behind it?

# %% [markdown] hint="Watched"
# `spread` is computed from its own last value, and nobody calls backward on it. And look at the hook:
# it belongs to `h`, and which name does its function use?

# %% [markdown] hint="Watched"
# `value = h.detach()` has the bytes and no node. Let the spread and the hook use `value`, and put
# `.item()` behind every number that is kept. The hook must return nothing: `append` does.

# %% [markdown] why="Watched"
# **Why.** The spread was a carried state: each value led to the one before, and on the way every
# square kept its `h`. The hook was a ring: `h` leads to its node, the node to the hook, the hook to
# its closure, the closure to `h`. In minigrad the collector takes it some day. In PyTorch this
# one is never taken, since it goes through C++. A detached tensor in the closure holds bytes
# only as long as the graph does.

# %% [markdown] card="prefix_growth"
# ### Which part grows?
# `make()` returns a new list of functions without arguments: the parts of one step, in their order.
# `prefix_growth(make)` returns a list of as many numbers. The first says how many bytes a turn adds
# that consists of the first part alone, the second is for the first two parts, and so on.
#
# What is made once is no growth, nor what is kept in a bounded number (five at most). A prefix changes
# what the parts share, so use a new list for each.
# Nothing may be left when your function has returned.
#
# *When it passes you can search any step that has parts.*


# %% exercise="prefix_growth" kind="write" difficulty=2 minutes=10
def prefix_growth(make):
    """[bytes that each turn adds, for the first part, the first two, and so on]."""

    ### BEGIN SOLUTION
    def slope(parts):
        levels = []
        for _ in range(2):  # the first ten turns are the warm-up
            for part in parts * 10:
                part()
            levels.append(mg.memory_allocated())
        return (levels[1] - levels[0]) // 10

    return [slope(make()[:count]) for count in range(1, len(make()) + 1)]
    ### END SOLUTION


# %% check="prefix_growth"
check(prefix_growth)

# %% [markdown] hint="prefix_growth"
# How did `grown` in section 1 tell a large thing from a growing one?

# %% [markdown] hint="prefix_growth"
# For each length: a new list, its first parts, some turns to warm up (more than five), then the bytes,
# as many turns again, and the bytes once more.

# %% [markdown] hint="prefix_growth"
# `parts = make()[:count]`; ten turns, `first = mg.memory_allocated()`; the same for `second`; `(second - first) // 10`. For `count` in `range(1, len(make()) + 1)`.

# %% [markdown] why="prefix_growth"
# **Why.** A slope needs two looks and a warm-up; this was lesson 08. New is that the program is cut
# at another place each time. Each piece begins anew: a prefix without its backward leaves graphs in
# whatever the parts share, and without a warm-up the next measurement would count them.

# %% [markdown] card="in_budget"
# ### As many rows as the budget has
# `loss_of(x, y)` is the mean loss of these rows. To compute and walk it takes `each` bytes a row at
# its peak; weights and their gradients are not counted. You have `size` bytes, which is enough for
# some rows, but not for all.
#
# Write `in_budget(loss_of, x, y, each, size)`: add the gradient of the loss of the *whole* batch to
# what the weights have in `.grad` already, and return that loss, as a float. Take as few portions as
# `size` allows.
#
# *When it passes your batch can be as large as you like.*


# %% exercise="in_budget" kind="write" difficulty=2 minutes=8
def in_budget(loss_of, x, y, each, size):
    """The loss of all rows; their gradient is added up in portions that fit."""
    ### BEGIN SOLUTION
    rows, total = size // each, 0.0
    for first in range(0, len(x), rows):
        part = x[first : first + rows]
        loss = loss_of(part, y[first : first + rows]) * (len(part) / len(x))
        loss.backward()
        total += loss.item()
    return total
    ### END SOLUTION


# %% check="in_budget"
check(in_budget)

# %% [markdown] hint="in_budget"
# How many rows fit? And how many of them has the last portion?

# %% [markdown] hint="in_budget"
# `size // each` rows at a time. Each portion is walked before the next is computed. Its mean loss is
# weighed by its share of all rows, and so is what you add up for the total.

# %% [markdown] hint="in_budget"
# `for first in range(0, len(x), rows)`: `part = x[first : first + rows]`, the same rows of `y`,
# `loss = loss_of(...) * (len(part) / len(x))`, `loss.backward()`, `total += loss.item()`.

# %% [markdown] why="in_budget"
# **Why.** A gradient of a sum is the sum of gradients, so portions lose nothing, if each is weighed by
# its rows. Activations go with the portion; the gradient is there once. And that the peak is that
# of one portion hangs on one line: the backward stands *inside* the loop. Behind it, with the losses
# added up, all portions' graphs would wait for it.

# %% [markdown] card="job_account"
# ### Three meters of a job
# An unseen loop. `x` is data of shape `(rows, width)`; only every so many turns is the loss walked.
#
# ```python
# import torch
# from torch import nn
#
# net = nn.Sequential(
#     nn.Linear(width, hidden), nn.Tanh(), nn.Linear(hidden, 1)
# )
# log = []
# for turn in range(1, turns + 1):
#     out = net(x)
#     loss = out.mean()
#     if turn % every == 0:
#         loss.backward()
#     log.append(loss)
# pass                                       # A
# log = [loss.item() for loss in log]        # B: after this line
# net.zero_grad()
# ```
#
# Return three numbers: the bytes alive at A, those alive at B, and those that the last line frees.
# `x` and the weights do not count, their `.grad` do. `every` is at most `turns`.
#
# Work them out by hand; a function that makes no tensor is asked for.
#
# *When it passes you can read a job's memory off its code.*


# %% exercise="job_account" kind="predict+transfer" difficulty=2 minutes=8
def job_account(rows, width, hidden, turns, every):
    """[bytes at A, bytes at B, bytes that zero_grad frees]: all float32."""
    ### BEGIN SOLUTION
    graph, out, loss = rows * hidden * 4, rows * 4, 4
    grads = 4 * (width * hidden + hidden + hidden + 1)
    at_a = (turns - turns // every) * graph + turns * loss + out + grads
    last = graph if turns % every else 0
    return [at_a, last + loss + out + grads, grads]
    ### END SOLUTION


# %% check="job_account"
check(job_account)

# %% [markdown] hint="job_account"
# What does the graph of one turn save? Which of these graphs does somebody walk? And which names are
# still bound after the loop?

# %% [markdown] hint="job_account"
# One graph saves the result of the tanh, which two nodes share; a mean saves no tensor. `out` and
# `loss` still hold the last turn when `log` holds numbers only (the `loss` inside the brackets is a name of its own).

# %% [markdown] hint="job_account"
# At A: `rows * hidden * 4` for each turn that was not walked, 4 for each loss, `rows * 4` for `out`, and
# the gradients of two weights and two biases. At B one loss is left, and the last graph, if
# `turns % every` is not 0.

# %% [markdown] why="job_account"
# **Why.** The log of numbers frees all turns but one. The last one is held by `loss`, and its graph by
# it, until the name is bound anew. That is one graph, so it is no leak; it is why a
# job looks larger between epochs than it is. And the gradients stay until somebody sets them to `None`.
