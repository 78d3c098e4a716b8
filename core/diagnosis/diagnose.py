"""From an investigation to its diagnosis."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ..delivery import deliver
from ..grade import grade
from . import claims, losses
from .case import Evidence
from .findings import Diagnosis
from .history import history_of
from .patterns import patterns
from .repeats import near_repeats, repeats
from .verdict import verdict

if TYPE_CHECKING:
    from ..delivery import Deliveries
    from ..model import Investigation
    from .findings import Finding


def diagnose(investigation: Investigation, deliveries: Deliveries | None = None) -> Diagnosis:
    """Say what was repeated and why, from the transmitted text; `deliveries` is worked out where not given."""
    deliveries = deliver(investigation) if deliveries is None else deliveries
    disagreements: list[Finding] = []
    decisions = tuple(claims.checked(investigation, deliveries, disagreements))
    run = replace(investigation, decisions=decisions)
    evidence = Evidence(run, deliveries, history_of(run, deliveries.fragments))
    found = tuple(repeats(evidence))
    shapes = tuple(patterns(evidence))
    lost = tuple(losses.never_received(evidence))
    sure = grade(run, deliveries.lost)
    return Diagnosis(
        verdict=verdict(evidence, found, shapes, lost, sure),
        repeats=found,
        near_repeats=tuple(near_repeats(evidence, {(each.decision, each.identity) for each in found})),
        patterns=shapes,
        findings=(*disagreements, *lost, *claims.silent_absences(evidence)),
        grade=sure,
        replies=investigation.replies,
    )
