# %% [markdown]
# # 19  A transformer block
# The nets of this course were made of products and tanh. Most of what is trained today is one other
# block, repeated: attention, a small MLP, two norms. What does it keep, and what of that can it
# forget?
#
# This is an elective. It needs lessons 06 and 10, and no lesson needs it. You will read attention as
# a few ops, find what each of them saves, and write the sum down as a formula. Then you let the
# block forget, in five ways that stand side by side in one table. At the end there is a recipe for
# your own model: measure, choose, wrap, verify, four short functions that you can take with you.
#
# The data `x` are 2 texts of 64 tokens, and each token is 32 numbers: 2 x 64 x 32 x 4 = 16,384 B, or
# **1 U**. So everywhere below 1 U is one activation of the batch. Each `.grad` of a weight is there
# beforehand, and `price(net, x)` is the instrument of lesson 10: the U held after forward, the U at
# the highest point of a step, and its products of matrices.

# %% twin=true
import minigrad as mg
from course.bytes_along import price
from course.code_of import code_of
from course.predict import predict
from course.transformer import Attention, Block, again, attend, attend_dropping, keeps

F = mg.nn.functional
x = mg.arange(4096.0).view(2, 64, 32) / 4096
U = x.nbytes

# %% [markdown]
# ## 1. What does a block keep?
# Here is the block, as GPT-2 has it. It is made of ops that you know, and of three new ones.

# %% twin=true
code_of(attend, Attention, Block)

# %% [markdown]
# Read it from the bottom. `asks` and `thinks` are two residual steps, `h + something(norm(h))`.
#
# - **LayerNorm** takes each token, subtracts its mean and divides by its deviation.
# - **GELU** is a smooth ReLU. It stands in the middle of an MLP that is four times as wide.
# - **Attention** makes three things of each token, q, k and v. `q @ k'` compares each token with each
#   other one, `softmax` makes weights of these scores, and the weights mix the v.
#
# A **head** does this on its own part of the width. Here are 4 heads, each 8 wide. So the weights are
# a table of 64 x 64 numbers for each head and each text.


# %% solo="torch has no saved()"
def saved(y):
    """(node, name, U, note) of each saved tensor, oldest first; without the weights."""
    for row in reversed(mg.memory.saved(y)):
        node, name = row["node"], row["name"]
        if row["bytes"] >= 512 and (node, name) != ("AddmmBackward0", "mat2"):
            yield node, name, row["bytes"] / U, row["note"]


def largest():
    node = max(saved(Block(32, 4)(x)), key=lambda row: row[2])[0]
    attention = node in ("SoftmaxBackward0", "BmmBackward0")
    return "the weights of the attention" if attention else "the hidden layer of the MLP"


# %% solo="prediction"
predict(
    "19.most",
    "One block, 64 tokens, 4 heads that are 8 wide. Which single buffer is the largest that the "
    "block keeps?",
    {
        "the hidden layer of the MLP": "It is four times as wide as all the rest, 4 U, and it is "
        "kept twice, before and after the GELU. That is 8 U, in two buffers.",
        "the weights of the attention": "64 x 64 numbers for each of 8 tables: twice as many as "
        "the hidden layer has, 8 U in a single buffer.",
        "q, k and v": "They are kept, 1 U each, as three buffers. The table is made of them, and "
        "it is larger than they are.",
    },
    run=largest,
)

# %% solo="torch has no saved()" at="19.rows"
for node, name, size, note in saved(Block(32, 4)(x)):
    print(f"{node:24} {name:8} {size:6.3f} U  {note}".rstrip())

# %% [markdown]
# Each row is one saved tensor, in the order of forward. (A Linear saves its weight as well, and a
# norm its two. They are alive anyway and left out. `bmm` and `addmm` are products of matrices, of many
# at once and with a bias. `self` and `mat1` are left factors, and `mat2` right ones.) Go through it:
#
# - each norm saves its **input**, 1 U, and a mean and a deviation for each token;
# - the Linear behind it saves the norm's **result**, 1 U;
# - the first `bmm` saves q and k, 2 U; the division by a number saves nothing;
# - softmax saves its **result**, the weights, and the next `bmm` *the same buffer*, and v, 1 U;
# - the Linear behind the heads saves what they mixed, 1 U;
# - GELU saves its **input**, 4 U, and the Linear behind it the **result**, 4 U more.
#
# The two `+` of the residual path save nothing at all.

# %% [markdown]
# Add it up, for T tokens, a width of W and heads that are d wide. There are 16 buffers' worth of U.
# The weights are T numbers for each head and token, where an activation has d: that is T/d U. And
# four numbers a token are 4/W U. Together:
#
# ```
# a block keeps   16  +  T/d  +  4/W   U
# ```
#
# Does it hold to the byte, for any shape? `keeps` counts what a forward adds to what is alive. (Its
# result is counted and its input is not. In a chain the one is the other.)

