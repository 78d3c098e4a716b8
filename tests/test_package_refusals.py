"""Containers that are refused whole: whatever leads out, blocks, lies, or unpacks past a limit."""

from __future__ import annotations

import io
import os
import socket
import stat
import struct
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest
from package_tools import PLAIN_MANIFEST, lay, record, said, zip_of

from core.errors import PackageError
from core.limits import MAX_DIRECTORY_BYTES, MAX_MEMBERS
from core.model import Limits, Problem
from core.package import open_package

ROOT = Path(__file__).resolve().parents[1]
GOOD = [
    (
        "manifest.json",
        b'{"format":"investigation_package","version":1,"title":"t","prompts":"recorded","replies":"model","files":{}}',
    ),
    ("messages.jsonl", b'{"role":"user","text":"x"}\n'),
    ("decisions.jsonl", b""),
    ("fragments.jsonl", b""),
]


def _refused(path):
    with pytest.raises(PackageError) as caught:
        open_package(path)
    return str(caught.value)


# --- names


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("../x", "`..` in '../x'"),
        ("run/../../x", "`..` in 'run/../../x'"),
        ("..", "`..` in '..'"),
        ("/etc/passwd", "an absolute name in '/etc/passwd'"),
        ("//server/x", "an absolute name in '//server/x'"),
        ("C:/x", "a drive letter in 'C:/x'"),
        ("c:x", "a drive letter in 'c:x'"),
        ("a\\b", r"a backslash in 'a\\b'"),
        ("..\\x", r"a backslash in '..\\x'"),
    ],
)
def test_names_that_lead_out(tmp_path, name, reason):
    """A member, or a name in the table of files, that does not stay in the package refuses it and is named."""
    text = _refused(zip_of(tmp_path / "a.zip", [*GOOD, (name, b"x")]))
    assert text == f"a name that does not stay in the package (expected a relative name, found {reason})"
    manifest = PLAIN_MANIFEST | {"files": {name: {"sha256": "00", "bytes": 1, "records": 1}}}
    assert _refused(lay(tmp_path / "p", manifest=manifest, messages=[], decisions=[], fragments=[])) == text


def test_a_name_with_a_nul(tmp_path):
    """A NUL, where other tools stop reading a name, refuses the zip."""
    path = zip_of(tmp_path / "a.zip", [*GOOD, ("aaaaQbbb", b"x")])
    path.write_bytes(path.read_bytes().replace(b"aaaaQbbb", b"aaaa\0bbb"))
    assert "a NUL character in 'aaaa\\x00bbb'" in _refused(path)


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("again", ["manifest.json", "./manifest.json", "messages.jsonl"])
def test_duplicate_members(tmp_path, again):
    """Two members of one name are refused, as every reader would choose another one."""
    text = _refused(zip_of(tmp_path / "a.zip", [*GOOD, (again, b"x")]))
    assert text == f"'{again.removeprefix('./')}': two members of the same name (expected each name once)"


def test_several_packages(tmp_path):
    """A zip with two packages is refused; which one was meant is not guessed."""
    members = [(f"{top}/{name}", data) for top in ("a", "b") for name, data in GOOD]
    assert (
        _refused(zip_of(tmp_path / "a.zip", members)) == "several packages in one zip (expected one, found 'a/', 'b/')"
    )


# --- what is no plain file


def test_links_out_of_the_folder(tmp_path):
    """A link that leaves the folder is refused, whether it is one of the package's files or any other."""
    secret = tmp_path / "secret.jsonl"
    secret.write_bytes(b'{"role":"user","text":"secret"}\n')
    for name, target in (
        ("messages.jsonl", "../secret.jsonl"),
        ("decisions.jsonl", secret),
        ("other", "/etc"),
        ("deep", "../.."),
    ):
        folder = record(tmp_path / f"run-{name}")
        (folder / name).unlink(missing_ok=True)
        (folder / name).symlink_to(target)
        assert _refused(folder) == f"{name}: a link that leaves the folder (expected a place in the folder)"


