"""The format reference runs, and says what the code does."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from core import limits, model
from core.delivery import deliver
from core.diagnosis import CAUSES, diagnose
from core.package import open_package

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs" / "package-format.md").read_text(encoding="utf-8")
SAMPLE = ROOT / "sample_archives" / "video_start_overwritten"


def test_the_snippets_run(tmp_path, monkeypatch, capsys):
    """The recording snippets make packages without problems, and the opening snippet reads one."""
    monkeypatch.chdir(tmp_path)
    snippets = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert len(snippets) == 3
    for snippet in snippets:
        exec(compile(snippet, "docs/package-format.md", "exec"), {})  # noqa: S102  # our own page
    assert capsys.readouterr().out == "2 src/player.js:12: function play() {\n"
    investigation = open_package("run-17")
    assert investigation.problems == ()
    assert [decision.slices for decision in investigation.decisions] == [((0, 2),), ((0, 4),)]
    loop = open_package("run-18")
    assert loop.problems == ()
    assert [decision.slices for decision in loop.decisions] == [((0, 2),), ((0, 4),)]
    assert [(each.id, each.call_id, each.requested_by) for each in loop.fragments] == [("call_1", "call_1", 1)]
    assert deliver(loop).at("call_1", loop.decisions[1].key).state == "whole"


def test_the_table_of_what_unlocks_what_names_every_cause():
    """Each cause stands in the table of recorded fields, `unknown` in the sentence before it."""
    table = PAGE.partition("### Which field unlocks which cause")[2].partition("\n## ")[0]
    assert [cause for cause in CAUSES if f"`{cause}`" not in table] == []


def test_a_budget_is_what_lets_overwritten_be_told(tmp_path):
    """The same run without `limits.context_bytes` has the cause `unknown`, with the missing fact named."""
    shutil.copytree(SAMPLE, tmp_path / "run")
    assert [repeat.cause for repeat in diagnose(open_package(tmp_path / "run")).repeats] == ["overwritten"]
    manifest = json.loads((tmp_path / "run" / "manifest.json").read_text())
    del manifest["limits"]["context_bytes"]
    (tmp_path / "run" / "manifest.json").write_text(json.dumps(manifest))
    (repeat,) = diagnose(open_package(tmp_path / "run")).repeats
    assert repeat.cause == "unknown"
    assert repeat.proof.missing_fact.startswith("no budget (context_bytes)")


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
    assert limits.MAX_SLOW_ESCAPES == 1_000_000
    assert (limits.NAMED_MESSAGES, limits.NAMED_MESSAGES_EACH) == (10_000_000, 5_000)
    assert (limits.HASHED_MESSAGES, limits.HASHED_MESSAGES_EACH) == (1_000_000, 200)
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
