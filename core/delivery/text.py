r"""The layers of a prompt's text: what stands in it as it is, and what stands inside JSON strings in it.

A body that was put into a JSON string is escaped (`\n`, `\"`, `\u00e9`, ...), and escaped again where that JSON text is
itself a string. Each such string is decoded into a `Piece`, searched like any text, and its offsets lead back to the
characters of the prompt. A piece never crosses a raw line break or an unescaped quote, because a JSON string does not.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_LAYERS = 4
"""How often a text may be escaped and still be recognised (a JSON string in a JSON string is 2)."""

_RUN = re.compile(r'[^"\\\n]*(?:\\[^\n][^"\\\n]*)*')
"""A run without raw line break or unescaped quote; always matched at a known start, so that it stays linear."""

_ESCAPE = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\[^\n]",
)
_SIMPLE = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", '"': '"', "\\": "\\", "/": "/", "'": "'"}


class Piece:
    """A text to search. `depth` 0 is the prompt's own; deeper ones were decoded from `raw` at `start` of `parent`."""

    def __init__(self, text: str, parent: Piece | None = None, start: int = 0, raw: str = "") -> None:
        self.text = text
        self.parent = parent
        self.depth: int = 0 if parent is None else parent.depth + 1
        self._start = start
        self._raw = raw

    def source(self, at: int) -> int:
        """The character of the prompt's own text at which character `at` of this piece begins."""
        if self.parent is None:
            return at
        if at == len(self.text):
            return self.parent.source(self._start + len(self._raw))
        places, behind = self._escapes
        return self.parent.source(self._start + at + behind[bisect_left(places, at)])

    @cached_property
    def _escapes(self) -> tuple[list[int], list[int]]:
        """Where escapes stand in the decoded text, and how far `raw` is ahead before the first, second, ... of them."""
        places: list[int] = []
        behind = [0]
        for match in _ESCAPE.finditer(self._raw):
            places.append(match.start() - behind[-1])
            behind.append(behind[-1] + len(match[0]) - len(_one(match[0])))
        return places, behind


def pieces(text: str) -> Iterator[Piece]:
    """The text itself and everything that stands escaped in it, the outer before the inner."""
    outer = [Piece(text)]
    for _ in range(MAX_LAYERS):
        yield from outer
        outer = [piece for each in outer for piece in _decoded(each)]
        if not outer:
            return
    yield from outer


def _decoded(parent: Piece) -> Iterator[Piece]:
    text, done = parent.text, 0
    while (slash := text.find("\\", done)) >= 0:
        start = max(text.rfind('"', done, slash), text.rfind("\n", done, slash), done - 1) + 1
        end = _run_end(text, start)
        raw = text[start:end]
        decoded = decode(raw)
        if decoded != raw:
            yield Piece(decoded, parent, start, raw)
        done = max(end, slash + 1)


def _run_end(text: str, start: int) -> int:
    match = _RUN.match(text, start)
    return match.end() if match else start


def decode(raw: str) -> str:
    r"""What the inside of a JSON string says; an escape that JSON does not know stays as it stands (`\'` is a quote)."""
    try:
        decoded: str = json.loads(f'"{raw}"', strict=False)
    except ValueError:
        return _ESCAPE.sub(lambda match: _one(match[0]), raw)
    return decoded


def _one(escape: str) -> str:
    if len(escape) == len("\\u0000"):
        return chr(int(f"0x{escape[2:]}", 0))
    if len(escape) > len("\\u0000"):
        return chr(0x10000 + ((int(escape[2:6], 16) - 0xD800) << 10) + int(escape[8:], 16) - 0xDC00)
    return _SIMPLE.get(escape[1], escape)
