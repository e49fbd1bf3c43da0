"""Lesson 12: what people write. Each cell is one answer; course/build/README.md tells its keys."""


# %% answer="steady" wrong="in which dtype is `y1 + F(y2)` computed"
# widen what comes out of the chain: the digits are lost by then
def steady(x, blocks):
    return reversible(x, blocks).to(mg.float64).to(mg.float32)


# %% answer="steady" wrong="What else is alive at the peak?"
# the stored twin has no drift
def steady(x, blocks):
    return through(x, blocks)


# %% answer="steady" wrong="narrow their input at the door"
# everything in float64, the work as well
def steady(x, blocks):
    def wide(half):
        return lambda u: half.middle(u @ half.a.to(mg.float64)) @ half.b.to(mg.float64)

    return reversible(x.to(mg.float64), [(wide(f), wide(g)) for f, g in blocks]).to(mg.float32)


# %% answer="steady" wrong="give back what came in"
# wide streams, and the caller gets them
def steady(x, blocks):
    def door(half):
        return lambda u: half(u.to(mg.float32)).to(mg.float64)

    return reversible(x.to(mg.float64), [(door(f), door(g)) for f, g in blocks])


# %% answer="steady" wrong="in which dtype is `y1 + F(y2)` computed"
# smaller steps keep the growth down: it is another net
def steady(x, blocks):
    return reversible(
        x, [(lambda u, f=f: f(u) * 0.1, lambda u, g=g: g(u) * 0.1) for f, g in blocks]
    )


# %% answer="steady" style="double() and float(), a function at the top"
def wide(half):
    def call(u):
        return half(u.float()).double()

    return call


def steady(x, blocks):
    return reversible(x.double(), [tuple(map(wide, pair)) for pair in blocks]).float()


# %% answer="steady" style="a class for the door, and Chain itself"
class Door:
    def __init__(self, half):
        self.half = half

    def __call__(self, u):
        return self.half(u.to(mg.float32)).to(mg.float64)


def steady(x, blocks):
    doors = [(Door(f), Door(g)) for f, g in blocks]
    y = Chain.apply(x.to(mg.float64), doors, undo_half)
    return y.to(mg.float32)


# %% answer="steady" spare="4 of 5"
# every door keeps the last result that went through it
def steady(x, blocks):
    streams, seen = x.to(mg.float64), {}

    def door(half):
        def through(u):
            v = half(u.to(mg.float32)).to(mg.float64)
            seen[half] = v.detach()
            return v

        return through

    return reversible(streams, [(door(f), door(g)) for f, g in blocks]).to(mg.float32)


# %% answer="diary" wrong="Does it write the diary?"
# under no_grad nothing is recorded, statistics neither
def diary(calls, momentum):
    count, running = 0, 0.0
    for how, mean in calls:
        if how == "recorded":
            count, running = count + 1, (1 - momentum) * running + momentum * mean
    return [count, running]


# %% answer="diary" wrong="BatchNorm only reads its diary"
# each call counts
def diary(calls, momentum):
    running = 0.0
    for _, mean in calls:
        running += momentum * (mean - running)
    return [len(calls), running]


# %% answer="diary" wrong="The running mean takes `momentum` of the new"
# momentum as in an optimizer: the share of the old
def diary(calls, momentum):
    count, running = 0, 0.0
    for how, mean in calls:
        if how != "eval":
            count, running = count + 1, momentum * running + (1 - momentum) * mean
    return [count, running]


# %% answer="diary" wrong="The running mean takes `momentum` of the new"
# the plain mean of all batches
def diary(calls, momentum):
    seen = [mean for how, mean in calls if how != "eval"]
    return [len(seen), sum(seen) / len(seen)]


# %% answer="diary" wrong="does it write the mean, too?"
# the count is of all batches, the mean only of recorded ones
def diary(calls, momentum):
    count, running = 0, 0.0
    for how, mean in calls:
        count += how != "eval"
        if how == "recorded":
            running = (1 - momentum) * running + momentum * mean
    return [count, running]


# %% answer="diary" style="reduce"
from functools import reduce


def diary(calls, momentum):
    written = [mean for how, mean in calls if how in ("recorded", "no_grad")]
    return [len(written), reduce(lambda r, m: r + momentum * (m - r), written, 0.0)]


