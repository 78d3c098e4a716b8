"""The `memory` of a decision: long lists of small rows, read fast where they are well formed and row by row where not."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import msgspec

from ..limits import MAX_COUNT
from ..model import Block, LedgerEntry, Memory, SourceRange
from .fields import Fields, Notes, is_object

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

T = TypeVar("T")
S = TypeVar("S")
MAX_SHARED_ROWS = 4_000
MAX_SHARED_CHARACTERS = 1_000
"""Ledger entries and supplied ranges stand in log after log: equal rows, if they are short, are one object."""

Count = Annotated[int, msgspec.Meta(ge=0, le=MAX_COUNT)]


class _Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    identity: str
    status: str
    decision: Count | None = None
    fragment: str | None = None
    body: str | None = None
    message: Count | None = None
    start: Count | None = None
    end: Count | None = None

    def is_short(self) -> bool:
        """Whether so little is worth keeping for the next log."""
        texts = len(self.identity) + len(self.status) + len(self.fragment or "") + len(self.body or "")
        return texts <= MAX_SHARED_CHARACTERS


class _Block(msgspec.Struct, forbid_unknown_fields=True):
    fragment: str
    sent_bytes: Count
    truncated: bool
    message: Count | None = None
    start: Count | None = None
    end: Count | None = None


class _Source(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    path: str
    start: Count
    end: Count
    hash: str | None = None

    def is_short(self) -> bool:
        """Whether so little is worth keeping for the next log."""
        return len(self.path) + len(self.hash or "") <= MAX_SHARED_CHARACTERS


class WellFormed(msgspec.Struct, forbid_unknown_fields=True):
    """A memory with nothing wrong and nothing unknown in it, as msgspec reads it straight from the line."""

    base_bytes: Count | None = None
    context_bytes: Count | None = None
    ledger: list[_Entry] = []  # msgspec copies an empty default
    supplied: list[_Source] = []
    blocks: list[_Block] = []
    evicted: list[str] = []

    def memory(self) -> Memory:
        """The model's memory."""
        return Memory(
            base_bytes=self.base_bytes,
            context_bytes=self.context_bytes,
            ledger=_entries(self.ledger),
            supplied=_sources(self.supplied),
            blocks=_blocks(self.blocks),
            evicted=tuple(self.evicted),
        )


def memory_from(row: Mapping[str, Any], where: str, notes: Notes) -> Memory:
    """The memory of a stored object; rows that cannot be read are reported, and the whole list then kept in `extra`."""
    fields = Fields(row, where, notes)
    return Memory(
        base_bytes=fields.count("base_bytes"),
        context_bytes=fields.count("context_bytes"),
        ledger=_rows(fields, "ledger", _Entry, _entries, _entry),
        supplied=sources_from(fields, "supplied"),
        blocks=_rows(fields, "blocks", _Block, _blocks, _block),
        evicted=fields.texts("evicted"),
        extra=fields.rest(),
    )


def sources_from(fields: Fields, field: str) -> tuple[SourceRange, ...]:
    """A list of source ranges."""
    return _rows(fields, field, _Source, _sources, _source)


def _rows(
    fields: Fields,
    field: str,
    kind: type[S],
    all_at_once: Callable[[list[S]], tuple[T, ...]],
    one: Callable[[Any, str, Notes], T | None],
) -> tuple[T, ...]:
    rows = fields.items(field)
    try:
        return all_at_once(msgspec.convert(rows, list[kind]))  # type: ignore[valid-type]  # mypy takes no type from a value
    except msgspec.ValidationError:
        fields.keep(field, rows)
        return fields.each(field, one)


def _entries(rows: list[_Entry]) -> tuple[LedgerEntry, ...]:
    return tuple([_shared_entry(row) if row.is_short() else _entry_of(row) for row in rows])


def _entry_of(row: _Entry) -> LedgerEntry:
    return LedgerEntry(row.identity, row.status, row.decision, row.fragment, row.body, row.message, row.start, row.end)


_shared_entry = lru_cache(maxsize=MAX_SHARED_ROWS)(_entry_of)


def _blocks(rows: list[_Block]) -> tuple[Block, ...]:
    return tuple(Block(row.fragment, row.sent_bytes, row.truncated, row.message, row.start, row.end) for row in rows)


def _sources(rows: list[_Source]) -> tuple[SourceRange, ...]:
    return tuple([_shared_source(row) if row.is_short() else _source_of(row) for row in rows])


def _source_of(row: _Source) -> SourceRange:
    return SourceRange(row.path, row.hash, row.start, row.end)


_shared_source = lru_cache(maxsize=MAX_SHARED_ROWS)(_source_of)


def _entry(item: Any, where: str, notes: Notes) -> LedgerEntry | None:
    if not is_object(item, where, notes):
        return None
    fields = Fields(item, where, notes)
    identity, status = fields.text("identity", required=True), fields.text("status", required=True)
    if identity is None or status is None:
        return None
    return LedgerEntry(
        identity,
        status,
        fields.count("decision"),
        fields.text("fragment"),
        fields.text("body"),
        fields.count("message"),
        fields.count("start"),
        fields.count("end"),
        fields.rest(),
    )


def _block(item: Any, where: str, notes: Notes) -> Block | None:
    if not is_object(item, where, notes):
        return None
    fields = Fields(item, where, notes)
    fragment, size = fields.text("fragment", required=True), fields.count("sent_bytes", required=True)
    truncated = fields.flag("truncated", required=True)
    if fragment is None or size is None or truncated is None:
        return None
    return Block(
        fragment,
        size,
        truncated,
        fields.count("message"),
        fields.count("start"),
        fields.count("end"),
        fields.rest(),
    )


def _source(item: Any, where: str, notes: Notes) -> SourceRange | None:
    if not is_object(item, where, notes):
        return None
    fields = Fields(item, where, notes)
    path = fields.text("path", required=True)
    start, end = fields.count("start", required=True), fields.count("end", required=True)
    if path is None or start is None or end is None:
        return None
    return SourceRange(path, fields.text("hash"), start, end, fields.rest())
