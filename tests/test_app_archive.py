"""The archive page: every recording in the server's folders, listed in the background, sorted, filtered, confined, inert."""

from __future__ import annotations

import io
import json
import shutil
import sys
import time

import pytest

from core.batch import PassedOver
from core.catalogue import Listed, Unread
from core.catalogue_process import read, serve
from pages.parts import archived, listing, opening
from pages.parts.catalogue import Arguments, Entry, complaints, offer, read_arguments
from tests.app_driver import panels, shown, start, visit
from tests.readers_help import FIXTURES
from tests.test_catalogue import folder_of

HOSTILE = "<img src=x onerror=alert(1)> ![a](http:outside) %s.traj"


@pytest.fixture(autouse=True)
def fresh(monkeypatch):
    """A listing of its own for each test."""
    made = listing.Listing()
    monkeypatch.setattr(listing, "ARCHIVE", made)
    yield made
    made.stop()


def finished(app):
    """Run the page until every file is read."""
    for _ in range(300):
        assert not app.exception
        if "archive-rows" in " ".join(panels(app)) and not app.get("progress"):
            return app
        time.sleep(0.1)
        app.run()
    raise AssertionError("the archive is never listed")


def words(node):
    """The texts in a tree, without its attributes."""
    if isinstance(node, str):
        return [node]
    return [text for child in node.get("k", ()) for text in words(child)]


def table(app):
    """The rows of the list, each as its cells' texts."""
    (data,) = [data for name, data in panels(app).items() if "archive-rows" in name]

    def find(node):
        if isinstance(node, dict) and node.get("t") == "tbody":
            return [[" ".join(words(cell)) for cell in row["k"]] for row in node["k"]]
        children = node.get("k", ()) if isinstance(node, dict) else ()
        return next((found for child in children if (found := find(child)) is not None), None)

    return next(found for node in data["nodes"] if (found := find(node)) is not None)


def row(name, **values):
    """One listed investigation, of which only these values matter."""
    plain = {"part": 1, "title": "", "reader": "package", "date": None, "calls": 1, "lookups": 0, "repeats": 0}
    return Listed(name=name, **plain | {"stalled": False, "verdict": "", "problems": 0} | values)


def test_a_folder_is_listed_with_the_stalled_first(monkeypatch, tmp_path):
    """Name, date, kind, calls, repeats, verdict, problems of every recording at any depth; the rest with its reason."""
    app = finished(visit(monkeypatch, "archive", "--archive-dir", folder_of(tmp_path)))
    found = table(app)
    assert found[0][0] == "deep/er/ unknown"
    first = found[0]
    assert first[1:5] == ["unknown", "SWE-agent trajectory", "11", "7"]
    assert first[5].startswith("stalled ")
    assert [(cells[1], cells[2], cells[3]) for cells in found[1:]] == [
        ("2026-05-04", "Claude Code session", "7"),
        ("2026-05-04", "Claude Code session", "2"),
    ]
    said = shown(app)
    assert "1 file could not be read" in said
    assert "a Codex rollout without a model call" in said
    assert "this is a Gemini CLI session, which is known but not supported yet" in said
    assert "no reader knows this file" in said


def test_the_list_is_sorted_and_filtered_by_its_address(monkeypatch, tmp_path):
    """`sort`, `order` and `listed` stand in the address."""
    folder = folder_of(tmp_path)
    by_calls = table(finished(visit(monkeypatch, "archive", "--archive-dir", folder, sort="calls", order="turned")))
    assert [cells[3] for cells in by_calls] == ["2", "7", "11"]
    stalled = table(finished(visit(monkeypatch, "archive", "--archive-dir", folder, listed="stalled")))
    assert len(stalled) == 1
    app = finished(visit(monkeypatch, "archive", "--archive-dir", folder))
    app.text_input(key="archive-filter").set_value("CLOCK claude").run()
    assert {cells[2] for cells in table(app)} == {"Claude Code session"}


def test_a_file_is_read_again_only_when_it_has_changed(monkeypatch, tmp_path):
    """Rows are kept by path, size and time; one that changed is listed anew, the others are not opened."""
    folder = folder_of(tmp_path)
    finished(visit(monkeypatch, "archive", "--archive-dir", folder))
    started = []
    popen = listing.subprocess.Popen

    def counted(*arguments, **options):
        started.append(arguments)
        return popen(*arguments, **options)

    monkeypatch.setattr(listing.subprocess, "Popen", counted)
    finished(visit(monkeypatch, "archive", "--archive-dir", folder))
    assert started == []
    shutil.copy(FIXTURES / "mini-list.json", folder / "session.jsonl")
    time.sleep(opening.STAMP_SECONDS + 0.1)
    app = finished(visit(monkeypatch, "archive", "--archive-dir", folder))
    assert len(started) == 1
    assert "mini-swe-agent trajectory" in shown(app)
    assert "Claude Code session" not in shown(app)


