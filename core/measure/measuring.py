"""Measuring: every stored context of an investigation in every encoding asked for. Nothing stored is rewritten."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ..canonical import byte_length, canonical_bytes_trusted, same, utf8
from ..codec import CODECS, V4, V5, V6, Encoded, codec, encode, lineage, restore
from ..codec.base import inline
from ..errors import InspectorError
from .components import COMPONENTS, component_bytes, component_texts
from .figures import ContextFigures, Figures, Measurement, Size
from .stored import Stored, bare_view, common_prefix, kept_previous, stored_context
from .tokens import token_counter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ..codec.base import View
    from ..model import Decision, Investigation

    Progress = Callable[[int, int], None]
    CountTokens = Callable[[Sequence[str]], list[int]]

DEFAULT_VERSIONS = (V5, V6)
"""v6 beside v5, until v7 has a specification."""


def measure(
    investigation: Investigation,
    versions: Iterable[str] = DEFAULT_VERSIONS,
    *,
    name: str | None = None,
    progress: Progress | None = None,
    build: Callable[[Decision], View] | None = None,
) -> Measurement:
    """Sizes of every stored context in each of `versions`; `progress(done, total)` is called after each context.

    `name` is what the rows call the package (its own name if not given). `build` makes a v4 view for a decision whose prompt
    is in no encoding of the working view (`core.working_view`); such a row says that it is built.

    The stored encoding is measured as stored; a later one is encoded from the stored view as it is; an earlier one is
    restored. A context that cannot be measured is still there, with its reason. Raises `ViewError` for an unknown version.
    """
    ruler = Ruler(versions)
    rows = []
    total = len(investigation.decisions)
    for done, decision in enumerate(investigation.decisions, start=1):
        rows.append(ruler.context(decision, name or investigation.source or investigation.title, build))
        if progress is not None:
            progress(done, total)
    return Measurement(ruler.versions, rows)


def measure_view(
    view: View, versions: Iterable[str] = DEFAULT_VERSIONS, *, given: str | None = None, name: str = ""
) -> Measurement:
    """The same for a bare view, under the system instructions of each encoding; `given` is its own (else told by its tables).

    Raises `ViewError` for an unknown version, for what is no view, and for a reference that leads nowhere.
    """
    ruler = Ruler(versions)
    if given is not None:
        codec(given)
    stored = bare_view(view, given)
    return Measurement(
        ruler.versions, [ContextFigures(name, 1, 1, "view", stored.format, ruler.figures(stored), stored=None)]
    )


@dataclass(frozen=True)
class _Taken:
    """One context in one encoding, before its sizes are taken: `texts[place]` is the view's text."""

    encoded: Encoded
    texts: tuple[str, ...]
    place: int
    exact: bool
    stored: bool
    instructions: str


class Ruler:
    """Measures context after context of one package; remembers the texts before, for the shared prefixes."""

    def __init__(self, versions: Iterable[str]) -> None:
        wanted = [codec(version).version for version in versions]
        self.versions = tuple(version for version in CODECS if version in wanted)
        self._tokens = token_counter()
        self._before: dict[str, _Taken] = {}

    def context(
        self, decision: Decision, package: str, build: Callable[[Decision], View] | None = None
    ) -> ContextFigures:
        """One stored context in every encoding, or the reason why not."""
        row = ContextFigures(package, decision.index, decision.attempt, decision.status, decision.format)
        try:
            if decision.problem is None:
                row = replace(row, stored=self._size([message.text for message in decision.messages]))
            if decision.request_hash is not None:
                row = replace(row, hash_matches=decision.computed_request_hash() == decision.request_hash)
            if build is not None and decision.problem is None and decision.format not in CODECS:
                return replace(row, versions=self.figures(bare_view(build(decision), V4)), built=True)
            return replace(row, versions=self.figures(stored_context(decision)))
        except InspectorError as error:
            return replace(row, reason=str(error))

    def figures(self, stored: Stored) -> dict[str, Figures]:
        """A view in every encoding. Raises `ViewError` where one of them cannot hold it: then none is comparable."""
        taken: dict[str, _Taken] = {}
        for version in self.versions:
            taken[version] = _taken(stored, version, taken.get(codec(version).previous or ""))
        found = {version: self._figures(taken[version], self._before.get(version)) for version in taken}
        self._before |= taken
        return found

    def _figures(self, taken: _Taken, before: _Taken | None) -> Figures:
        texts, place = taken.texts, taken.place
        user, whole = self._size([texts[place]]), self._size(texts)
        members = list(component_texts(taken.encoded.view, taken.encoded.version))
        prefixes: tuple[int | None, int | None] = (None, None)
        if before is not None:
            earlier = before.texts
            prefixes = (
                common_prefix(earlier[before.place], texts[place]),
                common_prefix("".join(earlier), "".join(texts)),
            )
        return Figures(
            user=user,
            all=whole,
            exact=taken.exact,
            fell_back=taken.encoded.fell_back,
            reason=taken.encoded.reason,
            components=component_bytes(members, user.bytes, whole.bytes - user.bytes),
            component_tokens=self._component_tokens(members, [text for at, text in enumerate(texts) if at != place]),
            user_prefix=prefixes[0],
            all_prefix=prefixes[1],
            stored=taken.stored,
            instructions=taken.instructions,
        )

    def _size(self, texts: Sequence[str]) -> Size:
        tokens = None if self._tokens is None else sum(self._tokens(texts))
        return Size(sum(map(byte_length, texts)), sum(map(len, texts)), tokens)

    def _component_tokens(self, members: list[tuple[str, bytes]], around: list[str]) -> dict[str, int] | None:
        if self._tokens is None:
            return None
        counts: Counter[str] = Counter({"instructions": sum(self._tokens(around))})
        for (component, _), tokens in zip(members, self._tokens([text.decode() for _, text in members]), strict=True):
            counts[component] += tokens
        return {component: counts[component] for component in COMPONENTS if component != "structure"}


def _taken(stored: Stored, version: str, previous: _Taken | None) -> _Taken:
    """The context in one encoding; `previous`: in the encoding before that one, where it was taken already."""
    if version == stored.format:
        return _as_stored(stored)
    if stored.format in lineage(version):
        if previous is not None and stored.format != previous.encoded.version:
            encoded = codec(version).encode(previous.encoded)  # from the stored view, by way of the one before
        else:
            encoded = encode(stored.view, version, given=stored.format)
        exact = canonical_bytes_trusted(restore(encoded, to=stored.format)) == stored.raw
    else:
        view = restore(stored.view, stored.format, to=version)
        why = kept_previous(view, version)
        encoded = replace(inline(view, version), fell_back=why is not None, reason=why)
        exact = _inverts(view, version, stored.format)
    texts, exchanged = stored.with_view(version, encoded.text)
    return _Taken(encoded, texts, stored.place, exact, stored=False, instructions="replaced" if exchanged else "kept")


def _as_stored(stored: Stored) -> _Taken:
    version, view = stored.format, stored.view
    raw = canonical_bytes_trusted(view)
    exact = raw == utf8(stored.text)
    reason = None if exact else "the stored text is not the canonical text of its view"
    previous = codec(version).previous
    if previous is not None:
        exact = _inverts(restore(view, version, to=previous), previous, version) and exact
    why = kept_previous(view, version)
    encoded = Encoded(version, view, raw, fell_back=why is not None, reason=reason or why)
    return _Taken(encoded, stored.texts, stored.place, exact, stored=not stored.bare, instructions="stored")


def _inverts(view: View, low: str, high: str) -> bool:
    return same(restore(encode(view, high, given=low), to=low), view)
