# %% [markdown]
# # 14  On the GPU
# All bytes so far were the CPU's, and `mg.memory_allocated()`, our ledger, counted them one by one. On a GPU the rules of this
# course stay: an arrow keeps a tensor alive, the last arrow frees it. But somebody stands between
# you and the memory, who rounds what you ask for and keeps what you give back. Most of what people
# believe about GPU memory is about this somebody. Thread 000 asked its question on a GPU and printed
# `torch.cuda.memory_allocated()` after each line. We run its program, look at what the number
# means, and say at which block a net will die.
#
# Have you got an NVIDIA card, and CuPy? Then this lesson runs on it. If not, it runs on a
# **simulated GPU**: numpy computes, and a pool with CuPy's rules hands out the memory of a card that
# is not there. It copies where a card copies, it rounds, and it runs full. Each table and picture
# says which of the two it is from. What is stored here is from a simulated one. What the same cells
# printed on a real card is shown below the first of them, if `python3 run.py gpu` has ever recorded it.

# %% at="14.where"
import minigrad as mg
from course.lesson import predict
from course.pictures.pool import look, pool_picture, table

MiB = 2**20
if not mg.cuda.is_available():
    mg.cuda.simulate(64 * MiB).start()  # from here on, "cuda" is this

table("Everything below runs")

# %% at="14.recorded"
from course.recorded import RealCard

RealCard()

# %% [markdown]
# ## 1. Case file: whose gradient is it?
# The program of thread 000 begins with three lines like `a = torch.zeros([32, 64],
# requires_grad=True).cuda()`. The one in thread 004 has such a line, too. It looks natural: a
# tensor, with a gradient, on the GPU. `.cuda()` copies a tensor to the GPU; `.to("cuda")` is the
# same, and `.cpu()` the way back.


# %%
import warnings


def a_grad():
    a = mg.ones(2, requires_grad=True).cuda()
    (a * a).sum().backward()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return a.grad


# %% solo="prediction"
predict(
    "14.grad",
    "`a = mg.ones(2, requires_grad=True).cuda()`, then `(a * a).sum().backward()`. What is `a.grad`?",
    {
        "[2, 2], on the GPU": "That is what one wants. But `a` is not what was made with "
        "`requires_grad=True`. It is a copy of it, and a copy is the result of an operation.",
        "None": "Copying to the GPU is an operation like any other, so it was recorded. `a` is its "
        "result: no leaf. The gradient went on, through the copy's node, to the leaf.",
        "an error, the devices differ": "They would if one operation got tensors of both. Here the "
        "copy was made first, and then everything is on the GPU.",
    },
    run=lambda: {None: "None"}.get(a_grad(), "[2, 2], on the GPU"),
)

# %% at="14.trap"
a = mg.ones(2, requires_grad=True).cuda()
(a * a).sum().backward()
leaf = a.grad_fn.next_functions[0][0].variable
print(f"a is on {a.device}; leaf: {a.is_leaf}; node: {a.grad_fn.name()}")
print(
    f"It is a copy of a tensor on {leaf.device}; leaf: {leaf.is_leaf}; grad: {leaf.grad.tolist()}"
)
del a, leaf

# %% [markdown]
# The gradient has arrived, where nobody looks: at the tensor on the CPU that never had a name. Its
# AccumulateGrad keeps it alive, so its bytes are there as well, a second time.
#
# ```
# names          tensors -> storages                 nodes
# -----          -------------------                 -----
#                [leaf    8 B, CPU] <--------------- (AccumulateGrad)
#                                                          ^
#                                                          |
# a -----------> [copy    8 B, GPU] --grad_fn------> (ToCopyBackward0)
# ```
#
# Step through it. (The view does not tell devices apart: look for the two storages of one size.
# `--fresh` means that the snippet knows no other names, and `torch` in it is minigrad.)

# %% solo="the view" at="14.step"
# %%step --fresh --at "a names" --title "The copy on the GPU, and the leaf it came from"
import torch

a = torch.ones(64, 32, requires_grad=True).cuda()
loss = (a * a).sum()
loss.backward()

# %% [markdown]
# You need no GPU for this trap. Lesson 02 met it with `.double()`, and it is the same node. Only
# a conversion that changes nothing makes no node and no copy.

# %% twin=true at="14.double"
for name, a in {
    "float to double": mg.ones(2, requires_grad=True).double(),
    "float to float": mg.ones(2, requires_grad=True).float(),
}.items():
    print(f"{name:16} leaf: {a.is_leaf!s:6} node: {a.grad_fn.name() if a.grad_fn else None}")

