"""A package that is a zip: its directory is checked before anything is unpacked, and unpacking is bounded by what comes out.

Stored members are read where they stand. Deflated ones of the package's four files go to a temporary file that has no
name; what could be unpacked of a damaged member stays readable. Other members are never unpacked.
"""

from __future__ import annotations

import stat
import struct
import tempfile
import zipfile
import zlib
from functools import partial
from itertools import pairwise
from os import dup
from typing import TYPE_CHECKING, BinaryIO, cast

from ..errors import PackageError, RecordError
from ..limits import (
    MAX_DIRECTORY_BYTES,
    MAX_EXPANSION_RATIO,
    MAX_MEMBERS,
    MAX_UNPACKED_BYTES,
    MIB,
    RATIO_FLOOR_BYTES,
)
from ..model import Problem
from .folder import Container
from .members import Handle, Member, open_regular
from .names import FILES, inner_name, one_line, printable

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_ENCRYPTED = 0x1 | 0x40 | 0x2000
_UTF8 = 0x800
_LOCAL = struct.Struct("<4s22xHH")
_CHUNK = MIB


class _Bounded:
    """The file as `zipfile` may see it: it reads the whole directory in one call, and that call is bounded here."""

    def __init__(self, handle: Handle, name: str) -> None:
        self._whole = Member(name, handle, 0, handle.size)
        self._at = 0

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = 0) -> int:
        at = offset + (0, self._at, self._whole.size)[whence]
        if at < 0:
            raise OSError(0, "before the start of the file")
        self._at = at
        return at

    def read(self, count: int = -1) -> bytes:
        left = max(0, self._whole.size - self._at)
        count = left if count < 0 else min(count, left)
        if count > MAX_DIRECTORY_BYTES:
            raise PackageError(
                "the zip's directory is too large",
                file=self._whole.name,
                expected=f"at most {MAX_DIRECTORY_BYTES} bytes, {MAX_MEMBERS} members",
                found=f"{count} bytes",
            )
        data = self._whole.read(self._at, count)
        self._at += count
        return data


def open_zip(handle: Handle, path: str, name: str) -> Container:
    """Open a zip's members. Raises `PackageError` for whatever is hostile, damaged beyond its directory, or too large."""
    infos = _directory(handle, name)
    names = _names(infos)
    prefix = _prefix(names)
    for info in infos:
        _refuse_member(info)
    _refuse_overlaps(infos, handle.size)
    total = sum(info.file_size for info in infos)
    if total > MAX_UNPACKED_BYTES:
        raise PackageError(
            "the zip unpacks to too much",
            file=name,
            expected=f"at most {MAX_UNPACKED_BYTES} bytes",
            found=f"{total} bytes",
        )
    members: dict[str, Member] = {}
    problems: list[Problem] = []
    for known in FILES:
        named = names.get(prefix + known)
        if named is not None:
            members[known] = _member(named, known, handle, path, problems)
    if not members:
        raise PackageError("not a package", file=name, expected=" or ".join(FILES), found="none of them")
    known_names = {prefix + known for known in FILES}
    others = {
        one_line(other.removeprefix(prefix)): info
        for other, info in sorted(names.items())
        if other not in known_names and not info.is_dir()
    }
    other = partial(_other, others, handle, path)
    return Container(name, members, tuple(others), problems=tuple(problems), other=other)


def _other(infos: dict[str, zipfile.ZipInfo], handle: Handle, path: str, name: str) -> Member:
    return _member(infos[name], name, handle, path, [])  # one that is damaged has another hash


def member_names(path: Path) -> tuple[str, ...]:
    """The names in a zip, for telling what it is; none where its directory cannot be read or is over a limit."""
    try:
        handle = open_regular(str(path.resolve()), path.name)
        try:
            return tuple(info.filename for info in _directory(handle, path.name))
        finally:
            handle.close()
    except PackageError:  # whoever opens it says what is wrong with it
        return ()


def _directory(handle: Handle, name: str) -> list[zipfile.ZipInfo]:
    try:
        # `_Bounded` has what ZipFile uses of a file when it only reads the directory.
        with zipfile.ZipFile(cast("BinaryIO", _Bounded(handle, name))) as archive:
            infos = archive.infolist()
    except (zipfile.BadZipFile, NotImplementedError, ValueError, OSError, struct.error, RecordError) as error:
        raise PackageError("not a readable zip", file=name, found=_first_line(error)) from error
    if len(infos) > MAX_MEMBERS:
        raise PackageError(
            "too many members in the zip", file=name, expected=f"at most {MAX_MEMBERS}", found=str(len(infos))
        )
    return infos


def _first_line(error: Exception) -> str:
    return ascii(str(error).split("\n", 1)[0][:100]) if str(error) else type(error).__name__


def _names(infos: list[zipfile.ZipInfo]) -> dict[str, zipfile.ZipInfo]:
    names: dict[str, zipfile.ZipInfo] = {}
    for info in infos:
        name = inner_name(info.orig_filename)  # `filename` ends at a NUL
        if name in names:
            raise PackageError("two members of the same name", file=printable(name), expected="each name once")
        names[name] = info
    return names


def _prefix(names: dict[str, zipfile.ZipInfo]) -> str:
    """Where the package's files are: at the root (`""`) or under the one top folder that has some (`"name/"`)."""
    if any(name in FILES for name in names):
        return ""
    tops = {top + "/" for top, _, rest in (name.partition("/") for name in names) if rest in FILES}
    if len(tops) > 1:
        raise PackageError(
            "several packages in one zip", expected="one", found=", ".join(map(printable, sorted(tops)[:5]))
        )
    return tops.pop() if tops else ""


