"""The one owner of session state, query parameters and caches.

A page asks here for the package in hand and for what `core` says about it; it never touches `st.session_state`,
`st.query_params` or a cache itself. The address is the truth whenever it differs from what was last written (first
load, Back, Forward, a pasted link); callbacks change the view with `change` or `go`, and `app.py` writes it back.
"""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Any, Final, cast

import streamlit as st
from streamlit.runtime.pages_manager import PagesManager

from core.errors import InspectorError
from core.limits import MIB

from . import addresses, asked, catalogue, holding, listing, prompts, recent, uploads
from . import opening as opening_of_file
from .addresses import PARAMETERS, View

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from core.changes import Changes
    from core.delivery import Deliveries, Placement
    from core.diagnosis import Diagnosis, Verdict
    from core.grade import Grade
    from core.model import Decision, DecisionKey, Fragment, Investigation, Problem
    from core.search import Result
    from core.tally import Tally

    from .catalogue import Entry, Offer
    from .holding import Held
    from .jobs import Job
    from .listing import Seen
    from .opening import Opened

_VIEW: Final = "ii_view"
_SEEN: Final = "ii_address_seen"
_PAGE: Final = "ii_page"
_SAID: Final = "ii_messages"
_GOTO: Final = "ii_go_to"
_REFUSED: Final = "ii_refused_upload"
_TAKEN: Final = "ii_taken_upload"
_STILL: Final = "ii_still_stepping"
_HELD: Final = "ii_held"
_NONCE: Final = "ii_nonce"
_VISIT: Final = "ii_visit"
_FIND: Final = "ii_find"
_ANEW: Final = "ii_read_anew"
_SAID_BEFORE: Final = "ii_messages_before"
_SAID_OF: Final = "ii_messages_of_view"
_WAITED_FOR_BYTES: Final = 2 * MIB
"""A smaller upload is opened at once and refused where it came from; a larger one shows how far it is."""

PAGE_FILES: Final = {
    "overview": "pages/overview.py",
    "decisions": "pages/decisions.py",
    "evidence": "pages/evidence.py",
    "compare": "pages/compare.py",
    "what_if": "pages/what_if.py",
    "formats": "pages/formats.py",
    "conflicts": "pages/conflicts.py",
    "share": "pages/share.py",
    "archive": "pages/archive.py",
}
"""Url path → file of each page, in the order of the menu. A new page is its file, this line, and one in `app.py`."""

OF_PACKAGE: Final = ("part", "decision", "fragment", "span", "file", "from", "budget", "views", "line", "conflict")
"""Parameters that mean nothing in another package: they go when one is chosen."""


# --- one run of the script


def through_app() -> None:
    """First line of every page: run through `app.py` even where a fresh server was asked for this page directly.

    Until some session has called `st.navigation`, Streamlit serves the files of a folder named `pages/` on their own. The
    server says at its start that it has none (`serving.lifespan`); this is for every other way to serve `app.py`. Of
    several first visitors at once one may set the flag while another is already here, without a view.
    """
    if PagesManager.uses_pages_directory or _VIEW not in st.session_state:
        PagesManager.uses_pages_directory = False
        st.rerun()


def begin(page: str) -> None:
    """Read the address (if it is news), and settle which package it names. Called once a run by `app.py`."""
    state = st.session_state
    query = st.query_params.to_dict()
    switched = state.get(_PAGE) not in (None, page)
    if state.get(_PAGE) != page:
        state[_VISIT] = state.get(_VISIT, 0) + 1
    state[_PAGE] = page
    state[_STILL] = False
    state[_SAID] = state.pop(_SAID_BEFORE, []) or (messages() if state.get(_SAID_OF) == state.get(_VIEW) else [])
    if _VIEW not in state or (query != state.get(_SEEN) and not (switched and not query)):
        view, complaints = addresses.parse(query)
        state[_VIEW] = view
        state[_SAID] += complaints
    state[_SEEN] = query
    _settle_package()


