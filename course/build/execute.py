"""A product runs in a kernel of this very Python, and keeps what two runs would share.

Seconds, widget state and machine paths are not stored; a cell that does not end as its source
says (`raises=`) is a failure with the source's line.
"""

import asyncio
import subprocess
from contextlib import asynccontextmanager
from tempfile import TemporaryDirectory

import nbformat
from ipykernel.kernelspec import get_kernel_dict
from jupyter_client.kernelspec import KernelSpec, KernelSpecManager
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

from .outputs import clean, message
from .sockets import address

SECONDS_PER_CELL = 120


class CellFailed(RuntimeError):
    """A cell did not do what its source says; the text is `file:line: one sentence`."""


class _ThisPython(KernelSpecManager):
    """A `python3` kernel of the learner's own must never run the build."""

    def get_kernel_spec(self, kernel_name):
        return KernelSpec(**get_kernel_dict())


class _Client(NotebookClient):
    """nbclient with a kernel that dies with its notebook, also when Ctrl-C meets it half started.

    nbclient's own set-up answers signals itself, one kernel at a time, and hands what it left
    behind to `atexit`, where nothing can end it any more.
    """

    @asynccontextmanager
    async def async_setup_kernel(self, **kwargs):
        with TemporaryDirectory(prefix="mg") as folder:
            kernel = self.km = AsyncKernelManager(
                kernel_spec_manager=_ThisPython(), **address(folder)
            )
            try:
                await self.async_start_new_kernel(**kwargs)
                await self.async_start_new_kernel_client()
                yield
            finally:
                if self.kc is not None:
                    self.kc.stop_channels()
                await kernel.shutdown_kernel(now=True)


async def execute(product, lesson, work):
    """Run the product's cells in order and store their outputs in its notebook."""
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    try:
        async with work.gate:
            await _client(product.notebook, work.project).async_execute(env=work.env, **quiet)
    except CellExecutionError:
        pass  # the cell's stored error says it, and `_ended` says it with the source's line
    except (CellTimeoutError, RuntimeError) as error:
        if (task := asyncio.current_task()) and task.cancelling():
            raise asyncio.CancelledError from None  # nbclient takes Ctrl-C for a dead kernel
        raise CellFailed(f"{_place(lesson, _running(product))}: {_stopped(error)}") from None
    for cell, origin in product.code():
        _ended(lesson, cell, origin)
        measured = "measured" in origin.keys
        cell.outputs = [] if measured else [nbformat.from_dict(o) for o in clean(cell.outputs)]


def _client(notebook, project):
    return _Client(
        notebook,
        timeout=SECONDS_PER_CELL,
        record_timing=False,
        store_widget_state=False,
        resources={"metadata": {"path": str(project.home)}},
    )


def _ended(lesson, cell, origin):
    error = next((o for o in cell.outputs if o.output_type == "error"), None)
    wanted, got = origin.keys.get("raises"), error and error.ename
    if wanted == got:
        return
    where = _place(lesson, origin)
    if not wanted:
        raise CellFailed(f"{where}: the cell ended in {message(error)}")
    how = f"it ended in {message(error)}" if error else "it ended without an error"
    raise CellFailed(f"{where}: the cell must end in {wanted}, but {how}")


def _running(product):
    """The first cell without a result: where the kernel stood when it stopped."""
    pairs = product.code()
    done = [i for i, (cell, _) in enumerate(pairs) if cell.get("execution_count")]
    return pairs[min(len(done), len(pairs) - 1)][1]


def _stopped(error):
    if isinstance(error, CellTimeoutError):
        return f"the cell ran longer than {SECONDS_PER_CELL} s; an endless loop?"
    if isinstance(error, DeadKernelError):
        return "the kernel died in this cell; does it exit or exhaust the memory?"
    return f"the kernel did not start: {error}"


def _place(lesson, cell):
    return f"{lesson.file}:{cell.line}"
