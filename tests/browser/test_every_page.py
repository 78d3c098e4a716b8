"""Every page once: hostile text in it stays text, nothing outside is asked for, and a picture is kept in build/screenshots/."""

import pytest
from playwright.sync_api import expect

from benchmarks.served import served
from pages.parts.frame import WITHOUT_PACKAGE
from pages.parts.state import PAGE_FILES
from scripts.screenshots import ARCHIVE, FOLDER, LOOKS, VIEWS, BlankError, clean, look_at, take
from tests.app_packages import hostile_recording
from tests.browser.conftest import Visitor

VIEW = {"formats": "-overlapping", "conflicts": "-overlapping"}
TAGS = "img[src*=outside], iframe[srcdoc], a[href*=outside], script:text('alert')"


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """A server of a hostile recording with a line of a megabyte, and an archive."""
    home = tmp_path_factory.mktemp("every")
    with served(home / "log", hostile_recording(home / "hostile.jsonl"), "--archive-dir", ARCHIVE) as (found, _):
        yield found


@pytest.fixture(scope="module")
def tab(browser):
    """One visitor for all pages, whose browser has loaded Streamlit's scripts before."""
    context = browser.new_context(viewport={"width": 1280, "height": 1000})
    yield Visitor(context.new_page())
    context.close()


@pytest.fixture
def guest(tab):
    """The same, checked after each page."""
    yield tab
    tab.check()
    tab.errors.clear()


@pytest.mark.parametrize("name", PAGE_FILES)
def test_a_hostile_recording_stays_text(address, guest, name):
    """A session with hostile text in every field and a line of a megabyte: characters, and nothing asked for or refused."""
    page = guest.open(f"{address}/{name}?package=hostile.jsonl&decision=2&other=video_start_overwritten")
    if name not in WITHOUT_PACKAGE:
        expect(page.get_by_text("<script>alert(1)</script>").first).to_be_attached(timeout=20_000)
    expect(page.locator("h2, h3").first).to_be_attached()
    assert page.locator(TAGS).count() == 0


@pytest.mark.parametrize("name", PAGE_FILES)
def test_its_picture_is_kept(address, guest, name):
    """Light, dark and wide: three pictures that are not blank, in the colours that the system asks for while it is open."""
    clean(FOLDER, name)
    page = guest.open(f"{address}/{name}?{VIEWS[VIEW.get(name, '-in-sight')]}")
    made = take(page, name, FOLDER, LOOKS[:3])
    expected = [f"{name}-light-1280.png", f"{name}-dark-1280.png", f"{name}-light-1920.png"]
    assert [each.name for each in made] == expected
    assert sorted(each.name for each in FOLDER.glob(f"{name}-*.png")) == sorted(expected)


def test_a_blank_picture_is_refused(visitor):
    """An empty page, and a light one where a dark one was asked for, are no pictures of a page."""
    page = visitor(viewport={"width": 1280, "height": 1000}).page
    page.set_content("<body style='background: #0f141b'>")
    with pytest.raises(BlankError, match=r"0\.00% drawn"):
        look_at(page.screenshot(), "dark", 1280)
    page.set_content("<body><pre>" + "a line of a page and its words " * 400)
    with pytest.raises(BlankError, match="expected a dark page"):
        look_at(page.screenshot(), "dark", 1280)
