"""The archive's rows as the page shows them: sorted, filtered, and what could not be listed. Pure of Streamlit."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from core.batch import PassedOver
from core.catalogue import Listed, Unread, by_stall
from core.catalogue import day as day_of

from .sizes import many

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from .catalogue import Entry
    from .listing import Seen

_SORTS: Final[Mapping[str, tuple[Callable[[Listed], Any], bool]]] = {
    "name": (lambda row: (row.name.casefold(), row.part), False),
    "date": (lambda row: (row.date or "") if day(row) else "", True),
    "reader": (lambda row: row.reader, False),
    "calls": (lambda row: row.calls, True),
    "repeats": (lambda row: row.repeats, True),
    "problems": (lambda row: row.problems, True),
}
"""Column → what it is sorted by, and whether the largest stands first. `stalled` is the order of `by_stall`."""

_SHOWN: Final[Mapping[str, Callable[[Listed], bool]]] = {
    "all": lambda _: True,
    "stalled": lambda row: row.stalled,
    "looped": lambda row: row.looped and not row.stalled,
    "repeated": lambda row: row.repeats > 0,
    "problems": lambda row: row.problems > 0,
}


@dataclass(frozen=True, slots=True)
class Row:
    """One investigation of the archive, and the entry that opens it."""

    entry: Entry
    listed: Listed


@dataclass(frozen=True, slots=True)
class Archived:
    """Every row that is known, the files that could not be read, and those that hold no recording."""

    rows: tuple[Row, ...]
    unread: tuple[Unread, ...]
    passed: tuple[PassedOver, ...]

    @property
    def recordings(self) -> int:
        """How many files hold a recording; one that holds several investigations counts once."""
        return len({row.entry.id for row in self.rows})


def counted(seen: Seen) -> str:
    """What is known of the archive's files, in words: how many hold a recording, and apart from them how many do not."""
    kinds = Counter(map(type, seen.answers.values()))
    if not kinds:
        return f"{many(seen.total, 'file')}, not read yet"
    return "; ".join([many(kinds[tuple], "recording"), *_apart(kinds, seen.total)])


def apart(seen: Seen) -> str:
    """The end of such a sentence: what is known of files that hold no recording."""
    return "".join(f"; {each}" for each in _apart(Counter(map(type, seen.answers.values())), seen.total))


def _apart(kinds: Counter[type], total: int) -> Iterator[str]:
    none, unread, left = kinds[PassedOver], kinds[Unread], total - kinds.total()
    if none:
        yield f"{many(none, 'file holds', 'files hold')} none"
    if unread:
        yield f"{many(unread, 'file')} could not be read"
    if left:
        yield f"{many(left, 'file')} not read yet"


def day(row: Listed) -> str:
    """The day of a recording as `2026-05-04`; empty where it holds none, or something else in its place."""
    return day_of(row.date)


def archived(entries: Sequence[Entry], seen: Seen) -> Archived:
    """What is known of the files, under the names that the archive gives them."""
    rows: list[Row] = []
    unread: list[Unread] = []
    passed: list[PassedOver] = []
    for entry in entries:
        answer = seen.answers.get(entry.id)
        if isinstance(answer, Unread):
            unread.append(Unread(entry.name, answer.error))
        elif isinstance(answer, PassedOver):
            passed.append(PassedOver(entry.name, answer.reason))
        else:
            rows += [Row(entry, each) for each in answer or ()]
    return Archived(tuple(rows), tuple(unread), tuple(passed))


def chosen(rows: Sequence[Row], text: str, shown: str, sort: str, *, turned: bool) -> list[Row]:
    """The rows that hold a text (in name, title, reader or verdict; case does not count), in the order of a column."""
    wanted = text.casefold().split()
    kept = [row for row in rows if _SHOWN[shown](row.listed) and all(word in _text(row) for word in wanted)]
    ordered = _by_stall(kept) if sort == "stalled" else _by(kept, *_SORTS[sort])
    return ordered[::-1] if turned else ordered


def _by(rows: Sequence[Row], key: Callable[[Listed], Any], largest: bool) -> list[Row]:
    return sorted(_by_stall(rows), key=lambda row: key(row.listed), reverse=largest)


def _by_stall(rows: Sequence[Row]) -> list[Row]:
    by_row = {id(row.listed): row for row in rows}
    return [by_row[id(listed)] for listed in by_stall([row.listed for row in rows])]


def _text(row: Row) -> str:
    found = row.listed
    return f"{row.entry.name}\n{found.title}\n{found.reader}\n{found.verdict}".casefold()
