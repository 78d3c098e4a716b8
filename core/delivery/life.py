"""Fragments over time: in which prompts something of them first stood, message by message rather than cell by cell."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from .column import Prompt
    from .facts import Facts


class Life:
    """The sent prompts in order, and which message entered when."""

    def __init__(
        self, prompts: Sequence[Prompt], facts: Mapping[int, Facts], existed: Callable[[int, Prompt], bool]
    ) -> None:
        self._prompts = prompts
        self._facts = facts
        self._existed = existed
        self._received: dict[int, list[tuple[int, int]]] = {}

    def received_by(self, number: int, until: Prompt) -> int:
        """The most bytes of a body that one sent prompt carried, up to and including `until`."""
        found = self._received.get(number)
        if found is None:
            found = self._received[number] = list(self._first_received(number))
        return max((received for place, received in found if place <= until.place), default=0)

    def carries(self, number: int, prompt: Prompt) -> bool:
        """Whether this sent prompt carries the body, whole or cut."""
        found = self._carriers.get(number)
        if found is None or not self._existed(number, prompt):
            return False
        for start, count in prompt.slices:
            place = bisect_left(found, start)
            if place < len(found) and found[place] < start + count:
                return True
        return False

    def latest(self, number: int, until: Prompt) -> int:
        """The place among the decisions of the last prompt, up to `until`, that may carry the body; -1 if none can."""
        places = (
            min(self._prompts[self._left[message]].place, until.place)
            for message in self._carriers.get(number, ())
            if message in self._entered and self._prompts[self._entered[message]].place <= until.place
        )
        return max(places, default=-1)

    def silent(self) -> Iterator[tuple[int, Prompt]]:
        """Fragments with a marker that does not speak of an absence in a message without the body, with its prompt."""
        done: set[int] = set()
        for message, facts in self._facts.items():
            markers = facts.markers
            for number, silent in zip(markers.fragments, markers.silent, strict=True):
                if silent and number not in done and number not in facts.whole and number not in facts.cut:
                    prompt = self._first(message, number)
                    if prompt is not None:
                        done.add(number)
                        if not self.carries(number, prompt):  # a tool call names what its result carries: no absence
                            yield number, prompt

    def _first_received(self, number: int) -> Iterator[tuple[int, int]]:
        """`(place of the prompt among the decisions, bytes)` for each message that carries the body."""
        for message in self._carriers.get(number, ()):
            facts = self._facts[message]
            prompt = self._first(message, number)
            if prompt is not None:
                spot = facts.whole.get(number) or facts.cut[number]
                yield prompt.place, spot.received

    def _first(self, message: int, number: int) -> Prompt | None:
        """The first sent prompt with this message for which the fragment existed."""
        for prompt in self._prompts[self._entered.get(message, 0) :]:
            if prompt.holds(message) and self._existed(number, prompt):
                return prompt
        return None

    @cached_property
    def _carriers(self) -> Mapping[int, list[int]]:
        """For each fragment, the messages that carry it whole or cut."""
        found: dict[int, list[int]] = defaultdict(list)
        for message, facts in self._facts.items():
            for number in facts.whole.keys() | facts.cut.keys():
                found[number].append(message)
        return {number: sorted(messages) for number, messages in found.items()}

    @cached_property
    def _entered(self) -> dict[int, int]:
        """For each message that says anything, the place among the sent prompts of the first that holds it."""
        return self._first_holders(range(len(self._prompts)))

    @cached_property
    def _left(self) -> dict[int, int]:
        """For each message that says anything, the place among the sent prompts of the last that holds it."""
        return self._first_holders(range(len(self._prompts) - 1, -1, -1))

    def _first_holders(self, order: Iterable[int]) -> dict[int, int]:
        """For each message the first of these prompts that holds it, without going through those of every prompt."""
        known = sorted(self._facts)
        found: dict[int, int] = {}
        reached: dict[int, int] = {}
        for place in order:
            for start, count in self._prompts[place].slices:
                at = bisect_left(known, reached.get(start, start))
                while at < len(known) and known[at] < start + count:
                    found.setdefault(known[at], place)
                    at += 1
                reached[start] = max(reached.get(start, start), start + count)
        return found
