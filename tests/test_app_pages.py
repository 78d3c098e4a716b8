"""Every page with every sample, and what each must say."""

import struct
import threading

import pytest
import streamlit as st

from pages.parts.events import event
from pages.parts.frame import WITHOUT_PACKAGE
from pages.parts.state import PAGE_FILES
from tests.app_driver import APP, SAMPLES, payloads, shown, start
from tests.app_packages import HOSTILE, hostile, large_prompt, many_decisions, no_decisions, surrogates

PAGES = tuple(name for name in PAGE_FILES if name not in WITHOUT_PACKAGE)
"""Those that show the package in hand."""


def revisions(app):
    return {data[4 : 4 + struct.unpack_from("<I", data)[0]].decode().split(":")[1] for data in payloads(app)}


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("sample", SAMPLES)
def test_every_page_draws_every_sample(monkeypatch, page, sample):
    """No page raises on a bundled sample, and each names how prompts and replies came about."""
    app = start(monkeypatch, page=page, package=sample)
    assert not app.exception
    assert not app.error
    said = shown(app)
    assert "recorded prompts" in said
    assert "scripted replies" in said or "model replies" in said


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("make", [hostile, no_decisions, many_decisions])
def test_every_page_draws_odd_packages(monkeypatch, tmp_path, page, make):
    """Hostile text, no decisions at all, many decisions without limits: no page raises."""
    app = start(monkeypatch, make(tmp_path / "package"), page=page)
    assert not app.exception


@pytest.mark.parametrize("page", PAGES)
def test_every_page_draws_names_that_utf8_cannot_carry(monkeypatch, tmp_path, page):
    """A lone surrogate in any name reads as its escape; no page raises, and the viewer has its prompt."""
    app = start(monkeypatch, surrogates(tmp_path / "package"), page=page, decision="2", fragment="~1")
    assert not app.exception
    assert r"src/caf\udce9.js" in shown(app)
    if page == "decisions":
        assert rb"calls src/caf\\udce9.js" in b"".join(payloads(app))


def test_a_click_that_arrives_after_its_component_does_nothing(monkeypatch):
    """The state of a component that is not drawn any more is gone; what it sent is None, not an error."""
    monkeypatch.setattr(st, "session_state", {"drawn": {"act": 3}})
    assert event("drawn", "act") == 3
    assert event("gone", "act") is None


def test_the_app_opens_on_the_stalled_run(monkeypatch):
    """Without arguments the verdict of the historical failure is the first thing said."""
    said = shown(start(monkeypatch))
    assert "Stopped at decision 3 by the repetition gate: search `unsupported_control` was repeated" in said
    assert "26,586 B of budget were free: overwritten, not a matter of attention" in said
    assert "grade: recorded bytes" in said


def test_decision_3_names_the_fragment_it_did_not_receive(monkeypatch):
    """Beside the prompt: f1 is marker only, 0 of 1,629 B, with the body that was not received, and the cause."""
    said = shown(start(monkeypatch, page="decisions", package="video_start_overwritten", decision="3", fragment="f1"))
    assert "0 of 1,629 B" in said
    assert "1,629 B that this prompt did not carry" in said
    assert "export function isTransient(reason)" in said
    assert "cause: overwritten" in said
    assert "= free" in said


def test_a_decision_that_was_not_sent_delivered_nothing(monkeypatch):
    """The attempt over the prompt limit is said not to be sent, and to be over the limit."""
    said = shown(start(monkeypatch, page="decisions", package="tight_budget", decision="8.2"))
    assert "This prompt was not sent: it delivered nothing." in said
    assert "over the prompt limit" in said


def test_what_changed_names_blocks_that_entered(monkeypatch):
    """The mode that compares says which block entered since the prompt before, with its size."""
    said = shown(start(monkeypatch, page="decisions", package="tight_budget", decision="6", mode="changed"))
    assert "What changed since decision 5" in said
    assert "block f5" in said


def test_what_a_transcript_holds_is_never_called_exact(monkeypatch):
    """Caption, sizes and counts of rebuilt prompts: put together, known bytes, and once what the recording lacks."""
    path = APP.parent / "tests" / "fixtures" / "readers" / "claude-code.jsonl"
    said = shown(start(monkeypatch, path, page="decisions"))
    assert "Put together from the transcript: " in said
    assert "not recorded: system prompt, tool definitions" in said
    assert "to the byte" not in said
    assert "known bytes of the prompt" in said
    assert "whole prompt" not in said
    said = shown(start(monkeypatch, path))
    assert "Known prompt sizes" in said
    assert "requests sent" in said
    assert said.count("The recording lacks: system prompt (all ") == 1
    said = shown(start(monkeypatch, page="decisions", package="video_start_overwritten", decision="3"))
    assert "The text this decision was sent, to the byte." in said
    assert "whole prompt" in said


