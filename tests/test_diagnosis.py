"""Repeats and their causes, each with its proof; near repeats; findings; the sentence that a person can paste."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from stories import BODY, OTHER, bounded, lines, message, read, search, source, story

from core.delivery import deliver
from core.diagnosis import CAUSES, diagnose
from core.diagnosis.causes import CHECKS
from core.model import Event, Limits, Memory, Outcome, SourceRange, ToolResultPart
from core.package import open_package

SAMPLES = Path(__file__).parents[1] / "sample_archives"
A, B = search("unsupported_control"), search("observe")


def only(run):
    """The one repeat of a run."""
    found = diagnose(run).repeats
    assert len(found) == 1
    return found[0]


def test_the_checks_stand_in_the_order_of_the_table():
    """First provable wins, so the order is part of the meaning; `unknown` is what is left."""
    assert [cause for cause, _ in CHECKS] == [
        "uncertain_outcome",
        "overwritten",
        "never_supplied",
        "stale",
        "compacted",
        "cleared",
        "evicted",
        "truncated",
        "delivered",
    ]
    assert (*(cause for cause, _ in CHECKS), "unknown") == CAUSES


# --- one cause after the other


def test_overwritten_is_proven_by_replay_arithmetic_and_what_stands_there_instead():
    """The historical fault: last delivered at 2, replaced at 3 by the newer result, with the budget nearly empty."""
    run = bounded([[(A, BODY)], [(B, OTHER)], [A]], policy="overwrite", stop="repetition_gate")
    found = only(run)
    assert (found.cause, found.kind, found.decision, found.first_decision) == ("overwritten", "identity", (3, 1), 1)
    assert (found.proof.last_delivered, found.proof.dropped_at, found.proof.replaced_by) == ((2, 1), (3, 1), "f2")
    budget = found.proof.budget
    user = run.messages[5].byte_length
    assert (budget.context_bytes, budget.free) == (30_000, 30_000 - user)
    heading = len(
        '\nResult f1 (decision: 1, bytes: 73 of 73): ["search",["unsupported_control"],null,null] from no file\n'
    )
    assert budget.needed == 73 + heading
    assert budget.needed < budget.free
    assert found.remedy.sentence == "keep the earlier result beside the newer one: both fit into the budget"


def test_never_supplied_when_nothing_displaced_it():
    """Completed, never in a prompt, though it fitted: the block was left out while older ones stayed."""
    run = bounded([[(B, OTHER)], [(A, BODY)], [A]], stop="repetition_gate")
    text = run.messages[5].text
    start = text.index("\nResult f2")
    store = [*run.messages[:5], message("user", text[:start])]
    run = replace(run, messages=store, decisions=tuple(replace(d, store=store, memory=None) for d in run.decisions))
    found = only(run)
    assert (found.cause, found.proof.last_delivered, found.proof.dropped_at) == ("never_supplied", None, (3, 1))
    assert found.proof.placement.silent_absence is True


def test_a_sibling_of_the_same_decision_displaces_too():
    """Two lookups of one decision under the fault: the first never reached a prompt, because the second replaced it."""
    run = bounded(
        [[(B, lines(1, 9))], [(A, BODY), (search("c"), OTHER)], [A]], policy="overwrite", stop="repetition_gate"
    )
    found = only(run)
    assert (found.cause, found.proof.replaced_by) == ("overwritten", "f3")


def test_evicted_when_the_repaired_memory_drops_it_too():
    """A budget for one body only: the remedy is the smallest budget that holds both, to the byte."""
    bodies = lines(1, 40), lines(41, 80, "other")
    run = bounded([[(A, bodies[0])], [(B, bodies[1])], [A]], context_bytes=2_600, stop="repetition_gate")
    found = only(run)
    assert (found.cause, found.proof.dropped_at) == ("evicted", (3, 1))
    enough = found.remedy.context_bytes
    larger = bounded([[(A, bodies[0])], [(B, bodies[1])], [A]], context_bytes=enough, stop="repetition_gate")
    smaller = bounded([[(A, bodies[0])], [(B, bodies[1])], [A]], context_bytes=enough - 1, stop="repetition_gate")
    assert (only(larger).cause, only(smaller).cause) == ("delivered", "evicted")


def test_truncated_gives_the_lines_that_fitted():
    """The beginning of a read is there: bytes n of m, the guidance, and which lines fitted."""
    wanted = read("a.js", 1, 60)
    run = bounded(
        [[(wanted, lines(1, 60), (source("a.js", 1, 60),))], [wanted]], context_bytes=1_500, stop="repetition_gate"
    )
    found = only(run)
    assert (found.cause, found.proof.placement.state, found.proof.placement.guidance) == ("truncated", "cut", True)
    first, last = found.remedy.lines
    kept = run.fragments[0].body.encode()[: found.proof.placement.received_bytes].decode()
    assert (found.remedy.path, first, last) == ("a.js", 1, kept.count("\n"))
    assert 1 < last < 60


def test_delivered_only_if_all_of_it_stands_in_the_prompt_that_repeats():
    """Only now is model attention a candidate; the proof is the byte range in that prompt."""
    run = bounded([[(A, BODY)], [A]], stop="repetition_gate")
    found = only(run)
    assert found.cause == "delivered"
    place = found.proof.placement.place
    assert run.decisions[1].messages[place.message].text.encode()[place.start : place.end].decode() == BODY


def test_an_uncertain_outcome_excuses_the_repeat():
    """Asking again may be right: nobody knows what the first lookup returned."""
    run = (
        story()
        .decide(A)
        .result(A, "", carried=None, status="uncertain")
        .decide(A)
        .result(A, BODY, carried=BODY)
        .decide()
    )
    assert only(run.tell()).cause == "uncertain_outcome"


def test_a_known_outcome_counts_before_an_uncertain_one():
    """Asked three times, first without outcome: the third is judged by the second's result."""
    run = story().decide(A).result(A, "", carried=None, status="uncertain").decide(A).result(A, BODY, carried=BODY)
    causes = [each.cause for each in diagnose(run.decide(A).tell()).repeats]
    assert causes == ["uncertain_outcome", "delivered"]


