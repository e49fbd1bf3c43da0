# %% [markdown]
# # 11  Reversible: the flat line
# Thread 000 asked for something that sounds impossible: keep the structure of the graph, and free
# the data in it. The asker was building a reversible net. Lesson 07 found that the bytes are the
# price of a gradient, and lesson 10 that one can pay with time: keep a few activations and compute
# the others again. Now we keep *one*, whatever the depth. Backward begins at the end of the net,
# and there we have the output. If a block could be undone, its output would be enough.
#
# The set-up cell has `data` of 64 x 32 x 4 = 8,192 B, which we call 1 U. `price`, `bytes_along`,
# `table` and `residual_blocks` come from lesson 10: they count, draw and print. What is new is
# explained where it is used. Sections 1 and 2 show and take apart `couple`, which is a block, and
# `undo`, which goes back through it.

# %% twin=true
import minigrad as mg
from course import chains
from course.bytes_along import aligned, bytes_along, mark, price, table
from course.code_of import code_of
from course.coupled import Mlp, couple, coupled_blocks, halves, undo, undo_half
from course.lesson import predict
from course.residual import net, relu, residual_blocks, weight

data = mg.arange(2048.0).view(64, 32) / 2048 - 0.5
U = data.nbytes

# %% [markdown]
# ## 1. Can a block be undone?
# The residual block of lesson 10 is `y = x + F(x)`. Given `y`, what was `x`? Nobody can say in
# general: one would have to solve an equation. So the **reversible block** has a different shape.
# It cuts its input into two halves, the **streams** `x1` and `x2`, and lets each change the other:
#
# ```
#   y1 = x1 + F(x2)             x1 -----(+)-----+------> y1
#   y2 = x2 + G(y1)                      ^      |
#                                        F      G
#                                        |      v
#                               x2 ------+-----(+)-----> y2
# ```

# %% twin=true
code_of(couple)

# %% [markdown]
# F and G here are small nets, made by `Mlp(16)`: a product, a relu of width 32, a product. Their
# weights have both signs, so that the relu has something to switch off, and each weight has a `.grad`
# beforehand. `coupled_blocks(6)` makes six such blocks. A relu throws away every negative
# number, so nobody can undo F. And the block?


# %% twin=true
def uncouple(f, g, y1, y2):
    x2 = y2 - g(y1)
    x1 = y1 - f(x2)
    return x1, x2


def comes_back(f, g):
    x1, x2 = halves(data)
    pairs = zip(uncouple(f, g, *couple(f, g, x1, x2)), (x1, x2), strict=True)
    return all(mg.allclose(back, was, atol=1e-4) for back, was in pairs)


# %% solo="prediction"
predict(
    "11.undo",
    "Given `y1` and `y2`, which F and G let us compute `x1` and `x2`?",
    {
        "only those that can be undone themselves": "It sounds necessary, and then "
        "neural nets would be out of the question. But look at the formula: F is only ever "
        "computed forwards.",
        "all of them": "`y1` is there, so G(y1) can be computed and subtracted: that is `x2`. "
        "Now F(x2) can be computed and subtracted: that is `x1`.",
        "none, the halves are mixed": "They are mixed one after the other, not at once. "
        "While `y2` was made, `y1` was already what it is now.",
    },
    run=lambda: {True: "all of them"}.get(
        comes_back(Mlp(16), lambda u: u.relu() * 0.0), "only those that can be undone themselves"
    ),
)

# %% twin=true at="11.undo-seen"
print("two nets come back:                 ", comes_back(Mlp(16), Mlp(16)))
print("a G that forgets its input does too:", comes_back(Mlp(16), lambda u: u * 0.0 + 1.0))

# %% [markdown]
# Undone, with a G that forgets everything. (Up to rounding; lesson 12 asks how much that is.) Read
# `uncouple` again: it is `couple` from the last line to the first, with minus for plus. To undo an
# addition you need not undo what was added.
#
# Does such a net take less memory? Build one from six blocks and hand it to autograd as usual. For
# comparison we take six residual blocks `x + F(x)` of the same width and work. Each of them keeps
# 2 U, its input and its relu: 6 x 2, the first input included, and the output make 13 U after
# forward.

# %% solo="prediction"
predict(
    "11.architecture",
    "Six reversible blocks, just called, and autograd as usual. How many U at the end of forward?",
    {
        "2 U": "Input and output; the rest can be computed again. It can, but nobody has told "
        "autograd. It looks at operations, and a relu saves its result.",
        "13 U": "The same width, the same products, so the same bytes? Each product has half the "
        "width, but the relu between them is 32 wide, and now there are two of them in a block.",
        "20 U": "Per block 1 U for the streams and 1 U for each of the two relus, so 18. The net "
        "clones its halves, so the input comes on top, and the output: 18 + 2. The shape of the "
        "net alone makes it worse.",
    },
    run=lambda: f"{price(chains.recorded(coupled_blocks(6)), data).held:g} U",
)

# %% twin=true at="11.architecture-seen"
print("U after forward   residual   reversible")
for depth in (4, 6, 16):
    plain = price(net(residual_blocks(depth, 32, 32, relu)), data).held
    coupled = price(chains.recorded(coupled_blocks(depth)), data).held
    print(f"{depth:2} blocks {plain:17g} {coupled:12g}")

# %% [markdown]
# Per block 3 U instead of 2. That a net *can* be undone saves nothing yet. Somebody has to do it.
#
# **Try it.** In `uncouple`, subtract `g(y2)` instead of `g(y1)`. Nothing complains, and the first
# line says False. The second still says True: a G that looks at nothing does not mind.

# %% [markdown]
# ## 2. Can one node stand for the whole chain?
# A chain is blocks one after the other. In lesson 07 a Function turned several operations into one
# node, which keeps what *we* choose. So let forward run all blocks and keep the last pair of
# streams only. Nothing inside forward is recorded; a pair dies as soon as the next one is there.
#
# Backward then does two things in one pass, block by block from the last to the first: undo the
# block, and carry the gradient through it. A half of it is about one line `y = x + fn(u)`:

# %% twin=true
code_of(undo_half, undo)

# %% [markdown]
# `undo` does this for G, and then for F. What G sends back is added to `dy1`, for `y1` went into G
# too. The sum is all the gradient of `y1`: so `x1` has it as well, and F is fed with it.
#
# The small graph lives for one half of one block, and goes when the function returns. Here is
# the chain. (`mark` notes the bytes; leave it out, and this is all there is to it.)


