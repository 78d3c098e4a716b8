"""Many packages at once: what a search finds, and that one that fails, dies or hangs loses its own row only."""

from __future__ import annotations

import os
import pickle
import time
from pathlib import Path

import pytest

from core.batch import Lost, diagnose_file, find, in_processes, measure_file, run
from core.errors import InspectorError, PackageError, UnsupportedError

ROOT = Path(__file__).resolve().parents[1]
SAMPLES = ROOT / "sample_archives"
STALLED = SAMPLES / "video_start_overwritten"


def test_answers_come_in_the_order_of_the_tasks():
    """A task that takes longer does not change places with the next one."""
    tasks = [("__import__('time').sleep(0.3) or 'a'",), ("'b'",), ("'c'",)]
    assert in_processes(eval, tasks, jobs=2, seconds=30) == ["a", "b", "c"]


def test_a_worker_that_dies_loses_its_own_task():
    """Killed by a signal or ended by itself: the others are worked on, and the reason says how it ended."""
    tasks = [
        ("1",),
        ("__import__('os')._exit(3)",),
        ("2",),
        ("__import__('os').kill(__import__('os').getpid(), 9)",),
        ("3",),
    ]
    assert in_processes(eval, tasks, jobs=2, seconds=30) == [
        1,
        Lost("the process that worked on it ended: exit status 3"),
        2,
        Lost("the process that worked on it ended: killed by SIGKILL"),
        3,
    ]


def test_a_worker_that_takes_too_long_loses_its_own_task():
    """It is stopped at the limit and its place taken by a new one."""
    start = time.monotonic()
    answers = in_processes(eval, [("__import__('time').sleep(600)",), ("4",), ("5",)], jobs=1, seconds=10)
    assert answers == [Lost("it took longer than 10 seconds"), 4, 5]
    assert time.monotonic() - start < 120


def test_progress_counts_every_task():
    """The last report says that all are done."""
    heard = []
    in_processes(eval, [("1",), ("2",)], jobs=1, seconds=30, progress=lambda done, total: heard.append((done, total)))
    assert heard[-1] == (2, 2)


def test_no_process_is_left_behind():
    """After the work no worker is running."""
    (pid,) = in_processes(eval, [("__import__('os').getpid()",)], jobs=1, seconds=30)
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


@pytest.fixture
def folder(tmp_path):
    """A folder with one package, one recording-like file, and everything that is passed over."""
    home = tmp_path / "runs"
    (home / "deep" / "package").mkdir(parents=True)
    (home / "deep" / "package" / "manifest.json").write_text("{}")
    (home / "notes.txt").write_text("notes")
    (home / ".git").mkdir()
    (home / ".git" / "config").write_text("[core]")
    (home / "link").symlink_to(STALLED)
    os.mkfifo(home / "pipe")
    return home


def test_a_search_names_what_it_finds_and_what_it_passes_over(folder):
    """A package folder is one find, links and hidden folders and pipes are not opened, each with its reason."""
    found, passed = find([folder])
    assert [(item.name, item.named) for item in found] == [("runs/deep/package", False), ("runs/notes.txt", False)]
    assert {item.name: item.reason for item in passed} == {
        "runs/.git": "a hidden folder",
        "runs/link": "a link",
        "runs/pipe": "not a regular file",
    }


def test_what_is_named_is_taken_as_named():
    """A package folder, and a path that does not exist, are not searched for."""
    found, passed = find([STALLED, Path("missing.zip")])
    assert [(item.name, item.named) for item in found] == [("video_start_overwritten", True), ("missing.zip", True)]
    assert passed == []


def test_names_are_unique(tmp_path):
    """Two files of one name are called by their paths, one path named twice by its turn."""
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "run.jsonl").touch()
    one, other = tmp_path / "a" / "run.jsonl", tmp_path / "b" / "run.jsonl"
    found, _ = find([one, other, one])
    assert [item.name for item in found] == [str(one), str(other), f"{one} (2)"]


def test_a_search_has_a_bound_and_says_so(tmp_path, monkeypatch):
    """Of more files than the limit the rest is named as not searched."""
    monkeypatch.setattr("core.batch.search.MAX_SEARCHED_FILES", 2)
    for number in range(4):
        (tmp_path / f"{number}.jsonl").touch()
    found, passed = find([tmp_path])
    assert len(found) == 2
    assert [item.reason for item in passed] == ["more than 2 files: the rest is not searched"]


def _again(value):
    return pickle.loads(pickle.dumps(value))  # noqa: S301  # our own bytes


def test_the_work_on_a_file_is_pure_and_picklable():
    """Function, arguments and results survive pickling, so that another engine can run them."""
    function, arguments = _again((diagnose_file, (str(STALLED), "stalled")))
    said = function(*arguments)
    assert _again(said) == said
    assert (said[0]["package"], said[0]["part"], said[0]["verdict"]["cause"]) == ("stalled", 1, "overwritten")
    measured = measure_file(str(SAMPLES / "few_sources"), "few", ("investigation_project_v5",))
    again = _again(measured)
    assert again[0].as_json() == measured[0].as_json()
    assert len(again[0].contexts) == 9


def _odd(path: str, name: str, _progress: object = None) -> str:
    """A stand-in for the work on a file, told by the file's name."""
    if name.endswith("refused.zip"):
        raise PackageError("refused", file="refused.zip", expected="a package")
    if name.endswith("notes.txt"):
        raise UnsupportedError("no reader knows this file", file="notes.txt")
    if name.endswith("mistake.zip"):
        raise KeyError(path)
    if name.endswith("dies.zip"):
        os._exit(1)
    return name


def test_a_bad_file_is_an_outcome_of_its_own(tmp_path):
    """Refused, dead, or met by a mistake of ours: each is an outcome with an error, and the good ones are there."""
    for name in ("dies.zip", "good.zip", "mistake.zip", "notes.txt", "refused.zip"):
        (tmp_path / name).touch()
    found, _ = find([tmp_path])
    outcomes, passed = run(_odd, found, jobs=2, seconds=60)
    by_name = {outcome.found.path.name: outcome for outcome in outcomes}
    assert by_name["good.zip"].made == f"{tmp_path.name}/good.zip"
    assert str(by_name["refused.zip"].error) == "refused.zip: refused (expected a package)"
    assert by_name["dies.zip"].error.message == "the process that worked on it ended: exit status 1"
    assert by_name["mistake.zip"].error.message.startswith(
        "a mistake in this program: KeyError in test_batch.py, line "
    )
    assert [(item.name, item.reason) for item in passed] == [
        (f"{tmp_path.name}/notes.txt", "no reader knows this file")
    ]


def test_a_named_file_that_no_reader_knows_is_an_error(tmp_path):
    """What a person names is never passed over."""
    path = tmp_path / "notes.txt"
    path.touch()
    outcomes, passed = run(_odd, find([path])[0], jobs=1, seconds=60)
    assert passed == []
    assert isinstance(outcomes[0].error, InspectorError)
