"""Data sets, and a loader that hands them out in batches; it works in this process alone."""

from __future__ import annotations

import copy
import itertools
import math
from collections.abc import Iterable, Mapping, MutableMapping, MutableSequence, Sequence
from typing import Any

import numpy as np

from minigrad.core import backend
from minigrad.core.dtypes import float64
from minigrad.core.frames import warn
from minigrad.core.tensor import Tensor, wrap
from minigrad.ops.creation import as_tensor, tensor
from minigrad.ops.functions import stack
from minigrad.utils.samplers import (  # noqa: F401
    BatchSampler,
    RandomSampler,
    Sampler,
    SequentialSampler,
    SubsetRandomSampler,
    WeightedRandomSampler,
    check_unspecified,
    check_workers,
    shuffled,
)

TWO_BATCHES = (
    "batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and drop_last"
)
NO_BATCHES = (
    "batch_size=None option disables auto-batching and is mutually exclusive with drop_last"
)
NO_GETITEMS = (
    "{} overrides __getitem__ but not __getitems__. When subclassing Subset and overriding "
    "__getitem__, you must also override __getitems__ to ensure DataLoader works correctly with "
    "your custom logic. A simple implementation:\n\ndef __getitems__(self, indices):\n    return "
    "[self.__getitem__(idx) for idx in indices]"
)
FIXED = {"batch_size", "batch_sampler", "sampler", "drop_last", "dataset"}

# -- data sets --


class Dataset:
    """Derive from this: `dataset[i]` is one sample, and len(dataset) says how many there are."""

    def __getitem__(self, index):
        raise NotImplementedError("Subclasses of Dataset should implement __getitem__.")

    def __add__(self, other):
        return ConcatDataset([self, other])


class IterableDataset(Dataset, Iterable):
    """Derive from this: iter(dataset) gives the samples, one after the other."""

    def __add__(self, other):
        return ChainDataset([self, other])


class ChainDataset(IterableDataset):
    """Such data sets one after the other."""

    def __init__(self, datasets):
        self.datasets = datasets

    def __iter__(self):
        for dataset in self.datasets:
            if not isinstance(dataset, IterableDataset):
                raise AssertionError("ChainDataset only supports IterableDataset")
            yield from dataset

    def __len__(self):
        return sum(map(len, self.datasets))


class TensorDataset(Dataset):
    """A sample is a row of each tensor."""

    def __init__(self, *tensors):
        if any(t.shape[0] != tensors[0].shape[0] for t in tensors):
            raise AssertionError("Size mismatch between tensors")
        self.tensors = tensors

    def __getitem__(self, index):
        return tuple(t[index] for t in self.tensors)

    def __len__(self):
        return self.tensors[0].shape[0]


class Subset(Dataset):
    """Those samples of another data set that have these numbers."""

    def __init__(self, dataset, indices):
        self.dataset, self.indices = dataset, indices
        kind = type(self)
        if kind.__getitem__ is not Subset.__getitem__:
            if kind.__getitems__ is Subset.__getitems__:
                raise NotImplementedError(NO_GETITEMS.format(kind.__name__))

    def __getitem__(self, index):
        if isinstance(index, list):
            return self.dataset[[self.indices[i] for i in index]]
        return self.dataset[self.indices[index]]

    def __getitems__(self, indices) -> list:
        return samples(self.dataset, [self.indices[i] for i in indices])

    def __len__(self):
        return len(self.indices)


class ConcatDataset(Dataset):
    """Data sets one after the other."""

    def __init__(self, datasets):
        self.datasets = list(datasets)
        if not self.datasets:
            raise AssertionError("datasets should not be an empty iterable")

    def __getitem__(self, index):
        if index < -len(self):
            raise ValueError("absolute value of index should not exceed dataset length")
        index += len(self) if index < 0 else 0
        for dataset in self.datasets:
            if index < len(dataset):
                return dataset[index]
            index -= len(dataset)
        raise IndexError("list index out of range")

    def __len__(self):
        return sum(map(len, self.datasets))


