"""What to say of a file that no reader knows: what it looks like, by its first bytes, or that nothing is in it.

Only for the message: nothing is read by what stands here, and a wrong guess refuses no recording.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ..errors import PackageError, UnsupportedError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..errors import InspectorError
    from .recording import Recording

_ZIP: Final = b"PK\x03\x04"
_TAR_AT: Final = 257
_PACKED: Final = "unpack it first"
_SIGNS: Final[Mapping[bytes, tuple[str, str | None]]] = {
    b"\x89PNG": ("an image (PNG)", None),
    b"\xff\xd8\xff": ("an image (JPEG)", None),
    b"GIF8": ("an image (GIF)", None),
    b"RIFF": ("an image, sound or film (RIFF)", None),
    b"%PDF-": ("a PDF document", None),
    b"SQLite format 3\0": ("a SQLite database", None),
    b"\x7fELF": ("a program", None),
    b"<!doctype html": ("a web page (HTML)", None),
    b"<!DOCTYPE html": ("a web page (HTML)", None),
    b"<html": ("a web page (HTML)", None),
    b"\xff\xfe": ("UTF-16 text", "save it as UTF-8"),
    b"\xfe\xff": ("UTF-16 text", "save it as UTF-8"),
    b"\x1f\x8b": ("a gzip file", _PACKED),
    b"BZh": ("a bzip2 file", _PACKED),
    b"\xfd7zXZ": ("an xz file", _PACKED),
    b"\x28\xb5\x2f\xfd": ("a zstd file", _PACKED),
    b"7z\xbc\xaf": ("a 7z archive", _PACKED),
}
"""First bytes → what such a file is called, and what would make it readable, if anything."""


def refusal(recording: Recording, looked_for: str) -> InspectorError:
    """The error for a file that nothing reads. `PackageError` for a zip without its end: it may have been a package."""
    name, data = recording.name, recording.data
    if not data or data.isspace():
        found = f"{len(data):,} bytes of white space" if data else "0 bytes"
        return UnsupportedError("the file is empty", file=name, expected=looked_for, found=found)
    if data.startswith(_ZIP):
        return PackageError(
            "the zip is cut off: its end record is missing",
            file=name,
            expected="a directory of its members at the end",
            found=f"none in {len(data):,} bytes",
        )
    looks, advice = _looks(data)
    if looks is None:
        return UnsupportedError("no reader knows this file", file=name, expected=looked_for)
    said = f"this looks like {looks}" + (f": {advice}" if advice else "")
    return UnsupportedError(said, file=name, expected=looked_for)


def _looks(data: bytes) -> tuple[str | None, str | None]:
    if data[_TAR_AT : _TAR_AT + 5] == b"ustar":
        return "a tar archive", _PACKED
    return next((known for sign, known in _SIGNS.items() if data.startswith(sign)), (None, None))
