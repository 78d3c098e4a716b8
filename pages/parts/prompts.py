"""Behind `state.py`: what the prompt viewer is sent for one decision in one mode, kept for the decisions around it."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Final

from core.canonical import utf8
from core.changes import changes
from core.grade import decision_grade
from core.wording import key_text

from .holding import decision_at, deliveries_now, fragment_names, kept
from .palette import KIND_IDS
from .viewer import compose
from .viewer.payload import Part, payload, shown_length

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from core.changes import Changes
    from core.delivery import Placement
    from core.grade import Grade
    from core.model import Decision

    from .holding import Held
    from .viewer.compose import Naming

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
    known = held.investigation.prompts == "rebuilt" or bool(decision.missing)
    found = deliveries_now(held)
    if (
        found is None
    ):  # the names of a large package's fragments come with their places: reading them takes most of a second
        parts = _parts(held, place, mode, compose.naming({}, {}), ())
        return payload(revision, name, parts, KIND_IDS, note, known=known)
    naming = compose.naming(fragment_names(held), call_names(held))
    placements = found.column(decision.key)
    parts = _parts(held, place, mode, naming, placements)
    stands = compose.standing(decision, placements, naming)
    return payload(revision, name, parts, KIND_IDS, note, known=known, stands=stands)


def _parts(held: Held, place: int, mode: str, name: Naming, placements: Sequence[Placement]) -> list[Part]:
    decision = decision_at(held, place)
    if mode == "raw":
        return compose.raw(decision)
    if mode == "changed":
        return compose.changed(previous_sent(held, place), decision, changes_at(held, place), name)
    return compose.received(decision, placements, name)


def place_in_prompt(held: Held, place: int, message: int, start: int) -> int:
    """Where byte `start` of the stored message `message` stands in the prompt at `place` as received, in UTF-16 units; 0 if not there."""
    decision = decision_at(held, place)
    if message not in decision.message_ids:
        return 0
    position = decision.message_ids.index(message)
    messages = decision.messages
    inside = utf8(messages[position].text)[:start].decode("utf-8", "surrogatepass")
    return shown_length("".join(each.text for each in messages[:position])) + shown_length(inside)


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
