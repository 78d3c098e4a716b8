"""What was asked, in order, and what came back: the run as a sequence of lookups."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..model import Decision, DecisionKey, Event, Fragment, Investigation, Lookup, Outcome, SourceRange


@dataclass(frozen=True, slots=True)
class Step:
    """As much of a decision as a diagnosis needs; its prompt is read again where it is wanted.

    `place` is its place in the investigation's decisions, `chain` the number of its bounded attempt: an attempt that
    starts over at a new index starts with an empty memory, so nothing asked before is asked *again* in it.
    """

    place: int
    key: DecisionKey
    chain: int
    sent: bool | None
    format: str
    status: str
    events: tuple[Event, ...]
    outcome: Outcome | None
    patched: tuple[str, ...]

    @property
    def performed(self) -> bool:
        """Whether the lookups of this reply were carried out, as far as its status and outcome say."""
        return self.status not in {"rejected", "unused"} and (self.outcome is None or self.outcome.kind != "stopped")


@dataclass(frozen=True, slots=True)
class Ask:
    """One lookup of one reply. `fragment` is the number of its result, None where none is recorded."""

    step: Step
    lookup: Lookup
    fragment: int | None

    @property
    def identity(self) -> str:
        """The lookup's identity."""
        return self.lookup.identity


@dataclass
class History:
    """Steps in order of the recording; asks in order; asks by identity and by chain."""

    fragments: tuple[Fragment, ...]
    steps: list[Step] = field(default_factory=list)
    asks: list[Ask] = field(default_factory=list)
    by_identity: dict[tuple[int, str], list[Ask]] = field(default_factory=lambda: defaultdict(list))
    step_of: dict[DecisionKey, Step] = field(default_factory=dict)

    def add(self, ask: Ask) -> None:
        """Append one ask."""
        self.asks.append(ask)
        self.by_identity[ask.step.chain, ask.identity].append(ask)

    def earlier(self, ask: Ask) -> list[Ask]:
        """Asks of the same identity by earlier decisions of the same attempt that were carried out."""
        return [
            each
            for each in self.by_identity[ask.step.chain, ask.identity]
            if each.step.place < ask.step.place and (each.fragment is not None or each.step.performed)
        ]

    def result(self, ask: Ask) -> Fragment | None:
        """What the ask returned, None where no result is recorded."""
        return None if ask.fragment is None else self.fragments[ask.fragment]

    def later_steps(self, after: Step, until: Step) -> list[Step]:
        """Steps of one attempt after one and up to and including another."""
        return [step for step in self.steps[after.place + 1 : until.place + 1] if step.chain == until.chain]


def history_of(investigation: Investigation, fragments: tuple[Fragment, ...], *, starts_over: bool = True) -> History:
    """Read every reply once; match results to the lookups that asked for them by index, identity and order.

    A higher attempt at a new index starts over, unless attempts fall again later: then they are those of one decision
    each (with `starts_over` False they all are), and the run is one attempt.
    """
    history = History(fragments)
    results: dict[int, list[int]] = defaultdict(list)
    for number, fragment in enumerate(fragments):
        if fragment.requested_by is not None and fragment.problem is None:
            results[fragment.requested_by].append(number)
    chain, last = 0, None
    changed: tuple[str, ...] = ()
    for place, decision in enumerate(investigation.decisions):
        if last is not None and starts_over and decision.index > last[0] and decision.problem is None:
            if decision.attempt < last[1] and chain:
                return history_of(investigation, fragments, starts_over=False)
            chain += decision.attempt > last[1]
        last = decision.key if decision.problem is None else last
        step = _step(decision, place, chain, changed)
        changed = _applied(decision)
        history.steps.append(step)
        history.step_of.setdefault(decision.key, step)
        _asks(history, step, decision, results)
    return history


def _applied(decision: Decision) -> tuple[str, ...]:
    """The path that the reply of a decision patched, as its outcome says: changed for what comes after it."""
    patch = None if decision.reply is None else decision.reply.patch
    applied = patch is not None and decision.outcome is not None and decision.outcome.kind == "patched"
    return (patch.path,) if patch is not None and applied else ()


def _step(decision: Decision, place: int, chain: int, changed: tuple[str, ...]) -> Step:
    patched = [path for event in decision.events if event.kind == "patched" for path in event.paths]
    return Step(
        place=place,
        key=decision.key,
        chain=chain,
        sent=decision.sent,
        format=decision.format,
        status=decision.status,
        events=decision.events,
        outcome=decision.outcome,
        patched=tuple(dict.fromkeys((*patched, *changed))),
    )


def _asks(history: History, step: Step, decision: Decision, results: dict[int, list[int]]) -> None:
    """The lookups of one reply, then results of this index that no reply names (a recording without replies)."""
    waiting = results.get(decision.index, [])
    for lookup in decision.reply.lookups if decision.reply is not None else ():
        mine = [number for number in waiting if history.fragments[number].lookup.identity == lookup.identity]
        number = mine[0] if mine and step.performed else None
        if number is not None:
            waiting.remove(number)
        history.add(Ask(step, lookup, number))
    if step.performed:
        for number in waiting:
            history.add(Ask(step, history.fragments[number].lookup, number))
        waiting.clear()


READING = ("read", "view", "open", "cat", "sed")
SEARCHING = ("search", "grep", "glob", "find", "symbol", "list", "rg ", "ls ")


def read_range(fragment: Fragment) -> SourceRange | None:
    """The one range of one known version that a read returned; None for searches and anything else.

    A read is told by the words of its kind and arguments: readers name tools as their agents do.
    """
    if fragment.status != "completed" or len(fragment.sources) != 1 or fragment.sources[0].hash is None:
        return None
    kind = fragment.lookup.kind.casefold()
    if any(word in kind for word in SEARCHING):
        return None
    if any(word in kind for word in READING):
        return fragment.sources[0]
    said = str(fragment.lookup.arguments).casefold()
    reads = any(word in said for word in READING) and not any(word in said for word in SEARCHING)
    return fragment.sources[0] if reads else None
