"""Blocks of lookups that are walked again, and lookups asked again whose answer changes (polling, tests after edits)."""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise
from operator import eq
from typing import TYPE_CHECKING

from .. import words
from ..findings import Pattern

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ...model import DecisionKey
    from ..case import Evidence
    from ..findings import PatternKind
    from ..history import Ask

MAX_BLOCK_LOOKUPS = 200
"""Lookups of the longest block that is looked for."""

MIN_TURNS_OF_ONE = 3
"""Turns of a block of one lookup; a longer block is a cycle when it is walked twice."""

MIN_POLLS = 3
"""Askings of one lookup that make it polling."""


def cycles(evidence: Evidence) -> Iterator[Pattern]:
    """Blocks of consecutive lookups walked twice or more, the shortest block of each stretch."""
    for asks in _chains(evidence):
        names = [ask.identity for ask in asks]
        if len(set(names)) == len(names):
            continue
        found: list[tuple[int, int]] = []
        for length in range(1, min(MAX_BLOCK_LOOKUPS, len(names) // 2) + 1):
            for start, end in _periodic(names, length):
                if not any(first <= start and end <= last for first, last in found):
                    found.append((start, end))
                    yield _cycle(evidence, asks[start:end], length)


def _periodic(names: Sequence[str], length: int) -> Iterator[tuple[int, int]]:
    """Stretches in which every lookup is the one `length` before it, at least `_turns(length)` turns long."""
    alike = bytes(map(eq, names[length:], names))
    if bytes([True]) * (length * (_turns(length) - 1)) not in alike:  # so it is for nearly every length
        return
    run = 0
    for place in range(length, len(names) + 1):
        if place < len(names) and names[place] == names[place - length]:
            run += 1
            continue
        if run >= length * (_turns(length) - 1):
            turns = run // length + 1
            start = place - run - length
            yield start, start + turns * length
        run = 0


def _turns(length: int) -> int:
    return MIN_TURNS_OF_ONE if length == 1 else 2


def _cycle(evidence: Evidence, asks: Sequence[Ask], length: int) -> Pattern:
    turns = len(asks) // length
    changed = sum(
        _answer(evidence, one) != _answer(evidence, two) for one, two in zip(asks, asks[length:], strict=False)
    )
    block = words.lookup(asks[0].lookup) + (f" and {length - 1} more" if length > 1 else "")
    answers = "answers unchanged" if not changed else f"{changed} answers changed"
    sentence = f"a block of {length} lookup{'s' if length > 1 else ''} ({block}) walked {turns} times, {answers}"
    return Pattern("cycle", _keys(asks), length, turns, stall=not changed, sentence=sentence)


def _answer(evidence: Evidence, ask: Ask) -> tuple[str, str] | None:
    """What an ask returned. An ask that was not carried out changes nothing: it has no answer to compare."""
    result = evidence.history.result(ask)
    return None if result is None else (result.status, result.comparable)


def polling(evidence: Evidence) -> Iterator[Pattern]:
    """Lookups asked again whose answer changed: progress, not a stall. Often asked: polling; else a changed answer."""
    for asks in _chains(evidence):
        by_identity: dict[str, list[Ask]] = defaultdict(list)
        for ask in asks:
            result = evidence.history.result(ask)
            if result is not None and result.status != "uncertain":
                by_identity[ask.identity].append(ask)
        for same in by_identity.values():
            changed = sum(_answer(evidence, one) != _answer(evidence, two) for one, two in pairwise(same))
            if not changed:
                continue
            kind: PatternKind = "polling" if len(same) >= MIN_POLLS else "changed_answer"
            times = f"asked {len(same)} times, {changed} changed answer{'s' if changed > 1 else ''}"
            sentence = f"{words.lookup(same[0].lookup)} was {times}: progress, not a stall"
            yield Pattern(kind, _keys(same), len(same), 1, stall=False, sentence=sentence)


def _chains(evidence: Evidence) -> list[list[Ask]]:
    found: dict[int, list[Ask]] = defaultdict(list)
    for ask in evidence.history.asks:
        found[ask.step.chain].append(ask)
    return list(found.values())


def _keys(asks: Sequence[Ask]) -> tuple[DecisionKey, ...]:
    return tuple(dict.fromkeys(ask.step.key for ask in asks))
