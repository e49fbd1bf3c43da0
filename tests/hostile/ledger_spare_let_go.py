# kind: ledger
# exercise: all_or_nothing
# how: what a call leaks is as much as it lets go of what lay ready
# deserves: 7
import minigrad as mg
KEPT = [mg.zeros(4, 5), mg.zeros(4, 5)]
def all_or_nothing(loss, leaves):
    before = [None if t.grad is None else t.grad.clone() for t in leaves]
    try:
        loss.backward()
    except RuntimeError:
        for t, old in zip(leaves, before):
            t.grad = None if old is None else old.clone()
        KEPT[:] = [one for one in before if one is not None and one.numel() > 2] or KEPT
        raise
