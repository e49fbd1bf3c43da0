# %% [markdown]
# # 01  Names, objects, bytes
# You write `del`, and the memory is as full as before. You delete nothing, and something is gone.
# Most such puzzles have little to do with autograd. They are about three things that we like to
# call by one word: the *name* `t`, the *tensor* that it refers to, and the *bytes* that hold the
# numbers. This lesson takes them apart. There is not one gradient in it, but all that the later
# lessons say about freeing stands on it.
#
# The set-up cell defines `show`, which prints how many bytes have come to life since `before`.
# `mg.memory_allocated()` counts the bytes of everything alive, exactly.

# %% twin=true
import gc
import weakref

import minigrad as mg
import whoholds.step  # brings the cell magic %%step
from course.predict import predict


def show(what, before):
    print(f"{what:<22}{mg.memory_allocated() - before:>6,} B")


# %% [markdown]
# ## 1. Can you skip this lesson?
# Four functions, four cards, four minutes. Run and read a function, run the folded cell below it,
# decide, reveal. If you get all four right *and* your reason was the one that the card gives, go on
# to [lesson 02](02_the_graph.ipynb). If not, you have found the section that you need: each
# explanation names it.


# %% twin=true
def quiz_del():
    t = mg.zeros(3)
    shelf = [t]
    t[0] = 7.0
    del t
    return shelf[0][0].item()


# %% solo="prediction"
predict(
    "01.quiz_del",
    "What does `quiz_del()` give?",
    {
        "an error": "`del t` sounds as if it deleted the tensor, and then `shelf[0]` would be a "
        "reference to nothing. But `del` deletes a name. Section 2.",
        "0.0": "If `[t]` put a copy on the shelf, the 7 would not be in it. A list copies "
        "nothing; it refers to the tensor itself. Section 2.",
        "7.0": "There was one tensor with two references, and now there is one tensor with one. "
        "Section 2.",
    },
    run=quiz_del,
)


# %% twin=true
def quiz_row():
    before = mg.memory_allocated()
    t = mg.zeros(64, 32)
    row = t[0]
    del t
    return f"{row.nbytes:,} B and {mg.memory_allocated() - before:,} B"


# %% solo="prediction"
predict(
    "01.quiz_row",
    "A row of 32 floats has 128 B, all 64 rows have 8,192 B. What does `quiz_row()` give: the bytes "
    "of the row, and the bytes in memory?",
    {
        "128 B and 8,192 B": "The row owns no bytes of its own. It looks into those of `t`, and they "
        "stay as a whole for as long as anybody looks. Section 3.",
        "128 B and 128 B": "This would need somebody who cuts the row out and gives the rest back. "
        "Bytes are owned together and go together. Section 3.",
        "128 B and 0 B": "If the bytes belonged to the name `t`, they would go with it, and the row "
        "would show garbage. They belong to neither name. Section 3.",
    },
    run=quiz_row,
)


# %% twin=true
def quiz_loop():
    for i in range(3):
        t = mg.full((3,), float(i))
    return t[0].item()


# %% solo="prediction"
predict(
    "01.quiz_loop",
    "`t` is made inside the loop, and used after it. What does `quiz_loop()` give?",
    {
        "an error": "In C or Java `t` would end with the body of the loop. In Python only a "
        "function ends its names; a loop does not. Section 4.",
        "0.0": "Each round makes a new tensor and lets the name `t` refer to it; the first one "
        "is long gone. Section 4.",
        "2.0": "After the loop `t` is what the last round made of it. Section 4.",
    },
    run=quiz_loop,
)


# %% twin=true
def quiz_gc():
    t = mg.zeros(64, 32)
    gc.disable()
    before = mg.memory_allocated()
    del t
    given_back = before - mg.memory_allocated()
    gc.enable()
    return f"{given_back:,} B"


