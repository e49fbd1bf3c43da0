"""What PyTorch's own allocator hands out and takes back, as its profiler sees it."""

import torch


def allocations(run) -> list:
    """The bytes of each allocation while run() runs, in their order; negative where it ends."""
    cpu = [torch.profiler.ProfilerActivity.CPU]
    with torch.profiler.profile(activities=cpu, profile_memory=True) as profile:
        run()
    events = [e for e in profile.profiler.kineto_results.events() if e.name() == "[memory]"]
    return [event.nbytes() for event in sorted(events, key=lambda e: e.start_ns())]
