"""A replay beside the record: what each prompt would have carried, how large it would have been, what differs.

Delivery only: nothing here says what a model would have decided. Sizes are UTF-8 bytes.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from .anatomy import BOUNDED
from .codec import CODECS
from .diagnosis import words
from .limits import MAX_COUNT
from .matrix import Matrix, Row
from .neighbours import Column, neighbours
from .replay import replay
from .tally import Bar
from .wording import lookup_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from .delivery import State
    from .measure import ContextFigures, Measurement
    from .model import DecisionKey, Investigation, Limits
    from .replay import History, Replay, ReplayedBody, ReplayedPrompt

STATE_OF: Mapping[str | None, State] = {
    "whole": "whole",
    "empty": "whole",
    "cut": "cut",
    "gone": "marker_only",
    "no room": "marker_only",
    None: "unknown",
}
"""A body's state in a ledger line as a delivery state. None: the lookup's outcome is not known, nor what it returned."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One fragment in one prompt that would have stood otherwise. None on a side where the ledger does not name it."""

    key: DecisionKey
    fragment: str
    recorded: ReplayedBody | None
    replayed: ReplayedBody | None

    @property
    def sentence(self) -> str:
        """`f1 would have stood whole (1,629 B); recorded: gone`."""
        return f"{words.short(self.fragment)} would have been {body_text(self.replayed)}; recorded: {body_text(self.recorded)}"


@dataclass(frozen=True, slots=True)
class Budgets:
    """Budgets in bytes worth trying. `recorded`: the manifest's, None where it has none.

    `all_whole`: the smallest under which `retain` cuts and evicts nothing in the prompts that the prompt limit lets through.
    """

    recorded: int | None
    all_whole: int


@dataclass(frozen=True)
class Weight:
    """One stored context in each encoding: bytes of all messages, and whether they are over the recorded prompt limit.

    `bytes` and `over` are empty where it cannot be measured (`reason`); `stored` is what was stored.
    """

    key: DecisionKey
    format: str
    stored: int | None
    bytes: Mapping[str, int]
    over: Mapping[str, bool]
    exact: Mapping[str, bool]
    reason: str | None


def formats(investigation: Investigation) -> frozenset[str]:
    """The formats of all stored contexts: what a page can say of a run follows from them. Reads each decision once."""
    return frozenset(decision.format for decision in investigation.decisions if decision.problem is None)


def holds_memory(found: frozenset[str]) -> bool:
    """Whether some context has a bounded memory, which can be replayed."""
    return BOUNDED in found


def holds_views(found: frozenset[str]) -> bool:
    """Whether some context carries a working view, which can be put into another encoding."""
    return any(name in CODECS for name in found)


def differences(found: Replay, most: int) -> tuple[tuple[Difference, ...], int]:
    """The first `most` fragments that would have stood otherwise in some prompt, in order, and how many there are."""
    every = (each for prompt in found.prompts for each in _of_prompt(prompt))
    listed = tuple(islice(every, most))
    return listed, len(listed) + sum(1 for _ in every)


def _of_prompt(prompt: ReplayedPrompt) -> Iterator[Difference]:
    recorded = {body.fragment: body for body in prompt.recorded}
    replayed = {body.fragment: body for body in prompt.carried}
    for fragment in {**recorded, **replayed}:
        one, other = recorded.get(fragment), replayed.get(fragment)
        if one != other:
            yield Difference(prompt.key, fragment, one, other)


def body_text(body: ReplayedBody | None) -> str:
    """How a body stands in a prompt, in a few words with its size."""
    if body is None:
        return "not remembered"
    if body.state == "cut":
        return f"cut ({body.sent_bytes:,} of {words.size(body.total_bytes)})"
    if body.state == "whole":
        return f"whole ({words.size(body.total_bytes)})"
    return {"no room": "left out for lack of room", None: "of unknown outcome"}.get(body.state, str(body.state))


def sentence(found: Replay) -> str:
    """The whole replay in one sentence, with its first difference and the first prompt that a limit would have stopped."""
    if found.context_bytes is None:
        return "Nothing can be replayed: no budget is recorded and none was given."
    if not found.prompts:
        return "Nothing can be replayed: no prompt of this recording reads back as a bounded memory."
    under = f"Under {found.policy} and {words.size(found.context_bytes)}"
    changed = [prompt for prompt in found.prompts if prompt.differs]
    count = f"{len(found.prompts):,} prompt{'' if len(found.prompts) == 1 else 's'}"
    if not changed:
        said = f"{under}, every one of {count} would have carried what was recorded"
    else:
        first = next(_of_prompt(changed[0]))
        said = (
            f"{under}, {len(changed):,} of {count} would have carried something else, first {words.decision(first.key)}"
        )
        said += f": {first.sentence}"
    stopped = next((prompt for prompt in found.prompts if prompt.refused is not None), None)
    if stopped is not None:
        verb = "would" if stopped.sent else "would also"
        said += f"; the {str(stopped.refused).replace('_', ' ')} {verb} have stopped {words.decision(stopped.key)}"
    return f"{said}."


