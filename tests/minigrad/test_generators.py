"""A generator of one's own: its numbers come again, and nobody else's are moved on."""

import copy
import pickle

import pytest

import minigrad as mg

DRAWS = {
    "rand": lambda **own: mg.rand(2, 3, **own),
    "randn": lambda **own: mg.randn(5, **own),
    "rand_like": lambda **own: mg.rand_like(mg.ones(4), **own),
    "randn_like": lambda **own: mg.randn_like(mg.ones(4), **own),
    "randint": lambda **own: mg.randint(1000, (6,), **own),
    "randperm": lambda **own: mg.randperm(40, **own),
    "normal": lambda **own: mg.normal(1.0, 2.0, (4,), **own),
    "bernoulli": lambda **own: mg.bernoulli(mg.full((64,), 0.5), **own),
    "multinomial": lambda **own: mg.multinomial(mg.ones(40), 20, **own),
    "multinomial, replaced": lambda **own: mg.multinomial(mg.ones(40), 20, True, **own),
    "uniform_": lambda **own: mg.zeros(4).uniform_(**own),
    "normal_": lambda **own: mg.zeros(4).normal_(**own),
    "bernoulli_": lambda **own: mg.zeros(64).bernoulli_(**own),
    **{
        f"init.{name}": lambda name=name, **own: getattr(mg.nn.init, name)(mg.zeros(4, 3), **own)
        for name in (
            "uniform_ normal_ trunc_normal_ orthogonal_ xavier_uniform_ xavier_normal_ "
            "kaiming_uniform_ kaiming_normal_"
        ).split()
    },
}


def seeded(seed=7):
    return mg.Generator().manual_seed(seed)


@pytest.mark.parametrize("name", DRAWS)
def test_the_same_seed_draws_the_same_numbers_and_moves_nobody_on(name):
    draw, before = DRAWS[name], mg.get_rng_state()
    own = seeded()
    first = draw(generator=own).tolist()
    assert draw(generator=own).tolist() != first
    assert draw(generator=seeded()).tolist() == first
    assert draw(generator=seeded(8)).tolist() != first
    assert mg.get_rng_state() == before
    assert draw().shape == draw(generator=None).shape
    assert mg.get_rng_state() != before


@pytest.mark.parametrize("name", DRAWS)
def test_what_is_no_generator_is_refused(name):
    with pytest.raises(TypeError, match="argument 'generator'.* must be Generator, not int"):
        DRAWS[name](generator=3)


def test_a_state_comes_again():
    own = seeded()
    mg.randn(3, generator=own)
    state = own.get_state()
    numbers = mg.randn(3, generator=own).tolist()
    assert mg.randn(3, generator=own.set_state(state)).tolist() == numbers


def test_the_generator_of_the_others_is_one_that_can_be_given():
    first = mg.randn(3, generator=mg.manual_seed(5)).tolist()
    assert mg.manual_seed(5) is mg.default_generator and mg.randn(3).tolist() == first
    assert mg.initial_seed() == 5


@pytest.mark.parametrize("seed", [0, -1, 2**64 - 1, -(2**63)])
def test_any_seed_of_64_bits_will_do(seed):
    assert mg.manual_seed(seed).initial_seed() == seed % 2**64


def test_a_replay_draws_anew_from_a_generator_of_ones_own():
    own, x = seeded(), mg.ones(4)

    @mg.replay.record
    def noisy(x):
        return x + mg.randn(4, generator=own)

    found = [noisy(x).tolist() for _ in range(3)]
    other = seeded()
    assert found == [(x + mg.randn(4, generator=other)).tolist() for _ in range(3)]


def test_a_replay_refuses_a_generator_that_seeds_itself():
    @mg.replay.record
    def noisy(x):
        own = mg.Generator()
        own.seed()
        return x + mg.randn(4, generator=own)

    with pytest.raises(mg.replay.ReplayError, match="seeds a generator by chance"):
        noisy(mg.ones(4))
    assert mg.Generator().seed() != mg.seed()


@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, lambda own: pickle.loads(pickle.dumps(own))]
)
def test_a_copy_goes_on_by_itself_and_is_replayed(copied):
    own = seeded()
    mg.randn(3, generator=own)
    other = copied(own)
    assert other.initial_seed() == 7
    recorded = mg.replay.record(lambda x: x + mg.randn(3, generator=other), check=1)
    found = [recorded(mg.zeros(3)).tolist() for _ in range(3)]
    assert found == [mg.randn(3, generator=own).tolist() for _ in range(3)]


@pytest.mark.parametrize("shape", [(3, 5), (5, 3), (4, 4), (2, 3, 2), (6, 1, 2)])
def test_orthogonal_matrices_are(shape):
    weight = mg.nn.init.orthogonal_(mg.empty(shape, dtype=mg.float64), gain=2.0).flatten(1)
    short = weight if weight.shape[0] <= weight.shape[1] else weight.t()
    unit = 4 * mg.eye(short.shape[0], dtype=mg.float64)
    assert (short @ short.t()).allclose(unit, atol=1e-12)


def test_truncated_normals_stay_inside():
    numbers = mg.nn.init.trunc_normal_(mg.empty(4000, dtype=mg.float64), 1.0, 2.0, -1.0, 2.0)
    assert -1 <= numbers.min().item() < -0.9 and 1.9 < numbers.max().item() <= 2
