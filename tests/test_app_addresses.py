"""Addresses: what is read, what is written, and what is answered where a value names nothing."""

import pytest

from pages.parts import addresses
from tests.app_driver import shown, start

ROUND_TRIPS = [
    {},
    {"package": "tight_budget", "decision": "8.2", "fragment": "f1", "mode": "changed"},
    {"package": "a.b-c_D", "part": "2", "decision": "0", "fragment": "~17", "mode": "raw", "formats": "v4,v7"},
    {"text": "user", "unit": "tokens", "views": "built", "sides": "v6,v4", "line": "3.12", "conflict": "1.-167"},
    {"conflict": "2"},
]


@pytest.mark.parametrize("query", ROUND_TRIPS)
def test_an_address_reads_back_as_itself(query):
    """Reading an address and writing it gives the same parameters."""
    view, complaints = addresses.parse(query)
    assert complaints == []
    assert addresses.render(view) == query


def test_values_at_their_default_are_left_out():
    """The mode `received` and the formats v5,v6 are what no parameter means."""
    view, _ = addresses.parse({"mode": "received", "formats": "v5,v6", "decision": "3.1"})
    assert addresses.render(view) == {"decision": "3"}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("package", "../../etc"),
        ("package", ""),
        ("package", "a" * 121),
        ("decision", "three"),
        ("decision", "1.2.3"),
        ("decision", "-1"),
        ("fragment", "<b>"),
        ("fragment", "~0"),
        ("mode", "Received"),
        ("formats", "v5,v9"),
        ("part", "1e9"),
        ("sides", "v6,v4,v5"),
        ("sides", "v5,v5"),
        ("line", "0.1"),
        ("line", "7"),
        ("conflict", "1.2.3"),
        ("conflict", "0"),
        ("unit", "miles"),
    ],
)
def test_a_value_that_is_no_plain_identifier_is_answered_not_used(name, text):
    """The default stands, and the message names the parameter and what was expected, never the value."""
    view, complaints = addresses.parse({name: text})
    assert view == addresses.default_view()
    assert len(complaints) == 1
    assert f"names no {name}" in complaints[0]
    assert not text or text not in complaints[0]


def test_the_nearest_decision_is_shown_and_written(monkeypatch):
    """Decision 99 of 3 becomes 3, with a message; the address is put right."""
    app = start(monkeypatch, package="video_start_overwritten", decision="99")
    assert "There is no decision 99 here; 3 is the nearest." in shown(app)
    assert app.query_params["decision"] in ("3", ["3"])


def test_an_unknown_package_falls_back_and_says_so(monkeypatch):
    """The default package is shown, with a message."""
    app = start(monkeypatch, package="nonesuch", decision="2")
    said = shown(app)
    assert "This server has no package of that name." in said
    assert "video_start_overwritten" in said


def test_a_link_to_an_upload_of_another_session_says_what_to_do(monkeypatch):
    """Uploads belong to their session: the link asks to upload the file again."""
    assert "Upload the file again" in shown(start(monkeypatch, package="upload-0123456789abcdef"))


def test_a_page_switch_keeps_the_view(monkeypatch):
    """Package, decision and fragment survive going to another page."""
    app = start(monkeypatch, package="tight_budget", decision="3", fragment="f2")
    app.switch_page("pages/decisions.py").run()
    assert "read src/i18n/messages.js 1-127" in shown(app)
    assert app.query_params["decision"] in ("3", ["3"])


def test_arguments_and_an_archive_folder_are_offered(monkeypatch, tmp_path):
    """What stands behind `--` is opened first; packages of an archive folder are listed; nothing outside it is."""
    from tests.app_packages import many_decisions  # noqa: PLC0415  # only here

    archive = tmp_path / "archive"
    (archive / "deep").mkdir(parents=True)
    many_decisions(archive / "deep" / "inside", 2)
    outside = many_decisions(tmp_path / "outside", 2)
    (archive / "link").symlink_to(outside)
    given = many_decisions(tmp_path / "given", 2)
    app = start(monkeypatch, given, "--archive-dir", archive)
    said = shown(app)
    assert app.query_params["package"] in ("given", ["given"])
    assert "deep/inside" in said
    assert "Archive" in said
    assert "link" not in [line.strip() for line in said.splitlines()]
