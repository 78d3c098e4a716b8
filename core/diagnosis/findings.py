"""What a diagnosis consists of: the words and records that pages, scripts and reports show."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from ..delivery import LineRange, Placement
    from ..grade import Grade
    from ..model import DecisionKey, RepliesOrigin

Cause: TypeAlias = Literal[
    "uncertain_outcome",
    "overwritten",
    "never_supplied",
    "stale",
    "compacted",
    "cleared",
    "evicted",
    "truncated",
    "delivered",
    "unknown",
]
CAUSES: tuple[Cause, ...] = (
    "uncertain_outcome",
    "overwritten",
    "never_supplied",
    "stale",
    "compacted",
    "cleared",
    "evicted",
    "truncated",
    "delivered",
    "unknown",
)
"""In the order in which they are judged: the first that can be proven is the cause."""

DELIVERY_FAULTS: tuple[Cause, ...] = ("overwritten", "never_supplied")
"""Causes that are a fault of what carried the evidence, never of the model."""

PatternKind: TypeAlias = Literal[
    "cycle", "read_after_edit", "no_new_evidence", "paging_sweep", "truncation_loop", "polling", "changed_answer"
]


@dataclass(frozen=True, slots=True)
class Budget:
    """The arithmetic of one decision's memory, in UTF-8 bytes.

    What blocks may take (`available`), what the missing body would have `needed` in the prompt with its heading, what
    was left `free` in that prompt beside what it carried.
    """

    context_bytes: int
    available: int
    needed: int
    free: int


@dataclass(frozen=True, slots=True)
class Proof:
    """What a cause rests on. Every field that does not apply is None.

    `placement`: where the earlier body stands, or does not, in the prompt of the decision that repeats.
    `last_delivered`: key of the last decision whose prompt carried it whole or cut; `dropped_at`: key of the first sent
    decision after that whose prompt did not. `replaced_by`: id of the newer fragment that stands there instead.
    `missing_fact`: for `unknown`, the recorded fact that would decide. `detail`: for a person, what is true of the
    earlier result, to be read after "its result".
    """

    detail: str
    placement: Placement | None = None
    budget: Budget | None = None
    last_delivered: DecisionKey | None = None
    dropped_at: DecisionKey | None = None
    replaced_by: str | None = None
    missing_fact: str | None = None


@dataclass(frozen=True, slots=True)
class Remedy:
    """What would have helped, where it follows by arithmetic.

    The smallest `context_bytes` under which the body would have been kept, or the `lines` of the same source that
    would have fitted.
    """

    sentence: str
    context_bytes: int | None = None
    path: str | None = None
    lines: LineRange | None = None


@dataclass(frozen=True, slots=True)
class Repeat:
    """A lookup asked for again by decision `decision`, first asked for by decision index `first_decision`.

    `kind` is `identity` (same lookup identity) or `range` (a read whose lines, of this version, were all sent before).
    `fragment` is the id of the earlier result, None where none is recorded. `also` are the other causes that hold too.
    `changed`: whether asking the same again gave another answer (then it was progress); None for a `range`, which is another
    question, and where no answer is recorded.
    """

    decision: DecisionKey
    first_decision: int
    identity: str
    kind: Literal["identity", "range"]
    fragment: str | None
    cause: Cause
    proof: Proof
    also: tuple[Cause, ...] = ()
    remedy: Remedy | None = None
    changed: bool | None = None


@dataclass(frozen=True, slots=True)
class NearRepeat:
    """A lookup that resembles an earlier one. Listed apart, never counted as a repeat.

    It asks for an overlapping range of the same path, or the same query after case folding and white space.
    """

    decision: DecisionKey
    first_decision: int
    identity: str
    earlier_identity: str
    why: Literal["overlapping range", "same query"]


@dataclass(frozen=True, slots=True)
class Pattern:
    """A shape over several decisions.

    `length` and `turns`: of a cycle, the lookups in its block and how often it was walked; else the number of
    decisions (or lookups) it spans and 1. `stall` is False for what is progress.
    """

    kind: PatternKind
    decisions: tuple[DecisionKey, ...]
    length: int
    turns: int
    stall: bool
    sentence: str


@dataclass(frozen=True, slots=True)
class Finding:
    """Something a person should know.

    `kind` is `disagreement` (the recorder's claim against the transmitted text), `silent_absence` or `never_received`
    (a completed result that no prompt after it carried); `sentence` says it, with what was expected and found.
    """

    kind: str
    sentence: str
    decision: DecisionKey | None = None
    fragment: str | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """The whole run in one sentence that can be pasted into an issue. `cause` is that of `repeat`, which it names, if any.

    `stalled`: it ended by the repetition gate, a limit on calls, prompt or context, or in an unchanged cycle. `looped`:
    its asking ended in an unchanged cycle, or half of its lookups were one, whether or not it got out of it. `clear`: nothing stands against the run: neither of these, no
    fault of delivery, no repeat whose cause is unknown, no completed result that never reached a prompt, no decision that
    cannot be read, no end by any limit, costs included.
    """

    stalled: bool
    decision: DecisionKey | None
    cause: Cause | None
    sentence: str
    looped: bool = False
    clear: bool = False
    repeat: Repeat | None = None


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """Everything that is said about one investigation beyond delivery itself."""

    verdict: Verdict
    repeats: tuple[Repeat, ...]
    near_repeats: tuple[NearRepeat, ...]
    patterns: tuple[Pattern, ...]
    findings: tuple[Finding, ...]
    grade: Grade
    replies: RepliesOrigin