# %% answer="diary" style="the closed formula"
def diary(calls, momentum):
    means = [mean for how, mean in calls if how != "eval"]
    last = len(means) - 1
    weights = [momentum * (1 - momentum) ** (last - i) for i in range(len(means))]
    return [len(means), sum(w * m for w, m in zip(weights, means))]


# %% answer="diary" spare="3 of 4"
# asks a BatchNorm
def diary(calls, momentum):
    norm = mg.nn.BatchNorm1d(1, momentum=momentum)
    for how, mean in calls:
        norm.train(how != "eval")
        norm(mg.tensor([[mean - 1.0], [mean + 1.0]]))
    return [norm.num_batches_tracked.item(), norm.running_mean.item()]


# %% answer="diary" proof=true
def diary(calls, momentum):
    norm = mg.nn.BatchNorm1d(1, momentum=momentum)
    for how, mean in calls:
        x = mg.tensor([[mean - 1.0], [mean + 1.0]])
        norm.train(how != "eval")
        with mg.set_grad_enabled(how == "recorded"):
            norm(x)
    return [int(norm.num_batches_tracked), float(norm.running_mean)]


# %% answer="same_dice" wrong="What does the second call forget?"
# the Same of section 3: fit for one step
def same_dice(half):
    state = []

    def call(u):
        now = mg.get_rng_state()
        if not state:
            state.append(now)
            return half(u)
        mg.set_rng_state(state[0])
        v = half(u)
        mg.set_rng_state(now)
        return v

    return call


# %% answer="same_dice" wrong="Where do you leave the generator for the next one?"
# puts the dice back to the first call, and leaves them there
def same_dice(half):
    state = None

    def call(u):
        nonlocal state
        if state is None:
            state = mg.get_rng_state()
        else:
            mg.set_rng_state(state)
            state = None
        return half(u)

    return call


# %% answer="same_dice" wrong="a first call throws what comes next"
# the state is taken when the function is made: one for the whole block
def same_dice(half):
    state = mg.get_rng_state()

    def call(u):
        now = mg.get_rng_state()
        mg.set_rng_state(state)
        v = half(u)
        mg.set_rng_state(now)
        return v

    return call


# %% answer="same_dice" wrong="a first call throws what comes next"
# a fixed seed: the same dice, always
def same_dice(half):
    seed = int(mg.rand(1).item() * 1e6)

    def call(u):
        now = mg.get_rng_state()
        mg.manual_seed(seed)
        v = half(u)
        mg.set_rng_state(now)
        return v

    return call


# %% answer="same_dice" wrong="Each function has a state of its own"
# one state for the whole block: the last one that was taken
latest = {}


def same_dice(half):
    calls = []

    def call(u):
        calls.append(1)
        now = mg.get_rng_state()
        if len(calls) % 2:
            latest["state"] = now
            return half(u)
        mg.set_rng_state(latest["state"])
        v = half(u)
        mg.set_rng_state(now)
        return v

    return call


# %% answer="same_dice" wrong="The state of the generator is enough"
# keeps the result: no dice needed the second time, and no memory saved (nor a gradient)
def same_dice(half):
    kept = []

    def call(u):
        if kept:
            return kept.pop()
        kept.append(half(u))
        return kept[0]

    return call


# %% answer="same_dice" wrong="The second call has to run `half` again"
# keeps the numbers of the result, no tensor: and so no graph
def same_dice(half):
    kept = []

    def call(u):
        if kept:
            return mg.tensor(kept.pop())
        v = half(u)
        kept.append(v.tolist())
        return v

    return call


# %% answer="same_dice" style="a class that asks whether a graph is recorded"
class Twice:
    def __init__(self, half):
        self.half, self.states = half, []

    def __call__(self, u):
        if len(self.states) % 2 == 0:
            self.states.append(mg.get_rng_state())
            return self.half(u)
        here = mg.get_rng_state()
        try:
            mg.set_rng_state(self.states.pop())
            return self.half(u)
        finally:
            mg.set_rng_state(here)


def same_dice(half):
    return Twice(half)


# %% answer="same_dice" style="a generator that alternates"
def same_dice(half):
    def turns():
        u = yield
        while True:
            before = mg.get_rng_state()
            u = yield half(u)
            now = mg.get_rng_state()
            mg.set_rng_state(before)
            v = half(u)
            mg.set_rng_state(now)
            u = yield v

    running = turns()
    next(running)
    return running.send


