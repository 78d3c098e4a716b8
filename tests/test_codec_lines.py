"""The line table against a reference that compares every record with every other one."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.canonical import canonical_bytes, loads, same
from core.codec.lines import LineTable, _keys, conflicting_lines

LINES = [1, 2, 1.0, True, None, "1", 2**64]
ITEMS = [{"line": line, "text": text} for line in LINES for text in ("x", "\ud800")]
ITEMS += [{"line": 1, "text": "x", "truncated": flag} for flag in (True, False, None, 0)]
ITEMS += [{"line": 1, "rows": [{"a": 1}, {"b": 2}]}, {"a": [{"x": 1}, {"y": 2}]}, {"line": 1, "text": '},{"'}]
ITEMS += [{}, [], "", None, 0, 0.0, -0.0, False, "1", [{}], {"": 1}, {"": {"": 1}}]
item = st.sampled_from(ITEMS)


def reference_conflicts(records):
    """Line numbers under which two records differ: by the definition, pair by pair."""
    found = set()
    for place, one in enumerate(records):
        for other in records[place + 1 :]:
            if type(one) is dict and type(other) is dict:
                line = one.get("line")
                if (
                    type(line) is int
                    and type(other.get("line")) is int
                    and line == other["line"]
                    and not same(one, other)
                ):
                    found.add(line)
    return sorted(found)


def reference_table(captures):
    """The distinct records in order of first appearance, by comparing each with all before it."""
    table = []
    for captured in captures:
        for record in captured:
            if not any(same(record, known) for known in table):
                table.append(record)
    return table


captures = st.lists(st.lists(item, max_size=6), max_size=5)


@settings(max_examples=400, deadline=None, derandomize=True)
@given(captures)
def test_table_and_conflicts_against_the_reference(taken):
    """Records, their order, the slices and the conflicts are those of the pairwise reference."""
    table = LineTable()
    slices = [table.add(items) for items in taken]
    assert canonical_bytes(table.records) == canonical_bytes(reference_table(taken))
    assert sorted(table.conflicts) == reference_conflicts(table.records) == conflicting_lines(table.records)
    for items, pieces in zip(taken, slices, strict=True):
        rebuilt = [record for start, count in pieces for record in table.records[start : start + count]]
        assert canonical_bytes(rebuilt) == canonical_bytes(items)


@settings(max_examples=400, deadline=None, derandomize=True)
@given(st.lists(item, max_size=6))
def test_keys_are_equal_exactly_for_equal_items(items):
    """The byte keys, cut from one text or written one by one, tell items apart as typed equality does."""
    keys = _keys(items)
    alone = [_keys([one])[0] for one in items]
    assert keys == alone
    for one, key in zip(items, keys, strict=True):
        for other, other_key in zip(items, keys, strict=True):
            assert (key == other_key) == same(one, other)


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("[1, 1]", [1]),
        ("[1, 1.0]", []),
        ("[1, true]", []),
        ('[1, "1"]', []),
        ("[null, null]", []),
        ("[1.0, 1.0]", []),
        ("[18446744073709551616, 18446744073709551616]", [18446744073709551616]),
        ("[7, 7, -1, -1, 7, 0]", [-1, 7]),
    ],
)
def test_only_integers_are_line_numbers(lines, expected):
    """`1.0`, `true`, `"1"` and null are no line numbers, and differ from the line 1."""
    records = [{"line": line, "text": str(place)} for place, line in enumerate(loads(lines))]
    assert conflicting_lines(records) == expected


def test_one_record_seen_often_is_no_conflict():
    """Equal records at one line, in any key order, do not conflict; a record that differs only by an unknown field does."""
    same_record = [{"line": 1, "text": "x"}, {"text": "x", "line": 1}]
    assert conflicting_lines(same_record) == []
    assert conflicting_lines([*same_record, {"line": 1, "text": "x", "note": None}]) == [1]
