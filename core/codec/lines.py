"""The table of one FILE's records: each distinct record once, and captures as slices of positions in it.

Two records are the same if their canonical bytes are. Made fast without a `dumps` a record: the items of a capture are
written in one go and the text is cut at `},{"`. A quote inside a JSON string is always escaped, so `},{"` stands only
between two objects; if all items are objects with a key, and it stands exactly once less often than there are items, then
it stands between the items and nowhere else. Otherwise, and for what orjson refuses, each item is written by itself.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

import orjson

from ..canonical import canonical_bytes_trusted
from .base import is_object

_BETWEEN = b'},{"'


class LineTable:
    """The records of one FILE in order of first appearance; `conflicts` are the line numbers they disagree on."""

    def __init__(self) -> None:
        self.records: list[Any] = []
        self.conflicts: set[int] = set()
        self._lines: set[int] = set()
        self._places: defaultdict[bytes, int] = defaultdict()
        self._places.default_factory = self._places.__len__  # a key not seen before gets the next position

    def add(self, items: list[Any]) -> list[list[int]]:
        """Take in a capture's items (checked JSON); the slices `[start, count]` that give them back in order."""
        before = len(self.records)
        places = list(map(self._places.__getitem__, _keys(items)))
        if len(self._places) == before + len(items):  # all of them are new
            self.records += items
            slices = [[before, len(items)]] if items else []
        else:
            for place, item in zip(places, items, strict=True):
                if place == len(self.records):
                    self.records.append(item)
            slices = _runs(places)
        self._note_lines(self.records[before:])
        return slices

    def _note_lines(self, fresh: list[Any]) -> None:
        numbers = _line_numbers(fresh)
        distinct = set(numbers)
        self.conflicts |= distinct & self._lines
        if len(distinct) < len(numbers):
            self.conflicts |= _repeated(numbers)
        self._lines |= distinct


def line_number(record: Any) -> int | None:
    """The record's `line` if it is an integer (`true`, `1.0` and `"1"` are none), else None."""
    if is_object(record):
        number = record.get("line")
        if type(number) is int:
            return number
    return None


def conflicting_lines(records: list[Any]) -> list[int]:
    """The integer line numbers, ascending, under which two or more different records (typed equality) stand."""
    numbers = _line_numbers(records)
    by_line: dict[int, set[bytes]] = {number: set() for number in _repeated(numbers)}
    for record in records if by_line else ():
        number = line_number(record)
        if number in by_line:
            by_line[number].add(canonical_bytes_trusted(record))
    return sorted(number for number, different in by_line.items() if len(different) > 1)


def _line_numbers(records: list[Any]) -> list[int]:
    stated = [record.get("line") for record in records if type(record) is dict]
    return [number for number in stated if type(number) is int]


def _repeated(numbers: list[int]) -> set[int]:
    if len(set(numbers)) == len(numbers):
        return set()
    return {number for number, times in Counter(numbers).items() if times > 1}


def _keys(items: list[Any]) -> list[bytes]:
    """One byte string for each item; two are equal exactly if the items are the same."""
    if not items:
        return []
    if all(items) and set(map(type, items)) == {dict}:
        try:
            raw = orjson.dumps(items, option=orjson.OPT_SORT_KEYS)
        except TypeError:  # an integer over 64 bits or a lone surrogate: written one by one below
            pass
        else:
            pieces = raw[3:-2].split(_BETWEEN)
            if len(pieces) == len(items):
                return pieces
    return [_key(canonical_bytes_trusted(item)) for item in items]


def _key(raw: bytes) -> bytes:
    # The same cut as above, so that both ways agree. What is not cut (other shapes, `{}`) cannot equal a cut text: up to
    # its first unescaped quote a cut text is inside a string, any other JSON text is outside one.
    return raw[2:-1] if raw.startswith(b'{"') else raw


def _runs(places: list[int]) -> list[list[int]]:
    """Positions as runs `[start, count]` of consecutive ones, in order."""
    runs: list[list[int]] = []
    following = -1
    for place in places:
        if place == following:
            runs[-1][1] += 1
        else:
            runs.append([place, 1])
        following = place + 1
    return runs
