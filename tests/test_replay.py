"""Replaying recorded runs under other policies and budgets, and fingerprinting them."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.anatomy import components
from core.errors import InvestigationError
from core.memory import POLICIES
from core.model import Limits, Lookup, Message, Reply, TextPart
from core.package import open_package
from core.replay import Reproduces, fingerprint, history, replay
from core.runner import Attempt, Scenario, Scripted, run
from core.source_tree import SourceTree

ARCHIVES = Path(__file__).parent.parent / "sample_archives"
RECORDED_POLICY = {"video_start_overwritten": "overwrite", "video_start_retained": "retain", "tight_budget": "retain"}


def archive(name):
    return open_package(ARCHIVES / name)


def without_memory(investigation):
    return replace(investigation, decisions=tuple(replace(each, memory=None) for each in investigation.decisions))


def states(replayed, index):
    return {body.fragment: body.state for body in replayed.prompts[index - 1].carried}


@pytest.mark.parametrize("name", RECORDED_POLICY)
def test_the_recorded_policy_and_budget_replay_the_record(name):
    """Under its own policy and the manifest's budget a run carries exactly what its prompts carried."""
    investigation = archive(name)
    replayed = replay(investigation, policy=RECORDED_POLICY[name])
    assert [prompt.key for prompt in replayed.prompts] == [each.key for each in investigation.decisions]
    assert [prompt.prompt_bytes for prompt in replayed.prompts] == [
        each.prompt_bytes for each in investigation.decisions
    ]
    assert not any(prompt.differs for prompt in replayed.prompts)
    assert replayed.missing == ()
    assert [prompt.evicted for prompt in replayed.prompts] == [each.memory.evicted for each in investigation.decisions]


@pytest.mark.parametrize("name", RECORDED_POLICY)
@pytest.mark.parametrize("policy", POLICIES)
def test_the_recorders_log_is_not_needed(name, policy):
    """Stripped of `memory`, every replay and fingerprint stays the same."""
    whole, stripped = archive(name), without_memory(archive(name))
    assert replay(stripped, policy=policy) == replay(whole, policy=policy)
    assert replay(stripped, policy=policy, context_bytes=3_000) == replay(whole, policy=policy, context_bytes=3_000)
    assert fingerprint(stripped) == fingerprint(whole)


def test_retaining_would_have_kept_the_overwritten_search():
    """The historical run under `retain`: decision 3 carries both results whole, with 24,546 bytes to spare."""
    replayed = replay(archive("video_start_overwritten"), policy="retain")
    prompt = replayed.prompt((3, 1))
    assert states(replayed, 3) == {"f1": "whole", "f2": "whole"}
    assert prompt.differs
    assert (prompt.body("f1").sent_bytes, prompt.body("f1").total_bytes) == (1_629, 1_629)
    assert [body.state for body in prompt.recorded] == ["gone", "whole"]
    arithmetic = prompt.arithmetic
    assert (arithmetic.context_bytes, arithmetic.base_bytes) == (30_000, 1_105)
    assert arithmetic.available == 30_000 - 1_105 - arithmetic.ledger_bytes
    assert arithmetic.needed == arithmetic.blocks_bytes == arithmetic.available - arithmetic.free
    assert "repetition gate" in prompt.note


def test_a_larger_budget_would_have_kept_what_was_evicted():
    """The tight run with 30,000 bytes keeps all bodies; its last prompt is refused all the same."""
    replayed = replay(archive("tight_budget"), policy="retain", context_bytes=30_000)
    assert states(replayed, 6) == {"f1": "whole", "f2": "whole", "f3": "whole", "f4": None, "f5": "whole"}
    assert states(replayed, 8) == {"f6": "no room"}
    last = replayed.prompts[7]
    assert (last.sent, last.refused, last.arithmetic.free) == (False, "prompt_limit", 0)
    assert replay(archive("tight_budget"), policy="retain", prompt_limit=50_000).prompts[7].note == (
        "would have been sent; what would have been answered is not known"
    )


def test_needed_counts_new_results_in_full():
    """Decision 3 of the tight run needed its two blocks whole: 2,040 and 7,212 bytes with their headings."""
    arithmetic = replay(archive("tight_budget"), policy="retain").prompts[2].arithmetic
    roomy = replay(archive("tight_budget"), policy="retain", context_bytes=30_000).prompts[2].arithmetic
    assert arithmetic.needed == roomy.blocks_bytes == 9_252
    assert arithmetic.free == 1


