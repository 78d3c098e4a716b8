"""Recording: the exact bytes, what is refused, and that nothing is overwritten or half stored."""

from __future__ import annotations

import hashlib
import resource
import subprocess
import sys
import threading
import zipfile
from pathlib import Path

import pytest
from package_tools import DECISIONS, FRAGMENTS, MANIFEST, MESSAGES, SOURCE, SYSTEM, errors, lay, record

from core.errors import InspectorError, JsonError, PackageError, RecordError
from core.model import LedgerEntry, Limits, Lookup, Memory, Message, Problem, Reply, SourceRange, TextPart, ToolCallPart
from core.package import PackageWriter, open_package
from core.package import append as append_module
from core.package import draft as draft_module

ROOT = Path(__file__).resolve().parents[1]
FILES = ("decisions.jsonl", "fragments.jsonl", "manifest.json", "messages.jsonl")


def _manifest():
    made = MANIFEST
    for word, data in ((b"@decisions", DECISIONS), (b"@fragments", FRAGMENTS), (b"@messages", MESSAGES)):
        made = made.replace(word, hashlib.sha256(data).hexdigest().encode())
    return made


def test_golden_bytes(tmp_path):
    """A tiny recording, byte for byte: canonical lines, each message once, slices, request hashes, the table of files."""
    package = record(tmp_path / "run")
    assert sorted(path.name for path in package.iterdir()) == list(FILES)
    assert (package / "messages.jsonl").read_bytes() == MESSAGES
    assert (package / "decisions.jsonl").read_bytes() == DECISIONS
    assert (package / "fragments.jsonl").read_bytes() == FRAGMENTS
    assert (package / "manifest.json").read_bytes() == _manifest()
    assert not (tmp_path / "run.partial").exists()


def test_golden_manifest_while_recording(tmp_path):
    """Before it is closed, the manifest says all but the table of files."""
    PackageWriter(tmp_path / "run", title="t", created="2026-11-30T12:00:00Z")
    assert (tmp_path / "run.partial" / "manifest.json").read_bytes() == (
        b'{"created":"2026-11-30T12:00:00Z","format":"investigation_package","prompts":"recorded","replies":"model",'
        b'"title":"t","version":1}\n'
    )


def test_same_calls_same_bytes(tmp_path):
    """Two recordings of the same run are the same file, as folder and as zip."""
    one, other = record(tmp_path / "a" / "run"), record(tmp_path / "b" / "run")
    assert {path.name: path.read_bytes() for path in one.iterdir()} == {p.name: p.read_bytes() for p in other.iterdir()}
    one, other = record(tmp_path / "a" / "run.zip", zip=True), record(tmp_path / "b" / "run.zip", zip=True)
    assert one.read_bytes() == other.read_bytes()


def test_zip_is_stored(tmp_path):
    """A zip holds the four files stored and without a time of its own, so that a record is one read."""
    package = record(tmp_path / "run.zip", zip=True)
    data = package.read_bytes()
    with zipfile.ZipFile(package) as archive:
        assert [info.filename for info in archive.infolist()] == [
            "manifest.json",
            "messages.jsonl",
            "decisions.jsonl",
            "fragments.jsonl",
        ]
        for info in archive.infolist():
            assert (info.compress_type, info.date_time, info.external_attr >> 16) == (
                0,
                (1980, 1, 1, 0, 0, 0),
                0o100644,
            )
    assert MESSAGES in data
    assert DECISIONS in data
    assert [path.name for path in tmp_path.iterdir()] == ["run.zip"]


def test_a_prompt_that_grows_costs_one_slice(tmp_path):
    """Messages are stored once in order of first use; a repeated message and a cleared one split the slices."""
    texts = [{"role": "user", "text": str(number)} for number in range(4)]
    with PackageWriter(tmp_path / "run", title="t", sync=False) as package:
        package.append_decision(texts[:2])
        package.append_decision(texts)
        package.append_decision([texts[0], {"role": "user", "text": "cleared"}, *texts[2:]])
        package.append_decision([texts[1], texts[1], {"text": "3", "role": "user"}])
    investigation = open_package(tmp_path / "run")
    assert [decision.slices for decision in investigation.decisions] == [
        ((0, 2),),
        ((0, 4),),
        ((0, 1), (4, 1), (2, 2)),
        ((1, 1), (1, 1), (3, 1)),
    ]
    assert [message.text for message in investigation.messages] == ["0", "1", "2", "3", "cleared"]


