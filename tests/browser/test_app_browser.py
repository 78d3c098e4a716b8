"""What only a browser shows: keys, addresses, clicks, and that hostile text stays text."""

import re

from playwright.sync_api import expect

from benchmarks.paint import recording
from pages.parts.frame import WITHOUT_PACKAGE
from pages.parts.state import PAGE_FILES
from tests.app_packages import HOSTILE

PLACE = ".viewer[data-place]"

WATCH_PLACE = (
    "() => { window.seen = []; const find = root => { for (const e of root.querySelectorAll('*')) {"
    " if (e.matches('.viewer')) return e; if (e.shadowRoot) { const f = find(e.shadowRoot); if (f) return f; } } };"
    " const v = find(document); new MutationObserver(() => window.seen.push(Number(v.dataset.place)))"
    ".observe(v, { attributes: true, attributeFilter: ['data-place'] }); }"
)
"""Notes every place that the viewer shows in `window.seen`."""


def at(page):
    return int(page.locator(PLACE).get_attribute("data-place"))


def prompt_of(page, number):
    """Wait until the viewer shows the prompt at this place (from 0), and not only its number."""
    page.wait_for_function(
        "number => { const find = root => { for (const e of root.querySelectorAll('*')) {"
        " if (e.matches('.viewer')) return e; if (e.shadowRoot) { const f = find(e.shadowRoot); if (f) return f; } } };"
        " const v = find(document); return v && v.dataset.revision?.endsWith(':' + number) && !v.classList.contains('waiting'); }",
        arg=number,
    )


def test_a_newcomer_steps_to_decision_3_and_sees_the_dropped_fragment_named(app, visitor):
    """Open the app, go to Decisions, step twice with the keyboard: f1 is named as not received, with its body."""
    guest = visitor()
    page = guest.open(app)
    expect(page.get_by_text("overwritten, not a matter of attention")).to_be_visible()
    page.locator("a", has_text="Decisions").first.click()
    prompt_of(page, 0)
    page.keyboard.press("ArrowRight")
    prompt_of(page, 1)
    page.keyboard.press("j")
    prompt_of(page, 2)
    guest.settle()
    card = page.locator(".card", has_text="marker only").first
    expect(card).to_contain_text("f1")
    expect(card).to_contain_text("1,629 B that this prompt did not carry")
    page.wait_for_url(lambda address: "decision=3" in address)


def test_a_deep_link_is_the_first_thing_a_fresh_server_is_asked_for(server, visitor):
    """A pasted link to a page under pages/ goes through app.py: menu, package, decision and fragment are there."""
    guest = visitor()
    page = guest.open(f"{server()}/decisions?package=video_start_overwritten&decision=3&fragment=f1")
    prompt_of(page, 2)
    expect(page.locator(".sight")).to_have_text("f1: only its ledger entry stands in this prompt.")
    expect(page.get_by_text("In hand", exact=False).first).to_be_visible()
    assert page.url.endswith("/decisions?package=video_start_overwritten&decision=3&fragment=f1")


def test_a_held_key_loses_no_step(library, visitor):
    """Forty repeats of a held arrow key move forty decisions, one at a time; the address follows."""
    guest = visitor()
    page = guest.open(f"{library}/decisions?package=many")
    prompt_of(page, 0)
    page.evaluate(WATCH_PLACE)
    for _ in range(40):
        page.keyboard.down("ArrowRight")
        page.wait_for_timeout(30)
    page.keyboard.up("ArrowRight")
    prompt_of(page, 40)
    expect(page).to_have_url(re.compile("decision=41"))
    assert at(page) == 40
    seen = page.evaluate("() => window.seen")
    assert sorted(set(seen)) == list(range(1, 41))
    expect(page.get_by_role("heading", name="Decision 41")).to_be_visible()
    expect(page.locator(".scroller")).to_contain_text("This is prompt 41.")


