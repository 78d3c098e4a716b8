"""The delivery of every fragment in every sent prompt, worked out once and read cell by cell."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..model import DecisionKey, Investigation
    from .placement import Coverage, LineRange, Placement, Searched, State


class Deliveries:
    """How each fragment stands in each sent prompt (rows: fragments, columns: decisions).

    Cells exist where the decision was sent (`sent is True`) and the fragment existed before it (it was asked for by an
    earlier `index`). States are kept, one byte a cell; proofs (byte ranges) are worked out when asked for.
    """

    def __init__(self, investigation: Investigation) -> None:
        self.investigation = investigation

    @property
    def keys(self) -> tuple[DecisionKey, ...]:
        """Keys of the sent decisions, in order: the columns."""
        raise NotImplementedError

    @property
    def fragment_ids(self) -> tuple[str, ...]:
        """Ids of all fragments, in order: the rows."""
        raise NotImplementedError

    def state(self, fragment_id: str, key: DecisionKey) -> State | None:
        """The state of one cell, None where there is none; the cheap way to paint a matrix. KeyError if unknown."""
        raise NotImplementedError

    def at(self, fragment_id: str, key: DecisionKey) -> Placement | None:
        """One cell with its proof; None if the decision was not sent or the fragment did not exist yet. KeyError if unknown."""
        raise NotImplementedError

    def row(self, fragment_id: str) -> tuple[Placement, ...]:
        """One fragment's life: its placement in every sent decision after it was asked for, in order."""
        raise NotImplementedError

    def column(self, key: DecisionKey) -> tuple[Placement, ...]:
        """One prompt: the placement of every fragment that existed before it; empty if it was not sent."""
        raise NotImplementedError

    def coverage(self, key: DecisionKey) -> tuple[Coverage, ...]:
        """Per path and hash, the lines that stood in this decision's prompt; empty if it was not sent."""
        raise NotImplementedError

    def lines(self, path: str, file_hash: str | None, key: DecisionKey) -> tuple[LineRange, ...]:
        """The lines of this version of this file that stood in this decision's prompt, as merged ranges."""
        raise NotImplementedError

    def searched(self, fragment_id: str, key: DecisionKey) -> Searched:
        """Sizes and hashes of the prompt and of the body that was looked for in it."""
        raise NotImplementedError


def deliver(investigation: Investigation, progress: Callable[[int, int], None] | None = None) -> Deliveries:
    """Find every fragment in every sent prompt. `progress(done, total)` counts distinct messages.

    Memory does not grow with decisions times prompt size: each distinct message is read once and let go.
    """
    raise NotImplementedError
