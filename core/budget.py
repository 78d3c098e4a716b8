"""The budget arithmetic of one prompt, read from its transmitted text; limits are taken as recorded, never inferred."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .anatomy import BOUNDED, layout_of
from .errors import RecordError

if TYPE_CHECKING:
    from .model import Decision, Limits


@dataclass(frozen=True, slots=True)
class PromptBudget:
    """Sizes of one prompt in UTF-8 bytes against its limits.

    `prompt_bytes` is all messages; `base_bytes`, `ledger_bytes` (with supplied ranges) and `blocks_bytes` are what the
    text carries, each with headings, None where the format has no bounded memory or does not read back (`why` says
    so). `context_limit` and `prompt_limit` are None where none is recorded: then there is no verdict on them.
    """

    prompt_bytes: int
    prompt_limit: int | None
    context_limit: int | None
    base_bytes: int | None = None
    ledger_bytes: int | None = None
    blocks_bytes: int | None = None
    why: str | None = None

    @property
    def available(self) -> int | None:
        """Bytes that blocks may take; may be negative where base context and ledger alone are over the budget."""
        if self.context_limit is None or self.base_bytes is None or self.ledger_bytes is None:
            return None
        return self.context_limit - self.base_bytes - self.ledger_bytes

    @property
    def free(self) -> int | None:
        """Bytes of `available` that no block takes; never negative."""
        if self.available is None or self.blocks_bytes is None:
            return None
        return max(self.available - self.blocks_bytes, 0)

    @property
    def over_prompt_limit(self) -> bool:
        """Whether the whole prompt is larger than its recorded limit."""
        return self.prompt_limit is not None and self.prompt_bytes > self.prompt_limit


def budget_of(decision: Decision, limits: Limits) -> PromptBudget:
    """Measure one prompt. The context budget is the decision's own where recorded, else the run's."""
    own = decision.memory.context_bytes if decision.memory is not None else None
    context = own if own is not None else limits.context_bytes
    size = decision.prompt_bytes
    if decision.format != BOUNDED:
        why = f"a prompt of format {decision.format} has no bounded memory"
        return PromptBudget(size, limits.prompt_bytes, context, why=why)
    try:
        _, layout = layout_of(decision)
    except RecordError as error:
        return PromptBudget(size, limits.prompt_bytes, context, why=str(error))
    return PromptBudget(size, limits.prompt_bytes, context, layout.base_bytes, layout.ledger_bytes, layout.blocks_bytes)
