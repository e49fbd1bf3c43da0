"""Lesson 11: what people write. Each cell is one answer; course/build/README.md tells its keys."""


# %% answer="undo_steps" wrong="Only then is `x2` known"
# the same order, with minus for plus
def undo_steps(steps, streams):
    s = list(streams)
    for target, how, fn, source in steps:
        v = fn(s[source])
        s[target] = s[target] / v if how == "*" else s[target] - v if how == "+" else s[target] + v
    return s


# %% answer="undo_steps" wrong="Only then is `x2` known"
# all at once: fn of the streams that were given
def undo_steps(steps, streams):
    s = list(streams)
    for target, how, fn, source in reversed(steps):
        v = fn(streams[source])
        s[target] = s[target] / v if how == "*" else s[target] - v if how == "+" else s[target] + v
    return s


# %% answer="undo_steps" wrong="each by the opposite of its `how`"
# the opposite of any step is minus
def undo_steps(steps, streams):
    s = list(streams)
    for target, _, fn, source in reversed(steps):
        s[target] = s[target] - fn(s[source])
    return s


# %% answer="undo_steps" wrong="work on a list of your own"
# undoes in place, in the caller's list
def undo_steps(steps, streams):
    for target, how, fn, source in reversed(steps):
        v, s = fn(streams[source]), streams[target]
        streams[target] = s / v if how == "*" else s - v if how == "+" else s + v
    return streams


# %% answer="undo_steps" wrong="One call for each step is enough"
# computes fn for each way and picks one
def undo_steps(steps, streams):
    s = list(streams)
    for t, how, fn, source in reversed(steps):
        ways = {"+": s[t] - fn(s[source]), "-": s[t] + fn(s[source]), "*": s[t] / fn(s[source])}
        s[t] = ways[how]
    return s


# %% answer="undo_steps" style="calls itself"
def undo_steps(steps, streams):
    if not steps:
        return list(streams)
    *earlier, (target, how, fn, source) = steps
    v, old = fn(streams[source]), streams[target]
    new = {"+": lambda: old - v, "-": lambda: old + v, "*": lambda: old / v}[how]()
    return undo_steps(earlier, [*streams[:target], new, *streams[target + 1 :]])


# %% answer="undo_steps" style="a dictionary and the operator module"
import operator


def undo_steps(steps, streams):
    opposite = {"+": operator.sub, "-": operator.add, "*": operator.truediv}
    held = dict(enumerate(streams))
    for target, how, fn, source in steps[::-1]:
        held[target] = opposite[how](held[target], fn(held[source]))
    return [held[i] for i in range(len(streams))]


# %% answer="undo_steps" spare="4 of 5"
# copies all streams, to be safe
def undo_steps(steps, streams):
    s = [t.clone() for t in streams]
    for target, how, fn, source in reversed(steps):
        v = fn(s[source])
        s[target] = s[target] / v if how == "*" else s[target] - v if how == "+" else s[target] + v
    return s


# %% answer="held_by_blocks" wrong="is one storage"
# every block keeps one activation, whatever its name
def held_by_blocks(keeps, rows, columns):
    unit = rows * columns * 4
    return unit + sum(keep != "nothing" for keep in keeps) * unit


# %% answer="held_by_blocks" wrong="A view holds all the bytes that it looks at"
# half of the input is half of the bytes
def held_by_blocks(keeps, rows, columns):
    unit, held = rows * columns * 4, 0
    for i, keep in enumerate(keeps):
        held += unit * (keep == "y" or keeps[i + 1 : i + 2] == ["x"] or i == len(keeps) - 1)
        held += unit // 2 * (keep == "y1" or (keep == "x2" and i > 0 and keeps[i - 1] != "y"))
    return held


# %% answer="held_by_blocks" wrong="the last output has a name"
# only what a node saves is alive
def held_by_blocks(keeps, rows, columns):
    unit, held = rows * columns * 4, 0
    for i, keep in enumerate(keeps):
        held += unit * (keep == "y" or keeps[i + 1 : i + 2] in (["x"], ["x2"]))
        held += unit // 2 * (keep == "y1")
    return held


# %% answer="held_by_blocks" wrong="one that nobody saves is gone"
# every output stays, since the graph goes through it
def held_by_blocks(keeps, rows, columns):
    unit = rows * columns * 4
    return len(keeps) * unit + keeps.count("y1") * unit // 2


