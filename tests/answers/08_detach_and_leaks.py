"""Lesson 08: what people write. Each cell is one answer; course/build/README.md tells its keys."""


# %% answer="log_and_learn" wrong="`.item()` gives a Python float"
# detach is the remedy for leaks: no graph, and still a tensor in each place
def log_and_learn(batches, w, held_out):
    losses, scores, best, lowest = [], [], None, 1e9
    for x in batches:
        out = (x @ w).tanh()
        loss = (out * out).mean()
        loss.backward()
        with mg.no_grad():
            w.sub_(0.1 * w.grad)
            w.grad.zero_()
            score = (held_out @ w).tanh().mean()
        losses.append(loss.detach())
        scores.append(score.detach())
        if score < lowest:
            lowest, best = score, out.detach()
        del out, loss
    return losses, scores, best


# %% answer="log_and_learn" wrong="keep the forward pass, the update"
# no graph, no leak: forgets that the loss must be walked
def log_and_learn(batches, w, held_out):
    losses, scores, best, lowest = [], [], None, 1e9
    with mg.no_grad():
        for x in batches:
            out = (x @ w).tanh()
            losses.append((out * out).mean().item())
            scores.append((held_out @ w).tanh().mean().item())
            if scores[-1] < lowest:
                lowest, best = scores[-1], out
    return losses, scores, best


# %% answer="log_and_learn" wrong="Is a graph of the turn before still held"
# names go out of scope in the next turn
def log_and_learn(batches, w, held_out):
    losses, scores, best, lowest = [], [], None, 1e9
    for x in batches:
        out = (x @ w).tanh()
        loss = (out * out).mean()
        loss.backward()
        with mg.no_grad():
            w.sub_(0.1 * w.grad)
            w.grad.zero_()
        score = (held_out @ w).tanh().mean()
        losses.append(loss.item())
        scores.append(score.item())
        if scores[-1] < lowest:
            lowest, best = scores[-1], out.detach()
    return losses, scores, best


# %% answer="log_and_learn" wrong="More is alive than one output"
# keeps the outputs "detached, so they cost nothing"
def log_and_learn(batches, w, held_out):
    losses, scores, outs = [], [], []
    for x in batches:
        out = (x @ w).tanh()
        loss = (out * out).mean()
        loss.backward()
        with mg.no_grad():
            w.sub_(0.1 * w.grad)
            w.grad.zero_()
            scores.append((held_out @ w).tanh().mean().item())
        losses.append(loss.item())
        outs.append(out.detach())
        del out, loss
    log_and_learn.outs = outs
    return losses, scores, outs[scores.index(min(scores))]


# %% answer="log_and_learn" wrong="still has a `grad_fn`"
# one output that is kept is no leak
def log_and_learn(batches, w, held_out):
    losses, scores, best, lowest = [], [], None, 1e9
    for x in batches:
        out = (x @ w).tanh()
        loss = (out * out).mean()
        loss.backward()
        with mg.no_grad():
            w.sub_(0.1 * w.grad)
            w.grad.zero_()
            scores.append((held_out @ w).tanh().mean().item())
        losses.append(loss.item())
        if scores[-1] < lowest:
            lowest, best = scores[-1], out
        del out, loss
    return losses, scores, best


# %% answer="log_and_learn" style="a function for each batch"
def one_batch(x, w, held_out):
    out = (x @ w).tanh()
    loss = (out * out).mean()
    loss.backward()
    with mg.no_grad():
        w.sub_(w.grad * 0.1)
        w.grad.zero_()
        return loss.item(), (held_out @ w).tanh().mean().item(), out.detach()


def log_and_learn(batches, w, held_out):
    best, log = None, []
    for x in batches:
        loss, score, out = one_batch(x, w, held_out)
        if not log or score < min(s for _, s in log):
            best = out
        log.append((loss, score))
        del out
    return [one for one, _ in log], [one for _, one in log], best


# %% answer="log_and_learn" style="float(), and names set to None"
def log_and_learn(batches, w, held_out):
    losses, scores, best = [], [], None
    for x in batches:
        out = mg.matmul(x, w).tanh()
        loss = out.pow(2).mean()
        loss.backward()
        losses.append(float(loss))
        loss = None
        with mg.no_grad():
            w -= 0.1 * w.grad
            w.grad.zero_()
            score = float((held_out @ w).tanh().mean())
        if not scores or score < min(scores):
            best = out.detach()
        scores.append(score)
        out = None
    return losses, scores, best


# %% answer="log_and_learn" spare="4 of 5"
# a copy of each result of the validation
def log_and_learn(batches, w, held_out):
    losses, scores, best, lowest = [], [], None, 1e9
    for x in batches:
        out = (x @ w).tanh()
        loss = (out * out).mean()
        loss.backward()
        with mg.no_grad():
            w.sub_(0.1 * w.grad)
            w.grad.zero_()
            again = (held_out @ w).clone()
            score = (again + 0.0).tanh().mean().item()
            del again
        losses.append(loss.item())
        scores.append(score)
        if score < lowest:
            lowest, best = score, out.detach()
        del out, loss
    return losses, scores, best


