"""The context of a run while a reader walks through it: an ordered list of message positions, kept as few runs.

A prompt that grows by one message costs one slice however long it is; a compaction starts anew; a message replaced in
place splits one run. Each request takes `slices()` as it stands, so prompts share their messages.
"""

from __future__ import annotations


class Context:
    """Message positions in prompt order, as `(start, count)` runs."""

    def __init__(self) -> None:
        self._runs: list[tuple[int, int]] = []
        self._frozen: tuple[tuple[int, int], ...] | None = ()

    def __len__(self) -> int:
        return sum(count for _, count in self._runs)

    def slices(self) -> tuple[tuple[int, int], ...]:
        """The runs as a decision keeps them."""
        if self._frozen is None:
            self._frozen = tuple(self._runs)
        return self._frozen

    def positions(self) -> list[int]:
        """Every position, one by one."""
        return [place for start, count in self._runs for place in range(start, start + count)]

    def add(self, position: int) -> None:
        """Put one message at the end."""
        if self._runs and sum(self._runs[-1]) == position:
            start, count = self._runs[-1]
            self._runs[-1] = (start, count + 1)
        else:
            self._runs.append((position, 1))
        self._frozen = None

    def restart(self, slices: tuple[tuple[int, int], ...] = ()) -> None:
        """Forget everything; go on from these runs."""
        self._runs = list(slices)
        self._frozen = None

    def cut(self, length: int) -> None:
        """Keep the first `length` messages only."""
        kept: list[tuple[int, int]] = []
        for start, count in self._runs:
            if length <= 0:
                break
            kept.append((start, min(count, length)))
            length -= count
        self.restart(tuple(kept))

    def swap(self, position: int, other: int) -> bool:
        """Put `other` where `position` stands; False if it does not stand in the context."""
        for place, (start, count) in enumerate(self._runs):
            if start <= position < start + count:
                parts = [(start, position - start), (other, 1), (position + 1, start + count - position - 1)]
                self._runs[place : place + 1] = [run for run in parts if run[1]]
                self._frozen = None
                return True
        return False


def slices_of(positions: list[int]) -> tuple[tuple[int, int], ...]:
    """Any ordered positions as runs."""
    context = Context()
    for position in positions:
        context.add(position)
    return context.slices()
