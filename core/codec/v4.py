"""`investigation_project_v4`: everything inline.

The working view is its own encoding; the text is its canonical JSON.

    {"task": {...},
     "evidence": [
       {"id": "E1", "query": {"tool": "source.read", "path": "src/a.js", "start": 10, "end": 60},
        "origin": {"repository": "acme/player", "revision": "9f1c..."},
        "metadata": {"path": "src/a.js", "content_hash": "sha256:...", "size": 5120},
        "requested": [10, 60], "returned": [10, 48],
        "items": [{"line": 10, "text": "...", "truncated": false}]},
       {"id": "E2", "query": {"tool": "db.query", "filter": {...}}, "origin": {...}, "result": {...}}]}
"""

from __future__ import annotations

from .base import Encoded, View, checked_view


def encode(given: Encoded) -> Encoded:
    """The view as it is."""
    return given


def restore(view: View) -> View:
    """The view as it is; `ViewError` if it is not an object."""
    return checked_view(view)
