"""The prompt viewer: exact text with coloured spans, stepped through on the client.

The viewer itself is told where it is; the prompts around it come as *feeds*, one component each, so that a step sends
one new prompt and a reference to those that the browser already has. The client shows a neighbour at once and then
reports its place. Text from a package reaches the page only through text nodes (see the `.js` files here).
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import streamlit as st

from .. import assets
from ..events import event
from ..palette import KINDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from streamlit.delta_generator import DeltaGenerator

Done: TypeAlias = "Callable[[], None]"

BUNDLE: Final = 4
"""Neighbouring prompts that come in one feed where they are small: what each feed costs the server hardly depends on its size."""
BUNDLE_BYTES: Final = 400_000
"""Bytes above which the prompts of a bundle come each by itself, the nearest first."""
BUNDLES: Final = 5
"""Bundles held ready: that of the prompt in view, one behind it, the others ahead."""
READY_BYTES: Final = 5_000_000
"""Bytes held ready of prompts that come each by itself; the nearest neighbour on each side always is."""


_FEED = st.components.v2.component("investigation_inspector_feed", js=assets.read("viewer/store.js", "viewer/feed.js"))
_VIEWER = st.components.v2.component(
    "investigation_inspector_viewer",
    html=assets.read("viewer/viewer.html"),
    css=assets.read("inert.css", "viewer/viewer.css"),
    js=assets.read("inert.js", *(f"viewer/{name}.js" for name in ("store", "rows", "draw", "find", "step", "viewer"))),
)


def nearest(place: int, count: int) -> Iterator[int]:
    """The places of all bundles held ready, the nearest to `place` first and twice as far ahead as behind."""
    own = place // BUNDLE
    taken: set[int] = set()
    for distance in range(BUNDLE * BUNDLES):
        behind = (distance + 1) // 2 if distance % 2 else 0
        for near in (place + distance, place - behind):
            if 0 <= near < count and own - 1 <= near // BUNDLE < own + BUNDLES - 1 and near not in taken:
                taken.add(near)
                yield near


def _feed(place: int, count: int, payload_of: Callable[[int], bytes], key: str) -> None:
    """Send the prompt in view first, then its neighbours as far as they fit. A place always has the same slot."""
    with st.container(key=f"{key}-feeds", gap=None):
        slots = [st.container(gap=None) for _ in range(BUNDLES)]
    apart: dict[int, list[DeltaGenerator]] = {}
    together: set[int] = set()
    room = READY_BYTES
    for near in nearest(place, count):
        bundle = near // BUNDLE
        if bundle in together:
            continue
        name = f"{key}-feed-{bundle % BUNDLES}"
        if bundle not in apart:
            found = _small(bundle, count, payload_of)
            if found is not None:
                together.add(bundle)
                with slots[bundle % BUNDLES]:
                    _FEED(key=name, data=packed(found), height=1)
                continue
            with slots[bundle % BUNDLES]:
                apart[bundle] = [st.container(gap=None) for _ in range(BUNDLE)]
        if room < 0 and abs(near - place) > 1:
            break
        data = payload_of(near)
        room -= len(data)
        if room >= 0 or abs(near - place) <= 1:
            with apart[bundle][near % BUNDLE]:
                _FEED(key=f"{name}-{near % BUNDLE}", data=packed([data]), height=1)


def _small(bundle: int, count: int, payload_of: Callable[[int], bytes]) -> list[bytes] | None:
    """The payloads of a bundle, if they are small enough to come together; looks no further than that is decided."""
    found: list[bytes] = []
    size = 0
    for place in range(bundle * BUNDLE, min(count, (bundle + 1) * BUNDLE)):
        found.append(payload_of(place))
        size += len(found[-1])
        if size > BUNDLE_BYTES and count > 1:
            return None
    return found


def packed(payloads: Iterable[bytes]) -> bytes:
    """Payloads one after the other, the length of each before it (u32, little-endian); feed.js takes them apart."""
    return b"".join(part for payload in payloads for part in (struct.pack("<I", len(payload)), payload))


def prompts(
    *,
    group: str,
    place: int,
    count: int,
    payload_of: Callable[[int], bytes],
    focus: str | None,
    nonce: int,
    visit: int,
    compared: bool,
    find: dict[str, Any] | None = None,
    on_step: Callable[[int, bool], None],
    on_pick: Callable[[str], None],
    key: str,
) -> Callable[[], None]:
    """Show the prompt at `place` of `count`. A payload's revision is `group:place`.

    A step that the server has not heard of yet holds while what stands before the dot of `group` is the same.

    `on_step(place, more)` is called after the client has moved (`more`: it is still moving); `on_pick(fragment)` after a
    click on a fragment's span. `focus` is the fragment in sight; another `nonce` brings it into sight again.
    `visit` names one stay on the page: what the client remembers of its steps holds for one.
    Call what this returns when everything else is drawn.
    `find` has a `text` to search for and a `nonce` that makes the same text new. `compared`: the texts show what changed, and open at the first change.
    """

    def moved() -> None:
        at = event(key, "at")
        found = _place(at, count)
        if found is not None:
            on_step(found, bool(at.get("more")))

    def picked() -> None:
        found = event(key, "pick")
        if isinstance(found, dict) and isinstance(found.get("fragment"), str):
            on_pick(found["fragment"])

    at = event(key, "at")
    sequence = at.get("sequence", 0) if isinstance(at, dict) else 0
    data: dict[str, Any] = {
        "group": group,
        "place": place,
        "count": count,
        "focus": focus,
        "nonce": nonce,
        "visit": visit,
        "changes": compared,
        "find": find,
        "sequence": sequence if isinstance(sequence, int) else 0,
        "kinds": [{"id": kind.id, "label": kind.label, "color": kind.color} for kind in KINDS],
    }
    _VIEWER(key=key, data=data, on_at_change=moved, on_pick_change=picked)
    _feed(place, count, payload_of, key)

    def done() -> None:
        """Tell the client that everything up to its last step is drawn: it reports the next one then."""
        with st.container(key=f"{key}-done", gap=None):
            _FEED(key=f"{key}-ack", data={"visit": visit, "done": data["sequence"]}, height=1)

    return done


def text(
    payload: bytes,
    *,
    group: str,
    focus: str | None,
    nonce: int,
    visit: int,
    on_pick: Callable[[str], None],
    key: str,
) -> Callable[[], None]:
    """Show one text by itself, without steps; its payload's revision is `group:0`. Several may stand on one page."""
    return prompts(
        group=group,
        place=0,
        count=1,
        payload_of=lambda _: payload,
        focus=focus,
        nonce=nonce,
        visit=visit,
        compared=False,
        on_step=lambda _place, _more: None,
        on_pick=on_pick,
        key=key,
    )


def _place(at: object, count: int) -> int | None:
    if not isinstance(at, dict):
        return None
    place = at.get("place")
    return place if isinstance(place, int) and 0 <= place < count else None
