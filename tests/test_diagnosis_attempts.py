"""What belongs to one attempt, and which files a run itself has changed."""

from __future__ import annotations

from dataclasses import replace

from stories import BODY, OTHER, bounded, search, source

from core.diagnosis import diagnose
from core.model import Outcome, Patch, Problem, Reply

A, B = search("unsupported_control"), search("observe")


def test_a_second_attempt_at_one_decision_does_not_start_the_run_over():
    """The first attempt at decision 2 is not recorded; as decision 3 is a first attempt again, nothing started over."""
    run = bounded([[(A, BODY)], [(B, OTHER)], [A]], policy="overwrite", stop="repetition_gate")
    again = replace(run, decisions=(run.decisions[0], replace(run.decisions[1], attempt=2), run.decisions[2]))
    (repeat,) = diagnose(again).repeats
    assert (repeat.decision, repeat.first_decision, repeat.cause) == ((3, 1), 1, "overwritten")


def test_a_lost_line_between_two_attempts_at_one_decision_changes_nothing():
    """The line of the first attempt at decision 2 cannot be read: the repeat at decision 3 is still found."""
    run = bounded([[(A, BODY)], [(B, OTHER)], [A]], policy="overwrite", stop="repetition_gate")
    first, second, third = run.decisions
    lost = replace(
        second, index=-2, slices=(), reply=None, sent=None, problem=Problem("decisions.jsonl", 2, "not JSON")
    )
    repeats = diagnose(replace(run, decisions=(first, lost, replace(second, attempt=2), third))).repeats
    assert [(repeat.decision, repeat.first_decision) for repeat in repeats] == [((3, 1), 1)]


def test_a_patch_of_the_run_itself_makes_an_earlier_result_stale():
    """Decision 2 patched the file, as its reply and outcome say; asking again at 3 needed the new version."""
    seen = (source("a.js", 1, 9),)
    run = bounded([[(A, BODY, seen)], [(B, OTHER)], [A]], policy="overwrite")
    patched = replace(
        run.decisions[1], reply=Reply(patch=Patch("a.js", "x", "y")), outcome=Outcome("patched"), memory=None
    )
    run = replace(run, decisions=(run.decisions[0], patched, run.decisions[2]), fragments=run.fragments[:1])
    (repeat,) = diagnose(run).repeats
    assert "stale" in (repeat.cause, *repeat.also)
