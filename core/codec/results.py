"""RESULT entries: one `result` that several records hold stands once, where that makes the text smaller."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from ..canonical import canonical_bytes_trusted
from .names import aliases

if TYPE_CHECKING:
    from .base import Record

_INLINE = len('"result":')
_REFERENCE = len('"result_ref":""')
_ENTRY = len('"":,')
_TABLE = len('"shared_results":{},') - len(",")  # one entry fewer needs its comma


class ResultTable:
    """Which results of a view (in record order) become entries, by bytes of canonical text."""

    def __init__(self, results: list[Any], taken: set[str]) -> None:
        self.table: dict[str, Any] = {}
        self._given: dict[bytes, str] = {}
        keys = [canonical_bytes_trusted(result) for result in results]
        self._key_of = {id(result): key for result, key in zip(results, keys, strict=True)}
        values = dict(zip(keys, results, strict=True))
        names = aliases("R", taken)
        name, gained = next(names), -_TABLE
        for key, times in Counter(keys).items():  # in order of first use
            gain = times * (_INLINE + len(key) - _REFERENCE - len(name)) - (_ENTRY + len(name) + len(key))
            if times > 1 and gain > 0:
                self._given[key] = name
                self.table[name] = values[key]
                name, gained = next(names), gained + gain
        if gained <= 0:
            self._given, self.table = {}, {}

    def referred(self, record: Record) -> Record:
        """The record with `result_ref` in place of a shared `result`."""
        alias = self._given.get(self._key_of[id(record["result"])]) if "result" in record else None
        if alias is None:
            return record
        rest = {key: value for key, value in record.items() if key != "result"}
        return {**rest, "result_ref": alias}
