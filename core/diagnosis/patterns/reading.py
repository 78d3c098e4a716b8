"""How files are read: page by page through one file, or the same lines again after every edit."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from .. import words
from ..findings import Pattern
from ..history import read_range

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ...model import SourceRange
    from ..case import Evidence
    from ..history import Ask

MIN_PAGES = 10
"""Reads of one version of one file, one range after the other, that make a paging sweep."""

MAX_GAP_LINES = 20
"""Lines that a page may leave out, or repeat, after the page before."""

MIN_READS_AFTER_EDITS = 3
"""Edits of one file after which the same lines were read again."""


def paging_sweep(evidence: Evidence) -> Iterator[Pattern]:
    """One file read in many small ranges, each beginning where the one before ended."""
    pages: dict[tuple[int, str, str | None], list[tuple[Ask, SourceRange]]] = defaultdict(list)
    for ask, source in _reads(evidence):
        run = pages[ask.step.chain, source.path, source.hash]
        if run and not _goes_on(run[-1][1], source):
            yield from _sweep(run)
            run.clear()
        run.append((ask, source))
    for run in pages.values():
        yield from _sweep(run)


def _goes_on(last: SourceRange, page: SourceRange) -> bool:
    down = last.start < page.start <= last.end + 1 + MAX_GAP_LINES and page.end > last.end
    up = page.start < last.start and last.start - 1 - MAX_GAP_LINES <= page.end < last.end
    return down or up


def _sweep(run: Sequence[tuple[Ask, SourceRange]]) -> Iterator[Pattern]:
    if len(run) < MIN_PAGES:
        return
    first, last = min(page.start for _, page in run), max(page.end for _, page in run)
    keys = tuple(dict.fromkeys(ask.step.key for ask, _ in run))
    sentence = f"{words.short(run[0][1].path)} was read in {len(run)} ranges, lines {first}-{last}, one after the other"
    yield Pattern("paging_sweep", keys, len(run), 1, stall=False, sentence=sentence)


def read_after_edit(evidence: Evidence) -> Iterator[Pattern]:
    """The same lines of a file read again after each of several edits of it."""
    edits: dict[tuple[int, str], int] = defaultdict(int)
    read_at: dict[tuple[int, str, str], list[tuple[int, Ask]]] = defaultdict(list)
    reads: dict[int, list[tuple[Ask, SourceRange]]] = defaultdict(list)
    for ask, source in _reads(evidence):
        reads[ask.step.place].append((ask, source))
    for step in evidence.history.steps:
        for path in step.patched:
            edits[step.chain, path] += 1
        for ask, source in reads[step.place]:
            turn = edits[step.chain, source.path]
            known = read_at[step.chain, source.path, ask.identity]
            if turn and (not known or known[-1][0] != turn):
                known.append((turn, ask))
    for (chain, path, _), known in read_at.items():
        if len(known) >= MIN_READS_AFTER_EDITS and len(known) >= edits[chain, path] - 1:
            keys = tuple(ask.step.key for _, ask in known)
            sentence = f"{words.short(path)} was edited {edits[chain, path]} times, and the same read followed {len(known)} of them"
            yield Pattern("read_after_edit", keys, len(known), 1, stall=False, sentence=sentence)


def _reads(evidence: Evidence) -> Iterator[tuple[Ask, SourceRange]]:
    for ask in evidence.history.asks:
        result = evidence.history.result(ask)
        source = None if result is None else read_range(result)
        if source is not None:
            yield ask, source
