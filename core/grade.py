"""How sure a statement about a prompt is. Nothing is shown as verified that was not checked just now."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from .errors import InspectorError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .model import Decision, Investigation, Message, PromptsOrigin

GradeName: TypeAlias = Literal["recorded bytes", "recorded messages", "rebuilt", "unknown"]

GRADES: tuple[GradeName, ...] = ("recorded bytes", "recorded messages", "rebuilt", "unknown")
"""From the surest to the least sure; a whole is as sure as its least sure part."""


EARLIER_INPUT = "earlier input"
"""In `missing`: the request named earlier input by an id (`previous_response_id`) that the recording does not hold."""


@dataclass(frozen=True, slots=True)
class Grade:
    """One grade with its `reason` in a sentence, and `missing`: what the wire had and the recording has not."""

    name: GradeName
    reason: str
    missing: tuple[str, ...] = ()


def decision_grade(
    decision: Decision, prompts: PromptsOrigin = "unknown", *, unreadable: Sequence[int] | None = None
) -> Grade:
    """The grade of what is said about this decision's prompt; `prompts` is the investigation's.

    Recomputes the request hash where there is one: the cost of reading and hashing the prompt. `unreadable` holds the
    positions in the decision's `store`, ascending, of messages that cannot be read; where given, no message is read for it.
    """
    missing = decision.missing
    if decision.problem is not None:
        return Grade("unknown", f"the record cannot be read: {decision.problem.what}", missing)
    if unreadable is None:
        unreadable = _unreadable(decision.store, decision.message_ids)
    if any(bisect_left(unreadable, start) < bisect_left(unreadable, start + count) for start, count in decision.slices):
        return Grade("unknown", "a message of this prompt cannot be read", missing)
    within = all(start >= 0 and start + count <= len(decision.store) for start, count in decision.slices)
    if not within or not any(count > 0 for _, count in decision.slices):
        return Grade("unknown", "the recording does not hold the messages of this prompt", missing)
    if EARLIER_INPUT in missing:
        return Grade("unknown", "the request goes on from earlier input that the recording does not hold", missing)
    if prompts == "unknown":
        return Grade("unknown", "the recording does not say where its prompts come from", missing)
    if prompts == "rebuilt":
        said = (
            f"put together from a transcript, without {', '.join(missing)}"
            if missing
            else "put together from a transcript"
        )
        return Grade("rebuilt", said, missing)
    if decision.request_hash is None:
        return Grade(
            "recorded messages", "the messages are stored, with no request hash to check them against", missing
        )
    return _checked(decision)


def prompt_text(decision: Decision, found: Grade) -> str:
    """What the text of a prompt is, in a sentence, as far as its grade allows: never more exact than the recording."""
    lacks = f"; not recorded: {', '.join(decision.missing)}" if decision.missing else ""
    sent = {True: "was sent", False: "was to be sent", None: "may have been sent"}[decision.sent]
    if found.name == "recorded bytes":
        return f"The text this decision {sent}, to the byte{lacks}."
    if found.name == "recorded messages":
        return f"The messages as recorded{lacks}."
    size = f"{decision.prompt_bytes:,} B known"
    if found.name == "rebuilt":
        return f"Put together from the transcript: {size}{lacks}."
    return f"What the recording holds of this prompt: {size}{lacks}."


def _unreadable(store: Sequence[Message], places: Iterable[int]) -> list[int]:
    return sorted({place for place in places if 0 <= place < len(store) and store[place].problem is not None})


def _checked(decision: Decision) -> Grade:
    try:
        found = decision.computed_request_hash()
    except InspectorError as error:
        return Grade("recorded messages", f"the request hash cannot be recomputed: {error}", decision.missing)
    if found != decision.request_hash:
        reason = f"the request hash does not match: recorded {decision.request_hash}, recomputed {found}"
        return Grade("recorded messages", reason, decision.missing)
    return Grade("recorded bytes", "the request hash was recomputed just now and matches", decision.missing)


def grade(investigation: Investigation, unreadable: Sequence[int] | None = None) -> Grade:
    """The grade of the whole: that of its least sure sent decision, with how many decisions have each grade.

    `unreadable`: positions, ascending, of the messages of sent prompts that cannot be read, for callers that know them
    (`Deliveries.lost`); without it every message is read once, however many prompts share it.
    """
    store = investigation.messages
    if unreadable is None:
        unreadable = _unreadable(store, range(len(store)))
    grades = [
        decision_grade(each, investigation.prompts, unreadable=unreadable if each.store is store else None)
        for each in investigation.decisions
        if each.sent is True
    ]
    if not grades:
        return Grade("unknown", "no decision is recorded as sent")
    worst = max(grades, key=lambda each: GRADES.index(each.name))
    counts = Counter(each.name for each in grades)
    missing = tuple(dict.fromkeys(item for each in grades for item in each.missing))
    if len(counts) == 1:
        return Grade(worst.name, f"all {len(grades)} sent decisions: {worst.reason}", missing)
    shares = ", ".join(f"{counts[name]} {name}" for name in GRADES if counts[name])
    return Grade(worst.name, f"{shares}; the least sure: {worst.reason}", missing)
