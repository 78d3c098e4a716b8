"""One repeat under judgement: everything that a check may look at."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from ..anatomy import BOUNDED, layout_of
from ..errors import RecordError
from ..memory import block_bytes
from ..replay import history, replay
from .findings import Budget

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..delivery import Deliveries, Placement
    from ..model import DecisionKey, Fragment, Investigation
    from ..replay import History as Past
    from ..replay import Replay, ReplayedBody, ReplayedPrompt
    from .history import Ask, History, Step

CARRYING = ("whole", "cut")
"""States in which a body, or its beginning, stands in a prompt as its own."""


class Evidence:
    """What all cases of one diagnosis share: the run, its deliveries, and the replay under the repaired memory."""

    def __init__(self, investigation: Investigation, deliveries: Deliveries, history: History) -> None:
        self.investigation = investigation
        self.deliveries = deliveries
        self.history = history
        self.fragment_of = {fragment.id: fragment for fragment in reversed(history.fragments)}

    @cached_property
    def retained(self) -> Replay | None:
        """The run's own lookups replayed under `retain` and the recorded budget; None without a recorded budget."""
        recorded = self.investigation.limits.context_bytes
        return None if recorded is None else self.replay_under(recorded)

    def replay_under(self, context_bytes: int) -> Replay:
        """The run replayed under `retain` and another budget; the texts are read once for all budgets."""
        return replay(self.investigation, policy="retain", context_bytes=context_bytes, past=self._past)

    @cached_property
    def _past(self) -> Past:
        return history(self.investigation)

    @cached_property
    def _replayed(self) -> dict[DecisionKey, ReplayedPrompt]:
        return {} if self.retained is None else {prompt.key: prompt for prompt in self.retained.prompts}

    def replayed(self, step: Step) -> ReplayedPrompt | None:
        """One replayed prompt; None where there is no budget, or the replay could not say."""
        return self._replayed.get(step.key)

    def carries(self, step: Step, fragment_id: str) -> bool:
        """Whether the transmitted prompt of a step carries the body, whole or cut."""
        return step.sent is True and self.deliveries.carries(fragment_id, step.key)

    def keeps(self, step: Step, fragment_id: str) -> bool:
        """Whether the prompt carries the fragment as its own: in a block that names it, where blocks have names.

        Another result with the very same lines carries the body too, but says nothing of what the memory kept.
        """
        if not self.carries(step, fragment_id):
            return False
        blocks = self.deliveries.blocks(step.key)
        return blocks is None or fragment_id in blocks

    def budget(self, step: Step, fragment: Fragment) -> Budget | None:
        """The arithmetic of one transmitted prompt, read off its text; None without a budget or a readable layout."""
        context_bytes = self.investigation.limits.context_bytes
        if context_bytes is None or step.format != BOUNDED:
            return None
        try:
            layout = layout_of(self.investigation.decisions[step.place])[1]
        except RecordError:
            return None
        available = context_bytes - layout.base_bytes - layout.ledger_bytes
        needed = block_bytes(fragment, fragment.byte_length)
        return Budget(context_bytes, available, needed, max(available - layout.blocks_bytes, 0))


@dataclass(frozen=True)
class Case:
    """A lookup that was asked for again. `fragment` is the result of the earlier asking that is judged."""

    evidence: Evidence
    ask: Ask
    earlier: Ask
    fragment: Fragment
    number: int

    @cached_property
    def placement(self) -> Placement | None:
        """Where the earlier body stands in the prompt of the decision that repeats; None if that was not sent."""
        return self.evidence.deliveries.at(self.fragment.id, self.ask.step.key)

    @property
    def missing(self) -> bool:
        """Whether the body is not there: what came through other fragments, or by coincidence, is not its delivery.

        Of a body that is not recorded nobody can say so.
        """
        return self.placement is not None and self.placement.state not in (*CARRYING, "unknown")

    @cached_property
    def prompts(self) -> list[Step]:
        """The sent prompts that could have carried the body, up to the one that repeats."""
        return list(self._prompts_after(self.earlier.step))

    def _prompts_after(self, after: Step) -> Iterator[Step]:
        """Those of `prompts` after a step. One that cannot be read in full is only among them if the body is seen in it."""
        readable, carries = self.evidence.deliveries.readable, self.evidence.carries
        for step in self.evidence.history.later_steps(after, self.ask.step):
            if self._could_carry(step) and (readable(step.key) or carries(step, self.fragment.id)):
                yield step

    def _could_carry(self, step: Step) -> bool:
        asked = self.fragment.requested_by
        return step.sent is True and (asked is None or step.key[0] > asked)

    @cached_property
    def last_delivered(self) -> Step | None:
        """The last of these prompts that carried it."""
        latest = self.evidence.deliveries.latest(self.fragment.id, self.ask.step.key)
        for step in reversed(self.evidence.history.later_steps(self.earlier.step, self.ask.step)):
            if step.place <= latest and self._could_carry(step) and self.evidence.carries(step, self.fragment.id):
                return step
        return None

    @cached_property
    def dropped_at(self) -> Step | None:
        """The first prompt without it after the last one with it; the very first that should have had it, if none did."""
        return next(self._prompts_after(self.last_delivered or self.earlier.step), None) if self.missing else None

    @cached_property
    def replayed_body(self) -> ReplayedBody | None:
        """What the repaired memory would have carried of it at the decision that dropped it."""
        prompt = None if self.dropped_at is None else self.evidence.replayed(self.dropped_at)
        if prompt is None or not prompt.reached:
            return None
        return next((body for body in prompt.carried if body.fragment == self.fragment.id), None)

    @property
    def would_be_kept(self) -> bool | None:
        """Whether replaying `retain` keeps it there; None where no replay can say."""
        state = None if self.replayed_body is None else self.replayed_body.state
        return {"whole": True, "cut": True, "gone": False, "no room": False}.get(state or "")

    @cached_property
    def budget(self) -> Budget | None:
        """The arithmetic of the prompt that dropped it, else of the prompt that repeats."""
        return self.evidence.budget(self.dropped_at or self.ask.step, self.fragment)

    @cached_property
    def newcomers(self) -> list[int]:
        """Newer results that stand in the prompt that dropped it, newest last."""
        step = self.dropped_at
        if step is None:
            return []
        since = self.last_delivered.key[0] if self.last_delivered is not None else self.earlier.step.key[0]
        return [
            number
            for number, other in enumerate(self.evidence.history.fragments)
            if number > self.number
            and other.requested_by is not None
            and since <= other.requested_by < step.key[0]
            and self.evidence.keeps(step, other.id)
        ]
