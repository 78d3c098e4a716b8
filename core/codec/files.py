"""Which record is a source capture, and which FILE it is a capture of.

A *source capture* is a record with a list `items`, a string `metadata.path`, a content identity (`content_hash` or `blob`, a
string that is not empty) and a pinned `origin` (an object that names its `revision`, `commit` or `snapshot` by a string
that is not empty). Any other record describes no known snapshot and is merged with nothing.

A *FILE* is one exact combination of observed metadata and pinned origin (typed equality of both, resolved): equal paths
with other hashes, revisions or origins stay distinct.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from ..canonical import canonical_bytes_trusted
from .base import Record, is_array, is_object
from .v5 import PROVENANCE, Tables

if TYPE_CHECKING:
    from collections.abc import Iterator

CONTENT_IDENTITIES = ("content_hash", "blob")
PINS = ("revision", "commit", "snapshot")

FileKey: TypeAlias = tuple[bytes, bytes]
"""Canonical bytes of the metadata and of the origin."""


def has_identity(metadata: Any, origin: Any) -> bool:
    """Whether resolved metadata and origin together name one known snapshot of a file."""
    return (
        is_object(metadata)
        and is_object(origin)
        and type(metadata.get("path")) is str
        and any(_named(metadata, name) for name in CONTENT_IDENTITIES)
        and any(_named(origin, name) for name in PINS)
    )


def _named(holder: Record, name: str) -> bool:
    value = holder.get(name)
    return type(value) is str and value != ""


def is_capture(record: Record, metadata: Any, origin: Any) -> bool:
    """Whether a record, whose resolved metadata and origin these are, is a source capture."""
    return is_array(record.get("items")) and has_identity(metadata, origin)


def stated(record: Record) -> Iterator[tuple[str, str]]:
    """How a record says its provenance: pairs of field (`metadata`) and the key in use (`metadata_ref`)."""
    for field in PROVENANCE:
        for key in (field, f"{field}_ref"):
            if key in record:
                yield field, key


class Identities:
    """File keys and origin keys of a view's records; each shared object is written to bytes once."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._known: dict[str, bytes] = {}

    def key(self, record: Record, field: str, value: Any) -> bytes:
        """Canonical bytes of the record's resolved `metadata` or `origin`, which is `value`."""
        reference = record.get(f"{field}_ref")
        if type(reference) is not str:
            return canonical_bytes_trusted(value)
        if reference not in self._known:
            self._known[reference] = canonical_bytes_trusted(value)
        return self._known[reference]
