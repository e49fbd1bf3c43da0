"""Which twin this machine has: the golden file only, or PyTorch beside it."""

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


def mode_line():
    reason = why_not_live()
    return f"twin: golden only ({reason})" if reason else f"twin: golden and torch {compared}"
