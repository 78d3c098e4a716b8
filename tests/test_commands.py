"""The commands of the terminal: what they print, their exit status, and one clear line where something is wrong."""

from __future__ import annotations

import csv
import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from core.commands import main
from core.commands import open as opening
from core.commands.said import printable
from core.package import PackageWriter
from tests.readers_help import FIXTURES

ROOT = Path(__file__).resolve().parents[1]
SAMPLES = ROOT / "sample_archives"
STALLED = SAMPLES / "video_start_overwritten"
RETAINED = SAMPLES / "video_start_retained"
FEW = SAMPLES / "few_sources"


def run(*arguments):
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


@pytest.fixture
def hostile(tmp_path):
    """A package whose title steers terminals and spreadsheets."""
    path = tmp_path / "hostile"
    with PackageWriter(path, title="=cmd|calc!A1\x1b[2J\r\nnext", replies="scripted", sync=False) as package:
        package.append_decision([{"role": "user", "text": "x"}], reply={"text": "y"}, outcome={"kind": "continued"})
    return path


@pytest.fixture
def many(tmp_path):
    """A folder with two packages, a damaged one and a file that is no recording."""
    home = tmp_path / "runs"
    (home / "bad").mkdir(parents=True)
    (home / "bad" / "manifest.json").write_text("{")
    (home / "notes.txt").write_text("not a recording")
    (home / "one").symlink_to(STALLED)  # a link: passed over
    for name, sample in (("stalled", STALLED), ("retained", RETAINED)):
        (home / name).mkdir()
        for file in sample.iterdir():
            (home / name / file.name).write_bytes(file.read_bytes())
    return home


def test_help_names_every_command():
    """`--help` lists the commands, each with its own help."""
    said = run("--help")
    assert said.exit_code == 0
    for name in ("open", "diagnose", "measure", "convert", "report"):
        assert f"  {name} " in said.stdout
        assert run(name, "--help").exit_code == 0
    assert run("nothing").exit_code == 2


def test_the_version_is_said_installed_or_not():
    """`--version` never fails."""
    said = run("--version")
    assert said.exit_code == 0
    assert said.stdout.startswith("investigation-inspector, version ")


def test_diagnose_says_the_verdict_with_its_cause():
    """One named package: its verdict and the cause of each repeat."""
    said = run("diagnose", STALLED)
    assert said.exit_code == 0
    assert "Stopped at decision 3 by the repetition gate" in said.stdout
    assert "overwritten: its result was in decision 2's prompt" in said.stdout
    assert said.stderr == ""


def test_diagnose_fails_a_build_on_the_fault_it_is_asked_for():
    """`--fail-on` gives status 1 where the fault is there, else 0."""
    assert run("diagnose", STALLED, "--fail-on", "delivery").exit_code == 1
    assert run("diagnose", STALLED, "--fail-on", "repeat").exit_code == 1
    assert run("diagnose", RETAINED, "--fail-on", "repeat").exit_code == 0
    assert run("diagnose", SAMPLES / "tight_budget", "--fail-on", "delivery").exit_code == 0


def test_diagnose_json_is_a_list_with_an_object_for_each_investigation():
    """Also for one package; the object says which it is."""
    said = run("diagnose", STALLED, "--json")
    (found,) = json.loads(said.stdout)
    assert (found["package"], found["part"], found["replies"]) == ("video_start_overwritten", 1, "scripted")
    assert found["verdict"]["cause"] == "overwritten"
    assert found["decisions"] == 3
    assert [repeat["decision"] for repeat in found["repeats"]] == [3]


def test_diagnose_searches_a_folder_and_reports_the_bad_one(many, tmp_path):
    """One row each, a damaged package is a row with its reason, what is no recording is counted with its reason."""
    rows = tmp_path / "rows.csv"
    said = run("diagnose", many, "--json", "--jobs", "2", "--csv", rows)
    assert said.exit_code == 2
    found = {each["package"]: each for each in json.loads(said.stdout)}
    assert list(found) == ["runs/bad", "runs/retained", "runs/stalled"]
    assert found["runs/bad"]["verdict"] is None
    assert found["runs/bad"]["problems"][0]["file"] == "manifest.json"
    assert found["runs/stalled"]["verdict"]["cause"] == "overwritten"
    assert found["runs/retained"]["verdict"]["stalled"] is False
    assert "passed over 1: a link: runs/one\n" in said.stderr
    assert "passed over 1: no reader knows this file: runs/notes.txt\n" in said.stderr
    assert "runs/bad: manifest.json: " in said.stderr
    with rows.open(newline="") as file:
        table = {row["package"]: row for row in csv.DictReader(file)}
    assert (table["runs/stalled"]["cause"], table["runs/stalled"]["repeats"]) == ("overwritten", "1")
    assert table["runs/bad"]["error"] != ""
    assert table["runs/bad"]["decisions"] == ""


