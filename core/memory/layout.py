"""Reading a rendered prompt back, from its text alone.

Lengths come before what they measure, so the text is read from its start and nothing inside a base context or a body
can pass for a heading. Every offset is UTF-8 bytes in the message's text. A text that does not read back is refused
with the first thing that is wrong; nothing is guessed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache
from io import BytesIO
from itertools import accumulate, pairwise, starmap
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from ..canonical import loads, utf8
from ..errors import JsonError, RecordError
from ..model import Lookup, SourceRange
from . import rendering

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..canonical import Json

_BASE = re.compile(rb"Base context \(bytes: (\d{1,15})\):\n")
_LEDGER = re.compile(rb"\n\nLookup ledger \(entries: (\d{1,9}), bytes: (\d{1,15})\):\n")
_SUPPLIED = re.compile(rb"\nSupplied ranges \(entries: (\d{1,9}), bytes: (\d{1,15})\):\n")
_BLOCK = re.compile(
    rb"\nResult ([A-Za-z0-9_.-]{1,64}) \(decision: (\d{1,9}), bytes: (\d{1,15}) of (\d{1,15})\): ([^\n]*)\n"
)
_ENTRY = re.compile(
    rb"(\d{1,9})\. decision (\d{1,9}), (completed|reopened|failed|uncertain) *, result ([A-Za-z0-9_.-]{1,64}), "
    rb"body (whole|cut|gone|no room|empty|unknown) *: (\[.*\])\n"
)
_RANGE = re.compile(rb'("(?:[^"\\\n]|\\.)*") (\S{1,128}) lines (\d{1,15})-(\d{1,15})\n')

MAX_KNOWN_LINES = 20_000
"""Lines of ledgers, and of supplied ranges, whose reading is remembered."""

T = TypeVar("T")
Place = tuple[int, int]
"""`(start, end)`: UTF-8 bytes in the message's text."""


class EntryText(NamedTuple):
    """One ledger line as it stands. `body` is None where the line says that no outcome is known."""

    place: Place
    decision: int
    status: str
    fragment: str
    body: str | None
    identity: str


class RangeText(NamedTuple):
    """One supplied range as it stands."""

    place: Place
    source: SourceRange


@dataclass(frozen=True, slots=True)
class BlockText:
    """One block as it stands: places of heading, body and guidance (None if whole); `sent` of `total` bytes of body."""

    heading: Place
    body: Place
    guidance: Place | None
    fragment: str
    decision: int
    sent: int
    total: int
    what: str

    @property
    def size(self) -> int:
        """Bytes of heading, body and guidance."""
        return (self.guidance or self.body)[1] - self.heading[0]


Said = tuple[int, str, str, "str | None", str]
"""What a ledger line says: decision, status, fragment, body, identity."""


@dataclass(frozen=True, slots=True)
class Lines(Generic[T]):
    """Lines that lie side by side from byte `start`, each of `sizes` bytes with its line feed, and what each `says`."""

    start: int
    sizes: tuple[int, ...]
    says: tuple[T, ...]

    def places(self) -> Iterator[Place]:
        """Where each line stands."""
        return pairwise(accumulate(self.sizes, initial=self.start))


@dataclass(frozen=True)
class Layout:
    """Where everything stands in one rendered user message. The parts lie side by side from 0 to the text's end."""

    base_heading: Place
    base: Place
    ledger_heading: Place
    ledger: Lines[Said]
    supplied_heading: Place
    supplied: Lines[SourceRange]
    blocks: tuple[BlockText, ...]

    @cached_property
    def entries(self) -> tuple[EntryText, ...]:
        """The ledger, entry by entry. A prompt may have 1,000: `ledger` is quicker where their places do not matter."""
        return tuple(
            EntryText(place, *said) for place, said in zip(self.ledger.places(), self.ledger.says, strict=True)
        )

    @cached_property
    def ranges(self) -> tuple[RangeText, ...]:
        """The supplied ranges."""
        return tuple(starmap(RangeText, zip(self.supplied.places(), self.supplied.says, strict=True)))

    @property
    def base_bytes(self) -> int:
        """Bytes of the base context with its heading: what it takes of the budget."""
        return self.base[1]

    @property
    def ledger_bytes(self) -> int:
        """Bytes of ledger and supplied ranges with their headings."""
        return self.supplied_heading[1] + sum(self.supplied.sizes) - self.base[1]

    @cached_property
    def blocks_bytes(self) -> int:
        """Bytes of all blocks."""
        return sum(block.size for block in self.blocks)

    @property
    def user_bytes(self) -> int:
        """Bytes of the whole user message: what is set against `context_bytes`."""
        return self.base_bytes + self.ledger_bytes + self.blocks_bytes


