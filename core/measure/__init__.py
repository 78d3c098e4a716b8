"""Sizes of stored contexts in each encoding of the working view, with exact reconstruction proven on every one."""

from .figures import ContextFigures, Figures, Measurement, Size, Total
from .measuring import DEFAULT_VERSIONS, measure, measure_view

__all__ = [
    "DEFAULT_VERSIONS",
    "ContextFigures",
    "Figures",
    "Measurement",
    "Size",
    "Total",
    "measure",
    "measure_view",
]