FOUND_LATE = """
import time
from pathlib import Path
import core.delivery
deliver = core.delivery.deliver

def late(investigation, progress=None):
    while Path(sys.argv[-1]).name == "long" and not Path(sys.argv[-1]).with_name("go").exists():
        time.sleep(0.02)
    return deliver(investigation, progress)

core.delivery.deliver = late
"""


def test_no_step_is_taken_back_when_the_fragments_are_found(server, visitor, tmp_path):
    """While a key is held the fragments of a large package are found: its prompts are sent anew, at the place stepped to."""
    guest = visitor()
    page = guest.open(f"{server(recording(tmp_path / 'long', 42_000, 10), code=FOUND_LATE)}/decisions?package=long")
    prompt_of(page, 0)
    expect(page.get_by_text("Looking for every fragment in every prompt").first).to_be_visible()
    page.evaluate(WATCH_PLACE)
    before = page.locator(".viewer").get_attribute("data-revision").split(":")[0]
    for number in range(40):
        page.keyboard.down("ArrowRight")
        page.wait_for_timeout(30)
        if number == 4:
            (tmp_path / "go").touch()
    page.keyboard.up("ArrowRight")
    prompt_of(page, 40)
    expect(page).to_have_url(re.compile("decision=41"))
    expect(page.locator(".viewer")).not_to_have_attribute("data-revision", re.compile(before))
    seen = page.evaluate("() => window.seen")
    assert seen == sorted(seen)
    assert sorted(set(seen)) == list(range(1, 41))


def test_back_and_forward_and_reload_restore_the_view(app, visitor):
    """Each step is an entry in the history; Back, Forward and reload show the same decision again."""
    guest = visitor()
    page = guest.open(f"{app}/decisions?package=tight_budget&decision=1")
    prompt_of(page, 0)
    for number in (1, 2):
        page.keyboard.press("ArrowRight")
        prompt_of(page, number)
        expect(page).to_have_url(re.compile(f"decision={number + 1}"))
        page.wait_for_timeout(400)
    page.go_back()
    prompt_of(page, 1)
    page.go_forward()
    prompt_of(page, 2)
    page.reload()
    prompt_of(page, 2)
    page.wait_for_url(lambda address: "decision=3" in address)


def test_going_to_another_page_and_back_keeps_the_decision(app, visitor):
    """The menu carries the view: Overview and back to Decisions is the same decision; Back undoes a page, too."""
    guest = visitor()
    page = guest.open(f"{app}/decisions?package=tight_budget&decision=3")
    prompt_of(page, 2)
    page.keyboard.press("ArrowRight")
    prompt_of(page, 3)
    guest.settle()
    page.locator("a", has_text="Overview").first.click()
    expect(page.get_by_text("Evidence matrix")).to_be_visible()
    guest.settle()
    page.wait_for_url(lambda address: "decision=4" in address)
    page.go_back()
    prompt_of(page, 3)


def test_a_click_in_the_matrix_opens_that_decision_with_that_fragment_in_sight(app, visitor):
    """The cell of f1 in decision 3 leads to decision 3, where f1 is in sight."""
    guest = visitor()
    page = guest.open(app)
    page.locator("td[aria-label='f1, decision 3, marker only, repeated here']").click()
    prompt_of(page, 2)
    guest.settle()
    assert page.url.endswith("/decisions?package=video_start_overwritten&decision=3&fragment=f1")
    expect(page.locator(".card.chosen", has_text="Fragment f1")).to_contain_text("0 of 1,629 B")


def test_a_finding_is_followed_to_the_bytes_that_were_missing(app, visitor):
    """From the findings table to decision 3, where the body that it did not receive stands to be read."""
    guest = visitor()
    page = guest.open(app)
    finding = page.locator("tr", has_text="overwritten").filter(has=page.locator("a", has_text="decision 3")).first
    finding.locator("a", has_text="decision 3").click()
    prompt_of(page, 2)
    expect(page).to_have_url(re.compile(r"/decisions\?.*decision=3.*fragment=f1"))
    missed = page.locator(".card", has_text="1,629 B that this prompt did not carry").first
    missed.locator("summary").first.click()
    expect(missed).to_contain_text('throw new PlayerError("unsupported_control", control)')


