"""Shapes over several decisions, and what is told apart from a stall."""

from __future__ import annotations

import pytest
from stories import lines, read, search, source, story

from core.diagnosis import diagnose
from core.model import Event


def kinds(run):
    return [each.kind for each in diagnose(run.tell()).patterns]


def walk(asks, run=None):
    """A transcript that asks one lookup a decision; `asks` are `(lookup, body)`."""
    run = run or story()
    for lookup, body in asks:
        run.decide(lookup).result(lookup, body, carried=body)
    return run


def block(count, turn="same"):
    return [(search(f"word {number}"), lines(number, number + 3, f"w{number}_{turn}")) for number in range(count)]


def test_a_block_of_thirty_lookups_walked_twice_is_one_cycle():
    """Not 30 immediate repetitions, and none of the lookups follows itself: block length 30, two turns."""
    found = diagnose(walk([*block(30), *block(30)]).tell())
    cycle = next(each for each in found.patterns if each.kind == "cycle")
    assert (cycle.length, cycle.turns, cycle.stall, len(cycle.decisions)) == (30, 2, True, 60)
    assert len(found.repeats) == 30


def test_the_shortest_block_of_a_cycle_is_named():
    """A b a b a b is a block of two walked three times, not a block of four."""
    found = diagnose(walk(block(2) * 3).tell())
    cycles = [(each.length, each.turns) for each in found.patterns if each.kind == "cycle"]
    assert cycles == [(2, 3)]


def test_an_unchanged_cycle_at_the_end_is_a_stall():
    """Nothing new came back in the second turn, and nothing came after it."""
    stalled = diagnose(walk([*block(3), *block(3)]).tell()).verdict
    assert (stalled.stalled, stalled.decision, stalled.cause) == (True, (6, 1), "delivered")
    assert stalled.sentence.startswith("Ended at decision 6 in an unchanged cycle (a block of 3 lookups")
    went_on = diagnose(walk([(search("new"), lines(90, 99))], walk([*block(3), *block(3)])).tell()).verdict
    assert went_on.stalled is False


def test_a_cycle_whose_answers_change_is_progress():
    """The same block after an edit, with other answers."""
    found = diagnose(walk([*block(3), *block(3, "later")]).tell())
    assert [each.stall for each in found.patterns if each.kind == "cycle"] == [False]
    assert found.verdict.stalled is False


def test_polling_with_changed_answers_is_told_apart():
    """A test run again after edits, or a status asked for until it changes, is progress."""
    runs = [
        (search("run tests"), f"{failed} of 9 tests failed, see the log of the run for details") for failed in (5, 3, 0)
    ]
    found = diagnose(walk(runs).tell())
    polling = next(each for each in found.patterns if each.kind == "polling")
    assert (polling.length, polling.stall, "progress, not a stall" in polling.sentence) == (3, False, True)
    assert [each.changed for each in found.repeats] == [True, True]
    assert found.verdict.stalled is False


def test_one_changed_answer_is_named_too():
    """Asked twice with another answer: a changed answer, not polling."""
    assert kinds(walk([(search("status"), "pending " * 9), (search("status"), "done " * 9)])) == ["changed_answer"]


def test_the_same_read_after_every_edit():
    """Three edits of a file, each followed by the same read of it."""
    run = story()
    for turn in range(4):
        events = [Event("patched", paths=("a.js",))] if turn else []
        body = lines(1, 9, f"v{turn}")
        run.decide(read("a.js", 1, 9), events=events)
        run.result(read("a.js", 1, 9), body, carried=body, sources=[source("a.js", 1, 9, f"sha256:{turn}")])
    found = diagnose(run.decide().tell())
    pattern = next(each for each in found.patterns if each.kind == "read_after_edit")
    assert (pattern.decisions, pattern.stall) == (((2, 1), (3, 1), (4, 1)), False)
    assert {each.cause for each in found.repeats} == {"stale"}


@pytest.mark.parametrize(("decisions", "found"), [(3, False), (4, True)])
def test_a_run_of_decisions_without_a_new_line(decisions, found):
    """Searches whose lines were all seen before, whatever they asked for; four in a row are named."""
    run = (
        story()
        .decide(read("a.js", 1, 90))
        .result(read("a.js", 1, 90), lines(1, 90), carried=lines(1, 90), sources=[source("a.js", 1, 90)])
    )
    for number in range(decisions):
        start = 10 + number
        run.decide(search(f"{number}"))
        run.result(
            search(f"{number}"),
            lines(start, start + 5),
            carried=lines(start, start + 5),
            sources=[source("a.js", start, start + 5)],
        )
    assert ("no_new_evidence" in kinds(run.decide())) is found


def test_a_paging_sweep_is_one_file_in_many_small_ranges():
    """164 reads of 10 lines each, one after the other: one pattern, not 164 lookups."""
    run = story()
    for page in range(164):
        start = 1 + 10 * page
        each = read("big.js", start, start + 9)
        run.decide(each).result(
            each, lines(start, start + 9), carried=lines(start, start + 9), sources=[source("big.js", start, start + 9)]
        )
    found = [each for each in diagnose(run.decide().tell()).patterns if each.kind == "paging_sweep"]
    assert [(each.length, len(each.decisions)) for each in found] == [(164, 164)]
    assert found[0].sentence == "big.js was read in 164 ranges, lines 1-1640, one after the other"


def test_reads_here_and_there_are_no_sweep():
    """Twelve reads of one file at places that do not follow one another."""
    run = story()
    for page in range(12):
        start = 1 + (page * 7 % 12) * 100
        each = read("big.js", start, start + 9)
        run.decide(each).result(
            each, lines(start, start + 9), carried=lines(start, start + 9), sources=[source("big.js", start, start + 9)]
        )
    assert "paging_sweep" not in kinds(run.decide())


def test_most_results_cut_are_a_truncation_loop():
    """Cut in the prompt, or by the tool itself: a run that only ever reads beginnings."""
    run = story()
    for number in range(8):
        body = lines(number * 50, number * 50 + 40)
        if number < 3:
            run.decide(search(f"{number}")).result(search(f"{number}"), body, carried=body[:300])
        elif number < 6:
            marked = f"{body}\n… 1200 tokens truncated …"
            run.decide(search(f"{number}")).result(search(f"{number}"), marked, carried=marked)
        else:
            run.decide(search(f"{number}")).result(search(f"{number}"), body, carried=body)
    found = [each for each in diagnose(run.decide().tell()).patterns if each.kind == "truncation_loop"]
    assert [(each.length, each.sentence) for each in found] == [(6, "6 of 8 results were cut, from decision 1 on")]


def test_a_file_that_talks_about_truncation_is_not_cut():
    """Prose and code that hold the words are no marks of a tool."""
    body = lines(1, 30) + "\n// the output was never truncated here, nor omitted\n" + lines(31, 60)
    assert "truncation_loop" not in kinds(walk([(search(f"{n}"), f"// {n}\n{body}") for n in range(8)]).decide())
