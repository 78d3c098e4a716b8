"""Canonical text: exact bytes, typed equality, and what is refused."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core import canonical
from core.canonical import (
    byte_length,
    canonical_bytes,
    canonical_text,
    hash_of,
    loads,
    loads_last,
    loads_reporting,
    refuse_values,
    same,
    structure,
    utf8,
)
from core.errors import JsonError, TooManyValuesError
from core.limits import MAX_DEPTH

GOLDEN = [
    ({"b": [1, 1.0], "a": "é\n"}, '{"a":"é\\n","b":[1,1.0]}'),
    ([1e16, 0.00001, 1e300, -0.0, 0.0, 5e-324], "[1e16,0.00001,1e300,-0.0,0.0,5e-324]"),
    ([True, False, None, "", [], {}], '[true,false,null,"",[],{}]'),
    ('\x00\x1f\x7f/\u2028"\\\b\t\f\r', '"\\u0000\\u001f\x7f/\u2028\\"\\\\\\b\\t\\f\\r"'),
    ({"\uffff": 1, "\U00010000": 2, "Z": 3, "a": 4}, '{"Z":3,"a":4,"\uffff":1,"\U00010000":2}'),
    (10**40, "1" + "0" * 40),
    (-(2**63) - 1, "-9223372036854775809"),
    # the slow path (a big integer beside it) writes the same text for every neighbour
    ([10**30, 1e16, "é\x1f\x7f", -0.0], '[1000000000000000000000000000000,1e16,"é\\u001f\x7f",-0.0]'),
    ("a\ud800b", '"a\\ud800b"'),
    ("\ud83d\ude00", '"😀"'),
]


@pytest.mark.parametrize(("value", "text"), GOLDEN)
def test_golden_text(value, text):
    """A value has exactly this canonical text."""
    assert canonical_text(value) == text


@pytest.mark.parametrize("text", [text for _, text in GOLDEN])
def test_golden_text_is_a_fixed_point(text):
    """Reading a canonical text and writing it again changes no byte."""
    assert canonical_text(loads(text)) == text
    assert canonical_text(loads(text.encode())) == text


def test_the_float_text_of_the_installed_orjson():
    """The canonical text rests on orjson's float text, which another version would write differently."""
    assert orjson.dumps([1e16, 0.00001]) == b"[1e16,0.00001]"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, 1.0),
        (1, True),
        (0, False),
        (0.0, -0.0),
        (0, None),
        ("", None),
        ([], {}),
        ({"a": None}, {}),
        ([1, 2], [2, 1]),
    ],
)
def test_different_values_are_not_the_same(one, other):
    """Typed equality keeps apart what Python's == or a careless reader would merge."""
    assert not same(one, other)
    assert not same({"k": [one]}, {"k": [other]})


def test_key_order_does_not_count():
    """Objects with the same members in another order are the same value."""
    assert same({"a": 1, "b": {"c": 2, "d": 3}}, {"b": {"d": 3, "c": 2}, "a": 1})


@pytest.mark.parametrize(
    ("raw", "says"),
    [
        (b"NaN", "does not allow"),
        (b"[Infinity]", "does not allow"),
        (b"1e400", "overflows"),
        (b"\xff", "not UTF-8"),
        (b'"\xed\xa0\x80"', "not UTF-8"),
        (b"", "not JSON"),
        (b"[1,]", "not JSON"),
        (b"\xef\xbb\xbf1", "not JSON"),
        (b"[" * 65 + b"]" * 65, "nested too deep"),
        (b"[" * 100_000, "nested too deep"),
        (b"9" * 4301, "too many digits"),
        (b'{"a":1,"a":2}', "same key twice"),
    ],
)
def test_what_reading_refuses(raw, says):
    """What JSON does not allow, or what we bound, is refused with the reason."""
    with pytest.raises(JsonError, match=says):
        loads(raw)


@pytest.mark.parametrize("value", [math.nan, [math.inf], {1: 2}, {1, 2}, b"x", object(), [10**4300]])
def test_what_writing_refuses(value):
    """A value that canonical text cannot carry is refused, never written as something else."""
    with pytest.raises(JsonError):
        canonical_text(value)


def test_depth_is_allowed_up_to_the_limit():
    """64 levels are read and written, in both paths; 65 are not."""
    value: object = 10**30
    for _ in range(64):
        value = [value]
    assert loads(canonical_bytes(value)) == value
    with pytest.raises(JsonError, match="nested too deep"):
        canonical_bytes([value])


