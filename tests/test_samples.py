"""The sample archives: rebuilt byte for byte, and showing what their page says, read from the recorded packages."""

from pathlib import Path

import pytest

from core.anatomy import anatomy, layout_of
from core.canonical import sha256
from core.lookup_tools import look_up
from core.package import check, open_package
from scripts.build_sample_archives import BUILDERS, build
from scripts.samples.player import player_tree

ARCHIVES = Path(__file__).parent.parent / "sample_archives"


def archive(name):
    return open_package(ARCHIVES / name)


def prompt_text(investigation, index):
    """What was transmitted, message after message."""
    return "\n".join(message.text for message in investigation.decisions[index - 1].messages)


def last_outcome(investigation):
    outcome = investigation.decisions[-1].outcome
    return (outcome.kind, outcome.by)


@pytest.mark.parametrize("name", BUILDERS)
def test_rebuilt_byte_for_byte(name, tmp_path):
    """The committed archive is what its builder writes today."""
    made = build(name, tmp_path)
    files = {path.name: path.read_bytes() for path in made.iterdir()}
    assert files == {path.name: path.read_bytes() for path in (ARCHIVES / name).iterdir()}


@pytest.mark.parametrize("name", BUILDERS)
def test_nothing_is_wrong_with_it(name):
    """Every hash, reference and record of the archive checks."""
    checked = check(archive(name))
    assert (checked.problems, checked.problems_complete) == ((), True)


@pytest.mark.parametrize("name", BUILDERS)
def test_the_page_names_it(name):
    """sample_archives/README.md has a row for every archive."""
    assert f"| `{name}` |" in (ARCHIVES / "README.md").read_text()


def test_the_third_call_receives_both_files_and_the_ledger():
    """The three-call regression: decision 3's transmitted string, in the recorded package."""
    investigation = archive("video_start_retained")
    sent = prompt_text(investigation, 3)
    tree = player_tree()
    assert investigation.decisions[2].sent is True
    for path in ("src/player.js", "src/controls.js"):
        assert sha256(tree.files[path]) in sent
    assert '1. decision 1, completed, result f1, body whole  : ["search",["unsupported_control"],null,null]\n' in sent
    assert '2. decision 2, completed, result f2, body whole  : ["symbol",["isControlSupported"],null,null]\n' in sent
    for fragment in investigation.fragments:
        assert fragment.body in sent
    assert '   27|       const error = new PlayerError("unsupported_control"' in sent
    assert "   24|   return SUPPORTED.has(name);" in sent


def test_the_third_call_answers_with_a_patch_of_one_place():
    """Its `before` text occurs exactly once in the file, and the run continues to `patched`."""
    investigation = archive("video_start_retained")
    patch = investigation.decisions[2].reply.patch
    assert player_tree().text(patch.path).count(patch.before) == 1
    assert last_outcome(investigation) == ("patched", None)
    assert (investigation.prompts, investigation.replies) == ("recorded", "scripted")


def test_the_historical_twin_ends_at_the_repetition_gate():
    """Search, observation function, the same search: decision 3 had a marker of the first result, and not its body."""
    investigation = archive("video_start_overwritten")
    asked = [decision.reply.lookups[0] for decision in investigation.decisions]
    assert [(each.kind, each.queries) for each in asked] == [
        ("search", ("unsupported_control",)),
        ("symbol", ("observePlayback",)),
        ("search", ("unsupported_control",)),
    ]
    assert asked[0].identity == asked[2].identity
    assert asked[0].summary != asked[2].summary
    assert last_outcome(investigation) == ("stopped", "repetition_gate")
    assert len(investigation.fragments) == 2
    sent = prompt_text(investigation, 3)
    first, second = investigation.fragments
    assert first.body in prompt_text(investigation, 2)
    assert first.body not in sent
    assert second.body in sent
    assert '1. decision 1, completed, result f1, body gone   : ["search",["unsupported_control"],null,null]\n' in sent
    layout = layout_of(investigation.decisions[2])[1]
    assert investigation.limits.context_bytes - layout.user_bytes > 20_000


def test_the_twins_start_alike():
    """Both runs receive the same first prompt and make the same first search."""
    one, other = archive("video_start_overwritten"), archive("video_start_retained")
    assert one.decisions[0].request_hash == other.decisions[0].request_hash
    assert one.fragments[0] == other.fragments[0]


