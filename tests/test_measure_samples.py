"""The three samples of project-backed contexts: exact in every encoding, and the sizes that they are there to show."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from core.canonical import canonical_text
from core.codec import CODECS, V4, V5, V6, evidence_bodies, view_of
from core.conflicts import conflicts
from core.measure import combined, measure, summary
from core.package import open_package

SAMPLES = Path(__file__).resolve().parents[1] / "sample_archives"
NAMES = ("adjacent_reads", "few_sources", "overlapping_reads")


@cache
def measured(name):
    return measure(open_package(SAMPLES / name), CODECS)


@pytest.mark.parametrize("name", NAMES)
def test_every_context_is_exact_in_every_version(name):
    """The restored canonical text equals the stored one for each context and encoding, and every request hash matches."""
    contexts = measured(name).contexts
    assert all(figures.exact for row in contexts for figures in row.versions.values())
    assert all(list(row.versions) == [V4, V5, V6] for row in contexts)
    assert all(row.hash_matches and row.format == V5 for row in contexts)
    assert open_package(SAMPLES / name).problems == ()


def test_overlapping_reads_gain_much():
    """Where captures overlap by 60 in 100 lines, v6 needs at most 60 % of the bytes of v5."""
    totals = measured("overlapping_reads").totals()
    assert totals[V5].contexts == 11
    assert totals[V6].user.bytes <= 0.6 * totals[V5].user.bytes


def test_few_sources_gain_by_the_instructions_only():
    """Nine contexts of about 550 KB: the user text equals v5's in each, and all messages are smaller."""
    rows = measured("few_sources").contexts
    assert len(rows) == 9
    for row in rows:
        five, six = row.versions[V5], row.versions[V6]
        assert six.user == five.user
        assert six.fell_back
        assert six.all.bytes == five.all.bytes - 7794 + 5631
    assert 500_000 < measured("few_sources").totals()[V5].user.bytes < 600_000


def test_adjacent_reads_gain_little():
    """Fourteen contexts of about 1 MB: v6 saves less than 2 % of the user text and more than 2 % of all messages."""
    totals = measured("adjacent_reads").totals()
    assert totals[V5].contexts == 14
    assert 900_000 < totals[V5].user.bytes < 1_100_000
    assert 0.98 < totals[V6].user.bytes / totals[V5].user.bytes < 1
    assert totals[V6].all.bytes / totals[V5].all.bytes < 0.98


@pytest.mark.parametrize("name", NAMES)
def test_statuses_of_the_samples(name):
    """Each sample holds contexts that came to nothing: stored contexts are no billed calls."""
    expected = {
        "adjacent_reads": {"accepted": 12, "rejected": 1, "unused": 1},
        "few_sources": {"accepted": 8, "rejected": 1},
        "overlapping_reads": {"accepted": 9, "rejected": 1, "unused": 1},
    }
    assert measured(name).statuses() == expected[name]


def test_overlapping_reads_hold_what_makes_consolidation_delicate():
    """One file conflicts at 167 in text and at 169 in the flag alone; one path at two revisions; a capture without origin."""
    view = view_of(open_package(SAMPLES / "overlapping_reads").decisions[-1].messages[1].text)
    (file,) = conflicts(view, V5)
    assert [(conflict.line, conflict.kind) for conflict in file.lines] == [(167, "text"), (169, "truncation")]
    records = [record for _, record in evidence_bodies(view, V5)]
    unzip = [record for record in records if record.get("metadata", {}).get("path") == "core/package/unzip.py"]
    assert len({canonical_text(record.get("origin")) for record in unzip}) == 3
    results = [canonical_text(record["result"]) for record in records if "result" in record]
    assert len(results) == 3
    assert len(set(results)) == 1


@pytest.mark.parametrize("name", NAMES)
def test_fragments_are_what_later_views_carry(name):
    """Each fragment's body is the canonical text of the evidence record that it names, in every later context."""
    investigation = open_package(SAMPLES / name)
    last = {
        key: canonical_text(record)
        for key, record in evidence_bodies(view_of(investigation.decisions[-1].messages[1].text), V5)
    }
    assert {fragment.evidence: fragment.body for fragment in investigation.fragments} == last


def test_the_summary_of_the_samples():
    """What v6 saves over v5 in all messages, as the script prints it: little, little, much."""
    rows = [list(summary(measure(open_package(SAMPLES / name))))[-1] for name in NAMES]
    assert [row.split("|")[-2].strip() for row in rows] == ["3.17 %", "3.16 %", "42.14 %"]


def test_the_table_in_the_readme_is_the_scripts_own():
    """The README's table is the summary that the measuring script prints for the three samples, line for line."""
    whole = combined([measure(open_package(SAMPLES / name)) for name in NAMES])
    readme = (SAMPLES.parent / "README.md").read_text()
    assert "\n".join(summary(whole)) in readme
