"""Addresses: a pasted link to each page of a fresh server, with every parameter that there is."""

from urllib.parse import parse_qsl, urlencode, urlsplit

from playwright.sync_api import expect

from pages.parts.addresses import PARAMETERS
from pages.parts.state import PAGE_FILES

HERE = {"package": "overlapping_reads", "decision": "9", "fragment": "f3", "mode": "changed", "formats": "v4,v6"}
HERE |= {"show": "repeated", "file": "1", "other": "tight_budget", "rows": "every", "from": "1", "policy": "overwrite"}
HERE |= {"budget": "6000", "text": "user", "unit": "chars", "views": "recorded", "sides": "v6,v5", "line": "1.79"}
HERE |= {"conflict": "1.169", "sort": "name", "order": "turned", "listed": "stalled", "span": "3-9"}
HERE |= {"part": "1", "other_part": "1"}
HEADS = {"overview": "Evidence matrix", "decisions": "Decision 9", "what_if": "What if"}


def test_a_pasted_link_with_every_parameter_restores_each_page(server, visitor):
    """A fresh server, a session for each page: the page is there, nothing is complained of, the address stands."""
    assert set(HERE) == set(PARAMETERS)
    address = server("--archive-dir", "tests/fixtures/readers")
    guest = visitor()
    for name in PAGE_FILES:
        page = guest.open(f"{address}/{name}?{urlencode(HERE)}")
        expect(page.get_by_role("heading", name=HEADS.get(name, name.capitalize()), exact=True).first).to_be_visible()
        where = urlsplit(page.url)
        assert (where.path, dict(parse_qsl(where.query))) == (f"/{name}", HERE)
        assert page.locator(".st-key-ii-said").count() == 0
        guest.check()
