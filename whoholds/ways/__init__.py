"""Ways out of an error or of growth, each of them tried before it is told."""

from whoholds.ways.out import Advice, ways_out
from whoholds.ways.reserve import Reserve, possible

__all__ = ["Advice", "Reserve", "possible", "ways_out"]
