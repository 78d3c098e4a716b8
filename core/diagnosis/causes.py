"""The cause of one repeat, judged in the prompt of the decision that repeats. One function a cause, in order.

Each check gives the proof, or None where it cannot be proven. The first that can is the cause; nothing is guessed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import words
from .findings import Proof
from .structural import marked

if TYPE_CHECKING:
    from collections.abc import Callable

    from .case import Case
    from .findings import Cause


def uncertain_outcome(case: Case) -> Proof | None:
    """The outcome of the earlier lookup was never known: asking again may be right."""
    if case.fragment.status != "uncertain":
        return None
    return _proof(
        case, f"is not known: the outcome of the lookup of {words.decision(case.earlier.step.key)} was never recorded"
    )


def overwritten(case: Case) -> Proof | None:
    """Absent, the repaired memory would have kept it where it was dropped, and a newer result stands there instead."""
    if not case.missing or case.would_be_kept is not True or case.dropped_at is None or marked(case) is not None:
        return None
    if not case.newcomers or not _displaced(case):
        return None
    newer = case.evidence.history.fragments[case.newcomers[-1]]
    free = f", and {words.size(case.budget.free)} of budget were free" if case.budget is not None else ""
    detail = (
        f"{_was(case)}, was replaced at {words.decision(case.dropped_at.key)} by {words.lookup(newer.lookup)} "
        f"{words.result(newer)}{free}"
    )
    return _proof(case, detail, replaced_by=newer.id)


def _displaced(case: Case) -> bool:
    """Whether the newer result took its place, rather than it having been left out on its own.

    A body that had been there and left when the newer one came was displaced. One that never was there was displaced if
    nothing older was kept either; where nothing older could be, the prompt's own ledger decides whether the recorder
    believed that it still stood there.
    """
    if case.last_delivered is not None:
        return True
    evidence, step = case.evidence, case.dropped_at
    older = [other.id for other in evidence.history.fragments[: case.number]]
    if step is None or any(evidence.keeps(step, other) for other in older):
        return False
    replayed = evidence.replayed(step)
    kept = {body.fragment for body in replayed.carried if body.sent_bytes > 0} if replayed is not None else set()
    if kept.intersection(older):
        return True
    placement = evidence.deliveries.at(case.fragment.id, step.key)
    return placement is not None and not placement.silent_absence


def never_supplied(case: Case) -> Proof | None:
    """Completed, but no sent prompt ever carried it, although the repaired memory would have."""
    if case.fragment.status != "completed" or not case.missing or case.last_delivered is not None:
        return None
    if case.would_be_kept is not True or case.dropped_at is None or marked(case) is not None:
        return None
    detail = f"was in none of the prompts sent since ({len(case.prompts)}), although it fitted into the budget"
    return _proof(case, detail)


def stale(case: Case) -> Proof | None:
    """A later version of one of its files is recorded: it needed the new one."""
    mine = {source.path: source.hash for source in case.fragment.sources if source.hash is not None}
    for number, other in enumerate(case.evidence.history.fragments):
        if number <= case.number or other.requested_by is None or other.requested_by > case.ask.step.key[0]:
            continue
        for source in other.sources:
            if source.hash is not None and mine.get(source.path, source.hash) != source.hash:
                detail = f"is of an older version: {words.short(source.path)} has another content hash in {words.lookup(other.lookup)}"
                return _proof(case, f"{detail}, asked for at decision {other.requested_by}")
    return _patched(case, set(mine))


def _patched(case: Case, paths: set[str]) -> Proof | None:
    for step in case.evidence.history.later_steps(case.earlier.step, case.ask.step):
        changed = paths.intersection(step.patched)
        if changed:
            detail = (
                f"is of an older version: {words.short(min(changed))} was patched before {words.decision(step.key)}"
            )
            return _proof(case, detail)
    return None


def compacted(case: Case) -> Proof | None:
    """Absent, and a structural marker says that a summary replaced it."""
    return _by_marker(case, "compacted")


def cleared(case: Case) -> Proof | None:
    """Absent, and a structural marker says that it was blanked in place."""
    return _by_marker(case, "cleared")


def _by_marker(case: Case, kind: str) -> Proof | None:
    found = marked(case) if case.missing else None
    return None if found is None or found.kind != kind else _proof(case, f"{_was(case)} and is gone: {found.sentence}")


def evicted(case: Case) -> Proof | None:
    """Absent, and the repaired memory drops it too: bounded memory."""
    if not case.missing or case.would_be_kept is not False or marked(case) is not None or case.dropped_at is None:
        return None
    sums = ""
    if case.budget is not None:
        sums = (
            f": {words.size(case.budget.needed)} with its heading, of {words.size(case.budget.available)} for all blocks,"
            f" {words.size(case.budget.free)} free"
        )
    body = case.replayed_body
    why = "it did not fit" if body is not None and body.state == "no room" else "it made room for newer results"
    return _proof(case, f"{_was(case)} and was dropped at {words.decision(case.dropped_at.key)}, as {why}{sums}")


def truncated(case: Case) -> Proof | None:
    """Only its beginning stands in the prompt: bounded memory."""
    placement = case.placement
    if placement is None or placement.state != "cut":
        return None
    said = "and the prompt says so" if placement.guidance else "and the prompt does not say so"
    kept = f"{placement.received_bytes:,} of {words.size(placement.total_bytes)}"
    where = f"{words.decision(case.ask.step.key)}'s prompt"
    return _proof(case, f"is cut in {where}: {kept} ({words.bytes_of(placement)}), {said}")


def delivered(case: Case) -> Proof | None:
    """Whole, in the very prompt whose reply asked again: only now is model attention a candidate."""
    placement = case.placement
    if placement is None or placement.state != "whole":
        return None
    prompt = f"{words.decision(case.ask.step.key)}'s prompt"
    if not placement.total_bytes:
        return _proof(case, f"is empty, and stands so in {prompt} ({words.message_of(placement)})")
    return _proof(case, f"stands whole in {prompt} ({words.bytes_of(placement)})")


CHECKS: tuple[tuple[Cause, Callable[[Case], Proof | None]], ...] = (
    ("uncertain_outcome", uncertain_outcome),
    ("overwritten", overwritten),
    ("never_supplied", never_supplied),
    ("stale", stale),
    ("compacted", compacted),
    ("cleared", cleared),
    ("evicted", evicted),
    ("truncated", truncated),
    ("delivered", delivered),
)
"""In the order in which they are judged."""


def unknown(case: Case) -> Proof:
    """No check could be proven: say what the texts prove all the same, and which fact is missing."""
    fact = _missing_fact(case)
    detail = _seen(case) if case.missing else NOT_JUDGED
    if fact == NO_REPLAY and case.evidence.retained is not None and case.evidence.retained.missing:
        detail += f", and a replay cannot say ({case.evidence.retained.missing[0]})"
    return _proof(case, detail, missing_fact=fact)


def _seen(case: Case) -> str:
    """How long a missing body stood in the prompts, and since when it does not."""
    here, gone = _in_its_place(case), case.dropped_at
    if case.last_delivered is None or gone is None:
        count = len(case.prompts)
        prompts = "the one prompt" if count == 1 else f"none of the {count:,} prompts"
        stood = f"did not stand in {prompts}" if count == 1 else f"stood in {prompts}"
        asked = words.decision(case.earlier.step.key)
        return f"was asked for at {asked} and {stood} sent since{here}; what kept it out is not recorded"
    before = case.evidence.deliveries.at(case.fragment.id, case.last_delivered.key)
    how = "cut" if before is not None and before.state == "cut" else "whole"
    return (
        f"was {how} in {words.decision(case.last_delivered.key)}'s prompt and is gone from {words.decision(gone.key)} on"
        f"{here}; what removed it is not recorded"
    )


def _in_its_place(case: Case) -> str:
    """What of it the prompt that repeats holds all the same."""
    placement = case.placement
    prompt = f"{words.decision(case.ask.step.key)}'s"
    if placement is None or placement.state == "absent":
        return ""
    if placement.state == "overlap":
        through = ", ".join(map(words.short, placement.through[:2]))
        return f" ({prompt} holds some of its lines, through {through})"
    if placement.state == "coincidental":
        return f" (its bytes stand in {prompt}, where they prove nothing)"
    silent = ", which does not say that the body is gone" if placement.silent_absence else ""
    return f" ({prompt} holds only its marker{silent})"


NOT_JUDGED = "cannot be judged"


NO_RESULT = "the result of the earlier lookup is not recorded"
NOT_KNOWN_IF_SENT = "whether this prompt was sent is not recorded"
NOT_SENT = "this prompt was not sent, so that it delivered nothing"
NOT_READABLE = "this prompt cannot be read in full"
NOT_KNOWN_IF_EARLIER = "whether the earlier result existed before this prompt is not recorded"
NO_BUDGET = "no budget (context_bytes) and no marker of a compaction or clearing is recorded"
NOT_REACHED = "a limit would have ended a replay before this prompt: what it would have carried is not defined"
NO_REPLAY = "no replay can say what this prompt should have carried"
NOTHING_SAYS = "nothing recorded says what removed it"
MISSING_FACTS = (
    NO_RESULT,
    NOT_KNOWN_IF_SENT,
    NOT_SENT,
    NOT_READABLE,
    NOT_KNOWN_IF_EARLIER,
    NO_BUDGET,
    NOT_REACHED,
    NO_REPLAY,
    NOTHING_SAYS,
)
"""All facts whose absence makes a cause unknown."""


def _missing_fact(case: Case) -> str:
    if case.ask.step.sent is not True:
        return NOT_KNOWN_IF_SENT if case.ask.step.sent is None else NOT_SENT
    if case.placement is None:
        readable = case.evidence.deliveries.readable(case.ask.step.key)
        return NOT_KNOWN_IF_EARLIER if readable else NOT_READABLE
    if case.evidence.investigation.limits.context_bytes is None:
        return NO_BUDGET
    if case.dropped_at is None:
        return NOTHING_SAYS
    replayed = case.evidence.replayed(case.dropped_at)
    if replayed is None:
        return NO_REPLAY
    return NOTHING_SAYS if replayed.reached else NOT_REACHED


def _was(case: Case) -> str:
    if case.last_delivered is None:
        return "was in no prompt before"
    return f"was in {words.decision(case.last_delivered.key)}'s prompt"


def _proof(case: Case, detail: str, *, replaced_by: str | None = None, missing_fact: str | None = None) -> Proof:
    return Proof(
        detail=detail,
        placement=case.placement,
        budget=case.budget,
        last_delivered=None if case.last_delivered is None else case.last_delivered.key,
        dropped_at=None if case.dropped_at is None else case.dropped_at.key,
        replaced_by=replaced_by,
        missing_fact=missing_fact,
    )
