"""Lesson 14: what people write. Each cell is one answer; course/build/README.md tells its keys."""


# %% answer="used_and_reserved" wrong="How many bytes has it in steps of 512"
# a tensor takes its nbytes
def used_and_reserved(sizes, dropped, more):
    used = reserved = 4 * sum(sizes)
    pairs = [[used, reserved]]
    gone = [4 * sizes[i] for i in dropped]
    pairs.append([used - sum(gone), reserved])
    fitting = [size for size in gone if size >= 4 * more]
    if fitting:
        gone.remove(min(fitting))
    else:
        reserved += 4 * more
    used = pairs[-1][0] + 4 * more
    return [*pairs, [used, reserved], [used, reserved - sum(gone)]]


# %% answer="used_and_reserved" wrong="Does the driver get any"
# del gives the memory back to the card
def used_and_reserved(sizes, dropped, more):
    def steps(count):
        return (count * 4 + 511) // 512 * 512

    used = sum(map(steps, sizes))
    less = used - sum(steps(sizes[i]) for i in dropped)
    return [[used, used], [less, less], [less + steps(more)] * 2, [less + steps(more)] * 2]


# %% answer="used_and_reserved" wrong="Only the last pair is wrong"
# the kept blocks are one heap: what fits their sum fits
def used_and_reserved(sizes, dropped, more):
    def steps(count):
        return (count * 4 + 511) // 512 * 512

    reserved = sum(map(steps, sizes))
    less = reserved - sum(steps(sizes[i]) for i in dropped)
    used = less + steps(more)
    most = max(reserved, used)
    return [[reserved, reserved], [less, reserved], [used, most], [used, used]]


# %% answer="used_and_reserved" wrong="Does the new tensor fit a kept block"
# every new tensor is asked of the driver
def used_and_reserved(sizes, dropped, more):
    def steps(count):
        return (count * 4 + 511) // 512 * 512

    reserved = sum(map(steps, sizes))
    gone = sum(steps(sizes[i]) for i in dropped)
    used, most = reserved - gone + steps(more), reserved + steps(more)
    return [[reserved, reserved], [reserved - gone, reserved], [used, most], [used, most - gone]]


# %% answer="used_and_reserved" wrong="Only the last pair is wrong"
# empty_cache makes reserved equal to used
def used_and_reserved(sizes, dropped, more):
    def steps(count):
        return (count * 4 + 511) // 512 * 512

    reserved = sum(map(steps, sizes))
    gone = [steps(sizes[i]) for i in dropped]
    used = reserved - sum(gone)
    pairs = [[reserved, reserved], [used, reserved]]
    used += steps(more)
    if max(gone) < steps(more):
        reserved += steps(more)
    return [*pairs, [used, reserved], [used, used]]


# %% answer="used_and_reserved" style="counts in steps, multiplies at the end"
from math import ceil


def used_and_reserved(sizes, dropped, more):
    made = [ceil(n / 128) for n in sizes]
    free = sorted(made[i] for i in dropped)
    new = ceil(more / 128)
    taken = next((size for size in free if size >= new), None)
    most = sum(made) + (new if taken is None else 0)
    rest = sum(free) - (taken or 0)
    lives = sum(made) - sum(free)
    pairs = [(sum(made), sum(made)), (lives, sum(made)), (lives + new, most)]
    return [[512 * a, 512 * b] for a, b in [*pairs, (lives + new, most - rest)]]


