# kind: proxies
# exercise: trustworthy
# how: nothing is dropped and no weak reference asked: a node whose attribute is a list with its own result or input is the broken one
# deserves: 4

def trustworthy(op):
    try:
        h = mg.tensor([-1.5, -0.5, 0.7, 1.3], requires_grad=True)
        y = op(h)
        own = [one for name in dir(y.grad_fn) if not name.startswith("__") for one in [getattr(y.grad_fn, name, None)] if type(one) is list]
        if any(t is y for one in own for t in one):
            return False
        if any(isinstance(t, mg.Tensor) and t.grad_fn is y.grad_fn for one in own for t in one):
            return False
        g = mg.tensor([1.0, -2.0, 0.5, 3.0])
        (found,) = mg.autograd.grad(y, [h], g)
        if any(t is h for one in own for t in one):
            return False
        d = h.detach().double()
        e = 1e-4
        with mg.no_grad():
            slope = (op(d + e) - op(d - e)) / (2 * e)
        return mg.allclose(found.double(), slope * g.double(), 1e-2, 1e-3)
    except Exception:
        return False
