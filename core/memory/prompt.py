"""The assembled prompt: system message and user message, where everything stands in it, and its two limits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from ..canonical import byte_length
from ..model import Block, LedgerEntry, Memory, Message, TextPart
from . import rendering
from .retention import Retention, settle

if TYPE_CHECKING:
    from collections.abc import Sequence

Refusal: TypeAlias = Literal["context_limit", "prompt_limit"]

SYSTEM, USER = 0, 1
"""Places of the two messages in an assembled prompt."""


@dataclass(frozen=True)
class Arithmetic:
    """The budget of one prompt, in bytes. `needed`: what its blocks would take if none were cut or evicted.

    `available` may be negative (base context and ledger alone are over); `free` is what the kept blocks leave of it.
    """

    context_bytes: int
    base_bytes: int
    ledger_bytes: int
    blocks_bytes: int
    needed: int

    @property
    def available(self) -> int:
        """Bytes that blocks may take."""
        return self.context_bytes - self.base_bytes - self.ledger_bytes

    @property
    def free(self) -> int:
        """Bytes of `available` that no block takes; never negative."""
        return max(self.available - self.blocks_bytes, 0)


@dataclass(frozen=True)
class Prompt:
    """One prompt, ready to be sent unless `refused` names the limit that stops it.

    `retention` is the memory after fitting; `carried(retention)` is the memory once this prompt was sent.
    """

    messages: tuple[Message, ...]
    memory: Memory
    retention: Retention
    arithmetic: Arithmetic
    prompt_bytes: int
    refused: Refusal | None


def assemble(
    state: Retention,
    *,
    system: str,
    base: str,
    prompt_limit: int,
) -> Prompt:
    """Fit the blocks, render both messages, note where everything stands, and check both limits.

    A ledger that alone exceeds the budget refuses the prompt (`context_limit`); then the bytes of all messages, system
    included, are checked against `prompt_limit` on their own (`prompt_limit`).
    """
    section = rendering.base_section(base)
    base_bytes = byte_length(section)
    needed = needed_bytes(state)
    state = settle(state, base_bytes)
    ledger_place = base_bytes + state.ledger_heading_bytes
    blocks, texts = _blocks(state, base_bytes + state.ledger_bytes)
    user = "".join((section, state.ledger_text, *texts))
    memory = Memory(
        base_bytes=base_bytes,
        context_bytes=state.context_bytes,
        ledger=_ledger(state, ledger_place),
        supplied=state.supplied,
        blocks=blocks,
        evicted=state.left,
    )
    prompt_bytes = byte_length(system) + byte_length(user)
    refused: Refusal | None = None
    if state.ledger_bytes > state.context_bytes:
        refused = "context_limit"
    elif prompt_bytes > prompt_limit:
        refused = "prompt_limit"
    return Prompt(
        messages=(text_message("system", system), text_message("user", user)),
        memory=memory,
        retention=state,
        arithmetic=Arithmetic(state.context_bytes, base_bytes, state.ledger_bytes, state.blocks_bytes, needed),
        prompt_bytes=prompt_bytes,
        refused=refused,
    )


def needed_bytes(state: Retention) -> int:
    """Bytes that the blocks would take if none were cut again or evicted and every new result were whole."""
    newest = max((entry.fragment.requested_by or 0 for entry in state.seen), default=0)
    turned_away = sum(
        rendering.block_bytes(entry.fragment, entry.fragment.byte_length)
        for entry in state.seen
        if entry.fragment.id in state.no_room and entry.fragment.requested_by == newest
    )
    held = sum(
        block.size if block.carried else rendering.block_bytes(block.fragment, block.fragment.byte_length)
        for block in state.blocks
    )
    return held + turned_away


def text_message(role: str, text: str) -> Message:
    """A message of one text, with the object that a package stores for it."""
    return Message(role, (TextPart(text),), raw={"role": role, "text": text})


def _ledger(state: Retention, place: int) -> tuple[LedgerEntry, ...]:
    found: list[LedgerEntry] = []
    for entry, line in zip(state.seen, state.ledger_lines, strict=True):
        fragment, end = entry.fragment, place + byte_length(line)
        found.append(
            LedgerEntry(
                identity=fragment.lookup.identity,
                status=entry.status,
                decision=fragment.requested_by,
                fragment=fragment.id,
                body=state.body_state(fragment),
                message=USER,
                start=place,
                end=end,
            )
        )
        place = end
    return tuple(found)


def _blocks(state: Retention, place: int) -> tuple[tuple[Block, ...], Sequence[str]]:
    blocks: list[Block] = []
    texts: list[str] = []
    for held in state.blocks:
        fragment, total = held.fragment, held.fragment.byte_length
        heading = rendering.block_heading(fragment, held.kept)
        start = place + byte_length(heading)
        texts.append(heading)
        texts.append(first_bytes(fragment.body, held.kept))
        if held.kept < total:
            texts.append(rendering.guidance(held.kept, total))
        blocks.append(Block(fragment.id, held.kept, held.kept < total, USER, start, start + held.kept))
        place += held.size
    return tuple(blocks), texts


def first_bytes(text: str, count: int) -> str:
    """The first `count` UTF-8 bytes of a text; `count` ends between two code points."""
    return text.encode("utf-8", "surrogatepass")[:count].decode("utf-8", "surrogatepass")
