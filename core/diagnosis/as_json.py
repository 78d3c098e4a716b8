"""A diagnosis as the JSON object that `diagnose_investigation.py --json` prints, one for each investigation."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from .losses import is_lost

if TYPE_CHECKING:
    from ..delivery import Placement
    from ..model import Investigation
    from .findings import Diagnosis, Pattern, Proof, Repeat


def as_json(investigation: Investigation, diagnosis: Diagnosis) -> dict[str, Any]:
    """`{"grade", "decisions", "verdict", "repeats", "patterns", "problems"}`.

    `decisions` counts the stored contexts; a `decision` is its index. `problems` are those of the package, then the
    findings of the diagnosis. Sizes are UTF-8 bytes. A `message` is its place in the prompt from 0, as in the package; in
    sentences messages count from 1.
    """
    verdict = diagnosis.verdict
    return {
        "grade": diagnosis.grade.name,
        "decisions": len(investigation.decisions),
        "verdict": {
            "stalled": verdict.stalled,
            "looped": verdict.looped,
            "clear": verdict.clear,
            "decision": None if verdict.decision is None else verdict.decision[0],
            "cause": verdict.cause,
            "sentence": verdict.sentence,
        },
        "repeats": [_repeat(each) for each in diagnosis.repeats],
        "patterns": [_pattern(each) for each in diagnosis.patterns],
        "problems": [
            *(asdict(problem) for problem in investigation.problems),
            *(
                {
                    "file": None,
                    "line": None,
                    "what": finding.sentence,
                    "expected": None,
                    "found": None,
                    "severity": "warning",
                    "kind": finding.kind,
                    "decision": None if finding.decision is None else finding.decision[0],
                    "fragment": finding.fragment,
                }
                for finding in diagnosis.findings
            ),
        ],
    }


def _repeat(repeat: Repeat) -> dict[str, Any]:
    return {
        "decision": repeat.decision[0],
        "first_decision": repeat.first_decision,
        "identity": repeat.identity,
        "cause": repeat.cause,
        "lost": is_lost(repeat),
        "proof": _proof(repeat, repeat.proof),
    }


def _proof(repeat: Repeat, proof: Proof) -> dict[str, Any]:
    """What the cause rests on, with the other facts that hold and the remedy."""
    return {
        "detail": proof.detail,
        "attempt": repeat.decision[1],
        "kind": repeat.kind,
        "fragment": repeat.fragment,
        "placement": None if proof.placement is None else _placement(proof.placement),
        "budget": None if proof.budget is None else asdict(proof.budget),
        "last_delivered": None if proof.last_delivered is None else proof.last_delivered[0],
        "dropped_at": None if proof.dropped_at is None else proof.dropped_at[0],
        "replaced_by": proof.replaced_by,
        "missing_fact": proof.missing_fact,
        "also": list(repeat.also),
        "changed": repeat.changed,
        "remedy": None if repeat.remedy is None else asdict(repeat.remedy),
    }


def _placement(placement: Placement) -> dict[str, Any]:
    said = asdict(placement)
    del said["fragment"], said["key"]
    return said


def _pattern(pattern: Pattern) -> dict[str, Any]:
    return {
        "kind": pattern.kind,
        "decisions": [key[0] for key in pattern.decisions],
        "length": pattern.length,
        "turns": pattern.turns,
        "stall": pattern.stall,
        "sentence": pattern.sentence,
    }
