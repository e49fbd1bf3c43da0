"""The digits are there without a network, whole, and split as everybody else's are."""

import hashlib
from importlib.resources import files

import numpy as np

from course.data import digits


def test_the_digits_are_all_there():
    d = digits()
    assert d.train_images.shape == (1437, 64) and d.test_images.shape == (360, 64)
    assert d.train_labels.shape == (1437,) and d.test_labels.shape == (360,)
    images = np.concatenate([d.train_images, d.test_images])
    assert images.dtype == np.float32 and images.min() == -1 and images.max() == 1
    assert d.train_labels.dtype == np.int64


def test_every_digit_has_the_same_share_of_both_parts():
    d = digits()
    train, test = np.bincount(d.train_labels), np.bincount(d.test_labels)
    assert len(train) == len(test) == 10 and sum(train) + sum(test) == 1797
    assert np.abs(test - (train + test) * 360 / 1797).max() < 1


def test_the_file_is_the_one_whose_accuracies_the_lesson_tells():
    content = (files("course.data") / "digits.npz").read_bytes()
    assert len(content) < 100_000
    with np.load(files("course.data") / "digits.npz") as stored:
        told = b"".join(np.ascontiguousarray(stored[name]).tobytes() for name in sorted(stored))
    assert hashlib.sha256(told).hexdigest()[:16] == "b9c410634951d604"


def test_source_and_licence_are_named_beside_it():
    text = (files("course.data") / "README.md").read_text()
    assert "CC BY 4.0" in text and "10.24432/C50P49" in text