def test_a_link_in_the_folder(tmp_path):
    """A link to a place in the folder is followed; a package opened through a link is the package."""
    folder = record(tmp_path / "run")
    (folder / "messages.jsonl").rename(folder / "real")
    (folder / "messages.jsonl").symlink_to("real")
    (tmp_path / "alias").symlink_to(folder)
    investigation = open_package(tmp_path / "alias")
    assert len(investigation.messages) == 3
    assert said(investigation) == ["real:None a file that the manifest does not list | None | None"]


def test_a_link_that_loops(tmp_path):
    """A link that leads to itself is an error that names it."""
    folder = record(tmp_path / "run")
    (folder / "messages.jsonl").unlink()
    (folder / "messages.jsonl").symlink_to("messages.jsonl")
    assert _refused(folder).startswith("messages.jsonl: cannot be opened")


@pytest.mark.parametrize("name", ["messages.jsonl", "manifest.json", "other", "sub/other"])
def test_a_pipe_never_blocks(tmp_path, name):
    """A named pipe is refused at once, wherever it stands."""
    folder = record(tmp_path / "run")
    (folder / "sub").mkdir()
    (folder / name).unlink(missing_ok=True)
    os.mkfifo(folder / name)
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); from core.package import open_package; open_package(sys.argv[2])"
    )
    answer = subprocess.run(
        [sys.executable, "-c", code, str(ROOT), str(folder)], capture_output=True, text=True, timeout=20, check=False
    )
    assert f"PackageError: {name}: not a regular file (expected a file, found a named pipe)" in answer.stderr


def test_a_pipe_as_the_package(tmp_path):
    """A pipe given as the package is refused without waiting."""
    os.mkfifo(tmp_path / "pipe")
    assert _refused(tmp_path / "pipe") == "pipe: not a regular file (expected a file, found a named pipe)"
    assert "found a device" in _refused("/dev/zero")


def test_sockets_and_folders_in_place_of_files(tmp_path, monkeypatch):
    """A socket, or a folder with the name of a file, is refused."""
    folder = record(tmp_path / "run")
    monkeypatch.chdir(folder)
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind("s")
        assert "found a socket" in _refused(folder)
    (folder / "s").unlink()
    (folder / "messages.jsonl").unlink()
    (folder / "messages.jsonl").mkdir()
    assert _refused(folder) == "messages.jsonl: not a regular file (expected a file, found a folder)"


@pytest.mark.parametrize(
    ("kind", "shown"), [(stat.S_IFLNK, "a link"), (stat.S_IFIFO, "mode 10000"), (stat.S_IFCHR, "mode 20000")]
)
def test_zip_members_that_are_no_files(tmp_path, kind, shown):
    """Links, pipes and devices in a zip are refused."""
    info = zipfile.ZipInfo("other")
    info.external_attr = (kind | 0o777) << 16
    assert _refused(zip_of(tmp_path / "a.zip", [*GOOD, (info, b"/etc/passwd")])) == (
        f"'other': a member that is no file (expected a file, found {shown})"
    )


def test_encrypted_members(tmp_path):
    """An encrypted member is refused, be it one of the package's files or not."""
    for name in ("messages.jsonl", "other"):
        path = zip_of(tmp_path / f"{name}.zip", GOOD if name != "other" else [*GOOD, (name, b"x")])
        data = bytearray(path.read_bytes())
        at = data.index(b"PK\x01\x02")
        while data[at + 46 : at + 46 + len(name)] != name.encode():
            at = data.index(b"PK\x01\x02", at + 4)
        data[at + 8] |= 1
        path.write_bytes(data)
        assert _refused(path) == f"'{name}': an encrypted member (expected members that anybody can read)"


def test_other_packing_methods(tmp_path):
    """Only stored and deflated members are read: others can expand without bound."""
    path = zip_of(tmp_path / "a.zip", GOOD, method=zipfile.ZIP_LZMA)
    assert "a packing method that is not read (expected stored or deflated, found 14)" in _refused(path)


# --- bombs


