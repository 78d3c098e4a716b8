"""Opening a long transcript: first decision, next ones, memory.

    python benchmarks/readers.py [--calls 7770] [--megabytes 70]

Makes a Claude Code session out of records of its own (reads of a file of its own, searches, edits, one compaction in
every 2,000 calls), opens it in a fresh process, and prints how long it takes until the first decision can be shown, how
long each next one takes, and the resident memory. Nothing here fails a test run.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

if TYPE_CHECKING:
    from collections.abc import Iterator

SESSION = "5e55105e-0000-4000-8000-000000000001"
WORDS = [
    "clock",
    "gear",
    "spring",
    "lever",
    "escapement",
    "pallet",
    "wheel",
    "pinion",
    "barrel",
    "crown",
    "balance",
    "hairspring",
    "train",
    "jewel",
    "bridge",
]


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=7770)
    parser.add_argument("--megabytes", type=float, default=70)
    parser.add_argument("--open", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.open:
        measure(arguments.open)
        return
    with tempfile.TemporaryDirectory(prefix="readers-") as folder:
        path = Path(folder) / "session.jsonl"
        write(path, arguments.calls, int(arguments.megabytes * 1e6))
        print(f"transcript: {arguments.calls:,} calls, {path.stat().st_size / 1e6:.1f} MB")
        subprocess.run([sys.executable, __file__, "--open", str(path)], check=True)  # noqa: S603  # this very file


def measure(path: Path) -> None:
    """Open `path` in this process and print the figures."""
    from core.readers import open_any  # noqa: PLC0415  # its import belongs to what is measured

    bare = _resident()
    start, worked = time.perf_counter(), time.process_time()
    investigation = open_any(path)[0]
    first = investigation.decisions[0]
    shown = sum(message.byte_length for message in first.messages)
    opened, worked = time.perf_counter() - start, time.process_time() - worked
    print(f"first decision ({shown:,} bytes) after {opened:.2f} s ({worked:.2f} s of processor time)")
    steps = []
    for number in random.Random(7).sample(range(len(investigation.decisions)), 300):  # noqa: S311  # a fixed sample
        start = time.perf_counter()
        decision = investigation.decisions[number]
        shown = sum(message.byte_length for message in decision.messages)
        steps.append(time.perf_counter() - start)
    print(f"any other decision: median {statistics.median(steps) * 1e3:.2f} ms, slowest {max(steps) * 1e3:.1f} ms")
    print(
        f"decisions {len(investigation.decisions):,}, messages {len(investigation.messages):,}, "
        f"slices {sum(len(decision.slices) for decision in investigation.decisions):,}"
    )
    print(f"resident at most {_resident() / 1e6:.0f} MB (bare interpreter {bare / 1e6:.0f} MB)")


def _resident() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def write(path: Path, calls: int, size: int) -> None:
    """A session of `calls` requests in about `size` bytes."""
    rng = random.Random(17)  # noqa: S311  # the same file on every run
    per_call = max(size // calls - 2_600, 200)
    with path.open("w", encoding="utf-8") as file:
        for record in records(rng, calls, per_call):
            file.write(json.dumps(record, ensure_ascii=False) + "\n")


def records(rng: random.Random, calls: int, per_call: int) -> Iterator[dict[str, Any]]:
    """The lines of the session; each result holds about half of `per_call` bytes twice, as real ones do."""
    yield _user(0, "Why does the clock lose a minute a day?")
    for number in range(1, calls + 1):
        if number % 2_000 == 0:
            yield {
                **_base(number, "boundary"),
                "type": "system",
                "subtype": "compact_boundary",
                "parentUuid": None,
                "compactMetadata": {"trigger": "auto", "preTokens": 150_000},
            }
            yield {**_user(number, "So far the barrel and the train were looked at. " * 20), "isCompactSummary": True}
        yield from _call(rng, number, per_call)


def _call(rng: random.Random, number: int, per_call: int) -> Iterator[dict[str, Any]]:
    usage = {
        "input_tokens": 4,
        "cache_read_input_tokens": 40_000 + number,
        "cache_creation_input_tokens": 900,
        "output_tokens": 80,
    }
    start, path = rng.randrange(1, 3_000), f"/clock/{rng.choice(WORDS)}.py"
    call = {
        "type": "tool_use",
        "id": f"toolu_{number}",
        "name": "Read",
        "input": {"file_path": path, "offset": start, "limit": 40},
    }
    for block in ({"type": "text", "text": "Next the " + " ".join(rng.choices(WORDS, k=30))}, call):
        yield {
            **_base(number, block["type"]),
            "type": "assistant",
            "requestId": f"req_{number}",
            "message": {
                "id": f"msg_{number}",
                "role": "assistant",
                "model": "clock-1",
                "content": [block],
                "usage": usage,
            },
        }
    lines = []
    while sum(map(len, lines)) < per_call // 2:
        lines.append("    " + " ".join(rng.choices(WORDS, k=9)))
    numbered = "\n".join(f"{place:6}→{line}" for place, line in enumerate(lines, start))
    file = {
        "filePath": path,
        "content": "\n".join(lines),
        "startLine": start,
        "numLines": len(lines),
        "totalLines": 4_000,
    }
    yield {
        **_user(number, [{"type": "tool_result", "tool_use_id": f"toolu_{number}", "content": numbered}]),
        "toolUseResult": {"type": "text", "file": file},
    }


def _base(number: int, what: str) -> dict[str, Any]:
    return {
        "uuid": f"{what}-{number}",
        "parentUuid": f"result-{number - 1}",
        "sessionId": SESSION,
        "cwd": "/clock",
        "version": "2.1.0",
        "isSidechain": False,
        "timestamp": f"2026-05-{number % 28 + 1:02}T10:00:00.000Z",
    }


def _user(number: int, content: Any) -> dict[str, Any]:
    return {**_base(number, "result"), "type": "user", "message": {"role": "user", "content": content}}


if __name__ == "__main__":
    main()
