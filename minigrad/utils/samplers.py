"""Samplers: in which order a loader takes the samples of a data set, and how many of them."""

from __future__ import annotations

import itertools
from typing import Generic, TypeVar

from minigrad.core.dtypes import float64
from minigrad.ops.creation import as_tensor
from minigrad.ops.generator import check_generator, default_generator
from minigrad.ops.random_wholes import randint
from minigrad.ops.randoms import multinomial

T = TypeVar("T", covariant=True)


def shuffled(n: int, own=None) -> list:
    """The numbers below n in an order that manual_seed() decides, or a Generator of one's own."""
    check_generator(own)
    return (own or default_generator).random.permutation(n).tolist()


def _check(name, value, wanted="positive integer") -> None:
    """A number from 1 on, or True or False."""
    kind = int if wanted == "positive integer" else bool
    if type(value) is not kind or (kind is int and value <= 0):
        raise ValueError(f"{name} should be a {wanted} value, but got {name}={value}")


NEGATIVE_WORKERS = (
    "num_workers option should be non-negative; use num_workers=0 to disable multiprocessing."
)
PREFETCHED = (
    "prefetch_factor option could only be specified in multiprocessing.let num_workers > 0 to "
    "enable multiprocessing, otherwise set prefetch_factor to None."
)
CONTEXT = (
    "multiprocessing_context can only be used with multi-process loading (num_workers > 0), but "
    "got num_workers=0"
)


def check_workers(count, timeout, prefetch_factor, persistent, context) -> None:
    """There are none here, and so nothing that would be theirs."""
    if count < 0:
        raise ValueError(NEGATIVE_WORKERS)
    if count:
        raise NotImplementedError("minigrad's DataLoader has no workers: leave num_workers at 0")
    if timeout < 0:
        raise ValueError("timeout option should be non-negative")
    if prefetch_factor is not None:
        raise ValueError(PREFETCHED)
    if persistent:
        raise ValueError("persistent_workers option needs num_workers > 0")
    if context is not None:
        raise ValueError(CONTEXT)


def check_unspecified(**given) -> None:
    """A data set that gives its samples in its own order takes no other."""
    for name, value in given.items():
        if value not in (None, False):
            raise ValueError(
                f"DataLoader with IterableDataset: expected unspecified {name} option, but got "
                f"{name}={value}"
            )


class Sampler(Generic[T]):
    """Derive from this: iter(sampler) gives the numbers of samples, or of each batch."""

    def __iter__(self):
        raise NotImplementedError


class SequentialSampler(Sampler[int]):
    """One after the other."""

    def __init__(self, data_source):
        self.data_source = data_source

    def __iter__(self):
        return iter(range(len(self.data_source)))

    def __len__(self):
        return len(self.data_source)


class RandomSampler(Sampler[int]):
    """In an order by chance; with replacement, each drawn from all."""

    def __init__(self, data_source, replacement=False, num_samples=None, generator=None):
        self.data_source, self.replacement = data_source, replacement
        self._num_samples, self.generator = num_samples, generator
        if not isinstance(replacement, bool):
            text = f"replacement should be a boolean value, but got replacement={replacement}"
            raise TypeError(text)
        _check("num_samples", self.num_samples)

    @property
    def num_samples(self) -> int:
        return len(self.data_source) if self._num_samples is None else self._num_samples

    def __iter__(self):
        n, count = len(self.data_source), self.num_samples
        if self.replacement:
            yield from randint(0, n, (count,), generator=self.generator).tolist()
            return
        for start in range(0, count, n):
            yield from shuffled(n, self.generator)[: count - start]

    def __len__(self):
        return self.num_samples


class SubsetRandomSampler(Sampler[int]):
    """These numbers, in an order by chance."""

    def __init__(self, indices, generator=None):
        self.indices, self.generator = indices, generator

    def __iter__(self):
        for i in shuffled(len(self.indices), self.generator):
            yield self.indices[i]

    def __len__(self):
        return len(self.indices)


class WeightedRandomSampler(Sampler[int]):
    """The numbers below len(weights), each drawn with its weight."""

    def __init__(self, weights, num_samples, replacement=True, generator=None):
        _check("num_samples", num_samples)
        _check("replacement", replacement, "boolean")
        self.weights = as_tensor(weights, dtype=float64)
        if self.weights.ndim != 1:
            raise ValueError(
                "weights should be a 1d sequence but given weights have shape "
                f"{tuple(self.weights.shape)}"
            )
        self.num_samples, self.replacement = num_samples, replacement
        self.generator = generator

    def __iter__(self):
        found = multinomial(
            self.weights, self.num_samples, self.replacement, generator=self.generator
        )
        yield from found.tolist()

    def __len__(self):
        return self.num_samples


class BatchSampler(Sampler[list[int]]):
    """What another sampler gives, in lists of so many."""

    def __init__(self, sampler, batch_size, drop_last):
        _check("batch_size", batch_size)
        _check("drop_last", drop_last, "boolean")
        self.sampler, self.batch_size, self.drop_last = sampler, batch_size, drop_last

    def __iter__(self):
        numbers = iter(self.sampler)
        while batch := list(itertools.islice(numbers, self.batch_size)):
            if len(batch) == self.batch_size or not self.drop_last:
                yield batch

    def __len__(self):
        n = len(self.sampler)
        return n // self.batch_size if self.drop_last else -(-n // self.batch_size)