# %% [markdown]
# So say what you want in the right order: first on the GPU, then a leaf. There are two ways. We
# compare them by their bytes, for 64 x 32 floats, 8,192 B.


# %%
def bytes_of(make):
    ledger, pool = mg.memory_allocated(), mg.cuda.memory_allocated()
    a = make()
    on_gpu = mg.cuda.memory_allocated() - pool
    both = mg.memory_allocated() - ledger  # this counts either device
    return f"{on_gpu:,} B on the GPU, {both - on_gpu:5,} B on the CPU   leaf: {a.is_leaf}"


# %% at="14.ways"
table("Bytes of one weight")
for name, make in {
    "zeros(grad).cuda()": lambda: mg.zeros(64, 32, requires_grad=True).cuda(),
    "zeros().cuda(), then grad": lambda: mg.zeros(64, 32).cuda().requires_grad_(),
    "zeros(grad, device)": lambda: mg.zeros(64, 32, device="cuda", requires_grad=True),
}.items():
    print(f"{name:26}{bytes_of(make)}")

# %% [markdown]
# The third is the best: the second one makes its zeros on the CPU and throws them away. A module is
# a case of its own. `net.cuda()` moves the bytes *inside* its parameters. They stay the leaves that
# they were, the optimizer still knows them, and the trap is not there. What you do have to move
# yourself is the data, for an operation takes tensors of one device:

# %% at="14.mixed"
try:
    mg.ones(2, device="cuda") + mg.ones(2)
except RuntimeError as error:
    print(error)

# %% [markdown]
# (A tensor without dimensions, such as `mg.tensor(2.0)`, may come from the CPU: it passes for a
# number.)
#
# **Try it.** Add `"a module": lambda: mg.nn.Linear(32, 64, bias=False).cuda().weight`. One line more,
# a leaf, and nothing on the CPU.

# %% [markdown]
# ## 2. What does `memory_allocated` count?
# Here is the rest of the snippet, on true leaves: two products, then `del d`. The asker expected
# `d` to be freed. You know from lesson 02 why it is not: the second product saved it. So this time
# we ask something else. Does `memory_allocated` of a GPU say the same as our ledger? First the
# ledger, on the CPU, where PyTorch agrees to the byte.


# %% twin=true
def thread_000(used, **where):
    before, seen = used(), []
    a = mg.zeros(32, 64, requires_grad=True, **where)
    b = mg.zeros(64, 128, requires_grad=True, **where)
    c = mg.zeros(128, 256, requires_grad=True, **where)
    seen.append(("a, b, c", used() - before))
    d = a @ b
    e = d @ c
    seen.append(("d, e", used() - before))
    del d
    seen.append(("del d", used() - before))
    del e
    seen.append(("del e", used() - before))
    return seen


# %% twin=true at="14.ledger"
print("Thread 000, bytes in use, on the CPU")
for label, n in thread_000(mg.memory_allocated):
    print(f"{label:8} {n:7,} B")

# %% at="14.pool"
table("Thread 000, bytes in use")
for label, n in thread_000(mg.cuda.memory_allocated, device="cuda"):
    print(f"{label:8} {n:7,} B")

# %% [markdown]
# The same. `del d` leaves 221,184 B, and `del e` frees both. (With PyTorch on a real card the
# first product adds some MiB that nobody asked for: a workspace of its library for products. A
# report in the forum has 8,519,680 B; it depends on the card, and we have not measured it.)
#
# But that is luck. All sizes of that program happen to be whole numbers of 512 bytes. A GPU hands
# out memory in steps of 512, in CuPy and in PyTorch. Now take the most common small tensor there
# is. Somebody collects losses, has learned from lesson 08 to detach them, and leaves them on the GPU.


# %%
def a_thousand_losses():
    before = mg.cuda.memory_allocated()
    w = mg.ones(128, device="cuda", requires_grad=True)  # 512 bytes
    losses = [(w * w).sum().detach() for _ in range(1000)]
    taken = mg.cuda.memory_allocated() - before - w.nbytes
    del losses
    return taken


# %% solo="prediction"
predict(
    "14.losses",
    "`losses` is a list of 1000 detached losses on the GPU, one float each. How many bytes of the "
    "GPU do they take?",
    unit="bytes",
    why="Each has a storage of its own, and each storage takes at least one step of 512 bytes. "
    "`loss.item()` makes it a Python number and takes nothing of the GPU.",
    wrong={
        4000: "This is the sum of their `nbytes`, and what the ledger says. The pool rounds each of "
        "them up.",
        4096: "4,000 B, rounded up once, would do if they were one tensor. `mg.stack(losses)` is.",
        0: "Detached, they hold no graph. But each is a tensor, and it has a storage.",
    },
    run=a_thousand_losses,
)


