"""Calls of the kernel that an isolated learner's code does not have: memory that nobody counts.

What is watched is the memory of processes. A memory file, and shared memory or semaphores of
System V, belong to none and outlive it, keys outlive even the room. Such a call fails with ENOSYS,
as on a kernel without it.
"""

import ctypes
import errno
import platform
import struct

NUMBERS = {  # machine: (its name in the kernel, memfd_create, memfd_secret, shmget, semget, msgget,
    # add_key, request_key, keyctl, userfaultfd, io_uring_setup, bpf, perf_event_open)
    "x86_64": (0xC000003E, 319, 447, 29, 64, 68, 248, 249, 250, 323, 425, 321, 298),
    "aarch64": (0xC00000B7, 279, 447, 194, 190, 186, 217, 218, 219, 282, 425, 280, 241),
}
OTHER_ABI = 0x40000000  # of x86_64: the same calls under other numbers
SECCOMP, FILTER = 22, 2  # prctl(2)
LOAD, EQUAL, AT_LEAST, RETURN = 0x20, 0x15, 0x35, 0x06
NUMBER, MACHINE = 0, 4  # where they are in what a filter reads
ALLOW, REFUSE = 0x7FFF0000, 0x00050000 | errno.ENOSYS


class _Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("rows", ctypes.c_char_p)]


def forbid(libc):
    """Refuse these calls to this process and its children for ever; it has no_new_privs."""
    machine = platform.machine()
    if machine not in NUMBERS:
        raise OSError(errno.ENOSYS, f"calls of the kernel are not known on {machine}")
    rows = b"".join(_rows(*NUMBERS[machine]))
    program = _Program(len(rows) // 8, rows)
    if libc.prctl(SECCOMP, FILTER, ctypes.byref(program), 0, 0):
        raise OSError(ctypes.get_errno(), "seccomp")


def _rows(machine, *calls):
    """A filter: another machine's calls and these are refused, all others allowed."""
    yield _row(LOAD, MACHINE)
    yield _row(EQUAL, machine, 0, len(calls) + 3)
    yield _row(LOAD, NUMBER)
    yield _row(AT_LEAST, OTHER_ABI, len(calls) + 1)
    for at, call in enumerate(calls):
        yield _row(EQUAL, call, len(calls) - at)
    yield _row(RETURN, ALLOW)
    yield _row(RETURN, REFUSE)


def _row(code, value, then=0, otherwise=0):
    return struct.pack("=HBBI", code, then, otherwise, value)
