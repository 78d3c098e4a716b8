"""How much text the references of one view stand for: bounded, because a small text can name a large entry very often."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, Any

from ..canonical import canonical_bytes_trusted
from ..errors import ViewError
from ..limits import MAX_RESTORED_BYTES, MAX_RESTORED_ITEMS

if TYPE_CHECKING:
    from collections.abc import Iterable

    Slice = tuple[int, int]


class Growth:
    """Counts the bytes of every entry that is put in place of a reference; `ViewError` over `MAX_RESTORED_BYTES`."""

    def __init__(self) -> None:
        self._grown = 0
        self._sizes: dict[tuple[str, str], int] = {}

    def entry(self, table: str, alias: str, value: Any) -> None:
        """One entry of a table, put in place once more."""
        key = (table, alias)
        if key not in self._sizes:
            self._sizes[key] = len(canonical_bytes_trusted(value))
        self._grown += self._sizes[key]
        if self._grown > MAX_RESTORED_BYTES:
            _too_much("bytes", MAX_RESTORED_BYTES)


def check_slices(taken: Iterable[tuple[list[Any], list[Slice]]]) -> None:
    """Refuse what slices of tables of records would unpack to over a limit, before any of it is unpacked.

    `taken` are tables with all slices of them. A table's size times its slices' items is a bound that is quickly found;
    records are only measured one by one where that bound is over the limit.
    """
    tables = [(records, slices, sum(count for _, count in slices)) for records, slices in taken]
    if sum(items for _, _, items in tables) > MAX_RESTORED_ITEMS:
        _too_much("items", MAX_RESTORED_ITEMS)
    if sum(len(canonical_bytes_trusted(records)) * items for records, _, items in tables) <= MAX_RESTORED_BYTES:
        return
    if sum(_exact(records, slices) for records, slices, _ in tables) > MAX_RESTORED_BYTES:
        _too_much("bytes", MAX_RESTORED_BYTES)


def _exact(records: list[Any], slices: list[Slice]) -> int:
    ends = [0, *accumulate(len(canonical_bytes_trusted(record)) + 1 for record in records)]
    return sum(ends[start + count] - ends[start] for start, count in slices)


def _too_much(unit: str, limit: int) -> None:
    raise ViewError(
        "the references of this view stand for too much", expected=f"at most {limit:,} {unit}", found="more"
    )
