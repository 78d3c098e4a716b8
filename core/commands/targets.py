"""No command writes over what it reads: a recording cannot be made again."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from .said import UNREADABLE, printable

if TYPE_CHECKING:
    from collections.abc import Iterable

_Identity = tuple[int, int]


def refuse_overwriting(target: Path | None, sources: Iterable[Path]) -> None:
    """End with one line and status 2 where `target` is one of the files or packages that are read, or lies in one.

    Paths are compared by what they lead to: links, hard links and other spellings of a name are seen through. Of a folder
    that is searched only what it holds is a source: rows may be written beside the recordings.
    """
    if target is None:
        return
    resolved = Path(os.path.realpath(target))
    place = {_identity(path) for path in (resolved, *resolved.parents)} - {None}
    linked = _identity(resolved) if _has_other_names(resolved) else None
    for source in sources:
        if _identity(source) in place or (linked is not None and source.is_dir() and _holds(source, linked)):
            shown = printable(f"{target} is not written: it would change {source}, which is read", longest=None)
            click.echo(shown, err=True)
            sys.exit(UNREADABLE)


def _identity(path: Path) -> _Identity | None:
    """Device and inode of what a path leads to; None where that is nothing."""
    try:
        found = path.stat()
    except (OSError, ValueError):  # ValueError: a NUL in the name
        return None
    return found.st_dev, found.st_ino


def _has_other_names(path: Path) -> bool:
    return path.is_file() and path.stat().st_nlink > 1


def _holds(folder: Path, wanted: _Identity) -> bool:
    return any(_identity(Path(where) / name) == wanted for where, _, names in os.walk(folder) for name in names)
