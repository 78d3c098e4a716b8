"""What a replay gives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..memory import Arithmetic, Held, Refusal, Retention
    from ..model import DecisionKey, Fragment
    from .history import Step


@dataclass(frozen=True, slots=True)
class ReplayedBody:
    """One remembered fragment in one prompt, replayed or as recorded.

    `state` is what its ledger line says (`model.BODY_STATES`; None where the lookup's outcome is not known);
    `sent_bytes` of `total_bytes` of the body stand there, in a block of `block_bytes` with heading and guidance (0: no
    block).
    """

    fragment: str
    state: str | None
    sent_bytes: int
    total_bytes: int
    block_bytes: int


@dataclass(frozen=True, slots=True)
class ReplayedPrompt:
    """One decision's prompt as it would have been. All sizes in UTF-8 bytes.

    `sent` is what was recorded; `memory` is the memory as it would have been, `step` the recorded prompt. `evicted`: fragments whose blocks left since the previous sent
    prompt, oldest first. `refused`: the limit that would have stopped this prompt. `reached` is false where a limit
    would have ended the attempt earlier; then the rest is only what the policy alone would have done.
    """

    key: DecisionKey
    sent: bool
    reached: bool
    refused: Refusal | None
    arithmetic: Arithmetic
    prompt_bytes: int
    memory: Retention
    step: Step
    evicted: tuple[str, ...]
    note: str | None = None

    @property
    def carried(self) -> tuple[ReplayedBody, ...]:
        """What the replayed prompt would have carried, in ledger order. Worked out when asked for: keep it."""
        held = {block.fragment.id: block for block in self.memory.blocks}
        return tuple(_body(self.memory, entry.fragment, held.get(entry.fragment.id)) for entry in self.memory.seen)

    @property
    def recorded(self) -> tuple[ReplayedBody, ...]:
        """What the transmitted text carried, in ledger order. Worked out when asked for: keep it."""
        return self.step.recorded

    @property
    def differs(self) -> bool:
        """Whether it would have carried something else than the transmitted text did."""
        return self.carried != self.recorded

    def body(self, fragment: str) -> ReplayedBody | None:
        """How one fragment stands in the replayed prompt, None if it was not yet remembered."""
        entry = next((each for each in self.memory.seen if each.fragment.id == fragment), None)
        held = next((block for block in self.memory.blocks if block.fragment.id == fragment), None)
        return None if entry is None else _body(self.memory, entry.fragment, held)


def _body(memory: Retention, fragment: Fragment, held: Held | None) -> ReplayedBody:
    kept, size = (held.kept, held.size) if held is not None else (0, 0)
    return ReplayedBody(fragment.id, memory.body_state(fragment), kept, fragment.byte_length, size)


@dataclass(frozen=True)
class Replay:
    """A whole replay. `missing` says which facts were needed and not recorded; those prompts are left out, not guessed."""

    policy: str
    context_bytes: int | None
    prompt_limit: int | None
    prompts: tuple[ReplayedPrompt, ...]
    missing: tuple[str, ...] = ()

    def prompt(self, key: DecisionKey) -> ReplayedPrompt | None:
        """The replayed prompt of one decision, None if it could not be replayed."""
        return next((prompt for prompt in self.prompts if prompt.key == key), None)
