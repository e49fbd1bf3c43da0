"""Stored outputs keep every claim and drop what no two runs share."""

import re
from pathlib import Path

import course.build
from course.build import normal
from course.build.outputs import clean, comparable, first_difference, message, said, warnings_in


def stream(text, name="stdout"):
    return {"output_type": "stream", "name": name, "text": text}


def shown(**data):
    mimes = {kind.replace("_", "/", 1): value for kind, value in data.items()}
    return {"output_type": "display_data", "data": mimes, "metadata": {}}


ERROR = {
    "output_type": "error",
    "ename": "RuntimeError",
    "evalue": "no graph at 0x7f00aa11bb22",
    "traceback": [
        "\x1b[0;31m---------\x1b[0m",
        "RuntimeError    Traceback (most recent call last)",
        "Cell In[7], line 2\n      1 x = 1\n----> 2 y.backward()\n",
        "File /home/me/.venv/lib/minigrad/tensor.py:12, in backward(self)\n---> 12 raise error\n",
        "RuntimeError: no graph at 0x7f00aa11bb22\nthe node was freed in /tmp/ipykernel_1/2.py:3",
    ],
}


def test_addresses_cell_files_and_marked_figures_go_and_bytes_stay():
    assert normal.stable("<Node at 0x7f00aa11bb22> 8192 bytes") == "<Node at 0x...> 8192 bytes"
    assert normal.stable("/tmp/ipykernel_12/345.py:3: UserWarning") == "<cell>:3: UserWarning"
    assert normal.stable("<ipython-input-3-5f39e8a17d0d>:1: W") == "<cell>:1: W"
    assert normal.stable("took ~1.25 ms measured") == "took ~... measured"
    assert normal.stable("~0.3 measured, ~0.3 typed") == "~... measured, ~0.3 typed"


def test_the_normaliser_changes_nothing_twice():
    for text in ("0x7f00aa11bb22", "/tmp/ipykernel_12/345.py", "~1.2 MiB measured"):
        assert normal.stable(normal.stable(text)) == normal.stable(text) != text


def test_nbval_reads_the_same_rules():
    stored = Path(course.build.__file__).with_name("nbval.cfg").read_text()
    assert stored == normal.nbval_config(), "write normal.nbval_config() to course/build/nbval.cfg"
    pairs = re.findall("^regex: (.*)$\n^replace: (.*)$", stored, re.MULTILINE)  # as nbval does
    assert pairs == [(regex, new) for _, regex, new in normal.RULES]


def test_streams_merge_and_carriage_returns_overwrite():
    kept = clean([stream("a"), stream("w", "stderr"), stream("b\n"), stream("50%\r100%\n")])
    assert [(o.name, o.text) for o in kept] == [("stdout", "ab\n100%\n"), ("stderr", "w")]
    assert len(clean([stream("a"), shown(text_plain="3"), stream("b")])) == 3


def test_widgets_go_and_pictures_stay():
    widget = {"application/vnd.jupyter.widget-view+json": {}, "text/plain": "x", "image/png": "iV"}
    kept = clean([{"output_type": "display_data", "data": widget, "metadata": {}}])
    assert dict(kept[0].data) == {"text/plain": "x", "image/png": "iV"}


def test_a_stored_error_shows_its_cell_and_last_words_only():
    error = clean([ERROR])[0]
    assert error.evalue == "no graph at 0x..."
    assert error.traceback == [
        "Cell In[7], line 2",
        "----> 2 y.backward()",
        "",
        "RuntimeError: no graph at 0x...\nthe node was freed in <cell>:3",
    ]
    assert clean([error]) == [error], "cleaning a clean error changes nothing"


def test_an_error_without_a_message_and_a_message_that_repeats():
    bare = {"output_type": "error", "ename": "KeyError", "evalue": "", "traceback": ["KeyError: "]}
    assert message(bare) == said(bare) == "KeyError"
    twice = ERROR | {"evalue": "a", "traceback": ["RuntimeError: a\nin between\nRuntimeError: a"]}
    assert said(twice) == "RuntimeError: a"


def test_comparison_sees_text_value_html_error_and_that_there_is_a_picture():
    outputs = [
        stream("a\n"),
        shown(text_plain="3", text_html="<b>3</b>"),
        shown(image_png="iV"),
        ERROR,
    ]
    assert [kind for kind, _ in comparable(outputs)] == [
        "stdout",
        "text",
        "html",
        "picture",
        "error",
    ]
    assert comparable([shown(image_png="iV")]) == comparable([shown(image_png="other")])
    assert comparable([shown(text_plain="1")]) != comparable([shown(text_plain="2")])


def test_notes_are_compared():
    other = ERROR | {"traceback": [ERROR["traceback"][-1].replace("freed", "kept")]}
    assert comparable([ERROR]) != comparable([other])


def test_a_difference_is_told_at_its_line_and_place():
    tell = first_difference
    assert tell([("stdout", "a\nb\n")], [("stdout", "a\nb\n")]) is None
    assert tell([("stdout", "a\nb\n")], [("stdout", "a\nc\n")]) == (
        "stdout `c` where it was stdout `b`"
    )
    assert tell([("stdout", "a")], []) == "nothing where it was stdout `a`"
    assert tell([], [("text", "3")]) == "text `3` where there was nothing"
    assert tell([("stdout", "a\n")], [("stdout", "a\nb\n")]) == "stdout `b` where it was stdout ``"
    long = "x" * 500
    assert "...xxx" in tell([("stdout", long + "1")], [("stdout", long + "2")])
    assert "2`" in tell([("stdout", long + "1")], [("stdout", long + "2")])


def test_counts_engines_and_places():
    assert normal.uncounted("Out[12] and In [3]") == "Out[n] and In[n]"
    assert normal.engineless("<class 'minigrad.Tensor'>") == "<class 'torch.Tensor'>"
    assert normal.placeless("bad grad (Triggered internally at /pytorch/x.h:4.)") == "bad grad"


def test_warnings_are_found_without_their_place():
    text = "<cell>:3: UserWarning: a grad\n  return x\n<cell>:4: DeprecationWarning: old\n"
    assert warnings_in(text) == ["UserWarning: a grad", "DeprecationWarning: old"]
