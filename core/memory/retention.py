"""What is remembered between prompts, and how it is fitted into a byte budget.

`Retention` is the whole state of one attempt and never changes; every step gives a new one. In order: `remember_context`
for each result, `settle` (which `assemble` calls) before every prompt, `carried` once a prompt was sent, `reopen` after
a patch. Rules and words are those of the seed: the ledger says *that* a lookup was completed, blocks keep *what* it
returned, supplied ranges say which lines of which version stood in an earlier prompt.

Fitting ends because the room is fixed first: `room_for_blocks` needs the base context, the ledger and the supplied
ranges, and none of these has a size that depends on what became of a body (`rendering`). Then blocks leave one at a
time, or the one that is left is cut, and nothing ever comes back.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from ..canonical import byte_length, utf8
from ..errors import InvestigationError
from ..excerpt import held_ranges
from . import rendering

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ..model import Fragment, SourceRange


@dataclass(frozen=True, slots=True)
class Seen:
    """One ledger entry: a lookup that was performed, and its status (`rendering.ENTRY_STATUSES`)."""

    fragment: Fragment
    status: str


@dataclass(frozen=True, slots=True)
class Held:
    """A context block: the first `kept` bytes of a fragment's body, in a block of `size` bytes with all that belongs to it.

    `carried`: a sent prompt has held it.
    """

    fragment: Fragment
    kept: int
    size: int
    carried: bool = False


def _keep_all(blocks: tuple[Held, ...]) -> tuple[Held, ...]:
    return blocks


def _keep_none(_: tuple[Held, ...]) -> tuple[Held, ...]:
    return ()


POLICIES: Mapping[str, Callable[[tuple[Held, ...]], tuple[Held, ...]]] = {"retain": _keep_all, "overwrite": _keep_none}
"""Which earlier blocks stay when a new result arrives. `overwrite` is the historical fault, `retain` its repair."""


@dataclass(frozen=True)
class Retention:
    """The memory of one attempt. `left`: fragments whose blocks left since the previous sent prompt, oldest first.

    `entries_bytes` and `ranges_bytes` are kept sums over `seen` and `supplied`, `known` is `supplied` as a set.
    """

    context_bytes: int
    policy: str = "retain"
    seen: tuple[Seen, ...] = ()
    blocks: tuple[Held, ...] = ()
    supplied: tuple[SourceRange, ...] = ()
    no_room: frozenset[str] = frozenset()
    left: tuple[str, ...] = ()
    entries_bytes: int = 0
    ranges_bytes: int = 0
    known: frozenset[SourceRange] = frozenset()

    def __post_init__(self) -> None:
        """Refuse an unknown policy (`InvestigationError`)."""
        if self.policy not in POLICIES:
            raise InvestigationError(
                "an unknown retention policy", expected=" or ".join(POLICIES), found=str(self.policy)[:80]
            )

    def completed(self, identity: str) -> bool:
        """Whether this lookup identity is completed and not reopened: asking again meets the repetition gate."""
        return any(entry.status == "completed" and entry.fragment.lookup.identity == identity for entry in self.seen)

    def body_state(self, fragment: Fragment) -> str | None:
        """What became of a remembered body: one of `BODY_STATES`, None where the lookup's outcome is not known."""
        if fragment.status == "uncertain":
            return None
        if not fragment.body:
            return "empty"
        for block in self.blocks:
            if block.fragment.id == fragment.id:
                return "whole" if block.kept == fragment.byte_length else "cut"
        return "no room" if fragment.id in self.no_room else "gone"

    @cached_property
    def ledger_lines(self) -> tuple[str, ...]:
        """The ledger, a line an entry, in the order in which lookups were performed."""
        return tuple(
            rendering.ledger_line(number, entry.fragment, entry.status, self.body_state(entry.fragment))
            for number, entry in enumerate(self.seen, 1)
        )

    @cached_property
    def supplied_lines(self) -> tuple[str, ...]:
        """The supplied ranges, a line each, in the order in which they were first sent."""
        return tuple(rendering.supplied_line(source) for source in self.supplied)

    @cached_property
    def ledger_text(self) -> str:
        """Ledger and supplied ranges with their headings: what is never trimmed."""
        entries, ranges = self.ledger_lines, self.supplied_lines
        return "".join((self._ledger_heading, *entries, self._supplied_heading, *ranges))

    @property
    def ledger_heading_bytes(self) -> int:
        """UTF-8 bytes before the first ledger entry."""
        return len(self._ledger_heading)

    @property
    def ledger_bytes(self) -> int:
        """UTF-8 bytes of `ledger_text`; the same whatever became of the bodies."""
        return len(self._ledger_heading) + self.entries_bytes + len(self._supplied_heading) + self.ranges_bytes

    @property
    def _ledger_heading(self) -> str:
        return rendering.ledger_heading(len(self.seen), self.entries_bytes)

    @property
    def _supplied_heading(self) -> str:
        return rendering.supplied_heading(len(self.supplied), self.ranges_bytes)

    @property
    def blocks_bytes(self) -> int:
        """Bytes that all blocks take together."""
        return sum(block.size for block in self.blocks)


