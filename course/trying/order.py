"""The right entries of a list, in another order."""

import itertools

from course.trying import plain

MOST = 4  # entries, of which two may have changed places
LONGEST = 64  # entries, which may stand from the last to the first


def of(got, want):
    """ "pair", "two" or "turned" where one change makes `got`, an encoded list, right; else ""."""
    if not isinstance(want, list) or not 2 <= len(got) == len(want) <= LONGEST:
        return ""
    if any(isinstance(one, bool) for one in want):  # then it is as likely to be by chance
        return ""
    if len(got) <= MOST and any(plain.same(one, want) for one in _exchanged(got)):
        return "pair" if len(got) == 2 else "two"
    return "turned" if plain.same(got[::-1], want) else ""


def _exchanged(entries):
    for one, other in itertools.combinations(range(len(entries)), 2):
        found = list(entries)
        found[one], found[other] = entries[other], entries[one]
        yield found
