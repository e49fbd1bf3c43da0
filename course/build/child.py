"""Cells run in a fresh process: the parent's side of `runner.py`."""

import asyncio
import json
import os
import signal
import subprocess
import sys

from .execute import SECONDS_PER_CELL, CellFailed

SECONDS = 4 * SECONDS_PER_CELL  # for all cells of a lesson, each of them twice


async def run_cells(where, sources, work, engine=None, facade=None):
    """The outputs of `sources` run in order in one new process; `where` names them in errors."""
    return await _run(where, work, {"sources": sources, "engine": engine, "facade": facade})


async def run_branches(where, sources, branches, work, engine=None, facade=None):
    """What each of `branches` gives when only `sources` ran before it; None if it ended early."""
    under = {"engine": engine, "facade": facade}
    if hasattr(os, "fork"):
        job = {"sources": sources, "branches": branches}
        return await _run(where, work, job | under)
    runs = [await run_cells(where, sources + branch, work, **under) for branch in branches]
    return [results[len(sources) :] for results in runs]


async def _run(where, work, job):
    job |= {"collector": work.collector}
    async with work.gate:
        status, out, err = await _talk(where, json.dumps(job), work)
    if status:
        last = (err.decode(errors="replace").strip().splitlines() or ["it died silently"])[-1]
        raise CellFailed(f"{where}: the process ended early: {last}")
    return json.loads(out)


async def _talk(where, job, work):
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "course.build.runner",
        cwd=work.project.home,
        env=work.env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,  # it may have copies of itself, which must end with it
    )
    try:
        talk = process.communicate(job.encode())
        out, err = await asyncio.wait_for(talk, SECONDS)
    except TimeoutError:
        raise CellFailed(f"{where}: longer than {SECONDS} s; an endless loop?") from None
    finally:
        if process.returncode is None:
            _end(process)
            await process.wait()
    return process.returncode, out, err


def _end(process):
    if hasattr(os, "killpg"):
        os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()