def replay_matrix(investigation: Investigation, found: Replay, *, decisions: range, fragments: Sequence[int]) -> Matrix:
    """The evidence matrix as it would have been; `Row.recorded` holds the states of the transmitted texts.

    Cells are None where a prompt could not be replayed, would not have been reached, or the ledger did not yet name the
    fragment.
    """
    prompts = {prompt.key: prompt for prompt in found.prompts}
    keys = [investigation.decisions[place].key for place in decisions]
    here = [prompts.get(key) for key in keys]
    replayed = [_states(prompt.carried) if prompt and prompt.reached else {} for prompt in here]
    recorded = [_states(prompt.recorded) if prompt else {} for prompt in here]
    rows = []
    for place in fragments:
        fragment = investigation.fragments[place]
        states = tuple(column.get(fragment.id) for column in replayed)
        before = tuple(column.get(fragment.id) for column in recorded)
        asks = tuple("requested" if fragment.requested_by == key[0] and key[1] == 1 else None for key in keys)
        text = lookup_text(fragment.lookup)
        rows.append(Row(fragment.id, place, text, fragment.status, fragment.byte_length, states, asks, before))
    sent = tuple(None if prompt is None else prompt.reached and prompt.refused is None for prompt in here)
    columns = tuple(Column(key, key, 1, was) for key, was in zip(keys, sent, strict=True))
    return Matrix(columns, tuple(rows), len(investigation.decisions), len(investigation.fragments))


def _states(bodies: Sequence[ReplayedBody]) -> dict[str, State]:
    return {body.fragment: STATE_OF[body.state] for body in bodies}


def replay_bars(found: Replay, past: History, most: int) -> tuple[tuple[Bar, int], ...]:
    """Each replayed prompt by component with the recorded size of the same prompt; at most `most` of the largest."""
    recorded = {step.decision.key: step.decision.prompt_bytes for steps in past.stretches for step in steps}
    made = []
    for places in neighbours(range(len(found.prompts)), most):
        group = found.prompts[places.start : places.stop]
        largest = max(group, key=lambda prompt: prompt.prompt_bytes)
        bar = Bar(largest.key, group[0].key, group[-1].key, len(group), _sizes(largest))
        made.append((bar, recorded[largest.key]))
    return tuple(made)


def _sizes(prompt: ReplayedPrompt) -> dict[str, int]:
    """Bytes by component, as `core.anatomy.components` names them; they sum to `prompt_bytes`."""
    sums = prompt.arithmetic
    other = prompt.prompt_bytes - sums.base_bytes - sums.ledger_bytes - sums.blocks_bytes
    blocks = {f"block {body.fragment}": body.block_bytes for body in prompt.carried if body.block_bytes}
    return {"instructions": other, "base": sums.base_bytes, "ledger": sums.ledger_bytes, **blocks}


def budgets(investigation: Investigation, past: History) -> Budgets | None:
    """Budgets worth trying; None where nothing can be replayed."""
    if not any(past.stretches):
        return None
    prompts = replay(investigation, policy="retain", context_bytes=MAX_COUNT, past=past).prompts
    within = [prompt.arithmetic for prompt in prompts if prompt.refused is None]
    return Budgets(
        recorded=investigation.limits.context_bytes,
        all_whole=max((each.base_bytes + each.ledger_bytes + each.blocks_bytes for each in within), default=0),
    )


def weights(measurement: Measurement, limits: Limits) -> tuple[Weight, ...]:
    """What each stored context would weigh in each encoding that was measured."""
    return tuple(_weight(context, limits.prompt_bytes) for context in measurement.contexts)


def _weight(context: ContextFigures, limit: int | None) -> Weight:
    sizes = {version: figures.all.bytes for version, figures in context.versions.items()}
    return Weight(
        key=(context.index, context.attempt),
        format=context.format,
        stored=None if context.stored is None else context.stored.bytes,
        bytes=sizes,
        over={version: limit is not None and size > limit for version, size in sizes.items()},
        exact={version: figures.exact for version, figures in context.versions.items()},
        reason=context.reason,
    )
