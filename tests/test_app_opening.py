"""Opening things: any name and kind, several investigations in one file, files that grow, shrink and vanish, and what was opened."""

from __future__ import annotations

import json
import shutil
import time
from pathlib import Path

import pytest

from core.readers import open_any
from pages.parts import holding, opening
from tests.app_driver import panels, shown, start, texts
from tests.app_packages import HOSTILE, many_decisions
from tests.readers_help import FIXTURES

RECORDINGS = sorted(path.name for path in FIXTURES.iterdir())
WAITED = opening.STAMP_SECONDS + 0.1


def panel(app, key):
    """All texts of one panel."""
    return "\n".join(
        text for name, data in panels(app).items() if f"-{key}" in name or key in name for text in texts(data)
    )


def address(app, name):
    """One parameter of the address."""
    value = app.query_params[name]
    return value if isinstance(value, str) else value[0]


def append(path, *records):
    """A run that is being recorded writes on."""
    with path.open("a") as file:
        for record in records:
            file.write(json.dumps(record) + "\n")


def claude_call(number):
    """One more answer of the recording in `claude-code.jsonl`, as its first session would write it."""
    last = [json.loads(line) for line in (FIXTURES / "claude-code.jsonl").read_text().splitlines() if line]
    base = next(each for each in last if each.get("type") == "assistant")
    message = base["message"] | {"id": f"msg_new_{number}", "content": [{"type": "text", "text": f"new {number}"}]}
    return base | {"uuid": f"new-{number}", "parentUuid": None, "requestId": f"req_new_{number}", "message": message}


@pytest.mark.parametrize("name", RECORDINGS)
def test_every_supported_kind_is_uploaded_without_an_ending(monkeypatch, name):
    """What a file is shows by its content: each kind opens under a name that says nothing, with a hostile one, too."""
    app = start(monkeypatch)
    for called in ("unknown", f"{HOSTILE}/../x.png"):
        app.get("file_uploader")[0].set_value(
            (called, (FIXTURES / name).read_bytes(), "application/octet-stream")
        ).run()
        assert not app.exception
        assert address(app, "package").startswith("upload-")
        assert "This file was not opened" not in shown(app)


def test_an_upload_of_a_package(monkeypatch, tmp_path):
    """A zipped package opens by upload under any name."""
    many_decisions(tmp_path / "run", 3)
    packed = shutil.make_archive(str(tmp_path / "packed"), "zip", tmp_path / "run")
    app = start(monkeypatch)
    app.get("file_uploader")[0].set_value(("no ending", Path(packed).read_bytes(), "")).run()
    assert not app.exception
    assert "Many decisions" in shown(app)


def test_what_is_nothing_is_refused_with_what_was_looked_for(monkeypatch):
    """The message says what the file looks like and what was looked for; it is not listed; page and package stay.

    It stands in the page's own column, goes with a click, and goes when something else is opened.
    """
    app = start(monkeypatch)
    app.get("file_uploader")[0].set_value(("picture.png", b"\x89PNG\r\n\x1a\n rest", "image/png")).run()
    assert not app.exception
    said = shown(app)
    assert "This file was not opened" in said
    assert "picture.png: this looks like an image (PNG)" in said
    assert "Not opened: the page says why." in panel(app, "ii-refused-here")
    assert "Looked for: a package, a Claude Code session, a Codex rollout" in said
    assert "Your uploads" not in said
    assert address(app, "package") == "video_start_overwritten"
    app.get("file_uploader")[0].set_value(("run.jsonl", b"", "")).run()
    assert "run.jsonl: the file is empty" in panel(app, "ii-refused")
    app.get("file_uploader")[0].set_value(("run", (FIXTURES / "claude-code.jsonl").read_bytes(), "")).run()
    assert "This file was not opened" not in shown(app)


def test_an_upload_is_shown_on_the_overview(monkeypatch):
    """Whatever page was in view: the verdict comes first."""
    app = start(monkeypatch, page="decisions", decision="2")
    app.get("file_uploader")[0].set_value(("run", (FIXTURES / "claude-code.jsonl").read_bytes(), "")).run()
    assert not app.exception
    assert "No stall: the run ended at decision 7" in shown(app)
    assert address(app, "decision") == "1"


def test_uploads_of_one_name_are_told_apart(monkeypatch):
    """Two files called `run` are `run` and `run (2)`, each with its calls."""
    app = start(monkeypatch)
    for name in ("claude-code.jsonl", "swe-cycle.traj"):
        app.get("file_uploader")[0].set_value(("run", (FIXTURES / name).read_bytes(), "")).run()
    lines = panel(app, "ii-packages").splitlines()
    assert lines[lines.index("Your uploads") :].count("run") == 1
    assert "run (2)" in lines
    assert "2 investigations, 7 calls, 2026-05-04" in lines
    assert "11 calls" in lines


def test_the_upload_stands_above_what_may_be_long(monkeypatch):
    """Field, then the file's investigations, then everything else that can be opened: in sight on a laptop."""
    app = start(monkeypatch, FIXTURES / "claude-code.jsonl")
    order = [getattr(each, "type", "") for each in app.sidebar]
    assert order.index("file_uploader") < len(order) - 2


