# ruff: noqa: PLC0415  # each kind imports its tests in its own process, some only after their number of examples is set
"""Faults tried, and what became of them: a table of kinds, trials, escaped exceptions, lost records, and how it was told.

    python -m benchmarks.faults [--trials 100] [--only WORD ...]

Each kind runs in a process of its own, so that its memory is its own. The faults are those of the tests: random ones of
`tests/package_faults.py` and `tests/fault_injector.py`, property tests of the package, the readers and the encodings with
more examples, and the inputs of `tests/hostile.py`. A trial fails if an exception that is not the project's own escapes, if
a record is lost that was acknowledged or not touched, or if a change is not told. The exit status is 1 if one failed.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest import mock

from benchmarks.machine import facts

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SEVERAL = 3
"""How many of the different answers a row of the table shows, the most frequent first."""


class Tally:
    """What the trials of one kind said."""

    def __init__(self) -> None:
        self.said: Counter[str] = Counter()
        self.failed: list[str] = []

    def hear(self, function: Callable[..., str]) -> Callable[..., str]:
        """The same function, heard: what it gives is counted."""

        def heard(*arguments: Any, **options: Any) -> str:
            said = function(*arguments, **options)
            self.said[said] += 1
            return said

        return heard


# --- kinds: each tries `trials` times, and tells the tally


def _world(name: str) -> Callable[[Tally, int], None]:
    """A fault of `package_faults`, from so many seeds."""

    def run(tally: Tally, trials: int) -> None:
        from package_faults import FAULTS, tried

        with tempfile.TemporaryDirectory() as folder:
            for seed in range(trials):
                with _failing(tally, f"seed {seed}"):
                    tally.said[tried(FAULTS[name], seed, Path(folder))] += 1

    return run


def _every_byte(tally: Tally, _: int) -> None:
    """The small recording of the tests, killed at each of its bytes."""
    import pytest
    import test_package_crash as tests

    tally_of = tally.hear(lambda _folder, closed: "closed" if closed else "Problem: the manifest has no table of files")
    hold = tests._hold  # noqa: SLF001  # the tests are ours
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch, _failing(tally, "a byte"):
        patch.setattr(tests, "_hold", lambda *given: tally_of(given[0], hold(*given)) == "closed")
        tests.test_killed_at_every_byte(Path(folder), patch)


def _injected(tally: Tally, trials: int) -> None:
    """Runs with one known fault: the diagnosis must find that one and no other."""
    import fault_injector

    for seed in range(trials):
        with _failing(tally, f"seed {seed}"):
            wrong = fault_injector.wrong(seed)
            assert wrong is None, wrong  # noqa: S101  # a failed trial
            tally.said[f"Repeat: {fault_injector.inject(seed).cause.replace('_', ' ')}"] += 1


def _property(module: str, heard: str, names: dict[str, dict[str, Any]]) -> Callable[[Tally, int], None]:
    """Property tests of one module, with so many examples; `heard` is the function that each example calls."""

    def run(tally: Tally, trials: int) -> None:
        os.environ["FUZZ_EXAMPLES"] = os.environ["CODEC_VIEWS"] = str(trials)  # before the module is imported
        import importlib

        import hypothesis

        hypothesis.settings.register_profile("faults", database=None)
        hypothesis.settings.load_profile("faults")
        tests = importlib.import_module(module)
        setattr(tests, heard, tally.hear(getattr(tests, heard)))
        with tempfile.TemporaryDirectory() as folder, mock.patch("os.fsync"):
            place = _Place(Path(folder))
            fixtures = {"tmp_path": place.mktemp("here"), "tmp_path_factory": place}
            for name, options in names.items():
                given = {key: fixtures[key] for key in options.get("fixtures", ())}
                if options.get("zips"):
                    given["zips"] = tests.zips.__wrapped__(place)
                for each in options.get("each", ({},)):
                    with _failing(tally, f"{name} {each}"):
                        getattr(tests, name)(**given, **each)

    return run


class _Place:
    """Folders, as pytest gives them to tests."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._made = folder, 0

    def mktemp(self, name: str) -> Path:
        """A new empty folder."""
        self._made += 1
        made = self._folder / f"{name}{self._made}"
        made.mkdir()
        return made


@contextlib.contextmanager
def _failing(tally: Tally, what: str) -> Iterator[None]:
    """Whatever escapes is a failed trial, and the next one is tried."""
    try:
        yield
    except Exception as error:  # noqa: BLE001  # this is where it is counted that nothing escapes
        place = traceback.extract_tb(error.__traceback__)[-1]
        notes = " ".join(getattr(error, "__notes__", ()))  # where a property test gives its example
        said = f"{type(error).__name__}: {str(error)[:300]} at {place.name}: {place.line} {notes[:2000]}"
        tally.failed.append(f"{what}: {said}")


