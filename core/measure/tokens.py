"""Token counts by the optional extra `tokens` (toktok-rs, encoding `o200k_base`, offline); without it they are unknown."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

ENCODING = "o200k_base"


def token_counter() -> Callable[[Sequence[str]], list[int]] | None:
    """A function from texts to their token counts, or None if the extra is not installed.

    A lone surrogate, which no tokenizer takes, is counted as a question mark: an estimate for such a text.
    """
    try:
        toktok = import_module("toktok")
    except ImportError:
        return None

    def count(texts: Sequence[str]) -> list[int]:
        counted: Iterable[int] = toktok.batch_count([_encodable(text) for text in texts], ENCODING)
        return list(counted)

    return count


def _encodable(text: str) -> str:
    return text if text.isascii() else text.encode("utf-8", "replace").decode()
