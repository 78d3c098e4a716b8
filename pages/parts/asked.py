"""Behind `state.py`: what Overview, Evidence, Compare, What if and Share ask of `core`, worked out once per package (or pair of them)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from core import what_if
from core.codec import CODECS
from core.compare import Comparison, compare
from core.diagnosis.absence import evidence_of
from core.evidence import life, line_map, parts, source_files, summaries, supplied
from core.matrix import Matrix, matrix, telling
from core.measure import Measurement, measure
from core.measure.tables import short
from core.outline import Outline, outline
from core.replay import Fingerprint, History, fingerprint, history, replay
from core.report import Secret
from core.report import likely_secrets as find_secrets
from core.what_if import Budgets, budgets

from .holding import deliveries, diagnosis, kept
from .jobs import AT_ONCE, Job, wait

if TYPE_CHECKING:
    from collections.abc import Callable

    from core.diagnosis.case import Evidence
    from core.evidence import Life, LineMap, Part, SourceFile, Summary, Supplied
    from core.replay import Replay
    from core.what_if import Difference

    from .catalogue import Entry
    from .holding import Held

_KEPT = 16
_VIEWS = 64
_SPANS = 128
MEASURING = "Measuring prompts"
FILLING = "Filling the evidence matrix"
ENCODINGS = {short(version): version for version in CODECS}
"""Names in addresses → encodings that can be measured."""


# --- overview


@kept(_KEPT)
def _outlined(held: Held) -> Job[Outline]:
    return Job(lambda progress: outline(held.investigation, progress))


def outlined(held: Held) -> Outline:
    """Every decision's key, whether it was sent, and the size of its prompt by component."""
    return wait(_outlined(held), MEASURING)


def outlined_behind(held: Held) -> tuple[str, Job[Any]] | None:
    """The same as `holding.behind`, for `outlined`. A small package is waited for."""
    job = _outlined(held)
    return None if not held.large or job.finished(AT_ONCE) else (MEASURING, job)


@kept(_SPANS)
def _matrix(held: Held, first: int, end: int, columns: int, rows: int) -> Job[Matrix]:
    run, found, judged, places = outlined(held), deliveries(held), diagnosis(held), range(first, end)
    between = None if len(places) >= len(run) else (run.keys[places[0]], run.keys[places[-1]])

    def work(progress: Callable[[int, int], None]) -> Matrix:
        chosen = telling(run, judged, rows, between)
        return matrix(
            held.investigation, run, found, judged, decisions=places, fragments=chosen, most=columns, progress=progress
        )

    return Job(work)


def evidence_matrix(held: Held, places: range, columns: int, rows: int) -> Matrix:
    """The evidence matrix of some decisions (places) in at most so many columns and rows."""
    return wait(_matrix(held, places.start, places.stop, columns, rows), FILLING)


def matrix_behind(held: Held, places: range, columns: int, rows: int) -> tuple[str, Job[Any]] | None:
    """The same as `holding.behind`, for `evidence_matrix`; that of a small package is waited for."""
    job = _matrix(held, places.start, places.stop, columns, rows)
    return None if not held.large or job.finished(AT_ONCE) else (FILLING, job)


# --- evidence


@kept(_KEPT)
def evidence(held: Held) -> Evidence:
    """The run as the life of a fragment looks at it."""
    return evidence_of(held.investigation, deliveries(held))


@kept(_KEPT)
def _summaries(held: Held) -> Job[tuple[Summary, ...]]:
    found, judged = evidence(held), diagnosis(held)
    return Job(lambda progress: summaries(found, judged, progress))


def fragment_summaries(held: Held) -> tuple[Summary, ...]:
    """Every fragment in one line."""
    return wait(_summaries(held), "Following every fragment through the prompts")


@kept(_VIEWS)
def fragment_life(held: Held, fragment_id: str) -> tuple[Life, tuple[Part, ...]]:
    """One fragment's moments, and its body in the parts that different prompts received."""
    found = life(evidence(held), diagnosis(held), fragment_id)
    return found, parts(deliveries(held), found.fragment, found.placements)


@kept(_KEPT)
def files(held: Held) -> tuple[SourceFile, ...]:
    """The files that fragments come from."""
    return source_files(held.investigation.fragments)


@kept(_KEPT)
def _supplied(held: Held) -> Job[Supplied]:
    found = deliveries(held)
    return Job(lambda progress: supplied(found, progress))


