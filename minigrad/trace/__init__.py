"""Traces: what happened to every byte, event by event."""

from minigrad.trace.events import CATEGORIES, Trace
from minigrad.trace.recorder import Recorder
from minigrad.trace.state import State, replay

__all__ = ["CATEGORIES", "Recorder", "State", "Trace", "replay"]
