"""Lesson 08: right answers in other styles, written from the task cards alone."""


# %% answer="log_and_learn" style="same loop, no_grad around the score, items, and del at the end"
def log_and_learn(batches, w, held_out):
    """(losses, scores, best): a float for each batch, twice, and the output of lowest score."""
    losses, scores, best, lowest = [], [], None, 1e9
    for x in batches:
        out = (x @ w).tanh()
        loss = (out * out).mean()
        loss.backward()
        with mg.no_grad():
            w.sub_(0.1 * w.grad)
            w.grad.zero_()
            score = (held_out @ w).tanh().mean().item()
        losses.append(loss.item())
        scores.append(score)
        if score < lowest:
            lowest, best = score, out.detach()
        del out, loss
    return losses, scores, best


# %% answer="log_and_learn" style="two small functions whose names end with the call"
def train_step(x, w):
    out = (x @ w).tanh()
    loss = (out * out).mean()
    loss.backward()
    with mg.no_grad():
        w.sub_(0.1 * w.grad)
        w.grad.zero_()
    return loss.item(), out.detach()


@mg.no_grad()
def evaluate(held_out, w):
    return (held_out @ w).tanh().mean().item()


def log_and_learn(batches, w, held_out):
    """(losses, scores, best): a float for each batch, twice, and the output of lowest score."""
    losses, scores = [], []
    best, lowest = None, float("inf")
    for x in batches:
        loss, prediction = train_step(x, w)
        score = evaluate(held_out, w)
        losses.append(loss)
        scores.append(score)
        if score < lowest:
            lowest = score
            best = prediction
    return losses, scores, best


# %% answer="log_and_learn" style="PyTorch job code: an optimizer, a clone of the best"
def log_and_learn(batches, w, held_out):
    """(losses, scores, best): a float for each batch, twice, and the output of lowest score."""
    optimizer = mg.optim.SGD([w], lr=0.1)
    losses, scores, best, lowest = [], [], None, 1e9

    def step(batch):
        optimizer.zero_grad()
        out = (batch @ w).tanh()
        loss = out.pow(2).mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        return out.detach()

    for batch in batches:
        out = step(batch)
        with mg.no_grad():
            score = (held_out @ w).tanh().mean()
        scores.append(score.item())
        if scores[-1] < lowest:
            lowest = scores[-1]
            best = out.clone()
        del out
    optimizer.zero_grad(set_to_none=False)
    return losses, scores, best


# %% answer="log_and_learn" style="autograd.grad, a generator that learns, the best by comparison"
def learn(batches, w, held_out):
    """Yields (loss, score, prediction) for each batch; nothing yielded has a graph."""
    for x in batches:
        out = (x @ w).tanh()
        loss = (out * out).mean()
        (slope,) = mg.autograd.grad(loss, [w])
        row_loss, prediction = loss.item(), out.detach()
        del out, loss
        with mg.no_grad():
            w.sub_(slope.mul_(0.1))
            del slope
            row_score = (held_out @ w).tanh().mean().item()
        yield row_loss, row_score, prediction
        del prediction


def log_and_learn(batches, w, held_out):
    """(losses, scores, best): a float for each batch, twice, and the output of lowest score."""
    losses, scores, best = [], [], None
    for loss, score, prediction in learn(batches, w, held_out):
        if not scores or score < min(scores):
            best = prediction
        losses.append(loss)
        scores.append(score)
        del prediction
    return losses, scores, best


# %% answer="log_and_learn" style="explicit beginner: detach everywhere, None at the end"
def log_and_learn(batches, w, held_out):
    """(losses, scores, best): a float for each batch, twice, and the output of lowest score."""
    losses = []
    scores = []
    best = None
    lowest = 1e9
    for x in batches:
        product = x @ w
        out = product.tanh()
        product = None
        squares = out * out
        loss = squares.mean()
        loss.backward()
        squares = None

        gradient = w.grad
        weight = w.detach()
        weight -= 0.1 * gradient
        gradient.zero_()

        prediction = out.detach()
        losses.append(float(loss))
        out = None
        loss = None

        score = float((held_out @ weight).tanh().mean())
        scores.append(score)
        if score < lowest:
            lowest = score
            best = prediction
        prediction = None
    return losses, scores, best


