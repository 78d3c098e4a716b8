"""What every command says in the same way: one line that is safe on a terminal, and the status where that line is an error."""

from __future__ import annotations

UNREADABLE = 2
"""Exit status where something could not be read or written."""

_LONGEST = 160


def printable(text: str, longest: int | None = _LONGEST) -> str:
    """One line: control characters of a package must not reach the terminal."""
    shown = "".join(letter if letter.isprintable() else f"\\u{ord(letter):04x}" for letter in text)
    return shown if longest is None or len(shown) <= longest else shown[: longest - 1] + "…"
