"""A budget is a text, "4 U + 2 w + 8": four times one size of the case, twice another, and eight.

The sizes are those of the reference's draw: nothing that a learner's code says can move them.
"""


def most(formula, sizes):
    """The number that the text stands for; KeyError for a size that the case does not state."""
    total = sum(_term(term, sizes) for term in formula.split(" + "))
    return int(total) if total == int(total) else total


def shown(formula, sizes):
    """`at most 4 U + 8 = 1208 (U 300)`, for a table."""
    if not sizes:
        return f"at most {formula}"
    named = ", ".join(f"{name} {size}" for name, size in sizes.items())
    return f"at most {formula} = {most(formula, sizes)} ({named})"


def _term(term, sizes):
    number, _, name = term.rpartition(" ")
    if number or name in sizes:
        return float(number or 1) * sizes[name]
    return float(name)
