"""L-BFGS: the direction of a step comes from the last gradients and steps; it asks a closure."""

from __future__ import annotations

from minigrad.core.modes import enable_grad, no_grad
from minigrad.ops.functions import cat
from minigrad.optim import groups
from minigrad.optim.optimizer import Optimizer

ONE_GROUP = "Expected exactly one param_group, but got {}"
NO_SEARCH = "minigrad's LBFGS has no line search: leave line_search_fn out"


class LBFGS(Optimizer):
    """Up to max_iter steps of a fixed length, each after a new look at loss and gradients."""

    def __init__(
        self, params, lr=1, max_iter=20, max_eval=None, tolerance_grad=1e-7, tolerance_change=1e-9,
        history_size=100, line_search_fn=None,
    ):  # fmt: skip
        if line_search_fn is not None:
            raise NotImplementedError(NO_SEARCH)
        max_eval = max_iter * 5 // 4 if max_eval is None else max_eval
        options = {"lr": lr, "max_iter": max_iter, "max_eval": max_eval}
        groups.check_positive(options, "lr")
        options |= {"tolerance_grad": tolerance_grad, "tolerance_change": tolerance_change}
        super().__init__(params, options | {"history_size": history_size, "line_search_fn": None})
        if len(self.param_groups) != 1:
            raise ValueError("LBFGS doesn't support per-parameter options (parameter groups)")

    def step(self, closure):  # type: ignore[override]
        """Move the parameters; `closure` computes the loss and its gradients, and returns it."""
        with no_grad():
            return self._walk(enable_grad()(closure))

    def _walk(self, closure):
        """The loss at the start; it ends where there is nothing more to gain."""
        if len(self.param_groups) != 1:
            raise AssertionError(ONE_GROUP.format(len(self.param_groups)))
        (group,) = self.param_groups
        state = self.state[group["params"][0]]
        if not state:
            state |= {"func_evals": 0, "n_iter": 0}
        first = closure()
        loss, grad, looks = float(first), self._gradient(), 1
        state["func_evals"] += 1
        while grad.abs().max() > group["tolerance_grad"]:
            self._direction(state, grad, group["history_size"], groups.plain_rate(group["lr"]))
            state["prev_loss"] = loss
            if grad.dot(state["d"]) > -group["tolerance_change"]:
                break
            self._move_along(state["d"], state["t"])
            looks += 1
            if looks > group["max_iter"]:
                break
            loss, grad = float(closure()), self._gradient()
            state["func_evals"] += 1
            if looks >= group["max_eval"] or _rests(state, loss, group["tolerance_change"]):
                break
        return first

    def _gradient(self):
        """Of all parameters, one after the other."""
        parts = self.param_groups[0]["params"]
        return cat([(p._zeros() if p.grad is None else p.grad).view(-1) for p in parts])

    def _direction(self, state, grad, most, lr) -> None:
        """Where to go and how far, by the last gradients and steps."""
        state["n_iter"] += 1
        if state["n_iter"] == 1:
            state |= {"old_dirs": [], "old_stps": [], "ro": [], "H_diag": 1, "d": grad.neg()}
            state["t"] = min(1.0, 1.0 / grad.abs().sum()) * lr
        else:
            _remember(state, grad.sub(state["prev_flat_grad"]), state["d"].mul(state["t"]), most)
            state["d"], state["t"] = _turned(state, grad.neg(), most), lr
        state["prev_flat_grad"] = grad.clone()

    def _move_along(self, direction, length) -> None:
        start = 0
        for p in self.param_groups[0]["params"]:
            part = direction[start : start + p.numel()]
            p.add_(part.view_as(p) * length)
            start += p.numel()


def _remember(state, change, step, most) -> None:
    """How the gradient changed by a step; of the last `most` steps."""
    product = change.dot(step)
    if product <= 1e-10:
        return
    kept = (("old_dirs", change), ("old_stps", step), ("ro", 1.0 / product))
    for name, value in kept:
        state[name] = [*state[name], value][-most:]
    state["H_diag"] = product / change.dot(change)


def _turned(state, q, most):
    """The inverse of the second derivatives, as the steps show it, times `q`."""
    rows = list(zip(state["old_dirs"], state["old_stps"], state["ro"], strict=True))
    shares = state.setdefault("al", [None] * most)  # kept, as in PyTorch
    for i, (change, step, inverse) in reversed([*enumerate(rows)]):
        shares[i] = step.dot(q) * inverse
        q = q - change * shares[i]
    r = q * state["H_diag"]
    for (change, step, inverse), share in zip(rows, shares, strict=False):
        r = r + step * (share - change.dot(r) * inverse)
    return r


def _rests(state, loss, least) -> bool:
    """No progress: the step was too short, or the loss stays as it is."""
    short = state["d"].mul(state["t"]).abs().max() <= least
    return bool(short) or abs(loss - state["prev_loss"]) < least
