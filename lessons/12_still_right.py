# %% [markdown]
# # 12  Reversible: is it still right?
# Lesson 11 ended with a flat line: a chain of any depth, in the memory of one block. Such a curve
# is easy to fall in love with. But a gradient that is cheap and wrong also draws a flat line.
# Nothing in a plot of bytes can tell the two apart, so this lesson puts a second bar beside the
# first: how wrong is the gradient? We shall see it rise for several reasons, and hardly one of them
# raises an error.
#
# Every section needs a net that can be run in two ways. It stands in
# [course/stored_twin.py](../course/stored_twin.py), and the set-up cell brings its names:
#
# - `net(depth)` gives a list of pairs (F, G). Each is a hidden layer between two weights, with
#   something in its `middle`, usually a relu.
# - `through(x, blocks)` runs the blocks in the plain way. This is the **stored twin**: the same net
#   with all its activations kept.
# - `reversible(x, blocks)` runs them as one node, `Chain`, as in lesson 11.
# - `train(way, blocks, x)` makes one training step. It returns the highest point of memory, above
#   the data, and all gradients.

# %% twin=true
import minigrad as mg
from course.pictures import against, bars, verdict, wrongness
from course.predict import predict
from course.stored_twin import Chain, batch, net, reversible, through, train, undo_half, walk

x = batch()
U = x.nbytes

# %% [markdown]
# Here is the way back, shortened from lesson 11. `undo_half` takes one addition back, and walks
# through that F or G at the same time. `walk` calls it for G, and then for F with the two streams
# exchanged, since G adds to the second stream and F to the first.

# %% twin=true
from course.code_of import code_of

code_of(undo_half, walk)

# %% [markdown]
# ## 1. Does minus undo plus?
# In algebra, yes: from y = x + F(u) follows x = y - F(u), whatever F is. Lesson 11 needed nothing
# else. But a computer does not add, it adds and rounds. float32 keeps about seven digits. Here is
# the shortest reversible net: take 0.1, add a number, subtract the same number.

# %% twin=true at="12.minus"
tenth = mg.tensor(0.1)
for big in (10.0, 1e5, 1e8):
    print(f"(0.1 + {big:.0e}) - {big:.0e} =", f"{(tenth + big - big).item():.9f}")

# %% [markdown]
# The larger the number that passes by, the fewer digits of the small one survive, and at the end it
# is gone. No step was wrong, and nothing was reported. A chain does this in every block, to every
# element. So the question is not whether it rounds, but what becomes of the rounding on a long way.
#
# To measure it we need a number. The **wrongness** of a gradient is its distance from the right
# one, divided by the size of the right one; of several tensors we take the worst. Two float32
# computations of the same thing differ by about 0.0001 % anyway, as they add in different order. At
# 100 % one could as well have left the gradient at zero. `verdict` says `right` below 0.01 %,
# `WRONG` above 1 %, and `off` between. What is right? For now, the stored twin.
#
# How wrong it gets depends on the weights. In `net(16)` they are large: the first weight of each F
# and G keeps the size of what passes the relu (known as He initialisation), and the second returns
# about as much as came in. No usual initialisation is as large as that. It stands for a net whose
# weights have grown in training.


# %% twin=true
def compare(blocks, data=x):
    (stored, right), (ours, got) = (train(way, blocks, data) for way in (through, reversible))
    return {"stored": (stored, 0.0), "reversible": (ours, wrongness(got, right))}


# %% solo="prediction"
predict(
    "12.drift",
    "Sixteen blocks with such large weights, in float32. No error is raised. How wrong is the "
    "reversible gradient?",
    {
        "about 0.0001 %": "The usual float32 noise. With the weights that `nn.Linear` starts with "
        "it is true, and those are what one tests with.",
        "about 1 %": "Noise, but more of it: 32 additions instead of one. If each block added its "
        "own bit of rounding, it would not even be that much. But blocks also stretch it.",
        "more than 10 %": "The rounding of the last blocks is stretched by all the blocks on the "
        "way back, until the activations that come out are other ones.",
    },
    run=lambda: (
        "more than 10 %"
        if (error := compare(net(16))["reversible"][1]) > 0.1
        else "about 1 %"
        if error > 1e-4
        else "about 0.0001 %"
    ),
)

# %% [markdown]
# This is the picture of the lesson. On the left is what the trick saves, on the right what it
# costs. The right axis is logarithmic: each mark is a thousand times the one before. The dotted
# line is 100 %. A plain grey bar is right; a hatched one is not.

# %% twin=true at="12.bars"
ours, error = compare(net(4))["reversible"]
print(f"With 4 blocks: {ours / U:.1f} U, and the gradient is {verdict(error)}.")
bars(compare(net(16)), "16 blocks, float32", unit=U)

# %% [markdown]
# Memory has fallen from about 50 U to 6.5 U, and the gradient is worth nothing. With four blocks it
# was still right. This is **drift**: what backward rebuilds moves away from what forward computed,
# a little more with each block.
#
# And with the weights that one really starts with? In `linear_net` each F and G is an `nn.Linear`,
# a relu and an `nn.Linear`, as they come. Such an F returns about a fifth of what it gets. We run
# the same sixteen blocks in float32, and once more in float16, which keeps three digits.

# %% twin=true at="12.starts"
from course.stored_twin import linear_net