def test_typed_values_are_not_merged(tmp_path):
    """Messages that differ only by `1`, `1.0` and `true` are three messages."""
    prompts = [[{"role": "user", "text": "x", "mark": mark}] for mark in (1, 1.0, True)]
    with PackageWriter(tmp_path / "run", title="t", sync=False) as package:
        for prompt in prompts:
            package.append_decision(prompt)
    assert [message.raw["mark"] for message in open_package(tmp_path / "run").messages] == [1, 1.0, True]
    assert len(open_package(tmp_path / "run").messages) == 3


def test_model_objects_are_taken_as_well(tmp_path):
    """Messages, memory, replies and limits may be given as the model's own objects."""
    lookup = Lookup("search", ("q",), arguments={"n": 1})
    memory = Memory(base_bytes=1, ledger=(LedgerEntry("i", "completed", None, None, None),))
    call = Message("assistant", (TextPart("a"), ToolCallPart("1", "read", {"path": "x"})))
    with PackageWriter(tmp_path / "run", title="t", limits=Limits(calls=3), sync=False) as package:
        package.append_fragment("f", lookup, "", sources=[SourceRange("p", None, 1, 2)])
        package.append_decision([call], memory=memory, reply=Reply(text="r", lookups=(lookup,)))
    investigation = open_package(tmp_path / "run")
    (decision,) = investigation.decisions
    assert errors(investigation) == []
    assert decision.memory == memory
    assert decision.reply == Reply(text="r", lookups=(lookup,))
    assert decision.messages[0].parts == call.parts
    assert investigation.fragments[0].lookup == lookup
    assert investigation.limits == Limits(calls=3)


def test_unknown_fields_of_ones_own(tmp_path):
    """`extra` fields are stored beside the known ones and come back as `extra`."""
    with PackageWriter(tmp_path / "run", title="t", extra={"team": "x"}, sync=False) as package:
        package.append_decision([SYSTEM], extra={"seed": 7})
        package.append_fragment("f", {"kind": "k"}, "b", extra={"took": 1.5})
    investigation = open_package(tmp_path / "run")
    assert investigation.extra == {"team": "x"}
    assert investigation.decisions[0].extra == {"seed": 7}
    assert investigation.fragments[0].extra == {"took": 1.5}


# --- refused


def test_nothing_is_overwritten(tmp_path):
    """A name that is taken, finished or in use by another writer, is refused and stays as it was."""
    package = record(tmp_path / "run")
    with pytest.raises(PackageError, match="nothing is overwritten"):
        PackageWriter(package, title="t")
    first = PackageWriter(tmp_path / "live", title="t", sync=False)
    with pytest.raises(PackageError, match="another writer records under this name"):
        PackageWriter(tmp_path / "live", title="t")
    first.append_decision([SYSTEM])
    first.close()
    assert len(open_package(tmp_path / "live").decisions) == 1