@pytest.mark.parametrize("how", ["hash", "event"])
def test_stale_when_a_later_version_of_its_file_is_recorded(how):
    """Another content hash later, or a patch of the path: it needed the new version."""
    run = story().decide(A).result(A, BODY, carried=BODY, sources=[source("a.js", 1, 4)]).decide(B)
    version = "sha256:bb" if how == "hash" else "sha256:aa"
    run.result(B, OTHER, carried=OTHER, sources=[source("a.js", 8, 11, version)])
    events = [Event("patched", paths=("a.js",))] if how == "event" else []
    found = only(run.decide(A, events=events).tell())
    assert (found.cause, found.also) == ("stale", ("delivered",))


def test_compacted_by_a_structural_marker():
    """A summary replaced the history: the marker may be an event or the message itself."""
    for marked, events in ((True, ()), (False, (Event("compaction", message=2),))):
        run = story().decide(A).result(A, BODY, carried=BODY).decide().compact("So far: nothing.", marked=marked)
        found = only(run.decide(A, events=events).tell())
        assert (found.cause, found.proof.last_delivered, found.proof.dropped_at) == ("compacted", (2, 1), (3, 1))


def test_cleared_by_a_structural_marker():
    """Blanked in place: the event names it, or a placeholder stands for it."""
    for stands_for, events in (("placeholder", ()), (None, (Event("cleared", fragments=("f1",)),))):
        run = story().decide(A).result(A, BODY, carried=BODY).decide()
        run.replace(3, "tool", ToolResultPart("call_f1", "[cleared]"), stands_for=stands_for)
        assert only(run.decide(A, events=events).tell()).cause == "cleared"


@pytest.mark.parametrize("missing", ["budget", "marker", "sent", "result"])
def test_unknown_says_which_fact_is_missing(missing):
    """No budget recorded, no marker, nobody knows whether it was sent, no result: never guessed."""
    if missing == "budget":
        run = bounded([[(A, BODY)], [(B, OTHER)], [A]], policy="overwrite", stop="repetition_gate")
        run = replace(run, limits=Limits())
    elif missing == "marker":
        run = story().decide(A).result(A, BODY, carried=BODY).compact("So far.", marked=False).decide(A).tell()
    elif missing == "sent":
        run = story().decide(A).result(A, BODY, carried=BODY).decide(A, sent=None).tell()
    else:
        run = story().decide(A).decide(A).tell()
    found = only(run)
    said = {
        "budget": "no budget (context_bytes) and no marker of a compaction or clearing is recorded",
        "marker": "no budget (context_bytes) and no marker of a compaction or clearing is recorded",
        "sent": "whether this prompt was sent is not recorded",
        "result": "the result of the earlier lookup is not recorded",
    }
    assert (found.cause, found.proof.missing_fact) == ("unknown", said[missing])


