"""The solution regions of a cell's source, and the stub that a learner gets in their place.

Needs nothing installed: nbgrader runs it where the tools of the build are not.
"""

BEGIN, STUB, END = "### BEGIN SOLUTION", "### STUB", "### END SOLUTION"


def stub_of(source, exercise):
    """For each solution in the source its stub, or one clear error in its place."""
    missing = f'raise NotImplementedError("{exercise}: not written yet")'
    out, found = [], parts(source)
    for (part, lines), (following, _) in zip(found, [*found[1:], (END, [])], strict=True):
        if part == BEGIN and following != STUB:
            out.append(_indent(lines[0]) + missing)
        if part == STUB:
            out += [line.replace("# ", "", 1) if line.strip() != "#" else "" for line in lines[1:]]
        if part == END:
            out += lines
    return "\n".join(out)


def parts(source):
    """(BEGIN, STUB or END, lines): a solution, its stub, what stands outside; markers come first.

    An END has no marker line of its own.
    """
    found: list = [(END, [])]
    for line in source.splitlines():
        mark = line.strip()
        if mark in (BEGIN, STUB, END):
            found.append((mark, []))
        if mark != END:
            found[-1][1].append(line)
    return [(part, lines) for part, lines in found if lines]


def _indent(line):
    return line[: len(line) - len(line.lstrip())]