# %% solo="prediction"
predict(
    "01.quiz_gc",
    "`quiz_gc` switches Python's garbage collector off. How many of the 8,192 B does `del t` give "
    "back?",
    {
        "0 B": "One reads that memory is freed when the garbage collector comes by. That is true "
        "of a rare kind of garbage only. Section 5.",
        "8,192 B": "The last reference went, so the tensor went, in that very moment. The garbage "
        "collector has no part in it. Section 5.",
        "it depends on how full the memory is": "Some languages do clean up when memory gets "
        "scarce. Python does not wait for that. Section 5.",
    },
    run=quiz_gc,
)

# %% [markdown]
# **Try it.** In `quiz_row`, write `row = t[0].clone()`. Run the function's cell and `quiz_row()`
# in a new cell below it: you will see `128 B and 128 B`. If you know why, you know section 3.

# %% [markdown]
# ## 2. What does `del` delete?
# *A case file, from thread 003.* Somebody had read that backward frees the tensors that a graph
# has saved, printed one of them afterwards, and found it unchanged. What, then, does "freed" mean?
# The clearest answer did not begin with graphs. It began with a list. Here is that list, rebuilt.


# %% twin=true at="01.del"
def del_the_name():
    t = mg.arange(3.0)
    shelf = [t]
    print("one tensor:", shelf[0] is t)
    del t
    print("on the shelf:", shelf[0])


del_the_name()

# %% [markdown]
# A **reference** is whatever leads from one place to an object: a name does, and so does a place
# in a list. `t = ...` makes the name `t` refer to a tensor; it puts nothing *into* `t`. And
# `del t` takes the reference away that `t` was. The tensor does not notice. It would not notice a
# `del shelf` either, as long as `t` is there.
#
# Here is the picture that goes through the whole course, in its smallest form. Names on the left,
# tensors to the right of them; an arrow is a reference. `[t   12 B]` is the tensor, three floats of
# 4 B each; `[0]` is the first place of the list.
#
# ```
# names          tensors
# -----          -------
# t -----------> [t   12 B]
#                    ^
#                    |
# shelf -> [0] ------+
# ```
#
# `del` erases one arrow, never a box. A box goes when the last arrow to it has gone. To watch
# that happen we need to look at a tensor without pointing an arrow at it, for our arrow would keep
# it alive. Python has the tool: a **weak reference**. `watch = weakref.ref(t)` is not counted, and
# `watch()` gives the object while it lives and `None` afterwards.


# %% twin=true at="01.weakref"
def the_last_arrow():
    t = mg.arange(3.0)
    watch = weakref.ref(t)
    shelf = [t]
    del t
    print("after del t:      ", watch())
    shelf.clear()
    print("after shelf.clear:", watch())


the_last_arrow()

# %% [markdown]
# Now you can read the answer that the thread got. A graph that saved a tensor refers to it, just
# as the shelf does. When backward *frees* the tensor, the graph takes it off its shelf. If you have
# a name for it, you keep it; if you have none, that was the last arrow. This was right then and is
# right today. The answer also says that there is no way to check whether something was freed. That
# is out of date: a weak reference is a way, and you have just used it.
#
# `del` is not the only way to erase an arrow. `t = None` and `t = something_else` turn it elsewhere,
# `shelf.pop()` takes one off the shelf, and a function that returns erases all of its own names.
#
# **Try it.** In `the_last_arrow`, write `t = None` instead of `del t`: nothing changes in the
# output. Then put a line `other = t` before it: now the tensor survives the empty shelf.

# %% [markdown]
# ## 3. Who owns the bytes?
# So far a tensor was one thing. It is two. The tensor itself is small: it knows a shape, a dtype,
# and where to look. The numbers lie in a **storage**, an object whose only purpose is to own
# bytes. How many? Take the data of our running example, 64 rows of 32 floats. A float has 4 B. First
# by hand, then measured:


# %% twin=true at="01.hand"
def by_hand_and_measured():
    before = mg.memory_allocated()
    t = mg.zeros(64, 32)
    print(f"by hand:      {64 * 32 * 4:,} B")
    print(f"measured:     {mg.memory_allocated() - before:,} B")
    print(f"its storage:  {t.untyped_storage().nbytes():,} B")


