"""The encodings as exact bytes: golden files, and the small cases that the specification spells out."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.canonical import canonical_text, loads
from core.codec import CODECS, V4, V5, V6, encode, restore, restore_view

GOLDEN = Path(__file__).parent / "fixtures" / "codec"
ORIGIN = {"repository": "acme/player", "revision": "9f1c"}
LONG = "a line that is long enough to be worth sharing between captures, as most lines of source are"


def golden(version):
    return (GOLDEN / f"{version.rpartition('_')[2]}.json").read_bytes()


def capture(name, rows, *, path="src/a.js", content="sha256:77", origin=ORIGIN, **fields):
    metadata = {"path": path, "content_hash": content}
    items = [row if isinstance(row, dict) else {"line": row, "text": f"{LONG} {row}"} for row in rows]
    return {"id": name, "metadata": metadata, "origin": origin, "items": items, **fields}


@pytest.mark.parametrize("version", CODECS)
def test_the_golden_view_in_every_version(version):
    """Each version writes the golden view as the bytes that are kept in the repository."""
    encoded = encode(loads(golden(V4)), version)
    assert encoded.raw == golden(version)
    assert not encoded.fell_back
    assert encoded.reason is None


@pytest.mark.parametrize("version", CODECS)
def test_the_golden_bytes_restore(version):
    """The golden bytes of each version, read back, give the golden bytes of every earlier one."""
    stored = loads(golden(version))
    assert canonical_text(restore(stored, version)).encode() == golden(V4)
    previous = CODECS[version].previous or V4
    assert canonical_text(restore_view(stored, version)).encode() == golden(previous)


def test_v5_shares_what_occurs_twice_and_nothing_else():
    """Metadata and origins share one table in order of first use; what occurs once stays inline, also a path."""
    view = {
        "evidence": [
            {"metadata": {"path": "a", "n": 1}, "origin": {"r": 1}, "query": {"path": "once"}},
            {"metadata": {"path": "a", "n": 1.0}, "origin": {"r": 1}, "query": {"path": "twice"}},
            {"metadata": {"r": 1}, "origin": None, "query": {"path": "twice"}},
        ]
    }
    assert encode(view, V5).text == (
        '{"evidence":[{"metadata":{"n":1,"path":"a"},"origin_ref":"M1","query":{"path":"once"}},'
        '{"metadata":{"n":1.0,"path":"a"},"origin_ref":"M1","query":{"path_alias":"P1"}},'
        '{"metadata_ref":"M1","origin":null,"query":{"path_alias":"P1"}}],'
        '"shared_metadata":{"M1":{"r":1}},"shared_paths":{"P1":"twice"}}'
    )


def test_aliases_that_are_paths_of_the_view_are_skipped():
    """Where a file is called `P1`, `M1` or `F1`, the first alias of that kind is the next one."""
    view = {
        "evidence": [
            capture("E1", [1, 2], path=name, query={"path": name}, result={"rows": [LONG]})
            for name in ("P1", "M1", "F1", "R1") * 2
        ]
    }
    encoded = encode(view, V6).view
    assert list(encoded["shared_paths"]) == ["P2", "P3", "P4", "P5"]
    assert list(encoded["shared_metadata"]) == ["M2", "M3", "M4", "M5", "M6"]
    assert list(encoded["shared_files"]) == ["F2", "F3", "F4", "F5"]
    assert list(encoded["shared_results"]) == ["R2"]
    assert canonical_text(restore(encoded, V6)) == canonical_text(view)


def test_new_aliases_skip_the_aliases_of_a_stored_v5_view():
    """A v5 view of somebody else may call a path `F1`: the first FILE is then `F2`."""
    view = {
        "evidence": [capture("E1", [1, 2]), capture("E2", [1, 2])],
        "shared_paths": {"F1": "src/other.js"},
    }
    assert list(encode(view, V6, given=V5).view["shared_files"]) == ["F2"]


def test_files_are_told_apart_by_every_detail():
    """Another hash, revision, origin, number type or `null` against absent is another FILE; key order is not."""
    base = {"path": "src/a.js", "content_hash": "sha256:77"}
    metadatas = [
        base,
        dict(reversed(base.items())),
        {**base, "content_hash": "sha256:88"},
        {**base, "blob": None},
        {**base, "size": 1},
        {**base, "size": 1.0},
        {**base, "size": True},
    ]
    origins = [ORIGIN, {**ORIGIN, "revision": "8e"}, {**ORIGIN, "branch": None}]
    rows = [{"line": n, "text": LONG} for n in range(3)]
    records = [{"id": "E", "metadata": m, "origin": ORIGIN, "items": rows} for m in metadatas * 2]
    records += [{"id": "E", "metadata": base, "origin": o, "items": rows} for o in origins * 2]
    encoded = encode({"evidence": records}, V6)
    used = [record["items"]["shared_source_lines_v1"]["file"] for record in encoded.view["evidence"]]
    assert used == ["F1", "F1", "F2", "F3", "F4", "F5", "F6"] * 2 + ["F1", "F7", "F8"] * 2
    assert canonical_text(restore(encoded)) == canonical_text({"evidence": records})


@pytest.mark.parametrize(
    "record",
    [
        capture("E1", [1, 2], content=""),
        capture("E1", [1, 2], content=None),
        capture("E1", [1, 2], content=5),
        capture("E1", [1, 2], path=None),
        capture("E1", [1, 2], path=["src/a.js"]),
        capture("E1", [1, 2], origin=None),
        capture("E1", [1, 2], origin={}),
        capture("E1", [1, 2], origin={"repository": "acme/player"}),
        capture("E1", [1, 2], origin={"repository": "acme/player", "revision": ""}),
        capture("E1", [1, 2], origin="9f1c"),
        {
            "id": "E1",
            "metadata": {"path": "src/a.js", "content_hash": "sha256:77"},
            "items": [{"line": 1, "text": LONG}],
        },
        {"id": "E1", "origin": ORIGIN, "items": [{"line": 1, "text": LONG}]},
        {**capture("E1", []), "items": {"1": LONG}},
        {**capture("E1", []), "items": None},
    ],
)
def test_what_names_no_known_snapshot_is_merged_with_nothing(record):
    """Without a path, a content identity, a pinned origin or a list of items a record stays as it is, beside shared ones."""
    whole = [capture("E8", [1, 2, 3]), capture("E9", [1, 2, 3])]
    encoded = encode({"evidence": [record, record, *whole]}, V6)
    assert "shared_files" in encoded.view
    kept = [restore(encoded, to=V5)["evidence"][place] for place in (0, 1)]
    assert canonical_text(encoded.view["evidence"][:2]) == canonical_text(kept)


@pytest.mark.parametrize("pin", ["revision", "commit", "snapshot"])
@pytest.mark.parametrize("identity", ["content_hash", "blob"])
def test_what_pins_an_origin_and_names_a_content(pin, identity):
    """Any of the three pins and either content identity makes a capture."""
    record = {"metadata": {"path": "a.js", identity: "7"}, "origin": {pin: "9f"}, "items": [{"line": 1, "text": LONG}]}
    assert list(encode({"evidence": [record] * 3}, V6).view["shared_files"]) == ["F1"]


def test_path_ref_only_where_one_file_matches():
    """A literal path becomes `path_ref` only if exactly one FILE has that path and the record's origin."""
    other = {**ORIGIN, "revision": "8e"}
    view = {
        "evidence": [
            capture("E1", range(20), path="one.js", query={"path": "one.js"}),
            capture("E2", range(20), path="one.js", query={"tool": "again"}),
            capture("E3", [1, 2, 3], path="two.js", content="sha256:1", query={"path": "two.js"}),
            capture("E4", [1, 2, 3], path="two.js", content="sha256:2"),
            {"id": "E5", "query": {"path": "three.js"}, "origin": ORIGIN},
            {"id": "E6", "query": {"path": "four.js"}},
            capture("E7", [1, 2, 3], path="four.js"),
            capture("E8", [1, 2, 3], path="five.js", origin=other),
            {"id": "E9", "query": {"path": "five.js"}, "origin": ORIGIN},
            {
                "id": "E10",
                "query": {"path": "six.js"},
                "origin": ORIGIN,
                "note": "no capture, the FILE's path and origin",
            },
            capture("E11", [1, 2, 3], path="six.js"),
        ]
    }
    encoded = encode(view, V6).view
    queries = {record["id"]: record.get("query") for record in encoded["evidence"]}
    assert queries["E1"] == {"path_ref": "F1"}
    assert queries["E3"] == {"path": "two.js"}, "two snapshots have that path"
    assert queries["E5"] == {"path": "three.js"}, "no FILE has that path"
    assert queries["E6"] == {"path": "four.js"}, "the record has no origin"
    assert queries["E9"] == {"path": "five.js"}, "the FILE is of another revision"
    assert queries["E10"] == {"path_ref": "F6"}, "a FILE is matched by path and origin, also where nothing was captured"
    assert canonical_text(restore(encoded, V6)) == canonical_text(view)


