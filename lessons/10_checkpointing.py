# %% [markdown]
# # 10  Checkpointing
# Lesson 09 ended with a trick: a penalty was thrown away after forward, and computed a second time
# when backward wanted it. A penalty is a side branch. What if one did this to the backbone itself:
# forget nearly everything that forward computed, and pay for it with a second forward? The asker of
# thread 001 lives from that. They use checkpoints "heavily", and find them very slow.
#
# In this lesson you write a checkpoint in a dozen lines, look at the curve of its bytes, and find out
# how long a segment should be. The usual advice gives a number that is not the best one. Then come
# the cases where a checkpoint costs memory, where it trains nothing, and where its gradient is wrong.
#
# The set-up cell is long; its pieces are
#
# - the data `x`, 256 x 8 x 4 = 8192 bytes, 1 U as always. Here `x` wants a gradient, as if a first
#   layer lay below it;
# - the weights of 36 blocks, two small ones each, with every `.grad` made beforehand, so that what
#   grows below are activations;
# - `segment`. A **segment** is a stretch of the net as one function: an activation goes in, some
#   blocks run, the activation after them comes out. The block is the one of lesson 09;
# - `ready`, the checkpoint that PyTorch has ready-made. Section 5 says what its option means;
# - `net`, so many blocks with a checkpoint around `every` so many of them, and `price`, which measures
#   a training step: the U held after forward, the highest U, and the products of matrices.

# %% twin=true
import course.step  # noqa: F401  (brings the cell magic %%step)
import minigrad as mg
from course.predict import predict

x = (mg.arange(2048.0).view(256, 8) / 2048).detach().requires_grad_()
U = x.nbytes


def pair(width=8):
    w = mg.full((8, width), 0.01, requires_grad=True)
    v = mg.full((width, 8), 0.01, requires_grad=True)
    w.grad, v.grad = mg.zeros(8, width), mg.zeros(width, 8)
    return w, v


weights = [pair() for _ in range(36)]


def segment(first, last):
    def run(h):
        for w, v in weights[first:last]:
            h = h + (h @ w).tanh() @ v
        return h

    return run


def ready(run, h, way=True, **options):
    return mg.utils.checkpoint.checkpoint(run, h, use_reentrant=way, **options)


def net(depth, every=None, wrap=ready):
    if every is None:
        return segment(0, depth)(x)
    h = x
    for first in range(0, depth, every):
        h = wrap(segment(first, first + every), h)
    return h


def price(make):
    x.grad = None
    without_x = mg.memory_allocated() - x.nbytes  # so that x counts
    mg.reset_peak_memory_stats()
    with mg.memory.count_ops() as n:
        y = make()
        held = mg.memory_allocated() - without_x
        y.backward(mg.ones(256, 8))
    return held / U, (mg.max_memory_allocated() - without_x) / U, n.matmuls


# %% [markdown]
# ## 1. Can one forget the backbone?
# A checkpoint makes one node of a whole segment. Forward of a Function is not recorded (lesson 07):
# the blocks run, and what they compute is gone when the next block has used it. The node keeps the
# input of the segment. Backward starts from there, runs the segment again, this time recorded, and sends the
# gradient through the small graph that comes of it. This second run is the **recomputation**.


# %% twin=true at="10.write"
class Checkpoint(mg.autograd.Function):
    @staticmethod
    def forward(ctx, run, h):
        ctx.run = run
        ctx.save_for_backward(h)
        return run(h)

    @staticmethod
    def backward(ctx, grad):
        h = ctx.saved_tensors[0].detach().requires_grad_()
        with mg.enable_grad():
            y = ctx.run(h)
        y.backward(grad)
        return None, h.grad


# %% [markdown]
# Read the last three lines again. There is a backward *inside* a backward. It goes through the small
# graph, adds to the `.grad` of the weights on its way as every backward does, and ends at `h`, a
# boundary as in lesson 09. What gathered there is handed on to the net below.
#
# Six blocks without checkpoints hold 13 U after forward: a block saves its input and its tanh, 2 U,
# six times, and the result is one more. Now put a checkpoint around every two blocks.

# %% solo="prediction"
predict(
    "10.held",
    "Six blocks, three checkpoints of two blocks each. How much is alive after forward?",
    {
        "13 U": "The same operations ran, so one expects the same savings. But they ran inside "
        "the forward of a Function, where nothing is recorded and nothing saved.",
        "4 U": "The inputs of three segments, of which the first is `x`, and the result. What "
        "lay between them was gone before forward was over.",
        "1 U": "The result alone? Then the recomputation would have nothing to start from.",
    },
    run=lambda: f"{price(lambda: net(6, 2, Checkpoint.apply))[0]:.0f} U",
)

# %% twin=true at="10.price"
ways = {"no checkpoint": (), "yours": (2, Checkpoint.apply), "ready-made": (2, ready)}
for name, way in ways.items():
    held, highest, products = price(lambda way=way: net(6, *way))
    print(f"{name:14} {held:2.0f} U held, {highest:2.0f} U highest, {products} products")

# %% [markdown]
# 4 U instead of 13, and the ready-made one does just what yours does. The highest point comes down
# as well, though not as far, and the products say what was paid: 12 more, the 2 of each block in
# forward, once again. A block has 2 forward and 4 backward, so a third more work is the price,
# whatever the length of the segments. (Section 5 has a way that is a little cheaper.)
#
# Is the gradient the right one?


