"""The recorder's log against the transmitted text: where they disagree, the text is right and the reader is told.

One function a kind of claim; each gives findings. Nothing here changes what was delivered.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property, lru_cache
from operator import attrgetter
from typing import TYPE_CHECKING

from ..anatomy import layout_of
from ..canonical import utf8
from ..errors import RecordError
from ..model import NOTHING
from . import words
from .findings import Finding

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from ..delivery import Deliveries
    from ..memory import Layout
    from ..model import Decision, Fragment, Investigation, LedgerEntry, Memory
    from .case import Evidence


def checked(investigation: Investigation, deliveries: Deliveries, found: list[Finding]) -> Iterator[Decision]:
    """Each decision as far as a diagnosis goes on to need it, after its log was held against its text.

    A log of 1,000 entries costs more to read than all the rest of its decision: it is read here, once, and let go.
    Disagreements go into `found`, in the order of the decisions. What cannot be read in full contradicts nothing.
    """
    fragments = {fragment.id: fragment for fragment in reversed(deliveries.fragments)}
    before: Decision | None = None
    for decision in investigation.decisions:
        rest = replace(decision, memory=None, request=NOTHING, extra=NOTHING)
        if decision.sent is True and deliveries.readable(decision.key):
            if decision.memory is not None:
                claim = _Claim(decision, decision.memory, before, deliveries, fragments)
                for check in CLAIMS:
                    found += check(claim)
            before = rest
        yield rest


class _Claim:
    """One decision's log with what is needed to check it. Texts are read once."""

    def __init__(
        self,
        decision: Decision,
        memory: Memory,
        before: Decision | None,
        deliveries: Deliveries,
        fragments: Mapping[str, Fragment],
    ) -> None:
        self.decision = decision
        self.before = before
        self.memory = memory
        self.fragments = fragments
        self.deliveries = deliveries
        self.messages = decision.messages
        self.budget = deliveries.investigation.limits.context_bytes
        self._data: dict[int, bytes] = {}

    @cached_property
    def own_blocks(self) -> dict[str, tuple[int, int]] | None:
        """The blocks that the text itself names, `(sent, total)` bytes; None if it is not the documented rendering."""
        return self.deliveries.blocks(self.decision.key)

    @cached_property
    def _layout(self) -> tuple[int, Layout] | None:
        try:
            return layout_of(self.decision)
        except RecordError:
            return None

    @property
    def layout(self) -> Layout | None:
        """The prompt's own layout; None if it is not the documented rendering."""
        return None if self._layout is None else self._layout[1]

    @cached_property
    def ledger_is_sent(self) -> bool:
        """Whether the log's ledger is the text's, entry by entry and place by place, but for what it says of bodies.

        So it is in nearly every prompt, and seen at once; only where it is not, each entry is looked at.
        """
        if self._layout is None:
            return False
        message, layout = self._layout
        sent = [
            (identity, status, fragment, decision, message, start, end)
            for (decision, status, fragment, _, identity), (start, end) in zip(
                layout.ledger.says, layout.ledger.places(), strict=True
            )
        ]
        return sent == list(map(_ENTRY, self.memory.ledger))

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


_ENTRY = attrgetter("identity", "status", "fragment", "decision", "message", "start", "end")
"""What a ledger entry of the log says that the text says too."""


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
        if not claim.ledger_is_sent and not claim.names(entry):
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


def _entries(claim: _Claim) -> Iterator[Finding]:
    """The ledger of the log, entry by entry, is the ledger that was sent; an empty log claims nothing."""
    if claim.layout is None or not (claim.memory.ledger or claim.memory.blocks or claim.memory.evicted):
        return
    sent = claim.layout.ledger.says
    if len(sent) != len(claim.memory.ledger):
        logged = len(claim.memory.ledger)
        yield claim.disagreement(f"the log has {logged:,} ledger entries; the text has {len(sent):,}", None)
        return
    if claim.ledger_is_sent:
        return
    for entry, (decision, status, fragment, _, identity) in zip(claim.memory.ledger, sent, strict=True):
        if entry.identity != identity or entry.fragment not in {None, fragment}:
            yield claim.disagreement("the log's ledger names another lookup here than the text", fragment)
        elif entry.status != status:
            yield claim.disagreement("the log's ledger gives this lookup another status than the text", fragment)
        elif entry.decision not in {None, decision}:
            yield claim.disagreement("the log's ledger has another decision ask for it than the text", fragment)


def _sizes(claim: _Claim) -> Iterator[Finding]:
    """The base context and the budget of the log are those of the text and of the recorded limits."""
    if claim.layout is not None and claim.memory.base_bytes not in {None, claim.layout.base_bytes}:
        logged, sent = claim.memory.base_bytes or 0, claim.layout.base_bytes
        yield claim.disagreement(
            f"the log says that the base context takes {words.size(logged)}; in the text it takes {words.size(sent)}",
            None,
        )
    logged_budget = claim.memory.context_bytes
    if logged_budget is not None and claim.budget is not None and logged_budget != claim.budget:
        yield claim.disagreement(
            f"the log says that the budget is {words.size(logged_budget)}; the package records {words.size(claim.budget)}",
            None,
        )


def _supplied(claim: _Claim) -> Iterator[Finding]:
    """The supplied ranges of the log are those that the text names."""
    if claim.layout is None or not claim.memory.supplied:
        return
    sent = {(each.path, each.hash, each.start, each.end) for each in claim.layout.supplied.says}
    logged = {(each.path, each.hash, each.start, each.end) for each in claim.memory.supplied}
    if sent != logged:
        yield claim.disagreement(
            f"of the {len(logged):,} supplied ranges in the log, the text names {len(sent & logged):,}, "
            f"and {len(sent - logged):,} that are not in the log",
            None,
        )


def _evicted(claim: _Claim) -> Iterator[Finding]:
    """What the log says has left since the sent prompt before stood in that prompt, or came in between."""
    blocks = None if claim.before is None else claim.deliveries.blocks(claim.before.key)
    if claim.before is None or blocks is None:
        return
    for name in claim.memory.evicted:
        fragment = claim.fragments.get(name)
        asked_at = None if fragment is None else fragment.requested_by
        if name not in blocks and (asked_at is None or asked_at < claim.before.index):
            yield claim.disagreement(
                f"the log says that it has left since {words.decision(claim.before.key)}; that prompt had no block of it",
                name,
            )


SAID = {"whole": "all of it", "cut": "a part of it"}
"""What the text holds where the log's word is right; any other word says that no block of it is there."""

CLAIMS: tuple[Callable[[_Claim], Iterator[Finding]], ...] = (
    _blocks,
    _unlisted,
    _ledger,
    _entries,
    _sizes,
    _supplied,
    _evicted,
)
"""In the order in which findings are listed."""


def silent_absences(evidence: Evidence) -> Iterator[Finding]:
    """Fragments whose marker stands in a prompt that does not say that the body is gone: once for each fragment."""
    for placement in evidence.deliveries.silent_absences():
        said = f"{words.decision(placement.key)} names it and does not say that its body is gone"
        yield Finding("silent_absence", said, placement.key, placement.fragment)