def samples(dataset, indices) -> list:
    """Those with these numbers, by the data set's own way to get several, if it has one."""
    if isinstance(dataset, IterableDataset):
        return indices  # they are the samples
    if several := getattr(dataset, "__getitems__", None):
        return several(indices)
    return [dataset[i] for i in indices]


def random_split(dataset, lengths, generator=None) -> list:
    """Subsets of these lengths, or of these shares, drawn by chance."""
    n = len(dataset)
    if math.isclose(sum(lengths), 1) and sum(lengths) <= 1:
        lengths = _as_lengths(n, lengths)
    if sum(lengths) != n:
        raise ValueError("Sum of input lengths does not equal the length of the input dataset!")
    order, ends = shuffled(n, generator), np.cumsum(lengths).tolist()
    return [Subset(dataset, order[end - m : end]) for end, m in zip(ends, lengths, strict=True)]


def _as_lengths(n: int, shares) -> list:
    """The shares of n, in whole numbers; what is left over is dealt out to the first ones."""
    for i, share in enumerate(shares):
        if not 0 <= share <= 1:
            raise ValueError(f"Fraction at index {i} is not between 0 and 1")
    lengths = [math.floor(n * share) for share in shares]
    for i in range(n - sum(lengths)):
        lengths[i % len(lengths)] += 1
    for i, length in enumerate(lengths):
        if not length:
            warn(f"Length of split at index {i} is 0. This might result in an empty dataset.")
    return lengths


# -- batches --

NUMBERS = np.ndarray, np.bool_, np.number, np.object_  # numpy's, without its strings


def default_collate(batch: list | tuple):
    """Samples as one batch: tensors are stacked, numbers become a tensor, and what holds them is
    kept, but for a tuple, which becomes a list."""
    first = batch[0]
    if isinstance(first, Tensor):
        return stack(batch)
    if isinstance(first, NUMBERS) and first.dtype.kind in "biuf":
        return wrap(backend.placed(np.stack(batch), None))
    if isinstance(first, float):
        return tensor(batch, dtype=float64)
    if isinstance(first, int):
        return tensor(batch)
    if isinstance(first, (str, bytes)):
        return batch
    if isinstance(first, Mapping):
        parts = {key: default_collate([sample[key] for sample in batch]) for key in first}
        return _refilled(first, parts)
    if isinstance(first, Sequence):
        return _collated(first, batch)
    raise TypeError(
        "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found "
        f"{type(first)}"
    )


def _collated(first, batch):
    if any(len(sample) != len(first) for sample in batch):
        raise RuntimeError("each element in list of batch should be of equal size")
    return _refilled(first, [default_collate(column) for column in zip(*batch, strict=True)])


def default_convert(data):
    """A sample without a batch: numpy's arrays become tensors on their bytes, wherever they are."""
    if isinstance(data, NUMBERS):
        array = np.asarray(data)
        return data if array.dtype.kind in "SUO" else as_tensor(array)
    if isinstance(data, Mapping):
        return _refilled(data, {key: default_convert(data[key]) for key in data})
    if isinstance(data, Sequence) and not isinstance(data, (str, bytes)):
        return _refilled(data, [default_convert(part) for part in data])
    return data


def _refilled(whole, parts):
    """What holds a sample, with other parts; a dict or a list where it can be neither copied nor
    made of them."""
    if isinstance(whole, tuple):
        return type(whole)(*parts) if hasattr(whole, "_fields") else parts
    try:
        if not isinstance(whole, (MutableMapping, MutableSequence)):
            return type(whole)(parts)
        new: Any = copy.copy(whole)
        if isinstance(new, MutableMapping):
            new.update(parts)
        else:
            for i, part in enumerate(parts):
                new[i] = part
        return new
    except TypeError:
        return parts


