"""Where captures of one file snapshot disagree: the different records at one line, and who observed each.

Works on the restored view, so it says the same whatever encoding the context was sent in. A FILE is one exact combination of
observed metadata and pinned origin (`core/codec/files.py`); within it the content identity is the same, so each conflict is one
that the content hash (or blob) claims to be impossible. No observation wins, and none is suggested to.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from .canonical import canonical_bytes_trusted, canonical_text
from .codec import restore
from .codec.base import is_object, numbered_records
from .codec.files import CONTENT_IDENTITIES, is_capture
from .codec.lines import line_number

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from .codec.base import Record, View

Kind: TypeAlias = Literal["text", "truncation", "other"]
"""What differs: the texts; only the `truncated` flag; or other fields with the texts the same."""


@dataclass(frozen=True)
class Observation:
    """One capture: its position in `evidence`, its id, and the query and origin it was made with (v4, resolved)."""

    position: int
    id: Any
    query: Any
    origin: Any


@dataclass(frozen=True)
class Variant:
    """One of the different records at a line, and the captures that observed it, in evidence order."""

    record: Mapping[str, Any]
    observed_by: tuple[Observation, ...]

    @property
    def text(self) -> str:
        """The record's `text` as it is; the canonical JSON of whatever else stands there; empty if nothing does."""
        text = self.record.get("text", "")
        return text if type(text) is str else canonical_text(text)


@dataclass(frozen=True)
class LineConflict:
    """Two or more different records (typed equality) at one integer line number, in order of first observation."""

    line: int
    kind: Kind
    variants: tuple[Variant, ...]


@dataclass(frozen=True)
class FileConflicts:
    """One FILE with conflicts. `identity` holds what claims that all captures saw one content: `content_hash`, `blob`."""

    path: str
    metadata: Mapping[str, Any]
    origin: Mapping[str, Any]
    identity: Mapping[str, str]
    captures: tuple[Observation, ...]
    lines: tuple[LineConflict, ...]

    @property
    def conflicting_lines(self) -> list[int]:
        """The line numbers, ascending: what v6 states for this FILE."""
        return [conflict.line for conflict in self.lines]


def conflicts(view: View, version: str) -> tuple[FileConflicts, ...]:
    """Every FILE of a view in encoding `version` whose captures disagree, in order of first capture.

    Raises `ViewError` as `restore` does.
    """
    files: dict[tuple[bytes, bytes], list[tuple[int, Record]]] = {}
    for position, record in numbered_records(restore(view, version)):
        metadata, origin = record.get("metadata"), record.get("origin")
        if is_capture(record, metadata, origin):
            key = (canonical_bytes_trusted(metadata), canonical_bytes_trusted(origin))
            files.setdefault(key, []).append((position, record))
    found = (_file(captures) for captures in files.values())
    return tuple(file for file in found if file.lines)


def _file(captures: list[tuple[int, Record]]) -> FileConflicts:
    first = captures[0][1]
    metadata = first["metadata"]
    named = ((name, metadata.get(name)) for name in CONTENT_IDENTITIES)
    return FileConflicts(
        path=metadata["path"],
        metadata=metadata,
        origin=first["origin"],
        identity={name: value for name, value in named if type(value) is str and value},
        captures=tuple(_observation(position, record) for position, record in captures),
        lines=tuple(_lines(captures)),
    )


def _observation(position: int, record: Record) -> Observation:
    return Observation(position, record.get("id"), record.get("query"), record.get("origin"))


def _lines(captures: list[tuple[int, Record]]) -> Iterable[LineConflict]:
    seen: dict[int, dict[bytes, tuple[Record, dict[int, Observation]]]] = {}
    for position, record in captures:
        for item in record["items"]:
            number = line_number(item)
            if number is not None:
                here = seen.setdefault(number, {}).setdefault(canonical_bytes_trusted(item), (item, {}))
                here[1].setdefault(position, _observation(position, record))
    for number in sorted(seen):
        if len(seen[number]) > 1:
            variants = tuple(Variant(item, tuple(who.values())) for item, who in seen[number].values())
            yield LineConflict(number, _kind([variant.record for variant in variants]), variants)


def _kind(records: list[Mapping[str, Any]]) -> Kind:
    if _distinct(records, "text") > 1:
        return "text"
    others = [{name: value for name, value in record.items() if name != "truncated"} for record in records]
    return "truncation" if len({canonical_bytes_trusted(other) for other in others}) == 1 else "other"


def _distinct(records: list[Mapping[str, Any]], name: str) -> int:
    """How many different values a field has, an absent one counted as one."""
    parts = ({name: record[name]} if name in record else {} for record in records)
    return len({canonical_bytes_trusted(part) for part in parts if is_object(part)})
