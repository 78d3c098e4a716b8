"""Replaying a recorded run under a policy and a budget."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import InvestigationError
from ..memory import POLICIES, Arithmetic, Retention, carried, needed_bytes, settle
from .history import history
from .results import Replay, ReplayedPrompt

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..memory import Refusal
    from ..model import Decision, Investigation
    from .history import History, Step


def replay(
    investigation: Investigation,
    *,
    policy: str,
    context_bytes: int | None = None,
    prompt_limit: int | None = None,
    past: History | None = None,
) -> Replay:
    """Replay every `bounded_repair_v1` prompt under `policy` and a budget in bytes.

    Where `context_bytes` or `prompt_limit` is None, the manifest's own limit holds; without a budget there is nothing to
    replay, without a prompt limit none is checked. `past` is `history(investigation)`, for callers that replay often: it
    holds all that is read of the texts. Raises `InvestigationError` for an unknown policy or a negative
    budget.
    """
    if policy not in POLICIES:
        raise InvestigationError("an unknown retention policy", expected=" or ".join(POLICIES), found=policy[:80])
    limits = investigation.limits
    context_bytes = limits.context_bytes if context_bytes is None else context_bytes
    prompt_limit = limits.prompt_bytes if prompt_limit is None else prompt_limit
    if context_bytes is None:
        missing = ("limits.context_bytes is not in the manifest: give a budget to replay with",)
        return Replay(policy, None, prompt_limit, (), missing)
    if context_bytes < 0:
        raise InvestigationError("a budget is not negative", found=str(context_bytes))
    past = history(investigation) if past is None else past
    prompts = [
        prompt
        for stretch in past.stretches
        for prompt in _stretch(stretch, Retention(context_bytes, policy), prompt_limit)
    ]
    return Replay(policy, context_bytes, prompt_limit, tuple(prompts), tuple(past.missing))


def _stretch(steps: list[Step], state: Retention, prompt_limit: int | None) -> Iterator[ReplayedPrompt]:
    reached = True
    for step in steps:
        state = step.remember(state)
        needed = needed_bytes(state)
        state = settle(state, step.base_bytes)
        prompt = _prompt(step, state, needed, prompt_limit, reached=reached)
        yield prompt
        if step.decision.sent:
            reached = reached and prompt.refused is None
            state = carried(state)


def _prompt(step: Step, state: Retention, needed: int, prompt_limit: int | None, *, reached: bool) -> ReplayedPrompt:
    arithmetic = Arithmetic(state.context_bytes, step.base_bytes, state.ledger_bytes, state.blocks_bytes, needed)
    prompt_bytes = step.other_bytes + step.base_bytes + state.ledger_bytes + state.blocks_bytes
    refused: Refusal | None = None
    if state.ledger_bytes > state.context_bytes:
        refused = "context_limit"
    elif prompt_limit is not None and prompt_bytes > prompt_limit:
        refused = "prompt_limit"
    return ReplayedPrompt(
        key=step.decision.key,
        sent=bool(step.decision.sent),
        reached=reached,
        refused=refused,
        arithmetic=arithmetic,
        prompt_bytes=prompt_bytes,
        memory=state,
        step=step,
        evicted=state.left,
        note=_note(step.decision, refused, reached=reached),
    )


def _note(decision: Decision, refused: str | None, *, reached: bool) -> str | None:
    if not reached:
        return "not reached: a limit would have ended the attempt before this prompt"
    if decision.sent and refused is not None:
        return f"would not have been sent: {refused}"
    if not decision.sent and refused is None:
        return "would have been sent; what would have been answered is not known"
    outcome = decision.outcome
    if outcome is not None and outcome.kind == "stopped" and outcome.by == "repetition_gate":
        return "the repetition gate stops this reply under every policy; only what the prompt carried could differ"
    return None