# %% answer="follow_student" wrong="write into its tensors, in place, and record nothing"
# the obvious line: a new tensor in each step, recorded
def follow_student(teacher, student, decay):
    for i, new in enumerate(student):
        teacher[i] = decay * teacher[i] + (1 - decay) * new


# %% answer="follow_student" wrong="Each step is recorded: the teacher has a `grad_fn`"
# in place, so it records nothing: but the student wants a gradient
def follow_student(teacher, student, decay):
    for old, new in zip(teacher, student):
        old.mul_(decay).add_((1 - decay) * new)


# %% answer="follow_student" wrong="write into a leaf only where nothing is recorded"
# detach on the student is all it takes
def follow_student(teacher, student, decay):
    for old, new in zip(teacher, student):
        old.mul_(decay).add_((1 - decay) * new.detach())


# %% answer="follow_student" wrong="`decay` belongs to the teacher"
# the other way round
def follow_student(teacher, student, decay):
    with mg.no_grad():
        for old, new in zip(teacher, student):
            old.mul_(1 - decay).add_(decay * new)


# %% answer="follow_student" style="lerp_: an in-place average of PyTorch's own"
def follow_student(teacher, student, decay):
    with mg.no_grad():
        for old, new in zip(teacher, student):
            old.lerp_(new, 1 - decay)


# %% answer="follow_student" style="nan_to_num_ in the same line"
# PyTorch's guard against a net that has run away
def follow_student(teacher, student, decay):
    with mg.no_grad():
        for old, new in zip(teacher, student):
            old.mul_(decay).add_(new, alpha=1 - decay).nan_to_num_()


# %% answer="follow_student" style=".data on both sides"
def follow_student(teacher, student, decay):
    for old, new in zip(teacher, student):
        old.data.mul_(decay).add_(new.data * (1 - decay))


# %% answer="follow_student" style="a decorator, and copy_"
@mg.no_grad()
def follow_student(teacher, student, decay):
    for old, new in zip(teacher, student):
        old -= (1 - decay) * old
        old += (1 - decay) * new


# %% answer="follow_student" style="detached on both sides"
def follow_student(teacher, student, decay):
    for i in range(len(teacher)):
        target = teacher[i].detach()
        target.mul_(decay)
        target.add_(student[i].detach() * (1 - decay))


# %% answer="follow_student" spare="3 of 4"
# the whole average first, then a copy
def follow_student(teacher, student, decay):
    with mg.no_grad():
        average = [decay * old + (1 - decay) * new for old, new in zip(teacher, student)]
        for old, new in zip(teacher, average):
            old.copy_(new)


