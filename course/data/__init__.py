"""Data that come with the course: nothing is downloaded. Where they are from: README.md here."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np


class Digits(NamedTuple):
    """Images as rows of 64 numbers, from -1 for paper to 1 for ink; labels from 0 to 9."""

    train_images: np.ndarray
    train_labels: np.ndarray
    test_images: np.ndarray
    test_labels: np.ndarray


def digits() -> Digits:
    """1797 handwritten digits of 8 x 8 pixels: 1437 to train with, 360 to test with.

    Each digit has the same share in both parts. The split is part of the file, so that two
    people who compare their accuracies have trained on the same images.
    """
    with np.load(Path(__file__).with_name("digits.npz")) as stored:
        images, labels, test = stored["images"], stored["labels"], stored["test"]
    rows = images.reshape(-1, 64).astype(np.float32) / 8 - 1
    labels = labels.astype(np.int64)
    return Digits(rows[~test], labels[~test], rows[test], labels[test])
