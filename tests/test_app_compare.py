"""The Compare page: every sample beside another, where they part, addresses, odd packages."""

import pytest

from tests.app_driver import SAMPLES, panels, shown, visit
from tests.app_packages import hostile, many_decisions, no_decisions


def hrefs(node):
    """Every link in a tree."""
    if isinstance(node, dict):
        if "h" in node:
            yield node["h"]
        for value in node.values():
            yield from hrefs(value)
    elif isinstance(node, list):
        for value in node:
            yield from hrefs(value)


@pytest.mark.parametrize("sample", SAMPLES)
def test_it_draws_every_sample(monkeypatch, sample):
    """Each sample beside the repaired run, itself included: both verdicts and where they part."""
    app = visit(monkeypatch, "compare", package=sample, other="video_start_retained")
    assert not app.exception
    said = shown(app)
    assert "Where they part" in said
    assert "No stall: the run ended patched at decision 3, and no lookup was repeated." in said
    assert "Decision by decision" in said


def test_without_another_package_it_offers_those_that_are_there(monkeypatch):
    """The first visit says what to do and lists the samples, the one in hand left out."""
    app = visit(monkeypatch, "compare", package="video_start_overwritten")
    assert "Choose the package to put beside the one in hand" in shown(app)
    (listed,) = [data for key, data in panels(app).items() if "compare-packages" in key]
    assert {href.split("other=")[1] for href in hrefs(listed)} == set(SAMPLES) - {"video_start_overwritten"}


def test_the_fault_and_its_repair(monkeypatch):
    """Both verdicts, the first difference, where delivery differs, and links into both packages with f1 in sight."""
    app = visit(monkeypatch, "compare", package="video_start_overwritten", other="video_start_retained")
    said = shown(app)
    assert "overwritten, not a matter of attention" in said
    assert "First difference at decision 2: the left asked for symbol `observePlayback`" in said
    assert (
        "Delivery first differs at decision 3: the result of search `unsupported_control` is named by a marker only"
        in said
    )
    assert "4,825 B" in said
    assert "5,728 B" in said
    links = {href for data in panels(app).values() for href in hrefs(data)}
    here = "decisions?package=video_start_overwritten&decision=3&fragment=f1&other=video_start_retained"
    there = "decisions?package=video_start_retained&decision=3&fragment=f1&other=video_start_overwritten"
    assert {here, there} <= links


def test_a_run_beside_itself(monkeypatch):
    """No difference is said to be none."""
    said = shown(visit(monkeypatch, "compare", package="tight_budget", other="tight_budget"))
    assert "No difference: over 8 decisions both runs asked for the same" in said


def test_invalid_values_are_answered(monkeypatch):
    """A package that this server has not is said, and the list to choose from is shown."""
    said = shown(visit(monkeypatch, "compare", package="video_start_retained", other="nowhere", rows="odd"))
    assert "The package to compare with: This server has no package of that name." in said
    assert "The address names no rows that can be opened" in said
    assert "Choose the package to put beside the one in hand" in said


@pytest.mark.parametrize("make", [hostile, no_decisions, many_decisions])
def test_odd_packages(monkeypatch, tmp_path, make):
    """Hostile text, no decisions at all, no lookups at all: no pair of them raises."""
    app = visit(monkeypatch, "compare", make(tmp_path / "odd"), package="odd", other="video_start_overwritten")
    assert not app.exception
    assert "Where they part" in shown(app)


def test_many_pairs_are_folded_and_paged(monkeypatch, tmp_path):
    """400 alike decisions are one line; unfolded they come in pages, and the address names the page."""
    paths = many_decisions(tmp_path / "one", 400), many_decisions(tmp_path / "two", 400)
    said = shown(visit(monkeypatch, "compare", *paths, package="one", other="two"))
    assert "400 pairs alike" in said
    unfolded = shown(visit(monkeypatch, "compare", *paths, package="one", other="two", rows="every", **{"from": "160"}))
    assert "rows 151–300 of 400" in unfolded
    assert "decision 151" in unfolded
    assert "decision 150" not in unfolded.replace("decision 1500", "")


def test_a_package_that_cannot_be_opened_is_a_message(monkeypatch, tmp_path):
    """The other package is broken: a message says what is wrong, and others can be chosen."""
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "manifest.json").write_text("{", encoding="utf-8")
    app = visit(monkeypatch, "compare", broken, package="tight_budget", other="broken")
    assert not app.exception
    assert "The other package cannot be opened." in shown(app)
    assert "few_sources" in shown(app)