def test_reading_can_be_stopped_and_gone_on_with(monkeypatch, tmp_path, fresh):
    """Stop ends the process; what is known stays, and going on lists the rest."""
    folder = folder_of(tmp_path)
    app = visit(monkeypatch, "archive", "--archive-dir", folder)
    process = fresh._process
    app.button(key="archive-stop").click().run()
    assert process.wait(20) is not None
    for _ in range(100):
        if fresh._process is None:
            break
        time.sleep(0.05)
    app.run()
    assert not app.exception
    if app.get("progress"):
        app.button(key="archive-go-on").click().run()
    assert len(table(finished(app))) == 3


def test_hostile_names_and_titles_are_text(monkeypatch, tmp_path):
    """A file name of markup has a plain id, opens, and is shown as its characters."""
    (tmp_path / "in").mkdir()
    shutil.copy(FIXTURES / "swe-cycle.traj", tmp_path / "in" / HOSTILE)
    app = finished(visit(monkeypatch, "archive", "--archive-dir", tmp_path / "in"))
    assert HOSTILE in shown(app)
    (entry,) = [each for each in offer(Arguments(archive_dir=str(tmp_path / "in"))).entries if each.origin == "archive"]
    assert entry.id == "img-src-x-onerror-alert-1-a-http-outside-s.traj"
    opened = start(monkeypatch, "--archive-dir", tmp_path / "in", package=entry.id)
    assert not opened.exception
    assert "11 decisions" in shown(opened)


def test_folders_among_the_arguments_are_archives(tmp_path):
    """A folder that is no package is searched; with several, names begin with their folder; links are passed over."""
    one, two = tmp_path / "one", tmp_path / "two"
    for folder in (one, two):
        folder.mkdir()
        shutil.copy(FIXTURES / "mini-list.json", folder / "run")
    (two / "link").symlink_to(one / "run")
    found = offer(Arguments((str(one),), str(two)))
    assert [each.name for each in found.entries if each.origin != "sample"] == ["one/run", "two/run"]
    assert [each.id for each in found.entries if each.origin != "sample"] == ["one-run", "two-run"]
    assert found.folders == (one, two)
    assert found.passed == (PassedOver("two/link", "a link"),)
    alone = offer(Arguments((str(one),)))
    assert [each.name for each in alone.entries if each.origin == "archive"] == ["run"]


def test_names_are_told_apart_by_the_shortest_part_of_their_paths(tmp_path):
    """Arguments, samples and archive folders of one name get the folder above it, or two; never the whole path."""
    run = [tmp_path / name for name in ("a/x/later", "b/x/later", "c/other", "d/tight_budget")]
    for folder in run:
        folder.mkdir(parents=True)
        (folder / "manifest.json").write_text("{}")
    found = offer(Arguments(tuple(map(str, (*run, run[0])))))
    assert [each.name for each in found.entries if each.origin == "argument"] == [
        "a/x/later",
        "b/x/later",
        "other",
        "d/tight_budget",
    ]
    folders = [tmp_path / name for name in ("one/runs", "two/runs")]
    for folder in folders:
        folder.mkdir(parents=True)
        (folder / "later").touch()
    found = offer(Arguments((str(folders[0]),), str(folders[1])))
    assert [each.name for each in found.entries if each.origin == "archive"] == ["one/runs/later", "two/runs/later"]


def test_the_command_line_is_complained_about(tmp_path):
    """Paths where nothing is and options that the app has not: a sentence each; a good one gives none."""
    argv = ["app.py", str(tmp_path), "/nope", "--archive-dri", "x", "--archive-dir", "/gone"]
    assert complaints(read_arguments(argv)) == [
        "/nope: there is no such file or folder",
        "--archive-dir /gone: there is no such folder",
        "--archive-dri: the app knows no such option (it knows --archive-dir DIR)",
        "x: not opened: it stands behind an unknown option",
    ]
    assert complaints(read_arguments(["app.py", str(tmp_path), "--archive-dir", str(tmp_path)])) == []
    assert read_arguments(["app.py", "one", "--archive-dir", "runs", "two"]) == Arguments(("one", "two"), "runs")
    assert complaints(read_arguments(["app.py", "--archive-dir"])) == [
        "--archive-dir: the app knows no such option (it knows --archive-dir DIR)"
    ]


def test_one_count_of_recordings_everywhere(monkeypatch, tmp_path):
    """Page and sidebar count recordings, and apart from them files that hold none; a file of two sessions counts once."""
    folder = folder_of(tmp_path)
    before = visit(monkeypatch, "overview", "--archive-dir", folder)
    assert "5 files, not read yet" in shown(before)
    app = finished(visit(monkeypatch, "archive", "--archive-dir", folder))
    app.run()
    apart = "2 files hold none; 1 file could not be read"
    assert f"2 recordings (3 investigations), 1 stalled; {apart}." in shown(app)
    assert f"2 recordings; {apart}" in shown(app).splitlines()


