"""What a decision refers to: its request hash, and the messages, fragments and places that it claims."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Any

from ..canonical import canonical_bytes_trusted, loads_last
from ..errors import InspectorError, RecordError
from ..limits import HASHED_MESSAGES, HASHED_MESSAGES_EACH, NAMED_MESSAGES, NAMED_MESSAGES_EACH
from ..model import BODY_STATES, FRAGMENT_STATUSES, Problem
from .fields import Notes, shown
from .hasher import RequestHasher
from .names import DECISIONS, FRAGMENTS
from .records import decision_from
from .views import VIEW_FORMATS, ViewCheck

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ..model import Block, Decision, DecisionKey, Fragment, LedgerEntry, Memory, Message
    from .rows import Rows


class Known:
    """What the records so far have named. `lengths` and `canonical` have one entry a message; -1 is not readable."""

    def __init__(self) -> None:
        self.lengths = array("q")
        self.canonical = bytearray()
        self.fragments: dict[str, int] = {}
        self.indexes: set[int] = set()
        self._requested: list[tuple[str, int, str, int]] = []

    def add_fragment(self, fragment: Fragment, notes: Notes) -> None:
        """Note an id that stands twice, and remember what the fragment refers to."""
        line = notes.line or 0
        if fragment.requested_by is not None:
            self.refers_to_decision(FRAGMENTS, line, "requested_by", fragment.requested_by)
        if fragment.problem is None:
            first = self.fragments.setdefault(fragment.id, line)
            if first != line:
                notes.add(
                    "a fragment's id stands twice", "each id once", f"{shown(fragment.id)}, first in line {first}"
                )

    def refers_to_decision(self, file: str, line: int, field: str, index: int) -> None:
        """Remember a reference that can only be judged when all decisions are known."""
        if index not in self.indexes:
            self._requested.append((file, line, field, index))

    def late_problems(self) -> Iterator[Problem]:
        """References to decisions that are nowhere."""
        for file, line, field, index in self._requested:
            if index not in self.indexes:
                what = f"`{field}` leads to a decision that is not there"
                yield Problem(file, line, what, "the index of a decision", str(index))


class DecisionCheck:
    """Checks one decision after the other."""

    def __init__(self, messages: Rows[Message], known: Known) -> None:
        self._messages = messages
        self._known = known
        self._keys: dict[DecisionKey, int] = {}
        self._hasher = RequestHasher()
        self._named_left = NAMED_MESSAGES
        self._hashed_left = HASHED_MESSAGES
        self._views = ViewCheck(messages)

    def check(self, row: Mapping[str, Any], notes: Notes) -> None:
        """Note everything that is wrong with a decision's object."""
        decision = decision_from(row, notes, self._messages)
        if decision.index >= 0:
            self._known.indexes.add(decision.index)
            self._check_key(decision, notes)
        if decision.problem is None and not self._within(decision, notes):
            return
        places = decision.message_ids
        if decision.problem is None:
            self._check_hash(decision, places, notes)
            self._check_events(decision, places, notes)
            if decision.format in VIEW_FORMATS:
                self._views.check(places, notes)
        if decision.memory is not None:
            self._check_memory(decision.memory, places if decision.problem is None else None, notes)

    def _within(self, decision: Decision, notes: Notes) -> bool:
        """Whether looking at the prompt is within what one check may cost; noted, if it is not."""
        named = sum(count for _, count in decision.slices)
        self._hashed_left += HASHED_MESSAGES_EACH
        if named > self._named_left + NAMED_MESSAGES_EACH:
            expected = f"at most {NAMED_MESSAGES:,} messages in all prompts, and {NAMED_MESSAGES_EACH:,} for each"
            notes.add("the prompt is not verified: the prompts name too many messages", expected, "more")
            return False
        self._named_left += NAMED_MESSAGES_EACH - named
        return True

    def _check_key(self, decision: Decision, notes: Notes) -> None:
        first = self._keys.setdefault(decision.key, notes.line or 0)
        if first != notes.line:
            found = f"{decision.index}, {decision.attempt}, first in line {first}"
            what = "a decision's index and attempt stand twice: where a fragment stands is told for the first one only"
            notes.add(what, "each pair once", found)

    def _check_hash(self, decision: Decision, places: Sequence[int], notes: Notes) -> None:
        claimed = decision.request_hash
        if claimed is None:
            notes.add("there is no `request_hash`: the prompt cannot be verified", severity="warning")
            return
        lost = next((place for place in places if self._known.lengths[place] < 0), None)
        if lost is not None:
            found = f"line {self._messages.line_number(lost)} of {self._messages.name} is not readable"
            notes.add("the prompt cannot be verified", "readable messages", found)
            return
        try:
            computed = self._hasher.of(decision.format, places, lambda number: self._canonical(places[number]))
        except InspectorError as error:
            notes.add(f"the prompt cannot be verified: {error.message}", error.expected, error.found)
            return
        if computed != claimed:
            notes.add("`request_hash` is not the hash of the prompt", computed, shown(claimed))

    def _canonical(self, place: int) -> bytes:
        self._hashed_left -= 1
        if self._hashed_left < 0:
            expected = f"at most {HASHED_MESSAGES:,} in one check, and {HASHED_MESSAGES_EACH} for each decision"
            raise RecordError("too many messages to hash", expected=expected, found="more")
        line = self._messages.line(place)
        return line if self._known.canonical[place] else canonical_bytes_trusted(loads_last(line))

    # --- references

    def _check_events(self, decision: Decision, places: Sequence[int], notes: Notes) -> None:
        for number, event in enumerate(decision.events):
            where = f"events[{number}]"
            if event.message is not None and event.message >= len(places):
                self._no_message(f"{where}.message", event.message, len(places), notes)
            for fragment in event.fragments:
                self._check_fragment(f"{where}.fragments", fragment, notes)

    def _check_memory(self, memory: Memory, places: Sequence[int] | None, notes: Notes) -> None:
        fragments, indexes = self._known.fragments, self._known.indexes
        for number, entry in enumerate(memory.ledger):  # names of fields are only made where something is wrong
            if entry.status not in FRAGMENT_STATUSES:
                what = f"`memory.ledger[{number}].status` is not known"
                notes.add(what, ", ".join(FRAGMENT_STATUSES), shown(entry.status))
            if entry.body is not None and entry.body not in BODY_STATES:
                what = f"`memory.ledger[{number}].body` is not known"
                notes.add(what, ", ".join(BODY_STATES), shown(entry.body))
            if entry.fragment is not None and entry.fragment not in fragments:
                self._check_fragment(f"memory.ledger[{number}].fragment", entry.fragment, notes)
            if entry.decision is not None and entry.decision not in indexes:
                where = f"memory.ledger[{number}].decision"
                self._known.refers_to_decision(DECISIONS, notes.line or 0, where, entry.decision)
            if entry.message is not None:
                self._check_place("ledger", number, entry, places, notes)
        for number, block in enumerate(memory.blocks):
            self._check_fragment(f"memory.blocks[{number}].fragment", block.fragment, notes)
            self._check_place("blocks", number, block, places, notes)
        for fragment in memory.evicted:
            self._check_fragment("memory.evicted", fragment, notes)

    def _check_fragment(self, where: str, fragment: str, notes: Notes) -> None:
        if fragment not in self._known.fragments:
            notes.add(f"`{where}` leads to a fragment that is not there", "the id of a fragment", shown(fragment))

    def _check_place(
        self,
        field: str,
        number: int,
        claim: LedgerEntry | Block,
        places: Sequence[int] | None,
        notes: Notes,
    ) -> None:
        """A claimed place: a message of this prompt, and bytes in it. Nothing to check where none is claimed."""
        message, start, end = claim.message, claim.start, claim.end
        if message is None or places is None:
            return
        if message >= len(places):
            self._no_message(f"memory.{field}[{number}].message", message, len(places), notes)
            return
        length = self._known.lengths[places[message]]
        if length >= 0 and start is not None and end is not None and not start <= end <= length:
            what = f"`memory.{field}[{number}]` claims a place that is not in its message"
            notes.add(what, f"bytes within 0 to {length}", f"{start} to {end}")

    @staticmethod
    def _no_message(where: str, message: int, count: int, notes: Notes) -> None:
        notes.add(f"`{where}` leads to a message that is not in this prompt", f"below {count}", str(message))
