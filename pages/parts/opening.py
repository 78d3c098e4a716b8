"""Behind `state.py`: opening a file in the background, and what became of it on disk since this session opened it.

A session goes on with the state of a file that it opened first, so that a run which is still being written is not read
again at every step; a reload of the page is a new session and shows what is there by then.
"""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

import streamlit as st

from core.catalogue import date_of, day
from core.errors import InspectorError
from core.readers import open_any

from .jobs import Job
from .sizes import size

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from core.model import Investigation

    from .catalogue import Entry

Stamp: TypeAlias = tuple[int, ...]
"""Size in bytes, change time and inode of each of a package's files."""

_PINS: Final = "ii_pins"
_NEWS: Final = "ii_news_of_file"
_OPEN_PACKAGES: Final = 8
_AGAIN_SECONDS: Final = 5.0
"""After this long a file that could not be opened is tried again, even if it looks the same."""
STAMP_SECONDS: Final = 0.2
"""How long it is believed that a package on disk is what it was."""
_MOST_STAMPS: Final = 1_000
_STAMPS: dict[Path, tuple[float, Stamp]] = {}
_NOTES: dict[Path, tuple[Note, ...]] = {}
_DATED: Final = 20
"""Decisions that are looked at for a date, so that no long package is read through for it."""
_FILES: Final = ("manifest.json", "messages.jsonl", "decisions.jsonl", "fragments.jsonl")
_MARKS: Final = 3


@dataclass(frozen=True, slots=True)
class Note:
    """One investigation of a file that was opened: its model calls, and its own date (empty where it holds none)."""

    calls: int
    day: str


@dataclass(frozen=True, slots=True)
class Opened:
    """The investigations in a file, and the state of the file when they were read."""

    parts: tuple[Investigation, ...]
    stamp: Stamp


def bytes_of(stamp: Stamp) -> int:
    """Bytes of a package's files together."""
    return sum(stamp[::_MARKS])


def stamp_of(path: Path) -> Stamp:
    """What tells one content of a file from another. Raises `InspectorError` where nothing is there.

    Believed for a moment: a page asks for its package some two hundred times in one run, and a look at four files each
    time was most of what a step cost.
    """
    now = time.monotonic()
    until, known = _STAMPS.get(path, (0.0, ()))
    if now < until:
        return known
    if len(_STAMPS) >= _MOST_STAMPS:
        _STAMPS.clear()
    found = look(path)
    _STAMPS[path] = (now + STAMP_SECONDS, found)
    return found


def look(path: Path) -> Stamp:
    """`stamp_of`, from the disk."""
    marks: list[int] = []
    try:
        for file in [path / name for name in _FILES] if path.is_dir() else [path]:
            if path.is_dir() and not file.exists():
                continue
            status = file.stat()
            marks += [status.st_size, status.st_mtime_ns, status.st_ino]
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        reason = getattr(error, "strerror", None) or "an error"
        raise InspectorError("the file is not there, or cannot be read", file=path.name, found=reason) from error
    return tuple(marks)


# --- opening


def job(entry: Entry) -> Job[Opened]:
    """The opening of an entry as this session knows the file: running, or done. Raises where the file is gone."""
    cache = _own if entry.private else _shared
    stamp = _pinned(entry.path)
    found: Job[Opened] = cache(str(entry.path), stamp, entry.path)
    if found.stopped() or (found.failed() and time.monotonic() > found.ended + _AGAIN_SECONDS):
        cache.clear(str(entry.path), stamp, entry.path)
        found = cache(str(entry.path), stamp, entry.path)
    if found.finished() and not found.failed() and found.result().stamp != stamp:
        _pins()[entry.path] = found.result().stamp  # it changed between the look and the reading
    return found


def leave(entry: Entry) -> None:
    """This session waits for an entry no longer: it is read on only while another does. Asked for later, it starts anew."""
    with suppress(InspectorError):  # a file that is gone is not being read
        job(entry).leave()


def _job(path: str, stamp: Stamp, _path: Path) -> Job[Opened]:  # noqa: ARG001  # the cache reads them
    return Job(lambda progress: _open(_path, progress))


def _open(path: Path, progress: Callable[[int, int], None]) -> Opened:
    stamp = look(path)
    parts = open_any(path, progress)
    if len(_NOTES) >= _MOST_STAMPS:
        _NOTES.clear()
    _NOTES[path] = tuple(Note(len(each.decisions), day(date_of(each, _DATED))) for each in parts)
    return Opened(parts, stamp)


def notes(path: Path) -> tuple[Note, ...]:
    """What is known of each investigation of a file that somebody opened on this server; nothing is opened for it."""
    return _NOTES.get(path, ())


_shared = st.cache_resource(max_entries=_OPEN_PACKAGES, show_spinner=False)(_job)
_own = st.cache_resource(max_entries=_OPEN_PACKAGES, show_spinner=False, scope="session")(_job)


# --- what became of a file since


def _pins() -> dict[Path, Stamp]:
    found: dict[Path, Stamp] = st.session_state.setdefault(_PINS, {})
    return found


def _pinned(path: Path) -> Stamp:
    """The state of a file that this session goes on with: the one it opened, while the file has only grown since."""
    pins = _pins()
    if path not in pins:
        pins[path] = stamp_of(path)
        return pins[path]
    try:
        now = stamp_of(path)
    except InspectorError:
        del pins[path]
        raise
    if now != pins[path] and not _grew(pins[path], now):
        st.session_state[_NEWS] = (path, _changed(pins[path], now))
        pins[path] = now
    return pins[path]


def _grew(before: Stamp, now: Stamp) -> bool:
    """Whether files only became longer (a run that is being recorded): what was read of them still stands there."""
    return (
        len(before) == len(now)
        and before != now
        and all(
            old <= new and (old < new or before[place + 1] == now[place + 1])
            for place, (old, new) in enumerate(zip(before, now, strict=True))
            if place % _MARKS == 0
        )
    )


def _changed(before: Stamp, now: Stamp) -> str:
    old, new = bytes_of(before), bytes_of(now)
    what = "became shorter" if new < old else "was written anew"
    return f"This file {what} since you opened it: {size(old)} then, {size(new)} now. It was read again."


def grown(path: Path) -> tuple[int, int] | None:
    """Bytes of a file when this session opened it, and now, if it has grown since."""
    known = _pins().get(path)
    try:
        now = stamp_of(path)
    except InspectorError:
        return None
    return (bytes_of(known), bytes_of(now)) if known is not None and _grew(known, now) else None


def news(path: Path) -> str | None:
    """What else happened to a file since this session opened it; said once."""
    found = st.session_state.get(_NEWS)
    if found is None or found[0] != path:
        return None
    del st.session_state[_NEWS]
    said: str = found[1]
    return said


def forget(path: Path) -> None:
    """Read a file anew at the next look. For callbacks."""
    _pins().pop(path, None)
