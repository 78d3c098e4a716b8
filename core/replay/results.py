"""What a replay gives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..memory import Arithmetic, Refusal
    from ..model import DecisionKey


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

    `sent` is what was recorded. `carried` is what the replayed prompt would have carried, `recorded` what the
    transmitted text carried, both in ledger order. `evicted`: fragments whose blocks left since the previous sent
    prompt, oldest first. `refused`: the limit that would have stopped this prompt. `reached` is false where a limit
    would have ended the attempt earlier; then the rest is only what the policy alone would have done.
    """

    key: DecisionKey
    sent: bool
    reached: bool
    refused: Refusal | None
    arithmetic: Arithmetic
    prompt_bytes: int
    carried: tuple[ReplayedBody, ...]
    recorded: tuple[ReplayedBody, ...]
    evicted: tuple[str, ...]
    note: str | None = None

    @property
    def differs(self) -> bool:
        """Whether it would have carried something else than the transmitted text did."""
        return self.carried != self.recorded

    def body(self, fragment: str) -> ReplayedBody | None:
        """How one fragment stands in the replayed prompt, None if it was not yet remembered."""
        return next((each for each in self.carried if each.fragment == fragment), None)


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
