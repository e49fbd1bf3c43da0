"""Lesson 15: what people write. Each cell is one answer; course/build/README.md tells its keys."""


# %% answer="dies_in_block" wrong="It dies earlier than you say"
# one activation a block: its output
def dies_in_block(rows, width, hidden, depth, budget):
    for i in range(1, depth + 1):
        if (i + 1) * width * rows * 4 > budget:
            return i
    return 0


# %% answer="dies_in_block" wrong="It dies earlier than you say"
# what is saved, without room to work in
def dies_in_block(rows, width, hidden, depth, budget):
    for i in range(1, depth + 1):
        if (i * (width + hidden) + width) * rows * 4 > budget:
            return i
    return 0


# %% answer="dies_in_block" wrong="What the first Linear made is saved by nobody"
# every result stays: two of hidden, two of width
def dies_in_block(rows, width, hidden, depth, budget):
    for i in range(1, depth + 1):
        if (width + i * (2 * hidden + 2 * width)) * rows * 4 > budget:
            return i
    return 0


# %% answer="dies_in_block" wrong="Is the batch there"
# section 3's moment is the worst in any net
def dies_in_block(rows, width, hidden, depth, budget):
    for i in range(1, depth + 1):
        if ((i - 1) * (width + hidden) + 3 * width + hidden) * rows * 4 > budget:
            return i
    return 0


# %% answer="dies_in_block" wrong="Exactly full still fits"
# a GPU that is full to the last byte is too full
def dies_in_block(rows, width, hidden, depth, budget):
    for i in range(1, depth + 1):
        floats = (i - 1) * (width + hidden) + width + max(2 * hidden, hidden + 2 * width)
        if floats * rows * 4 >= budget:
            return i
    return 0


# %% answer="dies_in_block" wrong="0 stands for: all blocks fit"
# there is always a block that dies
def dies_in_block(rows, width, hidden, depth, budget):
    i = 1
    while (
        (i - 1) * (width + hidden) + width + hidden + max(hidden, 2 * width)
    ) * rows * 4 <= budget:
        i += 1
    return min(i, depth + 1)


# %% answer="dies_in_block" style="next over a generator"
def dies_in_block(rows, width, hidden, depth, budget):
    worst = (n * (width + hidden) + width + hidden + max(hidden, 2 * width) for n in range(depth))
    floats = budget // (4 * rows)
    return next((n for n, need in enumerate(worst, 1) if need > floats), 0)


# %% answer="dies_in_block" style="solved for the block"
def dies_in_block(rows, width, hidden, depth, budget):
    room = budget // (rows * 4) - width - max(2 * hidden, hidden + 2 * width)
    done = 0 if room < 0 else room // (width + hidden) + 1
    return 0 if done >= depth else done + 1


# %% answer="dies_in_block" spare="5 of 6"
def dies_in_block(rows, width, hidden, depth, budget):
    row = mg.ones(rows).nbytes
    for i in range(depth):
        if row * (i * (width + hidden) + width + hidden + max(hidden, 2 * width)) > budget:
            return i + 1
    return 0


# %% answer="dies_in_block" proof=true
# a block is made when its turn comes, and its weights are left out
def dies_in_block(rows, width, hidden, depth, budget):
    nn, before = mg.nn, mg.memory_allocated()
    h, blocks, weights = mg.ones(rows, width), [], 0
    for i in range(1, depth + 1):
        block = nn.Sequential(nn.Linear(width, hidden), nn.ReLU(), nn.Linear(hidden, width))
        blocks.append(block)
        weights += sum(p.nbytes for p in block.parameters())
        mg.reset_peak_memory_stats()
        h = h + block(h)
        if mg.max_memory_allocated() - before - weights > budget:
            return i
    return 0


# %% answer="lean_step" wrong="What is alive at this line?"
# the leftovers only: the peak needs no thought
def lean_step(net, x, labels, log):
    loss = cross_entropy(net(x), labels)
    loss.backward()
    log.append(loss.item())


# %% answer="lean_step" wrong="In the log stands a Tensor. It takes a Python float"
# checkpoints, but the log as it was
def lean_step(net, x, labels, log):
    stem, *blocks, head = net
    h = stem(x)
    for first in range(0, 16, 4):
        segment = mg.nn.Sequential(*blocks[first : first + 4])
        h = mg.utils.checkpoint.checkpoint(segment, h, use_reentrant=False)
    loss = cross_entropy(head(h), labels)
    loss.backward()
    log.append(loss.detach())