DEEP = """
import random, sys
import orjson
chance = random.Random(7)
for _ in range(4000):
    value = chance.choice(["", [], {}, None, -1.2345678901234567e-300, "\\x01", 10**18])
    lists = chance.choice([1, 1, 0.97, 0.5])
    for _ in range(int(sys.argv[1])):
        value = [value] if chance.random() < lists else {chance.choice("ab"): value}
    orjson.dumps(["x" * chance.randrange(1200), *[value] * chance.choice([1, 2, 40])], option=orjson.OPT_SORT_KEYS)
"""


def test_orjson_keeps_within_its_buffer_up_to_the_limit():
    """Values of the limit's depth, and a few levels around them, are written under an allocator that notices a byte too many.

    orjson 3.11.6 makes no room for closing brackets; from about 104 in a row on, this test's process is aborted.
    """
    command = [sys.executable, "-c", DEEP, str(MAX_DEPTH + 20)]
    subprocess.run(command, check=True, env={**os.environ, "PYTHONMALLOC": "debug"}, timeout=400)


def test_duplicate_keys_are_named_and_the_last_one_stands():
    """A duplicate key is reported by name at any depth; the last value stands."""
    assert loads_reporting(b'{"a":1,"b":{"c":1,"c":2},"a":3}') == ({"a": 3, "b": {"c": 2}}, ("c", "a"))
    assert loads_reporting(b'{ "a": 1 }') == ({"a": 1}, ())
    assert loads_last('{"a":1,"a":2}') == {"a": 2}


def test_hash_is_over_the_canonical_bytes():
    """The hash of a value is the SHA-256 of its canonical text, written with its algorithm's name."""
    assert hash_of({}) == "sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"
    assert hash_of({"b": 1, "a": 2}) == hash_of({"a": 2, "b": 1})


def test_bytes_are_utf8_and_a_lone_surrogate_counts_three():
    """Sizes are UTF-8 bytes; what UTF-8 cannot carry counts as 3."""
    assert [byte_length(text) for text in ("abc", "é", "😀", "\ud800", "")] == [3, 2, 4, 3, 0]
    assert utf8("\ud800") == b"\xed\xa0\x80"


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=())),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=12,
)


@given(JSON)
def test_reading_what_was_written_gives_the_same_text(value):
    """Canonical text survives a round trip, and Python's own reader sees the same value in it."""
    text = canonical_text(value)
    assert canonical_text(loads(text)) == text
    assert canonical_text(json.loads(text)) == text


@given(JSON, JSON)
def test_same_means_same_text(one, other):
    """Two values are the same exactly if their canonical bytes are."""
    assert same(one, other) == (canonical_bytes(one) == canonical_bytes(other))
    assert same(one, one)


# --- how much a text may hold


@pytest.mark.parametrize(
    ("text", "signs"),
    [
        ('["a","b"]', 2),
        (r'{"a,:[{":"\",:[{\\"}', 2),
        (r'["\\\\\\",1]', 2),
        (r'["\\",["\"[,"]]', 3),
        ("[[],{},[{}]]", 7),
        ('"[{,:"', 0),
    ],
)
@pytest.mark.parametrize("block", [1, 2, 3, 1000])
def test_signs_outside_of_texts_are_counted(text, signs, block, monkeypatch):
    """Brackets, commas and colons between quotes count for nothing, wherever a block of the count ends."""
    monkeypatch.setattr(canonical, "MIB", block)
    assert canonical._structure_outside_texts(text.encode()) == signs


def test_a_text_of_too_many_values_is_refused_before_it_is_read(monkeypatch):
    """The figure is told; a text that holds signs in its texts only is read; a lone surrogate does not hide one."""
    monkeypatch.setattr(canonical, "MAX_VALUES", 9)
    said = "too many values (expected at most 9 brackets, commas and colons outside of texts, found 10)"
    for text in ("[0,0,0,0,0,0,0,0,0,0]", b"[0,0,0,0,0,0,0,0,0,0]", '["\ud800",0,0,0,0,0,0,0,0,"\ud800"]'):
        for read in (loads, loads_last, loads_reporting):
            with pytest.raises(TooManyValuesError) as caught:
                read(text)
            assert str(caught.value) == said
    assert loads("[0,0,0,0,0,0,0,0,0]") == [0] * 9
    assert loads('["' + "[,:{" * 100 + '"]') == ["[,:{" * 100]
    refuse_values("x" * 1000)
    assert structure(b"[0,{}]x:") == 4


def test_not_json_is_not_built_before_it_is_counted(monkeypatch):
    """A text that breaks at its end is refused by its values, too."""
    monkeypatch.setattr(canonical, "MAX_VALUES", 9)
    with pytest.raises(TooManyValuesError):
        loads_last(b"[0,0,0,0,0,0,0,0,0,0,")