rows = {"large weights": compare(net(16))["reversible"]}
rows["nn.Linear's start"] = compare(linear_net(16))["reversible"]
small = x.to(mg.float16)
rows["the same, float16"] = compare(linear_net(16, mg.float16), small)["reversible"]
bars(rows, "16 reversible blocks", unit=U)

# %% [markdown]
# In float32 the net that starts as `nn.Linear` does is right, off by less than 0.0001 %. In float16
# it is not. Here are four nets of each depth. (`~` and "measured" stand around a
# figure that may be another one on your machine.)

# %% twin=true at="12.float16"
for depth in (4, 16):
    blocks = [linear_net(depth, mg.float16, seed) for seed in range(4)]
    errors = [100 * compare(one, small)["reversible"][1] for one in blocks]
    print(f"{depth:2} blocks, the best net:  off by ~{min(errors):.2f} percent measured")
    print(f"{depth:2} blocks, the worst net: off by ~{max(errors):.2f} percent measured")

# %% [markdown]
# When this course was made, it was 0.05 to 1.5 % with four blocks and 2.4 to 4.9 % with sixteen; in
# PyTorch 2.13, 0.05 to 2.1 % and 2.9 to 4.8 %. The spread has a reason. Where a number comes back
# on the other side of 0, its relu opens or closes, and one element of a gradient is off as a whole.
# (The stored float16 twin is up to 4 % away from the same net in float32, too. But it has the
# gradient of its own forward, and the reversible one has not even that.)
#
# Is there a rule? Call **growth** the factor g by which the chain makes its input longer. The
# rounding in the last block is eps of the *output*. (eps = 6e-8 for float32: half of what
# `torch.finfo` calls eps, since rounding is off by half a step at most.) And the output is g times
# as large as the input.
#
# On the way back that rounding is stretched once more. Adding F(y2) to y1 changes no volume: a
# block that pulls some directions apart must squeeze others, and what was squeezed forward is
# pulled apart backward. That makes g twice, so the error of the rebuilt input should be about eps
# times g squared. `drift` of `course/stored_twin.py` gives this number, and the error measured. The
# dashed line of the picture is where they would be equal.


# %% twin=true at="12.rule"
from course.stored_twin import drift

points = {f"{depth} blocks": drift(net(depth), x) for depth in (2, 4, 8, 12, 16)}
points["16, nn.Linear"] = drift(linear_net(16), x)
against(points, "The error of the rebuilt input", "eps x g x g", "measured")

# %% [markdown]
# Right within a factor of thirty, over six orders of magnitude, with nothing fitted (mostly it is
# much nearer; the factor leaves room for how your processor rounds). It also says what to do first:
# keep g small. Growth is under your control; it is the size of the last weight in F and G. (For
# tanh in place of relu the rule fails: there the output stays small while the inside is as
# sensitive as ever.)
#
# **Try it.** Take smaller last weights: `bars(compare(net(16, size=0.3)), unit=U)`. The error is
# back where float32 noise is, as with `nn.Linear`'s start. Training may make weights grow: measure
# again later.

# %% [markdown]
# ## 2. What does a fix cost?
# The rounding happens in the additions, so more digits are needed there, and only there. Let the
# two streams be float64, which has sixteen digits. F and G, where all the work is, go on in
# float32. In code it is a change of dtype at the door of each F and G: a narrow copy goes in, a
# wide one comes out.


# %% twin=true
def wide(f):
    return lambda u: f(u.to(mg.float32)).to(mg.float64)


def wide_streams(way):
    return lambda x, blocks: way(x.to(mg.float64), [(wide(f), wide(g)) for f, g in blocks])


# %% [markdown]
# A stored net would never do this: twice the bytes for each activation it keeps. And a reversible
# one? Its 6.5 U are: the output, 1 U; the rebuilt streams, 1 U; their gradients, 1 U; and inside
# the F or G that is being undone 3.5 U, namely the relu's result and two gradients around it, 1 U
# each, and what F returns, half a U. (Lesson 11 counted input and seed, too, 2 U, and the 1.5 U
# that `trimmed=True` saves.)

# %% solo="prediction"
predict(
    "12.cost",
    "16 reversible blocks had their highest point at 6.5 U. And with float64 streams?",
    {
        "6.5 U": "As if it were free. But streams and their gradients are alive at the highest "
        "point, and they are twice as wide now.",
        "10.5 U": "Output, streams and their gradients double: 3 U more, once, whatever the depth. "
        "At the door, the narrow copy (half a U) and the wide result (half a U more): 1 U.",
        "22.5 U": "1 U for each block. That would be the price if the streams were kept. They "
        "are rebuilt, so there is only one pair to be made wider.",
    },
    run=lambda: f"{train(wide_streams(reversible), net(16))[0] / U:.1f} U",
)

# %% twin=true at="12.fix"
blocks = net(16)
stored, right = train(through, blocks)
ours, got = train(reversible, blocks)
fixed, better = train(wide_streams(reversible), blocks)
fair = train(wide_streams(through), blocks)[1]
rows = {"stored": (stored, 0.0), "reversible": (ours, wrongness(got, right))}
bars({**rows, "float64 streams": (fixed, wrongness(better, fair))}, "The one-line fix", unit=U)

# %% [markdown]
# Four U, once, at any depth, and the gradient is right. How right? The last bar compares with a
# twin that is fair: stored, and with float64 streams, too. The difference is this:

# %% twin=true at="12.exact"
for depth in (2, 8, 16):
    blocks = net(depth)
    ours, got = train(wide_streams(reversible), blocks)
    error = wrongness(got, train(wide_streams(through), blocks)[1])
    print(f"{depth:2} blocks: {ours / U:.1f} U at the highest point, wrongness {error}")

# %% [markdown]
# Not small, but zero. What F returns is a float32 number, 24 binary digits; a float64 has room
# for 53. As long as the streams have not grown too far beyond what is added to them, the sum needs no
# rounding at all. And what was never rounded, minus undoes. (With enough growth 53 digits run out
# as well. Then the error is tiny, and most of it falls off when F rounds its input to float32.) In
# minigrad it is one word.

# %% solo="minigrad's own ReversibleSequential" at="12.stream-dtype"
rev = mg.reversible


def module(**options):
    def way(x, blocks):
        pairs = [rev.ReversibleBlock(f, g) for f, g in blocks]
        return rev.ReversibleSequential(*pairs, tolerance=None, **options)(x)

    return way


right = train(wide_streams(through), net(16))[1]
for dtype in (None, mg.float64):
    error = wrongness(train(module(stream_dtype=dtype), net(16))[1], right)
    print(f"With stream_dtype={dtype} the gradient is {verdict(error)}.")

# %% [markdown]
# (`tolerance=None` switches off a check of which section 5 will tell.)
#
# ### Not every error is the trick's fault
# So far the stored twin was the measure of all things. But it computes in float32 as well. Who
# checks it? The whole net once more in float64, with the same weights, is as near to the **truth**
# as we can get. Here are 40 blocks with a tanh inside and large weights.

# %% twin=true at="12.truth"
wild = {"depth": 40, "middle": mg.nn.Tanh, "size": 3.0}
truth = train(through, net(**wild, dtype=mg.float64), x.to(mg.float64))[1]
ways = {"stored": through, "reversible": reversible, "float64 streams": wide_streams(reversible)}
rows = {}
for name, way in ways.items():
    highest, got = train(way, net(**wild))
    rows[name] = highest, wrongness(got, truth)
bars(rows, "40 tanh blocks, against float64", unit=U)

# %% [markdown]
# All three are wrong, the stored gradient too, though nothing in it was rebuilt. This
# net is chaotic: it stretches any difference, and the rounding inside its F is one. No way of storing
# mends that. Float64 streams only make the reversible gradient equal to that of its fair twin, and
# here that one is wrong as well. (That the bars are not equally long says nothing: beyond 100 % one
# is as worthless as the other.) So ask two questions, in this order: is the stored gradient right, against float64? Is the reversible one equal to the
# stored one? To blame the reversible chain is fair only if the first answer is yes.
#
# **Try it.** Set `size` to 1.0 in `wild`. The stored bar falls far below 1 %. Which of the other
# two goes with it all the way?

# %% [markdown]
# ## 3. What if F throws dice?
# Dropout sets a random part of its input to zero. Backward runs F a second time; so it rolls a
# second time. From here on the nets have four blocks and small weights (`size=0.3`), which drift
# cannot harm. Whatever the bar shows now has another cause.


# %% twin=true
def dropout():
    return mg.nn.Sequential(mg.nn.ReLU(), mg.nn.Dropout(0.1))


def wrong_by(way):
    blocks, found = net(4, dropout, size=0.3), []
    for one in (through, way):
        mg.manual_seed(0)  # each way meets the same dice in forward
        found.append(train(one, blocks))
    (_, right), (highest, got) = found
    return highest, wrongness(got, right)


# %% solo="prediction"
predict(
    "12.dice",
    "F and G drop a tenth of their hidden elements. What does the backward of our `reversible` do?",
    {
        "raises an error": "It would be good manners. But ours has nothing to compare with: the "
        "first activations are gone. (Section 5 has a chain that does compare.)",
        "passes, with the right gradient": "One would like to think that dropout keeps its mask. "
        "It does, in its node. That node went with the forward pass; the second has its own mask.",
        "passes, with a wrong gradient": "F of the second run is another function than F of the "
        "first. What is subtracted is not what was added.",
    },
    run=lambda: (
        "passes, with a wrong gradient"
        if verdict(wrong_by(reversible)[1]) == "WRONG"
        else "passes, with the right gradient"
    ),
)

# %% [markdown]
# The remedy seems plain: dice of a computer are a formula, and the formula has a state. One can ask
# for it with `get_rng_state()` and go back to it with `set_rng_state()`. A library did so once per
# block, at its beginning. The function below does it like that.


# %% twin=true
def per_block(f, g):
    states = []

    def call(half, u):
        states.append(mg.get_rng_state())
        if len(states) == 3:  # after forward's F and G: backward begins
            mg.set_rng_state(states[0])
        return half(u)

    return lambda u: call(f, u), lambda u: call(g, u)


# %% [markdown]
# And here it is once per function: `Same` remembers the state of its first call, and goes back to
# it for the second one. (Then it puts things back as they were. Otherwise the dice of the next
# training step would be those of this one.)


# %% twin=true
class Same:
    def __init__(self, half):
        self.half, self.state = half, None

    def __call__(self, u):
        now = mg.get_rng_state()
        if self.state is None:
            self.state = now
            return self.half(u)
        mg.set_rng_state(self.state)
        v = self.half(u)
        mg.set_rng_state(now)
        return v