# %% answer="lean_step" wrong="What is alive at this line?"
# one checkpoint around all blocks: nothing is kept, everything runs again at once
def lean_step(net, x, labels, log):
    stem, *blocks, head = net
    h = mg.utils.checkpoint.checkpoint(mg.nn.Sequential(*blocks), stem(x), use_reentrant=False)
    loss = cross_entropy(head(h), labels)
    loss.backward()
    log.append(loss.item())


# %% answer="lean_step" wrong="What is alive at this line?"
# del of all outputs: the nodes hold what they need
def lean_step(net, x, labels, log):
    stem, *blocks, head = net
    h = stem(x)
    for block in blocks:
        old, h = h, block(h)
        del old
    loss = cross_entropy(head(h), labels)
    del h
    loss.backward()
    log.append(loss.item())


# %% answer="lean_step" wrong="Not the gradients of the same net"
# segments without a graph: no gradient for the blocks
def lean_step(net, x, labels, log):
    stem, *blocks, head = net
    with mg.no_grad():
        h = stem(x)
        for block in blocks:
            h = block(h)
    loss = cross_entropy(head(h), labels)
    loss.backward()
    log.append(loss.item())


# %% answer="lean_step" wrong="What is alive at this line?"
# the right segments, and a name on the last output
def lean_step(net, x, labels, log):
    stem, *blocks, head = net
    h = stem(x)
    for first in range(0, 16, 4):
        segment = mg.nn.Sequential(*blocks[first : first + 4])
        h = mg.utils.checkpoint.checkpoint(segment, h, use_reentrant=False)
    loss = cross_entropy(head(h), labels)
    loss.backward()
    log.append(loss.item())


# %% answer="lean_step" wrong="Is one of your segments inside another"
# checkpoints within checkpoints
def lean_step(net, x, labels, log):
    def wrapped(part):
        return lambda h: mg.utils.checkpoint.checkpoint(part, h, use_reentrant=False)

    stem, *blocks, head = net
    h = stem(x)
    for first in range(0, 16, 4):
        inner = [wrapped(block) for block in blocks[first : first + 4]]

        def segment(h, inner=inner):
            for block in inner:
                h = block(h)
            return h

        h = wrapped(segment)(h)
    loss = cross_entropy(head(h), labels)
    del h
    loss.backward()
    log.append(loss.item())


# %% answer="lean_step" style="the course's class, with segments of two"
from course.twins_on_digits import Checkpointed


def lean_step(net, x, labels, log):
    loss = cross_entropy(Checkpointed(net, 2)(x), labels)
    loss.backward()
    log += [loss.item()]


# %% answer="lean_step" style="a function for the segment"
from minigrad.utils.checkpoint import checkpoint


def run(h, *blocks):
    for block in blocks:
        h = block(h)
    return h


def lean_step(net, x, labels, log):
    parts = list(net)
    h = parts[0](x)
    for i in range(1, 17, 4):
        h = checkpoint(run, h, *parts[i : i + 4], use_reentrant=False)
    scores = parts[-1](h)
    del h
    loss = cross_entropy(scores, labels)
    log.append(float(loss))
    loss.backward()


# %% answer="lean_step" spare="4 of 6"
# holds the output of each segment by a list: kept anyway; and a copy of the batch: not needed
def lean_step(net, x, labels, log):
    stem, *blocks, head = net
    copy = x.clone()
    outputs = [stem(copy)]
    for first in range(0, 16, 4):
        segment = mg.nn.Sequential(*blocks[first : first + 4])
        outputs.append(mg.utils.checkpoint.checkpoint(segment, outputs[-1], use_reentrant=False))
    loss = cross_entropy(head(outputs[-1]), labels)
    loss.backward()
    log.append(loss.item())


# %% answer="step_on" wrong="Do the sum, before you run"
# stores everything, whatever the size
def step_on(net, x, labels, size):
    loss = cross_entropy(net(x), labels)
    loss.backward()
    return loss.item()


