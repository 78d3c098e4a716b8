"""A replay beside the record: what would have differed, budgets worth trying, weights in other encodings."""

from pathlib import Path

import pytest

from core.measure import measure
from core.model import Investigation, Limits
from core.package import open_package
from core.replay import history, replay
from core.what_if import (
    budgets,
    differences,
    formats,
    holds_memory,
    holds_views,
    replay_bars,
    replay_matrix,
    sentence,
    weights,
)

SAMPLES = Path(__file__).parent.parent / "sample_archives"


@pytest.fixture(scope="module")
def overwritten():
    return open_package(SAMPLES / "video_start_overwritten")


@pytest.fixture(scope="module")
def tight():
    return open_package(SAMPLES / "tight_budget")


def test_the_repaired_policy_keeps_the_first_result(overwritten):
    """Under retain and the recorded budget decision 3 would have had f1 whole, and nothing else would have differed."""
    found = replay(overwritten, policy="retain")
    (one,), count = differences(found, 10)
    assert count == 1
    assert (one.key, one.fragment) == ((3, 1), "f1")
    assert (one.recorded.state, one.replayed.state, one.replayed.sent_bytes) == ("gone", "whole", 1_629)
    assert one.sentence == "f1 would have been whole (1,629 B); recorded: gone"
    assert sentence(found) == (
        "Under retain and 30,000 B, 1 of 3 prompts would have carried something else, first decision 3: "
        "f1 would have been whole (1,629 B); recorded: gone."
    )


def test_the_recorded_policy_gives_what_was_recorded(overwritten):
    """Under the policy that was at work nothing differs, and the sentence says so."""
    found = replay(overwritten, policy="overwrite")
    assert differences(found, 10) == ((), 0)
    assert (
        sentence(found) == "Under overwrite and 30,000 B, every one of 3 prompts would have carried what was recorded."
    )


def test_the_matrix_marks_what_is_not_as_recorded(overwritten):
    """States as replayed stand beside those of the record; columns and rows are those of the evidence matrix."""
    found = replay_matrix(overwritten, replay(overwritten, policy="retain"), decisions=range(3), fragments=[0, 1])
    assert [(column.first, column.count, column.sent) for column in found.columns] == [
        ((1, 1), 1, True),
        ((2, 1), 1, True),
        ((3, 1), 1, True),
    ]
    first, second = found.rows
    assert (first.states, first.recorded) == ((None, "whole", "whole"), (None, "whole", "marker_only"))
    assert (second.states, second.recorded) == ((None, None, "whole"), (None, None, "whole"))
    assert first.asks == ("requested", None, None)


def test_sizes_by_component_beside_the_recorded_size(overwritten):
    """Components sum to the replayed prompt, and the recorded size stands beside it: 2,040 B more with f1's block."""
    found = replay(overwritten, policy="retain")
    made = replay_bars(found, history(overwritten), 100)
    assert [(bar.key, bar.total, recorded) for bar, recorded in made] == [
        ((1, 1), 2_597, 2_597),
        ((2, 1), 4_734, 4_734),
        ((3, 1), 6_865, 4_825),
    ]
    assert set(made[2][0].sizes) == {"instructions", "base", "ledger", "block f1", "block f2"}
    (joined,) = replay_bars(found, history(overwritten), 1)
    assert (joined[0].key, joined[0].count, joined[0].total) == ((3, 1), 3, 6_865)


def test_budgets_worth_trying(overwritten):
    """The smallest budget that keeps everything is exact: one byte less, and something is dropped."""
    past = history(overwritten)
    found = budgets(overwritten, past)
    assert (found.recorded, found.all_whole) == (30_000, 5_454)
    states = {
        count: replay(overwritten, policy="retain", context_bytes=count, past=past).prompt((3, 1)).body("f1").state
        for count in (5_453, 5_454)
    }
    assert states == {5_453: "gone", 5_454: "whole"}


def test_a_prompt_over_its_limit_does_not_set_the_budget(tight):
    """The budget that keeps everything looks at the prompts that the prompt limit lets through."""
    found = budgets(tight, history(tight))
    assert found.all_whole == 13_292
    assert sentence(replay(tight, policy="retain", context_bytes=13_292)).endswith(
        "the prompt limit would also have stopped decision 8 (attempt 2)."
    )


def test_differences_are_bounded_and_counted(tight):
    """Only as many as asked for are listed; all are counted."""
    found = replay(tight, policy="retain", context_bytes=13_292)
    listed, count = differences(found, 3)
    assert ([(each.key[0], each.fragment) for each in listed], count) == ([(3, "f1"), (3, "f2"), (4, "f1")], 8)


def test_a_limit_that_would_have_stopped_a_prompt_is_said(overwritten):
    """A budget below the ledger stops a prompt that was sent; what follows was not reached and has no cells."""
    found = replay(overwritten, policy="retain", context_bytes=100)
    assert sentence(found).endswith("the context limit would have stopped decision 2.")
    made = replay_matrix(overwritten, found, decisions=range(3), fragments=[0, 1])
    assert [column.sent for column in made.columns] == [True, False, False]
    assert made.rows[0].states[2] is None


def test_what_cannot_be_replayed_is_said():
    """Without a budget, or without any prompt of a bounded memory, the sentence says which."""
    views = open_package(SAMPLES / "few_sources")
    assert sentence(replay(views, policy="retain")).startswith("Nothing can be replayed: no budget is recorded")
    assert sentence(replay(views, policy="retain", context_bytes=1_000)) == (
        "Nothing can be replayed: no prompt of this recording reads back as a bounded memory."
    )
    assert budgets(views, history(views)) is None


def test_what_a_run_can_be_asked(overwritten):
    """Formats decide what can be asked: a memory to replay, views to encode, or neither."""
    views = formats(open_package(SAMPLES / "few_sources"))
    assert (holds_memory(formats(overwritten)), holds_views(formats(overwritten))) == (True, False)
    assert (holds_memory(views), holds_views(views)) == (False, True)
    none = formats(Investigation("nothing", (), (), ()))
    assert (holds_memory(none), holds_views(none)) == (False, False)


def test_weights_in_other_encodings():
    """Every stored context in v4, v5 and v6: sizes of all messages, exactness, and which are over the recorded limit."""
    found = weights(
        measure(open_package(SAMPLES / "overlapping_reads"), [f"investigation_project_v{n}" for n in (4, 5, 6)]),
        Limits(prompt_bytes=100_000),
    )
    assert [each.key for each in found][:4] == [(1, 1), (2, 1), (3, 1), (3, 2)]
    last = found[-1]
    assert last.stored == last.bytes["investigation_project_v5"]
    assert last.bytes["investigation_project_v6"] < 100_000 < last.bytes["investigation_project_v5"]
    assert last.over == {
        "investigation_project_v4": True,
        "investigation_project_v5": True,
        "investigation_project_v6": False,
    }
    assert all(all(each.exact.values()) for each in found)


def test_without_a_limit_nothing_is_over_it():
    """A run that records no prompt limit gets no statement about one; a context that holds no view says why."""
    (first, *_) = weights(measure(open_package(SAMPLES / "few_sources")), Limits())
    assert set(first.over.values()) == {False}
    (other, *_) = weights(measure(open_package(SAMPLES / "tight_budget")), Limits())
    assert (other.bytes, other.over) == ({}, {})
    assert other.reason == "a context of format 'bounded_repair_v1' holds no working view"