# %% twin=true at="10.same"
def gradients(make):
    for pair in weights[:6]:
        for p in pair:
            p.grad.zero_()
    make().sum().backward()
    return mg.cat([p.grad.view(64) for pair in weights[:6] for p in pair])


plain, kept = gradients(lambda: net(6)), gradients(lambda: net(6, 2, Checkpoint.apply))
print(mg.allclose(plain, kept, rtol=1e-3, atol=1e-4))

# %% [markdown]
# It is. One oddity, though, comes with the backward inside: it adds to the `.grad` of the weights,
# whatever the backward around it was asked for. `autograd.grad` promises to touch no `.grad` at all.

# %% twin=true at="10.touches"
w = weights[0][0]
w.grad.zero_()
mg.autograd.grad(Checkpoint.apply(segment(0, 2), x).sum(), [x])
print("w.grad untouched:", w.grad.sum().item() == 0)

# %% [markdown]
# A broken promise, without a word. Section 5 comes back to it.
#
# **Try it.** In `Checkpoint.backward`, leave out the line `with mg.enable_grad():` (and what it
# indents, one step to the left). Backward runs without recording, so there is no small graph, and
# the error says that `y` does not require grad.

# %% [markdown]
# ## 2. What does the curve look like?
# Of six blocks without checkpoints you know the curve: up with forward, down with backward, a
# triangle (lesson 04). The next cell notes the bytes alive at certain points: `f3` is "block 3 has
# run in forward", `r3` "block 3 has run again", and `b3` "the gradient has reached its output".


# %% twin=true
rows, phase = [], {}


def mark(label):
    rows.append((label, mg.memory_allocated() - phase["floor"]))


def watched(first, last):
    def run(h):
        for i in range(first, last):
            h = segment(i, i + 1)(h)
            mark(f"{phase['letter']}{i + 1}")
            if mg.is_grad_enabled():
                h.register_hook(lambda grad, i=i: mark(f"b{i + 1}"))
        return h

    return run


# %% twin=true
def story(every, wrap=ready):
    rows.clear()
    x.grad, h = None, x
    phase.update(letter="f", floor=mg.memory_allocated() - x.nbytes)
    mark("x")
    for first in range(0, 6, every):
        h = wrap(watched(first, first + every), h)
    seed = mg.ones(256, 8)
    mark("seed")
    phase["letter"] = "r"
    h.backward(seed)
    mark("end")
    return list(rows)


def plainly(run, h):
    return run(h)


# %% [markdown]
# Forward with checkpoints is a low staircase: 1 U more for each segment, up to the 4 U that you
# know. With the gradient that starts it all, the seed, it is 5 U. Then comes backward. It takes the
# last segment first. (`drawn` only serves the question.)


# %% twin=true
def drawn(units):
    labels = "r5 r6 b6 b5 r3 r4 b4 b3 r1 r2 b2 b1".split()
    return [(label, n * U) for label, n in zip(labels, units, strict=True)]


# %% solo="prediction"
predict(
    "10.curve",
    "Six blocks, a checkpoint around every two. Which curve do the bytes draw in backward?",
    {
        "a falling line": "A triangle has such a flank: backward only frees. But here forward has "
        "kept nothing that could fall. Each segment must first be built up.",
        "three teeth": "Each segment climbs when it runs again and falls when it is walked. The "
        "second tooth is as high as the first: one kept input went, but a gradient came. From "
        "then on each is 1 U lower.",
        "one climb, one fall": "That would be one recomputation for the whole net. Each node "
        "has its own, and the next does not begin before the last is over.",
    },
    run=lambda: [(label, size) for label, size in story(2) if label[0] in "rb"],
    curves={
        "a falling line": drawn(range(12, 0, -1)),
        "three teeth": drawn([7, 9, 9, 8, 7, 9, 9, 8, 6, 8, 8, 7]),
        "one climb, one fall": drawn([6, 7, 8, 9, 10, 11, 11, 10, 9, 8, 7, 6]),
    },
)

# %% twin=true at="10.sawtooth"
for name, wrap in {"triangle": plainly, "sawtooth": ready}.items():
    print(name, *[f"{label} {size / U:.0f}" for label, size in story(2, wrap)])

# %% [markdown]
# (The marks lie between operations. The 11 U of section 1 are reached inside one, see section 3.)
#
# Follow the middle tooth, `r3 7  r4 9  b4 9  b3 8`. Just before it, 5 U are alive: `x`, the input of
# segment 2, the result and the seed, which `story` holds by name, and the gradient that has come down
# so far. Block 3 runs again, then block 4, and each leaves 2 U, its tanh and its result: 9 U. Then
# the gradient walks back through block 4. Its tanh and its input, the result of block 3, go, and
# the gradient of that input comes: 8 U.
#
# One of these 8 is there for nothing, the result of the second run of block 4. No node saved it: the
# name `y` in the checkpoint's backward holds it. It is the same in PyTorch, and section 5 has a way
# without it.
#
# This is the **sawtooth**. On top of the kept inputs, there is never more than one segment. Here
# are both curves over the marks of the second one. (The triangle has no second runs, so it stays
# level there.) At `b2` and `b1` the sawtooth is the higher one: the checkpoint's backward still holds
# its `y` and its `grad`. Both end with 4 U: `x`, its gradient, the result and the seed.

# %% twin=true at="10.curve-seen"
from course.curve import curve


def at_the_same_marks(labels, rows):
    found, size = dict(rows), 0
    return [(label, size := found.get(label, size)) for label in labels]


