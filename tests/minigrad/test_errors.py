"""What minigrad adds to PyTorch's words: notes that name the culprit, refusals with a remedy."""

import ast
import contextlib
import gc
import traceback
import weakref
from pathlib import Path

import numpy as np
import pytest

import minigrad as mg
from minigrad.autograd import Function, gradcheck
from minigrad.core import messages
from minigrad.core.op import Op
from minigrad.nn.functional import scaled_dot_product_attention as attention

ENGINE = Path(mg.__file__).parent


def raised(function, kind=Exception):
    with pytest.raises(kind) as found:
        function()
    return found.value


WRONG = {
    "a module": lambda x: mg.nn.Linear(3, 3)(None),
    "a function": lambda x: mg.tanh(None),
    "a named function": lambda x: mg.relu("a"),
    "an operator": lambda x: x + "a",
    "a method": lambda x: x.softmax("a"),
    "a module in a checkpoint": lambda x: mg.utils.checkpoint.checkpoint(
        mg.nn.Linear(3, 3), None, use_reentrant=False
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_an_error_that_is_caught_leaves_no_ring(name):
    class Local:
        pass

    def catching():
        held = Local()
        with contextlib.suppress(Exception):
            WRONG[name](mg.ones(3))
        return weakref.ref(held)

    gc.disable()
    try:
        assert catching()() is None
    finally:
        gc.enable()


# -- notes: str(error) stays PyTorch's --


def test_a_second_backward_names_the_node_the_line_and_the_lesson(leaf):
    y = leaf(3).exp().sum()
    y.backward()  # the first
    error = raised(y.backward, RuntimeError)
    assert str(error) == messages.BACKWARD_TWICE
    who, lesson = error.__notes__
    assert who.startswith("minigrad: what ExpBackward0 saved was freed by line ")
    assert who.endswith(": `y.backward()  # the first`")
    assert "lesson 05" in lesson


def test_the_note_points_at_the_call_that_freed_not_at_the_last_one(leaf):
    x = leaf(3)
    y = x.exp()
    z = y.tanh()
    mg.autograd.grad(y.sum(), x)  # frees exp only
    error = raised(lambda: z.sum().backward(), RuntimeError)
    assert "ExpBackward0" in error.__notes__[0] and "frees exp only" in error.__notes__[0]


def test_reading_a_freed_saved_tensor_has_the_notes_too(leaf):
    y = leaf(3).exp()
    y.sum().backward()  # freed here
    error = raised(lambda: y.grad_fn._saved_result, RuntimeError)
    assert "freed here" in error.__notes__[0]


def test_a_custom_function_has_the_notes_too(leaf):
    class Square(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, grad):
            return 2 * ctx.saved_tensors[0] * grad

    y = Square.apply(leaf(3)).sum()
    y.backward()  # by this call
    error = raised(y.backward, RuntimeError)
    assert "SquareBackward" in error.__notes__[0] and "by this call" in error.__notes__[0]


def test_code_without_a_source_file_still_gets_a_line(leaf):
    y = leaf(3).exp().sum()
    exec("\n\ny.backward()", {"y": y})
    error = raised(y.backward, RuntimeError)
    assert error.__notes__[0].endswith("was freed by line 3 of <string>")


def test_a_changed_saved_tensor_names_the_node_and_the_remedy(leaf):
    x = leaf(3)
    y = x.exp()
    y.add_(1)
    error = raised(lambda: y.sum().backward(), RuntimeError)
    assert "is at version 1; expected version 0 instead" in str(error)
    (note,) = error.__notes__
    assert "ExpBackward0 had saved this tensor" in note and "clone() it before" in note


def test_notes_are_shown_with_the_traceback(leaf):
    y = leaf(3).exp().sum()
    y.backward()
    text = "".join(traceback.format_exception(raised(y.backward)))
    assert "minigrad: what ExpBackward0 saved" in text and "minigrad: lesson 05" in text


# -- refusals of minigrad's own: one sentence, and what to do instead --


class Twice(Function):
    """It writes to a view that is not the first tensor that it is given."""

    @staticmethod
    def forward(ctx, factor, view):
        ctx.mark_dirty(view)
        return view.mul_(factor)


def reversible_chain():
    parts = mg.nn.Linear(1, 1), mg.nn.Linear(1, 1)
    return mg.reversible.ReversibleSequential(mg.reversible.ReversibleBlock(*parts))


class Odd(Op):
    """A rule that uses a function which has no rule."""

    @staticmethod
    def forward(x):
        return x * 2

    def backward(node, grad):
        return np.arctan(grad)


REFUSALS = {
    "a storage cannot be resized": (lambda x: x.untyped_storage().resize_(0), "drop the last"),
    "a second derivative through a reversible chain": (
        lambda x: mg.autograd.grad(reversible_chain()(x[:, :2]).sum(), x, create_graph=True),
        "leave out create_graph",
    ),
    "a rule that cannot be recorded": (
        lambda x: mg.autograd.grad(Odd.call(x).sum(), x, create_graph=True), "use PyTorch for this"
    ),
    "distances of another kind": (lambda x: mg.cdist(x, x, p=1), "takes p=2 and two matrices"),
    "a functional call that is strict": (
        lambda x: mg.func.functional_call(mg.nn.ReLU(), {}, x, strict=True), "leave it out"
    ),
    "a diagonal that goes on behind the tensor": (
        lambda x: mg.zeros(1, 50).t().fill_diagonal_(1.0, wrap=True), r"contiguous\(\) copy"
    ),
    "a line search": (
        lambda x: mg.optim.LBFGS([x], line_search_fn="strong_wolfe"), "leave line_search_fn out"
    ),
    "a decay that is a tensor": (
        lambda x: mg.optim.SGD([x], weight_decay=mg.tensor(0.1)),
        "take a number as weight_decay, no tensor",
    ),
    "a view that a Function writes to, in second place": (
        lambda x: Twice.apply(x, (x * 1)[:]), "be the first tensor"
    ),
    "a clamp between tensors": (lambda x: x.clamp(x), r"use maximum\(\) and minimum\(\)"),
    "truncated normals of which few are inside": (
        lambda x: mg.nn.init.trunc_normal_(x.detach(), a=3.0, b=4.0), r"use uniform_\(\)"
    ),
    "a gradcheck of another kind": (
        lambda x: gradcheck(lambda x: x, x, check_forward_ad=True), "check_forward_ad=True out"
    ),
    "a divergence of two kinds": (
        lambda x: mg.distributions.kl_divergence(
            mg.distributions.Normal(0.0, 1.0), mg.distributions.Bernoulli(0.5)
        ),
        "different exponential families",
    ),
    "options of checkpoint": (
        lambda x: mg.utils.checkpoint.checkpoint(x.exp, context_fn=1, use_reentrant=False),
        "leave it out",
    ),
    "a frame of another kind": (
        lambda x: mg.nn.Conv2d(1, 1, 3, padding_mode="reflect"), "its frame is of zeros"
    ),
    "a frame that repeats the edges": (
        lambda x: mg.nn.functional.pad(x[None], (1, 1), mode="reflect"), "index with their places"
    ),
    "another way to resize": (
        lambda x: mg.nn.functional.interpolate(x[None, None], 4, mode="bicubic"), "resizes images"
    ),
    "channels beside each other": (
        lambda x: x.clone(memory_format=mg.channels_last), "leave memory_format out"
    ),
    "an image of bytes": (
        lambda x: mg.nn.Upsample(4)(x[None, None].to(mg.uint8)), "4D.* of floats by mode"
    ),
    "an image whose channels lie together": (
        lambda x: mg.nn.Upsample(4)(x[None, None].permute(0, 3, 2, 1)),
        r"call contiguous\(\) first",
    ),
    "a layer of floats beside half floats": (
        lambda x: mg.nn.functional.layer_norm(x.to(mg.float16), (3,), mg.ones(3)), "give it x.to"
    ),
    "a norm of a matrix": (lambda x: x.norm("nuc"), "name the one axis"),
    "another one": (lambda x: mg.linalg.norm(x, 1), "leave out the order"),
    "a scatter that reduces": (
        lambda x: x.scatter(1, mg.zeros(2, 3).long(), x, reduce="add"), "use scatter_add"
    ),
    "a scatter of a part": (
        lambda x: x.detach().scatter(1, mg.zeros(2, 1).long(), x), "narrow"
    ),
    "an array of complex numbers": (
        lambda x: mg.from_numpy(np.zeros(2, complex)), r"use array.astype\(\)"
    ),
    "an old name of a dtype": (lambda x: x.type("torch.CharTensor"), "one of its own dtypes"),
    "attention of half floats": (
        lambda x: attention(*[mg.ones(2, 2, dtype=mg.float16)] * 3), "leave enable_gqa out"
    ),
    "more keys than values": (
        lambda x: attention(x[None, None], mg.ones(1, 1, 3, 3), x[None, None]),
        "as many heads and values as there are keys",
    ),
    "a bias of keys": (
        lambda x: mg.nn.MultiheadAttention(4, 2, add_bias_kv=True), "leave it out"
    ),
    "rows of at most some length": (
        lambda x: mg.nn.Embedding(3, 2, max_norm=1.0), "does not know max_norm: leave it out"
    ),
    "a parameter that is none": (
        lambda x: mg.nn.Linear(1, 1)._parameters.update(weight=x), "set the attribute 'weight'"
    ),
    "a sparse gradient": (
        lambda x: mg.nn.functional.embedding(x.long(), x, sparse=True), "does not know sparse"
    ),
    "a state that is projected": (lambda x: mg.nn.LSTM(3, 2, proj_size=1), "know proj_size"),
    "a smoothed image": (
        lambda x: mg.nn.functional.interpolate(x, 2, antialias=True), "know antialias"
    ),
    "workers": (lambda x: mg.utils.data.DataLoader(x, num_workers=2), "leave num_workers at 0"),
    "a grid of matrices": (lambda x: mg.meshgrid(x, indexing="ij"), r"ravel\(\) them"),
    "a GPU": (lambda x: x.cuda(), "use device='cpu'"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSALS)
def test_a_refusal_is_one_sentence_with_a_remedy(name, leaf):
    function, remedy = REFUSALS[name]
    with pytest.raises(Exception, match=remedy) as found:
        function(leaf(2, 3))
    text = str(found.value)
    assert "\n" not in text and ". " not in text and len(text) < 200
    assert "torch" not in text.replace("PyTorch", "")  # it does not pretend to be PyTorch's


@pytest.mark.parametrize("option", ["clear_saved_tensors_on_access", "boxed_grads_call"])
def test_an_option_of_function_that_is_missing_is_said_to_be(option):
    with pytest.raises(NotImplementedError, match=f"minigrad has no {option}"):
        type("Own", (mg.autograd.Function,), {option: True})


# A subclass of the engine defines them.
ABSTRACT = {
    *("formula", "to", "_new", "_share", "apply", "_move", "through"),
    *("step", "get_lr", "__getitem__", "__iter__"),
}
TORCHS = {
    *("forward", "backward", "softmax_of", "only_floats", "max_pool2d"),
}  # also PyTorch's own words, which the twin compares


def test_every_refusal_of_the_engine_is_tried_above():
    raising = set()
    for path in ENGINE.rglob("*.py"):
        for function in ast.walk(ast.parse(path.read_text())):
            if isinstance(function, ast.FunctionDef) and any(
                isinstance(node, ast.Raise) and "NotImplementedError" in ast.dump(node)
                for node in ast.walk(function)
            ):
                raising.add((path.relative_to(ENGINE).as_posix(), function.name))
    names = {name for _, name in raising} - ABSTRACT - TORCHS
    tried = {"resize_", "_check_dirty", "__init_subclass__"}
    tried |= {"checked_bounds", "_check_mixed", "checkpoint"}
    tried |= {"only_zeros", "pad", "_check", "of_name", "given", "in_one", "not_known"}
    tried |= {"known", "refuse_recording", "check_workers"}
    tried |= {"norm", "linalg_norm", "_scattering", "_check_source"}
    tried |= {"__init__", "_check_known", "cdist", "functional_call", "_diagonal_from"}
    tried |= {
        "_check_mode",
        "_check_image",
        "_check_grid",
        "trunc_normal_",
        "_refuse",
        "kl_divergence",
        "lies_in_order",
        "__setitem__",
    }
    assert names == tried
