"""Lesson 11: right answers in other styles, written from the task cards alone."""


# %% answer="FlatChain" style="as the lesson's chain: save y, walk the blocks back with undo"
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
        (y,) = ctx.saved_tensors
        y1, y2 = halves(y)
        dy1, dy2 = halves(dy)
        for f, g in reversed(ctx.blocks):
            y1, y2, dy1, dy2 = undo(f, g, y1, y2, dy1, dy2)
        return mg.cat([dy1, dy2], -1), None


# %% answer="FlatChain" style="setup_context, reduce over the blocks, one state tuple"
from functools import reduce


class FlatChain(mg.autograd.Function):
    @staticmethod
    def forward(x, blocks):
        streams = reduce(lambda pair, block: couple(*block, *pair), blocks, x.chunk(2, -1))
        return mg.cat(streams, -1)

    @staticmethod
    def setup_context(ctx, inputs, output):
        _, ctx.blocks = inputs
        ctx.save_for_backward(output)

    @staticmethod
    def backward(ctx, dy):
        state = (*ctx.saved_tensors[0].chunk(2, -1), *dy.chunk(2, -1))
        for block in ctx.blocks[::-1]:
            state = undo(*block, *state)
        return mg.cat(state[2:], -1), None


# %% answer="FlatChain" style="undo_half by half, del of what is done, a loop by index"
class FlatChain(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x, blocks):
        x1, x2 = halves(x)
        for i in range(len(blocks)):
            f, g = blocks[i]
            x1 = x1 + f(x2)
            x2 = x2 + g(x1)
        y = mg.cat([x1, x2], dim=-1)
        del x1, x2
        ctx.pairs = list(blocks)
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, grad_output):
        saved = ctx.saved_tensors
        s1, s2 = halves(saved[0])
        g1, g2 = halves(grad_output)
        del saved, grad_output
        for i in range(len(ctx.pairs) - 1, -1, -1):
            f, g = ctx.pairs[i]
            s2, g1 = undo_half(g, s1, s2, g1, g2)
            s1, g2 = undo_half(f, s2, s1, g2, g1)
        grad_input = mg.cat([g1, g2], dim=-1)
        return grad_input, None


# %% answer="FlatChain" style="numpy way: one buffer, two views, in-place additions"
class FlatChain(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x, blocks):
        y = x.clone()
        half = y.shape[-1] // 2
        top, bottom = y[:, :half], y[:, half:]
        for f, g in blocks:
            top += f(bottom)
            bottom += g(top)
        ctx.blocks = blocks
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, dy):
        y, dx = ctx.saved_tensors[0].clone(), dy.clone()
        half = y.shape[-1] // 2
        top, bottom = y[:, :half], y[:, half:]
        dtop, dbottom = dx[:, :half], dx[:, half:]
        for f, g in reversed(ctx.blocks):
            take_back(g, top, bottom, dtop, dbottom)
            take_back(f, bottom, top, dbottom, dtop)
        return dx, None


def take_back(fn, u, y, du, dy):
    leaf = u.clone().requires_grad_()
    with mg.enable_grad():
        out = fn(leaf)
    out.backward(dy)
    y -= out.detach()
    du += leaf.grad


# %% answer="FlatChain" style="the list of blocks used as a stack, with a check"
class FlatChain(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x, blocks):
        if x.shape[-1] % 2:
            raise ValueError("the last axis must be even, it is cut into two streams")
        ctx.todo = tuple(tuple(block) for block in blocks)
        pair = halves(x)
        for f, g in ctx.todo:
            pair = couple(f, g, *pair)
        out = mg.cat(pair, -1)
        ctx.save_for_backward(out)
        return out

    @staticmethod
    def backward(ctx, dy):
        (out,) = ctx.saved_tensors
        pair, grads = halves(out), halves(dy)
        del out, dy
        stack = list(ctx.todo)
        while stack:
            f, g = stack.pop()
            *pair, d1, d2 = undo(f, g, *pair, *grads)
            grads = [d1, d2]
            del d1, d2
        return mg.cat(grads, -1), None


# %% answer="SwapChain" style="plain loop, tuple assignment"
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
        (y,) = ctx.saved_tensors
        y1, y2 = halves(y)
        dy1, dy2 = halves(dy)
        for fn in reversed(ctx.fns):
            x1, dx2 = undo_half(fn, y1, y2, dy1, dy2)
            y1, y2, dy1, dy2 = x1, y1, dy2, dx2
        return mg.cat([dy1, dy2], -1), None