# %% answer="same_dice" spare="5 of 6"
# remembers its input as well
def same_dice(half):
    state = None

    def call(u):
        nonlocal state
        now = mg.get_rng_state()
        if state is None:
            state = now, u.clone()
            return half(u)
        mg.set_rng_state(state[0])
        state = None
        v = half(u)
        mg.set_rng_state(now)
        return v

    return call


# %% answer="is_trustworthy" wrong="Look at the statistics, too"
# gradients and dice tell everything
def is_trustworthy(way, make, x):
    found = []
    for run in (through, way):
        mg.manual_seed(0)
        found.append((train(run, make(), x)[1], mg.rand(4)))
    return wrongness(found[1][0], found[0][0]) < 1e-4 and mg.allclose(found[0][1], found[1][1])


# %% answer="is_trustworthy" wrong="Look at the other entries"
# if no batch was counted twice, the diary is in order
def is_trustworthy(way, make, x):
    found = []
    for run in (through, way):
        mg.manual_seed(0)
        blocks = make()
        got = train(run, blocks, x)[1]
        counts = [
            value.item()
            for pair in blocks
            for half in pair
            for name, value in half.state_dict().items()
            if "num_batches" in name
        ]
        found.append((got, counts, mg.rand(4)))
    (right, once, dice), (got, again, then) = found
    return wrongness(got, right) < 1e-4 and once == again and mg.allclose(dice, then)


# %% answer="is_trustworthy" wrong="is right, and your test refuses it"
# to the last bit
def is_trustworthy(way, make, x):
    found = []
    for run in (through, way):
        mg.manual_seed(0)
        blocks = make()
        got = train(run, blocks, x)[1]
        entries = [t for pair in blocks for half in pair for t in half.state_dict().values()]
        found.append([t.tolist() for t in [*got, *entries, mg.rand(4)]])
    return found[0] == found[1]


# %% answer="is_trustworthy" wrong="do both runs begin with the same dice?"
# one run after the other, each with its own dice
def is_trustworthy(way, make, x):
    found = []
    for run in (through, way):
        blocks = make()
        got = train(run, blocks, x)[1]
        found.append((got, [t for p in blocks for h in p for t in h.state_dict().values()]))
    same = all(mg.allclose(a, b) for a, b in zip(found[0][1], found[1][1]))
    return same and wrongness(found[1][0], found[0][0]) < 1e-4


# %% answer="is_trustworthy" wrong="Are the weights still what they were?"
# statistics are what changes, weights are not
def is_trustworthy(way, make, x):
    ends = []
    for run in (through, way):
        mg.manual_seed(0)
        blocks = make()
        got = train(run, blocks, x)[1]
        left = [
            t
            for pair in blocks
            for half in pair
            for name, t in half.state_dict().items()
            if "running" in name or "num" in name
        ]
        ends.append((got, [mg.rand(5), *left]))
    same = all(mg.allclose(a, b) for a, b in zip(ends[0][1], ends[1][1]))
    return same and wrongness(ends[1][0], ends[0][0]) < 1e-4


# %% answer="is_trustworthy" wrong="What will the *next* step throw?"
# everything but the dice
def is_trustworthy(way, make, x):
    ends = []
    for run in (through, way):
        mg.manual_seed(0)
        blocks = make()
        got = train(run, blocks, x)[1]
        ends.append((got, [t for p in blocks for h in p for t in h.state_dict().values()]))
    same = all(mg.allclose(a, b) for a, b in zip(ends[0][1], ends[1][1]))
    return same and wrongness(ends[1][0], ends[0][0]) < 1e-4


# %% answer="is_trustworthy" wrong="compare all gradients, that of `x` and those of the weights"
# the loss is the same, so all is well
def is_trustworthy(way, make, x):
    values = []
    for run in (through, way):
        mg.manual_seed(0)
        values.append(run(x, make()))
    return mg.allclose(*values)


# %% answer="is_trustworthy" wrong="'only that of x' gets by: compare all gradients"
# if the gradient of x is right, those on the way to it are
def is_trustworthy(way, make, x):
    ends = []
    for run in (through, way):
        mg.manual_seed(0)
        blocks = make()
        got = train(run, blocks, x)[1][:1]
        left = [t.clone() for p in blocks for h in p for t in h.state_dict().values()]
        ends.append((got, [mg.rand(5), *left]))
    same = all(mg.allclose(a, b) for a, b in zip(ends[0][1], ends[1][1]))
    return same and wrongness(ends[1][0], ends[0][0]) < 1e-4


