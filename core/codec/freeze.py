"""Freezing: from a working view to the exact messages of one request and their hash, kept for ever.

A frozen context is never rewritten: measuring works on copies, and a later codec does not touch it. The request hash is
`sha256:` of the canonical JSON of `{"format": ..., "messages": [the message objects]}`, as in the package format.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ..canonical import hash_of, loads
from ..errors import ViewError
from .base import V4, V6, Encoded, View, is_object
from .registry import codec, encode


@dataclass(frozen=True)
class Frozen:
    """One frozen request: `messages` as they are sent (system instructions, then the view's text), and what they carry."""

    format: str
    messages: tuple[dict[str, Any], ...]
    request_hash: str
    encoded: Encoded = field(repr=False)

    @property
    def text(self) -> str:
        """The user message: the canonical text of the encoded view, byte for byte."""
        return self.encoded.text

    @property
    def view(self) -> View:
        """The encoded view that the text carries."""
        return self.encoded.view


def freeze(view: View, version: str = V6, *, given: str = V4) -> Frozen:
    """Encode a view, put it under the version's instructions and hash the request. Raises as `encode` does."""
    encoded = encode(view, version, given=given)
    messages = (
        {"role": "system", "text": codec(version).instructions},
        {"role": "user", "text": encoded.text},
    )
    return Frozen(version, messages, request_hash(version, messages), encoded)


def request_hash(version: str, messages: tuple[dict[str, Any], ...] | list[dict[str, Any]]) -> str:
    """The hash of a request: `sha256:` and 64 hex digits."""
    return hash_of({"format": version, "messages": list(messages)})


def view_of(text: str) -> View:
    """The encoded view that a stored user message is. Raises `JsonError` (not JSON, duplicate keys), `ViewError` (no object)."""
    view = loads(text)
    if not is_object(view):
        raise ViewError("the stored text is not a working view", expected="a JSON object")
    return view
