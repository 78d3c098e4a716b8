"""The Evidence page: every sample, what it says of a fragment, odd packages, hundreds of fragments."""

import pytest

from tests.app_driver import SAMPLES, panels, shown, visit
from tests.app_packages import HOSTILE, hostile, many_decisions, no_decisions
from tests.evidence_packages import many_fragments


def grids(app):
    """The data of the matrices and maps on the page."""
    return [data for data in panels(app).values() if "looks" in data]


@pytest.mark.parametrize("sample", SAMPLES)
def test_it_draws_every_sample(monkeypatch, sample):
    """No sample raises; without a fragment in the address one is shown, with its life."""
    app = visit(monkeypatch, "evidence", package=sample)
    assert not app.exception
    said = shown(app)
    assert "Its life" in said
    assert "Lines against decisions" in said
    assert "recorded prompts" in said
    assert "grade: recorded bytes" in said


def test_the_life_of_the_overwritten_result(monkeypatch):
    """The stalled sample: asked for, whole, replaced by f2 with the free budget, asked again at the gate."""
    said = shown(visit(monkeypatch, "evidence", package="video_start_overwritten", fragment="f1"))
    assert "Whole in the prompt of decision 2: 1,629 B, message 2, bytes 1,694-3,323." in said
    assert "was replaced at decision 3 by symbol `observePlayback`" in said
    assert "26,586 B of budget were free" in said
    assert "Decision 3 asked for it again, stopped by repetition_gate." in said
    assert "cause: overwritten" in said


def test_the_body_in_parts(monkeypatch):
    """The cut result is shown in parts with bytes, lines and the decisions that received them."""
    said = shown(visit(monkeypatch, "evidence", package="tight_budget", fragment="f2"))
    assert "lines 1–69 of the body, bytes 0–3,642" in said
    assert "through other fragments in" in said
    assert "What the viewer reads. Every language has every message" in said


def test_the_map_of_a_file(monkeypatch):
    """The file that the address names: a row a band of lines, with its states and marks."""
    app = visit(monkeypatch, "evidence", package="tight_budget", fragment="f2", file="4")
    (data,) = grids(app)
    assert data["corner"] == "lines"
    assert [row["id"] for row in data["rows"]] == ["1–68", "69–73", "74–84", "85–119", "120–124", "125–127"]
    assert data["rows"][1]["states"] == [None, None, "received", "received", "received", "received", "missing", None]
    assert data["rows"][1]["asks"][2] == "repeated"
    assert data["rows"][2]["notes"][3] == "11 of 11 lines"


def test_invalid_values_are_answered(monkeypatch):
    """A file, a fragment or a filter that does not exist is said, and the page is shown all the same."""
    said = shown(visit(monkeypatch, "evidence", package="video_start_retained", file="99", fragment="f77", show="odd"))
    assert "There is no file 99 here: the fragments of this package come from 4." in said
    assert "There is no fragment of that name in this package." in said
    assert "The address names no show that can be opened" in said
    assert "Its life" in said


def test_the_filter_stands_in_the_address(monkeypatch):
    """Only fragments of the concern that the address names are listed."""
    said = shown(visit(monkeypatch, "evidence", package="tight_budget", show="cut", fragment="f2"))
    assert "read src/i18n/messages.js 1-127" in said
    assert "symbol describe" not in said


@pytest.mark.parametrize("make", [no_decisions, many_decisions])
def test_without_fragments_it_says_what_to_do(monkeypatch, tmp_path, make):
    """A run in which no lookup returned anything gets an empty state with advice."""
    app = visit(
        monkeypatch,
        "evidence",
        make(tmp_path / "package"),
    )
    assert not app.exception
    assert "This package holds no fragments" in shown(app)
    assert "PackageWriter.append_fragment" in shown(app)


def test_a_fragment_without_sources(monkeypatch):
    """A result that names no file says so, and the map of another file is still there."""
    said = shown(visit(monkeypatch, "evidence", package="few_sources", fragment="f1"))
    assert "It names no file, so there is no map of lines for it." in said
    assert "Lines against decisions" in said


def test_a_lookup_without_known_outcome(monkeypatch):
    """An uncertain lookup has no body, and the page says why."""
    said = shown(visit(monkeypatch, "evidence", package="tight_budget", fragment="f4"))
    assert "The body is not recorded: its outcome is not known." in said


def test_hundreds_of_fragments_can_be_searched(monkeypatch, tmp_path):
    """300 reads: a bounded list that says how many more there are, a search, and a map drawn in groups."""
    app = visit(monkeypatch, "evidence", many_fragments(tmp_path / "many"), fragment="f150")
    assert not app.exception
    assert "220 more match: search for fewer." in shown(app)
    (data,) = grids(app)
    assert len(data["keys"]) <= 42
    assert "decisions 1 to 8" in data["columns"]
    assert "neighbouring lines or decisions are drawn together" in shown(app)
    app.text_input(key="evidence-find").set_value("file3.js 31-40").run()
    assert not app.exception
    assert "more match" not in shown(app)


def test_hostile_text_is_text(monkeypatch, tmp_path):
    """Hostile ids, lookups, paths and bodies reach the page through panels only: no Markdown, label or option holds them."""
    app = visit(
        monkeypatch,
        "evidence",
        hostile(tmp_path / "hostile"),
    )
    assert not app.exception
    assert "alert(1)" in shown(app)
    labels = [str(element.value) for element in app.markdown] + [element.label for element in app.text_input]
    assert not any(HOSTILE[:20] in text for text in labels)
