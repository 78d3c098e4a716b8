"""Behind `state.py`: packages held open, and everything worked out from them, in caches that never copy.

Every cache is bounded (`max_entries`) and keyed by the package's digest together with how it was opened, so that two
packages which claim the same digest never share a result. What belongs to one visitor's upload is kept in that
session's own caches, which go with the session.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import streamlit as st

from core.delivery import Deliveries, deliver
from core.diagnosis import Diagnosis, diagnose
from core.errors import InspectorError, PackageError
from core.model import Message
from core.package import check
from core.readers import open_any
from core.search import search
from core.tally import Bar, Tally, bars, tally

from . import addresses, catalogue
from .jobs import Job, wait

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from core.model import Decision, DecisionKey, Investigation
    from core.search import Result

    from .catalogue import Entry

Made = TypeVar("Made")

_OPEN_PACKAGES = 8
_RESULTS = 16
_SEARCHES = 32
STAMP_SECONDS = 0.2
"""How long it is believed that a package on disk is what it was."""
_MOST_STAMPS = 1_000
_STAMPS: dict[Path, tuple[float, tuple[int, ...]]] = {}
_READ = 32
"""Decisions whose prompts are held read, in all sessions together."""


@dataclass(frozen=True)
class Held:
    """One package held open: its `entry`, the investigations in it, and which of them is in hand (`part`, from 1)."""

    entry: Entry
    parts: tuple[Investigation, ...]
    part: int
    key: str

    @property
    def investigation(self) -> Investigation:
        """The investigation in hand."""
        return self.parts[self.part - 1]


def kept(max_entries: int, spinner: str | bool = False) -> Callable[[Callable[..., Made]], Callable[..., Made]]:
    """Keep the result of `compute(held, *plain_arguments)`: shared by all sessions, or the session's own for an upload."""

    def decorate(compute: Callable[..., Made]) -> Callable[..., Made]:
        def keyed(key: str, arguments: tuple[Any, ...], _held: Held) -> Made:  # noqa: ARG001  # the cache reads it
            return compute(_held, *arguments)

        keyed.__name__ = keyed.__qualname__ = f"{compute.__module__}.{compute.__name__}"
        shared = st.cache_resource(max_entries=max_entries, show_spinner=spinner)(keyed)
        own = st.cache_resource(max_entries=max_entries, show_spinner=spinner, scope="session")(keyed)

        def answer(held: Held, *arguments: Any) -> Made:
            cache = own if held.entry.private else shared
            return cache(held.key, arguments, held)

        return answer

    return decorate


# --- opening


@st.cache_resource(max_entries=4, ttl=15, show_spinner=False)
def offered(argv: tuple[str, ...]) -> tuple[Entry, ...]:
    """What the command line offers; an archive folder is looked into again after 15 seconds."""
    return catalogue.offered(catalogue.read_arguments(argv))


def hold(entry: Entry, part: int) -> Held:
    """Open an entry, or find it open. Raises `InspectorError`."""
    if entry.origin == "archive" and entry.path.resolve() != entry.path:  # it was listed with no link in its path
        raise PackageError("this no longer lies in the archive folder", file=entry.path.name, found="a link")
    stamp = _stamp(entry.path)
    parts = (_open_own if entry.private else _open_shared)(str(entry.path), stamp)
    chosen = part if 1 <= part <= len(parts) else 1
    return Held(entry, parts, chosen, f"{parts[chosen - 1].digest}|{entry.path}|{stamp}|{chosen}")


def about(entry: Entry) -> str:
    """One line about an entry: the title of a sample; nothing of what is not open yet."""
    if entry.origin != "sample":
        return ""
    try:
        return hold(entry, 1).investigation.title
    except InspectorError as error:
        return f"cannot be opened: {error.message}"


def _open(path: str, stamp: tuple[int, ...]) -> tuple[Investigation, ...]:  # noqa: ARG001  # the cache reads it
    return open_any(Path(path))


_open_shared = st.cache_resource(max_entries=_OPEN_PACKAGES, show_spinner="Opening the package ...")(_open)
_open_own = st.cache_resource(max_entries=_OPEN_PACKAGES, show_spinner="Opening the upload ...", scope="session")(_open)


def _stamp(path: Path) -> tuple[int, ...]:
    """Size, change time and inode of a package's files: another content is another package.

    Believed for a moment: a page asks for its package some two hundred times in one run, and a look at four files each
    time was most of what a step cost.
    """
    now = time.monotonic()
    until, known = _STAMPS.get(path, (0.0, ()))
    if now < until:
        return known
    if len(_STAMPS) >= _MOST_STAMPS:
        _STAMPS.clear()
    found = _look(path)
    _STAMPS[path] = (now + STAMP_SECONDS, found)
    return found


def _look(path: Path) -> tuple[int, ...]:
    names = ("manifest.json", "messages.jsonl", "decisions.jsonl", "fragments.jsonl")
    marks: list[int] = []
    try:
        files = [path / name for name in names] if path.is_dir() else [path]
        for file in files:
            if file.exists():
                status = file.stat()
                marks += [status.st_size, status.st_mtime_ns, status.st_ino]
    except OSError as error:
        raise InspectorError("cannot be read", file=path.name, found=error.strerror or "an error") from error
    return tuple(marks)


