"""Where two aligned runs first part, in sentences that can be pasted into an issue."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .anatomy import anatomy
from .canonical import byte_length, utf8
from .diagnosis import words
from .memory import lookup_of
from .wording import outcome_text, reply_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .compare import Pairing, Row, Unlike
    from .model import Decision, Fragment, Investigation

STATE_WORDS = {
    "unknown": "not recorded",
    "marker_only": "named by a marker only",
    "overlap": "there only in part, through others",
}
"""How a delivery state reads in these sentences, where its own name does not."""


@dataclass(frozen=True)
class Parting:
    """Sentences about where two runs part; `row` and `delivery_row` are places among the rows, None where they do not.

    `first`: what differs first, be it a result, what was received, asked, or came of it. `delivery`: the first pair of
    prompts in which the result of a shared lookup stands differently. `prompts`: how the prompts' own texts differ
    before that, although the evidence does not; None where they do not.
    """

    first: str
    row: int | None
    delivery: str | None = None
    delivery_row: int | None = None
    prompts: str | None = None


def parting_of(left: Investigation, right: Investigation, rows: Sequence[Row], pairing: Pairing) -> Parting:
    """Name the first difference. Reads the prompts of the pairs before it once each, to say if their texts differ."""
    sides = left, right
    answers = _answers(pairing)
    found: tuple[int, str] | None = None
    for place, row in enumerate(rows):
        said = list(_differences(sides, row, answers))
        if said:
            found = place, f"First difference at {_where(sides, row)}: {'; '.join(said)}."
            break
    delivery = next((place for place, row in enumerate(rows) if row.unlike), None)
    before = rows if found is None else rows[: found[0] + 1]
    return Parting(
        first=found[1] if found else _alike(rows),
        row=found[0] if found else None,
        delivery=None if delivery is None else _delivered(sides, rows[delivery]),
        delivery_row=delivery,
        prompts=_texts(sides, before),
    )


def _alike(rows: Sequence[Row]) -> str:
    if not rows:
        return "Neither run holds a decision: there is nothing to compare."
    count = f"{len(rows):,} decision{'' if len(rows) == 1 else 's'}"
    return f"No difference: over {count} both runs asked for the same, received the same of it, and came to the same."


def _decisions(sides: tuple[Investigation, Investigation], row: Row) -> tuple[Decision | None, Decision | None]:
    left = None if row.left is None else sides[0].decisions[row.left]
    right = None if row.right is None else sides[1].decisions[row.right]
    return left, right


def _where(sides: tuple[Investigation, Investigation], row: Row) -> str:
    left, right = _decisions(sides, row)
    if left is not None and right is not None:
        if left.key == right.key:
            return words.decision(left.key)
        return f"{words.decision(left.key)} on the left and {words.decision(right.key)} on the right"
    return (
        f"{words.decision(left.key)} on the left"
        if left
        else f"{words.decision(right.key)} on the right"
        if right
        else ""
    )


def _differences(
    sides: tuple[Investigation, Investigation], row: Row, answers: dict[int, tuple[Fragment, Fragment]]
) -> Iterator[str]:
    left, right = _decisions(sides, row)
    if left is None or right is None:
        alone, side, other = (left, "left", "right") if left is not None else (right, "right", "left")
        if alone is not None:
            yield f"the {side} {_decided(alone)}, and nothing on the {other} stands beside it"
        return
    yield from differences_of(row, left, right)
    if left.index in answers:
        one, other_one = answers[left.index]
        yield (
            f"{words.lookup(one.lookup)} gave {words.size(one.byte_length)} on the left and "
            f"{words.size(other_one.byte_length)} of another text on the right"
        )


def differences_of(row: Row, left: Decision, right: Decision) -> Iterator[str]:
    """What differs between two decisions beside each other, a clause each; results of lookups are looked at elsewhere."""
    if row.unlike:
        yield _unlike(row.unlike[0], row.differing)
    if left.sent is not right.sent:
        yield f"the left prompt was {_sent(left)}, the right one {_sent(right)}"
    if row.match != "same":
        yield f"the left {_decided(left)}, the right {_decided(right)}"
    elif outcome_text(left) != outcome_text(right):
        yield f"both {_asked(left)}: {outcome_text(left)} on the left, {outcome_text(right)} on the right"


def _answers(pairing: Pairing) -> dict[int, tuple[Fragment, Fragment]]:
    """By the left decision that asked: the first shared lookup whose result is another one on the right."""
    found: dict[int, tuple[Fragment, Fragment]] = {}
    for one, other in zip(pairing.left, pairing.right, strict=True):
        if one.requested_by is not None and (one.body, one.status) != (other.body, other.status):
            found.setdefault(one.requested_by, (one, other))
    return found


def _asked(decision: Decision) -> str:
    """What a reply did, as a verb: `asked for search ...`, `decided patch ...`."""
    lookups = decision.reply.lookups if decision.reply is not None else ()
    if not lookups:
        return f"decided {words.short(reply_text(decision))}"
    named = ", ".join(words.lookup(each) for each in lookups[:2])
    more = f" and {len(lookups) - 2:,} more" if len(lookups) > 2 else ""  # noqa: PLR2004  # two are named
    return f"asked for {named}{more}"


def _decided(decision: Decision) -> str:
    """The same, with what came of it where that is more than going on."""
    outcome = decision.outcome
    return _asked(decision) + (f" ({outcome_text(decision)})" if outcome and outcome.kind != "continued" else "")


def _sent(decision: Decision) -> str:
    return {True: "sent", False: "not sent", None: "perhaps sent"}[decision.sent]


def _unlike(found: Unlike, count: int) -> str:
    more = f" (and {count - 1:,} more results stand differently)" if count > 1 else ""
    lookup = lookup_of(found.identity)
    name = words.short(found.identity) if lookup is None else words.lookup(lookup)
    return (
        f"the result of {name} is {_stands(found, 'left')} on the left and {_stands(found, 'right')} on the right{more}"
    )


def _stands(found: Unlike, side: str) -> str:
    stands = found.left if side == "left" else found.right
    if stands.state == "cut":
        return f"cut ({stands.received:,} of {words.size(stands.total)})"
    if stands.state == "whole":
        return f"whole ({words.size(stands.total)})"
    return STATE_WORDS.get(stands.state, stands.state)


def _delivered(sides: tuple[Investigation, Investigation], row: Row) -> str:
    return f"Delivery first differs at {_where(sides, row)}: {_unlike(row.unlike[0], row.differing)}."


def _texts(sides: tuple[Investigation, Investigation], rows: Sequence[Row]) -> str | None:
    """The first pair of prompts with the same evidence and another text, and which of their components differ."""
    for row in rows:
        left, right = _decisions(sides, row)
        if left is None or right is None or row.unlike:
            return None
        if [message.text for message in left.messages] == [message.text for message in right.messages]:
            continue
        ours, theirs = _components(left), _components(right)
        names = [name for name in {**ours, **theirs} if ours.get(name) != theirs.get(name)]
        sizes = [
            f"{name.replace('_', ' ')} ({byte_length(ours.get(name, '')):,} and {words.size(byte_length(theirs.get(name, '')))})"
            for name in names
        ]
        return f"The prompts' own texts differ from {_where(sides, row)} on: {', '.join(sizes) or 'in order only'}."
    return None


def _components(decision: Decision) -> dict[str, str]:
    """The text of each kind of span."""
    texts = [utf8(message.text) for message in decision.messages]
    found: dict[str, str] = {}
    for span in anatomy(decision):
        part = texts[span.message][span.start : span.end].decode("utf-8", "surrogatepass")
        found[span.kind] = found.get(span.kind, "") + part
    return found
