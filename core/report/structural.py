"""A stall described without content, to be shared where source and prompts may not go.

It holds counts, sizes, states, causes, budget arithmetic and versions, and hashes that are salted with a salt of this
report only, which is not kept: equal things have equal hashes within one report, and nothing can be looked up from
outside. It holds no path, query, text, title, id, unknown enum value or file name. Decisions and fragments are numbered
by their place (from 1), never by what the recording calls them.
"""

from __future__ import annotations

import hashlib
import secrets
from collections import Counter
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from ..anatomy import components
from ..diagnosis.causes import MISSING_FACTS
from ..errors import InspectorError
from ..model import DECISION_STATUSES, EVENT_KINDS, FORMATS, FRAGMENT_STATUSES, OUTCOME_KINDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ..delivery import Deliveries, Placement
    from ..diagnosis import Diagnosis, Pattern, Repeat
    from ..model import Decision, DecisionKey, Fragment, Investigation

VERSION = 1
OTHER = "other"
STOPPED_BY = (
    "repetition_gate",
    "prompt_limit",
    "context_limit",
    "call_limit",
    "uncertain_outcome",
    "reply",
    "patch",
)
"""What may have stopped a run, as far as the format names it; anything else is `other`."""

COMPONENTS = (
    "instructions",
    "base",
    "ledger",
    "supplied",
    "block",
    "view",
    "system",
    "user",
    "assistant",
    "tool_call",
    "tool_result",
    "summary",
    "placeholder",
    "opaque",
    "unparsed",
)
CARRIED = ("raw", "escaped", "gutter", "indented", "view")
FINDINGS = ("disagreement", "never_received", "silent_absence")
MISSING = ("system prompt", "tool definitions", "encrypted summary")


def structural(investigation: Investigation, deliveries: Deliveries, diagnosis: Diagnosis) -> dict[str, Any]:
    """The report as a JSON object. Every call draws a new salt, so two reports of one run share no hash."""
    names = _Names(investigation)
    return {
        "report": "structural",
        "version": VERSION,
        "grade": diagnosis.grade.name,
        "missing": sorted({_known(each, MISSING) for each in diagnosis.grade.missing}),
        "prompts": investigation.prompts,
        "replies": investigation.replies,
        "limits": asdict(investigation.limits),
        "counts": _counts(investigation, diagnosis),
        "verdict": _verdict(names, diagnosis),
        "decisions": [_decision(names, each) for each in investigation.decisions],
        "fragments": [_fragment(names, each) for each in deliveries.fragments],
        "deliveries": [_column(names, deliveries, key) for key in deliveries.keys],
        "repeats": [_repeat(names, each) for each in diagnosis.repeats],
        "near_repeats": [
            {
                "decision": names.decision(each.decision),
                "first_decision": names.index(each.first_decision),
                "lookup": names.hash("lookup", each.identity),
                "earlier_lookup": names.hash("lookup", each.earlier_identity),
                "why": each.why,
            }
            for each in diagnosis.near_repeats
        ],
        "patterns": [_pattern(names, each) for each in diagnosis.patterns],
        "findings": [
            {
                "kind": _known(each.kind, FINDINGS),
                "decision": names.decision(each.decision),
                "fragment": names.fragment(each.fragment),
            }
            for each in diagnosis.findings
        ],
        "problems": dict(Counter(problem.severity for problem in investigation.problems)),
    }


class _Names:
    """Numbers and salted hashes in place of what the recording calls things."""

    def __init__(self, investigation: Investigation) -> None:
        self._salt = secrets.token_bytes(32)
        self._decisions: dict[DecisionKey, int] = {}
        self._indexes: dict[int, int] = {}
        for place, decision in enumerate(investigation.decisions, 1):
            self._decisions.setdefault(decision.key, place)
            self._indexes.setdefault(decision.index, place)
        self._fragments: dict[str, int] = {}
        for place, fragment in enumerate(investigation.fragments, 1):
            self._fragments.setdefault(fragment.id, place)

    def hash(self, kind: str, text: str | None) -> str | None:
        """A salted hash of a text, different for each kind of text."""
        if text is None:
            return None
        data = f"{kind}\0{text}".encode("utf-8", "surrogatepass")
        return hashlib.blake2b(data, key=self._salt, digest_size=12).hexdigest()

    def decision(self, key: DecisionKey | None) -> int | None:
        """The number of a decision."""
        return None if key is None else self._decisions.get(key)

    def index(self, index: int | None) -> int | None:
        """The number of the first decision with this index."""
        return None if index is None else self._indexes.get(index)

    def fragment(self, name: str | None) -> int | None:
        """The number of a fragment."""
        return None if name is None else self._fragments.get(name)


def _known(value: object, known: Iterable[str]) -> str:
    return value if isinstance(value, str) and value in known else OTHER


