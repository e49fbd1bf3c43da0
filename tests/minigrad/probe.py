"""Some hundred facts about bytes, versions and freeing, in a third of a second.

`python tests/minigrad/probe.py [folder of the engine]`: test_mutations.py runs it against engines
with one line broken, so it looks at what such a line would change: who is alive, how many bytes,
which error. By hand it proves the engine as it is, and with `-v` it shows a traceback.
"""

import sys

import probe_attention
import probe_built
import probe_bytes
import probe_gradients
import probe_hooks
import probe_named
import probe_owners
import probe_peaks
import probe_posted
import probe_rebased
import probe_second
import probe_told
import probe_views
import probe_writes
from probing import equal, live, unraisable

PARTS = (
    probe_bytes, probe_writes, probe_gradients, probe_hooks, probe_owners, probe_told, probe_built,
    probe_named, probe_views, probe_second, probe_rebased, probe_peaks,
    probe_attention, probe_posted,
)  # fmt: skip


def probes(parts) -> list:
    """(name, function) of every check."""
    named = [pair for part in parts for pair in vars(part).items()]
    return [(name, value) for name, value in named if name.startswith("check_")]


def main(parts=PARTS):
    for name, check in probes(parts):
        try:
            check()
            equal((live(), unraisable), (0, []))
        except BaseException as error:
            print(f"{name}: {type(error).__name__}: {error}")
            if "-v" in sys.argv:
                raise
            raise SystemExit(1) from None


if __name__ == "__main__":
    main()
