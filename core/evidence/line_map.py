"""Lines of one file against decisions: which lines stood in which prompt, and which were asked for and did not.

Rows are bands: neighbouring lines that every lookup and every prompt treats alike, or more of them together where there
are too many; lines that no lookup returned are left out. Columns are decisions, or neighbouring decisions together. A cell
speaks of the lines that were asked for before its decision.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Literal, TypeAlias

from ..delivery.lines import common, merge
from ..neighbours import Column, neighbours

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ..delivery import LineRange
    from ..model import Decision, DecisionKey, Fragment, Investigation
    from .files import FileVersion, SourceFile
    from .supplied import Supplied

LineState: TypeAlias = Literal["received", "part", "missing", "other_version"]
LineAsk: TypeAlias = Literal["requested", "repeated"]


@dataclass(frozen=True, slots=True)
class Band:
    """Lines `start`..`end` of version number `version` of the file. `lines` of them were returned by lookups."""

    version: int
    start: int
    end: int
    lines: int


@dataclass(frozen=True, slots=True)
class Cell:
    """How a band stands in a column.

    `received`: all lines that had been asked for, in every prompt of the column; `part`: some of them, or in some prompts;
    `missing`: none; `other_version`: none, but another version of the file had been read since. `received` of `asked`
    lines are those of the decision `key`, where a click leads, with `fragment` in sight: what brought them, else what
    had returned them.
    """

    state: LineState
    key: DecisionKey
    received: int
    asked: int
    fragment: str


@dataclass(frozen=True)
class LineMap:
    """The map of one file. `cells[band][column]` is None where nothing had been asked for or nothing was sent.

    `asks[band][column]`: `requested` where a reply asked for lines of the band, `repeated` where such lines of the same
    version had been asked for before. `exact` is False where bands or columns stand for several.
    """

    file: SourceFile
    bands: tuple[Band, ...]
    columns: tuple[Column, ...]
    cells: tuple[tuple[Cell | None, ...], ...]
    asks: tuple[tuple[LineAsk | None, ...], ...]
    exact: bool


def bands_of(found: LineMap, fragment: Fragment) -> frozenset[int]:
    """Places of the bands that hold lines which this fragment returned."""
    held: dict[int, list[LineRange]] = {}
    versions = {version.hash: number for number, version in enumerate(found.file.versions)}
    for source in fragment.sources:
        if source.path == found.file.path:
            held.setdefault(versions[source.hash], []).append((source.start, source.end))
    return frozenset(place for place, band in enumerate(found.bands) if _count(held.get(band.version, ()), band))


def line_map(
    investigation: Investigation, table: Supplied, file: SourceFile, *, most_bands: int, most_columns: int
) -> LineMap:
    """The map of a file in at most `most_bands` (at least one a version) and `most_columns`."""
    asks = _asks(investigation, file)
    bands: list[Band] = []
    exact = True
    for number, version in enumerate(file.versions):
        elementary = list(_elementary(number, version, table, file.path, asks))
        share = max(1, most_bands * version.line_count // max(file.line_count, 1))
        grouped = list(_grouped(elementary, share))
        exact = exact and len(grouped) == len(elementary)
        bands += grouped
    columns, places = _columns(investigation.decisions, most_columns)
    rows = [_row(band, file, table, places, asks) for band in bands]
    marks = [_marks(band, places, asks) for band in bands]
    exact = exact and all(column.count == 1 for column in columns)
    return LineMap(file, tuple(bands), tuple(columns), tuple(rows), tuple(marks), exact)


@dataclass(frozen=True, slots=True)
class _Ask:
    """A fragment that returned lines of the file, asked for at `place` among the decisions by `index` (-1: unknown)."""

    place: int
    index: int
    version: int
    lines: tuple[LineRange, ...]
    fragment: str


def _asks(investigation: Investigation, file: SourceFile) -> list[_Ask]:
    """In the order of asking, those of unknown asking first. Of several attempts of one index, the one whose reply names the lookup asked."""
    versions = {version.hash: number for number, version in enumerate(file.versions)}
    fragments = [investigation.fragments[place] for place in file.fragments]
    wanted = {fragment.requested_by for fragment in fragments}
    by_index: dict[int, list[tuple[int, Decision]]] = {}
    for place, decision in enumerate(investigation.decisions):
        if decision.index in wanted:
            by_index.setdefault(decision.index, []).append((place, decision))
    found: list[_Ask] = []
    for fragment in fragments:
        place = _place(fragment, by_index.get(fragment.requested_by or 0, []))
        index = -1 if fragment.requested_by is None else fragment.requested_by
        lines: dict[int, list[LineRange]] = {}
        for source in fragment.sources:
            if source.path == file.path:
                lines.setdefault(versions[source.hash], []).append((source.start, source.end))
        found += [_Ask(place, index, version, tuple(sorted(spans)), fragment.id) for version, spans in lines.items()]
    return sorted(found, key=lambda ask: (ask.index, ask.place))


def _place(fragment: Fragment, decisions: Sequence[tuple[int, Decision]]) -> int:
    for place, decision in decisions:
        lookups = decision.reply.lookups if decision.reply is not None else ()
        if any(lookup.identity == fragment.lookup.identity for lookup in lookups):
            return place
    return decisions[0][0] if decisions else -1


def _elementary(number: int, version: FileVersion, table: Supplied, path: str, asks: Sequence[_Ask]) -> Iterator[Band]:
    """The finest bands: between two edges every lookup and every prompt holds all lines or none."""
    edges = {edge for ask in asks if ask.version == number for start, end in ask.lines for edge in (start, end + 1)}
    for _, lines, _ in table.runs.get((path, version.hash), ()):
        edges.update(edge for start, end in lines for edge in (start, end + 1))
    ordered = sorted(edges)
    for start, end in version.lines:
        inside = [start, *ordered[bisect_left(ordered, start + 1) : bisect_left(ordered, end + 1)], end + 1]
        for first, after in pairwise(inside):
            yield Band(number, first, after - 1, after - first)


def _grouped(bands: Sequence[Band], most: int) -> Iterator[Band]:
    """At most `most` bands of about the same number of lines."""
    if len(bands) <= most:
        yield from bands
        return
    total, done = sum(band.lines for band in bands), 0
    group: list[Band] = []
    made = 0
    for band in bands:
        group.append(band)
        done += band.lines
        if done * most >= total * (made + 1):
            made = max(made + 1, done * most // total)
            yield Band(band.version, group[0].start, band.end, sum(each.lines for each in group))
            group = []


def _columns(
    decisions: Sequence[Decision], most: int
) -> tuple[list[Column], list[list[tuple[int, DecisionKey, bool]]]]:
    columns: list[Column] = []
    places: list[list[tuple[int, DecisionKey, bool]]] = []
    for group in neighbours(range(len(decisions)), most):
        here = [(place, decisions[place].key, decisions[place].sent is True) for place in group]
        columns.append(Column(here[0][1], here[-1][1], len(here), any(sent for _, _, sent in here)))
        places.append(here)
    return columns, places


def _row(
    band: Band,
    file: SourceFile,
    table: Supplied,
    columns: Sequence[Sequence[tuple[int, DecisionKey, bool]]],
    asks: Sequence[_Ask],
) -> tuple[Cell | None, ...]:
    held = dict(zip(table.keys, table.of((file.path, file.versions[band.version].hash)), strict=True))
    inside = [ask for ask in asks if ask.version == band.version and _count(ask.lines, band)]
    indexes, all_indexes = [ask.index for ask in inside], [ask.index for ask in asks]
    wanted = [0]
    lines: tuple[LineRange, ...] = ()
    for ask in inside:
        lines = merge([*lines, *common(ask.lines, [(band.start, band.end)])])
        wanted.append(_count(lines, band))
    counted: dict[tuple[LineRange, ...], int] = {}
    row: list[Cell | None] = []
    for column in columns:
        found: list[_Stands] = []
        for _, key, sent in column:
            known = bisect_left(indexes, key[0]) if sent else 0
            if known:
                supplied = held[key][0]
                if supplied not in counted:
                    counted[supplied] = _count(supplied, band)
                stale = asks[bisect_left(all_indexes, key[0]) - 1].version != band.version
                found.append(_Stands(key, min(counted[supplied], wanted[known]), wanted[known], known, stale))
        row.append(_together(found, inside, held))
    return tuple(row)


@dataclass(frozen=True, slots=True)
class _Stands:
    """One decision of a cell: `received` of `asked` lines, which `known` fragments had returned before.

    `stale`: another version of the file had been read since.
    """

    key: DecisionKey
    received: int
    asked: int
    known: int
    stale: bool

    @property
    def state(self) -> LineState:
        """How the lines stand in this prompt."""
        if self.received:
            return "received" if self.received == self.asked else "part"
        return "other_version" if self.stale else "missing"


def _together(
    found: Sequence[_Stands], inside: Sequence[_Ask], held: Mapping[DecisionKey, tuple[object, tuple[str, ...]]]
) -> Cell | None:
    """One cell for the decisions of a column: a click leads to the first of those that say most."""
    if not found:
        return None
    states = {each.state for each in found}
    carrying = [each for each in found if each.received]
    missing = [each for each in found if each.state == "missing"]
    chosen = (carrying or missing or list(found))[0]
    state: LineState = chosen.state if len(states) == 1 or not carrying else "part"
    asked = [ask.fragment for ask in inside[: chosen.known]]
    through = held[chosen.key][1] if chosen.received else ()
    brought = next((fragment for fragment in reversed(asked) if fragment in through), asked[-1])
    return Cell(state, chosen.key, chosen.received, chosen.asked, brought)


def _marks(
    band: Band, columns: Sequence[Sequence[tuple[int, DecisionKey, bool]]], asks: Sequence[_Ask]
) -> tuple[LineAsk | None, ...]:
    asked: tuple[LineRange, ...] = ()
    at: dict[int, LineAsk] = {}
    for ask in asks:
        if ask.version != band.version or not _count(ask.lines, band):
            continue
        mine = common(ask.lines, [(band.start, band.end)])
        again = bool(common(mine, asked))
        if at.get(ask.place) != "repeated":
            at[ask.place] = "repeated" if again else "requested"
        asked = merge([*asked, *mine])
    return tuple(
        next((mark for mark in ("repeated", "requested") if any(at.get(place) == mark for place, _, _ in column)), None)
        for column in columns
    )


def _count(lines: Sequence[LineRange], band: Band) -> int:
    """How many lines of a band are among these ranges."""
    return sum(end - start + 1 for start, end in common(lines, [(band.start, band.end)]))
