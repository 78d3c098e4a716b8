"""One model request, and one tool call of its reply, while a recording is being read: not frozen yet."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..model import Event, Outcome, Usage
    from .shape import Object
    from .sources import Shown
    from .tools import Call

Look: TypeAlias = "Callable[[], tuple[tuple[Shown, ...], str | None]]"
"""Finds the lines that a result shows and the gutter that numbers them; called when somebody asks for the fragments."""


@dataclass(eq=False, slots=True)
class Turn:
    """One model request while its reply is read."""

    index: int
    slices: tuple[tuple[int, int], ...]
    line: int | None
    events: tuple[Event, ...]
    sent_at: str | None = None
    request: Object = field(default_factory=dict)
    missing: tuple[str, ...] = ()
    texts: list[str] = field(default_factory=list)
    asked: list[Asked] = field(default_factory=list)
    usage: Usage | None = None
    outcome: Outcome | None = None
    sent: bool | None = True
    status: str = "accepted"
    writes: list[Object] = field(default_factory=list)
    dropped: list[Object] = field(default_factory=list)
    extra: Object = field(default_factory=dict)


@dataclass(eq=False, slots=True)
class Asked:
    """One tool call and, once it came, its answer."""

    call: Call
    turn: Turn
    answered: bool = False
    status: str = "uncertain"
    body: str = ""
    extra: Object = field(default_factory=dict)
    position: int | None = None
    number: int = 0
