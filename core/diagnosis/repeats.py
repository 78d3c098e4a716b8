"""Which lookups were asked for again, and which only resemble an earlier one."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from ..canonical import canonical_text
from ..delivery.lines import covers, merge, received_ranges
from . import causes, words
from .case import CARRYING, Case
from .findings import NearRepeat, Proof, Repeat
from .history import read_range
from .remedy import remedy

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, Literal

    from ..delivery import LineRange
    from ..model import DecisionKey, Fragment, SourceRange
    from .case import Evidence
    from .findings import Cause
    from .history import Ask


def repeats(evidence: Evidence) -> Iterator[Repeat]:
    """Every repeat, in the order of asking: by identity, else by a range that was wholly sent before."""
    ranges = _Ranges(evidence)
    for ask in evidence.history.asks:
        earlier = evidence.history.earlier(ask)
        if earlier:
            yield _by_identity(evidence, ask, earlier)
        else:
            source = ranges.supplied_before(ask)
            if source is not None:
                case = ranges.case(ask, source)
                yield _judged(case, "range", None, _lines_there(case, source))
        ranges.note(ask)


def _by_identity(evidence: Evidence, ask: Ask, earlier: list[Ask]) -> Repeat:
    known = [each for each in earlier if each.fragment is not None]
    settled = [each for each in known if evidence.history.fragments[each.fragment or 0].status != "uncertain"]
    judged = (settled or known or earlier)[-1]
    if judged.fragment is None:
        proof = Proof(causes.NOT_JUDGED, missing_fact=causes.NO_RESULT)
        return Repeat(ask.step.key, earlier[0].step.key[0], ask.identity, "identity", None, "unknown", proof)
    case = Case(evidence, ask, judged, evidence.history.fragments[judged.fragment], judged.fragment)
    return _judged(case, "identity", earlier[0])


def _judged(case: Case, kind: Literal["identity", "range"], first: Ask | None, there: Proof | None = None) -> Repeat:
    held: list[tuple[Cause, Proof]] = [
        (cause, proof) for cause, check in causes.CHECKS if (proof := check(case)) is not None
    ]
    if there is not None:  # the lines of a read: they are in the prompt, whatever became of the bodies they came in
        held = [("delivered", there)]
    cause, proof = held[0] if held else ("unknown", causes.unknown(case))
    also = [other for other, _ in held[1:]]
    if "delivered" not in (cause, *also) and _all_lines_there(case):
        also.append("delivered")
    answer, before = case.evidence.history.result(case.ask), case.fragment
    return Repeat(
        decision=case.ask.step.key,
        first_decision=(first or case.earlier).step.key[0],
        identity=case.ask.identity,
        kind=kind,
        fragment=case.fragment.id,
        cause=cause,
        proof=proof,
        also=tuple(also),
        remedy=remedy(case, cause),
        changed=None if answer is None or kind == "range" else _differ(answer, before),
    )


def _lines_there(case: Case, source: SourceRange) -> Proof | None:
    """Proof that every line of a range stands in the prompt of the decision that asks for it."""
    step = case.ask.step
    if step.sent is not True:
        return None
    lines = case.evidence.deliveries.lines(source.path, source.hash, step.key)
    if not covers(lines, source.start, source.end):
        return None
    asked = f"{words.short(source.path)} {source.start}-{source.end}"
    detail = f"stands in {words.decision(step.key)}'s prompt with all lines that were asked for again ({asked})"
    return Proof(detail, placement=case.placement)


def _differ(one: Fragment, other: Fragment) -> bool:
    return (one.comparable, one.status) != (other.comparable, other.status)


def _all_lines_there(case: Case) -> bool:
    """Whether every line of the body's sources reached the prompt after all, through other fragments."""
    sources = case.fragment.sources
    if not sources or case.placement is None or case.placement.state != "overlap":
        return False
    lines = case.evidence.deliveries.lines
    return all(
        covers(lines(each.path, each.hash, case.ask.step.key), each.start, each.end) and each.hash is not None
        for each in sources
    )


