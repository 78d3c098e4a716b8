"""Token counts by the optional extra `tokens` (toktok-rs, encoding `o200k_base`, offline); without it they are unknown."""

from __future__ import annotations

from hashlib import blake2b
from importlib import import_module
from typing import TYPE_CHECKING

from ..canonical import utf8

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

ENCODING = "o200k_base"

MAX_KNOWN_COUNTS = 200_000
"""Texts whose counts are remembered between calls."""


def token_counter() -> Callable[[Sequence[str]], list[int]] | None:
    """A function from texts to their token counts, or None if the extra is not installed.

    A lone surrogate, which no tokenizer takes, is counted as a question mark: an estimate for such a text. Counts are
    remembered by the text's hash: most messages and records of a context stood in the context before.
    """
    try:
        toktok = import_module("toktok")
    except ImportError:
        return None

    known: dict[bytes, int] = {}

    def count(texts: Sequence[str]) -> list[int]:
        keys = [blake2b(utf8(text), digest_size=16).digest() for text in texts]
        fresh = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        if len(known) + len(fresh) > MAX_KNOWN_COUNTS:
            known.clear()
            fresh = dict(zip(keys, texts, strict=True))
        counted: Iterable[int] = toktok.batch_count([_encodable(text) for text in fresh.values()], ENCODING)
        known.update(zip(fresh, counted, strict=True))
        return [known[key] for key in keys]

    return count


def _encodable(text: str) -> str:
    return text if text.isascii() else text.encode("utf-8", "replace").decode()
