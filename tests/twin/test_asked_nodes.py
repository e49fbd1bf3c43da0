"""An operation that fails has asked a view for its node, or not, as it has in PyTorch.

A view whose base is written to gets a new node when somebody asks for it, and only then may it be
written to itself.
"""

import pytest

import minigrad

FAR = 9  # no tensor here has so many axes
FAILING = """
x.sum(FAR)  x.mean(FAR)  x.prod(FAR)  x.max(FAR)  x.argmax(FAR)  x.norm(dim=FAR)  x.var(FAR)
x.amax(FAR)  x.softmax(FAR)  x.cumsum(FAR)  x.sort(FAR)  x.topk(99)  x.logsumexp(FAR)
x.unsqueeze(FAR)  x.squeeze(FAR)  x.select(0, 99)  x.transpose(0, FAR)  x.permute(0, 0, 0)
x.view(-1, 97)  x.reshape(97, 97)  x.flatten(FAR)  x.expand(7, 9, 7)  x.expand_as(mg.zeros(7, 9, 7))
x.narrow(0, 0, 99)  x.narrow(FAR, 0, 1)  x.split(-1)  x.split(1, FAR)  x.split([9])  x.chunk(0)
x.chunk(2, FAR)  x.unbind(FAR)  x.repeat(1)  x.flip(FAR)  x.roll(1, FAR)  x.diagonal(0, 0, FAR)
x[99]  x[:, :, :, :, 0]  x[0, 0][0:1]  x[mg.zeros(97) > 0]  x[[99]]
x.index_select(FAR, mg.tensor([0]))  x.gather(FAR, mg.tensor([[0]]))
x + mg.zeros(97, 97)  x * mg.zeros(97, 97)  x ** mg.zeros(97)  mg.maximum(x, mg.zeros(97))
x @ mg.zeros(97, 97)  x.matmul(mg.zeros(97, 97))  x.mm(mg.zeros(97, 97))  x.bmm(x)  x.dot(x)
x.mv(mg.zeros(97))  mg.outer(x, x)  mg.cat([x, mg.zeros(7, 7, 7)])  mg.stack([x, mg.zeros(97)])
mg.where(mg.zeros(97) > 0, x, x)  x.masked_fill(mg.zeros(97) > 0, 1.0)
nn.linear(x, mg.zeros(97, 97))  nn.mse_loss(x, mg.zeros(97, 97))  nn.dropout(x, 2.0)
nn.conv2d(x, mg.zeros(1, 1, 1, 1))  nn.layer_norm(x, (97,))  nn.nll_loss(x, mg.zeros(97).long())
x.add_(mg.zeros(97))  x.copy_(mg.zeros(97))  x.__setitem__(99, 1.0)
x.__setitem__(slice(0, 1), mg.zeros(97))  x.__setitem__(mg.tensor([0, 1]), mg.zeros(97))
"""
LINES = [line.strip() for line in FAILING.replace("\n", "  ").split("  ") if line.strip()]


def tried(mg, line):
    """The kind of the line's error, and whether the view can be written to after it."""
    base = mg.ones(2, 3)
    view = base[:]
    base.mul_(mg.ones(2, 3, requires_grad=True))
    with pytest.raises((RuntimeError, IndexError, ValueError)) as caught:
        eval(line, {"x": view, "mg": mg, "nn": mg.nn.functional, "FAR": FAR})
    try:
        view.add_(1)
    except RuntimeError as error:
        return type(caught.value).__name__, str(error)
    return type(caught.value).__name__, "written"


@pytest.mark.filterwarnings("ignore:Using a target size")
@pytest.mark.parametrize("line", LINES)
def test_what_fails_has_asked_a_view_for_its_node_as_in_pytorch(torch, line):
    assert tried(minigrad, line) == tried(torch, line)