# %% answer="held_by_blocks" style="a set of storages"
def held_by_blocks(keeps, rows, columns):
    u, alive = rows * columns * 4, {("y", len(keeps) - 1)}
    for i, keep in enumerate(keeps):
        alive |= {
            "nothing": set(),
            "x": {("y", i - 1)},
            "x2": {("y", i - 1)},
            "y1": {("y1", i)},
            "y": {("y", i)},
        }[keep]
    alive.discard(("y", -1))
    return sum(u if kind == "y" else u // 2 for kind, _ in alive)


# %% answer="held_by_blocks" style="pairs of neighbours"
def held_by_blocks(keeps, rows, columns):
    half = rows * columns * 2
    pairs = zip(keeps, [*keeps[1:], "x"])  # the name y: as if somebody kept its input
    return sum(2 * half * (a == "y" or b[0] == "x") + half * (a == "y1") for a, b in pairs)


# %% answer="held_by_blocks" spare="4 of 5"
def held_by_blocks(keeps, rows, columns):
    u = mg.ones(rows, columns).nbytes
    pairs = zip(keeps, [*keeps[1:], "x"])
    return sum(u * (a == "y" or b[0] == "x") + u // 2 * (a == "y1") for a, b in pairs)


# %% answer="held_by_blocks" proof=true
class Block(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x, keep):
        x1, x2 = x.chunk(2, -1)
        y1 = x1 + x2.tanh()
        y2 = x2 + y1.tanh()
        y = mg.cat([y1, y2], -1)
        if keep != "nothing":
            ctx.save_for_backward({"x": x, "x2": x2, "y1": y1, "y": y}[keep])
        return y


def held_by_blocks(keeps, rows, columns):
    x = mg.ones(rows, columns, requires_grad=True)
    before, y = mg.memory_allocated(), x
    for keep in keeps:
        y = Block.apply(y, keep)
    return mg.memory_allocated() - before


# %% answer="FlatChain" wrong="Who frees those?"
# the output as an attribute: right, flat, and never let go
class FlatChain(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x, blocks):
        y1, y2 = halves(x)
        for f, g in blocks:
            y1, y2 = couple(f, g, y1, y2)
        y = mg.cat([y1, y2], -1)
        ctx.blocks, ctx.y = blocks, y.detach()
        return y

    @staticmethod
    def backward(ctx, dy):
        y1, y2 = halves(ctx.y)
        dy1, dy2 = halves(dy)
        for f, g in reversed(ctx.blocks):
            y1, y2, dy1, dy2 = undo(f, g, y1, y2, dy1, dy2)
        return mg.cat([dy1, dy2], -1), None


# %% answer="FlatChain" wrong="Forward leaves more behind than `y`"
# the list is freed in backward, so it will do
class FlatChain(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x, blocks):
        y1, y2 = halves(x)
        ctx.outputs = []
        for f, g in blocks:
            y1, y2 = couple(f, g, y1, y2)
            ctx.outputs.append((f, g, y1, y2))
        return mg.cat([y1, y2], -1)

    @staticmethod
    def backward(ctx, dy):
        dy1, dy2 = halves(dy)
        while ctx.outputs:
            f, g, y1, y2 = ctx.outputs.pop()
            x1, x2, dy1, dy2 = undo(f, g, y1, y2, dy1, dy2)
        return mg.cat([dy1, dy2], -1), None


# %% answer="FlatChain" wrong="Forward leaves more behind than `y`"
# saves the input, as one learns it, and runs everything again, recorded
class FlatChain(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x, blocks):
        y1, y2 = halves(x)
        for f, g in blocks:
            y1, y2 = couple(f, g, y1, y2)
        ctx.blocks = blocks
        ctx.save_for_backward(x, y1, y2)
        return mg.cat([y1, y2], -1)

    @staticmethod
    def backward(ctx, dy):
        x = ctx.saved_tensors[0].detach().requires_grad_()
        with mg.enable_grad():
            y1, y2 = halves(x)
            for f, g in ctx.blocks:
                y1, y2 = couple(f, g, y1, y2)
            y = mg.cat([y1, y2], -1)
        y.backward(dy)
        return x.grad, None


# %% answer="FlatChain" wrong="does each block meet its own output?"
# the blocks from the first to the last
class FlatChain(mg.autograd.Function):
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
        for f, g in ctx.blocks:
            y1, y2, dy1, dy2 = undo(f, g, y1, y2, dy1, dy2)
        return mg.cat([dy1, dy2], -1), None


# %% answer="FlatChain" wrong="Your backward wrote into the output"
# the saved output is mine to write on
class FlatChain(mg.autograd.Function):
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
        y1, y2 = ctx.saved_tensors[0].data.chunk(2, -1)
        dy1, dy2 = halves(dy)
        for f, g in reversed(ctx.blocks):
            for fn, u, y, du, dv in ((g, y1, y2, dy1, dy2), (f, y2, y1, dy2, dy1)):
                leaf = u.detach().clone().requires_grad_()
                with mg.enable_grad():
                    v = fn(leaf)
                y -= v.detach()
                v.backward(dv)
                du += leaf.grad
        return mg.cat([dy1, dy2], -1), None


# %% answer="FlatChain" style="views for halves, and a tuple that moves on"
class FlatChain(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x, blocks):
        pair = x.chunk(2, -1)
        for f, g in blocks:
            pair = couple(f, g, *pair)
        ctx.blocks, y = blocks, mg.cat(list(pair), -1)
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, dy):
        (y,) = ctx.saved_tensors
        moving = *y.chunk(2, -1), *dy.chunk(2, -1)
        for f, g in ctx.blocks[::-1]:
            moving = undo(f, g, *moving)
        return mg.cat(list(moving[2:]), -1), None


# %% answer="FlatChain" style="half by half, without undo"
class FlatChain(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x, blocks):
        y1, y2 = x.chunk(2, -1)
        for f, g in blocks:
            y1 = y1 + f(y2)
            y2 = y2 + g(y1)
        y = mg.cat([y1, y2], -1)
        ctx.blocks = blocks
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, dy):
        (y1, y2), (dy1, dy2) = halves(ctx.saved_tensors[0]), halves(dy)
        for f, g in reversed(ctx.blocks):
            y2, dy1 = undo_half(g, y1, y2, dy1, dy2)
            y1, dy2 = undo_half(f, y2, y1, dy2, dy1)
        return mg.cat([dy1, dy2], -1), None


