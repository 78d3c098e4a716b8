"""Inputs made to take much memory or time, to lead out of their folder, or to block: each with what is said about it.

    python tests/hostile.py PATH opened|measured      opens one in this process and prints what it took, as JSON

`tests/test_hostile.py` bounds the memory of each; `python -m benchmarks.faults` prints memory and time of all.
"""

from __future__ import annotations

import io
import json
import os
import struct
import subprocess
import sys
import time
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

# Imported before the first look at memory: what the program itself takes is not the input's.
from package_tools import DECISIONS, FRAGMENTS, MESSAGES, PLAIN_MANIFEST, lay

from core.batch.files import measure_file
from core.errors import InspectorError, describe
from core.measure import DEFAULT_VERSIONS
from core.package import check
from core.readers import open_any

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).resolve().parents[1]
MIB = 1024**2
LINE = 64 * MIB
SECONDS = 300


@dataclass(frozen=True)
class Hostile:
    """`make(folder)` lays it down and gives its path; `says` stands in what is told; `megabytes` may be taken.

    `slow`: takes seconds, so that it is tried by command only.
    """

    make: Callable[[Path], Path]
    says: str
    megabytes: int = 40
    how: str = "opened"
    slow: bool = False


# --- packages


def _package(folder, **files):
    good = {"manifest": PLAIN_MANIFEST, "messages": MESSAGES, "decisions": DECISIONS, "fragments": FRAGMENTS}
    return lay(folder / "p", **(good | files))


def _message_line(before, unit, after=b'"]}', size=LINE - 100):
    """A package whose fourth message is one line of nearly 64 MiB, the rest as it should be."""
    count = (size - len(before) - len(after)) // len(unit)
    return lambda folder: _package(folder, messages=MESSAGES + before + unit * count + after + b"\n")


def _flat_bomb(folder):
    return _zip(folder, [("messages.jsonl", bytes(200 * MIB))])


def _nested_bomb(folder):
    data = zlib.compress(bytes(50 * MIB))
    for name in ("a.zip", "b.zip", "c.zip"):
        made = io.BytesIO()
        with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
            for number in range(20):
                archive.writestr(f"{number}{name}", data)
        data = made.getvalue()
    return _zip(folder, [("manifest.json", json.dumps(PLAIN_MANIFEST)), ("messages.jsonl", MESSAGES), ("d.zip", data)])


def _zip(folder, members, method=zipfile.ZIP_DEFLATED):
    with zipfile.ZipFile(folder / "a.zip", "w", method) as archive:
        for name, data in members:
            archive.writestr(name, data)
    return folder / "a.zip"


def _declared(folder):
    """A stored member that says it has 10 GB."""
    path = _zip(
        folder, [("manifest.json", json.dumps(PLAIN_MANIFEST)), ("messages.jsonl", b"x" * 1000)], zipfile.ZIP_STORED
    )
    data = bytearray(path.read_bytes())
    at = data.index(b"PK\x01\x02", data.index(b"PK\x01\x02") + 4)
    extra = struct.pack("<HHQQ", 1, 16, 10 * 10**9, 10 * 10**9)
    name = data[at + 46 : at + 60]
    struct.pack_into("<LL", data, at + 20, 0xFFFFFFFF, 0xFFFFFFFF)
    struct.pack_into("<H", data, at + 30, len(extra))
    made = data[: at + 46] + name + extra + data[at + 60 :]
    end = made.index(b"PK\x05\x06")
    struct.pack_into("<L", made, end + 12, struct.unpack_from("<L", made, end + 12)[0] + len(extra))
    path.write_bytes(made)
    return path


def _sparse(name):
    def make(folder):
        path = _package(folder) if name.endswith("l") else folder
        with (path / name).open("wb") as file:
            file.truncate(10 * 10**9)
        return path if name.endswith("l") else path / name

    return make


def _million_members(folder):
    entry = struct.pack("<4s6H3L5H2L", b"PK\x01\x02", 20, 20, 0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0) + b"x123456"
    directory = entry * 1_000_000
    end64 = struct.pack("<4sQ2H2L4Q", b"PK\x06\x06", 44, 45, 45, 0, 0, 10**6, 10**6, len(directory), 4)
    locator = struct.pack("<4sLQL", b"PK\x06\x07", 0, 4 + len(directory), 1)
    end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0)
    (folder / "a.zip").write_bytes(b"PK\x03\x04" + directory + end64 + locator + end)
    return folder / "a.zip"


