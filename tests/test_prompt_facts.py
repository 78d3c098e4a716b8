"""Counting, measuring and wording: what pages say of decisions and prompts."""

import pytest

from core.budget import PromptBudget, budget_of
from core.delivery import Placement, deliver
from core.diagnosis import diagnose
from core.matrix import matrix, telling
from core.missing import first_characters, not_received
from core.model import Decision, Fragment, Limits, Lookup, Message, TextPart
from core.outline import outline
from core.package import open_package
from core.tally import bars, tally
from core.wording import key_text, lookup_text, outcome_text, reply_text, sent_text
from tests.app_driver import APP

SAMPLES = APP.parent / "sample_archives"


@pytest.fixture(scope="module")
def tight():
    return open_package(SAMPLES / "tight_budget")


@pytest.fixture(scope="module")
def overwritten():
    return open_package(SAMPLES / "video_start_overwritten")


def test_decisions_and_fragments_are_counted_by_status(tight):
    """All stored contexts count, those that were not sent apart."""
    found = tally(tight)
    assert found.decisions == {"accepted": 6, "rejected": 1, "unused": 1}
    assert (found.sent, found.not_sent, found.sent_unknown, found.unreadable) == (7, 1, 0, 0)
    assert found.fragments == {"completed": 5, "uncertain": 1}


def test_every_bar_is_a_whole_prompt(overwritten):
    """The components of a bar sum to the bytes of its prompt."""
    found = bars(outline(overwritten), range(3), 2000)
    assert [bar.key for bar in found] == [(1, 1), (2, 1), (3, 1)]
    assert [bar.total for bar in found] == [decision.prompt_bytes for decision in overwritten.decisions]
    assert found[1].sizes["block f1"] > 1629
    assert "block f1" not in found[2].sizes


def test_a_bar_for_several_decisions_is_their_largest_prompt(tight):
    """With room for two bars, the prompt over the limit is the second one's height."""
    found = bars(outline(tight), range(8), 2)
    assert [(bar.first, bar.last, bar.count) for bar in found] == [((1, 1), (4, 1), 4), ((5, 1), (8, 2), 4)]
    assert found[1].key == (8, 2)
    assert found[1].total > 42_000


def test_the_matrix_shows_states_and_what_was_asked(overwritten):
    """f1 is whole in decision 2 and marker only in 3, asked for by 1 and again by 3."""
    deliveries = deliver(overwritten)
    found = matrix(
        overwritten,
        outline(overwritten),
        deliveries,
        diagnose(overwritten, deliveries),
        decisions=range(3),
        fragments=(0, 1),
        most=3,
    )
    assert [(column.first, column.count) for column in found.columns] == [((1, 1), 1), ((2, 1), 1), ((3, 1), 1)]
    assert found.exact
    assert [(row.fragment, row.states, row.asks) for row in found.rows] == [
        ("f1", (None, "whole", "marker_only"), ("requested", None, "repeated")),
        ("f2", (None, None, "whole"), (None, "requested", None)),
    ]


def test_fragments_of_repeats_are_drawn_before_later_ones(tight):
    """With room for three rows the two repeated fragments stay, and the latest one joins them."""
    assert telling(outline(tight), diagnose(tight), 3) == (0, 3, 5)
    assert telling(outline(tight), diagnose(tight), 10) == (0, 1, 2, 3, 4, 5)


def test_what_was_not_received_is_the_rest_of_a_cut_body_or_all_of_an_absent_one():
    """Whole: nothing; cut after 3 bytes: the rest; marker only, absent and overlap: all of it."""
    fragment = Fragment("f1", Lookup("search"), "completed", 1, "aéb\nc")

    def placed(state, received):
        return Placement("f1", (2, 1), state, 6, received_bytes=received)

    assert not_received(fragment, placed("whole", 6)) == ""
    assert not_received(fragment, placed("cut", 3)) == "b\nc"
    assert [not_received(fragment, placed(state, 0)) for state in ("marker_only", "absent", "overlap")] == [
        "aéb\nc"
    ] * 3
    assert not_received(fragment, None) == "aéb\nc"


def test_a_long_text_is_cut_for_showing_and_the_rest_counted():
    """What is not shown is counted in UTF-8 bytes."""
    assert first_characters("abc", 3) == ("abc", 0)
    assert first_characters("abcéé", 3) == ("abc", 4)


def test_the_budget_is_read_off_the_transmitted_text(overwritten):
    """Decision 3: 30,000 less base context and ledger leaves what blocks may take; f2's block leaves 26,586 B free."""
    found = budget_of(overwritten.decisions[2], overwritten.limits)
    assert (found.prompt_limit, found.context_limit, found.prompt_bytes) == (42_000, 30_000, 4_825)
    assert (found.available, found.free) == (28_217, 26_586)
    assert found.over_prompt_limit is False


def test_without_a_limit_nothing_is_said_of_a_budget():
    """A prompt of another format has sizes only, and says why."""
    decision = Decision(1, slices=((0, 1),), store=[Message("user", (TextPart("hé"),))])
    found = budget_of(decision, Limits())
    assert found == PromptBudget(3, None, None, why="a prompt of format messages has no bounded memory")
    assert (found.available, found.free, found.over_prompt_limit) == (None, None, False)


@pytest.mark.parametrize(
    ("lookup", "said"),
    [
        (Lookup("search", ("a", "b")), "search a, b"),
        (Lookup("search", ("a",), "src"), "search a, in src"),
        (Lookup("read", arguments={"path": "a.js", "start": 1, "end": 9}), "read a.js 1-9"),
        (Lookup("read", arguments={"path": "a.js"}), "read a.js"),
        (Lookup("call", arguments={"b": 1, "a": [True]}), "call a=[true] b=1"),
        (Lookup("Read", arguments={"offset": 5, "file_path": "/a b"}), "Read /a b offset=5"),
        (Lookup("call", arguments=[1]), "call [1]"),
        (Lookup("open", reference_url="x"), "open x"),
        (Lookup("list"), "list"),
    ],
)
def test_a_lookup_in_a_few_words(lookup, said):
    """Kind first, then what is asked for."""
    assert lookup_text(lookup) == said


def test_a_decision_in_a_few_words(overwritten):
    """Key, reply, outcome and whether it was sent."""
    decision = overwritten.decisions[2]
    assert (key_text(decision.key), key_text((8, 2))) == ("3", "8.2")
    assert reply_text(decision) == "search unsupported_control"
    assert outcome_text(decision) == "stopped by repetition_gate"
    assert (sent_text(decision), sent_text(Decision(1))) == ("sent", "not known whether it was sent")
    assert (reply_text(Decision(1)), outcome_text(Decision(1))) == ("no reply recorded", "no outcome recorded")
