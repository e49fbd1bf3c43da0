"""C8: modes, threads, re-entrancy."""

import threading

from tests.twin.registry import case


@case("C8 no_grad: context, decorator with and without (), generator, exception")
def case_c8_no_grad(mg, out):
    x = mg.ones(2, requires_grad=True)

    @mg.no_grad()
    def called():
        return (x * 2).requires_grad

    @mg.no_grad
    def bare():
        return (x * 2).requires_grad

    @mg.no_grad()
    def generate():
        yield (x * 2).requires_grad
        yield (x * 2).requires_grad

    out("decorators", [called(), bare(), mg.is_grad_enabled()])
    values = []
    for value in generate():
        values.append([value, mg.is_grad_enabled(), (x * 2).requires_grad])
    out("generator", values)
    try:
        with mg.no_grad():
            raise ValueError
    except ValueError:
        out("restored", mg.is_grad_enabled())
    with mg.no_grad():
        with mg.enable_grad():
            out("nested", (x * 2).requires_grad)
        out("back", (x * 2).requires_grad)
        made = mg.ones(2, requires_grad=True)
        out("constructors ignore the mode", made.requires_grad)

    @mg.enable_grad()
    def on():
        return (x * 2).requires_grad

    with mg.no_grad():
        out("enable_grad decorator", on())
    out("name", called.__name__)


@case("C8 set_grad_enabled: at once and as a context")
def case_c8_set(mg, out):
    x = mg.ones(2, requires_grad=True)
    mg.set_grad_enabled(False)
    out("off", [mg.is_grad_enabled(), (x * 2).requires_grad])
    mg.set_grad_enabled(True)
    with mg.set_grad_enabled(False):
        out("context", (x * 2).requires_grad)
    out("after", (x * 2).requires_grad)
    with mg.autograd.no_grad(), mg.autograd.set_grad_enabled(True):
        out("autograd names", (x * 2).requires_grad)


@case("C8 threads: mode per thread, shared leaf, accumulation is locked")
def case_c8_threads(mg, out):
    x = mg.zeros(50, requires_grad=True)
    modes = []

    def run(function):
        threads = [threading.Thread(target=function) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    with mg.no_grad():
        run(lambda: modes.append(mg.is_grad_enabled()))
    out("a new thread starts enabled", modes)

    def work():
        for _ in range(50):
            (x * 2.0).sum().backward()

    run(work)
    out("4 * 50 * 2", x.grad[:3])
    shared = (x * 1.0).exp()
    errors = []

    def second():
        try:
            shared.sum().backward()
        except RuntimeError as error:
            errors.append(type(error).__name__)

    threading.Thread(target=second).start()
    for thread in threading.enumerate():
        if thread is not threading.current_thread() and not thread.daemon:
            thread.join()
    second()
    out("freed by the other thread", errors)


@case("C8 backward inside backward")
def case_c8_reentrant(mg, out):
    class Deep(mg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.depth = int(x.item())
            return x * 1.0

        @staticmethod
        def backward(ctx, grad):
            if ctx.depth > 0:
                with mg.enable_grad():
                    inner = mg.tensor(float(ctx.depth - 1), requires_grad=True)
                    Deep.apply(inner).backward()
                return grad + inner.grad
            return grad

    x = mg.tensor(60.0, requires_grad=True)
    Deep.apply(x).backward()
    out("depth 60", x.grad)
    a = mg.ones(2, requires_grad=True)
    h = a * 2.0

    def inner(_grad):
        with mg.enable_grad():
            (a * 10.0).sum().backward()

    h.register_hook(inner)
    h.sum().backward()
    out("from a hook, same leaf", a.grad)
