"""Thread 001: eager penalties, boundaries, inputs=."""

from tests.twin import probes
from tests.twin.registry import case


def stages(mg):
    w = mg.tensor([[0.5, -0.25], [0.25, 0.75]], requires_grad=True)
    comp1 = (mg.tensor([[1.0, 2.0]]) @ w).tanh()
    return w, comp1, lambda c: (c * c).sin().sum(), lambda c: (c @ w).sum()


@case("A1 001 eager penalty with retain_graph: each dropped name frees one node")
def case_001_eager_retain(mg, out):
    w, comp1, _, rest = stages(mg)
    life = probes.Life()
    life.all("comp1", comp1)
    p1a = comp1.exp()
    life.all("p1a", p1a)
    p1b = p1a * comp1
    life.all("p1b", p1b)
    penalty = p1b.sum()
    life.all("penalty", penalty)
    out("built", life.alive())
    out.live("built")
    penalty.backward(retain_graph=True)
    out("after backward", life.alive())
    penalty = None
    out("penalty dropped", life.alive())
    p1b = None
    out("p1b dropped", life.alive())
    p1a = None
    out("p1a dropped", life.alive())
    out.live("dropped")
    rest(comp1).backward()
    out("gradient", w.grad)
    out("after the rest", life.alive())


@case("A1 001 eager gradients are the joint gradients; without retain it fails")
def case_001_joint(mg, out):
    w, comp1, penalty, rest = stages(mg)
    (penalty(comp1) + rest(comp1)).backward()
    out("joint", w.grad)
    w, comp1, penalty, rest = stages(mg)
    penalty(comp1).backward(retain_graph=True)
    rest(comp1).backward()
    out("eager", w.grad)
    w, comp1, penalty, rest = stages(mg)
    penalty(comp1).backward()
    out.error("without retain", rest(comp1).backward)
    out("half a gradient", w.grad)


@case("A1 001 autograd.grad runs and frees only the penalty's nodes")
def case_001_grad_to_the_boundary(mg, out):
    w, comp1, penalty, rest = stages(mg)
    p = penalty(comp1)
    (g,) = mg.autograd.grad(p, comp1)
    out("stored", g)
    out.error("p.backward", p.backward)
    out("comp1's node still holds", probes.readable(comp1.grad_fn))
    out("w.grad", w.grad)
    mg.autograd.backward([rest(comp1), comp1], [None, g])
    out("the total", w.grad)


@case("A1 001 backward(inputs=[non-leaf]) runs that node itself")
def case_001_inputs_quirk(mg, out):
    w, comp1, penalty, rest = stages(mg)
    p = penalty(comp1)
    p.backward(inputs=[comp1])
    out("flags", [comp1.is_leaf, comp1.retains_grad, w.grad])
    out("grad", comp1.grad)
    out("comp1's node", probes.readable(comp1.grad_fn))
    out.error("the rest", rest(comp1).backward)
    out("w.grad", w.grad)


@case("A1 001 boundary by detach, stored gradient, go on later")
def case_001_boundary(mg, out):
    w, comp1, penalty, rest = stages(mg)
    b = comp1.clone().detach().requires_grad_()
    c = comp1.detach()
    shares = [t.data_ptr() == comp1.data_ptr() for t in (b, c)]
    out("shares storage: clone().detach(), detach()", shares)
    penalty(b).backward()
    out("stored, w.grad", [b.grad, w.grad])
    rest(comp1).backward(retain_graph=True)
    comp1.backward(b.grad)
    out("two calls", w.grad)
    out.error("a third", comp1.backward, b.grad)


@case("A1 001 an identity Function that rescales, and the hook that does the same")
def case_001_scale(mg, out):
    class ScaleGrad(mg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x

        @staticmethod
        def backward(ctx, grad):
            return grad * 10

    x = mg.ones(3, requires_grad=True)
    y = ScaleGrad.apply(x)
    out("y", [repr(y), y is x, y.data_ptr() == x.data_ptr(), y._is_view(), y._base is x])
    (y.sum() + x.sum()).backward()
    out("gradient", x.grad)
    x.grad = None
    z = x.view_as(x)
    z.register_hook(lambda grad: grad * 10)
    (z.sum() + x.sum()).backward()
    out("by hook", x.grad)


@case("A1 001 each penalty with retain re-runs the backbone: 1+2+...")
def case_001_quadratic(mg, out):
    def count(eager):
        x = mg.ones(2, requires_grad=True)
        visits, h, loss = [], x, 0
        for index in range(6):
            h = h.tanh()
            h.grad_fn.register_hook(lambda *_, i=index: visits.append(i))
            penalty = (h * h).sum()
            if eager:
                penalty.backward(retain_graph=True)
            loss = loss + penalty
        if not eager:
            loss.backward()
        return visits, x.grad

    eager, joint = count(True), count(False)
    out("visits", [len(eager[0]), len(joint[0])])
    out("order", [eager[0], joint[0]])
    out("same", mg.allclose(eager[1], joint[1]))


@case("A1 001 backward(inputs=leaf): nodes off the path neither run nor are freed")
def case_001_inputs_leaf(mg, out):
    a, b = mg.ones(2, requires_grad=True), mg.ones(2, requires_grad=True)
    ran = []
    h, k = a * 3.0, b * 4.0
    for name, t in (("h", h), ("k", k)):
        t.register_hook(lambda g, name=name: ran.append(name))
    o = (h * 2 + k).sum()
    o.backward(inputs=[a])
    out("ran", ran)
    out("gradients", [a.grad, b.grad])
    out("k's node", probes.readable(k.grad_fn))
    out("h's node", probes.readable(h.grad_fn))
    out.error("k alone", k.backward, mg.ones(2))
    out.error("unrelated leaf", (a * 2).sum().backward, inputs=[mg.ones(1, requires_grad=True)])
    o = (a * 2).sum()
    out.error("the root itself", o.backward, inputs=[o])
    out("grad of the root", o.grad)
