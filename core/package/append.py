"""Files that only grow: a whole record or nothing, on disk when the call returns."""

from __future__ import annotations

import contextlib
import hashlib
import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


class AppendFile:
    """A new file of lines. Knows its size, its records and its SHA-256 without reading it back."""

    def __init__(self, path: Path, *, sync: bool) -> None:
        self._fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
        self._sync = sync
        self._hash = hashlib.sha256()
        self._broken = False
        self.size = 0
        self.records = 0

    @property
    def sha256(self) -> str:
        """Hex digits over all that was appended."""
        return self._hash.hexdigest()

    def append(self, lines: Sequence[bytes]) -> None:
        """Append each line and a newline. Raises OSError; the file is then as it was, or takes no more records.

        (A half record that cannot be cut off again must not be glued to the next one.)
        """
        if self._broken:
            raise OSError(0, "an earlier record could not be written, nor be taken back")
        data = b"".join(line + b"\n" for line in lines)
        try:
            write_all(self._fd, data, self.size)
            if self._sync:
                os.fsync(self._fd)
        except BaseException:  # an interrupt, too, may leave half a record
            self._broken = True
            with contextlib.suppress(OSError):
                os.ftruncate(self._fd, self.size)
                self._broken = False
            raise
        self._hash.update(data)
        self.size += len(data)
        self.records += len(lines)

    def sync(self) -> None:
        """Wait until all of it is on disk."""
        os.fsync(self._fd)

    def close(self) -> None:
        """Let go of the file."""
        os.close(self._fd)


def write_all(fd: int, data: bytes, offset: int) -> None:
    """Write all of it at `offset`, however many calls that takes."""
    view = memoryview(data)
    while view:
        count = os.pwrite(fd, view, offset)
        view, offset = view[count:], offset + count


def replace_file(path: Path, data: bytes, *, sync: bool) -> None:
    """Put a small file in place whole: a crash leaves the old one or the new one."""
    draft = path.with_name(path.name + ".draft")
    fd = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o666)
    try:
        write_all(fd, data, 0)
        if sync:
            os.fsync(fd)
    finally:
        os.close(fd)
    draft.replace(path)


def sync_folder(path: Path) -> None:
    """Make names in a folder last through a crash, where the file system can."""
    with contextlib.suppress(OSError):
        fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)
