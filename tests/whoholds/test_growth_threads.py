"""`grows(step)` where other threads make what stays."""

import asyncio
import secrets
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest

import minigrad as mg
import whoholds

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

BOTH = pytest.mark.parametrize("engine", [mg, torch], ids=["minigrad", "torch"])


def in_a_pool(work):
    with ThreadPoolExecutor(2) as pool:
        pool.submit(work).result()


def in_a_thread(work):
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()


def in_a_thread_of_a_thread(work):
    in_a_thread(partial(in_a_thread, work))


def in_an_event_loop(work):
    async def main():
        await asyncio.to_thread(work)

    asyncio.run(main())


@pytest.mark.parametrize(
    "begin", [in_a_pool, in_a_thread, in_a_thread_of_a_thread, in_an_event_loop]
)
@BOTH
def test_what_another_thread_makes_is_told_with_its_line(engine, begin):
    rows, kept, weight = secrets.choice(range(2, 50)), [], engine.ones(4, requires_grad=True)

    def work():
        x = engine.ones(rows, 4)
        kept.append(x * 2)
        (x * weight).sum().backward()
        (x * weight).sum().backward()

    growth = whoholds.grows(partial(begin, work), engine=engine.__name__)
    line = work.__code__.co_firstlineno + 2
    place = f"made in test_growth_threads.py:{line}"
    assert str(growth).startswith(f"+{16 * rows} B a turn, held by ") and place in str(growth)
    assert len(growth.rows) == 1 and not growth.nodes
    assert weight.grad.tolist() == [2 * len(kept) * rows] * 4


def test_a_profile_that_threads_have_is_left_to_them():
    called = []

    def profile(frame, event, given):
        if event == "call":
            called.append(frame.f_code.co_name)

    def work():
        torch.ones(2)

    before = threading.getprofile()
    threading.setprofile(profile)
    try:
        whoholds.grows(partial(in_a_thread, work), engine="torch")
        assert threading.getprofile() is profile and called.count("work") == 4
    finally:
        threading.setprofile(before)


def test_a_thread_that_outlives_the_recording_computes_as_before():
    asked, told, results = threading.Event(), threading.Event(), []

    def work():
        results.append(torch.ones(3))
        told.set()
        asked.wait()
        results.append(torch.ones(3) + results[0])

    def begin():
        threads.append(threading.Thread(target=work))
        threads[0].start()
        told.wait()

    threads: list = []
    turns = iter([begin, *[lambda: None] * 9])
    whoholds.grows(lambda: next(turns)(), engine="torch")
    asked.set()
    threads[0].join()
    assert results[1].tolist() == [2.0] * 3
