"""Which policies and budgets reproduce the recorded prompts: exact, by reasoning, not by trying budgets.

For one policy, walk the recorded prompts. Before each, the memory is known (it is what the prompts so far show), and the
next prompt is a function of the budget alone. Write what became of each remembered body as a number (no room: -2, gone:
-1, else its bytes sent) and list the numbers from the newest lookup to the oldest: a larger budget never gives a list
that is smaller in dictionary order, because the newest body can only gain by it, and if the newest is as before, the one
before it can only gain, and so on. So the budgets that give the recorded list are an interval, and bisection finds both
its ends. The budgets that reproduce the run are the intersection; at last the texts are rendered and compared.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ..canonical import utf8
from ..memory import POLICIES, Retention, assemble, block_bytes, carried, settle
from .history import history

if TYPE_CHECKING:
    from ..model import Investigation
    from .history import Step

_CODES = {"no room": -2, "gone": -1}


@dataclass(frozen=True, slots=True)
class Reproduces:
    """A policy under which every budget from `low` to `high` bytes (None: any from `low`) reproduces the record."""

    policy: str
    low: int
    high: int | None

    def __str__(self) -> str:
        """For a person: `retain, any budget ≥ 14,210 B`."""
        if self.high is None:
            return f"{self.policy}, any budget ≥ {self.low:,} B"
        if self.high == self.low:
            return f"{self.policy}, a budget of {self.low:,} B"
        return f"{self.policy}, any budget from {self.low:,} B to {self.high:,} B"


@dataclass(frozen=True)
class Fingerprint:
    """Which policies and budgets reproduce the recorded prompts; `sentence` says it for a person.

    `context_bytes` is the manifest's budget, None where it has none; `at_budget` are the policies that fit it.
    `excluded` says of every other policy where its prompts would first have differed; `missing` names facts that were
    not recorded, so that the prompts they concern were not compared.
    """

    found: tuple[Reproduces, ...]
    excluded: tuple[str, ...]
    missing: tuple[str, ...]
    prompts: int
    context_bytes: int | None = None

    @property
    def at_budget(self) -> tuple[str, ...]:
        """Policies that reproduce the prompts with the recorded budget."""
        budget = self.context_bytes
        if budget is None:
            return ()
        return tuple(
            each.policy for each in self.found if each.low <= budget and (each.high is None or budget <= each.high)
        )

    @property
    def sentence(self) -> str:
        """One sentence without a full stop."""
        if not self.prompts:
            return "unknown: no prompt could be replayed"
        known = "; or ".join(str(each) for each in self.found)
        if not known:
            return f"no known policy reproduces these prompts ({'; '.join(self.excluded)})"
        if self.context_bytes is not None:
            policies = " or ".join(self.at_budget) or "none of them"
            known += f"; with the recorded {self.context_bytes:,} B: {policies}"
        return known + (f" (compared {self.prompts} prompts, {len(self.missing)} could not be)" if self.missing else "")


def fingerprint(investigation: Investigation) -> Fingerprint:
    """The exact set of policies and budgets whose user messages are, byte for byte, the recorded ones."""
    past = history(investigation)
    found: list[Reproduces] = []
    excluded: list[str] = []
    for policy in POLICIES:
        low, high, differs = 0, None, None
        for stretch in past.stretches:
            low, high, differs = _narrow(stretch, policy, low, high)
            if differs is not None:
                break
        if differs is None:
            found.append(Reproduces(policy, low, high))
        else:
            excluded.append(f"{policy}: {differs}")
    prompts = sum(len(stretch) for stretch in past.stretches)
    found = found if prompts else []
    budget = investigation.limits.context_bytes
    return Fingerprint(tuple(found), tuple(excluded), tuple(past.missing), prompts, budget)


def _narrow(steps: list[Step], policy: str, low: int, high: int | None) -> tuple[int, int | None, str | None]:
    """The budgets from `low` to `high` that also reproduce these prompts; or the first prompt for which there is none."""
    state = Retention(0, policy)
    for step in steps:
        name = f"decision {step.decision.index}"
        low, high = _by_ledger(step, state, low, high)
        low, high = _by_blocks(step, state, low, high)
        if high is not None and high < low:
            return low, high, f"{name} would have carried something else"
        settled = _next(step, state, low)
        text = step.decision.messages[step.user].text
        base = utf8(text)[slice(*step.base)].decode("utf-8", "surrogatepass")
        if assemble(settled, system="", base=base, prompt_limit=0).messages[1].text != text:
            return low, high, f"{name} would have had another text"
        state = replace(carried(settled) if step.decision.sent else settled, context_bytes=0)
    return low, high, None


def _by_ledger(step: Step, state: Retention, low: int, high: int | None) -> tuple[int, int | None]:
    """A ledger over the budget stops a prompt, so one that was not stopped for it was within."""
    ledger = step.remember(state).ledger_bytes
    outcome = step.decision.outcome
    if not step.decision.sent and outcome is not None and outcome.by == "context_limit":
        return low, ledger - 1 if high is None else min(high, ledger - 1)
    return max(low, ledger), high


def _by_blocks(step: Step, state: Retention, low: int, high: int | None) -> tuple[int, int | None]:
    """The budgets from `low` to `high` that give what the text says of the bodies that could change here."""
    fragments = [*reversed(step.added), *(block.fragment for block in reversed(state.blocks))]
    recorded = {body.fragment: body for body in step.recorded}
    wanted = [_code(recorded[each.id].state, recorded[each.id].sent_bytes) for each in fragments]
    enough = step.base_bytes + step.remember(state).ledger_bytes + _all_bytes(step, state)
    top = max(low, enough if high is None else min(high, enough))  # nothing changes beyond `enough`

    def codes(budget: int) -> list[int]:
        """What became of the bodies as numbers, newest first."""
        held = _next(step, state, budget)
        kept = {block.fragment.id: block.kept for block in held.blocks}
        return [_code(held.body_state(each), kept.get(each.id, 0)) for each in fragments]

    if codes(low) == wanted == codes(top):
        return low, high
    budgets = range(top + 1)
    first = bisect_left(budgets, wanted, lo=low, key=codes)
    if first > top or codes(first) != wanted:
        return low, -1
    after = bisect_right(budgets, wanted, lo=first, key=codes)
    return first, high if after > top else after - 1


def _code(state: str | None, sent: int) -> int:
    return _CODES.get(state or "", sent)


def _all_bytes(step: Step, state: Retention) -> int:
    added = sum(block_bytes(fragment, fragment.byte_length) for fragment in step.added)
    return state.blocks_bytes + added


def _next(step: Step, state: Retention, budget: int) -> Retention:
    return settle(step.remember(replace(state, context_bytes=budget)), step.base_bytes)
