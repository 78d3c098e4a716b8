"""A bounded run with scripted replies: gates in their order, patches, recording."""

import pytest

from core.errors import InvestigationError
from core.model import Event, Limits, Lookup, Outcome, Patch, Reply, SourceRange
from core.package import PackageWriter, open_package
from core.runner import Attempt, Scenario, Scripted, run
from core.source_tree import SourceTree

PLAYER = b"function start() {\n  return play();\n}\n"
BRIDGE = b"// kiosk\r\nconst muted = true;\r\n"
TREE = SourceTree({"src/player.js": PLAYER, "src/bridge.js": BRIDGE, "src/ja.js": "// 再生\n".encode()})

FIND_PLAY = Lookup("search", ("play",), summary="first words")
FIND_MUTED = Lookup("search", ("muted",))
READ_BRIDGE = Lookup("read", arguments={"path": "src/bridge.js", "start": 1, "end": 2})
PATCH = Patch("src/bridge.js", "muted = true;\r\n", "muted = false;\r\n")


def asks(*lookups, unknown=()):
    return Scripted(Reply(lookups=lookups), unknown=frozenset(unknown))


def patches(patch, **other):
    return Scripted(Reply(patch=patch), **other)


def start(*replies, calls=9, context=20_000, prompt=42_000, policy="retain", resolve=None, base="Fix it."):
    attempts = (Attempt(base, replies),)
    return run(Scenario("t", "Rules.", attempts, Limits(prompt, context, calls), policy=policy), TREE, resolve=resolve)


def ends(result):
    return [(each.outcome.kind, each.outcome.by) for each in result.investigation.decisions]


def test_lookups_are_real_and_bodies_show_path_hash_and_numbers():
    """A read gives the file's own lines behind their numbers, under its path and the hash of its bytes."""
    result = start(asks(READ_BRIDGE), Scripted(Reply(stop="done")))
    (fragment,) = result.investigation.fragments
    digest = "sha256:dc0e0a339593d55fbaddb92163f3b58df69316292278b47bfe8468a0022b7069"
    assert fragment.sources == (SourceRange("src/bridge.js", digest, 1, 2),)
    assert fragment.body == f"src/bridge.js {digest} lines 1-2\n    1| // kiosk\r\n    2| const muted = true;\r\n"
    assert (fragment.requested_by, fragment.status) == (1, "completed")


def test_duplicate_request_stops_before_anything_and_costs_nothing():
    """Reworded, the same lookup ends the attempt with no call, no fragment and no change."""
    again = Lookup("search", ("play",), summary="said otherwise")
    result = start(asks(FIND_PLAY), asks(FIND_MUTED, again))
    assert ends(result) == [("continued", None), ("stopped", "repetition_gate")]
    assert (result.calls, len(result.investigation.fragments)) == (1, 1)
    assert result.tree.files == TREE.files
    assert result.investigation.decisions[1].status == "rejected"


def test_one_reply_may_not_ask_for_one_thing_twice():
    """The same identity twice in one reply meets the gate before either is performed."""
    result = start(asks(FIND_PLAY, FIND_PLAY))
    assert ends(result) == [("stopped", "repetition_gate")]
    assert result.calls == 0


def test_the_repetition_gate_comes_before_the_call_limit():
    """A duplicate that would also be one call too many is stopped as a duplicate; another lookup by the limit."""
    assert ends(start(asks(FIND_PLAY), asks(FIND_PLAY), calls=1))[-1] == ("stopped", "repetition_gate")
    limited = start(asks(FIND_PLAY), asks(FIND_MUTED), calls=1)
    assert ends(limited)[-1] == ("stopped", "call_limit")
    assert limited.calls == 1