def room_for_blocks(state: Retention, base_bytes: int) -> int:
    """Bytes that blocks may take: the budget less base context (its heading included) and ledger. May be negative."""
    return state.context_bytes - base_bytes - state.ledger_bytes


def remember_context(state: Retention, fragment: Fragment, base_bytes: int) -> Retention:
    """Remember one result: ledger entry first, then its block, cut to the room that is left.

    `base_bytes` is that of the prompt to come. A lookup with no known outcome gets a ledger entry and nothing else.
    Nothing is evicted here: `settle` does that before every prompt. Raises `InvestigationError` for a fragment that is
    already remembered or that the text cannot carry.
    """
    rendering.check_fragment(fragment)
    if any(entry.fragment.id == fragment.id for entry in state.seen):
        raise InvestigationError(f"fragment {fragment.id} is already remembered")
    line = rendering.ledger_line(len(state.seen) + 1, fragment, fragment.status, None)
    seen = (*state.seen, Seen(fragment, fragment.status))
    state = replace(state, seen=seen, entries_bytes=state.entries_bytes + byte_length(line))
    if fragment.status == "uncertain":
        return state
    stay = POLICIES[state.policy](state.blocks)
    staying = {block.fragment.id for block in stay}
    gone = tuple(block.fragment.id for block in state.blocks if block.fragment.id not in staying)
    state = replace(state, blocks=stay, left=(*state.left, *gone))
    if not fragment.body:
        return state
    return _add(state, fragment, room_for_blocks(state, base_bytes))


def settle(state: Retention, base_bytes: int) -> Retention:
    """Make the blocks fit: evict the oldest until they do; the newest, if never carried, is cut again instead."""
    room = room_for_blocks(state, base_bytes)
    blocks, left, taken = state.blocks, state.left, state.blocks_bytes
    while taken > max(room, 0):
        oldest, rest = blocks[0], blocks[1:]
        if not rest and not oldest.carried:
            return _add(replace(state, blocks=(), left=left), oldest.fragment, room)
        blocks, left, taken = rest, (*left, oldest.fragment.id), taken - oldest.size
    return replace(state, blocks=blocks, left=left)


def carried(state: Retention) -> Retention:
    """The state after its prompt was sent: blocks are marked, and the lines they held become supplied ranges."""
    new: dict[SourceRange, None] = {}
    for block in state.blocks:
        if not block.carried:
            held = held_ranges(block.fragment, block.kept)
            new.update((source, None) for source in held if source not in state.known)
    blocks = tuple(block if block.carried else replace(block, carried=True) for block in state.blocks)
    return replace(
        state,
        blocks=blocks,
        supplied=(*state.supplied, *new),
        known=state.known.union(new),
        ranges_bytes=state.ranges_bytes + sum(byte_length(rendering.supplied_line(source)) for source in new),
        left=(),
    )


def reopen(state: Retention, path: str) -> Retention:
    """The state after a patch of `path`: completed lookups with that file among their sources may be asked again."""
    seen = tuple(
        replace(entry, status="reopened")
        if entry.status == "completed" and any(source.path == path for source in entry.fragment.sources)
        else entry
        for entry in state.seen
    )
    return replace(state, seen=seen)


def fitting(fragment: Fragment, room: int) -> int | None:
    """Bytes of a body that fit into `room` as one block, cut between code points; None if not even guidance fits."""
    total = fragment.byte_length
    if rendering.block_bytes(fragment, total) <= room:
        return total
    longest = byte_length(rendering.block_heading(fragment, total)) + byte_length(rendering.guidance(total, total))
    return None if room < longest else floor_utf8(utf8(fragment.body), min(room - longest, total))


def floor_utf8(data: bytes, limit: int) -> int:
    """The greatest length of at most `limit` bytes that ends between two code points of UTF-8 `data`."""
    while 0 < limit < len(data) and data[limit] & 0xC0 == 0x80:  # noqa: PLR2004  # 10xxxxxx: not a first byte
        limit -= 1
    return limit


def _add(state: Retention, fragment: Fragment, room: int) -> Retention:
    kept = fitting(fragment, room)
    if kept is None:
        return replace(state, no_room=state.no_room | {fragment.id})
    held = Held(fragment, kept, rendering.block_bytes(fragment, kept))
    return replace(state, blocks=(*state.blocks, held))
