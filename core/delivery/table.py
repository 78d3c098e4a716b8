"""The delivery of every fragment in every sent prompt, worked out once and read cell by cell."""

from __future__ import annotations

from bisect import bisect_left
from functools import cached_property
from typing import TYPE_CHECKING

from ..canonical import byte_length, sha256, utf8
from .column import Column, Prompt
from .life import Life
from .lines import by_version, received_ranges
from .overlap import Overlaps
from .placement import Coverage, Searched
from .reading import MessageReader

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from ..model import Decision, DecisionKey, Fragment, Investigation
    from .facts import Facts
    from .placement import LineRange, Placement, State


_BEFORE = -(2**63)
"""Asked for before any decision: what nobody is known to have asked for."""


class Deliveries:
    """How each fragment stands in each sent prompt (rows: fragments, columns: decisions).

    Cells exist where the decision was sent (`sent is True`) and the fragment existed before it (it was asked for by an
    earlier `index`). Of a prompt that cannot be read in full only what stands whole in the rest is a cell: what is not
    seen there may stand in the part that is lost. What each distinct message says is kept; cells and their proofs are worked out when asked for.
    `lost`: positions in the investigation's messages, ascending, of those of sent prompts that cannot be read.
    """

    def __init__(
        self,
        investigation: Investigation,
        fragments: tuple[Fragment, ...],
        prompts: Iterable[Prompt],
        facts: Mapping[int, Facts],
        lost: Iterable[int] = (),
    ) -> None:
        self.investigation = investigation
        self.fragments = fragments
        self._asked = [_BEFORE if each.requested_by is None else each.requested_by for each in fragments]
        self.unrecorded = frozenset(
            number for number, each in enumerate(fragments) if each.status == "uncertain" and not each.body
        )
        """Fragments of which nothing can be looked for: the lookup's outcome was never known, and no body is recorded."""
        self.overlaps = Overlaps(self.fragments)
        self._facts = facts
        self._known = sorted(facts)
        self._numbers: dict[str, int] = {}
        for number, fragment in enumerate(self.fragments):
            self._numbers.setdefault(fragment.id, number)
        self._prompts: dict[DecisionKey, Prompt] = {}
        for prompt in prompts:
            self._prompts.setdefault(prompt.key, prompt)
        self.lost = sorted(lost)
        self._unreadable = self._not_readable(self.lost)
        self._life = Life([prompt for prompt in self._prompts.values() if prompt.sent], facts, self.existed)
        self._last: Column | None = None

    @property
    def keys(self) -> tuple[DecisionKey, ...]:
        """Keys of the sent decisions, in order: the columns."""
        return tuple(key for key, prompt in self._prompts.items() if prompt.sent)

    @property
    def fragment_ids(self) -> tuple[str, ...]:
        """Ids of all fragments, in order: the rows."""
        return tuple(self._numbers)

    def state(self, fragment_id: str, key: DecisionKey) -> State | None:
        """The state of one cell, None where there is none; the cheap way to paint a matrix. KeyError if unknown."""
        number, prompt = self._numbers[fragment_id], self._prompts[key]
        return self._column(prompt).state(number) if self._is_cell(number, prompt) else None

    def at(self, fragment_id: str, key: DecisionKey) -> Placement | None:
        """One cell with its proof; None if not sent, or the fragment did not exist yet. KeyError if unknown."""
        number, prompt = self._numbers[fragment_id], self._prompts[key]
        return self._column(prompt).placement(number) if self._is_cell(number, prompt) else None

    def row(self, fragment_id: str) -> tuple[Placement, ...]:
        """One fragment's life: its placement in every sent decision after it was asked for, in order."""
        return tuple(found for key in self.keys if (found := self.at(fragment_id, key)) is not None)

    def column(self, key: DecisionKey) -> tuple[Placement, ...]:
        """One prompt: the placement of every fragment that existed before it; empty if it was not sent."""
        prompt = self._prompts[key]
        return tuple(self._column(prompt).placement(number) for number in self._cells(prompt))

    def states(self, key: DecisionKey) -> dict[str, State]:
        """One prompt's states by fragment id; empty if it was not sent. For painting a matrix column by column."""
        prompt = self._prompts[key]
        column = self._column(prompt)
        return {self.fragments[number].id: column.state(number) for number in self._cells(prompt)}

    def coverage(self, key: DecisionKey) -> tuple[Coverage, ...]:
        """Per path and hash, the lines that stood in this decision's prompt; empty if it was not sent."""
        prompt = self._prompts[key]
        if not prompt.sent:
            return ()
        column = self._column(prompt)
        held = {}
        for number in sorted(column.whole.keys() | column.cut.keys()):
            fragment = self.fragments[number]
            held[fragment.id] = received_ranges(fragment, column.received.get(number, fragment.byte_length))
        merged = by_version(source for ranges in held.values() for source in ranges)
        return tuple(
            Coverage(
                path,
                file_hash,
                lines,
                tuple(n for n, ranges in held.items() if any((s.path, s.hash) == (path, file_hash) for s in ranges)),
            )
            for (path, file_hash), lines in merged.items()
        )

    def readable(self, key: DecisionKey) -> bool:
        """Whether the whole prompt can be read: only then is what does not stand in it absent."""
        return key not in self._unreadable

    def continues(self, later: DecisionKey, earlier: DecisionKey) -> bool:
        """Whether a prompt begins with all messages of an earlier one, so that what stood in that stands in it too."""
        one, other = self._prompts[earlier].slices, self._prompts[later].slices
        if not one:
            return True
        last = len(one) - 1
        (start, count), rest = one[last], other[last:]
        return one[:last] == other[:last] and bool(rest) and rest[0][0] == start and rest[0][1] >= count

    def lines(self, path: str, file_hash: str | None, key: DecisionKey) -> tuple[LineRange, ...]:
        """The lines of this version of this file that stood in this decision's prompt, as merged ranges."""
        prompt = self._prompts[key]
        if file_hash is not None:
            return self._column(prompt).present.lines((path, file_hash)) if prompt.sent else ()
        return next((each.lines for each in self.coverage(key) if (each.path, each.hash) == (path, None)), ())

    def searched(self, fragment_id: str, key: DecisionKey) -> Searched:
        """Sizes and hashes of the prompt and of the body that was looked for in it."""
        fragment = self.fragments[self._numbers[fragment_id]]
        text = "".join(message.text for message in self.investigation.decisions[self._prompts[key].place].messages)
        return Searched(byte_length(text), sha256(utf8(text)), fragment.byte_length, sha256(utf8(fragment.body)))

    def carries(self, fragment_id: str, key: DecisionKey) -> bool:
        """Whether the body, whole or cut, stands in this decision's prompt: quicker than the whole cell."""
        prompt = self._prompts[key]
        return prompt.sent and self._life.carries(self._numbers[fragment_id], prompt)

    def latest(self, fragment_id: str, until: DecisionKey) -> int:
        """A place among the decisions: those between it and `until` do not carry the body. -1 if none up to `until` does."""
        if len(self._prompts) < len(self.investigation.decisions):  # a key that two decisions have says no place
            return len(self.investigation.decisions)
        return self._life.latest(self._numbers[fragment_id], self._prompts[until])

    def blocks(self, key: DecisionKey) -> dict[str, tuple[int, int]] | None:
        """The blocks that a prompt of the documented rendering names: fragment id → bytes `(sent, total)` it says.

        None for prompts of any other rendering.
        """
        found = [facts.blocks for _, facts in self.facts_in(self._prompts[key]) if facts.blocks is not None]
        if len(found) != 1:
            return None
        return {self.fragments[number].id: sizes for number, sizes in found[0].items()}

    def received_by(self, fragment_id: str, key: DecisionKey) -> int:
        """The most bytes of a body that one prompt carried, up to and including that of `key`."""
        return self._life.received_by(self._numbers[fragment_id], self._prompts[key])

    def silent_absences(self) -> Iterator[Placement]:
        """For each fragment the first prompt that names it, lacks it, and does not say so."""
        for number, prompt in self._life.silent():
            placement = self._column(prompt).placement(number)
            if placement.silent_absence and placement.total_bytes and self._is_cell(number, prompt):
                yield placement

    # --- for columns

    def existed(self, number: int, prompt: Prompt) -> bool:
        """Whether a fragment existed before a decision: it was asked for by an earlier index, or nobody knows by whom."""
        return self._asked[number] < prompt.key[0]

    @cached_property
    def ever_coincidental(self) -> frozenset[str]:
        """Ids of fragments whose bytes stand in some message where they prove nothing."""
        found = {number for facts in self._facts.values() for number in facts.coincidental}
        return frozenset(self.fragments[number].id for number in found)

    def facts_in(self, prompt: Prompt) -> Iterator[tuple[int, Facts]]:
        """What the messages of a prompt say, each with its number in the prompt; messages that say nothing left out."""
        before = 0
        for start, count in prompt.slices:
            first, end = bisect_left(self._known, start), bisect_left(self._known, start + count)
            for place in self._known[first:end]:
                yield before + place - start, self._facts[place]
            before += count

    def _is_cell(self, number: int, prompt: Prompt) -> bool:
        seen = self.readable(prompt.key) or number in self._column(prompt).whole
        return prompt.sent and self.existed(number, prompt) and seen

    def _cells(self, prompt: Prompt) -> list[int]:
        index = prompt.key[0]
        if not self.readable(prompt.key):
            return sorted(self._column(prompt).whole) if prompt.sent else []
        return [number for number, asked in enumerate(self._asked) if asked < index] if prompt.sent else []

    def _not_readable(self, lost: Sequence[int]) -> set[DecisionKey]:
        return {
            key
            for key, prompt in self._prompts.items()
            if not prompt.readable
            or any(bisect_left(lost, start) < bisect_left(lost, start + count) for start, count in prompt.slices)
        }

    def _column(self, prompt: Prompt) -> Column:
        column = self._last  # a local name: pages of several sessions may read one table at once
        if column is None or column.prompt is not prompt:
            column = self._last = Column(self, prompt)
        return column