@kept(_READ)
def decision_at(held: Held, place: int) -> Decision:
    """The decision at `place` with the messages of its prompt read and kept: what is asked of it reads them once."""
    found = held.investigation.decisions[place]
    read = {each: found.store[each] for each in found.message_ids if 0 <= each < len(found.store)}
    return replace(found, store=_Read(found.store, read))


class _Read(Sequence[Message]):
    """A sequence of messages of which some are held ready."""

    def __init__(self, store: Sequence[Message], read: Mapping[int, Message]) -> None:
        self._store, self._read = store, read

    def __len__(self) -> int:
        return len(self._store)

    def __getitem__(self, place: Any) -> Any:
        return self._read[place] if place in self._read else self._store[place]


# --- names of decisions and fragments


@kept(_RESULTS, "Reading the list of decisions ...")
def positions(held: Held) -> Mapping[DecisionKey, int]:
    """Key → place of every decision. Of two decisions with one key the first is meant."""
    found: dict[DecisionKey, int] = {}
    for place, decision in enumerate(held.investigation.decisions):
        found.setdefault(decision.key, place)
    return found


@kept(_RESULTS)
def fragment_names(held: Held) -> Mapping[str, str]:
    """Fragment id → what an address calls it: the id where that is a plain identifier, else `~n`, its place from 1."""
    found: dict[str, str] = {}
    for place, fragment in enumerate(held.investigation.fragments, 1):
        try:
            name = addresses.plain(fragment.id) if len(fragment.id) <= addresses.MAX_VALUE else f"~{place}"
        except addresses.AddressError:
            name = f"~{place}"
        found.setdefault(fragment.id, name)
    return found


@kept(_RESULTS)
def fragment_places(held: Held) -> Mapping[str, int]:
    """What an address calls a fragment → its place in the package."""
    ids = [fragment.id for fragment in held.investigation.fragments]
    names = fragment_names(held)
    found: dict[str, int] = {}
    for place, fragment_id in enumerate(ids):
        found.setdefault(names[fragment_id], place)
        found.setdefault(f"~{place + 1}", place)
    return found


def settle(held: Held, view: dict[str, Any]) -> list[str]:
    """Replace, in `view`, what the package has not by the nearest that it has; say each replacement in a sentence."""
    said: list[str] = []
    if view["part"] is not None and view["part"] != held.part:
        said.append(f"This file holds {len(held.parts)} investigations; the first is shown.")
        view["part"] = None
    keys = positions(held)
    wanted = view["decision"]
    if not keys:
        view["decision"] = None
    elif wanted not in keys:
        nearest = min(keys, key=lambda key: _distance(key, wanted or next(iter(keys))))
        if wanted is not None:
            said.append(
                f"There is no decision {addresses.decision_text(wanted)} here; {addresses.decision_text(nearest)} is the nearest."
            )
        view["decision"] = nearest
    if view["fragment"] is not None and view["fragment"] not in fragment_places(held):
        said.append("There is no fragment of that name in this package.")
        view["fragment"] = None
    return said


def _distance(key: DecisionKey, wanted: DecisionKey) -> tuple[int, int]:
    return abs(key[0] - wanted[0]), abs(key[1] - wanted[1])


# --- what core says, once per package


@kept(_RESULTS)
def _deliveries(held: Held) -> Job[Deliveries]:
    return Job(lambda progress: deliver(held.investigation, progress))


def deliveries(held: Held) -> Deliveries:
    """Where each fragment stands in each transmitted prompt."""
    return wait(_deliveries(held), "Looking for every fragment in every prompt")


@kept(_RESULTS)
def _diagnosis(held: Held) -> Job[Diagnosis]:
    found = _deliveries(held)
    return Job(lambda _: diagnose(held.investigation, found.result()))


def diagnosis(held: Held) -> Diagnosis:
    """Repeats, causes with proof, patterns, findings and the verdict."""
    deliveries(held)
    return wait(_diagnosis(held), "Looking for repeats and their causes")


@kept(_RESULTS)
def check_job(held: Held) -> Job[Investigation]:
    """The verification of a package that is too large to be verified at opening, in the background."""
    return Job(lambda progress: check(held.investigation, progress))


@kept(_RESULTS)
def _tally(held: Held) -> Job[Tally]:
    return Job(lambda _: tally(held.investigation))


def counts(held: Held) -> Tally:
    """Decisions and fragments by status."""
    return wait(_tally(held), "Counting decisions")


@kept(_RESULTS)
def _bars(held: Held, most: int) -> Job[tuple[Bar, ...]]:
    return Job(lambda progress: bars(held.investigation, most, progress))


@kept(_SEARCHES)
def _search(held: Held, text: str, most: int) -> Job[tuple[Result, ...]]:
    return Job(lambda _: tuple(islice(search(held.investigation, text, ignore_case=True), most)))


def searched(held: Held, text: str, most: int) -> tuple[Result, ...]:
    """The first `most` distinct messages of all prompts that hold a text."""
    return wait(_search(held, text, most), "Searching all prompts")


def prompt_bars(held: Held, most: int) -> tuple[Bar, ...]:
    """The size of every prompt by component, in at most `most` bars."""
    return wait(_bars(held, most), "Measuring prompts")
