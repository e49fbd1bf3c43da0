"""A case that asks several things at once; its hint is about the first wrong answer."""


def along(lines, several="one for each line"):
    """A hint for a list with a number for each line of a snippet: what to look at on that line."""

    def hint(got, want):
        if not isinstance(got, list) or len(got) != len(want):
            return f"Return a list of {len(lines)} numbers, {several}."
        pairs = zip(got, want, lines, strict=True)
        return next(line for one, other, line in pairs if one != other)

    return hint


def answered(f, questions, text):
    """What such a case returns: the answers, and for the hint what was asked."""
    return {"answers": [f(*one) for one in questions], "for": [text(*one) for one in questions]}


def about_first_wrong(sentence):
    """A hint that quotes the first question answered wrong; `sentence` is of (it, said, right)."""

    def hint(got, want):
        if not isinstance(got, dict):
            return None
        rows = zip(want["for"], got["answers"], want["answers"], strict=True)
        question, said, right = next(row for row in rows if row[1] != row[2])
        return f"`{question}`: {sentence(question, said, right)}"

    return hint


def by_question(f, questions, text):
    """What such a case returns where the questions are so short that the table can show them."""
    return {text(*one): f(*one) for one in questions}


def about_wrong_question(sentence, order):
    """As `about_first_wrong`, for `by_question`; `order` tells what stands where in a question."""

    def hint(got, want):
        if not isinstance(got, dict):
            return None
        question = next(one for one in want if got[one] != want[one])
        return f"`{question}` ({order}): {sentence(question, got[question], want[question])}"

    return hint