# %% answer="is_trustworthy" wrong="'only those of the weights' gets by: compare all gradients"
# only weights are trained, so only they matter
def is_trustworthy(way, make, x):
    ends = []
    for run in (through, way):
        mg.manual_seed(0)
        blocks = make()
        got = train(run, blocks, x)[1][1:]
        left = [t.clone() for p in blocks for h in p for t in h.state_dict().values()]
        ends.append((got, [mg.rand(5), *left]))
    same = all(mg.allclose(a, b) for a, b in zip(ends[0][1], ends[1][1]))
    return same and wrongness(ends[1][0], ends[0][0]) < 1e-4


# %% answer="is_trustworthy" style="a dictionary of what a step leaves, compared name by name"
def trace(run, make, x):
    mg.manual_seed(7)
    blocks = make()
    _, (slope, *weights) = train(run, blocks, x)
    end = {f"grad {i}": w for i, w in enumerate(weights)} | {"grad x": slope}
    after = {"next dice": mg.randn(3)}
    for i, half in enumerate(half for pair in blocks for half in pair):
        after |= {f"{i} {name}": value for name, value in half.state_dict().items()}
    return end, after


def is_trustworthy(way, make, x):
    (right, then), (got, now) = trace(through, make, x), trace(way, make, x)
    if any(wrongness([got[name]], [right[name]]) >= 1e-4 for name in right):
        return False
    return all(wrongness([now[name]], [then[name]]) < 1e-5 for name in then)


# %% answer="is_trustworthy" style="verdicts, and the state of the generator itself"
def is_trustworthy(way, make, x):
    mg.manual_seed(1)
    mine, theirs = make(), make()
    start = mg.get_rng_state()
    right = train(through, mine, x)[1]
    dice = mg.get_rng_state()
    mg.set_rng_state(start)
    got = train(way, theirs, x)[1]
    if mg.get_rng_state() != dice or verdict(wrongness(got, right)) != "right":
        return False
    pairs = zip([h for p in mine for h in p], [h for p in theirs for h in p])
    for a, b in pairs:
        for name, value in a.state_dict().items():
            if not mg.allclose(value, b.state_dict()[name]):
                return False
    return True


# %% answer="is_trustworthy" spare="7 of 7"
# trains the stored twin twice: slower, no less right
def is_trustworthy(way, make, x):
    ends = []
    for run in (through, through, way):
        mg.manual_seed(0)
        blocks = make()
        got = train(run, blocks, x)[1]
        left = [t.clone() for p in blocks for h in p for t in h.state_dict().values()]
        ends.append((got, [mg.rand(5), *left]))
    same = all(mg.allclose(a, b) for a, b in zip(ends[1][1], ends[2][1]))
    return same and wrongness(ends[2][0], ends[1][0]) < 1e-4


# %% answer="is_trustworthy" wrong="caught an error in a line of its own"
# a name that does not exist, swallowed by a try that means well
def is_trustworthy(way, make, x):
    try:
        blocks = make()
        way(x.clone().requires_grad_(), blocks).sum().backward()
        return blocks[0][0].no_such_method() is not None
    except Exception:
        return False


# %% answer="steady" wrong="Only the F and G of the last pair were called"
# doors made in a loop
def steady(x, blocks):
    doors = []
    for f, g in blocks:
        doors.append((lambda u: f(u.float()).double(), lambda u: g(u.float()).double()))
    return reversible(x.double(), doors).float()


# %% answer="steady" wrong="The blocks belong to the caller"
# F and G themselves are widened
def steady(x, blocks):
    wide = [(f.to(mg.float64), g.to(mg.float64)) for f, g in blocks]
    return reversible(x.double(), wide).float()


# %% answer="steady" wrong="The blocks belong to the caller"
def steady(x, blocks):
    blocks.reverse()
    return reversible(
        x.double(), [(lambda u, f=f: f(u.float()), lambda u, g=g: g(u.float())) for f, g in blocks]
    ).float()


# %% answer="diary" wrong="Both values are right, and they have changed places"
def diary(calls, momentum):
    count, mean = 0, 0.0
    for how, value in calls:
        if how != "eval":
            count, mean = count + 1, (1 - momentum) * mean + momentum * value
    return mean, count
