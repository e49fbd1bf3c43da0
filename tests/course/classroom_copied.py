"""A learner who hands in rubbish, reads a page of the grader, and hands in what it says.

What is on a page whatever the answer is, teaches nothing about it: such values are no find.
"""

import ast
import html
import re

import numpy as np

from course.trying import plain

TAG = re.compile(r"<style>.*?</style>|<[^>]*>", re.DOTALL)
VALUE = re.compile(r"-?\d[\d_]*(?:\.\d+)?(?:e[+-]?\d+)?|'[^']*'|\[[^\[\]]*\]|\([^()]*\)|[\w. ]+\w")
HEAD = re.compile(r"<h3>(\w+)\b.*?(?=<h[23]>|</html>)", re.DOTALL)
ROW = re.compile(r"<tr><td>(.*?)(?:<br>[^<]*)?<td>(.*?)</tr>", re.DOTALL)


def rows(page):
    """{(exercise, case): what a page says of it}; of a case that was right it says nothing."""
    return {
        (part[1], html.unescape(row[1])): row[2]
        for part in HEAD.finditer(page)
        for row in ROW.finditer(part[0])
    }


def values(part):
    """Every value that can be read from a row of a page, in its order, as a result is encoded."""
    found = []
    for line in filter(None, html.unescape(TAG.sub("\n", part)).split("\n")):
        texts = [line, *VALUE.findall(line), *line.split()]
        for text in texts:
            found += _meant(text.strip().removeprefix("at most "))
    return list({repr(value): value for value in found}.values())


def _meant(text):
    """What a text of the table can stand for."""
    meant = text, _literal(text), _dict(text)
    yield from (_encoded(value) for value in meant if value is not None)
    if " of shape " in text:
        items, _, shape = text.partition(" of shape ")
        array, size = _literal(items), _literal(shape)
        if isinstance(array, list) and np.prod(size or ()) == len(array):
            yield _encoded(np.array(array).reshape(size))


def _encoded(value):
    try:
        return plain.encode(value)
    except plain.NotPlain:
        return None


def _literal(text):
    """A number, a list, True or the like; words in a list are texts."""
    quoted = re.sub(r"(?<![\w'.])(?!(?:True|False|None)\b)[A-Za-z_][\w ]*", r"'\g<0>'", text)
    for form in (text, quoted):
        try:
            return ast.literal_eval(form)
        except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
            pass
    return None


def _dict(text):
    """{"kept": 3} of `kept: 3`, as a table shows it."""
    pairs = re.findall(r"([^:,]+): ((?:\[[^\]]*\]|[^,])+)", text)
    return {_key(key.strip()): _key(value.strip()) for key, value in pairs} or None


def _key(text):
    found = _literal(text)
    return text if found is None or isinstance(found, list | dict | set) else found


def altered(value, by=1):
    """The same with every number, text and truth in it another one."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + by
    if isinstance(value, list):
        return [altered(item, by) for item in value]
    if isinstance(value, dict):  # an encoded dict, set, array or odd float
        return 1.0 * by if "float" in value else _inside(value, lambda item: altered(item, by))
    return by if value is None else "z" * by + value[::-1]


def nearly(value):
    """The same with one part of it another one."""
    if isinstance(value, list) and value:
        return [altered(value[0]), *value[1:]]
    return _inside(value, nearly) if isinstance(value, dict) else altered(value)


def _inside(value, change):
    """An encoded dict, set or array with its items changed."""
    return {key: item if key in ("shape", "dtype") else change(item) for key, item in value.items()}
