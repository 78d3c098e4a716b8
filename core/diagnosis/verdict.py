"""The whole run in one sentence that a person can paste into an issue."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ..wording import causes_text
from . import words
from .findings import DELIVERY_FAULTS, Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..grade import Grade
    from ..model import RepliesOrigin
    from .case import Evidence
    from .findings import Cause, Finding, Pattern, Repeat
    from .history import Step

GATE = "repetition_gate"
LIMITS = ("call_limit", "prompt_limit", "context_limit")
"""What ends a run that got no further. A reply that chose to stop is no stall, nor is a purse that was empty (`cost_limit`
of other agents): such a run may have been making progress, and stalled only if it ends in an unchanged cycle."""

BY_LIMIT = (*LIMITS, "cost_limit", "time_limit")
"""What ends a run that had not come to an end of its own."""

MEANING: dict[Cause, str] = {
    "uncertain_outcome": "uncertain outcome, asking again may have been right",
    "overwritten": "overwritten, not a matter of attention",
    "never_supplied": "never supplied, not a matter of attention",
    "stale": "stale, it needed the new version",
    "compacted": "compacted by the agent itself: bounded memory",
    "cleared": "cleared by the agent itself: bounded memory",
    "evicted": "evicted: bounded memory, ask for a narrower range",
    "truncated": "truncated: bounded memory, the part that was needed may be the one that was cut",
    "delivered": "delivered, so model attention is a candidate",
    "unknown": "cause unknown",
}


def verdict(
    evidence: Evidence, repeats: Sequence[Repeat], patterns: Sequence[Pattern], lost: Sequence[Finding], grade: Grade
) -> Verdict:
    """Say whether the run stalled, where, and why, with the evidence grade and the origin of the replies.

    `lost`: the findings of results that never reached a prompt.
    """
    steps = [step for step in evidence.history.steps if step.outcome is not None or step.sent is True]
    unread = _unread(evidence)
    if not steps:
        said = "No decision of this recording was sent: there is nothing to say about it."
        return Verdict(False, None, None, said + unread)
    last = steps[-1]
    by = last.outcome.by if last.outcome is not None and last.outcome.kind == "stopped" else None
    ending = [repeat for repeat in repeats if repeat.decision == last.key]
    loop = _loop(evidence, patterns, last)
    if by == GATE:
        found = _stopped(evidence, last, ending, "the repetition gate")
    elif by in LIMITS:
        found = _at_limit(evidence, last, by, repeats)
    elif (cycle := _ended_in(evidence, patterns, last)) is not None:
        found = _in_cycle(evidence, last, cycle, repeats)
    elif loop is not None:
        found = _looped(evidence, last, loop, repeats)
    else:
        found = _not_stalled(last, repeats)
    unexplained = any(repeat.cause in {*DELIVERY_FAULTS, "unknown"} for repeat in repeats)
    clear = not (found.stalled or loop or unexplained or lost or unread or by in BY_LIMIT)
    sentence = f"{found.sentence}{_never(found, lost)}.{unread}{_honesty(evidence.investigation.replies, grade)}"
    return replace(found, sentence=sentence, looped=loop is not None, clear=clear)


def _never(found: Verdict, lost: Sequence[Finding]) -> str:
    """How many completed results never reached a prompt, the one that the sentence names left out."""
    named = None if found.repeat is None else found.repeat.fragment
    rest = sum(1 for finding in lost if finding.fragment != named)
    more = "more " if rest < len(lost) else ""
    return f"; {rest:,} {more}completed result{'' if rest == 1 else 's'} never reached a prompt" if rest else ""


def _unread(evidence: Evidence) -> str:
    """How many decisions could not be read: what they would have said is missing in everything else."""
    decisions = evidence.investigation.decisions
    count = sum(1 for decision in decisions if decision.problem is not None)
    return f" {count:,} of {len(decisions):,} decisions could not be read." if count else ""


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
        return Verdict(True, last.key, None, f"{where}, but no repeated lookup is recorded there")
    worst = next((repeat for repeat in ending if repeat.cause in DELIVERY_FAULTS), ending[0])
    return Verdict(True, last.key, worst.cause, f"{where}: {explain(evidence, worst)}", repeat=worst)


def _at_limit(evidence: Evidence, last: Step, by: str, repeats: Sequence[Repeat]) -> Verdict:
    sent = "" if last.sent is True else ", its prompt was not sent"
    where = f"Stopped at {words.decision(last.key)} by the {words.short(by).replace('_', ' ')}{sent}"
    return _with_repeats(evidence, last, where, repeats, repeats)


def _in_cycle(evidence: Evidence, last: Step, cycle: Pattern, repeats: Sequence[Repeat]) -> Verdict:
    where = f"Ended at {words.decision(last.key)} in an unchanged cycle ({cycle.sentence})"
    inside = [repeat for repeat in repeats if repeat.decision in set(cycle.decisions)]
    return _with_repeats(evidence, last, where, repeats, inside or repeats, "the final cycle" if inside else None)


def _loop(evidence: Evidence, patterns: Sequence[Pattern], last: Step) -> Pattern | None:
    """The unchanged cycle that makes a run one that looped: the one its asking ended in, else one of half its lookups."""
    found = _last_cycle(evidence, patterns, last)
    if found is not None:
        return found
    asks = sum(1 for ask in evidence.history.asks if ask.step.chain == last.chain)
    cycles = [pattern for pattern in patterns if pattern.kind == "cycle" and pattern.stall]
    longest = max(cycles, key=lambda cycle: cycle.length * cycle.turns, default=None)
    return longest if longest is not None and 2 * longest.length * longest.turns >= asks else None


def _looped(evidence: Evidence, last: Step, cycle: Pattern, repeats: Sequence[Repeat]) -> Verdict:
    """A run that walked an unchanged cycle and got out of it: what happened comes first."""
    keys = set(cycle.decisions)
    asks = [ask for ask in evidence.history.asks if ask.step.key in keys]
    inside = [repeat for repeat in repeats if repeat.decision in keys]
    what = words.lookup(asks[0].lookup)
    asked = f"{what} was asked for {cycle.turns:,} times running with an unchanged answer"
    if cycle.length > 1:
        asked = f"a block of {cycle.length:,} lookups ({what} and {cycle.length - 1:,} more) was walked {cycle.turns:,} times with unchanged answers"
    alike = inside[-1] if inside and len({repeat.cause for repeat in inside}) == 1 else None
    always = alike is not None and alike.cause == "delivered"
    each = ", delivered each time" if always else ""
    rest = f"; {_counted(repeats)}" if len(repeats) > len(inside) or not always else ""
    how = "answered" if _is_answer(evidence, last) else _ended(last)
    went_on = "then" if _follows(evidence, asks[-1].step, last) else "went on, and"
    span = words.decisions(cycle.decisions[0], cycle.decisions[-1])
    then = f"the run {went_on} {how} at {words.decision(last.key)}"
    cause = None if alike is None else alike.cause
    return Verdict(False, last.key, cause, f"Looped: {asked}{each} ({span}); {then}{rest}", repeat=alike)


def _follows(evidence: Evidence, step: Step, last: Step) -> bool:
    """Whether no other decision stands between two."""
    return len(evidence.history.later_steps(step, last)) <= 1


def _is_answer(evidence: Evidence, last: Step) -> bool:
    """Whether the last decision said something and asked for nothing."""
    reply = evidence.investigation.decisions[last.place].reply
    return reply is not None and not reply.lookups and reply.patch is None and bool(reply.text or reply.stop)


OWN_END = {"submitted": "ended by submitting its answer", "conclusion": "ended with a conclusion"}
"""What other agents and ours call an end of the run's own."""