def test_limits_still_end_an_attempt():
    """With 500 bytes the ledger stops decision 5, decision 6 is never reached, the second attempt starts anew."""
    replayed = replay(archive("tight_budget"), policy="retain", context_bytes=500)
    assert [prompt.refused for prompt in replayed.prompts[:6]] == [None] * 4 + ["context_limit"] * 2
    assert [prompt.reached for prompt in replayed.prompts] == [True] * 5 + [False, True, True]
    assert replayed.prompts[4].note == "would not have been sent: context_limit"
    assert replayed.prompts[5].note == "not reached: a limit would have ended the attempt before this prompt"


def test_missing_facts_are_named():
    """No budget; another format; a missing fragment; a prompt that is not the documented text; nothing is guessed."""
    investigation = archive("video_start_retained")
    unlimited = replace(investigation, limits=Limits(42_000))
    assert replay(unlimited, policy="retain").missing == (
        "limits.context_bytes is not in the manifest: give a budget to replay with",
    )
    assert len(replay(unlimited, policy="retain", context_bytes=30_000).prompts) == 3
    other = replace(
        investigation, decisions=tuple(replace(each, format="messages") for each in investigation.decisions)
    )
    assert replay(other, policy="retain").missing == (
        "no prompt of this recording has the format bounded_repair_v1: it has no such memory to replay",
    )
    lost = replay(replace(investigation, fragments=investigation.fragments[1:]), policy="retain")
    assert [prompt.key for prompt in lost.prompts] == [(1, 1)]
    assert lost.missing == (
        "decision 2: its ledger names f1, which is not among the fragments",
        "decision 3: what it carries depends on decision 2",
    )
    unsent = tuple(replace(each, sent=None) for each in investigation.decisions)
    assert replay(replace(investigation, decisions=unsent), policy="retain").missing[0] == (
        "decision 1: it is not recorded whether this prompt was sent"
    )
    late = replay(replace(investigation, decisions=investigation.decisions[1:]), policy="retain")
    assert late.prompts == ()
    assert late.missing[0] == "decision 2: what it carries depends on what came before this recording"


def test_an_unreadable_prompt_ends_its_attempt_only():
    """Decision 2's text is something else: decisions 3 to 6 cannot be said, the second attempt can."""
    investigation = archive("tight_budget")
    spoilt = replace(investigation.decisions[1], store=(Message("user", (TextPart("odd"),)),), slices=((0, 1),))
    decisions = (investigation.decisions[0], spoilt, *investigation.decisions[2:])
    replayed = replay(replace(investigation, decisions=decisions), policy="retain")
    assert [prompt.key for prompt in replayed.prompts] == [(1, 1), (7, 2), (8, 2)]
    assert len(replayed.missing) == 5
    found = fingerprint(replace(investigation, decisions=decisions))
    assert "compared 3 prompts, 5 could not be" in found.sentence


def test_a_contradicting_fragment_is_not_replayed():
    """A ledger that says another identity than its fragment names the contradiction."""
    investigation = archive("video_start_retained")
    changed = replace(investigation.fragments[0], lookup=Lookup("search", ("else",)))
    replayed = replay(replace(investigation, fragments=(changed, investigation.fragments[1])), policy="retain")
    assert "its ledger says of f1 what the fragment does not" in replayed.missing[0]


def test_unknown_policies_and_negative_budgets_are_errors():
    """They are refused by name."""
    with pytest.raises(InvestigationError, match="expected retain or overwrite, found forget"):
        replay(archive("tight_budget"), policy="forget")
    with pytest.raises(InvestigationError, match="not negative"):
        replay(archive("tight_budget"), policy="retain", context_bytes=-1)


def test_a_history_can_be_read_once():
    """Replays from a history that was read before are the same."""
    investigation = archive("tight_budget")
    past = history(investigation)
    assert replay(investigation, policy="overwrite", past=past) == replay(investigation, policy="overwrite")


def test_fingerprint_of_the_repaired_run():
    """Both results fit from 4,317 bytes on, and only `retain` keeps both."""
    found = fingerprint(archive("video_start_retained"))
    assert found.found == (Reproduces("retain", 4_317, None),)
    assert found.excluded == ("overwrite: decision 3 would have carried something else",)
    assert found.sentence == "retain, any budget ≥ 4,317 B; with the recorded 30,000 B: retain"


def test_fingerprint_of_the_historical_run():
    """`retain` would have dropped the search only below 5,454 bytes; with the recorded budget it was `overwrite`."""
    found = fingerprint(archive("video_start_overwritten"))
    assert found.found == (Reproduces("retain", 3_414, 5_453), Reproduces("overwrite", 3_414, None))
    assert found.at_budget == ("overwrite",)
    assert found.sentence == (
        "retain, any budget from 3,414 B to 5,453 B; or overwrite, any budget ≥ 3,414 B; "
        "with the recorded 30,000 B: overwrite"
    )


