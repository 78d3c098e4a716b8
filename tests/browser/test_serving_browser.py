"""What a real browser makes of the server's headers."""

import pytest
from playwright.sync_api import expect

OUTSIDE = "http://outside.example/"


def violations(page):
    """Notes what the browser refuses because of the policy."""
    noted = []
    page.on(
        "console", lambda message: noted.append(message.text) if "Content Security Policy" in message.text else None
    )
    return noted


def test_the_browser_asks_no_other_host_whatever_a_page_is_made_to_do(app, visitor):
    """Were a text ever taken for markup: no image, no frame, no fetch, no form and no inline script of it would work."""
    one = visitor(apart=True)
    page = one.open(app)
    reached = []
    page.context.route(OUTSIDE + "**", lambda route: (reached.append(route.request.url), route.abort()))
    one.outside = []  # what is tried on purpose is judged by what was reached
    page.evaluate(
        """async (outside) => {
            const make = (tag, values) => document.body.append(Object.assign(document.createElement(tag), values));
            make('img', {src: outside + 'image'});
            make('iframe', {src: outside + 'frame'});
            make('iframe', {srcdoc: '<script>parent.ran = 1</script>'});
            make('script', {src: outside + 'script'});
            make('script', {textContent: 'window.ran = 2'});
            make('link', {rel: 'stylesheet', href: outside + 'style'});
            make('div', {innerHTML: '<img src=x onerror="window.ran = 3">'});
            make('form', {action: outside + 'form', method: 'post'});
            document.forms[document.forms.length - 1].submit();
            await fetch(outside + 'fetch').catch(() => 0);
            try { new WebSocket('ws://outside.example/socket') } catch { }
            try { navigator.sendBeacon(outside + 'beacon') } catch { }
            await new Promise(done => setTimeout(done, 500));
        }""",
        OUTSIDE,
    )
    assert reached == []
    assert page.evaluate("window.ran") is None
    assert one.errors
    one.outside, one.errors = [], []  # each refusal stands in the console


def test_the_app_cannot_be_framed(app, visitor):
    """No page, not even one of its own address, can lay the app under itself (clickjacking)."""
    one = visitor()
    refused = violations(one.page)
    frame = f"<iframe src='{app}/decisions'></iframe>"
    one.page.route(f"{app}/framing", lambda route: route.fulfill(content_type="text/html", body=frame))
    one.page.goto(f"{app}/framing")
    one.page.wait_for_timeout(1000)
    assert any("frame-ancestors" in text for text in refused)
    assert one.page.frames[1].locator("[data-testid=stApp]").count() == 0
    one.errors = []  # the refusal


@pytest.mark.parametrize("prefix", ["", "inspector"])
def test_a_pasted_link_asks_for_nothing_that_is_not_there(server, visitor, prefix):
    """A page's address is answered without one 404 on the way, at the root and below a prefix; the menu stays below it."""
    flags = ("--server.baseUrlPath", prefix) if prefix else ()
    address = server(flags=flags, base=prefix)
    one = visitor()
    answers = []
    one.page.on("response", lambda answer: answers.append((answer.status, answer.url)))
    page = one.open(f"{address}/evidence?package=tight_budget&fragment=f2")
    expect(page.get_by_role("heading", name="Evidence", exact=True)).to_be_visible()
    page.locator("a", has=page.get_by_text("Share", exact=True)).first.click()
    expect(page).to_have_url(f"{address}/share?package=tight_budget&decision=1&fragment=f2")
    assert [each for each in answers if each[0] >= 400] == []
    assert f"{address}/_stcore/health" in [url for _, url in answers]