def test_the_part_with_the_most_calls_is_opened_and_named(monkeypatch, tmp_path):
    """A file that begins with a one-call title request opens on the run; the address says which part that is."""
    title = {"model": "small", "messages": [{"role": "user", "content": "Write a title of five words."}]}
    turns = [{"role": "user", "content": "Find out why the clock loses a minute every day, from its sources."}]
    run = []
    for number in range(3):
        run.append({"model": "large", "messages": list(turns)})
        turns += [{"role": "assistant", "content": f"Step {number}."}, {"role": "user", "content": f"Go on {number}."}]
    path = tmp_path / "captured.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in (title, *run)))
    assert [len(each.decisions) for each in open_any(path)] == [1, 3]
    app = start(monkeypatch, path)
    assert not app.exception
    assert address(app, "part") == "2"
    assert "3 decisions" in panel(app, "ii-in-hand")
    listed = panel(app, "ii-parts")
    assert "1 call, " in listed
    assert "3 calls, " in listed
    assert address(start(monkeypatch, path, part="1"), "part") == "1"


def test_a_recording_is_called_by_its_file_with_calls_and_date(monkeypatch):
    """Its title is whatever somebody typed first, so the name stands first and the lines say calls and day."""
    app = start(monkeypatch, FIXTURES / "claude-code.jsonl")
    names = panel(app, "ii-in-hand").splitlines()
    assert names.index("claude-code.jsonl") < names.index("Why does the clock lose a minute a day?")
    assert "2 investigations, 7 calls, 2026-05-04" in panel(app, "ii-packages")
    assert "7 calls, Claude Code session, 2026-05-04" in panel(app, "ii-parts")


def test_a_path_where_nothing_is(monkeypatch, tmp_path):
    """The sidebar marks it, the page says it, and everything else can be opened."""
    app = start(monkeypatch, tmp_path / "mistyped")
    assert not app.exception
    lines = panel(app, "ii-packages").splitlines()
    assert lines[lines.index("mistyped") + 1 :][:2] == ["tag bad", "not there"] or "not there" in lines
    assert "there is no such file or folder" in lines
    assert "This package cannot be opened." in shown(app)


def test_the_investigations_of_a_file_are_listed_with_their_verdicts(monkeypatch):
    """Title, calls and reader in the sidebar; on the overview the verdict of each; the part in hand is in the address."""
    app = start(monkeypatch, FIXTURES / "claude-code.jsonl", part="2")
    assert not app.exception
    listed = panel(app, "ii-parts")
    assert "2 investigations in this file" in listed
    assert "1. Why does the clock lose a minute a day?" in listed
    assert "7 calls, Claude Code session" in listed
    assert "2 calls, Claude Code session" in listed
    assert address(app, "part") == "2"
    for _ in range(50):
        verdicts = panel(app, "overview-parts")
        if "not known yet" not in verdicts:
            break
        time.sleep(0.1)
        app.run()
    assert "No stall: the run ended at decision 7; 2 repeated lookups" in verdicts
    assert "No stall: the run ended at decision 2, and no lookup was repeated" in verdicts


def test_a_part_that_is_not_there(monkeypatch):
    """The part with the most calls is shown, and the message says how many there are."""
    said = shown(start(monkeypatch, FIXTURES / "claude-code.jsonl", part="9"))
    assert "This file holds 2 investigations; the one with the most calls is shown." in said


def test_a_file_that_grows_is_followed_on_reload(monkeypatch, tmp_path):
    """The open session says that it grew and goes on with what it opened; the same address in a new one shows the new decision."""
    live = shutil.copy(FIXTURES / "claude-code.jsonl", tmp_path / "live")
    app = start(monkeypatch, live)
    assert "7 decisions" in shown(app)
    append(live, claude_call(1))
    time.sleep(WAITED)
    app.run()
    assert not app.exception
    said = shown(app)
    assert "This file grew since you opened it" in said
    assert "7 decisions" in said
    again = start(monkeypatch, live, **{name: address(app, name) for name in app.query_params})
    assert "8 decisions" in shown(again)
    assert "grew since you opened it" not in shown(again)


@pytest.mark.parametrize("content", [b"", b"{", b'{"type":"user"'])
def test_a_file_that_shrinks_to_nothing_is_a_message(monkeypatch, tmp_path, content):
    """No traceback: the page says that it cannot be opened, and the sidebar offers everything else."""
    live = shutil.copy(FIXTURES / "claude-code.jsonl", tmp_path / "live")
    app = start(monkeypatch, live)
    live.write_bytes(content)
    time.sleep(WAITED)
    app.run()
    assert not app.exception
    said = shown(app)
    assert "This package cannot be opened." in said
    assert "video_start_overwritten" in said


