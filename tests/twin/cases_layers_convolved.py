"""Convolutions of sequences, dilated ones, transposed ones; images in another size."""

from tests.twin.cases_layers import leaf, told
from tests.twin.registry import case


def looks(mg, out, layers):
    """Of two layers for sequences and two for images."""
    for layer, x in zip(layers, [mg.ones(2, 3, 6)] * 2 + [mg.ones(2, 3, 6, 6)] * 2, strict=True):
        out("repr", repr(layer))
        out("parameters", [[name, list(p.shape)] for name, p in layer.named_parameters()])
        out("result", list(layer(x).shape))


@case("E: conv1d saves input and weight; one sequence is a batch of one")
def case_conv1d(mg, out):
    F = mg.nn.functional
    x, w, b = leaf(mg, 2, 3, 7), leaf(mg, 4, 3, 3), leaf(mg, 4)
    told(mg, out, "plain", lambda: F.conv1d(x, w), x, w)
    told(mg, out, "with bias", lambda: F.conv1d(x, w, b, stride=2, padding=1), x, w, b)
    told(mg, out, "dilated", lambda: F.conv1d(x, w, b, 1, (2,), 2), x, w, b)
    told(mg, out, "weight frozen", lambda: F.conv1d(x, w.detach()), x)
    told(mg, out, "data", lambda: F.conv1d(x.detach(), w), w)
    told(mg, out, "one sequence", lambda: F.conv1d(x[0], w, b), x, w, b)
    told(mg, out, "no sequence", lambda: F.conv1d(x[:0], w, b), x, w, b)
    told(mg, out, "transposed", lambda: F.conv1d(w.transpose(0, 2), x[:, :, :2]), x, w)
    y = F.conv1d(x, w)
    y.sum().backward()
    out.error("twice", lambda: y.sum().backward())


@case("E: conv2d with a dilation has gaps between the elements of a window")
def case_dilated(mg, out):
    F = mg.nn.functional
    x, w, b = leaf(mg, 2, 3, 5, 7), leaf(mg, 4, 3, 3, 2), leaf(mg, 4)
    told(mg, out, "dilated", lambda: F.conv2d(x, w, b, dilation=2), x, w, b)
    told(mg, out, "two", lambda: F.conv2d(x, w, b, (2, 1), (1, 0), (1, 3)), x, w, b)
    told(mg, out, "one image", lambda: F.conv2d(x[1], w, dilation=(2, 1)), x, w)
    told(mg, out, "no image", lambda: F.conv2d(x[:0], w, b, dilation=2), x, w, b)


@case("Conv1d and a dilated Conv2d: names, shapes, repr")
def case_conv_modules(mg, out):
    nn = mg.nn
    layers = [
        nn.Conv1d(3, 4, 3, padding=1),
        nn.Conv1d(3, 4, (2,), stride=2, dilation=3, bias=False),
        nn.Conv2d(3, 4, 3, 1, 2, 2),
        nn.Conv2d(3, 4, 3, 1, 0, (1, 2), 1, False),
    ]
    looks(mg, out, layers)
    bound = 9**-0.5
    out("bounds", [bool((p.abs() <= bound).sum() == p.numel()) for p in layers[0].parameters()])
    out.error("axes", layers[0], mg.ones(2, 3, 6, 6))
    out.error("channels", layers[0], mg.ones(2, 4, 6))
    out.error("a matrix", nn.Conv2d(3, 4, 3), mg.ones(3, 3))


@case("Convolutions refuse sizes, numbers and dtypes that do not fit, in PyTorch's words")
def case_conv_refusals(mg, out):
    F = mg.nn.functional
    x, w, b = mg.ones(2, 2, 7), mg.ones(3, 2, 3), mg.ones(3)
    image, filters = mg.ones(2, 2, 4, 9), mg.ones(3, 2, 3, 3)
    out.error("no axes", F.conv1d, mg.ones(3), w)
    out.error("weight of an image", F.conv1d, x, mg.ones(3, 2, 1, 3))
    out.error("weight of a sequence", F.conv2d, image, w)
    out.error("a matrix for weight", F.conv1d, x, mg.ones(3, 2))
    out.error("channels", F.conv1d, mg.ones(2, 3, 7), w)
    out.error("no filter", F.conv1d, x, mg.ones(0, 2, 3))
    out.error("bias", F.conv1d, x, w, mg.ones(2))
    out.error("bias, two axes", F.conv1d, x, w, mg.ones(3, 1))
    out.error("too long", F.conv1d, x, mg.ones(3, 2, 9))
    out.error("too long, padded", F.conv1d, x, mg.ones(3, 2, 10), padding=1)
    out.error("too wide by dilation", F.conv2d, image, filters, dilation=(2, 4))
    out.error("nothing to look at", F.conv1d, mg.ones(2, 2, 0), w, padding=2)
    out.error("an image of no rows", F.conv2d, mg.ones(2, 2, 0, 7), filters, padding=3)
    out.error("stride", F.conv1d, x, w, stride=0)
    out.error("two strides", F.conv1d, x, w, stride=(1, 2))
    out.error("padding", F.conv1d, x, w, padding=-1)
    out.error("padding before stride", F.conv1d, x, w, padding=-1, stride=0)
    out.error("three dilations", F.conv2d, image, filters, dilation=(1, 1, 2))
    out.error("a negative dilation", F.conv1d, x, w, dilation=-1)
    out.error("no dilation", F.conv1d, x.double(), w.double(), dilation=0)
    out.error("dtypes", F.conv1d, x, w.double())
    out.error("sizes before dtypes", F.conv1d, x, mg.ones(3, 1, 3).double())
    out.error("dtype of the bias, before all", F.conv1d, mg.ones(3), w, b.double())
    out.error("bools", F.conv1d, x.bool(), w.bool())
    out.error("dilated bytes", F.conv2d, image.to(mg.uint8), filters.to(mg.uint8), dilation=(1, 2))
    out("whole numbers", F.conv1d(*(t.to(mg.int32) for t in (x, w, b)), 2))
    out("dilated whole numbers", F.conv1d(x.long(), w.long(), b.long(), dilation=2))


