"""A recorder that is killed: whatever was acknowledged is there, and whatever was not is missing or said to be cut."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from package_tools import SYSTEM, errors, record

from core.errors import PackageError
from core.package import PackageWriter, open_package
from core.package import append as append_module
from core.package import draft as draft_module

ROOT = Path(__file__).resolve().parents[1]
KEYS = [(1, 1), (2, 2)]


class Killed(BaseException):
    """The process ends here: nothing of the writer runs after it."""


def _record_until(folder, budget, monkeypatch):
    """Record until `budget` bytes went to disk, then be killed in the middle of a write. Returns what was acknowledged."""
    left = [budget]
    acknowledged = []
    real = append_module.write_all

    def write_all(fd, data, offset):
        if len(data) > left[0]:
            real(fd, data[: left[0]], offset)
            raise Killed
        left[0] -= len(data)
        real(fd, data, offset)

    with monkeypatch.context() as dying:
        dying.setattr(append_module, "write_all", write_all)
        dying.setattr(append_module.os, "fsync", lambda _: None)  # thousands of runs; syncing has its own test
        dying.setattr(append_module.os, "ftruncate", lambda *_: None)  # the dead tidy nothing up
        try:
            record(folder / "run", said=acknowledged.append)
        except Killed:
            return acknowledged
    return acknowledged


def _hold(folder, acknowledged):
    """Every acknowledged record is there and whole; what else is there is one record at most, whole or said to be cut."""
    closed = ("closed", 0) in acknowledged
    investigation = open_package(folder / ("run" if closed else "run.partial"))
    said = [len([what for what, _ in acknowledged if what == kind]) for kind in ("decision", "fragment")]
    whole = [decision for decision in investigation.decisions if decision.problem is None]
    assert [decision.key for decision in whole][: said[0]] == KEYS[: said[0]]
    assert [fragment.id for fragment in investigation.fragments if not fragment.problem][: said[1]] == ["f1"][: said[1]]
    assert len(investigation.decisions) - said[0] in (0, 1)
    assert len(investigation.fragments) - said[1] in (0, 1)
    for decision in whole:
        assert all(message.problem is None for message in decision.messages)
        assert decision.computed_request_hash() == decision.request_hash
    cut = [problem for problem in errors(investigation) if problem.line is not None]
    lost = [row for row in (*investigation.decisions, *investigation.fragments, *investigation.messages) if row.problem]
    assert len(cut) == len(lost) <= 1
    assert investigation.problems_complete
    if not closed:
        assert (investigation.title, investigation.replies) == ("Video start", "scripted")
    return closed


def test_killed_at_every_byte(tmp_path, monkeypatch):
    """Killed at any byte of a small recording, manifest included, the rest opens and nothing acknowledged is lost."""
    closed = False
    budget = 0
    while not closed:
        folder = tmp_path / str(budget)
        acknowledged = _record_until(folder, budget, monkeypatch)
        if any((folder / name / "manifest.json").exists() for name in ("run", "run.partial")):
            closed = _hold(folder, acknowledged)
        else:  # killed before the first manifest stood
            assert acknowledged == []
            with pytest.raises(PackageError, match="not a package"):
                open_package(folder / "run.partial")
        budget += 1
    assert budget > 1900


def test_killed_between_any_two_operations(tmp_path, monkeypatch):
    """Killed before any rename, link or removal, too, all acknowledged records open, under one of the two names."""
    for zipped in (False, True):
        for step in range(20):
            folder = tmp_path / f"{zipped}{step}"
            acknowledged = []
            left = [step]

            def dying(real, left=left):
                def call(*arguments, **options):
                    left[0] -= 1
                    if left[0] < 0:
                        raise Killed
                    return real(*arguments, **options)

                return call

            with monkeypatch.context() as killed:
                for module, name in (
                    (draft_module, "replace_file"),
                    (draft_module, "sync_folder"),
                    (draft_module, "write_zip"),
                    (draft_module.shutil, "rmtree"),
                    (Path, "rename"),
                    (os, "link"),
                    (os, "fsync"),
                ):
                    killed.setattr(module, name, dying(getattr(module, name)))
                with contextlib.suppress(Killed):
                    record(folder / "run", zip=zipped, said=acknowledged.append)
            if (folder / "run").exists():
                investigation = open_package(folder / "run")
                assert investigation.problems == ()
                assert [decision.key for decision in investigation.decisions] == KEYS
            elif acknowledged:
                _hold(folder, acknowledged)
        assert ("closed", 0) in acknowledged


def test_a_crash_while_messages_are_written(tmp_path, monkeypatch):
    """No decision on disk refers to a message that is not: messages are written first."""
    order = []
    real = append_module.write_all

    def write_all(fd, data, offset):
        order.append(Path(f"/proc/self/fd/{fd}").readlink().name)
        real(fd, data, offset)

    monkeypatch.setattr(append_module, "write_all", write_all)
    package = PackageWriter(tmp_path / "run", title="t", sync=False)
    order.clear()
    package.append_decision([SYSTEM])
    package.append_decision([SYSTEM])
    assert order == ["messages.jsonl", "decisions.jsonl", "decisions.jsonl"]


def test_each_record_is_synced_before_the_call_returns(tmp_path, monkeypatch):
    """By default the writer waits for the disk, messages before the decision."""
    order = []
    real = os.fsync

    def fsync(fd):
        order.append(Path(f"/proc/self/fd/{fd}").readlink().name)
        real(fd)

    package = PackageWriter(tmp_path / "run", title="t")
    monkeypatch.setattr(os, "fsync", fsync)
    package.append_decision([SYSTEM])
    package.append_fragment("f", {"kind": "k"}, "b")
    assert order == ["messages.jsonl", "decisions.jsonl", "fragments.jsonl"]


ENDLESS = """
import sys
sys.path.insert(0, sys.argv[1])
from core.package import PackageWriter
package = PackageWriter(sys.argv[2], title="t")
number = 0
while True:
    number += 1
    package.append_decision([{"role": "user", "text": f"{number} " + "x" * 5000}])
    package.append_fragment(f"f{number}", {"kind": "k"}, "b" * 5000, requested_by=number)
    print(number, flush=True)
"""


@pytest.mark.parametrize("after", [1, 7, 23])
def test_a_real_kill(tmp_path, after):
    """A process killed by the system while it records leaves a package with every record that it had reported."""
    command = [sys.executable, "-c", ENDLESS, str(ROOT), str(tmp_path / "run")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout:
            if int(line) >= after:
                break
        process.send_signal(signal.SIGKILL)
        reported = max([after, *(int(line) for line in process.stdout if line.strip())])
    investigation = open_package(tmp_path / "run.partial")
    assert [d.index for d in investigation.decisions if d.problem is None][:reported] == list(range(1, reported + 1))
    assert [f.id for f in investigation.fragments if f.problem is None][:reported] == [
        f"f{number}" for number in range(1, reported + 1)
    ]
    assert len(errors(investigation)) <= 1


ENDING = """
import os, sys
sys.path.insert(0, sys.argv[1])
from core.package import PackageWriter
package = PackageWriter(sys.argv[2], title="t")
package.append_decision([{"role": "user", "text": "x"}])
os._exit(3)
"""


def test_a_process_that_ends_at_once(tmp_path):
    """`os._exit` right after a call: nothing was waiting in a buffer."""
    command = [sys.executable, "-c", ENDING, str(ROOT), str(tmp_path / "run")]
    assert subprocess.run(command, check=False).returncode == 3
    investigation = open_package(tmp_path / "run.partial")
    assert [message.text for message in investigation.decisions[0].messages] == ["x"]
    assert errors(investigation) == []