def _many_files(folder):
    path = _package(folder)
    for number in range(10_100):  # looking ends at 10,000, so a million costs no more
        (path / str(number)).touch()
    return path


def _name(name):
    def make(folder):
        path = _zip(folder, [("manifest.json", json.dumps(PLAIN_MANIFEST)), ("N" * len(name), b"x")])
        path.write_bytes(path.read_bytes().replace(b"N" * len(name), name))
        return path

    return make


def _listed(name):
    return lambda folder: _package(folder, manifest=PLAIN_MANIFEST | {"files": {name: {"sha256": "a", "bytes": 1}}})


def _link_out(folder):
    path = _package(folder)
    (path / "messages.jsonl").unlink()
    (path / "messages.jsonl").symlink_to("/etc/passwd")
    return path


def _pipe(name):
    def make(folder):
        path = _package(folder)
        (path / name).unlink(missing_ok=True)
        os.mkfifo(path / name)
        return path

    return make


def _named_often(folder):
    """Decisions that name all messages each, in another order each: what a hash of each would cost grows as the square."""
    messages = b'{"role":"user","text":"x"}\n' * 100_000
    row = '{"index":%d,"status":"accepted","format":"messages","messages":[[%d,%d],[0,%d]],"request_hash":"sha256:%064d"}\n'
    rows = (row % (number + 1, number, 100_000 - number, number, 0) for number in range(1, 300))
    return _package(folder, messages=messages, decisions="".join(rows).encode(), fragments=b"")


# --- recordings and views

SESSION = (ROOT / "tests" / "fixtures" / "readers" / "claude-code.jsonl").read_bytes()


def _recording(before, unit=b"", after=b"", size=LINE - 100, whole=SESSION):
    count = (size - len(before) - len(after)) // len(unit) if unit else 0

    def make(folder):
        (folder / "recording").write_bytes(before + unit * count + after + whole)
        return folder / "recording"

    return make


def _fifo(folder):
    os.mkfifo(folder / "recording")
    return folder / "recording"


def _view(data, unit=b"", after=b"", size=LINE - 100):
    def make(folder):
        count = (size - len(data) - len(after)) // len(unit) if unit else 0
        (folder / "view.json").write_bytes(data + unit * count + after)
        return folder / "view.json"

    return make


def _standing_for_much(folder):
    """One long record that the slices of one small view name a million times."""
    view = {
        "evidence": [{"id": "E1", "items": {"shared_source_lines_v1": {"file": "F1", "slices": [[0, 1]] * 100_000}}}],
        "shared_files": {"F1": {"metadata": {"path": "a", "blob": "1"}, "origin": {"revision": "1"}}},
        "shared_sources": {"F1": {"records": ["x" * 100_000]}},
    }
    return _view(json.dumps(view).encode())(folder)


TOO_MANY = "too many values (expected at most 6,000,000 brackets, commas and colons outside of texts, found "
TOO_LONG = "the line is too long (expected at most 67108864 bytes, found 2"
DEEP = "nested too deep (expected at most 64 levels, found more)"
PART = b'{"role":"user","parts":['
CALL = b'{"role":"user","parts":[{"type":"tool_call","id":"1","name":"n","arguments":['
USER = b'{"type":"user","uuid":"h","sessionId":"h","message":{"role":"user","content":['

