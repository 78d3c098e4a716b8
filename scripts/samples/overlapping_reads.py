"""`overlapping_reads`: captures that overlap heavily, and what makes consolidation delicate.

Fixed before any size was looked at: a capture is 120 lines, and 60 in 100 of its lines stood in the capture before. Beside
these: two records at one line under one content hash (in one place the text differs, in another only the truncation flag),
equal paths at two revisions, a capture without origin, and equal results under different queries.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .project import Ask, Step, faulty, frozen_tree, pasted, pinned, query, read, record

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from core.source_tree import SourceTree

LINES = 120
OVERLAP = 0.6

UNZIP = "core/package/unzip.py"
RECORDS = "core/package/records.py"
CANONICAL = "core/canonical.py"
NOW = "    if unpacked > RATIO_FLOOR_BYTES and unpacked > MAX_EXPANSION_RATIO * packed:"
BEFORE = "    if unpacked > MAX_EXPANSION_RATIO * packed:"
FLAGGED = '            "the member expands too much",'

TITLE = "One content hash, two texts: which ratio check is in force?"
TASK = {
    "goal": "Two reviews of one revision quote different conditions for the expansion ratio in core/package/unzip.py. Find out "
    "which condition stands in the file, or say why that cannot be decided.",
    "answer": "Every observation of the condition with its evidence id, and what would decide between them.",
    "out_of_scope": "Whether the condition is a good one.",
}
INDEX = {"database": "source-index", "snapshot": "2026-11-30T11:40:00Z"}
LATER = {"database": "source-index", "snapshot": "2026-11-30T11:55:00Z"}


def window(tree: SourceTree, path: str, number: int, why: str, **more: str) -> Ask:
    """Window `number` (from 0) over a file: `LINES` lines, each `OVERLAP` into the one before."""
    start = 1 + number * (LINES - round(LINES * OVERLAP))
    return read(tree, path, start, start + LINES - 1, why, **more)


def _stale(row: dict[str, Any]) -> dict[str, Any]:
    """What the second replica gives: an older condition, and one line marked as cut although all of it is there."""
    if row["text"] == NOW:
        row["text"] = BEFORE
    if row["text"] == FLAGGED:
        row["truncated"] = True
    return row


def _entries(tree: SourceTree, origin: dict[str, Any], where: dict[str, Any], why: str) -> Ask:
    """What the index says about the package's files: the same rows, whatever the filter and the snapshot."""
    paths = [path for path in tree.paths if path.startswith("core/package/")]
    rows = [{"path": path, "content_hash": tree.hash(path), "size": len(tree.files[path])} for path in paths]
    return query({"table": "index_entries", "filter": where, "limit": 50}, {"rows": rows, "more": False}, origin, why)


def steps() -> Iterator[Step]:
    """Eight decisions that look things up (one of them asked three times, one twice), and the conclusion."""
    tree = frozen_tree()
    earlier = tree.patched(UNZIP, NOW, BEFORE)

    yield Step(
        "I read the file from the start, in windows that overlap, so that nothing between two captures is missed.",
        (window(tree, UNZIP, 0, "The beginning"), window(tree, UNZIP, 1, "Further")),
    )
    yield Step(
        "The ratio is checked by _refuse_ratio. Its condition has two parts here. I go on to its callers.",
        (window(tree, UNZIP, 2, "The ratio and who calls it"), window(tree, UNZIP, 3, "Unpacking")),
    )
    yield Step(
        "Three captures agree on two parts. The second review named another replica of the index; I read there too.",
        (
            faulty(window(tree, UNZIP, 2, "The same window from the other replica", replica="index-b"), _stale),
            _entries(tree, INDEX, {"replica": "index-a"}, "What replica a holds"),
        ),
        before=(("rejected", "Replica b must be wrong. The condition has two parts."),),
    )
    yield Step(
        "Replica b gives one part under the same content hash. Both observations stand. Does it hold an older revision?",
        (
            window(earlier, UNZIP, 2, "The window at the revision before", revision="before"),
            _entries(tree, INDEX, {"replica": "index-b"}, "What replica b says that it holds"),
        ),
    )
    yield Step(
        "The revision before has the one part, under another hash. Replica b claims the new hash. Is only this file affected?",
        (
            faulty(window(tree, UNZIP, 3, "The next window from replica b", replica="index-b"), _stale),
            window(tree, RECORDS, 0, "Another file"),
            window(tree, RECORDS, 1, "Another file, further"),
        ),
        before=(("unused", "The operator paused the run after this request was frozen."),),
    )
    yield Step(
        "records.py agrees with itself. The first review had pasted its lines; the task's owner sends the paste.",
        (
            pasted(window(tree, UNZIP, 2, ""), "first-review.txt", "The lines that the first review quotes"),
            window(tree, RECORDS, 2, "The rest of records.py"),
        ),
    )
    yield Step(
        "The paste names no origin, so it says nothing about this snapshot. One more file, and the index a quarter later.",
        (
            window(tree, CANONICAL, 0, "Where hashes are made"),
            window(tree, CANONICAL, 1, "Where hashes are made, further"),
            _entries(tree, LATER, {"path": "core/package/*"}, "Has the index changed since?"),
        ),
    )
    yield Step(
        "The index gives the same rows. Hashes are over bytes, so one of the two texts is not the file's. I read on to be sure.",
        (window(tree, CANONICAL, 2, "How a hash is made"), window(tree, CANONICAL, 3, "The end of the file")),
    )
    yield Step(
        "The captures cannot decide it: two texts claim one hash.",
        stop={
            "conclusion": f"At {pinned(tree)['revision'][:12]} three captures (E2, E3, E4) show two parts and two (E5, E9) one part, all under one "
            "content hash. The revision before has one part under another hash. So one replica serves text that is not that "
            "of its hash; the captures do not say which.",
            "evidence": ["E2", "E3", "E4", "E5", "E7", "E9"],
            "counterevidence": ["E12: a paste with two parts, but without an origin"],
            "open": ["Hash the bytes that each replica serves: that decides it."],
        },
    )


def build(target: Path) -> None:
    """Make the package."""
    record(target, TITLE, TASK, steps(), calls=14)
