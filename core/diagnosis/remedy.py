"""What would have helped, where it follows by arithmetic and a replay confirms it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..delivery.lines import received_ranges
from ..memory import block_bytes
from . import words
from .findings import Remedy

if TYPE_CHECKING:
    from .case import Case
    from .findings import Cause


def remedy(case: Case, cause: Cause) -> Remedy | None:
    """The smallest budget that would have kept the body whole; for a cut one also the lines that fitted."""
    if cause == "overwritten":
        return Remedy("keep the earlier result beside the newer one: both fit into the budget")
    if cause == "never_supplied":
        return Remedy("put the result into the next prompt: it fits into the budget")
    if cause not in {"evicted", "truncated"}:
        return None
    budget = smallest_budget(case)
    lines = _lines_that_fitted(case) if cause == "truncated" else None
    said = []
    if lines is not None:
        said.append(f"lines {lines[1][0]}-{lines[1][1]} of {words.short(lines[0])} fitted: ask for the rest on its own")
    if budget is not None:
        said.append(f"a budget of {words.size(budget)} (context_bytes) would have kept it whole")
    if cause == "evicted":
        said.append("ask for a narrower range of it")
    if not said:
        return None
    path, span = (None, None) if lines is None else lines
    return Remedy("; ".join(said), context_bytes=budget, path=path, lines=span)


MAX_REPLAYED_PROMPTS = 400
"""Prompts of a run for which the smallest budget is searched: each step of the search replays the run."""


def smallest_budget(case: Case) -> int | None:
    """The smallest `context_bytes` under which `retain` has the body whole in the prompt that repeats.

    Found by bisection over replays, as a larger budget never carries less of a body for longer. None where there is no
    recorded budget or no such budget, or where the run is too long to be replayed often.
    """
    low = case.evidence.investigation.limits.context_bytes
    if low is None or len(case.evidence.history.steps) > MAX_REPLAYED_PROMPTS:
        return None
    results = (each for each in case.evidence.history.fragments if each.requested_by is not None)
    high = low + sum(2 * block_bytes(each, each.byte_length) for each in results)
    if _kept(case, low) or not _kept(case, high):
        return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _kept(case, middle) else (middle, high)
    return high


def _kept(case: Case, context_bytes: int) -> bool:
    prompt = case.evidence.replay_under(context_bytes).prompt(case.ask.step.key)
    carried = prompt.carried if prompt is not None and prompt.reached else ()
    return any(body.fragment == case.fragment.id and body.state == "whole" for body in carried)


def _lines_that_fitted(case: Case) -> tuple[str, tuple[int, int]] | None:
    placement = case.placement
    if placement is None or len(case.fragment.sources) != 1:
        return None
    held = received_ranges(case.fragment, placement.received_bytes)
    return (held[0].path, (held[0].start, held[0].end)) if len(held) == 1 else None
