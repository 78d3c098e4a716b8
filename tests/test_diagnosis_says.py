"""What the sentences say: no more and no less than the texts prove."""

from __future__ import annotations

from dataclasses import replace

import pytest
from stories import BODY, OTHER, Story, lines, read, search

from core.delivery import deliver
from core.diagnosis import diagnose
from core.diagnosis.losses import is_lost
from core.model import Event, Limits, Message, Outcome, Problem, Reply, SourceRange
from core.wording import causes_text, clipped, repeat_text
from pages.parts import labels

A, B, C = search("unsupported_control"), search("observe"), search("helper")
GATE = Outcome("stopped", "repetition_gate")
NO_BUDGET = "no budget (context_bytes) and no marker of a compaction or clearing is recorded"


GRADE = " Evidence grade: recorded messages."


def said_of(verdict):
    """The verdict's sentence without the grade of these stories."""
    assert verdict.sentence.endswith(GRADE)
    return verdict.sentence.removesuffix(GRADE)


def story():
    return Story().say("system", "Find the fault.").say("user", "It does not start.")


def plain(carried, *, again=True):
    """A generic loop in plain messages: A at decision 2 is carried as said, and decision 4 asks again, or stops."""
    run = story().decide(B).result(B, OTHER, carried=OTHER, tool=False)
    run.decide(A).result(A, BODY, carried=carried, tool=False)
    run.decide(C).result(C, lines(1, 9), carried=lines(1, 9), tool=False)
    return run.decide(A, outcome=GATE) if again else run.decide(outcome=Outcome("stopped"))


# --- what became of a result of which no cause is recorded


def test_a_result_that_no_prompt_had_is_said_to_be_in_none():
    """The cause is unknown, and the sentence says what the two prompts since prove."""
    found = diagnose(plain(None).tell())
    assert found.verdict.cause == "unknown"
    assert said_of(found.verdict) == (
        "Stopped at decision 4 by the repetition gate: search `unsupported_control` was repeated; its result (73 B) was asked "
        "for at decision 2 and stood in none of the 2 prompts sent since; what kept it out is not recorded "
        f"({NO_BUDGET}): cause unknown."
    )
    assert found.repeats[0].proof.missing_fact == NO_BUDGET


def test_a_result_that_stood_once_is_said_to_be_gone_since():
    """Whole in decision 2's prompt, taken out before decision 3's."""
    run = story().decide(A).result(A, BODY, carried=BODY, tool=False)
    run.decide(B).result(B, OTHER, carried=OTHER, tool=False)
    del run.prompt[2]
    sentence = diagnose(run.decide(C).decide(A, outcome=GATE).tell()).verdict.sentence
    assert "its result (73 B) was whole in decision 2's prompt and is gone from decision 3 on; " in sentence
    assert f"what removed it is not recorded ({NO_BUDGET}): cause unknown." in sentence


@pytest.mark.parametrize(
    ("carried", "said"),
    [
        ("", " (decision 4's holds only its marker, which does not say that the body is gone)"),
        ("[result omitted]", " (decision 4's holds only its marker)"),
    ],
)
def test_what_stands_in_its_place_is_said(carried, said):
    """A tool result that was emptied, or holds a note: its place is there, its body in none of the prompts."""
    run = story().decide(B).result(B, OTHER, carried=OTHER).decide(A).result(A, BODY, carried=carried)
    found = diagnose(run.decide(C).decide(A, outcome=GATE).tell())
    assert (
        f"stood in none of the 2 prompts sent since{said}; what kept it out is not recorded" in found.verdict.sentence
    )


def test_why_a_replay_cannot_say_is_told_in_full():
    """With a budget but no bounded memory, the reason stands there to its end."""
    run = plain(None)
    run.limits = Limits(context_bytes=30_000, prompt_bytes=42_000)
    detail = diagnose(run.tell()).repeats[0].proof.detail
    assert detail.endswith(
        "and a replay cannot say (no prompt of this recording has the format bounded_repair_v1: it has no such memory to replay)"
    )


