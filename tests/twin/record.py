"""Record golden.json anew from PyTorch: `python -m tests.twin.record`."""

import sys

from tests.twin import golden, registry


def record():
    """Run every case on torch; return an exit code."""
    found = registry.torch_version()
    if found != golden.VERSION:
        have = f"torch {found} is installed" if found else "torch is not installed"
        print(
            f"The golden file is recorded from torch {golden.VERSION}, but {have}: "
            f"pip install torch=={golden.VERSION}",
            file=sys.stderr,
        )
        return 2
    cases = registry.all_cases()
    with registry.engine("torch") as mg:
        entries = {name: registry.run_case(function, mg) for name, (_, function) in cases.items()}
    for name in entries:
        if entries[name] and entries[name][-1][0] == "the case ended in":
            print(f"note: {name} ended in {entries[name][-1][1]}", file=sys.stderr)
    golden.save(entries)
    print(f"{len(entries)} cases recorded in {golden.PATH.name}")
    return 0


if __name__ == "__main__":
    raise SystemExit(record())
