"""What looks like a secret in the texts of a run: a list for a person to look at before a full export.

A pattern finds shapes, not secrets: it may be wrong both ways, and the list says where each was found so that a person
can decide. Texts of messages, replies, bodies, lookups, titles and paths are looked at, each distinct text once.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..canonical import sha256, utf8

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ..model import Investigation

MAX_SECRETS = 2_000
"""Distinct findings that are listed; a run with more of them should not be shared in full at all."""

PATTERNS: Mapping[str, re.Pattern[str]] = {
    "private key": re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]{0,20000}?-----END [A-Z ]*PRIVATE KEY-----"),
    "key": re.compile(
        r"\b(?:sk-(?:ant-|proj-)?[A-Za-z0-9_-]{16,}|AKIA[0-9A-Z]{16}|AIza[0-9A-Za-z_-]{30,}|gh[pousr]_[A-Za-z0-9]{20,}"
        r"|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_-]{16,}|xox[abprs]-[A-Za-z0-9-]{10,}|hf_[A-Za-z0-9]{20,}"
        r"|npm_[A-Za-z0-9]{30,}|rk_live_[A-Za-z0-9]{16,}|sk_live_[A-Za-z0-9]{16,})"
    ),
    "token": re.compile(r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}"),
    "bearer token": re.compile(r"(?i)\b(?:bearer|basic)\s+[A-Za-z0-9._~+/=-]{16,}"),
    "named secret": re.compile(
        r"""(?i)\b[\w.-]{0,40}(?:passwd|password|secret|api[_-]?key|access[_-]?key|auth[_-]?token|access[_-]?token)[\w.-]{0,20}"""
        r"""\\?["']?\s{0,4}[:=]\s{0,4}\\?["']?(?P<secret>[^\s"'\\,;<>(){}]{6,200})"""
    ),
    "address with a password": re.compile(
        r"\b[a-z][a-z0-9+.-]{1,20}://[^\s/:@\"']{1,100}:[^\s/@\"']{1,200}@[^\s/\"']{1,200}"
    ),
    "e-mail address": re.compile(
        r"\b[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){0,6}\.[A-Za-z]{2,24}\b"
    ),
    "network address": re.compile(
        r"(?<![\w.])(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)(?![\w.])"
        r"|(?<![\w:])(?:[0-9a-fA-F]{1,4}:){7}[0-9a-fA-F]{1,4}(?![\w:])"
    ),
    "home folder": re.compile(r"(?:/home/|/Users/|[A-Za-z]:\\{1,2}Users\\{1,2})(?P<secret>[A-Za-z0-9._-]{2,64})"),
}
"""Kind → its shape. Where a shape has a group `secret`, only that part is the secret."""

_HARMLESS = frozenset({"127.0.0.1", "0.0.0.0", "255.255.255.255", "localhost"})  # noqa: S104  # told apart, not bound


@dataclass(frozen=True, slots=True)
class Secret:
    """Something that looks like a secret: its kind, its text, how often and in which texts (`message 3`, ...)."""

    kind: str
    text: str
    count: int
    places: tuple[str, ...] = field(default=())

    @property
    def hash(self) -> str:
        """`sha256:` and 64 hex digits of its UTF-8 bytes."""
        return sha256(utf8(self.text))

    @property
    def mask(self) -> str:
        """What stands in its place once it is masked."""
        return f"[masked {self.kind} {self.hash[:19]}]"


def likely_secrets(investigation: Investigation) -> tuple[Secret, ...]:
    """What looks like a secret, most frequent first. At most `MAX_SECRETS` are listed."""
    counts: dict[tuple[str, str], int] = {}
    places: dict[tuple[str, str], list[str]] = {}
    for name, text in _texts(investigation):
        for kind, secret in secrets_in(text):
            key = (kind, secret)
            if key not in counts and len(counts) >= MAX_SECRETS:
                continue
            counts[key] = counts.get(key, 0) + 1
            where = places.setdefault(key, [])
            if name not in where and len(where) < _PLACES:
                where.append(name)
    found = [Secret(kind, text, count, tuple(places[kind, text])) for (kind, text), count in counts.items()]
    return tuple(sorted(found, key=lambda each: (-each.count, each.kind, each.text)))


_PLACES = 5
"""Places that are named for each."""


def secrets_in(text: str) -> Iterator[tuple[str, str]]:
    """Each `(kind, secret)` in a text; what an earlier kind has found is not found again by a later one."""
    taken: list[tuple[int, int]] = []
    for kind, pattern in PATTERNS.items():
        for match in pattern.finditer(text):
            start, end = match.span("secret") if "secret" in pattern.groupindex else match.span()
            if text[start:end] in _HARMLESS or any(first < end and start < last for first, last in taken):
                continue
            taken.append((start, end))
            yield kind, text[start:end]


def _texts(investigation: Investigation) -> Iterator[tuple[str, str]]:
    yield "the title", investigation.title
    for number, message in enumerate(investigation.messages, start=1):
        yield f"message {number} of the recording", message.text
    for fragment in investigation.fragments:
        yield f"fragment {fragment.id}", fragment.body
        yield f"fragment {fragment.id}", fragment.lookup.identity
        for source in fragment.sources:
            yield f"fragment {fragment.id}", source.path
    for decision in investigation.decisions:
        if decision.reply is not None:
            name = f"reply of decision {decision.index}"
            yield name, decision.reply.text or ""
            for lookup in decision.reply.lookups:
                yield name, lookup.identity
                yield name, lookup.summary or ""
            if decision.reply.patch is not None:
                patch = decision.reply.patch
                yield from ((name, part) for part in (patch.path, patch.before, patch.after))
