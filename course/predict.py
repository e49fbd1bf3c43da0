"""A prediction is a question whose answer is computed, never typed.

`predict` runs the reader's options against the run itself: the card shows the question, and keeps
the answer and the reason of each option folded. It knows nothing of engines or of the build.
"""

import contextlib
import html
import io
import os
import re
from dataclasses import dataclass
from string import ascii_uppercase

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
SUMMARY = f"cursor: pointer; color: {ACCENT}; padding: 2px 0;"
RIGHT = f"border-left: 3px solid {ACCENT}; padding: 4px 0 4px 12px; margin: 8px 0;"


class PredictionError(ValueError):
    """A card that cannot be shown as it is written."""


def predict(id, question, options, run):
    """A card that asks `question`; `run()` must give the text of the right option.

    `options` is {option text: why one would think so, and what is true}. What `run` prints is
    swallowed, so that it does not give the answer away.
    """
    if len(options) < 2:
        raise PredictionError(f"prediction '{id}' needs at least two options")
    for option, why in options.items():
        if not str(why).strip():
            raise PredictionError(f"prediction '{id}': the option '{option}' has no explanation")
    answer = _computed(id, run)
    if answer not in options:
        known = ", ".join(f"'{option}'" for option in options)
        raise PredictionError(
            f"prediction '{id}': the run answered '{answer}', which is none of "
            f"the options {known}; let run() give one option's exact text"
        )
    return Prediction(id, question, dict(options), answer)


def _computed(id, run):
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            return str(run())
    except Exception as error:
        error.add_note(f"(while computing the answer of prediction '{id}')")
        raise


@dataclass(frozen=True, repr=False)
class Prediction:
    """A question with lettered options, and the computed answer, folded away."""

    id: str
    question: str
    options: dict
    answer: str

    def __repr__(self):
        rows = [f"Predict: {self.question}"]
        rows += [f"  {letter}. {option}" for letter, option in self._lettered(self.options)]
        if os.environ.get("MINIGRAD_REVEAL") == "1":
            rows.append(f"Answer: {self._letter}. {self.answer}")
            rows += [f"  {letter}: {why}" for letter, why in self._lettered(self.options.values())]
        return "\n".join(rows)

    def _repr_html_(self):
        return (
            f'<div style="{BOX}">'
            f'<p style="{LABEL}">Predict</p><p style="{QUESTION}">{_inline(self.question)}</p>'
            f"{self._rows(self.options)}"
            f'<details style="margin-top: 8px;"><summary style="{SUMMARY}">Reveal the answer'
            f'</summary><p style="{RIGHT}"><strong>{self._letter}.</strong> '
            f"{_inline(self.answer)}</p>{self._rows(self.options.values())}</details></div>"
        )

    def _rows(self, texts):
        """Lettered lines; JupyterLab would number the items of a real list 1, 2, 3."""
        return "".join(
            f'<p style="{ROW}"><span style="{LETTER}">{letter}.</span> {_inline(text)}</p>'
            for letter, text in self._lettered(texts)
        )

    def _lettered(self, texts):
        return zip(ascii_uppercase, texts, strict=False)

    @property
    def _letter(self):
        return ascii_uppercase[list(self.options).index(self.answer)]


def _inline(text):
    """Escaped text in which `backticks` are code and **stars** are bold."""
    text = re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(str(text)))
    return re.sub(r"\*\*(\S[^*]*)\*\*", r"<strong>\1</strong>", text)
