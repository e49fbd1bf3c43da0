"""Data that is held small: of a class of a thousand all is held at once, and little is looked at.

Knows plain data, as JSON has it, and nothing of what it is about.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from sys import intern
from typing import Any


def pack(value: Any) -> bytes:
    return _held(zlib.compress(json.dumps(value, separators=(",", ":")).encode()))


def unpack(data: bytes) -> Any:
    return json.loads(zlib.decompress(data))


@lru_cache(maxsize=4096)
def _held(data: bytes) -> bytes:
    """Of what many have in common, one is kept."""
    return data


class Packed(Mapping[str, Any]):
    """Values that are packed each for itself, and made anew whenever one is asked for."""

    def __init__(self, values: Mapping[str, Any]):
        self._values = {intern(key): pack(value) for key, value in values.items()}

    def __getitem__(self, key: str) -> Any:
        return unpack(self._values[key])

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def only(self, keys: Iterable[str]) -> Packed:
        """The values of those of these keys that it has, as they are packed here."""
        wanted, kept = set(keys), Packed({})
        if wanted >= self._values.keys():
            return self
        kept._values = {key: data for key, data in self._values.items() if key in wanted}
        return kept
