"""Faults of the world put into packages at random: one trial a call, from one seed.

Each raises AssertionError if a record that was acknowledged, or that nobody touched, is lost, or if a change is not told;
each gives the words in which the fault was reported. `tests/test_package_faults.py` tries some, `benchmarks/faults.py` many.
"""

from __future__ import annotations

import os
import shutil
from random import Random
from typing import TYPE_CHECKING
from unittest import mock

from package_tools import LOOKUP, SUMMARY, SYSTEM, record

from core.errors import InspectorError, PackageError
from core.package import PackageWriter, append, check, open_package

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

FILES = ("messages.jsonl", "decisions.jsonl", "fragments.jsonl")


class Killed(BaseException):
    """The process ends here: nothing of the writer runs after it."""


def _unsynced():
    return mock.patch("os.fsync")  # syncing has tests of its own; here it would only cost time


# --- writing


def _work(package: PackageWriter, rng: Random, decisions: int, done: list[tuple[str, object]]) -> None:
    """Record prompts that grow, with results of some kilobytes; `done` has what was acknowledged."""
    prompt = [SYSTEM]
    for number in range(decisions):
        body = "".join(rng.choice(("play();\n", "é\r\n", "\ud800", "}\n")) for _ in range(rng.randrange(1500)))
        prompt = [*prompt, {"role": "user", "text": body}]
        done.append(("decision", package.append_decision(prompt, reply={"text": "look", "lookups": [LOOKUP]})))
        package.append_fragment(f"f{number}", LOOKUP, body, requested_by=number + 1)
        done.append(("fragment", (f"f{number}", body)))


def _hold(folder: Path, done: list[tuple[str, object]], more: int) -> str:
    """Everything acknowledged is there and whole, and at most `more` records beside it. What was said of the rest."""
    run = open_package(folder / "run" if (folder / "run").exists() else folder / "run.partial")
    keys = [key for kind, key in done if kind == "decision"]
    bodies = [each for kind, each in done if kind == "fragment"]
    whole = [decision for decision in run.decisions if decision.problem is None]
    assert [decision.key for decision in whole][: len(keys)] == keys
    assert all(message.problem is None for decision in whole for message in decision.messages)
    assert all(decision.computed_request_hash() == decision.request_hash for decision in whole[-3:])
    assert [(each.id, each.body) for each in run.fragments if each.problem is None][: len(bodies)] == bodies
    assert len(run.decisions) - len(keys) in range(more + 1)
    assert len(run.fragments) - len(bodies) in range(more + 1)
    return _told(run.problems)


def killed(folder: Path, rng: Random) -> str:
    """A writer is killed in the middle of any byte of a large recording, its closing included."""
    done: list[tuple[str, object]] = []
    left = [rng.randrange(330_000)]
    real = append.write_all

    def write_all(fd, data, offset):
        if len(data) > left[0]:
            real(fd, data[: left[0]], offset)
            raise Killed
        left[0] -= len(data)
        real(fd, data, offset)

    with _unsynced(), mock.patch.object(append, "write_all", write_all), mock.patch("os.ftruncate"):
        try:
            with PackageWriter(folder / "run", title="t") as package:
                _work(package, Random(rng.random()), 40, done)  # noqa: S311  # reproducible
        except Killed:
            pass
    if not done and not (folder / "run.partial" / "manifest.json").exists():
        return "no package yet"
    return _hold(folder, done, 1)


def disk_full(folder: Path, rng: Random) -> str:
    """The disk takes no more, at any byte of any record, again and again; the recorder goes on when there is room."""
    real = os.pwrite
    room = [10**9]

    def pwrite(fd, data, offset):
        if room[0] <= 0:
            raise OSError(28, "No space left on device")
        count = real(fd, bytes(data)[: room[0]], offset)
        room[0] -= count
        return count

    done: list[tuple[str, object]] = []
    said = []
    with (
        _unsynced(),
        mock.patch.object(append.os, "pwrite", pwrite),
        PackageWriter(folder / "run", title="t") as package,
    ):
        for number in range(20):
            room[0] = rng.randrange(3000) if rng.random() < 0.5 else 10**9
            body = "b" * rng.randrange(2000)
            try:
                done.append(("decision", package.append_decision([SYSTEM, {"role": "user", "text": body}])))
                package.append_fragment(f"f{number}", LOOKUP, body)
                done.append(("fragment", (f"f{number}", body)))
            except PackageError as error:
                said.append(f"PackageError: {error.message} ({error.found})")
        room[0] = 10**9
    assert _hold(folder, done, 0) == "no problem"
    return said[0] if said else "no problem"


