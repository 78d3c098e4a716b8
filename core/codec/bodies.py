"""What evidence a context carries, in whatever encoding: for delivery, conflicts and the pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .base import Record, View, numbered_records
from .registry import restore

if TYPE_CHECKING:
    from collections.abc import Iterator


def evidence_bodies(view: View, version: str) -> Iterator[tuple[Any, Record]]:
    """Each evidence record that a view in encoding `version` carries, restored to v4: its id (None if it has none), record.

    In evidence order, duplicate ids included. A record was delivered whole if its canonical text equals that of the
    record that was captured. Raises `ViewError` as `restore` does.
    """
    for _, record in numbered_records(restore(view, version)):
        yield record.get("id"), record