# %%
def taken(count):
    before = mg.cuda.memory_allocated()
    t = mg.zeros(count, device="cuda")
    return t.nbytes, mg.cuda.memory_allocated() - before


# %% at="14.rounding"
table("What a tensor of some floats takes")
for count in (1, 128, 129, 10000):
    nbytes, used = taken(count)
    print(f"{count:6,} floats: {nbytes:6,} B, {used:6,} B in use")

# %% [markdown]
# A forum post has the same step from a real card: 40,000 B there took 40,448 B. For activations of
# some MiB it makes no difference. It does for many small tensors: biases, losses, counters.
#
# **Try it.** In `a_thousand_losses`, put `mg.stack([...])` around the list. What is left is 4,096 B.

# %% [markdown]
# ## 3. Where do freed bytes go?
# The one who stands in between is called a **pool**. To ask the driver for memory is slow, and giving
# it back may even wait until the GPU has finished its work. So the pool asks seldom. It gets a
# **segment**, a piece of the card's memory in one go, and cuts **blocks** from it. What you free goes
# back to the pool, not to the driver, and the next tensor that fits gets it.
#
# That makes two numbers. **Used** are the bytes of blocks that some tensor has, `memory_allocated()`.
# **Reserved** are the bytes of all segments that the pool holds, `memory_reserved()`.


# %%
def pool_says(when):
    mg.cuda.empty_cache()
    one_mib = 256, 1024  # floats
    tensors = [mg.zeros(one_mib, device="cuda") for _ in range(4)]
    if when == "after del":
        del tensors
    used, reserved = mg.cuda.memory_allocated(), mg.cuda.memory_reserved()
    return f"{used // MiB} and {reserved // MiB} MiB"


# %% solo="prediction"
predict(
    "14.reserved",
    "Four tensors of 1 MiB are made on the GPU, and all of them deleted. What are used and reserved "
    "then?",
    {
        "0 and 0 MiB": "Freed at once, that is right, and used says so. But freed means: given to "
        "the pool. The driver does not get to know of it.",
        "0 and 4 MiB": "The tensors are gone at the line of the `del`, as always. The pool has four "
        "segments and nobody in them, and waits for the next tensor.",
        "4 and 4 MiB": "So it would look if a GPU freed later than a CPU does. It does not: the last "
        "arrow is erased, and the block is back in the pool.",
    },
    run=lambda: pool_says("after del"),
)

# %% [markdown]
# `nvidia-smi` and the driver know reserved only (and besides it what CUDA needs for itself). So
# `nvidia-smi` tells what the pool has got from the driver and not given back, not what lives. What
# an earlier peak needed is still in it, and it can be far more than was ever used at once (section 4).
# So a reversible net can look as expensive as any other, if one looks there.
#
# `empty_cache()` tells the pool to give back what it keeps. All of it? Each row is one moment.


# %%
def five_moments():
    mg.cuda.empty_cache()
    tensors = [mg.zeros(256, 1024, device="cuda") for _ in range(4)]
    yield look("four tensors of 1 MiB")
    del tensors[3], tensors[1]
    yield look("two of them deleted")
    tensors.append(mg.zeros(128, 1024, device="cuda"))
    yield look("a new one of half a MiB")
    mg.cuda.empty_cache()
    yield look("empty_cache()")
    tensors.clear()
    mg.cuda.empty_cache()
    yield look("all deleted, and empty_cache() again")


# %% at="14.moments"
pool_picture(five_moments())

# %% [markdown]
# The half MiB got no segment of its own: the pool cut a kept block in two. `empty_cache()` then gave
# back one segment, the one in which nobody lived. Where half a segment is in use, the other half
# must stay. And no tensor was touched. So `empty_cache()` cannot make room for *you*: everything that it
# gives back was yours for the asking. It makes room for other programs on the same card.
#
# (On a real card the pool does not say where its blocks are; the picture then has one bar. And
# PyTorch asks for more at a time than CuPy: its documentation names segments of 2 MiB for requests
# of up to 1 MiB, and of 20 MiB for those of up to 10 MiB. Its *reserved* therefore jumps in larger
# steps than ours. Steps of 512 for what is used it has as well.)
#
# **Try it.** In `five_moments`, make the new tensor 300 x 1024 in place of 128 x 1024. None of the
# kept blocks is large enough, and the pool has to get a fifth segment.