def test_a_name_taken_while_recording(tmp_path):
    """Somebody else's package that appears meanwhile is kept, and so is the recording, which can be closed later."""
    for zipped in (False, True):
        path = tmp_path / f"run{zipped}"
        writer = PackageWriter(path, title="t", zip=zipped, sync=False)
        writer.append_decision([SYSTEM])
        path.write_text("mine")
        with pytest.raises(PackageError, match="taken meanwhile"):
            writer.close()
        assert path.read_text() == "mine"
        assert len(open_package(writer.partial).decisions) == 1
        path.unlink()
        writer.close()
        assert len(open_package(path).decisions) == 1


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda p: p.append_decision([{"text": "no role"}]), "`role` is missing"),
        (lambda p: p.append_decision([{"role": "user"}]), "`text` is missing"),
        (lambda p: p.append_decision([SYSTEM], status="done"), "`status` is not one of"),
        (lambda p: p.append_decision([SYSTEM], index=-1), "`index` is not a whole number"),
        (lambda p: p.append_decision([SYSTEM], index=True), "`index` is not a whole number"),
        (lambda p: p.append_decision([SYSTEM], memory={"ledger": [{}]}), r"memory\.ledger\[0\]\.identity` is missing"),
        (lambda p: p.append_decision([SYSTEM], reply={"text": 5}), r"`reply\.text` is not text"),
        (lambda p: p.append_decision([SYSTEM], usage={"input_tokens": -1}), r"`usage\.input_tokens`"),
        (lambda p: p.append_decision([SYSTEM], request={"t": float("nan")}), "does not allow"),
        (lambda p: p.append_decision([SYSTEM], request={"t": object()}), "cannot carry"),
        (lambda p: p.append_decision([SYSTEM], index="1"), "`index` is not"),
        (
            lambda p: p.append_decision([SYSTEM], extra={"messages": [], "seed": 1}),
            r"`extra` holds fields .* messages\)",
        ),
        (lambda p: p.append_decision([SYSTEM], extra={"status": "unused"}), "`extra` holds fields"),
        (lambda p: p.append_decision([Message("", (), problem=Problem("x", 1, "cut"))]), "cannot be stored"),
        (lambda p: p.append_fragment("f", {"kind": "k"}, "b", extra={"unreadable": {}}), "`extra` holds fields"),
        (lambda p: p.append_fragment("f", {"kind": "k"}, 5), "`body` is not text"),
        (lambda p: p.append_fragment("f", {}, "b"), r"`lookup\.kind` is missing"),
        (lambda p: p.append_fragment("f", {"kind": "k"}, "b", status="ok"), "`status` is not one of"),
    ],
)
def test_what_the_writer_refuses(tmp_path, call, says):
    """A record that would read back with an error is refused, and the package is as it was before."""
    with PackageWriter(tmp_path / "run", title="t", sync=False) as package:
        with pytest.raises((RecordError, JsonError), match=says):
            call(package)
        assert package.append_decision([SOURCE]) == (1, 1)
    investigation = open_package(tmp_path / "run")
    assert errors(investigation) == []
    assert [len(investigation.decisions), len(investigation.fragments)] == [1, 0]


def test_a_record_is_stored_once(tmp_path):
    """The same key or id a second time is refused."""
    with PackageWriter(tmp_path / "run", title="t", sync=False) as package:
        package.append_decision([SYSTEM], index=4)
        package.append_fragment("f", {"kind": "k"}, "b")
        with pytest.raises(RecordError, match="stored already"):
            package.append_decision([SYSTEM], index=4, attempt=1)
        with pytest.raises(RecordError, match="stored already"):
            package.append_fragment("f", {"kind": "k"}, "b")
        assert package.append_decision([SYSTEM]) == (5, 1)


def test_a_line_over_the_limit_is_refused(tmp_path, monkeypatch):
    """The writer stores no line that its reader would lose."""
    monkeypatch.setattr(draft_module, "MAX_LINE_BYTES", 1000)
    with PackageWriter(tmp_path / "run", title="t", sync=False) as package:
        with pytest.raises(RecordError, match=r"too long \(expected at most 1000 bytes, found 10\d\d bytes\)"):
            package.append_decision([{"role": "user", "text": "x" * 1000}])
        package.append_decision([SYSTEM])
    assert errors(open_package(tmp_path / "run")) == []


@pytest.mark.parametrize(
    "header",
    [
        {"title": 1},
        {"title": "t", "prompts": "guessed"},
        {"title": "t", "limits": {"calls": -1}},
        {"title": "t", "extra": {"files": {}}},
    ],
)
def test_a_wrong_header_is_refused_before_anything_is_made(tmp_path, header):
    """A manifest that would read back with a problem makes no folder."""
    with pytest.raises((PackageError, RecordError)):
        PackageWriter(tmp_path / "run", **header)
    assert list(tmp_path.iterdir()) == []


def test_after_the_end(tmp_path):
    """Closing twice is closing once; a record after it is refused."""
    package = PackageWriter(tmp_path / "run", title="t", sync=False)
    package.close()
    package.close()
    with pytest.raises(PackageError, match="closed"):
        package.append_decision([SYSTEM])


def test_an_exception_leaves_the_recording_open(tmp_path):
    """Leaving the block by an exception does not call the recording finished: it stays under its partial name."""

    class StoppedError(Exception):
        pass

    def run():
        with PackageWriter(tmp_path / "run", title="t", sync=False) as package:
            package.append_decision([SYSTEM])
            raise StoppedError

    with pytest.raises(StoppedError):
        run()
    assert not (tmp_path / "run").exists()
    investigation = open_package(tmp_path / "run.partial")
    assert len(investigation.decisions) == 1
    assert [problem.what for problem in investigation.problems] == [
        "the manifest has no table of files: the recording was not closed, hashes cannot be checked"
    ]


