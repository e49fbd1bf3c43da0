"""Which twin this machine has: the golden file only, or PyTorch beside it."""

import importlib
import secrets

from tests.twin import golden, registry

compared = golden.VERSION  # the torch that is asked here; course/truth.py sets another


def why_not_live():
    """Why real PyTorch cannot be asked here, as a sentence; None when it can."""
    found = registry.torch_version()
    if found is None:
        return (
            f"torch is not installed, so only the recording of torch {golden.VERSION} is compared"
        )
    if found != compared:
        return f"torch {found} is installed, the recording is of {golden.VERSION}"
    return None


def drawing(parser, apart: int = 1) -> tuple:
    """(arguments, PyTorch) of a command that draws by chance: how much, and the seed of a run.

    Seeds that nobody names are so far `apart`.
    """
    parser.add_argument("count", type=int)
    parser.add_argument("--seed", type=int, default=secrets.randbelow(10**6) * apart)
    args = parser.parse_args()
    if reason := why_not_live():
        raise SystemExit(f"not run: {reason}")
    return args, importlib.import_module("torch")


def mode_line():
    reason = why_not_live()
    return f"twin: golden only ({reason})" if reason else f"twin: golden and torch {compared}"
