"""The evidence matrix: one row a fragment, one column a decision, and in each cell how the fragment was delivered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .wording import lookup_text

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from .delivery import Deliveries, State
    from .diagnosis import Diagnosis
    from .model import Decision, DecisionKey, Investigation


@dataclass(frozen=True, slots=True)
class Row:
    """One fragment. Per column: its state (None: not sent, not readable, or it did not exist yet) and what the decision asked for.

    `asks` holds `requested` where the decision's reply asked for this lookup first, `repeated` where it asked again.
    `recorded` holds the states of the record where `states` are those of a replay, and is empty elsewhere.
    """

    fragment: str
    place: int
    lookup: str
    status: str
    bytes: int
    states: tuple[State | None, ...]
    asks: tuple[str | None, ...]
    recorded: tuple[State | None, ...] = ()


@dataclass(frozen=True)
class Matrix:
    """A window of the whole: `keys` and `sent` are its columns, `rows` its fragments; totals are those of the run."""

    keys: tuple[DecisionKey, ...]
    sent: tuple[bool | None, ...]
    rows: tuple[Row, ...]
    all_decisions: int
    all_fragments: int


def matrix(
    investigation: Investigation,
    deliveries: Deliveries,
    diagnosis: Diagnosis,
    *,
    decisions: range,
    fragments: Sequence[int],
) -> Matrix:
    """The cells of these decisions (a range of places) and these fragments (places). Reads each decision once."""
    columns = [investigation.decisions[place] for place in decisions]
    states = [deliveries.states(column.key) if column.sent is True else {} for column in columns]
    repeated = {(repeat.decision, repeat.fragment) for repeat in diagnosis.repeats}
    rows = []
    for place in fragments:
        fragment = investigation.fragments[place]
        asks = tuple(
            _ask(column, fragment.id, fragment.lookup.identity, fragment.requested_by, repeated) for column in columns
        )
        cells = tuple(column.get(fragment.id) for column in states)
        text = lookup_text(fragment.lookup)
        rows.append(Row(fragment.id, place, text, fragment.status, fragment.byte_length, cells, asks))
    keys = tuple(column.key for column in columns)
    sent = tuple(column.sent for column in columns)
    return Matrix(keys, sent, tuple(rows), len(investigation.decisions), len(investigation.fragments))


def telling(investigation: Investigation, diagnosis: Diagnosis, most: int) -> tuple[int, ...]:
    """Places of at most `most` fragments, in order: those of repeats and findings first, then the latest ones."""
    wanted = {repeat.fragment for repeat in diagnosis.repeats} | {finding.fragment for finding in diagnosis.findings}
    total = len(investigation.fragments)
    if total <= most:
        return tuple(range(total))
    chosen = [place for place, fragment in enumerate(investigation.fragments) if fragment.id in wanted][:most]
    known = set(chosen)
    for place in range(total - 1, -1, -1):
        if len(chosen) >= most:
            break
        if place not in known:
            chosen.append(place)
    return tuple(sorted(chosen))


def _ask(
    decision: Decision,
    fragment: str,
    identity: str,
    requested_by: int | None,
    repeated: Collection[tuple[DecisionKey, str | None]],
) -> str | None:
    if (decision.key, fragment) in repeated:
        return "repeated"
    lookups = decision.reply.lookups if decision.reply is not None else ()
    if requested_by == decision.index and any(lookup.identity == identity for lookup in lookups):
        return "requested"
    return None
