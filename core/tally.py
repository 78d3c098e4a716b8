"""Counting: decisions and fragments by status, and the size of every prompt by component."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .anatomy import components

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from .model import Decision, DecisionKey, Investigation


@dataclass(frozen=True)
class Tally:
    """Counts over one investigation. `decisions` counts stored contexts (never billed calls) by status."""

    decisions: Mapping[str, int]
    sent: int
    not_sent: int
    sent_unknown: int
    unreadable: int
    fragments: Mapping[str, int]


def tally(investigation: Investigation) -> Tally:
    """Count decisions by status and by whether they were sent, and fragments by status. Reads each record once."""
    statuses: Counter[str] = Counter()
    sent: Counter[bool | None] = Counter()
    unreadable = 0
    for decision in investigation.decisions:
        if decision.problem is not None:
            unreadable += 1
            continue
        statuses[decision.status] += 1
        sent[decision.sent] += 1
    fragments = Counter(fragment.status for fragment in investigation.fragments)
    return Tally(dict(statuses), sent[True], sent[False], sent[None], unreadable, dict(fragments))


@dataclass(frozen=True)
class Bar:
    """The prompt of decision `key` by component, in UTF-8 bytes (`core.anatomy.components`).

    Where a bar stands for several decisions (`first`..`last`, `count` of them) it is the largest prompt among them, so
    that no prompt over a limit is hidden.
    """

    key: DecisionKey
    first: DecisionKey
    last: DecisionKey
    count: int
    sizes: Mapping[str, int] = field(default_factory=dict)

    @property
    def total(self) -> int:
        """Bytes of the whole prompt."""
        return sum(self.sizes.values())


def bars(
    investigation: Investigation, most: int, progress: Callable[[int, int], None] | None = None
) -> tuple[Bar, ...]:
    """One bar a decision, or at most `most` bars of neighbouring decisions. `progress` counts decisions."""
    total = len(investigation.decisions)
    width = max(1, -(-total // most))
    made: list[Bar] = []
    for start in range(0, total, width):
        group = [investigation.decisions[place] for place in range(start, min(start + width, total))]
        largest = max(group, key=_size)
        sizes = components(largest) if largest.problem is None else {}
        made.append(Bar(largest.key, group[0].key, group[-1].key, len(group), sizes))
        if progress is not None:
            progress(min(start + width, total), total)
    return tuple(made)


def _size(decision: Decision) -> int:
    return decision.prompt_bytes if decision.problem is None else 0
