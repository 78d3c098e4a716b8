"""Links from anywhere to a decision, with a fragment in sight."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import state
from .addresses import decision_text
from .panel import el

if TYPE_CHECKING:
    from core.model import DecisionKey


def to_decision(
    key: DecisionKey, fragment_id: str | None = None, text: str | None = None, **more: Any
) -> dict[str, Any]:
    """A link to a decision; with `fragment_id` that fragment's place, or its absence, is in sight there."""
    target = {"decision": key, "fragment": None if fragment_id is None else state.fragment_name(fragment_id)} | more

    def follow() -> None:
        state.go("decisions", **target)

    return el("a", text or f"decision {decision_text(key)}", act=follow, href=state.href("decisions", **target))