def test_back_and_forward_go_through_three_pages(app, visitor):
    """Overview, Decisions, Evidence: Back twice and Forward twice show each page again, with the decision it had."""
    guest = visitor()
    page = guest.open(f"{app}/overview?package=tight_budget&decision=2")
    heads = {name: page.get_by_role("heading", name=head) for name, head in HEADS.items()}
    walk = ("overview", "decisions", "evidence")
    for name in walk[1:]:
        page.locator("a", has=page.get_by_text(name.capitalize(), exact=True)).first.click()
        expect(heads[name]).to_be_visible()
        expect(page).to_have_url(re.compile(f"/{name}\\?package=tight_budget&decision=2"))
        guest.settle()
    for turn, name in ((page.go_back, 1), (page.go_back, 0), (page.go_forward, 1), (page.go_forward, 2)):
        turn()
        expect(heads[walk[name]]).to_be_visible()
        expect(page).to_have_url(re.compile(f"/{walk[name]}\\?package=tight_budget&decision=2"))
        guest.settle()


HEADS = {"overview": "Evidence matrix", "decisions": "Decision 2", "evidence": "Evidence"}


def test_the_overview_answers_at_its_name_and_at_the_root(app, visitor):
    """`/overview?...` and `/?...` are the same page; no dialog says that there is none."""
    guest = visitor()
    for where in ("overview", ""):
        page = guest.open(f"{app}/{where}?package=tight_budget")
        expect(page.get_by_text("Stopped at decision 8 (attempt 2) by the prompt limit")).to_be_visible()
        assert page.get_by_text("Page not found").count() == 0


def test_an_address_that_names_nothing_is_answered_with_the_nearest_view(app, visitor):
    """A decision too far, an unknown mode and an unknown fragment each give a message; the nearest view is shown."""
    guest = visitor()
    page = guest.open(f"{app}/decisions?package=video_start_overwritten&decision=99&mode=upside-down&fragment=<b>")
    prompt_of(page, 2)
    said = page.locator(".card.warn").first
    expect(said).to_contain_text("There is no decision 99 here; 3 is the nearest.")
    expect(said).to_contain_text("expected received or changed or raw")
    expect(said).to_contain_text("expected a fragment id such as f1")


def test_hostile_text_shows_as_characters_everywhere(library, visitor):
    """No dialog, no outside request, no error on any page or mode; the script tag stands there as text."""
    guest = visitor(viewport={"width": 1280, "height": 1600})
    others = [f"{name}?decision=2" for name in PAGE_FILES if name not in ("overview", "decisions")]
    modes = [f"decisions?decision=2&fragment=~1&mode={mode}" for mode in ("received", "changed", "raw")]
    for where in ("?mode=received", *modes, *others):
        page = guest.open(f"{library}/{where}&package=hostile")
        if where.split("?")[0] not in WITHOUT_PACKAGE:
            expect(page.get_by_text("<script>alert(1)</script>").first).to_be_attached()
        page.wait_for_timeout(300)
        assert page.locator("img[src*=outside], iframe[srcdoc], script:text('alert')").count() == 0
        guest.check()
    page = guest.open(f"{library}/decisions?package=hostile&decision=2")
    prompt_of(page, 1)
    shown = page.locator(".scroller .l").first
    assert "\0" in shown.evaluate("line => line.textContent")
    symbols = shown.evaluate("line => [...line.querySelectorAll('.hid')].map(each => each.dataset.symbol)")
    assert symbols == ["␛", "␛", "U+202E", "U+202C", "␀", "␍"]
    guest.check()


def test_what_is_copied_is_the_exact_text(library, visitor):
    """The copy button gives every character that was received, control characters and all, and no line numbers."""
    guest = visitor(permissions=["clipboard-read", "clipboard-write"])
    page = guest.open(f"{library}/decisions?package=hostile&decision=1")
    prompt_of(page, 0)
    page.get_by_role("button", name="Copy text").click()
    expect(page.get_by_role("button", name="copied")).to_be_visible()
    # A clipboard ends a text at its first NUL on some systems: what must agree is everything before it.
    found = page.evaluate("() => navigator.clipboard.readText()")
    assert found.split("\0")[0] == HOSTILE.split("\0")[0]