tooth = story(2)
flank = at_the_same_marks([label for label, _ in tooth], story(2, plainly))
curve({"triangle": flank, "sawtooth": tooth}, "Six blocks", unit=U)

# %% [markdown]
# And event by event, in the view. To have less on the screen it is a net of six tanh layers, with one
# weight for all. Step through the last line of the sawtooth: the walk reaches the node of a
# checkpoint, nodes and tensors come into being although this *is* the backward, and a second walk
# takes them away again. (While a segment runs again, its input counts as a parameter. That is what
# `detach().requires_grad_()` makes: a leaf.) The menu in the corner changes to the triangle. Look at
# the shape: six layers are too few for much of a gain.

# %% solo="the view" at="10.side"
from course.step import step as trace
from course.views import show

program = """h = x = mg.ones(256, 8, requires_grad=True)
two = lambda h: ((h @ w).tanh() @ w).tanh()
for _ in range(3):
    h = wrap(two, h)
h.backward(mg.ones(256, 8))
"""
wraps = {"sawtooth": ready, "triangle": plainly}
given = {"w": weights[0][0], "mg": mg}
show({name: trace(program, namespace=given | {"wrap": wrap}) for name, wrap in wraps.items()})

# %% [markdown]
# **Try it.** Print the marks of `story(3)`: two teeth, up to 10 U. Then `story(1)`: six flat ones,
# on the way down a taller staircase.

# %% [markdown]
# ## 3. How long should a segment be?
# Short segments are low teeth on many kept inputs. Long ones are few inputs and high teeth. You
# can write the highest point down. With L blocks in segments of k, there are the L/k inputs of the
# segments, the result of the net and the seed. On top stand the k blocks of the last segment, 2 U
# each. And 2 U are in the hands of its last tanh as the walk goes through it: the gradient that came
# in, and the one that it makes. Together L/k + 2 k + 4.

# %% twin=true at="10.formula"
for depth, every in [(6, 1), (6, 2), (6, 3), (16, 2), (16, 4), (36, 9)]:
    highest = price(lambda depth=depth, every=every: net(depth, every))[1]
    print(depth, "blocks, every", every, "->", highest, "U")
    assert highest == depth / every + 2 * every + 4

# %% [markdown]
# To the byte. What you read everywhere is: take the square root of the number of blocks. For 36
# blocks that is 6, and nothing has to be rounded.

# %% solo="prediction"
predict(
    "10.best",
    "36 blocks. Which spacing has the lowest peak?",
    {
        "6": "The rule says the square root of 36. It balances the number of kept inputs, 36/k, "
        "against the length k. But a block in a tooth does not weigh 1 U, as a kept input does.",
        "4": "A block saves two tensors, so a tooth weighs 2 k against 36/k. These are balanced "
        "near the square root of 36/2, that is 4.2.",
        "1": "The lowest teeth of all. But then each of the 36 inputs is kept, and the "
        "staircase alone is 37 U high.",
    },
    run=lambda: min((6, 4, 1), key=lambda every: price(lambda: net(36, every))[1]),
)

# %% twin=true at="10.sweep"
print("every", "highest", "products", sep="  ")
for every in (None, 1, 2, 3, 4, 6, 9, 12, 18):
    held, highest, products = price(lambda every=every: net(36, every))
    print(f"{every!s:>5}  {highest:5.0f} U  {products:8}")

# %% [markdown]
# 21 U at 4, against 22 U at 6, and 76 U without checkpoints. All spacings do the same work. So you
# may choose the length by memory alone. (A length of 4 means 9 segments, and that number is what
# PyTorch's `checkpoint_sequential` asks for.)
#
# All this is `use_reentrant=True`, your Function. With `False`, which section 5 explains, the peak is
# 1 U lower and each segment one product cheaper. The best length is the same.
#
# The rule counts layers that store one thing each. In general a block stores 1 + v, where v is the
# width of its hidden layer over the width of the net, and the sum L/k + (1 + v) k is lowest at the
# **square root of L/(1 + v)**. If v is large, that is far from the square root of L. Here are
# blocks with a hidden layer four times as wide, as in a transformer; the root of 36/5 is 2.7.


# %% twin=true at="10.wide"
wide_weights = [pair(32) for _ in range(36)]


def wide_segment(first, last):
    def run(h):
        for w, v in wide_weights[first:last]:
            h = h + (h @ w).tanh() @ v
        return h

    return run


def wide_net(every, h=x):
    for first in range(0, 36, every):
        h = ready(wide_segment(first, first + every), h)
    return h


for every in (1, 2, 3, 4, 6, 9):
    print("every", every, "->", round(price(lambda every=every: wide_net(every))[1]), "U")

# %% [markdown]
# 37 U at 3, and 46 U at the famous 6. If your blocks differ, think of what stands behind both rules:
# the kept inputs together should weigh about as much as one tooth.
#
# **Try it.** In the sweep use 16 blocks and `every` 1, 2, 4, 8. Two spacings tie, at 16 U. The root
# of 16/2 is 2.8, and lies between them.

# %% [markdown]
# ## 4. Where does it not help?
# "Put a checkpoint around it" sounds as if it could only save. Two examples to the contrary. First,
# one segment for the whole net: nothing is kept but `x`, so this must be the least of all?

