"""Share by a person's path: what is downloaded is opened without a network, and asks for nothing."""

import pytest
from playwright.sync_api import expect

from core.package import PackageWriter
from tests.app_packages import HOSTILE

KEY = "sk-ant-0123456789abcdefghijkl"
OTHER_KEY = "ghp_0123456789abcdefghijklmnopqrstuvwxyz"
TAGS = "img[src*=outside], iframe, a[href*=outside], script:text('alert')"


@pytest.fixture
def with_keys(tmp_path):
    """A package whose prompt holds two keys."""
    with PackageWriter(tmp_path / "keys.zip", title="With two keys", zip=True, sync=False) as package:
        text = f"use {KEY} here and {OTHER_KEY} there"
        package.append_decision([{"role": "user", "text": text}], reply={"text": "ok"}, outcome={"kind": "continued"})
    return tmp_path / "keys.zip"


def downloaded(page, button, path):
    """Click a download button; gives the file."""
    with page.expect_download() as waiting:
        page.get_by_role("button", name=button).click()
    waiting.value.save_as(path)
    return path


def opened_offline(visitor, path):
    """The report in a browser without a network; it asked for nothing but itself."""
    reader = visitor(offline=True)
    asked = []
    reader.page.on("request", lambda request: asked.append(request.url))
    reader.page.goto(path.as_uri())
    reader.page.wait_for_load_state("networkidle")
    assert asked == [path.as_uri()]
    reader.outside = []
    return reader.page


def test_a_report_is_masked_downloaded_and_read_offline(app, visitor, with_keys, tmp_path):
    """Two keys are listed; one is left as it is; the structural report holds no text, the full one the key that was left."""
    guest = visitor()
    page = guest.open(app)
    page.locator("[data-testid=stFileUploader] input").set_input_files(with_keys)
    expect(page.get_by_role("heading", name="With two keys").first).to_be_visible()
    page.locator("a", has=page.get_by_text("Share", exact=True)).first.click()
    expect(page.get_by_text("2 texts that may be secret.")).to_be_visible()
    expect(page.get_by_role("cell", name="sk-a…")).to_be_visible()
    expect(page.get_by_text(KEY)).to_have_count(0)
    structural = opened_offline(visitor, downloaded(page, "Structural report (HTML)", tmp_path / "structural.html"))
    expect(structural.locator("body")).to_contain_text("No stall at decision 1")
    for text in (KEY, OTHER_KEY, "With two keys", "here and"):
        assert text not in structural.content()
    masked = opened_offline(visitor, downloaded(page, "Full report (HTML)", tmp_path / "masked.html"))
    expect(masked.get_by_role("heading", name="With two keys")).to_be_visible()
    assert KEY not in masked.content()
    assert OTHER_KEY not in masked.content()
    named = page.get_by_role("row").filter(has_text="sk-a…").get_by_role("cell").nth(4).inner_text()
    page.get_by_role("combobox").click()
    page.get_by_role("option").filter(has_text=named).click()
    page.keyboard.press("Escape")
    guest.settle()
    full = opened_offline(visitor, downloaded(page, "Full report (HTML)", tmp_path / "full.html"))
    assert KEY in full.content()
    assert OTHER_KEY not in full.content()


def test_reports_of_a_hostile_package_are_text(library, visitor, tmp_path):
    """Hostile text in every field: characters in the full report, nothing of it in the structural one, nothing asked for."""
    page = visitor().open(f"{library}/share?package=hostile")
    full = opened_offline(visitor, downloaded(page, "Full report (HTML)", tmp_path / "full.html"))
    expect(full.get_by_text("<script>alert(1)</script>").first).to_be_attached()
    structural = opened_offline(visitor, downloaded(page, "Structural report (HTML)", tmp_path / "structural.html"))
    assert "alert" not in structural.locator("body").inner_text()
    for report in (full, structural):
        assert report.locator(TAGS).count() == 0
    assert HOSTILE[:25] == "<script>alert(1)</script>"
