"""Where each fragment stands in each transmitted prompt. The transmitted text decides, never the recorder's `memory`.

`deliver(investigation)` searches every distinct message once and answers, for each **sent** decision and each fragment
that existed before it, with a `Placement`.
"""

from __future__ import annotations

from .placement import NOT_RECORDED, STATES, Carried, Coverage, LineRange, Place, Placement, Searched, State
from .table import Deliveries, deliver

__all__ = [
    "NOT_RECORDED",
    "STATES",
    "Carried",
    "Coverage",
    "Deliveries",
    "LineRange",
    "Place",
    "Placement",
    "Searched",
    "State",
    "deliver",
]
