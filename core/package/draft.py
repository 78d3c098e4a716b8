"""A package that is being written: files in `NAME.partial/`, then one rename. What both recording and converting use."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..canonical import canonical_bytes
from ..errors import PackageError, RecordError
from ..limits import MAX_LINE_BYTES
from .append import AppendFile, replace_file, sync_folder
from .encode import as_json
from .folder import PARTIAL
from .hasher import RequestHasher
from .names import DECISIONS, FORMAT, FRAGMENTS, MANIFEST, MESSAGES, VERSION, file_name
from .zipout import write_zip

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..model import Limits


class Draft:
    """The files of one package until it is closed. Takes lines as canonical JSON bytes; judges only their length.

    Neither `path` nor `path` + `.partial` may exist. Raises `PackageError` where files cannot be made or written,
    `RecordError` for a line over `MAX_LINE_BYTES`; after either, all that was appended before is as it was.
    """

    def __init__(self, path: str | os.PathLike[str], header: Mapping[str, Any], *, zip_: bool, sync: bool) -> None:
        self.path = Path(path)
        if not self.path.name or "\0" in str(self.path):
            raise PackageError("this is no name for a package", found=repr(str(self.path)))
        self.partial = self.path.with_name(self.path.name + PARTIAL)
        self._header = dict(header)
        self._zip, self._sync = zip_, sync
        self._files: dict[str, AppendFile] = {}
        self._places: dict[bytes, int] = {}  # SHA-256 of a message's canonical bytes -> its place
        self._hasher = RequestHasher()
        first = canonical_bytes(self._header) + b"\n"
        self._make_folder()
        try:
            replace_file(self.partial / MANIFEST, first, sync=sync)
            for name in (MESSAGES, DECISIONS, FRAGMENTS):
                self._files[name] = AppendFile(self.partial / name, sync=sync)
            sync_folder(self.partial)
            sync_folder(self.path.parent)
        except OSError as error:
            self.release()
            raise _cannot("make the package", file_name(self.partial), error) from error

    def _make_folder(self) -> None:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            if os.path.lexists(self.path):
                raise PackageError("this name is taken: nothing is overwritten", file=file_name(self.path))
            self.partial.mkdir()
        except FileExistsError as error:
            raise PackageError(
                "another writer records under this name, or one that crashed left its recording here",
                file=file_name(self.partial),
                expected="no such folder (rename or remove it to record under this name again)",
            ) from error
        except OSError as error:
            raise _cannot("make the package", file_name(self.path), error) from error

    def append(self, name: str, lines: Sequence[bytes]) -> None:
        """Append records to one of the files; they are on disk when this returns."""
        file = self._file(name)
        for number, line in enumerate(lines, file.records + 1):
            if len(line) > MAX_LINE_BYTES:
                expected, found = f"at most {MAX_LINE_BYTES} bytes", f"{len(line)} bytes"
                raise RecordError("the record is too long", file=name, line=number, expected=expected, found=found)
        try:
            file.append(lines)
        except OSError as error:
            raise _cannot("write", name, error) from error

    def append_messages(self, texts: Sequence[bytes]) -> list[int]:
        """Places of messages; those that are not stored yet are stored."""
        keys = [sha256(text).digest() for text in texts]
        new: dict[bytes, bytes] = {}
        for key, text in zip(keys, texts, strict=True):
            if key not in self._places:
                new.setdefault(key, text)
        if new:
            first = self._file(MESSAGES).records
            self.append(MESSAGES, list(new.values()))
            self._places.update((key, first + number) for number, key in enumerate(new))
        return [self._places[key] for key in keys]

    def request_hash(self, format_: str, places: Sequence[int], message: Callable[[int], bytes]) -> str:
        """The hash of a prompt; see `RequestHasher.of`."""
        return self._hasher.of(format_, places, message)

    def next_line(self, name: str) -> int:
        """The 1-based line that the next record of a file takes."""
        return self._file(name).records + 1

    def _file(self, name: str) -> AppendFile:
        if name not in self._files:
            raise PackageError("the writer is closed", file=file_name(self.path))
        return self._files[name]

    def close(self) -> None:
        """Write the table of files and rename to the final name. Does nothing the second time."""
        if not self._files:
            return
        table = {
            name: {"sha256": file.sha256, "bytes": file.size, "records": file.records}
            for name, file in self._files.items()
        }
        manifest = canonical_bytes(self._header | {"files": table}) + b"\n"
        try:
            for file in self._files.values():
                file.sync()
            replace_file(self.partial / MANIFEST, manifest, sync=True)
            sync_folder(self.partial)
            self._publish()
        except FileExistsError as error:
            raise PackageError("this name was taken meanwhile", file=file_name(self.path)) from error
        except OSError as error:
            raise _cannot("finish the package", file_name(self.path), error) from error
        self.release()

    def _publish(self) -> None:
        if os.path.lexists(self.path):
            raise FileExistsError
        if self._zip:
            write_zip(self.partial, self.path)
            sync_folder(self.path.parent)
            shutil.rmtree(self.partial)
        else:
            self.partial.rename(self.path)
            sync_folder(self.path.parent)

    def discard(self) -> None:
        """Remove what was written: for a package that nobody will miss."""
        self.release()
        shutil.rmtree(self.partial, ignore_errors=True)

    def release(self) -> None:
        """Let go of the files and leave the folder as it is."""
        files, self._files = self._files, {}
        for file in files.values():
            file.close()


def header(
    title: str,
    prompts: str,
    replies: str,
    limits: Mapping[str, int] | Limits | None,
    producer: Mapping[str, Any] | None,
    created: str | None,
) -> dict[str, Any]:
    """The manifest of a package before it has files."""
    bounds = dict(limits) if isinstance(limits, Mapping) else limits
    known = {
        "format": FORMAT,
        "version": VERSION,
        "title": title,
        "created": created,
        "prompts": prompts,
        "replies": replies,
        "limits": as_json(bounds) or None,
        "producer": dict(producer) if isinstance(producer, Mapping) else producer,
    }
    return {name: value for name, value in known.items() if value is not None}


def runs(places: Sequence[int]) -> list[list[int]]:
    """Places as ordered slices `[start, count]`: what follows its neighbour joins its slice."""
    found: list[list[int]] = []
    for place in places:
        if found and place == sum(found[-1]):
            found[-1][1] += 1
        else:
            found.append([place, 1])
    return found


def _cannot(doing: str, name: str, error: OSError) -> PackageError:
    return PackageError(f"cannot {doing}", file=name, found=error.strerror or str(error) or type(error).__name__)
