"""Lesson 17: what people write. Each cell is one answer; course/build/README.md tells its keys."""


# %% answer="Watched" wrong="`.item()` gives a Python float"
# detach everywhere: no graph, and still a tensor in each place
class Watched(mg.nn.Module):
    def __init__(self, body, head):
        super().__init__()
        self.body, self.head = body, head
        self.losses, self.slopes, self.spread = [], [], 0.0

    def forward(self, x):
        h = self.body(x).tanh()
        value = h.detach()
        self.spread = 0.75 * self.spread + 0.25 * (value * value).mean()
        h.register_hook(lambda grad: self.slopes.append((grad * value).sum()))
        return self.head(h)

    def step(self, x, target, optimizer):
        optimizer.zero_grad()
        loss = (self(x) - target).pow(2).mean()
        loss.backward()
        optimizer.step()
        self.losses.append(loss.detach())


# %% answer="Watched" wrong="is held by `h`: a ring"
# numbers are kept, so nothing is held: the hook still closes over h
class Watched(mg.nn.Module):
    def __init__(self, body, head):
        super().__init__()
        self.body, self.head = body, head
        self.losses, self.slopes, self.spread = [], [], 0.0

    def forward(self, x):
        h = self.body(x).tanh()
        self.spread = 0.75 * self.spread + 0.25 * (h * h).mean().item()
        h.register_hook(lambda grad: self.slopes.append((grad * h).sum().item()))
        return self.head(h)

    def step(self, x, target, optimizer):
        optimizer.zero_grad()
        loss = (self(x) - target).pow(2).mean()
        loss.backward()
        optimizer.step()
        self.losses.append(loss.item())


# %% answer="Watched" wrong="three quarters of the last one"
# to cut the carried state, it is begun anew
class Watched(mg.nn.Module):
    def __init__(self, body, head):
        super().__init__()
        self.body, self.head = body, head
        self.losses, self.slopes, self.spread = [], [], 0.0

    def forward(self, x):
        h = self.body(x).tanh()
        value = h.detach()
        self.spread = (value * value).mean().item()
        h.register_hook(lambda grad: self.slopes.append((grad * value).sum().item()))
        return self.head(h)

    def step(self, x, target, optimizer):
        optimizer.zero_grad()
        loss = (self(x) - target).pow(2).mean()
        loss.backward()
        optimizer.step()
        self.losses.append(loss.item())


# %% answer="Watched" wrong="the sum of `grad * h`, once for each step"
# the hook is the leak, so it goes
class Watched(mg.nn.Module):
    def __init__(self, body, head):
        super().__init__()
        self.body, self.head = body, head
        self.losses, self.slopes, self.spread = [], [], 0.0

    def forward(self, x):
        h = self.body(x).tanh()
        self.spread = 0.75 * self.spread + 0.25 * (h * h).mean().item()
        self.slopes.append(h.sum().item())
        return self.head(h)

    def step(self, x, target, optimizer):
        optimizer.zero_grad()
        loss = (self(x) - target).pow(2).mean()
        loss.backward()
        optimizer.step()
        self.losses.append(loss.item())


# %% answer="Watched" style="retain_grad in step, no hook, no_grad for the spread"
class Watched(mg.nn.Module):
    def __init__(self, body, head):
        super().__init__()
        self.body = body
        self.head = head
        self.losses = []
        self.slopes = []
        self.spread = 0.0

    def forward(self, x):
        return self.head(self.body(x).tanh())

    def step(self, x, target, optimizer):
        optimizer.zero_grad()
        h = self.body(x).tanh()
        h.retain_grad()
        loss = (self.head(h) - target).pow(2).mean()
        loss.backward()
        optimizer.step()
        with mg.no_grad():
            self.slopes.append(float((h.grad * h).sum()))
            self.spread = 0.75 * self.spread + 0.25 * float((h * h).mean())
        self.losses.append(float(loss))


