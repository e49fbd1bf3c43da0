"""Text that somebody else wrote, as it may be shown: what cannot be seen is written out.

A direction mark turns the words after it around, a space of no width hides in a name, and a
hundred accents on one letter cover the lines above. They become \\u202e and the like, which a
reader sees and a page cannot act on.
"""

from __future__ import annotations

import re
import unicodedata

MOST_MARKS = 3  # upon one letter: what Hebrew and Vietnamese need
UNSEEN = {"Cc", "Cf", "Co", "Cn", "Cs", "Zl", "Zp"}
BLANK = set("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")  # letters and marks without ink
JOINERS = set("\u200c\u200d")  # Persian, Hindi and others are not written without them
SUSPECT = re.compile(r"[^\x20-\x7e\n\t\xa1-\xac\xae-\u02ff\u0370-\u0482\u048a-\u052f]")


def visible(text: str) -> str:
    """The text with what cannot be seen, or covers something else, written out."""
    if not SUSPECT.search(text):
        return text
    shown: list[str] = []
    marks: list[str] = []  # that are too many, since the last letter
    count = 0
    for place, sign in enumerate(text):
        is_mark = unicodedata.category(sign) in ("Mn", "Me")
        count = count + 1 if is_mark else 0
        if count > MOST_MARKS:
            marks.append(sign)
            continue
        shown += [written_out(marks)] if marks else []
        marks = []
        fine = sign in "\n\t" or not hides(text, place)
        shown.append(sign if fine else code(sign))
    return "".join([*shown, written_out(marks)] if marks else shown)


def hides(text: str, place: int) -> bool:
    sign = text[place]
    if sign in JOINERS:
        return not (is_joined(text[place - 1 : place]) and is_joined(text[place + 1 : place + 2]))
    return sign in BLANK or unicodedata.category(sign) in UNSEEN


def is_joined(sign: str) -> bool:
    """Whether it is a letter of a script that joiners belong to."""
    return sign >= "\u0600" and unicodedata.category(sign)[0] in "LM"


def written_out(marks: list[str]) -> str:
    """Marks that were too many: the first, and how many there are."""
    more = f" and {len(marks) - 1} more" if len(marks) > 1 else ""
    return f"[{code(marks[0])}{more}]"


def code(sign: str) -> str:
    number = ord(sign)
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"
