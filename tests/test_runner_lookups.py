"""Lookups over a small source tree."""

import pytest

from core.errors import InvestigationError
from core.lookup_tools import look_up
from core.model import Lookup
from core.source_tree import SourceTree, confined, load_tree

CODE = """\
// one
import { b } from "b";

/**
 * Adds.
 */
export const add = (a, b) =>
  a + b;

export async function start(
  element,
) {
  if (element) {
    return play(element);
  }
}
class Player {
}
const limit = 4;
"""
TREE = SourceTree(
    {
        "src/code.js": CODE.encode(),
        "src/other.js": b"play\r\nstop",
        "srcs/far.js": b"play\n",
        "blob.bin": b"\xff\xfeplay\n",
        "many.txt": b"".join(b"hit\n" + b"-\n" * 8 for _ in range(12)),
    }
)


def ranges(found):
    return [(each.path, each.start, each.end) for each in found.sources]


def test_search_joins_excerpts_that_touch():
    """Hits with three lines around them; a folder narrows to that folder, not to its namesakes."""
    found = look_up(TREE, Lookup("search", ("play",)))
    assert ranges(found) == [
        ("blob.bin", 1, 1),
        ("src/code.js", 11, 17),
        ("src/other.js", 1, 2),
        ("srcs/far.js", 1, 1),
    ]
    narrowed = look_up(TREE, Lookup("search", ("play",), search="src"))
    assert ranges(narrowed) == [("src/code.js", 11, 17), ("src/other.js", 1, 2)]
    digest = TREE.hash("src/other.js")
    assert narrowed.body.endswith(f"\nsrc/other.js {digest} lines 1-2\n    1| play\r\n    2| stop\n")


def test_search_takes_plain_text():
    """A query is not a pattern; what is not there gives a completed, empty body."""
    found = look_up(TREE, Lookup("search", ("pl.y",)))
    assert (found.status, found.body, found.sources) == ("completed", "", ())


def test_search_says_what_it_leaves_out():
    """Eight excerpts, then how many more there are."""
    found = look_up(TREE, Lookup("search", ("hit",)))
    assert len(found.sources) == 8
    assert found.body.endswith("\n4 more places match and are not shown: search in a folder or file.\n")


@pytest.mark.parametrize(
    ("name", "lines"),
    [("start", (10, 16)), ("add", (4, 8)), ("Player", (17, 18)), ("limit", (19, 19))],
)
def test_symbol_gives_the_whole_definition(name, lines):
    """From the comment above a definition to the line that closes it."""
    assert ranges(look_up(TREE, Lookup("symbol", (name,)))) == [("src/code.js", *lines)]


def test_symbol_wants_the_definition_only():
    """A call is no definition, nor is a longer name."""
    assert look_up(TREE, Lookup("symbol", ("play",))).body == ""
    assert look_up(TREE, Lookup("symbol", ("star",))).body == ""


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (None, "a read needs arguments"),
        ({"path": 3}, "a read needs arguments"),
        ({"path": "../x"}, "no such file"),
        ({"path": "/etc/passwd"}, "no such file"),
        ({"path": "src/code.js", "start": 0}, "line numbers"),
        ({"path": "src/code.js", "start": True}, "line numbers"),
        ({"path": "src/code.js", "start": 5, "end": 4}, "line numbers"),
        ({"path": "src/code.js", "start": 1.0}, "line numbers"),
        ({"path": "src/code.js", "start": 99}, "the file has 19 lines"),
    ],
)
def test_a_read_that_cannot_be_performed_fails(arguments, reason):
    """The body says why, and there are no sources."""
    found = look_up(TREE, Lookup("read", arguments=arguments))
    assert found.status == "failed"
    assert reason in found.body
    assert found.sources == ()


def test_a_read_past_the_end_gives_what_is_there():
    """Lines that do not exist are neither given nor claimed."""
    assert ranges(look_up(TREE, Lookup("read", arguments={"path": "src/code.js", "start": 18, "end": 99}))) == [
        ("src/code.js", 18, 19)
    ]


def test_unknown_kinds_and_empty_questions_fail():
    """What cannot be asked is a failed lookup that names what can."""
    assert look_up(TREE, Lookup("web")).body == "unknown kind of lookup; known: search, symbol, read"
    assert look_up(TREE, Lookup("search")).status == "failed"
    assert look_up(TREE, Lookup("search", ("x",), search="../..")).status == "failed"
    assert look_up(TREE, Lookup("symbol", ("a b",))).status == "failed"


@pytest.mark.parametrize("path", ["", "/a", "..", "a/../b", "a\\b", "C:x", "a\nb", "a\0", "."])
def test_paths_that_leave_the_tree(path):
    """Absolute, upward, odd or empty paths are not confined."""
    assert confined(path) is None


def test_a_plain_path_is_its_own_form():
    """`./a//b` is `a/b`; a tree holds plain forms only."""
    assert confined("./a//b.js") == "a/b.js"
    with pytest.raises(InvestigationError):
        SourceTree({"./a": b""})


def test_load_tree_follows_no_links(tmp_path):
    """Files are read as bytes; a link out of the folder is not followed."""
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.js").write_bytes(b"a\r\n")
    (tmp_path / "secret").write_text("s")
    (tmp_path / "in" / "link").symlink_to(tmp_path / "secret")
    assert load_tree(tmp_path / "in").files == {"a.js": b"a\r\n"}