def test_threads_may_share_a_writer(tmp_path):
    """Records of several threads stand one after the other, none lost and none mixed."""
    with PackageWriter(tmp_path / "run", title="t", sync=False) as package:

        def work(name):
            for number in range(25):
                package.append_decision([SYSTEM, {"role": "user", "text": f"{name}{number}"}])
                package.append_fragment(f"{name}{number}", {"kind": "k"}, "b" * 2000)

        threads = [threading.Thread(target=work, args=(name,)) for name in "abcd"]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    investigation = open_package(tmp_path / "run")
    assert errors(investigation) == []
    assert sorted(decision.index for decision in investigation.decisions) == list(range(1, 101))
    assert len(investigation.fragments) == 100


# --- the disk


def test_disk_full(tmp_path, monkeypatch):
    """A write that fails half-way is taken back: later records still go in, and nothing is glued to half a line."""
    real = append_module.os.pwrite
    budget = [10**9]

    def pwrite(fd, data, offset):
        if budget[0] <= 0:
            raise OSError(28, "No space left on device")
        count = real(fd, bytes(data)[: budget[0]], offset)
        budget[0] -= count
        return count

    monkeypatch.setattr(append_module.os, "pwrite", pwrite)
    with PackageWriter(tmp_path / "run", title="t", sync=False) as package:
        package.append_decision([SYSTEM])
        for room in (0, 1, 30, 90, 200):
            budget[0] = room
            with pytest.raises(PackageError, match="No space left on device"):
                package.append_decision([SYSTEM, {"role": "user", "text": "x" * 50}], reply={"text": "y" * 300})
        budget[0] = 10**9
        package.append_decision([SYSTEM, SOURCE])
    investigation = open_package(tmp_path / "run")
    assert errors(investigation) == []
    assert [decision.key for decision in investigation.decisions] == [(1, 1), (2, 1)]


def test_a_half_record_that_cannot_be_taken_back(tmp_path, monkeypatch):
    """If the disk refuses even that, the file takes no more records, and what is before the half one still opens."""
    package = PackageWriter(tmp_path / "run", title="t", sync=False)
    package.append_fragment("f1", {"kind": "k"}, "b")
    real = append_module.os.pwrite

    def pwrite(fd, data, offset):
        if offset == 0 or len(data) < 20:
            raise OSError(5, "Input/output error")
        return real(fd, bytes(data)[:-10], offset)

    def ftruncate(*_):
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as broken:
        broken.setattr(append_module.os, "pwrite", pwrite)
        broken.setattr(append_module.os, "ftruncate", ftruncate)
        with pytest.raises(PackageError, match="Input/output error"):
            package.append_fragment("f2", {"kind": "k"}, "b")
    with pytest.raises(PackageError, match="nor be taken back"):
        package.append_fragment("f3", {"kind": "k"}, "b")
    investigation = open_package(package.partial)
    assert [fragment.id for fragment in investigation.fragments if fragment.problem is None] == ["f1"]
    assert [problem.line for problem in errors(investigation)] == [2]


LIMITED = """
import resource, signal, sys
sys.path.insert(0, sys.argv[1])
from core.errors import PackageError
from core.package import PackageWriter
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000))
package = PackageWriter(sys.argv[2], title="t")
for number in range(100):
    try:
        package.append_fragment(f"f{number}", {"kind": "k"}, "b" * 700)
    except PackageError as error:
        print(number, error)
        break
"""


@pytest.mark.skipif(not hasattr(resource, "RLIMIT_FSIZE"), reason="needs a limit on file sizes")
def test_a_real_limit_of_the_file_size(tmp_path):
    """The kernel's own limit gives the same clear error, and every record before it is there."""
    command = [sys.executable, "-c", LIMITED, str(ROOT), str(tmp_path / "run")]
    answer = subprocess.run(command, capture_output=True, text=True, check=True)
    assert answer.stdout == "6 fragments.jsonl: cannot write (found File too large)\n"
    investigation = open_package(tmp_path / "run.partial")
    assert [fragment.id for fragment in investigation.fragments] == [f"f{number}" for number in range(6)]
    assert errors(investigation) == []


def test_a_folder_that_cannot_be_made(tmp_path):
    """Where no folder can be made, the error names the package and not this machine's paths."""
    (tmp_path / "file").write_text("")
    with pytest.raises(InspectorError) as caught:
        PackageWriter(tmp_path / "file" / "run", title="t")
    assert str(tmp_path) not in str(caught.value)
    assert lay(tmp_path / "other").is_dir()
