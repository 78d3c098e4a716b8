"""What a scripted run is made of."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..errors import InvestigationError
from ..model import NOTHING, Limits

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..model import Reply


@dataclass(frozen=True)
class Scripted:
    """The reply to one prompt. `reply` None: the script expects a limit to refuse this prompt.

    `base` replaces the attempt's base context from this prompt on. `unknown`: places in `reply.lookups` (0 for a patch)
    whose outcome never becomes known, as if the connection was lost.
    """

    reply: Reply | None
    base: str | None = None
    unknown: frozenset[int] = frozenset()

    def __post_init__(self) -> None:
        """Refuse a reply that decides nothing or several things (`InvestigationError`)."""
        reply = self.reply
        if reply is not None and sum((bool(reply.lookups), reply.patch is not None, reply.stop is not None)) != 1:
            raise InvestigationError("a reply asks for lookups, or gives a patch, or stops", found="none or several")


@dataclass(frozen=True)
class Attempt:
    """One bounded attempt: it starts with an empty memory, and a gate or limit ends it. Replies after that are unused."""

    base: str
    replies: tuple[Scripted, ...]


@dataclass(frozen=True)
class Scenario:
    """A whole run. `limits` must hold all three; `calls` bounds the lookups that are performed, over all attempts.

    `request` is stored with every decision; `created` and `producer` go into the manifest.
    """

    title: str
    system: str
    attempts: tuple[Attempt, ...]
    limits: Limits
    policy: str = "retain"
    created: str | None = None
    producer: Mapping[str, Any] = field(default_factory=lambda: NOTHING)
    request: Mapping[str, Any] = field(default_factory=lambda: NOTHING)

    def bounds(self) -> tuple[int, int, int]:
        """Prompt bytes, context bytes, calls. Raises `InvestigationError` where one is missing."""
        limits = (self.limits.prompt_bytes, self.limits.context_bytes, self.limits.calls)
        prompt_bytes, context_bytes, calls = limits
        if prompt_bytes is None or context_bytes is None or calls is None:
            raise InvestigationError("a bounded run needs all its limits", found=str(limits))
        return prompt_bytes, context_bytes, calls
