# %% [markdown]
# # 10  Checkpointing
# Lesson 09 ended with a trick: a penalty was thrown away after forward, and computed a second time
# when backward wanted it. A penalty is a side branch. What if one did this to the backbone itself:
# forget nearly everything that forward computed, and pay for it with a second forward? The asker of
# thread 001 uses checkpoints "heavily", and finds them very slow.
#
# You will write a checkpoint in a dozen lines, look at its curve, and find out how long a segment
# should be; the usual advice is not the best. Then come the cases where a checkpoint costs memory,
# where it trains nothing, and where its gradient is wrong.
#
# The set-up cell has the data `x`, 256 x 8 x 4 = 8,192 B or 1 U, and 36 `blocks` like those
# of lesson 09, h + tanh(h @ w) @ v. Each `.grad` of a weight is there beforehand, so what grows below
# are activations. `ready` is the checkpoint that PyTorch has ready-made; section 5 says what its
# option means. The rest comes from the course's own files, shown below:
#
# - `segment(blocks[:2])`: a **segment** is a stretch of the net as one function of an activation;
# - `net(blocks, 2, ready)`: all blocks, a checkpoint around every two;
# - `price(net, x)`: the U held after forward, the U at the highest point of a training step, and its
#   products of matrices;
# - `bytes_along(net, x)`: the bytes alive at labelled points of a step, for `table` to show.

# %% twin=true
import minigrad as mg
from course.bytes_along import aligned, bytes_along, price, table
from course.code_of import code_of
from course.predict import predict
from course.residual import net, residual_blocks, segment

x = (mg.arange(2048.0).view(256, 8) / 2048).requires_grad_()
U = x.nbytes
blocks = residual_blocks(36)


def ready(run, h, way=True, **options):
    return mg.utils.checkpoint.checkpoint(run, h, use_reentrant=way, **options)


# %% twin=true
code_of(type(blocks[0]), segment, net, price, bytes_along, folded=True)

# %% [markdown]
# ## 1. Can one forget the backbone?
# A checkpoint makes one node of a whole segment. Forward of a Function is not recorded (lesson 07):
# the blocks run, and what they compute is gone when the next block has used it. The node keeps the
# input of the segment. Backward starts from there, runs the segment again, this time recorded, and
# sends the gradient through the small graph that comes of it. This second run is the
# **recomputation**.


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
# Read the last two lines again. There is a backward *inside* a backward. It goes through the small
# graph, adds to the `.grad` of the weights on its way, and ends at `h`, a boundary as in lesson 09.
# What gathered there is handed on to the net below.
#
# Six blocks without checkpoints hold 13 U after forward: six times an input and a tanh, 2 U, and the
# result is one more. Now put a checkpoint around every two blocks.

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
    run=lambda: f"{price(net(blocks[:6], 2, Checkpoint.apply), x).held:.0f} U",
)

# %% twin=true at="10.price"
ways = {"no checkpoint": (), "yours": (2, Checkpoint.apply), "ready-made": (2, ready)}
for name, way in ways.items():
    print(f"{name + ':':14} {price(net(blocks[:6], *way), x)}")

# %% [markdown]
# 4 U instead of 13, and the ready-made one does just what yours does. The highest point comes down
# as well, though not as far, and the products say what was paid: 12 more, the 2 of each block in
# forward, once again. A block has 2 forward and 4 backward, so a third more work is the price,
# whatever the length of the segments.
#
# Is the gradient the right one?


# %% twin=true at="10.same"
def gradients(run):
    for block in blocks[:6]:
        block.w.grad.zero_()
    run(x).sum().backward()
    return mg.cat([block.w.grad for block in blocks[:6]])


plain, kept = gradients(net(blocks[:6])), gradients(net(blocks[:6], 2, Checkpoint.apply))
print("the right gradient:", mg.allclose(plain, kept, rtol=1e-3, atol=1e-4))

# %% [markdown]
# It is. One oddity comes with the backward inside: it adds to the `.grad` of the weights, whatever
# was asked for. `autograd.grad` promises to touch no `.grad` at all.

# %% twin=true at="10.touches"
w = blocks[0].w
w.grad.zero_()
mg.autograd.grad(Checkpoint.apply(segment(blocks[:2]), x).sum(), [x])
print("w.grad is untouched:", w.grad.abs().sum().item() == 0)