# %% twin=true at="11.chain"
class Chain(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x, blocks):
        y1, y2 = x1, x2 = halves(x)
        for i, (f, g) in enumerate(blocks, 1):
            y1, y2 = couple(f, g, y1, y2)
            mark(f"f{i}")
        y = mg.cat([y1, y2], -1)
        ctx.blocks = blocks
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, dy):
        y1, y2 = halves(ctx.saved_tensors[0])
        dy1, dy2 = halves(dy)
        for i, (f, g) in reversed([*enumerate(ctx.blocks, 1)]):
            y1, y2, dy1, dy2 = undo(f, g, y1, y2, dy1, dy2)
            mark(f"b{i}")
        return mg.cat([dy1, dy2], -1), None


def chain(blocks):
    return lambda x: Chain.apply(x, blocks)


# %% [markdown]
# Is it right? We compare it with the same blocks, called one by one as usual. Here are
# the gradients of the input and of a weight in the first block, both ways.


# %% twin=true at="11.same"
def gradients(make):
    w, (block, *others) = weight(16, 16), coupled_blocks(4)
    x = data.clone().requires_grad_()
    make([(lambda u: (u @ w).relu(), block[1]), *others])(x).sum().backward()
    return x.grad, w.grad


for name, a, b in zip(("x", "w"), gradients(chains.recorded), gradients(chain), strict=True):
    print(f"the same gradient of {name}:", mg.allclose(a, b, rtol=1e-3, atol=1e-3))

# %% [markdown]
# And what does it cost? Every F and every G runs twice, once in each direction. One product in
# forward goes with two in backward, one for each factor; the chain adds the forward one again. So 3
# should become 4.

# %% twin=true at="11.products"
print("recorded:", price(chains.recorded(coupled_blocks(8)), data).products, "products")
print("chain:   ", price(chain(coupled_blocks(8)), data).products, "products")

# %% [markdown]
# Now the curve of a training step. You know two such curves: the triangle of lesson 04, for residual
# blocks that keep everything, and the sawtooth of lesson 10, with a checkpoint every two blocks. The
# chain has neither. `f3` means that block 3 has run. `b3` means that the gradient has come to block 3;
# in the chain, block 3 has then been undone. Which of the three pictures below is the chain's?

# %% solo="prediction"
predict(
    "11.flat",
    "A chain of six reversible blocks, one node. How many bytes are alive in a training step?",
    {
        "flat, then up": "What was computed again has to be somewhere? Only while it is needed: "
        "the pair of block 5 takes the place of the pair of block 6.",
        "a hill of half the height": "This keeps one activation a block, the output, where a "
        "residual block keeps two. Section 4 meets a net that does so.",
        "flat on both sides": "Forward: input, its halves, and the current pair. Backward: input, "
        "output, seed, the current pair, and its gradient. No number of blocks in it.",
    },
    curves={
        name: [
            (label, units * U)
            for label, units in zip(
                "x f1 f2 f3 f4 f5 f6 seed b6 b5 b4 b3 b2 b1 end".split(), heights, strict=True
            )
        ]
        for name, heights in {
            "flat, then up": [1, 3, 3, 3, 3, 3, 3, 3, 5, 7, 9, 11, 13, 15, 3],
            "a hill of half the height": [1, 2, 3, 4, 5, 6, 7, 8, 8, 7, 6, 5, 4, 3, 3],
            "flat on both sides": [1, 3, 3, 3, 3, 3, 3, 3, 5, 5, 5, 5, 5, 5, 3],
        }.items()
    },
    run=lambda: bytes_along(chain(coupled_blocks(6)), data),
)

# %% [markdown]
# All three on one axis, each from a real run. (Where a net has no such moment, its curve waits:
# only the checkpointed one runs blocks again.)


# %% twin=true at="11.three"
def three(depth):
    def reentrant(run, h):
        return mg.utils.checkpoint.checkpoint(run, h, use_reentrant=True)

    residual = residual_blocks(depth, 32, 32, relu)
    flat = chain(coupled_blocks(depth))
    return {"triangle": net(residual), "sawtooth": net(residual, 2, reentrant), "flat": flat}


from course.pictures import curve

curves = {name: bytes_along(way, data) for name, way in three(6).items()}
curve(aligned(curves), "Six blocks, three ways", unit=U)

# %% [markdown]
# There it is. The triangle pays for each block on the way up, the sawtooth for one segment at a
# time, and the flat line for nothing but being there. Can each point be written down by hand? For L
# blocks and a checkpoint every k, in U:
#
# - **triangle**: `x`, then 2 more for each block, then the seed. On the way back 2 go with each block,
#   and below the last block there is a gradient, too. In the end `x`, the output and `x.grad` stay.
# - **flat**: input, its halves and the current pair are 3. In backward input, output, seed, pair and
#   gradient are 5.
# - **sawtooth**: `x`, then 1 more for each segment that is begun (i / k, rounded up), then the
#   seed. On the way back `base` is what a segment begins on: j inputs, the output, the seed, and from
#   the second segment on a gradient. Two blocks run again, 2 each, and one of them is walked.

