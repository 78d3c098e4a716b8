"""Which lines of which version stood in which prompt, for the whole run, kept small."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ..delivery import Deliveries, LineRange
    from ..model import DecisionKey

Version: TypeAlias = "tuple[str, str | None]"


@dataclass
class Supplied:
    """`runs[path, hash]`: (place among `keys` of the first prompt, lines, fragments that brought them), where they change.

    `keys` are those of the sent decisions, in order. What holds at a prompt is the last entry at or before its place.
    """

    keys: tuple[DecisionKey, ...]
    runs: dict[Version, list[tuple[int, tuple[LineRange, ...], tuple[str, ...]]]] = field(default_factory=dict)

    def of(self, version: Version) -> list[tuple[tuple[LineRange, ...], tuple[str, ...]]]:
        """For each sent prompt in order: the lines that stood there, and through which fragments."""
        found: list[tuple[tuple[LineRange, ...], tuple[str, ...]]] = []
        changes = self.runs.get(version, [])
        nothing: tuple[tuple[LineRange, ...], tuple[str, ...]] = (), ()
        for number, (start, lines, through) in enumerate(changes):
            end = changes[number + 1][0] if number + 1 < len(changes) else len(self.keys)
            found += [nothing] * (start - len(found))
            found += [(lines, through)] * (end - start)
        return found + [nothing] * (len(self.keys) - len(found))


def supplied(deliveries: Deliveries, progress: Callable[[int, int], None] | None = None) -> Supplied:
    """Read every column once. `progress(done, total)` counts sent decisions."""
    keys = deliveries.keys
    table = Supplied(keys)
    for place, key in enumerate(keys):
        here: Mapping[Version, tuple[tuple[LineRange, ...], tuple[str, ...]]] = {
            (each.path, each.hash): (each.lines, each.through) for each in deliveries.coverage(key)
        }
        for version in table.runs.keys() | here.keys():
            lines, through = here.get(version, ((), ()))
            changes = table.runs.setdefault(version, [])
            if not changes or changes[-1][1:] != (lines, through):
                changes.append((place, lines, through))
        if progress is not None:
            progress(place + 1, len(keys))
    return table
