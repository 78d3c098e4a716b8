"""Repeats, stalls and their causes, each with its proof; patterns; findings; the verdict in one sentence.

`diagnose(investigation, deliveries=None)` works from what was transmitted (`core.delivery`) and from what replaying the
run's own lookups under the repaired memory would have carried (`core.replay`). It never guesses: a cause that cannot
be proven is `unknown`, with the fact that is missing.
"""

from __future__ import annotations

from .diagnose import diagnose
from .findings import (
    CAUSES,
    DELIVERY_FAULTS,
    Budget,
    Cause,
    Diagnosis,
    Finding,
    NearRepeat,
    Pattern,
    PatternKind,
    Proof,
    Remedy,
    Repeat,
    Verdict,
)

__all__ = [
    "CAUSES",
    "DELIVERY_FAULTS",
    "Budget",
    "Cause",
    "Diagnosis",
    "Finding",
    "NearRepeat",
    "Pattern",
    "PatternKind",
    "Proof",
    "Remedy",
    "Repeat",
    "Verdict",
    "diagnose",
]
