"""Names of the format: the files of a package, and which names may stand in one at all."""

from __future__ import annotations

import os
import re
from pathlib import Path

from ..errors import PackageError

MANIFEST = "manifest.json"
MESSAGES = "messages.jsonl"
DECISIONS = "decisions.jsonl"
FRAGMENTS = "fragments.jsonl"
RECORD_FILES = (MESSAGES, DECISIONS, FRAGMENTS)
FILES = (MANIFEST, *RECORD_FILES)

FORMAT = "investigation_package"
VERSION = 1

_DRIVE = re.compile(r"[A-Za-z]:")


def inner_name(name: str) -> str:
    """A name inside a package, without needless `.` and `/`. Raises `PackageError` for one that leads out of it."""
    parts = name.split("/")
    reason = None
    if "\0" in name:
        reason = "a NUL character"
    elif "\\" in name:
        reason = "a backslash"
    elif name.startswith("/"):
        reason = "an absolute name"
    elif _DRIVE.match(name):
        reason = "a drive letter"
    elif ".." in parts:
        reason = "`..`"
    if reason is not None:
        raise PackageError(
            "a name that does not stay in the package",
            expected="a relative name",
            found=f"{reason} in {printable(name)}",
        )
    return "/".join(part for part in parts if part not in ("", "."))


def printable(name: str) -> str:
    """A name from outside as one line that any terminal and any page can show."""
    return ascii(name if len(name) <= 200 else name[:200] + "…")  # noqa: PLR2004  # as much as a person reads


def one_line(text: str) -> str:
    """A text from outside as one line that can be encoded and printed; most come back as they are."""
    return text if text.isprintable() else repr(text)[1:-1]


def file_name(path: str | os.PathLike[str]) -> str:
    """The last part of a path of this machine, for a person: bytes that are not UTF-8 are shown as escapes."""
    named = Path(path).name
    if named in ("", ".."):
        named = Path(path).resolve().name
    return one_line(os.fsencode(named).decode("utf-8", "backslashreplace"))