# %% [markdown]
# ## 4. Why does it not fit, if there is room?
# Now a card that is nearly full. It has to be small for that, so in this section we take a simulated
# one of 8 MiB, even where there is a real card. On it eight tensors of 1 MiB are made. Then every
# second one is deleted: 4 MiB are in use, and 4 MiB are free. Somebody asks for 2 MiB.
#
# There are two histories. In one, the card was new. In the other, a single tensor of 8 MiB had been
# there before, and was deleted.


# %%
def holes(large_first):
    moments = []
    with mg.cuda.simulate(8 * MiB):
        if large_first:
            mg.zeros(2048, 1024, device="cuda")  # no name: gone at once
        moments.append(look("at the start"))
        tensors = [mg.zeros(256, 1024, device="cuda") for _ in range(8)]
        del tensors[1::2]
        moments.append(look("every second one deleted"))
        try:
            tensors.append(mg.zeros(512, 1024, device="cuda"))
            moments.append(look("and 2 MiB more"))
            return moments, "it fits"
        except mg.cuda.OutOfMemoryError as error:
            return moments, str(error)


# %% solo="prediction"
predict(
    "14.holes",
    "A card of 8 MiB. One tensor of 8 MiB was made and deleted; then eight of 1 MiB, and every "
    "second one deleted. 4 MiB are in use. Can a tensor of 2 MiB be made?",
    {
        "yes, 4 MiB are free": "They are free, in four pieces of 1 MiB. A tensor needs its bytes in "
        "one piece, and nobody may move the tensors in between: their addresses are known.",
        "yes, after it empties its cache": "The pool does try that, on its own, before it gives up. "
        "But all eight lie in one segment, and a segment goes back as a whole or not at all.",
        "no": "The large tensor left one segment of 8 MiB, and the eight were cut from it. Four of "
        "them still hold it fast.",
    },
    run=lambda: "yes, 4 MiB are free" if holes(True)[1] == "it fits" else "no",
)

# %% at="14.holes-seen"
moments, ended = holes(large_first=True)
print(ended)
pool_picture(moments)

# %% [markdown]
# This is **fragmentation**: free bytes, in pieces that are too small. The message gives it away. Read
# its last number: 4 MiB reserved but unallocated, more than was asked for. If that number is
# large, your problem is not how much lives but where. Now the new card:

# %% at="14.new-card"
moments, ended = holes(large_first=False)
print(ended)
pool_picture(moments)

# %% [markdown]
# The same tensors live, the same are gone, and it fits. Here each of the eight had a segment of its
# own; the pool gave the four empty ones back and got one of 2 MiB for them.
#
# In training nobody deletes every second tensor. But batches may differ in length, and then it
# happens by itself. Six steps of a net with six layers; `rows` is the length of the batch:


# %%
def six_steps(lengths):
    w = mg.full((64, 64), 0.01, device="cuda", requires_grad=True)
    for rows in lengths:
        mg.cuda.reset_peak_memory_stats()
        h = mg.ones(rows, 64, device="cuda")
        for _ in range(6):
            h = (h @ w).tanh()
        h.sum().backward()
        w.grad = None
        yield rows, mg.cuda.max_memory_allocated() / MiB, mg.cuda.memory_reserved() / MiB


# %% at="14.lengths"
table("Six steps, batches of other lengths")
for rows, used, reserved in six_steps([1024, 1000, 1040, 990, 1060, 1024]):
    print(f"{rows:4} rows: {used:.2f} MiB used at the peak, {reserved:.2f} MiB reserved")

# %% [markdown]
# Used hardly moves. Reserved grows with each batch that is a little longer than those before: none
# of the kept blocks is large enough for it, and no two of them are neighbours. PyTorch's larger
# segments soften this; batches that all have one length end it. If they cannot, let the longest come
# first. PyTorch also has a switch for it, `PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True`, with
# which a segment can grow; we have not run it.
#
# **Try it.** Put the lengths in order, the longest first. All later batches find room in what the
# first one left.

# %% [markdown]
# ## 5. At which block does it die?
# With the rules of the graph and the step of 512 the crash can be foretold. A net of 64 residual
# blocks `x + F(x)`, 32 wide, and a batch of 512 rows: **1 U is 512 x 32 x 4 = 65,536 B**.
# Lessons 11 and 15 do not count the weights. A card does.
#
# - Weights: a block has two matrices of 4,096 B, and two biases of 128 B, which take 512 B each.
#   That is 9,216 B a block, and 589,824 B for 64 blocks: 9 U.
# - Before block i: the input, and for each block done its output and its relu: 2 (i - 1) + 1 U.
# - Inside block i, at the worst moment: the relu's result, F's result, and their sum with the input.
#   3 U more.
#
# Together 2 i + 2 U of activations, and 9 U of weights. The card is a simulated one of 3 MiB, which
# is 48 U. (A real one dies by the same sum, but 80 GiB take a while to fill.)