# %% answer="FlatChain" spare="6 of 7"
# keeps the undone input of the whole chain by a name of its own: 1 U more at the peak
class FlatChain(mg.autograd.Function):
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
        y = ctx.saved_tensors[0].clone()
        y1, y2 = halves(y)
        dy1, dy2 = halves(dy)
        for f, g in reversed(ctx.blocks):
            y1, y2, dy1, dy2 = undo(f, g, y1, y2, dy1, dy2)
        return mg.cat([dy1, dy2], -1), None


# %% answer="SwapChain" wrong="is each gradient of a stream the sum of all ways to the output"
# the gradients change places like the streams, and x2's own way is forgotten
class SwapChain(mg.autograd.Function):
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
            x1, dx2 = undo_half(fn, y1, y2, mg.zeros_like(dy1), dy2)
            y1, y2, dy1, dy2 = x1, y1, dy2, dx2
        return mg.cat([dy1, dy2], -1), None


# %% answer="SwapChain" wrong="What hangs on `ctx`, or on a graph of its own?"
# calls what it needs under enable_grad in forward, so that backward is one line
class SwapChain(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x, fns):
        with mg.enable_grad():
            ctx.x = x.detach().requires_grad_()
            x1, x2 = halves(ctx.x)
            for fn in fns:
                x1, x2 = x2, x1 + fn(x2)
            ctx.y = mg.cat([x1, x2], -1)
        return ctx.y.detach()

    @staticmethod
    def backward(ctx, dy):
        ctx.y.backward(dy)
        return ctx.x.grad, None


# %% answer="SwapChain" wrong="In each block the streams change places"
# one stream is always the first
class SwapChain(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x, fns):
        x1, x2 = halves(x)
        for fn in fns:
            x1 = x1 + fn(x2)
        y = mg.cat([x1, x2], -1)
        ctx.fns = fns
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, dy):
        y1, y2 = halves(ctx.saved_tensors[0])
        dy1, dy2 = halves(dy)
        for fn in reversed(ctx.fns):
            y1, dy2 = undo_half(fn, y2, y1, dy2, dy1)
        return mg.cat([dy1, dy2], -1), None


# %% answer="SwapChain" wrong="Forward leaves more behind than `y`"
# saves the input, which the chain then holds, and runs everything again, recorded
class SwapChain(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x, fns):
        x1, x2 = halves(x)
        for fn in fns:
            x1, x2 = x2, x1 + fn(x2)
        ctx.fns = fns
        ctx.save_for_backward(x)
        y = mg.cat([x1, x2], -1)
        return y

    @staticmethod
    def backward(ctx, dy):
        x = ctx.saved_tensors[0].detach().requires_grad_()
        with mg.enable_grad():
            x1, x2 = halves(x)
            for fn in ctx.fns:
                x1, x2 = x2, x1 + fn(x2)
            y = mg.cat([x1, x2], -1)
        y.backward(dy)
        return x.grad, None


