"""Real recordings, where they are at hand: every file opens or is named; what the specification says of them is found.

The files stay out of the project; without them these tests are skipped. Expected figures were worked out by looking at the
files; docs/recordings.md explains each difference from the counts that come with them.
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from core.diagnosis import diagnose
from core.errors import UnsupportedError
from core.readers import open_any
from tests.readers_help import repeats

CORPUS = Path(__file__).resolve().parents[2] / "shared" / "corpus"
pytestmark = pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus of real recordings is not here")

# file name (its distinctive part) → (calls, lookups, repeated, compactions, blanked in place) of each investigation
FOUND = {
    "claude-code/*1e_d266d094ed*": [(69, 54, 0, 0, 0), (35, 38, 0, 0, 0)],
    "claude-code/*37_995ebed6e4*": [(32, 18, 5, 0, 0)],
    "claude-code/*64_9d11045222*": [(61, 53, 7, 1, 0), (16, 18, 0, 0, 0), (3, 9, 0, 0, 0)],
    "claude-code/*86_9d11344fce*": [(28, 19, 7, 0, 0)],
    "claude-code/*large-conversation*": [(170, 111, 33, 0, 0)],
    "codex-rollout/*00_34f597b72d*": [(180, 162, 4, 2, 0)],
    "codex-rollout/*1f_4427577930*": [(278, 447, 147, 1, 0)],
    "codex-rollout/*a6_0726a7452e*": [(57, 114, 11, 0, 0)],
    "codex-rollout/*codex_small*": [(4, 4, 0, 0, 0), (4, 4, 0, 5, 0)],
    "swe-agent/*pydicom-1458*": [(12, 8, 2, 0, 0)],
    "swe-agent/*marshmallow-1867*": [(13, 9, 2, 0, 7)],
    "swe-agent/*matplotlib-25960*": [(84, 81, 61, 0, 0)],
    "swe-agent/*django-15128*": [(56, 27, 26, 0, 0)],
    "swe-agent/*django-15569*": [(77, 57, 39, 0, 0)],
    "mini-swe-agent/*pyvista-4315*": [(77, 77, 10, 0, 0)],
    "mini-swe-agent/*marshmallow-1343*": [(189, 189, 57, 0, 0)],
    "raw-claude-tap/*trace_claude*": [(1, 0, 0, 0, 0), (5, 3, 0, 0, 0), (1, 0, 0, 0, 0)],
    "raw-claude-tap/*trace_compact_claude*": [(1, 0, 0, 0, 0), (9, 6, 0, 3, 0)],
    "raw-requests-jsonl/*": [(31, 21, 6, 0, 0)],
    "raw-vcr/*": [(26, 25, 24, 0, 0)],
}
SUPPORTED = {pattern.partition("/")[0] for pattern in FOUND}


def opened(pattern):
    (path,) = CORPUS.glob(pattern)
    return open_any(path)


def counts(run):
    """What the table in docs/recordings.md holds of a run."""
    kinds = [event.kind for decision in run.decisions for event in decision.events]
    return len(run.decisions), len(run.fragments), repeats(run), kinds.count("compaction"), kinds.count("cleared")


@pytest.mark.parametrize("pattern", FOUND)
def test_what_is_found_in_each_file(pattern):
    """Calls, lookups, repeats, compactions and blanked results of every supported file, investigation by investigation."""
    assert [counts(run) for run in opened(pattern)] == FOUND[pattern]


def test_no_supported_file_is_left_out():
    """Each file of a supported format is in the table above."""
    found = {path for pattern in FOUND for path in CORPUS.glob(pattern)}
    assert found == {path for folder in SUPPORTED for path in (CORPUS / folder).iterdir()}


def test_every_other_recording_is_named():
    """A recording of a format without a reader is called by its name."""
    for folder in sorted(CORPUS.iterdir()):
        if not folder.is_dir() or folder.name in SUPPORTED:
            continue
        for path in sorted(path for path in folder.rglob("*") if path.is_file())[:20]:
            with pytest.raises(UnsupportedError, match="which is known but not supported yet"):
                open_any(path)


@pytest.mark.parametrize("pattern", FOUND)
def test_prompts_follow_the_recorded_usage(pattern):
    """Where a recorded prompt got smaller by half, the prompt that was put together got smaller too."""
    for run in opened(pattern):
        sized = [(decision.usage.prompt_tokens, decision.prompt_bytes) for decision in run.decisions if decision.usage]
        for (before, bytes_before), (after, bytes_after) in pairwise(sized):
            if before and after and after * 2 < before:
                assert bytes_after < bytes_before


def test_matplotlib_25960_is_a_cycle():
    """The run walks a block of ten lookups five times, unchanged and delivered each time, and ends in it."""
    (run,) = opened("swe-agent/*matplotlib-25960*")
    found = diagnose(run)
    cycles = [pattern for pattern in found.patterns if pattern.kind == "cycle"]
    assert [(pattern.length, pattern.turns, pattern.stall) for pattern in cycles] == [(10, 5, True)]
    assert found.verdict.stalled is True
    assert {repeat.cause for repeat in found.repeats} == {"delivered"}


def test_the_crewai_cassette_repeats_at_once():
    """24 of 25 lookups ask again at once what was answered, and the earlier result was delivered each time."""
    (run,) = opened("raw-vcr/*")
    found = diagnose(run)
    assert [repeat.cause for repeat in found.repeats] == ["delivered"] * 24
    cycles = [pattern for pattern in found.patterns if pattern.kind == "cycle"]
    assert [(pattern.length, pattern.turns, pattern.stall) for pattern in cycles] == [(1, 25, True)]


def test_django_15128_is_progress():
    """One script run 27 times between edits, with changing answers, is no stall."""
    (run,) = opened("swe-agent/*django-15128*")
    found = diagnose(run)
    assert found.verdict.stalled is False
    assert [pattern.length for pattern in found.patterns if pattern.kind == "polling"] == [27]
