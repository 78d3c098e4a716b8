"""The measuring script: what it prints, its JSON, and what it refuses."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from core.codec import V4, V5, V6
from core.commands.measure import measure_command
from core.measure import measure, summary
from core.package import open_package

ROOT = Path(__file__).resolve().parents[1]
SAMPLES = ROOT / "sample_archives"
GOLDEN = Path(__file__).parent / "fixtures" / "codec"


def script(*arguments):
    return CliRunner().invoke(measure_command, [str(argument) for argument in arguments])


def test_the_json_of_a_package():
    """`--json` prints contexts and totals in the documented shape, with the figures that `core.measure` gives."""
    result = script(SAMPLES / "overlapping_reads", "--json")
    assert result.exit_code == 0
    printed = json.loads(result.stdout)
    assert set(printed) == {"contexts", "totals"}
    row = printed["contexts"][3]
    assert {name: row[name] for name in ("index", "status", "format")} == {
        "index": 3,
        "status": "accepted",
        "format": V5,
    }
    assert list(row["versions"]) == [V5, V6]
    wanted = {"user_bytes", "user_chars", "all_bytes", "all_chars", "exact", "fell_back", "reason", "components"}
    assert wanted <= set(row["versions"][V6])
    measured = measure(open_package(SAMPLES / "overlapping_reads"))
    assert [each["versions"] for each in printed["contexts"]] == [
        each.as_json()["versions"] for each in measured.contexts
    ]
    assert printed["totals"] == measured.as_json()["totals"]


def test_the_text_of_two_packages():
    """Two packages are told one after the other with a summary of both, and it says what is not measured."""
    result = script(SAMPLES / "few_sources", SAMPLES / "tight_budget")
    assert result.exit_code == 0
    assert "these are not billed-call totals" in result.stdout
    assert "Cost and reasoning quality are not measured." in result.stdout
    assert "bytes shared as a prefix with the context before" in result.stdout
    assert "| rejected | 1 | 1 |" in result.stdout
    assert "a context of format 'bounded_repair_v1' holds no working view" in result.stdout
    (part,) = measure(open_package(SAMPLES / "few_sources")).by_package()
    assert list(summary(part))[-1] in result.stdout.splitlines()


def test_the_versions_that_are_asked_for():
    """Only the named versions are measured; v6 is never compared with v4 as if v5's saving were its own."""
    result = script(GOLDEN / "v4.json", "--target-version", V4, "--target-version", V6)
    assert result.exit_code == 0
    assert "v4 user text | v6 user text" in result.stdout
    assert "saves over" not in result.stdout
    both = script(GOLDEN / "v4.json", "--target-version", V4, "--target-version", V5, "--target-version", V6)
    assert "v5 saves over v4 (all messages) | v6 saves over v5 (all messages)" in both.stdout


def test_an_unknown_version_lists_the_known_ones():
    """An unknown version is an error that names every known one, and nothing is printed."""
    result = script(SAMPLES / "few_sources", "--target-version", "investigation_project_v7")
    assert result.exit_code == 2
    assert result.stdout == ""
    assert f"known: {V4}, {V5}, {V6}" in result.stderr


def test_a_bare_view_in_place_of_a_package():
    """A .json file that is a view is measured; one that is none, or no JSON, is an error with its reason."""
    printed = json.loads(script(GOLDEN / "v5.json", "--json").stdout)
    (row,) = printed["contexts"]
    assert (row["package"], row["format"]) == ("v5.json", V5)
    assert row["versions"][V6]["user_bytes"] == 2106


def test_a_byte_order_mark_in_front_of_a_view_costs_nothing(tmp_path):
    """A view that an editor saved with a mark in front is measured as without."""
    (tmp_path / "v5.json").write_bytes(b"\xef\xbb\xbf" + (GOLDEN / "v5.json").read_bytes())
    assert script(tmp_path / "v5.json", "--json").stdout == script(GOLDEN / "v5.json", "--json").stdout


@pytest.mark.parametrize("text", ["[1]", "{", '{"evidence": [], "evidence": []}', '{"task": 1}'])
def test_a_file_that_is_no_view(tmp_path, text):
    """What is no view is one line on standard error with the file's name, and no traceback."""
    (tmp_path / "view.json").write_text(text)
    result = script(tmp_path / "view.json")
    assert result.exit_code != 0
    assert "view.json" in result.stderr
    assert "Traceback" not in result.output


def test_text_of_a_package_cannot_steer_the_terminal(tmp_path):
    """A status with escape characters or a table bar in it is shown escaped."""
    shutil.copytree(SAMPLES / "few_sources", tmp_path / "package")
    file = tmp_path / "package" / "decisions.jsonl"
    file.write_text(file.read_text().replace('"status":"rejected"', r'"status":"\u001b[31m|x"'))
    result = script(tmp_path / "package")
    assert "\x1b" not in result.stdout
    assert re.search(r"\\x1b\[31m\\\|x", result.stdout)


def test_no_request_is_made(monkeypatch):
    """Measuring opens no connection: with sockets that cannot be made it prints the same figures."""

    def refused(*_arguments, **_options):
        raise AssertionError("a socket was opened")

    expected = script(GOLDEN / "v5.json", "--json").stdout
    monkeypatch.setattr("socket.socket", refused)
    monkeypatch.setattr("socket.create_connection", refused)
    assert script(GOLDEN / "v5.json", "--json").stdout == expected


def test_built_views_say_so():
    """With `--built` a package without working views is measured in views built from its prompts, and each row says so."""
    result = script(SAMPLES / "video_start_retained", "--built", "--json")
    rows = json.loads(result.stdout)["contexts"]
    assert [row["built"] for row in rows] == [True, True, True]
    assert [row["versions"][V5]["user_bytes"] for row in rows] == [2855, 5262, 6729]
    assert all(row["versions"][V6]["exact"] and row["versions"][V6]["fell_back"] for row in rows)
    assert all(row["reason"] is None and row["stored_all_bytes"] is not None for row in rows)
    text = script(SAMPLES / "video_start_retained", "--built").stdout
    assert "built from the results of this prompt, not recorded" in text
    assert "never what was sent" in text
    assert script(SAMPLES / "few_sources", "--built").stdout == script(SAMPLES / "few_sources").stdout


def test_savings_are_told_apart():
    """What v6 saves over v5 stands in a row; beside v4 alone it is said why none is counted."""
    text = script(SAMPLES / "overlapping_reads").stdout
    assert "| v6 over v5 | 358,026 (43.64 %) | 358,026 (43.64 %) |" in text
    skipped = script(GOLDEN / "v4.json", "--target-version", V4, "--target-version", V6).stdout
    assert "v6 builds on v5, which was not measured beside it: no saving is counted for v6" in skipped
