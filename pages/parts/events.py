"""What a component sent: read in its callback, where the component may be gone by then."""

from __future__ import annotations

from typing import Any

import streamlit as st


def event(key: str, name: str) -> Any:
    """The value `name` that the component under `key` sent; None where none was, or a late click finds its component gone."""
    state = st.session_state.get(key)
    return None if state is None else state.get(name)
