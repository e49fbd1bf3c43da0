"""What a child tells comes whole, also while the warden reads."""

import os

import pytest

from course.sandbox.report import Report

COUNT = 60_000


@pytest.mark.parametrize("turn", range(6))
def test_what_is_read_while_it_is_written_is_whole(turn):
    report = Report()
    pid = os.fork()
    if not pid:
        tell = report.teller()
        for number in range(COUNT):
            tell({"step": number})
        os._exit(0)
    report.listen()
    found, ended = b"", False
    while not ended:
        ended = bool(os.waitpid(pid, os.WNOHANG)[0])
        try:
            os.read(report.bell, 1 << 16)
        except BlockingIOError:
            pass
        found += report.take()[0]
    report.close()
    assert found == b"".join(b'{"step": %d}\n' % number for number in range(COUNT))
