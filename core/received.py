"""The delivery check as a function for anyone's test suite: fail if a prompt lacks what the next decision needs.

    from core.received import assert_received

    def test_the_third_call_has_what_the_first_two_found(model):
        prompt = model.calls[2].prompt                      # the transmitted string, not a log of it
        assert_received(prompt, hashes=[player_hash, observe_hash], lookups=[search, symbol], bodies=[found])

Only the text decides. A body is recognised raw, behind line numbers, indented, and inside JSON strings; a lookup by its
identity, in a ledger of the documented rendering or anywhere in the text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from .anatomy import BOUNDED
from .canonical import byte_length, sha256, utf8
from .delivery.facts import MIN_BODY_BYTES
from .delivery.reading import MessageReader
from .errors import RecordError
from .memory import lookup_of, read_layout, text_message
from .model import Fragment, Lookup

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_SHOWN = 60


@dataclass(frozen=True, slots=True)
class NotReceived:
    """One thing that a prompt lacks: `what` it is, its `name` (a hash, an identity, a body's first characters), `why`."""

    what: Literal["hash", "lookup", "body"]
    name: str
    why: str

    def __str__(self) -> str:
        """`body 'export function st…': cut, 640 of 1,204 B at bytes 9,300-9,940`."""
        return f"{self.what} {self.name}: {self.why}"


def received(
    prompt_text: str,
    *,
    hashes: Sequence[str] = (),
    lookups: Sequence[Lookup | str] = (),
    bodies: Sequence[str] = (),
) -> tuple[NotReceived, ...]:
    """What of the wanted hashes, lookups (or their identities) and bodies does not stand in a transmitted prompt."""
    missing: list[NotReceived] = []
    missing += _hashes(prompt_text, hashes)
    missing += _lookups(prompt_text, [each if isinstance(each, str) else each.identity for each in lookups])
    missing += _bodies(prompt_text, bodies)
    return tuple(missing)


def assert_received(
    prompt_text: str,
    *,
    hashes: Sequence[str] = (),
    lookups: Sequence[Lookup | str] = (),
    bodies: Sequence[str] = (),
) -> None:
    """Raise `AssertionError` with the list of what was not delivered and why; do nothing if everything was.

    Raises `ValueError` if nothing is asked for: a check that cannot fail checks nothing.
    """
    if not isinstance(prompt_text, str):
        raise TypeError(f"the prompt must be text (str), not {type(prompt_text).__name__}: decode it first")
    if not (hashes or lookups or bodies):
        raise ValueError("assert_received needs hashes, lookups or bodies to look for")
    missing = received(prompt_text, hashes=hashes, lookups=lookups, bodies=bodies)
    if missing:
        listed = "\n".join(f"- {each}" for each in missing)
        searched = f"{byte_length(prompt_text):,} B, {sha256(utf8(prompt_text))}"
        raise AssertionError(f"{len(missing)} not received in the prompt ({searched}):\n{listed}")


def _hashes(prompt: str, hashes: Sequence[str]) -> Iterator[NotReceived]:
    """In the documented rendering a hash must stand with a result: the list of supplied ranges is only a marker."""
    try:
        blocks = read_layout(prompt).blocks
        data = utf8(prompt)
        searched = b"\n".join(data[block.heading[0] : block.body[1]] for block in blocks).decode("utf-8", "replace")
    except RecordError:
        searched = prompt
    for each in hashes:
        if not _stands(each, searched):
            marker = _stands(each, prompt)
            why = "only in the base context or the list of supplied ranges, with no result" if marker else "absent"
            yield NotReceived("hash", repr(each[:_SHOWN]), why)


def _stands(each: str, text: str) -> bool:
    return bool(each) and re.search(rf"(?<![0-9a-zA-Z]){re.escape(each)}(?![0-9a-zA-Z])", text) is not None


def _lookups(prompt: str, identities: Sequence[str]) -> Iterator[NotReceived]:
    try:
        ledger = {entry.identity: entry.status for entry in read_layout(prompt).entries}
    except RecordError:
        ledger = None
    fragments = [_fragment(place, identity) for place, identity in enumerate(identities)]
    facts = MessageReader(fragments).read(text_message("user", prompt), "")
    for place, identity in enumerate(identities):
        name = repr(identity[:_SHOWN])
        if ledger is None:
            if place not in facts.whole and place not in facts.coincidental:
                yield NotReceived("lookup", name, "its identity does not stand in the prompt")
        elif identity not in ledger:
            yield NotReceived("lookup", name, f"not in the ledger of {len(ledger)} entries")
        elif ledger[identity] != "completed":
            yield NotReceived("lookup", name, f"the ledger says that it is {ledger[identity]}, not completed")


def _bodies(prompt: str, bodies: Sequence[str]) -> Iterator[NotReceived]:
    fragments = [_fragment(place, body) for place, body in enumerate(bodies)]
    reader = MessageReader(fragments)
    facts = reader.read(text_message("user", prompt), BOUNDED)
    for place, body in enumerate(bodies):
        if place in facts.whole:
            continue
        shown = " ".join(body.split())
        name = repr(shown if len(shown) <= _SHOWN else f"{shown[: _SHOWN - 1]}…")
        spot = facts.coincidental.get(place)
        total = byte_length(body)
        if spot is not None:
            small = f"under {MIN_BODY_BYTES} B" if total < MIN_BODY_BYTES else "in the base context"
            yield NotReceived("body", name, f"coincidental, {small} at bytes {spot.start:,}-{spot.end:,}")
        elif cut := reader.beginning(prompt, place):
            said = "" if cut.guidance else ", and the prompt does not say so"
            found = f"cut, {cut.received:,} of {total:,} B at bytes {cut.start:,}-{cut.end:,}{said}"
            yield NotReceived("body", name, found)
        else:
            yield NotReceived("body", name, f"absent ({total:,} B, {sha256(utf8(body))})")


def _fragment(place: int, body: str) -> Fragment:
    return Fragment(f"wanted {place}", lookup_of(body) or Lookup("wanted"), "completed", None, body)