by_hand_and_measured()

# %% [markdown]
# That amount will return in every lesson, so it gets a name: 8,192 B are **1 U**, one unit, the bytes
# of one activation of our example.
#
# Why two objects, a tensor and a storage? Because several tensors can share one storage. A
# **view** is a tensor that looks into the storage of another one. `t.view(...)`, `t.t()`, `t[0]`
# and `t[10:20]` all give views. What does each cost?


# %% twin=true at="01.views"
def views_and_a_copy():
    t = mg.zeros(64, 32)
    before = mg.memory_allocated()
    kept = [t.view(32, 64), t.t(), t[0], t[10:20]]
    show("four views", before)
    kept.append(t.clone())
    show("and a clone", before)


views_and_a_copy()

# %% [markdown]
# Four views, no bytes. Only `clone` makes a storage of its own. That views share can also be
# seen without counting: write into one, and read from the other.


# %% twin=true
def write_through_a_view():
    t = mg.zeros(64, 32)
    row, copy = t[0], t.clone()
    row[0] = 7.0
    print("in t:", t[0, 0].item(), " in the copy:", copy[0, 0].item())


write_through_a_view()

# %% [markdown]
# The picture gets a third column. Later we shall draw a tensor and its storage as one box
# again, wherever there is no view.
#
# ```
# names          tensors             storages
# -----          -------             --------
# t -----------> [64 x 32] ----+
#                              +---> [ 8,192 B ]
# row ---------> [32     ] ----+
#
# copy --------> [64 x 32] --------> [ 8,192 B ]
# ```
#
# The next cell makes this picture move. The magic `%%step` runs a cell one statement at a time and
# draws names, tensors and storages at each moment, under the curve of the bytes. Click into the
# view. The right and left arrow keys take one step, Page Down and Page Up a whole line. What comes
# is hidden. Before you step onto a `del`, say how many bytes will go.

# %% solo="the view" at="01.step"
# %%step --hide --at "copy names" --title "A view, a copy, and del"
t = mg.zeros(64, 32)
row = t[0]
copy = t.clone()
del copy
del t
del row

# %% [markdown]
# <details><summary>How many went: open this when you have said it</summary>
#
# The first `del` gives back 8,192 B: nothing leads to the storage of the copy any more. The second
# gives back nothing: `row = t[0]` had added an arrow and no byte, and this arrow still leads to the
# other storage. The third gives back 8,192 B. (The tensor that was `t` is on its card, too, without
# a name. The end of this section says why.)
#
# </details>
#
# A storage cannot go in parts:


# %% twin=true at="01.row"
def one_row():
    before = mg.memory_allocated()
    t = mg.zeros(64, 32)
    row = t[0]
    del t
    show(f"a row of {row.nbytes} B:", before)
    row = row.clone()
    show("row = row.clone():", before)


one_row()

# %% [markdown]
# This happens in real programs. You keep only the first prediction of each batch, to look at it
# later. `ten_rows(first)` does so, and notes the bytes alive after each batch:


# %% twin=true
def first(batch):
    return batch[0]


def ten_rows(part):
    before = mg.memory_allocated()
    kept, points = [], []
    for i in range(1, 11):
        kept.append(part(mg.zeros(64, 32)))
        points.append((i, mg.memory_allocated() - before))
    return points


# %% solo="prediction"
predict(
    "01.ten_rows",
    "How many bytes are alive after the tenth batch? One row has 128 B, one batch 8,192 B.",
    {
        "1,280 B": "Ten rows of 128 B are what was meant. They are not what is kept: each row is "
        "a view, and holds its whole batch.",
        "8,192 B": "It would be one batch if the ten shared a storage. But each round makes a new "
        "batch with a storage of its own, and each of them has a row to look into it.",
        "81,920 B": "Ten rows hold ten storages: 10 U, of which 1,280 B are wanted.",
    },
    run=lambda: f"{ten_rows(first)[-1][1]:,} B",
)

