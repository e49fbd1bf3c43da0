"""Without a kernel a card is a page: the question open, the answer folded below it.

This is what a stored notebook holds. Only `style` and a few plain tags, so that a sanitiser leaves
it as it is; every colour follows the theme. Refuses to know what is asked.
"""

import html
import re

ACCENT = "var(--jp-brand-color1, #1976d2)"
BOX = (
    f"border: 1px solid var(--jp-border-color2, #bdbdbd); border-left: 4px solid {ACCENT}; "
    "border-radius: 4px; padding: 10px 16px; margin: 4px 0; max-width: 46em; "
    "background: var(--jp-layout-color1, transparent); color: var(--jp-content-font-color1, "
    "inherit); font-family: var(--jp-content-font-family, sans-serif); "
    "font-size: var(--jp-content-font-size1, 14px); line-height: 1.5;"
)
LABEL = f"color: {ACCENT}; font-weight: 600; margin: 0 0 2px 0;"
QUESTION = "margin: 0 0 6px 0; font-weight: 600;"
ROW = "margin: 0 0 2px 0.4em; padding-left: 1.5em; text-indent: -1.5em;"
LETTER = "display: inline-block; width: 1.25em; text-indent: 0;"
WIDE = "display: inline-block; min-width: 1.25em; padding-right: 0.5em; text-indent: 0;"
SUMMARY = f"cursor: pointer; color: {ACCENT}; padding: 2px 0;"
CODE = r"`([^`]+)`"
HOLE = "\0"  # where code stands while stars are read
RIGHT = f"border-left: 3px solid {ACCENT}; padding: 4px 0 4px 12px; margin: 8px 0;"


def page(question, shown, answer, reasons):
    """The card as one box; all but the question is markup already."""
    return (
        f'<div style="{BOX}">'
        f'<p style="{LABEL}">Predict</p><p style="{QUESTION}">{inline(question)}</p>'
        f'{shown}<details style="margin-top: 8px;"><summary style="{SUMMARY}">Reveal the answer'
        f'</summary><p style="{RIGHT}">{answer}</p>{reasons}</details></div>'
    )


def rows(pairs):
    """Lettered lines; JupyterLab would number the items of a real list 1, 2, 3."""
    return "".join(
        f'<p style="{ROW}"><span style="{LETTER if len(mark) < 3 else WIDE}">{mark}</span> '
        f"{text}</p>"
        for mark, text in pairs
    )


def paragraph(text):
    return f'<p style="margin: 0;">{text}</p>'


def inline(text):
    """Escaped text: `backticks` are code, **two stars** bold, *one star* emphasis; not in code."""
    text = html.escape(str(text))
    codes = re.findall(CODE, text)
    text = re.sub(CODE, HOLE, text)
    text = re.sub(r"\*\*(\S[^*]*)\*\*", r"<strong>\1</strong>", text)
    text = re.sub(r"(?<![\w*])\*([^\s*](?:[^*]*[^\s*])?)\*(?![\w*])", r"<em>\1</em>", text)
    for code in codes:
        text = text.replace(HOLE, f"<code>{code}</code>", 1)
    return text
