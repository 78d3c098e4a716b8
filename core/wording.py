"""How lookups and decisions are called in a sentence. What comes from a package stays its own text: show it inert."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .canonical import canonical_text

if TYPE_CHECKING:
    from .model import Decision, DecisionKey, Lookup

LONGEST = 160
"""Characters of a lookup in a sentence; the whole lookup is shown where it is looked at."""


def key_text(key: DecisionKey) -> str:
    """`3`, or `3.2` for the second attempt of decision 3."""
    return str(key[0]) if key[1] == 1 else f"{key[0]}.{key[1]}"


def lookup_text(lookup: Lookup) -> str:
    """A lookup in a few words: its kind, then what it asks for; cut after `LONGEST` characters with an ellipsis."""
    asked = [_value(query) for query in lookup.queries or ()]
    if lookup.search is not None:
        asked.append(f"in {_value(lookup.search)}")
    if lookup.reference_url is not None:
        asked.append(_value(lookup.reference_url))
    if lookup.arguments is not None:
        asked.append(_value(lookup.arguments))
    text = " ".join([lookup.kind, ", ".join(asked)]).strip()
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def reply_text(decision: Decision) -> str:
    """What a reply decided, in a few words."""
    reply = decision.reply
    if reply is None:
        return "no reply recorded"
    if reply.lookups:
        return "; ".join(lookup_text(lookup) for lookup in reply.lookups)
    if reply.patch is not None:
        return f"patch {reply.patch.path}"
    if reply.stop is not None:
        return "stop"
    return "text only" if reply.text else "empty reply"


def outcome_text(decision: Decision) -> str:
    """What became of a decision: `continued`, `stopped by repetition_gate`."""
    outcome = decision.outcome
    if outcome is None:
        return "no outcome recorded"
    return f"{outcome.kind} by {outcome.by}" if outcome.by else outcome.kind


def sent_text(decision: Decision) -> str:
    """Whether the prompt was sent, as far as it is known."""
    return {True: "sent", False: "not sent", None: "not known whether it was sent"}[decision.sent]


def _value(value: object) -> str:
    return value if isinstance(value, str) else canonical_text(value)  # type: ignore[arg-type]  # JSON by the readers
