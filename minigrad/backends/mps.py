"""torch.backends.mps: is there one of Apple's GPUs? minigrad uses none."""


def is_available() -> bool:
    return False


def is_built() -> bool:
    return False