@kept(_VIEWS)
def file_map(held: Held, number: int, most_bands: int, most_columns: int) -> LineMap:
    """The map of file `number` (from 1)."""
    table = wait(_supplied(held), "Looking for the lines of every file in every prompt")
    chosen = files(held)[number - 1]
    return line_map(held.investigation, table, chosen, most_bands=most_bands, most_columns=most_columns)


def settle(held: Held, view: dict[str, Any]) -> list[str]:
    """Replace, in `view`, a file that the package has not; say so."""
    count = view["file"]
    if count is None or 1 <= count <= len(files(held)):
        return []
    view["file"] = None
    return [f"There is no file {count:,} here: the fragments of this package come from {len(files(held)):,}."]


# --- two packages


@dataclass(frozen=True)
class Both:
    """Two packages beside each other; private as soon as one of them is."""

    left: Held
    right: Held
    found: dict[Any, Any] = field(default_factory=dict, repr=False, compare=False)
    """As `Held.found`."""

    @property
    def key(self) -> str:
        """What names both in a cache."""
        return f"{self.left.key}||{self.right.key}"

    @property
    def entry(self) -> Entry:
        """The entry whose privacy holds for both."""
        return self.left.entry if self.left.entry.private else self.right.entry


@kept(_KEPT)
def _compared(both: Both) -> Job[Comparison]:
    left, right = deliveries(both.left), deliveries(both.right)
    one, other = both.left.investigation, both.right.investigation
    return Job(lambda progress: compare(one, other, left, right, progress))


def comparison(left: Held, right: Held) -> Comparison:
    """Two packages aligned."""
    return wait(_compared(Both(left, right)), "Comparing prompt by prompt")


# --- what if


@dataclass(frozen=True)
class Told:
    """What is said of one replay: `count` differences, of which the first are listed."""

    sentence: str
    differences: tuple[Difference, ...]
    count: int


@kept(_KEPT)
def formats(held: Held) -> frozenset[str]:
    """The formats of the contexts in hand."""
    return what_if.formats(held.investigation)


@kept(_KEPT)
def _history(held: Held) -> Job[History]:
    return Job(lambda _: history(held.investigation))


def replay_history(held: Held) -> History:
    """What a replay reads of the run's texts."""
    return wait(_history(held), "Reading the prompts for a replay")


@kept(_VIEWS)
def _replayed(held: Held, policy: str, context_bytes: int | None) -> Job[Replay]:
    past = replay_history(held)
    return Job(lambda _: replay(held.investigation, policy=policy, context_bytes=context_bytes, past=past))


def replayed(held: Held, policy: str, context_bytes: int | None) -> Replay:
    """The run under a policy and a budget (None: the recorded one)."""
    return wait(_replayed(held, policy, context_bytes), "Replaying")


@kept(_VIEWS)
def _told(held: Held, policy: str, context_bytes: int | None, most: int) -> Job[Told]:
    found = replayed(held, policy, context_bytes)

    def tell(_: object) -> Told:
        return Told(what_if.sentence(found), *what_if.differences(found, most))

    return Job(tell)


def replay_told(held: Held, policy: str, context_bytes: int | None, most: int) -> Told:
    """A replay in a sentence, with at most `most` of its differences from the record."""
    return wait(_told(held, policy, context_bytes, most), "Comparing the replay with the record")


@kept(_KEPT)
def _fingerprint(held: Held) -> Job[Fingerprint]:
    return Job(lambda _: fingerprint(held.investigation))


def replay_fingerprint(held: Held) -> Fingerprint:
    """Which policies and budgets reproduce the recorded prompts."""
    return wait(_fingerprint(held), "Looking for policies and budgets that give the recorded prompts")


@kept(_KEPT)
def _budgets(held: Held) -> Job[Budgets | None]:
    past = replay_history(held)
    return Job(lambda _: budgets(held.investigation, past))


def replay_budgets(held: Held) -> Budgets | None:
    """Budgets worth trying."""
    return wait(_budgets(held), "Looking for the budget that keeps everything")


@kept(_KEPT)
def _measured(held: Held) -> Job[Measurement]:
    return Job(lambda progress: measure(held.investigation, ENCODINGS.values(), progress=progress))


def measured(held: Held) -> Measurement:
    """Every stored context in v4, v5 and v6."""
    return wait(_measured(held), "Measuring every context in v4, v5 and v6")


# --- share


@kept(_KEPT)
def _secrets(held: Held) -> Job[tuple[Secret, ...]]:
    return Job(lambda _: find_secrets(held.investigation))


def likely_secrets(held: Held) -> tuple[Secret, ...]:
    """What looks like a secret in the texts of the run."""
    return wait(_secrets(held), "Looking for what may be secret")
