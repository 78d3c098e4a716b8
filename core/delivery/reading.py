"""From one distinct message to what it says about each fragment."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING

from ..canonical import byte_length, utf8
from ..codec import CODECS
from ..errors import RecordError
from ..memory import read_layout
from ..model import TextPart, ToolCallPart, ToolResultPart, sections
from .beginnings import Beginnings
from .facts import MIN_BODY_BYTES, Facts, Spot
from .ledgers import identities_in
from .needles import index_bodies
from .prefix import own_prefix
from .scan import Hit, scan
from .views import ViewReader

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..memory import BlockText, Layout
    from ..model import Fragment, Message, Section

BOUNDED = "bounded_repair_v1"
_SAYS_THERE = ("whole", "cut")
"""What a ledger entry says of a body that is there; any other word says that it is not."""

RESULT_ROLES = frozenset({"tool", "function"})
"""Roles whose messages carry results and nothing else."""

MAX_KNOWN_UNITS = 20_000
"""Results of searching a base context or a block that are remembered by the text's hash: blocks recur in prompts."""


class MessageReader:
    """Reads messages of one investigation.

    `base`: fragments whose bodies stood in the prompt before they were asked for; `base_beginnings`: beginnings of them.
    """

    def __init__(self, fragments: Sequence[Fragment]) -> None:
        self.fragments = fragments
        self.needles = index_bodies(fragment.body for fragment in fragments)
        self.base: set[int] = set()
        self.base_beginnings: set[int] = set()
        self._beginnings = Beginnings(self.needles)
        self._bodies = [utf8(fragment.body) for fragment in fragments]
        self._same: dict[int, list[int]] = {}
        self._by_id: dict[str, int] = {}
        self._by_call: dict[str, list[int]] = {}
        self._by_evidence = [number for number, each in enumerate(fragments) if each.evidence is not None]
        self._by_identity: dict[str, list[int]] = {}
        self._units: dict[bytes, Mapping[int, Spot]] = {}
        for number, fragment in enumerate(fragments):
            self._by_id.setdefault(fragment.id, number)
            self._by_identity.setdefault(fragment.lookup.identity, []).append(number)
            if fragment.call_id is not None:
                self._by_call.setdefault(fragment.call_id, []).append(number)
            body = self.needles.of_fragment[number]
            if body is not None:
                self._same.setdefault(body, []).append(number)

    def read(self, message: Message, prompt_format: str) -> Facts:
        """What this message says, in a prompt of that format."""
        layout = _layout(message, prompt_format)
        if layout is not None:
            return self._framed(message, layout)
        facts = self._plain(message)
        if prompt_format not in CODECS:
            self._begun(facts, message)
        if prompt_format == BOUNDED and message.role == "user":
            self._other_ledger(facts, message.text)
        if message.role == "user" and prompt_format in CODECS and self._by_evidence:
            self._view(facts, ViewReader(message.text, prompt_format))
        return facts

    def _other_ledger(self, facts: Facts, text: str) -> None:
        """Markers in a bounded prompt that is not the documented rendering."""
        for identity, start, end, said in identities_in(text, self._by_identity):
            first = byte_length(text[:start])
            for number in self._by_identity[identity]:
                facts.markers.add(number, first, first + byte_length(text[start:end]), silent=not said)

    def _view(self, facts: Facts, view: ViewReader) -> None:
        """What the evidence records of a working view carry, beside what stands in its text as it is."""
        for number in self._by_evidence:
            seen = view.look(self.fragments[number])
            if seen is None:
                continue
            start, end = seen.spot.start, seen.spot.end
            facts.markers.add(number, start, end, silent=not seen.spot.guidance)
            if seen.state == "whole":
                facts.whole.setdefault(number, seen.spot)
            elif seen.state == "cut":
                facts.cut[number] = seen.spot

    def read_base(self, message: Message, prompt_format: str) -> set[int]:
        """The fragments whose bodies stand in the base context of this message, one of the first prompt."""
        layout = _layout(message, prompt_format)
        if layout is None:
            return {number for section in sections((message,)) for number in self._search(section.text)}
        return set(self._unit(utf8(message.text)[slice(*layout.base)]))

    def begun_in(self, message: Message) -> set[int]:
        """The fragments of whose bodies at least a provable beginning stands in some text of this message."""
        found = (body for section in sections((message,)) for body in self._beginnings.find(section.text))
        return {number for body in found for number in self._same[body]}

    def beginning(self, text: str, number: int) -> Spot | None:
        """The longest provable beginning of a body in any text, whoever's block it may be."""
        return own_prefix(text, self.fragments[number].body)

    # --- a message of the documented rendering

    def _framed(self, message: Message, layout: Layout) -> Facts:
        facts = Facts(blocks={})
        data = utf8(message.text)
        in_base = self._unit(data[slice(*layout.base)])
        for number, spot in in_base.items():
            facts.coincidental[number] = _moved(spot, layout.base[0])
        self._ledger(facts, layout)
        for block in layout.blocks:
            self._block(facts, data, block, in_base)
        return facts

    def _ledger(self, facts: Facts, layout: Layout) -> None:
        by_id, rows = self._by_id, []
        for (start, end), (_, _, name, body, _) in zip(layout.ledger.places(), layout.ledger.says, strict=True):
            named = by_id.get(name)
            if named is not None:
                rows.append((named, start, end, body in _SAYS_THERE))
                if body == "empty" and not self._bodies[named]:
                    facts.whole[named] = Spot("raw", end, end, 0)
        facts.markers.fill(rows)

    def _block(self, facts: Facts, data: bytes, block: BlockText, in_base: Mapping[int, Spot]) -> None:
        text, start = data[slice(*block.body)], block.body[0]
        own = self._by_id.get(block.fragment)
        if own is not None and facts.blocks is not None:
            facts.blocks[own] = block.sent, block.total
            if facts.markers.get(own) is None:
                facts.markers.add(own, *block.heading, silent=block.guidance is None)
            if text == self._bodies[own]:
                facts.whole[own] = Spot("raw", *block.body, len(text))
            elif spot := own_prefix(text.decode("utf-8", "surrogatepass"), self.fragments[own].body):
                said = spot.guidance or block.guidance is not None
                self._part(facts, own, _moved(spot._replace(guidance=said), start))
        for number, spot in self._unit(text).items():
            proves = number not in in_base and self._proves(number)
            if proves or spot.end - spot.start == len(text):
                facts.whole.setdefault(number, _moved(spot, start))
            else:
                facts.coincidental.setdefault(number, _moved(spot, start))

    def _unit(self, data: bytes) -> Mapping[int, Spot]:
        """The bodies that stand in a base context or a block, remembered by its hash."""
        key = blake2b(data, digest_size=16).digest()
        found = self._units.get(key)
        if found is None:
            found = self._search(data.decode("utf-8", "surrogatepass"))
            if len(self._units) < MAX_KNOWN_UNITS:
                self._units[key] = found
        return found

    # --- any other message

    def _plain(self, message: Message) -> Facts:
        facts = Facts()
        for section in sections((message,)):
            part = section.content
            found = self._search(section.text)
            if isinstance(part, ToolResultPart):
                for number in self._by_call.get(part.id or "", ()):
                    self._own_result(facts, section, number, found, replaced=message.stands_for is not None)
            elif isinstance(part, ToolCallPart):
                for number in self._by_call.get(part.id or "", ()):
                    if facts.markers.get(number) is None:
                        facts.markers.add(number, section.start, section.end, silent=True)
            for number, spot in found.items():
                alone = spot.start == 0 and spot.end == section.end - section.start
                whole = self._proves(number) or (alone and _is_result(section))
                (facts.whole if whole else facts.coincidental).setdefault(number, _moved(spot, section.start))
                if alone and not whole and section.role == "user" and isinstance(part, TextPart):
                    facts.alone.setdefault(number, _moved(spot, section.start))
        return facts

    def _begun(self, facts: Facts, message: Message) -> None:
        """Bodies of which a text that answers no known call, and is not the model's own, holds the beginning."""
        for section in sections((message,)) if message.stands_for != "placeholder" else ():
            part = section.content
            if section.role == "assistant" or isinstance(part, ToolCallPart):
                continue
            if isinstance(part, ToolResultPart) and part.id in self._by_call:
                continue
            for body, spot in self._beginnings.find(section.text).items():
                moved = _moved(spot, section.start)
                if any(whole.start <= moved.start and moved.end <= whole.end for whole in facts.whole.values()):
                    continue  # another result that begins alike brought it
                for number in self._same[body]:
                    if number not in self.base_beginnings and number not in facts.whole:
                        facts.cut.setdefault(number, moved)

    def _own_result(
        self, facts: Facts, section: Section, number: int, found: Mapping[int, Spot], *, replaced: bool
    ) -> None:
        """A tool result that answers this fragment's own call: whole, cut, or a placeholder (`replaced`).

        A body under `MIN_BODY_BYTES` must be all of it, or all but white space and quotation marks around it.
        """
        body = self.fragments[number].body
        spot = found.get(number)
        if section.text == body:
            facts.whole[number] = Spot("raw", section.start, section.end, byte_length(body))
        elif len(self._bodies[number]) < MIN_BODY_BYTES:
            if spot is not None and not replaced and _is_all(section.text, spot):
                facts.whole[number] = _moved(spot, section.start)
            elif not replaced and section.text and body.startswith(section.text):
                self._part(facts, number, Spot("raw", section.start, section.end, byte_length(section.text)))
        elif spot is not None:
            facts.whole[number] = _moved(spot, section.start)
        elif not replaced and (cut := own_prefix(section.text, body)):
            self._part(facts, number, _moved(cut, section.start))
        silent = not replaced and not section.text.strip()
        facts.markers.add(number, section.start, section.end, silent=silent)

    def _part(self, facts: Facts, number: int, spot: Spot) -> None:
        """Note the beginning of a body, which may be all of it."""
        found = facts.whole if spot.received == len(self._bodies[number]) else facts.cut
        found[number] = spot

    def _search(self, text: str) -> Mapping[int, Spot]:
        """Fragments whose bodies stand whole in a text, with places in bytes of that text."""
        hits = scan(text, self.needles)
        plain = text.isascii()
        return {
            number: _spot(hit, text, len(self._bodies[number]), plain=plain)
            for body, hit in hits.items()
            for number in self._same[body]
        }

    def _proves(self, number: int) -> bool:
        """Whether this body proves delivery wherever it stands."""
        return len(self._bodies[number]) >= MIN_BODY_BYTES and number not in self.base


def _layout(message: Message, prompt_format: str) -> Layout | None:
    if prompt_format != BOUNDED or message.role != "user":
        return None
    try:
        return read_layout(message.text)
    except RecordError:
        return None


def _spot(hit: Hit, text: str, size: int, *, plain: bool) -> Spot:
    if plain:
        return Spot(hit.carried, hit.start, hit.end, size)
    start = byte_length(text[: hit.start])
    return Spot(hit.carried, start, start + byte_length(text[hit.start : hit.end]), size)


def _moved(spot: Spot, by: int) -> Spot:
    return Spot(spot.carried, spot.start + by, spot.end + by, spot.received, spot.guidance)


def _is_result(section: Section) -> bool:
    """Whether this is a tool result, or a message of a role that carries nothing else."""
    return isinstance(section.content, ToolResultPart) or section.role in RESULT_ROLES


def _is_all(text: str, spot: Spot) -> bool:
    """Whether nothing but white space and quotation marks stands around a spot of a text."""
    data = utf8(text)
    return not (data[: spot.start] + data[spot.end :]).strip(b' \t\r\n"')
