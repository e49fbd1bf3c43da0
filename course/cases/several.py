"""A case that asks several questions at once; its hint is about the first wrong answer."""


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
