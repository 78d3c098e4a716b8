"""Sizes of stored contexts in each encoding of the working view, with exact reconstruction proven on every one."""

from .figures import ContextFigures, Figures, Measurement, Size, Total, combined
from .measuring import DEFAULT_VERSIONS, measure, measure_view
from .printed import printed, summary

__all__ = [
    "DEFAULT_VERSIONS",
    "ContextFigures",
    "Figures",
    "Measurement",
    "Size",
    "Total",
    "combined",
    "measure",
    "measure_view",
    "printed",
    "summary",
]