def second_writer(folder: Path, rng: Random) -> str:
    """A second writer of the same name, at any time and of either kind, is refused; the first one's records stay."""
    done: list[tuple[str, object]] = []
    said = ""
    zipped = rng.random() < 0.3
    with _unsynced(), PackageWriter(folder / "run", title="t", zip=zipped) as package:
        for _ in range(rng.randrange(1, 4)):
            _work_once(package, done)
            try:
                PackageWriter(folder / "run", title="other", zip=rng.random() < 0.5)
            except PackageError as error:
                said = f"PackageError: {error.message}"
            else:
                raise AssertionError("a second writer was let in")
    try:
        PackageWriter(folder / "run", title="other")
    except PackageError:
        assert _hold(folder, done, 0) == "no problem"
        return said
    raise AssertionError("a writer was let in to a finished package")


def _work_once(package: PackageWriter, done: list[tuple[str, object]]) -> None:
    number = len(done)
    done.append(("decision", package.append_decision([SYSTEM, SUMMARY])))
    package.append_fragment(f"f{number}", LOOKUP, "b")
    done.append(("fragment", (f"f{number}", "b")))


# --- reading


def changed_while_open(folder: Path, rng: Random) -> str:
    """A file of an open package is cut, overwritten, appended to, replaced or removed; then everything is looked at."""
    with mock.patch("core.package.reading.CHECK_AT_OPEN_BYTES", 0):  # opened at the cost of its index
        record(folder / "run")
        good = open_package(folder / "run")
        wanted = [(each.text, each.problem) for each in good.messages]
        run = open_package(folder / "run")
    path = folder / "run" / rng.choice(FILES)
    data = path.read_bytes()
    how = rng.choice(("cut", "overwritten", "grown", "replaced", "removed"))
    if how == "cut":
        os.truncate(path, rng.randrange(len(data)))
    elif how == "overwritten":
        at = rng.randrange(len(data))
        with path.open("r+b") as file:
            file.seek(at)
            file.write(bytes([data[at] ^ rng.randrange(1, 256)]))
    elif how == "grown":
        with path.open("ab") as file:
            file.write(rng.randbytes(rng.randrange(1, 50)))
    else:
        path.unlink()
        if how == "replaced":
            path.write_bytes(rng.randbytes(200))
    for decision in run.decisions:
        assert all(message.problem or (message.text, None) in wanted for message in decision.messages)
    try:
        told = _told(check(run).problems)
    except InspectorError as error:
        told = f"{type(error).__name__}: {error.message}"
    if how in ("replaced", "removed"):
        return "still open as it was opened" if told == "no problem" else told
    assert told != "no problem", how
    return told


def flipped(folder: Path, rng: Random) -> str:
    """Bytes of any file are changed: what was not touched is there, and that there was a change is told."""
    run = record(folder / "run")
    name = rng.choice((*FILES, "manifest.json"))
    good = (run / name).read_bytes()
    made = bytearray(good)
    for _ in range(rng.randrange(1, 4)):
        at = rng.randrange(len(made))
        piece = rng.choice(
            (bytes([made[at] ^ (1 << rng.randrange(8))]), b"", rng.randbytes(rng.randrange(1, 9)), b"\n")
        )
        made[at : at + rng.randrange(1, 3)] = piece
    (run / name).write_bytes(made)
    try:
        opened = open_package(run)
    except InspectorError as error:
        return f"{type(error).__name__}: {error.message}"
    if name == "manifest.json":  # nothing vouches for what it says of itself
        assert len(opened.messages) == 3
        return _told(opened.problems)
    assert opened.problems or bytes(made) == good
    rows = dict(zip(FILES, (opened.messages, opened.decisions, opened.fragments), strict=True))
    for file, records in rows.items():
        before = (good if file == name else (run / file).read_bytes()).split(b"\n")
        if b"" in [line.strip() for line in bytes(made).split(b"\n")[:-1]] and file == name:
            continue  # a blank line counts for nothing, so that places moved
        for number, line in enumerate(
            (bytes(made) if file == name else (run / file).read_bytes()).split(b"\n")[: len(records)]
        ):
            untouched = number < len(before) and line == before[number] and line
            if untouched and not (file == "decisions.jsonl" and name == "messages.jsonl"):
                assert records[number].problem is None, (file, number)
    return _told(opened.problems)


def _told(problems) -> str:
    told = next((problem for problem in problems if problem.line is not None), *problems[:1] or (None,))
    return "no problem" if told is None else f"Problem: {told.what}"


FAULTS: dict[str, Callable[[Path, Random], str]] = {
    "writer killed at any byte of 300 KB": killed,
    "disk full at any byte, 20 records": disk_full,
    "second writer": second_writer,
    "a file changed while it is open": changed_while_open,
    "bytes of a package changed": flipped,
}
"""What a person calls it → one trial in an empty folder."""


def tried(fault: Callable[[Path, Random], str], seed: int, folder: Path) -> str:
    """One trial in a folder of its own, which is removed."""
    place = folder / str(seed)
    place.mkdir()
    try:
        return fault(place, Random(seed))  # noqa: S311  # reproducible
    finally:
        shutil.rmtree(place)
