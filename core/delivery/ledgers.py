"""Ledger markers in a bounded prompt of some other rendering: wherever a completed lookup's identity stands as JSON."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from ..canonical import canonical_text
from ..errors import JsonError
from .text import pieces

if TYPE_CHECKING:
    from collections.abc import Container, Iterator

GONE = re.compile(
    r"\b(?:gone|evicted|dropped|removed|replaced|cleared|omitted|not (?:kept|included|shown)|no (?:room|longer))\b",
    re.IGNORECASE,
)
"""Words with which the line of a marker says that its body is not there."""

_DECODER = json.JSONDecoder()


def identities_in(text: str, wanted: Container[str]) -> Iterator[tuple[str, int, int, bool]]:
    """Each wanted identity that stands in a text: itself, its place in characters, whether its line speaks of absence."""
    for piece in pieces(text):
        place = piece.text.find('["')
        while place >= 0:
            found = _identity(piece.text, place, wanted)
            if found is None:
                place = piece.text.find('["', place + 1)
                continue
            identity, end = found
            yield (
                identity,
                piece.source(place),
                piece.source(end),
                GONE.search(_around(piece.text, place, end)) is not None,
            )
            place = piece.text.find('["', end)


def _identity(text: str, place: int, wanted: Container[str]) -> tuple[str, int] | None:
    try:
        value, end = _DECODER.raw_decode(text, place)
        identity = canonical_text(value)
    except (ValueError, RecursionError, JsonError):
        return None
    return (identity, end) if identity in wanted else None


def _around(text: str, start: int, end: int) -> str:
    """The rest of the line, the identity itself left out."""
    first, last = text.rfind("\n", 0, start) + 1, text.find("\n", end)
    return text[first:start] + " " + text[end : last if last >= 0 else len(text)]