# %% solo="prediction"
predict(
    "10.whole",
    "16 blocks without checkpoints: 36 U at the highest point, 96 products. One checkpoint like "
    "yours (`use_reentrant=True`) around all 16?",
    unit="U",
    why="In backward the whole net runs again and saves everything, 33 U with its result. That is "
    "the old peak, only later. And the result of the first forward is alive as well.",
    wrong={
        2: "This is what is alive after forward. But the peak is in backward.",
        36: "Nearly: the same net is built up, a bit later. Count the results. There are two. "
        "(With `use_reentrant=False` nobody holds the second one, and 36 is right.)",
        6: "The formula for k = 16 with the tooth left out. The tooth is the whole net.",
    },
    run=lambda: round(price(lambda: net(16, every=16))[1]),
)

# %% [markdown]
# Second, a checkpoint around each *operation*. The wrapped block does the same sums, one node each.


# %% twin=true
def op_by_op(depth):
    h = x
    for w, v in weights[:depth]:
        a = ready(lambda h, w=w: h @ w, h)
        a = ready(lambda a: a.tanh(), a)
        h = h + ready(lambda a, v=v: a @ v, a)
    return h


# %% twin=true at="10.worse"
print("   U held, U highest, products")
print("no checkpoint   ", *[round(n) for n in price(lambda: net(16))])
print("one for the net ", *[round(n) for n in price(lambda: net(16, 16))])
print("one for each op ", *[round(n) for n in price(lambda: op_by_op(16))])
print("one for 4 blocks", *[round(n) for n in price(lambda: net(16, 4))])

# %% [markdown]
# Neither saves a byte at the highest point, and both cost a third more work. The reasons differ.
#
# - The whole net in one: the tooth is as high as the triangle was. A checkpoint moves savings from
#   forward into backward; it helps only if somebody else's are gone by then.
# - Each operation: a checkpoint keeps its *input*. The node of `tanh` keeps its *output*, which the
#   next product shares. So each block now keeps the product too, 3 U instead of 2. To wrap
#   something that saves nothing of its own is to save its input on top.
#
# So a segment should have much inside and little at its edge. And it must not be the last thing
# before backward: what is recomputed right away was forgotten for nothing. (In the sweep of
# section 3 this means the last segment. Leave it unwrapped and nothing gets worse, but it is one
# recomputation cheaper.)
#
# **Try it.** In `net`, use `wrap` only while `first + every < depth`, and call the last segment as it
# is. `price(lambda: net(16, 4))` still says 16 U, and 8 products are saved.

# %% [markdown]
# ## 5. What is `use_reentrant`?
# PyTorch has the checkpoint ready, as `torch.utils.checkpoint.checkpoint`, and so has minigrad.
# With `use_reentrant=True` it is the Function that you wrote. Reentrant means that backward is
# entered again while it is running. With `False` it is done by the saved-tensor hooks of lesson 07:
# the segment is recorded as always, but in place of each tensor its nodes save an empty holder. The
# first node that wants its tensor has the segment run again, and all holders are filled.
#
# Much code leaves the option out, for it was not always there. Does that still work?

# %% twin=true at="10.ways"
import warnings

with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    y = mg.utils.checkpoint.checkpoint(segment(0, 2), x)
print(type(y.grad_fn).__name__, "and", caught[0].category.__name__)
print(*str(caught[0].message).split(". ")[:2], sep="\n")

for way in (True, False):
    y = ready(segment(0, 2), x, way)
    print(way, type(y.grad_fn).__name__, [node.name() for node, _ in y.grad_fn.next_functions])
del y

# %% [markdown]
# The warning promises an error from version 2.9 on; in 2.13 it still only warns, and takes `True`.
# With `False` the node on top is the plain one of `+`: the graph is there, all of it, and only its
# savings are hollow. It costs a little less, too.


# %% twin=true at="10.cheaper"
def hooked(run, h):
    return ready(run, h, way=False)


for wrap in (ready, hooked):
    held, highest, products = price(lambda wrap=wrap: net(36, 4, wrap))
    print(f"{wrap.__name__:6} {highest:.0f} U highest, {products} products")

# %% [markdown]
# One U lower: here nobody holds the result of the second run, as `y` did in section 2. And 9 products
# fewer, one for each segment, because the recomputation stops as soon as the last holder is
# filled. What comes after that is needed by nobody. (`early_stop=False` turns that off.)
#
# The greater difference is what the two allow. Ask both for two things: to train the weights of a
# segment whose input wants no gradient, such as the first one, and to answer `autograd.grad`.


# %% twin=true
def trains_from_data(way):
    weights[0][0].grad.zero_()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # we come to it
        y = ready(segment(0, 2), x.detach(), way)
    if not y.requires_grad:
        return "no node, no gradient"
    y.sum().backward()
    return "trained" if weights[0][0].grad.sum().item() != 0 else "not trained"


def answers_grad(way):
    y = ready(segment(0, 2), x, way)
    try:
        mg.autograd.grad(y.sum(), [x])
    except RuntimeError as error:
        return str(error).split(". ")[0][:76]
    return "answers"


# %% twin=true at="10.allow"
for way in (True, False):
    print(way, "|", trains_from_data(way))
    print(way, "|", answers_grad(way))

# %% [markdown]
# The first line is the trap. A Function is recorded only if one of its *tensor arguments* wants a
# gradient. The weights are no arguments: they come in with the function `run`, behind autograd's
# back. So on raw data there is no node, and the first segment is never trained. PyTorch warns
# ("None of the inputs have requires_grad=True. Gradients will be None"), once, among
# all the other warnings.
#
# The second refusal is the oddity of section 1: the backward inside would add to the `.grad` of the
# weights behind the back of `autograd.grad`. Your checkpoint does it, PyTorch's raises.
#
# So take `use_reentrant=False`, say so explicitly, and none of this concerns you.
#
# ### Case file: "heavily", and super slow
# Back to thread 001. Its tensors are gigabytes, and checkpoints are "just super slow". By now
# you can check that. A recomputation is one forward, a third more work; that is not super slow.
# But checkpoints can be put inside each other, and then a segment runs again for each that
# contains it (section 6). Or the net is cut by `backward(retain_graph=True)` for each penalty (lesson 09).
# Then each of these backwards computes the segments below it again.