# %% [markdown]
# A broken promise, without a word. Section 5 comes back to it.
#
# **Try it.** In `Checkpoint.backward`, leave out the line `with mg.enable_grad():` (and what it
# indents, one step to the left). Backward runs without recording, so there is no small graph, and
# the error says that `y` does not require grad.

# %% [markdown]
# ## 2. What does the curve look like?
# Without checkpoints you know the curve: up with forward, down with backward, a triangle (lesson 04).
# We look at the bytes at certain points: `f3` is "block 3 has run in forward", `r3` "block 3 has run
# again", and `b3` "the gradient has reached its output".
#
# Forward with checkpoints is a low staircase: 1 U more for each segment, up to the 4 U that you
# know. With the gradient that starts it all, the seed, it is 5 U. Then comes backward. It takes the
# last segment first.

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
    run=lambda: [
        (label, size)
        for label, size in bytes_along(net(blocks[:6], 2, ready), x)
        if label[0] in "rb"
    ],
    curves={
        name: [
            (label, units * U)
            for label, units in zip(
                "r5 r6 b6 b5 r3 r4 b4 b3 r1 r2 b2 b1".split(), heights, strict=True
            )
        ]
        for name, heights in {
            "a falling line": range(12, 0, -1),
            "three teeth": [7, 9, 9, 8, 7, 9, 9, 8, 6, 8, 8, 7],
            "one climb, one fall": [6, 7, 8, 9, 10, 11, 11, 10, 9, 8, 7, 6],
        }.items()
    },
)

# %% twin=true at="10.sawtooth"
from course.pictures import curve

both = {"triangle": bytes_along(net(blocks[:6]), x)}
both["sawtooth"] = bytes_along(net(blocks[:6], 2, ready), x)
print(table(both, U))
curve(aligned(both), "Six blocks", unit=U)

# %% [markdown]
# (In U. The triangle has no second runs, so it stays level there. The 11 U of section 1 are reached
# inside an operation.)
#
# Follow the middle tooth, `r3 7  r4 9  b4 9  b3 8`. Just before it, 5 U are alive: `x`, the input of
# segment 2, the result and the seed, which `bytes_along` holds by name, and the gradient that has
# come down so far. Block 3 runs again, then block 4, and each leaves 2 U, its tanh and its result:
# 9 U. Then the gradient walks back through block 4. Its tanh and its input, the result of block 3,
# go, and the gradient of that input comes: 8 U.
#
# One of these 8 is there for nothing, the result of the second run of block 4. No node saved it: the
# name `y` in the checkpoint's backward holds it, in PyTorch's too. Section 5 has a way without it.
#
# This is the **sawtooth**. On top of the kept inputs, there is never more than one segment. At `b2`
# and `b1` it is higher than the triangle: the checkpoint's backward still holds its `y` and its
# `grad`. Both end with 3 U: `x`, its gradient and the result.

# %% [markdown]
# And event by event, in the view, for a net of six tanh layers with one weight for all. The view
# opens where the last line of the sawtooth begins. Page Down would jump over it: hold the arrow key
# down. The walk reaches the node of a checkpoint, nodes and tensors come into being although this
# *is* the backward, and a second walk takes them away again. (While a segment runs again, its input
# counts as a parameter: `detach().requires_grad_()` makes a leaf.) The menu in the corner changes to
# the triangle.

# %% solo="the view" at="10.side"
from whoholds.step import step as trace
from whoholds.views import show

program = """h = x = mg.ones(256, 8, requires_grad=True)
two = lambda h: ((h @ w).tanh() @ w).tanh()
for _ in range(3):
    h = wrap(two, h)
h.backward(mg.ones(256, 8))
"""
wraps = {"sawtooth": ready, "triangle": lambda run, h: run(h)}
given = {"w": blocks[0].w, "mg": mg}
traces = {name: trace(program, namespace=given | {"wrap": one}) for name, one in wraps.items()}
show(traces, at="line 5: about to run")

# %% [markdown]
# **Try it.** Print the table of a net with a checkpoint around every 3 blocks: two teeth, up to
# 10 U. Then around every block: six flat ones, on the way down a taller staircase.

