"""The index of line starts: right, quick to find again, and never believed when the file is another one."""

from __future__ import annotations

import os
import zipfile
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from package_tools import SYSTEM, errors

from core.package import PackageWriter, open_package
from core.package import index as index_module
from core.package.index import cache_folder, line_index, scan
from core.package.members import Member, open_regular


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """A cache folder of the test's own, used for files of any size."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(index_module, "CACHE_FROM_BYTES", 1)
    return tmp_path / "cache" / "investigation-inspector" / "index"


@pytest.fixture
def scans(monkeypatch):
    """Names of the files that were scanned."""
    names = []

    def counting(member):
        names.append(member.name)
        return scan(member)

    monkeypatch.setattr(index_module, "scan", counting)
    return names


def _package(path, count=50, **options):
    with PackageWriter(path, title="t", sync=False, **options) as package:
        for number in range(count):
            package.append_decision([SYSTEM, {"role": "user", "text": f"{number} " + "x" * (number * 37 % 300)}])
            package.append_fragment(f"f{number}", {"kind": "k"}, str(number))
    return path


def _member(path, base=0, size=None):
    handle = open_regular(str(path), "x")
    return Member("x", handle, base, handle.size - base if size is None else size, str(path))


@settings(max_examples=200, deadline=None)
@given(data=st.binary(max_size=60) | st.text("a\n \r", max_size=80).map(str.encode), base=st.integers(0, 5))
def test_every_line_is_found(tmp_path_factory, data, base):
    """The index has each line's first byte, and the end; blocks may end anywhere."""
    path = tmp_path_factory.mktemp("scan") / "x"
    path.write_bytes(b"\n" * base + data)
    for block in (1, 3, 7, 4096):
        index_module._BLOCK, kept = block, index_module._BLOCK
        try:
            index = line_index(_member(path, base))
        finally:
            index_module._BLOCK = kept
        lines = data.split(b"\n")
        lines = [line + b"\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])
        starts = list(index.starts)
        assert [data[one:other] for one, other in pairwise(starts)] == lines
        records = [place for place, line in enumerate(lines) if line.strip(b" \r\n")]
        assert index.lines == len(lines)
        assert len(index) == len(records)
        assert [index.line_of(number) for number in range(len(index))] == records
        assert list(index.blanks) == [place for place in range(len(lines)) if place not in records]
        assert index.cut == (bool(data) and not data.endswith(b"\n"))


@pytest.mark.parametrize("zipped", [False, True])
def test_the_second_time_nothing_is_scanned(tmp_path, cache, scans, zipped):
    """Opening again reads the kept index; nothing is written beside the package."""
    path = _package(tmp_path / "runs" / "run", zip=zipped)
    first = open_package(path)
    assert sorted(scans) == ["decisions.jsonl", "fragments.jsonl", "messages.jsonl"]
    scans.clear()
    second = open_package(path)
    assert scans == []
    assert [one.key for one in second.decisions] == [one.key for one in first.decisions]
    assert [one.text for one in second.messages] == [one.text for one in first.messages]
    assert second.digest == first.digest
    assert [file.name for file in (tmp_path / "runs").iterdir()] == ["run"]
    assert len(list(cache.iterdir())) == 3


def _touch(path):
    os.utime(path, ns=(5, 5))


def _grow(path):
    path.write_bytes(path.read_bytes() + b'{"role":"user","text":"more"}\n')


def _replace(path):
    stat = path.stat()
    (path.parent / "new").write_bytes(path.read_bytes())
    os.utime(path.parent / "new", ns=(stat.st_atime_ns, stat.st_mtime_ns))
    (path.parent / "new").replace(path)


def _same_size_and_time(path):
    stat = path.stat()
    data = path.read_bytes()
    with path.open("r+b") as file:
        file.write(data[:10] + b"\n" + data[11:])
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))


@pytest.mark.usefixtures("cache")
@pytest.mark.parametrize("change", [_touch, _grow, _replace, _same_size_and_time])
def test_a_stale_index_is_made_anew(tmp_path, scans, change):
    """Another size, time, inode, or other bytes at head or tail: the kept index is not believed."""
    path = _package(tmp_path / "run")
    open_package(path)
    scans.clear()
    change(path / "messages.jsonl")
    investigation = open_package(path)
    assert scans == ["messages.jsonl"]
    assert len(investigation.messages) == len((path / "messages.jsonl").read_bytes().splitlines())
    scans.clear()
    open_package(path)
    assert scans == []


def test_a_damaged_index_is_made_anew(tmp_path, cache, scans):
    """Whatever byte of a kept index is changed or missing, the result is the same; no error."""
    path = _package(tmp_path / "run", count=4)
    keys = [one.key for one in open_package(path).decisions]
    (kept,) = [
        file
        for file in cache.iterdir()
        if b"[0," in file.read_bytes()[:400] and _kept_for(file, path / "decisions.jsonl")
    ]
    data = kept.read_bytes()
    for place in [*range(0, len(data), 7), len(data) - 1]:
        for damaged in (data[:place], data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :], data + b"12345678"):
            kept.write_bytes(damaged)
            scans.clear()
            investigation = open_package(path)
            assert [one.key for one in investigation.decisions] == keys
            assert errors(investigation) == []
            assert scans == ["decisions.jsonl"]
    assert kept.read_bytes() == data


def _kept_for(file, path):
    return str(path.stat().st_ino).encode() in file.read_bytes()[:400]


def test_without_a_place_to_keep_it(tmp_path, monkeypatch, scans):
    """No home, or a cache that cannot be written, is no error: the file is scanned."""
    monkeypatch.setattr(index_module, "CACHE_FROM_BYTES", 1)
    path = _package(tmp_path / "run")
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file" / "cache"))
    assert len(open_package(path).decisions) == 50
    assert len(open_package(path).decisions) == 50
    assert len(scans) == 6
    monkeypatch.setattr(index_module, "cache_folder", lambda: None)
    assert len(open_package(path).decisions) == 50


def test_where_indexes_are_kept(monkeypatch):
    """The cache folder is that of the XDG specification: a relative name there does not count."""
    monkeypatch.setenv("XDG_CACHE_HOME", "/some/where")
    assert cache_folder() == Path("/some/where/investigation-inspector/index")
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    monkeypatch.setenv("HOME", "/home/somebody")
    assert cache_folder() == Path("/home/somebody/.cache/investigation-inspector/index")


def test_the_cache_is_bounded(tmp_path, cache, monkeypatch):
    """Only so many indexes are kept; the oldest go first."""
    monkeypatch.setattr(index_module, "MAX_CACHED_INDEXES", 4)
    for number in range(4):
        open_package(_package(tmp_path / f"run{number}", count=2))
    assert len(list(cache.iterdir())) == 4
    assert not [file for file in cache.iterdir() if file.name.startswith("draft-")]


def test_small_files_are_not_cached(tmp_path, monkeypatch):
    """An index that is made faster than found is not kept."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    open_package(_package(tmp_path / "run"))
    assert not (tmp_path / "cache").exists()


def test_unpacked_members_are_not_cached(tmp_path, cache):
    """A temporary copy has no name to be found by again."""
    folder = _package(tmp_path / "run")
    with zipfile.ZipFile(tmp_path / "run.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for file in folder.iterdir():
            archive.write(file, file.name)
    assert len(open_package(tmp_path / "run.zip").decisions) == 50
    assert not cache.exists()