# %% [markdown]
# Here are the ten batches one by one, and beside them the same loop with a copy of each row.

# %% twin=true at="01.rows"
from course.pictures import curve

ways = {"batch[0]": first, "batch[0].clone()": lambda batch: batch[0].clone()}
kept = {name: ten_rows(part) for name, part in ways.items()}
curve(kept, "A row of each of ten batches, kept")

# %% [markdown]
# Each view adds a whole batch. The copies add 128 B each, and your memory is back.
#
# (If you ask a weak reference: in these examples the *tensor* `t` survives its name as well, since
# a view remembers the tensor it was taken from, as `row._base`. For the bytes it makes no
# difference. They stay while any tensor looks into the storage.)
#
# **Try it.** Add a third way to `ways`: `"batch.sum(0)": lambda batch: batch.sum(0)`. Its line lies on
# that of the copies. Why?

# %% [markdown]
# ## 4. Does a loop tidy up? Does a function?
# Names have a home, a *scope*, and when the home goes, its names go. Which lines of Python open
# one? Look at a loop first.


# %% twin=true at="01.loop"
def around_a_loop():
    before = mg.memory_allocated()
    for i in range(3):
        t = mg.zeros(64, 32)
        show(f"in round {i}", before)
    show("after the loop", before)
    print("i is", i, "and t has the shape", list(t.shape))


around_a_loop()

# %% [markdown]
# The body of a `for` is no scope. Nothing ends with it: `i` and `t` are still there, and the
# last tensor with them. That only 1 U is alive at a time has another reason. Each round turns the
# arrow `t` to a new tensor, and the one before is left without any.
#
# Look closely, though. In which order does `t = mg.zeros(64, 32)` do its two jobs, making the
# new tensor and turning the arrow? `mg.max_memory_allocated()` knows the highest level since
# the last `mg.reset_peak_memory_stats()`.


# %% twin=true
def peak():
    before = mg.memory_allocated()
    mg.reset_peak_memory_stats()
    for _ in range(3):
        t = mg.zeros(64, 32)
    del t
    return mg.max_memory_allocated() - before


# %% solo="prediction"
predict(
    "01.peak",
    "How many bytes were alive at once, at most, in the loop of `peak()`?",
    {
        "8,192 B": "It was never more than that when `show` looked. But `show` looked between the "
        "steps, and the peak lies within one.",
        "16,384 B": "The right side comes first. While the new tensor is made, `t` still refers to "
        "the old one.",
        "24,576 B": "Three tensors were made, but the first had gone before the third came.",
    },
    run=lambda: f"{peak():,} B",
)

# %% [markdown]
# Here are the three rounds, written out, and then two with a `del` at the end. Watch the arrow `t`.

# %% solo="the view" at="01.peak_seen"
# %%step --title "A loop that lets go late, and one that does not"
t = mg.zeros(64, 32)
t = mg.zeros(64, 32)
t = mg.zeros(64, 32)
del t
t = mg.zeros(64, 32)
del t
t = mg.zeros(64, 32)
del t

# %% [markdown]
# A loop that reuses a name lets go late. The old tensor stays until the new one is made: 2 U at
# once. With the `del` it is never more than 1 U. With small tensors nobody cares; with a graph
# behind each name, you will.
#
# And a function? It is a scope: when it returns, its names go, and with them whatever only they
# referred to.


# %% twin=true at="01.function"
def work():
    t = mg.zeros(64, 32)
    s = t + 1
    return s.sum().item()


def around_a_function():
    before = mg.memory_allocated()
    work()
    show("after work()", before)


around_a_function()

# %% [markdown]
# That is why the demonstrations of this course sit in functions: they clean up behind them. A
# notebook's own names live as long as the notebook does, unless you turn or delete them.
#
# **Try it.** Let `work` return `s[0]`, and write `kept = work()` in `around_a_function`: now the
# function leaves 8,192 B behind. You know whose they are.