# %% [markdown]
# ## 3. How long should a segment be?
# Short segments are low teeth on many kept inputs. Long ones are few inputs and high teeth. You
# can write the highest point down. With L blocks in segments of k, there are the L/k inputs of the
# segments, the result of the net and the seed. On top stand the k blocks of the last segment, 2 U
# each. And 2 U are in the hands of its last tanh as the walk goes through it: the gradient that came
# in, and the one that it makes. Together L/k + 2 k + 4.

# %% twin=true at="10.formula"
for depth, every in [(6, 1), (6, 2), (6, 3), (16, 2), (16, 4), (36, 9)]:
    highest = price(net(blocks[:depth], every, ready), x).highest
    print(f"{depth:2} blocks, every {every}: {highest:g} U at the highest point")
    assert highest == depth / every + 2 * every + 4

# %% [markdown]
# To the byte. What you read everywhere is: take the square root of the number of blocks.

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
    run=lambda: min((6, 4, 1), key=lambda every: price(net(blocks, every, ready), x).highest),
)

# %% twin=true at="10.sweep"
print("a checkpoint   at the highest   products")
for every in (None, 1, 2, 3, 4, 6, 9, 12, 18):
    _, highest, products = price(net(blocks, every, ready), x)
    print(f"{f'every {every}' if every else 'nowhere':12} {highest:14.0f} U {products:10}")

# %% [markdown]
# 21 U at 4, against 22 U at 6, and 76 U without checkpoints. All spacings do the same work, so you
# may choose the length by memory alone. (PyTorch's `checkpoint_sequential` asks for the number of
# segments, here 9.)
#
# The rule counts layers that store one thing each. Count what *your* block stores: its input, 1 U,
# and what lies in its hidden layer, which is v times as wide. A tanh or a relu saves its result,
# and the next product shares it: v more. A GELU or a SiLU, as transformers have them, saves its
# *input*, and the next product the result: 2 v more. Here is a SiLU that saves what PyTorch's saves.


# %% twin=true
class SiLU(mg.autograd.Function):
    @staticmethod
    def forward(ctx, u):
        ctx.save_for_backward(u)
        return u * u.sigmoid()

    @staticmethod
    def backward(ctx, grad):
        (u,) = ctx.saved_tensors
        s = u.sigmoid()
        return grad * s * (1 + u * (1 - s))


# %% twin=true at="10.keeps"
acts = {"tanh": lambda u: u.tanh(), "SiLU": SiLU.apply}
for name, act in acts.items():
    for v in (1, 4):
        held = price(net(residual_blocks(12, 8, 8 * v, act)), x).held
        print(f"{name}, hidden layer {v} times as wide: a block stores {(held - 1) / 12:g} U")

# %% [markdown]
# So a block stores s = 1 + v or s = 1 + 2 v, and the sum L/k + s k is lowest at the **square root of
# L/s**. If s is large, that is far from the square root of L. For 36 blocks with a hidden layer
# four times as wide, as in a transformer, the root of 36/5 is 2.7, and that of 36/9 is 2. The table
# is PyTorch's own.

# %% solo="recorded from PyTorch, and a test runs it again" at="10.wide"
from course.on_torch import on_torch

on_torch("gelu_spacing")

# %% [markdown]
# With tanh the best is 3, and the famous 6 costs a quarter more: 46 U for 37. With GELU the best is 2,
# and 6 costs more than half as much again: 66 U for 42. The closed forms are in it: without checkpoints (1 + v) L + 2 + 2 v with tanh, 28 U for 12 blocks, and
# (1 + 2 v) L + 2 + v with GELU, 39 U. With them L becomes k, and L/k comes on top.
#
# If your blocks differ, measure what one stores. Behind every such rule stands: the kept inputs
# together should weigh about as much as one tooth.
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
    run=lambda: round(price(net(blocks[:16], 16, ready), x).highest),
)

# %% [markdown]
# Second, a checkpoint around each *operation*. The wrapped block does the same sums, one node each.


# %% twin=true
def op_by_op(h):
    for block in blocks[:16]:
        a = ready(lambda h, w=block.w: h @ w, h)
        a = ready(lambda a: a.tanh(), a)
        h = h + ready(lambda a, v=block.v: a @ v, a)
    return h


