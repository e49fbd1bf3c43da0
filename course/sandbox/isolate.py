"""A world of its own for a warden: a root that holds Python, the engine and the course, no more.

Namespaces without any privilege (users, mounts, processes, network, shared memory). Nothing in the
new root can be written but a small /scratch, to which /tmp leads; the answers, the lessons, other
people's work and the network are not there. All capabilities are dropped before a learner's code
runs.
"""

import ctypes
import os
import signal
import sys
from functools import cache
from pathlib import Path

from course.sandbox import links, seccomp, watch

HOME = "/scratch"
SYSTEM = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store"]
SYSTEM += ["/etc/ld.so.cache", "/etc/localtime"]
DEVICES = ["null", "zero", "full", "random", "urandom"]
ROOT = Path(__file__).resolve().parents[2]

MOUNTS, IPC, USERS, PROCESSES, NETWORK = 1 << 17, 1 << 27, 1 << 28, 1 << 29, 1 << 30
READ_ONLY, NO_SUID, NO_DEVICES, NO_PROGRAMS, BIND, RECURSIVE = 1, 2, 4, 8, 4096, 16384
PRIVATE = 1 << 18
BARE = NO_SUID | NO_DEVICES
DETACH = 2
MOUNT_SETATTR, ALL_BELOW, HERE = 442, 0x8000, -100  # the call has one number everywhere
DROP_BOUND, NO_NEW_PRIVILEGES, AMBIENT, CLEAR_ALL, VERSION_3 = 24, 38, 47, 4, 0x20080522

_libc = ctypes.CDLL(None, use_errno=True)


def leave(alive):
    """Go on in new namespaces, as the first process there, which is root of nothing else.

    It is a fork of this process, which waits for its end, has no other life, and holds `alive`.
    """
    user, group = os.geteuid(), os.getegid()
    _check(_libc.unshare(USERS | MOUNTS | PROCESSES | NETWORK | IPC), "unshare")
    Path("/proc/self/setgroups").write_text("deny")  # without it no group may be mapped
    Path("/proc/self/uid_map").write_text(f"0 {user} 1")
    Path("/proc/self/gid_map").write_text(f"0 {group} 1")
    _mount("none", "/", None, PRIVATE | RECURSIVE)
    first = os.fork()
    if first:
        os.closerange(0, 3)  # who waits for the answers shall see them end
        os._exit(os.waitstatus_to_exitcode(os.waitpid(first, 0)[1]) & 0xFF)
    os.close(alive)
    watch.prctl(watch.DEATH_SIGNAL, signal.SIGKILL)


def enter(stage, hide):
    """Leave the old root for a new one, built at the folder `stage`, and drop all privileges.

    What must be imported from elsewhere has been imported by now.
    """
    _mount("tmpfs", stage, "tmpfs", BARE, "size=1m,mode=755")
    _show(stage, [*SYSTEM, *python()])
    _hide(stage, [str(ROOT)])  # where it lies below Python
    ours = [str(ROOT / package) for package in ("minigrad", "whoholds", "course")]
    ours += [path for path in python() if Path(path).is_relative_to(ROOT)]
    _show(stage, ours, again=True)
    below = [path for path in hide if not any(Path(one).is_relative_to(path) for one in ours)]
    _hide(stage, [str(ROOT / "course/cases/expected"), *below])
    _devices(stage)
    _forbid_namespaces(stage)
    _freeze(stage)
    _mount("tmpfs", stage + HOME, "tmpfs", BARE, "size=64m,nr_inodes=20k,mode=700")
    _pivot(stage)
    _drop()


@cache
def python():
    """The folders of this Python and of its packages; of the checkout, only if Python is in it.

    To find them takes some milliseconds, once.
    """
    paths = {sys.prefix, sys.base_prefix, sys.exec_prefix}
    paths |= {path for path in sys.path if not Path(path).is_relative_to(ROOT)}
    paths |= {os.path.realpath(path) for path in paths}
    paths |= set().union(*(links.targets(path) for path in sys.path if os.path.isdir(path)))
    known = sorted(path for path in paths if os.path.isabs(path) and os.path.exists(path))
    return [path for path in known if not ROOT.is_relative_to(path)]


def _show(stage, paths, again=False):
    """Let these appear in the new root; a link stays a link."""
    for path in sorted(set(paths)):
        target = stage + path
        if not os.path.exists(path) or (os.path.lexists(target) and not again):
            continue
        os.makedirs(os.path.dirname(target), exist_ok=True)
        if os.path.islink(path) and os.path.isdir(path):
            os.symlink(os.readlink(path), target)
        else:
            _bind(path, target)


def _bind(path, target):
    if os.path.isdir(path):
        os.makedirs(target, exist_ok=True)
    else:
        Path(target).touch()
    _mount(path, target, None, BIND | RECURSIVE)


def _hide(stage, paths):
    """Put an empty folder over each of these that the new root would show."""
    for path in paths:
        if os.path.isdir(stage + path):
            _mount("tmpfs", stage + path, "tmpfs", BARE, "size=1m,mode=755")


def _devices(stage):
    for folder in (HOME, "/proc", "/dev"):
        os.mkdir(stage + folder)
    for folder in ("/tmp", "/dev/shm"):
        if not os.path.exists(stage + folder):  # or Python or the checkout lies there
            os.symlink(HOME, stage + folder)
    _mount("proc", f"{stage}/proc", "proc", BARE | NO_PROGRAMS)
    for name in DEVICES:
        _bind(f"/dev/{name}", f"{stage}/dev/{name}")
    os.symlink("/proc/self/fd", f"{stage}/dev/fd")


def _forbid_namespaces(stage):
    """In one of its own a learner's code would have privileges, and memory that nobody counts."""
    Path(f"{stage}/proc/sys/user/max_user_namespaces").write_text("0")


def _freeze(stage):
    """Make everything in the new root read-only, /proc too: its owner could set the kernel's."""
    attributes = (ctypes.c_uint64 * 4)(READ_ONLY | NO_SUID, 0, 0, 0)
    size = ctypes.c_size_t(ctypes.sizeof(attributes))
    _check(
        _libc.syscall(MOUNT_SETATTR, HERE, stage.encode(), ALL_BELOW, attributes, size), "freeze"
    )


def _pivot(stage):
    os.chdir(stage)
    _check(_libc.pivot_root(b".", b"."), "pivot_root")
    _check(_libc.umount2(b".", DETACH), "umount")
    os.chdir("/")


def _drop():
    """No capability now, none at a later exec."""
    number = 0
    while _libc.prctl(DROP_BOUND, number, 0, 0, 0) == 0:
        number += 1
    _libc.prctl(AMBIENT, CLEAR_ALL, 0, 0, 0)
    _check(_libc.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0), "no_new_privs")
    header, none = (ctypes.c_uint32 * 2)(VERSION_3, 0), (ctypes.c_uint32 * 6)()
    _check(_libc.capset(header, none), "capset")
    seccomp.forbid(_libc)


def _mount(source, target, kind, flags, data=""):
    call = source.encode(), target.encode(), kind and kind.encode(), flags, data.encode()
    _check(_libc.mount(*call), f"mount {target}")


def _check(result, what):
    if result:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
