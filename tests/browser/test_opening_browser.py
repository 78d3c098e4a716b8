"""Opening things by a person's path: an upload without an ending, parts, the archive, a file that grows."""

import json
import re
import shutil

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import until
from tests.readers_help import FIXTURES
from tests.test_app_opening import append, claude_call
from tests.test_catalogue import folder_of

expect.set_options(timeout=20_000)

HOSTILE_NAME = "<img src=http:outside.example onerror=alert(1)> ![x](http:outside.example) $a$.traj"


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    """A folder of recordings, one of them under a hostile name."""
    folder = folder_of(tmp_path_factory.mktemp("archive"))
    shutil.copy(FIXTURES / "swe-progress.traj", folder / HOSTILE_NAME)
    return folder


def upload(guest, path):
    """Choose a file in the sidebar's upload field."""
    guest.page.locator("[data-testid=stFileUploader] input").set_input_files(path)
    expect(guest.page).to_have_url(re.compile("package=upload-"), timeout=20_000)
    guest.settle()


def test_a_session_without_an_ending_is_uploaded_and_read(app, visitor, tmp_path):
    """Upload a Claude Code session named `unknown`: its verdict, its two investigations, and the first decision of the second."""
    file = shutil.copy(FIXTURES / "claude-code.jsonl", tmp_path / "unknown")
    guest = visitor()
    page = guest.open(f"{app}/decisions")
    upload(guest, file)
    expect(page.locator(".verdict")).to_contain_text("No stall: the run ended at decision 7; 2 repeated lookups")
    expect(page.get_by_text("2 investigations in this file", exact=False).first).to_be_visible()
    sidebar = page.locator("[data-testid=stSidebar]")
    sidebar.locator("a", has_text="Do the bells slow it?").click()
    expect(page.locator(".verdict")).to_contain_text("the run ended at decision 2, and no lookup was repeated")
    expect(page).to_have_url(re.compile("part=2"))
    page.reload()
    guest.settle()
    expect(page.get_by_text("uploads belong to the session that made them")).to_be_visible()


def test_two_sessions_in_one_file_are_switched_by_link_and_back(server, visitor):
    """The part is in the address: a link of the overview's table opens it, Back returns, a pasted address shows it."""
    guest = visitor()
    address = server(FIXTURES / "claude-code.jsonl")
    page = guest.open(f"{address}/overview")
    page.locator("td a", has_text="Do the bells slow it?").click()
    expect(page.locator(".verdict")).to_contain_text("ended at decision 2")
    expect(page).to_have_url(re.compile("part=2"))
    guest.settle()
    page.wait_for_timeout(400)
    page.go_back()
    expect(page.locator(".verdict")).to_contain_text("ended at decision 7")
    page = guest.open(f"{address}/decisions?package=claude-code.jsonl&part=2")
    expect(page.locator(".scroller")).to_contain_text("Do the bells slow it?")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_archive_lists_the_stalled_first_and_a_click_opens_one(server, visitor, archive, scheme):
    """Rows appear as files are read; the stalled run stands first; a click shows its verdict; a hostile name is text."""
    guest = visitor(color_scheme=scheme)
    page = guest.open(f"{server('--archive-dir', archive)}/overview")
    page.locator("a", has_text="Archive").first.click()
    expect(page.get_by_text("hold no recording that can be read")).to_be_visible(timeout=60_000)
    expect(page.get_by_role("button", name="Stop")).to_have_count(0)
    rows = page.locator("tbody tr", has=page.locator("td a"))
    expect(rows).to_have_count(4)
    expect(rows.first).to_contain_text("stalled")
    expect(rows.first).to_contain_text("unknown")
    expect(page.locator("td a", has_text=HOSTILE_NAME)).to_be_visible()
    expect(page.get_by_role("heading", name="1 file could not be read")).to_be_visible()
    expect(page.get_by_text("3 recordings (4 investigations), 1 stalled; 2 files hold none")).to_be_visible()
    expect(page.locator("[data-testid=stSidebar]")).to_contain_text("3 recordings; 2 files hold none")
    page.locator("th a", has_text="calls").click()
    expect(page).to_have_url(re.compile("sort=calls"))
    expect(rows.first).to_contain_text("onerror=alert(1)")
    page.get_by_placeholder("filter by name").fill("ONERROR")
    page.keyboard.press("Enter")
    expect(rows).to_have_count(1)
    rows.first.locator("td a").click()
    expect(page.locator(".facts")).to_contain_text("15")
    guest.settle()
    expect(page).to_have_url(re.compile("package=img-src"))
    guest.check()


