"""A case that asks several things at once; its hint is about the first wrong answer."""

from course.trying import any_form, differs, naming

ONE_GRADIENT = "`autograd.grad` returns a tuple, also of one gradient: `(g,) = ...` takes it out."
TUPLE_ERRORS = (  # the last two: of a tuple times a number, times a tensor
    "tuple", "sequence by non-int", "only integer tensors of a single element",
)  # fmt: skip


def of_tuple(raised):
    """The hint for whoever computed with what `autograd.grad` returns, by the error of it."""
    return ONE_GRADIENT if any(some in raised.text for some in TUPLE_ERRORS) else None


def along(lines):
    """A hint for a list with a number for each line of a snippet: what to look at on that line."""
    return of_lines(lines)(_along(lines))


def of_lines(lines):
    """Say of such a hint that the entries are lines: a snippet's first line is line 1."""
    return naming(*(f"line {number}" for number, _ in enumerate(lines, 1)))


def _along(lines):
    def hint(got, want):
        pairs = zip(got, want, lines, strict=True)
        return next(line for one, other, line in pairs if differs(one, other))

    return hint


def answered(f, questions, text):
    """What such a case returns: the answers, and for the hint what was asked."""
    return {"answers": [f(*one) for one in questions], "for": [text(*one) for one in questions]}


def about_first_wrong(sentence):
    """A hint that quotes the first question answered wrong; `sentence` is of (it, said, right)."""

    @any_form
    def hint(got, want):
        if not isinstance(got, dict):
            return None
        rows = zip(want["for"], got["answers"], want["answers"], strict=True)
        question, said, right = next(row for row in rows if differs(row[1], row[2]))
        return f"`{question}`: {sentence(question, said, right)}"

    return hint


def by_question(f, questions, name):
    """What such a case returns where the table shows the answers, each by the name of its question.

    `name` is of a question's number, from 1, and of the question. The call stands below the table.
    """
    return {name(number, *one): f(*one) for number, one in enumerate(questions, 1)}


def about_wrong_question(sentence):
    """As `about_first_wrong`, for `by_question`."""

    @any_form
    def hint(got, want):
        if not isinstance(got, dict):
            return None
        question = next(one for one in want if differs(got[one], want[one]))
        return f"{question}: {sentence(question, got[question], want[question])}"

    return hint
