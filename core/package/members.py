"""Bytes of one file of a package, read by position from a file that stays open.

An open file is a snapshot of a name: what replaces it later is not seen. What changes it in place is noticed at each
read by size and time of change, and costs the record, never a signal (nothing is mapped into memory).
"""

from __future__ import annotations

import os
import stat
import weakref
from dataclasses import dataclass
from hashlib import sha256

from ..errors import PackageError, RecordError
from ..limits import KIB

SAMPLE = 64 * KIB
"""Bytes at each end of a file by which a change is noticed without reading all of it."""

_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NOCTTY


class Handle:
    """An open regular file. `growing`: records may be appended while it is read (a recording that still runs)."""

    def __init__(self, fd: int, *, growing: bool = False) -> None:
        self.fd = fd
        self._close = weakref.finalize(self, os.close, fd)
        self.stat = os.fstat(fd)
        self.growing = growing

    @property
    def size(self) -> int:
        """Bytes of the file when it was opened."""
        return self.stat.st_size

    def changed(self) -> bool:
        """Whether the file was changed in place since it was opened; where it may grow, whether it shrank."""
        now = os.fstat(self.fd)
        if self.growing:
            return now.st_size < self.stat.st_size
        return (now.st_size, now.st_mtime_ns) != (self.stat.st_size, self.stat.st_mtime_ns)

    def close(self) -> None:
        """Let go of the file before the garbage collector does."""
        self._close()


def open_regular(path: str, name: str, *, growing: bool = False) -> Handle:
    """Open a file for reading, never a link, a pipe or a device, and never waiting. `name` is for messages."""
    try:
        fd = os.open(path, _FLAGS)
    except OSError as error:
        raise PackageError("cannot be opened", file=name, found=error.strerror) from error
    handle = Handle(fd, growing=growing)
    if not stat.S_ISREG(handle.stat.st_mode):
        handle.close()
        raise PackageError("not a regular file", file=name, expected="a file", found=kind_of(handle.stat.st_mode))
    return handle


def kind_of(mode: int) -> str:
    """What a file mode says something is."""
    kinds = {
        stat.S_IFLNK: "a link",
        stat.S_IFIFO: "a named pipe",
        stat.S_IFSOCK: "a socket",
        stat.S_IFCHR: "a device",
        stat.S_IFBLK: "a device",
        stat.S_IFDIR: "a folder",
    }
    return kinds.get(stat.S_IFMT(mode), "something else")


@dataclass(frozen=True, slots=True)
class Member:
    """One file of a package: `size` bytes from `base` of an open file. `crc` is a zip's claim about it, if any.

    `path` names it for the index cache; None where the bytes are a temporary copy.
    """

    name: str
    handle: Handle
    base: int
    size: int
    path: str | None = None
    crc: int | None = None

    def read(self, start: int, count: int) -> bytes:
        """Exactly `count` bytes from `start` of the member. Raises `RecordError` if the file changed while open."""
        try:
            data = os.pread(self.handle.fd, count, self.base + start)
            while len(data) < count:
                more = os.pread(self.handle.fd, count - len(data), self.base + start + len(data))
                if not more:
                    break
                data += more
            changed = len(data) < count or self.handle.changed()
        except OSError as error:
            raise RecordError("cannot be read", file=self.name, found=error.strerror) from error
        if changed:
            raise RecordError(
                "the file was changed while it was open", file=self.name, expected="the file as it was opened"
            )
        return data

    def sample(self) -> str:
        """Hex SHA-256 over head and tail: with size and time of change, a cheap sign that the content is the same."""
        tail = max(0, self.size - SAMPLE)
        return sha256(self.read(0, min(SAMPLE, self.size)) + self.read(tail, self.size - tail)).hexdigest()