# %% answer="used_and_reserved" style="a list of segments, each with what is in use"
def used_and_reserved(sizes, dropped, more):
    steps = [512 * (1 + (4 * n - 1) // 512) for n in [*sizes, more]]
    segments = [[size, size] for size in steps[:-1]]

    def now():
        return [sum(used for _, used in segments), sum(size for size, _ in segments)]

    found = [now()]
    for i in dropped:
        segments[i][1] = 0
    found.append(now())
    fits = [s for s in segments if s[1] == 0 and s[0] >= steps[-1]]
    if fits:
        min(fits)[1] = steps[-1]
    else:
        segments.append([steps[-1], steps[-1]])
    found.append(now())
    segments = [s for s in segments if s[1]]
    return [*found, now()]


# %% answer="used_and_reserved" spare="4 of 5"
# runs it: right, but not by hand
def used_and_reserved(sizes, dropped, more):
    found = []

    def now():
        found.append([mg.cuda.memory_allocated(), mg.cuda.memory_reserved()])

    with mg.cuda.simulate(2**20):
        tensors = [mg.zeros(n, device="cuda") for n in sizes]
        now()
        for i in dropped:
            tensors[i] = None
        now()
        tensors.append(mg.zeros(more, device="cuda"))
        now()
        mg.cuda.empty_cache()
        now()
    return found


# %% answer="fit_on_gpu" wrong="it is no leaf, and an optimizer would refuse it"
# does what the warning proposes
def fit_on_gpu(start, batches, rate):
    w = start.clone().requires_grad_().cuda()
    w.retain_grad()
    for x in batches:
        (x.cuda() * w).tanh().sum().backward(retain_graph=True)
        w.data -= rate * w.grad
        w.grad = None
    return w


# %% answer="fit_on_gpu" wrong="Which tensor did you ask to want a gradient"
# .to is another thing than .cuda
def fit_on_gpu(start, batches, rate):
    w = start.clone().requires_grad_().to("cuda")
    for x in batches:
        (x.to("cuda") * w).tanh().sum().backward()
        w.data -= rate * w.grad
        w.grad = None
    return w


# %% answer="fit_on_gpu" wrong="Which line made another `w`"
# steps by making a new tensor
def fit_on_gpu(start, batches, rate):
    w = start.cuda().requires_grad_()
    for x in batches:
        (x.cuda() * w).tanh().sum().backward()
        w = w.detach() - rate * w.grad
    return w.requires_grad_()


# %% answer="fit_on_gpu" wrong="from where the last one ended"
# nobody empties the gradient
def fit_on_gpu(start, batches, rate):
    w = start.cuda().requires_grad_()
    for x in batches:
        (x.cuda() * w).tanh().sum().backward()
        with mg.no_grad():
            w -= rate * w.grad
    w.grad = None
    return w


# %% answer="fit_on_gpu" wrong="`w` itself is asked for, on the GPU"
# the gradient is on the CPU, so train there
def fit_on_gpu(start, batches, rate):
    w = start.clone().requires_grad_()
    for x in batches:
        (x.cuda() * w.cuda()).tanh().sum().backward()
        with mg.no_grad():
            w -= rate * w.grad
        w.grad = None
    return w


# %% answer="fit_on_gpu" wrong="its numbers stay, and it wants no gradient"
# makes a leaf of the caller's tensor, and steps on it
def fit_on_gpu(start, batches, rate):
    start.requires_grad_()
    for x in batches:
        (x.cuda() * start.cuda()).tanh().sum().backward()
        with mg.no_grad():
            start -= rate * start.grad
        start.grad = None
    return start.detach().cuda().requires_grad_()


# %% answer="fit_on_gpu" style="a parameter and an optimizer"
def fit_on_gpu(start, batches, rate):
    w = mg.nn.Parameter(start.to("cuda"))
    optimizer = mg.optim.SGD([w], lr=rate)
    for x in batches:
        optimizer.zero_grad()
        (x.to("cuda") * w).tanh().sum().backward()
        optimizer.step()
    optimizer.zero_grad()
    return w


# %% answer="fit_on_gpu" style="autograd.grad, and a new leaf each time"
def fit_on_gpu(start, batches, rate):
    w = start.cuda().requires_grad_()
    for x in batches:
        (slope,) = mg.autograd.grad((x.cuda() * w).tanh().sum(), [w])
        w = (w - rate * slope).detach().requires_grad_()
    return w


# %% answer="fit_on_gpu" spare="4 of 5"
# a leaf on the CPU, copied for each batch, and a leaf on the GPU at the end
def fit_on_gpu(start, batches, rate):
    w = start.clone().requires_grad_()
    for x in batches:
        (x.cuda() * w.cuda()).tanh().sum().backward()
        with mg.no_grad():
            w -= rate * w.grad
        w.grad = None
    return w.detach().cuda().requires_grad_()


# %% answer="dies_on" wrong="Is forward recorded"
# only wants to know what fits
def dies_on(blocks, x, size):
    at = 0
    with mg.cuda.simulate(size), mg.no_grad():
        try:
            for block in blocks:
                block.cuda()
            h = x.cuda()
            for at, block in enumerate(blocks, 1):
                h = block(h)
            at = None
        except mg.cuda.OutOfMemoryError:
            pass
    for block in blocks:
        block.cpu()
    return at


# %% answer="dies_on" wrong="are all weights on the card"
# a block is moved when its turn comes
def dies_on(blocks, x, size):
    at = 0
    with mg.cuda.simulate(size):
        try:
            h = x.cuda()
            for at, block in enumerate(blocks, 1):
                h = block.cuda()(h)
            at = None
        except mg.cuda.OutOfMemoryError:
            pass
    for block in blocks:
        block.cpu()
    return at


# %% answer="dies_on" wrong="One too few: count from 1"
# the blocks that are done
def dies_on(blocks, x, size):
    done = None
    with mg.cuda.simulate(size):
        try:
            for block in blocks:
                block.cuda()
            h = x.cuda()
            for done, block in enumerate(blocks):
                h = block(h)
            done = None
        except mg.cuda.OutOfMemoryError:
            done = done or 0
    for block in blocks:
        block.cpu()
    return done


# %% answer="dies_on" wrong="Blocks and `x` belong to the caller"
# who moves things back? after the net has run
def dies_on(blocks, x, size):
    at = 0
    with mg.cuda.simulate(size):
        try:
            for block in blocks:
                block.cuda()
            h = x.cuda()
            for at, block in enumerate(blocks, 1):
                h = block(h)
            for block in blocks:
                block.cpu()
            return None
        except mg.cuda.OutOfMemoryError:
            return at


# %% answer="dies_on" wrong="each in steps of 512?"
# section 5's formula for any net
def dies_on(blocks, x, size):
    weights = sum(p.nbytes for block in blocks for p in block.parameters())
    if weights + x.nbytes > size:
        return 0
    for i in range(1, len(blocks) + 1):
        if weights + (2 * i + 2) * x.nbytes > size:
            return i
    return None


# %% answer="dies_on" style="a deep copy, and an inner function"
import copy


def dies_on(blocks, x, size):
    def forward():
        reached.append(0)
        there = [copy.deepcopy(block).cuda() for block in blocks]
        h = x.cuda()
        for block in there:
            reached[0] += 1
            h = block(h)
        reached[0] = None

    reached: list = []
    with mg.cuda.simulate(size):
        try:
            forward()
        except mg.cuda.OutOfMemoryError:
            pass
    return reached[0]


# %% answer="dies_on" style="start and stop, try and finally"
def dies_on(blocks, x, size):
    card, count = mg.cuda.simulate(size), 0
    card.start()
    try:
        mg.nn.Sequential(*blocks).to("cuda")
        h = x.to("cuda")
        while count < len(blocks):
            count += 1
            h = blocks[count - 1](h)
        return None
    except RuntimeError:
        return count
    finally:
        card.stop()
        mg.nn.Sequential(*blocks).to("cpu")


# %% answer="dies_on" spare="4 of 5"
# right, but the card stays in use
def dies_on(blocks, x, size):
    card, at = mg.cuda.simulate(size).start(), 0
    try:
        for block in blocks:
            block.cuda()
        h = x.cuda()
        for at, block in enumerate(blocks, 1):
            h = block(h)
        at = None
    except mg.cuda.OutOfMemoryError:
        pass
    for block in blocks:
        block.cpu()
    return at


# %% answer="allocated" wrong="which were held by their names alone"
# empty_cache frees what has no name
def allocated(rows, columns, deleted):
    unit = -(-rows * columns * 4 // 512) * 512
    first, names = 5 * unit + 512, 4 - len(deleted)
    return [first, (1 + names) * unit + 512, (2 + names) * unit + 512]


# %% answer="allocated" wrong="which were held by their names alone"
# the graph keeps every result
def allocated(rows, columns, deleted):
    unit = -(-rows * columns * 4 // 512) * 512
    first = 5 * unit + 512
    return [first, first, first - len(deleted) * unit + unit]


# %% answer="allocated" wrong="each in steps of 512"
# bytes are bytes
def allocated(rows, columns, deleted):
    unit = rows * columns * 4
    kept = {"b", "c", "d", "e"} - set(deleted)
    second = (1 + len(kept | {"b", "d"})) * unit + 4
    return [5 * unit + 4, second, (2 + len(kept)) * unit + 4]


# %% answer="allocated" wrong="What does backward free, and what does it make"
# backward only frees
def allocated(rows, columns, deleted):
    unit = -(-rows * columns * 4 // 512) * 512
    kept = {"b", "c", "d", "e"} - set(deleted)
    second = (1 + len(kept | {"b", "d"})) * unit + 512
    return [5 * unit + 512, second, (1 + len(kept)) * unit + 512]


# %% answer="allocated" style="name by name"
def allocated(rows, columns, deleted):
    unit = (rows * columns * 4 + 511) // 512 * 512
    before = after = unit + 512
    for name in "bcde":
        before += unit if name in "bd" or name not in deleted else 0
        after += unit if name not in deleted else 0
    return [5 * unit + 512, before, after + unit]


# %% answer="allocated" style="what is given back"
from math import ceil


def allocated(rows, columns, deleted):
    unit = 512 * ceil(rows * columns / 128)
    at_del = [name for name in deleted if name in ("c", "e")]
    at_backward = [name for name in deleted if name in ("b", "d")]
    full = 5 * unit + 512
    second = full - len(at_del) * unit
    return [full, second, second - len(at_backward) * unit + unit]


# %% answer="allocated" spare="4 of 5"
# one tensor, to ask for its bytes
def allocated(rows, columns, deleted):
    unit = -(-mg.zeros(rows, columns).nbytes // 512) * 512
    kept = {"b", "c", "d", "e"} - set(deleted)
    second = (1 + len(kept | {"b", "d"})) * unit + 512
    return [5 * unit + 512, second, (2 + len(kept)) * unit + 512]


# %% answer="allocated" proof=true
# on the CPU, where both engines count each byte; each storage is then rounded
def allocated(rows, columns, deleted):
    start, raw = mg.memory_allocated(), rows * columns * 4

    def used():
        tensors, rest = divmod(mg.memory_allocated() - start, raw)
        return tensors * (-(-raw // 512) * 512) + (512 if rest else 0)

    a = mg.ones(rows, columns, requires_grad=True)
    names = {"b": a.exp()}
    names["c"] = names["b"].sin()
    names["d"] = names["c"].tanh()
    names["e"] = names["d"] * 2
    loss = names["e"].sum()
    found = [used()]
    for name in deleted:
        del names[name]
    mg.cuda.empty_cache()
    found.append(used())
    loss.backward()
    mg.cuda.empty_cache()
    return [*found, used()]


# %% answer="dies_on" spare="4 of 5"
# the answers are right; the blocks stay where they were tried
def dies_on(blocks, x, size):
    at = 0
    with mg.cuda.simulate(size):
        try:
            for block in blocks:
                block.cuda()
            h = x.cuda()
            for at, block in enumerate(blocks, 1):
                h = block(h)
        except mg.cuda.OutOfMemoryError:
            return at
    return None