def test_tight_budget_cuts_inside_a_character():
    """Decision 3: the next byte of the body is no first byte, guidance follows, the search's body is gone."""
    investigation = archive("tight_budget")
    layout = layout_of(investigation.decisions[2])[1]
    (block,) = layout.blocks
    body = investigation.fragments[1].body.encode()
    room = investigation.limits.context_bytes - layout.user_bytes
    assert (block.fragment, block.total) == ("f2", len(body))
    assert 1 <= room <= 3
    assert body[block.sent + room] & 0xC0 == 0x80
    assert body[: block.sent].decode().endswith("再生が終わりました。もう一度見ま")
    assert block.guidance is not None
    assert [(entry.fragment, entry.body) for entry in layout.entries] == [("f1", "gone"), ("f2", "cut")]


def test_tight_budget_asks_for_a_narrower_range():
    """Decision 3 asks for lines of the same file inside the range that was cut, and decision 4 carries them whole."""
    investigation = archive("tight_budget")
    wide, narrow = investigation.fragments[1].sources[0], investigation.fragments[2].sources[0]
    assert (wide.path, wide.hash) == (narrow.path, narrow.hash)
    assert wide.start < narrow.start <= narrow.end < wide.end
    layout = layout_of(investigation.decisions[3])[1]
    assert [(block.fragment, block.sent == block.total) for block in layout.blocks] == [("f3", True)]
    assert [entry.body for entry in layout.entries] == ["gone", "gone", "whole"]


def test_tight_budget_runs_an_uncertain_lookup_again():
    """Decisions 4 and 5 ask the same; the first answer was lost, both are calls, and both stand in the ledger."""
    investigation = archive("tight_budget")
    lost, found = investigation.fragments[3:5]
    assert lost.lookup.identity == found.lookup.identity
    assert (lost.status, lost.body, found.status) == ("uncertain", "", "completed")
    entries = layout_of(investigation.decisions[5])[1].entries
    assert [(entry.status, entry.body) for entry in entries[3:]] == [("uncertain", None), ("completed", "whole")]


def test_tight_budget_repeats_what_was_evicted():
    """Decision 6 asks for the first search again, whose body left for want of room, and meets the gate."""
    investigation = archive("tight_budget")
    decision = investigation.decisions[5]
    assert decision.reply.lookups[0].identity == investigation.fragments[0].lookup.identity
    assert (decision.outcome.kind, decision.outcome.by) == ("stopped", "repetition_gate")
    assert investigation.fragments[0].body not in prompt_text(investigation, 6)


def test_tight_budget_refuses_a_prompt():
    """Decision 8's prompt is over 42,000 bytes because of its base context: stored, not sent."""
    decision = archive("tight_budget").decisions[7]
    assert decision.key == (8, 2)
    assert (decision.sent, decision.status) == (False, "unused")
    assert (decision.outcome.kind, decision.outcome.by) == ("stopped", "prompt_limit")
    assert decision.prompt_bytes > 42_000
    assert layout_of(decision)[1].base_bytes > 40_000


@pytest.mark.parametrize("name", ["video_start_overwritten", "video_start_retained", "tight_budget"])
def test_recorded_positions_are_those_of_the_text(name):
    """What `memory` claims of ledger entries, blocks and ranges is what the anatomy reads from the text."""
    for decision in archive(name).decisions:
        spans = anatomy(decision)
        entries = [(span.fragment, span.message, span.start, span.end) for span in spans if span.kind == "ledger_entry"]
        blocks = [(span.fragment, span.message, span.start, span.end) for span in spans if span.kind == "block"]
        assert entries == [(each.fragment, each.message, each.start, each.end) for each in decision.memory.ledger]
        assert blocks == [(each.fragment, each.message, each.start, each.end) for each in decision.memory.blocks]
        assert layout_of(decision)[1].base_bytes == decision.memory.base_bytes
        assert tuple(line.source for line in layout_of(decision)[1].ranges) == decision.memory.supplied


def test_the_source_tree_has_what_makes_reading_hard():
    """One file ends its lines in CR LF, others hold accents, CJK and emoji; a read gives them unchanged."""
    tree = player_tree()
    assert tree.files["src/legacy/autoplay-bridge.js"].count(b"\r\n") == 10
    messages = tree.text("src/i18n/messages.js")
    assert all(letter in messages for letter in "é字🔊재")
    found = look_up(tree, archive("tight_budget").fragments[2].lookup)
    assert found.body == archive("tight_budget").fragments[2].body