def end() -> None:
    """Write the address of the view that was shown, if it is not there yet. What was said of it holds until it changes."""
    st.session_state[_SAID_OF] = dict(view())
    if st.session_state.get(_STILL):
        return
    wanted = addresses.render(view())
    if st.query_params.to_dict() != wanted:
        st.query_params.from_dict(wanted)
    st.session_state[_SEEN] = wanted


def follow() -> None:
    """Go to the page that a callback asked for. Called at the head of `app.py` and of every `st.fragment`."""
    page = st.session_state.pop(_GOTO, None)
    if page is not None and page != st.session_state.get(_PAGE):
        st.switch_page(PAGE_FILES[page], query_params=addresses.render(view()))


def messages() -> list[str]:
    """What has to be said about this address: each invalid value, and what is shown instead."""
    return list(st.session_state.get(_SAID, ()))


def page() -> str:
    """The page that is drawn: a key of `PAGE_FILES`."""
    found: str = st.session_state[_PAGE]
    return found


# --- the view and its address


def view() -> View:
    """The values of all parameters of `addresses.PARAMETERS`."""
    found: View = st.session_state[_VIEW]
    return found


def change(**values: Any) -> None:
    """Change parameters of the view. For callbacks only: the run that follows draws and writes the new view."""
    unknown = set(values) - set(PARAMETERS)
    if unknown:
        raise KeyError(f"no such parameter: {', '.join(sorted(unknown))}")
    if "package" in values and values["package"] != view()["package"]:
        values = dict.fromkeys(OF_PACKAGE) | values
        st.session_state[_REFUSED] = None
    if "fragment" in values:
        st.session_state[_NONCE] = nonce() + 1
    st.session_state[_VIEW] = {**view(), **values}


def go(page: str, **values: Any) -> None:
    """Change the view and go to a page (a key of `PAGE_FILES`). For callbacks only."""
    change(**values)
    st.session_state[_GOTO] = page


def correct(**values: Any) -> None:
    """Replace what the address names and this page cannot show. For pages, which say so themselves (`frame.note`)."""
    st.session_state[_VIEW] = {**view(), **values}


def href(page: str, **values: Any) -> str:
    """The relative address of a page with this view and these changes, for a link that opens in a new tab."""
    query = addresses.render({**view(), **values})
    return page + "?" + "&".join(f"{name}={value}" for name, value in query.items())


def query(**values: Any) -> dict[str, str]:
    """The query string of this view with these changes, as a dict (for `st.page_link`)."""
    return addresses.render({**view(), **values})


def hold_address(*, still: bool) -> None:
    """While a key is held the address waits, so that a burst of steps is one entry in the history."""
    st.session_state[_STILL] = still


def nonce() -> int:
    """A number that changes with every choice of a fragment: the same one chosen again comes into sight again."""
    found: int = st.session_state.get(_NONCE, 0)
    return found


def visit() -> int:
    """A number for this stay on this page in this session."""
    found: int = st.session_state.get(_VISIT, 0)
    return found


def find_in_prompt(text: str, at: int = 0) -> None:
    """Have the viewer search its prompt for a text and go to the first place from `at` on (UTF-16 units). For callbacks."""
    st.session_state[_FIND] = {"text": text, "at": at, "nonce": nonce(), "visit": visit()}


def to_find() -> dict[str, Any] | None:
    """What the viewer was last asked to search for on this stay on the page."""
    found: dict[str, Any] | None = st.session_state.get(_FIND)
    return found if found is not None and found["visit"] == visit() else None


def widget(key: str) -> Any:
    """The value of a widget. For callbacks."""
    return st.session_state[key]


def remembered(key: str, default: Any) -> Any:
    """What `set_widget` was given last under a key of no widget."""
    return st.session_state.get(key, default)


def set_widget(key: str, value: Any) -> None:
    """Set a widget's value before it is drawn, so that it follows the view."""
    st.session_state[key] = value


# --- the package in hand


def entries() -> tuple[Entry, ...]:
    """What can be opened here: the server's packages, then this session's own uploads."""
    return (*offer().entries, *uploads.entries())


