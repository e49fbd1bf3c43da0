"""Whether a point is drawn: what is expected differs so much that no guess earns it often.

Works on what a solution gave in several rounds: a list of {case: outcome}.
"""

import json
from collections import Counter

SHARE = 0.2  # of the rounds in which a guess may be right: it is seen in few of them
ROUNDS = 16
GUESSED = (
    "'{}' expects the same in {:.0%} of all rounds, so a guess earns it: draw from more numbers, "
    "say draws=2 or more, or say invariant=True if it is always the same"
)
ALONE = "'{}' counts only with values that are drawn, and the exercise has none: add such a case"


def guess(rounds, case):
    """How often the value that is expected most often would be right in all draws of a round."""
    outcomes = [found[case.name] for found in rounds]
    every = [one for outcome in outcomes for one in (outcome, *outcome.get("more", []))]
    texts = Counter(json.dumps(one["value"], sort_keys=True) for one in every)
    return (texts.most_common(1)[0][1] / len(every)) ** case.draws


def needed(case, known):
    """All cases that must count for it to count."""
    found = case.needed(known)
    return found + [more for one in found for more in needed(one, known)]


def undrawn(known, rounds):
    """(case, a sentence about it) for each of an exercise's cases that a guess would earn."""
    often = {case.name: guess(rounds, case) for case in known}
    for case in known:
        if not case.waits and often[case.name] > SHARE:
            yield case, GUESSED.format(case.name, often[case.name])
        if case.waits and all(often[one.name] > SHARE for one in needed(case, known)):
            yield case, ALONE.format(case.name)
