"""What the prompt viewer is sent: exact text, and places in UTF-16 units."""

import json
import struct

from pages.parts.viewer.payload import Mark, Part, payload

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
