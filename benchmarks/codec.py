"""v5 view to v6 text and back, against reading and writing the v5 text with orjson; ratios, and what v6 saves.

    python benchmarks/codec.py [--megabytes 0.5 5 50] [--rounds 5] [--profile]

Both are taken in the same process, one run of each in turn, in processor time; ratios are of the medians. Two workloads: captures that overlap
by 60 in 100 lines, and captures that share nothing. Nothing here fails a test run.
"""

from __future__ import annotations

import argparse
import cProfile
import platform
import random
import statistics
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import orjson

from core.canonical import canonical_bytes, canonical_bytes_trusted
from core.codec import V5, V6, encode, restore

if TYPE_CHECKING:
    from collections.abc import Callable

MB = 1_000_000
LINES = 120
FILES = 40
WORDS = (
    "const",
    "return",
    "player",
    "state",
    "event",
    "if (",
    "}",
    ");",
    "observe(",
    "queue",
    "=>",
    "await",
    "    ",
    "é",
)


def main() -> None:
    """Print one row a workload and size."""
    parser = argparse.ArgumentParser(description="How fast v6 is against orjson on the v5 text.")
    parser.add_argument("--megabytes", type=float, nargs="+", default=[0.5, 5, 50])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument(
        "--profile", action="store_true", help="print where one encoding and one restoring spend their time"
    )
    arguments = parser.parse_args()
    print(f"Python {platform.python_version()}, orjson {orjson.__version__}, {platform.machine()}")
    print(
        "| workload | v5 MB | v6 of v5 | orjson loads+dumps | v5 object to v6 text | ratio | v6 object to v5 text | ratio |"
    )
    print("|---|---|---|---|---|---|---|---|")
    for name, overlap in (("60 % overlap", 0.6), ("no overlap", 0.0)):
        for megabytes in arguments.megabytes:
            _row(name, v5_view(int(megabytes * MB), overlap), arguments.rounds, profile=arguments.profile)


def _row(name: str, view: dict[str, Any], rounds: int, *, profile: bool) -> None:
    raw = canonical_bytes(view)
    encoded = encode(view, V6, given=V5)
    if canonical_bytes(restore(encoded, to=V5)) != raw:
        sys.exit("the v6 view does not restore exactly")
    six = encoded.view

    def base() -> object:
        return orjson.dumps(orjson.loads(raw), option=orjson.OPT_SORT_KEYS)

    def forth() -> object:
        return encode(view, V6, given=V5).raw

    def back() -> object:
        return canonical_bytes_trusted(restore(six, V6, to=V5))

    if profile:
        for work in (forth, back):
            with cProfile.Profile() as run:
                work()
            run.print_stats("cumulative")
    loaded, there, again = _medians([base, forth, back], rounds)
    print(
        f"| {name} | {len(raw) / MB:.1f} | {100 * len(encoded.raw) / len(raw):.0f} % | {1000 * loaded:.1f} ms "
        f"| {1000 * there:.1f} ms | {there / loaded:.2f} | {1000 * again:.1f} ms | {again / loaded:.2f} |"
    )


def _medians(works: list[Callable[[], object]], rounds: int) -> list[float]:
    times: list[list[float]] = [[] for _ in works]
    for _ in range(rounds):
        for place, work in enumerate(works):
            begin = time.process_time()
            work()
            times[place].append(time.process_time() - begin)
    return [statistics.median(taken) for taken in times]


def v5_view(size: int, overlap: float) -> dict[str, Any]:
    """A v5 view of about `size` bytes: windows over files of made-up source, as a reader of JSON would hold it."""
    made = random.Random(1)  # noqa: S311  # text for a benchmark
    step = LINES - round(LINES * overlap)
    per_capture = 75 * LINES
    captures = max(2, size // per_capture)
    rows = [_file_rows(made, step * (captures // FILES + 1) + LINES) for _ in range(FILES)]
    evidence = [_capture(number, rows, step) for number in range(captures)]
    view = {
        "task": {"goal": "a benchmark"},
        "evidence": evidence,
        "shared_metadata": {f"M{name + 2}": _metadata(name) for name in range(FILES)}
        | {"M1": {"repository": "acme/player", "revision": "9f1c" * 10}},
        "shared_paths": {f"P{name + 1}": f"src/part{name}.js" for name in range(FILES)},
    }
    loaded: dict[str, Any] = orjson.loads(canonical_bytes(view))
    return loaded


def _file_rows(made: random.Random, count: int) -> list[dict[str, Any]]:
    return [
        {"line": line, "text": " ".join(made.choices(WORDS, k=made.randint(2, 10))), "truncated": False}
        for line in range(1, count + 1)
    ]


def _metadata(name: int) -> dict[str, Any]:
    return {"path": f"src/part{name}.js", "content_hash": f"sha256:{name:064x}", "size": 5120}


def _capture(number: int, rows: list[list[dict[str, Any]]], step: int) -> dict[str, Any]:
    name, window = number % FILES, number // FILES
    start = window * step
    return {
        "id": f"E{number}",
        "query": {"tool": "source.read", "path_alias": f"P{name + 1}", "start": start + 1, "end": start + LINES},
        "metadata_ref": f"M{name + 2}",
        "origin_ref": "M1",
        "requested": [start + 1, start + LINES],
        "returned": [start + 1, start + LINES],
        "truncation": None,
        "items": rows[name][start : start + LINES],
    }


if __name__ == "__main__":
    main()
