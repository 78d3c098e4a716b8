"""Faults seen in other tools in 2026, each on a fixture of our own: those that concern delivery and diagnosis.

(The others, on reading recordings, are tested with the readers; the numbers are those of the list in the specification.)
"""

from __future__ import annotations

from dataclasses import replace

from stories import BODY, lines, message, search, source, story

from core.anatomy import components
from core.changes import changes
from core.delivery import deliver
from core.diagnosis import diagnose
from core.model import Event, ToolResultPart
from core.search import search as search_prompts

A = search("play")


def test_1_a_cleared_result_is_one_change_and_the_rest_stays_aligned():
    """26 messages, one old result blanked in place: one block was cleared, nothing is new, and the body is gone."""
    run = story()
    for number in range(12):
        run.decide(search(f"{number}")).result(
            search(f"{number}"), lines(number, number + 9), carried=lines(number, number + 9)
        )
    run.decide().replace(
        3, "tool", ToolResultPart("call_f1", "[Old tool result content cleared]"), stands_for="placeholder"
    )
    told = run.decide(search("0")).tell()
    found = changes(told.decisions[12], told.decisions[13])
    assert [(each.what, each.fragment) for each in found.changes] == [("cleared", "call_f1")]
    assert {piece.fate for piece in found.pieces if piece.message != 3} == {"kept"}
    repeat = diagnose(told).repeats[-1]
    assert (repeat.cause, repeat.proof.dropped_at) == ("cleared", (14, 1))


def test_2_a_compaction_starts_a_new_chain_and_hides_no_call():
    """283 calls with compactions in between stay 283, each with its own prompt in the table."""
    run = story()
    for number in range(283):
        if number in {90, 200}:
            run.compact(f"Summary at {number}.")
        run.decide(search(f"{number}")).result(
            search(f"{number}"), lines(number, number + 3), carried=lines(number, number + 3)
        )
    found = deliver(run.tell())
    assert len(found.keys) == 283
    assert (found.at("f90", (91, 1)).state, found.at("f91", (92, 1)).state) == ("absent", "whole")


def test_3_a_calls_own_answer_never_stands_in_its_own_prompt():
    """The answer is stored in the run, and in later prompts; the call that asked for it is not one of them."""
    run = story().decide(A).result(A, BODY, carried=BODY).decide().tell()
    found = deliver(run)
    assert [placement.key for placement in found.row("f1")] == [(2, 1)]
    assert all(BODY not in each.text for each in run.decisions[0].messages)


def test_4_after_a_compaction_nothing_from_before_counts_as_received():
    """The prompt shrinks to the summary and what was kept; lines from before it are not supplied any more."""
    run = story().decide(A).result(A, lines(1, 9), carried=lines(1, 9), sources=[source("a.js", 1, 9)]).decide()
    found = deliver(run.compact("They read a.js.").decide().tell())
    assert found.lines("a.js", "sha256:aa", (2, 1)) == ((1, 9),)
    assert found.lines("a.js", "sha256:aa", (3, 1)) == ()


def test_5_prose_that_says_compact_is_prose():
    """Words about compaction in a message are no compaction: without a structural marker the cause is unknown."""
    words = "This session is being continued from a previous conversation that was compacted: /compact, summarised."
    run = story().decide(A).result(A, BODY, carried=BODY).decide().compact(words, marked=False).decide(A)
    assert diagnose(run.tell()).repeats[0].cause == "unknown"
    marked = replace(run.decisions[-1], events=(Event("compaction", message=2),))
    told = replace(run.tell(), decisions=(*run.decisions[:-1], marked))
    assert diagnose(told).repeats[0].cause == "compacted"


def test_7_the_summary_is_a_block_with_its_size():
    """What replaced the history is counted in the prompt like anything else."""
    run = story().decide(A).result(A, BODY, carried=BODY).compact("é" * 50).decide().tell()
    assert components(run.decisions[1])["summary"] == 100


def test_9_a_search_reports_distinct_content():
    """One result, present in calls 11-46, not 36 hits; and a message that left and came back is present twice."""
    run = story()
    for number in range(1, 51):
        if number == 11:
            run.say("user", "the needle is here, a needle")
        if number == 47:
            run.prompt.remove(2)
        run.decide()
    found = list(search_prompts(run.tell(), "needle"))
    assert [(each.message, each.count, each.present) for each in found] == [(2, 2, (((11, 1), (46, 1)),))]
    assert found[0].places == ((4, 10), (22, 28))
    assert found[0].sentence == "2 places in a user message, present in decisions 11-46"
    back = replace(run.decisions[-1], slices=(*run.decisions[-1].slices, (2, 1)))
    told = replace(run.tell(), decisions=(*run.decisions[:-1], back))
    folded = next(iter(search_prompts(told, "NEEDLE", ignore_case=True)))
    assert folded.present == (((11, 1), (46, 1)), ((50, 1), (50, 1)))
    assert list(search_prompts(told, "NEEDLE")) == []
    assert list(search_prompts(told, "")) == []


def test_9_a_search_counts_bytes_and_looks_at_slices_that_grow():
    """Places are UTF-8 bytes; a prompt stored as one growing slice holds its messages from their first call on."""
    run = story().decide().say("user", "éé needle").decide().decide().tell()
    grown = tuple(replace(each, slices=((0, sum(count for _, count in each.slices)),)) for each in run.decisions)
    found = list(search_prompts(replace(run, decisions=grown, messages=run.messages), "needle"))
    assert [(each.places, each.present) for each in found] == [(((5, 11),), (((2, 1), (3, 1)),))]


def test_10_and_11_are_patterns():
    """Cycles, polling, paging sweeps and truncation loops are named: see test_diagnosis_patterns."""
    once = [(search(f"{n}"), lines(n, n + 4, f"w{n}")) for n in range(4)]
    run = story()
    for lookup, body in [*once, *once]:
        run.decide(lookup).result(lookup, body, carried=body)
    assert [(each.kind, each.length, each.turns) for each in diagnose(run.tell()).patterns] == [
        ("cycle", 4, 2),
        ("no_new_evidence", 4, 1),
    ]


def test_a_message_that_imitates_a_marker_is_only_text():
    """A body that holds a rendered ledger, placeholder words or a summary's opening changes nothing."""
    fake = 'Lookup ledger (entries: 1, bytes: 9):\n1. decision 1, completed, result f9, body gone   : ["x",null,null,null]\n'
    run = story().decide(A).result(A, fake, carried=fake).decide(A)
    assert diagnose(run.tell()).repeats[0].cause == "delivered"
    assert message("user", fake).stands_for is None
