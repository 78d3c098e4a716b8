"""What the samples about the video player share: instructions, task, source tree, and the way replies are written."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.model import Limits, Lookup, Patch, Reply
from core.package import PackageWriter
from core.runner import Run, Scenario, run
from core.source_tree import SourceTree, load_tree

if TYPE_CHECKING:
    from collections.abc import Sequence

CREATED = "2026-11-30T12:00:00Z"
PRODUCER = {"name": "investigation-inspector samples", "version": "1"}
REQUEST = {"model": "scripted-replies", "temperature": 0}

SYSTEM = """\
You repair one fault in a source tree that you cannot see. You decide one step at a time.

Answer with one JSON object and nothing else. It holds a short "summary" of your reasoning and one of:
- "lookups": a list of read-only requests, each with "kind" and
    search: "queries" (texts to look for), "search" (a folder or file, or null for everywhere);
    symbol: "queries" (names whose definitions you want whole);
    read: "arguments" with "path", "start", "end" (line numbers, both included);
- "patch": "path", "before", "after". The text in "before" must occur exactly once in the file;
- "stop": the reason why you cannot go on.

How to read the message that follows:
- The base context is the task. It comes first and stays.
- The lookup ledger lists what was already looked up, in order. "body" says what became of the result: whole, cut (only
  its beginning is here), gone (it was here once and has made room for newer ones), no room, empty (nothing was found)
  or unknown (no answer came; that lookup may be asked again). A marker in the ledger is not the source itself.
- Asking again for a completed lookup ends the attempt, however the summary is worded. If a body is gone or cut, ask for
  a narrower range of it.
- Supplied ranges are lines of exact versions of files that an earlier message held.
- Results follow, oldest first, each behind a line that says how many of its bytes are here.
"""

TASK = """\
Task: the video does not start.

Report, translated from the operator's ticket (Gare de Lyon, kiosk 14, skin "classic" 1.9):
"Depuis la mise à jour 2.4 l'écran reste noir. Le bouton ▶ réagit, mais rien ne démarre. 再生ボタンを押しても映像が出ません。"

What is known:
- `npm test` fails in "start shows the first frame": expected {started: true, reason: null},
  actual {started: false, reason: 'unsupported_control'}. The element's play() was never called.
- Pausing and seeking work once a video runs (checked on a device with skin 2.x).
- The element reports no event at all between the press of the button and the refusal.

Rules: change as little as possible, in one file. The public names of src/player.js stay. Old skins must keep working.
"""

LIMITS = Limits(prompt_bytes=42_000, context_bytes=30_000, calls=12)

_FOLDER = Path(__file__).parent / "video_player"


def player_tree() -> SourceTree:
    """The player's source tree, as it stands beside this file."""
    return load_tree(_FOLDER)


def task(tree: SourceTree, text: str = TASK) -> str:
    """The base context: the task and the list of files with their sizes."""
    files = "\n".join(f"  {len(tree.files[path]):>6} {path}" for path in tree.paths)
    return f"{text}\nFiles (bytes, path):\n{files}"


def search(*queries: str, summary: str, within: str | None = None) -> Lookup:
    """A text search."""
    return Lookup("search", queries=queries, search=within, summary=summary)


def symbol(name: str, *, summary: str) -> Lookup:
    """A symbol lookup."""
    return Lookup("symbol", queries=(name,), summary=summary)


def read(path: str, start: int, end: int, *, summary: str) -> Lookup:
    """A range read."""
    return Lookup("read", arguments={"path": path, "start": start, "end": end}, summary=summary)


def asks(summary: str, *lookups: Lookup) -> Reply:
    """A reply that asks for lookups, with the text that a model would have sent."""
    return Reply(
        text=_text(summary, "lookups", [_lookup_json(each) for each in lookups]), summary=summary, lookups=lookups
    )


def patches(summary: str, path: str, before: str, after: str) -> Reply:
    """A reply that patches one file."""
    text = _text(summary, "patch", {"path": path, "before": before, "after": after})
    return Reply(text=text, summary=summary, patch=Patch(path, before, after))


def record(scenario: Scenario, tree: SourceTree, target: Path) -> Run:
    """Run a scenario and write it as the package `target`."""
    with PackageWriter(
        target,
        title=scenario.title,
        replies="scripted",
        limits=scenario.limits,
        producer=dict(scenario.producer),
        created=scenario.created,
        sync=False,
    ) as package:
        return run(scenario, tree, package)


def _lookup_json(lookup: Lookup) -> dict[str, Any]:
    row: dict[str, Any] = {"kind": lookup.kind, "summary": lookup.summary}
    if lookup.arguments is not None:
        return row | {"arguments": lookup.arguments}
    queries: Sequence[Any] = lookup.queries or ()
    return row | {"queries": list(queries), "search": lookup.search, "referenceUrl": lookup.reference_url}


def _text(summary: str, name: str, value: object) -> str:
    return json.dumps({"summary": summary, name: value}, ensure_ascii=False, indent=2)