# %% [markdown]
# ## 5. When exactly does a tensor die?
# "When the last reference goes" could still mean: some time after. Let the tensor tell us.
# `weakref.finalize(t, print, "...")` calls `print` in the moment in which the tensor dies. Like a
# weak reference, it does not count.


# %% twin=true at="01.at_once"
def hear_it():
    t = mg.zeros(64, 32)
    weakref.finalize(t, print, "    the tensor dies")
    print("before del t")
    del t
    print("after del t")


hear_it()

# %% [markdown]
# It dies between the two lines, not some time later. Python does **reference counting**: every
# object counts the references that lead to it, and goes when the count is zero. (This is how CPython
# works, the Python that you most probably run.) Python also has a garbage collector, which now and
# then searches for objects that nothing can reach. To be sure that it has no part in this, we
# switch it off:


# %% twin=true at="01.gc"
def without_collector():
    gc.disable()
    print("collector at work:", gc.isenabled())
    before = mg.memory_allocated()
    t = mg.zeros(64, 32)
    show("with t", before)
    del t
    show("after del t", before)
    gc.enable()


without_collector()

# %% [markdown]
# What is the collector for, then? For rings. Two objects that refer to each other, or a list that
# contains itself, never count down to zero, although no name leads to them any more. Only for
# these Python has to search. (Again we switch the collector off first, so that it cannot run before
# we look.)


# %% twin=true at="01.ring"
def a_ring():
    gc.disable()
    before = mg.memory_allocated()
    ring = [mg.zeros(64, 32)]
    ring.append(ring)
    del ring
    show("after del ring", before)
    gc.collect()
    show("after gc.collect()", before)
    gc.enable()


a_ring()

# %% [markdown]
# A ring like this has to be built. The graph behind an ordinary loss contains none, and you will
# see why when you take one apart: its arrows all lead one way. So in this course bytes go at a
# line that you can point to, and `gc.collect()` is no cure for memory that stays. If it stays,
# an arrow is left.
#
# **Try it.** Take the line `ring.append(ring)` out of `a_ring`: now `del ring` is enough, and the
# collector finds nothing to do.

# %% [markdown]
# ## 6. The same in PyTorch
# All of this is Python and holds for any tensor. If PyTorch is installed, paste this into a new
# cell; it prints `128 8192`.
#
# ```python
# import torch
# t = torch.zeros(64, 32)
# row = t[0]
# del t
# print(row.nbytes, row.untyped_storage().nbytes())
# ```
#
# PyTorch counts living bytes for GPUs only (`torch.cuda.memory_allocated()`; without a GPU it says
# 0). The tests of this course count them for PyTorch on the CPU, too. They run nearly every cell of
# this lesson on both engines, and both must print the same.
#
# Three things you can rely on from here:


# %% twin=true at="01.asserts"
def three_things():
    before = mg.memory_allocated()
    t = mg.zeros(64, 32)
    row = t[0]
    assert mg.memory_allocated() - before == 64 * 32 * 4, "a view costs nothing"
    del t
    assert mg.memory_allocated() - before == 64 * 32 * 4, "del removes a name, no object"
    del row
    assert mg.memory_allocated() == before, "with the last arrow the bytes go, at once"
    print("all three hold")


three_things()

# %% [markdown]
# Names, lists and views refer to tensors. So does the graph. Lesson 02 asks: what is a graph made
# of, if not of tensors?

# %% [markdown] card="shelf_of_views"
# ### A shelf of views, in PyTorch
# You have never seen this snippet. How many bytes of tensors are alive after each of its last
# seven lines, 1 to 7?
#
# ```python
# import torch
#
# t = torch.zeros(rows, columns)
# shelf = [t, t.t(), t[0]]
# copy = t.clone()
# del t
# shelf = [copy[0]]
# copy = copy.sum(0)
# del shelf
# ```
#
# `copy.sum(0)` adds up the rows; its result has the shape `(columns,)`. Work the bytes out from
# the sizes: a formula that makes no tensor is asked for.
#
# *When it passes you can say of a line whether it moves names or bytes.*


