"""Paths by alias: known ones of the active context only, and never a way out of the repository."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from core.canonical import loads
from core.codec import V5, V6, encode, resolve_path
from core.errors import ViewError
from core.lookup_tools import look_up
from core.model import Lookup
from core.source_tree import SourceTree

GOLDEN = Path(__file__).parent / "fixtures" / "codec"
FIVE = loads((GOLDEN / "v5.json").read_bytes())
SIX = loads((GOLDEN / "v6.json").read_bytes())


def test_file_and_path_aliases_of_the_view_resolve():
    """F1 (by reference), F2 (inline) and P1 give their paths; the real path, R1, M1 and names that are no text do not."""
    assert resolve_path(SIX, "F1") == "src/player.js"
    assert resolve_path(SIX, "F2") == "src/other.js"
    assert resolve_path(SIX, "P1") == resolve_path(FIVE, "P1") == "src/player.js"
    for name in ("F3", "P2", "R1", "M1", "f1", "F1 ", "", "src/player.js", "shared_files"):
        assert resolve_path(SIX, name) is None


def test_an_alias_of_another_context_resolves_to_nothing():
    """F1 of one context means nothing in a v5 context, in a v4 one, or in a wrapped one."""
    assert resolve_path(FIVE, "F1") is None
    assert resolve_path({"evidence": []}, "P1") is None
    assert resolve_path({"verbatim": SIX}, "F1") is None


@pytest.mark.parametrize(
    "path",
    [
        "../../x",
        "a/../../x",
        "/etc/passwd",
        "C:/x",
        "C:x",
        "c:\\x",
        "..\\x",
        "\\\\host\\x",
        "a\x00b",
        "a\nb",
        "",
        ".",
        "..",
    ],
)
def test_an_alias_that_leads_out_is_refused(path):
    """A FILE or P alias whose path is absolute, steps up, has a drive letter or control characters is an error."""
    view = {
        "shared_files": {"F1": {"metadata": {"path": path, "blob": "1"}, "origin": {"revision": "1"}}},
        "shared_paths": {"P1": path},
    }
    for name in ("F1", "P1"):
        with pytest.raises(ViewError, match="an alias leads out of the repository"):
            resolve_path(view, name)


def test_a_file_called_like_an_alias():
    """A file whose real path is `F1` keeps that name: the first FILE is F2, and F1 resolves to nothing."""
    rows = [{"line": n, "text": "a line of some length, so that it is worth sharing"} for n in range(9)]
    record = {
        "query": {"path": "F1"},
        "metadata": {"path": "F1", "blob": "1"},
        "origin": {"revision": "1"},
        "items": rows,
    }
    view = encode({"evidence": [record, record]}, V6).view
    assert resolve_path(view, "F2") == "F1"
    assert resolve_path(view, "F1") is None


def test_broken_tables_are_errors():
    """A FILE entry that refers to nothing is an error, not an unknown alias."""
    view = {"shared_files": {"F1": {"metadata_ref": "M1", "origin_ref": "M2"}}}
    with pytest.raises(ViewError, match="unknown metadata_ref"):
        resolve_path(view, "F1")
    assert resolve_path({"shared_files": {"F1": None}}, "F1") is None
    assert resolve_path(encode({"evidence": []}, V5).view, "P1") is None


TREE = SourceTree({"src/player.js": b"play();\n", "F1": b"a file that is called like an alias\n"})


def read_by(view, name):
    """What a range read of a run gives for a path that a reply names."""
    return look_up(TREE, Lookup("read", arguments={"path": name, "start": 1}), partial(resolve_path, view))


def test_a_range_read_of_a_run_takes_aliases():
    """A FILE or P alias of the active context reads its file; an unknown one gets the ordinary rejection."""
    for name in ("F1", "P1", "src/player.js"):
        found = read_by(SIX, name)
        assert (found.status, found.sources[0].path) == ("completed", "src/player.js")
    unknown = read_by(SIX, "F9")
    assert (unknown.status, unknown.body) == ("failed", "no such file in the source tree")
    other = read_by(SIX, "F2")
    assert other.status == "failed", "known, but the tree has no such file"


def test_a_range_read_refuses_an_alias_that_leads_out():
    """The run goes on: the alias is rejected with its reason, and the file that has the alias's name is not read instead."""
    view = {"shared_files": {"F1": {"metadata": {"path": "../../x", "blob": "1"}, "origin": {"revision": "1"}}}}
    found = read_by(view, "F1")
    assert found.status == "failed"
    assert found.sources == ()
    assert found.body.startswith("an alias leads out of the repository")
