"""The recordings of a folder, one row an investigation: date, calls, repeats, verdict; what cannot be read is passed over.

`list_file` is pure: plain arguments in, plain picklable rows out, so that any engine can spread it over processes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from .batch import find, run
from .diagnosis import diagnose
from .limits import MAX_PACKAGE_SECONDS
from .package import check
from .readers import open_any

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from .batch import PassedOver
    from .errors import InspectorError
    from .model import Investigation


@dataclass(frozen=True, slots=True)
class Listed:
    """One investigation in a list. `part` is its number in the file, from 1; `date` is the recording's own, if any.

    `calls` are model calls (decisions), `verdict` is the sentence of the diagnosis, `stalled` and `looped` are of its verdict. Titles and names are text from outside.
    """

    name: str
    part: int
    title: str
    reader: str
    date: str | None
    calls: int
    lookups: int
    repeats: int
    stalled: bool
    verdict: str
    problems: int
    looped: bool = False


@dataclass(frozen=True, slots=True)
class Unread:
    """A file that a reader knows but could not read, and why."""

    name: str
    error: InspectorError


@dataclass(frozen=True, slots=True)
class Catalogue:
    """What a folder holds: rows with the stalled ones first, files that could not be read, paths that were passed over."""

    rows: tuple[Listed, ...]
    unread: tuple[Unread, ...]
    passed: tuple[PassedOver, ...]


def list_file(path: str, name: str, progress: object = None) -> list[Listed]:
    """The rows of one file, called `name` in them. Raises `InspectorError` where it cannot be read."""
    del progress  # one file is one step
    return [_row(name, part, opened) for part, opened in enumerate(open_any(path), start=1)]


def catalogue(paths: Sequence[Path], *, jobs: int = 1, seconds: float = MAX_PACKAGE_SECONDS) -> Catalogue:
    """Every recording below these paths, searched recursively, each file read in a process of its own (`jobs` at a time).

    A file that is no recording is passed over with the reason; a damaged one, or one that takes longer than `seconds`, is
    listed as unread. Neither touches the others.
    """
    found, passed = find(paths)
    outcomes, unsupported = run(list_file, found, jobs=jobs, seconds=seconds)
    rows = [row for outcome in outcomes for row in outcome.made or ()]
    unread = tuple(Unread(outcome.found.name, outcome.error) for outcome in outcomes if outcome.error is not None)
    return Catalogue(by_stall(rows), unread, (*passed, *unsupported))


def by_stall(rows: Sequence[Listed]) -> tuple[Listed, ...]:
    """Rows with stalled runs first, then those that looped, then by repeats, then the newest."""
    newest = sorted(rows, key=lambda row: row.date or "", reverse=True)
    return tuple(sorted(newest, key=lambda row: (not row.stalled, not row.looped, -row.repeats)))


def _row(name: str, part: int, opened: Investigation) -> Listed:
    investigation = opened if opened.problems_complete else check(opened)
    found = diagnose(investigation)
    return Listed(
        name=name,
        part=part,
        title=investigation.title,
        reader=investigation.reader,
        date=date_of(investigation),
        calls=len(investigation.decisions),
        lookups=len(investigation.fragments),
        repeats=len(found.repeats),
        stalled=found.verdict.stalled,
        verdict=found.verdict.sentence,
        problems=len(investigation.problems),
        looped=found.verdict.looped,
    )


def date_of(investigation: Investigation, most: int | None = None) -> str | None:
    """The recording's own date, as it stands there: the package's, else the first among its first `most` decisions (all)."""
    if investigation.created:
        return investigation.created
    return next((decision.sent_at for decision in islice(investigation.decisions, most) if decision.sent_at), None)


def day(date: str | None) -> str:
    """The day of such a date as `2026-05-04`; empty where it is none, or something else stands in its place."""
    found = re.match(r"\d{4}-\d{2}-\d{2}", date or "", re.ASCII)
    return found[0] if found else ""