# %% twin=true
code_of(keeps)


# %% twin=true
def formula(batch, tokens, width, heads):
    unit = batch * tokens * width * 4
    return 16 * unit + batch * heads * tokens * tokens * 4 + 4 * batch * tokens * 4


# %% twin=true at="19.formula"
print("batch tokens width heads     measured")
shapes = (2, 64, 32, 4), (1, 64, 32, 8), (3, 16, 48, 2), (2, 128, 64, 4), (5, 7, 12, 3)
for shape in shapes:
    batch, tokens, width, heads = shape
    size = keeps(Block(width, heads), mg.ones(batch, tokens, width))
    print(f"{batch:5} {tokens:6} {width:5} {heads:5} {size:10,} B")
    assert size == formula(*shape)

# %% [markdown]
# To the byte. And a test runs most cells of this lesson on PyTorch as well, this one too: they print
# the same.
#
# A formula costs nothing to use. GPT-2, the smallest one, has 12 blocks, a width of 768, 12 heads, and
# reads 1024 tokens:

# %% twin=true at="19.gpt2"
one = formula(batch=1, tokens=1024, width=768, heads=12) / 2**20
print(f"one text in one block: {one:.1f} MiB; in 12 blocks: {12 * one:.0f} MiB")

# %% [markdown]
# Per text, in float32, and without its weights. That is why one cannot just raise the batch.
#
# **Try it.** Print `keeps(Block(32, 8), x) / U`. Twice as many heads, each half as wide: the Linears
# are as large as before, and the weights of the attention are twice as many.

# %% [markdown]
# ## 2. What grows with the square?
# All but one of the rows grow in proportion with the number of tokens. So does U, and in U they stay
# what they are: 16. The weights of the attention compare each token with each. In U they grow with
# the length, in bytes with its **square**.


# %% twin=true
def share(tokens):
    """The share of the weights of the attention in what a block keeps."""
    heads, width = 4, 32
    size = keeps(Block(width, heads), mg.ones(2, tokens, width))
    return 2 * heads * tokens * tokens * 4 / size


# %% solo="prediction"
predict(
    "19.half",
    "The heads are 8 wide. How long are the texts when the weights of the attention are half of "
    "what a block keeps?",
    unit="tokens",
    why="T/d = 16, so T = 16 x 8 = 128. It depends on the width of a head alone: not on the width of "
    "the net, not on the batch.",
    wrong={
        16: "16 U is what the rest weighs. The weights are T/d U, and d is 8.",
        64: "At 64 tokens they are 8 U of 24, a third.",
        32: "The width of the net does not matter: more heads are more tables, wider heads are "
        "fewer. It is d, the width of a head, that counts.",
        1024: "That would be so for heads 64 wide, as those of GPT-2 are: 16 x 64.",
    },
    run=lambda: next(n for n in (16, 32, 64, 128, 256) if share(n) >= 0.498),
)

# %% twin=true at="19.square"
from course.pictures import scaling

weights, rest = {}, {}
print("tokens   a block keeps   of it the weights")
for tokens in (16, 32, 64, 128, 256):
    size = keeps(Block(32, 4), mg.ones(2, tokens, 32))
    weights[tokens] = 2 * 4 * tokens * tokens * 4
    rest[tokens] = size - weights[tokens]
    print(f"{tokens:6} {size / (256 * tokens):13.3f} U {share(tokens):14.0%}")

# %% twin=true at="19.picture"
parts = {"the weights": weights, "all the rest": rest}
scaling(parts, "One block keeps", "tokens", unit=U)

# %% [markdown]
# (In the picture 1 U is that of 64 tokens.)
#
# Twice the batch is twice the bytes. Twice the length is twice the rest, and *four* times the weights.
# So a long text costs more than many short ones with as many tokens.
#
# It gets worse where the weights have **dropout**, as in many recipes. Dropout is a product with a
# mask: its node keeps the mask, and the next product keeps the result. The softmax still keeps its
# own.


# %% twin=true
def causal(q, k, v):
    scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
    later = mg.ones(*scores.shape[-2:]).tril() == 0
    return scores.masked_fill(later, -float("inf")).softmax(-1) @ v


# %% twin=true at="19.dropout"
for mix in (attend, attend_dropping, causal):
    print(f"{mix.__name__:16} {keeps(Block(32, 4, mix), x) / U:6.3f} U")

