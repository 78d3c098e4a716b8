"""How numbers are written on every page: `1,204 B`, `41.0 KB`, `3 of 12`. A KB is 1,024 bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.limits import KIB, MIB

if TYPE_CHECKING:
    from core.model import DecisionKey

_EXACT_BELOW = 10_000


def size(count: int) -> str:
    """A number of bytes: exact below 10,000, else in KB or MB with one decimal."""
    if abs(count) < _EXACT_BELOW:
        return f"{count:,} B"
    if abs(count) < MIB:
        return f"{count / KIB:,.1f} KB"
    return f"{count / MIB:,.1f} MB"


def exact(count: int) -> str:
    """A number of bytes to the last digit."""
    return f"{count:,} B"


def many(count: int, one: str, several: str | None = None) -> str:
    """`1 fragment`, `1,204 fragments`."""
    return f"{count:,} {one if count == 1 else several or one + 's'}"


def decision_name(key: DecisionKey) -> str:
    """A decision as charts and long runs name it: `12,400`, or `12,400.2` for a second attempt."""
    index, attempt = key
    return f"{index:,}" if attempt == 1 else f"{index:,}.{attempt}"
