"""Any body, carried in any recognised form, is whole, and the byte range gives it back; no body is found by accident."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st
from stories import search, story

from core.delivery import deliver
from core.received import received

LETTERS = st.text(st.characters(blacklist_characters="\n"), max_size=30)
LINE = st.one_of(
    LETTERS, st.sampled_from(["", "}", "    return x;", 'say("a\\n\\"b")', "\t// é😀", "12: x", "  7→y", "\\"])
)
BODIES = (
    st.lists(LINE, min_size=2, max_size=12)
    .map("\n".join)
    .filter(lambda body: len(body.encode("utf-8", "surrogatepass")) >= 32)
)
AROUND = st.text(st.characters(blacklist_characters='\\"'), max_size=20)


def carried(body, text):
    run = story().decide(search("q")).result(search("q"), body, carried=text).decide().tell()
    found = deliver(run).at("f1", (2, 1))
    data = run.decisions[1].messages[3].text.encode("utf-8", "surrogatepass")
    return found, data[found.start : found.end].decode("utf-8", "surrogatepass") if found.place else None


@settings(max_examples=150, deadline=None)
@given(BODIES, AROUND, AROUND)
def test_raw(body, before, after):
    """Between any other text, the body's own bytes."""
    found, held = carried(body, f"{before}{body}{after}")
    assert found.state == "whole"
    assert held == body or found.carried != "raw"


@settings(max_examples=150, deadline=None)
@given(BODIES, st.integers(1, 3), st.booleans())
def test_escaped(body, depth, ascii_only):
    """In JSON strings, up to three deep: decoding the range as often gives the body."""
    text = body
    for _ in range(depth):
        text = json.dumps(["x", {"y": text}], ensure_ascii=ascii_only)
    found, held = carried(body, text)
    assert found.state == "whole"
    if found.carried == "escaped":
        levels = 0
        while held != body and levels < 3:
            held, levels = json.loads(f'"{held}"', strict=False), levels + 1
        assert held == body


@settings(max_examples=150, deadline=None)
@given(BODIES, st.integers(0, 5000), st.sampled_from(["→", "\t", ":", ": ", "| ", " | "]), st.integers(0, 6))
def test_numbered(body, first, separator, width):
    """Behind rising line numbers; a last line break has no number of its own."""
    lines = body.split("\n")
    text = "\n".join(f"{n:>{width or 1}}{separator}{line}" for n, line in enumerate(lines, first))
    assert carried(body, f"# a file\n{text}\n")[0].state == "whole"


@settings(max_examples=150, deadline=None)
@given(BODIES, st.sampled_from([" ", "  ", "    ", "\t", "\t\t"]))
def test_indented(body, indent):
    """Behind the same white space on every line."""
    text = "\n".join(indent + line for line in body.split("\n"))
    assert carried(body, f"output:\n{text}\nend")[0].state == "whole"


@settings(max_examples=200, deadline=None)
@given(BODIES, st.data())
def test_one_changed_character_is_never_whole(body, data):
    """Take the body and change one character that is not white space: nothing of this size is found by accident."""
    places = [place for place, letter in enumerate(body) if letter not in " \t\n\r\\" and not letter.isdigit()]
    if not places:
        return
    place = data.draw(st.sampled_from(places))
    changed = body[:place] + ("x" if body[place] != "x" else "z") + body[place + 1 :]
    assert carried(body, changed)[0].state != "whole"
    assert received(changed, bodies=[body]) != ()


@settings(max_examples=100, deadline=None)
@given(BODIES, st.data())
def test_a_beginning_is_cut_with_its_exact_bytes(body, data):
    """Cut anywhere between two characters: the bytes that came are counted, and they are the beginning."""
    length = data.draw(st.integers(1, len(body) - 1))
    found, held = carried(body, body[:length])
    assert (found.state, held) == ("cut", body[:length])
    assert found.received_bytes == len(body[:length].encode("utf-8", "surrogatepass"))
