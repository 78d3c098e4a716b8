"""Opening a large package: first time, again, memory, and one decision; figures, ratios and the machine.

    python benchmarks/package_open.py [--decisions 20000] [--line-bytes 50000] [--zip] [--check]

The package is made in a temporary folder and removed. Times are medians; the files are in the page cache. Ratios are
taken in the same process, one run of each in turn, because machines are noisy. Nothing here fails a test run.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import platform
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import orjson

from core.canonical import canonical_bytes_trusted, canonical_text
from core.package import check, open_package
from core.package.draft import Draft, header
from core.package.names import DECISIONS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

BLOCK = 4 * 1024 * 1024
SAMPLE = 300


def main() -> None:
    """Run and print."""
    arguments = _arguments()
    print(f"machine: {_machine()}")
    with tempfile.TemporaryDirectory(prefix="package-open-") as folder:
        os.environ["XDG_CACHE_HOME"] = str(Path(folder) / "cache")
        package = Path(folder) / ("run.zip" if arguments.zip else "run")
        build(package, arguments.decisions, arguments.line_bytes, zip_=arguments.zip)
        size = _size(package)
        print(f"package: {arguments.decisions} decisions, {size / 1e9:.2f} GB, {'zip' if arguments.zip else 'folder'}")
        _opening(package)
        _memory(package)
        _decisions(package)
        if arguments.check:
            _checking(package)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--decisions", type=int, default=20_000)
    parser.add_argument("--line-bytes", type=int, default=50_000)
    parser.add_argument("--zip", action="store_true", help="a stored zip instead of a folder")
    parser.add_argument("--check", action="store_true", help="also verify all of it")
    return parser.parse_args()


# --- the package


def build(package: Path, decisions: int, line_bytes: int, *, zip_: bool = False) -> None:
    """A run whose decisions carry long ledgers, as large ones do; each prompt is one message longer than the last ten."""
    draft = Draft(package, header("benchmark", "recorded", "scripted", None, None, None), zip_=zip_, sync=False)
    entries = [_entry(number) for number in range(max(1, line_bytes // 235))]
    messages = draft.append_messages(
        [canonical_bytes_trusted({"role": "user", "text": f"{n} " + "x" * 400}) for n in range(decisions + 10)]
    )
    texts = (Path(draft.partial) / "messages.jsonl").read_bytes().splitlines()
    for number in range(decisions):
        places = messages[number : number + 10]
        row: dict[str, Any] = {
            "index": number + 1,
            "attempt": 1,
            "status": "accepted",
            "sent": True,
            "format": "bounded_repair_v1",
            "messages": [[places[0], 10]],
            "memory": {"base_bytes": 9120, "context_bytes": 30000, "ledger": entries},
            "reply": {"text": "y" * 1500, "lookups": [{"kind": "search", "queries": [f"q{number}"], "search": "s"}]},
            "outcome": {"kind": "continued"},
            "request_hash": draft.request_hash(
                "bounded_repair_v1", places, lambda nth, places=places: texts[places[nth]]
            ),
        }
        draft.append(DECISIONS, [canonical_bytes_trusted(row)])
    draft.close()


def _entry(number: int) -> dict[str, Any]:
    identity = canonical_text(["search", [f"query{number} unsupported_control"], f"function play{number}(", None])
    place = {"message": 1, "start": number, "end": number + 90}
    return {"identity": identity, "status": "completed", "decision": 1 + number, "body": "whole", **place}


def _size(package: Path) -> int:
    return package.stat().st_size if package.is_file() else sum(path.stat().st_size for path in package.iterdir())


# --- what is measured


def _opening(package: Path) -> None:
    scans, first = [], []
    for _ in range(5):
        scans.append(_seconds(lambda: newline_scan(package)))
        _forget_indexes()
        first.append(_seconds(lambda: open_package(package)))
    again = [_seconds(lambda: open_package(package).decisions[0]) for _ in range(20)]
    ratio = statistics.median(one / other for one, other in zip(first, scans, strict=True))
    print(f"newline scan:     {_ms(scans)}  (bytearray.find over 4 MiB reads)")
    print(f"open, first time: {_ms(first)}  = {ratio:.2f} x the scan (to reach: 2)")
    print(f"open again:       {_ms(again)}  to the decision list and its first decision (to reach: 20 ms)")


def newline_scan(package: Path) -> int:
    """The measure: every newline of every file, found with `bytearray.find` over 4 MiB reads."""
    count = 0
    for path in [package] if package.is_file() else sorted(package.glob("*.jsonl")):
        block = bytearray(BLOCK)
        with path.open("rb", buffering=0) as file:
            while got := file.readinto(block):
                at = block.find(b"\n", 0, got)
                while at >= 0:
                    count += 1
                    at = block.find(b"\n", at + 1, got)
    return count


def _forget_indexes() -> None:
    for path in Path(os.environ["XDG_CACHE_HOME"]).rglob("*.lines"):
        path.unlink()


_RESIDENT = "import re; print(re.search(r'VmRSS:\\s+(\\d+)', open('/proc/self/status').read())[1])"
_OPENED = (
    "import sys; sys.path.insert(0, sys.argv[1]); from core.package import open_package; "
    "i = open_package(sys.argv[2]); {read}; " + _RESIDENT
)


def _memory(package: Path) -> None:
    root = str(Path(__file__).resolve().parents[1])
    bare = _resident([_RESIDENT])
    _forget_indexes()
    opened = _resident([_OPENED.format(read="len(i.decisions)"), root, str(package)])
    read = _resident(
        [
            _OPENED.format(read="sum(i.decisions[n].memory is None for n in range(min(2000, len(i.decisions))))"),
            root,
            str(package),
        ]
    )
    print(f"resident memory:  {opened - bare:.0f} MB over the bare interpreter's {bare:.0f} MB (to reach: 150)")
    print(f"                  {read - bare:.0f} MB after 2,000 decisions were read with their memory")


def _resident(code: list[str]) -> float:
    answer = subprocess.run([sys.executable, "-c", *code], check=True, capture_output=True, text=True)  # noqa: S603  # our own code
    return int(answer.stdout) * 1024 / 1e6


def _decisions(package: Path) -> None:
    investigation = open_package(package)
    rows: Any = investigation.decisions
    places = random.Random(7).sample(range(len(rows)), min(SAMPLE, len(rows)))  # noqa: S311  # the same places each time
    read, with_memory, plain = [], [], []
    for place in places:
        line = rows.line(place)
        plain.append(_seconds(lambda line=line: orjson.loads(line)))
        read.append(_seconds(lambda place=place: rows[place]))
        with_memory.append(read[-1] + _seconds(lambda place=place: rows[place].memory))
    ratio, full = statistics.median(read) / statistics.median(plain), statistics.median(with_memory)
    print(f"orjson.loads:     {_ms(plain)}  of one line, p50")
    print(f"one decision:     {_ms(read)}  = {ratio:.2f} x, read and decoded (to reach: 2)")
    print(
        f"  and its memory: {_ms(with_memory)}  = {full / statistics.median(plain):.2f} x, every ledger entry an object"
    )


def _checking(package: Path) -> None:
    start = time.perf_counter()
    checked = check(open_package(package))
    seconds = time.perf_counter() - start
    print(
        f"check of all:     {seconds:.1f} s, {checked.total / seconds:,.0f} records/s, {len(checked.problems)} problems"
    )


# --- helpers


@contextlib.contextmanager
def _clock() -> Iterator[list[float]]:
    taken: list[float] = []
    start = time.perf_counter()
    yield taken
    taken.append(time.perf_counter() - start)


def _seconds(work: Callable[[], Any]) -> float:
    with _clock() as taken:
        work()
    return taken[0]


def _ms(times: list[float]) -> str:
    return f"{statistics.median(times) * 1000:9.3f} ms"


def _machine() -> str:
    model = next(
        (line.partition(":")[2].strip() for line in _lines("/proc/cpuinfo") if line.startswith("model name")), "?"
    )
    return f"{model}, {os.cpu_count()} cores, {platform.system()} {platform.release()}, Python {platform.python_version()}, orjson {orjson.__version__}"


def _lines(path: str) -> list[str]:
    with contextlib.suppress(OSError):
        return Path(path).read_text(encoding="utf-8").splitlines()
    return []


if __name__ == "__main__":
    main()
