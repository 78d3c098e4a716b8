"""`adjacent_reads`: a review that reads file after file, each capture going on where the one before ended.

Fixed before any size was looked at: a capture is 100 lines, and 2 in 100 of its lines stood in the capture before. The
reading list was chosen so that fourteen stored contexts hold about 1 MB of v5 user text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .project import Ask, Step, frozen_tree, pinned, query, read, record

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LINES = 100
OVERLAP = 0.02

TITLE = "Can a package be called verified before every record was checked?"
TASK = {
    "goal": "Find out whether any code path lets an opened package count as verified although some of its records were "
    "not checked: hashes, references, shapes.",
    "answer": "For each code path that opens a package: what is checked, when, and how a reader of the result can tell. "
    "Cite the lines.",
    "out_of_scope": "Speed. Anything in the pages of the app.",
}
PACKAGE = "core/package/"
READING = ("check", "reading", "rows", "records", "fields", "messages", "references", "folder", "index")

SUMMARIES = (
    "I start with the entry points: what opening does, and what checking does after it.",
    (
        "open_package verifies a small package at once and leaves a large one at checked = 0. I read the rest of the check, and "
        "the beginning of what opening builds."
    ),
    (
        "The check walks files, messages, fragments and decisions. open_unchecked returns checked = 0; I read on there, for the "
        "problems that are known at opening."
    ),
    (
        "Opening collects problems of the table of files without any content. The check walks rows.lines(): if that skipped a "
        "line, a record would go unchecked. I need the rows."
    ),
    (
        "A line that cannot be read keeps its place and becomes a broken record. Now the decoding of records: is a field that is "
        "not understood noted?"
    ),
    "decision_from notes what it does not understand. The rest of the records.",
    "Fields are taken out by a helper. If that helper dropped a field, nobody would see it: I read it.",
    "Every taken field is typed, the rest goes to extra. Messages next, because references count on their lengths.",
    "Broken messages are counted with length -1. The references: is every position compared?",
    "Claimed places are compared with the lengths. I read the rest of the references, and how a folder is opened.",
    (
        "What the folder refuses is refused before anything is read. Two things are left: whether the index of lines can be "
        "stale, and who reads `checked` at all."
    ),
)
CONCLUSION = {
    "conclusion": "No. open_unchecked returns checked = 0 with total set, and check sets checked = total only after files, "
    "messages, fragments and decisions were walked; a record that cannot be read is walked too, and noted. A large package "
    "is open with checked = 0 until check has run, and says so.",
    "evidence": ["E1", "E2", "E3", "E5", "E14", "E19"],
    "counterevidence": ["E4: a change of a large file that keeps size, time, head and tail is not seen by the digest"],
    "open": ["Whether every page shows `checked` beside a verdict was out of scope."],
}


def chunks() -> Iterator[Ask]:
    """The captures in reading order: each file in pieces of `LINES`, the next one `OVERLAP` before the last one's end."""
    tree = frozen_tree()
    step = LINES - round(LINES * OVERLAP)
    for name in READING:
        path = f"{PACKAGE}{name}.py"
        count = len(tree.lines(path))
        start = 1
        while True:
            yield read(tree, path, start, start + LINES - 1, f"Read on in {name}.py")
            if start + LINES > count:
                break
            start += step


def _callers() -> Ask:
    tree = frozen_tree()
    rows = [
        {"path": path, "line": number, "text": text.strip()}
        for path in tree.paths
        for number, text in enumerate(tree.lines(path), start=1)
        if "checked" in text
    ]
    arguments = {"table": "lines", "filter": {"contains": "checked"}, "limit": 200}
    return query(arguments, {"rows": rows, "more": False}, pinned(tree), "Where is `checked` set or read?")


def steps() -> Iterator[Step]:
    """Eleven decisions that read, one that asks who uses the result, and the conclusion; two contexts came to nothing."""
    pieces = list(chunks())
    turns = len(SUMMARIES)
    lost = {
        4: (("rejected", "Next I would read rows.py and then records.py."),),
        9: (("unused", "The operator paused the run after this request was frozen."),),
    }
    for turn, summary in enumerate(SUMMARIES):
        first, last = len(pieces) * turn // turns, len(pieces) * (turn + 1) // turns
        asked = tuple(pieces[first:last]) + ((_callers(),) if turn == turns - 1 else ())
        yield Step(summary, asked, before=lost.get(turn, ()))
    yield Step("Every path is read. I can answer, and I looked for what speaks against it.", stop=CONCLUSION)


def build(target: Path) -> None:
    """Make the package."""
    record(target, TITLE, TASK, steps(), calls=14)
