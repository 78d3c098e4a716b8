"""One foreign file in hand: its bytes (bounded), its JSON records with their lines, or its one JSON document.

Recordings are made by programs that crash, resume and write at the same time, so reading goes on past what is broken:
two records on one line are both read, a cut line is reported, bytes that are not UTF-8 are shown as U+FFFD and reported.
"""

from __future__ import annotations

import json
import stat
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ..canonical import loads_last, sha256, structure
from ..errors import JsonError, RecordingError, TooManyValuesError
from ..limits import MAX_LINE_BYTES, MAX_RECORDING_BYTES, MAX_RECORDING_VALUES, MAX_RECORDS, MAX_VALUES
from ..model import Problem, Severity

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

_HEAD_RECORDS = 40
_HEAD_LINES = 60
_HEAD_VALUES = 500_000
"""Brackets, commas and colons in the records by which a format is told, which stay in memory; a longer line is passed over."""
_TOLD_EVERY = 200
"""Records between two calls of `progress`."""
_RESTARTS = 50
_RESTART_CHARACTERS = 16_000_000
"""How often, and over how much text in all, one broken line is searched for a record that begins behind the break."""


@dataclass(frozen=True, slots=True)
class Record:
    """One JSON object of a recording and the physical line (1-based) that it starts on."""

    line: int
    value: dict[str, Any]


@dataclass
class Recording:
    """A file's `name` (no folder) and bytes. `problems` grows while its records are read; `progress` hears of bytes."""

    name: str
    data: bytes = field(repr=False)
    problems: list[Problem] = field(default_factory=list)
    progress: Callable[[int, int], None] | None = field(default=None, repr=False)
    no_document: JsonError | None = None
    """Why the file is no one JSON value, once that was tried."""

    @classmethod
    def of(cls, path: Path) -> Recording:
        """The recording at `path`. Raises `RecordingError` if it cannot be read or is larger than the limit."""
        try:
            found = path.stat()
            if not stat.S_ISREG(found.st_mode):
                raise RecordingError("not a regular file", file=path.name)
            size = found.st_size
            if size > MAX_RECORDING_BYTES:
                raise RecordingError(
                    "the recording is too large",
                    file=path.name,
                    expected=f"at most {MAX_RECORDING_BYTES:,} bytes",
                    found=f"{size:,}",
                )
            return cls(path.name, path.read_bytes().removeprefix(b"\xef\xbb\xbf"))
        except (OSError, ValueError) as error:  # ValueError: a NUL in the name
            reason = getattr(error, "strerror", None) or str(error)
            raise RecordingError("cannot be read", file=path.name, found=reason) from error

    @cached_property
    def digest(self) -> str:
        """`sha256:` of the file's bytes."""
        return sha256(self.data)

    @cached_property
    def head(self) -> tuple[dict[str, Any], ...]:
        """The first JSON objects that stand on lines of their own, for telling formats apart; empty if there are none."""
        found: list[dict[str, Any]] = []
        left = _HEAD_VALUES
        for number, start, end in self._lines():
            if number > _HEAD_LINES or len(found) >= _HEAD_RECORDS:
                break
            signs = structure(self.data[start:end]) if end - start <= MAX_LINE_BYTES else left + 1
            if signs > left:
                continue
            left -= signs
            values, _ = _values(self.data[start:end])
            found += [value for value in values if isinstance(value, dict)]
        return tuple(found)

    @cached_property
    def document(self) -> Any:
        """The one JSON value that the whole file is; None if it is not one (a .jsonl of two lines is not)."""
        if self.data.lstrip()[:1] not in (b"{", b"["):
            return None
        if len(self.head) > 1 and self._first_line_is_whole():
            return None
        try:
            return loads_last(self.data)
        except JsonError as error:
            self.no_document = error
            return None

    def records(self) -> Iterator[Record]:
        """Every JSON object of a .jsonl, in file order. What cannot be read is added to `problems`, never skipped in silence."""
        count, signs = 0, 0
        counted = len(self.data) > MAX_RECORDING_VALUES  # a file that short needs no count
        for number, start, end in self._lines():
            if end - start > MAX_LINE_BYTES:
                self._lost(number, "a line over the limit", f"at most {MAX_LINE_BYTES:,} bytes", f"{end - start:,}")
                continue
            signs += structure(self.data[start:end]) if counted else 0
            if signs > MAX_RECORDING_VALUES:
                expected = f"at most {MAX_RECORDING_VALUES:,} brackets, commas and colons in all"
                self._lost(number, "too many values; the rest is not read", expected, "more")
                return
            values, complaint = _values(self.data[start:end])
            if complaint:
                self._broken(number, values, complaint, last=end == len(self.data))
            for value in values:
                if not isinstance(value, dict):
                    self._lost(number, "a record that is not an object", "an object", type(value).__name__)
                    continue
                count += 1
                if count > MAX_RECORDS:
                    self._lost(number, "too many records; the rest is not read", f"at most {MAX_RECORDS:,}", "more")
                    return
                yield Record(number, value)
                if self.progress is not None and count % _TOLD_EVERY == 0:
                    self.progress(end, len(self.data))

    def lost(self, line: int | None, what: str, expected: str | None = None, found: str | None = None) -> None:
        """Report something that could not be read."""
        self._lost(line, what, expected, found)

    def odd(self, line: int | None, what: str, expected: str | None = None, found: str | None = None) -> None:
        """Report something that only looks odd: nothing was lost."""
        self.problems.append(Problem(self.name, line, what, expected, found, "warning"))

    def _broken(self, line: int, values: list[Any], complaint: JsonError, *, last: bool) -> None:
        """Report a line that is not one JSON value, of which only `values` could be read."""
        limited = isinstance(complaint, TooManyValuesError)
        what = "the last line is cut" if last and not values and not limited else complaint.message
        severity: Severity = "warning" if values else "error"
        expected = complaint.expected if limited else "one JSON object a line"
        self.problems.append(
            Problem(self.name, line, what, expected, complaint.found if limited else None, severity=severity)
        )

    def _lost(self, line: int | None, what: str, expected: str | None, found: str | None) -> None:
        self.problems.append(Problem(self.name, line, what, expected, found))

    def _lines(self) -> Iterator[tuple[int, int, int]]:
        start, number, size = 0, 0, len(self.data)
        while start < size:
            end = self.data.find(b"\n", start)
            end = size if end < 0 else end
            number += 1
            if self.data[start:end].strip():
                yield number, start, end
            start = end + 1

    def _first_line_is_whole(self) -> bool:
        first = next(self._lines(), None)
        if first is None or first[2] - first[1] > MAX_LINE_BYTES:
            return first is not None
        return bool(_values(self.data[first[1] : first[2]])[0])