class _Ranges:
    """The lines of each version of each file that were sent so far, and the reads that asked for them."""

    def __init__(self, evidence: Evidence) -> None:
        self.evidence = evidence
        self._asked: dict[tuple[int, str, str | None], list[Ask]] = defaultdict(list)

    def note(self, ask: Ask) -> None:
        """Remember what came back for an ask."""
        fragment = self.evidence.history.result(ask)
        for source in fragment.sources if fragment is not None else ():
            known = self._asked[ask.step.chain, source.path, source.hash]
            if not known or known[-1] is not ask:
                known.append(ask)

    def supplied_before(self, ask: Ask) -> SourceRange | None:
        """The range of this read, if every line of it was sent in this prompt or an earlier one of the attempt."""
        fragment = self.evidence.history.result(ask)
        source = None if fragment is None else read_range(fragment)
        if source is None:
            return None
        sent = merge(span for other in self._earlier(ask, source) for span in self._sent(ask, other, source))
        return source if covers(sent, source.start, source.end) else None

    def case(self, ask: Ask, source: SourceRange) -> Case:
        """The read judged against the earlier result that holds most of its lines, the latest of them."""
        evidence = self.evidence

        def worth(other: Ask) -> tuple[bool, int, int]:
            spans = self._sent(ask, other, source)
            inside = sum(min(end, source.end) - max(start, source.start) + 1 for start, end in spans)
            fragment = evidence.history.fragments[other.fragment or 0]
            here = evidence.deliveries.state(fragment.id, ask.step.key) in CARRYING
            return here, inside, other.step.place

        best = max(self._earlier(ask, source), key=worth)
        number = best.fragment or 0
        return Case(evidence, ask, best, evidence.history.fragments[number], number)

    def _earlier(self, ask: Ask, source: SourceRange) -> list[Ask]:
        asked = self._asked[ask.step.chain, source.path, source.hash]
        return [other for other in asked if other.step.place < ask.step.place]

    def _sent(self, ask: Ask, other: Ask, source: SourceRange) -> list[LineRange]:
        """The lines around `source` that an earlier result brought into a prompt, up to that of `ask`."""
        fragment = self.evidence.history.fragments[other.fragment or 0]
        received = self.evidence.deliveries.received_by(fragment.id, ask.step.key)
        return [
            (each.start, each.end)
            for each in received_ranges(fragment, received)
            if (each.path, each.hash) == (source.path, source.hash)
            and each.start <= source.end
            and source.start <= each.end
        ]


def near_repeats(evidence: Evidence, repeated: set[tuple[DecisionKey, str]]) -> Iterator[NearRepeat]:
    """Lookups that resemble an earlier one without repeating it; `repeated`: (key, identity) of the repeats."""
    queries: dict[tuple[int, str], Ask] = {}
    reads: dict[tuple[int, str], list[tuple[Ask, SourceRange]]] = defaultdict(list)
    for ask in evidence.history.asks:
        folded = (ask.step.chain, _folded(ask))
        twin = queries.setdefault(folded, ask)
        fragment = evidence.history.result(ask)
        source = None if fragment is None else read_range(fragment)
        if (ask.step.key, ask.identity) not in repeated:
            if twin is not ask and twin.identity != ask.identity:
                yield NearRepeat(ask.step.key, twin.step.key[0], ask.identity, twin.identity, "same query")
            elif source is not None and (near := _overlapping(ask, source, reads[ask.step.chain, source.path])):
                yield NearRepeat(ask.step.key, near.step.key[0], ask.identity, near.identity, "overlapping range")
        if source is not None:
            reads[ask.step.chain, source.path].append((ask, source))


def _folded(ask: Ask) -> str:
    asked = ask.lookup
    queries = None if asked.queries is None else list(asked.queries)
    return canonical_text(_fold([asked.kind, queries, asked.search, asked.reference_url, asked.arguments]))


def _fold(value: Any) -> Any:
    """Case folded and white space joined, in every text of a JSON value."""
    if isinstance(value, str):
        return " ".join(value.casefold().split())
    if isinstance(value, list | tuple):
        return [_fold(each) for each in value]
    if isinstance(value, dict):
        return {key: _fold(each) for key, each in value.items()}
    return value


def _overlapping(ask: Ask, source: SourceRange, reads: list[tuple[Ask, SourceRange]]) -> Ask | None:
    for other, range_ in reversed(reads):
        if (
            other.step.place < ask.step.place
            and other.identity != ask.identity
            and range_.start <= source.end
            and source.start <= range_.end
        ):
            return other
    return None