# %%
from course.twins_on_digits import Residual, branch

U = 512 * 32 * 4


# %%
def dies_in(card, depth=64):
    """The block in which forward runs out of memory, or None."""
    mg.manual_seed(0)
    with mg.cuda.simulate(card):
        blocks = [Residual(branch(32)).cuda() for _ in range(depth)]
        h, done = mg.ones(512, 32, device="cuda"), 0
        try:
            for block in blocks:
                h = block(h)
                done += 1
        except mg.cuda.OutOfMemoryError:
            return done + 1


# %% solo="prediction"
predict(
    "14.block",
    "64 blocks on a card of 48 U, and 9 U are weights. How many of the blocks are done when the "
    "forward pass runs out of memory?",
    unit="blocks",
    why="39 U are left for activations. Block 18 needs 2 x 18 + 2 = 38 and is done. Block 19 would "
    "need 40, so the net dies in it.",
    wrong={
        24: "2 U a block and nothing else would be that many. But the weights are on the card, and "
        "a block needs room to work in.",
        23: "2 x 23 + 2 = 48 would just fit, if it were not for the weights.",
        19: "39 U at 2 U a block are 19 blocks and a half. But while a block works, it needs more "
        "than it leaves behind.",
        39: "1 U a block is what many expect. A block saves two: its input, and what its relu made.",
    },
    run=lambda: dies_in(48 * U) - 1,
)


# %%
def computed(card, depth=64, weights=9216):
    for i in range(1, depth + 1):
        if depth * weights + (2 * i + 2) * U > card:
            return i


# %% at="14.dies"
print("simulated GPU       dies in block: computed   found")
for size in (24, 48, 96, 139):
    found, formula = dies_in(size * U), computed(size * U)
    print(f"{size * U / MiB:.2f} MiB = {size:3} U {formula or 'never':>23} {found or 'never':>7}")

# %% [markdown]
# "never": all 64 are done. Out of memory is arithmetic, on a card as on our tiny budgets, as long as all
# activations are of one size, so that nothing falls between the blocks of the pool. Put in your own
# card: with 80 GiB, 262144 rows of 256 floats and the weights left out, 1 U is 256 MiB, the card has
# 320, and 2 i + 2 > 320 gives block 160. (Computed. Nobody has run it.)
#
# Now the reversible net of lesson 11. Its chain needed 10 U at any depth, without the weights. On a
# card there are the weights, and in backward their gradients, as many bytes again.


# %%
from minigrad.reversible import ReversibleBlock, ReversibleSequential


def one_step(depth, card):
    mg.manual_seed(0)
    blocks = [ReversibleBlock(branch(16), branch(16)) for _ in range(depth)]
    with mg.cuda.simulate(card) as gpu:
        try:
            net = ReversibleSequential(*blocks).cuda()
            weights = mg.cuda.memory_allocated() / U
            x, seed = (mg.ones(512, 32, device="cuda") for _ in range(2))
            net(x).backward(seed)
            return f"{weights:16.2f} {gpu.peak() / U:7.2f} {gpu.peak() / U - 2 * weights:7.2f}"
        except mg.cuda.OutOfMemoryError:
            return "dies"


# %% at="14.reversible"
print("on a simulated GPU    in U: weights    peak   less weights and gradients")
for depth, units in ((64, 48), (128, 48), (128, 96)):
    print(f"{depth:4} blocks on {units} U {one_step(depth, units * U):>16}")

# %% [markdown]
# On the card on which the other net dies in block 19 of 64, this one trains all 64. The last column is the
# flat line: 10 U, and a quarter for something that the ledger never sees. The relu's backward asks
# which numbers are positive, and the answer, one byte a number, lives for a moment inside the
# operation. No tensor has it, but the pool has to find room. (The quarter is not quite full: at the
# peak, the gradients of the last weights are still to come.)
#
# And the 128 blocks die on 48 U of their own weights: 20 U, 20 U of gradients, and the flat 10 U on top
# make 50. From here on, depth costs weights, not activations. An optimizer such as Adam would add two numbers a weight.
#
# **Try it.** Find the smallest card for the 64 blocks, in steps of half a U (`int(units * U)`). It is
# larger than the peak: tensors of one U and of half a U leave holes for each other, as in section 4.