def test_what_holds_no_recording_is_not_offered(monkeypatch, tmp_path):
    """Once that is known the sidebar and the list to compare with leave it out, and say how much."""
    folder = folder_of(tmp_path)
    finished(visit(monkeypatch, "archive", "--archive-dir", folder))
    app = visit(monkeypatch, "compare", "--archive-dir", folder)
    assert not app.exception
    lines = shown(app).splitlines()
    assert "notes.txt" not in lines
    assert "damaged.jsonl" not in lines
    assert lines.count("session.jsonl") == 2
    assert "3 files of the archive left out: no recording that can be read." in lines


def test_long_names_keep_ids_of_their_own(tmp_path):
    """Two long names that begin alike differ in their ids, whatever else lies in the folder."""
    names = [f"{'a' * 90}-{number}" for number in (1, 2)]
    for name in names:
        (tmp_path / name).touch()
    entries = [each for each in offer(Arguments(archive_dir=str(tmp_path))).entries if each.origin == "archive"]
    before = {each.name: each.id for each in entries}
    (tmp_path / f"{'a' * 90}-0").touch()
    entries = [each for each in offer(Arguments(archive_dir=str(tmp_path))).entries if each.origin == "archive"]
    assert len({each.id for each in entries}) == 3
    assert {each.name: each.id for each in entries}.items() >= before.items()


def test_a_folder_that_is_not_there(monkeypatch, tmp_path):
    """It is said, and nothing is raised."""
    app = visit(monkeypatch, "archive", "--archive-dir", tmp_path / "nowhere")
    assert not app.exception
    assert "there is no such folder" in shown(app)


def test_a_server_without_an_archive_says_how_to_have_one(monkeypatch):
    """The page is not in the menu; its address says what to do."""
    assert "Archive" not in shown(start(monkeypatch)).splitlines()
    app = visit(monkeypatch, "archive")
    assert not app.exception
    assert "This server was started without an archive folder." in shown(app)


def test_the_process_answers_line_by_line(tmp_path):
    """Names in, rows out: a recording, one that is damaged, and what is none."""
    folder = folder_of(tmp_path)
    files = [folder / "session.jsonl", folder / "damaged.jsonl", folder / "notes.txt"]
    asked = "".join(json.dumps([str(path), f"n{number}"]) + "\n" for number, path in enumerate(files))
    said = io.StringIO()
    serve(io.StringIO(asked), said, 1)
    answers = dict(read(line) for line in said.getvalue().splitlines())
    assert [each.calls for each in answers["n0"]] == [7, 2]
    assert isinstance(answers["n1"], Unread)
    assert answers["n1"].error.message == "a Codex rollout without a model call"
    assert answers["n2"] == PassedOver("n2", "no reader knows this file")


def test_a_process_that_dies_is_said_and_not_started_for_ever(monkeypatch, tmp_path, fresh):
    """Its files are listed as unread with the reason."""
    monkeypatch.setattr(listing, "ROOT", tmp_path)  # there is no such module
    monkeypatch.setattr(sys, "path", [*sys.path])
    path = tmp_path / "run"
    shutil.copy(FIXTURES / "mini-list.json", path)
    entries = [Entry("run", "run", "archive", path)]
    fresh.look(entries)
    for _ in range(200):
        seen = fresh.look(entries)
        if not seen.running:
            break
        time.sleep(0.05)
    assert seen.answers["run"].error.message == "it was not listed: the process that read it ended"


def test_sorting_and_filtering_of_rows(tmp_path):
    """Each column sorts, ties by stall; words of the filter may stand in name, title, reader or verdict."""
    entry = Entry("e", "runs/one", "archive", tmp_path)
    rows = [
        archived.Row(entry, row("a", calls=3, date="2026-01-02")),
        archived.Row(entry, row("b", calls=9, date="[trimmed]", title="Why the clock stops")),
        archived.Row(entry, row("c", calls=3, date="2026-03-01", stalled=True, verdict="Stopped")),
    ]

    def names(text="", shown="all", sort="stalled", *, turned=False):
        return "".join(each.listed.name for each in archived.chosen(rows, text, shown, sort, turned=turned))

    assert names()[0] == "c"
    assert names(sort="calls") == "bca"
    assert names(sort="date") == "cab"
    assert names(sort="name", turned=True) == "cba"
    assert names("CLOCK why") == "b"
    assert names("runs/one stopped") == "c"
    assert names(shown="stalled") == "c"
    looped = archived.Row(entry, row("d", calls=1, date="2026-01-01", looped=True))
    found = archived.chosen([*rows, looped], "", "all", "stalled", turned=False)
    assert "".join(each.listed.name for each in found)[:2] == "cd"
    found = archived.chosen([*rows, looped], "", "looped", "stalled", turned=False)
    assert "".join(each.listed.name for each in found) == "d"
    assert names(shown="problems") == ""
    assert archived.day(rows[1].listed) == ""
