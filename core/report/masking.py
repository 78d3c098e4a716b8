"""Replacing chosen secrets by their hashes, in every text that a report shows."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from .secrets import Secret

ELLIPSIS = "…"
"""What stands where a text was shortened: a secret may be cut there."""

MIN_REMAINDER = 4
"""Characters of a secret's beginning, before an ellipsis, that are masked too."""


class Mask:
    """Replaces each chosen secret, also escaped inside a JSON string, and its beginning where a text was shortened."""

    def __init__(self, chosen: Iterable[Secret] = ()) -> None:
        self._masks: dict[str, str] = {}
        for secret in chosen:
            for form in _forms(secret.text):
                self._masks.setdefault(form, secret.mask)
        longest = sorted(self._masks, key=len, reverse=True)
        self._pattern = re.compile("|".join(map(re.escape, longest))) if longest else None

    def __call__(self, text: str) -> str:
        """The text with every chosen secret replaced."""
        if self._pattern is None:
            return text
        masked = self._pattern.sub(lambda match: self._masks[match[0]], text)
        if ELLIPSIS not in masked:
            return masked
        *shortened, last = masked.split(ELLIPSIS)
        return ELLIPSIS.join([*(self._without_remainder(piece) for piece in shortened), last])

    def _without_remainder(self, text: str) -> str:
        """A text that was shortened at its end, without the beginning of a secret there."""
        for form, mask in self._masks.items():
            for length in range(min(len(form) - 1, len(text)), MIN_REMAINDER - 1, -1):
                if text.endswith(form[:length]):
                    return text[:-length] + mask
        return text


def _forms(text: str) -> Iterator[str]:
    """A secret as it is, as sentences show it (one line, no backquotes), and escaped once or twice in JSON strings."""
    for form in (text, " ".join(text.replace("`", "'").split())):
        yield form
        for ascii_only in (True, False):
            once = json.dumps(form, ensure_ascii=ascii_only)[1:-1]
            yield once
            yield json.dumps(once, ensure_ascii=ascii_only)[1:-1]
