"""The format reference runs, and says what the code does."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from core import limits, model
from core.package import open_package

PAGE = (Path(__file__).resolve().parents[1] / "docs" / "package-format.md").read_text(encoding="utf-8")


def test_the_snippets_run(tmp_path, monkeypatch, capsys):
    """The recording snippet makes a package without problems, and the opening snippet reads it."""
    monkeypatch.chdir(tmp_path)
    snippets = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert len(snippets) == 2
    for snippet in snippets:
        exec(compile(snippet, "docs/package-format.md", "exec"), {})  # noqa: S102  # our own page
    assert capsys.readouterr().out == "2 src/player.js:12: function play() {\n"
    investigation = open_package("run-17")
    assert investigation.problems == ()
    assert [decision.slices for decision in investigation.decisions] == [((0, 2),), ((0, 4),)]


@pytest.mark.parametrize(
    "word",
    [
        *model.DECISION_STATUSES,
        *model.FRAGMENT_STATUSES,
        *model.OUTCOME_KINDS,
        *model.EVENT_KINDS,
        *model.BODY_STATES,
        "bounded_repair_v1",
        "investigation_project_v4",
    ],
)
def test_every_word_is_described(word):
    """Every value that the model knows stands on the page."""
    assert re.search(rf"[`\"]{word}[`\"]", PAGE)


@pytest.mark.parametrize(
    "name",
    ["Decision", "Message", "Fragment", "Lookup", "Memory", "LedgerEntry", "Block", "SourceRange", "Usage", "Limits"],
)
def test_every_field_is_described(name):
    """Every stored field of the model's records stands on the page."""
    inner = {"extra", "line", "problem", "store", "raw", "parts", "slices"}
    for field in getattr(model, name).__dataclass_fields__:
        stored = {"reference_url": "referenceUrl"}.get(field, field)
        assert field in inner or f"`{stored}`" in PAGE, field


def test_the_limits_are_those_of_the_code():
    """The limits on the page are the named constants."""
    assert limits.MAX_LINE_BYTES == 64 * limits.MIB
    assert limits.MAX_VALUES == 6_000_000
    assert limits.MAX_DEPTH == 64
    assert limits.MAX_INTEGER_DIGITS == 4300
    assert limits.MAX_PROMPT_MESSAGES == 1_000_000
    assert limits.MAX_RECORDS == 5_000_000
    assert limits.MAX_MANIFEST_BYTES == 4 * limits.MIB
    assert limits.MAX_MEMBERS == 10_000
    assert limits.MAX_UNPACKED_BYTES == 8 * limits.GIB
    assert limits.MAX_EXPANSION_RATIO == 200
    assert limits.RATIO_FLOOR_BYTES == limits.MIB
    assert limits.CHECK_AT_OPEN_BYTES == 16 * limits.MIB
    assert limits.MAX_COUNT == 2**53 - 1
