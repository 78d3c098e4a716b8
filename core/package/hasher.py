"""`request_hash` of one prompt after another, at the cost of what is new in each.

The hash is taken over the canonical text of `{"format": ..., "messages": [...]}`. Prompts of one investigation mostly
grow at their end, so the state of SHA-256 is kept along the prompt before, and the next one goes on from where the two
part.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from ..canonical import canonical_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_STRIDE = 64
"""A state is kept after every so many messages, and after the last."""


class RequestHasher:
    """Computes `request_hash`; remembers the previous prompt only."""

    def __init__(self) -> None:
        self._format: str | None = None
        self._places: list[int] = []
        self._states = {0: hashlib.sha256()}

    def of(self, format_: str, places: Sequence[int], message: Callable[[int], bytes]) -> str:
        """`sha256:` + hex for the prompt made of the messages at `places` of `messages.jsonl`.

        `message(n)` gives the canonical bytes of the n-th message of this prompt (not of place n); it is asked only for
        messages that are not in the part shared with the previous prompt.
        """
        places = list(places)
        shared = _shared(places, self._places) if format_ == self._format else -1
        states = {count: state for count, state in self._states.items() if count <= shared}
        if not states:
            states[0] = hashlib.sha256(b'{"format":' + canonical_bytes(format_) + b',"messages":[')
        done = max(states)
        state = states[done].copy()
        self._format = None  # if `message` raises, nothing half-way is kept
        for number in range(done, len(places)):
            state.update(b"," + message(number) if number else message(number))
            if (number + 1) % _STRIDE == 0 or number + 1 == len(places):
                states[number + 1] = state.copy()
        self._format, self._places, self._states = format_, places, states
        state.update(b"]}")
        return "sha256:" + state.hexdigest()


def _shared(one: list[int], other: list[int]) -> int:
    """How many places two prompts begin with in common."""
    if one[: len(other)] == other:  # grown at its end: the usual case, in one comparison
        return len(other)
    pairs = enumerate(zip(one, other, strict=False))
    return next((number for number, (left, right) in pairs if left != right), min(len(one), len(other)))
