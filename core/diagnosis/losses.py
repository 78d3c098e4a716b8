"""Results that did not reach the prompts: of a repeat in the prompt that asked again, and of any lookup in all of them."""

from __future__ import annotations

from bisect import bisect_right
from operator import attrgetter
from typing import TYPE_CHECKING

from ..delivery.facts import MIN_BODY_BYTES
from ..delivery.lines import covers
from . import words
from .findings import Finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..delivery import Placement
    from ..model import DecisionKey, Fragment
    from .case import Evidence
    from .findings import Repeat
    from .history import Ask, Step

NEVER_RECEIVED = "never_received"
"""Kind of the finding."""

_LOST = ("cut", "absent", "marker_only", "overlap")


def is_lost(repeat: Repeat) -> bool:
    """Whether the earlier result was absent or cut in the prompt whose reply asked again, whatever the cause.

    Not where every line of it came through other fragments.
    """
    placement = repeat.proof.placement
    return placement is not None and placement.state in _LOST and "delivered" not in (repeat.cause, *repeat.also)


def never_received(evidence: Evidence) -> Iterator[Finding]:
    """Completed results that were in none of the prompts sent after them, though at least one was sent and all can be read.

    A body under `MIN_BODY_BYTES`, or one whose bytes stand in a prompt where they prove nothing, is not judged; nor is one
    whose lines all came through other fragments.
    """
    waiting = dict(_candidates(evidence))
    unsure = {number for number in waiting if _may_be_there(evidence, number)}
    for step in _longest(evidence) if unsure else ():  # a column is worked out once for all results
        for number in list(unsure):
            asked, prompts = waiting[number]
            if step.chain != prompts[0].chain or step.key[0] <= asked.step.key[0]:
                continue
            if _in_some_way(evidence, number, step.key):
                unsure.remove(number)
                del waiting[number]
    for number, (ask, prompts) in waiting.items():
        fragment, count = evidence.history.fragments[number], len(prompts)
        where = "not in the one prompt" if count == 1 else f"in none of the {count:,} prompts"
        said = f"{words.lookup(ask.lookup)}, {words.size(fragment.byte_length)}"
        sentence = f"{words.short(fragment.id)} ({said}) was {where} sent after {words.decision(ask.step.key)}"
        if any(event.kind == "compaction" for event in prompts[0].events):
            sentence += f"; {words.decision(prompts[0].key)} begins after a compaction"
        yield Finding(NEVER_RECEIVED, sentence, prompts[0].key, fragment.id)


def _longest(evidence: Evidence) -> Iterator[Step]:
    """The sent prompts that the next one of their attempt does not continue: what stood in any other stands in one of these."""
    last: dict[int, Step] = {}
    for step in evidence.history.steps:
        if step.sent is not True:
            continue
        before = last.get(step.chain)
        if before is not None and not evidence.deliveries.continues(step.key, before.key):
            yield before
        last[step.chain] = step
    yield from last.values()


def _candidates(evidence: Evidence) -> Iterator[tuple[int, tuple[Ask, list[Step]]]]:
    """The results that can be judged and that no prompt carried, whole or cut, with the prompts sent after them."""
    history, deliveries = evidence.history, evidence.deliveries
    sent: dict[int, list[Step]] = {}
    for step in history.steps:
        if step.sent is True:
            sent.setdefault(step.chain, []).append(step)
    unreadable = {chain: [s.place for s in steps if not deliveries.readable(s.key)] for chain, steps in sent.items()}
    for ask in history.asks:
        prompts, number = sent.get(ask.step.chain, []), ask.fragment
        if number is None or not prompts or not _is_judged(history.fragments[number]):
            continue
        if deliveries.received_by(history.fragments[number].id, history.steps[-1].key) > 0:
            continue
        first = bisect_right(prompts, ask.step.place, key=attrgetter("place"))
        later = [step for step in prompts[first:] if step.key[0] > ask.step.key[0]]
        if later and not any(place > ask.step.place for place in unreadable[ask.step.chain]):
            yield number, (ask, later)


def _is_judged(fragment: Fragment) -> bool:
    return fragment.status == "completed" and fragment.byte_length >= MIN_BODY_BYTES


def _may_be_there(evidence: Evidence, number: int) -> bool:
    """Whether its bytes stand anywhere where they prove nothing, or other results hold all its lines: most hold none."""
    fragment, overlaps = evidence.history.fragments[number], evidence.deliveries.overlaps
    if fragment.id in evidence.deliveries.ever_coincidental:
        return True
    versions = overlaps.hashed(number)
    if versions:
        return all(len(overlaps.holders(version)) > 1 for version in versions)
    return covers(overlaps.lines_of_others(number), 1, _line_count(fragment))


def _line_count(fragment: Fragment) -> int:
    return len(fragment.body.rstrip("\n").split("\n"))


def _in_some_way(evidence: Evidence, number: int, key: DecisionKey) -> bool:
    """Whether a prompt holds its bytes where they prove nothing, or all its lines through other fragments."""
    fragment = evidence.history.fragments[number]
    state = evidence.deliveries.state(fragment.id, key)
    if state != "overlap":
        return state == "coincidental"
    placement = evidence.deliveries.at(fragment.id, key)
    return placement is not None and _all_lines(evidence, fragment, placement)


def _all_lines(evidence: Evidence, fragment: Fragment, placement: Placement) -> bool:
    """Whether every line of a body came through others: lines of its files where their versions are known, else its own."""
    if any(source.hash is not None for source in fragment.sources):
        lines = evidence.deliveries.lines
        return all(
            source.hash is not None and covers(lines(source.path, source.hash, placement.key), source.start, source.end)
            for source in fragment.sources
        )
    return covers(placement.lines, 1, _line_count(fragment))
