"""Calls that a model writes as text (ReAct: `Action:`, `Action Input:`, then `Observation:` in a later prompt).

Only a reply is read this way, never a prompt: prompts explain the format with the same words.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..model import Message

_ACTION = re.compile(
    r"^Action:[ \t]*(?P<tool>[^\n]+)\n+Action Input:[ \t]*(?P<argument>.*?)(?=\n+Observation:|\Z)",
    re.MULTILINE | re.DOTALL,
)
_OBSERVATION = "Observation:"


@dataclass(frozen=True, slots=True)
class TextAction:
    """A call written as text."""

    tool: str
    argument: str

    def answer(self, fresh: Sequence[Message]) -> str | None:
        """The observation in the messages that came after; None if there is none."""
        for said in fresh:
            start = said.text.rfind(_OBSERVATION)
            if start >= 0 and (start == 0 or said.text[start - 1] == "\n"):
                return said.text[start + len(_OBSERVATION) :].removeprefix(" ")
        return None


def text_action(reply: str) -> TextAction | None:
    """The one action that a reply asks for; the last one where it writes several."""
    matches = list(_ACTION.finditer(reply))
    return TextAction(matches[-1]["tool"].strip(), matches[-1]["argument"].strip()) if matches else None
