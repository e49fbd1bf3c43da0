"""A case that asks several things at once; its hint is about the first wrong answer."""

from course.grade import any_form, differs


def along(lines):
    """A hint for a list with a number for each line of a snippet: what to look at on that line."""

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


def by_question(f, questions, text):
    """What such a case returns where the questions are so short that the table can show them."""
    return {text(*one): f(*one) for one in questions}


def about_wrong_question(sentence, order):
    """As `about_first_wrong`, for `by_question`; `order` tells what stands where in a question."""

    @any_form
    def hint(got, want):
        if not isinstance(got, dict):
            return None
        question = next(one for one in want if differs(got[one], want[one]))
        return f"`{question}` ({order}): {sentence(question, got[question], want[question])}"

    return hint
