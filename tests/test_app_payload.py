"""What the prompt viewer is sent: exact text, and places in UTF-16 units."""

import json
import struct

import pytest

from core.changes import changes
from core.delivery import deliver
from core.package import open_package
from pages.parts.palette import KIND_IDS
from pages.parts.viewer import compose
from pages.parts.viewer.payload import Mark, Part, payload, shown_length
from tests.app_driver import SAMPLES_FOLDER

KINDS = ("ledger", "block")


def opened(data):
    size = struct.unpack_from("<I", data)[0]
    revision, rest = data[4 : 4 + size].decode(), data[4 + size :]
    size = struct.unpack_from("<I", rest)[0]
    return revision, json.loads(rest[4 : 4 + size]), rest[4 + size :].decode()


def test_the_text_is_sent_exactly_with_its_sizes():
    """CR, NUL, U+2028 and HTML stay as they are; bytes and lines are those of the text."""
    body = "a\r\nb\0\u2028<b>\n"
    revision, header, text = opened(payload("r:1", "Decision 1", [Part("user", "", body)], KINDS))
    assert (revision, text) == ("r:1", "a\r\nb\0\u2028<b>\n")
    assert (header["bytes"], header["lines"], header["inexact"], header["note"]) == (12, 3, False, "")


def test_marks_are_given_in_utf16_units_of_the_whole_text():
    """A mark in UTF-8 bytes of its own section becomes a place in the joined text as a browser counts it."""
    parts = [Part("system", "", "é😀"), Part("user", "", "x😀yz", [Mark(5, 6, "block", "f1"), Mark(0, 5, "ledger")])]
    _, header, text = opened(payload("r", "n", parts, KINDS))
    assert text == "é😀x😀yz"
    assert header["spans"] == [[3, 6, 0, None], [6, 7, 1, "f1"]]
    assert [(each["start"], each["end"]) for each in header["sections"]] == [(0, 3), (3, 8)]


def test_a_mark_of_an_unknown_kind_is_left_out_and_inner_marks_come_last():
    """Marks are sorted so that a mark within another follows it."""
    marks = [Mark(2, 3, "block"), Mark(0, 4, "ledger"), Mark(0, 4, "nothing")]
    _, header, _ = opened(payload("r", "n", [Part("user", "", "abcd", marks)], KINDS))
    assert header["spans"] == [[0, 4, 0, None], [2, 3, 1, None]]


def test_a_lone_surrogate_is_shown_as_its_escape_and_said_to_be_inexact():
    """It counts as 3 bytes, stands as six characters, and the note says that a copy is inexact."""
    _, header, text = opened(payload("r", "n", [Part("user", "", "a\ud800b", [Mark(4, 5, "block")])], KINDS))
    assert text == "a\\ud800b"
    assert (header["bytes"], header["inexact"]) == (5, True)
    assert header["spans"] == [[7, 8, 1, None]]
    assert "inexact" in header["note"]


def test_a_place_inside_a_character_moves_to_its_beginning():
    """A claimed place that splits a code point never breaks the text."""
    _, header, text = opened(payload("r", "n", [Part("user", "", "aéb", [Mark(2, 4, "block")])], KINDS))
    assert text == "aéb"
    assert header["spans"] == [[1, 3, 1, None]]


def test_what_left_is_drawn_but_not_counted():
    """A section that left the prompt is in the text to draw, and in no size."""
    _, header, text = opened(payload("r", "n", [Part("user", "", "now"), Part("gone", "", "é", left=True)], KINDS))
    assert text == "nowé"
    assert (header["bytes"], header["lines"]) == (3, 1)


def test_a_text_that_goes_on_is_counted_once():
    """A line that two sections share is one line, and a section behind a newline begins a new one."""
    parts = [Part("user", "", "a\nb"), Part("gone", "", "x\n", left=True), Part("user", "", "c\n", on=True)]
    _, header, _ = opened(payload("r", "n", [*parts, Part("user", "", "d", on=True)], KINDS))
    assert header["lines"] == 3  # a, bc, d
    assert [each.get("on", False) for each in header["sections"]] == [False, False, True, True]


