"""Which bytes of each encoded text carry the same source line: written down for a small view, as properties for any."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from view_strategies import views

from core.canonical import canonical_bytes_trusted
from core.codec import CODECS, V4, V5, V6, encode
from core.codec.shared_lines import Piece, beside
from core.errors import ViewError

ORIGIN = {"repository": "acme/player", "revision": "9f1c1e2d3c4b5a69788796a5b4c3d2e1f0998877"}
META = {"path": "src/a.js", "content_hash": "sha256:" + "7" * 64}
LONG = "const seconds = Number(process.env.PLAYER_START_SECONDS ?? 30);"


def capture(name, *rows):
    items = [{"line": line, "text": text} for line, text in rows]
    return {"id": name, "query": {"path": "src/a.js", "of": name}, "metadata": META, "origin": ORIGIN, "items": items}


VIEW = {
    "task": {"title": "é"},
    "evidence": [
        capture("E1", (1, LONG), (2, "b"), (3, LONG + "!")),
        {"id": "E2", "result": 7},
        capture("E3", (1, LONG), (3, LONG + "!"), (1, LONG)),
    ],
}


def texts(side, line):
    return [side.raw[place.start : place.end].decode() for place in side.of(line)]


def test_a_line_that_captures_share_is_one_place_in_v6_and_three_in_v5():
    """Line 1 was seen by E1 once and by E3 twice: three places in v4 and v5, one in v6, all with the same bytes."""
    found = beside(VIEW, V4, (V4, V5, V6))
    v4, v5, v6 = found.sides
    assert not v6.fell_back
    assert found.lines == {
        (0, 0): (0, 0),
        (0, 1): (0, 1),
        (0, 2): (0, 2),
        (2, 0): (0, 0),
        (2, 1): (0, 2),
        (2, 2): (0, 0),
    }
    line = f'{{"line":1,"text":"{LONG}"}}'
    assert texts(v4, (0, 0)) == texts(v5, (0, 0)) == [line, line, line]
    assert texts(v6, (0, 0)) == [line]
    assert [place.items for place in v6.of((0, 0))] == [((0, 0), (2, 0), (2, 2))]
    assert [place.items for place in v5.of((0, 0))] == [((0, 0),), ((2, 0),), ((2, 2),)]
    assert texts(v6, (0, 1)) == ['{"line":2,"text":"b"}']


def test_the_parts_of_a_text_cover_it():
    """Records, source lines of each FILE, other tables and the rest lie side by side over the whole text."""
    (side,) = beside(VIEW, V4, (V6,)).sides
    assert [(piece.kind, piece.name, piece.number) for piece in side.pieces] == [
        ("record", "E1", 0),
        ("record", "E2", 1),
        ("record", "E3", 2),
        ("table", "shared_files", None),
        ("table", "shared_metadata", None),
        ("table", "shared_paths", None),
        ("lines", "F1", None),
        ("rest", "task", None),
    ]
    assert [piece.path for piece in side.pieces if piece.path] == ["src/a.js"]
    assert side.pieces[0].start == 0
    assert side.raw[side.pieces[1].start : side.pieces[1].end] == b'{"id":"E2","result":7},'
    assert b"".join(side.raw[each.start : each.end] for each in side.pieces) == side.raw


def test_without_sharing_two_encodings_hold_the_same_places():
    """In v4 and v5 alone nothing is joined: every item is a line of its own."""
    found = beside(VIEW, V4, (V4, V5))
    assert all(item == line for item, line in found.lines.items())


def test_a_stored_view_goes_both_ways_and_a_bad_one_is_refused():
    """From a stored v5 view v4 is restored and v6 encoded; a reference that leads nowhere is an error."""
    stored = encode(VIEW, V5).view
    assert [side.raw for side in beside(stored, V5, (V4, V5, V6)).sides] == [
        encode(VIEW, version).raw for version in (V4, V5, V6)
    ]
    with pytest.raises(ViewError):
        beside({"evidence": [{"metadata_ref": "M9"}]}, V5, (V4, V5))


def test_an_empty_view_is_one_part():
    """A view without evidence is one part of text and no lines."""
    (side,) = beside({"evidence": []}, V4, (V4,)).sides
    assert side.pieces == (Piece("rest", "evidence", 0, 15),)
    assert side.places == ()


@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(views)
def test_every_place_is_the_text_of_its_items(view):
    """For any view: parts cover each text, every item has places in each encoding, and each is the item's canonical text."""
    found = beside(view, V4, tuple(CODECS))
    evidence = view.get("evidence")
    records = evidence if isinstance(evidence, list) else []
    for side in found.sides:
        assert b"".join(side.raw[each.start : each.end] for each in side.pieces) == side.raw
        assert sorted(item for place in side.places for item in place.items) == sorted(found.lines)
        for place in side.places:
            for record, item in place.items:
                assert side.raw[place.start : place.end] == canonical_bytes_trusted(records[record]["items"][item])
                assert found.lines[record, item] == place.line
