"""Decisions that learn nothing new, and calls whose results keep being cut."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ...delivery.lines import covers, merge
from .. import words
from ..findings import Pattern

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...delivery import LineRange
    from ...model import DecisionKey, Fragment
    from ..case import Evidence

MIN_DECISIONS_WITHOUT_NEWS = 4
"""Consecutive decisions with lookups of which none brought a new line."""

MIN_CUT_RESULTS = 5
"""Cut results that make a truncation loop, if they are also most of the results in the stretch."""

CUT_BY_TOOL = re.compile(
    r"tokens truncated|(?:output|result|content|response) (?:was |has been )?truncated|\[truncated|<output_head>"
    r"|\(\d[\d,]* (?:more )?(?:lines|characters|bytes) (?:truncated|omitted|not shown|more)|truncated\]",
    re.IGNORECASE,
)
"""How tools mark an output that they cut themselves; looked for at the beginning and the end of a result."""

MARK_WINDOW = 400
"""Characters at either end of a result in which such a mark is looked for."""


def no_new_evidence(evidence: Evidence) -> Iterator[Pattern]:
    """A run of decisions whose results hold only lines, or whole answers, that earlier results held."""
    lines: dict[tuple[str, str | None], tuple[LineRange, ...]] = {}
    bodies: set[str] = set()
    run: list[DecisionKey] = []
    for key, results in _by_decision(evidence):
        news = [_is_new(result, lines, bodies) for result in results]  # each is noted, whatever the others are
        if any(news):
            yield from _without_news(run)
            run = []
        else:
            run.append(key)
    yield from _without_news(run)


def _is_new(result: Fragment, lines: dict[tuple[str, str | None], tuple[LineRange, ...]], bodies: set[str]) -> bool:
    """Whether a result holds anything that none before it held; it is noted."""
    new = result.comparable not in bodies and bool(result.body)
    bodies.add(result.comparable)
    if not result.sources or any(source.hash is None for source in result.sources):
        return new
    fresh = False
    for source in result.sources:
        version = (source.path, source.hash)
        known = lines.get(version, ())
        fresh = fresh or not covers(known, source.start, source.end)
        lines[version] = merge((*known, (source.start, source.end)))
    return new and fresh


def _without_news(run: list[DecisionKey]) -> Iterator[Pattern]:
    if len(run) >= MIN_DECISIONS_WITHOUT_NEWS:
        sentence = f"{len(run)} decisions, {run[0][0]} to {run[-1][0]}, added no new line of evidence"
        yield Pattern("no_new_evidence", tuple(run), len(run), 1, stall=True, sentence=sentence)


def truncation_loop(evidence: Evidence) -> Iterator[Pattern]:
    """Most results were cut, by the memory or by the tool itself: the run reads beginnings."""
    cut: list[DecisionKey] = []
    total = 0
    for key, results in _by_decision(evidence):
        total += len(results)
        cut += [key for result in results if _was_cut(evidence, result)]
    if len(cut) >= MIN_CUT_RESULTS and 2 * len(cut) > total:
        sentence = f"{len(cut)} of {total} results were cut, from {words.decision(cut[0])} on"
        yield Pattern("truncation_loop", tuple(dict.fromkeys(cut)), len(cut), 1, stall=True, sentence=sentence)


def _was_cut(evidence: Evidence, result: Fragment) -> bool:
    ends = result.body[:MARK_WINDOW] + "\n" + result.body[-MARK_WINDOW:]
    if CUT_BY_TOOL.search(ends):
        return True
    received = evidence.deliveries.received_by(result.id, evidence.history.steps[-1].key)
    return 0 < received < result.byte_length


def _by_decision(evidence: Evidence) -> list[tuple[DecisionKey, list[Fragment]]]:
    found: dict[DecisionKey, list[Fragment]] = {}
    for ask in evidence.history.asks:
        result = evidence.history.result(ask)
        if result is not None and result.status != "uncertain":
            found.setdefault(ask.step.key, []).append(result)
    return list(found.items())
