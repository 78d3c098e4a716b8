"""What a recording says, by structural markers only, about a body that left: summaries and blanking in place.

Words in a text never count: prose that says "compact" is prose.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from . import words

if TYPE_CHECKING:
    from .case import Case
    from .history import Step


@dataclass(frozen=True, slots=True)
class Marked:
    """A marker that explains the absence, and the step that carries it."""

    kind: Literal["compacted", "cleared"]
    step: Step
    sentence: str


def marked(case: Case) -> Marked | None:
    """The marker between the last prompt with the body and the first without it, if there is one."""
    dropped = case.dropped_at
    if dropped is None:
        return None
    since = case.last_delivered or case.earlier.step
    steps = list(case.evidence.history.later_steps(since, dropped))
    return _cleared(case, steps, dropped) or _compacted(case, steps, dropped)


def _cleared(case: Case, steps: list[Step], dropped: Step) -> Marked | None:
    for step in steps:
        if any(event.kind == "cleared" and case.fragment.id in event.fragments for event in step.events):
            return Marked("cleared", step, f"{words.decision(step.key)} records that it was blanked in place")
    placement = case.evidence.deliveries.at(case.fragment.id, dropped.key)
    if placement is not None and placement.marker is not None:
        messages = case.evidence.investigation.decisions[dropped.place].messages
        place = placement.marker.message
        if place < len(messages) and messages[place].stands_for == "placeholder":
            return Marked("cleared", dropped, f"a placeholder stands for it in {words.decision(dropped.key)}")
    return None


def _compacted(case: Case, steps: list[Step], dropped: Step) -> Marked | None:
    for step in steps:
        if any(event.kind == "compaction" for event in step.events):
            return Marked("compacted", step, f"{words.decision(step.key)} begins after a compaction")
    now = _summaries(case, dropped)
    before = _summaries(case, case.last_delivered) if case.last_delivered is not None else set()
    if now - before:
        return Marked("compacted", dropped, f"a summary stands for it in {words.decision(dropped.key)}")
    return None


def _summaries(case: Case, step: Step) -> set[int]:
    found = case.evidence.investigation.decisions[step.place]
    pairs = zip(found.message_ids, found.messages, strict=False)
    return {place for place, message in pairs if message.stands_for == "summary"}