# %% twin=true at="10.slow"
def penalised(depth, wrap):
    h = x
    for first in range(0, depth, 2):
        h = wrap(segment(first, first + 2), h)
        if first + 2 < depth:
            h.tanh().mean().backward(retain_graph=True)
    return h


def plain(run, h):
    return run(h)


for d in (4, 8, 16):
    jointly = [price(lambda d=d, wrap=wrap: net(d, 2, wrap))[2] for wrap in (plain, hooked)]
    eagerly = [price(lambda d=d, wrap=wrap: penalised(d, wrap))[2] for wrap in (plain, hooked)]
    print(f"{d:2} blocks: {jointly} without penalties, {eagerly} with eager ones")

# %% [markdown]
# In brackets: the products without checkpoints and with them. Without penalties the work doubles
# with the depth. With eager ones it grows as a square, and the checkpoints add about a third to
# that, not much more than to the first. What is super slow is the square, and it comes from the
# eager backwards. Whether that was the asker's case, the thread does not say. Their last word there
# is to look at how checkpoints are implemented. You have: it leads to `later` in lesson 09, which
# walks once.
#
# **Try it.** In `hooked`, give `ready` also `early_stop=False`. The 288 products are back, and the U
# stay as they are.

# %% [markdown]
# ## 6. Is the second run like the first?
# A recomputation is only worth something if it computes the same. A segment with dropout draws
# random numbers, and asks for new ones when it runs again.


# %% twin=true
masks = []


def dropped(h):
    masks.append((mg.rand(256, 8) > 0.5).float())
    return h @ weights[0][0] * masks[-1] * 2.0


def with_dropout(wrap):
    masks.clear()
    weights[0][0].grad.zero_()
    mg.manual_seed(0)
    y = wrap(dropped, x)
    (y * y).sum().backward()
    return weights[0][0].grad.clone()


def careless(run, h):
    return ready(run, h, preserve_rng_state=False)


def is_right(wrap):
    once, again = with_dropout(lambda run, h: run(h)), with_dropout(wrap)
    return mg.allclose(again, once, rtol=1e-3, atol=1e-4)


# %% solo="prediction"
predict(
    "10.random",
    "A segment with dropout in a checkpoint that does nothing about random numbers, as yours in "
    "section 1. What happens in backward?",
    {
        "an error": "One would wish for it. But the second run has the same operations and the same "
        "shapes. Nobody compares the numbers.",
        "the right gradient": "If the mask were saved, yes. But it was forgotten like everything "
        "else, and the second run draws another one.",
        "a wrong gradient, without a word": "Forward used one mask, backward another. It is the "
        "gradient of a net that was never run.",
    },
    run=lambda: {True: "the right gradient", False: "a wrong gradient, without a word"}[
        is_right(careless)
    ],
)


# %% [markdown]
# How wrong? `error` is the length of the difference, over the length of the right gradient.


# %% solo="the random numbers are minigrad's own" at="10.wrong"
def error(wrap):
    got, right = with_dropout(wrap), with_dropout(lambda run, h: run(h))
    return (((got - right) ** 2).sum() / (right**2).sum()).item() ** 0.5


print(f"{error(careless):.0%} wrong")


# %% [markdown]
# Where forward kept a number, the second mask may have dropped it, and the other way round. The
# remedy is to note, in forward, where the random numbers stand, and to go back there for the
# second run. Afterwards the numbers must go on as if nothing had happened. Here is your checkpoint
# again, with three more lines and a longer one:


# %% twin=true at="10.state"
class Faithful(mg.autograd.Function):
    @staticmethod
    def forward(ctx, run, h):
        ctx.run, ctx.before = run, mg.get_rng_state()
        ctx.save_for_backward(h)
        return run(h)

    @staticmethod
    def backward(ctx, grad):
        now = mg.get_rng_state()
        mg.set_rng_state(ctx.before)
        h = ctx.saved_tensors[0].detach().requires_grad_()
        with mg.enable_grad():
            y = ctx.run(h)
        mg.set_rng_state(now)
        y.backward(grad)
        return None, h.grad


# %% twin=true at="10.random-seen"
for name, wrap in {"careless": careless, "faithful": Faithful.apply, "ready": ready}.items():
    with_dropout(wrap)
    same = mg.equal(*masks)
    print(f"{name:9} same mask: {same!s:6} right gradient: {is_right(wrap)}")

# %% [markdown]
# The ready-made one does it by itself. (`careless` is the ready-made one with the option
# `preserve_rng_state=False`, for those who know that there is no randomness inside.) Other things
# that a second run may find changed are not restored: a counter, a file, a global flag. If the
# second run then saves *fewer* tensors, or other shapes, the hooks notice. And if it saves *more*?


# %% twin=true at="10.differs"
def short(h):
    return h.tanh()


def long(h):
    return h.exp().tanh()


def changing(*runs):
    left = iter(runs)
    return lambda h: next(left)(h)


