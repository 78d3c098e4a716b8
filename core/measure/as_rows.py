"""A measurement as rows of one table, for a spreadsheet: one row a context, the figures of every encoding beside each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .components import COMPONENTS
from .tables import short

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .figures import Figures, Measurement

_FIGURES = (
    "user_bytes",
    "user_chars",
    "user_tokens",
    "all_bytes",
    "all_chars",
    "all_tokens",
    "exact",
    "fell_back",
    "fallback_reason",
    "user_prefix_bytes",
    "all_prefix_bytes",
    *(f"{component}_bytes" for component in COMPONENTS),
)
_CONTEXT = ("package", "index", "attempt", "status", "stored_as", "built", "stored_all_bytes", "hash_matches", "reason")


def heads(measurement: Measurement) -> tuple[str, ...]:
    """The names of the columns: `v6_all_bytes` is `versions.investigation_project_v6.all_bytes` of the script's JSON."""
    return (*_CONTEXT, *(f"{short(version)}_{name}" for version in measurement.versions for name in _FIGURES))


def rows(measurement: Measurement) -> Iterator[tuple[object, ...]]:
    """One row a context, in order; the figures of what was not measured are None."""
    for each in measurement.contexts:
        stored = None if each.stored is None else each.stored.bytes
        about = (each.package, each.index, each.attempt, each.status, each.format, each.built, stored)
        figures = (_cells(each.versions.get(version)) for version in measurement.versions)
        yield (*about, each.hash_matches, each.reason, *(cell for cells in figures for cell in cells))


def _cells(found: Figures | None) -> Sequence[object]:
    if found is None:
        return (None,) * len(_FIGURES)
    sizes = (value for size in (found.user, found.all) for value in (size.bytes, size.chars, size.tokens))
    told = (found.exact, found.fell_back, found.reason, found.user_prefix, found.all_prefix)
    return (*sizes, *told, *(found.components[component] for component in COMPONENTS))
