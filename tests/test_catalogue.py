"""A folder of recordings as rows: found by content at any depth, bad ones reported and passed over, stalls first."""

from __future__ import annotations

import pickle
import shutil

from core.catalogue import by_stall, catalogue, list_file
from tests.readers_help import FIXTURES


def folder_of(tmp_path):
    """Two recordings at different depths, a damaged one, one of a kind without a reader, and something else."""
    (tmp_path / "deep" / "er").mkdir(parents=True)
    shutil.copy(FIXTURES / "swe-cycle.traj", tmp_path / "deep" / "er" / "unknown")
    shutil.copy(FIXTURES / "claude-code.jsonl", tmp_path / "session.jsonl")
    (tmp_path / "notes.txt").write_text("hello")
    (tmp_path / "gemini.json").write_text('{"sessionId":"1","projectHash":"2","messages":[]}')
    (tmp_path / "damaged.jsonl").write_text('{"type":"session_meta","payload":{"id":"1"}}\n')
    return tmp_path


def test_a_folder_lists_its_recordings(tmp_path):
    """Rows hold date, calls, repeats and verdict; what is damaged and what is no recording is told apart."""
    found = catalogue([folder_of(tmp_path)])
    names = {row.name.partition("/")[2]: row for row in found.rows if row.part == 1}
    assert set(names) == {"deep/er/unknown", "session.jsonl"}
    cycle, session = names["deep/er/unknown"], names["session.jsonl"]
    # six are asked again word for word, and the first `goto 2` asks for lines that `open` had shown
    assert (cycle.reader, cycle.calls, cycle.lookups, cycle.repeats, cycle.date) == ("swe-agent", 11, 9, 7, None)
    assert (session.reader, session.calls, session.date) == ("claude-code", 7, "2026-05-04T10:00:01.000Z")
    assert cycle.verdict
    assert [(row.name.partition("/")[2], row.part) for row in found.rows if row.part > 1] == [("session.jsonl", 2)]
    assert [unread.name.partition("/")[2] for unread in found.unread] == ["damaged.jsonl"]
    assert found.unread[0].error.message == "a Codex rollout without a model call"
    assert {item.name.partition("/")[2]: item.reason for item in found.passed} == {
        "gemini.json": "this is a Gemini CLI session, which is known but not supported yet",
        "notes.txt": "no reader knows this file",
    }


def test_rows_are_plain_data():
    """The work on one file can be done in another process: its rows survive pickling."""
    rows = list_file(str(FIXTURES / "swe-progress.traj"), "progress")
    assert pickle.loads(pickle.dumps(rows)) == rows  # noqa: S301  # our own rows
    assert [(row.name, row.calls, row.stalled) for row in rows] == [("progress", 15, False)]


def test_stalls_come_first():
    """Stalled runs stand first, then those with more repeats, then the newer ones."""
    (row,) = list_file(str(FIXTURES / "mini-list.json"), "a")

    def made(name, stalled, repeats, date):
        from dataclasses import replace  # noqa: PLC0415  # only this test

        return replace(row, name=name, stalled=stalled, repeats=repeats, date=date)

    rows = [
        made("old", False, 1, "2025"),
        made("new", False, 1, "2026"),
        made("many", False, 9, None),
        made("stall", True, 0, None),
    ]
    assert [each.name for each in by_stall(rows)] == ["stall", "many", "new", "old"]