def test_an_uncertain_lookup_may_be_run_again_and_is_counted():
    """Lost answers are not completed: the second run is a second call, and the ledger shows both."""
    result = start(asks(FIND_PLAY, unknown=[0]), asks(FIND_PLAY), asks(FIND_PLAY))
    assert ends(result) == [("continued", None), ("continued", None), ("stopped", "repetition_gate")]
    assert result.calls == 2
    ledger = result.investigation.decisions[2].memory.ledger
    assert [(entry.status, entry.body) for entry in ledger] == [("uncertain", None), ("completed", "whole")]
    assert len({entry.identity for entry in ledger}) == 1


def test_an_uncertain_lookup_is_still_under_the_call_limit():
    """Asking again after a lost answer needs a call that is left."""
    assert ends(start(asks(FIND_PLAY, unknown=[0]), asks(FIND_PLAY), calls=1))[-1] == ("stopped", "call_limit")


def test_a_patch_of_unknown_outcome_stops_the_attempt():
    """Nobody knows whether it was applied, so nothing more is done."""
    result = start(patches(PATCH, unknown=frozenset({0})), asks(FIND_PLAY))
    assert ends(result) == [("stopped", "uncertain_outcome")]
    assert result.investigation.decisions[0].status == "uncertain"


def test_a_patch_keeps_bytes_and_reopens_its_file():
    """CR LF stays, the other file's lookup stays completed, the patched file's may be asked again and has a new hash."""
    result = start(asks(READ_BRIDGE), asks(FIND_PLAY), patches(PATCH), asks(READ_BRIDGE), asks(FIND_PLAY))
    assert ends(result)[2:] == [("patched", None), ("continued", None), ("stopped", "repetition_gate")]
    assert result.tree.files["src/bridge.js"] == b"// kiosk\r\nconst muted = false;\r\n"
    after = result.investigation.decisions[3]
    assert after.events == (Event("patched", paths=("src/bridge.js",)),)
    assert [entry.status for entry in after.memory.ledger] == ["reopened", "completed"]
    first, third = (result.investigation.fragments[place].sources[0] for place in (0, 2))
    assert first.path == third.path
    assert first.hash != third.hash


def test_the_repetition_gate_acts_before_a_patch_is_made():
    """The decision that repeats ends the attempt; the patch scripted after it never happens."""
    result = start(asks(FIND_PLAY), asks(FIND_PLAY), patches(PATCH))
    assert len(result.investigation.decisions) == 2
    assert result.tree.files == TREE.files


@pytest.mark.parametrize(
    ("patch", "reason"),
    [
        (Patch("src/bridge.js", "t", ""), "must occur exactly once in src/bridge.js (expected 1, found 3;"),
        (Patch("src/bridge.js", "kiosk\nconst", ""), "found 0; the lines of this file end in CR LF"),
        (Patch("src/bridge.js", "", "x"), "found 0"),
        (Patch("../etc/passwd", "root", ""), "not in the source tree"),
        (Patch("/src/bridge.js", "kiosk", ""), "not in the source tree"),
        (Patch("src/../src/bridge.js", "kiosk", ""), "not in the source tree"),
        (Patch("src/new.js", "", "x"), "not in the source tree"),
    ],
)
def test_a_patch_that_does_not_fit_fails(patch, reason):
    """Not exactly once, or not inside the tree: outcome `failed` with the reason, and nothing is changed."""
    result = start(patches(patch))
    outcome = result.investigation.decisions[0].outcome
    assert (outcome.kind, outcome.by) == ("failed", "patch")
    assert reason in outcome.extra["reason"]
    assert result.tree.files == TREE.files


def test_overlapping_occurrences_are_not_one():
    """`aa` stands twice in `aaa`."""
    with pytest.raises(InvestigationError, match="found 2"):
        SourceTree({"a": b"aaa"}).patched("a", "aa", "b")


def test_the_context_budget_comes_before_the_prompt_limit():
    """A ledger over the budget and a prompt over its limit at once: the budget is named."""
    result = start(asks(FIND_PLAY), Scripted(None), context=120, prompt=180)
    assert ends(result) == [("continued", None), ("stopped", "context_limit")]
    last = result.investigation.decisions[1]
    assert (last.sent, last.status, last.reply) == (False, "unused", None)
    assert last.prompt_bytes == 201


