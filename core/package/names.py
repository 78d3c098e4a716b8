"""Names of the format: the files of a package, and what its manifest must say."""

from __future__ import annotations

MANIFEST = "manifest.json"
MESSAGES = "messages.jsonl"
DECISIONS = "decisions.jsonl"
FRAGMENTS = "fragments.jsonl"
RECORD_FILES = (MESSAGES, DECISIONS, FRAGMENTS)
FILES = (MANIFEST, *RECORD_FILES)

FORMAT = "investigation_package"
VERSION = 1
