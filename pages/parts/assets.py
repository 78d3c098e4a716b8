"""The scripts and styles of our components, read once and joined: Streamlit takes each component's as one text."""

from __future__ import annotations

from pathlib import Path
from typing import Final

HERE: Final = Path(__file__).parent


def read(*names: str) -> str:
    """The files of this folder, one after the other."""
    return "\n".join((HERE / name).read_text(encoding="utf-8") for name in names)
