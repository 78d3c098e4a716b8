"""Counting: decisions and fragments by status, and the size of every prompt by component."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .neighbours import neighbours

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .model import DecisionKey, Investigation
    from .outline import Outline


@dataclass(frozen=True)
class Tally:
    """Counts over one investigation. `decisions` counts stored contexts (never billed calls) by status."""

    decisions: Mapping[str, int]
    sent: int
    not_sent: int
    sent_unknown: int
    unreadable: int
    fragments: Mapping[str, int]
    missing: Mapping[str, int] = field(default_factory=dict)
    """What the recording lacks of prompts (`Decision.missing`) → of how many decisions."""


def tally(investigation: Investigation) -> Tally:
    """Count decisions by status and by whether they were sent, and fragments by status. Reads each record once."""
    statuses: Counter[str] = Counter()
    sent: Counter[bool | None] = Counter()
    missing: Counter[str] = Counter()
    unreadable = 0
    for decision in investigation.decisions:
        if decision.problem is not None:
            unreadable += 1
            continue
        statuses[decision.status] += 1
        sent[decision.sent] += 1
        missing.update(set(decision.missing))
    fragments = Counter(fragment.status for fragment in investigation.fragments)
    lacks = dict(sorted(missing.items(), key=lambda each: (-each[1], each[0])))
    return Tally(dict(statuses), sent[True], sent[False], sent[None], unreadable, dict(fragments), lacks)


def lacks_text(missing: Mapping[str, int], decisions: int) -> str:
    """`The recording lacks: system prompt (all 28 decisions), usage (3 of 28 decisions).`; empty where it lacks nothing."""
    shares = [
        f"{name} ({f'all {decisions:,}' if count == decisions else f'{count:,} of {decisions:,}'} decisions)"
        for name, count in missing.items()
    ]
    return f"The recording lacks: {', '.join(shares)}." if shares else ""


@dataclass(frozen=True)
class Bar:
    """The prompt of decision `key` by component, in UTF-8 bytes (`core.anatomy.components`).

    Where a bar stands for several decisions (`first`..`last`, `count` of them) it is the largest prompt among them, so
    that no prompt over a limit is hidden. `sent`: whether the prompt of `key` was, None where that is not known.
    """

    key: DecisionKey
    first: DecisionKey
    last: DecisionKey
    count: int
    sizes: Mapping[str, int] = field(default_factory=dict)
    sent: bool | None = True

    @property
    def total(self) -> int:
        """Bytes of the whole prompt."""
        return sum(self.sizes.values())


def bars(run: Outline, places: range, most: int) -> tuple[Bar, ...]:
    """One bar for each of these decisions, or at most `most` bars of neighbouring ones."""
    made: list[Bar] = []
    for group in neighbours(places, most):
        largest = max(group, key=run.totals.__getitem__)
        first, last = run.keys[group[0]], run.keys[group[-1]]
        made.append(Bar(run.keys[largest], first, last, len(group), run.sizes(largest), run.sent[largest]))
    return tuple(made)
