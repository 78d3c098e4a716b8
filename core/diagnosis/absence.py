"""Why a body stopped standing in the prompts, whether or not anybody asked for it again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import causes
from .case import Case, Evidence
from .history import Ask, history_of

if TYPE_CHECKING:
    from ..delivery import Deliveries
    from ..model import DecisionKey, Investigation
    from .findings import Cause, Proof

DROPPING: tuple[Cause, ...] = ("overwritten", "never_supplied", "compacted", "cleared", "evicted")
"""Causes that say what removed a body; the others of `CAUSES` say why asking again may be right."""


def evidence_of(investigation: Investigation, deliveries: Deliveries) -> Evidence:
    """What `why_absent` looks at; worked out once for a run."""
    return Evidence(investigation, deliveries, history_of(investigation, deliveries.fragments))


def why_absent(evidence: Evidence, fragment_id: str, key: DecisionKey) -> tuple[Cause, Proof] | None:
    """What removed a body by decision `key`, judged like the cause of a repeat in that prompt.

    `unknown` with the missing fact where it cannot be proven. None where the body stands there whole or cut, where that
    decision was not sent, or where nothing is known of its asking.
    """
    history = evidence.history
    number = next((n for n, each in enumerate(history.fragments) if each.id == fragment_id), None)
    step = history.step_of.get(key)
    earlier = next((ask for ask in history.asks if ask.fragment == number), None)
    if number is None or step is None or earlier is None or earlier.step.chain != step.chain:
        return None
    case = Case(evidence, Ask(step, earlier.lookup, None), earlier, history.fragments[number], number)
    if not case.missing:
        return None
    for cause, check in causes.CHECKS:
        proof = check(case) if cause in DROPPING else None
        if proof is not None:
            return cause, proof
    return "unknown", causes.unknown(case)