# %% [markdown]
# ## 6. When is it done?
# The last thing that is different on a GPU cannot be shown on a simulated one: time. A GPU works
# **asynchronously**. The line `y = x @ w` does not compute the product. It asks the pool for `y`'s
# bytes, puts the order in a queue, and goes on. Python runs ahead, and the GPU works through the queue
# behind it, one order after the other.
#
# ```
# Python   | matmul | tanh | sum | del h | item() ....... waits ........ |
#              |       |      |                                          ^
# GPU          +--> [==== matmul ====][= tanh =][ sum ]------------------+
# ```
#
# So a clock around one line measures how long it takes to give an order. With a card, run these
# four lines. They were **not run here**: on the simulated GPU nothing is ever under way, and
# `synchronize()` returns at once. (Where a run on a real card has been recorded, the list below the
# set-up cell has the two times, with and without the third line, as `14.clock`.)
#
# ```python
# start = time.perf_counter()
# y = x @ w                # only ordered
# mg.cuda.synchronize()    # wait until the GPU has done all of it
# print(time.perf_counter() - start)
# ```
#
# Leave the third line out, and a product of any size seems to take the same short time, while some
# innocent line further down is slow: the first that needs a number. That
# may be `item()`, `print`, `.cpu()`, or an `if` on a tensor; each of them waits for the queue.
#
# And the bytes? All our rules are about the Python side, and hold there at once. `del h` gives the
# block back to the pool at that line, although the GPU may not even have begun to write `h`. The
# next tensor may get the same block. That is no danger: its order stands behind the others in the
# same queue. (With several queues, *streams*, it would be one.) For the same reason an out of memory
# error comes at the line that asks, while an error inside a computation may come at a later one.
#
# ### The same in PyTorch
# Five lines below the import, about the trap of section 1. They need no card: `meta` is a device that
# computes nothing and has no memory, but a copy to it is a copy. They print `False ToCopyBackward0`,
# then `True None`.
#
# ```python
# import torch
#
# a = torch.ones(2, requires_grad=True).to("meta")        # as .cuda() does
# print(a.is_leaf, a.grad_fn.name())
# b = torch.ones(2, device="meta", requires_grad=True)    # a leaf, there
# print(b.is_leaf, b.grad_fn)
# torch.cuda.empty_cache()                                # no card: no harm
# ```
#
# ### Three things you can trust
# A moved tensor is no leaf; made there, it is one. Used goes back at the `del`, reserved does
# not. And `empty_cache()` takes nothing from a living tensor.


# %%
def two_tensors():
    mg.cuda.empty_cache()
    before = mg.cuda.memory_allocated(), mg.cuda.memory_reserved()
    kept, gone = (mg.zeros(256, 1024, device="cuda") for _ in range(2))
    del gone
    yield mg.cuda.memory_allocated() - before[0], mg.cuda.memory_reserved() - before[1]
    mg.cuda.empty_cache()
    yield mg.cuda.memory_allocated() - before[0], mg.cuda.memory_reserved() - before[1]
    yield kept.sum().item()


# %% at="14.asserts"
assert not mg.ones(2, requires_grad=True).cuda().is_leaf
assert mg.ones(2, device="cuda", requires_grad=True).is_leaf
assert list(two_tensors()) == [(MiB, 2 * MiB), (MiB, MiB), 0.0]
print("all three hold, on a", mg.cuda.get_device_name())

# %% [markdown]
# What was simplified: one queue, one program, one card. A real card has other tenants (CUDA itself
# takes its share before your first tensor), several streams, and libraries with workspaces of their
# own. Our pool is in `minigrad/gpu/pool.py`, a page and a half.
#
# **Next:** all of it at once, on real data: 64 blocks, a GPU of 40 U, and the question whether the
# reversible net learns as well. Lesson 15.

# %% [markdown] card="used_and_reserved"
# ### Used and reserved, by hand
# The pool of section 3 holds nothing. Then four things happen, one after the other:
#
# 1. For each number in `sizes`, a tensor of so many floats is made.
# 2. Those whose places in the list are in `dropped` are deleted.
# 3. One more tensor is made, of `more` floats.
# 4. `empty_cache()` is called.
#
# Return four pairs `[used, reserved]` in bytes, one for each of the four moments. The card is large
# enough. A formula is asked for: no tensor, no simulated GPU, no `minigrad.gpu.pool`.
#
# *When it passes you can read the two numbers of any GPU and tell what they leave out.*


