"""Lesson 06: what a write between forward and backward does."""

from course.trying import by_hand, case

from .several import about_first_wrong, answered

LINEAR = "a + b", "a - b"
SAVING_B = "a * b", "a / b", "a @ b"
OPS = *LINEAR, *SAVING_B, "a ** 2", "a.exp()", "a.tanh()", "a.log()", "a.sin()"
HARMLESS = "t = t + 1", "t.clone().add_(1)"
COUNTED = "t += 1", "t *= 1", "no_grad: t += 1", "no_grad: t[0] += 1", "t.detach().add_(1)"
WRITES = *HARMLESS, *COUNTED, "t.data.add_(1)"


# --- what_a_write_does


def write_text(op, victim, write):
    return f"y = {op}, t is {victim}, {write}"


def write_hint(question, said, right):
    if said not in ("right", "error", "wrong"):
        return 'return one of "right", "error" and "wrong".'
    if ".data" in question:
        return "has the node saved `t`? And which counter does this write move?"
    if any(write in question for write in HARMLESS):
        return "into whose bytes does this line write?"
    if right == "right":
        return "does the gradient of `a` depend on `t`, or only on something else?"
    if said == "right" and ("no_grad" in question or "detach" in question or "*=" in question):
        return "the counter counts writes to a storage. Is this one, whatever it writes?"
    if said == "wrong":
        return "is this write counted? What does the node do before it uses what it saved?"
    return "what does this node need for the gradient of `a`: input, other operand, or result?"


writing = about_first_wrong(write_hint)


@case("what_a_write_does", "which tensor", hint=writing)
def write_where(f, draw):
    """All with the same write: the point is for knowing which tensor is needed."""
    programs = [(op, "y", "t += 1") for op in draw.some(OPS, 4)]
    programs += [(op, "b", "t += 1") for op in draw.some(OPS, 4)]
    programs += [(op, "a", "t += 1") for op in draw.some(OPS, 4)]
    return answered(f, draw.some(programs, len(programs)), write_text)


@case("what_a_write_does", "which way of writing", hint=writing)
def write_how(f, draw):
    programs = [(draw.choice(SAVING_B), "b", write) for write in draw.some(WRITES, len(WRITES))]
    return answered(f, programs, write_text)


@case("what_a_write_does", "anything", points=2, hint=writing)
def write_any(f, draw):
    programs = [(draw.choice(OPS), draw.choice("aby"), draw.choice(WRITES)) for _ in range(26)]
    programs += [(op, "b", "t.data.add_(1)") for op in draw.some(SAVING_B, 2)]
    programs += [(op, "b", "no_grad: t[0] += 1") for op in draw.some(SAVING_B, 2)]
    return answered(f, draw.some(programs, len(programs)), write_text)


@by_hand("what_a_write_does", "read the texts", calls=30)
def write_by_hand(draw):
    return draw.choice(OPS), draw.choice("aby"), draw.choice(WRITES)
