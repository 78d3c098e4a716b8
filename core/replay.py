"""What each prompt of a recorded run would have carried under another policy or budget, and what reproduces the record.

A replay reads the transmitted texts: base context, ledger and statuses come from each prompt's rendering, bodies from
the fragments, limits from the manifest; `decision.memory` is not used. It answers delivery only. Gates are never
switched off: what was asked stays what was asked, a repeated request still meets the repetition gate, and where a
replayed prompt would have been over a limit, what came after it in that attempt was never reached.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .memory import Arithmetic, Refusal
    from .model import DecisionKey, Investigation


@dataclass(frozen=True, slots=True)
class ReplayedBody:
    """One remembered fragment in one replayed prompt.

    `state` is what its ledger line would say (`model.BODY_STATES`; None where the lookup's outcome is not known);
    `sent_bytes` of `total_bytes` of the body would have stood there, in a block of `block_bytes` (0: no block).
    """

    fragment: str
    state: str | None
    sent_bytes: int
    total_bytes: int
    block_bytes: int


@dataclass(frozen=True, slots=True)
class ReplayedPrompt:
    """One decision's prompt as it would have been. All sizes in UTF-8 bytes.

    `recorded` is what the transmitted text carried, `carried` what the replay would have carried, both in ledger order.
    `evicted`: fragments whose blocks left since the previous sent prompt. `refused`: the limit that would have stopped
    it. `reached` is false where a limit would have stopped the attempt before it: nothing else holds then.
    """

    key: DecisionKey
    sent: bool | None
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


@dataclass(frozen=True, slots=True)
class Reproduces:
    """A policy under which every budget from `low` to `high` bytes (None: any from `low`) reproduces the record."""

    policy: str
    low: int
    high: int | None


@dataclass(frozen=True)
class Fingerprint:
    """Which policies and budgets reproduce the recorded prompts. `sentence` says it for a person."""

    found: tuple[Reproduces, ...]
    missing: tuple[str, ...]
    sentence: str


def replay(
    investigation: Investigation,
    *,
    policy: str,
    context_bytes: int | None = None,
    prompt_limit: int | None = None,
) -> Replay:
    """Replay every `bounded_repair_v1` decision under `policy` and a budget (None: the manifest's own).

    Raises `InvestigationError` for an unknown policy.
    """
    raise NotImplementedError


def fingerprint(investigation: Investigation) -> Fingerprint:
    """The exact set of policies and budgets whose prompts are, byte for byte, the recorded ones."""
    raise NotImplementedError