# %% [markdown]
# Three tables in place of one, 16 U more. `causal` lets each token see only those before it, as a
# language model must. It saves its mask, one byte for each pair of tokens, once for all heads.
#
# ### Further: the table that is never there
# The weights are needed for one product and thrown away. A clever op computes them piece by piece,
# mixes each piece into the result, and keeps none. In backward it computes the pieces again. It is a
# checkpoint inside of one op: `F.scaled_dot_product_attention`, in PyTorch and in minigrad. (NumPy
# has no such op. Under minigrad it makes the whole table for a moment: workspace, which the ledger
# leaves out.) Here PyTorch ran. q, k and v are counted, 3 U, and the result, 1 U.

# %% solo="what PyTorch chose on one machine: recorded, and a test runs it again" at="19.fused"
from course.on_torch import on_torch

on_torch("fused_attention")

# %% [markdown]
# The square is gone, after forward and at the highest point. What is kept besides q, k, v and the
# result is one number for each token and head, an eighth of a U where a head is 8 wide. So the first
# thing to do for long texts is no checkpoint: it is to call this op.
#
# And look at the last row. PyTorch chooses among several ways, by device, dtype, mask and dropout. On
# this CPU it takes another one for dropout, with the whole table in it, three times, and says nothing.
# The name of the node tells, and so do the bytes. On your machine it may choose otherwise: measure.
#
# **Try it.** In `attend_dropping` write `F.dropout(scores, 0.1).softmax(-1)`, dropout in front of the
# softmax. How many tables are there now? (It is another net, of course.)

# %% [markdown]
# ## 3. Who keeps it twice, who shares?
# Look at the rows of section 1 once more, with lesson 06 in mind. A node keeps an input or its
# result. Where one node's result and the next one's input are both wanted, they are **one buffer**:
# so are the weights behind the softmax. Where a node wants its input and the next wants its result,
# both are kept, although the one can be computed from the other: so it is at the GELU and at the norms.
#
# And what if an op is written out? GELU has a well-known formula, with a cube and a tanh in it. It is
# often copied from one program to the next.


# %% twin=true
def gelu_by_hand(u):
    return 0.5 * u * (1 + (0.7978845608 * (u + 0.044715 * u**3)).tanh())


def softmax_by_hand(q, k, v):
    e = (q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5).exp()
    return e / e.sum(-1, keepdim=True) @ v


# %% solo="prediction"
predict(
    "19.by-hand",
    "A block with `F.gelu` keeps 24.1 U. And the same block with `gelu_by_hand`?",
    {
        "24.1 U": "The same numbers, up to rounding. But the graph has eight nodes in place of one, "
        "and each decides for itself what it saves.",
        "28.1 U": "That would be one buffer more, the result of the tanh. But the last product keeps "
        "both its factors as well.",
        "36.1 U": "u, the result of the tanh, 0.5 u and 1 + tanh are kept by nodes of the formula, "
        "4 U each, where GELU's own node keeps u alone.",
    },
    run=lambda: f"{keeps(Block(32, 4, act=gelu_by_hand), x) / U:.1f} U",
)

# %% twin=true at="19.variants"
variants = {
    "as it is": {},
    "ReLU": {"act": F.relu},
    "SiLU": {"act": F.silu},
    "GELU by hand": {"act": gelu_by_hand},
    "softmax by hand": {"mix": softmax_by_hand},
    "dropout on the weights": {"mix": attend_dropping},
}
for name, parts in variants.items():
    size = keeps(Block(32, 4, **parts), x) / U
    print(f"{name:23} {size:6.3f} U  {size - 24.125:+7.3f}")

# %% [markdown]
# Read it as a price list. ReLU keeps its result, which the next Linear keeps anyway: 4 U less. SiLU is
# like GELU. What is written by hand costs up to half a block more, for the same numbers. So an op
# with a name is not only faster: it was given a backward that needs little. (Lesson 07 was about
# writing one.)
#
# **Try it.** Give the block `act=lambda u: F.gelu(u, approximate="tanh")`. It is the formula by hand,
# as one op: 24.125 U.

# %% [markdown]
# ## 4. How can a block forget?
# From lesson 10 you know the checkpoint. It can stand around the whole block, around `asks` alone or
# around `thinks` alone. There is another way, which computes nothing again. A saved tensor is carried
# **elsewhere** after forward, and fetched for backward. On a GPU elsewhere is the memory of the CPU,
# and PyTorch has `save_on_cpu` for it. It is a pair of the hooks that you met in lesson 07: `pack`
# gets each tensor that a node wants to save, and what it returns is kept in its place.
#
# Here all is on one CPU, so our elsewhere are plain numpy arrays, of which no engine counts a byte. We
# count what crosses over.


# %% twin=true
class Elsewhere:
    """A pair of hooks that carry saved tensors out of the engine, and count the bytes."""

    def __init__(self):
        self.out = self.back = 0

    def pack(self, tensor):
        array = tensor.detach().numpy().copy()
        self.out += array.nbytes
        return array

    def unpack(self, array):
        self.back += array.nbytes
        return mg.tensor(array)


