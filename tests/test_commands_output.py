"""Where the commands write: never over what they read, and what they say where nothing can be written."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from core.commands import main
from tests.readers_help import FIXTURES

ROOT = Path(__file__).resolve().parents[1]
STALLED = ROOT / "sample_archives" / "video_start_overwritten"


def run(*arguments):
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


@pytest.fixture
def home(tmp_path):
    """A folder with a recording, a package, and other names of both."""
    shutil.copy(FIXTURES / "codex.jsonl", tmp_path / "x.jsonl")
    shutil.copytree(STALLED, tmp_path / "pk")
    (tmp_path / "link.jsonl").symlink_to("x.jsonl")
    (tmp_path / "pk_link").symlink_to("pk")
    os.link(tmp_path / "x.jsonl", tmp_path / "hard.jsonl")
    os.link(tmp_path / "pk" / "manifest.json", tmp_path / "hard.json")
    return tmp_path


def contents(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize(
    "words",
    [
        "report x.jsonl --out x.jsonl",
        "report x.jsonl --out link.jsonl",
        "report link.jsonl --out hard.jsonl",
        "report pk --out pk/manifest.json",
        "report pk --out pk_link/new.html",
        "report pk --out hard.json",
        "diagnose x.jsonl --csv x.jsonl",
        "diagnose x.jsonl pk --csv pk/rows.csv",
        "measure x.jsonl --csv link.jsonl",
        "convert pk pk/out",
        "convert pk pk_link/out.zip",
        "convert x.jsonl x.jsonl",
    ],
)
def test_no_command_writes_over_what_it_reads(home, monkeypatch, words):
    """Whatever name the target has: one line, status 2, and every byte is as before."""
    monkeypatch.chdir(home)
    before = contents(home)
    said = run(*words.split())
    assert said.exit_code == 2
    assert said.stdout == ""
    assert "which is read" in said.stderr
    assert len(said.stderr.splitlines()) == 1
    assert contents(home) == before


def test_a_recording_that_a_search_found_is_not_written_over(home):
    """A searched folder may take rows beside its recordings, not in place of one."""
    before = contents(home)
    assert run("diagnose", home, "--csv", home / "x.jsonl", "--jobs", "2").exit_code == 2
    assert contents(home) == before
    for _ in range(2):  # the rows of the first run are no recording for the second
        assert run("diagnose", home, "--csv", home / "rows.csv", "--jobs", "2").exit_code == 0
    assert (home / "rows.csv").read_text().startswith("package,")


SCRIPTS = {
    "diagnose": "diagnose_investigation.py",
    "measure": "measure_investigation_context.py",
    "report": "report_investigation.py",
    "convert": "convert_recording.py",
}
FULL = pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")


def run_into_a_full_disk(*words, unbuffered):
    with Path("/dev/full").open("wb") as full:
        return subprocess.run(
            [sys.executable, *words],
            cwd=ROOT,
            env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )


@FULL
@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize(
    "words",
    ["diagnose {}", "diagnose {} --json --fail-on delivery", "measure {}", "report {}", "convert {} out.zip", "--help"],
)
def test_a_full_disk_behind_stdout_is_one_line_and_status_2(words, unbuffered, tmp_path):
    """Never status 1, which says that a fault was found; what was made before is not said to be missing."""
    command = words.format(STALLED).replace("out.zip", str(tmp_path / "out.zip")).split()
    done = run_into_a_full_disk("-c", "from core.commands import main; main()", *command, unbuffered=unbuffered)
    assert (done.returncode, done.stderr) == (2, "standard output cannot be written: No space left on device\n")
    assert (tmp_path / "out.zip").exists() is ("convert" in words)


@FULL
@pytest.mark.parametrize("command", sorted(SCRIPTS))
def test_a_script_says_so_too(command, tmp_path):
    """The thin entries end as the commands do."""
    words = [f"scripts/{SCRIPTS[command]}", str(STALLED), *([str(tmp_path / "out")] if command == "convert" else [])]
    done = run_into_a_full_disk(*words, unbuffered="")
    assert (done.returncode, done.stderr) == (2, "standard output cannot be written: No space left on device\n")


def test_a_closed_pipe_is_silent():
    """`| head -1`: whoever stops reading has what was wanted."""
    command = [sys.executable, "scripts/report_investigation.py", str(STALLED)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        running.stdout.close()
        assert running.stderr.read() == ""


@pytest.mark.parametrize("command", ["diagnose", "measure"])
def test_a_folder_with_one_recording_reads_as_that_recording_named(command, tmp_path):
    """The verdict and every detail; only the name in front is that of the search."""
    shutil.copytree(STALLED, tmp_path / "one" / "video")
    (tmp_path / "one" / "notes.txt").write_text("no recording")
    searched, named = run(command, tmp_path / "one"), run(command, tmp_path / "one" / "video")
    assert searched.exit_code == named.exit_code == 0
    assert searched.stdout.replace("one/video", "video") == named.stdout
    assert len(named.stdout.splitlines()) > 3


@pytest.mark.parametrize("seconds", ["inf", "-inf", "nan", "1e308", "604801", "0", "-1"])
@pytest.mark.parametrize("command", ["diagnose", "measure"])
def test_a_time_limit_is_a_number_up_to_a_week(command, seconds):
    """Anything else is a wrong option, told before anything is opened."""
    said = run(command, STALLED, f"--timeout={seconds}")
    assert said.exit_code == 2
    assert "Invalid value for '--timeout'" in said.stderr
    assert said.stdout == ""
    assert run(command, STALLED, "--timeout=604800").exit_code == 0


@pytest.mark.parametrize("words", [["diagnose", ""], ["measure", ""], ["report", ""], ["convert", "", "out"]])
def test_an_empty_path_is_a_wrong_argument(words):
    """It is not the current folder: a variable of a script that is not set must not search whatever is there."""
    said = run(*words)
    assert said.exit_code == 2
    assert "an empty path names nothing" in said.stderr
    assert said.stdout == ""