# %% twin=true at="10.worse"
ways = {
    "no checkpoint": net(blocks[:16]),
    "one for the net": net(blocks[:16], 16, ready),
    "one for each operation": op_by_op,
    "one for 4 blocks": net(blocks[:16], 4, ready),
}
for name, way in ways.items():
    print(f"{name + ':':23} {price(way, x)}")

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
# before backward: what is recomputed right away was forgotten for nothing. Leave the last segment
# unwrapped, and nothing gets worse, but it is one recomputation cheaper.
#
# **Try it.** Call the last 4 of 16 blocks as they are:
# `price(lambda h: segment(blocks[12:16])(net(blocks[:12], 4, ready)(h)), x)` still says 16 U, and
# 8 products are saved.

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
    y = mg.utils.checkpoint.checkpoint(segment(blocks[:2]), x)
print(type(y.grad_fn).__name__, "and", caught[0].category.__name__)
print(*str(caught[0].message).split(". ")[:2], sep="\n")

for way in (True, False):
    y = ready(segment(blocks[:2]), x, way)
    print(way, type(y.grad_fn).__name__, [node.name() for node, _ in y.grad_fn.next_functions])
del y

# %% [markdown]
# The warning promises an error from version 2.9 on; in 2.13 it still only warns, and takes `True`.
# With `False` the node on top is the plain one of `+`: the graph is there, all of it, and only its
# savings are hollow. It costs a little less, too.


# %% twin=true at="10.cheaper"
def hooked(run, h):
    return ready(run, h, way=False)


print("use_reentrant=True: ", price(net(blocks, 4, ready), x))
print("use_reentrant=False:", price(net(blocks, 4, hooked), x))

# %% [markdown]
# One U lower: here nobody holds the result of the second run, as `y` did in section 2. And 9 products
# fewer, one for each segment, because the recomputation stops as soon as the last holder is filled.
# (`early_stop=False` turns that off.) The best length stays the same.
#
# The greater difference is what the two allow. Ask both to train the weights of a segment whose
# input wants no gradient, such as the first one, and to answer `autograd.grad`.


# %% twin=true
def trains_from_data(way):
    w = blocks[0].w
    w.grad.zero_()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # we come to it
        y = ready(segment(blocks[:2]), x.detach(), way)
    if not y.requires_grad:
        return "no node, no gradient"
    y.sum().backward()
    return "trained" if w.grad.abs().sum().item() != 0 else "not trained"


# %% twin=true at="10.allow"
def answers_grad(way):
    y = ready(segment(blocks[:2]), x, way)
    try:
        mg.autograd.grad(y.sum(), [x])
    except RuntimeError as error:
        return str(error).split(". ")[0][:76]
    return "answers"


for way in (True, False):
    print(f"use_reentrant={way}, from raw data:  {trains_from_data(way)}")
    print(f"use_reentrant={way}, autograd.grad:  {answers_grad(way)}")

# %% [markdown]
# The first line is the trap. A Function is recorded only if one of its *tensor arguments* wants a
# gradient. The weights are no arguments: they come in with the function `run`. So on raw data there
# is no node, and the first segment is never trained. PyTorch warns ("None of the inputs have
# requires_grad=True. Gradients will be None"), once, among all the other warnings.
#
# The refusal is the oddity of section 1: the backward inside would add to the `.grad` of the weights
# behind the back of `autograd.grad`. Your checkpoint does it, PyTorch's raises.
#
# So take `use_reentrant=False`, say so explicitly, and none of this concerns you.
#
# ### Case file: "heavily", and super slow
# Back to thread 001. Its tensors are gigabytes, and checkpoints are "just super slow". A
# recomputation is one forward, a third more work; that is not super slow. But checkpoints can be put
# inside each other, and then a segment runs again for each that contains it (section 6). Or the net
# is cut by `backward(retain_graph=True)` for each penalty (lesson 09). Then each of these backwards
# computes the segments below it again.


# %% twin=true
def penalised(depth, wrap):
    def run(h):
        for first in range(0, depth, 2):
            h = wrap(segment(blocks[first : first + 2]), h)
            if first + 2 < depth:
                h.tanh().mean().backward(retain_graph=True)
        return h

    return run