def test_a_file_that_shrinks_to_less_is_read_again_and_says_so(monkeypatch, tmp_path):
    """It is shorter and still a recording: what is there now is shown, with a message."""
    live = shutil.copy(FIXTURES / "claude-code.jsonl", tmp_path / "live")
    whole = live.read_bytes()
    append(live, claude_call(1))
    app = start(monkeypatch, live)
    assert "8 decisions" in shown(app)
    live.write_bytes(whole)
    time.sleep(WAITED)
    app.run()
    assert not app.exception
    assert "This file became shorter since you opened it" in shown(app)
    assert "7 decisions" in shown(app)


def test_a_file_that_vanishes_is_a_message(monkeypatch, tmp_path):
    """It is named, and nothing is raised; once it is back it opens."""
    live = shutil.copy(FIXTURES / "claude-code.jsonl", tmp_path / "live")
    app = start(monkeypatch, live)
    live.rename(tmp_path / "away")
    time.sleep(WAITED)
    app.run()
    assert not app.exception
    assert "This package cannot be opened." in shown(app)
    assert "No such file or directory" in shown(app)
    (tmp_path / "away").rename(live)
    time.sleep(WAITED)
    app.run()
    assert "7 decisions" in shown(app)


def test_a_package_that_is_being_written_grows(monkeypatch, tmp_path):
    """A package folder is followed as a recording is."""
    path = many_decisions(tmp_path / "run", 3)
    app = start(monkeypatch, path)
    more = many_decisions(tmp_path / "more", 5)
    for name in ("messages.jsonl", "decisions.jsonl", "manifest.json"):
        with (path / name).open("r+b") as file:
            file.write((more / name).read_bytes())
    time.sleep(WAITED)
    app.run()
    assert not app.exception
    assert "This file grew since you opened it" in shown(app)
    assert "5 decisions" in shown(start(monkeypatch, path))


def test_recent_packages_are_this_sessions_own(monkeypatch):
    """Newest first, without the one in hand; another session knows nothing of them."""
    app = start(monkeypatch, package="tight_budget")
    for package in ("few_sources", "adjacent_reads"):
        app.query_params["package"] = package
        app.run()
    assert [
        line for line in panel(app, "ii-packages").splitlines() if line in ("Recent", "few_sources", "tight_budget")
    ][:3] == [
        "Recent",
        "few_sources",
        "tight_budget",
    ]
    assert "Recent" not in panel(start(monkeypatch), "ii-packages").splitlines()


@pytest.fixture
def slow(monkeypatch):
    """Every package counts as large, and looking for its fragments waits until it is told to go on."""
    import threading  # noqa: PLC0415  # only here

    gate = threading.Event()
    deliver = holding.deliver

    def waiting(investigation, progress=None):
        gate.wait(60)
        return deliver(investigation, progress)

    monkeypatch.setattr(holding, "deliver", waiting)
    monkeypatch.setattr(holding, "_BEHIND_FROM_BYTES", 0)
    yield gate
    gate.set()


def test_a_large_package_is_read_before_it_is_diagnosed(monkeypatch, tmp_path, slow):
    """Decisions and overview stand there at once and say what is not known yet; when it is known it is there."""
    live = shutil.copy(FIXTURES / "claude-code.jsonl", tmp_path / "slow")
    app = start(monkeypatch, live)
    assert not app.exception
    said = shown(app)
    assert "Not known yet. Every prompt is being searched for every fragment" in said
    assert "7 accepted" in said
    app.switch_page("pages/decisions.py").run()
    assert not app.exception
    assert "Not known yet: it is still being looked for." in shown(app)
    assert "Decision 1" in shown(app)
    slow.set()
    for _ in range(100):
        time.sleep(0.05)
        app.run()
        if "Not known yet" not in shown(app):
            break
    assert "No lookup had returned anything before this decision." in shown(app)
    app.switch_page("pages/overview.py").run()
    assert "No stall: the run ended at decision 7; 2 repeated lookups" in shown(app)


def test_stamps_tell_growing_from_everything_else():
    """Longer is grown; shorter, the same size with another time, or other files is not."""
    assert opening._grew((10, 1, 7), (12, 2, 7))
    assert not opening._grew((10, 1, 7), (9, 2, 7))
    assert not opening._grew((10, 1, 7), (10, 2, 7))
    assert not opening._grew((10, 1, 7), (10, 1, 7))
    assert not opening._grew((10, 1, 7), (12, 2, 7, 5, 1, 8))
    assert opening._grew((10, 1, 7, 5, 1, 8), (10, 1, 7, 6, 2, 8))
    assert not opening._grew((10, 1, 7, 5, 1, 8), (9, 2, 7, 6, 2, 8))


def test_opening_counts_bytes(tmp_path):
    """A long transcript says how far its reading is: bytes read, of all its bytes."""
    path = tmp_path / "long"
    lines = (FIXTURES / "claude-code.jsonl").read_text().splitlines()
    path.write_text("\n".join(lines * (1 + 450 // len(lines))) + "\n")
    told = []
    open_any(path, lambda done, total: told.append((done, total)))
    assert len(told) >= 2
    assert [total for _, total in told] == [path.stat().st_size] * len(told)
    assert sorted(told) == told