# %% twin=true
def carried(net, there):
    """The net, with all that it saves carried elsewhere."""

    def run(h):
        with mg.autograd.graph.saved_tensors_hooks(there.pack, there.unpack):
            return net(h)

    return run


# %% twin=true
def carries(net):
    """U that go out in one step."""
    there = Elsewhere()
    price(carried(net, there), x)
    assert there.back == there.out
    return there.out / U


# %% solo="prediction"
predict(
    "19.crosses",
    "A block keeps 24.1 U. Its saved tensors are carried elsewhere, one by one, as the hooks get "
    "them. How much goes out?",
    {
        "24.1 U, all that is kept": "If each buffer went once. But `pack` is asked for each saved "
        "tensor, and two nodes save the weights of the attention.",
        "16.1 U, without the weights of the attention": "They are saved by two nodes. That makes "
        "them go twice, and not never.",
        "35.2 U, more than is kept": "What two nodes save goes twice, 8 U more. And the nodes of "
        "the Linears save their weights, 3 U here, which were never in danger.",
    },
    run=lambda: {
        "35.2": "35.2 U, more than is kept",
        "24.1": "24.1 U, all that is kept",
        "16.1": "16.1 U, without the weights of the attention",
    }[f"{carries(Block(32, 4)):.1f}"],
)

# %% [markdown]
# Now all of them side by side, for 6 blocks. `again` is PyTorch's checkpoint with
# `use_reentrant=False`, as lesson 10 advised. `each(way)` is a net that calls each block in one way.


# %% twin=true
blocks = [Block(32, 4) for _ in range(6)]


def each(way):
    def run(h):
        for block in blocks:
            h = way(block, h)
        return h

    return run


# %% twin=true
ways = {
    "keep all": lambda block, h: block(h),
    "again: attention": lambda block, h: block.thinks(again(block.asks, h)),
    "again: MLP": lambda block, h: again(block.thinks, block.asks(h)),
    "again: the block": again,
}

# %% twin=true at="19.ways"
print("                        held  highest  products   out and back")
for name, way in ways.items():
    held, highest, products = price(each(way), x)
    print(f"{name:20} {held:6.1f} U {highest:6.1f} U {products:9} {'-':>14}")
for name, way in {"carry all": "keep all", "again and carry": "again: the block"}.items():
    there = Elsewhere()
    held, highest, products = price(carried(each(ways[way]), there), x)
    out = there.out / U
    print(f"{name:20} {held:6.1f} U {highest:6.1f} U {products:9} {out:12.1f} U")

# %% [markdown]
# Six answers to one question, each at its own price.
#
# - **Keep all** does the least. 6 x 24.1 and the data are 145.8 U.
# - **Again: attention** forgets 13 U a block, and pays three products for them: of its four the last
#   is not run again (lesson 10: a second run stops when the last holder is filled).
# - **Again: MLP** forgets 9 U a block, and pays *one* product. For texts as short as these it is the
#   better bargain. With the length the 9 stay, and what attention forgets grows.
# - **Again: the block** keeps one input a block, and pays five products.
#
# Two of them carry.
#
# - **Carry all** keeps next to nothing and computes nothing again. In exchange 211 U go out and come
#   back. Whether that is slower than computing depends on the link between the two memories, and on
#   whether the step waits for it: no figure of ours can tell.
# - **Again and carry** carries what the checkpoints keep, one input a block. In place of 211 U only 6
#   go out. The hooks of the net and those of the checkpoints work together.
#
# The highest point has a floor, about 29 U here: what one block needs at work, whatever the others
# have forgotten. The second row and the third are **selective** checkpoints: they choose by part. (PyTorch
# can also choose by operation. Lesson 10 has its table.)

# %% [markdown]
# Here are three of them over time: a step is cut into 30 parts, and the most that was alive in each is
# drawn. The triangle and the sawtooth are those of lesson 10. The last one stays low, and each block at
# work is one tooth.


# %% solo="a recording" at="19.curve"
import whoholds
from course.pictures import curve