@case("A convolution twice derived, and its written-over image")
def case_conv_second(mg, out):
    F = mg.nn.functional
    for label, function, x, w in (
        ("conv1d", lambda x, w: F.conv1d(x, w, None, 2, 1), leaf(mg, 2, 3, 6), leaf(mg, 2, 3, 3)),
        ("dilated", lambda x, w: F.conv2d(x, w, None, 1, 0, (1, 2)), leaf(mg, 1, 2, 4, 5),
         leaf(mg, 2, 2, 2, 2)),
        ("transposed", lambda x, w: F.conv_transpose2d(x, w, None, 2, 1, 1), leaf(mg, 1, 2, 3, 2),
         leaf(mg, 2, 2, 2, 3)),
    ):  # fmt: skip
        b = leaf(mg, 2)
        x, w, b = (t.detach().double().requires_grad_() for t in (x, w, b))
        y = function(x, w)
        y = y + b.view(-1, *[1] * (y.ndim - 2))
        found = mg.autograd.grad((y * y * y).sum(), [x, w, b], create_graph=True)
        out(f"{label}: first", list(found))
        weighted = sum((g * g).sum() for g in found)
        out(f"{label}: second", list(mg.autograd.grad(weighted, [x, w, b])))
        z = x * 1
        y = function(z, w)
        z.mul_(2)
        out.error(f"{label}: written over", y.sum().backward)


@case("E: a transposed convolution saves input and weight, too")
def case_conv_transposed(mg, out):
    F = mg.nn.functional
    x, w, b = leaf(mg, 2, 3, 4, 3), leaf(mg, 3, 2, 2, 3), leaf(mg, 2)
    told(mg, out, "plain", lambda: F.conv_transpose2d(x, w), x, w)
    told(mg, out, "grown", lambda: F.conv_transpose2d(x, w, b, 2, 1, 1), x, w, b)
    told(mg, out, "two", lambda: F.conv_transpose2d(x, w, b, (1, 2), (0, 1), (0, 1)), x, w, b)
    told(mg, out, "dilated", lambda: F.conv_transpose2d(x, w, b, 1, 0, 2, 1, 3), x, w, b)
    told(mg, out, "one image", lambda: F.conv_transpose2d(x[0], w, b, 2), x, w, b)
    told(mg, out, "no image", lambda: F.conv_transpose2d(x[:0], w, b, 2), x, w, b)
    told(mg, out, "weight frozen", lambda: F.conv_transpose2d(x, w.detach()), x)
    row = leaf(mg, 3, 2, 4)
    told(mg, out, "1d", lambda: F.conv_transpose1d(x[:, :, 0], row, b, 2, 1, 1), x, row, b)


@case("ConvTranspose1d and 2d: names, shapes, repr, and what they refuse")
def case_conv_transposed_modules(mg, out):
    nn = mg.nn
    layers = [
        nn.ConvTranspose1d(3, 4, 3, padding=1),
        nn.ConvTranspose1d(3, 4, (2,), stride=2, output_padding=1, bias=False),
        nn.ConvTranspose2d(3, 4, 4, 2, 1),
        nn.ConvTranspose2d(3, 4, 3, 2, 1, (1, 0), 1, False, (1, 2)),
    ]
    looks(mg, out, layers)
    bound = 12**-0.5
    out("bounds", [bool((p.abs() <= bound).sum() == p.numel()) for p in layers[0].parameters()])
    out.error("axes", layers[2], mg.ones(3, 3))
    out.error("channels", layers[2], mg.ones(2, 4, 6, 6))
    out.error("padding_mode", nn.ConvTranspose2d, 1, 1, 1, padding_mode="reflect")


@case("Transposed convolutions refuse in PyTorch's words")
def case_conv_transposed_refusals(mg, out):
    F = mg.nn.functional
    x, w = mg.ones(2, 3, 4, 5).double(), mg.ones(3, 2, 2, 3).double()
    out.error("weight of a sequence", F.conv_transpose2d, x, mg.ones(3, 2, 3))
    out.error("no filter", F.conv_transpose2d, mg.ones(2, 0, 4, 5), mg.ones(0, 2, 2, 3))
    out.error("bias", F.conv_transpose2d, x, w, mg.ones(3).double())
    out.error("output_padding", F.conv_transpose2d, x, w, output_padding=1)
    out.error("output_padding, 1d", F.conv_transpose1d, x[0], w[:, 0], output_padding=2, stride=2)
    out.error("negative", F.conv_transpose2d, x, w, output_padding=-1)
    out.error("three", F.conv_transpose2d, x, w, output_padding=(1, 1, 1))
    out.error("padding", F.conv_transpose2d, x, w, padding=-1)
    out.error("dilation", F.conv_transpose2d, x, w, dilation=0)
    out.error("nothing left", F.conv_transpose2d, x, w, padding=5)
    out.error("nothing left, 1d", F.conv_transpose1d, x[0], w[:, 0], padding=5)
    out.error("no rows", F.conv_transpose2d, x[:, :, :0], w)
    out.error("dtype", F.conv_transpose2d, x.float(), w)
    out.error("dtype of bias", F.conv_transpose2d, x.float(), w.float(), mg.ones(2).double())
    out.error("integers", F.conv_transpose2d, x.to(mg.int32), w.to(mg.int32))
    out("long", F.conv_transpose2d(x.long(), w.long(), stride=2))