def test_what_is_known_and_how_fragments_stand_go_with_a_text():
    """The header says that only a part is known, and what the placements say of the fragments."""
    _, header, _ = opened(payload("r", "n", [Part("user", "", "a")], KINDS, known=True, stands={"f1": "ledger"}))
    assert (header["known"], header["stands"]) == (True, {"f1": "ledger"})
    _, header, _ = opened(payload("r", "n", [Part("user", "", "a")], KINDS))
    assert (header["known"], header["stands"]) == (False, None)


def test_a_length_as_shown_counts_as_a_browser_does():
    """An astral character is two units, a lone surrogate the six of its escape."""
    assert shown_length("aé😀\ud800") == 1 + 1 + 2 + 6


def stalled():
    run = open_package(SAMPLES_FOLDER / "video_start_overwritten")
    return run, run.decisions[1], run.decisions[2]


def test_what_changed_has_the_lines_and_bytes_of_the_prompt_itself():
    """Decision 3 of the stalled run: 4,825 B in 95 lines, as received and against decision 2."""
    _, before, after = stalled()
    modes = compose.received(after, (), str), compose.changed(before, after, changes(before, after), str)
    for parts in modes:
        _, header, _ = opened(payload("r", "n", parts, KIND_IDS))
        assert (header["bytes"], header["lines"]) == (4_825, 95)


def test_what_left_is_named_thing_by_thing_with_the_bytes_of_the_block_alone():
    """f1 left decision 3's prompt: 1,629 B of body with its heading; the supplied ranges are another thing."""
    _, before, after = stalled()
    left = [each for each in compose.changed(before, after, changes(before, after), str) if each.left]
    said = {each.title: each.note for each in left}
    assert said["left the prompt: block f1"] == "1,629 B with a heading of 411 B, not received"
    assert said["left the prompt: supplied ranges"] == "41 B, not received"


def test_every_mode_says_the_same_of_a_fragment():
    """f1 stands in decision 3 by its ledger entry only, f2 whole, and nothing is said of a prompt that was not sent."""
    run, _, after = stalled()
    assert compose.standing(after, deliver(run).column(after.key), str) == {"f1": "ledger", "f2": "whole"}
    tight = open_package(SAMPLES_FOLDER / "tight_budget")
    unsent = next(each for each in tight.decisions if each.sent is False)
    assert compose.standing(unsent, (), str) is None


def test_a_stored_object_is_drawn_in_rows_and_copied_as_it_is():
    """Its text is the canonical JSON; each member begins a row, set in by its depth; signs inside strings begin none."""
    text = '{"a":[1,{}],"b":"x,{\\"y"}'
    rows = list(compose.members(text.encode()))
    assert [(text[at:][:4], depth) for at, depth in rows] == [
        ('"a":', 1),
        ("1,{}", 2),
        ("{}],", 2),
        ('],"b', 1),
        ('"b":', 1),
        ("}", 0),
    ]
    _, _, after = stalled()
    part = compose.raw(after)[0]
    assert part.text.startswith('{"role":"system","text":"')
    _, header, shown = opened(payload("r", "n", [part], KIND_IDS))
    assert shown == part.text
    assert header["indents"] == [1, 1, 0]


@pytest.mark.parametrize("sample", ["adjacent_reads", "tight_budget", "few_sources"])
def test_changed_and_received_agree_on_every_prompt(sample):
    """Whatever entered and left: the received text and its lines are those of the prompt."""
    run = open_package(SAMPLES_FOLDER / sample)
    for before, after in zip(run.decisions, run.decisions[1:], strict=False):
        found = []
        for parts in (compose.received(after, (), str), compose.changed(before, after, changes(before, after), str)):
            _, header, text = opened(payload("r", "n", parts, KIND_IDS))
            units = text.encode("utf-16-le")
            kept = [units[2 * each["start"] : 2 * each["end"]] for each in header["sections"] if not each["left"]]
            found.append((b"".join(kept), header["bytes"], header["lines"]))
        assert found[0] == found[1]
