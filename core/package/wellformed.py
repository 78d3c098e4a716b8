"""The fast way to a decision: a line whose memory has nothing wrong and nothing unknown is typed while it is parsed.

It gives the same as reading the object field by field (`records.decision_from`), or None; then that way tells why.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from ..canonical import refuse_depth, refuse_values
from .memory import WellFormed  # noqa: TC001  # msgspec reads the annotation at run time
from .records import decision_from

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..model import Decision, Message
    from .fields import Notes


class _Line(msgspec.Struct, forbid_unknown_fields=True):
    memory: WellFormed | None = None
    index: Any = None
    attempt: Any = None
    status: Any = None
    sent: Any = None
    format: Any = None
    messages: Any = None
    request_hash: Any = None
    request: Any = None
    missing: Any = None
    events: Any = None
    reply: Any = None
    outcome: Any = None
    usage: Any = None
    sent_at: Any = None


_DECODER = msgspec.json.Decoder(_Line)
_OTHERS = tuple(name for name in _Line.__struct_fields__ if name != "memory")


def decision_of_line(line: bytes, notes: Notes, store: Sequence[Message]) -> Decision | None:
    """The decision of a line, its memory to be made at first use; None where the line is not well formed.

    Raises `JsonError` where it holds too many values.
    """
    refuse_values(line)
    try:
        typed = _DECODER.decode(line)
    except (msgspec.DecodeError, RecursionError, ValueError):  # ValueError: an integer with too many digits
        return None
    row = {name: value for name in _OTHERS if (value := getattr(typed, name)) is not None}
    refuse_depth(row)
    decision = decision_from(row, notes, store)
    return decision if typed.memory is None else decision.with_memory_later(typed.memory.memory)
