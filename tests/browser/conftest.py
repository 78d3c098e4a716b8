"""A real server and a real Chromium for the tests in this folder."""

import os
import sys
import time
from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

from benchmarks.machine import chromium
from benchmarks.served import served
from scripts.screenshots import FAILED, settle
from tests.app_packages import hostile, large_prompt, many_decisions

BEGIN = """import sys
from streamlit.web.cli import main
sys.argv = ["streamlit", "run", "app.py", "--server.port", sys.argv[2], "--", *sys.argv[3:]]
"""


def pytest_collection_modifyitems(items):
    for item in items:
        if Path(__file__).parent in Path(item.fspath).parents:
            item.add_marker(pytest.mark.browser)


def until(holds, seconds=20):
    """Wait for something that no page shows."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it did not come about"
        time.sleep(0.02)


@pytest.fixture(scope="session")
def browser():
    """One headless browser. Without one the tests are skipped, except in CI: there it is a failure."""
    path = chromium()
    if path is None:
        if os.environ.get("CI"):
            pytest.fail("CI needs a Chromium for the browser tests")
        pytest.skip("no Chromium on this machine")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture
def server(tmp_path):
    """Start servers: `server(PATH, ..., flags=, base=)` gives the address of a fresh one. They outlive the test's visitors.

    `code` runs before the app, in its process; it may change `sys.argv`.
    """

    def start(*arguments, code=None, **options):
        if code is not None:
            options["command"] = (sys.executable, "-c", f"{BEGIN}{code}\nmain()")
        return stack.enter_context(served(tmp_path / "server.log", *arguments, **options))[0]

    with ExitStack() as stack:
        yield start


@pytest.fixture(scope="session")
def app(tmp_path_factory):
    """The address of one server for all tests that do not need a fresh one."""
    with served(tmp_path_factory.mktemp("server") / "log") as (address, _):
        yield address


@pytest.fixture(scope="session")
def library(tmp_path_factory):
    """The address of one server that was given `many`, `hostile` and `large` packages."""
    folder = tmp_path_factory.mktemp("library")
    paths = [many_decisions(folder / "many"), hostile(folder / "hostile"), large_prompt(folder / "large")]
    with served(folder / "log", *paths) as (address, _):
        yield address


LAPTOP = {"viewport": {"width": 1280, "height": 900}}


class Visitor:
    """One page of one visitor, which notes what it must never see: errors (in the console, too), dialogs, requests to other hosts."""

    def __init__(self, page):
        self.page = page
        self.errors, self.dialogs, self.outside = [], [], []
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("console", self._console)
        page.on("dialog", self._dialog)
        page.on("request", self._request)

    def _console(self, message):
        if message.type == "error":
            self.errors.append(f"{message.text} {message.location.get('url', '')}")

    def _dialog(self, dialog):
        self.dialogs.append(dialog.message)
        dialog.dismiss()

    def _request(self, request):
        if not request.url.startswith(("http://127.0.0.1:", "data:", "blob:")):
            self.outside.append(request.url)

    def open(self, url):
        self.page.goto(url)
        self.settle()
        return self.page

    def settle(self):
        settle(self.page)

    def check(self):
        if not self.page.is_closed() and self.page.locator(FAILED).count():
            self.errors.append("the page broke")
        assert (self.errors, self.dialogs, self.outside) == ([], [], [])


@pytest.fixture(scope="session")
def visited(browser):
    """A browser context that has loaded Streamlit's scripts before: a cold one costs a second of processor time."""
    context = browser.new_context(**LAPTOP)
    yield context
    context.close()


@pytest.fixture
def visitor(browser, visited):
    """Make visitors: `visitor(color_scheme="dark")`. Each is checked at the end of the test.

    One with options of its own, or `apart`, has a browser of its own, too; the others are tabs of one, each with a session.
    """
    contexts, made = [], []

    def make(*, apart=False, **options):
        if apart or options:
            contexts.append(browser.new_context(**LAPTOP | options))
        made.append(Visitor((contexts[-1] if apart or options else visited).new_page()))
        return made[-1]

    yield make
    try:
        for each in made:
            each.check()
    finally:
        for each in made:
            each.page.close()
        for context in contexts:
            context.close()
