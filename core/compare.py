"""Two recorded runs beside each other: decisions aligned by what they asked for, and where the runs part.

For each pair of decisions: what each asked, received and came to. Results are compared by lookup identity: the n-th result
of a lookup on the left with the n-th of the same lookup on the right. What a prompt received is read from its text
(`core.delivery`). Nothing here says which run is right, or what a model would have decided.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, TypeAlias

from .alignment import align, asked
from .delivery import deliver
from .limits import MAX_LISTED_DIFFERENCES
from .parting import differences_of, parting_of

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
    `MAX_LISTED_DIFFERENCES` of the `differing` ones. `left_bytes` and `right_bytes`: UTF-8 bytes of the whole prompts, None
    where there is none or it cannot be read. `alike`: the same was asked, received of what both had, and came of it.
    """

    match: Match
    left: int | None
    right: int | None
    shared: int = 0
    left_states: Mapping[State, int] | None = None
    right_states: Mapping[State, int] | None = None
    differing: int = 0
    unlike: tuple[Unlike, ...] = ()
    left_bytes: int | None = None
    right_bytes: int | None = None
    alike: bool = False


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
        ours = None if one is None else left.decisions[one]
        theirs = None if other is None else right.decisions[other]
        row = Row(match, one, other, left_bytes=_size(ours), right_bytes=_size(theirs))
        if ours is not None and theirs is not None:
            row = _received(row, (ours, theirs), deliveries, pairing)
            row = replace(row, alike=not list(differences_of(row, ours, theirs)))
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
        if left != right and len(unlike) == MAX_LISTED_DIFFERENCES:
            differing += 1
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
    return replace(
        row,
        shared=counts[0].total(),
        left_states=counts[0],
        right_states=counts[1],
        differing=differing,
        unlike=tuple(unlike),
    )


def _size(decision: Decision | None) -> int | None:
    return None if decision is None or decision.problem is not None else decision.prompt_bytes


def _stands(deliveries: Deliveries, fragment: Fragment, state: State, decision: Decision) -> Stands:
    total = fragment.byte_length
    received = {"whole": total}.get(state, 0)
    if state == "cut":
        placement = deliveries.at(fragment.id, decision.key)
        received = placement.received_bytes if placement is not None else 0
    return Stands(fragment.id, state, received, total)
