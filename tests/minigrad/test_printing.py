"""A repr never raises and never lies about what it shows, whatever the numbers are."""

import re

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import minigrad as mg

DTYPES = [np.float32, np.float64, np.float16, np.int64, np.int32, np.uint8, np.bool_]
shapes = hnp.array_shapes(min_dims=0, max_dims=5, min_side=0)
modest = st.floats(
    -20, 20, width=32
)  # shown with four digits; left to itself, hypothesis goes wild
arrays = st.one_of(
    st.sampled_from(DTYPES).flatmap(lambda dtype: hnp.arrays(dtype, shapes)),
    hnp.arrays(np.float32, shapes, elements=modest),
)
quick = settings(max_examples=80, derandomize=True, deadline=None, database=None)
NUMBER = re.compile(r"-?(?:inf|nan|\d+\.?\d*(?:e[+-]\d+)?)|True|False")


def numbers(text):
    """The elements a repr shows, as text."""
    body = text[len("tensor(") :].rsplit("]", 1)[0] if "[" in text else text[len("tensor(") :]
    return NUMBER.findall(body)


@quick
@given(arrays, st.booleans())
def test_a_repr_is_text_with_every_element(array, transposed):
    array = array.T if transposed else array
    text = repr(mg.from_numpy(array))
    assert text.startswith("tensor(") and text.endswith(")")
    if array.size and array.ndim:
        assert len(numbers(text)) == array.size
        assert text.count("[") == text.count("]")


@quick
@given(arrays)
def test_what_is_printed_is_the_number_to_four_digits(array):
    shown = numbers(repr(mg.from_numpy(array))) if array.size and array.ndim else []
    for text, value in zip(shown, array.ravel().tolist(), strict=False):
        if isinstance(value, float) and abs(value) < 1e300:
            assert abs(float(text) - value) <= 1e-4 * max(1, abs(value))
        else:
            assert text == str(value)


@settings(max_examples=30, derandomize=True, deadline=None, database=None)
@given(st.lists(st.integers(1, 40), min_size=1, max_size=4), st.sampled_from(DTYPES))
def test_a_large_tensor_is_short_to_print(shape, dtype):
    x = mg.from_numpy(np.ones(shape, dtype))
    text = repr(x)
    assert ("..." in text) == (x.numel() > 1000)
    assert len(numbers(text)) <= max(1000, 6 ** len(shape))
    assert max(map(len, text.splitlines())) <= 110


@quick
@given(arrays.filter(lambda a: a.dtype.kind == "f"))
def test_flags_are_shown_and_printing_changes_nothing(array):
    x = mg.from_numpy(array).requires_grad_()
    y = x * 2
    before = mg.memory_allocated()
    assert repr(x).endswith("requires_grad=True)")
    assert repr(y).endswith("grad_fn=<MulBackward0>)")
    assert str(x) == repr(x) and f"{y.sum():.3f}"
    assert mg.memory_allocated() == before and y._version == 0
