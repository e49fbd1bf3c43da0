# %% [markdown]
# # 15  Capstone: real data on a tiny GPU
# Everything so far ran on numbers that we made up. This lesson is the whole story on real data:
# handwritten digits, a net of 64 blocks, and a GPU that is far too small for it. You will say at
# which block it dies, to the block. Then the same data, as many weights, the same GPU, and a net
# that trains at 64 blocks and at 500. The last question is the one that counts: does it learn as
# well?
#
# The set-up cell reads the digits, which come with the course. A batch is 479 images of 8 x 8
# pixels, and both nets are 32 numbers wide, so **1 U is 479 x 32 x 4 = 61,312 B** here. `fits` is
# our instrument ([course/tiny_gpu.py](../course/tiny_gpu.py)). It runs forward and backward of one
# step on a GPU of so many bytes and says whether that was enough. Weights and their `.grad` do not
# count; everything else does.

# %%
import minigrad as mg
from course.data import digits
from course.predict import predict
from course.tiny_gpu import step_fits
from course.twins_on_digits import batches, reversible, right, standard, stored, train
from minigrad.nn.functional import cross_entropy

data = digits()
x, labels = mg.tensor(data.train_images[:479]), mg.tensor(data.train_labels[:479])
U = 479 * 32 * 4
SMALL = labels.nbytes + 4 + 4  # labels, loss, and backward's first 1


def fits(net, size):
    return step_fits(net, x, labels, size)


# %% [markdown]
# ## 1. What do we compare?
# The data first: 1797 digits that 13 people wrote. 1437 are for training, 360 for the test, and
# each digit has the same share of both. (Source and licence:
# [course/data/README.md](../course/data/README.md).)

# %% at="15.digits"
from course.pictures import images

images(data.train_images[:10], data.train_labels[:10])

# %% [markdown]
# A comparison is worth something if only one thing differs. So the two nets are **twins**: the same
# stem in front (64 numbers to 32), the same head behind (32 to 10), and between them as many
# blocks, with as many weights.
#
# A block of the **standard** twin is `x + F(x)` on all 32 numbers.
# A block of the **reversible** twin is lesson 11's: two streams of 16 numbers, with an F and a G.
# F and G are half as wide on the outside, so the two together have the weights of one. (Lesson 12
# called the same net with stored activations a twin. That one returns in section 5.) Here are
# both, as they stand in [course/twins_on_digits.py](../course/twins_on_digits.py).

# %% at="15.source"
from course.code_of import code_of

code_of(standard, reversible)

# %% at="15.weights"
count = {}
for make in (standard, reversible):
    count[make.__name__] = sum(p.numel() for p in make(64).parameters())
    print(f"{make.__name__:10} {count[make.__name__]:,} weights")
print(f"The reversible twin has {count['reversible'] / count['standard'] - 1:.1%} more.")

# %% [markdown]
# Where does the difference come from? Not from the matrices. The reversible block has one more
# bias of 32 numbers: 64 x 32 = 2048, which is the difference.
#
# Here is one training step of each, with 1 block, so that you find your way: choose the trace in
# the corner, step with the arrow keys. (A weight has the name of its part: stem, blocks or head.)

# %%
from whoholds.step import step as trace

program = """h = stem(x)
h = blocks(h)
h = head(h)
loss = cross_entropy(h, labels)
del h
loss.backward()
"""


def stepped(net):
    stem, *blocks, head = net
    parts = {"stem": stem, "blocks": mg.nn.Sequential(*blocks), "head": head}
    return trace(program, namespace=parts | given)


# %% at="15.view"
from whoholds.views import show

given = {"x": x, "labels": labels, "cross_entropy": cross_entropy}
traces = {make.__name__: stepped(make(1)) for make in (standard, reversible)}
show(traces, title="One step on 479 digits, 1 block")

# %% [markdown]
# Here the reversible twin needs more: its 11 U do not change with depth, and one block of the
# other needs 7. Depth decides.
#
# **Try it.** Make it 3 blocks and give `reversible` the option `baton=True`. Look at the nodes in
# the lane on the right: one per block now, and none of them holds anything.
#
# With 64 blocks the view would be a wall. So we cut the recording of a step into 24 parts and note
# the most that was alive in each. (The parts have as many events each; the first ones only list the
# weights.)


