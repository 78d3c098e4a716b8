"""Recordings that are known by their shape but have no reader yet: naming them beats "unknown file".

Each entry is a name for a person and a test on the content; the shapes are described in the format survey that the
project's specification keeps (recordings of other agents).
"""

from __future__ import annotations

import zipfile
from io import BytesIO
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from .recording import Recording


def unsupported(recording: Recording) -> str | None:
    """What kind of recording this is, if it is one of the known kinds that no reader reads; else None. Never raises."""
    for name, knows in KNOWN:
        if knows(recording):
            return name
    return None


def _document_has(*keys: str) -> Callable[[Recording], bool]:
    def knows(recording: Recording) -> bool:
        document = recording.document
        return isinstance(document, dict) and all(key in document for key in keys)

    return knows


def _items_have(*keys: str) -> Callable[[Recording], bool]:
    """A JSON list whose first objects hold all these keys."""

    def knows(recording: Recording) -> bool:
        items = recording.document
        if not isinstance(items, list):
            return False
        first = [item for item in items[:5] if isinstance(item, dict)]
        return bool(first) and all(key in first[0] for key in keys)

    return knows


def _lines_have(*keys: str) -> Callable[[Recording], bool]:
    def knows(recording: Recording) -> bool:
        return any(all(key in value for key in keys) for value in recording.head)

    return knows


def _lines_are(wanted: Callable[[dict[str, Any]], bool]) -> Callable[[Recording], bool]:
    return lambda recording: any(wanted(value) for value in recording.head)


def _is_copilot(value: dict[str, Any]) -> bool:
    kind = value.get("type")
    return "data" in value and isinstance(kind, str) and kind.split(".")[0] in {"session", "assistant", "tool", "hook"}


def _is_pi(value: dict[str, Any]) -> bool:
    message = value.get("message")
    return value.get("type") == "message" and isinstance(message, dict) and "role" in message


def _is_event_of_openhands(value: dict[str, Any]) -> bool:
    kind = value.get("kind")
    return isinstance(kind, str) and (kind.endswith("Event") or kind.startswith("Condensation")) and "source" in value


def _is_gemini_content(recording: Recording) -> bool:
    items = recording.document
    return isinstance(items, list) and any(
        isinstance(item, dict) and item.get("role") in ("user", "model") and "parts" in item for item in items[:5]
    )


def _is_inspect_log(recording: Recording) -> bool:
    if not recording.data.startswith(b"PK\x03\x04"):
        return False
    try:
        with zipfile.ZipFile(BytesIO(recording.data)) as container:
            return "header.json" in container.namelist() or "_journal/start.json" in container.namelist()
    except (zipfile.BadZipFile, ValueError, OSError, RuntimeError, NotImplementedError, OverflowError):
        return False


def _is_roo(recording: Recording) -> bool:
    items = recording.document
    return isinstance(items, list) and any(
        isinstance(item, dict) and "ts" in item and item.get("role") in ("user", "assistant") for item in items[:5]
    )


KNOWN: tuple[tuple[str, Callable[[Recording], bool]], ...] = (
    ("a GitHub Copilot CLI event log", _lines_are(_is_copilot)),
    ("an OpenHands event", _lines_are(_is_event_of_openhands)),
    ("an OpenHands evaluation output", _lines_have("instance_id", "history", "metrics")),
    ("an OpenHands completion log", _document_has("messages", "response", "kwargs")),
    ("an Inspect AI log", _is_inspect_log),
    ("an Inspect AI log", _document_has("eval", "samples")),
    ("a tau2-bench result", _document_has("simulations", "tasks")),
    ("a tau-bench result", _items_have("task_id", "traj")),
    ("an AgentBench run log", _lines_have("index", "output", "time")),
    ("an ATIF trajectory", _document_has("schema_version", "steps", "agent")),
    ("a Langfuse trace", _document_has("trace", "observations")),
    ("a list of OpenInference spans", _items_have("context", "span_kind")),
    ("an OTLP trace", _document_has("resourceSpans")),
    ("a Gemini CLI session", _document_has("sessionId", "messages", "projectHash")),
    ("a Gemini CLI session", _document_has("sessionId", "messages", "startTime")),
    ("a Gemini CLI checkpoint", _is_gemini_content),
    ("a Cline or Roo conversation", _is_roo),
    ("an Aider chat history", lambda recording: recording.data.lstrip().startswith(b"# aider chat started at")),
    ("a pi session", _lines_are(_is_pi)),
    ("an opencode export", _document_has("info", "messages")),
)
"""What it is, and how to tell it by its content; tried in this order, after every reader."""