def test_an_empty_result_is_said_to_be_empty():
    """No range of no bytes: the empty result stands in message 4."""
    found = diagnose(story().decide(A).result(A, "", carried="").decide(A, outcome=GATE).tell())
    assert found.repeats[0].proof.detail == "is empty, and stands so in decision 2's prompt (message 4)"


def test_messages_count_from_1_in_sentences_and_from_0_in_fields():
    """The body is the third message of decision 2's prompt."""
    found = diagnose(story().decide(A).result(A, BODY, carried=BODY, tool=False).decide(A, outcome=GATE).tell())
    (repeat,) = found.repeats
    assert repeat.proof.detail == "stands whole in decision 2's prompt (message 3, bytes 0-73)"
    assert repeat.proof.placement.message == 2


def test_a_cut_result_reads_as_a_sentence():
    """No question mark before a full stop."""
    run = story().decide(A).result(A, lines(1, 30), carried=lines(1, 5)).decide(A, outcome=GATE)
    assert said_of(diagnose(run.tell()).verdict).endswith(
        "truncated: bounded memory, the part that was needed may be the one that was cut."
    )


def test_a_long_text_is_cut_after_a_word_and_says_by_how_much():
    """A word that is longer than all is cut where it must be."""
    assert clipped("it has no such memory to replay", 18) == "it has no such… (+17 characters)"
    assert clipped("x" * 30, 20) == "x" * 20 + "… (+10 characters)"
    assert clipped("short", 20) == "short"


# --- results that never reached a prompt


def test_a_result_in_none_of_the_prompts_after_it_is_a_finding_without_any_repeat():
    """Nobody asked again: the finding and the verdict say it all the same, and the run is not clear."""
    found = diagnose(plain(None, again=False).tell())
    (finding,) = found.findings
    assert (finding.kind, finding.fragment, finding.decision) == ("never_received", "f2", (3, 1))
    assert finding.sentence == (
        "f2 (search `unsupported_control`, 73 B) was in none of the 2 prompts sent after decision 2"
    )
    assert said_of(found.verdict) == (
        "No stall: the run stopped at decision 4, and no lookup was repeated; 1 completed result never reached a prompt."
    )
    assert found.verdict.clear is False


def test_the_result_that_the_verdict_names_is_not_counted_again():
    """With a repeat of that very result, there is one finding, and no second mention."""
    found = diagnose(plain(None).tell())
    assert [each.kind for each in found.findings] == ["never_received"]
    assert "never reached" not in found.verdict.sentence


def test_a_compaction_right_after_the_result_is_named():
    """The prompt that should have had it begins after a compaction."""
    run = story().decide(A).result(A, BODY, carried=None, tool=False).decide(events=(Event("compaction"),))
    (finding,) = diagnose(run.tell()).findings
    assert finding.sentence == (
        "f1 (search `unsupported_control`, 73 B) was not in the one prompt sent after decision 1; "
        "decision 2 begins after a compaction"
    )


def test_a_result_whose_lines_came_through_another_before_a_compaction_is_not_lost():
    """The last prompt before the compaction is looked at, though a later one does not continue it."""
    run = story().decide(A).result(A, lines(1, 9), carried=None, tool=False)
    run.decide(B).result(B, lines(1, 20), carried=lines(1, 20)).decide().decide()
    run.compact("The start was looked at.").decide()
    told = run.tell()
    assert [deliver(told).continues((k, 1), (k - 1, 1)) for k in (2, 3, 4, 5)] == [True, True, True, False]
    assert diagnose(told).findings == ()


@pytest.mark.parametrize(
    ("body", "status"),
    [("too short to judge", "completed"), ("", "completed"), (BODY, "failed"), (BODY, "uncertain")],
)
def test_what_cannot_be_judged_is_no_finding(body, status):
    """Bodies under 32 bytes, and lookups that did not complete."""
    run = story().decide(A).result(A, body, carried=None, tool=False, status=status).decide()
    assert diagnose(run.tell()).findings == ()


def test_the_result_of_the_last_decision_is_no_finding():
    """No prompt came after it."""
    assert diagnose(story().decide(A).result(A, BODY, carried=None, tool=False).tell()).findings == ()


