"""From an investigation to its diagnosis."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..delivery import Deliveries
    from ..model import Investigation
    from .findings import Diagnosis


def diagnose(investigation: Investigation, deliveries: Deliveries | None = None) -> Diagnosis:
    """Say what was repeated and why, from the transmitted text; `deliveries` is worked out where not given."""
    raise NotImplementedError
