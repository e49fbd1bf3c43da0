"""Instructions that this process has run, by the processor's own counter, where Linux lends it.

Unlike time they hardly change with what else the machine does. The kernel's own are not counted.
"""

from __future__ import annotations

import ctypes
import os
import platform
import struct

CALLS = {"x86_64": 298, "aarch64": 241}  # perf_event_open, which the C library has no name for
INSTRUCTIONS = 0, 1  # PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS
SIZE, FLAGS = 112, 40  # of struct perf_event_attr; where its bits stand
INHERIT, NO_KERNEL, NO_HYPERVISOR = 1 << 1, 1 << 5, 1 << 6


class NotCounted(Exception):
    """The text says who refuses, as the end of a sentence."""


class Counter:
    """Counts from now on, in this thread and in those that it starts."""

    def __init__(self, event=INSTRUCTIONS):
        if platform.system() != "Linux" or platform.machine() not in CALLS:
            raise NotCounted(f"{platform.system()} {platform.machine()} has no counter for it")
        kind, config = event
        attributes = ctypes.create_string_buffer(SIZE)
        struct.pack_into("=IIQ", attributes, 0, kind, SIZE, config)
        struct.pack_into("=Q", attributes, FLAGS, INHERIT | NO_KERNEL | NO_HYPERVISOR)
        call = ctypes.CDLL(None, use_errno=True).syscall
        self.file = call(CALLS[platform.machine()], attributes, 0, -1, -1, 0)
        if self.file < 0:
            raise NotCounted(f"the kernel says: {os.strerror(ctypes.get_errno())}")

    def __call__(self) -> int:
        return int.from_bytes(os.read(self.file, 8), "little")


def counter():
    """A function that gives the count so far, or the sentence why there is none."""
    try:
        return Counter()
    except NotCounted as refusal:
        return str(refusal)