# %%
import whoholds


def recorded(net):
    with whoholds.record() as trace:
        cross_entropy(net(x), labels).backward()
    return trace


def over_time(net, parts=24):
    before = mg.memory_allocated() - x.nbytes - labels.nbytes
    events = recorded(net).events
    cuts = [i * len(events) // parts for i in range(parts + 1)]
    each = [events[a:b] for a, b in zip(cuts, cuts[1:], strict=False)]
    return [(f"{i}/{parts}", max(e["live"] for e in p) - before) for i, p in enumerate(each, 1)]


# %% at="15.live"
from course.pictures import curve

steps = {make.__name__: over_time(make(64)) for make in (standard, reversible)}
curve(steps, title="One step on 479 digits, 64 blocks", unit=U)

# %% [markdown]
# The triangle of lesson 04 and the flat line of lesson 11, on real data. That the flat line climbs
# during backward, and that the triangle does not come down to 2 U, has one reason: the gradients of
# the weights. Both nets need them, 9 U in the end. The sections that follow are about everything
# that is *not* weights; section 6 comes back to them.

# %% [markdown]
# ## 2. How small may the GPU be?
# With lessons 04 and 06 you can do the sum for the standard twin. When is memory highest? In the
# first block that backward meets, the last one of the net. At that moment live:
#
# - the batch: 64 numbers per image, twice the width of the net: 2 U
# - what 64 blocks saved: each its input and the result of its relu: 2 U a block
# - three gradients: the one that came in (the `+` sends it both ways, so it is kept for the
#   detour), the one at the relu's result, and the one that the relu's node makes of it: 3 U
#
# and some bytes more: 479 labels of 8 bytes, the loss, and the number 1 that backward starts with.

# %% solo="prediction"
predict(
    "15.standard",
    "64 blocks. How many U must the GPU of the standard twin have (and 3,840 B)?",
    unit="U",
    why="2 for the batch, 2 x 64 for what the blocks saved, 3 gradients at the same time.",
    wrong={
        130: "Two for the batch and 128 saved. But backward needs room for gradients before it can "
        "give anything back.",
        131: "One gradient is in flight. In a residual block there are three for a moment: the "
        "one that waits for the detour through F to join it, and two at the relu.",
        128: "That is what the blocks saved. The batch is alive too, and so are gradients.",
    },
    run=lambda: next(n for n in range(128, 140) if fits(standard(64), n * U + SMALL)),
)

# %% [markdown]
# A sum done by hand may be off by a little, so the test is a hard one: the step must run in so many
# bytes, and must *not* run in one byte less.


# %% at="15.needs"
def needs_exactly(net, units):
    size = units * U + SMALL
    return fits(net, size) and not fits(net, size - 1)


for make, units in ((standard, 133), (reversible, 11)):
    found = needs_exactly(make(64), units)
    print(f"{make.__name__:10} runs in {units} U, and not in a byte less: {found}")

# %% [markdown]
# To the byte. The 11 are lesson 11's 10 U and one more, since the batch is 2 U and not 1. 133 : 11
# is a little over 12. And with the depth? The formula for the standard twin is 2 L + 5, a straight
# line. The other one has no L in it.

# %% at="15.depth"
from course.pictures import scaling

needed = {"standard": {}, "reversible": {}}
for depth in (8, 16, 32, 64):
    for make, units in ((standard, 2 * depth + 5), (reversible, 11)):
        # of 64 blocks the cell above has shown it
        assert depth == 64 or needs_exactly(make(depth), units)
        needed[make.__name__][depth] = units * U + SMALL
scaling(needed, "The smallest GPU on which a step runs", across="blocks", unit=U)

# %% [markdown]
# **Try it.** `reversible(64, baton=True)` needs 9 U, and `trimmed=True` does not reach a whole
# number. Find its size in bytes. (Lesson 11 names the four references that it kills.)

# %% [markdown]
# ## 3. At which block does it die?
# Now the tiny GPU: 40 U, which is 2.3 MiB. (We give it the 3,840 B as well, so that the sums
# stay whole.) The standard twin will die in forward, long before there is any gradient. Before
# block i there are the batch, the output of the stem, and 2 U for each of the blocks done: 2 + 1 +
# 2 (i - 1). Inside block i, at the worst moment, three more: the relu's result, F's result, and
# their sum with the input. That makes 2 i + 4.


# %% at="15.dies"
def blocks_done(size, depth=64):
    stem, *blocks, head = standard(depth)
    done = 0
    try:
        with mg.memory.budget(size):
            h = stem(x)
            for block in blocks:
                h = block(h)
                done += 1
    except mg.memory.OutOfMemoryError:
        return done


# %% solo="prediction"
predict(
    "15.block",
    "A GPU of 40 U. How many of the 64 blocks are done when the forward pass runs out of memory?",
    unit="blocks",
    why="2 x 18 + 4 = 40 still fits, so block 18 is done. 2 x 19 + 4 = 42 does not fit: the net dies "
    "in block 19.",
    wrong={
        19: "Block 19 is begun. It needs 2 x 19 + 4 = 42 U at its worst moment.",
        20: "40 U at 2 U a block would be 20 blocks. But the batch and the stem are there before the "
        "first block, and a block needs room to work in.",
        40: "One activation a block is what many expect. A block saves two: its input, and "
        "what its relu made.",
    },
    run=lambda: blocks_done(40 * U + SMALL),
)

# %% [markdown]
# Out of memory is arithmetic, not bad luck. The table has three GPUs. Its last column is a
# second kind of death: a net shallow enough to get through forward may still die in backward, which
# needs 2 L + 5. So the deepest net that trains has L = (GPU - 5) / 2 blocks, rounded down.

# %% at="15.table"
print("        dies in block         deepest that trains")
print("GPU     computed   found      computed   found")
for units in (40, 20, 12):
    size = units * U + SMALL
    computed = next(i for i in range(1, 65) if 2 * i + 4 > units)
    deepest = next(n for n in range(1, 65) if not fits(standard(n + 1), size))
    found = blocks_done(size) + 1
    print(f"{units} U {computed:11} {found:7} {(units - 5) // 2:13} {deepest:7}")

# %% [markdown]
# Read the error too. It says who holds the memory: after the batch, which the stem saved, the
# results of the relus, one each. (The blocks' inputs are as big, but the list ends after four. And
# 8 bytes of our GPU are not in use yet: they wait for the loss and the 1. We catch it. Lesson 04
# told why: an error that nobody catches keeps its tensors alive, and on a GPU of this size that
# would be the end of all further experiments.)

# %% at="15.error"
try:
    with mg.memory.budget(12 * U + SMALL):
        cross_entropy(standard(64)(x), labels).backward()
except mg.memory.OutOfMemoryError as error:
    print(error, *error.__notes__, sep="\n")

# %% [markdown]
# And the reversible twin on that smallest of the three? We make it 500 blocks deep as well; a
# standard net of that depth would need 1005 U.

# %% at="15.deep"
for depth in (64, 500):
    verdict = "trains" if fits(reversible(depth), 12 * U + SMALL) else "dies"
    print(f"A reversible net of {depth} blocks on 12 U {verdict}.")

# %% [markdown]
# **Try it.** In the set-up cell, take 240 images in place of 479, but leave `U` as it is. On the
# same 40 U a standard net of 37 blocks trains now. Activations are a product of batch, width and
# depth; people halve the batch because it is the easiest of the three to change.

# %% [markdown]
# ## 4. Does it learn as well?
# Twelve times less memory for activations. There must be a price, and the first suspicion is
# accuracy. The card trains small twins, 6 blocks and 15 epochs, to give its answer; that takes a
# second.


# %%
def small_twins():
    found = []
    for make in (standard, reversible):
        mg.manual_seed(0)
        net = make(6)
        train(net, batches(data, 15), 45, lr=5e-3)
        found.append(right(net, data))
    return "the same, give or take" if abs(found[0] - found[1]) <= 2.5 else "it falls"


# %% solo="prediction"
predict(
    "15.accuracy",
    "The reversible twin stores nothing and computes everything a second time. What happens to the "
    "accuracy on the test images?",
    {
        "it falls": "Something for nothing does not exist, one thinks. The price is real, but it "
        "is paid in work: every F and G runs twice.",
        "the same, give or take": "The gradients are those of the same net with stored "
        "activations, up to rounding. And the net has as many weights.",
        "it cannot train at all": "That would be so if the recomputed activations were wrong. Lesson "
        "12 shows when that happens. Our blocks begin calm: W2 is small at first.",
    },
    run=small_twins,
)

# %% [markdown]
# Now in earnest: 64 blocks, 20 epochs of 3 batches, for both. AdamW is Adam with the weight decay
# taken out of the gradient; its learning rate falls in a straight line to 0. (Without that, nets
# of this depth had late accidents, of either kind.) The cell takes about ten seconds.

# %% at="15.train"
from course.pictures import bar, losses

nets, curves = {}, {}
for make in (standard, reversible):
    mg.manual_seed(0)
    nets[make.__name__] = make(64)
    given = bar(batches(data, 20), 60, make.__name__)
    curves[make.__name__] = train(nets[make.__name__], given, 60, lr=3e-3)
losses(curves, title="Both twins, 64 blocks, 60 steps")

# %% at="15.result"
U_needed = {"standard": 133, "reversible": 11}
for name, net in nets.items():
    size = U_needed[name] * U + SMALL
    # section 2's test, after training
    assert fits(net, size) and not fits(net, size - 1)
    rate = right(net, data)
    print(f"{name:10} {size / 2**20:5.2f} MiB   right on the test: ~{rate:.1f} percent measured")

# %% [markdown]
# The figures marked with a wave may differ by some tenths on your machine: after sixty steps,
# rounding in the last digit has become another net. These hold on all of them.

# %% at="15.holds"
percent = [right(net, data) for net in nets.values()]
print("both at least 95 percent:           ", min(percent) >= 95)
print("within two and a half of the other: ", abs(percent[0] - percent[1]) <= 2.5)
print("peak ratio at least 11:             ", U_needed["standard"] / U_needed["reversible"] >= 11)

# %% [markdown]
# The losses of the training end further apart: these are two nets, not one. And one seed and 360
# images (two and a half percent are nine of them) can show that both learn, not which is better.
#
# **Try it.** Train the standard twin with 3 blocks, the most that 12 U can take. On digits it does
# nearly as well: they are easy. Memory decides what you *can* train; whether depth helps is
# another question, and your data has to answer it.

# %% [markdown]
# ## 5. Same mathematics, same curve?
# The right question about wrongness is not whether the reversible twin is as good as another net.
# It is whether it computes what it should. For that, run the *same* net with the same weights,
# block by block, so that it stores its activations like any other. That is what `stored` does.


# %%
def gradients(net, forward):
    net.zero_grad()
    cross_entropy(forward(x), labels).backward()
    return [p.grad.double() for p in net.parameters()]


def relative_error(net):
    """Of all its gradients together: recomputed, against stored."""
    found, wanted = gradients(net, net), gradients(net, lambda x: stored(net, x))
    wrong = sum((g - h).square().sum().item() for g, h in zip(found, wanted, strict=True))
    return (wrong / sum(h.square().sum().item() for h in wanted)) ** 0.5


# %% at="15.first"
errors = []
for seed in (0, 1, 2):
    mg.manual_seed(seed)
    errors.append(relative_error(reversible(64)))
    print(f"net {seed}, all 516 gradients: relative error ~{errors[-1]:.8f} measured")
print(f"The best agrees to 1e-5: {min(errors) < 1e-5}. All of them to 1e-3: {max(errors) < 1e-3}.")

# %% [markdown]
# The seventh digit, as a rule: an activation that is computed backwards, by subtracting what was
# added, may differ in its last digit. Try more seeds: when this course was made, one net in six was
# off by some 1e-5. There a number stood a hair below 0 in front of a relu, and a hair above when it
# came back. For this one image the slope jumps from 0 to 1.
#
# What becomes of such differences in training? The card trains a small net twice to find out, and
# takes a second or two.


# %%
from functools import cache


@cache
def how_they_run():
    runs = {}
    for way in (None, stored):
        mg.manual_seed(0)
        runs[way] = train(reversible(16), batches(data, 8), 24, lr=3e-2, forward=way)
    apart = [abs(a - b) / b for a, b in zip(*runs.values(), strict=True)]
    begin, end = max(apart[:2]) < 1e-5, max(apart[-5:]) < 1e-5
    answers = {(True, True): "equal to the end", (True, False): "equal at first, then apart"}
    return answers.get((begin, end), "different from the start"), apart


# %% solo="prediction"
predict(
    "15.apart",
    "Two copies of one net, 16 blocks, same weights, same batches. One stores, one recomputes, and "
    "their first gradients agree to seven digits. What do their loss curves look like?",
    {
        "equal to the end": "The mathematics is the same, so this is what one expects. Computers "
        "round, and training is not a calm business: what differs in digit seven now will differ "
        "in digit six soon.",
        "equal at first, then apart": "Each step passes the difference on and magnifies it. It is "
        "what two runs on two kinds of GPU do as well. Both curves are right.",
        "different from the start": "The first step differs in the seventh digit, which no plot "
        "shows.",
    },
    run=lambda: how_they_run()[0],
)

# %% at="15.curves"
answer, apart = how_they_run()
print(answer)
for step in (0, 1, 2, 5, 10, 15, 23):
    worst = max(apart[: step + 1])
    print(f"up to step {step:2} the losses differ by ~{worst:.7f} measured, relatively")
print("below 1e-5 in the first two steps:  ", max(apart[:2]) < 1e-5)
print("above 1e-4 in one of the last five: ", max(apart[-5:]) > 1e-4)

# %% [markdown]
# So do not test a memory trick by comparing loss curves to the end. Compare the **gradients of the
# first step**. Lesson 12's one-line fix, streams in float64, makes the difference smaller still,
# at the price of twice the bytes for the streams; with weights as calm as these it is not needed.
#
# **Try it.** In `branch`, in `course/twins_on_digits.py`, write `1.0` for `0.05`, restart the
# kernel, and run this section. Its first cell ends in an error: the input did not come back, and
# the chain refuses to hand out gradients that are wrong.

# %% [markdown]
# ## 6. What does it cost, then?
# Work. Every F and G runs once in forward and a second time in backward. Count the products, as in
# lesson 09. A product of the reversible twin is half the size, 16 x 32 in place of 32 x 32, so two
# of its products count as one. (All but those of stem and head, which are a few.)


# %% at="15.work"
def products(net):
    with mg.memory.count_ops() as n:
        cross_entropy(net(x), labels).backward()
    return n.matmuls


full, halves = products(standard(64)), products(reversible(64))
print(f"standard:   {full} products")
print(f"reversible: {halves} of half the size, as much as {halves // 2}")
print(f"That is {halves / 2 / full:.2f} times the work.")

# %% [markdown]
# Four thirds: 3 units of work for a step (forward 1, backward 2) have become 4. The clock says more
# in our case, about three times as long when this course was made, since each product is so small
# that calling it costs more than computing it. On large matrices it comes down to the four thirds.
#
# And an honest look at the other memory. We left weights and their gradients out. They are there
# for both, and the less the activations take, the more they matter.


# %% at="15.honest"
def with_gradients(net):
    net.zero_grad()
    before = mg.memory_allocated()
    mg.reset_peak_memory_stats()
    cross_entropy(net(x), labels).backward()
    return (mg.max_memory_allocated() - before + x.nbytes + labels.nbytes) / 2**20


for name, net in (("standard", standard(64)), ("reversible", reversible(64))):
    print(f"{name:10} {with_gradients(net):.2f} MiB with the gradients of the weights")

# %% [markdown]
# The standard twin's peak is hardly higher than before: it comes at the start of backward, when
# almost no weight has a gradient yet. The ratio is no longer twelve. With larger batches it would
# be again: activations grow with the batch, weights do not. That is when these methods pay: **deep,
# with more activations than weights**. The table is the sum of six lessons; the sizes are for L of
# our blocks.
#
# | what you do | activations | work | when |
# |---|---|---|---|
# | store everything | 2 L + 5 U | 1 | it fits |
# | checkpoint every k (lesson 10) | L / k + 2 k + 4 U | 4/3 | any net; k near the root of L / 2 |
# | reversible (lesson 11) | 11 U | 4/3 | you choose the architecture, and it is calm |
#
# The second row: L / k inputs are kept, and the segment that runs again saves 2 k, of which its
# input is counted already: less 1. With 2 for the batch and 3 gradients, as in section 2, that
# makes 4.

# %% at="15.three"
from course.twins_on_digits import Checkpointed

L, k = 32, 4
ways = {
    "store everything": (standard(L), 2 * L + 5),
    "checkpoint every 4": (Checkpointed(standard(L), k), L // k + 2 * k + 4),
    "reversible": (reversible(L), 11),
}
for way, (net, units) in ways.items():
    size = units * U + SMALL
    exactly = fits(net, size) and not fits(net, size - 1)
    print(f"{way:19} {units:3} U, to the byte: {exactly}")

# %% [markdown]
# ### Thread 000, answered
# Thread 000 wanted to keep the structure of the graph and throw its data away. The answer was: a
# node holds what its Function saves, so save nothing. That is right, and it is half of the way.
# What a backward without data should compute, nobody said. Now you can answer with something to
# run.


# %% at="15.thread"
def structure_without_data(depth):
    stem, chain, head = reversible(depth, baton=True)
    y = chain(stem(x).detach().requires_grad_())
    node, nodes = y.grad_fn, 0
    while node.next_functions and "Reversible" in node.name():
        node, nodes = node.next_functions[0][0], nodes + 1
    return nodes, mg.memory.saved(y).total, y.nbytes // U


for depth in (4, 64):
    nodes, held, kept = structure_without_data(depth)
    print(f"{nodes} nodes to walk, {held} B saved in them; one output of {kept} U is passed back")

# %% [markdown]
# ### The same in PyTorch
# PyTorch brings no reversible chain, but the memory of the standard twin can be counted there too.
# `pack` sees each tensor that a node saves; a tensor that is saved twice counts once. For 64 blocks
# of width 32 this prints `2.0 U a block`.
#
# ```python
# import torch
# from torch.nn import Linear, ReLU, Sequential
#
# seen, h = {}, torch.ones(479, 32, requires_grad=True)
# pack = lambda t: (seen.update({t.data_ptr(): t.nbytes}), t)[1]
# blocks = [Sequential(Linear(32, 32), ReLU(), Linear(32, 32))
#           for _ in range(64)]
# weights = {p.data_ptr() for f in blocks for p in f.parameters()}
# with torch.autograd.graph.saved_tensors_hooks(pack, lambda t: t):
#     for f in blocks:
#         h = h + f(h)
# held = sum(n for a, n in seen.items() if a not in weights)
# print(round(held / h.nbytes / 64, 2), "U a block")
# ```
#
# ### Three things you can trust
# Out of memory is arithmetic. The reversible twin's need has no depth in it. And its first
# gradients are those of the stored net.


# %%
def same_gradient(net):
    found = []  # of one weight, where a single relu may flip: hence 1e-2
    for forward in (net, lambda x: stored(net, x)):
        net.zero_grad()
        cross_entropy(forward(x), labels).backward()
        found.append(net[0].weight.grad)
    return (found[0] - found[1]).abs().max() <= 1e-2 * found[1].abs().max()


# %% at="15.asserts"
assert fits(standard(17), 40 * U + SMALL) and not fits(standard(18), 40 * U + SMALL)
assert fits(reversible(32), 11 * U + SMALL) and not fits(reversible(4), 11 * U + SMALL - 1)
assert same_gradient(reversible(4))
print("all three hold")

# %% [markdown]
# What was simplified: the optimizer's state is not counted anywhere here; Adam's is twice the
# weights, for either twin. All 13 people wrote in both parts of the data, so the accuracy speaks
# of their handwriting only. And digits need no 64 blocks.
#
# **Next:** the exam. Eight curves without labels, and code that you have not seen.

# %% [markdown] card="dies_in_block"
# ### Where it dies, in PyTorch
# A net of your own sizes this time. `rows`, `width`, `hidden` and `depth` are numbers, and the GPU
# has `budget` bytes, on which weights do not count. The batch does.
#
# ```python
# import torch
# from torch import nn
#
# new = lambda: nn.Sequential(
#     nn.Linear(width, hidden), nn.ReLU(), nn.Linear(hidden, width)
# )
# blocks = [new() for _ in range(depth)]
# h = torch.ones(rows, width)
# for block in blocks:
#     h = h + block(h)
# ```
#
# In which block does this forward pass run out of memory? The first block is 1; return 0 if all of
# them fit. Each operation needs its input and its result at the same time. A formula that makes no
# tensor is asked for.
#
# *When it passes you need no GPU to find out that a net does not fit on it.*


# %% exercise="dies_in_block" kind="predict+transfer" difficulty=2 minutes=10
def dies_in_block(rows, width, hidden, depth, budget):
    """The block that does not fit into `budget` bytes any more, or 0; floats have 4 bytes."""
    ### BEGIN SOLUTION
    for i in range(1, depth + 1):
        before = (i - 1) * (width + hidden) + width  # saved before; h
        at_the_relu = 2 * hidden  # its input and its result
        at_the_sum = hidden + 2 * width  # relu's result, F(h), h + F(h)
        if (before + max(at_the_relu, at_the_sum)) * rows * 4 > budget:
            return i
    return 0
    ### END SOLUTION


# %% check="dies_in_block"
check(dies_in_block)

# %% [markdown] hint="dies_in_block"
# Two questions for each block: what have the blocks before it left behind, and what is alive at its
# own worst moment?

# %% [markdown] hint="dies_in_block"
# A block leaves its input (width) and what its relu made (hidden). Inside there are two candidates
# for the worst moment: at the relu, two tensors of `hidden`; at the `+`, one of `hidden` and two of
# `width`.

# %% [markdown] hint="dies_in_block"
# In block i, besides `(i - 1) * (width + hidden)` and the current `h`: `max(2 * hidden, hidden + 2
# * width)`. All of it times `rows * 4`; the first i that is more than `budget`.

# %% [markdown] why="dies_in_block"
# **Why.** Section 3's formula was this one for hidden = width. In general it matters where a block
# is at its widest: with a hidden layer of more than twice the width it is at the relu, for a moment
# in which input and result are both there. What the first Linear made is saved by nobody and goes
# right after it; `relu_()` would not even make the second one.

# %% [markdown] card="lean_step"
# ### A step on a diet
# This training step was written without a thought of memory. It keeps each output in a list,
# retains the graph and logs the loss as it is. A net of 16 blocks needs 37 U for it, and something
# stays behind each time.
#
# Bring it down to 16 U (the 2 of `x` count, a few bytes for the loss do not matter; a name that
# still leads to the last output costs 1 U), with the same gradients, and the loss in `log` as a
# float. Nothing but that float and the gradients may be left.
# `net` has a stem, 16 residual blocks as in section 1, and a head; `x` is twice as wide as they
# are. No forward may run more than twice. You will want
# `mg.utils.checkpoint.checkpoint(function, h, use_reentrant=False)`, and segments.
#
# *When it passes, a step needs less than half of its memory, for a third more work.*


# %% exercise="lean_step" kind="repair" difficulty=2 minutes=10
def lean_step(net, x, labels, log):
    """One forward and backward of a net of 16 blocks, in 16 U."""
    ### BEGIN SOLUTION
    stem, *blocks, head = net
    h = stem(x)
    for first in range(0, 16, 4):
        segment = mg.nn.Sequential(*blocks[first : first + 4])
        h = mg.utils.checkpoint.checkpoint(segment, h, use_reentrant=False)
    loss = cross_entropy(head(h), labels)
    del h
    loss.backward()
    log.append(loss.item())
    ### STUB
    # stem, *blocks, head = net
    # outputs = [stem(x)]
    # for block in blocks:
    #     outputs.append(block(outputs[-1]))
    # loss = cross_entropy(head(outputs[-1]), labels)
    # loss.backward(retain_graph=True)
    # log.append(loss)
    ### END SOLUTION


# %% check="lean_step"
check(lean_step)

# %% [markdown] hint="lean_step"
# First the leftovers: which names, options and log entries hold a graph after the step? Then ask
# section 6 what 16 blocks cost with a checkpoint every k.

# %% [markdown] hint="lean_step"
# Rebind one name `h` in place of the list, leave `retain_graph` out, log `loss.item()`. For 16
# blocks L / k + 2 k + 4 is 16 for two different k. If you are 1 U above it: which name still holds
# an output when backward begins?

# %% [markdown] hint="lean_step"
# For `first` in `range(0, 16, 4)`: `segment = mg.nn.Sequential(*blocks[first : first + 4])`, `h =
# mg.utils.checkpoint.checkpoint(segment, h, use_reentrant=False)`. Then the loss, `del h`,
# backward.

# %% [markdown] why="lean_step"
# **Why.** Two kinds of bytes were to be saved. Some were held without need: by the list, the
# retained graph, the logged tensor, and by the name `h`, which is 1 U at the worst moment, when the
# node of the head has let go of it. Taking those away costs nothing. But 37 U are what backward
# needs; less can only be had for work, and a checkpoint fits a net that is already built.

# %% [markdown] card="step_on"
# ### As much work as the GPU demands, and no more
# Somebody gives you a GPU of `size` bytes, and a net like that of the last exercise, with 8 to 16
# blocks. Write `step_on(net, x, labels, size)`: forward and backward of one step, the gradients in
# the weights, the loss returned as a float. Weights and their gradients do not count; all else
# does, `x` (2 U) and `labels`, too.
#
# There are these ways: store everything, or a checkpoint every k, where k divides the number of
# blocks. One of them always fits. Take the one that fits and makes the fewest products. (A way of
# your own with fewer still is welcome.) Do the sum before you run: a rehearsal costs products, too.
# `SMALL` belongs to the 479 images of section 1; here it is `labels.nbytes + 8`. (One thing helps:
# with `use_reentrant=False` the last product of a segment is not run again, as nobody needs it.)
#
# *When it passes you have written what memory planners do.*


# %% exercise="step_on" kind="write" difficulty=3 minutes=15
def step_on(net, x, labels, size):
    """The loss of one step, which runs in `size` bytes with as few products as can be."""
    ### BEGIN SOLUTION
    stem, *blocks, head = net
    depth, unit = len(blocks), x.nbytes // 2
    units = (size - labels.nbytes - 8) // unit
    every = 0 if 2 * depth + 5 <= units else spacing(depth, units)
    h = stem(x)
    for first in range(0, depth, every or depth):
        segment = mg.nn.Sequential(*blocks[first : first + (every or depth)])
        if every:
            h = mg.utils.checkpoint.checkpoint(segment, h, use_reentrant=False)
        else:
            h = segment(h)
    loss = cross_entropy(head(h), labels)
    del h
    loss.backward()
    return loss.item()


def spacing(depth, units):
    """The smallest k that fits: the shorter the segments, the more last products are saved."""
    needs = {k: depth // k + 2 * k + 4 for k in range(1, depth + 1) if depth % k == 0}
    return next((k for k, need in needs.items() if need <= units), min(needs, key=needs.get))
    ### END SOLUTION


# %% check="step_on"
check(step_on)

# %% [markdown] hint="step_on"
# Turn `size` into units first: what is to be taken off, and what is a unit here? Then write down
# what each way needs.

# %% [markdown] hint="step_on"
# Storing everything needs 2 L + 5, a checkpoint every k needs L / k + 2 k + 4. Storing is the
# cheapest. Among the k that fit: which one has the most segments, so that most last products are
# spared?

# %% [markdown] hint="step_on"
# `units = (size - labels.nbytes - 8) // (x.nbytes // 2)`. If `2 * L + 5 <= units`, run the blocks
# as they are. Otherwise take the smallest k that divides L and fits. `del` the last output before
# backward.

# %% [markdown] why="step_on"
# **Why.** Memory and work are bought from each other, and what is on offer is a short list. Out of
# memory is arithmetic, so the choice can be made before a single product is computed; trying and
# failing costs more than the sum. A real planner prices each layer instead of assuming that all are
# alike. That is the only difference.