# %% answer="truncated_account" wrong="the loss is a tensor as well"
# a loss is a number
def truncated_account(rows, width, steps, k):
    unit, over = rows * width * 4, steps % k
    return [(k + 1) * unit, (over + 1) * unit, steps // k * (k * (k + 1) // 2)]


# %% answer="truncated_account" wrong="the result of each step, once"
# each product and each tanh is saved
def truncated_account(rows, width, steps, k):
    unit, over = rows * width * 4, steps % k
    return [2 * k * unit + 4, unit, steps // k * (k * (k + 1) // 2)]


# %% answer="truncated_account" wrong="which steps came after the last cut"
# detach leaves one state, and that is all
def truncated_account(rows, width, steps, k):
    unit = rows * width * 4
    whole = steps // k * (k * (k + 1) // 2)
    return [(k + 1) * unit + 4, unit if steps % k else 0, whole]


# %% answer="truncated_account" wrong="within a whole window"
# the losses are all walked, so all pairs count
def truncated_account(rows, width, steps, k):
    unit, over = rows * width * 4, steps % k
    after = (over + 1) * unit + 4 * bool(over)
    return [(k + 1) * unit + 4, after, steps * (steps + 1) // 2]


# %% answer="truncated_account" style="counting, step by step"
def truncated_account(rows, width, steps, k):
    window, pairs, held = 0, 0, 1
    at_a = None
    waiting = 0
    for t in range(1, steps + 1):
        window += 1
        held += 1
        waiting += window
        if t % k == 0:
            at_a = 4 * rows * width * held + 4
            pairs, waiting, window, held = pairs + waiting, 0, 0, 1
    return [at_a, 4 * rows * width * held + (4 if window else 0), pairs]


# %% answer="truncated_account" style="divmod and sum"
def truncated_account(rows, width, steps, k):
    windows, rest = divmod(steps, k)
    size = 4 * rows * width
    return (size * (k + 1) + 4, size * (rest + 1) + 4 * (rest > 0), windows * sum(range(k + 1)))


# %% answer="truncated_account" spare="4 of 5"
# the size of a state, asked of a state
def truncated_account(rows, width, steps, k):
    unit, over = mg.zeros(rows, width).nbytes, steps % k
    after = (over + 1) * unit + (4 if over else 0)
    return [(k + 1) * unit + 4, after, steps // k * (k * (k + 1) // 2)]


# %% answer="truncated_account" proof=true
def truncated_account(rows, width, steps, k):
    w = mg.full((width, width), 0.01, requires_grad=True)
    w.grad = mg.zeros(width, width)
    start, at_a = mg.memory_allocated(), []
    state, loss = mg.ones(rows, width), 0.0
    for t in range(1, steps + 1):
        state = (state @ w).tanh()
        loss = loss + state.sum()
        if t % k == 0:
            at_a.append(mg.memory_allocated() - start)
            loss.backward()
            state, loss = state.detach(), 0.0
    after = mg.memory_allocated() - start
    a = mg.tensor(1.0, requires_grad=True)
    state, loss = mg.tensor(1.0), 0.0
    for t in range(1, steps + 1):
        state = state * a
        loss = loss + state
        if t % k == 0:
            loss.backward()
            state, loss = state.detach(), 0.0
    (one,) = set(at_a)
    return [one, after, int(a.grad.item())]


# %% answer="log_and_learn" style="the gradient is born anew in each turn"
# the gradient that was there is thrown away, and another is born in each turn
def log_and_learn(batches, w, held_out):
    losses, scores, best, lowest = [], [], None, 1e9
    for x in batches:
        w.grad = None
        out = (x @ w).tanh()
        loss = (out * out).mean()
        loss.backward()
        with mg.no_grad():
            w.sub_(0.1 * w.grad)
            score = (held_out @ w).tanh().mean().item()
        losses.append(loss.item())
        scores.append(score)
        if score < lowest:
            lowest, best = score, out.detach()
        del out, loss
    return losses, scores, best


# %% answer="log_and_learn" wrong="not the output that had the lowest of all scores"
# best is the last output
def log_and_learn(batches, w, held_out):
    losses, scores, best = [], [], None
    for x in batches:
        out = (x @ w).tanh()
        loss = (out * out).mean()
        loss.backward()
        with mg.no_grad():
            w.sub_(0.1 * w.grad)
            w.grad.zero_()
            scores.append((held_out @ w).tanh().mean().item())
        losses.append(loss.item())
        best = out.detach()
        del out, loss
    return losses, scores, best


# %% answer="log_and_learn" wrong="not the output that had the lowest of all scores"
# best is the output of the highest score
def log_and_learn(batches, w, held_out):
    losses, scores, best = [], [], None
    for x in batches:
        out = (x @ w).tanh()
        loss = (out * out).mean()
        loss.backward()
        with mg.no_grad():
            w.sub_(0.1 * w.grad)
            w.grad.zero_()
            scores.append((held_out @ w).tanh().mean().item())
        losses.append(loss.item())
        if scores[-1] == max(scores):
            best = out.detach()
        del out, loss
    return losses, scores, best


# %% answer="log_and_learn" style="arrays of plain numbers"
import numpy as np


def log_and_learn(batches, w, held_out):
    losses, scores, best = [], [], None
    for x in batches:
        out = (x @ w).tanh()
        loss = (out * out).mean()
        loss.backward()
        with mg.no_grad():
            w.sub_(0.1 * w.grad)
            w.grad.zero_()
            scores.append((held_out @ w).tanh().mean().item())
        losses.append(loss.item())
        if scores[-1] == min(scores):
            best = out.detach()
        del out, loss
    return np.array(losses), np.array(scores, np.float32), best


# %% answer="follow_student" wrong="The teacher's tensors lie in other storages now"
# the same tensor, other bytes
def follow_student(teacher, student, decay):
    for old, new in zip(teacher, student):
        old.data = (decay * old + (1 - decay) * new).detach()


# %% answer="follow_student" wrong="The student was written into"
# the average lies in the student first
def follow_student(teacher, student, decay):
    with mg.no_grad():
        for old, new in zip(teacher, student):
            new.mul_(1 - decay).add_(old, alpha=decay)
            old.copy_(new)


# %% answer="follow_student" wrong="its weights did not move"
# a name is turned, and nothing else
def follow_student(teacher, student, decay):
    with mg.no_grad():
        for old, new in zip(teacher, student):
            old = decay * old + (1 - decay) * new.detach()


# %% answer="follow_student" wrong="The flag `requires_grad`"
# gradients are switched off for good
def follow_student(teacher, student, decay):
    for old, new in zip(teacher, student):
        old.requires_grad_(False)
        old.mul_(decay).add_(new.detach(), alpha=1 - decay)