HOSTILE: dict[str, Hostile] = {
    "zip bomb, flat, 200 MiB in 200 KB": Hostile(_flat_bomb, "the member expands too much"),
    "zip bomb, nested four deep": Hostile(_nested_bomb, "d.zip: a file that the manifest does not list"),
    "zip member that declares 10 GB": Hostile(
        _declared, "the member unpacks to too much (expected at most 8589934592 bytes"
    ),
    "file of 10 GB in a folder": Hostile(_sparse("messages.jsonl"), "the package is too large"),
    "zip of 1,000,000 members": Hostile(_million_members, "the zip's directory is too large"),
    "folder of 10,100 files": Hostile(_many_files, "too many files in the folder (expected at most 10000"),
    "64 MiB of [[[[ in a record": Hostile(_message_line(b"", b"[", b""), TOO_MANY, 180),
    "5.9 MB of [[[[ in a record": Hostile(_message_line(b"", b"[", b"", 5_900_000), DEEP, 80),
    "4 MiB of [[[[ as the manifest": Hostile(
        lambda f: _package(f, manifest=b"[" * 4 * MIB), "the manifest cannot be read: nested too deep", 60
    ),
    "60 levels, 95,000 times": Hostile(
        _message_line(CALL, b"[" * 60 + b"]" * 60 + b",", b"0]}]}", 11_500_000), "opened", 1300, slow=True
    ),
    "240 levels, 24,000 times": Hostile(
        _message_line(CALL, b"[" * 240 + b"]" * 240 + b",", b"0]}]}", 11_500_000), DEEP, 700, slow=True
    ),
    "a record of 200 MB": Hostile(_message_line(b'{"role":"user","text":"', b"x", b'"}', 200_000_000), TOO_LONG, 60),
    "a text of 64 MiB": Hostile(_message_line(b'{"role":"user","text":"', b"x", b'"}'), "opened", 420, slow=True),
    "a text of 64 MiB with one emoji": Hostile(
        _message_line(b'{"role":"user","text":"\xf0\x9f\x98\x80', b"x", b'"}'), "opened", 1000
    ),
    "64 MiB of escapes": Hostile(
        _message_line(b'{"role":"user","text":"', b"\\ud800", b'"}'),
        "too many escapes (expected at most 1,000,000",
        180,
    ),
    "64 MiB of {},{}, in a record": Hostile(_message_line(PART, b"{},", b"{}]}"), TOO_MANY, 180),
    "64 MiB of [],[], in a record": Hostile(_message_line(CALL, b"[],", b"0]}]}"), TOO_MANY, 180, slow=True),
    "64 MiB of 0,0, in a record": Hostile(_message_line(CALL, b"0,", b"0]}]}"), TOO_MANY, 180, slow=True),
    '5,900,000 values: {"a":0},': Hostile(_message_line(CALL, b'{"a":0},', b"0]}]}", 15_700_000), "opened", 700),
    "5,900,000 values: [[],[]],": Hostile(_message_line(CALL, b"[[],[]],", b"0]}]}", 11_700_000), "opened", 700),
    "5,900,000 values: 1.5,": Hostile(_message_line(CALL, b"1.5,", b"0]}]}", 23_600_000), "opened", 750, slow=True),
    "duplicate keys, 1,900,000 in a record": Hostile(
        _message_line(b'{"role":"user","text":"x","m":{', b'"a":0,', b'"a":1}}', 11_400_000),
        "an object holds the same key twice",
        400,
        slow=True,
    ),
    "duplicate keys in the manifest, 4 MB": Hostile(
        lambda f: _package(f, manifest=b"{" + b'"a":0,' * 690_000 + json.dumps(PLAIN_MANIFEST).encode()[1:]),
        "manifest.json: an object holds the same key twice",
        150,
    ),
    "an integer of 60 million digits": Hostile(
        _message_line(CALL, b"9", b"]}]}", 60_000_000), "an integer with too many digits", 300, slow=True
    ),
    "5,000,001 records": Hostile(
        lambda f: _package(f, messages=b"{}\n" * 5_000_001), "too many records", 150, slow=True
    ),
    "5,000,000 blank lines": Hostile(
        lambda f: _package(f, messages=b"\n" * 5_000_000), "more problems that are not listed", 250, slow=True
    ),
    "every prompt names 100,000 messages, 299 times": Hostile(
        _named_often, "the prompt cannot be verified: too many messages to hash", 200, slow=True
    ),
    "zip name with ..": Hostile(_name(b"../../etc/x"), "found `..` in '../../etc/x'"),
    "zip name, absolute": Hostile(_name(b"/etc/passwd"), "an absolute name"),
    "zip name, drive letter": Hostile(_name(b"C:windows"), "found a drive letter in 'C:windows'"),
    "zip name with NUL": Hostile(_name(b"a\0.txt"), "a NUL character in"),
    "table of files with ..": Hostile(_listed("../x"), "'../x'"),
    "table of files, absolute": Hostile(_listed("/etc/passwd"), "'/etc/passwd'"),
    "link out of the folder": Hostile(_link_out, "messages.jsonl: a link that leaves the folder"),
    "pipe as a file": Hostile(_pipe("messages.jsonl"), "not a regular file (expected a file, found a named pipe)"),
    "pipe beside the files": Hostile(_pipe("other"), "not a regular file (expected a file, found a named pipe)"),
    "recording: 64 MiB of {},{}, in a line": Hostile(_recording(USER, b"{},", b"{}]}}\n"), TOO_MANY, 220, slow=True),
    "recording: 5,900,000 values in a line": Hostile(
        _recording(USER, b'{"a":0},', b"{}]}}\n", 15_700_000), "opened", 1300, slow=True
    ),
    "recording: 64 MiB of {},{}, as a document": Hostile(
        _recording(b'{"trajectory":[', b"{},", b"{}]}", whole=b""), TOO_MANY, 220
    ),
    "recording: 64 MiB of torn lines": Hostile(_recording(b'{"x":[', b'{"a":{"b":', b"\n"), TOO_MANY, 220, slow=True),
    "recording: 14 MB of torn records": Hostile(
        _recording(b'{"x":[', b'{"a":{"b":', b"\n", 14_000_000), "line 1: nested too deep", 300
    ),
    "recording: 5.9 MB of [[[[": Hostile(
        _recording(b'{"type":"user","x":', b"[", b"\n", 5_900_000), "nested too deep", 120
    ),
    "recording: a line of 200 MB": Hostile(_recording(USER, b"x", b"\n", 200_000_000), "a line over the limit", 450),
    "recording of 10 GB": Hostile(_sparse("recording"), "the recording is too large (expected at most 1,073,741,824"),
    "recording: 64 MiB of zeros": Hostile(
        _recording(b"", b"\0", b"", whole=b""), "no reader knows this file", 250, slow=True
    ),
    "pipe as a recording": Hostile(_fifo, "not a regular file"),
    "cassette: 3 MB of {},{},": Hostile(
        _recording(b"interactions:\n- a: [", b"{},", b"0]\n", 3_100_000, whole=b""),
        "the cassette holds too many values (expected at most 1,000,000",
        100,
        slow=True,
    ),
    "cassette: an alias 9,000 times": Hostile(
        _recording(b"interactions:\n- &a [" + b"0," * 1000 + b"0]\n", b"- *a\n", b"", 45_000, whole=b""),
        "the cassette holds too many values",
    ),
    "cassette: 1,900,000 levels": Hostile(
        _recording(b"interactions:\n- a: ", b"[", b"", 1_900_000, whole=b""),
        "not YAML (found exceeded maximum nesting depth)",
        120,
    ),
    "view: 64 MiB of {},{},": Hostile(_view(b'{"evidence":[', b"{},", b"{}]}"), TOO_MANY, 220, "measured", slow=True),
    "view: 5.9 MB of [[[[": Hostile(_view(b'{"evidence":', b"[", b"", 5_900_000), "nested too deep", 120, "measured"),
    "view: 2,900,000 items": Hostile(
        _view(b'{"evidence":[{"id":"E1","items":[', b'"x",', b"0]}]}", 11_900_000), "opened", 900, "measured", slow=True
    ),
    "view: a record of 100 KB, named 100,000 times": Hostile(
        _standing_for_much, "at most 536,870,912 bytes", 60, "measured"
    ),
}
"""What it is → how it is made, what is said, and the megabytes over a bare interpreter that opening and looking may take."""