for name, first, second in [("fewer", long, short), ("more", short, long)]:
    x.grad = None
    y = ready(changing(first, second), x, way=False)
    try:
        y.sum().backward()
        same = mg.allclose(x.grad, *mg.autograd.grad(first(x).sum(), [x]), rtol=1e-3)
        print(f"{name}: no error; right gradient: {same}")
    except mg.utils.checkpoint.CheckpointError as error:
        print(f"{name}: {str(error).splitlines()[0]}")
del y

# %% [markdown]
# More goes unseen, because the second run stops as soon as the holders are full. (With
# `early_stop=False` it is an error.) Other numbers in the same shapes nobody notices at all. Lesson
# 12 comes back to this with BatchNorm, which *counts* how often it ran.
#
# ### Further: checkpoints in checkpoints
# If a tooth is too high, it can have teeth of its own. Halve the net, give each half a checkpoint,
# and do the same inside, down to single blocks: `recursive` keeps only as many inputs as there are
# halvings. But the half that runs last is walked first, so forgetting it gains nothing: `thrifty`
# wraps only the first one.


# %% twin=true
def hooked(run, h):
    return ready(run, h, way=False)


def recursive(first, last, wraps_second=True):
    def run(h):
        if last - first == 1:
            return segment(first, last)(h)
        middle = (first + last) // 2
        h = ready(recursive(first, middle, wraps_second), h, way=False)
        second = recursive(middle, last, wraps_second)
        return ready(second, h, way=False) if wraps_second else second(h)

    return run


# %% twin=true at="10.frontier"
nets = {
    "no checkpoint": lambda: net(32),
    "every block": lambda: net(32, 1, hooked),
    "every 4 blocks": lambda: net(32, 4, hooked),
    "recursive": lambda: recursive(0, 32)(x),
    "thrifty": lambda: recursive(0, 32, False)(x),
}
for name, make in nets.items():
    held, highest, products = price(make)
    print(f"{name:15} {highest:4.1f} U highest, {products:4} products, x {products / 192:.2f}")

# %% [markdown]
# Row by row less memory for more work, with one exception: `recursive` has the memory of `thrifty`
# and wastes work. The others form a **frontier**: on it you cannot improve the one without paying
# with the other. Lesson 11 has a net that is beyond it.
#
# ### Further: selective
# PyTorch can also choose by operation: keep the products, which are dear, and compute the rest
# again. minigrad cannot, so these are recorded results of PyTorch 2.13, for 16 blocks with biases
# and ReLU, a checkpoint around each: without checkpoints 36 U and 96 products; *keep what relu made*,
# 36 U and 112; *keep the products and recompute the rest*, **52 U** and 96. The products' results are
# not what the nodes would have saved, so keeping them comes on top. It is section 4 once more.
#
# **Try it.** In the frontier add `"every 8 blocks"`. It has the memory of `every 2 blocks` (try that
# as well). Left and right of the best spacing the way is the same.
#
# ### The same in PyTorch
# Six lines below the imports. They print `1`, `2` and `True`.
#
# ```python
# import torch
# from torch.utils.checkpoint import checkpoint
#
# runs, w = [], torch.ones(3, requires_grad=True)
# run = lambda t: runs.append(t) or (t * w).tanh()
# y = checkpoint(run, torch.ones(3), use_reentrant=False)
# print(len(runs)); y.sum().backward()
# print(len(runs))
# print(w.grad is not None)       # trained, although the input is raw data
# ```
#
# ### Three things you can trust
# With `use_reentrant=True` the peak is L/k + 2 k + 4. A checkpoint around everything saves nothing.
# The ready-made one repeats its random numbers.

# %% twin=true at="10.asserts"
assert price(lambda: net(36, 4))[1] == 36 / 4 + 2 * 4 + 4
assert price(lambda: net(16, 16))[1] >= price(lambda: net(16))[1]
assert is_right(ready) and not is_right(careless)
print("all three hold")

# %% [markdown]
# What was simplified: our segments take one tensor and return one. The ready-made checkpoint takes
# and returns several, and keeps the modes of mixed precision as well, which minigrad has not.
# And products are not seconds: with tiny tensors, calling an operation takes longer than its sums,
# and the second run costs more than a third.
#
# **Next:** a checkpoint forgets, and must keep one input for each segment to begin from. What if
# a block could compute its input from its *output*? Then nothing would have to be kept at all.
# Lesson 11.

# %% [markdown] card="HonestCheckpoint"
# ### A checkpoint that trains the first layer
# The checkpoint of section 1 has two faults: on raw data it trains nothing, and it writes into the
# `.grad` of weights behind your back. Both come from the weights it is not told about. Write one that
# takes them as arguments: `HonestCheckpoint.apply(run, *tensors)` gives `run(*tensors)`, a single
# tensor. Between forward and backward it keeps the arguments and nothing else. Backward returns a
# gradient for each tensor that wants one, and None for the others (labels may be among them); it
# leaves every `.grad` alone, and nothing saved is left behind it. With a `run` of five blocks its peak
# is at most 12 U, where U is the bytes of the result.
#
# *When it passes you have a checkpoint that may stand around the first layer.*


# %% exercise="HonestCheckpoint" kind="write" difficulty=3 minutes=15
class HonestCheckpoint(mg.autograd.Function):
    """run(*tensors), computed a second time in backward; weights are among the tensors."""

    @staticmethod
    def forward(ctx, run, *tensors):
        ### BEGIN SOLUTION
        ctx.run = run
        ctx.save_for_backward(*tensors)
        return run(*tensors)
        ### END SOLUTION

    @staticmethod
    def backward(ctx, grad):
        ### BEGIN SOLUTION
        again = [t.detach().requires_grad_(t.requires_grad) for t in ctx.saved_tensors]
        with mg.enable_grad():
            y = ctx.run(*again)
        found = iter(mg.autograd.grad(y, [t for t in again if t.requires_grad], grad))
        return None, *[next(found) if t.requires_grad else None for t in again]
        ### END SOLUTION