def _values(line: bytes) -> tuple[list[Any], JsonError | None]:
    """The JSON values on one physical line, and what is wrong with it, if anything."""
    try:
        return [loads_last(line)], None
    except TooManyValuesError as error:
        return [], error
    except JsonError as error:
        reason = error.message
    if structure(line) > MAX_VALUES:  # what is a text from the line's start may be none from the place of a restart
        return [], JsonError("a line that is not JSON")
    try:
        text = line.decode()
        complaint = "a line that is not JSON" if reason == "not JSON" else reason
    except UnicodeDecodeError:
        text = line.decode("utf-8", "replace")
        complaint = "bytes that are not UTF-8 (shown as U+FFFD)"
    values, complaint = _values_of_torn(text, complaint)
    return values, JsonError(complaint)


def _values_of_torn(text: str, complaint: str) -> tuple[list[Any], str]:
    """Records that follow each other without a line break, also behind one that was cut."""
    decoder = json.JSONDecoder()
    found: list[Any] = []
    place, restarts, lost = 0, 0, False
    allowed = min(_RESTARTS, _RESTART_CHARACTERS // max(len(text), 1) + 1)
    while place < len(text):
        if text[place].isspace():
            place += 1
            continue
        try:
            _, end = decoder.raw_decode(text, place)
            value = loads_last(text[place:end])
            if not lost or (
                isinstance(value, dict) and "type" in value
            ):  # behind a break, only what looks like a record
                found.append(value)
            place = end
        except (ValueError, RecursionError, JsonError):
            lost = True
            restarts += 1
            place = text.find('{"', place + 1)
            if place < 0 or restarts > allowed:
                break
    if lost or not found:
        return found, complaint
    return found, "several records on one line" if len(found) > 1 else complaint
