"""Converting recordings: a package that shows the same, with the same hashes of content and the same diagnosis."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from core.commands.convert import convert_command
from core.diagnosis import diagnose
from core.package import check
from core.readers import open_any
from tests.readers_help import FIXTURES, opened

ROOT = Path(__file__).resolve().parents[1]
SEVERAL = {"claude-code.jsonl", "claude-trace.jsonl", "responses.jsonl"}


def shown(run):
    """What a person sees of a run: prompts, replies, events, results, usage, and the verdict with its causes."""
    found = diagnose(run)
    return {
        "prompts": [
            [(m.role, m.text, m.stands_for, [part.kind for part in m.parts]) for m in d.messages] for d in run.decisions
        ],
        "replies": [
            d.reply and (d.reply.text, d.reply.patch, [lookup.identity for lookup in d.reply.lookups])
            for d in run.decisions
        ],
        "events": [[(e.kind, e.message, e.fragments, e.paths) for e in d.events] for d in run.decisions],
        "rest": [(d.usage, d.missing, d.sent_at, d.sent, d.outcome, dict(d.request)) for d in run.decisions],
        "fragments": [
            (f.id, f.body, f.sources, f.status, f.call_id, f.lookup.summary, dict(f.extra)) for f in run.fragments
        ],
        "head": (run.title, run.prompts, run.replies, run.limits, run.created),
        "repeats": [(r.decision, r.cause) for r in found.repeats],
        "verdict": found.verdict.stalled,
    }


@pytest.mark.parametrize("name", sorted(path.name for path in FIXTURES.iterdir()))
def test_a_converted_recording_shows_the_same(name, tmp_path):
    """Every fixture, converted and opened again, shows the same prompts, replies, results, times and diagnosis."""
    target = tmp_path / "out"
    result = CliRunner().invoke(convert_command, [str(FIXTURES / name), str(target)])
    assert result.exit_code == 0, result.output
    before = opened(name)
    paths = [target / str(number + 1) for number in range(len(before))] if name in SEVERAL else [target]
    assert len(before) == len(paths)
    for run, path in zip(before, paths, strict=True):
        (again,) = open_any(path)
        again = check(again)
        assert shown(again) == shown(run)
        assert not [problem for problem in again.problems if problem not in run.problems]


def test_messages_are_stored_once(tmp_path):
    """Eleven prompts over 25 messages, six of them equal to earlier ones, store 19 messages."""
    CliRunner().invoke(convert_command, [str(FIXTURES / "swe-cycle.traj"), str(tmp_path / "out")])
    assert len(opened("swe-cycle.traj")[0].messages) == 25
    assert len((tmp_path / "out" / "messages.jsonl").read_bytes().splitlines()) == 19


def test_one_part_as_a_zip(tmp_path):
    """One investigation of several can be written alone, as a zip."""
    target = tmp_path / "side.zip"
    result = CliRunner().invoke(convert_command, [str(FIXTURES / "claude-code.jsonl"), str(target), "--part", "2"])
    assert result.exit_code == 0
    assert open_any(target)[0].title == "Do the bells slow it?"
    refused = CliRunner().invoke(
        convert_command, [str(FIXTURES / "claude-code.jsonl"), str(tmp_path / "x"), "--part", "3"]
    )
    assert refused.exit_code == 2
    assert "holds 2" in refused.output


def test_what_cannot_be_read_or_written_is_said(tmp_path):
    """An unknown file and a target that exists end with status 2 and a sentence, never a traceback."""
    (tmp_path / "notes").write_text("hello")
    for source, target in (("notes", "out"), ("nothing", "out")):
        result = CliRunner().invoke(convert_command, [str(tmp_path / source), str(tmp_path / target)])
        assert result.exit_code == 2
        assert "Traceback" not in result.output
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "keep").write_text("mine")
    result = CliRunner().invoke(convert_command, [str(FIXTURES / "claude-code.jsonl"), str(tmp_path / "there")])
    assert result.exit_code == 2
    assert (tmp_path / "there" / "keep").read_text() == "mine"


def test_the_script_runs(tmp_path):
    """`scripts/convert_recording.py IN OUT` works as a file."""
    command = [sys.executable, "scripts/convert_recording.py", str(FIXTURES / "bodies.jsonl"), str(tmp_path / "out")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)  # our own script
    assert done.returncode == 0, done.stderr
    assert "4 decisions of 'Why is it slow?', 0 problems" in done.stdout
