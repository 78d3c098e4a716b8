"""`investigation_project_v5`: repeated provenance and repeated query paths stand once.

- `shared_metadata` (`M1`, `M2`, ...) holds each `metadata` or `origin` object that occurs twice or more (typed equality,
  both fields counted together); the records say `metadata_ref`, `origin_ref` instead.
- `shared_paths` (`P1`, ...) holds each `path` of a query that occurs twice or more; the query says `path_alias` instead.
- Aliases are given in order of first use (in a record: metadata, then origin) and skip every path of the view.
- A table with no entry is left out. A view that uses a reserved name becomes `{"verbatim": view}` (see `names.py`).

Example: two reads of one file,

    {"evidence": [{"id": "E1", "query": {"path": "a.js"}, "metadata": {"path": "a.js"}, "origin": {"revision": "9f"}},
                  {"id": "E2", "query": {"path": "a.js"}, "metadata": {"path": "a.js"}, "origin": {"revision": "9f"}}]}

become

    {"evidence": [{"id": "E1", "query": {"path_alias": "P1"}, "metadata_ref": "M1", "origin_ref": "M2"},
                  {"id": "E2", "query": {"path_alias": "P1"}, "metadata_ref": "M1", "origin_ref": "M2"}],
     "shared_metadata": {"M1": {"path": "a.js"}, "M2": {"revision": "9f"}}, "shared_paths": {"P1": "a.js"}}

A stored v5 view may have been made by somebody else: aliases of any name and order and entries that nothing uses are
read as they are. Restoring to v4 leaves the tables out.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from ..canonical import canonical_bytes_trusted
from ..errors import ViewError
from .base import (
    V5,
    Encoded,
    Record,
    View,
    entry_of,
    is_object,
    numbered_records,
    table_of,
    type_name,
    with_records,
    written,
)
from .growth import Growth
from .names import V5_FIELDS, V5_TABLES, V6_FIELDS, V6_TABLES, aliases, taken_names, unwrapped, wrapped_if_reserved

if TYPE_CHECKING:
    from collections.abc import Iterator

PROVENANCE = ("metadata", "origin")


def encode(given: Encoded) -> Encoded:
    """The v4 view with what repeats in tables."""
    wrapped = wrapped_if_reserved(given, V5, V5_TABLES + V6_TABLES, V5_FIELDS + V6_FIELDS)
    if wrapped:
        return wrapped
    view, taken = given.view, taken_names(given.view)
    objects = _Shared("M", taken, [canonical_bytes_trusted(value) for _, _, value in _provenance(view)])
    paths = _Shared("P", taken, [canonical_bytes_trusted(path) for _, path in _query_paths(view)])
    replaced: dict[int, Record] = {}
    for position, field, value in _provenance(view):
        if alias := objects.alias(value):
            record = replaced.setdefault(position, dict(view["evidence"][position]))
            del record[field]
            record[f"{field}_ref"] = alias
    for position, path in _query_paths(view):
        if alias := paths.alias(path):
            record = replaced.setdefault(position, dict(view["evidence"][position]))
            record["query"] = {key: value for key, value in record["query"].items() if key != "path"}
            record["query"]["path_alias"] = alias
    tables = {"shared_metadata": objects.table, "shared_paths": paths.table}
    return written(V5, {**with_records(view, replaced), **{name: table for name, table in tables.items() if table}})


class _Shared:
    """Hands out aliases, in order of use, for those values that occur twice or more; `keys` are all in that order."""

    def __init__(self, letter: str, taken: set[str], keys: list[bytes]) -> None:
        self.table: dict[str, Any] = {}
        self._names = aliases(letter, taken)
        self._counts = Counter(keys)
        self._keys = iter(keys)
        self._given: dict[bytes, str] = {}

    def alias(self, value: Any) -> str | None:
        """The alias of the next value, which is `value`, or None if it occurs once."""
        key = next(self._keys)
        if self._counts[key] == 1:
            return None
        if key not in self._given:
            self._given[key] = next(self._names)
            self.table[self._given[key]] = value
        return self._given[key]


def _provenance(view: View) -> Iterator[tuple[int, str, Record]]:
    for position, record in numbered_records(view):
        for field in PROVENANCE:
            if is_object(value := record.get(field)):
                yield position, field, value


def _query_paths(view: View) -> Iterator[tuple[int, str]]:
    for position, record in numbered_records(view):
        query = record.get("query")
        if is_object(query) and type(path := query.get("path")) is str:
            yield position, path


def restore(view: View) -> View:
    """The v4 view of a v5 view. Raises `ViewError` for a reference that leads nowhere or is said twice."""
    inner = unwrapped(view)
    if inner is not None:
        return inner
    tables = Tables(view)
    replaced: dict[int, Record] = {}
    for position, record in numbered_records(view):
        restored = tables.inlined(record, f"evidence[{position}]")
        if restored is not record:
            replaced[position] = restored
    return {name: value for name, value in with_records(view, replaced).items() if name not in V5_TABLES}


class Tables:
    """The provenance tables of a v5 view, and what a record's references mean in them."""

    def __init__(self, view: View) -> None:
        self.objects = table_of(view, "shared_metadata")
        self.paths = table_of(view, "shared_paths")
        self._growth = Growth()
        for name, value in self.objects.items():
            if not is_object(value):
                raise ViewError(f"shared_metadata {name!r} is no provenance", expected="object", found=type_name(value))
        for name, value in self.paths.items():
            if type(value) is not str:
                raise ViewError(f"shared_paths {name!r} is no path", expected="string", found=type_name(value))

    def value(self, record: Record, field: str, where: str) -> Any:
        """The record's `metadata` or `origin`, resolved; None where it has none (or says null)."""
        reference = f"{field}_ref"
        if reference not in record:
            return record.get(field)
        if field in record:
            raise ViewError(f"{where} says both {field} and {reference}", expected="one of the two")
        return entry_of(self.objects, record[reference], where, reference)

    def path(self, query: Record, where: str) -> Any:
        """The query's path, resolved; None where it has none (or says null)."""
        if "path_alias" not in query:
            return query.get("path")
        if "path" in query:
            raise ViewError(f"{where} says both path and path_alias", expected="one of the two")
        return entry_of(self.paths, query["path_alias"], where, "path_alias")

    def inlined(self, record: Record, where: str) -> Record:
        """The record with every reference replaced by what it means; the same record if it has none."""
        restored: Record | None = None
        for field in PROVENANCE:
            value = self.value(record, field, where)
            if f"{field}_ref" in record:
                restored = restored or dict(record)
                self._growth.entry("shared_metadata", restored.pop(f"{field}_ref"), value)
                restored[field] = value
        query = record.get("query")
        if is_object(query):
            path = self.path(query, where)
            if "path_alias" in query:
                self._growth.entry("shared_paths", query["path_alias"], path)
                restored = restored or dict(record)
                restored["query"] = {key: value for key, value in query.items() if key != "path_alias"}
                restored["query"]["path"] = path
        return restored or record