# %% check="HonestCheckpoint"
check(HonestCheckpoint)

# %% [markdown] hint="HonestCheckpoint"
# Begin with the Function of section 1. What must become a list, now that there are several tensors?

# %% [markdown] hint="HonestCheckpoint"
# The second run must begin at tensors of its own, cut off from the net below and from the leaves
# above. A tensor that wanted no gradient must not want one there either.

# %% [markdown] hint="HonestCheckpoint"
# `again = [t.detach().requires_grad_(t.requires_grad) for t in ctx.saved_tensors]`, run with
# gradients enabled, then `mg.autograd.grad` for those that want one. Return one value for each
# argument of forward, `run` included.

# %% [markdown] why="HonestCheckpoint"
# **Why.** A Function is recorded if one of its tensor arguments wants a gradient. With the weights
# among them the raw data no longer matter: the weights want one. And a detached copy is a leaf of
# its own on the same bytes, so the inner backward ends there and no `.grad` outside is touched; the
# outer walk adds what you return, if it was asked to. (PyTorch's reentrant checkpoint trains from raw
# data as well, if you hand it the weights. It still refuses `autograd.grad`.)

# %% [markdown] card="deepest_net"
# ### How deep for this budget?
# A net has `depth` blocks, and a block is `saves` times `h = h.tanh()`, so it saves that many results,
# 1 U each. Around every `every` blocks stands a checkpoint with `use_reentrant=False`; `every` divides
# `depth`. The data `x` wants a gradient. `y` is the result, and then comes
# `y.backward(seed)`. The data, `y` and the seed are held by names and count, 1 U each.
#
# Find the deepest net that stays within `budget` U during backward, for the best `every`. Return
# `[depth, every]`; where two spacings are as good, the smaller one. Do it without tensors.
#
# *When it passes you know what a checkpoint buys: twice the memory, four times the depth.*


# %% exercise="deepest_net" kind="predict" difficulty=2 minutes=10
def deepest_net(saves, budget):
    """[depth, every]: both are at least 1, or both 0 where not even one block fits."""
    ### BEGIN SOLUTION
    best = [0, 0]
    for every in range(1, budget):
        segments = budget - 3 - every * saves  # y, the seed, a gradient; one tooth
        if segments * every > best[0]:
            best = [segments * every, every]
    return best
    ### END SOLUTION


# %% check="deepest_net"
check(deepest_net)

# %% [markdown] hint="deepest_net"
# When is memory highest? Follow the walk as it enters the last segment, and list what is alive.

# %% [markdown] hint="deepest_net"
# One input is kept for each segment, and the first of them is `x`. There are `y`, the seed, all
# results of one segment, and the gradient that its last tanh makes.

# %% [markdown] hint="deepest_net"
# Write the peak of `segments` segments as a formula, solve it for `segments`, and try each `every`:
# the depth is `segments * every`.

# %% [markdown] why="deepest_net"
# **Why.** The peak is `segments + every * saves + 3` U: what forward keeps, one tooth, and `y`, the
# seed and one gradient. A product of two numbers with a given sum is largest when both parts weigh
# the same, so half of the budget goes into inputs and half into the tooth. Both halves grow with the
# budget, hence the depth grows with its square. Without checkpoints it grows in proportion.

# %% [markdown] card="checkpoint_runs"
# ### How often does it run?
# An unseen snippet. `segments` is a list such as `[["tanh", "shift"], ["tanh"]]`.
#
# ```python
# import torch
# from torch.utils.checkpoint import checkpoint
#
# runs = {"tanh": 0, "shift": 0}
# def stretch(h, steps):
#     for step in steps:
#         runs[step] += 1
#         h = h.tanh() if step == "tanh" else h + 1
#     return h
#
# h = torch.ones(4, requires_grad=True)
# for steps in segments:
#     h = checkpoint(stretch, h, steps, use_reentrant=False)
# for i in range(backwards):
#     h.sum().backward(retain_graph=True)
# ```
#
# Return what `runs` holds at the end, for given `segments` and `backwards`.
#
# *When it passes you can say what a checkpoint costs before the profiler does.*


# %% exercise="checkpoint_runs" kind="transfer" difficulty=2 minutes=8
def checkpoint_runs(segments, backwards):
    """{"tanh": how often in all, "shift": how often in all}"""
    ### BEGIN SOLUTION
    runs = {"tanh": 0, "shift": 0}
    for steps in segments:
        needed = max((i + 1 for i, step in enumerate(steps) if step == "tanh"), default=0)
        for step in steps + backwards * steps[:needed]:
            runs[step] += 1
    return runs
    ### END SOLUTION


# %% check="checkpoint_runs"
check(checkpoint_runs)

# %% [markdown] hint="checkpoint_runs"
# Forward runs each step once. What makes a segment run again, and when may the second run stop?

# %% [markdown] hint="checkpoint_runs"
# A tanh saves its result, a shift saves nothing. The second run ends when the last empty holder is
# filled. And a second backward: does it find the holders full?

# %% [markdown] hint="checkpoint_runs"
# For each backward and each segment count the steps up to and with its last `"tanh"`; a segment
# without one is never run again.

