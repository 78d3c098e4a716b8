"""Where each evidence record, and each of its items, stands in the text of an encoded view: byte ranges for proofs and marks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from ..canonical import canonical_bytes_trusted
from .base import V6, View, is_array, is_object
from .registry import innermost
from .v6_restore import LINES

if TYPE_CHECKING:
    from collections.abc import Iterator

Span: TypeAlias = tuple[int, int]
"""First byte and the byte behind the last one, in the view's canonical text."""


@dataclass(frozen=True)
class EvidencePlace:
    """Where evidence record number `position` stands: `span` its own JSON, `items` one span for each of its items, in order.

    In v4 and v5 the items lie inside the record; in v6 those of a capture lie in the table of its FILE.
    """

    position: int
    id: Any
    span: Span
    items: tuple[Span, ...]


def evidence_places(view: View, version: str) -> Iterator[EvidencePlace]:
    """The places in the canonical text of a view in encoding `version`, in evidence order.

    Only for a view that can be restored: references that lead nowhere give no places here, `restore` names them.
    """
    view, version, wrappings = innermost(view, version)
    members = dict(_members(view, wrappings * len('{"verbatim":')))
    evidence = view.get("evidence")
    if not is_array(evidence):
        return
    tables = dict(_tables(view, members["shared_sources"])) if version == V6 and "shared_sources" in members else {}
    for position, (record, span) in enumerate(_elements(evidence, members["evidence"])):
        name = record.get("id") if is_object(record) else None
        yield EvidencePlace(position, name, span, tuple(_items(record, span[0], tables)))


def _tables(view: View, start: int) -> Iterator[tuple[str, list[Span]]]:
    sources = view.get("shared_sources")
    if is_object(sources):
        for alias, at in _members(sources, start):
            records = sources[alias].get("records") if is_object(sources[alias]) else None
            if is_array(records):
                begin = dict(_members(sources[alias], at))["records"]
                yield alias, [span for _, span in _elements(records, begin)]


def _items(record: Any, start: int, tables: dict[str, list[Span]]) -> Iterator[Span]:
    items = record.get("items") if is_object(record) else None
    if is_array(items):
        yield from (span for _, span in _elements(items, dict(_members(record, start))["items"]))
    elif is_object(items) and is_object(reference := items.get(LINES)):
        spans = tables.get(reference.get("file", ""), [])
        for begin, count in reference.get("slices", ()):
            yield from spans[begin : begin + count]


def _members(value: dict[str, Any], start: int) -> Iterator[tuple[str, int]]:
    """Each key of an object whose text begins at `start`, with the place where its value begins."""
    at = start + 1
    for name in sorted(value):
        at += len(canonical_bytes_trusted(name)) + 1
        yield name, at
        at += len(canonical_bytes_trusted(value[name])) + 1


def _elements(values: Any, start: int) -> Iterator[tuple[Any, Span]]:
    """Each element of an array whose text begins at `start`, with its span."""
    at = start + 1
    for value in values:
        size = len(canonical_bytes_trusted(value))
        yield value, (at, at + size)
        at += size + 1
