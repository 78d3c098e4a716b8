"""A file that is no recording: the message says what it looks like, so that a person knows what to do."""

from __future__ import annotations

import gzip
import tarfile
import zipfile

import pytest
from click.testing import CliRunner

from core.catalogue import catalogue
from core.commands import main
from core.errors import PackageError, UnsupportedError
from core.readers import main_part, open_any
from tests.readers_help import FIXTURES

PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 40


@pytest.mark.parametrize(
    ("content", "message", "found"),
    [
        (b"", "the file is empty", "0 bytes"),
        (b" \n\r\n", "the file is empty", "4 bytes of white space"),
        (PNG, "this looks like an image (PNG)", None),
        (b"\xff\xd8\xff\xe0 rest", "this looks like an image (JPEG)", None),
        (b"%PDF-1.7 rest", "this looks like a PDF document", None),
        (b"<!DOCTYPE html><p>{", "this looks like a web page (HTML)", None),
        (gzip.compress(b"{}", mtime=0), "this looks like a gzip file: unpack it first", None),
        ('{"a":1}'.encode("utf-16"), "this looks like UTF-16 text: save it as UTF-8", None),
        (b"hello", "no reader knows this file", None),
    ],
)
def test_the_message_says_what_the_file_looks_like(content, message, found, tmp_path):
    """By its first bytes, whatever its name; what was looked for stands beside it."""
    path = tmp_path / "x.jsonl"
    path.write_bytes(content)
    with pytest.raises(UnsupportedError) as caught:
        open_any(path)
    assert (caught.value.message, caught.value.found, caught.value.file) == (message, found, "x.jsonl")
    assert caught.value.expected.startswith("a package, a Claude Code session, a Codex rollout")


def test_a_tar_archive_is_named(tmp_path):
    """Its sign stands behind the first name."""
    (tmp_path / "a.txt").write_text("x")
    with tarfile.open(tmp_path / "runs", "w") as archive:
        archive.add(tmp_path / "a.txt", "a.txt")
    with pytest.raises(UnsupportedError, match="a tar archive: unpack it first"):
        open_any(tmp_path / "runs")


def test_half_a_zip_is_called_cut(tmp_path):
    """A download that broke off: the missing end record is named with the bytes that are there."""
    whole = tmp_path / "whole.zip"
    with zipfile.ZipFile(whole, "w") as archive:
        archive.writestr("manifest.json", "{}" * 500)
    half = tmp_path / "half.zip"
    half.write_bytes(whole.read_bytes()[:600])
    with pytest.raises(PackageError) as caught:
        open_any(half)
    assert caught.value.message == "the zip is cut off: its end record is missing"
    assert caught.value.found == "none in 600 bytes"


def test_commands_and_archive_say_the_same(tmp_path):
    """One line and status 2 in the terminal; in a folder what is empty is passed over, and a cut zip is an error."""
    (tmp_path / "empty.jsonl").touch()
    (tmp_path / "picture.png").write_bytes(PNG)
    (tmp_path / "half.zip").write_bytes(b"PK\x03\x04" + b"x" * 60)
    said = CliRunner().invoke(main, ["diagnose", str(tmp_path / "empty.jsonl")])
    assert said.exit_code == 2
    assert said.stderr.startswith("empty.jsonl: the file is empty (expected a package, ")
    found = catalogue([tmp_path])
    assert {each.name.rpartition("/")[2]: each.reason for each in found.passed} == {
        "empty.jsonl": "the file is empty",
        "picture.png": "this looks like an image (PNG)",
    }
    assert [each.error.message for each in found.unread] == ["the zip is cut off: its end record is missing"]


def test_the_part_with_the_most_calls_is_meant_where_none_is_named():
    """A title call in front is not the run; of equals the first is meant."""
    session = open_any(FIXTURES / "claude-code.jsonl")
    assert [len(each.decisions) for each in session] == [7, 2]
    assert main_part(session) == 1
    assert main_part(session[::-1]) == 2
    assert main_part((session[1], session[1])) == 1