# %% twin=true at="12.dropout"
def state_per_block(x, blocks):
    return reversible(x, [per_block(f, g) for f, g in blocks])


def state_per_half(x, blocks):
    return reversible(x, [(Same(f), Same(g)) for f, g in blocks])


ways = {"stored": through, "reversible": reversible}
ways |= {"state per block": state_per_block, "state per F and G": state_per_half}
bars({name: wrong_by(way) for name, way in ways.items()}, "Dropout 0.1", unit=U)

# %% [markdown]
#
# (Stored is 29.0 U in place of 13.5, since each of eight dropouts keeps its mask and its product.)
#
# Going back at the beginning of the block has helped nothing. Why not? Forward calls F, then G.
# Backward takes the last addition back first, so it calls **G, then F**. One state for both hands G
# the dice of F, and F those of G. Random state has to be kept for each function that is run again,
# and this is what minigrad's `ReversibleSequential` does (only for those that did roll).
#
# (How much does it take? In PyTorch 5,056 B on the CPU for each state, as section 6 shows: next
# to nothing, beside the activations of a real net.)
#
# **Try it.** In `per_block`, write `len(states) in (3, 4)` and `mg.set_rng_state(states[4 -
# len(states)])`: the fourth call gets the state of the first, and the third that of the second. Now
# it is right.

# %% [markdown]
# ## 4. What if F keeps a diary?
# BatchNorm brings each of its inputs to mean 0 and variance 1 over the batch. While it trains it
# also keeps **running statistics**, a moving average of the means and variances it has met, for
# later use in evaluation, and it counts the batches. Batch in, same numbers out: there are no dice.
# But each call writes something down.


# %% twin=true
def batch_norm():
    return mg.nn.Sequential(mg.nn.BatchNorm1d(32), mg.nn.ReLU())


def with_norm(way):
    blocks = net(4, batch_norm, size=0.3)
    highest, got = train(way, blocks)
    norm = blocks[0][0].middle[0]
    return highest, got, norm.num_batches_tracked.item(), norm.running_mean


# %% solo="prediction"
predict(
    "12.norm",
    "One training step of a reversible chain with BatchNorm in F and G. What is wrong afterwards?",
    {
        "the gradient": "In training mode BatchNorm uses the mean of the batch it is given, not "
        "the running one. The batch is the same, so the second run gives the same.",
        "the running statistics": "The batch is written down twice: once in forward, and once "
        "when F is run again.",
        "both": "As with dropout, the second run differs from the first? Its result does not. "
        "What it leaves behind does.",
    },
    run=lambda: {
        ("right", 2): "the running statistics",
        ("WRONG", 1): "the gradient",
        ("WRONG", 2): "both",
    }[
        verdict(wrongness(with_norm(reversible)[1], with_norm(through)[1])),
        with_norm(reversible)[2],
    ],
)

# %% twin=true at="12.twice"
_, right, once, mean = with_norm(through)
_, got, twice, mean_again = with_norm(reversible)
print(f"The gradient is {verdict(wrongness(got, right))}.")
print(f"The stored chain counted {once} batch, the reversible one {twice}.")
print(f"Its running mean is {(mean_again.sum() / mean.sum()).item():.3f} times the right one.")

# %% [markdown]
# With its momentum of 0.1 the average takes a tenth of the batch, and then a tenth again: 0.1 + 0.9
# x 0.1 = 0.19 in place of 0.1. The training does not notice. What suffers is the evaluation
# afterwards, and only while the statistics still move fast. It is a fault that can live for years.
#
# There is an obvious cure, and it has been proposed in the bug report of a library: put F into
# `eval()` mode while it is run again, for then BatchNorm writes nothing down.


# %% twin=true at="12.eval"
def undo_in_eval(f, *streams):
    f.eval()
    result = undo_half(f, *streams)
    f.train()
    return result


def undo_and_erase(f, *streams):
    norm = f.middle[0]
    diary = norm.running_mean, norm.running_var, norm.num_batches_tracked
    kept = [entry.clone() for entry in diary]
    result = undo_half(f, *streams)
    for entry, old in zip(diary, kept, strict=True):
        entry.copy_(old)
    return result


# %% twin=true at="12.norms"
def row(name, way):
    highest, got, count, _ = with_norm(way)
    return f"{name}, {count} counted", (highest, wrongness(got, with_norm(through)[1]))


def stepping(back):
    return row(back.__name__, lambda x, blocks: reversible(x, blocks, back))


rows = [row("stored", through), *map(stepping, (undo_half, undo_in_eval, undo_and_erase))]
bars(dict(rows), "BatchNorm, run again in three ways", unit=U)

# %% [markdown]
# The cure is worse than the disease. In `eval()` mode BatchNorm uses the running mean instead of
# the batch's own. So F of the second run is another function, as with dropout, and a harmless fault
# in the statistics has become a wrong gradient. The third way lets F do what it did, and then puts
# the old entries back. minigrad has a flag for it, which BatchNorm looks at: this is only a
# recomputation.

# %% solo="minigrad's own ReversibleSequential" at="12.flag"
rev = mg.reversible


def chain(x, blocks):
    return rev.ReversibleSequential(*[rev.ReversibleBlock(f, g) for f, g in blocks])(x)