def test_a_package_without_limits_gets_no_budget_verdict(monkeypatch, tmp_path):
    """Nothing is inferred: the chart and the sum say that no limit is recorded."""
    path = many_decisions(tmp_path / "many", 3)
    assert "No limit is recorded" in shown(start(monkeypatch, path))
    said = shown(start(monkeypatch, path, page="decisions"))
    assert "a prompt of format messages has no bounded memory" in said
    assert "The ledger is empty" not in said


def test_an_empty_package_says_what_to_do(monkeypatch, tmp_path):
    """Both pages say that there are no decisions and what to do about it."""
    path = no_decisions(tmp_path / "empty")
    assert "Record one with PackageWriter" in shown(start(monkeypatch, path))
    assert "there is no prompt to show" in shown(start(monkeypatch, path, page="decisions"))


def test_neighbours_are_held_ready_and_named_once(monkeypatch, tmp_path):
    """The bundle of four with the one in view is sent, one bundle behind it and three ahead, each prompt once; far ones not."""
    app = start(monkeypatch, many_decisions(tmp_path / "many"), page="decisions", decision="30")
    assert revisions(app) == {str(place) for place in range(24, 44)}
    assert len(payloads(app)) == 20


def test_large_neighbours_are_bounded_by_bytes(monkeypatch, tmp_path):
    """A megabyte beside the prompt in view is held ready all the same: one on each side always is."""
    app = start(monkeypatch, large_prompt(tmp_path / "large"), page="decisions", decision="1")
    assert revisions(app) == {"0", "1"}


def test_what_cannot_be_opened_is_a_message_and_the_sidebar_stays(monkeypatch, tmp_path):
    """A path that leads nowhere: what failed, what to do, and the samples to choose from; no traceback."""
    app = start(monkeypatch, tmp_path / "nowhere")
    assert not app.exception
    said = shown(app)
    assert "This package cannot be opened." in said
    assert "Choose another one in the sidebar" in said
    assert "tight_budget" in said


def test_a_damaged_package_opens_with_its_problems_listed(monkeypatch, tmp_path):
    """A cut last line is a problem with file, line, expected and found; the decisions before it are there."""
    path = many_decisions(tmp_path / "cut", 3)
    file = path / "decisions.jsonl"
    file.write_bytes(file.read_bytes()[:-40])
    app = start(monkeypatch, path)
    assert not app.exception
    said = shown(app)
    assert "decisions.jsonl" in said
    assert "error" in said
    assert not start(monkeypatch, path, page="decisions", decision="3").exception


def test_hostile_text_is_never_given_to_markdown_or_labels(monkeypatch, tmp_path):
    """The texts of a package reach components only: no markdown, no label, no caption holds any of it."""
    path = hostile(tmp_path / "hostile")
    for page in PAGES:
        app = start(monkeypatch, path, page=page, decision="2")
        for element in (*app.markdown, *app.caption, *app.text, *app.error, *app.warning):
            assert "alert(" not in element.value
        for widget in (*app.button, *app.slider, *app.selectbox):
            assert "alert(" not in widget.label
        assert HOSTILE[:20] in shown(app)


def test_a_large_package_is_called_checked_only_when_it_is(monkeypatch, tmp_path):
    """Until every record was checked the badge says *not yet checked* with its count; then *checked*, with all of them."""
    from core.package import reading  # noqa: PLC0415  # only here
    from pages.parts import holding  # noqa: PLC0415  # only here

    monkeypatch.setattr(reading, "CHECK_AT_OPEN_BYTES", 0)
    may_check = threading.Event()
    verify = holding.check

    def held_up(investigation, progress):
        progress(1, investigation.total)
        may_check.wait(30)
        return verify(investigation, progress)

    monkeypatch.setattr(holding, "check", held_up)
    app = start(monkeypatch, many_decisions(tmp_path / "slow", 3))
    said = shown(app)
    assert "Not yet checked: 1 of 7" in said
    assert "not yet checked: 1 of 7" in said
    assert "No problems" not in said
    may_check.set()
    for _ in range(100):
        app.run()
        if "Checked 7 of 7" in shown(app):
            break
    assert "every record checked" in shown(app)
    assert "No problems" in shown(app)