# %% [markdown] why="checkpoint_runs"
# **Why.** What a second run finds is handed out once and not kept, even with `retain_graph=True`:
# that option retains the graph, and in this graph there are empty holders. So each backward pays
# again. A run stops in the middle of the last operation that saves something, and a segment that saves
# nothing has no holder that anybody could ask for.

# %% [markdown] card="SameDice"
# ### The same dice
# This checkpoint was written in a hurry. It does remember the random numbers. Still, its gradients are
# wrong with dropout, the training afterwards sees numbers that it has seen before, and when
# backward is over the input of each segment is still alive. Three mistakes: repair them. `h` wants a
# gradient, and `run(h)` gives one tensor, of U bytes; with one layer of dropout backward needs at
# most 5.5 U at its peak.
#
# *When it passes a net with dropout cannot tell whether it was checkpointed.*


# %% exercise="SameDice" kind="repair" difficulty=2 minutes=8
class SameDice(mg.autograd.Function):
    """A checkpoint whose second run throws what the first one threw."""

    @staticmethod
    def forward(ctx, run, h):
        ### BEGIN SOLUTION
        ctx.run, ctx.dice = run, mg.get_rng_state()
        ctx.save_for_backward(h)
        return run(h)
        ### STUB
        # ctx.run, ctx.h = run, h
        # y = run(h)
        # ctx.dice = mg.get_rng_state()
        # return y
        ### END SOLUTION

    @staticmethod
    def backward(ctx, grad):
        ### BEGIN SOLUTION
        now = mg.get_rng_state()
        mg.set_rng_state(ctx.dice)
        h = ctx.saved_tensors[0].detach().requires_grad_()
        with mg.enable_grad():
            y = ctx.run(h)
        mg.set_rng_state(now)
        y.backward(grad)
        return None, h.grad
        ### STUB
        # mg.set_rng_state(ctx.dice)
        # h = ctx.h.detach().requires_grad_()
        # with mg.enable_grad():
        #     y = ctx.run(h)
        # y.backward(grad)
        # return None, h.grad
        ### END SOLUTION


# %% check="SameDice"
check(SameDice)

# %% [markdown] hint="SameDice"
# Read forward from top to bottom and ask at each line: where do the random numbers stand *now*?

# %% [markdown] hint="SameDice"
# The second run must start where the first one started, not where it ended. After it, the numbers
# must go on as if it had never been. And who lets go of a tensor in `ctx.h`?

# %% [markdown] hint="SameDice"
# In forward: note the state before `run(h)`, and give `h` to `ctx.save_for_backward`. In backward: note
# the state first, and set it again right after the second run.

# %% [markdown] why="SameDice"
# **Why.** A state is a place in an endless row of numbers. Noted after the first run it is the
# place where the second run would have gone on by itself. Left where the second run stopped, the next
# dropout throws the numbers of a later segment once more. And an attribute of `ctx` is a name like
# any other: backward empties only what was saved. (PyTorch's own checkpoint notes the state of each
# device.)

# %% [markdown] card="memory_golf"
# ### Memory golf
# `memory_golf(x, blocks)` gives `blocks[-1](... blocks[0](x))`. Each block is a function of one
# tensor, with two products in it, and saves 2 U, as those of the lesson. `x` wants a gradient; the
# weights are the blocks' own. Wrap what you like in `ready(run, h, way=False)`.
#
# To pass: right gradients, at most 8 products for each block (a plain step has 6), and a peak no
# higher than that of equal segments of the best length. 1 U is an `h`: 64 x 8 x 4 = 2048 B in the
# table, where `x` is not counted, and 8192 B on the map. **Then play on.** `check` also draws
# your tries on a map, for 36 blocks: bytes at the peak against products. Further left is cheaper, further
# down is smaller. One point of ours lies below those that the lesson tells of, for 8 products a
# block. Can you find it?
#
# *When it passes you are on the map; each try stays there.*


# %% exercise="memory_golf" kind="write" difficulty=3 minutes=20
def memory_golf(x, blocks):
    """The result of all blocks, one after the other, checkpointed as you think best."""
    ### BEGIN SOLUTION
    every = max(1, round((len(blocks) / 2) ** 0.5))

    def stretch(first):
        def run(h):
            for block in blocks[first : first + every]:
                h = block(h)
            return h

        return run

    h = x
    for first in range(0, len(blocks), every):
        last = first + every >= len(blocks)
        h = stretch(first)(h) if last else ready(stretch(first), h, way=False)
    return h
    ### END SOLUTION


# %% check="memory_golf"
check(memory_golf)

# %% [markdown] hint="memory_golf"
# Begin with the equal segments of section 3. How long, for so many blocks?

# %% [markdown] hint="memory_golf"
# `ready` wants a function of one tensor that runs the blocks `first` to `first + every`. Make it
# with a function that takes `first`: a function made in a loop sees the loop's last value.

# %% [markdown] hint="memory_golf"
# The best length is near the square root of half the number of blocks. To play on: the last segment
# meets all the kept inputs, the first one hardly any. Need they be equally long?

# %% [markdown] why="memory_golf"
# **Why.** Equal segments make unequal teeth: when the last one is walked all inputs are kept, when
# the first one is walked they are gone. So the early segments may be longer, each by half a block
# more than the next. That is the low point on the map: `length = (most - i) // 2` for segment number
# i. And it costs nothing, for each block still runs twice. Below it you pay in products, with
# checkpoints inside checkpoints.
