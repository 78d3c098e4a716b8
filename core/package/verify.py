"""Verifying a package: every hash, count, shape and reference, record by record, with nothing held but indexes."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from ..canonical import canonical_bytes_trusted, duplicate_keys, loads_last
from ..errors import InspectorError
from ..limits import MAX_PROBLEMS, MIB
from ..model import Investigation, Problem
from .fields import Notes, shown
from .names import FILES
from .reading import DecisionRows, Origin, content_hash, open_unchecked, small
from .references import DecisionCheck, Known
from .rows import Rows, as_object, problem_of

if TYPE_CHECKING:
    import os

    from .manifest import FileEntry
    from .members import Member

Progress = Callable[[int, int], None]
T = TypeVar("T")

_STEPS = 200
"""How often `progress` is called in one check, about."""


def open_package(path: str | os.PathLike[str]) -> Investigation:
    """Open a package: a folder, a zip (known by its content), or the `.partial` folder of a recording not closed.

    Its sequences are lazy. A package up to `CHECK_AT_OPEN_BYTES` is verified here (`check`); a larger one has `checked`
    0 and only the problems of its container, its manifest and its table of files. Damaged records are problems, not
    errors. Raises `PackageError` for what is no package, is hostile, or is over a limit of the container.
    """
    investigation = open_unchecked(path)
    decisions = investigation.decisions
    if isinstance(decisions, DecisionRows) and small(decisions.origin.container):
        return check(investigation)
    return investigation


def check(investigation: Investigation, progress: Progress | None = None) -> Investigation:
    """Verify everything, and return a copy with all problems and `checked` = `total`.

    Verified are: each file that the manifest lists against its SHA-256 and size, record counts, every record's shape, each
    `request_hash`, references to messages, fragments and decisions, ids and keys that stand twice, places that the memory
    claims, the canonical text of stored working views, and keys that an object holds twice. `progress(checked, total)` is called now and then; what it raises ends
    the check. An investigation that was not opened by `open_package` is returned as it is: its reader has checked it.
    """
    decisions = investigation.decisions
    if not isinstance(decisions, DecisionRows):
        return investigation
    run = _Run(decisions.origin, investigation.total, progress)
    known = Known()
    run.files()
    run.messages(decisions.messages, known)
    run.fragments(investigation.fragments, known)
    run.decisions(decisions, known)
    for problem in known.late_problems():
        run.add(problem)
    run.blank_lines(decisions.messages, investigation.fragments, decisions)
    run.tell(done=True)
    return replace(investigation, problems=run.problems(), checked=investigation.total)


class _Run:
    """One check: what it found so far and how far it is."""

    def __init__(self, origin: Origin, total: int, progress: Progress | None) -> None:
        self._origin = origin
        self._found = list(origin.problems[:MAX_PROBLEMS])
        self._more = len(origin.problems) - len(self._found)
        self._total = total
        self._checked = 0
        self._step = max(1, total // _STEPS)
        self._progress = progress

    def add(self, problem: Problem) -> None:
        if len(self._found) < MAX_PROBLEMS:
            self._found.append(problem)
        else:
            self._more += 1

    def problems(self) -> tuple[Problem, ...]:
        if not self._more:
            return tuple(self._found)
        what = f"there are {self._more} more problems that are not listed"
        return (*self._found, Problem("", None, what, f"at most {MAX_PROBLEMS} listed"))

    def tell(self, *, done: bool = False) -> None:
        if self._progress is not None and (done or self._checked % self._step == 0):
            self._progress(self._checked, self._total)

    # --- the files as such

    def files(self) -> None:
        container, table = self._origin.container, self._origin.manifest.files or {}
        for name in (*FILES, *(other for other in container.others if other in table)):
            try:
                self._file(name, container.members.get(name), table.get(name))
            except InspectorError as error:
                self.add(problem_of(error, name, None))

    def _file(self, name: str, member: Member | None, entry: FileEntry | None) -> None:
        """One file against the manifest and the zip's checksum. A file of another name is opened for this only."""
        open_other = self._origin.container.other
        if member is None and name not in FILES and open_other is not None:
            member = open_other(name)
            if entry is not None and entry.bytes not in (None, member.size):
                what = "the file's size is not the one in the manifest"
                self.add(Problem(name, None, what, f"{entry.bytes} bytes", f"{member.size} bytes"))
        if member is None:
            return
        found = content_hash(member) if entry is not None and entry.sha256 is not None else None
        if entry is not None and found != entry.sha256:
            self.add(Problem(name, None, "the file's SHA-256 is not the one in the manifest", entry.sha256, found))
        if member.crc is not None and _crc(member) != member.crc:
            what = "the zip member's checksum does not match"
            self.add(Problem(name, None, what, f"{member.crc:08x}", f"{_crc(member):08x}"))

    # --- records

    def messages(self, rows: Rows[Any], known: Known) -> None:
        for number, line in rows.lines():
            notes = rows.place_of(number)
            row, canonical = self._row(line, notes)
            message = None if row is None else rows.made_of(row, notes)
            readable = message is not None and message.problem is None
            known.lengths.append(message.byte_length if message is not None and readable else -1)
            known.canonical.append(canonical)
            self._note(notes)

    def fragments(self, rows: Any, known: Known) -> None:
        for number, line in rows.lines():
            notes = rows.place_of(number)
            row, _ = self._row(line, notes)
            if row is not None:
                known.add_fragment(rows.made_of(row, notes), notes)
            self._note(notes)

    def decisions(self, rows: DecisionRows, known: Known) -> None:
        checker = DecisionCheck(rows.messages, known)
        for number, line in rows.lines():
            notes = rows.place_of(number)
            row, _ = self._row(line, notes)
            if row is not None:
                checker.check(row, notes)
            self._note(notes)

    def blank_lines(self, *files: Any) -> None:
        """Told last: they lose nothing, and must not crowd out what does."""
        for rows in files:
            for line in rows.blank_lines():
                what = "a blank line: it is no record, and no place is counted for it"
                self.add(Problem(rows.name, line, what, "a JSON object", "nothing", severity="warning"))

    def _note(self, notes: Notes) -> None:
        for problem in notes.problems:
            self.add(problem)
        self._checked += 1
        self.tell()

    def _row(self, line: bytes | InspectorError, notes: Notes) -> tuple[dict[str, Any] | None, bool]:
        """The object of a line and whether the line is its canonical text; None, and noted, if it cannot be read."""
        try:
            if isinstance(line, InspectorError):
                raise line
            value = loads_last(line)
            canonical = canonical_bytes_trusted(value) == line
            for key in () if canonical else duplicate_keys(line):
                notes.add("an object holds the same key twice: the last one stands", "each key once", shown(key))
            return as_object(value), canonical
        except InspectorError as error:
            notes.add(error.message, error.expected, error.found)
            return None, False


def _crc(member: Member) -> int:
    crc = 0
    for start in range(0, member.size, MIB):
        crc = zlib.crc32(member.read(start, min(MIB, member.size - start)), crc)
    return crc
