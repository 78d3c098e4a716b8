"""Counting: decisions and fragments by status, and the size of every prompt by component."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from itertools import accumulate
from typing import TYPE_CHECKING

from .anatomy import components_of

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
    sizes = _Sizes(investigation)
    total = len(investigation.decisions)
    width = max(1, -(-total // most))
    made: list[Bar] = []
    for start in range(0, total, width):
        group = [investigation.decisions[place] for place in range(start, min(start + width, total))]
        largest = max(group, key=sizes.prompt)
        made.append(Bar(largest.key, group[0].key, group[-1].key, len(group), sizes.components(largest)))
        if progress is not None:
            progress(min(start + width, total), total)
    return tuple(made)


class _Sizes:
    """Sizes of prompts from those of the messages that they share: each message is looked at once, not once a prompt."""

    def __init__(self, investigation: Investigation) -> None:
        self._messages = investigation.messages
        self._before = [0, *accumulate(message.byte_length for message in investigation.messages)]
        self._known: dict[tuple[str, int], dict[str, int]] = {}

    def prompt(self, decision: Decision) -> int:
        """`decision.prompt_bytes`; 0 of a record that cannot be read."""
        if decision.problem is not None:
            return 0
        last = len(self._before) - 1
        ends = ((max(0, min(start, last)), max(0, min(start + count, last))) for start, count in decision.slices)
        return sum(self._before[end] - self._before[start] for start, end in ends)

    def components(self, decision: Decision) -> dict[str, int]:
        """`core.anatomy.components`; none of a record that cannot be read."""
        found: Counter[str] = Counter()
        for place in decision.message_ids if decision.problem is None else ():
            if 0 <= place < len(self._messages):
                found.update(self._of(decision.format, place))
        return dict(found)

    def _of(self, form: str, place: int) -> dict[str, int]:
        known = self._known.get((form, place))
        if known is None:
            known = self._known[form, place] = components_of(form, (self._messages[place],))
        return known
