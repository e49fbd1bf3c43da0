"""Random numbers can be drawn again, and only those of the library's own generator."""

import minigrad as mg


def test_a_restored_state_draws_the_same_numbers_again():
    mg.manual_seed(3)
    mg.rand(5)
    state = mg.get_rng_state()
    first = mg.rand(4).tolist(), mg.randn(4).tolist()
    other = mg.rand(4).tolist(), mg.randn(4).tolist()
    mg.set_rng_state(state)
    assert (mg.rand(4).tolist(), mg.randn(4).tolist()) == first != other


def test_drawing_leaves_a_state_that_was_taken_as_it_is():
    state = mg.get_rng_state()
    mg.rand(4)
    assert mg.get_rng_state() != state


def test_a_seed_starts_again():
    mg.manual_seed(5)
    first = mg.rand(3).tolist()
    mg.manual_seed(5)
    assert mg.rand(3).tolist() == first
    mg.manual_seed(6)
    assert mg.rand(3).tolist() != first
