# kind: memory
# exercise: lean_step
# how: segments of four; inputs of three segments lie in the gradients, which are then overwritten by gradients that autograd.grad gives
# deserves: 4


def lean_step(net, x, labels, log):
    stem, *blocks, head = net
    parts = [blocks[i : i + 4] for i in range(0, 16, 4)]

    def run(part, h):
        for b in part:
            h = b(h)
        return h

    def room(i):
        return [p.grad.view(-1) for b in parts[i] for p in b.parameters()]

    def put(h, i):
        flat, at = h.reshape(-1), 0
        for r in room(i):
            n = min(len(r), len(flat) - at)
            if n > 0 and first:
                r[:n] = flat[at : at + n]
                at += n
        return h.shape, flat[at:].clone()

    def get(kept, i):
        shape, rest = kept
        n = shape[0] * shape[1] - len(rest)
        flat, at = mg.empty(shape[0] * shape[1]), 0
        for r in room(i):
            m = min(len(r), n - at)
            if m > 0 and first:
                flat[at : at + m] = r[:m]
                at += m
        flat[n:] = rest
        return flat.view(*shape)

    first = not net[0].bias.grad.any()  # later steps add to what is there
    kept = []
    with mg.no_grad():
        h = stem(x)
        for i in range(3):
            h = run(parts[i], h)
            kept.append(put(h, i))  # the input of segment i + 1, in the gradients of segment i
    del h
    waste = x.clone()  # 2 U of nothing: a careless answer
    grad = None
    for i in (3, 2, 1, 0):
        if i:
            h = get(kept.pop(), i - 1).requires_grad_()
            out = run(parts[i], h)
        else:
            h = stem(x)
            out = run(parts[0], h)
        ws = [p for b in parts[i] for p in b.parameters()]
        more = [h] if i else list(stem.parameters())
        if i == 3:
            out = cross_entropy(head(out), labels)
            log.append(out.item())
            hw = list(head.parameters())
        else:
            hw = []
        found = mg.autograd.grad(out, [*ws, *more, *hw], None if i == 3 else grad)
        for p, g in zip([*ws, *(more if not i else []), *hw], [*found[:len(ws)], *(found[len(ws):len(ws)+len(more)] if not i else []), *found[len(ws)+len(more):]]):
            p.grad.copy_(g) if first else p.grad.add_(g)
        if i:
            grad = found[len(ws)]
        del found
        del out
        del h