# %% exercise="used_and_reserved" kind="predict" difficulty=2 minutes=10
def used_and_reserved(sizes, dropped, more):
    """[[used, reserved], ...] after each of the four steps; floats have 4 bytes."""
    ### BEGIN SOLUTION

    def steps(count):
        return -(-count * 4 // 512) * 512

    segments = [steps(count) for count in sizes]
    kept, need = [segments[place] for place in dropped], steps(more)
    used = reserved = sum(segments)
    pairs = [[used, reserved]]
    used -= sum(kept)
    pairs.append([used, reserved])
    fitting = [size for size in kept if size >= need]
    if fitting:
        kept.remove(min(fitting))  # cut in two: the rest must stay, too
    else:
        reserved += need
    used += need
    return [*pairs, [used, reserved], [used, reserved - sum(kept)]]
    ### END SOLUTION


# %% check="used_and_reserved"
check(used_and_reserved)

# %% [markdown] hint="used_and_reserved"
# On an empty pool each tensor gets a segment of its own, in whole steps of 512. Which of the two
# numbers does a `del` change?

# %% [markdown] hint="used_and_reserved"
# The new tensor takes the smallest kept block that is large enough; then reserved stays. If none is,
# a new segment comes. At the end go all segments in which nothing is used, and only those.

# %% [markdown] hint="used_and_reserved"
# `kept = [steps(sizes[i]) for i in dropped]`. If some of them are at least `steps(more)`, take the
# smallest of these out of `kept`; else add `steps(more)` to reserved. In the last pair, reserved is
# less by `sum(kept)`.

# %% [markdown] why="used_and_reserved"
# **Why.** Used is the sum over living tensors, each in steps of 512, and knows no history. Reserved
# is nothing but history: it never shrinks on its own, and `empty_cache()` takes off only what stands
# wholly empty. That is why two runs of one program, in two orders, may end with the same used and
# different reserved.

# %% [markdown] card="fit_on_gpu"
# ### The weight that has no gradient
# Somebody trains a weight on the GPU. On the CPU the program worked; now it ends in an error about
# `NoneType`, after a warning. Find out where the gradient went, and repair the program.
#
# Contract: `fit_on_gpu(start, batches, rate)` takes tensors that are on the CPU. For each batch it
# takes one step down the gradient of `(x * w).tanh().sum()`, on the GPU: each batch goes there. It
# returns `w`: a leaf on the GPU that wants a gradient, with an empty `.grad`. `start` stays as it
# was, and nothing but `w` is alive afterwards. Backward runs no node for copying.
#
# *When it passes you will not write `requires_grad=True).cuda()` again.*


# %% exercise="fit_on_gpu" kind="repair" difficulty=1 minutes=7
def fit_on_gpu(start, batches, rate):
    """The trained weight, a leaf on the GPU; one step for each batch."""
    ### BEGIN SOLUTION
    w = start.cuda().requires_grad_()
    for x in batches:
        loss = (x.cuda() * w).tanh().sum()
        loss.backward()
        with mg.no_grad():
            w -= rate * w.grad
        w.grad = None
    return w
    ### STUB
    # w = start.clone().requires_grad_().cuda()
    # for x in batches:
    #     loss = (x.cuda() * w).tanh().sum()
    #     loss.backward()
    #     with mg.no_grad():
    #         w -= rate * w.grad
    #     w.grad = None
    # return w
    ### END SOLUTION


# %% check="fit_on_gpu"
check(fit_on_gpu)

# %% [markdown] hint="fit_on_gpu"
# Print `w.is_leaf` and `w.grad_fn` behind the first line.

# %% [markdown] hint="fit_on_gpu"
# What wants a gradient there is the tensor on the CPU, and `w` is computed from it. First let the
# bytes be where they shall be, and only then say that a gradient is wanted.

# %% [markdown] hint="fit_on_gpu"
# Only the first line is wrong: `start.cuda()` is a copy already, made of a tensor that wants no
# gradient, so nothing is recorded. On this copy call `requires_grad_()`.

# %% [markdown] why="fit_on_gpu"
# **Why.** What was asked for a gradient was a tensor without a name. It got its gradient, on the
# CPU, with a copy back in every step. `retain_grad()`, which the warning proposes, would fill
# `w.grad`, and the leaf on the CPU, its gradient and the copy's node would be there as before: twice
# the bytes and a transfer a step, for nothing.

# %% [markdown] card="dies_on"
# ### At which block, for any net
# The formula of section 5 is for blocks of one shape. Write the function that finds the block for
# *any* list of modules, by trying it on a simulated GPU of `size` bytes.
#
# Contract: `dies_on(blocks, x, size)`. First all blocks go to the card, in their order, then the
# batch `x`, then forward runs block by block, recorded as in training. Return the number of the block
# in which memory runs out, counted from 1. Return 0 if the blocks and `x` do not even fit, and
# `None` if all blocks are done. Afterwards blocks and `x` are on the CPU, as they were, and your card
# is no longer in use.
#
# *When it passes you need no card to know what a card will say.*


# %% exercise="dies_on" kind="write" difficulty=2 minutes=12
def dies_on(blocks, x, size):
    """The block in which forward runs out of memory on a card of `size` bytes; 0 before; None."""
    ### BEGIN SOLUTION
    at = 0
    with mg.cuda.simulate(size):
        try:
            for block in blocks:
                block.cuda()
            h = x.cuda()
            for at, block in enumerate(blocks, 1):  # noqa: B007
                h = block(h)
            at = None
        except mg.cuda.OutOfMemoryError:
            pass
    for block in blocks:
        block.cpu()
    return at
    ### END SOLUTION


# %% check="dies_on"
check(dies_on)

# %% [markdown] hint="dies_on"
# `dies_in` in section 5 has everything but the moving: there the blocks were made for the occasion,
# and nobody needed them afterwards.

# %% [markdown] hint="dies_on"
# A `with mg.cuda.simulate(size):` around, a `try` inside. Keep the number of the block at work in a
# variable that is 0 while things are being moved. `block.cpu()` brings a module back.

# %% [markdown] hint="dies_on"
# Inside `try`: `block.cuda()` for all, `h = x.cuda()`, then `for at, block in enumerate(blocks, 1):
# h = block(h)`, then `at = None`. `except mg.cuda.OutOfMemoryError: pass`. After the `with`, all
# blocks back to the CPU; return `at`.

# %% [markdown] why="dies_on"
# **Why.** With blocks of several shapes the pool has holes, and no short formula knows them. But out
# of memory is as deterministic as the program: run it where memory is only counted, and the answer
# holds as far as the rules do. The blocks must come back even when moving them failed half way; that
# is the line which a hasty version forgets.

# %% [markdown] card="allocated"
# ### `empty_cache()` in PyTorch
# Somebody is short of memory, deletes what is no longer needed, and empties the cache to be safe:
#
# ```python
# import torch
#
# a = torch.ones(rows, columns, device="cuda", requires_grad=True)
# b = a.exp()
# c = b.sin()
# d = c.tanh()
# e = d * 2
# loss = e.sum()
# print(torch.cuda.memory_allocated())
# for name in deleted:
#     del globals()[name]
# torch.cuda.empty_cache()
# print(torch.cuda.memory_allocated())
# loss.backward()
# torch.cuda.empty_cache()
# print(torch.cuda.memory_allocated())
# ```
#
# Return the three numbers as a list. `deleted` holds some of the names `"b"`, `"c"`, `"d"` and `"e"`.
# The tensors are below 1 MiB, and nothing else is on the card. Lesson 06 says what each operation
# saves. A formula is asked for, without a tensor.
#
# *When it passes you know what `empty_cache()` cannot do.*


# %% exercise="allocated" kind="predict+transfer" difficulty=2 minutes=8
def allocated(rows, columns, deleted):
    """[after the lines, after del and empty_cache, after backward and empty_cache], in bytes."""
    ### BEGIN SOLUTION
    unit = -(-rows * columns * 4 // 512) * 512
    loss = 512
    names = {"b", "c", "d", "e"}
    saved = {"b", "d"}  # exp and sin save b, tanh its own result
    kept = names - set(deleted)
    first = unit * (1 + len(names)) + loss
    second = unit * (1 + len(kept | saved)) + loss
    third = unit * (1 + len(kept) + 1) + loss  # a.grad
    return [first, second, third]
    ### END SOLUTION


# %% check="allocated"
check(allocated)

# %% [markdown] hint="allocated"
# `empty_cache()` gives back what nobody uses. What of the deleted is still used, and by whom?

# %% [markdown] hint="allocated"
# The exponential keeps its result, the sine its input, tanh its result, and `d * 2` no tensor at
# all. In backward all nodes let go, and one tensor comes into being.

# %% [markdown] hint="allocated"
# With the unit in steps of 512 and 512 bytes for `loss`: `b` and `d` stay in the second number even
# if they are deleted. The third has `a`, `a.grad`, and only those of the four that kept their names.

# %% [markdown] why="allocated"
# **Why.** `memory_allocated()` counts blocks in use, and `empty_cache()` touches none of these: both
# of its calls may be left out, and the three numbers stay. What freed `b` and `d` was `backward()`,
# as in lesson 04. A program that calls `empty_cache()` in its loop gets the same segments again in the
# next iteration, and pays for asking.