def test_a_path_alias_is_left_alone():
    """A query that says `path_alias` in v5 says the same in v6, though a FILE matches."""
    view = {
        "evidence": [
            capture("E1", [1, 2], query={"path": "src/a.js"}),
            capture("E2", [1, 2], query={"path": "src/a.js"}),
        ]
    }
    encoded = encode(view, V6).view
    assert [record["query"] for record in encoded["evidence"]] == [{"path_alias": "P1"}] * 2
    assert encoded["shared_paths"] == {"P1": "src/a.js"}


def test_a_capture_that_states_its_provenance_otherwise_keeps_its_own():
    """In a stored v5 view one FILE may be stated inline, by `M1` and by `M3`: each capture keeps what differs from its FILE."""
    metadata = {"path": "src/a.js", "content_hash": "sha256:77"}
    rows = [{"line": n, "text": LONG} for n in range(3)]
    view = {
        "evidence": [
            {"id": "E1", "metadata_ref": "M1", "origin_ref": "M2", "items": rows},
            {"id": "E2", "metadata": metadata, "origin_ref": "M2", "items": rows},
            {"id": "E3", "metadata_ref": "M3", "origin": ORIGIN, "items": rows},
            {"id": "E4", "metadata_ref": "M1", "origin_ref": "M2", "items": rows},
        ],
        "shared_metadata": {"M3": metadata, "M1": metadata, "M2": ORIGIN, "unused": {}},
    }
    encoded = encode(view, V6, given=V5)
    slices = {"shared_source_lines_v1": {"file": "F1", "slices": [[0, 3]]}}
    assert encoded.view["shared_files"] == {"F1": {"metadata_ref": "M1", "origin_ref": "M2"}}
    assert encoded.view["evidence"] == [
        {"id": "E1", "items": slices},
        {"id": "E2", "metadata": metadata, "items": slices},
        {"id": "E3", "metadata_ref": "M3", "origin": ORIGIN, "items": slices},
        {"id": "E4", "items": slices},
    ]
    assert canonical_text(restore(encoded, to=V5)) == canonical_text(view)