def test_lines_that_came_whole_through_another_result_are_no_finding():
    """The same lines stand in the prompt as part of a larger result."""
    run = story().decide(A, B).result(A, lines(3, 9), carried=None, tool=False)
    run.result(B, lines(1, 20), carried=lines(1, 20), tool=False).decide()
    assert diagnose(run.tell()).findings == ()


def test_a_prompt_that_cannot_be_read_may_have_carried_it():
    """Nothing is said of a result if one of the prompts after it is lost in part."""
    run = plain(None, again=False).tell()
    lost = Message("", (), problem=Problem("messages.jsonl", 1, "not JSON"))
    store = (*run.messages[:-1], lost)
    broken = replace(run, messages=store, decisions=tuple(replace(each, store=store) for each in run.decisions))
    assert diagnose(broken).findings == ()


@pytest.mark.parametrize(
    ("carried", "lost"),
    [(None, True), (lines(1, 5), True), (lines(1, 30), False)],
)
def test_a_repeat_is_a_loss_where_its_result_was_absent_or_cut(carried, lost):
    """Whatever the cause: nothing of it, its beginning, all of it."""
    run = story().decide(A).result(A, lines(1, 30), carried=carried).decide(A, outcome=GATE)
    (repeat,) = diagnose(run.tell()).repeats
    assert is_lost(repeat) is lost


# --- loops, limits, progress


def walked(times, *, answers=lambda _: BODY, last=None, between=()):
    """A asked for again and again, then whatever comes between, then an answer."""
    run = story()
    for turn in range(times):
        run.decide(A).result(A, answers(turn), carried=answers(turn))
    for other in between:
        run.decide(other).result(other, f"{other.identity} {OTHER}", carried=f"{other.identity} {OTHER}")
    run.decide(outcome=last)
    run.decisions[-1] = replace(run.decisions[-1], reply=Reply(text="It is the control."), outcome=last)
    return diagnose(run.tell()).verdict


def test_a_loop_that_was_left_by_an_answer_comes_first():
    """Five times the same answer, then the run answered: looped, not stalled, not clear."""
    verdict = walked(5)
    assert said_of(verdict) == (
        "Looped: search `unsupported_control` was asked for 5 times running with an unchanged answer, delivered each time "
        "(decisions 1 to 5); the run then answered at decision 6."
    )
    assert (verdict.stalled, verdict.looped, verdict.clear, verdict.cause) == (False, True, False, "delivered")
    assert verdict.repeat.decision == (5, 1)


def test_a_loop_of_half_of_all_lookups_counts_although_others_came_after_it():
    """Five of seven: the run went on; five of eleven: that is a pattern, and no story of the whole run."""
    few = [search(f"other {number}") for number in range(6)]
    verdict = walked(5, between=few[:2])
    assert verdict.looped
    assert said_of(verdict).endswith("(decisions 1 to 5); the run went on, and answered at decision 8.")
    assert not walked(5, between=few).looped


def test_changed_answers_are_no_loop_and_are_counted_apart():
    """The same search with another answer each time is progress, and the count says so."""
    verdict = walked(4, answers=lambda turn: f"{BODY}\n{turn}")
    assert not verdict.looped
    assert said_of(verdict) == (
        "No stall: the run ended at decision 5; 3 repeated lookups (3 with a changed answer: progress)."
    )
    assert verdict.clear is True


def test_delivered_repeats_and_progress_are_counted_apart():
    """One unchanged, one changed."""
    run = story().decide(A).result(A, BODY, carried=BODY).decide(B).result(B, OTHER, carried=OTHER)
    run.decide(A).result(A, BODY, carried=BODY).decide(B).result(B, f"{OTHER}\n2", carried=f"{OTHER}\n2").decide()
    found = diagnose(run.tell())
    assert said_of(found.verdict) == (
        "No stall: the run ends at decision 5; 2 repeated lookups (1 delivered; 1 with a changed answer: progress)."
    )
    assert repeat_text(found.repeats[1]).endswith(". Asking again gave a changed answer.")
    assert repeat_text(found.repeats[0]).endswith(").")