_, got, count, _ = with_norm(chain)
error = wrongness(got, with_norm(through)[1])
print(f"It counted {count} batch, and the gradient is {verdict(error)}.")

# %% [markdown]
# What dropout and BatchNorm have in common: **to run again is not to replay.** A recomputation is
# right if F depends on nothing but its input and its weights, and changes nothing but its result.
# Everything else that F reads or writes has to be put back: dice, diaries, modes. (In PyTorch also
# the precision that `autocast` has chosen; that is told in section 6.)
#
# **Try it.** In `undo_and_erase`, leave `num_batches_tracked` out of the diary: the count is 2
# again, and nothing else changes.

# %% [markdown]
# ## 5. Case file: who notices?
# So far the rounding was to blame, or F. But the chain is written by hand, too. In the middle of
# thread 000 stands a template of what the asker wants: a Function whose forward keeps nothing, and
# whose backward returns `ones_like` of the gradient. It runs. People who wrote a chain such as ours
# made six more slips. Of these seven, three are a matter of code, four of use. First the code:


# %% twin=true
class Template(Chain):
    @staticmethod
    def backward(ctx, dy):
        return mg.ones_like(dy), None, None


def forgets_a_path(f, u, y, du, dy):
    x, both = undo_half(f, u, y, du, dy)
    return x, both - du  # u was used twice: only the way through f is left


# %% twin=true
class OnCtx(Chain):
    @staticmethod
    def forward(ctx, x, blocks, undo):
        ctx.blocks, ctx.undo = blocks, undo
        ctx.y = through(x, blocks)
        return ctx.y

    @staticmethod
    def backward(ctx, dy):
        y = ctx.y
        del ctx.y  # opens the ring of lesson 07
        return walk(ctx, y, dy), None, None


# %% [markdown]
# The second forgets that a stream reaches the loss on two ways: straight on, and through F. The
# third keeps its output as an attribute, where no version counter watches it (lesson 07; `del`
# opens the ring). The four of use: somebody writes into the output, moves the weights before
# backward, feeds raw data, or brings an F that works in place.


# %% twin=true
from course.code_of import code_of
from course.slips import InPlace, ending, in_place, moved, raw, said, written

code_of(written, moved, raw, InPlace, in_place)

# %% [markdown]
# With raw data nobody wants a gradient at `x`, as in the first layer of any net. Each slip is tried
# by `ending`, which tells how one step ends. It judges by the gradients of the weights. (All of
# this stands in [course/slips.py](../course/slips.py).)


# %% twin=true
def calm():
    return net(4, size=0.3)


slips = {
    "the thread's template": lambda x, blocks: Template.apply(x, blocks, undo_half),
    "a path forgotten": lambda x, blocks: reversible(x, blocks, forgets_a_path),
    "output written, saved": written(reversible),
    "output written, on ctx": written(lambda x, blocks: OnCtx.apply(x, blocks, undo_half)),
    "weights moved": moved(reversible),
    "raw data": raw(reversible),
    "F in place": in_place(reversible),
}

# %% solo="prediction"
predict(
    "12.silent",
    "Seven slips. How many of them end in an error, so that somebody will notice?",
    unit="errors",
    why="Autograd notices two things: a saved tensor that was written to, and a leaf that is "
    "changed in place. That a formula is wrong, or a weight has moved, it cannot know.",
    wrong={
        7: "Autograd is careful, but it checks graphs, not mathematics.",
        0: "It is not as bad as that: version counters guard what went through "
        "`save_for_backward`.",
    },
    run=lambda: sum("Error" in ending(way, calm) for way in slips.values()),
)

# %% twin=true at="12.traps"
for name, way in slips.items():
    print(f"{name:23}", ending(way, calm))

# %% [markdown]
# Five of the seven are silent. `raw data` is the cruellest, for it looks like training: the loss
# falls, since the last layer learns, and the chain's weights stay where they were. (The Function
# sees one tensor, and that wants no gradient, so it makes no node. The weights came in a list,
# which is no tensor.) The remedy is to pass the weights to `apply` as well, one by one. And `F in
# place` is caught late: its forward, which nobody recorded, has already written into your data.
#
# Two more slips come from the inner `backward()` of `undo_half`. It puts the gradients of the
# weights where it always puts them, in `.grad`. That is not always where they were asked for.


# %% twin=true at="12.inner"
blocks = net(1, size=0.3)
w = blocks[0][0].a
leaf = x.clone().requires_grad_()
try:
    mg.autograd.grad(reversible(leaf, blocks).sum(), [w])
except RuntimeError as error:
    print(str(error).split(". ")[0])
mg.autograd.grad(reversible(leaf, blocks).sum(), [leaf])
print(
    f"Asked for the gradient of x alone, it left w.grad {'empty' if w.grad is None else 'filled'}."
)

# %% [markdown]
# (And double backward? A second walk with `retain_graph=True` works, and adds up as it should. A
# gradient of a gradient does not. With `create_graph=True`, PyTorch 2.13 returns one with
# `requires_grad=False` if the loss is linear in y, as `.sum()` is. With `(y**2).sum()` it has
# `requires_grad=True`, but what the inner `backward()` computed counts as a constant in it, so the
# second derivative is wrong, without a word of warning. minigrad's own reversible chain refuses
# `create_graph=True`.)
#
# A good library turns silent slips into sentences. Here is how minigrad's own module takes those
# that can be made with it, and with them the drift of section 1.

