"""What changed between two prompts, aligned by identity."""

import itertools

from core.changes import Change, changes
from core.model import Decision, Message, TextPart, ToolCallPart, ToolResultPart


def text(role, body, stands_for=None):
    return Message(role, (TextPart(body),), stands_for)


def result(call, body, stands_for=None):
    return Message("tool", (ToolResultPart(call, body),), stands_for)


def call(name):
    return Message("assistant", (ToolCallPart(name, "read", {"path": name}),))


def prompts(store, *ids, form="messages"):
    slices = [tuple((place, 1) for place in each) for each in ids]
    return [Decision(number, slices=each, store=store, format=form) for number, each in enumerate(slices, 1)]


def pieces(found):
    return [(piece.fate, piece.message, piece.start, piece.end) for piece in found.pieces]


def test_a_first_prompt_has_entered_whole():
    """Without an earlier prompt every byte entered and nothing is told as a change."""
    (first,) = prompts([text("system", "Be brief."), text("user", "Hé")], (0, 1))
    found = changes(None, first)
    assert pieces(found) == [("entered", 0, 0, 9), ("entered", 1, 0, 3)]
    assert found.changes == ()
    assert (found.bytes_of("entered"), found.bytes_of("kept"), found.bytes_of("left")) == (12, 0, 0)


def test_a_prompt_that_grew_keeps_what_it_had():
    """Messages with the same identity are kept; appended ones entered."""
    store = [text("system", "Be brief."), text("user", "Go"), call("c1"), result("c1", "line 1\nline 2\n")]
    first, second = prompts(store, (0, 1), (0, 1, 2, 3))
    assert pieces(changes(first, second)) == [
        ("kept", 0, 0, 9),
        ("kept", 1, 0, 2),
        ("entered", 2, 0, 18),
        ("entered", 3, 0, 14),
    ]


def test_a_result_blanked_in_place_reads_as_cleared():
    """A tool result replaced in place by a placeholder is one cleared block, and what stands behind it stays kept."""
    store = [
        text("user", "Go"),
        call("c1"),
        result("c1", "A long result.\n"),
        text("assistant", "Now what?"),
        result("c1", "[cleared]", "placeholder"),
        text("user", "More"),
    ]
    first, second = prompts(store, (0, 1, 2, 3), (0, 1, 4, 3, 5))
    found = changes(first, second)
    assert pieces(found) == [
        ("kept", 0, 0, 2),
        ("kept", 1, 0, 18),
        ("left", 2, 0, 15),
        ("entered", 2, 0, 9),
        ("kept", 3, 0, 9),
        ("entered", 4, 0, 4),
    ]
    assert found.changes == (
        Change("cleared", "tool_result", "c1", "", 15, 9),
        Change("entered", "user", None, "user", None, 4),
    )


def test_a_placeholder_of_plain_text_is_paired_by_its_role_and_place():
    """Without a call to go by, a placeholder stands for the message of the same role at the same place."""
    store = [
        text("user", "Go"),
        text("tool", "A long result."),
        text("user", "On"),
        text("tool", "gone", "placeholder"),
    ]
    first, second = prompts(store, (0, 1, 2), (0, 3, 2))
    assert [(change.what, change.before_bytes, change.after_bytes) for change in changes(first, second).changes] == [
        ("cleared", 14, 4)
    ]


def test_a_compaction_is_what_left_and_a_summary_that_entered():
    """When a summary replaced the history, the history left and the summary is a block of its own."""
    store = [text("system", "S"), text("user", "one"), text("assistant", "two"), text("user", "sum", "summary")]
    first, second = prompts(store, (0, 1, 2), (0, 3))
    found = changes(first, second)
    assert [(change.what, change.kind) for change in found.changes] == [
        ("left", "user"),
        ("left", "assistant"),
        ("entered", "summary"),
    ]
    assert (found.bytes_of("left"), found.bytes_of("entered"), found.bytes_of("kept")) == (6, 3, 1)


def bounded(entries, blocks):
    """A user message in the documented rendering, with one base context and no supplied ranges."""
    ledger = "".join(
        f'{n}. decision {n}, completed, result {fid}, body {state:<7}: ["search",["{fid}"],null,null]\n'
        for n, (fid, state) in enumerate(entries, 1)
    )
    made = (
        f"Base context (bytes: 7):\nFix it.\n\nLookup ledger (entries: {len(entries)}, bytes: {len(ledger)}):\n{ledger}"
    )
    made += "\nSupplied ranges (entries: 0, bytes: 0):\n"
    for fid, body, total in blocks:
        made += f'\nResult {fid} (decision: 1, bytes: {len(body)} of {total}): ["search",["{fid}"],null,null] from no file\n{body}'
        if len(body) < total:
            made += f"\n[Cut here: {len(body)} of {total} bytes are kept. Ask for a narrower range to see the rest.]"
    return made


def test_blocks_and_ledger_entries_are_aligned_by_the_fragment_they_name():
    """A replaced block reads as one that left and one that entered, though both stand at the same place."""
    store = [
        text("system", "S"),
        text("user", bounded([("f1", "whole")], [("f1", "first body\n", 11)])),
        text("user", bounded([("f1", "gone"), ("f2", "whole")], [("f2", "second body\n", 12)])),
    ]
    first, second = prompts(store, (0, 1), (0, 2), form="bounded_repair_v1")
    found = changes(first, second)
    told = [
        (change.what, change.kind, change.fragment, change.before_bytes, change.after_bytes) for change in found.changes
    ]
    assert told == [
        ("changed", "ledger_entry", "f1", 79, 79),
        ("entered", "ledger_entry", "f2", None, 79),
        ("left", "block", "f1", 11, None),
        ("entered", "block", "f2", None, 12),
    ]


def test_a_block_with_less_of_its_body_was_cut():
    """The same block with fewer bytes is cut: its beginning is kept, its end left."""
    store = [
        text("user", bounded([("f1", "whole")], [("f1", "one\ntwo\n", 8)])),
        text("user", bounded([("f1", "cut")], [("f1", "one\n", 8)])),
    ]
    first, second = prompts(store, (0,), (1,), form="bounded_repair_v1")
    found = changes(first, second)
    assert ("cut", "block", 8, 4) in [(c.what, c.kind, c.before_bytes, c.after_bytes) for c in found.changes]
    block = [(piece.fate, piece.end - piece.start) for piece in found.pieces if piece.kind == "block"]
    assert block == [("kept", 4), ("left", 4)]


def test_pieces_cover_both_prompts_exactly():
    """Kept and entered pieces are the later prompt, kept and left bytes the earlier one, each byte once."""
    store = [text("user", bounded([("f1", "whole")], [("f1", "é\r\nb", 5)])), text("user", bounded([], []))]
    for one, other in (
        prompts(store, (0,), (1,), form="bounded_repair_v1"),
        prompts(store, (1,), (0,), form="messages"),
    ):
        found = changes(one, other)
        assert found.bytes_of("kept") + found.bytes_of("entered") == other.prompt_bytes
        assert found.bytes_of("kept") + found.bytes_of("left") == one.prompt_bytes
        after = sorted((p.message, p.start, p.end) for p in found.pieces if p.fate != "left")
        assert after[0][1] == 0
        assert all(left[2] == right[1] for left, right in itertools.pairwise(after))
