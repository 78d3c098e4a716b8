"""The object that `diagnose_investigation.py --json` prints for an investigation, key by key."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from stories import BODY, search, story

from core.commands.diagnose import FAULTS
from core.diagnosis import diagnose
from core.diagnosis.as_json import as_json

ROOT = Path(__file__).parents[1]
SAMPLES = ROOT / "sample_archives"


def run(*arguments):
    command = [sys.executable, str(ROOT / "scripts" / "diagnose_investigation.py"), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)  # our own script


def test_json_is_always_a_list_of_one_object_an_investigation():
    """Grade, count, verdict, repeats with their proof, patterns, problems: of two packages, two objects."""
    done = run(SAMPLES / "video_start_overwritten", SAMPLES / "video_start_retained", "--json")
    assert done.returncode == 0
    first, second = json.loads(done.stdout)
    assert {"grade", "decisions", "verdict", "repeats", "patterns", "problems"} <= set(first)
    assert (first["grade"], first["decisions"], first["patterns"], first["problems"]) == ("recorded bytes", 3, [], [])
    assert set(first["verdict"]) == {"stalled", "looped", "clear", "decision", "cause", "sentence"}
    assert (first["verdict"]["stalled"], first["verdict"]["decision"], first["verdict"]["cause"]) == (
        True,
        3,
        "overwritten",
    )
    (repeat,) = first["repeats"]
    assert set(repeat) == {"decision", "first_decision", "identity", "cause", "lost", "proof"}
    assert (repeat["decision"], repeat["first_decision"], repeat["cause"]) == (3, 1, "overwritten")
    assert repeat["identity"] == '["search",["unsupported_control"],null,null]'
    assert repeat["proof"]["budget"] == {"context_bytes": 30000, "available": 28217, "needed": 2040, "free": 26586}
    assert (repeat["proof"]["last_delivered"], repeat["proof"]["dropped_at"], repeat["proof"]["replaced_by"]) == (
        2,
        3,
        "f2",
    )
    assert repeat["proof"]["placement"]["state"] == "marker_only"
    assert repeat["lost"] is True
    assert (first["verdict"]["looped"], first["verdict"]["clear"], second["verdict"]["clear"]) == (False, False, True)
    assert (second["verdict"]["stalled"], second["repeats"]) == (False, [])


@pytest.mark.parametrize(
    ("name", "fault", "status"),
    [
        ("video_start_overwritten", "delivery", 1),
        ("video_start_overwritten", "repeat", 1),
        ("tight_budget", "delivery", 0),
        ("tight_budget", "repeat", 1),
        ("video_start_retained", "repeat", 0),
        ("video_start_overwritten", "loss", 1),
        ("tight_budget", "loss", 1),
        ("overlapping_reads", "repeat", 1),
        ("overlapping_reads", "loss", 0),
        ("overlapping_reads", "stall", 0),
        ("video_start_overwritten", "stall", 1),
    ],
)
def test_the_exit_status_tells_a_build_of_the_fault_it_asked_for(name, fault, status):
    """delivery: overwritten or never_supplied; repeat: any; loss: absent or cut where it was asked for again; stall."""
    assert run(SAMPLES / name, "--fail-on", fault).returncode == status


def test_without_a_question_the_exit_status_is_0():
    """A stalled run is a finding, not a failure of the command."""
    done = run(SAMPLES / "video_start_overwritten")
    assert done.returncode == 0
    assert "Stopped at decision 3 by the repetition gate" in done.stdout


def told(*bodies, carried=True):
    """One search asked for once a body, whose result is carried or not, then an answer: what `diagnose --json` says."""
    asked = search("unsupported_control")
    made = story()
    for body in bodies:
        made.decide(asked).result(asked, body, carried=body if carried else None, tool=False)
    made.decide()
    return as_json(made.tell(), diagnose(made.tell()))


@pytest.mark.parametrize(
    ("said", "faults"),
    [
        (told(BODY), []),
        (told(BODY, carried=False), ["loss"]),
        (told(BODY, BODY), ["repeat"]),
        (told(BODY, BODY, BODY, BODY), ["repeat", "stall"]),
        (told("short", carried=False), []),
    ],
)
def test_what_a_build_may_ask_for(said, faults):
    """A result that no later prompt had is a loss without any repeat; an unchanged loop that ended is a stall."""
    assert [name for name, is_fault in FAULTS.items() if is_fault(said)] == faults