def test_a_prompt_over_its_limit_is_not_sent():
    """The stored prompt is there, marked as not sent, with outcome `prompt_limit`."""
    result = start(Scripted(None, base="b" * 42_000))
    (decision,) = result.investigation.decisions
    assert (decision.sent, decision.outcome) == (False, Outcome("stopped", "prompt_limit"))
    assert decision.prompt_bytes == 6 + 29 + 42_000 + 81


def test_a_new_attempt_begins_with_nothing():
    """Ledger, blocks and gate belong to one attempt; decisions and calls are counted through."""
    one = Attempt("one", (asks(FIND_PLAY), Scripted(Reply(stop="no way on"))))
    two = Attempt("two", (asks(FIND_PLAY), Scripted(Reply(stop="done"))))
    result = run(Scenario("t", "Rules.", (one, two), Limits(42_000, 9_000, 9)), TREE)
    assert [each.key for each in result.investigation.decisions] == [(1, 1), (2, 1), (3, 2), (4, 2)]
    assert result.investigation.decisions[2].memory.ledger == ()
    assert result.calls == 2


def test_scripts_that_do_not_fit_are_errors():
    """A missing reply, a prompt that was to be refused, an empty reply, a missing limit."""
    with pytest.raises(InvestigationError, match=r"a scripted reply is missing .*decision 2"):
        start(asks(FIND_PLAY))
    with pytest.raises(InvestigationError, match="was to be refused"):
        start(Scripted(None))
    with pytest.raises(InvestigationError, match="asks for lookups, or gives a patch"):
        Scripted(Reply(text="hm"))
    with pytest.raises(InvestigationError, match="all its limits"):
        run(Scenario("t", "", (Attempt("", (asks(FIND_PLAY),)),), Limits(42_000)), TREE)


def test_aliases_go_through_the_same_checks():
    """A resolver may name a file of the tree; what leads outside is refused like any path."""
    alias = Lookup("read", arguments={"path": "F1", "start": 1, "end": 1})
    outside = Lookup("read", arguments={"path": "F2", "start": 1, "end": 1})
    names = {"F1": "src/ja.js", "F2": "../../etc/passwd"}
    result = start(asks(alias, outside), Scripted(Reply(stop="done")), resolve=names.get)
    known, refused = result.investigation.fragments
    assert known.body.endswith("    1| // 再生\n")
    assert (refused.status, refused.body) == ("failed", "no such file in the source tree")


def test_a_failed_lookup_is_not_completed():
    """It stands in the ledger as failed, its reason as body, and may be asked again."""
    missing = Lookup("read", arguments={"path": "gone.js"})
    result = start(asks(missing), asks(missing), Scripted(Reply(stop="done")))
    assert ends(result) == [("continued", None), ("continued", None), ("stopped", "reply")]
    assert [entry.status for entry in result.investigation.decisions[2].memory.ledger] == ["failed", "failed"]


def test_recorded_on_disk_as_in_memory(tmp_path):
    """The package that a run writes opens to the same decisions, fragments and prompts."""
    scenario = Scenario(
        "t", "Rules.", (Attempt("Fix.", (asks(FIND_PLAY), patches(PATCH))),), Limits(42_000, 9_000, 9), created="2026"
    )
    with PackageWriter(tmp_path / "p", title="t", replies="scripted", limits=scenario.limits) as package:
        made = run(scenario, TREE, package).investigation
    read = open_package(tmp_path / "p")
    assert [each.request_hash for each in read.decisions] == [each.request_hash for each in made.decisions]
    assert [each.computed_request_hash() for each in read.decisions] == [each.request_hash for each in made.decisions]
    assert [each.memory for each in read.decisions] == [each.memory for each in made.decisions]
    assert [(each.outcome, each.reply, each.sent) for each in read.decisions] == [
        (each.outcome, each.reply, each.sent) for each in made.decisions
    ]
    assert list(read.fragments) == list(made.fragments)