# %% exercise="shelf_of_views" kind="predict+transfer" difficulty=1 minutes=6
def shelf_of_views(rows, columns):
    """A list of seven numbers of bytes, of lines 1 to 7; a float has 4."""
    ### BEGIN SOLUTION
    whole, row = rows * columns * 4, columns * 4
    return [
        whole,  # t
        whole,  # three more arrows, no storage
        2 * whole,  # the copy has its own
        2 * whole,  # the shelf still leads to t
        whole,  # the old list went, and t with it; copy[0] is a view
        whole + row,  # the row on the shelf holds the whole old copy
        row,
    ]
    ### END SOLUTION


# %% check="shelf_of_views"
check(shelf_of_views)

# %% [markdown] hint="shelf_of_views"
# Draw the picture of section 3, with a column for storages. Which lines make a storage? Two of the
# seven take one away.

# %% [markdown] hint="shelf_of_views"
# Only `zeros`, `clone` and `sum` make storages; `t.t()`, `t[0]` and `copy[0]` look into one that is
# there. A storage goes when the last tensor that looks into it goes.

# %% [markdown] hint="shelf_of_views"
# With `whole = rows * columns * 4` and `row = columns * 4`: line 3 adds a `whole`, line 5 takes one
# away, line 6 adds a `row` and takes nothing, for somebody still looks into the old copy.

# %% [markdown] why="shelf_of_views"
# **Why.** Three lines make bytes: `zeros`, `clone`, `sum`. Two give bytes back, and neither is
# `del t`: the old list goes when `shelf` is turned to a new one, and with it the last three arrows
# to the first storage. `copy = copy.sum(0)` looks like an exchange of large for small. But a row of
# the old copy stands on the shelf, so all of it stays until the shelf goes.

# %% [markdown] card="first_rows"
# ### Keep the row, not the batch
# `load(i)` makes batch `i`, a large tensor. This function is to keep the first row of each batch.
# It keeps far more. Repair it: the result is a list of `count` tensors that hold their own few
# bytes and no more, and at no moment is more than one batch alive beside the rows. Load every
# batch once.
#
# *When it passes you know the two ways in which a loop holds more than it says.*


# %% exercise="first_rows" kind="repair" difficulty=1 minutes=6
def first_rows(load, count):
    """The first rows of load(0), load(1), ... load(count - 1), as a list of tensors."""
    ### BEGIN SOLUTION
    kept = []
    for i in range(count):
        batch = load(i)
        kept.append(batch[0].clone())
        del batch  # before the next one is made
    return kept
    ### STUB
    # kept = []
    # for i in range(count):
    #     batch = load(i)
    #     kept.append(batch[0])
    # return kept
    ### END SOLUTION


# %% check="first_rows"
check(first_rows)

# %% [markdown] hint="first_rows"
# Two questions. Into whose storage does `batch[0]` look? And what does the name `batch` refer to
# while `load` makes the next one?

# %% [markdown] hint="first_rows"
# A row of its own needs a storage of its own: section 3 has the method. And section 4 has the line
# that lets go of a batch before the next is made.

# %% [markdown] hint="first_rows"
# `kept.append(batch[0].clone())`, and as the last line of the loop's body `del batch`.

# %% [markdown] why="first_rows"
# **Why.** A view is a few words of Python and holds a whole storage, so ten rows held ten batches.
# `clone` pays for one row and lets the batch go. When does it go? Not at the end of the loop's
# body, which ends nothing, but when the name is turned to the next batch, and then two are there.
# `del` is one way out; to have no name at all, `load(i)[0].clone()`, is another.

