"""Words and tags that more than one page shows: origins, grades, causes, findings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from core.readers import READERS
from core.wording import near_repeat_text, repeat_text

from .panel import el

if TYPE_CHECKING:
    from core.catalogue import Listed
    from core.diagnosis import Diagnosis, Verdict
    from core.grade import Grade
    from core.model import DecisionKey, Investigation

    from .panel import Node

PROMPTS: Final = {
    "recorded": ("recorded prompts", "good", "The transmitted strings themselves are stored."),
    "rebuilt": ("rebuilt prompts", "warn", "Put together from a transcript by a reader; not the wire bytes."),
    "unknown": ("prompts of unknown origin", "warn", "The package does not say where its prompts come from."),
}
REPLIES: Final = {
    "model": ("model replies", "info", "A model answered."),
    "scripted": ("scripted replies", "info", "Predetermined substitutes: this run verifies delivery, not reasoning."),
    "unknown": ("replies of unknown origin", "warn", "The package does not say who answered."),
}
GRADES: Final = {"recorded bytes": "good", "recorded messages": "info", "rebuilt": "warn", "unknown": "bad"}
FAULTS: Final = ("overwritten", "never_supplied")


@dataclass(frozen=True, slots=True)
class Found:
    """One row of the findings table."""

    kind: str
    tone: str
    sentence: str
    decision: DecisionKey | None
    fragment: str | None


def origins(investigation: Investigation) -> tuple[Node, ...]:
    """Whether prompts are recorded or rebuilt, and who replied: shown wherever a prompt or a verdict is."""
    said = PROMPTS[investigation.prompts], REPLIES[investigation.replies]
    return tuple(el("span", label, cls=f"tag {tone}", tip=tip) for label, tone, tip in said)


def reader(name: str) -> str:
    """What a person calls the kind of a recording: `Claude Code session`."""
    known = READERS.get(name)
    return known.title.removeprefix("a ") if known else name


def grade(found: Grade) -> Node:
    """How sure a statement is, with its reason on hover."""
    return el("span", f"grade: {found.name}", cls=f"tag {GRADES.get(found.name, '')}", tip=found.reason)


def verdict_tone(found: Verdict) -> str:
    """How a card with a verdict is coloured: only a run against which nothing stands is green."""
    if found.stalled:
        return "bad"
    if found.looped or (found.decision is not None and not found.clear):
        return "warn"
    return "good" if found.decision is not None else "info"


def standing(found: Verdict | Listed) -> Node | None:
    """`stalled` or `looped` as a tag; nothing where a run is neither."""
    if found.stalled:
        return el("span", "stalled", cls="tag bad")
    tip = "It walked an unchanged cycle, and got out of it." if found.looped else None
    return el("span", "looped", cls="tag warn", tip=tip) if found.looped else None


def cause(name: str) -> str:
    """A cause as it is said: `never supplied`."""
    return name.replace("_", " ")


def cause_tone(name: str) -> str:
    """Whether a cause is a fault of delivery, bounded memory at work, or something else."""
    if name in FAULTS:
        return "bad"
    return "info" if name in ("delivered", "uncertain_outcome", "stale") else "warn"


def finding_rows(diagnosis: Diagnosis) -> list[Found]:
    """Repeats, patterns, findings and near repeats, in that order."""
    rows = [
        Found(f"repeat: {cause(each.cause)}", cause_tone(each.cause), repeat_text(each), each.decision, each.fragment)
        for each in diagnosis.repeats
    ]
    for pattern in diagnosis.patterns:
        where = pattern.decisions[0] if pattern.decisions else None
        rows.append(Found(cause(pattern.kind), "warn" if pattern.stall else "good", pattern.sentence, where, None))
    rows += [
        Found(cause(each.kind), "warn", each.sentence, each.decision, each.fragment) for each in diagnosis.findings
    ]
    rows += [Found("near repeat", "", near_repeat_text(each), each.decision, None) for each in diagnosis.near_repeats]
    return rows
