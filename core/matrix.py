"""The evidence matrix: one row a fragment, one column a decision, and in each cell how the fragment was delivered.

Where there are more decisions than columns, each column stands for neighbouring ones, and a cell counts its prompts by
state (`Row.counts`). It is drawn as the state that says least of the body was there (`LEAST_FIRST`), so that no drop is
hidden; it is marked `repeated` if any of its decisions asked again, else `requested` if any asked.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

from .neighbours import Column, neighbours
from .wording import lookup_text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from .delivery import Deliveries, State
    from .diagnosis import Diagnosis
    from .model import DecisionKey, Investigation
    from .outline import Outline

LEAST_FIRST: Final[tuple[State, ...]] = ("unknown", "absent", "marker_only", "coincidental", "overlap", "cut", "whole")
"""States, the one in which least of a body was delivered first: the first that occurs in a cell is its state."""

Counts: TypeAlias = "Mapping[State, int]"


@dataclass(frozen=True, slots=True)
class Row:
    """One fragment. Per column: its state (None: not sent, not readable, or it did not exist yet) and what was asked for.

    `asks` holds `requested` where a reply asked for this lookup first, `repeated` where one asked again. `counts` holds
    how many prompts of the column had the fragment in each state, the most delivered first; it is empty where no counts
    were made. `recorded` holds the states of the record where `states` are those of a replay, and is empty elsewhere.
    """

    fragment: str
    place: int
    lookup: str
    status: str
    bytes: int
    states: tuple[State | None, ...]
    asks: tuple[str | None, ...]
    recorded: tuple[State | None, ...] = ()
    counts: tuple[Counts, ...] = ()


@dataclass(frozen=True)
class Matrix:
    """Some decisions and fragments of a run, whose totals are given. `prompts`: sent ones in each column, if counted."""

    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    all_decisions: int
    all_fragments: int
    prompts: tuple[int, ...] = ()

    @property
    def exact(self) -> bool:
        """Whether every column is one decision."""
        return all(column.count == 1 for column in self.columns)


def matrix(
    investigation: Investigation,
    run: Outline,
    deliveries: Deliveries,
    diagnosis: Diagnosis,
    *,
    decisions: range,
    fragments: Sequence[int],
    most: int,
    progress: Callable[[int, int], None] | None = None,
) -> Matrix:
    """The cells of these decisions (a range of places) in at most `most` columns, and of these fragments (places).

    Reads the fragments, and no decision. `progress(done, total)` counts columns.
    """
    groups = neighbours(decisions, most)
    ids = [run.fragments[place][0] for place in fragments]
    columns, prompts, counted = [], [], []
    for done, group in enumerate(groups, 1):
        sent = [place for place in group if run.sent[place] is True]
        columns.append(Column(run.keys[group[0]], run.keys[group[-1]], len(group), _any_sent(run, group)))
        prompts.append(len(sent))
        counted.append(_count(deliveries, [run.keys[place] for place in sent], ids))
        if progress is not None:
            progress(done, len(groups))
    again = _repeats(diagnosis)
    rows = []
    for number, place in enumerate(fragments):
        fragment = investigation.fragments[place]
        counts = tuple(column[number] for column in counted)
        states = tuple(next((state for state in LEAST_FIRST if state in each), None) for each in counts)
        first, repeated = set(run.asked.get(place, ())), again.get(fragment.id, set())
        asks = tuple(_ask(run, group, first, repeated) for group in groups)
        text = lookup_text(fragment.lookup)
        rows.append(Row(fragment.id, place, text, fragment.status, fragment.byte_length, states, asks, counts=counts))
    return Matrix(tuple(columns), tuple(rows), len(run), len(run.fragments), tuple(prompts))


def counts_text(counts: Counts, prompts: int) -> str:
    """A cell of several prompts in words: `whole in 7 of 10 prompts, absent in 3`; empty where there is none of any state."""
    if not counts:
        return ""
    said = [(state.replace("_", " "), count) for state, count in counts.items()]
    rest = prompts - sum(counts.values())
    said += [("not there yet", rest)] if rest else []
    (word, count), *others = said
    of = (
        f"{count:,} of {prompts:,} prompts"
        if others
        else f"all {prompts:,} prompts"
        if prompts > 1
        else "its one prompt"
    )
    return ", ".join([f"{word} in {of}", *(f"{other} in {number:,}" for other, number in others)])


def telling(
    run: Outline, diagnosis: Diagnosis, most: int, between: tuple[DecisionKey, DecisionKey] | None = None
) -> tuple[int, ...]:
    """Places of at most `most` fragments, in order: those of repeats and findings first, then the latest ones.

    `between`: only what there was to tell of these decisions and those between them.
    """
    there = [
        place for place, (_, by) in enumerate(run.fragments) if between is None or by is None or by <= between[1][0]
    ]
    if len(there) <= most:
        return tuple(there)
    told: list[tuple[DecisionKey | None, str | None]] = [(each.decision, each.fragment) for each in diagnosis.repeats]
    told += [(each.decision, each.fragment) for each in diagnosis.findings]
    wanted = {fragment for key, fragment in told if between is None or key is None or between[0] <= key <= between[1]}
    chosen = [place for place in there if run.fragments[place][0] in wanted][:most]
    known = set(chosen)
    latest = (place for place in reversed(there) if place not in known)
    return tuple(sorted([*chosen, *(place for place, _ in zip(latest, range(most - len(chosen)), strict=False))]))


def _count(deliveries: Deliveries, keys: Sequence[DecisionKey], ids: Sequence[str]) -> list[Counts]:
    counted: list[dict[State, int]] = [dict.fromkeys(LEAST_FIRST[::-1], 0) for _ in ids]
    for key in keys:
        for counts, name in zip(counted, ids, strict=True):
            state = deliveries.state(name, key)
            if state is not None:
                counts[state] += 1
    return [{state: count for state, count in counts.items() if count} for counts in counted]


def _any_sent(run: Outline, group: range) -> bool | None:
    found = {run.sent[place] for place in group}
    return True if True in found else None if None in found else False


def _repeats(diagnosis: Diagnosis) -> dict[str | None, set[DecisionKey]]:
    found: dict[str | None, set[DecisionKey]] = {}
    for repeat in diagnosis.repeats:
        found.setdefault(repeat.fragment, set()).add(repeat.decision)
    return found


def _ask(run: Outline, group: range, first: set[int], repeated: set[DecisionKey]) -> str | None:
    if repeated and any(run.keys[place] in repeated for place in group):
        return "repeated"
    return "requested" if any(place in group for place in first) else None