def _refuse_member(info: zipfile.ZipInfo) -> None:
    name = printable(info.orig_filename)
    if info.flag_bits & _ENCRYPTED:
        raise PackageError("an encrypted member", file=name, expected="members that anybody can read")
    mode = info.external_attr >> 16
    if stat.S_IFMT(mode) not in (0, stat.S_IFREG, stat.S_IFDIR):
        raise PackageError("a member that is no file", file=name, expected="a file", found=_kind(mode))
    if info.file_size > MAX_UNPACKED_BYTES:
        raise PackageError(
            "the member unpacks to too much",
            file=name,
            expected=f"at most {MAX_UNPACKED_BYTES} bytes",
            found=f"{info.file_size} bytes",
        )
    _refuse_ratio(name, info.file_size, info.compress_size)


def _kind(mode: int) -> str:
    return "a link" if stat.S_ISLNK(mode) else f"mode {stat.S_IFMT(mode):o}"


def _refuse_ratio(name: str, unpacked: int, packed: int) -> None:
    if unpacked > RATIO_FLOOR_BYTES and unpacked > MAX_EXPANSION_RATIO * packed:
        raise PackageError(
            "the member expands too much",
            file=name,
            expected=f"at most {MAX_EXPANSION_RATIO} bytes per packed byte",
            found=f"{unpacked} bytes from {packed}",
        )


def _refuse_overlaps(infos: list[zipfile.ZipInfo], size: int) -> None:
    """Members that share packed bytes are how a small zip unpacks to petabytes."""
    ordered = sorted(infos, key=lambda info: info.header_offset)
    for one, other in pairwise(ordered):
        if one.header_offset + _LOCAL.size + one.compress_size > other.header_offset:
            raise PackageError(
                "members that overlap", file=printable(one.orig_filename), found=printable(other.orig_filename)
            )
    for info in ordered:
        if info.header_offset < 0 or info.header_offset + _LOCAL.size + info.compress_size > size:
            raise PackageError("the member lies outside the zip", file=printable(info.orig_filename))


def _member(info: zipfile.ZipInfo, known: str, handle: Handle, path: str, problems: list[Problem]) -> Member:
    packed = Member(known, handle, _data_start(info, handle, known), info.compress_size, path, info.CRC)
    if packed.base + packed.size > handle.size:
        raise PackageError("the member lies outside the zip", file=known)
    if info.compress_type == zipfile.ZIP_STORED:
        if info.file_size != info.compress_size:
            raise PackageError("a stored member of two sizes", file=known)
        return packed
    if info.compress_type != zipfile.ZIP_DEFLATED:
        raise PackageError(
            "a packing method that is not read",
            file=known,
            expected="stored or deflated",
            found=str(info.compress_type),
        )
    return _unpack(packed, info.file_size, problems)


def _data_start(info: zipfile.ZipInfo, handle: Handle, known: str) -> int:
    whole = Member(known, handle, 0, handle.size)
    signature: bytes
    name_size: int
    extra_size: int
    try:
        signature, name_size, extra_size = _LOCAL.unpack(whole.read(info.header_offset, _LOCAL.size))
        name = whole.read(info.header_offset + _LOCAL.size, name_size)
    except RecordError as error:
        raise PackageError(error.message, file=known) from error
    wanted = info.orig_filename.encode("utf-8" if info.flag_bits & _UTF8 else "cp437")
    if signature != b"PK\x03\x04" or name != wanted:
        raise PackageError("the zip's directory and the member disagree", file=known)
    return info.header_offset + _LOCAL.size + name_size + extra_size


def _unpack(packed: Member, declared: int, problems: list[Problem]) -> Member:
    """Unpack into a temporary file without a name, hardly more than declared, and keep what came before a damage."""
    size, crc = 0, 0
    damage = None
    try:
        with tempfile.TemporaryFile(prefix="investigation-inspector-") as file:
            try:
                for chunk in _inflate(packed):
                    size += len(chunk)
                    _refuse_excess(packed.name, size, declared)
                    _refuse_ratio(packed.name, size, packed.size)
                    crc = zlib.crc32(chunk, crc)
                    file.write(chunk)
            except (zlib.error, RecordError) as error:
                damage = _first_line(error)
            file.flush()
            handle = Handle(dup(file.fileno()))
    except OSError as error:
        raise PackageError("cannot be unpacked", file=packed.name, found=error.strerror) from error
    if damage is None and size != declared:
        damage = "the packed bytes end too early" if size < declared else "the packed bytes go on"
    if damage is None and crc != packed.crc:
        damage = "its checksum does not match"
    if damage is not None:
        problems.append(
            Problem(packed.name, None, "the zip member is damaged", f"{declared} bytes", f"{size} bytes: {damage}")
        )
    return Member(packed.name, handle, 0, size)


def _refuse_excess(name: str, size: int, declared: int) -> None:
    """A little more than declared is damage, and stays readable; much more is a member that lies."""
    if size > declared + RATIO_FLOOR_BYTES:
        raise PackageError(
            "the member unpacks to more than it says",
            file=name,
            expected=f"{declared} bytes",
            found=f"over {size} bytes",
        )


def _inflate(packed: Member) -> Iterator[bytes]:
    engine = zlib.decompressobj(-zlib.MAX_WBITS)
    at = 0
    pending = b""
    while not engine.eof and (pending or at < packed.size):
        if not pending:
            pending = packed.read(at, min(_CHUNK, packed.size - at))
            at += len(pending)
        chunk = engine.decompress(pending, _CHUNK)
        pending = engine.unconsumed_tail
        if chunk:
            yield chunk
    if not engine.eof:
        yield engine.flush()
