"""The whole run in one sentence that a person can paste into an issue."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import words
from .findings import DELIVERY_FAULTS, Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..grade import Grade
    from ..model import RepliesOrigin
    from .case import Evidence
    from .findings import Cause, Pattern, Repeat
    from .history import Step

GATE = "repetition_gate"
LIMITS = ("call_limit", "prompt_limit", "context_limit")
"""What ends a run that got no further. A reply that chose to stop is no stall, nor is a purse that was empty (`cost_limit`
of other agents): such a run may have been making progress, and stalled only if it ends in an unchanged cycle."""

MEANING: dict[Cause, str] = {
    "uncertain_outcome": "uncertain outcome, asking again may have been right",
    "overwritten": "overwritten, not a matter of attention",
    "never_supplied": "never supplied, not a matter of attention",
    "stale": "stale, it needed the new version",
    "compacted": "compacted by the agent itself: bounded memory",
    "cleared": "cleared by the agent itself: bounded memory",
    "evicted": "evicted: bounded memory, ask for a narrower range",
    "truncated": "truncated: bounded memory, was the needed part cut?",
    "delivered": "delivered, so model attention is a candidate",
    "unknown": "cause unknown",
}


def verdict(evidence: Evidence, repeats: Sequence[Repeat], patterns: Sequence[Pattern], grade: Grade) -> Verdict:
    """Say whether the run stalled, where, and why, with the evidence grade and the origin of the replies."""
    steps = [step for step in evidence.history.steps if step.outcome is not None or step.sent is True]
    if not steps:
        return Verdict(False, None, None, "No decision of this recording was sent: there is nothing to say about it.")
    last = steps[-1]
    by = last.outcome.by if last.outcome is not None and last.outcome.kind == "stopped" else None
    ending = [repeat for repeat in repeats if repeat.decision == last.key]
    if by == GATE:
        found = _stopped(evidence, last, ending, "the repetition gate")
    elif by in LIMITS:
        found = _at_limit(evidence, last, by, repeats)
    elif (cycle := _final_cycle(evidence, patterns, last)) is not None:
        found = _in_cycle(evidence, last, cycle, ending or [r for r in repeats if r.decision in cycle.decisions])
    else:
        found = _not_stalled(last, repeats)
    sentence = f"{found.sentence}{_honesty(evidence.investigation.replies, grade)}"
    return Verdict(found.stalled, found.decision, found.cause, sentence)


def explain(evidence: Evidence, repeat: Repeat) -> str:
    """One repeat in a clause: what was asked, what became of its result, the cause."""
    fragment = evidence.fragment_of.get(repeat.fragment or "")
    what = "" if fragment is None else f" {words.result(fragment)}"
    return f"{_asked(evidence, repeat)} was repeated; its result{what} {_why(repeat)}"


def _asked(evidence: Evidence, repeat: Repeat) -> str:
    for ask in evidence.history.asks:
        if ask.step.key == repeat.decision and ask.identity == repeat.identity:
            return words.lookup(ask.lookup)
    return "a lookup"


def _why(repeat: Repeat) -> str:
    fact = f" ({repeat.proof.missing_fact})" if repeat.proof.missing_fact else ""
    return f"{repeat.proof.detail}{fact}: {MEANING[repeat.cause]}"


def _stopped(evidence: Evidence, last: Step, ending: list[Repeat], gate: str) -> Verdict:
    where = f"Stopped at {words.decision(last.key)} by {gate}"
    if not ending:
        return Verdict(True, last.key, None, f"{where}, but no repeated lookup is recorded there.")
    worst = next((repeat for repeat in ending if repeat.cause in DELIVERY_FAULTS), ending[0])
    return Verdict(True, last.key, worst.cause, f"{where}: {explain(evidence, worst)}.")


def _at_limit(evidence: Evidence, last: Step, by: str, repeats: Sequence[Repeat]) -> Verdict:
    sent = "" if last.sent is True else ", its prompt was not sent"
    where = f"Stopped at {words.decision(last.key)} by the {words.short(by).replace('_', ' ')}{sent}"
    return _with_repeats(evidence, True, last, where, repeats)


def _in_cycle(evidence: Evidence, last: Step, cycle: Pattern, inside: list[Repeat]) -> Verdict:
    where = f"Ended at {words.decision(last.key)} in an unchanged cycle ({cycle.sentence})"
    return _with_repeats(evidence, True, last, where, inside)


def _not_stalled(last: Step, repeats: Sequence[Repeat]) -> Verdict:
    outcome = last.outcome
    ended = "ended"
    if outcome is not None:
        ended = {"patched": "ended patched", "failed": "ended failed", "continued": "ends"}.get(outcome.kind, "stopped")
        if outcome.by and outcome.kind in {"stopped", "failed"}:
            ended += f" by {words.short(outcome.by).replace('_', ' ')}"
    where = f"No stall: the run {ended} at {words.decision(last.key)}"
    if not repeats:
        return Verdict(False, last.key, None, f"{where}, and no lookup was repeated.")
    return Verdict(False, last.key, None, f"{where}; {_counted(repeats)}.")


def _with_repeats(evidence: Evidence, stalled: bool, last: Step, where: str, repeats: Sequence[Repeat]) -> Verdict:
    if not repeats:
        return Verdict(stalled, last.key, None, f"{where}; no lookup was repeated.")
    worst = next((repeat for repeat in repeats if repeat.cause in DELIVERY_FAULTS), repeats[-1])
    clause = explain(evidence, worst)
    return Verdict(
        stalled, last.key, worst.cause, f"{where}; {_counted(repeats)}; at {words.decision(worst.decision)} {clause}."
    )


def _counted(repeats: Sequence[Repeat]) -> str:
    causes: dict[str, int] = {}
    for repeat in repeats:
        causes[repeat.cause] = causes.get(repeat.cause, 0) + 1
    shares = ", ".join(f"{count} {cause.replace('_', ' ')}" for cause, count in causes.items())
    return f"{len(repeats)} repeated lookup{'' if len(repeats) == 1 else 's'} ({shares})"


def _final_cycle(evidence: Evidence, patterns: Sequence[Pattern], last: Step) -> Pattern | None:
    """The unchanged cycle in which a run ended: in its last turn, or in the middle of another one.

    A last decision without a reply (cut off by a limit) does not get a run out of its cycle; one that answers does.
    """
    asks = [ask for ask in evidence.history.asks if ask.step.chain == last.chain]
    if not asks or not _ended_asking(evidence, asks[-1].step):
        return None
    for cycle in patterns:
        if cycle.kind != "cycle" or not cycle.stall:
            continue
        keys = set(cycle.decisions)
        walked = [place for place, ask in enumerate(asks) if ask.step.key in keys]
        rest = [] if not walked else [ask.identity for ask in asks[walked[-1] + 1 :]]
        turn = [ask.identity for ask in asks[max(walked[-1] + 1 - cycle.length, 0) : walked[-1] + 1]] if walked else []
        if walked and len(rest) < len(turn) and rest == turn[: len(rest)]:
            return cycle
    return None


def _ended_asking(evidence: Evidence, asked: Step) -> bool:
    """Whether nothing was said after a step: later decisions, if any, have no reply."""
    decisions = evidence.investigation.decisions
    later = (decisions[place] for place in range(asked.place + 1, len(decisions)))
    return all(each.reply is None or not (each.reply.text or each.reply.patch or each.reply.stop) for each in later)


def _honesty(replies: RepliesOrigin, grade: Grade) -> str:
    said = []
    if replies == "scripted":
        said.append("Replies are scripted: this verifies delivery, not reasoning.")
    if grade.name != "recorded bytes":
        said.append(f"Evidence grade: {grade.name}.")
    return "".join(f" {each}" for each in said)
