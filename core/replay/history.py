"""What a replay needs of a recorded run, read from the transmitted texts, in stretches of one memory each."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from operator import itemgetter
from typing import TYPE_CHECKING

from ..anatomy import BOUNDED, layout_of
from ..errors import InvestigationError, RecordError
from ..memory import remember_context
from ..memory.rendering import check_fragment
from .results import ReplayedBody

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..memory import BlockText, Layout, Place, Retention
    from ..memory.layout import Said
    from ..model import Decision, Fragment, Investigation


_STATUS, _FRAGMENT, _BODY = itemgetter(1), itemgetter(2), itemgetter(3)
"""The parts of `memory.layout.Said`."""


@dataclass(frozen=True)
class Step:
    """One recorded prompt, as much of its layout as a replay needs, and what its ledger adds and changes.

    `base`, `blocks`: of the layout. `ids`, `states`: what its ledger names, and says of their bodies. `other_bytes`: of
    the messages beside the user's. `added` are new fragments; `changed` gives the statuses of entries (by place) that
    are not what they were. `fragments` are all of the run, by id.
    """

    decision: Decision = field(compare=False)
    user: int
    base: Place
    blocks: tuple[BlockText, ...]
    ids: tuple[str, ...]
    states: tuple[str | None, ...]
    other_bytes: int
    added: tuple[Fragment, ...]
    changed: Mapping[int, str]
    fragments: Mapping[str, Fragment]

    @property
    def base_bytes(self) -> int:
        """Bytes of the base context with its heading."""
        return self.base[1]

    @property
    def recorded(self) -> tuple[ReplayedBody, ...]:
        """What the transmitted text carried, in ledger order."""
        blocks = {block.fragment: block for block in self.blocks}
        found: list[ReplayedBody] = []
        for name, state in zip(self.ids, self.states, strict=True):
            block = blocks.get(name)
            sent, size = (block.sent, block.size) if block else (0, 0)
            found.append(ReplayedBody(name, state, sent, self.fragments[name].byte_length, size))
        return tuple(found)

    def remember(self, state: Retention) -> Retention:
        """The memory with this prompt's ledger: results added as they came, statuses as the ledger gives them."""
        for fragment in self.added:
            state = remember_context(state, fragment, self.base_bytes)
        if not self.changed:
            return state
        seen = list(state.seen)
        for place, status in self.changed.items():
            seen[place] = replace(seen[place], status=status)
        return replace(state, seen=tuple(seen))


@dataclass
class History:
    """The prompts that can be replayed, a stretch for each memory that began empty, and what was missing for others."""

    stretches: list[list[Step]] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)


def history(investigation: Investigation) -> History:
    """Read a run. A prompt that cannot be read ends its stretch: what came later depends on it."""
    fragments = {fragment.id: fragment for fragment in investigation.fragments if fragment.problem is None}
    reading = _Reading(fragments)
    for decision in investigation.decisions:
        if decision.format == BOUNDED or (decision.problem is not None and reading.found.stretches):
            reading.read(decision)
    found = reading.found
    if not any(found.stretches) and not found.missing:
        found.missing.append(f"no prompt of this recording has the format {BOUNDED}: it has no such memory to replay")
    return found


@dataclass
class _Reading:
    """Reads prompt after prompt. `known`, `statuses`: the ledger so far; `broken`: what the rest of the stretch lacks."""

    fragments: Mapping[str, Fragment]
    found: History = field(default_factory=History)
    known: tuple[str, ...] = ()
    statuses: list[str] = field(default_factory=list)
    broken: str | None = None

    def read(self, decision: Decision) -> None:
        try:
            user, layout = layout_of(decision)
        except RecordError as error:
            self.lose(decision, error)
            return
        ids = tuple(map(_FRAGMENT, layout.ledger.says))
        if ids == self.known:
            ids = self.known  # most prompts name what the one before named: one copy
        if not self.found.stretches or ids[: len(self.known)] != self.known:
            self.found.stretches.append([])
            self.known, self.statuses = (), []
            self.broken = "what came before this recording" if ids else None
        try:
            if self.broken is None:
                self.found.stretches[-1].append(self.step(decision, user, layout, ids))
            else:
                self.found.missing.append(f"{_name(decision)}: what it carries depends on {self.broken}")
        except (RecordError, InvestigationError) as error:
            self.lose(decision, error)
        self.known = ids

    def lose(self, decision: Decision, error: Exception) -> None:
        self.broken = _name(decision)
        self.found.missing.append(f"{self.broken}: {error}")

    def step(self, decision: Decision, user: int, layout: Layout, ids: tuple[str, ...]) -> Step:
        _check(ids, decision)
        added = tuple(_fragment(said, self.fragments) for said in layout.ledger.says[len(self.known) :])
        expected = self.statuses + [fragment.status for fragment in added]
        self.statuses = list(map(_STATUS, layout.ledger.says))
        changed = {}
        if self.statuses != expected:
            changed = {place: now for place, now in enumerate(self.statuses) if now != expected[place]}
        return Step(
            decision=decision,
            user=user,
            base=layout.base,
            blocks=layout.blocks,
            ids=ids,
            states=tuple(map(_BODY, layout.ledger.says)),
            other_bytes=decision.prompt_bytes - layout.user_bytes,
            added=added,
            changed=changed,
            fragments=self.fragments,
        )


def _fragment(said: Said, fragments: Mapping[str, Fragment]) -> Fragment:
    asked_by, _, name, _, identity = said
    fragment = fragments.get(name)
    if fragment is None:
        raise RecordError(f"its ledger names {name}, which is not among the fragments")
    if fragment.lookup.identity != identity or fragment.requested_by != asked_by:
        raise RecordError(
            f"its ledger says of {name} what the fragment does not",
            expected=f"decision {fragment.requested_by}, {fragment.lookup.identity[:80]}",
            found=f"decision {asked_by}, {identity[:80]}",
        )
    check_fragment(fragment)
    return fragment


def _check(ids: tuple[str, ...], decision: Decision) -> None:
    """A ledger must name each fragment once, and it must be known whether its prompt was sent."""
    if len(set(ids)) != len(ids):
        raise RecordError("its ledger names a fragment twice")
    if decision.sent is None:
        raise RecordError("it is not recorded whether this prompt was sent")


def _name(decision: Decision) -> str:
    return f"decision {decision.index}" + (f" (attempt {decision.attempt})" if decision.attempt != 1 else "")
