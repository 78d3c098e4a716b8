"""A person's path through Formats and Conflicts, in a real browser."""

import json
import re

from click.testing import CliRunner
from playwright.sync_api import expect

from core.commands.measure import measure_command
from tests.app_driver import APP
from tests.app_packages import hostile

SAMPLE = APP.parent / "sample_archives" / "overlapping_reads"
LINE = '{"line":79,"text":"    names = _names(infos)","truncated":false}'


def script(*options):
    return CliRunner().invoke(measure_command, [str(SAMPLE), *options]).stdout


def side(page, which):
    return page.locator(f".st-key-formats-{which}-viewer")


def test_formats_are_switched_and_the_address_follows(app, visitor):
    """Add v4, ask for the user text in characters: the table and the address follow; a reload shows the same."""
    guest = visitor()
    page = guest.open(f"{app}/formats?package=overlapping_reads")
    expect(page.get_by_text("42.14 %", exact=True)).to_be_visible()
    page.get_by_role("button", name="v4", exact=True).click()
    expect(page).to_have_url(re.compile(r"formats=v4,v5,v6|formats=v4%2Cv5%2Cv6"))
    expect(page.get_by_role("cell", name="v5 over v4")).to_be_visible()
    expect(page.get_by_role("cell", name="v6 over v5")).to_be_visible()
    page.get_by_role("radio", name="user text").click()
    expect(page).to_have_url(re.compile("text=user"))
    page.get_by_role("radio", name="characters").click()
    expect(page).to_have_url(re.compile("unit=chars"))
    expect(page.locator(".facts")).to_contain_text("462,400")
    guest.settle()
    page.reload()
    guest.settle()
    expect(page.locator(".facts")).to_contain_text("462,400")


def test_a_click_on_a_line_marks_it_on_both_sides(app, visitor):
    """A source line of v5 that two captures hold is clicked: two places left, one right, all marked; the address names it."""
    guest = visitor()
    page = guest.open(f"{app}/formats?package=overlapping_reads&decision=9")
    left, right = side(page, "left"), side(page, "right")
    find = left.locator("input.find")
    find.fill("names = _names(infos)")
    find.press("Enter")
    mark = left.locator("mark", has_text="names = _names(infos)").first
    expect(mark).to_be_visible()
    mark.click()
    expect(page).to_have_url(re.compile(r"line=1\.79"))
    expect(right.locator("mark.on")).to_have_text(LINE)
    expect(right.locator("mark.on")).to_be_in_viewport()
    expect(left.locator("mark.on").first).to_have_text(LINE)
    expect(page.get_by_text("v5: 2 places, 128 B")).to_be_visible()
    expect(page.get_by_text("v6: 1 place, 64 B")).to_be_visible()
    other = right.locator("mark.k-shared").nth(3)
    other.scroll_into_view_if_needed()
    other.click()
    expect(page).not_to_have_url(re.compile(r"line=1\.79"))
    expect(left.locator("mark.on").first).to_have_text(other.text_content())


def test_the_downloads_are_what_the_script_prints(app, visitor, tmp_path):
    """The JSON file is the script's output to the byte; the CSV has a row for each context with the same figures."""
    guest = visitor(accept_downloads=True)
    page = guest.open(f"{app}/formats?package=overlapping_reads")
    saved = {}
    for name in ("JSON", "CSV"):
        with page.expect_download() as waiting:
            page.get_by_role("button", name=f"Download {name}").click()
        path = tmp_path / waiting.value.suggested_filename
        waiting.value.save_as(path)
        saved[name] = path
    assert saved["JSON"].name == "overlapping_reads-formats.json"
    printed = script("--json")
    assert saved["JSON"].read_text(encoding="utf-8") == printed
    lines = saved["CSV"].read_text(encoding="utf-8").splitlines()
    place = lines[0].split(",").index("v6_all_bytes")
    rows = json.loads(printed)["contexts"]
    assert [int(line.split(",")[place]) for line in lines[1:]] == [
        row["versions"]["investigation_project_v6"]["all_bytes"] for row in rows
    ]


def test_conflicts_tell_text_from_the_flag(app, visitor):
    """From the menu: line 167 and line 169 told apart; one chosen; its observer leads to the decision with it in sight."""
    guest = visitor()
    page = guest.open(f"{app}/formats?package=overlapping_reads&decision=9")
    page.locator("a", has_text="Conflicts").first.click()
    first, second = page.locator("section", has_text="Line 167"), page.locator("section", has_text="Line 169")
    expect(first).to_contain_text("the texts differ")
    expect(second).to_contain_text("only the truncation flag differs")
    expect(first.locator("mark.differs")).to_have_text("RATIO_FLOOR_BYTES and unpacked > ")
    expect(first.locator("i.gap")).to_have_count(1)
    page.locator(".pick a", has_text="169").click()
    expect(page).to_have_url(re.compile(r"conflict=1\.169"))
    expect(first).to_have_count(0)
    guest.settle()
    second.get_by_text("in its prompt").first.click()
    expect(page).to_have_url(re.compile(r"/decisions\?.*fragment=f3"))


def test_hostile_text_stays_text(server, visitor, tmp_path):
    """Both pages of a package that holds hostile text in every field: no request, no dialog, no error."""
    address = server(hostile(tmp_path / "hostile"))
    guest = visitor()
    page = guest.open(f"{address}/formats?package=hostile&decision=2&views=built")
    expect(page.get_by_role("heading", name="Built, not recorded")).to_be_visible()
    expect(side(page, "left")).to_contain_text("<script>alert(1)</script>")
    page = guest.open(f"{address}/conflicts?package=hostile")
    expect(page.get_by_role("heading", name="No conflict")).to_be_visible()