def test_diagnose_of_several_ends_with_a_table(many):
    """What a search found is a table only; what is named is told in detail too."""
    searched = run("diagnose", many, "--jobs", "2")
    assert searched.stdout.startswith("| package |")
    assert searched.stdout.count("\n") == 5
    named = run("diagnose", many / "stalled", many / "retained", "--jobs", "2")
    assert named.exit_code == 0
    assert "  - decision 3 repeats" in named.stdout
    assert "| retained | 3 |" in named.stdout


def test_a_fault_that_was_asked_for_counts_although_another_file_cannot_be_read():
    """Status 1 where the fault is found, whatever else is wrong; 2 where only the reading failed."""
    assert run("diagnose", STALLED, "/nowhere/missing.zip", "--fail-on", "delivery").exit_code == 1
    assert run("diagnose", RETAINED, "/nowhere/missing.zip", "--fail-on", "delivery").exit_code == 2


def test_a_named_path_that_cannot_be_read_is_an_error_in_the_list():
    """The good one is diagnosed, the missing one is an object with its problem, and the status is 2."""
    said = run("diagnose", STALLED, "/nowhere/missing.zip", "--json")
    assert said.exit_code == 2
    good, bad = json.loads(said.stdout)
    assert good["verdict"]["stalled"] is True
    assert (bad["package"], bad["verdict"], bad["repeats"]) == ("missing.zip", None, [])
    assert bad["problems"][0]["severity"] == "error"
    # On a slow machine lines of progress stand before it.
    assert said.stderr.splitlines()[-1] == "missing.zip: cannot be read (found No such file or directory)"