class DataLoader:
    """Goes through a data set in batches; shuffled anew each time, if it is to be."""

    _made = False

    def __init__(
        self, dataset, batch_size=1, shuffle=False, sampler=None, batch_sampler=None, num_workers=0,
        collate_fn=None, pin_memory=False, drop_last=False, timeout=0, worker_init_fn=None,
        multiprocessing_context=None, generator=None, *, prefetch_factor=None,
        persistent_workers=False, pin_memory_device="", in_order=True,
    ):  # fmt: skip
        context = multiprocessing_context
        check_workers(num_workers, timeout, prefetch_factor, persistent_workers, context)
        if isinstance(dataset, IterableDataset):
            check_unspecified(shuffle=shuffle, sampler=sampler, batch_sampler=batch_sampler)
        _check_loader(batch_size, shuffle, sampler, batch_sampler, drop_last)
        self.dataset, self.generator, self.drop_last = dataset, generator, drop_last
        self.num_workers, self.timeout, self.worker_init_fn = num_workers, timeout, worker_init_fn
        self.prefetch_factor, self.persistent_workers = prefetch_factor, persistent_workers
        self.pin_memory, self.pin_memory_device = pin_memory, pin_memory_device
        self.in_order = in_order
        self.batch_size = batch_size if batch_sampler is None else None
        self.sampler = self._in_turn(shuffle) if sampler is None else sampler
        if self.batch_size is not None:
            batch_sampler = BatchSampler(self.sampler, batch_size, drop_last)
        self.batch_sampler = batch_sampler
        self.collate_fn = collate_fn or (
            default_convert if batch_sampler is None else default_collate
        )
        self._made = True

    def __setattr__(self, name, value):
        if self._made and name in FIXED:
            kind = type(self).__name__
            raise ValueError(f"{name} attribute should not be set after {kind} is initialized")
        super().__setattr__(name, value)

    def _in_turn(self, shuffle):
        """The sampler where none is given."""
        if isinstance(self.dataset, IterableDataset):
            return _InfiniteConstantSampler()
        if shuffle:
            return RandomSampler(self.dataset, generator=self.generator)
        return SequentialSampler(self.dataset)

    def __iter__(self):
        if self.timeout:
            raise AssertionError("_SingleProcessDataLoaderIter requires timeout == 0")
        return _SingleProcessDataLoaderIter(self, self._samples())

    def _of_samples(self):
        """What says which samples come, or the data set that gives them itself; of each batch, if
        there are batches."""
        if not isinstance(self.dataset, IterableDataset):
            return self.sampler if self.batch_sampler is None else self.batch_sampler
        if self.batch_size is None:
            return self.dataset
        return BatchSampler(self.dataset, self.batch_size, self.drop_last)

    def _samples(self):
        itself = isinstance(self.dataset, IterableDataset)
        for i in self._of_samples():
            if self.batch_sampler is not None:
                yield self.collate_fn(samples(self.dataset, i))
            else:
                yield self.collate_fn(i if itself else self.dataset[i])

    def __len__(self):
        return len(self._of_samples())


class _InfiniteConstantSampler(Sampler):
    """Of a data set that says itself which samples come."""

    def __iter__(self):
        return itertools.repeat(None)


class _SingleProcessDataLoaderIter:
    """One way through a loader, which has a length, too."""

    def __init__(self, loader, samples):
        self._loader, self._samples = loader, samples

    def __iter__(self):
        return self

    def __next__(self):
        return next(self._samples)

    def __len__(self):
        return len(self._loader)


def _check_loader(batch_size, shuffle, sampler, batch_sampler, drop_last) -> None:
    if sampler is not None and shuffle:
        raise ValueError("sampler option is mutually exclusive with shuffle")
    if batch_sampler is not None:
        if batch_size != 1 or shuffle or sampler is not None or drop_last:
            raise ValueError(TWO_BATCHES)
    elif batch_size is None and drop_last:
        raise ValueError(NO_BATCHES)
