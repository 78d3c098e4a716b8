"""System instructions per version."""

from .base import V4, V5, V6

INSTRUCTIONS = {V4: "v4", V5: "v5", V6: "v6"}