def test_a_flat_bomb(tmp_path):
    """A member that expands over the ratio is refused with the ratio and the figures, one of ours or not."""
    for name in ("messages.jsonl", "other.bin"):
        members = [pair for pair in GOOD if pair[0] != name]
        path = zip_of(tmp_path / f"{name}.zip", [*members, (name, bytes(20_000_000))], method=zipfile.ZIP_DEFLATED)
        assert _refused(path).startswith(
            f"'{name}': the member expands too much (expected at most 200 bytes per packed byte, found 20000000 bytes from 19"
        )


def test_a_nested_bomb(tmp_path):
    """A zip in the zip is an unknown file: it is named and never unpacked."""
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("messages.jsonl", bytes(50_000_000))
    investigation = open_package(zip_of(tmp_path / "a.zip", [*GOOD, ("inner.zip", inner.getvalue())]))
    assert "inner.zip:None a file that the manifest does not list | None | None" in said(investigation)
    assert [message.text for message in investigation.messages] == ["x"]


def _lying(tmp_path, unpacked, claimed):
    """A zip whose member says that it unpacks to less than it does."""
    path = zip_of(tmp_path / "a.zip", [*GOOD[:1], ("messages.jsonl", unpacked)], method=zipfile.ZIP_DEFLATED)
    data = path.read_bytes()
    size = struct.pack("<L", len(unpacked))
    assert data.count(size) == 2
    path.write_bytes(data.replace(size, struct.pack("<L", claimed)))
    return path


def test_a_bomb_that_lies(tmp_path):
    """Unpacking is bounded by what comes out, not by what the header says."""
    text = _refused(_lying(tmp_path, bytes(30_000_000), 100))
    assert text.startswith("messages.jsonl: the member unpacks to more than it says (expected 100 bytes, found over ")


def test_declared_sizes(tmp_path, monkeypatch):
    """Sizes over the limit are refused before anything is unpacked, one member's and all together."""
    monkeypatch.setattr("core.package.unzip.MAX_UNPACKED_BYTES", 1000)
    monkeypatch.setattr("core.package.folder.MAX_UNPACKED_BYTES", 1000)
    big = bytes(range(256)) * 5
    assert _refused(zip_of(tmp_path / "a.zip", [*GOOD, ("big", big)])) == (
        "'big': the member unpacks to too much (expected at most 1000 bytes, found 1280 bytes)"
    )
    members = [*GOOD, *((f"m{number}", big[:400]) for number in range(3))]
    assert _refused(zip_of(tmp_path / "b.zip", members)).startswith(
        "b.zip: the zip unpacks to too much (expected at most 1000 bytes, found 1"
    )
    folder = lay(tmp_path / "p", manifest=PLAIN_MANIFEST, messages=b"x" * 2000)
    assert "the package is too large (expected at most 1000 bytes" in _refused(folder)


def test_members_that_overlap(tmp_path):
    """Members that share their packed bytes are refused."""
    path = zip_of(tmp_path / "a.zip", [*GOOD, ("one", b"x" * 500), ("two", b"x" * 500)])
    data = bytearray(path.read_bytes())
    first = data.index(b"PK\x01\x02")
    ones, twos = (data.index(name, first) - 46 for name in (b"one", b"two"))
    data[twos + 42 : twos + 46] = data[ones + 42 : ones + 46]
    path.write_bytes(data)
    assert "members that overlap" in _refused(path)


def test_a_million_members_cost_nothing(tmp_path):
    """A zip with a million members is refused without a list of them: its directory is not even read."""
    path = tmp_path / "a.zip"
    entry = struct.pack("<4s6H3L5H2L", b"PK\x01\x02", 20, 20, 0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0) + b"x123456"
    directory = entry * 1_000_000
    end64 = struct.pack("<4sQ2H2L4Q", b"PK\x06\x06", 44, 45, 45, 0, 0, 10**6, 10**6, len(directory), 4)
    locator = struct.pack("<4sLQL", b"PK\x06\x07", 0, 4 + len(directory), 1)
    end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0)
    path.write_bytes(b"PK\x03\x04" + directory + end64 + locator + end)
    start = time.perf_counter()
    text = _refused(path)
    assert time.perf_counter() - start < 0.2
    assert text == (
        f"a.zip: the zip's directory is too large (expected at most {MAX_DIRECTORY_BYTES} bytes, {MAX_MEMBERS} members, "
        f"found {len(directory)} bytes)"
    )