def test_a_read_of_lines_that_were_sent_before_is_another_question():
    """Its answer is shorter, and that is no changed answer."""
    whole, inside = (SourceRange("a.js", "sha256:1", first, last) for first, last in ((1, 9), (3, 5)))
    run = (
        story().decide(read("a.js", 1, 9)).result(read("a.js", 1, 9), lines(1, 9), carried=lines(1, 9), sources=[whole])
    )
    run.decide(read("a.js", 3, 5)).result(
        read("a.js", 3, 5), lines(3, 5), carried=lines(3, 5), sources=[inside]
    ).decide()
    (repeat,) = diagnose(run.tell()).repeats
    assert (repeat.kind, repeat.cause, repeat.changed) == ("range", "delivered", None)


@pytest.mark.parametrize(
    ("by", "said", "clear"),
    [
        ("cost_limit", "No stall: the run was stopped by the cost limit at decision 2, and", False),
        ("Submitted", "No stall: the run ended by submitting its answer at decision 2, and", True),
        ("conclusion", "No stall: the run ended with a conclusion at decision 2, and", True),
        ("exit_format", "No stall: the run stopped (exit format) at decision 2, and", True),
    ],
)
def test_how_a_run_ended_is_said_in_words(by, said, clear):
    """A limit on costs is no stall, but nothing that speaks for the run either."""
    run = story().decide(A).result(A, BODY, carried=BODY).decide(outcome=Outcome("stopped", by))
    verdict = diagnose(run.tell()).verdict
    assert verdict.sentence.startswith(said)
    assert (verdict.stalled, verdict.clear) == (False, clear)


def test_the_final_cycle_names_its_repeat_and_counts_all():
    """One repeat came before the cycle: the count is of the run, and says how many are of the cycle."""
    run = story().decide(C).result(C, lines(1, 9), carried=lines(1, 9)).decide(C)
    run.result(C, lines(1, 9), carried=lines(1, 9))
    for _ in range(2):
        for lookup, body in ((A, BODY), (B, OTHER)):
            run.decide(lookup).result(lookup, body, carried=body)
    verdict = diagnose(run.tell()).verdict
    assert verdict.sentence.startswith("Ended at decision 6 in an unchanged cycle (a block of 2 lookups")
    assert "; 3 repeated lookups (3 delivered), 2 of them in the final cycle; at decision 6 search" in verdict.sentence
    assert (verdict.repeat.decision, verdict.repeat.fragment) == ((6, 1), "f4")


def test_decisions_that_cannot_be_read_are_counted_in_the_sentence():
    """One record of three is damaged: what it would have said is missing in everything else."""
    run = story().decide(A).result(A, BODY, carried=BODY).decide(B).result(B, OTHER, carried=OTHER).decide()
    made = run.tell()
    broken = replace(made.decisions[1], slices=(), problem=Problem("decisions.jsonl", 2, "not JSON"))
    verdict = diagnose(replace(made, decisions=(made.decisions[0], broken, made.decisions[2]))).verdict
    assert "1 of 3 decisions could not be read." in verdict.sentence
    assert verdict.clear is False


@pytest.mark.parametrize(
    ("run", "tone"),
    [
        (story().decide(A).result(A, BODY, carried=BODY).decide(), "good"),
        (story().decide(A).result(A, BODY, carried=BODY).decide(A, outcome=GATE), "bad"),
        (story().decide(A).result(A, BODY, carried=BODY).decide(outcome=Outcome("stopped", "cost_limit")), "warn"),
        (plain(None, again=False), "warn"),
        (story(), "info"),
    ],
)
def test_only_a_run_against_which_nothing_stands_is_green(run, tone):
    """Stalled: bad. Stopped by costs, or with a result that never reached a prompt: a warning. No decision: neither."""
    assert labels.verdict_tone(diagnose(run.tell()).verdict) == tone


def test_the_tile_counts_each_cause():
    """A number for each, not their names alone."""
    run = story().decide(A).result(A, BODY, carried=BODY).decide(A).result(A, BODY, carried=BODY).decide(A)
    assert causes_text(diagnose(run.tell()).repeats) == "2 delivered"