def deliver(investigation: Investigation, progress: Callable[[int, int], None] | None = None) -> Deliveries:
    """Find every fragment in every sent prompt. `progress(done, total)` counts distinct messages.

    Memory does not grow with decisions times prompt size: each distinct message is read once and let go.
    """
    fragments = tuple(investigation.fragments)
    reader = MessageReader(fragments)
    wanted: dict[int, str] = {}
    reached: dict[int, int] = {}
    prompts: list[Prompt] = []
    for at, decision in enumerate(investigation.decisions):
        prompts.append(Prompt(at, decision.key, decision.sent is True, decision.slices, decision.problem is None))
        if decision.sent is not True:
            continue
        if not wanted:
            reader.base, reader.base_beginnings = _base(reader, decision)
        for start, count in decision.slices:
            end = min(start + count, len(investigation.messages))
            for place in range(max(reached.get(start, start), 0), end):
                wanted.setdefault(place, decision.format)
            reached[start] = max(reached.get(start, start), end)
    facts: dict[int, Facts] = {}
    lost: list[int] = []
    for done, (place, prompt_format) in enumerate(wanted.items(), 1):
        message = investigation.messages[place]
        found = reader.read(message, prompt_format)
        if message.problem is not None:
            lost.append(place)
        if found.whole or found.cut or found.coincidental or found.markers.fragments or found.blocks is not None:
            facts[place] = found
        if progress is not None:
            progress(done, len(wanted))
    _results_of_users(fragments, prompts, facts)
    return Deliveries(investigation, fragments, prompts, facts, lost)