# %% answer="step_on" wrong="a cheaper way fits, too"
# always a checkpoint, near the root
def step_on(net, x, labels, size):
    stem, *blocks, head = net
    depth, unit = len(blocks), x.nbytes // 2
    needs = {k: depth // k + 2 * k + 4 for k in range(1, depth + 1) if depth % k == 0}
    k = min(needs, key=needs.get)
    h = stem(x)
    for first in range(0, depth, k):
        segment = mg.nn.Sequential(*blocks[first : first + k])
        h = mg.utils.checkpoint.checkpoint(segment, h, use_reentrant=False)
    loss = cross_entropy(head(h), labels)
    del h
    loss.backward()
    return loss.item()


# %% answer="step_on" wrong="Is anything run twice that need not be?"
# a rehearsal without a graph, to see how large an output is
def step_on(net, x, labels, size):
    stem, *blocks, head = net
    depth = len(blocks)
    with mg.no_grad():
        h = stem(x)
        for block in blocks:
            h = block(h)
    unit = h.nbytes
    del h
    units = (size - labels.nbytes - 8) // unit
    fit = [k for k in range(1, depth) if depth % k == 0 and depth // k + 2 * k + 4 <= units]
    k = depth if 2 * depth + 5 <= units else (fit or [2])[0]
    h = stem(x)
    for first in range(0, depth, k):
        segment = mg.nn.Sequential(*blocks[first : first + k])
        if k == depth:
            h = segment(h)
        else:
            h = mg.utils.checkpoint.checkpoint(segment, h, use_reentrant=False)
    loss = cross_entropy(head(h), labels)
    del h
    loss.backward()
    return loss.item()


# %% answer="step_on" wrong="Do the sum, before you run"
# 2 U a block and no room for gradients
def step_on(net, x, labels, size):
    stem, *blocks, head = net
    depth, units = len(blocks), size // (x.nbytes // 2)
    if 2 * depth + 2 <= units:
        loss = cross_entropy(net(x), labels)
    else:
        k = next(k for k in range(1, depth + 1) if depth % k == 0 and depth // k + 2 * k <= units)
        h = stem(x)
        for first in range(0, depth, k):
            segment = mg.nn.Sequential(*blocks[first : first + k])
            h = mg.utils.checkpoint.checkpoint(segment, h, use_reentrant=False)
        loss = cross_entropy(head(h), labels)
        del h
    loss.backward()
    return loss.item()


# %% answer="step_on" wrong="a cheaper way fits, too"
# the largest k that fits: the fewest inputs
def step_on(net, x, labels, size):
    stem, *blocks, head = net
    depth, unit = len(blocks), x.nbytes // 2
    units = (size - labels.nbytes - 8) // unit
    if 2 * depth + 5 <= units:
        loss = cross_entropy(net(x), labels)
    else:
        fit = [k for k in range(1, depth) if depth % k == 0 and depth // k + 2 * k + 4 <= units]
        k = max(fit or [2])
        h = stem(x)
        for first in range(0, depth, k):
            segment = mg.nn.Sequential(*blocks[first : first + k])
            h = mg.utils.checkpoint.checkpoint(segment, h, use_reentrant=False)
        loss = cross_entropy(head(h), labels)
        del h
    loss.backward()
    return loss.item()


# %% answer="step_on" wrong="what `labels` and the loss leave of `size`"
# the labels are so few bytes: nothing taken off
def step_on(net, x, labels, size):
    stem, *blocks, head = net
    depth, units = len(blocks), size // (x.nbytes // 2)
    fit = [k for k in range(1, depth) if depth % k == 0 and depth // k + 2 * k + 4 <= units]
    k = depth if 2 * depth + 5 <= units else (fit or [2])[0]
    h = stem(x)
    for first in range(0, depth, k):
        segment = mg.nn.Sequential(*blocks[first : first + k])
        whole = k == depth
        h = segment(h) if whole else mg.utils.checkpoint.checkpoint(segment, h, use_reentrant=False)
    loss = cross_entropy(head(h), labels)
    del h
    loss.backward()
    return loss.item()


# %% answer="step_on" wrong="`SMALL` belongs to 479 images"
# the set-up's SMALL, whatever the batch
def step_on(net, x, labels, size):
    stem, *blocks, head = net
    depth, units = len(blocks), (size - SMALL) // (x.nbytes // 2)
    fit = [k for k in range(1, depth) if depth % k == 0 and depth // k + 2 * k + 4 <= units]
    k = depth if 2 * depth + 5 <= units else (fit or [2])[0]
    h = stem(x)
    for first in range(0, depth, k):
        segment = mg.nn.Sequential(*blocks[first : first + k])
        whole = k == depth
        h = segment(h) if whole else mg.utils.checkpoint.checkpoint(segment, h, use_reentrant=False)
    loss = cross_entropy(head(h), labels)
    del h
    loss.backward()
    return loss.item()


# %% answer="step_on" wrong="nothing ran"
# where nothing is said to fit, nothing is done
def step_on(net, x, labels, size):
    return 0.0


# %% answer="step_on" style="the last segment bare: fewer products than any equal spacing"
from minigrad.utils.checkpoint import checkpoint


def step_on(net, x, labels, size):
    stem, *blocks, head = net
    L, units = len(blocks), (size - labels.nbytes - 8) // (x.nbytes // 2)
    fit = [k for k in range(1, L) if L % k == 0 and L // k + 2 * k + 4 <= units]
    k = L if 2 * L + 5 <= units else min(fit, default=2)
    h = stem(x)
    for first in range(0, L, k):
        seg = mg.nn.Sequential(*blocks[first : first + k])
        h = checkpoint(seg, h, use_reentrant=False) if first + k < L else seg(h)
    loss = cross_entropy(head(h), labels)
    del h
    loss.backward()
    return loss.item()


# %% answer="step_on" style="a list of ways, the first that fits"
from course.twins_on_digits import Checkpointed


def step_on(net, x, labels, size):
    depth = len(list(net)) - 2
    ways = [(2 * depth + 5, lambda: net)]
    for k in (1, 2, 3, 4, 6):
        if depth % k == 0:
            ways.append((depth // k + 2 * k + 4, lambda k=k: Checkpointed(net, k)))
    room = 2 * (size - labels.nbytes - 8)
    chosen = [make for need, make in ways if need * x.nbytes <= room] or [ways[-1][1]]
    loss = cross_entropy(chosen[0]()(x), labels)
    loss.backward()
    return loss.item()


# %% answer="step_on" style="only as many blocks in checkpoints as needed"
from minigrad.utils.checkpoint import checkpoint


def step_on(net, x, labels, size):
    stem, *blocks, head = net
    n, units = len(blocks), (size - labels.nbytes - 8) * 2 // x.nbytes
    k = next((k for k in (1, 2, 3, 4) if n % k == 0 and n // k + 2 * k + 4 <= units), 2)
    h, stored = stem(x), 2 * n + 5 <= units
    while blocks:
        segment, blocks = mg.nn.Sequential(*blocks[:k]), blocks[k:]
        h = segment(h) if stored else checkpoint(segment, h, use_reentrant=False)
    loss = cross_entropy(head(h), labels)
    del h
    loss.backward()
    return float(loss)


# %% answer="step_on" spare="1 of 5"
# a copy of the batch: 2 U that the sum does not know
def step_on(net, x, labels, size):
    stem, *blocks, head = net
    depth, copy = len(blocks), x.clone()
    units = (size - labels.nbytes - 8) // (x.nbytes // 2)
    fit = [k for k in range(1, depth) if depth % k == 0 and depth // k + 2 * k + 4 <= units]
    k = depth if 2 * depth + 5 <= units else (fit or [2])[0]
    h = stem(copy)
    for first in range(0, depth, k):
        segment = mg.nn.Sequential(*blocks[first : first + k])
        if k == depth:
            h = segment(h)
        else:
            h = mg.utils.checkpoint.checkpoint(segment, h, use_reentrant=False)
    loss = cross_entropy(head(h), labels)
    del h
    loss.backward()
    return loss.item()


# %% answer="lean_step" spare="4 of 6"
# a right step, but a tensor in the log: the gradients and their bytes still count
def lean_step(net, x, labels, log):
    stem, *blocks, head = net
    h = stem(x)
    for first in range(0, 16, 4):
        segment = mg.nn.Sequential(*blocks[first : first + 4])
        h = mg.utils.checkpoint.checkpoint(segment, h, use_reentrant=False)
    loss = cross_entropy(head(h), labels)
    del h
    loss.backward()
    log.append(loss.detach())


# %% answer="lean_step" wrong="A function made in a loop sees the loop's last value"
# each segment runs the last one's blocks in its second run
def lean_step(net, x, labels, log):
    stem, *blocks, head = net
    h, functions = stem(x), []
    for first in range(0, 16, 4):
        functions.append(lambda h: mg.nn.Sequential(*blocks[first : first + 4])(h))
    for function in functions:
        h = mg.utils.checkpoint.checkpoint(function, h, use_reentrant=False)
    loss = cross_entropy(head(h), labels)
    del h
    loss.backward()
    log.append(loss.item())


# %% answer="step_on" wrong="Return the loss as a float: `.item()`"
def step_on(net, x, labels, size):
    stem, *blocks, head = net
    depth, units = len(blocks), (size - labels.nbytes - 8) // (x.nbytes // 2)
    needs = {k: depth // k + 2 * k + 4 for k in range(1, depth + 1) if depth % k == 0}
    every = next((k for k, need in needs.items() if need <= units), min(needs, key=needs.get))
    stored = 2 * depth + 5 <= units
    h = stem(x)
    for first in range(0, depth, every):
        segment = mg.nn.Sequential(*blocks[first : first + every])
        if stored:
            h = segment(h)
        else:
            h = mg.utils.checkpoint.checkpoint(segment, h, use_reentrant=False)
    loss = cross_entropy(head(h), labels)
    del h
    loss.backward()
    return loss.detach()