def _counts(investigation: Investigation, diagnosis: Diagnosis) -> dict[str, Any]:
    decisions = Counter(_known(each.status, DECISION_STATUSES) for each in investigation.decisions)
    fragments = Counter(_known(each.status, FRAGMENT_STATUSES) for each in investigation.fragments)
    return {
        "decisions": dict(decisions),
        "sent": sum(each.sent is True for each in investigation.decisions),
        "messages": len(investigation.messages),
        "fragments": dict(fragments),
        "repeats": dict(Counter(each.cause for each in diagnosis.repeats)),
    }


def _verdict(names: _Names, diagnosis: Diagnosis) -> dict[str, Any]:
    verdict = diagnosis.verdict
    return {
        "stalled": verdict.stalled,
        "looped": verdict.looped,
        "clear": verdict.clear,
        "decision": names.decision(verdict.decision),
        "cause": verdict.cause,
    }


def _decision(names: _Names, decision: Decision) -> dict[str, Any]:
    outcome = decision.outcome
    asked = decision.reply.lookups if decision.reply is not None else ()
    return {
        "status": _known(decision.status, DECISION_STATUSES),
        "sent": decision.sent,
        "format": _known(decision.format, FORMATS),
        "readable": decision.problem is None,
        "messages": len(decision.message_ids),
        "request": names.hash("request", decision.request_hash),
        "components": _components(decision),
        "lookups": [names.hash("lookup", lookup.identity) for lookup in asked],
        "patch": decision.reply is not None and decision.reply.patch is not None,
        "outcome": None if outcome is None else _known(outcome.kind, OUTCOME_KINDS),
        "stopped_by": None if outcome is None or outcome.by is None else _known(outcome.by, STOPPED_BY),
        "events": dict(Counter(_known(event.kind, EVENT_KINDS) for event in decision.events)),
    }


def _components(decision: Decision) -> dict[str, int] | None:
    """Bytes by known kinds of component: blocks are summed, as their names are ids of the recording."""
    sizes: Counter[str] = Counter()
    try:
        found = components(decision)
    except InspectorError:
        return None
    for name, size in found.items():
        sizes[_known(name.split(" ", 1)[0], COMPONENTS)] += size
    return dict(sizes)


def _fragment(names: _Names, fragment: Fragment) -> dict[str, Any]:
    return {
        "status": _known(fragment.status, FRAGMENT_STATUSES),
        "bytes": fragment.byte_length,
        "body": names.hash("body", fragment.body),
        "lookup": names.hash("lookup", fragment.lookup.identity),
        "asked_by": names.index(fragment.requested_by),
        "sources": [
            {
                "file": names.hash("path", source.path),
                "version": names.hash("version", source.hash),
                "lines": source.end - source.start + 1,
            }
            for source in fragment.sources
        ],
    }


def _column(names: _Names, deliveries: Deliveries, key: DecisionKey) -> dict[str, Any]:
    """One sent prompt: the numbers of the fragments in each state."""
    states: dict[str, list[int | None]] = {}
    for name, state in deliveries.states(key).items():
        states.setdefault(state, []).append(names.fragment(name))
    return {"decision": names.decision(key), "states": states}


def _repeat(names: _Names, repeat: Repeat) -> dict[str, Any]:
    proof = repeat.proof
    missing = None if proof.missing_fact is None else _known(proof.missing_fact, MISSING_FACTS)
    return {
        "decision": names.decision(repeat.decision),
        "first_decision": names.index(repeat.first_decision),
        "lookup": names.hash("lookup", repeat.identity),
        "kind": repeat.kind,
        "fragment": names.fragment(repeat.fragment),
        "cause": repeat.cause,
        "also": list(repeat.also),
        "changed": repeat.changed,
        "proof": {
            "placement": None if proof.placement is None else _placement(names, proof.placement),
            "budget": None if proof.budget is None else asdict(proof.budget),
            "last_delivered": names.decision(proof.last_delivered),
            "dropped_at": names.decision(proof.dropped_at),
            "replaced_by": names.fragment(proof.replaced_by),
            "missing_fact": missing,
        },
        "budget_that_keeps_it": None if repeat.remedy is None else repeat.remedy.context_bytes,
    }


def _placement(names: _Names, placement: Placement) -> dict[str, Any]:
    place, marker = placement.place, placement.marker
    return {
        "state": placement.state,
        "total_bytes": placement.total_bytes,
        "received_bytes": placement.received_bytes,
        "carried": None if placement.carried is None else _known(placement.carried, CARRIED),
        "at": None if place is None else asdict(place),
        "marker": None if marker is None else asdict(marker),
        "guidance": placement.guidance,
        "silent_absence": placement.silent_absence,
        "lines_through_others": sum(end - start + 1 for start, end in placement.lines),
        "through": [names.fragment(name) for name in placement.through],
    }


def _pattern(names: _Names, pattern: Pattern) -> Mapping[str, Any]:
    return {
        "kind": pattern.kind,
        "decisions": [names.decision(key) for key in pattern.decisions],
        "length": pattern.length,
        "turns": pattern.turns,
        "stall": pattern.stall,
    }
