"""One view in several encodings beside each other: which bytes of each text carry the same source line.

`evidence_places` says where every item of every record stands in one encoding. Here the items are joined into *lines*: items
that share a place in one of the encodings are one line in all of them. So a line of v6 that three captures share is one
place there and three places in v5.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from ..canonical import canonical_bytes_trusted
from .base import is_array, is_object
from .places import Span, evidence_places
from .registry import encode, innermost, lineage, restore, tables_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from .base import View
    from .places import EvidencePlace

Item: TypeAlias = tuple[int, int]
"""Position of a record in `evidence`, and of an item in it: both from 0."""


@dataclass(frozen=True)
class Piece:
    """A part of an encoded text that a heading can name: UTF-8 bytes `start`..`end`, side by side from 0 to the end.

    `kind` is `record` (`number` is its position, from 0; `name` its id), `lines` (`name` is the FILE whose source lines
    these are, `path` its path), `table` (`name` is another table at the top), or `rest` (`name` lists the keys).
    """

    kind: str
    name: str
    start: int
    end: int
    number: int | None = None
    path: str | None = None


@dataclass(frozen=True)
class LinePlace:
    """One place of one line in an encoded text: UTF-8 bytes `start`..`end`, and the items that it stands for there."""

    start: int
    end: int
    line: Item
    items: tuple[Item, ...]


@dataclass(frozen=True)
class Side:
    """One encoding of the view: its canonical text in UTF-8, its parts, and the places of its lines in byte order."""

    version: str
    raw: bytes
    fell_back: bool
    reason: str | None
    pieces: tuple[Piece, ...]
    places: tuple[LinePlace, ...]

    def of(self, line: Item) -> tuple[LinePlace, ...]:
        """The places that carry a line."""
        return tuple(place for place in self.places if place.line == line)


@dataclass(frozen=True)
class Beside:
    """A view in several encodings. `lines` tells, for each item, the line that it is: the first item of that line."""

    sides: tuple[Side, ...]
    lines: Mapping[Item, Item]


def beside(view: View, given: str, versions: Sequence[str]) -> Beside:
    """A view, which is in the encoding `given`, in each of `versions`; earlier ones are restored, later ones encoded.

    Raises `ViewError` for unknown versions and references that lead nowhere, `JsonError` as `encode` does.
    """
    made = [_encoded(view, given, version) for version in versions]
    found = [tuple(evidence_places(each[1], each[0])) for each in made]
    lines = _joined(found)
    sides = (
        Side(version, raw, why is not None, why, tuple(_pieces(shown, version, raw)), tuple(_places(places, lines)))
        for (version, shown, raw, why), places in zip(made, found, strict=True)
    )
    return Beside(tuple(sides), lines)


def _encoded(view: View, given: str, version: str) -> tuple[str, View, bytes, str | None]:
    if version == given or version not in lineage(given):
        made = encode(view, version, given=given)
        return version, made.view, made.raw, made.reason if made.fell_back else None
    back = restore(view, given, to=version)
    return version, back, canonical_bytes_trusted(back), None


def _joined(found: Sequence[Sequence[EvidencePlace]]) -> dict[Item, Item]:
    """Each item with the first item of its line."""
    first: dict[Item, Item] = {}

    def root(item: Item) -> Item:
        while (above := first.setdefault(item, item)) != item:
            first[item] = item = first.setdefault(above, above)
        return item

    for places in found:
        by_span: dict[Span, Item] = {}
        for place in places:
            for number, span in enumerate(place.items):
                item = (place.position, number)
                one, other = root(item), root(by_span.setdefault(span, item))
                first[max(one, other)] = min(one, other)
    return {item: root(item) for item in sorted(first)}


def _places(places: Sequence[EvidencePlace], lines: Mapping[Item, Item]) -> Iterator[LinePlace]:
    by_span: dict[Span, list[Item]] = {}
    for place in places:
        for number, span in enumerate(place.items):
            by_span.setdefault(span, []).append((place.position, number))
    for span in sorted(by_span):
        yield LinePlace(*span, lines[by_span[span][0]], tuple(by_span[span]))


def _pieces(view: View, version: str, raw: bytes) -> Iterator[Piece]:
    """Headings of a text: every record, every table (the source lines of each FILE apart), and what stands between them."""
    inner, inner_version, wrappings = innermost(view, version)
    tables = tables_of(inner_version)
    start, at, others = 0, wrappings * len('{"verbatim":') + 1, list[str]()
    for name in sorted(inner):
        value = inner[name]
        begin = at + len(canonical_bytes_trusted(name)) + 1
        end = begin + len(canonical_bytes_trusted(value))
        parts = tuple(_parts(name, value, begin)) if name == "evidence" or name in tables else ()
        if parts and others:
            yield Piece("rest", ", ".join(others), start, at)
            start, others = at, []
        for kind, label, number, until in parts:
            yield Piece(kind, label, start, until, number, _path(inner, label) if kind == "lines" else None)
            start = until
        if not parts:
            others.append(name)
        at = end + 1
    if start < len(raw):
        yield Piece("rest", ", ".join(others), start, len(raw))


def _parts(name: str, value: Any, begin: int) -> Iterator[tuple[str, str, int | None, int]]:
    """Kind, name, number and end of each part of the evidence or of a table whose text begins at `begin`."""
    at = begin + 1
    if name == "evidence":
        for number, record in enumerate(value if is_array(value) else ()):
            at += len(canonical_bytes_trusted(record)) + 1
            yield "record", _id(record), number, at
    elif name == "shared_sources" and is_object(value):
        for alias in sorted(value):
            at += len(canonical_bytes_trusted(alias)) + 1 + len(canonical_bytes_trusted(value[alias])) + 1
            yield "lines", alias, None, at
    else:
        yield "table", name, None, begin + len(canonical_bytes_trusted(value)) + 1


def _path(view: View, alias: str) -> str | None:
    """The path of a FILE of a view that can be restored."""
    entry = view["shared_files"][alias]
    metadata = entry["metadata"] if "metadata" in entry else view["shared_metadata"][entry["metadata_ref"]]
    path: str = metadata["path"]
    return path


def _id(record: Any) -> str:
    name = record.get("id") if is_object(record) else None
    return name if isinstance(name, str) else "" if name is None else canonical_bytes_trusted(name).decode()
