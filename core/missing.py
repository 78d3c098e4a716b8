"""What of a body a prompt did not carry: the text that the next decision could not have read there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .canonical import utf8

if TYPE_CHECKING:
    from .delivery import Placement
    from .model import Fragment


def not_received(fragment: Fragment, placement: Placement | None) -> str:
    """The part of a fragment's body that stood nowhere in the prompt as its own: nothing of a `whole` one.

    Of a `cut` body it is what follows the received bytes. Of an `overlap` it is the whole body: what came through other
    fragments is no delivery of it. None (not sent, or not there yet) counts as nothing received.
    """
    if placement is None or placement.state in ("marker_only", "absent", "overlap", "coincidental"):
        return fragment.body
    return (
        utf8(fragment.body)[placement.received_bytes :].decode("utf-8", "surrogatepass")
        if placement.state == "cut"
        else ""
    )


def first_characters(text: str, most: int) -> tuple[str, int]:
    """The beginning of a text for showing, and how many UTF-8 bytes of it are not shown."""
    if len(text) <= most:
        return text, 0
    return text[:most], len(utf8(text[most:]))
