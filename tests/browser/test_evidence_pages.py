"""Evidence, Compare and What if by a person's path."""

import re

import pytest
from playwright.sync_api import expect


def menu(page, title):
    page.locator("a", has=page.get_by_text(title, exact=True)).first.click()


def in_sight(page, key, fragment):
    """Wait until Decisions shows this decision with this fragment in sight."""
    expect(page).to_have_url(re.compile(rf"/decisions\?.*decision={key}\b.*fragment={fragment}\b"))
    expect(page.get_by_role("heading", name=f"Decision {key}", exact=True)).to_be_visible()
    expect(page.locator(".card.chosen")).to_contain_text(fragment)


def test_from_a_fragment_to_the_decision_that_did_not_receive_it(app, visitor):
    """Menu, fragment, its life, and from the moment it was dropped to the decision with the missing bytes in sight."""
    guest = visitor()
    page = guest.open(app)
    menu(page, "Evidence")
    expect(page.get_by_role("heading", name="Evidence", exact=True)).to_be_visible()
    page.locator("tr", has_text="symbol observePlayback").click()
    expect(page).to_have_url(re.compile("fragment=f2"))
    expect(page.get_by_text("Whole in the prompt of decision 3: 1,437 B")).to_be_visible()
    page.locator("tr", has_text="search unsupported_control").click()
    expect(page.get_by_text("Dropped: not in the prompt of decision 3")).to_be_visible()
    page.locator(".moment", has_text="Dropped").get_by_text("decision 3", exact=True).click()
    in_sight(page, 3, "f1")
    expect(page.locator(".card.chosen")).to_contain_text("1,629 B that this prompt did not carry")
    page.go_back()
    expect(page.get_by_role("heading", name="Evidence", exact=True)).to_be_visible()
    expect(page).to_have_url(re.compile("/evidence.*fragment=f1"))


def test_from_a_line_on_the_map_to_its_bytes(app, visitor):
    """A cell of the map opens its decision with the fragment that brought the lines in sight; keys reach it too."""
    guest = visitor()
    page = guest.open(f"{app}/evidence?package=tight_budget&fragment=f2&file=4")
    cell = page.get_by_label("lines 74–84, decision 4, in the prompt, 11 of 11 lines")
    expect(cell).to_be_visible()
    cell.press("ArrowRight")
    expect(page.get_by_label("lines 74–84, decision 5, in the prompt, 11 of 11 lines")).to_be_focused()
    cell.click()
    in_sight(page, 4, "f3")


def test_a_name_in_the_matrix_opens_the_life_of_its_fragment(app, visitor):
    """From the overview's matrix to the fragment's life in one click."""
    guest = visitor()
    page = guest.open(app)
    page.locator("th.open", has_text="f1").click()
    expect(page).to_have_url(re.compile(r"/evidence\?.*fragment=f1"))
    expect(page.get_by_text("was replaced at decision 3 by symbol `observePlayback`", exact=False)).to_be_visible()


def test_comparing_the_fault_with_its_repair(app, visitor):
    """Choose the repaired run, read where they part, open the right side; Compare then has the sides turned."""
    guest = visitor()
    page = guest.open(app)
    menu(page, "Compare")
    page.locator(".list.wide a", has_text="video_start_retained").click()
    expect(page).to_have_url(re.compile("other=video_start_retained"))
    expect(page.get_by_text("First difference at decision 2")).to_be_visible()
    guest.settle()
    page.reload()
    expect(page.get_by_text("Delivery first differs at decision 3")).to_be_visible()
    page.get_by_text("open on the right", exact=True).last.click()
    in_sight(page, 3, "f1")
    page.wait_for_url(lambda address: "package=video_start_retained" in address)
    page.wait_for_url(lambda address: "other=video_start_overwritten" in address)
    expect(page.locator(".card.chosen")).to_contain_text("whole: 1,629 B")


def test_what_the_repaired_policy_would_have_delivered(app, visitor):
    """Switching overwrite to retain shows f1 whole in decision 3, marked as not recorded; a click shows what was."""
    guest = visitor()
    page = guest.open(f"{app}/what_if?package=video_start_overwritten&policy=overwrite")
    expect(page.get_by_label("f1, decision 3, marker only", exact=True)).to_be_visible()
    page.get_by_role("radio", name="retain (repaired)").or_(page.get_by_text("retain (repaired)")).first.click()
    changed = page.get_by_label("f1, decision 3, whole, recorded: marker only", exact=True)
    expect(changed).to_be_visible()
    expect(page.get_by_text("f1 would have been whole (1,629 B); recorded: gone")).to_be_visible()
    page.get_by_text("smallest that keeps every body whole under retain").click()
    expect(page).to_have_url(re.compile("budget=5454"))
    changed.click()
    in_sight(page, 3, "f1")


@pytest.mark.parametrize("page", ["evidence", "compare", "what_if"])
def test_hostile_text_stays_text(library, visitor, page):
    """Hostile text in every field makes no dialog, no error and no request to another host on these pages."""
    guest = visitor()
    opened = guest.open(f"{library}/{page}?package=hostile&other=many")
    guest.settle()
    expect(opened.locator("h2").first).to_be_visible()
    if page == "evidence":
        expect(opened.get_by_text("<script>alert(1)</script>", exact=False).first).to_be_visible()


def test_deep_links_on_a_fresh_server(server, visitor):
    """A pasted link to each page is answered with its view; a wrong value with a message and the nearest view."""
    address = server()
    guest = visitor(color_scheme="dark")
    page = guest.open(f"{address}/evidence?package=tight_budget&fragment=f2&file=4")
    expect(page.get_by_text("Cut in the prompt of decision 3: 3,960 of 6,977 B")).to_be_visible()
    assert page.url.endswith("/evidence?package=tight_budget&decision=1&fragment=f2&file=4")
    page = guest.open(f"{address}/compare?package=video_start_overwritten&other=video_start_retained")
    expect(page.get_by_text("Delivery first differs at decision 3")).to_be_visible()
    page = guest.open(f"{address}/what_if?package=tight_budget&policy=none&budget=13292")
    expect(page.get_by_text("The address names no policy that can be opened")).to_be_visible()
    expect(page.get_by_text("Under retain and 13,292 B, 4 of 8 prompts")).to_be_visible()
