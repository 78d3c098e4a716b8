"""What measuring gives: sizes per stored context and encoding, exactness, components, and totals.

These are sizes of *stored contexts*, rejected and unused attempts included: never a billed-call total. Cost and the quality
of reasoning are not measured.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


@dataclass(frozen=True, slots=True)
class Size:
    """UTF-8 bytes, characters, and tokens (`o200k_base`; None without the optional tokenizer) of a text or of messages.

    Tokens of messages are counted message by message; what a provider adds between messages is not counted.
    """

    bytes: int
    chars: int
    tokens: int | None = None

    def __add__(self, other: Size) -> Size:
        known = self.tokens is not None and other.tokens is not None
        tokens = (self.tokens or 0) + (other.tokens or 0) if known else None
        return Size(self.bytes + other.bytes, self.chars + other.chars, tokens)


@dataclass(frozen=True)
class Figures:
    """One context in one encoding.

    `user` is the view's text, `all` every message with the encoding's system instructions. `exact`: the view restored from
    it has the same canonical text as the view that was encoded. `components` are bytes and sum to `all.bytes`;
    `component_tokens`, counted apart, do not add up to `all.tokens`. `user_prefix` and `all_prefix` are the bytes that the
    text (all messages joined) shares from its start with that of the previous measured context; None for the first.
    `stored` says that these are the stored messages themselves; `instructions` is `stored`, `replaced` or `kept` (a stored
    system text that is not this project's own is kept in every encoding, so that nothing is saved by replacing it).
    """

    user: Size
    all: Size
    exact: bool
    fell_back: bool
    reason: str | None
    components: Mapping[str, int]
    component_tokens: Mapping[str, int] | None = None
    user_prefix: int | None = None
    all_prefix: int | None = None
    stored: bool = False
    instructions: str = "replaced"

    def as_json(self) -> dict[str, Any]:
        """As `--json` prints it."""
        return {
            "user_bytes": self.user.bytes,
            "user_chars": self.user.chars,
            "user_tokens": self.user.tokens,
            "all_bytes": self.all.bytes,
            "all_chars": self.all.chars,
            "all_tokens": self.all.tokens,
            "exact": self.exact,
            "fell_back": self.fell_back,
            "reason": self.reason,
            "components": dict(self.components),
            "component_tokens_not_additive": None if self.component_tokens is None else dict(self.component_tokens),
            "user_prefix_bytes": self.user_prefix,
            "all_prefix_bytes": self.all_prefix,
            "stored": self.stored,
            "instructions": self.instructions,
        }


@dataclass(frozen=True)
class ContextFigures:
    """One stored context. `versions` is empty where it cannot be measured, and `reason` says why.

    `built`: it holds no working view, and its figures are those of one built from the results that its prompt carried.

    `stored` is the size of the stored messages, whatever their format (None where they cannot be read); `hash_matches` says
    whether the stored request hash is that of the stored messages (None where there is none to check).
    """

    package: str
    index: int
    attempt: int
    status: str
    format: str
    versions: Mapping[str, Figures] = field(default_factory=dict)
    reason: str | None = None
    stored: Size | None = None
    hash_matches: bool | None = None
    built: bool = False

    def as_json(self) -> dict[str, Any]:
        """As `--json` prints it."""
        return {
            "package": self.package,
            "index": self.index,
            "attempt": self.attempt,
            "status": self.status,
            "format": self.format,
            "built": self.built,
            "versions": {version: figures.as_json() for version, figures in self.versions.items()},
            "reason": self.reason,
            "stored_all_bytes": None if self.stored is None else self.stored.bytes,
            "hash_matches": self.hash_matches,
        }


@dataclass(frozen=True)
class Total:
    """One encoding over several contexts. `exact` and `fell_back` count contexts; prefixes are sums of known figures."""

    contexts: int
    user: Size
    all: Size
    exact: int
    fell_back: int
    components: Mapping[str, int]
    user_prefix: int
    all_prefix: int

    def as_json(self) -> dict[str, Any]:
        """As `--json` prints it."""
        return {
            "contexts": self.contexts,
            "user_bytes": self.user.bytes,
            "user_chars": self.user.chars,
            "user_tokens": self.user.tokens,
            "all_bytes": self.all.bytes,
            "all_chars": self.all.chars,
            "all_tokens": self.all.tokens,
            "exact": self.exact,
            "fell_back": self.fell_back,
            "components": dict(self.components),
            "user_prefix_bytes": self.user_prefix,
            "all_prefix_bytes": self.all_prefix,
        }


@dataclass(frozen=True)
class Measurement:
    """Contexts of one or more packages in each of `versions` (registry order: a later one builds on the one before)."""

    versions: Sequence[str]
    contexts: Sequence[ContextFigures]

    def by_package(self) -> Sequence[Measurement]:
        """One measurement for each package, in the order in which they were measured."""
        names = dict.fromkeys(context.package for context in self.contexts)
        return [
            replace(self, contexts=[context for context in self.contexts if context.package == name]) for name in names
        ]

    @property
    def measured(self) -> Sequence[ContextFigures]:
        """The contexts that could be measured."""
        return [context for context in self.contexts if context.versions]

    def totals(self, status: str | None = None) -> dict[str, Total]:
        """Per encoding, over all measured contexts or those of one status."""
        contexts = [context for context in self.measured if status is None or context.status == status]
        return {version: _total([context.versions[version] for context in contexts]) for version in self.versions}

    def statuses(self) -> dict[str, int]:
        """Stored contexts by status, those that cannot be measured included."""
        return dict(Counter(context.status for context in self.contexts))

    def as_json(self) -> dict[str, Any]:
        """As `--json` prints it."""
        return {
            "contexts": [context.as_json() for context in self.contexts],
            "totals": {
                "contexts": len(self.contexts),
                "measured": len(self.measured),
                "not_measured": len(self.contexts) - len(self.measured),
                "versions": {version: total.as_json() for version, total in self.totals().items()},
                "statuses": {
                    status: {
                        "contexts": count,
                        "versions": {version: total.as_json() for version, total in self.totals(status).items()},
                    }
                    for status, count in self.statuses().items()
                },
                "not_measured_at_all": ["billed calls", "cost", "reasoning quality"],
            },
        }


def combined(measurements: Sequence[Measurement]) -> Measurement:
    """Several measurements in the same encodings as one; the shared prefixes never reach from package to package."""
    return Measurement(measurements[0].versions, [context for one in measurements for context in one.contexts])


def _total(figures: Iterable[Figures]) -> Total:
    rows = list(figures)
    user = all_ = Size(0, 0, 0)
    components: Counter[str] = Counter()
    for row in rows:
        user, all_ = user + row.user, all_ + row.all
        components.update(row.components)
    return Total(
        contexts=len(rows),
        user=user,
        all=all_,
        exact=sum(row.exact for row in rows),
        fell_back=sum(row.fell_back for row in rows),
        components=dict(components),
        user_prefix=sum(row.user_prefix or 0 for row in rows),
        all_prefix=sum(row.all_prefix or 0 for row in rows),
    )
