"""All runs on the PyTorch that is installed."""

from course.torch_runs import gelu_spacing, selective

RUNS = {"gelu_spacing": gelu_spacing, "selective": selective}


def everything():
    """What the record holds: torch's version without its build, and the lines of each run."""
    import torch.utils.checkpoint

    from course.twin.tracker import as_mg

    with as_mg() as mg:
        runs = {name: run.lines(mg) for name, run in RUNS.items()}
    return {"torch": torch.__version__.partition("+")[0], "runs": runs}
