"""The recorder's log against the transmitted text: where they disagree, the text is right and the reader is told.

One function a kind of claim; each gives findings. Nothing here changes what was delivered.
"""

from __future__ import annotations

from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from ..canonical import utf8
from . import words
from .findings import Finding

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..model import Decision, Fragment, LedgerEntry, Memory
    from .case import Evidence


def findings(evidence: Evidence) -> Iterator[Finding]:
    """Every disagreement, in the order of the decisions. What cannot be read in full contradicts nothing."""
    for decision in evidence.investigation.decisions:
        if decision.sent is True and decision.memory is not None and evidence.deliveries.readable(decision.key):
            claim = _Claim(evidence, decision, decision.memory)
            for check in CLAIMS:
                yield from check(claim)


class _Claim:
    """One decision's log with what is needed to check it. Texts are read once."""

    def __init__(self, evidence: Evidence, decision: Decision, memory: Memory) -> None:
        self.decision = decision
        self.memory = memory
        self.fragments = evidence.fragment_of
        self.deliveries = evidence.deliveries
        self.messages = decision.messages
        self._data: dict[int, bytes] = {}

    @cached_property
    def own_blocks(self) -> dict[str, tuple[int, int]] | None:
        """The blocks that the text itself names, `(sent, total)` bytes; None if it is not the documented rendering."""
        return self.deliveries.blocks(self.decision.key)

    def text(self, message: int | None, start: int | None, end: int | None) -> bytes | None:
        """The bytes at a claimed place; None where the claim gives no place, or one that is not in the prompt."""
        if message is None or start is None or end is None or not 0 <= message < len(self.messages):
            return None
        if message not in self._data:
            self._data[message] = utf8(self.messages[message].text)
        data = self._data[message]
        return data[start:end] if 0 <= start <= end <= len(data) else None

    def names(self, entry: LedgerEntry) -> bool:
        """Whether a ledger entry's identity stands where the log says; true where it says no place."""
        message, start, end = entry.message, entry.start, entry.end
        if message is None or start is None or end is None:
            return message is None and start is None and end is None
        data = self._data.get(message)
        if data is None:
            return (found := self.text(message, start, end)) is not None and _encoded(entry.identity) in found
        return 0 <= start <= end <= len(data) and data.find(_encoded(entry.identity), start, end) >= 0

    def body(self, fragment: Fragment, count: int) -> bytes:
        """The first `count` bytes of a body."""
        return utf8(fragment.body)[:count]

    def disagreement(self, what: str, fragment: str | None) -> Finding:
        """A finding of this decision."""
        return Finding("disagreement", f"{words.decision(self.decision.key)}: {what}", self.decision.key, fragment)


@lru_cache(maxsize=20_000)  # the same entries stand in log after log
def _encoded(identity: str) -> bytes:
    return utf8(identity)


def _blocks(claim: _Claim) -> Iterator[Finding]:
    """Blocks that the log says were sent: these bytes of the body must be there, where it says."""
    for block in claim.memory.blocks:
        fragment = claim.fragments.get(block.fragment)
        if fragment is None:
            yield claim.disagreement("the log names a block of a fragment that is not recorded", None)
            continue
        wanted = (
            f"the log says that {words.size(block.sent_bytes)} of {words.size(fragment.byte_length)} of it were sent"
        )
        if block.truncated != (block.sent_bytes < fragment.byte_length) or block.sent_bytes > fragment.byte_length:
            said = "cut" if block.truncated else "whole"
            yield claim.disagreement(f"{wanted} and that it is {said}: both cannot be", fragment.id)
        elif block.message is None and block.start is None and block.end is None:
            placement = claim.deliveries.at(fragment.id, claim.decision.key)
            if placement is None or placement.received_bytes != block.sent_bytes:
                found = 0 if placement is None else placement.received_bytes
                yield claim.disagreement(f"{wanted}; the text carries {words.size(found)}", fragment.id)
        elif claim.text(block.message, block.start, block.end) != claim.body(fragment, block.sent_bytes):
            yield claim.disagreement(f"{wanted}; they do not stand where the log says", fragment.id)


def _unlisted(claim: _Claim) -> Iterator[Finding]:
    """Blocks that stand in the text and are not in the log, or of which the log says that they were evicted."""
    if not (claim.memory.blocks or claim.memory.ledger or claim.memory.evicted):
        return
    listed = {block.fragment for block in claim.memory.blocks}
    for name, (sent, _) in (claim.own_blocks or {}).items():
        if name in claim.memory.evicted:
            yield claim.disagreement("the log says that it was evicted; its block stands in the text", name)
        elif name not in listed:
            yield claim.disagreement(
                f"its block ({words.size(sent)}) stands in the text; the log does not list it", name
            )


def _ledger(claim: _Claim) -> Iterator[Finding]:
    """What the log says became of each body, and whether its entry stands where it says."""
    blocks = claim.own_blocks
    for entry in claim.memory.ledger:
        if not claim.names(entry):
            yield claim.disagreement("a ledger entry does not stand where the log says", entry.fragment)
        if blocks is None or entry.fragment is None or entry.body is None:
            continue
        block = blocks.get(entry.fragment)
        if block is None and entry.body not in SAID:
            continue
        there = "no block of it" if block is None else "all of it" if block[0] == block[1] else "a part of it"
        if there != SAID.get(entry.body, "no block of it"):
            yield claim.disagreement(
                f"the log says that its body is {entry.body}; the text has {there}", entry.fragment
            )


SAID = {"whole": "all of it", "cut": "a part of it"}
"""What the text holds where the log's word is right; any other word says that no block of it is there."""

CLAIMS: tuple[Callable[[_Claim], Iterator[Finding]], ...] = (_blocks, _unlisted, _ledger)
"""In the order in which findings are listed."""


def silent_absences(evidence: Evidence) -> Iterator[Finding]:
    """Fragments whose marker stands in a prompt that does not say that the body is gone: once for each fragment."""
    for placement in evidence.deliveries.silent_absences():
        said = f"{words.decision(placement.key)} names it and does not say that its body is gone"
        yield Finding("silent_absence", said, placement.key, placement.fragment)