# %% solo="minigrad's own ReversibleSequential" at="12.refuses"
rev = mg.reversible


def module(x, blocks):
    return rev.ReversibleSequential(*[rev.ReversibleBlock(f, g) for f, g in blocks])(x)


for slip in (written, moved, raw, in_place):
    print(f"{slip.__name__:9}", said(slip(module), calm))
print("drift    ", said(module, lambda: net(16)))

# %% [markdown]
# Four sentences, before any `.grad` is touched, and raw data simply works, as each weight is an
# input of the node. (So `autograd.grad` finds the weights, too, and fills nothing.) The last line
# is the check called `tolerance`: the chain remembers a few numbers of its input, 64 at most, and
# compares them with those that came back. Whatever the reason is why F was not the same F, most
# likely it shows there.
#
# **Try it.** Feed the chain data with a gradient that nobody wants: `ending(lambda x, blocks:
# reversible(x.detach().requires_grad_(), blocks), calm)`. It is right now: the usual way out with a
# library that hides its weights.

# %% [markdown]
# ## 6. What do the libraries get wrong?
# You need not take our word for how easily this goes wrong. Three libraries for reversible nets in
# PyTorch can be installed today. We ran them under PyTorch 2.13 on the CPU, in 2026, on the same
# additive blocks, and recorded what they did. U is again the bytes of the batch; batch and output
# are counted, weights are not. None of these numbers is computed here.
#
# | | revtorch 0.2.4 (2020) | memcnn 1.5.2 (2023) | revlib 1.7.2 (2022) |
# |---|---|---|---|
# | highest point, 4 to 32 blocks | 9.5 U, flat | 12 U, flat | 9.5 U, flat |
# | plain blocks: gradient off by | 0.00001 % | 0.00001 % | 0.00001 % |
# | dropout: same mask again | only if told so | **no**, not even if told so | yes |
# | BatchNorm: batches counted a step | 2 | **3** | 2 |
# | raw data | error | right | error |
# | relu in front of the chain | right | error | right |
#
# All three are flat, and all three are exact where there is nothing to go wrong. Their left bar is
# perfect. The differences are where this lesson looked.
#
# You can explain each bold entry now. memcnn keeps the random state once per block, and backward
# runs G before F: that was `per_block` in section 3. It counts three batches since it computes the
# inverse first and then runs forward once more, so F is called three times.
#
# The error after a relu comes from the same wish as thread 000's. The library frees the bytes of
# its own input by force, and the relu had saved them. (The same done by hand, with PyTorch's
# `resize_(0)`, ended in a crash of the whole process.) Their issue pages tell the same story from
# the other side: statistics that go wrong, masks that differ, memory that does not fall. And one
# user turned to `eval()` as the remedy.
#
# Also recorded in PyTorch, since minigrad has no such thing: under `autocast` with bfloat16, a
# chain that does not switch it on again in backward has a gradient that is off by 0.6 %.
#
# Can it be done right in PyTorch? `for_torch/reversible.py` is one file to copy, and has what you
# found: a random state for each F and G, statistics that are written into copies, weights that are
# inputs of the nodes, and the baton of lesson 11. Here are the same questions, put to it under
# PyTorch by the same count of bytes.

# %% solo="a recorded run of PyTorch, and a test runs it again" at="12.for-torch"
from course.on_torch import on_torch

on_torch("reversible")

# %% [markdown]
# No row is a promise for your net, so the file brings the check along: `wrongness(net, x)` compares
# with `net.stored(x)`, the stored twin. Its page is `docs/for_torch.md`. It does no magic, either:
# rounding is refused where it shows, and float64 streams are its remedy, too.
#
# So here is a question to ask of every clever piece of memory saving, ours included. Not: is the
# line flat? But: **what did it compare its gradients with, and on which net?** The whole check
# takes a few lines, and you have written it: a stored twin, one step each, the worst tensor.


# %% twin=true
def is_right(way, blocks):
    mg.manual_seed(0)
    right = train(through, blocks)[1]
    mg.manual_seed(0)
    return wrongness(train(way, blocks)[1], right) < 1e-4


# %% twin=true at="12.check"
nets = {
    "small weights": net(4, size=0.3),
    "deep": net(16),
    "dropout": net(4, lambda: mg.nn.Sequential(mg.nn.Dropout(0.1), mg.nn.ReLU()), size=0.3),
    "batch norm": net(4, lambda: mg.nn.Sequential(mg.nn.BatchNorm1d(32), mg.nn.ReLU()), size=0.3),
}
for name, blocks in nets.items():
    print(f"{name:13} right: {is_right(reversible, blocks)}")

# %% [markdown]
# (BatchNorm passes. The check looks at gradients, and not at diaries. No single bar tells all.)
#
# **Try it.** Check minigrad's `ReversibleSequential` in the same way, and then with
# `stream_dtype=mg.float64`. (Set `tolerance=None`, or the deep net ends in an error.)
#
# ### The same in PyTorch
# Dice that are put back. This prints `True False 5056`.
#
# ```python
# import torch
#
# drop, u = torch.nn.Dropout(0.5), torch.ones(64)
# state = torch.get_rng_state()
# first, second = drop(u), drop(u)
# torch.set_rng_state(state)
# print(torch.equal(drop(u), first), torch.equal(first, second),
#       state.nbytes)
# ```
#
# ### Three things you can trust
# Minus does not undo plus in float32. With small weights the reversible gradient is right. With
# float64 streams it equals the stored twin's, bit for bit, where float32 streams fail.