def offer() -> Offer:
    """What the server offers to everyone: its entries, its archive folders, what was passed over in them."""
    return holding.offer(tuple(sys.argv))


def entry() -> Entry | None:
    """The entry that the address names, whether it can be opened or not."""
    return next((each for each in entries() if each.id == view()["package"]), None)


def opening() -> Job[Opened]:
    """The opening of the package in hand, in the background. Raises `InspectorError` where it may not be opened."""
    found = entry()
    if found is None:
        raise InspectorError("there is no package to open", expected="a path behind --, or an upload")
    return holding.opening_of(found)


def stop_opening() -> None:
    """Wait no longer for what is being opened, and take in hand what was there before. For callbacks."""
    chosen = entry()
    others = [each for each in entries() if each != chosen]
    before = [*opened_before(), *((each, None) for each in [catalogue.first(others)] if each is not None)]
    if chosen is None or not before:
        return
    opening_of_file.leave(chosen)
    st.session_state[_SAID_BEFORE] = ["That file is read no further, unless somebody else waits for it."]
    package, part = before[0]
    change(package=package.id, part=part)


def held() -> Held:
    """The package in hand. Raises `InspectorError` where it cannot be opened.

    A page asks for it some two hundred times in one run, so it is looked for once in a moment only.
    """
    now = view()
    wanted = (now["package"], now["part"])
    until, known, package = st.session_state.get(_HELD, (0.0, None, None))
    if known == wanted and time.monotonic() < until:
        return cast("Held", package)
    chosen = entry()
    if chosen is None:
        raise InspectorError("there is no package to open", expected="a path behind --, or an upload")
    found = holding.hold(chosen, wanted[1])
    st.session_state[_HELD] = (time.monotonic() + opening_of_file.STAMP_SECONDS, wanted, found)
    return found


def investigation() -> Investigation:
    """The investigation in hand, with the problems found so far."""
    return held().investigation


def decisions() -> Sequence[Decision]:
    """Its decisions, read one by one as they are looked at."""
    return investigation().decisions


def position() -> int:
    """The place of the decision in view within `decisions()`; 0 where there is none."""
    return holding.positions(held()).get(view()["decision"], 0)


def decision() -> Decision | None:
    """The decision in view; None in a package without any."""
    return decision_at(position()) if len(decisions()) else None


def decision_at(place: int) -> Decision:
    """The decision at a place, with its prompt read: what is asked of it reads its messages once."""
    return holding.decision_at(held(), place)


def span() -> range:
    """Places of the decisions in sight: those that the address names, else all."""
    found: addresses.Span | None = view()["span"]
    if found is None:
        return range(len(decisions()))
    places = holding.positions(held())
    return range(places[found[0]], places[found[1]] + 1)


def spanned(places: range) -> addresses.Span | None:
    """What an address calls some decisions in sight; None for all of them."""
    every = decisions()
    return None if len(places) >= len(every) else (every[places[0]].key, every[places[-1]].key)


def fragment() -> Fragment | None:
    """The fragment in sight, if the address names one."""
    return fragment_named(view()["fragment"])


def fragment_named(name: str | None) -> Fragment | None:
    """The fragment that an address calls `name`."""
    place = None if name is None else holding.fragment_places(held()).get(name)
    return None if place is None else investigation().fragments[place]


def fragment_name(fragment_id: str) -> str | None:
    """What an address calls a fragment: its id, or its place where the id is no plain identifier. None if unknown."""
    return holding.fragment_names(held()).get(fragment_id)


def _settle_package() -> None:
    """Replace a package that the address names and nobody offers, and say so; nothing is opened for it."""
    current, said = dict(view()), st.session_state[_SAID]
    known = entries()
    if not any(entry.id == current["package"] for entry in known):
        if current["package"] is not None:
            said.append(_no_such_package(current["package"]))
            current |= dict.fromkeys(OF_PACKAGE)
        fallback = catalogue.first(known)
        current["package"] = fallback.id if fallback else None
    said += _settle_other(current, known)
    st.session_state[_VIEW] = current