# %% twin=true at="10.slow"
wraps = {"no checkpoints": lambda run, h: run(h), "checkpoints": hooked}
print("products of     jointly              with eager penalties")
print("blocks        ", *[f"{d:6}" for d in (4, 8, 16)] * 2)
for name, wrap in wraps.items():
    jointly = [price(net(blocks[:d], 2, wrap), x).products for d in (4, 8, 16)]
    eagerly = [price(penalised(d, wrap), x).products for d in (4, 8, 16)]
    print(f"{name:14}", *[f"{n:6}" for n in jointly + eagerly])

# %% [markdown]
# Without penalties the work doubles with the depth. With eager ones it grows as a square, and the
# checkpoints add a quarter to a third. What is super slow is the square, and it comes from the
# eager backwards. Whether that was the asker's case, the thread does not say. The way out is `later`
# of lesson 09, which walks once.
#
# **Try it.** In `hooked`, give `ready` also `early_stop=False`. The 288 products are back, and the U
# stay as they are.

# %% [markdown]
# ## 6. Is the second run like the first?
# A segment with dropout draws random numbers, and asks for new ones when it runs again.


# %% twin=true
masks = []


def dropped(h):
    masks.append((mg.rand(256, 8) > 0.5).float())
    return h @ blocks[0].w * masks[-1] * 2.0


def with_dropout(wrap):
    masks.clear()
    blocks[0].w.grad.zero_()
    mg.manual_seed(0)
    (wrap(dropped, x) ** 2).sum().backward()
    return blocks[0].w.grad.clone()


# %% twin=true
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


print(f"{100 * error(careless):.0f} % wrong")


# %% [markdown]
# The remedy is to note, in forward, where the random numbers stand, and to go back there for the
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
    print(f"{name:9} the same mask: {same!s:6} the right gradient: {is_right(wrap)}")

# %% [markdown]
# The ready-made one does it by itself, unless it is told `preserve_rng_state=False`, as `careless` is.
# Other things that a second run may find changed are not restored: a counter, a file, a global flag.
# If the second run then saves *fewer* tensors, or other shapes, the hooks notice. And if *more*?


# %% twin=true at="10.differs"
def changing(*runs):
    left = iter(runs)
    return lambda h: next(left)(h)


short, long = lambda h: h.tanh(), lambda h: h.exp().tanh()
for name, first, second in [("fewer", long, short), ("more", short, long)]:
    y = ready(changing(first, second), x, way=False)
    try:
        (found,) = mg.autograd.grad(y.sum(), [x])
        same = mg.allclose(found, *mg.autograd.grad(first(x).sum(), [x]), rtol=1e-3)
        print(f"{name}: no error; the right gradient: {same}")
    except mg.utils.checkpoint.CheckpointError as error:
        print(f"{name}: {str(error).splitlines()[0]}")
del y

# %% [markdown]
# More goes unseen, because the second run stops as soon as the holders are full. (With
# `early_stop=False` it is an error.) Other numbers in the same shapes nobody notices at all.
#
# ### Further: checkpoints in checkpoints
# If a tooth is too high, it can have teeth of its own. Halve the net, give each half a checkpoint,
# and do the same inside, down to single blocks: `recursive` keeps only as many inputs as there are
# halvings. But the half that runs last is walked first, so forgetting it gains nothing: `thrifty`
# wraps only the first one.


# %% twin=true
def recursive(first, last, wraps_second=True):
    def run(h):
        if last - first == 1:
            return blocks[first](h)
        middle = (first + last) // 2
        h = ready(recursive(first, middle, wraps_second), h, way=False)
        second = recursive(middle, last, wraps_second)
        return ready(second, h, way=False) if wraps_second else second(h)

    return run


# %% twin=true at="10.frontier"
nets = {
    "no checkpoint": net(blocks[:32]),
    "every block": net(blocks[:32], 1, lambda run, h: ready(run, h, way=False)),
    "every 4 blocks": net(blocks[:32], 4, lambda run, h: ready(run, h, way=False)),
    "recursive": recursive(0, 32),
    "thrifty": recursive(0, 32, wraps_second=False),
}
for name, way in nets.items():
    _, highest, products = price(way, x)
    print(f"{name + ':':15} {highest:2.0f} U, {products} products, x {products / 192:.2f}")

