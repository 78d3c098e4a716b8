"""A prompt that cannot be read in full: what is not seen in it is not known, which is something else than absent."""

from __future__ import annotations

from dataclasses import replace

from stories import BODY, OTHER, bounded, search

from core.delivery import deliver
from core.diagnosis import diagnose
from core.model import Message, Problem

A, B = search("unsupported_control"), search("observe")
LOST = Problem("messages.jsonl", 6, "not JSON")


def overwritten_run():
    """Two results, the second displaces the first, and the third decision asks for the first again."""
    return bounded([[(A, BODY)], [(B, OTHER)], [A]], policy="overwrite", stop="repetition_gate")


def without_message(run, place):
    """The run with one message that cannot be read."""
    messages = (*run.messages[:place], Message("", (), problem=LOST), *run.messages[place + 1 :])
    return replace(run, messages=messages, decisions=tuple(replace(each, store=messages) for each in run.decisions))


def test_what_an_unreadable_message_carried_is_unknown_not_absent():
    """Decision 3's user message is lost: it has no cells, the repeat says why, and the log is not accused."""
    run = without_message(overwritten_run(), 5)
    deliveries = deliver(run)
    assert deliveries.readable((2, 1))
    assert not deliveries.readable((3, 1))
    assert deliveries.states((2, 1)) == {"f1": "whole"}
    assert deliveries.states((3, 1)) == {}
    assert deliveries.at("f1", (3, 1)) is None
    found = diagnose(run, deliveries)
    (repeat,) = found.repeats
    assert (repeat.cause, repeat.proof.missing_fact) == ("unknown", "this prompt cannot be read in full")
    assert [finding.kind for finding in found.findings] == []


def test_a_body_in_the_readable_part_still_counts():
    """Only the system message is lost: the block in the user message was delivered all the same."""
    deliveries = deliver(without_message(overwritten_run(), 4))
    assert deliveries.states((3, 1)) == {"f2": "whole"}


def test_a_decision_whose_references_lead_nowhere_delivered_nothing_that_is_known():
    """A record with a problem has no readable prompt, so no cell of it says absent."""
    run = overwritten_run()
    broken = replace(run.decisions[1], slices=(), problem=Problem("decisions.jsonl", 2, "leads nowhere"))
    deliveries = deliver(replace(run, decisions=(run.decisions[0], broken, run.decisions[2])))
    assert deliveries.states((2, 1)) == {}
    assert deliveries.states((3, 1))["f2"] == "whole"


def test_a_prompt_that_was_recorded_as_not_sent_is_told_from_one_of_which_nobody_knows():
    """`sent: false` is a recorded fact: the repeat there says so, not that it is missing."""
    run = overwritten_run()
    unsent = replace(run, decisions=(*run.decisions[:2], replace(run.decisions[2], sent=False)))
    (repeat,) = diagnose(unsent).repeats
    assert repeat.proof.missing_fact == "this prompt was not sent, so that it delivered nothing"
