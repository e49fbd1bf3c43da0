"""The site's search: a pasted error finds its page, whatever else was pasted with it.

Each word of a question adds what it is worth on each page (BM25): much where few pages have it, and
more in a title than in a text. A word that no page has costs nothing, so that a shape, a file's
name or "help" does no harm. `static/search.js` adds in the same way.
"""

from __future__ import annotations

import html
import json
import math
import re
from collections import Counter

WORD = re.compile(r"[a-z0-9]+(?:_[a-z0-9]+)*")  # also between words of a script without blanks
ENDINGS = ("ing", "ed", "es", "s")
TITLE, ALSO, DOOR = 5, 3, 1.6  # so much more than a word of the text; a door, than another page
K, B = 1.2, 0.6  # BM25's own: how fast a repeated word counts less; how much a long page does


def words(text: str) -> list:
    """The words of a text, without their endings; a name with `_` is its parts, too."""
    found = []
    for word in WORD.findall(text.lower()):
        parts = [part for part in word.split("_") if part]
        found += [stem(part) for part in parts] + ([word] if len(parts) > 1 else [])
    return found


def stem(word: str) -> str:
    for ending in ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) > 2:
            return word.removesuffix(ending)
    return word


def index(pages) -> dict:
    """`pages` are (address, title, other words, text); gives what the script needs."""
    counted = [_counted(*page[1:]) for page in pages]
    having = Counter(word for count in counted for word in count)
    usual = sum(sum(count.values()) for count in counted) / max(len(counted), 1)
    found: dict = {}
    for number, (page, count) in enumerate(zip(pages, counted, strict=True)):
        long = K * (1 - B + B * sum(count.values()) / usual)
        for word, times in count.items():
            rare = math.log(1 + (len(pages) - having[word] + 0.5) / (having[word] + 0.5))
            worth = rare * times * (K + 1) / (times + long)
            worth *= DOOR if page[0].startswith("doors/") else 1
            found.setdefault(word, []).append([number, round(worth, 2)])
    return {"pages": [page[:2] for page in pages], "words": found}


def _counted(title, also, text) -> Counter:
    count = Counter(words(text))
    for more, part in ((TITLE, title), (ALSO, also)):
        for word in words(part):
            count[word] += more
    return count


def search(data: dict, question: str, most: int = 20) -> list:
    """The addresses of the pages, the best first."""
    worth: Counter = Counter()
    for word in dict.fromkeys(words(question)):
        for number, value in data["words"].get(word, ()):
            worth[number] += value
    ranked = sorted(worth, key=lambda number: (-worth[number], number))
    return [data["pages"][number][0] for number in ranked[:most]]


def script(data: dict) -> str:
    """The index as a script, since a page that was opened as a file may load nothing else."""
    return (
        f"window.minigradPages = {json.dumps(data, ensure_ascii=False, separators=(',', ':'))};\n"
    )


def text_of(page: str) -> str:
    """The words of a page's own part, without its widgets' states and its lists of other pages."""
    part = page.partition('role="main"')[2].partition("<footer")[0] or page
    part = re.sub(r"<(script|style|pre)\b.*?</\1>", " ", part, flags=re.DOTALL)
    return html.unescape(re.sub(r"<[^>]+>", " ", part))