def _results_of_users(fragments: Sequence[Fragment], prompts: Iterable[Prompt], facts: Mapping[int, Facts]) -> None:
    """A body that is all of a user's message was delivered by it if none that says the same stood in the asking prompt.

    Loops without tool calls send results as plain messages; but a user may also just have said these very words.
    """
    places: dict[int, list[int]] = {}
    for place, found in facts.items():
        for number in found.alone:
            places.setdefault(number, []).append(place)
    asking: dict[int, list[Prompt]] = {}
    for prompt in prompts if places else ():
        asking.setdefault(prompt.key[0], []).append(prompt)
    for number, messages in places.items():
        by = fragments[number].requested_by
        askers = [] if by is None else asking.get(by, [])
        if not askers or any(asker.holds(place) for asker in askers for place in messages):
            continue  # nobody knows who asked, or it had been said already
        for place in messages:
            spot = facts[place].alone[number]
            if facts[place].coincidental.get(number) == spot:
                del facts[place].coincidental[number]
            facts[place].whole.setdefault(number, spot)


def _base(reader: MessageReader, first: Decision) -> tuple[set[int], set[int]]:
    """Fragments whose bodies, or beginnings of them, stood in the first prompt although they were asked for only then or later."""
    whole = {number for message in first.messages for number in reader.read_base(message, first.format)}
    begun = {number for message in first.messages for number in reader.begun_in(message)}

    def later(number: int) -> bool:
        by = reader.fragments[number].requested_by
        return by is not None and by >= first.index

    return set(filter(later, whole)), set(filter(later, begun))