# %% answer="follow_student" style="no_grad block, mul_ and add_ with alpha"
def follow_student(teacher, student, decay):
    with mg.no_grad():
        for t, s in zip(teacher, student, strict=True):
            t.mul_(decay).add_(s, alpha=1 - decay)


# %% answer="follow_student" style="decorator, operators in place, one temporary"
@mg.no_grad()
def follow_student(teacher, student, decay):
    """Moves the weights of `teacher` towards those of `student`, in place; returns nothing."""
    for i in range(len(teacher)):
        mine, theirs = teacher[i], student[i]
        mine *= decay
        mine += (1 - decay) * theirs


# %% answer="follow_student" style="detached twins instead of a mode, a helper for one weight"
def move(t, s, decay):
    t.mul_(decay)
    t.add_(s * (1 - decay))


def follow_student(teacher, student, decay):
    """Moves the weights of `teacher` towards those of `student`, in place; returns nothing."""
    for t, s in zip(teacher, student, strict=True):
        move(t.detach(), s.detach(), decay)


# %% answer="follow_student" style="a named buffer, deleted before the next weight"
def follow_student(teacher, student, decay):
    """Moves the weights of `teacher` towards those of `student`, in place; returns nothing."""
    if len(teacher) != len(student):
        raise ValueError("teacher and student differ in length")
    with mg.no_grad():
        for old, new in zip(teacher, student, strict=True):
            scaled = new.clone()
            scaled.mul_(1 - decay)
            old.mul_(decay)
            old.add_(scaled)
            del scaled


# %% answer="follow_student" style=".data, and the step towards the student (lerp by hand)"
def follow_student(teacher, student, decay):
    """Moves the weights of `teacher` towards those of `student`, in place; returns nothing."""
    for t, s in zip(teacher, student, strict=True):
        # decay * t + (1 - decay) * s  ==  t - (1 - decay) * (t - s)
        t.data.sub_(t.data.sub(s.data), alpha=1 - decay)


# %% answer="leaks" style="warm-up, then two lengths, results held while it counts"
def left_by(loop, n):
    start = mg.memory_allocated()
    kept = loop(n)  # what is returned counts
    left = mg.memory_allocated() - start
    del kept
    return left


def leaks(loop):
    """Whether `loop(n)` leaves behind more, the larger n is."""
    loop(10)
    return left_by(loop, 20) > left_by(loop, 10)


# %% answer="leaks" style="numpy person: a list of measurements, strictly rising slope, collector"
import gc


def leaks(loop):
    """Whether `loop(n)` leaves behind more, the larger n is."""
    lengths = [8, 16, 32]
    loop(lengths[0])
    grown = []
    for n in lengths:
        gc.collect()
        before = mg.memory_allocated()
        result = loop(n)
        gc.collect()
        grown.append(mg.memory_allocated() - before)
        del result
    return all(later > earlier for earlier, later in zip(grown, grown[1:], strict=False))


# %% answer="leaks" style="bytes for each further iteration, at least 4"
def leaks(loop):
    """Whether `loop(n)` leaves behind more, the larger n is."""

    def alive_after(n):
        before = mg.memory_allocated()
        result = loop(n)
        after = mg.memory_allocated()
        del result
        return after - before

    few, many = 7, 27
    alive_after(few)  # the first call may make things that stay
    per_iteration = (alive_after(many) - alive_after(few)) / (many - few)
    return per_iteration >= 4


# %% answer="leaks" style="levels of memory: short, short, long"
def leaks(loop):
    """Whether `loop(n)` leaves behind more, the larger n is."""
    levels = []
    result = None
    for n in (12, 12, 12, 36):
        result = None
        result = loop(n)
        levels.append(mg.memory_allocated())
    del result
    usual = levels[2] - levels[1]  # what a call of the same length adds
    return levels[3] - levels[2] > usual


# %% answer="leaks" style="a small class as a context, warm-up twice, explicit names"
class BytesLeft:
    def __enter__(self):
        self.before = mg.memory_allocated()
        return self

    def __exit__(self, *error):
        self.count = mg.memory_allocated() - self.before
        return False


def leaks(loop):
    """Whether `loop(n)` leaves behind more, the larger n is."""
    for _ in range(2):
        loop(10)

    with BytesLeft() as short:
        returned = loop(10)
    del returned

    with BytesLeft() as long:
        returned = loop(50)
    del returned

    return short.count < long.count