def test_a_marker_of_a_compaction_is_believed_before_a_displacement_is_assumed():
    """A bounded run whose agent compacted: the replay would have kept it, but the marker says who took it away."""
    run = bounded([[(A, BODY)], [(B, OTHER)], [A]], policy="overwrite", stop="repetition_gate")
    last = replace(run.decisions[2], events=(Event("compaction", message=0),))
    assert only(replace(run, decisions=(*run.decisions[:2], last))).cause == "compacted"


def test_lines_that_came_through_another_fragment_are_listed_beside_the_cause():
    """Overwritten, yet the newer, wider read holds every line of it: the fact stands beside the cause."""
    narrow, wide = read("a.js", 10, 12), read("a.js", 1, 20)
    steps = [
        [(narrow, lines(10, 12), (source("a.js", 10, 12),))],
        [(wide, "x\n" + lines(1, 20, "y"), (source("a.js", 1, 20),))],
    ]
    found = only(bounded([*steps, [narrow]], policy="overwrite", stop="repetition_gate"))
    assert (found.cause, found.also) == ("overwritten", ("delivered",))
    assert found.proof.placement.state == "overlap"


# --- what counts as a repeat


def test_the_summary_is_no_part_of_the_identity():
    """The same request in other words is the same request."""
    run = story().decide(A).result(A, BODY, carried=BODY).decide(replace(A, summary="please, once more")).tell()
    assert only(run).identity == A.identity


def test_a_read_of_lines_that_were_all_sent_before_is_a_repeat():
    """Another range of the same version, wholly inside what earlier prompts carried."""
    first, second, third = read("a.js", 1, 20), read("a.js", 21, 40), read("a.js", 10, 30)
    run = story()
    for each, (start, end) in ((first, (1, 20)), (second, (21, 40)), (third, (10, 30))):
        run.decide(each).result(
            each, lines(start, end), carried=lines(start, end), sources=[source("a.js", start, end)]
        )
    found = only(run.decide().tell())
    assert (found.kind, found.decision, found.cause) == ("range", (3, 1), "delivered")


@pytest.mark.parametrize(("version", "end"), [("sha256:bb", 30), ("sha256:aa", 41)])
def test_another_version_or_one_new_line_is_no_repeat(version, end):
    """The same file name with another hash or another interval is another range."""
    run = (
        story()
        .decide(read("a.js", 1, 40))
        .result(read("a.js", 1, 40), lines(1, 40), carried=lines(1, 40), sources=[source("a.js", 1, 40)])
    )
    again = read("a.js", 10, end)
    run.decide(again).result(again, lines(10, end), carried=lines(10, end), sources=[source("a.js", 10, end, version)])
    found = diagnose(run.decide().tell())
    assert found.repeats == ()
    assert [each.why for each in found.near_repeats] == ["overlapping range"]


def test_lines_that_were_asked_for_but_never_sent_do_not_make_a_repeat():
    """Supplied means sent: what a memory left out was not supplied."""
    run = (
        story()
        .decide(read("a.js", 1, 40))
        .result(read("a.js", 1, 40), lines(1, 40), carried=None, sources=[source("a.js", 1, 40)])
    )
    again = read("a.js", 10, 20)
    run.decide(again).result(again, lines(10, 20), carried=lines(10, 20), sources=[source("a.js", 10, 20)])
    assert diagnose(run.decide().tell()).repeats == ()


def test_near_repeats_are_listed_apart():
    """The same query after case folding and white space; never counted as a repeat."""
    run = story().decide(search("Start  Video")).result(search("Start  Video"), BODY, carried=BODY)
    found = diagnose(run.decide(search("start video")).tell())
    assert found.repeats == ()
    assert [(each.why, each.decision, each.first_decision) for each in found.near_repeats] == [
        ("same query", (2, 1), 1)
    ]


def test_a_lookup_that_was_never_performed_is_not_asked_again():
    """A reply that a limit rejected left no result: the next attempt asks for the first time."""
    run = story().decide(A, status="rejected", outcome=Outcome("stopped", by="call_limit"))
    assert diagnose(run.decide(A).result(A, BODY, carried=BODY).decide().tell()).repeats == ()


