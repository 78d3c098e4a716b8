"""What a replay needs of a recorded run, read from the transmitted texts, in stretches of one memory each."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from ..anatomy import BOUNDED, layout_of
from ..errors import InvestigationError, RecordError
from ..memory import remember_context
from ..memory.rendering import check_fragment
from .results import ReplayedBody

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..memory import EntryText, Layout, Retention
    from ..model import Decision, Fragment, Investigation


@dataclass(frozen=True)
class Step:
    """One recorded prompt: its layout, the bytes of its other messages, and the fragments its ledger adds."""

    decision: Decision
    layout: Layout
    user: int
    other_bytes: int
    added: tuple[Fragment, ...]
    totals: Mapping[str, int]

    @property
    def recorded(self) -> tuple[ReplayedBody, ...]:
        """What the transmitted text carried, in ledger order."""
        blocks = {block.fragment: block for block in self.layout.blocks}
        found: list[ReplayedBody] = []
        for entry in self.layout.entries:
            block = blocks.get(entry.fragment)
            sent, size = (block.sent, block.size) if block else (0, 0)
            found.append(ReplayedBody(entry.fragment, entry.body, sent, self.totals[entry.fragment], size))
        return tuple(found)

    def remember(self, state: Retention) -> Retention:
        """The memory with this prompt's ledger: results added as they came, statuses as the ledger gives them."""
        for fragment in self.added:
            state = remember_context(state, fragment, self.layout.base_bytes)
        seen = tuple(
            entry if entry.status == text.status else replace(entry, status=text.status)
            for entry, text in zip(state.seen, self.layout.entries, strict=True)
        )
        return state if seen == state.seen else replace(state, seen=seen)


@dataclass
class History:
    """The prompts that can be replayed, a stretch for each memory that began empty, and what was missing for others."""

    stretches: list[list[Step]] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)


def history(investigation: Investigation) -> History:
    """Read a run. A prompt that cannot be read ends its stretch: what came later depends on it."""
    found = History()
    fragments = {fragment.id: fragment for fragment in investigation.fragments if fragment.problem is None}
    known: tuple[str, ...] = ()
    broken: str | None = None
    for decision in investigation.decisions:
        if decision.format != BOUNDED and (decision.problem is None or not found.stretches):
            continue
        name = _name(decision)
        try:
            user, layout = layout_of(decision)
        except RecordError as error:
            broken = name
            found.missing.append(f"{name}: {error}")
            continue
        ids = tuple(entry.fragment for entry in layout.entries)
        if not found.stretches or ids[: len(known)] != known:
            found.stretches.append([])
            known, broken = (), "what came before this recording" if ids else None
        if broken is not None:
            found.missing.append(f"{name}: what it carries depends on {broken}")
            known = ids
            continue
        try:
            _check(layout.entries, decision)
            added = tuple(_fragment(entry, fragments) for entry in layout.entries[len(known) :])
        except (RecordError, InvestigationError) as error:
            broken = name
            found.missing.append(f"{name}: {error}")
            continue
        totals = {each: fragments[each].byte_length for each in ids}
        other = decision.prompt_bytes - layout.user_bytes
        found.stretches[-1].append(Step(decision, layout, user, other, added, totals))
        known = ids
    if not any(found.stretches) and not found.missing:
        found.missing.append(f"no prompt of this recording has the format {BOUNDED}: it has no such memory to replay")
    return found


def _fragment(entry: EntryText, fragments: Mapping[str, Fragment]) -> Fragment:
    fragment = fragments.get(entry.fragment)
    if fragment is None:
        raise RecordError(f"its ledger names {entry.fragment}, which is not among the fragments")
    if fragment.lookup.identity != entry.identity or fragment.requested_by != entry.decision:
        raise RecordError(
            f"its ledger says of {entry.fragment} what the fragment does not",
            expected=f"decision {fragment.requested_by}, {fragment.lookup.identity[:80]}",
            found=f"decision {entry.decision}, {entry.identity[:80]}",
        )
    check_fragment(fragment)
    return fragment


def _check(entries: tuple[EntryText, ...], decision: Decision) -> None:
    """A ledger must name each fragment once, and it must be known whether its prompt was sent."""
    ids = [entry.fragment for entry in entries]
    if len(set(ids)) != len(ids):
        raise RecordError("its ledger names a fragment twice")
    if decision.sent is None:
        raise RecordError("it is not recorded whether this prompt was sent")


def _name(decision: Decision) -> str:
    return f"decision {decision.index}" + (f" (attempt {decision.attempt})" if decision.attempt != 1 else "")
