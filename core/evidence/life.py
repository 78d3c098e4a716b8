"""One fragment's life: who asked for it, in which prompts it stood and how, what removed it, who asked again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from ..diagnosis import words
from ..diagnosis.absence import why_absent
from ..diagnosis.case import CARRYING
from ..wording import lookup_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..delivery import Placement, State
    from ..diagnosis import Cause, Diagnosis, Proof
    from ..diagnosis.case import Evidence
    from ..diagnosis.history import Ask
    from ..model import DecisionKey, Fragment

MomentKind: TypeAlias = "Literal['asked', 'asked again'] | State"


@dataclass(frozen=True)
class Moment:
    """One thing that happened to a fragment: it was asked for (`asked`, `asked again`), or how it stood in prompts.

    A state holds for the `count` sent prompts from `first` to `last`; `placement` is that of `first`. `cause` and `proof`
    say what removed a body that had stood, or should have stood, in a prompt. `other` is the id of the fragment that
    replaced it, or that asking again returned. `first` is None where it is not recorded who asked.
    """

    kind: MomentKind
    first: DecisionKey | None
    last: DecisionKey | None
    count: int
    sentence: str
    placement: Placement | None = None
    cause: Cause | None = None
    proof: Proof | None = None
    other: str | None = None


@dataclass(frozen=True)
class Life:
    """A fragment with its moments in order, and its placement in every sent prompt after it was asked for."""

    fragment: Fragment
    moments: tuple[Moment, ...]
    placements: tuple[Placement, ...]


def life(evidence: Evidence, diagnosis: Diagnosis, fragment_id: str) -> Life:
    """Everything that is known of one fragment. `evidence` is `evidence_of` of the run. KeyError if there is no such id."""
    fragment = evidence.fragment_of[fragment_id]
    placements = evidence.deliveries.row(fragment_id)
    asks = _asks(evidence, fragment)
    moments = [
        _asked(fragment, asks),
        *_again(evidence, diagnosis, fragment, asks),
        *_stretches(evidence, fragment, placements),
    ]
    place = {key: step.place for key, step in evidence.history.step_of.items()}

    def order(moment: Moment) -> tuple[int, bool]:
        """By decision; a prompt comes before what its reply asks for."""
        return (-1 if moment.first is None else place[moment.first], moment.kind in ("asked", "asked again"))

    return Life(fragment, tuple(sorted(moments, key=order)), placements)


def _asks(evidence: Evidence, fragment: Fragment) -> Sequence[Ask]:
    """Every asking of the same lookup, in all attempts, in order."""
    identity = fragment.lookup.identity
    return [ask for ask in evidence.history.asks if ask.identity == identity]


def own_ask(evidence: Evidence, fragment: Fragment) -> Ask | None:
    """The asking that a fragment answers; None where it is not recorded."""
    fragments = evidence.history.fragments
    asks = (ask for ask in evidence.history.asks if ask.identity == fragment.lookup.identity)
    return next((ask for ask in asks if ask.fragment is not None and fragments[ask.fragment].id == fragment.id), None)


def _asked(fragment: Fragment, asks: Sequence[Ask]) -> Moment:
    by = fragment.requested_by
    key = next((ask.step.key for ask in asks if ask.step.key[0] == by), None)
    returned = {
        "completed": f"returned {words.size(fragment.byte_length)}",
        "failed": f"failed, and returned {words.size(fragment.byte_length)}",
        "uncertain": "has no known outcome",
    }.get(fragment.status, f"ended with the status {words.short(fragment.status)}")
    if by is None:
        return Moment("asked", None, None, 0, f"It is not recorded which decision asked; the lookup {returned}.")
    said = f"Decision {by} asked for {words.short(lookup_text(fragment.lookup))}; the lookup {returned}."
    return Moment("asked", key, key, 1, said)


def _again(evidence: Evidence, diagnosis: Diagnosis, fragment: Fragment, asks: Sequence[Ask]) -> Iterator[Moment]:
    """Askings of the same lookup after this one, and reads of lines that this one had supplied."""
    own = own_ask(evidence, fragment)
    repeats = {(repeat.decision, repeat.identity): repeat for repeat in diagnosis.repeats}
    later = [ask for ask in asks if own is not None and ask.step.place > own.step.place]
    for ask in later:
        repeat = repeats.get((ask.step.key, ask.identity))
        answer = None if ask.fragment is None else evidence.history.fragments[ask.fragment]
        said = (
            f"{words.decision(ask.step.key).capitalize()} asked for it again{_ended(evidence, fragment, ask, answer)}."
        )
        cause, proof = (None, None) if repeat is None else (repeat.cause, repeat.proof)
        other = None if answer is None else answer.id
        yield Moment("asked again", ask.step.key, ask.step.key, 1, said, cause=cause, proof=proof, other=other)
    known = {ask.step.key for ask in later}
    for each in diagnosis.repeats:
        if each.kind == "range" and each.fragment == fragment.id and each.decision not in known:
            said = f"{words.decision(each.decision).capitalize()} read lines again that this had supplied."
            yield Moment("asked again", each.decision, each.decision, 1, said, cause=each.cause, proof=each.proof)


def _ended(evidence: Evidence, fragment: Fragment, ask: Ask, answer: Fragment | None) -> str:
    own, outcome = own_ask(evidence, fragment), ask.step.outcome
    elsewhere = " in another attempt" if own is not None and own.step.chain != ask.step.chain else ""
    ended = f", {outcome.kind} by {words.short(outcome.by or '')}" if outcome and outcome.kind == "stopped" else ""
    came = "" if answer is None else f"; it returned {words.size(answer.byte_length)} as {words.short(answer.id)}"
    return f"{elsewhere}{ended}{came}"


def _stretches(evidence: Evidence, fragment: Fragment, placements: Sequence[Placement]) -> Iterator[Moment]:
    """Neighbouring prompts of one attempt in which the fragment stands alike are one moment."""
    own = own_ask(evidence, fragment)
    home = None if own is None else own.step.chain
    chains = [evidence.history.step_of[placement.key].chain for placement in placements]
    start = 0
    before: Placement | None = None
    stood = False
    for place, placement in enumerate(placements):
        after = place + 1
        if after < len(placements) and chains[after] == chains[place] and _alike(placement, placements[after]):
            continue
        first = placements[start]
        foreign = home is not None and chains[place] != home
        left = first.state not in CARRYING and (before is None or before.state in CARRYING) and first.total_bytes > 0
        why = why_absent(evidence, first.fragment, first.key) if left and not foreign else None
        cause, proof = why if why is not None else (None, None)
        said = _sentence(first, _where(first.key, placement.key, after - start), stood=stood, foreign=foreign)
        if proof is not None:
            said += f" It {proof.detail}{f': {proof.missing_fact}' if proof.missing_fact else ''}."
        other = None if proof is None else proof.replaced_by
        yield Moment(first.state, first.key, placement.key, after - start, said, first, cause, proof, other)
        stood, before, start = stood or first.state in CARRYING, placement, after


def _alike(one: Placement, other: Placement) -> bool:
    return (one.state, one.received_bytes, one.guidance, one.lines, one.silent_absence) == (
        other.state,
        other.received_bytes,
        other.guidance,
        other.lines,
        other.silent_absence,
    )


def _sentence(first: Placement, where: str, *, stood: bool, foreign: bool) -> str:
    total = words.size(first.total_bytes)
    if first.state == "whole":
        return f"Whole in {where}: {total}, {words.bytes_of(first)}."
    if first.state == "cut":
        told = "the prompt says so" if first.guidance else "the prompt does not say so"
        return f"Cut in {where}: {first.received_bytes:,} of {total}, {words.bytes_of(first)}; {told}."
    if first.state == "coincidental":
        return f"In {where} its bytes stand where they prove nothing, so they are not counted as delivered."
    if first.state == "unknown":
        return f"Whether anything of it stood in {where} cannot be told: what the lookup returned is not recorded."
    silent = ", and the prompt does not say that the body is gone" if first.silent_absence else ""
    through = f"lines {_ranges(first)} came through {', '.join(map(words.short, first.through[:3]))}"
    how = {
        "overlap": f"not in {where} as its own; {through}",
        "marker_only": f"not in {where}; only its marker is{silent}",
        "absent": f"not in {where}, and no marker of it is",
    }[first.state]
    if not first.total_bytes:
        return f"There is no body to deliver: {how}."
    if foreign:
        return f"Another attempt, which began without it: {how}."
    return f"{'Dropped' if stood else 'Never there'}: {how}."


def _where(first: DecisionKey, last: DecisionKey, count: int) -> str:
    if count == 1:
        return f"the prompt of {words.decision(first)}"
    return f"{count:,} prompts, from {words.decision(first)} to {words.decision(last)}"


def _ranges(placement: Placement) -> str:
    shown = ", ".join(f"{start:,}-{end:,}" for start, end in placement.lines[:4])
    return shown + (" ..." if len(placement.lines) > 4 else "")  # noqa: PLR2004  # four are shown