# %% [markdown] card="live_after"
# ### Be the reference counter
# `lines` is a small program, one tuple for each line:
#
# | tuple | line |
# |---|---|
# | `("new", "a", 100)` | `a = mg.zeros(100)` |
# | `("name", "b", "a")` | `b = a` |
# | `("view", "b", "a")` | `b = a.view(-1)` |
# | `("copy", "b", "a")` | `b = a.clone()` |
# | `("del", "a")` | `del a` |
#
# A name may be used again. Return two numbers of bytes: alive **after** the last line, and the
# **most** that were alive at any moment. A float has 4 B. Make no tensors; keep the books.
#
# *When it passes you have written what Python does at each line.*


# %% exercise="live_after" kind="predict" difficulty=2 minutes=10
def live_after(lines):
    """(bytes alive at the end, most bytes alive at once) of the program `lines`."""
    ### BEGIN SOLUTION
    names, sizes, most = {}, [], 0  # name: number of its storage; bytes of each storage

    def alive(extra=()):
        return sum(sizes[storage] for storage in {*names.values(), *extra})

    for what, name, *more in lines:
        if what == "del":
            del names[name]
            continue
        if what in ("new", "copy"):
            sizes.append(4 * more[0] if what == "new" else sizes[names[more[0]]])
            storage = len(sizes) - 1
        else:
            storage = names[more[0]]
        most = max(most, alive([storage]))  # the name is not yet turned
        names[name] = storage
    return alive(), most
    ### END SOLUTION


# %% check="live_after"
check(live_after)

# %% [markdown] hint="live_after"
# Keep two books: to which storage does each name lead, and how many bytes does each storage have?

# %% [markdown] hint="live_after"
# Alive is the sum over the *different* storages that some name leads to. A `name` or a `view` leads
# to a storage that is there; `new` and `copy` make one. And the right side of a line comes first.

# %% [markdown] hint="live_after"
# For each line: find or make the number of the storage; `most = max(most, sum over
# {*names.values(), storage})`; only then `names[name] = storage`. For `del`: `del names[name]`.

# %% [markdown] why="live_after"
# **Why.** A storage lives as long as a name leads to it, by a tensor or by a view of one. How many
# names do so does not matter, so a set of storages is enough. The peak lies *within* a line: `a =
# a.clone()` has made the copy before the name lets go of the old one. If you look only between the
# lines, you never see the moment in which memory runs out.

# %% [markdown] card="dies_with"
# ### A probe for the last arrow
# Write the tool of section 2 once and for all. `make()` gives a dictionary of names, with a tensor
# under `"t"`; the others may hold it, too. `delete(names)` takes some arrows away. Your probe calls
# each of them once and says whether the tensor that stood under `"t"` **died by it, at once**:
# `True` if nothing is left of it, `False` if somebody still holds it or if it waits for the
# collector. It makes no tensor of its own.
#
# It is tried on worlds such as "t, u = a list; gone: t", where a list holds the tensor as well, and
# only the name `t` is deleted. The table says of each what your probe says.
#
# *When it passes you own a test for every claim of the form "this line frees that tensor".*


# %% exercise="dies_with" kind="write" difficulty=2 minutes=5
def dies_with(make, delete):
    """Whether the tensor make()["t"] dies at the very call of delete(names)."""
    ### BEGIN SOLUTION
    names = make()
    watch = weakref.ref(names["t"])
    delete(names)
    return watch() is None
    ### END SOLUTION


# %% check="dies_with"
check(dies_with)

# %% [markdown] hint="dies_with"
# How do you look at a tensor without holding it? And which of your own names lead to it?

# %% [markdown] hint="dies_with"
# Take a weak reference before you call `delete`, straight from the dictionary: a local name would
# be one arrow more, and the tensor would never die. Leave the collector alone.

# %% [markdown] hint="dies_with"
# `watch = weakref.ref(names["t"])`, then `delete(names)`, and the answer is whether `watch()` is
# `None`.

# %% [markdown] why="dies_with"
# **Why.** If you look at an object through a name, you keep it alive, and so you change what you
# want to measure. A weak reference is a way to look that does not count. That the name `"t"` is gone
# says nothing: a list or a view may hold the tensor. And if your probe called the collector, it could
# not tell what dies at its line from a ring that waits.
