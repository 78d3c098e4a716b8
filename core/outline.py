"""What the overview needs of every decision, read once: its key, whether it was sent, its prompt's size by component.

Charts of any span of decisions are made of it, so that zooming does not read the package again. It takes some 20 bytes
for each component of each prompt.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

from .anatomy import components_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from .model import Decision, DecisionKey, Investigation

_MESSAGES_KEPT = 65_536
"""Messages whose components are remembered while the prompts that share them are summed."""


@dataclass(frozen=True)
class Outline:
    """Every decision by its place. Sizes are UTF-8 bytes; a record that cannot be read has none.

    `fragments`: id and `requested_by` of each. `asked`: place of a fragment → places of the decisions of that index whose
    reply asked for its lookup.
    """

    keys: tuple[DecisionKey, ...]
    sent: tuple[bool | None, ...]
    totals: array[int]
    fragments: tuple[tuple[str, int | None], ...]
    asked: Mapping[int, tuple[int, ...]]
    _names: tuple[str, ...] = field(repr=False)
    _ends: array[int] = field(repr=False)
    _parts: array[int] = field(repr=False)
    _sizes: array[int] = field(repr=False)

    def __len__(self) -> int:
        return len(self.keys)

    def sizes(self, place: int) -> dict[str, int]:
        """Bytes of the prompt at `place` by component (`core.anatomy.components`); they sum to `totals[place]`."""
        inside = slice(self._ends[place], self._ends[place + 1])
        return {self._names[part]: size for part, size in zip(self._parts[inside], self._sizes[inside], strict=True)}


def outline(investigation: Investigation, progress: Callable[[int, int], None] | None = None) -> Outline:
    """Read every decision and every message that a prompt holds once. `progress(done, total)` counts decisions."""
    fragments = [(each.id, each.requested_by, each.lookup.identity) for each in investigation.fragments]
    wanted: dict[int, dict[str, list[int]]] = {}
    for number, (_, index, identity) in enumerate(fragments):
        if index is not None:
            wanted.setdefault(index, {}).setdefault(identity, []).append(number)
    sums = _Sums(investigation)
    keys: list[DecisionKey] = []
    sent: list[bool | None] = []
    asked: dict[int, list[int]] = {}
    names: dict[str, int] = {}
    totals, ends, parts, sizes = array("Q"), array("Q", [0]), array("L"), array("Q")
    total = len(investigation.decisions)
    for place, decision in enumerate(investigation.decisions):
        keys.append(decision.key)
        sent.append(decision.sent)
        found = sums.of(decision)
        parts.extend(names.setdefault(name, len(names)) for name in found)
        sizes.extend(found.values())
        ends.append(len(sizes))
        totals.append(sum(found.values()))
        if decision.index in wanted and decision.reply is not None:
            for identity in {lookup.identity for lookup in decision.reply.lookups}:
                for number in wanted[decision.index].get(identity, ()):
                    asked.setdefault(number, []).append(place)
        if progress is not None:
            progress(place + 1, total)
    return Outline(
        tuple(keys),
        tuple(sent),
        totals,
        tuple((name, index) for name, index, _ in fragments),
        {number: tuple(places) for number, places in asked.items()},
        tuple(names),
        ends,
        parts,
        sizes,
    )


class _Sums:
    """Components of prompts as sums over their messages: a prompt that goes on from the one before adds what is new."""

    def __init__(self, investigation: Investigation) -> None:
        messages = investigation.messages
        self._count = len(messages)
        self._before: dict[tuple[str, int], tuple[int, dict[str, int]]] = {}
        self._of_message = lru_cache(_MESSAGES_KEPT)(lambda form, place: components_of(form, (messages[place],)))

    def of(self, decision: Decision) -> dict[str, int]:
        """`core.anatomy.components`; none of a record that cannot be read."""
        if decision.problem is not None:
            return {}
        now: dict[tuple[str, int], tuple[int, dict[str, int]]] = {}
        found: dict[str, int] = {}
        for start, count in decision.slices:
            first, end = max(start, 0), min(start + count, self._count)
            run = self._run(decision.format, first, end)
            now[decision.format, first] = end, run
            _add(found, run)
        self._before = now
        return found

    def _run(self, form: str, first: int, end: int) -> dict[str, int]:
        known, sums = self._before.get((form, first), (first, {}))
        if known > end:
            known, sums = first, {}
        if known < end:
            sums = dict(sums)
            for place in range(known, end):
                _add(sums, self._of_message(form, place))
        return sums


def _add(sums: dict[str, int], more: Mapping[str, int]) -> None:
    for name, size in more.items():
        sums[name] = sums.get(name, 0) + size