def _kinds() -> dict[str, tuple[Callable[[Tally, int], None], float]]:
    """Name → how it is tried, and its share of `--trials` (a large recording takes longer than a changed byte)."""
    from package_faults import FAULTS
    from readers_help import FIXTURES

    from core.readers import READERS

    here = {"fixtures": ("tmp_path",)}
    zips = here | {"zips": True}
    package, readers, codec = "test_package_fuzz", "test_readers", "test_codec_errors"
    each = [{"name": path.name} for path in sorted(FIXTURES.iterdir())]
    shares = {"writer killed at any byte of 300 KB": 0.1, "disk full at any byte, 20 records": 0.5}
    return {
        "writer killed at every byte of 2 KB": (_every_byte, 1),
        **{name: (_world(name), shares.get(name, 1)) for name in FAULTS},
        "package: records without fields, or of other types": (
            _property(package, "_survives", {"test_any_records": {"fixtures": ("tmp_path_factory",)}}),
            1,
        ),
        "package: any manifest": (_property(package, "_survives", {"test_any_manifest": here}), 1),
        "package: bytes of each of its files": (_property(package, "_survives", {"test_any_bytes_in_a_file": here}), 1),
        "zip: bytes, its directory above all": (
            _property(package, "_survives", {"test_any_bytes_in_a_zip": zips}),
            0.5,
        ),
        "zip: fields of its directory and its end": (
            _property(package, "_survives", {"test_any_field_of_a_zip_directory": zips, "test_any_end_of_a_zip": zips}),
            0.5,
        ),
        "any file given as a package": (_property(package, "_survives", {"test_any_file": here}), 0.5),
        "recordings by structure, 16 files": (
            _property(
                readers, "_try", {"test_structural_fuzz": {"each": [e for e in each if e["name"] != "cassette.yaml"]}}
            ),
            0.1,
        ),
        "recordings by bytes, 17 files": (_property(readers, "_try", {"test_byte_fuzz": {"each": each}}), 0.1),
        "any bytes given to each reader": (
            _property(readers, "_try", {"test_any_bytes": {"each": [{"reader": name} for name in READERS]}}),
            0.5,
        ),
        "views by structure": (_property(codec, "_try", {"test_no_other_error_leaves_the_codec": {}}), 1),
        "views by bytes": (_property(codec, "_try", {"test_any_bytes_of_a_view": {}}), 1),
        "runs with one known fault (diagnosis)": (_injected, 1),
    }


# --- running and printing


def _row(name: str, trials: int) -> tuple[str, bool]:
    """One kind tried in a process of its own, as a row; whether all went well."""
    command = [sys.executable, "-m", "benchmarks.faults", "--one", name, "--trials", str(trials)]
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "XDG_CACHE_HOME": cache}
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)  # noqa: S603  # ourselves
    if done.returncode:
        return f"| {name} | | the process ended: {done.stderr.strip()[-300:]} | | | | |", False
    found = json.loads(done.stdout.splitlines()[-1])
    for failed in found["failed"]:
        print(f"{name}: {failed}", file=sys.stderr)
    said = "; ".join(f"{text} ({count:,})" for text, count in found["said"][:SEVERAL])
    more = f"; {len(found['said']) - SEVERAL} more" if len(found["said"]) > SEVERAL else ""
    figures = f"{found['trials']:,} | {len(found['failed'])} | {found['megabytes']:.0f} | {found['seconds']:.0f}"
    return f"| {name} | {figures} | {said.replace('|', '/')}{more} |", not found["failed"]


def _one(name: str, trials: int) -> None:
    from hostile import peak

    run, share = _kinds()[name]
    tally, before, start = Tally(), peak(), time.process_time()
    run(tally, max(1, int(trials * share)))
    figures = {"megabytes": peak() - before, "seconds": time.process_time() - start}
    total = {"trials": tally.said.total() + len(tally.failed), "said": tally.said.most_common(), "failed": tally.failed}
    print(json.dumps(total | figures))


def _hostile_row(kind: str) -> tuple[str, bool]:
    from hostile import HOSTILE, opened

    hostile = HOSTILE[kind]
    with tempfile.TemporaryDirectory() as folder:
        path = hostile.make(Path(folder))
        found = opened(path, hostile.how, Path(folder) / "cache")
    if "error" in found:
        return f"| {kind} | | | the process ended: {found['error']} |", False
    told = next((text for text in found["told"] if hostile.says in text), None)
    within = told is not None and found["megabytes"] <= hostile.megabytes
    figures = f"{found['megabytes']:.0f} | {found['seconds']:.1f}"
    return f"| {kind} | {figures} | {(told or 'NOT TOLD').replace('|', '/')} |", within


def main() -> int:
    """Print both tables."""
    parser = argparse.ArgumentParser(description="Try faults, and say what became of them.")
    parser.add_argument(
        "--trials", type=int, default=100, help="of each cheap kind; dear ones are tried less (default 100)"
    )
    parser.add_argument("--only", nargs="+", metavar="WORD", help="kinds whose name holds one of these")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one is not None:
        _one(arguments.one, arguments.trials)
        return 0
    from hostile import HOSTILE

    def wanted(name: str) -> bool:
        return arguments.only is None or any(word in name for word in arguments.only)

    print("\n".join(facts()))
    well = True
    print("\n| kind | trials | escaped or lost | MB | s | told as |\n|---|---|---|---|---|---|", flush=True)
    for name in filter(wanted, _kinds()):
        row, good = _row(name, arguments.trials)
        well = well and good
        print(row, flush=True)
    print("\n| hostile input | MB | s | told as |\n|---|---|---|---|", flush=True)
    for name in filter(wanted, HOSTILE):
        row, good = _hostile_row(name)
        well = well and good
        print(row, flush=True)
    print("\nMB: memory over the start, at most; s: processor time.")
    return 0 if well else 1


if __name__ == "__main__":
    sys.exit(main())
