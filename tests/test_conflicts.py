"""Conflicts between captures of one snapshot, the same in every encoding, against a pairwise reference."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from view_strategies import views

from core.canonical import same
from core.codec import CODECS, V4, encode
from core.codec.files import is_capture
from core.conflicts import conflicts

ORIGIN = {"repository": "acme/player", "revision": "9f1c"}


def capture(name, *rows, path="src/a.js", origin=ORIGIN, content="sha256:77"):
    items = [{"line": line, "text": text, **more} for line, text, more in rows]
    metadata = {"path": path, "content_hash": content}
    return {"id": name, "query": {"path": path, "n": name}, "metadata": metadata, "origin": origin, "items": items}


VIEW = {
    "evidence": [
        capture("E1", (1, "a", {}), (2, "b", {}), (3, "c", {"truncated": False})),
        capture("E2", (2, "B", {}), (3, "c", {"truncated": True}), (4, "d", {})),
        capture("E3", (1, "a", {}), (2, "b", {}), (4, "d", {"note": 1})),
        capture("E4", (1, "other", {}), content="sha256:88"),
        capture("E5", (1, "other", {}), origin={**ORIGIN, "revision": "8e"}),
        capture("E6", (1, "other", {}), origin=None),
        {"id": "E7", "items": [{"line": 1, "text": "other"}]},
    ]
}


@pytest.mark.parametrize("version", CODECS)
def test_conflicts_with_their_observers(version):
    """One FILE conflicts at three lines: in text, in the flag alone, and in another field; captures elsewhere do not count."""
    (file,) = conflicts(encode(VIEW, version).view, version)
    assert file.path == "src/a.js"
    assert file.identity == {"content_hash": "sha256:77"}
    assert file.origin == ORIGIN
    assert file.conflicting_lines == [2, 3, 4]
    assert [seen.id for seen in file.captures] == ["E1", "E2", "E3"]
    assert [conflict.kind for conflict in file.lines] == ["text", "truncation", "other"]
    text, flag, other = file.lines
    assert [(v.text, [o.id for o in v.observed_by]) for v in text.variants] == [("b", ["E1", "E3"]), ("B", ["E2"])]
    assert [v.record["truncated"] for v in flag.variants] == [False, True]
    assert [[o.position for o in v.observed_by] for v in other.variants] == [[1], [2]]
    assert text.variants[0].observed_by[1].query == {"path": "src/a.js", "n": "E3"}
    assert text.variants[0].observed_by[1].origin == ORIGIN


def test_no_conflict_no_file():
    """Captures that agree, and captures of different snapshots, give nothing."""
    assert conflicts({"evidence": VIEW["evidence"][3:]}, V4) == ()
    assert conflicts({"evidence": []}, V4) == ()


def test_the_text_decides_the_kind_before_the_flag():
    """Where text and flag differ the kind is text; an absent and a null flag differ in the flag alone; odd texts are shown."""
    evidence = [capture("E1", (1, "a", {"truncated": None}), (2, "x", {"truncated": True}), (3, None, {}))]
    evidence += [capture("E2", (1, "a", {}), (2, "xy", {"truncated": False}), (3, 1.0, {}))]
    (file,) = conflicts({"evidence": evidence}, V4)
    assert [(conflict.line, conflict.kind) for conflict in file.lines] == [(1, "truncation"), (2, "text"), (3, "text")]
    assert [variant.text for variant in file.lines[2].variants] == ["null", "1.0"]


def reference(view):
    """Per FILE, in order of first capture, the conflicting lines: by comparing all pairs of all captures of equal identity."""
    captured = [
        record
        for record in (view["evidence"] if type(view.get("evidence")) is list else [])
        if type(record) is dict and is_capture(record, record.get("metadata"), record.get("origin"))
    ]
    found = []
    for first in captured:
        alike = [r for r in captured if same(r["metadata"], first["metadata"]) and same(r["origin"], first["origin"])]
        if alike[0] is not first:
            continue
        rows = [
            row for record in alike for row in record["items"] if type(row) is dict and type(row.get("line")) is int
        ]
        lines = {a["line"] for a in rows for b in rows if a["line"] == b["line"] and not same(a, b)}
        if lines:
            found.append(sorted(lines))
    return found


@settings(max_examples=200, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(views)
def test_conflicts_against_the_reference(view):
    """In every version the conflicting lines are those of the pairwise reference, and v6 states the same list."""
    expected = reference(view)
    for version in CODECS:
        encoded = encode(view, version)
        assert [file.conflicting_lines for file in conflicts(encoded.view, version)] == expected
    sources = encoded.view.get("shared_sources", {})
    if sources and "verbatim" not in encoded.view:
        assert [source["conflicting_lines"] for source in sources.values() if "conflicting_lines" in source] == expected
