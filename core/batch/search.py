"""Which files of the paths on a command line are to be opened, and which are passed over with the reason."""

from __future__ import annotations

import os
import stat
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ..limits import MAX_SEARCHED_DEPTH, MAX_SEARCHED_FILES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_PACKAGE_MARKS = ("manifest.json", "decisions.jsonl")


@dataclass(frozen=True, slots=True)
class Found:
    """A file or package folder to open: what a row calls it, and whether the person named it or a search found it."""

    path: Path
    name: str
    named: bool


@dataclass(frozen=True, slots=True)
class PassedOver:
    """A path inside a searched folder that is not opened, and why."""

    name: str
    reason: str


def find(paths: Sequence[Path], most: int | None = None) -> tuple[list[Found], list[PassedOver]]:
    """What is named, in order, with every folder that is no package replaced by what a search of it finds (name order).

    Nothing is opened here: whether a file is a recording shows when it is read. Links inside a searched folder are not
    followed, hidden folders not entered; the search ends after `most` files (`MAX_SEARCHED_FILES`), and says so. Names are unique.
    """
    most = MAX_SEARCHED_FILES if most is None else most
    found: list[Found] = []
    passed: list[PassedOver] = []
    for path in paths:
        if not path.is_dir() or is_package(path):
            found.append(Found(path, path.name or str(path), named=True))
            continue
        for item in _search(path, path.name or str(path), MAX_SEARCHED_DEPTH):
            if len(found) >= most:
                passed.append(PassedOver(item.name, f"more than {most:,} files: the rest is not searched"))
                break
            (found if isinstance(item, Found) else passed).append(item)  # type: ignore[arg-type]  # each to its list
    return _told_apart(found), passed


def _told_apart(found: list[Found]) -> list[Found]:
    """Where two have one name, both are called by their paths (and by their turn, where one path is named twice)."""
    names = Counter(item.name for item in found)
    clearer = [str(item.path) if names[item.name] > 1 else item.name for item in found]
    seen: dict[str, int] = {}
    unique = []
    for item, name in zip(found, clearer, strict=True):
        seen[name] = seen.get(name, 0) + 1
        unique.append(Found(item.path, name if seen[name] == 1 else f"{name} ({seen[name]})", item.named))
    return unique


def _search(folder: Path, name: str, depth: int) -> Iterator[Found | PassedOver]:
    try:
        with os.scandir(folder) as listing:
            entries = sorted(listing, key=lambda entry: entry.name)
    except OSError as error:
        yield PassedOver(name, error.strerror or "cannot be read")
        return
    for entry in entries:
        inside = f"{name}/{entry.name}"
        reason = _reason(entry, depth)
        if reason is not None:
            yield PassedOver(inside, reason)
        elif entry.is_dir(follow_symlinks=False) and not is_package(Path(entry.path)):
            yield from _search(Path(entry.path), inside, depth - 1)
        else:
            yield Found(Path(entry.path), inside, named=False)


def _reason(entry: os.DirEntry[str], depth: int) -> str | None:
    """Why an entry of a searched folder is not opened or entered, if so."""
    try:
        mode = entry.stat(follow_symlinks=False).st_mode
    except OSError as error:
        return error.strerror or "cannot be read"
    if stat.S_ISLNK(mode):
        return "a link"
    if stat.S_ISDIR(mode):
        if entry.name.startswith("."):
            return "a hidden folder"
        return f"more than {MAX_SEARCHED_DEPTH} folders deep" if depth <= 1 else None
    return None if stat.S_ISREG(mode) else "not a regular file"


def is_package(folder: Path) -> bool:
    """Whether a folder is a package, and is opened as one and not searched."""
    return any((folder / mark).exists() for mark in _PACKAGE_MARKS)