def test_too_many_members(tmp_path, monkeypatch):
    """More members or files than the limit are refused."""
    monkeypatch.setattr("core.package.unzip.MAX_MEMBERS", 5)
    monkeypatch.setattr("core.package.folder.MAX_MEMBERS", 5)
    assert len(open_package(zip_of(tmp_path / "a.zip", [*GOOD, ("m", b"")])).messages) == 1
    assert _refused(zip_of(tmp_path / "b.zip", [*GOOD, ("m", b""), ("n", b"")])) == (
        "b.zip: too many members in the zip (expected at most 5, found 6)"
    )
    folder = record(tmp_path / "run")
    for number in range(3):
        (folder / str(number)).mkdir()
    assert _refused(folder) == "too many files in the folder (expected at most 5, found more)"


def test_too_many_records(tmp_path, monkeypatch):
    """A file with more lines than the limit is refused while it is scanned."""
    monkeypatch.setattr("core.package.index.MAX_RECORDS", 3)
    assert len(open_package(lay(tmp_path / "a", messages=b"{}\n" * 3)).messages) == 3
    assert _refused(lay(tmp_path / "b", messages=b"{}\n" * 4)) == (
        "messages.jsonl: too many records (expected at most 3, found more)"
    )


# --- the zip itself


def test_a_cut_zip(tmp_path):
    """A zip without its end has no directory: refused, in one sentence."""
    path = record(tmp_path / "run.zip", zip=True)
    path.write_bytes(path.read_bytes()[:-30])
    assert _refused(path) == "run.zip: not a readable zip (found 'File is not a zip file')"


def test_directory_and_member_disagree(tmp_path):
    """Another name in front of the member than in the directory is refused."""
    path = record(tmp_path / "run.zip", zip=True)
    path.write_bytes(
        path.read_bytes()
        .replace(b"messages.jsonl", b"messageS.jsonl", 1)
        .replace(b'messageS.jsonl"', b'messages.jsonl"')
    )
    data = path.read_bytes()
    at = data.index(b"messages.jsonl{")  # the local header, in front of the data
    path.write_bytes(data[:at] + b"messageX" + data[at + 8 :])
    assert "disagree" in _refused(path)


def test_a_stored_member_of_two_sizes(tmp_path):
    """A stored member whose packed and unpacked sizes differ is refused."""
    path = zip_of(tmp_path / "a.zip", GOOD)
    data = bytearray(path.read_bytes())
    at = data.index(b"messages.jsonl", data.index(b"PK\x01\x02")) - 46
    data[at + 24 : at + 28] = struct.pack("<L", 7)
    path.write_bytes(data)
    assert _refused(path) == "messages.jsonl: a stored member of two sizes"


def test_members_outside_the_zip(tmp_path):
    """A member whose bytes lie outside the file is refused."""
    path = zip_of(tmp_path / "a.zip", GOOD)
    data = bytearray(path.read_bytes())
    at = data.index(b"fragments.jsonl", data.index(b"PK\x01\x02")) - 46
    data[at + 42 : at + 46] = struct.pack("<L", 10**6)
    path.write_bytes(data)
    assert "outside the zip" in _refused(path)