# %% twin=true at="11.closed"
L, k = 6, 2
up, down = range(1, L + 1), range(L, 0, -1)
triangle = [1, *[1 + 2 * i for i in up], 2 * L + 2]
triangle += [2 * i + (3 if i < L else 2) for i in down] + [3]
flat = [1, *[3] * L, 3, *[5] * L, 3]
sawtooth = [1, *[1 + (i + k - 1) // k for i in up], L // k + 2]
for j in range(L // k, 0, -1):
    base = j + (3 if j < L // k else 2)
    sawtooth += [base + 2, base + 4, base + 4, base + 3]
sawtooth.append(3)
for name, by_hand in {"triangle": triangle, "sawtooth": sawtooth, "flat": flat}.items():
    found = [size for _, size in bytes_along(three(L)[name], data)]
    print(f"{name} as computed by hand:", [u * U for u in by_hand] == found)

# %% [markdown]
# To the byte. What the curve cannot show is the highest point *inside* a step; that is where a GPU
# would fail. For the three nets, by depth:

# %% twin=true at="11.peaks"
print("U at the highest point   everything   every 2nd   reversible")
for depth in (4, 8, 16, 64):
    tops = [price(way, data).highest for way in three(depth).values()]
    print(f"{depth:2} blocks {tops[0]:26g} {tops[1]:11g} {tops[2]:12g}")
assert price(three(4)["flat"], data).highest == price(three(64)["flat"], data).highest

# %% [markdown]
# 2 L + 4 for the first; L / 2 + 8 for the second (lesson 10 spaces its checkpoints better, but they
# cannot stop it from growing). The third is 10 at any depth: the 5 U of the flat line, half a U
# each for F's result, both undone streams and a gradient, and 3 U inside F: the relu's result and
# two gradients of its size.
#
# **Try it.** Copy `undo_half` and `undo` into a cell of your own, run it, and run the class `Chain`
# again. Leave out the `.detach()` of `v`: nothing changes, as backward runs without recording. Now
# that of `u`: the reversible column says 11. The stream itself is the leaf now, and its `.grad` lives
# as long as the stream.

# %% [markdown]
# ## 3. Case file: the structure without the data
# One node for the chain is more than thread 000 wanted. The wish was: a graph with a node for each
# block, as usual; none of them holds an activation; and at `backward()` each runs a function of my
# own. Deleting tensors had failed (lesson 04). The reply was short: if you want nothing saved, save
# nothing in ctx. True, and a dead end. What is backward to compute with? Saving nothing is right
# only for what backward can do without, and a reversible block cannot do without its output.
#
# But it need not *save* it. The node that runs just before, on the way back, is the one of the next
# block. It has just undone that block, so it has in hand what we need: the input of the next block
# is the output of ours. It only has to pass it on. A **baton** is one cell that all nodes share,
# with one activation in it. Forward overwrites it, block by block; backward hands it back.


# %% twin=true at="11.baton"
class Step(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x, block, baton):
        y = mg.cat(couple(*block, *halves(x)), -1)
        ctx.block, ctx.baton = block, baton
        baton["y"] = y.detach()
        return y

    @staticmethod
    def backward(ctx, dy):
        y1, y2 = halves(ctx.baton.pop("y"))
        x1, x2, dx1, dx2 = undo(*ctx.block, y1, y2, *halves(dy))
        ctx.baton["y"] = mg.cat([x1, x2], -1)
        return mg.cat([dx1, dx2], -1), None, None


# %% [markdown]
# (The `detach()` is the one of lesson 07: `y` itself would point at its node, and the node at `y`.)
# `relay` builds a graph of such nodes.


# %% twin=true
def relay(blocks):
    """The output of the blocks, and the bytes alive with it."""
    baton, before = {}, mg.memory_allocated()
    y = data.clone().requires_grad_()
    for block in blocks:
        y = Step.apply(y, block, baton)
    return y, mg.memory_allocated() - before


# %% solo="prediction"
predict(
    "11.baton-holds",
    "A graph of 64 such nodes, with `y` in your hands. How many bytes are alive, besides the "
    "weights?",
    {
        "8,192 B": "Only the baton? The input is a leaf, and its AccumulateGrad holds it. (The "
        "baton and `y` are the same bytes.)",
        "16,384 B": "2 U: the input, which its AccumulateGrad holds, and `y`, which is what the "
        "baton holds. The 64 nodes of the blocks hold nothing.",
        "532,480 B": "65 U, the input and an output for each node, as each puts one into the "
        "baton. But there is one baton, and who puts something in throws the last one out.",
    },
    run=lambda: f"{relay(coupled_blocks(64))[1]:,} B",
)

# %% twin=true at="11.nodes"
for depth in (4, 16, 64):
    y, alive = relay(coupled_blocks(depth))
    nodes, node = [], y.grad_fn
    while node.name() == "StepBackward":
        nodes.append(node)
        node = node.next_functions[0][0]
    saved = sum(len(node.saved_tensors) for node in nodes)
    print(f"{len(nodes)} nodes in a row, {saved} saved tensors, {alive:,} B alive")
del y, nodes, node

# %% [markdown]
# So yes: 64 nodes, which one can visit one by one, and no data in any of them. The graph is the
# *order* in which things are to be done. What they are done with can arrive while it runs.
#
# Watch three of them, with an F and a G without weights, to keep the picture small. In the lane of
# nodes no label hangs on any StepBackward. In the last line the walk comes back through all three,
# and inside each of them it walks a small graph, made and dropped on the spot: a hump in the plot.
# The flat line is the height between the humps.
#
# The view opens before the first of them is made, and `baton` is still empty. Step on and follow its arrow. In forward it goes from
# output to output, in backward back again, and in the end it points at the input, come back. (*Input* is the colour of what has no node and wants
# no gradient: `data`, the baton, what a forward computes.)

# %% twin=true
block = (lambda u: u.relu() * 0.5, lambda u: u.tanh())

# %% solo="the view" at="11.step"
# %%step --at "line 3: about to run" --title "Three nodes, one baton"
baton = {}
x = data.clone().requires_grad_()
y = Step.apply(x, block, baton)
y = Step.apply(y, block, baton)
y = Step.apply(y, block, baton)
y.sum().backward()

# %% [markdown]
# And is the gradient right? We compare it with the same blocks, recorded plainly. A second
# test comes free: the last runner still has the baton, and in it is the input, computed back
# through all blocks from the output alone.

# %% twin=true at="11.return"
blocks, baton = coupled_blocks(16), {}
y = x = data.clone().requires_grad_()
for each in blocks:
    y = Step.apply(y, each, baton)
y.sum().backward()
z = data.clone().requires_grad_()
chains.recorded(blocks)(z).sum().backward()
print("the input is back:", mg.allclose(baton["y"], data, atol=1e-4))
print("the same gradient:", mg.allclose(x.grad, z.grad, rtol=1e-3))

# %% [markdown]
# One thing the baton cannot do: be walked a second time, or from the middle. With
# `retain_graph=True` an ordinary graph can. Here it is the *input* that is in the cell when the
# second walk begins, and a node takes it for its output:

# %% twin=true at="11.twice"
baton, x = {}, data.clone().requires_grad_()
y = Step.apply(Step.apply(x, block, baton), block, baton)
walks = []
for _ in range(2):
    y.sum().backward(retain_graph=True)
    walks.append(x.grad)
    x.grad = None
off, size = (walks[1] - walks[0]).abs().max().item(), walks[0].abs().max().item()
print(f"the second gradient is {off:.1f} off, where the first is up to {size:.1f}")

# %% [markdown]
# Nonsense, without an error. minigrad's own chain numbers its nodes, and refuses. (It is
# `minigrad.reversible.ReversibleSequential`; here with the option `baton=True`.)

# %% solo="minigrad.reversible is minigrad's own" at="11.refused"
y = chains.reversible_sequential(3, baton=True)(data)
y.sum().backward(retain_graph=True)
try:
    y.sum().backward()
except RuntimeError as error:
    print(error)
del y

# %% [markdown]
# **Try it.** In `Step.backward`, write `ctx.baton["y"]` instead of `ctx.baton.pop("y")`. The result
# is the same. But while `undo` runs, the old output stays in the cell: 1 U more at the highest
# point.

# %% [markdown]
# ## 4. Which bug makes this curve?
# The flat line is easily lost, and the gradients may be right all the same, so that nobody notices
# until the GPU is full. Here are five ways to lose it, all easily written.
#
# The first two are the Step of section 3 without a baton: they save, as one learns it. One saves
# its input, and then nothing need be undone. The other saves its output and does undo the block.


# %% twin=true
class SavesInput(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x, block):
        ctx.block = block
        ctx.save_for_backward(x)
        return mg.cat(couple(*block, *halves(x)), -1)

    @staticmethod
    def backward(ctx, dy):
        x = ctx.saved_tensors[0].detach().requires_grad_()
        with mg.enable_grad():
            y = mg.cat(couple(*ctx.block, *halves(x)), -1)
        y.backward(dy)
        return x.grad, None


# %% twin=true
class SavesOutput(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x, block):
        y = mg.cat(couple(*block, *halves(x)), -1)
        ctx.block = block
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, dy):
        y = ctx.saved_tensors[0]
        x1, x2, dx1, dx2 = undo(*ctx.block, *halves(y), *halves(dy))
        return mg.cat([dx1, dx2], -1), None


# %% [markdown]
# The other three are about the chain of section 2. One keeps a list of all pairs, to look at them
# later. One forgets the Function and just calls its blocks. And one has `enable_grad` around the
# whole half and detaches nothing. Then autograd complains about a second backward, its message
# recommends `retain_graph=True`, and the complaint is gone. Here is that half. `chain_of` is the
# chain of section 2, but for the half that it uses and a function that looks at each pair.


# %% twin=true
def careless_half(fn, u, y, du, dy):
    with mg.enable_grad():
        u.retain_grad() if u.requires_grad else u.requires_grad_()
        v = fn(u)
        x = y - v
    v.backward(dy, retain_graph=True)
    return x, du + u.grad


code_of(chains.chain_of, chains.AnyChain, folded=True)

# %% twin=true
blocks, shelf = coupled_blocks(6), []
nets = {
    "the right one": chains.chain_of(blocks),
    "lists every pair": chains.chain_of(blocks, look=shelf.append),
    "saves each input": chains.one_by_one(SavesInput.apply, blocks),
    "saves each output": chains.one_by_one(SavesOutput.apply, blocks),
    "no Function": chains.one_by_one(lambda x, block: chains.recorded([block])(x), blocks),
    "no detach, retain": chains.chain_of(blocks, half=careless_half),
}


def measured(name):
    shelf.clear()
    return bytes_along(nets[name], data)


# %% solo="prediction"
predict(
    "11.bug-output",
    "This curve has just been measured; 8 KiB are 1 U. From left to right: `x`, `f1` to `f6`, the "
    "seed, `b6` to `b1`, the end. Which of the nets is it?",
    {
        "saves each output": "The output of one block is the input of the next: six "
        "blocks, six activations. Undoing a block helps only if its output need not be kept.",
        "saves each input": "The same way up. But on the way down an input is freed as "
        "its block is done, so that curve has no bump after `b6`.",
        "no Function": "That is a hill too, but with 3 U a block and more, for each half saves "
        "its relu as well.",
        "lists every pair": "It climbs by the same 1 U a block. But a list is not freed by "
        "backward: after the step it would still be up there.",
    },
    shown=measured("saves each output"),
    run=lambda: next(name for name in nets if measured(name) == measured("saves each output")),
)

# %% [markdown]
# The asker of thread 000 is not the only one who thought that it is the *inputs* one must not save,
# as a reversible block can be computed from its output. Saving that instead gains nothing.

# %% solo="prediction"
predict(
    "11.bug-stairs",
    "And this one, with the same moments from left to right? Its forward is as flat as one could "
    "wish.",
    {
        "saves each input": "Then forward would climb by 1 U a block. Here it is "
        "backward that climbs.",
        "lists every pair": "A list fills while forward runs. Here forward is flat, and "
        "backward, which should only give back, takes more with each block.",
        "no detach, retain": "Each undone stream has a history: the half before it, and "
        "so on to the output. Told to retain, nothing of it is freed: backward builds the very "
        "graph that forward avoided.",
    },
    shown=measured("no detach, retain"),
    run=lambda: next(name for name in nets if measured(name) == measured("no detach, retain")),
)

# %% twin=true at="11.bugs"
print(table({name: measured(name) for name in nets}, U))
shelf.clear()

# %% [markdown]
# All of them, in U. How to read such a curve:
#
# - **Up in forward, and it stays up**: something outside the graph holds on, a list, an attribute.
# - **Up by 1 U a block, down again**: every block saves one activation. Input or output makes no
#   difference in forward. In backward the curve of the output goes up to 9: the last block gives up
#   `y`, but you hold `y` as well, so nothing goes, and a gradient comes.
# - **Up by 3 U a block and more**: there is no Function at all, or its forward is recorded.
# - **Flat, and then up in backward**: what is undone is still attached to what it came from.
#
# The last one is the worst, and not for its bytes.


# %% twin=true at="11.wrong"
def slope(make):
    w, (first, (f, g), last) = weight(16, 16), coupled_blocks(3)
    make([first, (lambda u: f(u @ w), g), last])(data.clone().requires_grad_()).sum().backward()
    return w.grad


right = slope(chains.recorded)
for name, half in {"with detach:": undo_half, "without detach:": careless_half}.items():
    got = slope(lambda blocks, half=half: chains.chain_of(blocks, half))
    print(f"{name:15} the right gradient: {mg.allclose(got, right, rtol=1e-3, atol=1e-3)}")

# %% [markdown]
# Each half sends its gradient not only through its own fn but on, into the history of `u`: through
# halves that were done already. Their weights receive it again, and with a minus, since what
# forward added was subtracted here. No error, no warning: the message of lesson 05 was right to
# complain, and the cure it recommends hid the fault. **If an inner backward asks for
# `retain_graph`, a `detach` is missing.**
#
# **Try it.** In `careless_half`, write `v.backward(dy)` without the option. There is the message,
# and now you know what it means here.

# %% [markdown]
# ## 5. How deep can it be?
# minigrad's own chain is the Function of section 2 with a guard at every place where it could go
# wrong unnoticed. We let it train under `memory.budget`, a GPU of so many bytes, on which weights
# and their gradients do not count. Will 10 U be enough, and 1 byte less?


# %% solo="minigrad.reversible and memory.budget are minigrad's own" at="11.budget"
def trains(depth, units, less=0, **options):
    own = chains.reversible_sequential(depth, **options)
    with mg.memory.budget(10**9) as gpu:  # so large that it only counts
        alive = gpu.used
    try:
        with mg.memory.budget(alive + int(units * U) - less):
            x, seed = data.clone(), mg.ones(64, 32)
            own(x).backward(seed)
    except mg.memory.OutOfMemoryError:
        return "it does not fit"
    return "it trains"


for depth in (8, 256):
    print(f"{depth:3} blocks in 10 U: {trains(depth, 10)}; a byte less: {trains(depth, 10, 1)}")

# %% [markdown]
# To the byte, at 8 blocks and at 256. Ten is not the end, either. Four references are held longer
# than they are needed: in forward to the halves of the input and to the streams before a block, in
# backward to the streams and to the gradients after it. Add in place (`x1 += ...`), as the option
# `trimmed=True` does, and they are gone:

# %% solo="minigrad.reversible and memory.budget are minigrad's own" at="11.trimmed"
for depth in (8, 256):
    fits, less = trains(depth, 8.5, trimmed=True), trains(depth, 8.5, 1, trimmed=True)
    print(f"{depth:3} blocks in 8.5 U: {fits}; a byte less: {less}")

# %% [markdown]
# 3 U of this are input, output and seed, which are the caller's.
#
# ### The weights count, too
# A real GPU counts everything. The weights of a block are 1.05 U here, and their `.grad` as much:
# 268 U each for 256 blocks. Any net of that size has both, reversible or not. But there is a third
# share. A gradient of a weight is **in flight** from the product that makes it until it is added to
# `.grad`. If there is no `.grad` yet, the gradient becomes the `.grad`, and takes no more bytes. If
# there is one, both are alive until the sum is made.
#
# That is the case when you **accumulate** gradients: several small batches, a backward for each, and
# one optimizer step for all. It is another way to save activations, and goes well with this one:


# %% twin=true at="11.accumulate"
blocks = coupled_blocks(8)


def accumulated(batches):
    w = blocks[0][0].a
    w.grad.zero_()
    peaks = [price(chains.chain_of(blocks), rows).highest * rows.nbytes for rows in batches]
    return max(peaks) / U, w.grad.clone()


(highest, at_once), (lower, summed) = accumulated([data]), accumulated(data.chunk(4))
print(f"all rows at once: {highest:g} U highest; in four quarters: {lower:g} U")
print("the same gradient:", mg.allclose(at_once, summed, rtol=1e-3, atol=1e-3))

# %% [markdown]
# The same gradient with a quarter of the activations. But the weights do not shrink with the batch.
# How many of their gradients are in flight at the highest point? In our chain hardly any: `undo_half`
# calls `v.backward(dy)`, which adds each one to its `.grad` on the spot. But a Function that writes
# into a `.grad` is an oddity (lesson 10, section 1): `autograd.grad` asks for gradients and wants no
# `.grad` touched, and a hook on a weight waits for its whole gradient. A chain can do it properly: take
# its weights as arguments of `apply`, and return their gradients. What does that cost?

# %% twin=true at="11.in-flight"
print("U at the highest point   added on the spot   returned by the node")
for depth in (8, 64):
    on_the_spot = price(chains.chain_of(coupled_blocks(depth)), data).highest
    returned = price(chains.all_at_once(coupled_blocks(depth)), data).highest
    print(f"{depth:2} blocks {on_the_spot:33.1f} {returned:22.1f}")
code_of(chains.all_at_once, chains.AllAtOnce, folded=True)

# %% [markdown]
# Not flat any more: this node holds the gradients of all weights until it returns, 1 U a block. (A
# chain with a node for each block, as in section 3, would hold those of one block.) And a budget that
# leaves gradients of weights out never sees it.
#
# minigrad's own chain takes its weights as arguments, too. But in an ordinary `backward()` it adds a
# block's gradients as soon as the block's input has come back as it was. It holds them to the end
# only where a hook waits for the whole gradient of a weight, or `autograd.grad` asks. Here every byte
# counts:


# %% solo="minigrad.reversible is minigrad's own" at="11.library"
def highest_and_left(own):
    before = mg.memory_allocated()
    mg.reset_peak_memory_stats()
    x, seed = data.clone(), mg.ones(64, 32)
    own(x).backward(seed)
    del x, seed
    return (mg.max_memory_allocated() - before) / U, (mg.memory_allocated() - before) / U


print("U at the highest point   first step   of which .grad stays   accumulating")
for depth in (8, 64, 256):
    own = chains.reversible_sequential(depth)
    first, left = highest_and_left(own)
    again, _ = highest_and_left(own)
    print(f"{depth:3} blocks {first:26.1f} {left:22.1f} {again:14.1f}")

# %% [markdown]
# So the flat line also holds where everything counts. A first step needs less than 10 U beside the
# `.grad` that it leaves, and accumulating needs the same 10.8 U at every depth.
#
# Then why is not every net reversible? Because a net has to be built for it. The streams have the
# same shape from block to block; where the width or the resolution changes, something must be
# stored. A trained residual net is not reversible as it stands: the reversible one is another net.
# And the third more work is there at each step. A checkpoint costs the same third and fits any net,
# but its memory grows, with the root of the depth.
#
# **Try it.** In the last cell, below `own = ...`, put a hook on each weight:
# `for w in own.parameters(): w.register_hook(lambda grad: grad)`. Accumulating is not flat any more.
#
# ### The same in PyTorch
# This is the answer that thread 000 did not get: a program that keeps the structure of the graph
# without the tensor data. It is longer than in other lessons, as it brings its own net and its own
# test; `Step` and `again` are the answer. It prints `64 nodes, 0 saved tensors, 1 output alive`, then
# `same gradients: True`.
#
# ```python
# import torch
# from torch.multiprocessing.reductions import StorageWeakRef
#
# class Step(torch.autograd.Function):
#     @staticmethod
#     def forward(ctx, x, f, g, baton):
#         x1, x2 = x.chunk(2, -1)
#         y1 = x1 + f(x2)
#         y = torch.cat([y1, x2 + g(y1)], -1)
#         ctx.f, ctx.g, ctx.baton = f, g, baton
#         baton["y"] = y.detach()  # in place of the previous block's output
#         return y
#
#     @staticmethod
#     def backward(ctx, dy):
#         y1, y2 = ctx.baton.pop("y").chunk(2, -1)
#         dy1, dy2 = dy.chunk(2, -1)
#         g, dy1 = again(ctx.g, y1, dy2, dy1)
#         x2 = y2 - g
#         f, dy2 = again(ctx.f, x2, dy1, dy2)
#         ctx.baton["y"] = torch.cat([y1 - f, x2], -1)
#         return torch.cat([dy1, dy2], -1), None, None, None
#
# def again(fn, u, dv, du):
#     with torch.enable_grad():
#         u = u.detach().requires_grad_()
#         v = fn(u)
#     v.backward(dv)
#     return v.detach(), du + u.grad
#
# def half():
#     into, out = torch.nn.Linear(16, 32), torch.nn.Linear(32, 16)
#     leaves.append(into.weight)
#     return lambda u: out(into(u).relu()) * 0.1
#
# leaves = [torch.randn(64, 32, requires_grad=True)]
# blocks = [(half(), half()) for _ in range(64)]
# x, baton, outputs = leaves[0], {}, []
# y = x
# for f, g in blocks:
#     y = Step.apply(y, f, g, baton)
#     outputs.append(StorageWeakRef(y.untyped_storage()))
# nodes = [y.grad_fn]
# while nodes[-1].next_functions[0][0].name() == "StepBackward":
#     nodes.append(nodes[-1].next_functions[0][0])
# print(len(nodes), "nodes,",
#       sum(len(n.saved_tensors) for n in nodes), "saved tensors,",
#       sum(not s.expired() for s in outputs), "output alive")
#
# y.sum().backward()
# slopes = [leaf.grad for leaf in leaves]
# x1, x2 = x.chunk(2, -1)
# for f, g in blocks:  # the same, everything stored
#     x1 = x1 + f(x2)
#     x2 = x2 + g(x1)
# for leaf in leaves:
#     leaf.grad = None
# (x1.sum() + x2.sum()).backward()
# print("same gradients:",
#       all(torch.allclose(slope, leaf.grad, rtol=1e-3, atol=1e-3)
#           for slope, leaf in zip(slopes, leaves)))
# ```
#
# ### Three things you can trust
# A coupling can be undone, whatever F and G are. A reversible net is flat: the same bytes at any
# depth. And batches whose gradients accumulate need the activations of one of them.

# %% twin=true at="11.trust"
x1, x2 = halves(data)
for f, g in [(Mlp(16), Mlp(16)), (Mlp(16), lambda u: u.relu() * 0.0)]:
    y1, y2 = couple(f, g, x1, x2)
    assert mg.allclose(y2 - g(y1), x2, atol=1e-4)
few, many = chains.chain_of(coupled_blocks(4)), chains.chain_of(coupled_blocks(64))
assert price(few, data).highest == price(many, data).highest == 10
assert price(few, data[:16]).highest * data[:16].nbytes == 10 * U / 4
print("all three hold")

# %% [markdown]
# What was simplified: our Functions know only the input, so a chain that is fed with raw data,
# which wants no gradient, would silently stay untrained; F and G here draw no random numbers and
# count no statistics; and "up to rounding" was taken on trust. minigrad's chain is in
# `minigrad/reversible/`, `coupling.py` first.
#
# **Next:** a flat line is worth nothing with a wrong gradient beside it. How far does the undone
# input drift, which nets amplify it, and what breaks without an error? That is lesson 12.

# %% [markdown] card="undo_steps"
# ### Undo any coupling
# A coupling may have more than two streams, and do more than add. Here it is a list of steps
# `(target, how, fn, source)`. The step `(0, "+", fn, 2)` stands for `s[0] = s[0] + fn(s[2])`. With
# `"-"` it subtracts and with `"*"` it multiplies; such an `fn` never gives a 0. A step never reads
# its own target.
#
# Write the inverse. `streams` are the tensors after the last step; return the list of those before
# the first one. Call each `fn` once for each of its steps, leave the list `streams` and its tensors
# as they are, and make no bytes for a stream that no step has changed.
#
# *When it passes you can undo a net of your own design.*


# %% exercise="undo_steps" kind="write" difficulty=1 minutes=8
def undo_steps(steps, streams):
    """The streams before the steps, as a list; `streams` are those after them."""
    ### BEGIN SOLUTION
    streams = list(streams)
    for target, how, fn, source in reversed(steps):
        v = fn(streams[source])
        if how == "+":
            streams[target] = streams[target] - v
        elif how == "-":
            streams[target] = streams[target] + v
        else:
            streams[target] = streams[target] / v
    return streams
    ### END SOLUTION


# %% check="undo_steps"
check(undo_steps)

# %% [markdown] hint="undo_steps"
# Which step can be undone at once, with what you have in hand? And which one then?

# %% [markdown] hint="undo_steps"
# Begin with the last step: its source has not changed since. So `fn` of it can be computed again,
# and taken back by the opposite of `how`. Now the step before it is the last one.

# %% [markdown] hint="undo_steps"
# `streams = list(streams)`, then `for target, how, fn, source in reversed(steps)`. With `v =
# fn(streams[source])` the opposite of `+ v` is `- v`, and that of `* v` is `/ v`.

# %% [markdown] why="undo_steps"
# **Why.** No `fn` is ever undone; each is computed forwards from a stream that is what it was. What
# is taken back is only the `+`, the `-` or the `*`, and the order does the rest. That is why an
# `fn` may forget everything, and why a step must not read its own target. A product needs an `fn`
# without a zero, and it divides, so it rounds more: most reversible nets add.

# %% [markdown] card="held_by_blocks"
# ### What the blocks hold, in PyTorch
# Somebody wrote reversible blocks, and saves something else in each:
#
# ```python
# import torch
#
# class Block(torch.autograd.Function):
#     @staticmethod
#     def forward(ctx, x, keep):
#         x1, x2 = x.chunk(2, -1)
#         y1 = x1 + x2.tanh()
#         y2 = x2 + y1.tanh()
#         y = torch.cat([y1, y2], -1)
#         if keep != "nothing":
#             kept = {"x": x, "x2": x2, "y1": y1, "y": y}[keep]
#             ctx.save_for_backward(kept)
#         return y
#
# x = torch.ones(rows, columns, requires_grad=True)
# y = x
# for keep in keeps:
#     y = Block.apply(y, keep)
# ```
#
# How many bytes are alive after the loop, besides those of `x`? `keeps` is a list of the words
# `"nothing"`, `"x"`, `"x2"`, `"y1"` and `"y"`; `columns` is even. A formula that makes no tensor is
# asked for.
#
# *When it passes you can say at once whether a reversible net is flat.*


# %% exercise="held_by_blocks" kind="predict+transfer" difficulty=2 minutes=8
def held_by_blocks(keeps, rows, columns):
    """Bytes alive after the loop, besides x; floats have 4 bytes."""
    ### BEGIN SOLUTION
    unit = rows * columns * 4
    held = 0
    for i, keep in enumerate(keeps):
        # a view keeps all it looks at
        by_the_next = keeps[i + 1 : i + 2] in (["x"], ["x2"])
        last = i == len(keeps) - 1  # the name y
        held += unit * (keep == "y" or by_the_next or last)
        held += unit // 2 * (keep == "y1")  # bytes of its own: cat copies
    return held
    ### END SOLUTION


# %% check="held_by_blocks"
check(held_by_blocks)

# %% [markdown] hint="held_by_blocks"
# Go along the outputs `y`, one for each block, and ask: who still points at these bytes when the
# loop is over?

# %% [markdown] hint="held_by_blocks"
# The output of a block is the input of the next, the same storage. `chunk` gives views, without
# bytes of their own. `+` and `cat` make new bytes.

# %% [markdown] hint="held_by_blocks"
# An output stays (1 U) if its block keeps `"y"`, if the next block keeps `"x"` or `"x2"`, or if it
# is the last. Besides, each `"y1"` is half a U.

# %% [markdown] why="held_by_blocks"
# **Why.** Saving the output instead of the input changes nothing: it is one storage, seen from two
# blocks. Half of the input looks cheaper and is not, since a view holds the whole storage. `y1` is
# cheaper, because `cat` has copied it: half a unit, though it still grows with the depth. Flat is
# only a net in which every block keeps `"nothing"`, and then somebody has to pass the outputs back.

# %% [markdown] card="FlatChain"
# ### A chain that keeps too much
# The gradients of this chain are right, and its author is proud that it "undoes each block". But
# its curve climbs by 1 U a block, and after `backward` it stays up there as long as `y` is held.
# Find out what becomes of the input that `undo` gives back, and repair the chain.
#
# Contract: `FlatChain.apply(x, blocks)`, with the same gradients. A step makes 4 products where
# forward makes 1, and needs at most the 10 U of section 2. After forward only `y` is there, after
# backward the node holds nothing, and a second `backward` ends in the error of lesson 05.
# Banned here: `mg.reversible`, and `chains` and `stored_twin` of `course`.
#
# *When it passes the curve is flat, at any depth.*


# %% exercise="FlatChain" kind="repair" difficulty=2 minutes=10
class FlatChain(mg.autograd.Function):
    ### BEGIN SOLUTION
    @staticmethod
    def forward(ctx, x, blocks):
        y1, y2 = halves(x)
        for f, g in blocks:
            y1, y2 = couple(f, g, y1, y2)
        y = mg.cat([y1, y2], -1)
        ctx.blocks = blocks
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, dy):
        y1, y2 = halves(ctx.saved_tensors[0])
        dy1, dy2 = halves(dy)
        for f, g in reversed(ctx.blocks):
            y1, y2, dy1, dy2 = undo(f, g, y1, y2, dy1, dy2)
        return mg.cat([dy1, dy2], -1), None

    ### STUB
    # @staticmethod
    # def forward(ctx, x, blocks):
    #     y1, y2 = halves(x)
    #     ctx.outputs = []
    #     for f, g in blocks:
    #         y1, y2 = couple(f, g, y1, y2)
    #         ctx.outputs.append((f, g, y1, y2))
    #     return mg.cat([y1, y2], -1)
    #
    # @staticmethod
    # def backward(ctx, dy):
    #     dy1, dy2 = halves(dy)
    #     for f, g, y1, y2 in reversed(ctx.outputs):
    #         x1, x2, dy1, dy2 = undo(f, g, y1, y2, dy1, dy2)
    #     return mg.cat([dy1, dy2], -1), None
    #
    ### END SOLUTION


# %% check="FlatChain"
check(FlatChain)

# %% [markdown] hint="FlatChain"
# `undo` returns `x1` and `x2`. Who reads them?

# %% [markdown] hint="FlatChain"
# The input of a block is the output of the one before it. So one pair is enough, the last one; and
# a tensor that backward is to free must have been saved in the one place where backward looks.

# %% [markdown] hint="FlatChain"
# Forward: only `ctx.blocks = blocks` and `ctx.save_for_backward(y)`, where `y` is what you return.
# Backward: take its halves, and in the loop `y1, y2, dy1, dy2 = undo(f, g, y1, y2, dy1, dy2)`.

# %% [markdown] why="FlatChain"
# **Why.** That a block *can* be undone saves nothing; somebody has to live on what comes back. With
# the pair handed on from block to block, the list is not needed. And `save_for_backward` does two
# things that an attribute of `ctx` does not: backward lets go of it, so no byte outlives the walk,
# and a second walk ends in a sentence instead of running on bytes that nobody guards.

# %% [markdown] card="SwapChain"
# ### A chain with one function a block
# A block need not have an F and a G. This one has a single `fn`, and the streams change places:
#
# ```
# x1, x2  ->  x2, x1 + fn(x2)
# ```
#
# Write the chain of such blocks as **one node**, with `halves` and `undo_half` of the set-up cell
# (`undo_half??` shows its code: what it takes, and what it returns). `SwapChain.apply(x, fns)` runs all blocks and
# returns the last two streams side by side. After forward it holds `y` and nothing else. A step
# has at most 9.5 U at its peak, and makes 4 products where forward makes 1: forward, once again,
# and two gradients.
# Banned here: `mg.reversible`, and `chains` and `stored_twin` of `course`.
#
# *When it passes you have a reversible net that needs 9 U, one less than the lesson's.*


# %% exercise="SwapChain" kind="write" difficulty=3 minutes=15
class SwapChain(mg.autograd.Function):
    ### BEGIN SOLUTION
    @staticmethod
    def forward(ctx, x, fns):
        x1, x2 = halves(x)
        for fn in fns:
            x1, x2 = x2, x1 + fn(x2)
        y = mg.cat([x1, x2], -1)
        ctx.fns = fns
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, dy):
        y1, y2 = halves(ctx.saved_tensors[0])
        dy1, dy2 = halves(dy)
        for fn in reversed(ctx.fns):
            x1, dx2 = undo_half(fn, y1, y2, dy1, dy2)
            y1, y2, dy1, dy2 = x1, y1, dy2, dx2
        return mg.cat([dy1, dy2], -1), None

    ### STUB
    # @staticmethod
    # def forward(ctx, x, fns):
    #     raise NotImplementedError("not written yet")
    #
    # @staticmethod
    # def backward(ctx, dy):
    #     raise NotImplementedError("not written yet")
    #
    ### END SOLUTION


# %% check="SwapChain"
check(SwapChain)

# %% [markdown] hint="SwapChain"
# First with pencil: given `y1` and `y2` of one block, what were `x2` and `x1`? Then the gradients:
# on which two ways does `x2` reach the output, and on which one `x1`?

# %% [markdown] hint="SwapChain"
# `x2` is `y1`, and `y2 = x1 + fn(y1)` is the line that `undo_half` undoes, with `u = y1`. What it
# returns second is the whole gradient of `x2`. The gradient of `x1` is `dy2`.

# %% [markdown] hint="SwapChain"
# In the loop over `reversed(ctx.fns)`: `x1, dx2 = undo_half(fn, y1, y2, dy1, dy2)`, and then all
# four change hands at once: `y1, y2, dy1, dy2 = x1, y1, dy2, dx2`.

# %% [markdown] why="SwapChain"
# **Why.** Two swap blocks, one with F and one with G, are the block of the lesson in another
# notation: it changes one stream, then the other. Less is alive at the peak, as one undone stream
# is there instead of two: the other is `y1`, which you had already. Reversible solvers of
# differential equations (leapfrog) have this shape; their authors could run them backward long
# before nets could.

# %% [markdown] card="reversible_golf"
# ### Reversible golf
# The same step once more, on a map. `reversible_golf(x, blocks)` gives what `couple` makes of the
# halves of `x`, block by block, side by side again; each block is a pair `(f, g)` as in section 2.
# How you do it is your business. Function classes of your own may stand above it. The caller's
# tensors (`x`, the result, the seed of backward) stay as they are. Checkpoints are allowed here.
# Banned here: `mg.reversible`, and `chains` and `stored_twin` of `course`.
#
# To pass, with 12 blocks at most: right gradients, at most 4 products where forward makes 1, and a
# peak of 8 U besides `x`; a quarter more is let pass.
# (The chain of section 2 has 9 U, as its 10 include `x`.) **Then play on.** `check` draws your
# tries on a map, for 24 blocks: bytes at the peak against products. Further left is cheaper,
# further down is smaller. One of our points is below 8 U.
#
# *When it passes you are on the map; each try stays there.*


# %% exercise="reversible_golf" kind="write" difficulty=3 minutes=20
def reversible_golf(x, blocks):
    """The two streams after all blocks, side by side, with as few bytes and products as you can."""
    ### BEGIN SOLUTION
    return InPlace.apply(x, blocks)


class InPlace(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x, blocks):
        y1, y2 = halves(x)
        for f, g in blocks:
            y1 += f(y2)
            y2 += g(y1)
        y = mg.cat([y1, y2], -1)
        ctx.blocks = blocks
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, dy):
        y1, y2 = halves(ctx.saved_tensors[0])
        dy1, dy2 = halves(dy)
        for f, g in reversed(ctx.blocks):
            take_back(g, y1, y2, dy1, dy2)
            take_back(f, y2, y1, dy2, dy1)
        return mg.cat([dy1, dy2], -1), None