# %% twin=true
def against_the_twin(depth, size, streams):
    def way(kind):
        return lambda x, blocks: kind(x.to(streams), [(cast(f), cast(g)) for f, g in blocks])

    def cast(half):
        return lambda u: half(u.to(mg.float32)).to(streams)

    blocks = net(depth, size=size)
    return wrongness(train(way(reversible), blocks)[1], train(way(through), blocks)[1])


# %% twin=true at="12.asserts"
tenth = mg.tensor(0.1)
assert (tenth + 1e8 - 1e8).item() == 0.0
assert against_the_twin(4, 0.3, mg.float32) < 1e-4
assert against_the_twin(16, 1.0, mg.float32) > 0.1
assert against_the_twin(16, 1.0, mg.float64) == 0.0
print("all three hold")

# %% [markdown]
# What was simplified: all our wrongness is that of a single step. While a net is trained, its
# weights and its growth change, so a chain that was right in the beginning need not stay right. And
# small errors in a gradient are often harmless: training is noisy anyway. But you should know which
# noise you have bought.
#
# **Next:** since lesson 02 each iteration has built its graph anew, though it is the same graph
# every time. Must it? Lesson 13 records it once.

# %% [markdown] card="steady"
# ### The digits at the wrong door
# A deep reversible chain drifts, and somebody has read that float64 helps. They put it where the
# work is: what F and G return is widened, and narrowed again so that it fits the streams. The
# gradient is as wrong as before.
#
# Repair `steady(x, blocks)`, with `reversible` of the set-up cell or any other reversible chain:
# `mg.reversible` is allowed here.
# Contract: the gradient equals that of the stored twin; F and G are given float32 and do their work
# in it; input, output and the gradient of `x` are float32, too. A step makes no more products than
# that of `reversible`. Its peak is at most 20 U and twice the bytes of the weights, whatever the
# depth; so no checkpoint: backward undoes the halves, the last one first.
#
# *When it passes you know which digits a reversible chain must not lose.*


# %% exercise="steady" kind="repair" difficulty=1 minutes=6
def steady(x, blocks):
    """The chain of `blocks` on float32 `x`, with a gradient that one may believe."""

    ### BEGIN SOLUTION
    def door(half):
        return lambda u: half(u.to(mg.float32)).to(mg.float64)

    y = reversible(x.to(mg.float64), [(door(f), door(g)) for f, g in blocks])
    return y.to(mg.float32)
    ### STUB
    # def door(half):
    #     return lambda u: half(u).to(mg.float64).to(u.dtype)
    #
    # return reversible(x, [(door(f), door(g)) for f, g in blocks])
    ### END SOLUTION


# %% check="steady"
check(steady)

# %% [markdown] hint="steady"
# Where does the chain round: inside F, or where something is added to a stream and taken off again?

# %% [markdown] hint="steady"
# The streams must be wide from the first addition to the last. So widen `x` before the chain and
# narrow `y` behind it. At the door of F and G it is the other way round: narrow in, wide out.

# %% [markdown] hint="steady"
# `half(u.to(mg.float32)).to(mg.float64)` at the door, `x.to(mg.float64)` into the chain, and
# `.to(mg.float32)` on what comes out of it.

# %% [markdown] why="steady"
# **Why.** What F computes need not be exact; it only has to be the same number both times. It is
# the sum that must not lose digits, since minus has to undo plus. Widening a number and narrowing
# it again gives nothing: the digits have to be there while the addition is done. The price is a
# constant, four more U, because only one pair of streams is alive.

# %% [markdown] card="diary"
# ### A diary, in PyTorch
# A reversible chain runs F under `no_grad` in forward and once more, recorded, in backward. You
# have never seen this snippet, in which BatchNorm is called in several ways:
#
# ```python
# import torch
#
# norm = torch.nn.BatchNorm1d(1, momentum=momentum)
# for how, mean in calls:
#     x = torch.tensor([[mean - 1.0], [mean + 1.0]])
#     norm.train(how != "eval")
#     with torch.set_grad_enabled(how == "recorded"):
#         norm(x)
# ```
#
# `calls` is a list of pairs such as `("no_grad", 2.5)`; `how` is `"recorded"`, `"no_grad"` or
# `"eval"`. Return two numbers: `norm.num_batches_tracked` and `norm.running_mean` afterwards. The
# running mean begins at 0. Work them out without a BatchNorm.
#
# *When it passes you know what `no_grad` does not switch off.*


# %% exercise="diary" kind="predict+transfer" difficulty=1 minutes=5
def diary(calls, momentum):
    """[batches counted, running mean] after the calls."""
    ### BEGIN SOLUTION
    count, running = 0, 0.0
    for how, mean in calls:
        if how != "eval":
            count += 1
            running = (1 - momentum) * running + momentum * mean
    return [count, running]
    ### END SOLUTION


# %% check="diary"
check(diary)

# %% [markdown] hint="diary"
# Which of the three ways is about gradients, and which one is about the diary?

