"""How lookups and decisions are called in a sentence. What comes from a package stays its own text: show it inert."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any

from .canonical import canonical_text
from .memory import lookup_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .diagnosis import NearRepeat, Repeat
    from .model import Decision, DecisionKey, Lookup

_ASKED_FOR = ("path", "file_path", "file", "command", "cmd", "pattern", "query", "url")
"""Arguments that say what is asked for, in the order in which one is looked for."""

LONGEST = 160
"""Characters of a lookup in a sentence; the whole lookup is shown where it is looked at."""

_LAST_WORD = re.compile(r".*[\s/,;:=&?|(){}\[\]<>]", re.DOTALL)
"""As much of a text as ends with a word: at white space, or at a mark that stands between words of paths and commands."""


def clipped(text: str, longest: int) -> str:
    """A text of at most `longest` characters as it is; a longer one cut after a word, with how much is left out."""
    if len(text) <= longest:
        return text
    kept = text[:longest]
    words = _LAST_WORD.match(kept)
    if words is not None and 2 * len(words[0]) > longest:
        kept = words[0].rstrip()
    return f"{kept}… (+{len(text) - len(kept):,} characters)"


def key_text(key: DecisionKey) -> str:
    """`3`, or `3.2` for the second attempt of decision 3."""
    return str(key[0]) if key[1] == 1 else f"{key[0]}.{key[1]}"


def runs(keys: Sequence[DecisionKey], every: Sequence[DecisionKey]) -> tuple[tuple[DecisionKey, DecisionKey], ...]:
    """First and last key of each run of `keys` that follow each other in `every`; both in the same order."""
    places = {key: place for place, key in enumerate(every)}
    found: list[tuple[DecisionKey, DecisionKey]] = []
    for key in keys:
        if found and places[found[-1][1]] + 1 == places[key]:
            found[-1] = found[-1][0], key
        else:
            found.append((key, key))
    return tuple(found)


def run_text(run: tuple[DecisionKey, DecisionKey]) -> str:
    """`3`, or `3–7`."""
    return key_text(run[0]) if run[0] == run[1] else f"{key_text(run[0])}–{key_text(run[1])}"


def lookup_text(lookup: Lookup) -> str:
    """A lookup in a few words: its kind, then what it asks for; cut after `LONGEST` characters, which it says."""
    asked = [value_text(query) for query in lookup.queries or ()]
    if lookup.search is not None:
        asked.append(f"in {value_text(lookup.search)}")
    if lookup.reference_url is not None:
        asked.append(value_text(lookup.reference_url))
    if lookup.arguments is not None:
        asked.append(arguments_text(lookup.arguments))
    return clipped(" ".join([lookup.kind, ", ".join(asked)]).strip(), LONGEST)


def identity_text(identity: str) -> str:
    """The lookup that an identity names, in a few words; the identity itself where it is none."""
    lookup = lookup_of(identity)
    return clipped(identity, LONGEST) if lookup is None else lookup_text(lookup)


def repeat_text(repeat: Repeat) -> str:
    """One repeat in a sentence: what was asked again, and what is true of the earlier result."""
    said = f"{identity_text(repeat.identity)}: asked again after decision {repeat.first_decision}; its result {repeat.proof.detail}"
    return f"{said}. Asking again gave a changed answer." if repeat.changed else f"{said}."


def is_progress(repeat: Repeat) -> bool:
    """Whether asking again was progress: the earlier answer had been delivered, and the new one is another."""
    return repeat.changed is True and repeat.cause == "delivered" and repeat.kind == "identity"


def causes_text(repeats: Sequence[Repeat]) -> str:
    """How many repeats have each cause, those that were progress apart: `5 delivered; 2 with a changed answer: progress`."""
    counts = Counter(repeat.cause for repeat in repeats if not is_progress(repeat))
    said = ", ".join(f"{count:,} {cause.replace('_', ' ')}" for cause, count in counts.items())
    changed = sum(map(is_progress, repeats))
    return "; ".join(
        [*([said] if said else []), *([f"{changed:,} with a changed answer: progress"] if changed else [])]
    )


def near_repeat_text(near: NearRepeat) -> str:
    """One near repeat in a sentence."""
    earlier = identity_text(near.earlier_identity)
    return f"{identity_text(near.identity)} resembles {earlier} of decision {near.first_decision}: {near.why}."


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


def arguments_text(arguments: Any) -> str:
    """`src/a.js 10-60` for the read of a range, else what is asked for and then the rest as `name=value`."""
    if not isinstance(arguments, dict) or not arguments:
        return value_text(arguments)
    rest = dict(arguments)
    main = next((name for name in _ASKED_FOR if isinstance(rest.get(name), str)), None)
    said = [] if main is None else [value_text(rest.pop(main))]
    if isinstance(rest.get("start"), int) and isinstance(rest.get("end"), int):
        said.append(f"{rest.pop('start')}-{rest.pop('end')}")
    said += [f"{name}={value_text(value)}" for name, value in sorted(rest.items())]
    return " ".join(said)


def value_text(value: object) -> str:
    """A text as it is, anything else as its canonical JSON text."""
    return value if isinstance(value, str) else canonical_text(value)  # type: ignore[arg-type]  # JSON by the readers
