"""Two recorded runs beside each other: decisions aligned by what they asked for, and where the runs part.

For each pair of decisions: what each asked, received and came to. Results are compared by lookup identity: the n-th result
of a lookup on the left with the n-th of the same lookup on the right. What a prompt received is read from its text
(`core.delivery`). Nothing here says which run is right, or what a model would have decided.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from .alignment import align, asked
from .delivery import deliver
from .limits import MAX_LISTED_DIFFERENCES
from .parting import parting_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from .alignment import Match
    from .delivery import Deliveries, State
    from .model import Decision, Fragment, Investigation
    from .parting import Parting

Side: TypeAlias = Literal["left", "right"]


@dataclass(frozen=True, slots=True)
class Stands:
    """How the result `fragment` of a shared lookup stands in one prompt: `received` of `total` UTF-8 bytes."""

    fragment: str
    state: State
    received: int
    total: int


@dataclass(frozen=True, slots=True)
class Unlike:
    """A shared lookup whose result stands differently in the two prompts of a pair."""

    identity: str
    left: Stands
    right: Stands


@dataclass(frozen=True)
class Row:
    """One pair of decisions, or one decision alone: places in both runs, None on the side that has no counterpart.

    `shared` counts the lookups that both runs had results of before these decisions, `states` how those results stand in
    each prompt, by state; all of them empty unless both prompts were sent. `unlike` lists at most
    `MAX_LISTED_DIFFERENCES` of the `differing` ones.
    """

    match: Match
    left: int | None
    right: int | None
    shared: int = 0
    left_states: Mapping[State, int] | None = None
    right_states: Mapping[State, int] | None = None
    differing: int = 0
    unlike: tuple[Unlike, ...] = ()


@dataclass(frozen=True)
class Comparison:
    """Two runs aligned. `parting` says in a sentence each where they first part, and where delivery first differs."""

    rows: tuple[Row, ...]
    parting: Parting

    @property
    def matches(self) -> Mapping[Match, int]:
        """How many rows there are of each kind."""
        return Counter(row.match for row in self.rows)


@dataclass(frozen=True)
class Pairing:
    """Results of shared lookups: numbers of fragments on the left and on the right, and the lookup's identity."""

    left: Sequence[Fragment]
    right: Sequence[Fragment]
    identities: Sequence[str]


def compare(
    left: Investigation,
    right: Investigation,
    left_deliveries: Deliveries | None = None,
    right_deliveries: Deliveries | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Comparison:
    """Align two runs and say where they part. `progress(done, total)` counts rows. Deliveries are worked out if not given."""
    deliveries = left_deliveries or deliver(left), right_deliveries or deliver(right)
    pairs = align([asked(each) for each in left.decisions], [asked(each) for each in right.decisions])
    pairing = pair_results(left.fragments, right.fragments)
    rows: list[Row] = []
    for done, (one, other, match) in enumerate(pairs, 1):
        row = Row(match, one, other)
        if one is not None and other is not None:
            row = _received(row, (left.decisions[one], right.decisions[other]), deliveries, pairing)
        rows.append(row)
        if progress is not None:
            progress(done, len(pairs))
    return Comparison(tuple(rows), parting_of(left, right, rows, pairing))


def pair_results(left: Sequence[Fragment], right: Sequence[Fragment]) -> Pairing:
    """The n-th result of each lookup on the left with the n-th of the same lookup on the right, in the left's order."""
    waiting: dict[str, list[Fragment]] = defaultdict(list)
    for fragment in reversed(right):
        if fragment.problem is None:
            waiting[fragment.lookup.identity].append(fragment)
    found = [
        (fragment, waiting[fragment.lookup.identity].pop())
        for fragment in left
        if fragment.problem is None and waiting.get(fragment.lookup.identity)
    ]
    return Pairing([one for one, _ in found], [other for _, other in found], [one.lookup.identity for one, _ in found])


def _received(
    row: Row, decisions: tuple[Decision, Decision], deliveries: tuple[Deliveries, Deliveries], pairing: Pairing
) -> Row:
    if decisions[0].sent is not True or decisions[1].sent is not True:
        return row
    ours, theirs = (each.states(decision.key) for each, decision in zip(deliveries, decisions, strict=True))
    counts: tuple[Counter[State], Counter[State]] = Counter(), Counter()
    unlike: list[Unlike] = []
    differing = 0
    for one, other, identity in zip(pairing.left, pairing.right, pairing.identities, strict=True):
        left, right = ours.get(one.id), theirs.get(other.id)
        if left is None or right is None:
            continue
        counts[0][left] += 1
        counts[1][right] += 1
        if left == right and left != "cut":
            continue
        found = Unlike(
            identity,
            _stands(deliveries[0], one, left, decisions[0]),
            _stands(deliveries[1], other, right, decisions[1]),
        )
        if left == right and found.left.received == found.right.received:
            continue
        differing += 1
        if len(unlike) < MAX_LISTED_DIFFERENCES:
            unlike.append(found)
    return Row(row.match, row.left, row.right, counts[0].total(), *counts, differing, tuple(unlike))


def _stands(deliveries: Deliveries, fragment: Fragment, state: State, decision: Decision) -> Stands:
    total = fragment.byte_length
    received = {"whole": total}.get(state, 0)
    if state == "cut":
        placement = deliveries.at(fragment.id, decision.key)
        received = placement.received_bytes if placement is not None else 0
    return Stands(fragment.id, state, received, total)
