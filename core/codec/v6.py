"""`investigation_project_v6`: one source line once. Works on a v5 view as it is, never re-derived from v4.

- **FILE entries** (`shared_files`: `F1`, `F2`, ...) stand for the file snapshots that source captures observed (`files.py` says what
  a capture and a FILE are). An entry holds the v5 provenance of its first capture, `metadata` or `metadata_ref` and `origin` or
  `origin_ref`. A capture that says the same in the same way leaves it out; one that says it otherwise keeps its own.
- **`shared_sources`** holds for each FILE `{"records": [...]}`: each distinct record (typed equality of the whole item, any
  JSON shape) once. A capture keeps everything else; its `items` become
  `{"shared_source_lines_v1": {"file": "F1", "slices": [[start, count], ...]}}`: zero-based *positions in that table*, not
  line numbers. Order and repeats are rebuilt exactly, missing lines stay missing, no items are `"slices": []`.
- **`conflicting_lines`** stands beside `records` where two or more different records have one line number: those numbers,
  ascending. Only integers count: `true`, `1.0` and `"1"` are no line numbers. No observation wins. `restore` checks the list.
- **`path_ref`**: a literal `path` of a query becomes `"path_ref": "F1"` if exactly one FILE has that path and the record's
  origin. A `path_alias` is left alone.
- **RESULT entries** (`shared_results`: `R1`, ...): a `result` (any JSON value, typed equality) that several records hold
  stands once, and they say `result_ref`, where that makes the text smaller. Queries and origins stay on each record.
- **The smaller one**: if the text is not smaller than the v5 text, the v5 view is kept (`fell_back`).
- A v5 view that uses a reserved name, `verbatim` included, becomes `{"verbatim": view}` (see `names.py`).

Example: the v5 view

    {"evidence": [
      {"id": "E1", "query": {"path": "a.js", "start": 1}, "metadata_ref": "M1", "origin_ref": "M2",
       "items": [{"line": 1, "text": "x"}, {"line": 2, "text": "y"}]},
      {"id": "E2", "query": {"path": "a.js", "start": 2}, "metadata_ref": "M1", "origin_ref": "M2",
       "items": [{"line": 2, "text": "y"}, {"line": 2, "text": "z"}]}],
     "shared_metadata": {"M1": {"path": "a.js", "blob": "c0ff"}, "M2": {"revision": "9f"}}}

becomes, if that is smaller (in this tiny one it is not),

    {"evidence": [
      {"id": "E1", "query": {"path_ref": "F1", "start": 1}, "items": {"shared_source_lines_v1": {"file": "F1", "slices": [[0, 2]]}}},
      {"id": "E2", "query": {"path_ref": "F1", "start": 2}, "items": {"shared_source_lines_v1": {"file": "F1", "slices": [[1, 2]]}}}],
     "shared_files": {"F1": {"metadata_ref": "M1", "origin_ref": "M2"}},
     "shared_metadata": {"M1": {"path": "a.js", "blob": "c0ff"}, "M2": {"revision": "9f"}},
     "shared_sources": {"F1": {"conflicting_lines": [2],
                               "records": [{"line": 1, "text": "x"}, {"line": 2, "text": "y"}, {"line": 2, "text": "z"}]}}}
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .base import V6, Encoded, Record, View, is_object, numbered_records, with_records, written
from .files import FileKey, Identities, is_capture, stated
from .lines import LineTable
from .names import V6_FIELDS, V6_TABLES, aliases, taken_names, wrapped_if_reserved
from .results import ResultTable
from .v5 import PROVENANCE, Tables
from .v6_restore import restore

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["encode", "restore"]


def encode(given: Encoded) -> Encoded:
    """The smaller of the v6 candidate and the v5 view that is given. `ViewError` if a v5 reference leads nowhere."""
    wrapped = wrapped_if_reserved(given, V6, V6_TABLES, V6_FIELDS)
    if wrapped:
        return wrapped
    candidate = written(V6, _candidate(given.view))
    ours, theirs = len(candidate.raw), len(given.raw)
    if ours < theirs:
        return candidate
    shared = any(name in candidate.view for name in V6_TABLES)
    why = f"the v6 text ({ours} B) is not smaller than the v5 text ({theirs} B)" if shared else "nothing to share"
    return Encoded(V6, given.view, given.raw, fell_back=True, reason=f"v5 text kept: {why}")


def _candidate(view: View) -> View:
    tables = Tables(view)
    taken = taken_names(view)
    files = _Files(tables, taken)
    places = {position: f"evidence[{position}]" for position, _ in numbered_records(view)}
    records = {position: files.taken_in(record, places[position]) for position, record in numbered_records(view)}
    results = ResultTable([record["result"] for record in records.values() if "result" in record], taken)
    for position, record in records.items():
        records[position] = results.referred(files.path_referred(record, view["evidence"][position], places[position]))
    added = {"shared_files": files.entries, "shared_sources": files.sources(), "shared_results": results.table}
    return {**with_records(view, records), **{name: table for name, table in added.items() if table}}


class _Files:
    """The FILE entries of one view, in order of first capture."""

    def __init__(self, tables: Tables, taken: set[str]) -> None:
        self.entries: dict[str, Record] = {}
        self._tables = tables
        self._identities = Identities(tables)
        self._names = aliases("F", taken)
        self._given: dict[FileKey, str] = {}
        self._lines: dict[str, LineTable] = {}
        self._by_path: dict[tuple[str, bytes], list[str]] = {}

    def taken_in(self, record: Record, where: str) -> Record:
        """A source capture with its items as slices and without the provenance of its FILE; others as they are."""
        metadata, origin = (self._tables.value(record, field, where) for field in PROVENANCE)
        if not is_capture(record, metadata, origin):
            return record
        alias = self._alias(record, metadata, origin)
        slices = self._lines[alias].add(list(record["items"]))
        entry = self.entries[alias]
        # Inline against inline is the same value, as the FILE is; two aliases of one value are another way of saying it.
        said = {
            key for _, key in stated(record) if key in entry and (not key.endswith("_ref") or record[key] == entry[key])
        }
        kept = {key: value for key, value in record.items() if key not in said}
        return {**kept, "items": {"shared_source_lines_v1": {"file": alias, "slices": slices}}}

    def _alias(self, record: Record, metadata: Any, origin: Any) -> str:
        key = (self._identities.key(record, "metadata", metadata), self._identities.key(record, "origin", origin))
        if key not in self._given:
            alias = self._given[key] = next(self._names)
            self.entries[alias] = {name: record[name] for _, name in stated(record)}
            self._lines[alias] = LineTable()
            self._by_path.setdefault((metadata["path"], key[1]), []).append(alias)
        return self._given[key]

    def path_referred(self, record: Record, original: Record, where: str) -> Record:
        """The record with a literal `query.path` as `path_ref`, if exactly one FILE matches path and origin."""
        query = record.get("query")
        if not is_object(query):
            return record
        path = self._tables.path(query, where)
        if "path" not in query or type(path) is not str:
            return record
        origin = self._tables.value(original, "origin", where)
        matches = self._by_path.get((path, self._identities.key(original, "origin", origin)), [])
        if len(matches) != 1:
            return record
        rest = {key: value for key, value in query.items() if key != "path"}
        return {**record, "query": {**rest, "path_ref": matches[0]}}

    def sources(self) -> dict[str, Record]:
        """The line tables as they stand in `shared_sources`."""
        return {alias: dict(_source(lines)) for alias, lines in self._lines.items()}


def _source(lines: LineTable) -> Iterator[tuple[str, Any]]:
    if lines.conflicts:
        yield "conflicting_lines", sorted(lines.conflicts)
    yield "records", lines.records
