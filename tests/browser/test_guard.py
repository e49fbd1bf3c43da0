"""The other tests of pages see what a page asks of other machines, and let none of it out."""

import pytest

ASKS = {
    "picture": "new Image().src = '{0}/a.png'",
    "fetch": "fetch('{0}/a.json').catch(() => 0)",
    "style": "document.head.innerHTML = '<link rel=stylesheet href={0}/a.css>'",
}
ELSEWHERE = "http://192.0.2.1", "https://example.com"  # of no machine: RFC 5737 and 2606


@pytest.mark.parametrize("address", ELSEWHERE)
@pytest.mark.parametrize("way", ASKS)
def test_what_is_asked_of_another_machine_is_seen_and_fails_at_once(visit, way, address):
    page = visit.page
    page.goto("data:text/html,<title>a page</title>")
    with page.expect_event("requestfailed") as failed:
        page.evaluate(ASKS[way].format(address))
    assert failed.value.failure == "net::ERR_NAME_NOT_RESOLVED"
    assert len(visit.external) == 1 and visit.external[0].startswith(address)