def over_time(net, parts=30):
    before = mg.memory_allocated()
    with whoholds.record() as trace:
        y = net(x.detach().requires_grad_())
        y.backward(mg.ones_like(y))
    live = [event["live"] - before for event in trace.events]
    cuts = [i * len(live) // parts for i in range(parts + 1)]
    return [(i, max(live[cuts[i - 1] : cuts[i]])) for i in range(1, parts + 1)]


# %% solo="a recording"
shown = {name: over_time(each(ways[name])) for name in ways if name != "again: MLP"}
curve(shown, "One step of 6 blocks, in 30 parts", unit=U)

# %% [markdown]
# PyTorch's `save_on_cpu` is `Elsewhere` with a GPU. Its hooks get each saved tensor, as ours do, and
# see no weights and no shared buffers. And where everything is on the CPU already, there is nowhere
# to go:

# %% twin=true at="19.on-cpu"
with mg.autograd.graph.save_on_cpu():
    print("save_on_cpu, on the CPU: ", price(each(ways["keep all"]), x))

# %% [markdown]
# Nothing is carried, and nothing is won. Use it for what is on a GPU.
#
# **Try it.** Let `x` be 256 tokens long: `price(each(way), mg.ones(2, 256, 32))` for
# `"again: attention"` and for `"again: MLP"`. How much does each of the two save now, for a
# product? (12.4 U and 9.1 U: attention has overtaken.)

# %% [markdown]
# ## 5. How do I do it with my own model?
# Four steps, and four functions. None of them knows what is in a block.
#
# **Measure.** One block, one step. How many bytes does it keep, and how many does it need at its
# highest point? `measure` also works on the whole model, and so tells later whether we were right.


# %% twin=true at="19.measure"
def measure(block, h):
    """(bytes kept after forward, bytes at the highest point), the input not counted."""
    before = mg.memory_allocated()
    mg.reset_peak_memory_stats()
    y = block(h.detach().requires_grad_())
    kept = mg.memory_allocated() - before
    y.backward(mg.ones_like(y))
    return kept, mg.max_memory_allocated() - before


kept, highest = measure(Block(32, 4), x)
print(f"a block keeps {kept / U:.3f} U and needs {highest / U:.3f} U")

# %% [markdown]
# **Choose.** How many of the blocks must forget? Not more than necessary, since each that does is
# computed again. Wrap the first m, and let the others be. After forward there are then m inputs of
# 1 U, and the others are kept whole. When backward begins, the last block is at work. So the highest
# point is
#
# ```
# m x input  +  (depth - 1 - m) x kept  +  highest of one block
# ```
#
# Why the *first* m? What the last block keeps is needed at once; to forget it gains nothing
# (lesson 10). The first blocks wait the longest.


# %% twin=true
def forecast(m, depth, kept, highest, given):
    """Bytes at the highest point if the first m blocks forget; the last one need not."""
    m = min(m, depth - 1)
    return m * given + (depth - 1 - m) * kept + highest


def choose(budget, depth, kept, highest, given):
    """The fewest blocks that must forget, or None where all of them are not enough."""
    for m in range(depth):
        if forecast(m, depth, kept, highest, given) <= budget:
            return m
    return None


# %% [markdown]
# **Wrap.** One line of a loop.


# %% twin=true
def wrapped(blocks, m, wrap=again):
    def run(h):
        for number, block in enumerate(blocks):
            h = wrap(block, h) if number < m else block(h)
        return h

    return run


# %% twin=true at="19.choose"
deep = [Block(32, 4) for _ in range(12)]
print("budget    wrap    forecast     measured")
for budget in (350, 250, 150, 50, 40):
    m = choose(budget * U, 12, kept, highest, given=U)
    if m is None:
        print(f"{budget:4} U  not even all of them are enough")
        continue
    said, found = forecast(m, 12, kept, highest, U), measure(wrapped(deep, m), x)[1]
    print(f"{budget:4} U {m:6} {said:10,} B {found:10,} B")

# %% [markdown]
# The forecast is right to the byte, from one measurement of one block. It is so because all blocks are
# alike. Yours may not be, nor is a GPU's allocator as tidy as our ledger (lesson 14): leave some
# room, and measure again when it is wrapped.
#
# (And segments of several blocks? L blocks in segments of k keep L/k inputs, and a tooth is k blocks
# high. Lesson 10 balanced the two at the root of L/s. With s = 24 that is less than 1 below 24 blocks:
# a block is so heavy that one alone makes the segment.)

# %% [markdown]
# **Verify.** A checkpoint may be wrong without a word. So run step one twice, with and without it,
# from the same seed, and compare the loss and every gradient. The blocks get dropout now, since that
# is where it goes wrong.


# %% twin=true
dropping = [Block(32, 4, attend_dropping) for _ in range(4)]
weights = [weight for block in dropping for weight in block.parameters()]


def first_step(model, h):
    """The loss of step one, and all gradients of the weights."""
    mg.manual_seed(0)
    for weight in weights:
        weight.grad.zero_()
    loss = (model(h) ** 2).mean()
    loss.backward()
    return loss.item(), [weight.grad.clone() for weight in weights]


# %% twin=true
def verify(model, other, h):
    """(the same loss, the same gradients)"""
    (loss, grads), (its_loss, its_grads) = first_step(model, h), first_step(other, h)
    pairs = zip(grads, its_grads, strict=True)
    near = [mg.allclose(a, b, rtol=1e-3, atol=1e-6) for a, b in pairs]
    return loss == its_loss, all(near)


def careless(run, h):
    options = {"use_reentrant": False, "preserve_rng_state": False}
    return mg.utils.checkpoint.checkpoint(run, h, **options)


# %% solo="prediction"
predict(
    "19.verify",
    "`careless` does not replay the dice of dropout. Step one is run with it and without, from the "
    "same seed. Which of the two comparisons notices?",
    {
        "the loss": "The loss is computed in forward, and forward is the same: a checkpoint only "
        "forgets what it has computed.",
        "the gradients": "Backward runs the block again with other masks. The loss was right all "
        "the same, to the last digit, so a look at the loss curve would not tell.",
        "neither": "A different mask is a different gradient, in every weight. It is only that "
        "nobody compares unless you do.",
    },
    run=lambda: {
        (True, True): "neither",
        (True, False): "the gradients",
        (False, False): "the loss",
        (False, True): "the loss",
    }[verify(wrapped(dropping, 0), wrapped(dropping, 3, careless), x)],
)

# %% twin=true at="19.verify-seen"
for wrap in (again, careless):
    loss, grads = verify(wrapped(dropping, 0), wrapped(dropping, 3, wrap), x)
    print(f"{wrap.__name__:9} the same loss: {loss}, the same gradients: {grads}")

# %% [markdown]
# So compare gradients, not losses. The wrong one would train, only worse, and nothing would tell you.
#
# That is the recipe. Measure one block, choose m for your budget, wrap in one line, verify step one.
# In PyTorch on a GPU `memory_allocated`, `max_memory_allocated` and `reset_peak_memory_stats` are in
# `torch.cuda`; the rest has the same names. `for_torch/fits.py` is one file to copy that does all four
# steps for a PyTorch model whose blocks differ.
#
# **Try it.** Measure `wrapped(dropping, 3)` and `wrapped(dropping, 4)`. The highest point is the same:
# the last block need not forget.
#
# ### The same in PyTorch
# Eight lines below the imports. They print `[65536, 65536, 16384]` and `True`: what a GELU and the
# Linear behind it hand to a pair of hooks, the weight among it, and that the first was the input.
#
# ```python
# import torch
# from torch.autograd.graph import saved_tensors_hooks
#
# saved = []
# pack = lambda t: saved.append(t) or t
# u = torch.ones(128, 128, requires_grad=True) * 2
# down = torch.nn.Linear(128, 32)
# with saved_tensors_hooks(pack, lambda t: t):
#     y = down(torch.nn.functional.gelu(u))
# print([t.nbytes for t in saved])
# print(saved[0].data_ptr() == u.data_ptr())
# ```
#
# ### Three things you can trust
# A block keeps 16 + T/d + 4/W U. Where all blocks are alike, the forecast from one of them is the
# highest point of the whole model. And a checkpoint may have the right loss and wrong gradients.

# %% twin=true at="19.asserts"
assert keeps(Block(32, 4), x) == (16 + 64 / 8 + 4 / 32) * U
assert measure(wrapped(deep, 5), x)[1] == forecast(5, 12, kept, highest, U)
assert verify(wrapped(dropping, 0), wrapped(dropping, 3, careless), x) == (True, False)
print("all three hold")

# %% [markdown]
# What was simplified: no embedding, and no last layer with its thousands of words, which weighs more
# than a block if there are many. No half precision, in which a U is half as many bytes. And no
# optimizer: the two numbers that Adam keeps for each weight are there whatever the blocks forget.


# %% [markdown] card="block_bytes"
# ### How much does this block keep?
# A block like that of the lesson, on `batch` texts of `tokens` tokens, `width` wide, with `heads`
# heads; `heads` divides `width`. Its MLP is `times` times as wide as the block, where the lesson has
# 4. `act` is `"gelu"`, `"silu"` or `"relu"`. And `weights` says what is done to the weights of the
# attention:
#
# - `"plain"`: as in `attend`;
# - `"dropout"`: dropout behind the softmax, as in `attend_dropping`;
# - `"causal"`: a mask in front of the softmax, as in section 2: `masked_fill` saves it, one byte for
#   each pair of tokens, once for all texts and heads.
#
# Return the bytes that a forward leaves alive, as `keeps` counts them: what the graph holds, and the
# result in place of the input. All is float32, `tokens` and the width of a head are at least 2, and
# the weights of the Linears and norms do not count. Do it without tensors.
#
# *When it passes you can say what a block costs before you have written it.*


# %% exercise="block_bytes" kind="predict+transfer" difficulty=2 minutes=12
def block_bytes(batch, tokens, width, heads, times, act, weights):
    """The bytes that one block keeps: a whole number."""
    ### BEGIN SOLUTION
    unit = 4 * batch * tokens * width
    table = 4 * batch * heads * tokens * tokens
    hidden = times * unit * (1 if act == "relu" else 2)
    numbers = 4 * 4 * batch * tokens  # two norms' means and deviations
    mask = tokens * tokens if weights == "causal" else 0
    return 8 * unit + hidden + numbers + table * (3 if weights == "dropout" else 1) + mask
    ### END SOLUTION


# %% check="block_bytes"
check(block_bytes)

# %% [markdown] hint="block_bytes"
# Take the rows of section 1 one by one. Which of them depend on `times`, on `heads`, on neither?

# %% [markdown] hint="block_bytes"
# Eight activations depend on nothing but batch, tokens and width. The hidden layer is kept before and
# after the activation, or only after it. The weights are one table for each text and head.

# %% [markdown] hint="block_bytes"
# `unit = 4 * batch * tokens * width` and `table = 4 * batch * heads * tokens ** 2`. With dropout there
# are three tables: the softmax's result, the mask in float32, and what the next product gets. Add
# four numbers of 4 bytes for each token.

# %% [markdown] why="block_bytes"
# **Why.** A result that the next node wants too is one buffer: so it is with softmax and the product
# behind it, and with ReLU and the Linear. GELU and SiLU want their input, so the hidden layer is
# there twice. Dropout is a product, and a product keeps both factors. Only the table has `tokens`
# twice in it. It is what a long text pays for.

# %% [markdown] card="GeluLinear"
# ### A GELU that is kept once
# The hidden layer is the largest thing in an MLP, and it is kept twice: `u` by the GELU, and `gelu(u)`
# by the Linear behind it. Write both as one op. `GeluLinear.apply(u, w)` gives `F.gelu(u) @ w`, where
# `u` has the shape (rows, hidden) and `w` (hidden, width).
#
# Between forward and backward nothing may be alive that was not there before, except the result.
# Backward returns the gradients of `u` and of `w`, either of which may be frozen, and leaves nothing
# behind. A step makes three products: one forward, and one for each gradient. `F.gelu` and its
# gradient are allowed. Banned here: `mg.utils.checkpoint` and `mg.second`.
#
# *When it passes your MLP keeps 4 U less, and no product is run again.*


# %% exercise="GeluLinear" kind="write" difficulty=2 minutes=12
class GeluLinear(mg.autograd.Function):
    """F.gelu(u) @ w, which keeps u and w alone."""

    @staticmethod
    def forward(ctx, u, w):
        ### BEGIN SOLUTION
        ctx.save_for_backward(u, w)
        return F.gelu(u) @ w
        ### END SOLUTION

    @staticmethod
    def backward(ctx, grad):
        ### BEGIN SOLUTION
        u, w = ctx.saved_tensors
        with mg.enable_grad():
            leaf = u.detach().requires_grad_()
            g = F.gelu(leaf)
        (for_u,) = mg.autograd.grad(g, leaf, grad @ w.T)
        return for_u, g.detach().T @ grad
        ### END SOLUTION


# %% check="GeluLinear"
check(GeluLinear)

# %% [markdown] hint="GeluLinear"
# What does each of the two gradients need? One of these things can be computed from another.

# %% [markdown] hint="GeluLinear"
# The gradient of `w` is `gelu(u).T @ grad`; that of `u` is `grad @ w.T`, sent through the GELU. Both
# can be had from `u` and `w`: run the GELU again in backward.

# %% [markdown] hint="GeluLinear"
# Save `u` and `w`. In backward take `leaf = u.detach().requires_grad_()`, run `g = F.gelu(leaf)` under
# `mg.enable_grad()`, and ask `mg.autograd.grad(g, leaf, grad @ w.T)`.

# %% [markdown] why="GeluLinear"
# **Why.** It is a checkpoint around the cheapest part of the block. What is computed again are a few
# ops for each number and no product. So it costs next to nothing, and saves as much as the whole
# hidden layer weighs. A checkpoint around the GELU alone would save nothing (lesson 10): the Linear
# behind it would keep the result all the same. That is why the two must be one op.

# %% [markdown] card="Carrier"
# ### Carry only what is yours
# This pair of hooks was to carry saved tensors out of the engine. The first gradients are right, and
# yet almost nothing is freed; a second backward over a retained graph fails; and weights are carried
# that somebody else holds anyway. Repair it.
#
# It is used as `there = Carrier()` and `with mg.autograd.graph.saved_tensors_hooks(there.pack,
# there.unpack):` around the forward. **What is carried** is every saved tensor but the weights, which
# are the leaves that want a gradient. A mask of dropout is carried, for example. What is carried is
# then alive in no tensor of the engine. `there.out` counts the bytes that have gone out, each time
# that `pack` is asked. Gradients are right, also for several backwards of one graph.
#
# *When it passes you could write `save_on_cpu`, and carry less than it does.*


# %% exercise="Carrier" kind="repair" difficulty=2 minutes=10
class Carrier:
    """Carries what is saved out of the engine, except the weights."""

    def __init__(self):
        ### BEGIN SOLUTION
        self.out = 0
        ### STUB
        # self.out, self.arrays = 0, []
        ### END SOLUTION

    def pack(self, tensor):
        ### BEGIN SOLUTION
        if tensor.is_leaf and tensor.requires_grad:
            return tensor
        array = tensor.detach().numpy().copy()
        self.out += array.nbytes
        return array
        ### STUB
        # array = tensor.detach().numpy()
        # self.out += array.nbytes
        # self.arrays.append(array)
        # return len(self.arrays) - 1
        ### END SOLUTION

    def unpack(self, packed):
        ### BEGIN SOLUTION
        return packed if isinstance(packed, mg.Tensor) else mg.tensor(packed)
        ### STUB
        # array, self.arrays[packed] = self.arrays[packed], None
        # return mg.tensor(array)
        ### END SOLUTION


# %% check="Carrier"
check(Carrier)

# %% [markdown] hint="Carrier"
# There are three mistakes. For each ask: who holds the bytes of the saved tensor between forward and
# backward, how often may `unpack` be asked for one of them, and whose is the tensor that comes?

# %% [markdown] hint="Carrier"
# `numpy()` gives the tensor's own bytes under another name, so they stay. And whatever `pack` returns
# is kept by the node as long as it needs it: no list of your own is needed.

# %% [markdown] hint="Carrier"
# Return `tensor` itself if `tensor.is_leaf and tensor.requires_grad`, else
# `tensor.detach().numpy().copy()`. In `unpack` a tensor is returned as it is, an array as
# `mg.tensor(array)`.

# %% [markdown] why="Carrier"
# **Why.** A view holds the whole storage (lesson 01), and an array of `numpy()` is such a view: the name
# is new, the bytes are the old ones. What `pack` returns lives in the node, and goes when the node lets
# go, after the last backward. A list beside it would have to know when that is. And a weight does not
# become free by being carried: it is only there a second time. (A Linear saves its weight as a view,
# `weight.t()`, which is no leaf. For those ask `tensor._base` as well.)

# %% [markdown] card="choose_blocks"
# ### Which blocks, for this budget?
# The blocks of a net are not alike. Block number i keeps `kept[i]` U if it is left alone. With a
# checkpoint it keeps 1 U, and when backward comes to it, it runs again: that is `products[i]` products,
# and from then on it holds `kept[i]` U after all. Backward begins at the last block, and what it has
# passed is free. Nothing else counts, neither gradients nor results.
#
# Never may more than `budget` U be held. Return the numbers of the blocks that get a checkpoint, as a
# list, in any order, such that as few products as possible are run again. If there are several such
# choices, any will do. If there is none, return None. There are at most nine blocks. Do it without
# tensors.
#
# *When it passes you choose like a machine, and know why it wraps some blocks and not others.*


# %% exercise="choose_blocks" kind="write" difficulty=3 minutes=15
def choose_blocks(kept, products, budget):
    """Numbers of blocks, counted from 0, or None."""
    ### BEGIN SOLUTION
    best, fewest = None, float("inf")
    for pattern in range(2 ** len(kept)):
        again = [i for i in range(len(kept)) if pattern >> i & 1]
        held = [1 if i in again else kept[i] for i in range(len(kept))]
        highest = max([sum(held)] + [sum(held[:i]) + kept[i] for i in again])
        price = sum(products[i] for i in again)
        if highest <= budget and price < fewest:
            best, fewest = again, price
    return best
    ### END SOLUTION


# %% check="choose_blocks"
check(choose_blocks)

# %% [markdown] hint="choose_blocks"
# Write down what is held at the end of forward, and when a block with a checkpoint has run again. Which
# blocks are still there then?

# %% [markdown] hint="choose_blocks"
# With nine blocks there are only 512 choices. For each, compute the highest point and the products;
# take the cheapest that fits.

# %% [markdown] hint="choose_blocks"
# `held[i]` is 1 or `kept[i]`. The highest point is the largest of `sum(held)` and, for each wrapped
# block, `sum(held[:i]) + kept[i]`. `range(2 ** len(kept))` goes through all choices, one bit a block.

# %% [markdown] why="choose_blocks"
# **Why.** The last block is never worth a checkpoint: it runs again while all the others are held. And to
# take the block that keeps most is not always best, nor the one that keeps most for a product: what
# counts are sums, and a sum can fit in surprising ways. (For many blocks nobody tries all choices.
# PyTorch's compiler has a setting for this, `activation_memory_budget`, and a solver behind it.)