# --- opening one


def look(path: str, how: str) -> list[str]:
    """Open a file and look at everything in it, as pages do; what was told about it."""
    try:
        if how == "measured":
            measured = measure_file(path, "it", DEFAULT_VERSIONS)
            return ["opened", *(str(row)[:300] for each in measured for row in each.contexts)]
        told = ["opened"]
        for opened in open_any(path):
            investigation = check(opened)
            for each in (*investigation.decisions, *investigation.fragments, *investigation.messages):
                repr(each)
            told += [
                describe(p.what, file=p.file, line=p.line, expected=p.expected, found=p.found)
                for p in investigation.problems
            ]
    except InspectorError as error:
        return [str(error)]
    return told


def main() -> None:
    """Print `{"told": [...], "megabytes": of memory over the start, "seconds": of processor time}`."""
    before, start = peak(), time.process_time()
    told = look(*sys.argv[1:3])
    figures = {"told": told[:50] + told[-50:], "megabytes": peak() - before, "seconds": time.process_time() - start}
    sys.stdout.write(json.dumps(figures))


def peak() -> float:
    """Megabytes that this program has had in memory at most (not what started it, which `getrusage` would count)."""
    return int(Path("/proc/self/status").read_text(encoding="ascii").partition("VmHWM:")[2].split()[0]) * 1024 / 1e6


def opened(path: Path, how: str, cache: Path) -> dict[str, Any]:
    """What `main` prints for one file, in a process of its own; `error`: what it ended with instead, if it did."""
    command = [sys.executable, str(Path(__file__).resolve()), str(path), how]
    environment = {**os.environ, "XDG_CACHE_HOME": str(cache)}
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=SECONDS, check=False, env=environment, stdin=subprocess.DEVNULL
    )
    return json.loads(done.stdout) if done.returncode == 0 else {"error": done.stderr.strip().splitlines()[-1:]}


if __name__ == "__main__":
    main()
