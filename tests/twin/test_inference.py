"""What may be done outside of inference mode with a tensor made in it, and with its `.data`."""

import random

import pytest

import minigrad

TENSORS = {
    "x": lambda mg, x: x,
    "x.data": lambda mg, x: x.data,
    "x.data.data": lambda mg, x: x.data.data,
    "x[:2]": lambda mg, x: x[:2],
    "x * 1": lambda mg, x: x * 1,
    "x.detach()": lambda mg, x: x.detach(),
    "x[:2].detach()": lambda mg, x: x[:2].detach(),
    "x inside": lambda mg, x: mg.inference_mode()(x.detach)(),
    "x.data inside": lambda mg, x: mg.inference_mode()(lambda: x.data)(),
    "y.data = x": lambda mg, x: written_to(mg, x),
    "a view inside": lambda mg, x: mg.inference_mode()(mg.ones(3, requires_grad=True).view)(-1),
}
DONE = {
    "flag": lambda mg, t: t.is_inference(),
    "written": lambda mg, t: t.add_(1).tolist(),
    "version": lambda mg, t: t._version,
    "wanted": lambda mg, t: t.requires_grad_().requires_grad,
    "flag set": lambda mg, t: setattr(t, "requires_grad", True),
    "a parameter": lambda mg, t: mg.nn.Parameter(t).requires_grad,
    "none": lambda mg, t: mg.nn.Parameter(t, requires_grad=False).is_inference(),
    "left out": lambda mg, t: t.detach().add_(1).tolist(),
    "its version": lambda mg, t: t.detach()._version,
    "version inside": lambda mg, t: mg.inference_mode()(lambda: t.detach()._version)(),
    "data's inside": lambda mg, t: mg.inference_mode()(lambda: t.data._version)(),
    "written inside": lambda mg, t: mg.inference_mode()(lambda: t.add_(1))().tolist(),
    "saved": lambda mg, t: (t * mg.ones(1, requires_grad=True)).sum().requires_grad,
    "added": lambda mg, t: (t + mg.ones(1, requires_grad=True)).sum().requires_grad,
    "accumulated": lambda mg, t: accumulated(mg, t),
}


def written_to(mg, x):
    y = mg.zeros(3).add_(1)
    y.data = x
    return y


def accumulated(mg, t):
    w = mg.ones(t.shape, requires_grad=True)
    w.grad = t
    (w * 2).sum().backward()
    return w.grad.tolist()


def said(mg, which, ways):
    with mg.inference_mode():
        x = mg.tensor([1.0, 2.0, 3.0])
    found = []
    tensor = TENSORS[which](mg, x)
    for way in ways:
        try:
            found.append(DONE[way](mg, tensor))
        except Exception as error:
            found.append((type(error).__name__, str(error).replace("minigrad", "torch")))
    return [*found, x.tolist(), tensor.tolist(), x.is_inference()]


@pytest.mark.parametrize("which", TENSORS)
def test_an_inference_tensor_takes_what_pytorchs_takes(torch, which):
    for _ in range(30):
        ways = random.sample(list(DONE), random.randint(1, 4))
        assert said(minigrad, which, ways) == said(torch, which, ways), ways
