"""Where each line of a file starts: one newline scan, kept in the user's cache folder for large files.

An index is believed only if the file's size, time of change, inode, head and tail are those it was made from and its own
checksum matches; else it is made anew. It is never written beside the package, and not being able to write it is no error.
"""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
import zlib
from array import array
from bisect import bisect_right
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from ..canonical import canonical_bytes
from ..errors import PackageError, RecordError
from ..limits import CACHE_FROM_BYTES, MAX_CACHED_INDEXES, MAX_RECORDS, MIB

if TYPE_CHECKING:
    from .members import Member

_MAGIC = b"investigation-inspector line index 2\n"
_BLOCK = 4 * MIB
_BLANK = b" \r"
_BLANK_STARTS = frozenset(b" \r\n")


@dataclass(frozen=True, slots=True)
class LineIndex:
    """`starts[n]` is the first byte of line n (0-based), `starts[n + 1]` the byte behind it. `cut`: no newline at the end.

    `blanks` are the lines, in order, that hold nothing but spaces and CR: lines, but no records. `len` counts records.
    """

    starts: array[int]
    cut: bool
    blanks: array[int] = field(default_factory=lambda: array("Q"))

    def __len__(self) -> int:
        return self.lines - len(self.blanks)

    @property
    def lines(self) -> int:
        """How many lines there are, blank ones too."""
        return len(self.starts) - 1

    def line_of(self, number: int) -> int:
        """The line (0-based) of a record (0-based)."""
        blanks = self.blanks
        if not blanks:
            return number
        return number + bisect_right(range(len(blanks)), number, key=lambda place: blanks[place] - place)


def line_index(member: Member) -> LineIndex:
    """The index of a member, from the cache where that is sure to fit. Raises `PackageError` over `MAX_RECORDS`."""
    if not member.size:
        return LineIndex(array("Q", [0]), cut=False)
    try:
        cache = _cache_file(member)
        found = None if cache is None else _load(cache, member)
        if found is None:
            found = scan(member)
            if cache is not None:
                _save(cache, member, *found)
        starts, blanks = found
        return LineIndex(starts, member.read(member.size - 1, 1) != b"\n", blanks)
    except RecordError as error:
        raise PackageError(error.message, file=member.name, found=error.found) from error


def scan(member: Member) -> tuple[array[int], array[int]]:
    """Find every newline, and the blank lines, in blocks. Raises `RecordError` if the file changes meanwhile."""
    starts, blanks = array("Q", [0]), array("Q")
    blank = True  # whether the line at hand is blank as far as it stood in blocks before
    append = starts.append
    block = bytearray(min(_BLOCK, member.size))
    find = block.find
    for base in range(0, member.size, _BLOCK):
        count = min(_BLOCK, member.size - base)
        if os.preadv(member.handle.fd, [memoryview(block)[:count]], member.base + base) != count:
            raise RecordError("the file was changed while it was open", file=member.name)
        first = 0
        at = find(b"\n", 0, count)
        while at >= 0:
            if blank and block[first] in _BLANK_STARTS and not block[first:at].strip(_BLANK):
                blanks.append(len(starts) - 1)
            append(base + at + 1)
            blank, first = True, at + 1
            at = find(b"\n", first, count)
        if blank and first < count:
            blank = block[first] in _BLANK_STARTS and not block[first:count].strip(_BLANK)
        if len(starts) > MAX_RECORDS + 1:
            raise PackageError("too many records", file=member.name, expected=f"at most {MAX_RECORDS}", found="more")
    if starts[-1] != member.size:
        if blank:
            blanks.append(len(starts) - 1)
        append(member.size)
    if member.handle.changed():
        raise RecordError("the file was changed while it was open", file=member.name)
    return starts, blanks


# --- the cache


def cache_folder() -> Path | None:
    """Where indexes are kept (XDG Base Directory Specification); None where there is no home."""
    named = os.environ.get("XDG_CACHE_HOME", "")
    if Path(named).is_absolute():
        return Path(named) / "investigation-inspector" / "index"
    with contextlib.suppress(RuntimeError):
        return Path.home() / ".cache" / "investigation-inspector" / "index"
    return None


def _cache_file(member: Member) -> Path | None:
    folder = cache_folder()
    if folder is None or member.path is None or member.size < CACHE_FROM_BYTES:
        return None
    name = sha256(os.fsencode(member.path) + b"\0" + member.name.encode()).hexdigest()
    return folder / f"{name[:40]}.lines"


def _header(member: Member) -> bytes:
    stat = member.handle.stat
    return _MAGIC + canonical_bytes(
        {
            "file": [stat.st_dev, stat.st_ino, stat.st_size, stat.st_mtime_ns],
            "member": [member.base, member.size],
            "sample": member.sample(),
            "words": [sys.byteorder, array("Q").itemsize],
        }
    )


def _load(cache: Path, member: Member) -> tuple[array[int], array[int]] | None:
    """The cached line starts and blank lines, or None if they are missing, stale or damaged."""
    try:
        data = cache.read_bytes()
    except OSError:
        return None
    header = _header(member)
    body = memoryview(data)[len(header) + 4 :]
    numbers = array("Q")
    if not data.startswith(header) or len(body) % numbers.itemsize:
        return None
    if zlib.crc32(body).to_bytes(4, "big") != data[len(header) : len(header) + 4]:
        return None
    numbers.frombytes(body)
    count = numbers[0] if numbers else 0
    blanks, starts = numbers[1 : count + 1], numbers[count + 1 :]
    return (starts, blanks) if starts and starts[0] == 0 and starts[-1] == member.size else None


def _save(cache: Path, member: Member, starts: array[int], blanks: array[int]) -> None:
    """Keep an index: how many blank lines there are, these, and the line starts."""
    body = array("Q", [len(blanks)]).tobytes() + blanks.tobytes() + starts.tobytes()
    with contextlib.suppress(OSError):
        cache.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        _make_room(cache.parent)
        with tempfile.NamedTemporaryFile(dir=cache.parent, prefix="draft-", delete=False) as draft:
            try:
                draft.write(_header(member) + zlib.crc32(body).to_bytes(4, "big") + body)
                draft.flush()
                Path(draft.name).replace(cache)
            except OSError:
                Path(draft.name).unlink(missing_ok=True)
                raise


def _make_room(folder: Path) -> None:
    """Keep the newest indexes only; what a crashed writer left behind goes the same way."""
    files = sorted(folder.iterdir(), key=lambda path: path.stat().st_mtime_ns, reverse=True)
    for path in files[MAX_CACHED_INDEXES - 1 :]:
        path.unlink(missing_ok=True)
