"""Attention: fused and composed, of several heads, and in a Transformer's encoder."""

import math

from tests.twin import modules, probes
from tests.twin.registry import case


def numbers(mg, *shape, stop=1.0):
    return mg.linspace(-1.0, stop, math.prod(shape)).view(*shape).requires_grad_()


def filled(mg, module):
    """With numbers that no random ones are needed for."""
    with mg.no_grad():
        for p in module.parameters():
            p.copy_((mg.arange(p.numel()).float() % 7 / 7 - 0.4).view(p.shape))
    return module


def shown(mg, out, name, y, *leaves):
    """Value, layout, graph, what the node saved, and the gradients."""
    graph = [line.replace("ReshapeAlias", "View") for line in probes.graph(y.grad_fn)]  # as counted
    out(name, [y.detach(), probes.strides(y), graph, modules.saved(y.grad_fn)])
    out("gradients", mg.autograd.grad(y, leaves, y.detach() + 0.5))


def attended(mg, out, options, *leaves):
    """The live bytes before and after, and all that is shown."""
    out.live("before")
    y = attention(mg)(*leaves, **options)
    out.live("after")
    shown(mg, out, f"{sorted(options)}", y, *leaves)


ALLOWED = [[True, False, True], [True, True, False], [False, False, False]]
FLOATS = [[0.5, -1.0, 0.0], [0.0, 0.0, 2.0], [1.0, 0.0, float("-inf")]]


def attention(mg):
    return mg.nn.functional.scaled_dot_product_attention


@case("attention: one operation that keeps no scores, by mask, scale and layout")
def case_fused(mg, out):
    attend = attention(mg)
    q, k, v = (numbers(mg, 2, 2, 3, 4, stop=stop) for stop in (1.0, 0.5, 2.0))
    for options in (
        {}, {"is_causal": True}, {"attn_mask": mg.tensor(ALLOWED)}, {"scale": -0.3},
        {"attn_mask": mg.tensor(FLOATS), "is_causal": True},
        {"attn_mask": mg.tensor(FLOATS)[:1].view(1, 1, 1, 3)},
    ):  # fmt: skip
        attended(mg, out, options, q, k, v)
    y = attend(q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2))
    shown(mg, out, "heads last", y, q, k, v)
    shown(mg, out, "queries alone", attend(q, k.detach(), v.detach()), q)
    (g,) = mg.autograd.grad(attend(q, k, v).sum(), v, create_graph=True)
    out("second", [g.grad_fn.name(), [edge[0].name() for edge in g.grad_fn.next_functions]])
    out.error("second derivative", g.sum().backward)


@case("attention: composed, where PyTorch's CPU has no one operation for it")
def case_composed(mg, out):
    attend = attention(mg)
    q, k, v = (numbers(mg, 2, 3, 4, stop=stop) for stop in (1.0, 0.5, 2.0))
    for options in (
        {}, {"is_causal": True}, {"attn_mask": mg.tensor(ALLOWED)}, {"scale": -0.3},
        {"attn_mask": mg.tensor(FLOATS)}, {"dropout_p": 1.0},
    ):  # fmt: skip
        attended(mg, out, options, q, k, v)
    mask = mg.tensor([[0.5, -1.0, 0.0]], requires_grad=True)
    shown(mg, out, "mask with a gradient", attend(q[None], k[None], v[None], mask), q, mask)
    wide = attend(q[None], k[None], v[None, ..., :2])
    shown(mg, out, "values of another size", wide, q, v)
    (g,) = mg.autograd.grad(attend(q, k, v).pow(2).sum(), q, create_graph=True)
    out("second", mg.autograd.grad(g.sum(), [q, k, v]))


@case("attention: what it refuses")
def case_refused(mg, out):
    attend = attention(mg)
    q, k, v = (mg.ones(1, 2, 3, 4) for _ in range(3))
    out.error("dtypes", attend, q, k.double(), v)
    out.error("one axis", attend, q[0, 0, 0], k, v)
    out.error("mask's dtype", attend, q, k, v, mg.ones(3, 3, dtype=mg.int64))
    out.error("mask's shape", attend, q, k, v, mg.ones(3, 2))
    out.error("mask of one axis", attend, q, k, v, mg.ones(3))
    out.error("both masks", attend, q[0], k[0], v[0], mg.ones(3, 3), is_causal=True)
    out.error("dropout", attend, q, k, v, dropout_p=1.5)
    out.error("negative dropout", attend, q, k, v, dropout_p=-0.5)
    out.error("sizes", attend, q, mg.ones(1, 2, 3, 5), v)
    out.error("heads", attend, q, mg.ones(1, 3, 3, 4), mg.ones(1, 3, 3, 4))
    heads, x = mg.nn.MultiheadAttention(4, 2), mg.ones(3, 2, 4)
    out.error("heads of what is no whole", mg.nn.MultiheadAttention, 4, 3)
    out.error("no heads", mg.nn.MultiheadAttention, 4, 0)
    out.error("axes", heads, x[0, 0], x, x)
    out.error("axes of the keys", heads, x, x[0], x)
    out.error("embedding", heads, mg.ones(3, 2, 5), x, x)
    out.error("keys and values", heads, x, x, mg.ones(2, 2, 4))
    for name, mask in {
        "shape": mg.ones(2, 3),
        "dtype": mg.ones(3, 3).long(),
        "axes": x[0, 0],
    }.items():
        out.error(f"mask's {name}", heads, x, x, x, attn_mask=mask)
    out.error("masks for each head", heads, x, x, x, attn_mask=mg.ones(2, 3, 3))
    for name, mask in {"shape": mg.ones(2, 2), "batch": mg.ones(3, 3), "axes": x}.items():
        out.error(f"padding's {name}", heads, x, x, x, key_padding_mask=mask)
    out.error("causal, but how", heads, x, x, x, is_causal=True)
    out.error("activation", mg.nn.TransformerEncoderLayer, 4, 2, activation="tanh")