# %% [markdown] hint="diary"
# `no_grad` stops the recording of a graph and nothing else. In `eval` mode BatchNorm reads its
# diary, and writes nothing.

# %% [markdown] hint="diary"
# For each call that is not `"eval"`: `count += 1`, and the running mean becomes `(1 - momentum)`
# times itself plus `momentum` times the mean of the batch.

# %% [markdown] why="diary"
# **Why.** Forward and its repetition both write, whether a graph is recorded or not. So a step of a
# reversible chain counts two batches, and the running mean moves twice. `eval()` would stop that,
# but it also makes BatchNorm compute something else, and then the gradient is wrong: a flag for "I
# am only running again" is what libraries need.

# %% [markdown] card="same_dice"
# ### The same dice, twice
# Write `same_dice(half)`, which makes an F or a G with dropout fit for a reversible chain. What it
# returns is called with one tensor, twice in each training step: in forward, and again in backward.
# The second call has to throw the dice of the first one. Other functions roll between the two, and
# training goes on: in the next step there are new dice.
#
# After the second call the generator stands where it stood before that call. Between the two calls
# nothing but the state is kept: no tensor. (The `Same` of section 3 is fit for one step only.)
# Banned here: `mg.utils.rng`.
#
# *When it passes, dropout and reversible chains get along.*


# %% exercise="same_dice" kind="write" difficulty=2 minutes=8
def same_dice(half):
    """A function like `half`, whose every second call throws the dice of the call before it."""
    ### BEGIN SOLUTION
    state = None

    def call(u):
        nonlocal state
        now = mg.get_rng_state()
        if state is None:
            state = now
            return half(u)
        mg.set_rng_state(state)
        state = None
        v = half(u)
        mg.set_rng_state(now)
        return v

    return call
    ### END SOLUTION


# %% check="same_dice"
check(same_dice)

# %% [markdown] hint="same_dice"
# Three moments matter: before the first call, before the second, after the second. What is to be
# noted or put back at each of them?

# %% [markdown] hint="same_dice"
# `Same` of section 3 tells the calls apart by whether it has a state. After a second call it still
# has one, so the next step's first call is taken for a repetition.

# %% [markdown] hint="same_dice"
# First call: `state = mg.get_rng_state()`. Second call: note the state of now, set the kept one,
# forget it (`state = None`), run `half`, set the noted one.

# %% [markdown] why="same_dice"
# **Why.** The state is taken before the call, kept for one repetition, and forgotten. If it stayed,
# each step would throw the dice of the first: a dropout that always drops the same numbers trains
# without an error, and is no dropout. Putting the generator back is for the others: without it, the
# next step would repeat random numbers that have been used.

# %% [markdown] card="is_trustworthy"
# ### Write the test
# Now you are the one who checks a library. `is_trustworthy(way, make, x)` says True or False about
# `way`, which somebody wrote: `way(x, blocks)` runs a chain as `reversible(x, blocks)` does.
# `make()` gives new blocks, each time with the same weights and statistics.
#
# Compare one training step of `way` with one of the stored twin `through`. It is trustworthy if the
# gradients of `x` and of all weights are right (`wrongness` below 1e-4), and if afterwards
# everything is as the twin leaves it: weights, running statistics, counts, and the dice that are
# thrown next. What the set-up cell brings is at your service, `train` above all; it stands in
# [course/stored_twin.py](../course/stored_twin.py). Let both begin with the same dice.
#
# Your test meets planted bugs, and implementations that are right. *When it passes, no silent slip
# of this lesson gets by you.*


# %% exercise="is_trustworthy" kind="write" difficulty=3 minutes=15
def is_trustworthy(way, make, x):
    """True if one step of `way` gives and leaves what one step of `through` does."""
    ### BEGIN SOLUTION
    ends = []
    for run in (through, way):
        mg.manual_seed(0)
        blocks = make()
        gradients = train(run, blocks, x)[1]
        left = [mg.rand(9), *(t for pair in blocks for half in pair for t in entries(half))]
        ends.append((gradients, left))
    (right, wanted), (got, found) = ends
    same = all(mg.allclose(a, b) for a, b in zip(wanted, found, strict=True))
    return same and wrongness(got, right) < 1e-4


def entries(half):
    return [t.clone() for t in half.state_dict().values()]
    ### END SOLUTION


# %% check="is_trustworthy"
check(is_trustworthy)

# %% [markdown] hint="is_trustworthy"
# Two runs from the same start: `mg.manual_seed(0)`, `make()`, `train(...)`. First compare gradients
# only, and see which of the planted bugs get by.

# %% [markdown] hint="is_trustworthy"
# What else does a step leave behind? `half.state_dict()` has all weights and statistics of an F or
# a G. And the dice: throw them once after each run, and compare.

# %% [markdown] hint="is_trustworthy"
# Collect for each of the two ways `train(way, blocks, x)[1]`, the values of all `state_dict()` and
# `mg.rand(9)`. The first need `wrongness(got, right) < 1e-4`, the others `mg.allclose`.

# %% [markdown] why="is_trustworthy"
# **Why.** A memory trick promises that nothing changes but memory, so a test has to look at
# everything else: what a step gives (gradients, all of them, on a net that drifts if it can) and
# what it leaves (weights, diaries, dice). And a test must also say True to what is right: one that
# compares to the last bit would refuse each chain with float32 streams, and soon nobody would run
# it.