def settle() -> None:
    """Replace what the address names but the package in hand has not by the nearest that it has, and say so."""
    package, current, said = held(), dict(view()), st.session_state[_SAID]
    said += holding.settle(package, current)
    said += asked.settle(package, current)
    news = opening_of_file.news(package.entry.path)
    said += [news] if news else []
    st.session_state[_VIEW] = current
    recent.note(package.entry.id, current["part"])


def keep_messages() -> None:
    """Say once more in the next run what was found wrong with the address: this one ends without saying it."""
    st.session_state[_SAID_BEFORE] = messages()


def grown() -> tuple[int, int] | None:
    """Bytes of the file in hand when this session opened it, and now, if it has grown since."""
    return opening_of_file.grown(held().entry.path)


def opened_before() -> list[tuple[Entry, int | None]]:
    """What this session opened before what is in hand, newest first, each with the part that was looked at, of several."""
    return recent.opened(entries(), view()["package"])


def read_again() -> None:
    """Take in hand what stands in the file by now. For callbacks."""
    chosen = entry()
    if chosen is not None:
        opening_of_file.forget(chosen.path)
        st.session_state.pop(_HELD, None)
        st.session_state[_ANEW] = True


def asked_anew() -> bool:
    """Whether `read_again` was called since this was asked last: the whole page has to be drawn, not a part of it."""
    return bool(st.session_state.pop(_ANEW, False))


def _settle_other(current: dict[str, Any], known: Sequence[Entry]) -> list[str]:
    name = current["other"]
    if name is None or any(entry.id == name for entry in known):
        return []
    current |= {"other": None, "other_part": None}
    return [f"The package to compare with: {_no_such_package(name)}"]


def _no_such_package(name: str) -> str:
    if name.startswith("upload-"):
        return "This link names an upload, and uploads belong to the session that made them. Upload the file again."
    return "This server has no package of that name. Choose one in the sidebar."


def take_upload(file_id: str, name: str, content: bytes) -> None:
    """Keep an upload for this session and take it in hand. For callbacks only; see `refused_upload`.

    After a change of page Streamlit calls it again with the next click on anything: a file is taken once.
    """
    if st.session_state.get(_TAKEN) == file_id:
        return
    st.session_state[_TAKEN] = file_id
    st.session_state[_REFUSED] = None
    try:
        taken = uploads.keep(name, content)
    except InspectorError as error:
        st.session_state[_REFUSED] = error
        return
    try:
        job = holding.opening_of(taken)
        if len(content) < _WAITED_FOR_BYTES or job.finished():
            job.result()
    except InspectorError as error:
        uploads.drop(taken)
        if error.file == taken.path.name:
            error.file = name  # as the visitor knows it
        st.session_state[_REFUSED] = error
        return
    go("overview", **dict.fromkeys(OF_PACKAGE), package=taken.id)


def refused_upload() -> InspectorError | None:
    """Why the last upload was refused, if it was."""
    error: InspectorError | None = st.session_state.get(_REFUSED)
    return error


def forget_refused() -> None:
    """Say it no longer. For callbacks."""
    st.session_state[_REFUSED] = None


def problems() -> tuple[Sequence[Problem], int, int]:
    """Problems of the package in hand found so far, and how many of how many records were checked for them."""
    package = held()
    found = package.investigation
    if found.problems_complete:
        return found.problems, found.checked, found.total
    job = holding.check_job(package)
    if job.finished():
        checked = job.result()
        return checked.problems, checked.checked, checked.total
    return found.problems, job.done, found.total


# --- what core says about it (each worked out once per package)


def deliveries() -> Deliveries:
    """`core.delivery.deliver` of the package in hand."""
    return holding.deliveries(held())


def diagnosis() -> Diagnosis:
    """`core.diagnosis.diagnose` of the package in hand."""
    return holding.diagnosis(held())


def deliveries_now() -> Deliveries | None:
    """The deliveries, unless those of a large package are still being worked out (`behind` says how far that is)."""
    return holding.deliveries_now(held())