@case("MultiheadAttention: with weights and without, of itself and of others, masks, fast ways")
def case_heads(mg, out):
    x, other = numbers(mg, 3, 2, 4), numbers(mg, 3, 2, 4, stop=3.0)
    hidden = ~mg.tensor(ALLOWED)
    padding = mg.tensor([[False, False, True], [False, False, False]])
    for first in (False, True):
        heads = filled(mg, mg.nn.MultiheadAttention(4, 2, batch_first=first))
        out("looks", [repr(heads), [name for name, _ in heads.named_parameters()]])
        for given in ((x, x, x), (x, other, other), (x, other, other * 1)):
            y, weights = heads(*given)
            out("weights", weights.detach())
            shown(mg, out, "with weights", y, x, heads.in_proj_weight)
            y, none = heads(*given, need_weights=False)
            shown(mg, out, "without", y, x, heads.in_proj_weight)
            out("none", none)
    heads = filled(mg, mg.nn.MultiheadAttention(4, 2))
    both = {"attn_mask": hidden[:2].any(0).expand(3, 3), "key_padding_mask": padding}
    for options in ({"attn_mask": hidden}, {"key_padding_mask": padding}, both):
        y, weights = heads(x, x, x, average_attn_weights=False, **options)
        out(f"each head {sorted(options)}", [y.detach(), weights.detach()])
        out("without", heads(x, x, x, need_weights=False, **options)[0].detach())
    y, _ = heads(x, x, x, attn_mask=mg.tensor(FLOATS), is_causal=True, need_weights=False)
    shown(mg, out, "said to be causal", y, x)
    y, weights = heads(x[:, 0], x[:, 0], x[:, 0])
    out("alone", [y.detach(), weights.detach()])
    fast = filled(mg, mg.nn.MultiheadAttention(4, 2, batch_first=True)).eval()
    with mg.no_grad():
        y, weights = fast(x, x, x, key_padding_mask=mg.tensor([[False, True]] * 3))
        out("fast", [y, probes.strides(y), weights, fast(x, x, x, need_weights=False)[1]])
    out.warned("kinds of masks", heads, x, x, x, padding, attn_mask=mg.zeros(3, 3))


@case("a Transformer's encoder: layers, masks that are causal, padding that is left out")
def case_encoder(mg, out):
    nn, double = mg.nn, mg.float64  # of floats a norm shows the rounding
    x = numbers(mg, 3, 2, 4).detach().to(double).requires_grad_()
    layer = filled(mg, nn.TransformerEncoderLayer(4, 2, 8, dropout=0.0)).to(double)
    out("looks", [repr(layer), [name for name, _ in layer.named_parameters()]])
    out.live("before")
    y = layer(x)
    out.live("layer")
    shown(mg, out, "layer", y, x)
    first = filled(mg, nn.TransformerEncoderLayer(4, 2, 8, 0.0, "gelu", norm_first=True)).to(double)
    shown(mg, out, "norm first", first(x), x)
    out.warned("no nested tensors", nn.TransformerEncoder, layer, 2)
    encoder = nn.TransformerEncoder(layer, 2, nn.LayerNorm(4).to(double), False)
    later = mg.full((3, 3), float("-inf"), dtype=double).triu(1)
    y = encoder(x, later)
    shown(mg, out, "causal", y, x)
    layer = filled(mg, nn.TransformerEncoderLayer(4, 2, 8, 0.0, batch_first=True)).to(double)
    encoder = nn.TransformerEncoder(layer, 2).eval()
    padding = mg.tensor([[False, True], [False, False], [True, True]])
    out("padded", encoder(x, src_key_padding_mask=padding).detach())
    with mg.no_grad():
        out("padded, fast", encoder(x, src_key_padding_mask=padding))
