"""Searching all prompts of a run for a text: distinct content, not one hit for each repetition.

A message that stands in the prompts of 36 calls is one result, present in calls 11-46.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .canonical import byte_length

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .model import DecisionKey, Investigation

MAX_PLACES = 1_000
"""Places of one message that a result lists; `count` goes on counting."""


@dataclass(frozen=True, slots=True)
class Result:
    """One distinct message that holds the text. `places` are byte ranges in its text, the first `MAX_PLACES` of `count`.

    `message` is its position in the investigation's messages; `present` are runs of consecutive decisions, as the keys of
    the first and the last, whose prompts hold it.
    """

    message: int
    role: str
    count: int
    places: tuple[tuple[int, int], ...]
    present: tuple[tuple[DecisionKey, DecisionKey], ...]

    @property
    def sentence(self) -> str:
        """`12 places in a tool message, present in decisions 11-46`."""
        spans = [str(one[0]) if one == two else f"{one[0]}-{two[0]}" for one, two in self.present]
        where = f"present in decision{'s' if len(spans) > 1 or '-' in spans[0] else ''} {', '.join(spans)}"
        return f"{self.count} place{'' if self.count == 1 else 's'} in a {self.role} message, {where}"


def search(investigation: Investigation, text: str, *, ignore_case: bool = False) -> Iterator[Result]:
    """Every distinct message of a prompt that holds the text, in order of first use. Nothing for an empty text.

    With `ignore_case` only texts whose case folding keeps their length are compared so; others as they are.
    """
    if not text:
        return
    holders = _holders(investigation)
    for message in sorted(holders):
        held = investigation.messages[message]
        places = list(_places(held.text, text, ignore_case=ignore_case))
        if places:
            shown = tuple(_in_bytes(held.text, place, len(text)) for place in places[:MAX_PLACES])
            yield Result(message, held.role, len(places), shown, tuple(_runs(investigation, holders[message])))


def _holders(investigation: Investigation) -> dict[int, list[tuple[int, int]]]:
    """For each message, the runs of decisions (as places) that hold it; slices that go on are compared, not unrolled."""
    found: dict[int, list[tuple[int, int]]] = defaultdict(list)
    open_runs: dict[tuple[int, int], int] = {}
    last, limit = -1, len(investigation.messages)
    for last, decision in enumerate(investigation.decisions):
        now = {(max(start, 0), min(start + count, limit)) for start, count in decision.slices if count > 0}
        for span in [span for span in open_runs if span not in now]:
            _close(found, span, open_runs.pop(span), last - 1)
        for span in now:
            open_runs.setdefault(span, last)
    for span, first in open_runs.items():
        _close(found, span, first, last)
    return found


def _close(found: dict[int, list[tuple[int, int]]], span: tuple[int, int], first: int, last: int) -> None:
    for message in range(*span):
        runs = found[message]
        place = bisect_left(runs, (first, last))
        runs.insert(place, (first, last))


def _runs(investigation: Investigation, runs: list[tuple[int, int]]) -> Iterator[tuple[DecisionKey, DecisionKey]]:
    """Runs that touch or overlap, joined."""
    joined: list[tuple[int, int]] = []
    for first, last in runs:
        if joined and first <= joined[-1][1] + 1:
            joined[-1] = (joined[-1][0], max(joined[-1][1], last))
        else:
            joined.append((first, last))
    for first, last in joined:
        yield investigation.decisions[first].key, investigation.decisions[last].key


def _places(held: str, text: str, *, ignore_case: bool) -> Iterator[int]:
    if ignore_case and len(held.casefold()) == len(held) and len(text.casefold()) == len(text):
        held, text = held.casefold(), text.casefold()
    place = held.find(text)
    while place >= 0:
        yield place
        place = held.find(text, place + len(text))


def _in_bytes(held: str, place: int, length: int) -> tuple[int, int]:
    start = byte_length(held[:place])
    return start, start + byte_length(held[place : place + length])