# %% answer="SwapChain" style="views, one list of four"
class SwapChain(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x, fns):
        pair = x.chunk(2, -1)
        for fn in fns:
            pair = pair[1], pair[0] + fn(pair[1])
        ctx.fns, y = fns, mg.cat(list(pair), -1)
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, dy):
        a, b = ctx.saved_tensors[0].chunk(2, -1)
        da, db = dy.chunk(2, -1)
        for fn in ctx.fns[::-1]:
            b, da = undo_half(fn, a, b, da, db)  # in place: b is now x1, da is dx2
            a, b, da, db = b, a, db, da
        return mg.cat([da, db], -1), None


# %% answer="SwapChain" style="its own small graph"
class SwapChain(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x, fns):
        old, new = halves(x)
        for fn in fns:
            old, new = new, old + fn(new)
        y = mg.cat([old, new], -1)
        ctx.fns = fns
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, dy):
        old, new = halves(ctx.saved_tensors[0])
        dold, dnew = halves(dy)
        for fn in reversed(ctx.fns):
            new, old, dnew, dold = old, *taken_back(fn, old, new, dold, dnew), dnew
        return mg.cat([dold, dnew], -1), None


def taken_back(fn, old, new, dold, dnew):
    leaf = old.detach().requires_grad_()
    with mg.enable_grad():
        v = fn(leaf)
    before = new - v.detach()
    v.backward(dnew)
    return before, leaf.grad + dold


# %% answer="SwapChain" spare="5 of 6"
# a copy of the streams for each block
class SwapChain(mg.autograd.Function):
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
            copies = y1.clone(), y2.clone()
            x1, dx2 = undo_half(fn, *copies, dy1, dy2)
            y1, y2, dy1, dy2 = x1, copies[0], dy2, dx2
        return mg.cat([dy1, dy2], -1), None


# %% answer="reversible_golf" wrong="Who reads the old ones again?"
# a net that can be undone is flat by itself
def reversible_golf(x, blocks):
    y1, y2 = halves(x)
    for f, g in blocks:
        y1, y2 = couple(f, g, y1, y2)
    return mg.cat([y1, y2], -1)


# %% answer="reversible_golf" wrong="Who reads the old ones again?"
# the chain of section 2, as it stands
class Chain(mg.autograd.Function):
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


def reversible_golf(x, blocks):
    return Chain.apply(x, blocks)


# %% answer="reversible_golf" wrong="is each gradient of a stream the sum of all ways"
# the stream's own way is written over
class Over(mg.autograd.Function):
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
            for fn, u, y, du, dv in ((g, y1, y2, dy1, dy2), (f, y2, y1, dy2, dy1)):
                leaf = u.detach().requires_grad_()
                with mg.enable_grad():
                    v = fn(leaf)
                y -= v.detach()
                v.backward(dv)
                du.copy_(leaf.grad)
        return mg.cat([dy1, dy2], -1), None


def reversible_golf(x, blocks):
    return Over.apply(x, blocks)


# %% answer="reversible_golf" wrong="Where does your chain run one more?"
# first the inverse of a block, then forward again for the gradient
class Twice(mg.autograd.Function):
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
        for f, g in reversed(ctx.blocks):
            y2 -= g(y1)
            y1 -= f(y2)
            x = mg.cat([y1, y2], -1).requires_grad_()
            with mg.enable_grad():
                y = mg.cat(couple(f, g, *x.chunk(2, -1)), -1)
            y.backward(dy)
            dy = x.grad
        return dy, None


def reversible_golf(x, blocks):
    return Twice.apply(x, blocks)


# %% answer="reversible_golf" wrong="wrote into the output"
# the saved output is mine to write on
class Spoils(mg.autograd.Function):
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
        y1, y2 = ctx.saved_tensors[0].data.chunk(2, -1)
        dy1, dy2 = halves(dy)
        for f, g in reversed(ctx.blocks):
            for fn, u, y, du, dv in ((g, y1, y2, dy1, dy2), (f, y2, y1, dy2, dy1)):
                leaf = u.detach().clone().requires_grad_()
                with mg.enable_grad():
                    v = fn(leaf)
                y -= v.detach()
                v.backward(dv)
                du += leaf.grad
        return mg.cat([dy1, dy2], -1), None


def reversible_golf(x, blocks):
    return Spoils.apply(x, blocks)


