"""Behind `state.py`: packages held open, and everything worked out from them, in caches that never copy.

Every cache is bounded (`max_entries`) and keyed by the package's digest together with how it was opened, so that two
packages which claim the same digest never share a result. What belongs to one visitor's upload is kept in that
session's own caches, which go with the session.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

import streamlit as st

from core.canonical import utf8
from core.catalogue import day
from core.delivery import Deliveries, deliver
from core.diagnosis import Diagnosis, Verdict, diagnose
from core.errors import InspectorError, PackageError
from core.limits import MIB
from core.model import Message
from core.package import check
from core.readers import main_part
from core.search import search
from core.tally import Tally, tally

from . import addresses, catalogue, listing, opening
from .jobs import AT_ONCE, Job, wait
from .sizes import many

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from core.model import Decision, DecisionKey, Investigation
    from core.search import Result

    from .catalogue import Entry
    from .opening import Opened

Made = TypeVar("Made")

_BEHIND_FROM_BYTES = 2 * MIB
"""A smaller package is diagnosed within a moment, and a page waits for it."""
_RESULTS = 16
_SEARCHES = 32
LOOKING_FOR_FRAGMENTS = "Looking for every fragment in every prompt"
LOOKING_FOR_REPEATS = "Looking for repeats and their causes"
_FIRST_PAINT_SECONDS = 1.0
"""Long work begins when the page that asked for it is drawn: both would share one interpreter."""
_READ = 32
"""Decisions whose prompts are held read, in all sessions together."""


@dataclass(frozen=True)
class Held:
    """One package held open: its `entry`, the investigations in it, which of them is in hand (`part`, from 1), its bytes."""

    entry: Entry
    parts: tuple[Investigation, ...]
    part: int
    key: str
    size: int
    found: dict[Any, Any] = field(default_factory=dict, repr=False, compare=False)
    """What was already asked of the caches through this object, which lives for a moment: a hit there costs 0.3 ms, and a
    step asks more than a hundred times."""

    @property
    def file_key(self) -> str:
        """What names the whole file in a cache, whichever of its parts is in hand."""
        return self.key.rpartition("|")[0].partition("|")[2]

    @property
    def large(self) -> bool:
        """Whether a page goes on without what takes long, and shows it when it is there."""
        return self.size > _BEHIND_FROM_BYTES

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
        texts = {str: utf8}  # Streamlit's own way to hash a text stops at a lone surrogate
        shared = st.cache_resource(max_entries=max_entries, show_spinner=spinner, hash_funcs=texts)(keyed)
        own = st.cache_resource(max_entries=max_entries, show_spinner=spinner, hash_funcs=texts, scope="session")(keyed)

        def answer(held: Held, *arguments: Any) -> Made:
            asked = (keyed, arguments)
            if asked not in held.found:
                held.found[asked] = (own if held.entry.private else shared)(held.key, arguments, held)
            found: Made = held.found[asked]
            return found

        return answer

    return decorate


# --- opening


@st.cache_resource(max_entries=4, ttl=15, show_spinner=False)
def offer(argv: tuple[str, ...]) -> catalogue.Offer:
    """What the command line offers; an archive folder is looked into again after 15 seconds."""
    return catalogue.offer(catalogue.read_arguments(argv))


def hold(entry: Entry, part: int | None = None) -> Held:
    """Open an entry, or find it open; waits until it is. Raises `InspectorError`.

    `part` counts from 1; where it names none, the investigation with the most calls is in hand.
    """
    opened = opening_of(entry).result()
    chosen = part if part is not None and 1 <= part <= len(opened.parts) else main_part(opened.parts)
    key = f"{opened.parts[chosen - 1].digest}|{entry.path}|{opened.stamp}|{chosen}"
    return Held(entry, opened.parts, chosen, key, opening.bytes_of(opened.stamp))


def opening_of(entry: Entry) -> Job[Opened]:
    """The opening of an entry, in the background. Raises `InspectorError` where it may not be opened."""
    if entry.origin == "archive" and entry.path.resolve() != entry.path:  # it was listed with no link in its path
        raise PackageError("this no longer lies in the archive folder", file=entry.path.name, found="a link")
    return opening.job(entry)


def about(entry: Entry, part: int | None = None) -> str:
    """One line about an entry, or a part of it: the title of a sample, else calls and day; nothing of what is not open yet.

    A title alone says little of another agent's recording: it is the first line that somebody typed.
    """
    if entry.missing:
        return "there is no such file or folder"
    if entry.origin != "sample":
        return _calls(entry, part)
    try:
        return hold(entry).investigation.title
    except InspectorError as error:
        return f"cannot be opened: {error.message}"


def _calls(entry: Entry, part: int | None) -> str:
    found = _notes(entry)
    if not found:
        return "" if part is None else f"investigation {part} of the file"
    chosen = found[part - 1] if part is not None and part <= len(found) else max(found, key=lambda each: each.calls)
    several = f"investigation {part} of {len(found)}" if part is not None else many(len(found), "investigation")
    said = (several if len(found) > 1 else "", many(chosen.calls, "call"), chosen.day)
    return ", ".join(filter(None, said))


def _notes(entry: Entry) -> tuple[opening.Note, ...]:
    """What was noted of a file when it was opened, or when the archive was listed."""
    known = opening.notes(entry.path)
    if known or entry.origin != "archive":
        return known
    listed = listing.ARCHIVE.known([entry]).answers.get(entry.id)
    return tuple(opening.Note(row.calls, day(row.date)) for row in listed) if isinstance(listed, tuple) else ()


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
        holds = f"This file holds {many(len(held.parts), 'investigation')}"
        said.append(f"{holds}; the one with the most calls is shown." if len(held.parts) > 1 else f"{holds}.")
        view["part"] = None
    if len(held.parts) > 1:
        view["part"] = held.part
    keys = positions(held)
    wanted = view["decision"]
    if not keys:
        view["decision"] = None
    elif wanted not in keys:
        nearest = _nearest(keys, wanted or next(iter(keys)))
        if wanted is not None:
            said.append(
                f"There is no decision {addresses.decision_text(wanted)} here; {addresses.decision_text(nearest)} is the nearest."
            )
        view["decision"] = nearest
    if view["fragment"] is not None and view["fragment"] not in fragment_places(held):
        said.append("There is no fragment of that name in this package.")
        view["fragment"] = None
    said += _settle_span(keys, view)
    return said


def _settle_span(keys: Mapping[DecisionKey, int], view: dict[str, Any]) -> list[str]:
    """The same for the decisions in sight. All of them are what no span means."""
    wanted = view["span"]
    if wanted is None or not keys:
        view["span"] = None
        return []
    first, last = sorted((_nearest(keys, key) for key in wanted), key=keys.__getitem__)
    whole = (keys[first], keys[last]) == (0, max(keys.values()))
    view["span"] = None if whole else (first, last)
    if (first, last) == wanted:
        return []
    named = " to ".join(map(addresses.decision_text, wanted))
    nearest = "all" if whole else " to ".join(map(addresses.decision_text, (first, last)))
    return [f"The address names the decisions {named}; {nearest} are the nearest here, and in sight."]


def _nearest(keys: Iterable[DecisionKey], wanted: DecisionKey) -> DecisionKey:
    return wanted if wanted in keys else min(keys, key=lambda key: _distance(key, wanted))


def _distance(key: DecisionKey, wanted: DecisionKey) -> tuple[int, int]:
    return abs(key[0] - wanted[0]), abs(key[1] - wanted[1])


# --- what core says, once per package


@kept(_RESULTS)
def _deliveries(held: Held) -> Job[Deliveries]:
    def work(progress: Callable[[int, int], None]) -> Deliveries:
        if held.large:
            time.sleep(_FIRST_PAINT_SECONDS)
        return deliver(held.investigation, progress)

    return Job(work)


def deliveries(held: Held) -> Deliveries:
    """Where each fragment stands in each transmitted prompt."""
    return wait(_deliveries(held), LOOKING_FOR_FRAGMENTS)


@kept(_RESULTS)
def _diagnosis(held: Held) -> Job[Diagnosis]:
    found = _deliveries(held)
    return Job(lambda _: diagnose(held.investigation, found.result()))


def diagnosis(held: Held) -> Diagnosis:
    """Repeats, causes with proof, patterns, findings and the verdict."""
    deliveries(held)
    return wait(_diagnosis(held), LOOKING_FOR_REPEATS)


def behind(held: Held) -> tuple[str, Job[Any]] | None:
    """What of deliveries and diagnosis is being worked out behind the page, in words, and the job; None if all is there.

    A small package is waited for: then this says None.
    """
    if not held.large:
        diagnosis(held)
    found, judged = _deliveries(held), _diagnosis(held)
    if not found.finished():
        return LOOKING_FOR_FRAGMENTS, found
    return None if judged.finished() else (LOOKING_FOR_REPEATS, judged)


def deliveries_now(held: Held) -> Deliveries | None:
    """`deliveries` if they are there already; of a large package they may come later."""
    return deliveries(held) if not held.large or _deliveries(held).finished() else None


def diagnosis_now(held: Held) -> Diagnosis | None:
    """`diagnosis` if it is there already; of a large package it may come later."""
    return diagnosis(held) if not held.large or _diagnosis(held).finished() else None


@kept(_RESULTS)
def _verdicts(held: Held) -> tuple[dict[int, Verdict], Job[None]]:
    """What each part of a file came to, and the job that works it out one by one."""
    found: dict[int, Verdict] = {}

    def work(progress: Callable[[int, int], None]) -> None:
        for part, investigation in enumerate(held.parts, 1):
            found[part] = diagnose(investigation).verdict
            progress(part, len(held.parts))

    return found, Job(work)


def part_verdicts(held: Held) -> Mapping[int, Verdict]:
    """Part (from 1) → its verdict, as far as they are known."""
    found, job = _verdicts(replace(held, part=1, key=f"{held.file_key}|all", found={}))
    if job.finished(AT_ONCE):
        job.result()  # raises what it raised
    return dict(found)


def verdicts_behind(held: Held) -> tuple[str, Job[Any]] | None:
    """The same as `behind`, for `part_verdicts`."""
    _, job = _verdicts(replace(held, part=1, key=f"{held.file_key}|all", found={}))
    return None if job.finished() else ("Working out the verdict of each investigation", job)


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


@kept(_SEARCHES)
def _search(held: Held, text: str, most: int) -> Job[tuple[Result, ...]]:
    return Job(lambda _: tuple(islice(search(held.investigation, text, ignore_case=True), most)))


def searched(held: Held, text: str, most: int) -> tuple[Result, ...]:
    """The first `most` distinct messages of all prompts that hold a text."""
    return wait(_search(held, text, most), "Searching all prompts")
