"""Every fragment in one line: how often it stood in a prompt, and whether it was asked for again."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from ..diagnosis.case import CARRYING
from ..wording import lookup_text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ..delivery import State
    from ..diagnosis import Diagnosis
    from ..diagnosis.case import Evidence
    from ..model import Fragment

Concern: TypeAlias = Literal["asked again", "dropped", "cut", "never received", "failed or unknown"]
CONCERNS: tuple[Concern, ...] = ("asked again", "dropped", "cut", "never received", "failed or unknown")


@dataclass(frozen=True)
class Summary:
    """One fragment: `place` among the fragments, `states` how many sent prompts after it held it in each state.

    `concerns`: `asked again`; `dropped` (a prompt carried it, a later one of the same
    attempt did not); `cut` (in some prompt);
    `never received` (prompts were sent after it and none carried any of it); `failed or unknown` (its outcome).
    `paths` are those of its sources.
    """

    place: int
    fragment: str
    lookup: str
    status: str
    bytes: int
    requested_by: int | None
    paths: tuple[str, ...]
    states: Mapping[State, int]
    concerns: tuple[Concern, ...]

    def matches(self, words: str) -> bool:
        """Whether each of the words, in any case, stands in its id, lookup, status or paths."""
        text = "\n".join((self.fragment, self.lookup, self.status, *self.paths)).casefold()
        return all(word in text for word in words.casefold().split())


def summaries(
    evidence: Evidence, diagnosis: Diagnosis, progress: Callable[[int, int], None] | None = None
) -> tuple[Summary, ...]:
    """One summary a fragment, in order; `evidence` is `evidence_of` of the run.

    Reads every column once; `progress(done, total)` counts sent decisions.
    """
    states: dict[str, Counter[State]] = {}
    latest: dict[str, int] = {}
    dropped: set[str] = set()
    keys = evidence.deliveries.keys
    for done, key in enumerate(keys, 1):
        chain = evidence.history.step_of[key].chain
        for fragment_id, state in evidence.deliveries.states(key).items():
            states.setdefault(fragment_id, Counter())[state] += 1
            if state in CARRYING:
                latest[fragment_id] = chain
            elif latest.get(fragment_id) == chain:
                dropped.add(fragment_id)
        if progress is not None:
            progress(done, len(keys))
    repeated = {repeat.fragment for repeat in diagnosis.repeats}
    return tuple(
        _summary(place, fragment, states.get(fragment.id, Counter()), fragment.id in repeated, fragment.id in dropped)
        for place, fragment in enumerate(evidence.history.fragments)
    )


def _summary(place: int, fragment: Fragment, states: Counter[State], repeated: bool, dropped: bool) -> Summary:
    holds = {
        "asked again": repeated,
        "dropped": dropped,
        "cut": states["cut"] > 0,
        "never received": states.total() > 0 and not (states["whole"] or states["cut"]) and bool(fragment.body),
        "failed or unknown": fragment.status != "completed",
    }
    return Summary(
        place=place,
        fragment=fragment.id,
        lookup=lookup_text(fragment.lookup),
        status=fragment.status,
        bytes=fragment.byte_length,
        requested_by=fragment.requested_by,
        paths=tuple(dict.fromkeys(source.path for source in fragment.sources)),
        states=+states,
        concerns=tuple(each for each in CONCERNS if holds[each]),
    )
