"""Kernels with sockets of their own, in a folder of their own, for the build and for nbval.

A free TCP port may be taken by another program before the kernel binds it: of some hundred
kernels that start beside each other, one dies or never answers.

    pytest --nbval -p course.build.sockets notebooks
"""

import os
from tempfile import TemporaryDirectory

from jupyter_client.manager import KernelManager


def address(folder) -> dict:
    """What a kernel manager needs to keep its kernel's sockets in `folder`."""
    if os.name != "posix":
        return {}
    return {"transport": "ipc", "ip": os.path.join(folder, "kernel")}


class OwnSockets(KernelManager):
    """A kernel manager whose kernel takes its folder along when it ends."""

    def __init__(self, **traits):
        self._folder = TemporaryDirectory(prefix="mg")
        super().__init__(**address(self._folder.name), **traits)

    def shutdown_kernel(self, now=False, restart=False):
        super().shutdown_kernel(now, restart)
        if not restart:
            self._folder.cleanup()


def pytest_configure():
    """nbval has no setting for this: its name for a kernel manager leads here instead."""
    import nbval.kernel

    nbval.kernel.KernelManager = OwnSockets