def test_a_new_attempt_starts_with_an_empty_memory():
    """Index and attempt both go up: nothing asked in the attempt before is asked again in this one."""
    run = story().decide(A).result(A, BODY, carried=BODY).decide(A).tell()
    fresh = replace(run.decisions[1], attempt=2)
    assert diagnose(replace(run, decisions=(run.decisions[0], fresh))).repeats == ()
    retried = replace(run.decisions[1], index=3)
    waste = replace(run.decisions[1], reply=None)
    again = replace(waste, attempt=2)
    assert len(diagnose(replace(run, decisions=(run.decisions[0], waste, again, retried))).repeats) == 1


# --- findings and verdict


def test_a_falsified_log_is_a_finding_and_changes_no_cause():
    """The log says that f1 was sent at 3; the text says that it was not. The text decides, the reader is told."""
    run = open_package(SAMPLES / "video_start_overwritten")
    block = run.decisions[1].memory.blocks[0]
    honest = run.decisions[2].memory
    false = replace(run.decisions[2], memory=replace(honest, blocks=(block,), evicted=("f2",)))
    found = diagnose(replace(run, decisions=(run.decisions[0], run.decisions[1], false)))
    assert found.verdict.cause == "overwritten"
    said = [(each.kind, each.decision, each.fragment) for each in found.findings]
    assert said == [("disagreement", (3, 1), "f1"), ("disagreement", (3, 1), "f2")]
    assert "they do not stand where the log says" in found.findings[0].sentence
    assert "evicted; its block stands in the text" in found.findings[1].sentence


@pytest.mark.parametrize("name", ["video_start_overwritten", "video_start_retained", "tight_budget", "adjacent_reads"])
def test_an_honest_log_gives_no_finding(name):
    """The recorder's log of every sample agrees with its texts."""
    assert diagnose(open_package(SAMPLES / name)).findings == ()


def test_a_ledger_claim_is_checked_too():
    """The log says that a body is whole, and names a place where its entry is not."""
    run = open_package(SAMPLES / "video_start_overwritten")
    entry = run.decisions[2].memory.ledger[0]
    for wrong, said in (
        (replace(entry, body="whole"), "the log says that its body is whole; the text has no block of it"),
        (replace(entry, start=0, end=20), "a ledger entry does not stand where the log says"),
    ):
        memory = replace(run.decisions[2].memory, ledger=(wrong, run.decisions[2].memory.ledger[1]))
        decisions = (*tuple(run.decisions)[:2], replace(run.decisions[2], memory=memory))
        findings = diagnose(replace(run, decisions=decisions)).findings
        assert [each.sentence for each in findings] == [f"decision 3: {said}"]


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"base_bytes": 7}, "the log says that the base context takes 7 B; in the text it takes 1,105 B"),
        ({"context_bytes": 9000}, "the log says that the budget is 9,000 B; the package records 30,000 B"),
        ({"ledger": ()}, "the log has 0 ledger entries; the text has 2"),
        (
            {"supplied": (SourceRange("src/errors.js", "sha256:0", 1, 2),)},
            "of the 1 supplied ranges in the log, the text names 0",
        ),
        ({"evicted": ("f1", "f9")}, "the log says that it has left since decision 2; that prompt had no block of it"),
    ],
)
def test_every_field_of_the_log_is_held_against_the_text(wrong, said):
    """Sizes, budget, ledger, supplied ranges and evictions are claims like the blocks."""
    run = open_package(SAMPLES / "video_start_overwritten")
    memory = replace(run.decisions[2].memory, **wrong)
    decisions = (*tuple(run.decisions)[:2], replace(run.decisions[2], memory=memory))
    found = diagnose(replace(run, decisions=decisions))
    assert any(said in each.sentence for each in found.findings)
    assert found.verdict.cause == "overwritten"


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"status": "failed"}, "another status than the text"),
        ({"decision": 9}, "another decision ask for it than the text"),
        ({"fragment": "f2", "body": None}, "names another lookup here than the text"),
    ],
)
def test_every_field_of_a_ledger_entry_is_held_against_its_line(wrong, said):
    """Status, decision and fragment of an entry are those of the line that was sent."""
    run = open_package(SAMPLES / "video_start_overwritten")
    first, second = run.decisions[2].memory.ledger
    memory = replace(run.decisions[2].memory, ledger=(replace(first, **wrong), second))
    decisions = (*tuple(run.decisions)[:2], replace(run.decisions[2], memory=memory))
    (finding,) = diagnose(replace(run, decisions=decisions)).findings
    assert said in finding.sentence


