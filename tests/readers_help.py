"""What the tests of readers share: the fixtures' folder, opening bytes as a file, and short views of a run."""

from __future__ import annotations

import json
from pathlib import Path

from core.readers import READERS, open_any
from core.readers.recording import Recording

FIXTURES = Path(__file__).parent / "fixtures" / "readers"


def opened(name):
    """The investigations of a fixture."""
    return open_any(FIXTURES / name)


def read_bytes(reader, data, name="unknown"):
    """What one reader makes of these bytes."""
    return READERS[reader].read(Recording(name, data))


def lines(*values):
    """JSON objects as the bytes of a .jsonl file."""
    return "".join(json.dumps(value) + "\n" for value in values).encode()


def prompt(decision):
    """A prompt as `role: text` of each message."""
    return [f"{message.role}: {message.text}" for message in decision.messages]


def events(investigation):
    """(decision, kind) of every event, in order."""
    return [(decision.index, event.kind) for decision in investigation.decisions for event in decision.events]


def repeats(investigation):
    """How many lookups ask for what was asked before."""
    asked = [fragment.lookup.identity for fragment in investigation.fragments]
    return len(asked) - len(set(asked))