def test_search_counts_and_steps_through_hits(app, visitor):
    """`/` leads to the search; hits are counted, Enter goes to the next one; what is not there is said."""
    guest = visitor()
    page = guest.open(f"{app}/decisions?package=video_start_overwritten&decision=2")
    prompt_of(page, 1)
    page.keyboard.press("/")
    page.keyboard.type("unsupported_control")
    expect(page.locator(".count")).to_have_text(re.compile(r"^\d+ found$"))
    page.keyboard.press("Enter")
    expect(page.locator(".count")).to_have_text(re.compile(r"^1 of \d+$"))
    page.locator(".find").fill("nowhere to be found")
    expect(page.locator(".count")).to_have_text("not in this prompt")


def test_escape_ends_the_search_and_closes_the_keys(app, visitor):
    """Searching moves no text; Escape leaves an empty field, no count and no mark; it closes the list of keys, too."""
    guest = visitor(viewport={"width": 1280, "height": 720})
    page = guest.open(f"{app}/decisions?package=video_start_overwritten&decision=3")
    prompt_of(page, 2)
    top = page.locator(".scroller").bounding_box()["y"]
    page.keyboard.press("/")
    page.keyboard.type("unsupported_control")
    page.keyboard.press("Enter")
    expect(page.locator(".count")).to_have_text(re.compile(r"^1 of \d+$"))
    assert page.locator(".scroller").bounding_box()["y"] == top
    assert page.evaluate("() => CSS.highlights.get('ii-hits').size") > 0
    page.keyboard.press("Escape")
    expect(page.locator(".find")).to_have_value("")
    expect(page.locator(".count")).to_have_text("")
    assert page.evaluate("() => [CSS.highlights.get('ii-hits').size, CSS.highlights.get('ii-hit').size]") == [0, 0]
    page.keyboard.press("?")
    expect(page.locator(".keys")).to_contain_text("end the search, close this list")
    page.keyboard.press("Escape")
    expect(page.locator(".keys")).to_be_hidden()


def test_every_mode_says_the_same_of_the_fragment_in_sight(app, visitor):
    """f1 stands in decision 3 by its ledger entry only, whatever of the prompt is drawn."""
    guest = visitor()
    for mode in ("received", "changed", "raw"):
        page = guest.open(f"{app}/decisions?package=video_start_overwritten&decision=3&mode={mode}&fragment=f1")
        prompt_of(page, 2)
        expect(page.locator(".sight")).to_have_text("f1: only its ledger entry stands in this prompt.")


def test_a_result_of_the_search_opens_at_its_own_place(app, visitor):
    """Decision 2's result shows the ledger, not the task that every prompt holds, and its link goes to that hit in view."""
    guest = visitor(viewport={"width": 1280, "height": 720})
    page = guest.open(f"{app}/decisions?package=video_start_overwritten&decision=3&mode=raw")
    prompt_of(page, 2)
    page.get_by_text("Search all prompts").click()
    page.get_by_placeholder("case does not count").fill("Unsupported_Control")
    page.keyboard.press("Enter")
    row = page.locator("tr", has=page.locator("a", has_text=re.compile("^decision 2$"))).filter(has_text="user")
    expect(row).to_contain_text("result f1, body whole")
    row.locator("a").click()
    prompt_of(page, 1)
    expect(page.locator(".find")).to_have_value("unsupported_control")
    expect(page.locator(".count")).to_have_text("2 of 8")
    expect(page.locator(".l", has_text="result f1, body whole").first).to_be_in_viewport()