# %% answer="SwapChain" style="very explicit beginner, every value named, del after a round"
class SwapChain(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x, fns):
        first, second = halves(x)
        for fn in fns:
            change = fn(second)
            new_second = first + change
            new_first = second
            first = new_first
            second = new_second
            del change, new_first, new_second
        output = mg.cat([first, second], -1)
        ctx.save_for_backward(output)
        ctx.functions = list(fns)
        return output

    @staticmethod
    def backward(ctx, grad_output):
        output = ctx.saved_tensors[0]
        first, second = halves(output)
        grad_first, grad_second = halves(grad_output)
        for fn in reversed(ctx.functions):
            # first was the old second; second was the old first plus fn(old second)
            old_second = first
            old_first, grad_old_second = undo_half(fn, old_second, second, grad_first, grad_second)
            grad_old_first = grad_second
            first, second = old_first, old_second
            grad_first, grad_second = grad_old_first, grad_old_second
            del old_first, old_second, grad_old_first, grad_old_second
        grad_input = mg.cat([grad_first, grad_second], -1)
        return grad_input, None


# %% answer="SwapChain" style="helper functions for one block there and back, one state tuple"
def swap(fn, x1, x2):
    return x2, x1 + fn(x2)


def swap_back(fn, y1, y2, dy1, dy2):
    x1, dx2 = undo_half(fn, y1, y2, dy1, dy2)
    return x1, y1, dy2, dx2


class SwapChain(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x, fns):
        streams = halves(x)
        for fn in fns:
            streams = swap(fn, *streams)
        y = mg.cat(streams, -1)
        ctx.save_for_backward(y)
        ctx.fns = fns
        return y

    @staticmethod
    def backward(ctx, dy):
        state = [*halves(*ctx.saved_tensors), *halves(dy)]
        for fn in ctx.fns[::-1]:
            state = swap_back(fn, *state)
        return mg.cat(state[2:], -1), None


# %% answer="SwapChain" style="deques that turn, setup_context"
from collections import deque


class SwapChain(mg.autograd.Function):
    @staticmethod
    def forward(x, fns):
        streams = deque(halves(x))
        for fn in fns:
            streams.append(streams.popleft() + fn(streams[0]))
        return mg.cat(streams, -1)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.fns = inputs[1]
        ctx.save_for_backward(output)

    @staticmethod
    def backward(ctx, dy):
        streams, grads = deque(halves(ctx.saved_tensors[0])), deque(halves(dy))
        for fn in reversed(ctx.fns):
            u, dy = streams[0], grads[1]
            x, du = undo_half(fn, u, streams.pop(), grads.popleft(), dy)
            streams.appendleft(x)
            grads.append(du)
        return mg.cat(grads, -1), None


# %% answer="SwapChain" style="walks the list of functions as a stack, streams as views of y"
class SwapChain(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x, fns):
        a, b = x.chunk(2, -1)
        for fn in fns:
            a = a.add(fn(b))
            a, b = b, a
        y = mg.cat((a, b), -1)
        ctx.save_for_backward(y)
        ctx.fns = tuple(fns)
        return y

    @staticmethod
    def backward(ctx, dy):
        a, b = ctx.saved_tensors[0].chunk(2, -1)
        da, db = dy.chunk(2, -1)
        todo = list(ctx.fns)
        while todo:
            b, da = undo_half(todo.pop(), a, b, da, db)
            a, b, da, db = b, a, db, da
        return mg.cat((da, db), -1), None


# %% answer="reversible_golf" style="one node, in-place additions on cloned halves"
class GolfChain(mg.autograd.Function):
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
            half_back(g, y1, y2, dy1, dy2)
            half_back(f, y2, y1, dy2, dy1)
        return mg.cat([dy1, dy2], -1), None


def half_back(fn, u, y, du, dy):
    """Of y = x + fn(u): y becomes x, and du gains what comes through fn."""
    u = u.detach().requires_grad_()
    with mg.enable_grad():
        v = fn(u)
    v.backward(dy)
    y -= v.detach()
    du += u.grad


def reversible_golf(x, blocks):
    return GolfChain.apply(x, blocks)