def test_no_room_to_unpack(tmp_path, monkeypatch):
    """A full disk while unpacking is an error that says so."""

    def full(**_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("tempfile.TemporaryFile", full)
    path = zip_of(tmp_path / "a.zip", GOOD, method=zipfile.ZIP_DEFLATED)
    assert _refused(path) == "manifest.json: cannot be unpacked (found No space left on device)"


# --- the manifest


@pytest.mark.parametrize(
    ("manifest", "says"),
    [
        (b"{}", "`format` (expected investigation_package, found nothing)"),
        (b'{"format":"other","version":1}', "`format` (expected investigation_package, found 'other')"),
        (b'{"format":"investigation_package"}', "`version` (expected 1, found nothing)"),
        (b'{"format":"investigation_package","version":2}', "`version` (expected 1, found 2)"),
        (b'{"format":"investigation_package","version":1.0}', "`version` (expected 1, found 1.0)"),
        (b'{"format":"investigation_package","version":true}', "`version` (expected 1, found true)"),
        (
            b" " * (4 * 1024 * 1024 + 1),
            "the manifest is too large (expected at most 4194304 bytes, found 4194305 bytes)",
        ),
    ],
)
def test_manifests_that_are_none(tmp_path, manifest, says):
    """What is no manifest of this format and version refuses the package, with what was expected and found."""
    assert says in _refused(lay(tmp_path / "p", manifest=manifest, messages=[], decisions=[], fragments=[]))


DAMAGED = [
    (b"", 1, "not JSON", "one JSON value", "Expecting value at character 0"),
    (b"{", 1, "not JSON", "one JSON value", "Expecting property name enclosed in double quotes at character 1"),
    (b'{"format":\n"inv', 2, "not JSON", "one JSON value", "Unterminated string starting at character 11"),
    (b"{}\n{}", 2, "not JSON", "one JSON value", "Extra data at character 3"),
    (b'{\n"title":"\xff"}', 2, "not UTF-8", None, "byte 0xff at byte 11"),
    (b"[]", None, "not an object", "an object", "a list"),
    (b"null", None, "not an object", "an object", "nothing"),
    (b"[" * 300 + b"]" * 300, None, "nested too deep", "at most 64 levels", "more"),
    (b"[" * 100_000, None, "nested too deep", "at most 64 levels", "more"),
]


@pytest.mark.parametrize(
    ("data", "line", "what", "expected", "found"), DAMAGED, ids=[str(n) for n in range(len(DAMAGED))]
)
def test_a_damaged_manifest_costs_only_itself(tmp_path, data, line, what, expected, found):
    """Records beside a manifest that cannot be read open as without one, with one problem that names the place."""
    folder = record(tmp_path / "run")
    (folder / "manifest.json").write_bytes(data)
    zipped = zip_of(tmp_path / "run.zip", [(file.name, file.read_bytes()) for file in sorted(folder.iterdir())])
    for path, name in ((folder, "run"), (zipped, "run.zip")):
        investigation = open_package(path)
        told = f"the manifest cannot be read: {what}; where prompts and replies come from is not known"
        assert investigation.problems == (Problem("manifest.json", line, told, expected, found),)
        assert (investigation.title, investigation.prompts, investigation.replies) == (name, "unknown", "unknown")
        assert investigation.limits == Limits(None, None, None)
        assert len(investigation.decisions) == 2
        assert investigation.problems_complete


@pytest.mark.parametrize(
    ("data", "what"), [(row[0], row[2]) for row in DAMAGED], ids=[str(n) for n in range(len(DAMAGED))]
)
def test_a_damaged_manifest_alone(tmp_path, data, what):
    """A manifest that cannot be read, with no records beside it, is no package."""
    assert _refused(lay(tmp_path / "p", manifest=data)).startswith(
        f"manifest.json: the manifest cannot be read: {what}"
    )


def test_nothing_is_unpacked_of_a_zip_without_a_package(tmp_path):
    """A zip of something else is refused."""
    path = zip_of(tmp_path / "a.zip", [("readme.txt", b"x")])
    assert _refused(path).startswith("a.zip: not a package (expected manifest.json or ")


@pytest.mark.parametrize(
    ("value", "shown"), [(None, "nothing"), (7, "7"), (True, "true"), (["run"], "a list")], ids=str
)
def test_what_is_no_path(value, shown):
    """A value that cannot be a path is a `PackageError`, and an integer is never taken for an open file."""
    assert _refused(value) == f"not a path (expected a path, found {shown})"