def take_back(fn, u, y, du, dy):
    """Of y = x + fn(u): x over the bytes of y, and the gradient of u over those of du."""
    leaf = u.detach().requires_grad_()
    with mg.enable_grad():
        v = fn(leaf)
    y -= v.detach()
    v.backward(dy)
    du += leaf.grad
    ### END SOLUTION


# %% check="reversible_golf"
check(reversible_golf)

# %% [markdown] hint="reversible_golf"
# Begin with a Function that is right, such as `FlatChain`, and look at its point on the map. What
# is alive at its peak, and which of these bytes does nobody read again?

# %% [markdown] hint="reversible_golf"
# While a block is undone there are the streams after it and the streams before it, and the same of
# the gradients. If the new ones are written over the old ones, half of them are gone. Your own
# clones may be written on.

# %% [markdown] hint="reversible_golf"
# Write your own half of `undo`, which returns nothing: `y -= v.detach()`, then `v.backward(dy)`,
# then `du += leaf.grad`, on the clones that `halves` made. Forward can add in place, too.

# %% [markdown] why="reversible_golf"
# **Why.** In place is dangerous where a graph has saved the bytes (lesson 06). Here no graph has:
# the streams are clones of our own, and the small graph of each half is gone before they are
# written on again. What is left is the caller's: output and seed; our two pairs; and one F at work.
# To get further left you store some blocks after all, and pay for each in bytes: look at the other
# points.