# %% answer="reversible_golf" style="one buffer for both streams, views into it, u.grad given"
class OneBuffer(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x, blocks):
        y = x.clone()
        left, right = y.chunk(2, -1)
        for f, g in blocks:
            left.add_(f(right))
            right.add_(g(left))
        ctx.blocks = blocks
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, dy):
        left, right = ctx.saved_tensors[0].clone().chunk(2, -1)
        dleft, dright = (part.clone() for part in dy.chunk(2, -1))
        del dy
        for f, g in reversed(ctx.blocks):
            for fn, u, y, du, dout in (
                (g, left, right, dleft, dright),
                (f, right, left, dright, dleft),
            ):
                u = u.detach().requires_grad_()
                u.grad = du  # so that backward adds into it
                with mg.enable_grad():
                    v = fn(u)
                mg.autograd.backward(v, dout)
                y.sub_(v.detach())
                del u, v
        return mg.cat([dleft, dright], -1), None


def reversible_golf(x, blocks):
    return OneBuffer.apply(x, blocks)


# %% answer="reversible_golf" style="a node for each block and a baton between them"
class Runner(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x, block, baton, first):
        f, g = block
        y = x.clone()
        y1, y2 = y.chunk(2, -1)
        y1 += f(y2)
        y2 += g(y1)
        ctx.block, ctx.baton, ctx.first = block, baton, first
        baton["y"] = y.detach()
        return y

    @staticmethod
    def backward(ctx, dy):
        f, g = ctx.block
        y1, y2 = halves(ctx.baton.pop("y"))
        dy1, dy2 = dy.chunk(2, -1)
        dy1 = through(g, y1, y2, dy1, dy2)
        dy2 = through(f, y2, y1, dy2, dy1)
        if not ctx.first:
            ctx.baton["y"] = mg.cat([y1, y2], -1)
        return mg.cat([dy1, dy2], -1), None, None, None


def through(fn, u, y, du, dy):
    leaf = u.detach().requires_grad_()
    with mg.enable_grad():
        v = fn(leaf)
    v.backward(dy)
    y -= v.detach()
    return du + leaf.grad


def reversible_golf(x, blocks):
    baton = {}
    y = x
    for i, block in enumerate(blocks):
        y = Runner.apply(y, block, baton, i == 0)
    return y


# %% answer="reversible_golf" style="out of place, with lists whose entries are replaced"
class Lists(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x, blocks):
        streams = list(x.chunk(2, -1))
        for f, g in blocks:
            streams[0] = streams[0] + f(streams[1])
            streams[1] = streams[1] + g(streams[0])
        out = mg.cat(streams, -1)
        ctx.save_for_backward(out)
        ctx.blocks = blocks
        return out

    @staticmethod
    def backward(ctx, dy):
        streams = list(ctx.saved_tensors[0].chunk(2, -1))
        grads = list(dy.chunk(2, -1))
        for f, g in reversed(ctx.blocks):
            undo_into(g, 0, 1, streams, grads)
            undo_into(f, 1, 0, streams, grads)
        return mg.cat(grads, -1), None


def undo_into(fn, source, target, streams, grads):
    """streams[target] loses fn(streams[source]); grads[source] gains what fn sends back."""
    leaf = streams[source].detach().requires_grad_()
    with mg.enable_grad():
        value = fn(leaf)
    streams[target] = streams[target] - value.detach()
    value.backward(grads[target])
    grads[source] = grads[source] + leaf.grad


def reversible_golf(x, blocks):
    return Lists.apply(x, blocks)


# %% answer="reversible_golf" style="a class made for each call that closes over the blocks"
def reversible_golf(x, blocks):
    blocks = list(blocks)
    steps = [(i, fn) for pair in blocks for i, fn in enumerate(pair)]  # 0: F, 1: G

    class Chain(mg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            streams = halves(x)
            for i, fn in steps:
                streams[i] += fn(streams[1 - i])
            y = mg.cat(streams, -1)
            ctx.save_for_backward(y)
            return y

        @staticmethod
        def backward(ctx, dy):
            (y,) = ctx.saved_tensors
            streams, grads = halves(y), halves(dy)
            for i, fn in reversed(steps):
                streams[i] -= again(fn, streams[1 - i], grads[1 - i], grads[i])
            return mg.cat(grads, -1)

    return Chain.apply(x)


def again(fn, u, du, dv):
    """fn(u) once more; what it sends back for dv is added to du."""
    with mg.enable_grad():
        u = u.detach().requires_grad_()
        v = fn(u)
    v.backward(dv)
    du += u.grad
    return v.detach()
