"""Behind `state.py`: what the prompt viewer is sent for one decision in one mode, kept for the decisions around it."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Final

from core.changes import changes
from core.grade import decision_grade
from core.wording import key_text

from .holding import decision_at, deliveries_now, fragment_names, kept
from .palette import KIND_IDS
from .viewer import compose
from .viewer.payload import Part, payload

if TYPE_CHECKING:
    from collections.abc import Mapping

    from core.changes import Changes
    from core.grade import Grade
    from core.model import Decision

    from .holding import Held

_KEPT: Final = 96


def group(held: Held, mode: str) -> str:
    """What names a package and a mode to the browser, so that nothing of another one is ever shown: `PACKAGE.MODE`.

    The second part changes also when the fragments of a large package are found: the same places, their texts sent anew.
    """
    known = "" if deliveries_now(held) is not None else "|fragments not yet found"
    return f"{_short(held.key)}.{_short(mode + known)}"


def _short(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


@kept(_KEPT)
def payload_of(held: Held, place: int, mode: str, named: str) -> bytes:
    """The bytes for the decision at `place`, in one of `addresses.MODES`; `named` is what `group` gave for this run.

    While the fragments of a large package are still being looked for, the text comes without the places of their bodies.
    """
    decision = decision_at(held, place)
    revision = f"{named}:{place}"
    name = f"Decision {key_text(decision.key)}"
    if decision.problem is not None:
        return payload(revision, name, [], KIND_IDS, f"This record cannot be read: {decision.problem.what}.")
    note = {
        True: "",
        False: "This prompt was not sent.",
        None: "It is not known whether this prompt was sent.",
    }[decision.sent]
    return payload(revision, name, _parts(held, place, mode), KIND_IDS, note)


def _parts(held: Held, place: int, mode: str) -> list[Part]:
    decision = decision_at(held, place)
    found = deliveries_now(held)
    # The names of a large package's fragments come with their places: reading all of them takes most of a second.
    name = compose.naming({}, {}) if found is None else compose.naming(fragment_names(held), call_names(held))
    if mode == "raw":
        return compose.raw(decision)
    if mode == "changed":
        return compose.changed(previous_sent(held, place), decision, changes_at(held, place), name)
    return compose.received(decision, () if found is None else found.column(decision.key), name)


@kept(_KEPT)
def changes_at(held: Held, place: int) -> Changes:
    """What changed since the prompt before the one at `place` (`previous_sent`)."""
    return changes(previous_sent(held, place), decision_at(held, place))


def previous_sent(held: Held, place: int) -> Decision | None:
    """The decision whose prompt is the one before this: the last that was sent, else the last stored one."""
    every = held.investigation.decisions
    found = next((near for near in range(place - 1, -1, -1) if every[near].sent is True), place - 1)
    return decision_at(held, found) if place else None


@kept(_KEPT)
def call_names(held: Held) -> Mapping[str, str]:
    """Tool call id → id of the fragment that it returned."""
    return {fragment.call_id: fragment.id for fragment in held.investigation.fragments if fragment.call_id is not None}


@kept(_KEPT)
def grade_of(held: Held, place: int) -> Grade:
    """The evidence grade of one prompt."""
    found = held.investigation
    return decision_grade(decision_at(held, place), found.prompts)