def test_a_search_of_all_prompts_finds_each_text_once(library, visitor):
    """A message that stands in the prompts 7 to 60 is one result; its link opens decision 7 with the text marked."""
    guest = visitor()
    page = guest.open(f"{library}/decisions?package=many")
    prompt_of(page, 0)
    page.get_by_text("Search all prompts").click()
    page.get_by_placeholder("case does not count").fill("this is PROMPT 7.")
    page.keyboard.press("Enter")
    expect(page.get_by_text("1 distinct message with this text.")).to_be_visible()
    guest.settle()
    page.locator("a", has_text="7 to 60").click()
    prompt_of(page, 6)
    expect(page.locator(".count")).to_have_text("1 of 1")


def test_a_megabyte_with_500_spans_is_drawn(library, visitor):
    """A 1 MB prompt with 500 tool results steps in and out, counts its bytes and lines, and scrolls to its end."""
    guest = visitor()
    page = guest.open(f"{library}/decisions?package=large&decision=1")
    prompt_of(page, 0)
    page.keyboard.press("ArrowRight")
    prompt_of(page, 1)
    expect(page.locator(".meta")).to_contain_text("lines")
    expect(page.locator(".chip", has_text="tool results 500")).to_be_visible()
    page.locator(".scroller").evaluate("e => { e.scrollTop = e.scrollHeight; }")
    last = page.locator(".l[data-n='16501']")
    expect(last).to_have_count(1)
    last.scroll_into_view_if_needed()
    expect(last).to_be_in_viewport()


def test_the_legend_filters(app, visitor):
    """A click on a kind in the legend leaves only that kind coloured."""
    guest = visitor()
    page = guest.open(f"{app}/decisions?package=video_start_overwritten&decision=3")
    prompt_of(page, 2)
    page.locator(".chip", has_text="ledger 2").click()
    color = "e => getComputedStyle(e).backgroundColor"
    assert page.locator("mark.k-supplied").first.evaluate(color) == "rgba(0, 0, 0, 0)"
    assert page.locator("mark.k-ledger").first.evaluate(color) != "rgba(0, 0, 0, 0)"


def test_the_dark_theme_follows_the_system(app, visitor):
    """With a dark system the page and the viewer are dark with light text."""
    guest = visitor(color_scheme="dark")
    page = guest.open(f"{app}/decisions?package=video_start_overwritten&decision=3")
    prompt_of(page, 2)
    read = "(e, name) => getComputedStyle(e)[name].match(/[0-9.]+/g).slice(0, 3).map(Number)"
    assert max(page.locator("[data-testid=stApp]").evaluate(read, "backgroundColor")) < 60
    assert max(page.locator(".viewer").evaluate(read, "backgroundColor")) < 60
    assert min(page.locator(".viewer").evaluate(read, "color")) > 180


def test_an_upload_belongs_to_the_session_that_made_it(app, visitor, tmp_path):
    """An upload opens for its visitor; the same link tells another visitor to upload the file again."""
    zipped = tmp_path / "mine.zip"
    from core.package import PackageWriter  # noqa: PLC0415  # only here

    with PackageWriter(zipped, title="Mine alone", zip=True, sync=False) as package:
        package.append_decision([{"role": "user", "text": "private"}], reply={"text": "ok"})
    guest = visitor()
    page = guest.open(app)
    page.locator("input[type=file]").set_input_files(zipped)
    expect(page.get_by_role("heading", name="Mine alone").first).to_be_visible()
    guest.settle()
    page.wait_for_url(lambda address: "package=upload-" in address)
    other = visitor(apart=True)
    elsewhere = other.open(page.url)
    expect(elsewhere.locator(".card.warn").first).to_contain_text("uploads belong to the session that made them")
    assert elsewhere.get_by_text("Mine alone").count() == 0


def test_what_is_no_package_is_refused_with_a_message(app, visitor):
    """A file that no reader knows gives a message and leaves the package in hand as it was."""
    guest = visitor()
    page = guest.open(app)
    page.locator("input[type=file]").set_input_files(
        {"name": "notes.json", "mimeType": "application/json", "buffer": b'{"a": 1}'}
    )
    expect(page.get_by_text("no reader knows this file")).to_be_visible()
    expect(page.get_by_text("overwritten, not a matter of attention")).to_be_visible()