def test_slices_rebuild_order_repeats_and_gaps():
    """Slices are positions in the table: repeats and order come back, lines not captured stay missing, no items are no slices."""
    view = {
        "evidence": [
            capture("E1", [10, 11, 30]),
            capture("E2", [30, 10, 10, 11, 30]),
            capture("E3", [11, 40]),
            capture("E4", []),
        ]
    }
    encoded = encode(view, V6)
    slices = [record["items"]["shared_source_lines_v1"]["slices"] for record in encoded.view["evidence"]]
    assert slices == [[[0, 3]], [[2, 1], [0, 1], [0, 3]], [[1, 1], [3, 1]], []]
    assert [record["line"] for record in encoded.view["shared_sources"]["F1"]["records"]] == [10, 11, 30, 40]


def test_the_smaller_text_is_used():
    """A view with nothing to share, and one whose v6 text would be larger, keep the v5 text, and say why."""
    nothing = encode({"evidence": [{"id": "E1", "result": {"rows": []}}]}, V6)
    assert (nothing.fell_back, nothing.reason) == (True, "v5 text kept: nothing to share")
    larger = {"evidence": [capture("E1", [1])]}
    kept = encode(larger, V6)
    assert kept.fell_back
    assert kept.raw == encode(larger, V5).raw
    assert kept.reason == "v5 text kept: the v6 text (383 B) is not smaller than the v5 text (265 B)"


@pytest.mark.parametrize(
    "name", ["shared_metadata", "shared_paths", "shared_files", "shared_sources", "shared_results", "verbatim"]
)
@pytest.mark.parametrize("value", [{}, None, {"evidence": []}])
def test_a_reserved_name_at_the_top_wraps_the_view(name, value):
    """A v4 view that uses a table's name is wrapped whole in v5, once more in v6, and comes back."""
    view = {"evidence": [capture("E1", [1, 2]), capture("E2", [1, 2])], name: value}
    five, six = encode(view, V5), encode(view, V6)
    assert five.view == {"verbatim": view}
    assert six.view == {"verbatim": {"verbatim": view}}
    assert five.fell_back
    assert six.fell_back
    assert five.reason == f"wrapped whole: the view already uses the reserved name {name!r} at its top"
    assert canonical_text(restore(six)) == canonical_text(view)
    assert canonical_text(restore(six, to=V5)) == five.text


@pytest.mark.parametrize(
    "name", ["metadata_ref", "origin_ref", "path_alias", "path_ref", "result_ref", "shared_source_lines_v1"]
)
@pytest.mark.parametrize("place", ["record", "query", "items", "deep"])
def test_a_reserved_name_in_a_record_wraps_the_view(name, place):
    """The names are reserved as keys anywhere inside the evidence, not in other parts of the view and not in texts."""
    tainted = {
        "record": {name: "M1"},
        "query": {"query": {name: "P1"}},
        "items": {"items": {name: {"file": "F1", "slices": []}}},
        "deep": {"result": {"rows": [{"x": [{name: 1}]}]}},
    }[place]
    view = {"evidence": [tainted]}
    assert encode(view, V5).view == {"verbatim": view}
    assert canonical_text(restore(encode(view, V6))) == canonical_text(view)
    elsewhere = {"evidence": [{"text": f'{{"{name}":1}}'}], "history": [{name: 1}]}
    assert encode(elsewhere, V5).text == canonical_text(elsewhere)


def test_a_stored_v5_view_that_uses_a_v6_name_is_wrapped_once():
    """v6 wraps a v5 view that uses one of the names that are new in v6; v5's own references are no such use."""
    view = {"evidence": [{"metadata_ref": "M1", "result_ref": 1}], "shared_metadata": {"M1": {}}}
    assert encode(view, V6, given=V5).view == {"verbatim": view}
    assert (
        encode({**view, "evidence": [{"metadata_ref": "M1"}]}, V6, given=V5).reason == "v5 text kept: nothing to share"
    )
