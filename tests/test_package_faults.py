"""Faults put into packages at random: some here, thousands by `python -m benchmarks.faults`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from package_faults import FAULTS, tried

ROOT = Path(__file__).resolve().parents[1]

TRIALS = {"writer killed at any byte of 300 KB": 8}


@pytest.mark.parametrize("kind", FAULTS)
def test_nothing_is_lost_and_everything_is_told(kind, tmp_path):
    """Every acknowledged record and every record that was not touched is there; every change is a problem or an error."""
    told = {tried(FAULTS[kind], seed, tmp_path) for seed in range(TRIALS.get(kind, 40))}
    assert told - {"no problem", "no package yet"}


def test_the_command_prints_a_row_for_each_kind():
    """`python -m benchmarks.faults` tries the kinds that it is asked for, and says how many escaped and what was told."""
    command = [
        sys.executable,
        "-m",
        "benchmarks.faults",
        "--trials",
        "4",
        "--only",
        "second",
        "views by bytes",
        "pipe as a",
    ]
    printed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True, timeout=400).stdout
    rows = [line.split(" | ") for line in printed.splitlines() if line.startswith("| ")]
    assert [row[0] for row in rows] == [
        *("| kind", "| second writer", "| views by bytes"),
        *("| hostile input", "| pipe as a file", "| pipe as a recording"),
    ]
    assert rows[1][1:3] == ["4", "0"]
    assert rows[1][5].startswith("PackageError: another writer records under this name")
    assert "not a regular file" in rows[4][3]


def test_a_trial_that_fails_is_counted():
    """What escapes from a trial is told with its seed and is in the table."""
    code = (
        "import sys; sys.path[:0] = ['.', 'tests']; import package_faults, benchmarks.faults as command\n"
        "package_faults.FAULTS['second writer'] = lambda folder, rng: 1 / 0\n"
        "command._one('second writer', 3)"
    )
    printed = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True, text=True, timeout=400
    ).stdout
    assert printed.count("ZeroDivisionError: division by zero") == 3
    assert '"trials": 3' in printed
