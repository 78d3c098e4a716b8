"""Behind `state.py`: what this session opened, newest first. Nothing of it is known to another session."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import streamlit as st

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .catalogue import Entry

_OPENED: Final = "ii_recent"
_MOST: Final = 8


def note(entry_id: str, part: int | None) -> None:
    """Remember that an entry is in hand, with the part of it that was looked at last, where it has several."""
    known: dict[str, int | None] = st.session_state.get(_OPENED, {})
    kept = {entry_id: part, **{name: each for name, each in known.items() if name != entry_id}}
    st.session_state[_OPENED] = dict(list(kept.items())[: _MOST + 1])


def opened(offered: Sequence[Entry], current: str | None) -> list[tuple[Entry, int | None]]:
    """What was opened before what is in hand, with its part; only what this session may still open."""
    by_id = {entry.id: entry for entry in offered}
    known: dict[str, int | None] = st.session_state.get(_OPENED, {})
    return [(by_id[name], part) for name, part in known.items() if name in by_id and name != current][:_MOST]
