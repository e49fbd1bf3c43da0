"""nbval's kernels keep their sockets in a folder of their own and take it along."""

import os
from pathlib import Path
from subprocess import DEVNULL

import nbval.kernel
import pytest

from course.build import sockets


@pytest.mark.skipif(os.name != "posix", reason="this system has no sockets in folders")
def test_nbval_s_kernel_has_no_port_to_lose(monkeypatch):
    monkeypatch.setattr(nbval.kernel, "KernelManager", nbval.kernel.KernelManager)
    sockets.pytest_configure()
    name = nbval.kernel.CURRENT_ENV_KERNEL_NAME
    manager, client = nbval.kernel.start_new_kernel(kernel_name=name, stderr=DEVNULL)
    folder = Path(manager.ip).parent
    assert manager.transport == "ipc"
    assert sorted(manager.ports) == sorted(int(s.name.split("-")[1]) for s in folder.iterdir())
    manager.restart_kernel(now=True)
    client.wait_for_ready(timeout=60)  # the restarted one finds its folder
    client.stop_channels()
    manager.shutdown_kernel(now=True)
    assert not folder.exists()