@pytest.mark.parametrize("command", ["diagnose", "measure", "convert", "report"])
@pytest.mark.parametrize("name", ["missing.zip", "folder", "text.txt", "broken.json", "cut.zip"])
def test_errors_are_one_line_and_status_2(command, name, tmp_path):
    """Whatever is wrong with a path: one clear line on stderr, never a traceback."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "text.txt").write_text("hello")
    (tmp_path / "broken.json").write_text('{"evidence": [')
    (tmp_path / "cut.zip").write_bytes(b"PK\x03\x04rest")
    said = run(command, tmp_path / name, *([tmp_path / "out"] if command == "convert" else []))
    assert said.exit_code == 2
    assert name in said.stderr
    assert len(said.stderr.splitlines()) == 1
    assert "Traceback" not in said.output
    assert said.exception is None or isinstance(said.exception, SystemExit)


def test_measure_prints_the_summary_of_the_seed():
    """Stored contexts, user text and all messages in v5 and v6, and what v6 saves."""
    said = run("measure", FEW)
    assert said.exit_code == 0
    assert "| few_sources | 9 | 545,608 | 545,608 | 615,754 | 596,287 | 3.16 % |" in said.stdout


def test_measure_json_is_one_object():
    """`contexts` and `totals`; nothing else where everything was read."""
    said = run("measure", FEW, "--json", "--target-version", "investigation_project_v5")
    found = json.loads(said.stdout)
    assert set(found) == {"contexts", "totals"}
    assert found["totals"]["contexts"] == 9
    assert list(found["totals"]["versions"]) == ["investigation_project_v5"]


def test_measure_searches_a_folder_and_reports_the_bad_one(many, tmp_path):
    """One row a package; the bad one and what was passed over are in the JSON and on stderr."""
    (many / "view.json").write_text('{"evidence": []}')
    rows = tmp_path / "rows.csv"
    said = run("measure", many, "--json", "--csv", rows, "--jobs", "2")
    assert said.exit_code == 2
    found = json.loads(said.stdout)
    assert {context["package"] for context in found["contexts"]} == {"runs/retained", "runs/stalled", "runs/view.json"}
    assert [each["package"] for each in found["not_read"]] == ["runs/bad"]
    assert {each["path"] for each in found["passed_over"]} == {"runs/notes.txt", "runs/one"}
    with rows.open(newline="") as file:
        table = {row["package"]: row for row in csv.DictReader(file)}
    assert (table["runs/view.json"]["measured"], table["runs/view.json"]["v6_exact"]) == ("1", "1")
    stalled = table["runs/stalled"]
    assert (stalled["contexts"], stalled["measured"], stalled["v6_all_bytes"]) == ("3", "0", "")
    assert table["runs/bad"]["error"] != ""


def test_measure_of_a_searched_folder_prints_the_summary_only(many):
    """What could not be measured is `-`, never 0 bytes."""
    said = run("measure", many, "--jobs", "2")
    assert said.stdout.startswith("## All packages")
    assert "| runs/stalled | 3 | - | - | - | - | - |" in said.stdout


def test_an_unknown_version_is_named_with_those_that_are_known():
    """Before anything is opened."""
    said = run("measure", FEW, "--target-version", "v9")
    assert said.exit_code == 2
    assert "unknown version 'v9'; known: investigation_project_v4" in said.stderr


def test_a_package_cannot_steer_a_terminal_or_a_spreadsheet(hostile, tmp_path):
    """Control characters are shown as escapes; a cell that starts like a formula gets an apostrophe."""
    said = run("diagnose", hostile, "--csv", tmp_path / "rows.csv")
    assert "\x1b" not in said.stdout
    assert "=cmd|calc!A1\\u001b[2J\\u000d\\u000anext" in said.stdout
    with (tmp_path / "rows.csv").open(newline="") as file:
        (row,) = csv.DictReader(file)
    assert row["title"] == "'=cmd|calc!A1\\u001b[2J\\u000d\\u000anext"


def test_a_csv_that_cannot_be_written_is_one_line(tmp_path):
    """The file is named, with the reason."""
    said = run("measure", FEW, "--csv", tmp_path / "no" / "rows.csv")
    assert said.exit_code == 2
    assert said.stderr == "rows.csv cannot be written: No such file or directory\n"


def test_a_report_that_cannot_be_written_is_one_line(tmp_path):
    """The file is named, with the reason."""
    said = run("report", STALLED, "--out", tmp_path / "no" / "report.html")
    assert said.exit_code == 2
    assert said.stderr == "report.html cannot be written: No such file or directory\n"


def test_a_converted_sample_is_diagnosed_the_same(tmp_path):
    """`convert`, then `diagnose`: the verdict of the original."""
    assert run("convert", STALLED, tmp_path / "again.zip").exit_code == 0
    said = [json.loads(run("diagnose", path, "--json").stdout)[0] for path in (STALLED, tmp_path / "again.zip")]
    assert said[0]["verdict"] == said[1]["verdict"]


def test_printable_is_one_line_of_bounded_length():
    """Lone surrogates and bidirectional overrides are escaped too."""
    assert printable("a\ud800\u202eb\n") == "a\\ud800\\u202eb\\u000a"
    assert printable("x" * 200) == "x" * 159 + "…"


def test_a_task_over_its_time_loses_its_row_only(many):
    """With no time at all every file is a row with the limit."""
    said = run("diagnose", many, "--timeout", "0.001", "--jobs", "2", "--json")
    assert said.exit_code == 2
    assert {each["problems"][0]["what"] for each in json.loads(said.stdout)} == {"it took longer than 0.001 seconds"}


def test_open_hands_its_paths_to_streamlit(monkeypatch, tmp_path):
    """Absolute paths behind `--`, the loopback address, and the folder of the archive."""
    called = []
    monkeypatch.setattr(opening.os, "execv", lambda program, command: called.append((program, command)))
    said = run("open", STALLED, "--archive-dir", tmp_path, "--port", "8799")
    assert said.exit_code == 0, said.output
    ((program, command),) = called
    assert program == sys.executable
    assert command[1:5] == ["-m", "streamlit", "run", str(ROOT / "app.py")]
    assert command[5:9] == ["--server.address", "127.0.0.1", "--server.port", "8799"]
    assert command[-4:] == ["--", str(STALLED), "--archive-dir", str(tmp_path)]


def test_open_without_a_port_leaves_the_choice_to_the_server(monkeypatch):
    """The server takes the first free port from 8501 on: an older one that still runs is no error."""
    called = []
    monkeypatch.delenv("STREAMLIT_SERVER_PORT", raising=False)
    monkeypatch.setattr(opening.os, "execv", lambda _, command: called.append(command))
    assert run("open", "--no-browser").exit_code == 0
    assert "--server.port" not in called[0]
    assert "--server.headless" not in called[0]


def test_open_names_the_port_that_is_taken(monkeypatch):
    """Before a server is started, with the option that helps."""
    monkeypatch.setattr(opening.os, "execv", lambda *_: pytest.fail("a server was started"))
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        said = run("open", "--port", port)
    assert said.exit_code == 2
    assert f"port {port} of 127.0.0.1 is in use: name another with --port" in said.stderr


@pytest.mark.parametrize(
    ("display", "option", "headless", "opens"),
    [
        (":0", [], None, True),
        ("", [], None, False),
        ("", ["--browser"], None, True),
        (":0", ["--no-browser"], None, False),
        (":0", [], "true", False),
    ],
)
def test_open_opens_a_browser_where_there_is_a_display(monkeypatch, display, option, headless, opens):
    """Or where it is asked to; a service that says STREAMLIT_SERVER_HEADLESS is left alone."""
    called = []
    monkeypatch.setattr(opening.sys, "platform", "linux")
    monkeypatch.setattr(opening.os, "execv", lambda _, command: called.append(command))
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    monkeypatch.delenv("STREAMLIT_SERVER_HEADLESS", raising=False)
    monkeypatch.setenv("DISPLAY", display)
    if headless:
        monkeypatch.setenv("STREAMLIT_SERVER_HEADLESS", headless)
    assert run("open", *option).exit_code == 0
    assert ("--server.headless" in called[0]) is opens


def test_a_report_is_of_the_part_with_the_most_calls(tmp_path):
    """`--part` names another, as in `convert`; its earlier name is understood and not shown."""
    source = FIXTURES / "claude-code.jsonl"
    said = run("report", source, "--format", "json")
    assert said.exit_code == 0
    assert said.stderr == "part 1 of 2: the one with the most calls; --part names another\n"
    second = run("report", source, "--format", "json", "--part", "2")
    assert second.stderr == ""
    before = run("report", source, "--format", "json", "--number", "2")
    assert [len(json.loads(each.stdout)["decisions"]) for each in (said, second, before)] == [7, 2, 2]
    assert "--number" not in run("report", "--help").stdout
    for command in (["report", source], ["convert", source, tmp_path / "out"]):
        wrong = run(*command, "--part", "3")
        assert wrong.exit_code == 2
        assert "claude-code.jsonl holds 2" in wrong.stderr


def test_a_command_loads_what_it_needs():
    """`open` loads nothing that reads recordings, `diagnose` no YAML, no report and nothing of the app."""
    code = "import sys, core.commands.{0}; print(*sorted(name for name in sys.modules if name in {1!r}))"
    unwanted = [
        "core.package",
        "core.readers",
        "core.report",
        "importlib.metadata",
        "pandas",
        "plotly",
        "streamlit",
        "yaml",
    ]
    loaded = {
        name: subprocess.run(
            [sys.executable, "-c", code.format(name, unwanted)], cwd=ROOT, capture_output=True, text=True, check=True
        ).stdout.split()
        for name in ("open", "diagnose")
    }
    assert loaded == {"open": [], "diagnose": ["core.package", "core.readers"]}


def test_open_behind_a_proxy(monkeypatch):
    """The proxy's name is allowed beside this machine's, and every address gets the prefix."""
    called = []
    monkeypatch.setattr(opening.os, "execv", lambda _, command: called.append(command))
    monkeypatch.delenv("STREAMLIT_SERVER_PORT", raising=False)
    monkeypatch.setenv("STREAMLIT_SERVER_HEADLESS", "true")
    assert run("open", "--host", "inspector.example", "--base-path", "/inspector/").exit_code == 0
    flags = called[0][7:-1]
    assert flags == [
        *("--server.allowedHosts", "localhost"),
        *("--server.allowedHosts", "127.0.0.1"),
        *("--server.allowedHosts", "inspector.example"),
        *("--server.baseUrlPath", "inspector"),
    ]


def test_open_refuses_a_path_that_does_not_exist():
    """Before a server is started."""
    said = run("open", "/nowhere/missing.zip")
    assert said.exit_code == 2
    assert "'/nowhere/missing.zip' does not exist" in said.stderr


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("diagnose_investigation.py", "overwritten"),
        ("measure_investigation_context.py", "Stored contexts include rejected and unused attempts"),
        ("convert_recording.py", "3 decisions of 'Video does not start: the newest result replaces the earlier ones'"),
        ("report_investigation.py", "<!doctype html>"),
    ],
)
def test_a_script_is_the_command_from_any_folder(script, expected, tmp_path):
    """The scripts are thin entries to the same functions, run as files from anywhere."""
    done = subprocess.run(
        [sys.executable, str(ROOT / "scripts" / script), str(STALLED), *(["out"] if "convert" in script else [])],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert expected.lower() in done.stdout.lower()


def test_scripts_are_thin():
    """A script that a command stands behind holds no logic: at most 15 lines of code below its docstring."""
    for command in (
        "diagnose_investigation",
        "measure_investigation_context",
        "convert_recording",
        "report_investigation",
    ):
        code = (ROOT / "scripts" / f"{command}.py").read_text().split('"""')[2]
        assert len([line for line in code.splitlines() if line.strip()]) <= 15, command
