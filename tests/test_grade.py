"""How sure a statement about a prompt is: nothing counts as verified that was not checked just now."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from stories import message, story

from core.grade import GRADES, decision_grade, grade, prompt_text
from core.model import Decision, Message, Problem
from core.package import open_package

SAMPLES = Path(__file__).parents[1] / "sample_archives"


def recorded():
    run = story().decide().decide().tell()
    hashed = tuple(replace(each, request_hash=each.computed_request_hash()) for each in run.decisions)
    return replace(run, decisions=hashed)


def test_recorded_bytes_only_if_the_hash_matches_just_now():
    """The same record with another text in the store is not verified any more."""
    run = recorded()
    assert decision_grade(run.decisions[0], "recorded").name == "recorded bytes"
    store = [message("system", "You repair programs!"), run.messages[1]]
    changed = replace(run.decisions[0], store=store)
    found = decision_grade(changed, "recorded")
    assert found.name == "recorded messages"
    assert f"recorded {run.decisions[0].request_hash}, recomputed sha256:" in found.reason


def test_without_a_hash_there_is_nothing_to_check():
    """The message list was stored; whether the wire carried just that, nobody can say."""
    bare = replace(recorded().decisions[0], request_hash=None)
    assert decision_grade(bare, "recorded").name == "recorded messages"


def test_rebuilt_prompts_name_what_is_missing_even_if_a_hash_matches():
    """A reader put them together: system prompt and tool definitions are not there."""
    lacking = replace(recorded().decisions[0], missing=("system prompt", "tool definitions"))
    found = decision_grade(lacking, "rebuilt")
    assert (found.name, found.missing) == ("rebuilt", ("system prompt", "tool definitions"))
    assert found.reason == "put together from a transcript, without system prompt, tool definitions"


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"slices": ()}, "the recording does not hold the messages of this prompt"),
        ({"slices": ((0, 9),)}, "the recording does not hold the messages of this prompt"),
        ({"problem": Problem("decisions.jsonl", 3, "not JSON")}, "the record cannot be read: not JSON"),
        (
            {"store": [Message("user", (), problem=Problem("messages.jsonl", 1, "cut"))] * 2},
            "a message of this prompt cannot be read",
        ),
    ],
)
def test_what_cannot_be_established_is_unknown_with_its_reason(change, why):
    """No messages, references that lead nowhere, unreadable records."""
    found = decision_grade(replace(recorded().decisions[0], **change), "recorded")
    assert (found.name, found.reason) == ("unknown", why)
    assert decision_grade(recorded().decisions[0]).reason == "the recording does not say where its prompts come from"


def test_a_run_is_as_sure_as_its_least_sure_sent_prompt():
    """One of two hashes is missing; a prompt that was not sent does not count."""
    run = recorded()
    mixed = replace(run, decisions=(run.decisions[0], replace(run.decisions[1], request_hash=None)))
    found = grade(mixed)
    assert found.name == "recorded messages"
    assert found.reason.startswith("1 recorded bytes, 1 recorded messages; the least sure: ")
    unsent = replace(run, decisions=(run.decisions[0], replace(run.decisions[1], request_hash=None, sent=False)))
    assert grade(unsent).name == "recorded bytes"
    assert grade(replace(run, decisions=(Decision(1),))).reason == "no decision is recorded as sent"


def test_the_samples_are_recorded_bytes():
    """Their hashes were recomputed just now."""
    assert {grade(open_package(path)).name for path in SAMPLES.iterdir() if path.is_dir()} == {GRADES[0]}


@pytest.mark.parametrize(
    ("sent", "hashed", "origin", "missing", "said"),
    [
        (True, True, "recorded", (), "The text this decision was sent, to the byte."),
        (False, True, "recorded", (), "The text this decision was to be sent, to the byte."),
        (True, False, "recorded", (), "The messages as recorded."),
        (True, False, "recorded", ("tools",), "The messages as recorded; not recorded: tools."),
        (True, False, "rebuilt", ("a", "b"), "Put together from the transcript: {size:,} B known; not recorded: a, b."),
        (True, True, "unknown", (), "What the recording holds of this prompt: {size:,} B known."),
    ],
)
def test_a_caption_is_never_more_exact_than_the_grade(sent, hashed, origin, missing, said):
    """*To the byte* only where the hash was recomputed; sizes of what was put together are those of known bytes."""
    decision = replace(recorded().decisions[0], sent=sent, missing=missing)
    decision = decision if hashed else replace(decision, request_hash=None)
    size = sum(len(each.text) for each in decision.messages)
    assert prompt_text(decision, decision_grade(decision, origin)) == said.format(size=size)
