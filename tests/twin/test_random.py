"""Programs and tensors nobody thought of: minigrad and real PyTorch agree on them too."""

import itertools

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from course.twin.compare import differences
from tests.twin import registry
from tests.twin.programs import OPERATIONS, SHAPES, program

PROGRAMS, REPRS = 200, 300
TOO_LARGE = 1e4  # beyond, one rounding of exp becomes a visible difference


def options(examples):
    return settings(
        max_examples=examples, derandomize=True, deadline=None, database=None,
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip


shapes = st.lists(st.sampled_from(SHAPES), min_size=1, max_size=3)
numbers = st.integers(0, 11)
steps = st.lists(st.tuples(st.sampled_from(OPERATIONS), numbers, numbers), min_size=4, max_size=14)


def tame(data):
    """Are all numbers of a report small enough to compare?"""
    if isinstance(data, float):
        return abs(data) < TOO_LARGE
    if isinstance(data, dict):
        return "float" not in data and all(map(tame, data.values()))
    return all(map(tame, data)) if isinstance(data, list) else True


def written(shapes, steps):
    return f"shapes = {shapes}\nsteps = {steps}\n"


def check(one, other, shapes, steps):
    run = program(shapes, steps)
    expected = registry.run_case(run, one)
    assume(all(tame(value) for _, value in expected))
    wrong = differences(expected, registry.run_case(run, other))
    assert not wrong, written(shapes, steps) + "\n".join(map(str, wrong))


@options(25)
@given(shapes=shapes, steps=steps)
def test_the_same_program_on_torch_twice(live_torch, shapes, steps):
    check(live_torch, live_torch, shapes, steps)


@options(PROGRAMS)
@given(shapes=shapes, steps=steps)
def test_values_gradients_and_bytes_of_random_programs(live_torch, shapes, steps):
    check(live_torch, registry.engine("minigrad"), shapes, steps)


def test_the_programs_reach_backward_bytes_and_errors(live_torch):
    """The generator is worth its time: each operation does something, and some programs fail."""
    lines = [(name, one, two) for name in OPERATIONS for one, two in ((0, 1), (3, 2))]
    entries = registry.run_case(program([(3, 4), (4, 3), (4,)], lines), live_torch)
    found = dict(entries)
    assert [label for label, _ in entries if label.endswith("live")]
    assert any(value for label, value in entries if label == "grad")
    assert found["all gone: live"] == 0
    assert found["gradients"][0] is not None


floats = st.one_of(
    st.floats(width=32),
    st.floats(-10, 10, width=32),
    st.integers(-1000, 1000).map(float),
    st.sampled_from([0.0, -0.0, 1e-5, 1e-4, 1e8, 99999.0, 0.1, float("nan"), float("inf")]),
)
items = st.one_of(
    st.tuples(st.just("float32"), st.lists(floats, max_size=24)),
    st.tuples(st.just("float64"), st.lists(floats, max_size=24)),
    st.tuples(st.just("int64"), st.lists(st.integers(-(2**40), 2**40), max_size=30)),
    st.tuples(st.just("int64"), st.lists(st.integers(-9, 99), max_size=60)),
    st.tuples(st.just("bool"), st.lists(st.booleans(), max_size=30)),
)


def shapes_of(count):
    """Every shape of up to three dimensions with so many elements."""
    if count == 0:
        return [(0,), (0, 3), (2, 0)]
    sizes = [n for n in range(1, count + 1) if count % n == 0]
    pairs = [(a, count // a) for a in sizes]
    triples = [(a, b, count // a // b) for a, b in itertools.product(sizes, sizes)
               if count % (a * b) == 0]  # fmt: skip
    return [(count,), *pairs, *triples]


def printed(mg, kind, data, shape, grad):
    tensor = mg.tensor(data, dtype=getattr(mg, kind)).view(shape)
    if grad and kind.startswith("float"):
        tensor = tensor.requires_grad_() if grad == 1 else tensor.requires_grad_() * 1
    return repr(tensor).replace("minigrad.", "torch.")


@options(REPRS)
@given(item=items, pick=st.integers(0, 1000), grad=st.sampled_from([0, 0, 1, 2]))
def test_random_tensors_print_alike(live_torch, item, pick, grad):
    kind, data = item
    choices = shapes_of(len(data))
    shape = choices[pick % len(choices)]
    expected = printed(live_torch, kind, data, shape, grad)
    assert printed(registry.engine("minigrad"), kind, data, shape, grad) == expected


@options(60)
@given(
    count=st.integers(900, 3000), scale=st.sampled_from([1, 0.5, 0.001, 1e6]), wide=st.booleans()
)
def test_summaries_print_alike(live_torch, count, scale, wide):
    def shown(mg):
        tensor = mg.arange(count).float() * scale
        return repr(tensor.view(2, -1) if wide and count % 2 == 0 else tensor)

    assert shown(registry.engine("minigrad")) == shown(live_torch)
