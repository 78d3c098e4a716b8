"""`few_sources`: an investigation of logs and tables that reads hardly any source, so that there is little to consolidate.

Fixed before any size was looked at: three reads of source in nine contexts, each of another file; every other observation is
rows of a log or of a table, and no two are equal. The number of packages was chosen so that the contexts hold about 550 KB of
v5 user text.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from .project import Ask, Step, frozen_tree, log, query, read, record, row_hash

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SEED = 20261130
PACKAGES = 114
LOG_LINES = 2 * PACKAGES
ROWS = PACKAGES // 3

TITLE = "Why did the nightly check of the archive take four hours?"
TASK = {
    "goal": "The nightly check of 114 recorded packages ran from 01:00 to 05:00; it took eleven minutes the night before. Find the cause.",
    "answer": "Which packages took the time, what they have in common, what changed, and the lines of the log that show it.",
    "out_of_scope": "Making the check faster.",
}
LOGS = {"database": "check-logs", "snapshot": "2026-11-30T06:00:00Z"}
TABLES = {"database": "archive-catalogue", "snapshot": "2026-11-30T06:00:00Z"}
HOSTS = ("archive-1", "archive-2", "archive-3")


def _log_lines(night: str, slow: str | None) -> list[str]:
    """One night's log: every package opened, hashed, checked. On the slow host each read waits."""
    made = random.Random(f"{SEED}/{night}")  # noqa: S311  # rows for a sample, no secret
    sizes = random.Random(SEED)  # noqa: S311
    second, lines = 3600, []
    for number in range(1, PACKAGES + 1):
        host = HOSTS[number % 3]
        size = 40 + int(sizes.random() * 900)
        wait = (350 + int(made.random() * 80)) if host == slow else 3 + int(made.random() * 9)
        for what, took in (
            ("open", wait // 8),
            ("hash messages.jsonl", wait // 2),
            ("hash decisions.jsonl", wait // 3),
        ):
            second += took
            clock = f"{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}"
            lines.append(
                f"{night} {clock} package-{number:03} host={host} {what} bytes={size * 1024 + took} took={took}s"
            )
        verdict = row_hash(night, number)[7:23]
        lines.append(
            f"{night} {clock} package-{number:03} host={host} checked digest={verdict} problems={int(made.random() * 3)}"
        )
    return lines


def _rows(table: str, count: int, **fixed: object) -> dict[str, object]:
    made = random.Random(f"{SEED}/{table}/{fixed}")  # noqa: S311
    rows = [
        {
            "package": f"package-{number:03}",
            **fixed,
            "bytes": 40_000 + int(made.random() * 900_000),
            "digest": row_hash(table, number, fixed),
            "changed_at": f"2026-11-{1 + int(made.random() * 29):02}T{int(made.random() * 24):02}:17:00Z",
        }
        for number in range(1, count + 1)
    ]
    for row in rows if table == "mounts" else ():
        row["options"] = "noatime,sync" if fixed["host"] == "archive-2" else "noatime"
    return {"rows": rows, "more": False}


def _table(table: str, why: str, count: int = ROWS, **where: object) -> Ask:
    return query({"table": table, "filter": where, "limit": 200}, _rows(table, count, **where), TABLES, why)


def steps() -> Iterator[Step]:
    """Eight decisions that look things up, one of them asked twice, and the conclusion."""
    tree = frozen_tree()
    slow, before = _log_lines("2026-11-30", "archive-2"), _log_lines("2026-11-29", None)

    def tonight(first: int, why: str) -> Ask:
        return log("check-2026-11-30", slow, first, first + LOG_LINES - 1, LOGS, why)

    yield Step(
        "First the log of the night: which packages took the time?",
        (tonight(1, "The first half of the night"),),
    )
    yield Step(
        "All of archive-2 is slow, the other two hosts are not. I look at the rest of the night before I believe it.",
        (tonight(1 + LOG_LINES, "The second half of the night"),),
    )
    yield Step(
        "The pattern holds to the end. The night before, for comparison, and what the catalogue says about archive-2.",
        (
            log("check-2026-11-29", before, 1, LOG_LINES, LOGS, "The night before"),
            _table("packages", "Packages on the slow host", host="archive-2"),
        ),
    )
    yield Step(
        "The night before archive-2 was as fast as the others. What does the check do that a slow host would feel?",
        (read(tree, "core/package/hasher.py", 1, 30, "How hashes are made"),),
        before=(("rejected", "archive-2 is slow because its disk is old."),),
    )
    yield Step(
        "Every byte is read once. So reading itself was slow. Were mounts or settings changed on that day?",
        (
            _table("mounts", "Mounts of the slow host", 24, host="archive-2"),
            _table("mounts", "Mounts of a fast host", 24, host="archive-1"),
        ),
    )
    yield Step(
        "The slow host mounts everything with sync. Counterevidence: were the packages of archive-2 changed that day, so that more "
        "had to be read?",
        (_table("changes", "Changes on the slow host", 40, host="archive-2", day="2026-11-29"),),
    )
    yield Step(
        "Changes are as many as elsewhere. Does the check open files again and again? That would multiply a slow mount.",
        (
            read(tree, "core/package/append.py", 20, 44, "How files are opened and synced"),
            read(tree, "core/package/zipout.py", 12, 36, "Whether zips are read twice"),
            _table("changes", "Changes on a fast host", 40, host="archive-1", day="2026-11-29"),
        ),
    )
    yield Step(
        "Nothing is read twice. The cause is the mount of archive-2.",
        stop={
            "conclusion": "All packages on archive-2, and only those, took 350 to 430 s instead of 3 to 12 s, in every step "
            "that reads. That host mounts them with sync, the others do not; its packages did not change more than others.",
            "evidence": ["E1", "E2", "E3", "E5", "E6", "E7"],
            "counterevidence": [
                "E8, E11: archive-2 had as many changes as archive-1, so more changes are not the cause"
            ],
            "open": ["Whether the check is fast again without sync was not tried."],
        },
    )


def build(target: Path) -> None:
    """Make the package."""
    record(target, TITLE, TASK, steps(), calls=12)