def _ended(last: Step) -> str:
    outcome = last.outcome
    if outcome is None:
        return "ended"
    known = {"patched": "ended patched", "failed": "ended failed", "continued": "ends"}.get(outcome.kind, "stopped")
    if not outcome.by or outcome.kind not in {"stopped", "failed"}:
        return known
    if outcome.kind == "stopped" and outcome.by.casefold() in OWN_END:
        return OWN_END[outcome.by.casefold()]
    if outcome.by in BY_LIMIT:
        return f"was {known} by the {outcome.by.replace('_', ' ')}"
    return f"{known} ({words.short(outcome.by).replace('_', ' ')})"


def _not_stalled(last: Step, repeats: Sequence[Repeat]) -> Verdict:
    where = f"No stall: the run {_ended(last)} at {words.decision(last.key)}"
    said = f"{where}; {_counted(repeats)}" if repeats else f"{where}, and no lookup was repeated"
    return Verdict(False, last.key, None, said)


def _with_repeats(
    evidence: Evidence,
    last: Step,
    where: str,
    repeats: Sequence[Repeat],
    near: Sequence[Repeat],
    named: str | None = None,
) -> Verdict:
    """`near`: the repeats of which one is named, those of a part of the run that is called `named`."""
    if not repeats:
        return Verdict(True, last.key, None, f"{where}; no lookup was repeated")
    worst = next((repeat for repeat in near if repeat.cause in DELIVERY_FAULTS), near[-1])
    part = f", {len(near):,} of them in {named}" if named is not None and len(near) < len(repeats) else ""
    at = f"at {words.decision(worst.decision)} {explain(evidence, worst)}"
    return Verdict(True, last.key, worst.cause, f"{where}; {_counted(repeats)}{part}; {at}", repeat=worst)


def _counted(repeats: Sequence[Repeat]) -> str:
    return f"{len(repeats):,} repeated lookup{'' if len(repeats) == 1 else 's'} ({causes_text(repeats)})"


def _last_cycle(evidence: Evidence, patterns: Sequence[Pattern], last: Step) -> Pattern | None:
    """The unchanged cycle in which a run's asking ended: in its last turn, or in the middle of another one."""
    asks = [ask for ask in evidence.history.asks if ask.step.chain == last.chain]
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


def _ended_in(evidence: Evidence, patterns: Sequence[Pattern], last: Step) -> Pattern | None:
    """The unchanged cycle in which a run ended.

    A last decision without a reply (cut off by a limit) does not get a run out of its cycle; one that answers does.
    """
    asks = [ask for ask in evidence.history.asks if ask.step.chain == last.chain]
    return _last_cycle(evidence, patterns, last) if asks and _ended_asking(evidence, asks[-1].step) else None


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