def test_a_silent_absence_is_a_finding():
    """A call without its result: the prompt goes on as if it had been answered, and none ever had the body."""
    found = diagnose(story().decide(A).result(A, BODY, carried=None).decide().tell()).findings
    assert [(each.kind, each.decision, each.fragment) for each in found] == [
        ("never_received", (2, 1), "f1"),
        ("silent_absence", (2, 1), "f1"),
    ]


def test_the_verdict_of_the_historical_failure_names_all_that_matters():
    """Decision, lookup, bytes, files, what replaced it, free budget, cause; and that replies are scripted."""
    assert diagnose(open_package(SAMPLES / "video_start_overwritten")).verdict.sentence == (
        "Stopped at decision 3 by the repetition gate: search `unsupported_control` was repeated; its result (1,629 B, "
        "src/errors.js 12-16, src/player.js 24-32, 2 more) was in decision 2's prompt, was replaced at decision 3 by symbol "
        "`observePlayback` (1,437 B, src/observe.js 13-47), and 26,586 B of budget were free: overwritten, not a matter of "
        "attention. Replies are scripted: this verifies delivery, not reasoning."
    )


def test_the_verdict_of_the_repaired_run_is_a_sentence_too():
    """A run without a stall says so, and how it ended."""
    verdict = diagnose(open_package(SAMPLES / "video_start_retained")).verdict
    assert (verdict.stalled, verdict.cause) == (False, None)
    assert verdict.sentence == (
        "No stall: the run ended patched at decision 3, and no lookup was repeated. "
        "Replies are scripted: this verifies delivery, not reasoning."
    )


def test_the_tight_budget_sample_is_evicted_with_its_arithmetic():
    """2,040 B with its heading, 4,279 B for all blocks, 1 B free; and the smallest budget that would have kept it."""
    found = diagnose(open_package(SAMPLES / "tight_budget"))
    assert [(each.decision[0], each.cause) for each in found.repeats] == [(5, "uncertain_outcome"), (6, "evicted")]
    budget = found.repeats[1].proof.budget
    assert (budget.context_bytes, budget.needed, budget.available, budget.free) == (5800, 2040, 4279, 1)
    assert found.repeats[1].remedy.context_bytes == 13_292
    assert (found.verdict.stalled, found.verdict.decision) == (True, (8, 2))


@pytest.mark.parametrize("by", ["call_limit", "prompt_limit", "context_limit"])
def test_a_limit_at_the_end_is_a_stall_and_a_chosen_stop_is_not(by):
    """Stalled means ended by the repetition gate, a limit, or in an unchanged cycle."""
    run = (
        story().decide(A).result(A, BODY, carried=BODY).decide(B, status="rejected", outcome=Outcome("stopped", by=by))
    )
    assert diagnose(run.tell()).verdict.stalled is True
    for other in ("reply", "cost_limit"):
        chosen = story().decide(A).result(A, BODY, carried=BODY).decide(outcome=Outcome("stopped", by=other))
        assert diagnose(chosen.tell()).verdict.stalled is False


def test_the_sentence_carries_the_grade_where_it_is_not_recorded_bytes():
    """A statement about a rebuilt prompt says that it is rebuilt."""
    run = replace(story().decide(A).tell(), prompts="rebuilt")
    found = diagnose(run)
    assert (found.grade.name, found.verdict.sentence.endswith("Evidence grade: rebuilt.")) == ("rebuilt", True)


def test_nothing_sent_is_nothing_to_say():
    """An empty recording, or one whose prompts were all refused before any outcome."""
    run = story().tell()
    assert diagnose(run).verdict.sentence.startswith("No decision of this recording was sent")


def test_deliveries_that_are_given_are_used():
    """A page that has the matrix need not pay for it again."""
    run = open_package(SAMPLES / "video_start_overwritten")
    assert diagnose(run, deliver(run)) == diagnose(run)


def test_text_of_a_package_cannot_break_the_sentence():
    """Line breaks, backquotes and length of a query are tamed; nothing else of it is changed."""
    odd = search("a`b\nc" + "x" * 200)
    run = bounded([[(odd, BODY)], [odd]], stop="repetition_gate")
    sentence = diagnose(run).verdict.sentence
    assert "search `a'b c" + "x" * 10 in sentence
    assert "\n" not in sentence
    assert "x" * 81 not in sentence


def test_a_log_without_claims_is_no_disagreement():
    """A recorder that logs only its budget claims nothing about blocks."""
    run = bounded([[(A, BODY)], [B]])
    bare = tuple(replace(each, memory=Memory(context_bytes=30_000)) for each in run.decisions)
    assert diagnose(replace(run, decisions=bare)).findings == ()