def read_layout(text: str) -> Layout:
    """Read a rendered user message. Raises `RecordError` that says what was expected at which byte."""
    data = utf8(text)
    base = _expect(_BASE, data, 0, "a line that gives the bytes of the base context")
    base_place = _span(data, base.end(), int(base[1]), "base context")
    ledger = _expect(_LEDGER, data, base_place[1], "the heading of the lookup ledger")
    entries = _lines(_entry, data, ledger, "a ledger entry")
    supplied = _expect(_SUPPLIED, data, ledger.end() + int(ledger[2]), "the heading of the supplied ranges")
    ranges = _lines(_range, data, supplied, "a supplied range")
    blocks: list[BlockText] = []
    place = supplied.end() + int(supplied[2])
    while place < len(data):
        blocks.append(_block(data, place))
        place = (blocks[-1].guidance or blocks[-1].body)[1]
    return Layout(base.span(), base_place, ledger.span(), entries, supplied.span(), ranges, tuple(blocks))


def lookup_of(identity: str) -> Lookup | None:
    """The lookup that an identity in a ledger names (without its summary); None if it is not a lookup identity."""
    try:
        value: Any = loads(identity)
    except JsonError:
        return None
    if not isinstance(value, list) or len(value) not in {4, 5} or not isinstance(value[0], str):
        return None
    queries: Json = value[1]
    if queries is not None and not isinstance(queries, list):
        return None
    found = Lookup(
        kind=value[0],
        queries=None if queries is None else tuple(queries),
        search=value[2],
        reference_url=value[3],
        arguments=value[4] if len(value) > 4 else None,  # noqa: PLR2004  # the optional fifth
    )
    return found if found.identity == identity else None


def _expect(pattern: re.Pattern[bytes], data: bytes, place: int, what: str) -> re.Match[bytes]:
    match = pattern.match(data, place)
    if match is None:
        raise _not_documented(data, place, what)
    return match


def _span(data: bytes, start: int, length: int, what: str) -> Place:
    end = start + length
    if end > len(data):
        raise RecordError(f"the text ends within its {what}", expected=f"{length} bytes", found=f"{len(data) - start}")
    if end < len(data) and data[end] & 0xC0 == 0x80:  # noqa: PLR2004  # 10xxxxxx: not a first byte
        raise RecordError(f"the length of the {what} splits a character", found=f"byte {end}")
    return start, end


def _lines(read: Callable[[bytes], T | None], data: bytes, heading: re.Match[bytes], what: str) -> Lines[T]:
    """The lines that a heading announces by number and bytes: both must hold. `read` is given each with its line feed."""
    count, start = int(heading[1]), heading.end()
    end = _span(data, start, int(heading[2]), what)[1]
    lines = BytesIO(data[start:end]).readlines()  # `splitlines` would break them at a CR too
    sizes = tuple(map(len, lines))
    says = tuple(filter(None, map(read, lines)))
    if len(says) < len(lines):
        readable = next(place for place, line in enumerate(lines) if read(line) is None)
        raise _not_documented(data, start + sum(sizes[:readable]), what)
    if len(lines) != count:
        raise RecordError(
            f"the heading does not count {what} lines right",
            expected=f"{count} in {int(heading[2])} bytes",
            found=f"{len(lines)} in {end - start} bytes",
        )
    return Lines(start, sizes, says)


def _not_documented(data: bytes, place: int, what: str) -> RecordError:
    found = data[place : place + 60].decode("utf-8", "replace")
    return RecordError(f"not the documented rendering at byte {place}", expected=what, found=repr(found))


@lru_cache(maxsize=MAX_KNOWN_LINES)  # the same entries and ranges stand in prompt after prompt
def _entry(line: bytes) -> Said | None:
    match = _ENTRY.fullmatch(line)
    if match is None:
        return None
    body = match[5].decode()
    return (
        int(match[2]),
        match[3].decode(),
        match[4].decode(),
        None if body == rendering.UNKNOWN else body,
        match[6].decode("utf-8", "surrogatepass"),
    )


@lru_cache(maxsize=MAX_KNOWN_LINES)
def _range(line: bytes) -> SourceRange | None:
    match = _RANGE.fullmatch(line)
    if match is None:
        return None
    try:
        path = str(loads(match[1]))
    except JsonError:
        return None
    version = match[2].decode("utf-8", "replace")
    return SourceRange(path, None if version == rendering.UNHASHED else version, int(match[3]), int(match[4]))


def _block(data: bytes, place: int) -> BlockText:
    heading = _expect(_BLOCK, data, place, "the heading of a result")
    sent, total = int(heading[3]), int(heading[4])
    if sent > total:
        raise RecordError(f"a result at byte {place} says more bytes than there are", found=f"{sent} of {total}")
    body = _span(data, heading.end(), sent, "result")
    after: Place | None = None
    if sent < total:
        ending = rendering.guidance(sent, total).encode()
        if data[body[1] : body[1] + len(ending)] != ending:
            raise RecordError(f"a cut result without guidance at byte {body[1]}", expected=ending.decode().strip())
        after = (body[1], body[1] + len(ending))
    what = heading[5].decode("utf-8", "surrogatepass")
    return BlockText(heading.span(), body, after, heading[1].decode(), int(heading[2]), sent, total, what)