def test_a_run_that_is_being_recorded_is_followed(server, visitor, tmp_path):
    """The open page notices by itself that the file grew; a reload of the same address shows the new decision."""
    live = shutil.copy(FIXTURES / "claude-code.jsonl", tmp_path / "live")
    guest = visitor()
    page = guest.open(f"{server(live)}/decisions?package=live&decision=7")
    expect(page.locator(".scroller")).to_contain_text("message")
    append(live, claude_call(1))
    expect(page.get_by_text("This file grew since you opened it")).to_be_visible(timeout=20_000)
    page.reload()
    guest.settle()
    expect(page.get_by_text("1 of 7")).to_have_count(0)
    expect(page.locator("[data-testid=stSidebar]")).to_contain_text("8 decisions")
    page.wait_for_url(lambda address: "package=live&part=1&decision=7" in address)
    append(live, claude_call(2))
    page.get_by_role("button", name="Show what is new").click(timeout=20_000)
    expect(page.locator("[data-testid=stSidebar]")).to_contain_text("9 decisions")
    live.unlink()
    page.reload()
    guest.settle()
    expect(page.get_by_text("This package cannot be opened.")).to_be_visible()


def test_what_is_nothing_is_said_with_what_was_looked_for(app, visitor, tmp_path):
    """On a laptop the field is in sight, and so is the message that names the kinds; the package in hand stays."""
    (tmp_path / "<b>picture<b>.png").write_bytes(b"\x89PNG\r\n\x1a\n" + json.dumps({}).encode())
    guest = visitor()
    page = guest.open(app)
    page.set_viewport_size({"width": 1280, "height": 720})
    expect(page.locator("[data-testid=stFileUploaderDropzone]")).to_be_in_viewport()
    page.locator("[data-testid=stFileUploader] input").set_input_files(tmp_path / "<b>picture<b>.png")
    expect(page.get_by_text("This file was not opened")).to_be_in_viewport()
    expect(page.get_by_text("<b>picture<b>.png: this looks like an image (PNG)")).to_be_visible()
    expect(page.get_by_text("Looked for: a package, a Claude Code session")).to_be_visible()
    expect(page.locator(".verdict")).to_contain_text("Stopped at decision 3")
    page.get_by_role("button", name="Close").click()
    expect(page.get_by_text("This file was not opened")).to_have_count(0)


SLOW = """
import time
from pathlib import Path
import core.readers
read = core.readers.open_any

def slow(path, progress=None):
    if path.name == "slow":
        note = path.with_name("note")
        try:
            for count in range(3_000):
                note.write_text(str(count))
                progress(count, 3_000)
                time.sleep(0.05)
        except Exception as error:
            note.write_text(f"ended by {type(error).__name__}")
            raise
    return read(path, progress)

core.readers.open_any = slow
"""


def test_a_long_opening_counts_is_left_and_is_stopped(server, visitor, tmp_path):
    """It counts; another package is looked at meanwhile; Stop leaves it to whoever else waits, and the last one's ends it."""
    slow, note = shutil.copy(FIXTURES / "claude-code.jsonl", tmp_path / "slow"), tmp_path / "note"
    counts = re.compile(r"Reading the file: [\d,]+ of 3,000")
    address = server(slow, code=SLOW)
    one, other = visitor(), visitor(apart=True)
    for each in (one, other):
        each.page.goto(f"{address}/overview?package=slow")
        expect(each.page.get_by_text(counts)).to_be_visible()
    sidebar = one.page.locator("[data-testid=stSidebar]")
    sidebar.locator("a", has_text="tight_budget").click()
    expect(one.page.locator(".verdict")).to_contain_text("Stopped at decision 8")
    sidebar.locator("a", has_text="slow").first.click()
    expect(one.page.get_by_text(counts)).to_be_visible()
    one.page.get_by_role("button", name="Stop").click()
    expect(one.page.get_by_text("That file is read no further, unless somebody else waits for it.")).to_be_visible()
    expect(one.page.locator(".verdict")).to_contain_text("Stopped at decision 8")
    counted = note.read_text()
    until(lambda: note.read_text() not in ("", counted))
    assert "ended" not in note.read_text()
    other.page.get_by_role("button", name="Stop").click()
    expect(other.page.locator(".verdict")).to_contain_text("Stopped at decision 3")
    until(lambda: note.read_text() == "ended by StoppedError")
    other.page.locator("[data-testid=stSidebar] a", has_text="slow").first.click()
    expect(other.page.get_by_text(counts)).to_be_visible()


def test_a_file_is_dropped_and_what_was_open_is_recent(app, visitor):
    """A session dropped on the upload field is opened; what was in hand before is one click away, at its address."""
    guest = visitor()
    page = guest.open(f"{app}/overview?package=tight_budget")
    held = page.evaluate_handle(
        "text => { const held = new DataTransfer(); held.items.add(new File([text], 'dropped')); return held; }",
        (FIXTURES / "claude-code.jsonl").read_text(encoding="utf-8"),
    )
    for event in ("dragenter", "dragover", "drop"):
        page.dispatch_event("[data-testid=stFileUploaderDropzone]", event, {"dataTransfer": held})
    expect(page.locator(".verdict")).to_contain_text("No stall: the run ended at decision 7")
    expect(page).to_have_url(re.compile("package=upload-"))
    guest.settle()
    recent = page.locator(".st-key-ii-packages .list.low")
    expect(recent).to_contain_text("tight_budget")
    recent.locator("a", has_text="tight_budget").click()
    expect(page.locator(".verdict")).to_contain_text("Stopped at decision 8")
    expect(page).to_have_url(re.compile("package=tight_budget"))
    expect(recent).to_contain_text("dropped")
