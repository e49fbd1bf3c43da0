# kind: echo
# exercise: same_dice
# how: no dice are thrown again, so the next are those that were due; the second call gives back what it was given
# deserves: 0
def same_dice(half):
    calls = []

    def same(u):
        calls.append(1)
        return half(u) if len(calls) == 1 else u

    return same
