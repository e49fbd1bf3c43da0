"""A budget is a text, "4 U + 2 w + 8": four times one size of the case, twice another, and eight.

The sizes are those of the reference's draw: nothing that a learner's code says can move them.
"""


def most(formula, sizes):
    """The number that the text stands for; KeyError for a size that the case does not state."""
    total = sum(number * (sizes[name] if name else 1) for number, name in _terms(formula))
    return int(total) if total == int(total) else total


def shown(formula, sizes):
    """`at most 4 U + 8 = 1208 (here U 300)`: each row of a table has sizes of its own."""
    named = ", ".join(f"{name} {sizes[name]}" for _, name in _terms(formula) if name)
    return f"at most {formula}" + (f" = {most(formula, sizes)} (here {named})" if named else "")


def _terms(formula):
    """[(number, name of a size or "")]."""
    found = []
    for term in formula.split(" + "):
        number, _, name = term.rpartition(" ")
        named = number or not name[0].isdigit()
        found.append((float(number or 1), name) if named else (float(name), ""))
    return found
