"""Shapes over several decisions: each one function, in an explicit tuple."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .cycles import cycles, polling
from .evidence import no_new_evidence, truncation_loop
from .reading import paging_sweep, read_after_edit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..case import Evidence
    from ..findings import Pattern

PATTERNS: tuple[Callable[[Evidence], Iterator[Pattern]], ...] = (
    cycles,
    polling,
    read_after_edit,
    no_new_evidence,
    paging_sweep,
    truncation_loop,
)


def patterns(evidence: Evidence) -> Iterator[Pattern]:
    """Every pattern of the run, in the order of `PATTERNS`."""
    for find in PATTERNS:
        yield from find(evidence)
