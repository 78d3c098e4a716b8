"""From a v6 view back to exactly the v5 view it was made from; every reference and the list of conflicts are checked."""

from __future__ import annotations

from typing import Any

from ..errors import ViewError
from .base import Record, View, entry_of, is_array, is_object, numbered_records, shown, table_of, with_records
from .files import has_identity
from .growth import Growth, check_slices
from .lines import conflicting_lines
from .names import V6_TABLES, unwrapped
from .v5 import PROVENANCE, Tables

LINES = "shared_source_lines_v1"


def restore(view: View) -> View:
    """The v5 view that a v6 view was made from.

    Raises `ViewError` for a reference that leads nowhere, a record or RESULT that nothing refers to (restoring would lose
    it), or a `conflicting_lines` that is not what the records say.
    """
    inner = unwrapped(view)
    if inner is not None:
        return inner
    files, results, growth = _Files(view), table_of(view, "shared_results"), Growth()
    files.read_slices(view)
    used: set[str] = set()
    replaced: dict[int, Record] = {}
    for position, record in numbered_records(view):
        where = f"evidence[{position}]"
        restored = files.restored(record, position)
        if "result_ref" in restored:
            if "result" in restored:
                raise ViewError(f"{where} says both result and result_ref", expected="one of the two")
            result = entry_of(results, alias := restored["result_ref"], where, "result_ref")
            used.add(alias)
            growth.entry("shared_results", alias, result)
            restored = {**{key: value for key, value in restored.items() if key != "result_ref"}, "result": result}
        if restored is not record:
            replaced[position] = restored
    files.check_all_used()
    if unused := results.keys() - used:
        raise ViewError("a RESULT entry that no record refers to", expected="each one used", found=shown(min(unused)))
    return {name: value for name, value in with_records(view, replaced).items() if name not in V6_TABLES}


class _Files:
    """The FILE entries and their line tables, with a mark on each record that a capture refers to."""

    def __init__(self, view: View) -> None:
        self._tables = Tables(view)
        self._entries = table_of(view, "shared_files")
        self._sources: dict[str, list[Any]] = {}
        self._paths: dict[str, str] = {}
        self._used: dict[str, bytearray] = {}
        self._slices: dict[int, tuple[str, list[tuple[int, int]]]] = {}
        self._growth = Growth()
        for alias, entry in self._entries.items():
            self._paths[alias] = self._path(alias, entry)
        for alias, source in table_of(view, "shared_sources").items():
            entry_of(self._entries, alias, "shared_sources", "FILE")
            self._sources[alias] = _checked_records(alias, source)
            self._used[alias] = bytearray(len(self._sources[alias]))
        if missing := self._entries.keys() - self._sources.keys():
            raise ViewError(
                "a FILE without its records", expected="an entry in shared_sources", found=shown(min(missing))
            )

    def _path(self, alias: str, entry: object) -> str:
        where = f"shared_files {alias!r}"
        if not is_object(entry) or len(entry) != len(PROVENANCE):
            raise ViewError(f"{where} is no FILE entry", expected="metadata and origin, inline or by reference")
        metadata, origin = (self._tables.value(entry, field, where) for field in PROVENANCE)
        if not has_identity(metadata, origin):
            raise ViewError(f"{where} names no known snapshot", expected="path, content identity and pinned origin")
        path: str = metadata["path"]
        return path

    def read_slices(self, view: View) -> None:
        """Look at the slices of every capture, and bound what they stand for, before any is unpacked."""
        for position, record in numbered_records(view):
            items = record.get("items")
            if is_object(items) and LINES in items:
                self._slices[position] = self._reference(items, f"evidence[{position}]")
        taken: dict[str, list[tuple[int, int]]] = {alias: [] for alias in self._sources}
        for alias, slices in self._slices.values():
            taken[alias] += slices
        check_slices((self._sources[alias], slices) for alias, slices in taken.items())

    def _reference(self, items: Record, where: str) -> tuple[str, list[tuple[int, int]]]:
        reference = items[LINES]
        if len(items) != 1 or not is_object(reference) or reference.keys() != {"file", "slices"}:
            raise ViewError(f"{where}: {LINES} has another shape", expected='{"file": ..., "slices": [...]}')
        alias, slices = reference["file"], reference["slices"]
        entry_of(self._entries, alias, where, "FILE")
        if not is_array(slices):
            raise ViewError(f"{where}: slices are no list", expected="[[start, count], ...]", found=shown(slices))
        count_of = len(self._sources[alias])
        return alias, [_checked_slice(piece, count_of, f"{where}: {alias}") for piece in slices]

    def restored(self, record: Record, position: int) -> Record:
        """The record with its items, provenance and query path as they were."""
        query, where = record.get("query"), f"evidence[{position}]"
        if is_object(query) and "path_ref" in query:
            if "path" in query or "path_alias" in query:
                raise ViewError(f"{where} says both path and path_ref", expected="one of the two")
            alias = query["path_ref"]
            entry_of(self._entries, alias, where, "path_ref")
            self._growth.entry("path_ref", alias, self._paths[alias])
            rest = {key: value for key, value in query.items() if key != "path_ref"}
            record = {**record, "query": {**rest, "path": self._paths[alias]}}
        return self._capture(record, *self._slices[position]) if position in self._slices else record

    def _capture(self, record: Record, alias: str, slices: list[tuple[int, int]]) -> Record:
        records, items = self._sources[alias], []
        for start, count in slices:
            items += records[start : start + count]
            self._used[alias][start : start + count] = b"\1" * count
        restored = {**record, "items": items}
        for field in PROVENANCE:
            if field not in record and f"{field}_ref" not in record:
                told = {key: value for key, value in self._entries[alias].items() if key in (field, f"{field}_ref")}
                self._growth.entry(field, alias, told)
                restored |= told
        return restored

    def check_all_used(self) -> None:
        """Refuse records that no capture refers to: restoring would lose them."""
        for alias, used in self._used.items():
            if (place := used.find(0)) >= 0:
                raise ViewError(f"record {place} of {alias} is in no capture", expected="each record referred to")


def _checked_slice(piece: object, records: int, where: str) -> tuple[int, int]:
    if not is_array(piece) or [type(number) for number in piece] != [int, int]:
        raise ViewError(f"{where}: a slice is two integers", expected="[start, count]", found=shown(piece))
    start, count = piece
    if start < 0 or count < 1 or start + count > records:
        raise ViewError(f"{where}: a slice leads out of the table", expected=f"{records} records", found=shown(piece))
    return start, count


def _checked_records(alias: str, source: object) -> list[Any]:
    where = f"shared_sources {alias!r}"
    if not is_object(source) or not is_array(source.get("records")) or source.keys() - {"records", "conflicting_lines"}:
        raise ViewError(f"{where} is no table of records", expected='{"records": [...]}')
    records: list[Any] = list(source["records"])
    found, stated = conflicting_lines(records), source.get("conflicting_lines", [])
    if not is_array(stated) or [type(number) for number in stated] != [int] * len(stated) or list(stated) != found:
        raise ViewError(
            f"{where}: conflicting_lines do not match the records", expected=shown(found), found=shown(stated)
        )
    return records
