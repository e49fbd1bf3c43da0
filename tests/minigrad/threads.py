"""Run the same work in several threads at once."""

import threading


def in_threads(n, work):
    """What work() returned, or raised, in each of n threads that start together."""
    results = [None] * n
    gate = threading.Barrier(n)

    def run(i):
        gate.wait()
        try:
            results[i] = work()
        except BaseException as error:
            results[i] = error

    threads = [threading.Thread(target=run, args=(i,)) for i in range(n)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results