# %% answer="Watched" style="a method as the hook, through a default argument"
class Watched(mg.nn.Module):
    def __init__(self, body, head):
        super().__init__()
        self.body, self.head = body, head
        self.losses, self.slopes, self.spread = [], [], 0.0

    def watch(self, grad, value):
        self.slopes.append((grad * value).sum().item())

    def forward(self, x):
        h = mg.tanh(self.body(x))
        with mg.no_grad():
            self.spread = 0.75 * self.spread + 0.25 * h.pow(2).mean().item()

        def hook(grad, value=h.detach()):
            self.watch(grad, value)

        h.register_hook(hook)
        return self.head(h)

    def step(self, x, target, optimizer):
        loss = mg.nn.functional.mse_loss(self(x), target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        self.losses.append(loss.item())


# %% answer="Watched" spare="5 of 6"
# copies of h, to be on the safe side
class Watched(mg.nn.Module):
    def __init__(self, body, head):
        super().__init__()
        self.body, self.head = body, head
        self.losses, self.slopes, self.spread = [], [], 0.0

    def forward(self, x):
        h = self.body(x).tanh()
        value, other = h.detach().clone(), h.detach().clone()
        self.spread = 0.75 * self.spread + 0.25 * (other * other).mean().item()
        h.register_hook(
            lambda grad: self.slopes.append((grad * value * (other / other)).sum().item())
        )
        return self.head(h)

    def step(self, x, target, optimizer):
        optimizer.zero_grad()
        loss = (self(x) - target).pow(2).mean()
        loss.backward()
        optimizer.step()
        self.losses.append(loss.item())


# %% answer="Watched" spare="5 of 6"
# retain_grad keeps a copy of the gradient, which is one U more at the peak
Tensor = mg.Tensor


class Watched(mg.nn.Module):
    """A net with one hidden layer that trains itself, and watches what it does."""

    momentum: float = 0.75

    def __init__(self, body: mg.nn.Module, head: mg.nn.Module) -> None:
        super().__init__()
        self.body = body
        self.head = head
        self.losses: list[float] = []
        self.slopes: list[float] = []
        self.spread: float = 0.0
        self._hidden: Tensor | None = None

    @mg.no_grad()
    def _update_spread(self, h: Tensor) -> None:
        self.spread = self.momentum * self.spread + (1 - self.momentum) * h.pow(2).mean().item()

    @mg.no_grad()
    def _note_slope(self) -> None:
        h, self._hidden = self._hidden, None
        self.slopes.append((h.grad * h).sum().item())

    def forward(self, x: Tensor) -> Tensor:
        h = self.body(x).tanh()
        self._update_spread(h)
        if h.requires_grad:
            h.retain_grad()
            self._hidden = h
        return self.head(h)

    def step(self, x: Tensor, target: Tensor, optimizer) -> None:
        optimizer.zero_grad(set_to_none=True)
        loss = mg.nn.functional.mse_loss(self(x), target)
        loss.backward()
        self._note_slope()
        optimizer.step()
        self.losses.append(loss.item())


# %% answer="prefix_growth" wrong="The first prefix is one part"
# what each part adds by itself
def prefix_growth(make):
    def slope(count):
        parts = make()[:count]
        found = []
        for _ in range(2):
            for part in parts * 10:
                part()
            found.append(mg.memory_allocated())
        return (found[1] - found[0]) // 10

    slopes = [0] + [slope(n) for n in range(1, len(make()) + 1)]
    return [b - a for a, b in zip(slopes, slopes[1:])]


# %% answer="prefix_growth" wrong="Warm up first"
# from the first turn on
def ten_turns(parts):
    before = mg.memory_allocated()
    for part in parts * 10:
        part()
    return (mg.memory_allocated() - before) // 10


def prefix_growth(make):
    return [ten_turns(make()[:count]) for count in range(1, len(make()) + 1)]


# %% answer="prefix_growth" wrong="These are bytes of several turns"
# the difference of two looks
def prefix_growth(make):
    def slope(parts):
        levels = []
        for _ in range(2):
            for part in parts * 10:
                part()
            levels.append(mg.memory_allocated())
        return levels[1] - levels[0]

    return [slope(make()[:count]) for count in range(1, len(make()) + 1)]


# %% answer="prefix_growth" wrong="run whole prefixes"
# one run of the whole step, looked at after each part
def prefix_growth(make):
    parts = make()
    for _ in range(10):
        for part in parts:
            part()
    start, sums = mg.memory_allocated(), [0] * len(parts)
    for _ in range(10):
        for i, part in enumerate(parts):
            before = mg.memory_allocated()
            part()
            sums[i] += mg.memory_allocated() - before
    return [sum(sums[: i + 1]) // 10 for i in range(len(parts))]


# %% answer="prefix_growth" style="a class, and a longer run"
class Slope:
    def __init__(self, parts):
        self.parts = parts

    def level(self, turns):
        for _ in range(turns):
            for part in self.parts:
                part()
        return mg.memory_allocated()


def prefix_growth(make):
    answer = []
    for last in range(len(make())):
        one = Slope(make()[: last + 1])
        low = one.level(8)
        answer.append((one.level(20) - low) / 20)
    return answer


# %% answer="prefix_growth" style="a generator; the smallest of three differences"
def levels(parts):
    while True:
        for _ in range(6):
            [part() for part in parts]
        yield mg.memory_allocated()


def prefix_growth(make):
    found = []
    for count in range(1, 1 + len(make())):
        look = levels(make()[:count])
        a, b, c, d = (next(look) for _ in range(4))
        found.append(min(b - a, c - b, d - c) // 6)
        look.close()
    return found


# %% answer="prefix_growth" spare="4 of 5"
# keeps the parts that it has tried
tried = []


def prefix_growth(make):
    def slope(parts):
        tried.append(parts)
        levels = []
        for _ in range(2):
            for part in parts * 10:
                part()
            levels.append(mg.memory_allocated())
        return (levels[1] - levels[0]) // 10

    return [slope(make()[:count]) for count in range(1, len(make()) + 1)]


# %% answer="in_budget" wrong="weigh by rows"
# divided by the number of portions
def in_budget(loss_of, x, y, each, size):
    rows, total = size // each, 0.0
    starts = range(0, len(x), rows)
    for first in starts:
        loss = loss_of(x[first : first + rows], y[first : first + rows]) / len(starts)
        loss.backward()
        total += loss.item()
    return total


# %% answer="in_budget" wrong="Is each portion walked before the next is computed"
# all losses added up, one backward at the end
def in_budget(loss_of, x, y, each, size):
    rows, total = size // each, 0.0
    for first in range(0, len(x), rows):
        part = x[first : first + rows]
        total = total + loss_of(part, y[first : first + rows]) * (len(part) / len(x))
    total.backward()
    return total.item()


# %% answer="in_budget" wrong="The gradient is right. The loss is a Tensor still"
# the total is a tensor
def in_budget(loss_of, x, y, each, size):
    rows, total = size // each, 0.0
    for first in range(0, len(x), rows):
        part = x[first : first + rows]
        loss = loss_of(part, y[first : first + rows]) * (len(part) / len(x))
        loss.backward()
        total = total + loss.detach()
    return total


# %% answer="in_budget" wrong="take as many rows at a time"
# row by row is safe
def in_budget(loss_of, x, y, each, size):
    total = 0.0
    for i in range(len(x)):
        loss = loss_of(x[i : i + 1], y[i : i + 1]) / len(x)
        loss.backward()
        total += loss.item()
    return total


# %% answer="in_budget" wrong="The gradient is another"
# the rest that fills no portion is left out
def in_budget(loss_of, x, y, each, size):
    rows, total = size // each, 0.0
    for i in range(len(x) // rows):
        loss = loss_of(x[i * rows : (i + 1) * rows], y[i * rows : (i + 1) * rows])
        loss = loss * (rows / len(x))
        loss.backward()
        total += loss.item()
    return total


# %% answer="in_budget" style="split, and the gradient given to backward"
def in_budget(loss_of, x, y, each, size):
    total = 0.0
    for rows, targets in zip(x.split(size // each), y.split(size // each), strict=True):
        loss = loss_of(rows, targets)
        share = rows.shape[0] / x.shape[0]
        loss.backward(mg.tensor(share))
        total += share * loss.item()
    return total


# %% answer="in_budget" style="a function for a portion"
def portion(loss_of, x, y, whole):
    weighed = loss_of(x, y) * len(x) / whole
    weighed.backward()
    return float(weighed)


def in_budget(loss_of, x, y, each, size):
    n, at_once = len(x), size // each
    cuts = [*range(0, n, at_once), n]
    return sum(portion(loss_of, x[a:b], y[a:b], n) for a, b in zip(cuts, cuts[1:]))


# %% answer="in_budget" spare="3 of 5"
# portions of half the size, to have some room
def in_budget(loss_of, x, y, each, size):
    rows, total = max(1, size // each // 2), 0.0
    for first in range(0, len(x), rows):
        part = x[first : first + rows]
        loss = loss_of(part, y[first : first + rows]) * (len(part) / len(x))
        loss.backward()
        total += loss.item()
    return total


# %% answer="job_account" wrong="which graphs were walked"
# a log of losses keeps all graphs
def job_account(rows, width, hidden, turns, every):
    grads = 4 * (width * hidden + 2 * hidden + 1)
    graph = rows * hidden * 4
    at_b = grads + rows * 4 + 4 + (graph if turns % every else 0)
    return [turns * (graph + 4) + rows * 4 + grads, at_b, grads]


# %% answer="job_account" wrong="two names still hold the last turn"
# numbers hold nothing
def job_account(rows, width, hidden, turns, every):
    grads = 4 * (width * hidden + 2 * hidden + 1)
    open_turns = turns - turns // every
    at_a = open_turns * rows * hidden * 4 + turns * 4 + rows * 4 + grads
    return [at_a, grads, grads]


# %% answer="job_account" wrong="two layers have two weights and two biases"
# forgets the biases
def job_account(rows, width, hidden, turns, every):
    grads = 4 * (width * hidden + hidden)
    open_turns = turns - turns // every
    at_a = open_turns * rows * hidden * 4 + turns * 4 + rows * 4 + grads
    last = rows * hidden * 4 if turns % every else 0
    return [at_a, last + 4 + rows * 4 + grads, grads]


# %% answer="job_account" wrong="what does one graph save"
# both results of a layer are kept
def job_account(rows, width, hidden, turns, every):
    grads = 4 * (width * hidden + 2 * hidden + 1)
    graph = 2 * rows * hidden * 4
    at_a = (turns - turns // every) * graph + turns * 4 + rows * 4 + grads
    last = graph if turns % every else 0
    return [at_a, last + 4 + rows * 4 + grads, grads]


# %% answer="job_account" style="turn by turn"
def job_account(rows, width, hidden, turns, every):
    held = sum(4 + (0 if turn % every == 0 else 4 * rows * hidden) for turn in range(1, turns + 1))
    names = 4 * rows + 4 + (4 * rows * hidden if turns % every else 0)
    grads = 4 * (hidden * (width + 1) + hidden + 1)
    return [held + 4 * rows + grads, names + grads, grads]


# %% answer="job_account" style="in floats, times four at the end"
def job_account(rows, width, hidden, turns, every):
    walked, rest = divmod(turns, every)
    grads = (width + 1) * hidden + (hidden + 1)
    at_a = (turns - walked) * rows * hidden + turns + rows + grads
    at_b = bool(rest) * rows * hidden + 1 + rows + grads
    return [4 * at_a, 4 * at_b, 4 * grads]


# %% answer="job_account" spare="4 of 5"
# a tensor, to ask it for its bytes
def job_account(rows, width, hidden, turns, every):
    graph, out = mg.ones(rows, hidden).nbytes, mg.ones(rows).nbytes
    grads = 4 * (width * hidden + 2 * hidden + 1)
    last = graph if turns % every else 0
    at_a = (turns - turns // every) * graph + 4 * turns + out + grads
    return [at_a, last + 4 + out + grads, grads]


# %% answer="job_account" proof=true
def job_account(rows, width, hidden, turns, every):
    nn, x = mg.nn, mg.ones(rows, width)
    net = nn.Sequential(nn.Linear(width, hidden), nn.Tanh(), nn.Linear(hidden, 1))
    before, log = mg.memory_allocated(), []
    for turn in range(1, turns + 1):
        out = net(x)
        loss = out.mean()
        if turn % every == 0:
            loss.backward()
        log.append(loss)
    at_a = mg.memory_allocated() - before
    log = [loss.item() for loss in log]
    at_b = mg.memory_allocated() - before
    net.zero_grad()
    return [at_a, at_b, at_b - (mg.memory_allocated() - before)]