# %% [markdown]
# Row by row less memory for more work, but for `recursive`, which wastes work. The others form a
# **frontier**: you pay for the one with the other. Lesson 11 has a net that is beyond it.
#
# ### Further: selective
# PyTorch can also choose by operation. The usual choice keeps the products' results, which are dear,
# and computes the rest again. Does that save memory? It depends on the block. Here each of 16 blocks
# with biases has a checkpoint of its own. The columns say what such a checkpoint keeps besides its
# input: nothing, the results of the two products, or the result of the ReLU or GELU (`act`). In each
# are U at the highest point, and products.

# %% solo="minigrad cannot choose by operation; recorded from PyTorch, and a test runs it again" at="10.selective"
from course.on_torch import on_torch

on_torch("selective")

# %% [markdown]
# The products go from 96 to 112 and not to 128. A second run stops when the last holder is filled, and
# that is with the input of a block's second product, before it is computed.
#
# With ReLU, to keep the products costs memory: 52 U instead of 36. What the products made is not what the nodes would
# have saved, so it comes on top, as in section 4. With a transformer's GELU it is the other way
# round: 106 U instead of 150, 29 % less, and not one product more. GELU saves its input, which *is*
# what the first product made. What GELU made itself, 4 U a block, is not kept, and is computed again
# without a product. (The last column needs less still, 90 U, but computes the first product again.) So
# ask of each result: would a node have saved it anyway?
#
# **Try it.** In the frontier add `"every 8 blocks"` and `"every 2 blocks"`. They need the same memory,
# left and right of the best spacing.
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
assert price(net(blocks, 4, ready), x).highest == 36 / 4 + 2 * 4 + 4
assert price(net(blocks[:16], 16, ready), x).highest >= price(net(blocks[:16]), x).highest
assert is_right(ready) and not is_right(careless)
print("all three hold")

# %% [markdown]
# What was simplified: our segments take one tensor and return one, where PyTorch's checkpoint takes
# and returns several, and keeps the modes of mixed precision as well. And products are not seconds:
# with tiny tensors the second run costs more than a third.
#
# **Next:** a checkpoint forgets, and must keep one input for each segment to begin from. What if
# a block could compute its input from its *output*? Then nothing would have to be kept at all.
# Lesson 11.

# %% [markdown] card="HonestCheckpoint"
# ### A checkpoint that trains the first layer
# The checkpoint of section 1 has two faults: on raw data it trains nothing, and it writes into the
# `.grad` of weights behind your back. Both come from the weights it is not told about. Write one that
# takes them as arguments: `HonestCheckpoint.apply(run, *tensors)` gives `run(*tensors)`, a single
# tensor.
#
# Between forward and backward it keeps the arguments and nothing else. Backward returns a
# gradient for each tensor that wants one, and None for the others (labels may be among them); it
# leaves every `.grad` alone, and nothing saved is left behind. With a `run` of five blocks its peak
# is at most 12 U, where U is the bytes of the result. `run` runs once in forward, and once in
# backward. Banned here: `mg.utils.checkpoint` and `mg.second`.
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
        # y, the seed and a gradient are 3 U; one tooth is every * saves
        segments = budget - 3 - every * saves
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
# backward is over the input of each segment is still alive. Three mistakes: repair them. It stays a
# checkpoint: `run` runs once in forward, and once in backward, and between the two nothing is kept
# but `h`. `h` wants a gradient, and `run(h)` gives one tensor, of U bytes; with one layer of dropout
# backward needs at most 5.5 U at its peak. Banned here: `mg.utils.checkpoint` and `mg.second`.
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
# weights are the blocks' own. Wrap what you like in `ready(run, h, way=False)`, PyTorch's checkpoint:
# it is allowed here. (`segment` and `net` run the lesson's numbered blocks, and not these.)
#
# To pass: right gradients, at most 8 products for each block (a plain step has 6), and a peak no
# higher than that of equal segments of the best length; half a U more is let pass. 1 U is an `h`: 64 x 8 x 4 = 2,048 B in the
# table, where `x` is not counted, and 8,192 B on the map. **Then play on.** `check` also draws
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
