"""The records of one file as a lazy sequence: indexing one reads and decodes that line, `len` costs nothing."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

from ..canonical import loads_last
from ..errors import InspectorError, RecordError
from ..limits import MAX_LINE_BYTES, MIB
from ..model import Problem
from .fields import Notes, shown

if TYPE_CHECKING:
    from .index import LineIndex
    from .members import Member

T = TypeVar("T")
Decode = Callable[[dict[str, Any], Notes], T]

_KEPT_BYTES = 8 * MIB
"""Stored bytes of the records that are kept decoded; in memory they take a few times that."""

_BLOCK = MIB
_BOM = b"\xef\xbb\xbf"


class Rows(Sequence[T], Generic[T]):
    """One file of records. `decode` makes a record of an object, `broken` what stands for a line that cannot be read.

    `fast` makes a record straight of a line, or None where the line needs `decode`.
    """

    def __init__(
        self,
        name: str,
        member: Member | None,
        index: LineIndex | None,
        decode: Decode[T],
        broken: Callable[[Problem], T],
        fast: Callable[[bytes, Notes], T | None] | None = None,
    ) -> None:
        self.name = name
        self.member = member
        self.line_index = index
        self._decode = decode
        self._broken = broken
        self._fast = fast
        self._kept: OrderedDict[int, tuple[T, int]] = OrderedDict()
        self._kept_bytes = 0
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return 0 if self.line_index is None else len(self.line_index)

    @overload
    def __getitem__(self, place: int) -> T: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[T, ...]: ...
    def __getitem__(self, place: int | slice) -> T | tuple[T, ...]:
        if isinstance(place, slice):
            return tuple(self[number] for number in range(*place.indices(len(self))))
        number = place + len(self) if place < 0 else place
        if not 0 <= number < len(self):
            raise IndexError(place)
        with self._lock:
            kept = self._kept.get(number)
            if kept is not None:
                self._kept.move_to_end(number)
                return kept[0]
        record = self._read(number)
        self._keep(number, record)
        return record

    def __iter__(self) -> Iterator[T]:
        for number, line in self.lines():
            yield self._made(number, line)

    def lines(self) -> Iterator[tuple[int, bytes | InspectorError]]:
        """Every record's line in order with its place, without its newline; what cannot be read comes as its error."""
        number = 0
        while number < len(self):
            stop = self._block_end(number)
            yield from self._block(number, stop)
            number = stop

    def line(self, number: int) -> bytes:
        """One line without its newline. Raises `RecordError` if it is too long, or the file changed while open."""
        start, end = self._span(number)
        self._refuse_length(number, end - start)
        return self._whole_line(number, self._member().read(start, end - start))

    def place_of(self, number: int) -> Notes:
        """Notes for the record at a place."""
        return Notes(self.name, self.line_number(number))

    def line_number(self, number: int) -> int:
        """The line (1-based) of the record at a place: blank lines are lines, but no records."""
        return number + 1 if self.line_index is None else self.line_index.line_of(number) + 1

    def blank_lines(self) -> Iterator[int]:
        """The lines (1-based) that hold nothing but spaces and CR."""
        return (line + 1 for line in (() if self.line_index is None else self.line_index.blanks))

    def made_of(self, row: dict[str, Any], notes: Notes) -> T:
        """The record of an object that was read."""
        return self._decode(row, notes)

    # --- inside

    def _read(self, number: int) -> T:
        try:
            return self._made(number, self.line(number))
        except InspectorError as error:
            return self._made(number, error)

    def _made(self, number: int, line: bytes | InspectorError) -> T:
        if isinstance(line, InspectorError):
            return self._broken(problem_of(line, self.name, self.line_number(number)))
        notes = self.place_of(number)
        try:
            record = None if self._fast is None else self._fast(line, notes)
            return self._decode(as_object(loads_last(line)), notes) if record is None else record
        except InspectorError as error:
            return self._broken(problem_of(error, self.name, self.line_number(number)))

    def _keep(self, number: int, record: T) -> None:
        start, end = self._span(number)
        with self._lock:
            before = self._kept.pop(number, None)
            self._kept_bytes += end - start - (before[1] if before else 0)
            self._kept[number] = (record, end - start)
            while self._kept_bytes > _KEPT_BYTES and len(self._kept) > 1:
                self._kept_bytes -= self._kept.popitem(last=False)[1][1]

    def _span(self, number: int) -> tuple[int, int]:
        if self.line_index is None:
            return 0, 0
        line = self.line_index.line_of(number)
        return self.line_index.starts[line], self.line_index.starts[line + 1]

    def _member(self) -> Member:
        if self.member is None:
            raise RecordError("the file is not there", file=self.name)
        return self.member

    def _refuse_length(self, number: int, size: int) -> None:
        if size > MAX_LINE_BYTES:
            raise RecordError(
                "the line is too long",
                file=self.name,
                line=self.line_number(number),
                expected=f"at most {MAX_LINE_BYTES} bytes",
                found=f"{size} bytes",
            )

    def _whole_line(self, number: int, data: bytes) -> bytes:
        """A line as the index promised it: one newline, at its end."""
        line = self.line_number(number)
        last = self.line_index is not None and line == self.line_index.lines
        ends = data.endswith(b"\n")
        if data.find(b"\n") not in (-1, len(data) - 1) or not (ends or last):
            raise RecordError("the file was changed while it was open", file=self.name, line=line)
        self._refuse_length(number, len(data))
        data = data[:-1] if ends else data
        return data.removeprefix(_BOM) if line == 1 else data

    def _block_end(self, number: int) -> int:
        """The line behind the last one that fits in a block with this one."""
        first = self._span(number)[0]
        stop = number + 1
        while stop < len(self) and self._span(stop)[1] - first <= _BLOCK:
            stop += 1
        return stop

    def _block(self, number: int, stop: int) -> Iterator[tuple[int, bytes | InspectorError]]:
        base, end = self._span(number)[0], self._span(stop - 1)[1]
        try:
            self._refuse_length(number, self._span(number)[1] - base)
            data = self._member().read(base, end - base)
        except InspectorError as error:
            for place in range(number, stop):
                yield place, error
            return
        for place in range(number, stop):
            start, end = self._span(place)
            try:
                yield place, self._whole_line(place, data[start - base : end - base])
            except InspectorError as error:
                yield place, error


def as_object(value: Any) -> dict[str, Any]:
    """A record's value, which must be an object. Raises `RecordError`."""
    if not isinstance(value, dict):
        raise RecordError("the record is not an object", expected="an object", found=shown(value))
    return value


def problem_of(error: InspectorError, file: str, line: int | None) -> Problem:
    """An error as a problem of one line."""
    return Problem(file, line, error.message, error.expected, error.found)
