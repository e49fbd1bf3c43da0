"""Thread 004: loops, static graphs, retained graphs, growing graphs."""

from tests.twin import probes
from tests.twin.registry import case


@case("A1 004 the loop: sum saves nothing, so the shared node passes")
def case_004_loop(mg, out):
    a = mg.ones(3, requires_grad=True).double()
    out("leaf", a.is_leaf)
    for _ in range(5):
        y = a.sum()
        y.backward()
    out("grad", out.warned("warns", lambda: a.grad))
    b = mg.ones(3, requires_grad=True)
    y = b.sum()
    out.error("forward", lambda: y.forward())
    for _ in range(100):
        y.backward()
    out("static sum 100x", b.grad)
    c = mg.ones(3, requires_grad=True)
    y = (c * c).sum()
    y.backward()
    out.error("an op that saves", y.backward)


@case("A1 004 a.data= swapped under a static graph: silent and wrong")
def case_004_data(mg, out):
    a = mg.ones(2, requires_grad=True)
    y = (a * a).sum()
    y.backward(retain_graph=True)
    out("first", a.grad)
    a.grad = None
    a.data = mg.full((2,), 10.0)
    out("saved is a", y.grad_fn.next_functions[0][0]._saved_self is a)
    y.backward(retain_graph=True)
    out("new data's gradient, old value", [a.grad, y])
    a.grad = None
    with mg.no_grad():
        a.copy_(mg.ones(2))
    out.error("no_grad copy_ is caught", y.backward)
    a = mg.ones(2, requires_grad=True)
    y = a.exp().sum()
    a.data = mg.zeros(2)
    y.backward()
    out("exp keeps its result", a.grad)
    y = a.sum()
    a.data = mg.zeros(5)
    out.error("another shape", y.backward)
    out("gradient", a.grad)


@case("A1 004 retain_graph in a loop: one graph lives; rebinding frees one late")
def case_004_retained(mg, out):
    a = mg.ones(10, requires_grad=True)
    a.grad = mg.zeros(10)
    lives = []
    for _ in range(4):
        y = (a * 2.0).exp().sum()
        life = probes.Life()
        life.node("y", y.grad_fn)
        lives.append(life)
        y.backward(retain_graph=True)
        out("alive", sum(len(one.alive()) for one in lives))
    out.live("the last graph")
    del y
    out("after del y", sum(len(one.alive()) for one in lives))
    out.live("none")


@case("A1 004 peaks: the old graph is still bound while the new one is built")
def case_004_peaks(mg, out):
    def forward(a):
        return (a * 2.0).exp().sum()

    def run(label, body):
        a = mg.ones(100, requires_grad=True)
        a.grad = mg.zeros(100)
        mg.reset_peak_memory_stats()
        body(a)
        out.peak(label)
        out.live(label)

    def rebinding(retain):
        def body(a):
            for _ in range(3):
                y = forward(a)
                if retain is not None:
                    y.backward(retain_graph=retain)
            out.live("in the loop")
            del y

        return body

    def deleting(a):
        for _ in range(3):
            y = forward(a)
            y.backward(retain_graph=True)
            del y

    def keeping(backward):
        def body(a):
            losses = []
            for _ in range(4):
                y = forward(a)
                if backward:
                    y.backward()
                losses.append(y)
            out.live("losses kept")

        return body

    run("forward only", rebinding(None))
    run("plain", rebinding(False))
    run("retain", rebinding(True))
    run("del", deleting)
    run("losses after backward", keeping(True))
    run("losses without backward", keeping(False))


@case("A1 004 a value fed back: the graph expands")
def case_004_fed_back(mg, out):
    def grow(label, step, times=4):
        w = mg.tensor([0.5], requires_grad=True)
        state, counts = mg.tensor([1.0]), []
        for index in range(times):
            try:
                state = step(w, state, counts)
            except RuntimeError as error:
                out(f"{label}: fails in {index}", str(error))
                break
        out(label, counts)
        out(label + ": gradient", w.grad)

    def forward(w, state, counts):
        state = (state * w).tanh()
        loss = (state * state).sum()
        counts.append(len(probes.walk(loss.grad_fn)))
        return state, loss

    def plain(w, state, counts):
        state, loss = forward(w, state, counts)
        loss.backward()
        return state

    def retain(w, state, counts):
        state, loss = forward(w, state, counts)
        loss.backward(retain_graph=True)
        return state

    def detached(w, state, counts):
        state, loss = forward(w, state, counts)
        loss.backward()
        return state.detach()

    def total(w, state, counts):
        _, loss = forward(w, mg.tensor([1.0]), [])
        state = state + loss
        counts.append(len(probes.walk(state.grad_fn)))
        return state

    grow("plain", plain)
    grow("retain", retain)
    grow("detach", detached)
    grow("total = total + loss", total)


@case("A1 004 y = y - lr*grad grows by one node a turn, without create_graph")
def case_004_update(mg, out):
    w = mg.ones(2, requires_grad=True)
    y, counts = w * 1.0, []
    for _ in range(4):
        (grad,) = mg.autograd.grad((y * y).sum(), y)
        y = y - 0.1 * grad
        counts.append(len(probes.walk(y.grad_fn)))
    out("nodes", counts)
    out("y", y)