def test_fingerprint_of_a_cut_is_as_wide_as_a_character():
    """A result cut before a three-byte character fits three budgets, the recorded one among them."""
    found = fingerprint(archive("tight_budget"))
    assert found.found == (Reproduces("retain", 5_799, 5_801),)


def test_fingerprint_of_a_changed_text():
    """One byte of a transmitted block changed: no policy reproduces it."""
    investigation = archive("video_start_retained")
    last = investigation.decisions[2]
    text = last.messages[1].text.replace("   24|   return SUPPORTED", "   24|   return SUPPORTEd")
    store = (last.messages[0], Message("user", (TextPart(text),)))
    decisions = (*investigation.decisions[:2], replace(last, store=store, slices=((0, 2),)))
    found = fingerprint(replace(investigation, decisions=decisions))
    assert found.found == ()
    assert "retain: decision 3 would have had another text" in found.sentence


def test_fingerprint_without_prompts():
    """Nothing to compare is unknown, not everything."""
    investigation = archive("video_start_retained")
    assert fingerprint(replace(investigation, decisions=())).sentence == "unknown: no prompt could be replayed"


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_no_changed_text_makes_a_replay_raise(data):
    """Digits, letters and lengths changed anywhere: what cannot be read is named, and nothing is raised."""
    investigation = archive("tight_budget")
    decisions = list(investigation.decisions)
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(decisions) - 1))
        system, user = decisions[place].messages
        at = data.draw(st.integers(0, min(len(user.text), 3_000) - 1))
        text = (
            user.text[:at] + data.draw(st.sampled_from(["", "0", "9", "f1", "\n", "é", "\ud800"])) + user.text[at + 1 :]
        )
        decisions[place] = replace(
            decisions[place], store=(system, Message("user", (TextPart(text),))), slices=((0, 2),)
        )
    changed = replace(investigation, decisions=tuple(decisions))
    replayed = replay(changed, policy="retain")
    assert len(replayed.prompts) + len(replayed.missing) == 8
    assert fingerprint(changed).prompts == len(replayed.prompts)
    for decision in decisions:
        assert sum(components(decision).values()) == decision.prompt_bytes


TREE = SourceTree(
    {f"src/{name}.js": (f"// {name}é再\n" * size).encode() for name, size in (("a", 2), ("b", 9), ("c", 40))}
)
reads = st.builds(
    lambda path, start, length: Lookup("read", arguments={"path": path, "start": start, "end": start + length}),
    st.sampled_from(sorted(TREE.files)),
    st.integers(1, 3),
    st.integers(0, 40),
)
misses = st.integers(0, 3).map(lambda number: Lookup("search", (f"nothing {number}",)))
scripts = st.lists(
    st.tuples(
        st.lists(st.one_of(reads, reads, misses), min_size=1, max_size=3),
        st.one_of(st.none(), st.integers(0, 900).map("b".__mul__)),
        st.sampled_from([frozenset(), frozenset(), frozenset({0})]),
    ),
    min_size=1,
    max_size=6,
)


def recorded(script, policy, budget):
    replies = [Scripted(Reply(lookups=tuple(lookups)), base, unknown) for lookups, base, unknown in script]
    attempts = (Attempt("Fix it.", (*replies, Scripted(Reply(stop="done")))),)
    return run(Scenario("t", "Rules.", attempts, Limits(42_000, budget, 99), policy=policy), TREE).investigation


@settings(max_examples=40, deadline=None)
@given(scripts, st.sampled_from(sorted(POLICIES)), st.integers(100, 4_000), st.data())
def test_replay_and_fingerprint_agree_with_the_runner(script, policy, budget, data):
    """Any run replays to itself; budgets at and just outside a fingerprint's ends do and do not give its prompts."""
    investigation = recorded(script, policy, budget)
    replayed = replay(without_memory(investigation), policy=policy)
    assert not any(prompt.differs for prompt in replayed.prompts)
    found = fingerprint(without_memory(investigation))
    assert policy in found.at_budget
    texts = [each.messages[1].text for each in investigation.decisions]
    for each in found.found:
        top = each.high if each.high is not None else each.low + 20_000
        inside = {each.low, top, data.draw(st.integers(each.low, top))}
        outside = {each.low - 1, each.low - 50} | ({each.high + 1, each.high + 50} if each.high is not None else set())
        for other in inside:
            made = recorded(script, each.policy, other)
            assert [decision.messages[1].text for decision in made.decisions] == texts
        for other in outside:
            if other >= 0:
                made = recorded(script, each.policy, other)
                assert [decision.messages[1].text for decision in made.decisions] != texts or (
                    made.decisions[-1].outcome != investigation.decisions[-1].outcome
                )
