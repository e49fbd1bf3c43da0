"""The capstone's twins: as many weights, the closed forms' bytes, the stored net's gradients."""

import pytest

import minigrad as mg
from course.data import digits
from course.twins_on_digits import (
    BATCH,
    WIDTH,
    Checkpointed,
    batches,
    reversible,
    right,
    standard,
    stored,
    train,
)
from minigrad.nn.functional import cross_entropy
from tests.minigrad.counted import counted

U = BATCH * WIDTH * 4
AROUND = BATCH * 8 + 4 + 4  # the labels, the loss, and the 1 that backward begins with


@pytest.fixture(scope="module")
def batch():
    images, labels = next(batches(digits(), 1))
    return images, labels


def weights(net):
    return sum(p.numel() for p in net.parameters())


def test_the_twins_have_as_many_weights():
    assert (weights(standard(64)), weights(reversible(64))) == (137578, 139626)


def fits(net, batch, budget):
    """Does one step run in so many bytes, weights and their gradients not counted?"""
    net.zero_grad()
    others = counted() - sum(t.nbytes for t in batch)
    try:
        with mg.memory.budget(budget + others):
            cross_entropy(net(batch[0]), batch[1]).backward()
    except mg.memory.OutOfMemoryError:
        return False
    return True


@pytest.mark.parametrize("depth", [8, 12])
@pytest.mark.parametrize(
    "make, peak",
    [
        (standard, lambda depth: 2 * depth + 5),
        (lambda depth: Checkpointed(standard(depth), 4), lambda depth: depth // 4 + 2 * 4 + 4),
        (reversible, lambda depth: 11),
    ],
    ids=["standard", "checkpoint", "reversible"],
)
def test_a_step_needs_what_the_closed_form_says_to_the_byte(make, peak, depth, batch):
    net = make(depth)
    assert fits(net, batch, peak(depth) * U + AROUND)
    assert not fits(net, batch, peak(depth) * U + AROUND - 1)


def relative_error(net, images, labels):
    """Of all gradients of the first step together: recomputed, against stored."""

    def gradients(scores):
        net.zero_grad()
        cross_entropy(scores, labels).backward()
        return [p.grad.double() for p in net.parameters()]

    pairs = list(zip(gradients(net(images)), gradients(stored(net, images)), strict=True))
    wrong = sum((g - h).square().sum().item() for g, h in pairs)
    return (wrong / sum(h.square().sum().item() for _, h in pairs)) ** 0.5


def test_the_gradients_of_the_first_step_are_those_of_the_stored_net(batch):
    errors = []
    for seed in range(3):
        mg.manual_seed(seed)
        errors.append(relative_error(reversible(16), *batch))
    assert min(errors) < 1e-5
    assert max(errors) < 1e-3  # one relu whose input came back on the other side of 0


@pytest.mark.parametrize("make", [standard, reversible])
def test_shallow_twins_learn_in_a_few_epochs(make):
    mg.manual_seed(0)
    data, net = digits(), make(4)
    found = train(net, batches(data, 15), 45, lr=5e-3)
    assert found[-1] < found[0] / 10
    assert right(net, data) > 90
