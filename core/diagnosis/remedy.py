"""What would have helped, where it follows by arithmetic and a replay confirms it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..anatomy import layout_of
from ..delivery.lines import received_ranges
from ..errors import RecordError
from ..memory import block_bytes
from ..replay import replay
from . import words
from .findings import Remedy

if TYPE_CHECKING:
    from .case import Case
    from .findings import Cause
    from .history import Step


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


def smallest_budget(case: Case) -> int | None:
    """The smallest `context_bytes` under which `retain` has the body whole in the prompt that repeats.

    It is kept exactly while it and everything newer fit: the largest such sum over the prompts up to that one. None
    where a prompt cannot be read, or where a replay under the sum does not confirm it.
    """
    steps = [step for step in case.evidence.history.later_steps(case.earlier.step, case.ask.step) if step.sent is True]
    sums = [_needed(case, step) for step in steps]
    known = [each for each in sums if each is not None]
    if not known or len(known) < len(sums):
        return None
    wanted = max(known)
    return wanted if _confirmed(case, wanted) and not _confirmed(case, wanted - 1) else None


def _needed(case: Case, step: Step) -> int | None:
    try:
        layout = layout_of(case.evidence.investigation.decisions[step.place])[1]
    except RecordError:
        return None
    fragments = {fragment.id: fragment for fragment in case.evidence.history.fragments}
    names = [entry.fragment for entry in layout.entries]
    if case.fragment.id not in names or any(name not in fragments for name in names):
        return None
    kept = [fragments[name] for name in names[names.index(case.fragment.id) :]]
    blocks = sum(block_bytes(each, each.byte_length) for each in kept if each.body and each.status != "uncertain")
    return layout.base_bytes + layout.ledger_bytes + blocks


def _confirmed(case: Case, context_bytes: int) -> bool:
    replayed = replay(case.evidence.investigation, policy="retain", context_bytes=context_bytes)
    prompt = replayed.prompt(case.ask.step.key)
    carried = prompt.carried if prompt is not None else ()
    return any(body.fragment == case.fragment.id and body.state == "whole" for body in carried)


def _lines_that_fitted(case: Case) -> tuple[str, tuple[int, int]] | None:
    placement = case.placement
    if placement is None or len(case.fragment.sources) != 1:
        return None
    held = received_ranges(case.fragment, placement.received_bytes)
    return (held[0].path, (held[0].start, held[0].end)) if len(held) == 1 else None