def diagnosis_now() -> Diagnosis | None:
    """The diagnosis, unless that of a large package is still being worked out (`behind` says how far that is)."""
    return holding.diagnosis_now(held())


def behind() -> tuple[str, Job[Any]] | None:
    """What of these is being worked out behind the page, for `jobs.behind`; None once all is there."""
    return holding.behind(held())


def part_verdicts() -> Mapping[int, Verdict]:
    """What each investigation of the file in hand came to, as far as it is known (`verdicts_behind`)."""
    return holding.part_verdicts(held())


def verdicts_behind() -> tuple[str, Job[Any]] | None:
    """The same as `behind`, for `part_verdicts`."""
    return holding.verdicts_behind(held())


def counts() -> Tally:
    """`core.tally.tally` of the package in hand."""
    return holding.counts(held())


MOST_FOUND: Final = 500


def search(text: str) -> tuple[tuple[Result, ...], bool]:
    """Distinct messages of all prompts that hold a text, and whether there are more than `MOST_FOUND`."""
    found = holding.searched(held(), text, MOST_FOUND + 1)
    return found[:MOST_FOUND], len(found) > MOST_FOUND


def payload(place: int, mode: str, group: str) -> bytes:
    """What the prompt viewer is sent for the decision at `place`; `group` is what `payload_group` gave."""
    return prompts.payload_of(held(), place, mode, group)


def place_in_prompt(key: DecisionKey, message: int, start: int) -> int:
    """Where byte `start` of a stored message stands in a decision's prompt as the viewer shows it, in UTF-16 units."""
    return prompts.place_in_prompt(held(), holding.positions(held())[key], message, start)


def payload_group(mode: str) -> str:
    """What names the package in hand and a mode to the viewer."""
    return prompts.group(held(), mode)


def decision_grade(place: int) -> Grade:
    """How sure a statement about the prompt at `place` is; its request hash is recomputed once."""
    return prompts.grade_of(held(), place)


def fragment_of_call(call_id: str | None) -> str | None:
    """The id of the fragment that a tool call returned, if one is recorded."""
    return None if call_id is None else prompts.call_names(held()).get(call_id)


def changes_at(place: int) -> Changes:
    """`core.changes` between the prompt at `place` and the one sent before it."""
    return prompts.changes_at(held(), place)


def placements(of: Decision) -> tuple[Placement, ...]:
    """How every earlier fragment stands in the prompt of a decision; empty if it was not sent, or not known yet."""
    found = deliveries_now()
    return () if found is None else found.column(of.key)


# --- the archive


def archive_entries() -> tuple[Entry, ...]:
    """The files in the server's archive folders: any of them may hold a recording."""
    return tuple(each for each in offer().entries if each.origin == "archive")


def archive_seen() -> Seen:
    """What is known of them; what is not is being read behind, unless that was stopped."""
    return listing.ARCHIVE.look(archive_entries())


def archive_known() -> Seen:
    """The same without reading anything."""
    return listing.ARCHIVE.known(archive_entries())


def archive_none() -> frozenset[str]:
    """Ids of the archive's files of which it is known that they hold no recording, or none that can be read."""
    answers = archive_known().answers
    return frozenset(name for name, answer in answers.items() if not isinstance(answer, tuple))


def stop_archive() -> None:
    """Read no more of the archive's files. For callbacks."""
    listing.ARCHIVE.stop()


def read_archive_on() -> None:
    """Read on. For callbacks."""
    listing.ARCHIVE.go_on()


# --- two packages


def other() -> Held | None:
    """The package to compare with, if one is chosen. Raises `InspectorError` where it cannot be opened."""
    chosen = view()["other"]
    entry = next((each for each in entries() if each.id == chosen), None)
    return None if entry is None else holding.hold(entry, view()["other_part"])


def swapped(**values: Any) -> dict[str, Any]:
    """The changes that make the other package the one in hand, and this one the other."""
    now = view()
    turned = {"package": now["other"], "part": now["other_part"], "other": now["package"], "other_part": now["part"]}
    return dict.fromkeys(OF_PACKAGE) | turned | values