# %% answer="reversible_golf" wrong="wrote into the seed"
# the gradient that comes in is mine to write on
class Spoils(mg.autograd.Function):
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
        dy1, dy2 = dy.data.chunk(2, -1)
        for f, g in reversed(ctx.blocks):
            for fn, u, y, du, dv in ((g, y1, y2, dy1, dy2), (f, y2, y1, dy2, dy1)):
                leaf = u.detach().clone().requires_grad_()
                with mg.enable_grad():
                    v = fn(leaf)
                y -= v.detach()
                v.backward(dv)
                du += leaf.grad
        return mg.cat([dy1, dy2], -1), None


def reversible_golf(x, blocks):
    return Spoils.apply(x, blocks)


# %% answer="reversible_golf" style="names let go by hand"
class LetGo(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x, blocks):
        y1, y2 = x.chunk(2, -1)
        for f, g in blocks:
            y1 = y1 + f(y2)
            y2 = y2 + g(y1)
        y = mg.cat([y1, y2], -1)
        ctx.save_for_backward(y)
        ctx.blocks = blocks
        return y

    @staticmethod
    def backward(ctx, dy):
        streams = [*halves(ctx.saved_tensors[0]), *halves(dy)]
        for f, g in reversed(ctx.blocks):
            back(g, streams, 0, 1)
            back(f, streams, 1, 0)
        return mg.cat(streams[2:], -1), None


def back(fn, s, u, y):
    with mg.enable_grad():
        leaf = s[u].detach().requires_grad_()
        v = fn(leaf)
    s[y].sub_(v.detach())
    v.backward(s[y + 2])
    s[u + 2].add_(leaf.grad)


def reversible_golf(x, blocks):
    return LetGo.apply(x, blocks)


# %% answer="reversible_golf" style="autograd.grad for the streams, sums in place"
class Small(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x, blocks):
        pair = halves(x)
        for block in blocks:
            for i, fn in enumerate(block):
                pair[i] += fn(pair[1 - i])
        ctx.blocks, y = blocks, mg.cat(pair, -1)
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, dy):
        pair, slopes = halves(ctx.saved_tensors[0]), halves(dy)
        for block in ctx.blocks[::-1]:
            for i in (1, 0):
                undone(block[i], i, pair, slopes)
        return mg.cat(slopes, -1), None


def undone(fn, i, pair, slopes):
    u = pair[1 - i].detach().requires_grad_()
    with mg.enable_grad():
        v = fn(u)
    pair[i] -= v.detach()
    mg.autograd.backward([v], [slopes[i]])
    slopes[1 - i] += u.grad


def reversible_golf(x, blocks):
    return Small.apply(x, blocks)


# %% answer="reversible_golf" spare="4 of 6"
# in place, and a copy of all four to be safe
class Safe(mg.autograd.Function):
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
            before = [t.clone() for t in (y1, y2, dy1, dy2)]
            for fn, u, y, du, dv in ((g, y1, y2, dy1, dy2), (f, y2, y1, dy2, dy1)):
                leaf = u.detach().requires_grad_()
                with mg.enable_grad():
                    v = fn(leaf)
                y -= v.detach()
                v.backward(dv)
                du += leaf.grad
        return mg.cat([dy1, dy2], -1), None


def reversible_golf(x, blocks):
    return Safe.apply(x, blocks)


# %% answer="undo_steps" wrong="You wrote into the tensors that you were given"
# the list is its own, the tensors are not
def undo_steps(steps, streams):
    s = list(streams)
    for target, how, fn, source in reversed(steps):
        v = fn(s[source])
        if how == "+":
            s[target].sub_(v)
        elif how == "-":
            s[target].add_(v)
        else:
            s[target].div_(v)
    return s


# %% answer="held_by_blocks" wrong="That is no number of bytes"
def held_by_blocks(keeps, rows, columns):
    return float("nan")


# %% answer="SwapChain" wrong="In each block the streams change places"
# one node; the streams stay where they are
class SwapChain(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x, fns):
        x1, x2 = halves(x)
        for fn in fns:
            x1 = x1 + fn(x2)
        ctx.save_for_backward(y := mg.cat([x1, x2], -1))
        return y

    @staticmethod
    def backward(ctx, dy):
        return dy, None


# %% answer="reversible_golf" wrong="is banned in this exercise"
class Called(mg.nn.Module):
    def __init__(self, fn):
        super().__init__()
        vars(self)["fn"] = fn

    def forward(self, u):
        return self.fn(u)


def reversible_golf(x, blocks):
    pairs = [mg.reversible.ReversibleBlock(Called(f), Called(g)) for f, g in blocks]
    return mg.reversible.ReversibleSequential(*pairs, trimmed=True)(x)
