"""Typed JSON equality through every encoding: what looks equal and is not, and what must not get lost."""

from __future__ import annotations

import pytest

from core.canonical import MAX_DEPTH, canonical_text, loads
from core.codec import CODECS, V4, V5, V6, encode, restore
from core.errors import JsonError, ViewError

ORIGIN = {"repository": "acme/player", "revision": "9f1c"}
METADATA = {"path": "src/a.js", "content_hash": "sha256:77"}
LONG = "a line that is long enough to be worth sharing between captures, as most lines of source are"
NUMBERS = [
    "1",
    "1.0",
    "true",
    "-0.0",
    "0.0",
    "0",
    "false",
    "null",
    '""',
    "[]",
    "{}",
    "18446744073709551616",
    "-9223372036854775809",
]
NUMBERS += ["123456789012345678901234567890", "1e16", "10000000000000000", "1e-05", "0.1", "5e-324"]


def view_of_items(*items):
    """Two captures of one FILE, each with the same items and with enough to share that v6 wins."""
    filler = [{"line": n, "text": LONG} for n in range(100, 110)]
    records = [{"id": "E1", "metadata": METADATA, "origin": ORIGIN, "items": [*filler, *items]} for _ in range(3)]
    return {"evidence": records}


def comes_back(view):
    text = canonical_text(view)
    for version in CODECS:
        encoded = encode(view, version)
        assert canonical_text(restore(loads(encoded.raw), version)) == text
    return encode(view, V6)


@pytest.mark.parametrize("shape", ["item", "line", "text", "nested"])
def test_values_that_look_equal_stay_apart_in_the_table(shape):
    """Each of nineteen values that Python may take for another one is a record of its own, in every place of an item."""
    items = [
        loads(
            {
                "item": raw,
                "line": f'{{"line":{raw}}}',
                "text": f'{{"text":{raw}}}',
                "nested": f'{{"a":[{{"b":{raw}}}]}}',
            }[shape]
        )
        for raw in NUMBERS
    ]
    encoded = comes_back(view_of_items(*items))
    records = encoded.view["shared_sources"]["F1"]["records"]
    assert len(records) == 10 + 19
    assert encoded.view["evidence"][2]["items"]["shared_source_lines_v1"]["slices"] == [[0, 29]]


def test_absent_and_null_are_two_records():
    """An item without `truncated`, with null and with false are three records, and all three come back."""
    items = [{"line": 1}, {"line": 1, "truncated": None}, {"line": 1, "truncated": False}, {}]
    encoded = comes_back(view_of_items(*items))
    assert len(encoded.view["shared_sources"]["F1"]["records"]) == 14
    assert encoded.view["shared_sources"]["F1"]["conflicting_lines"] == [1]


@pytest.mark.parametrize(
    "items",
    [
        [],
        [[], {}, "", None, 0],
        [{"line": 1, "text": '},{"line":2'}, {"line": 2, "text": '"},{"'}],
        [{"line": 1, "text": "\\"}, {"line": 1, "text": '\\"},{\\"'}],
        [{"line": 1, "rows": [{"a": 1}, {"b": 2}]}, {"line": 2}],
        [{"": {"": 1}}, {"": {"": 1}}, {}],
        [{"line": 1, "text": "\ud800"}, {"line": 1, "text": "\udc00"}, {"line": 1, "text": "😀"}],
        [{"line": 2**70, "text": "x"}, {"line": 2**70, "text": "y"}],
        [{"line": 1, "text": "\x00\x1f\r\n\u2028"}],
        ["F1", "a", "a", {"a": "F1"}],
    ],
)
def test_items_of_any_shape(items):
    """Texts with the separator in them, nested objects, empty ones, surrogates, huge integers: order and repeats come back."""
    encoded = comes_back(view_of_items(*items, *items[::-1]))
    assert "shared_sources" in encoded.view


def test_nested_objects_that_balance_an_empty_one_are_not_cut_in_the_wrong_place():
    """`},{` inside one item and an empty item beside it give the count of a flat list; the cut must not be fooled."""
    comes_back(view_of_items({"a": [{"x": 1}, {"y": 2}]}, {}, {"a": [{"x": 1}]}, {"y": 2}))


def test_duplicates_and_order():
    """Records that stand twice, evidence ids that stand twice and their order come back."""
    record = {"id": "E1", "metadata": METADATA, "origin": ORIGIN, "items": [{"line": 1, "text": LONG}] * 3}
    view = {"evidence": [record, {"id": "E2"}, record, {"id": "E1"}, {"id": None}, {}]}
    assert [r.get("id") for r in restore(comes_back(view))["evidence"]] == ["E1", "E2", "E1", "E1", None, None]


@pytest.mark.parametrize(
    "view",
    [
        {},
        {"evidence": None},
        {"evidence": {}},
        {"evidence": "E1"},
        {"evidence": [None, 1, "E1", [], {"id": 1}]},
        {"evidence": [{"metadata": None, "origin": [], "query": "q", "items": {"a": 1}, "result": None}]},
        {
            "evidence": [
                {"query": {"path": None}},
                {"query": {"path": None}},
                {"query": {"path": ""}},
                {"query": {"path": ""}},
            ]
        },
        {"evidence": [{"metadata": {}, "origin": {}}, {"metadata": {}}]},
    ],
)
def test_views_of_odd_shapes_pass_through(view):
    """A view without evidence, or with records of other shapes, comes back in every version."""
    comes_back(view)


def test_a_view_is_a_json_object():
    """A list is no working view; NaN, a set and a key that is no text are no JSON: refused with the reason."""
    with pytest.raises(ViewError, match=r"a working view is a JSON object \(expected object, found array\)"):
        encode([], V6)
    for broken in (float("nan"), float("inf"), {1}, {1: 2}):
        for version in CODECS:
            with pytest.raises(JsonError):
                encode(view_of_items({"line": 1, "text": broken}), version)


def test_depth_is_one_limit_for_the_whole_view():
    """A view at the depth limit is encoded; one that wrapping would push over it is refused, not written unreadably."""

    def nested(levels, name):
        value = 1
        for _ in range(levels):
            value = [value]
        return {"evidence": [{"id": "E1", name: value}]}

    deepest = nested(MAX_DEPTH - 3, "note")
    assert canonical_text(restore(encode(deepest, V6))) == canonical_text(deepest)
    with pytest.raises(JsonError, match="nested too deep"):
        encode(nested(MAX_DEPTH - 2, "note"), V4)
    assert encode(nested(MAX_DEPTH - 4, "path_ref"), V5).fell_back
    with pytest.raises(JsonError, match="nested too deep"):
        encode(nested(MAX_DEPTH - 3, "path_ref"), V5)


def test_tuples_are_arrays():
    """A view that holds tuples gives the text of the one that holds lists."""
    lists = view_of_items({"line": 1, "text": LONG})
    tuples = {"evidence": tuple({**record, "items": tuple(record["items"])} for record in lists["evidence"])}
    for version in CODECS:
        assert encode(tuples, version).raw == encode(lists, version).raw


def test_a_result_is_shared_only_where_that_is_smaller():
    """Equal results by type become one entry if the text shrinks: short ones and lone ones stay, `1` and `1.0` stay apart."""
    rows = {"rows": [{"control": "unsupported_control", "count": 1}], "more": False}
    float_rows = {"rows": [{"control": "unsupported_control", "count": 1.0}], "more": False}
    short = {"rows": []}
    view = {
        "evidence": [{"id": n, "result": value} for n, value in enumerate([short, rows, float_rows, rows, short, rows])]
    }
    encoded = comes_back(view)
    assert encoded.view["shared_results"] == {"R1": rows}
    assert [record.get("result_ref") for record in encoded.view["evidence"]] == [None, "R1", None, "R1", None, "R1"]


@pytest.mark.parametrize("times", [2, 3, 4, 9])
def test_the_result_rule_against_both_texts(times):
    """For every size from 0 to 60 bytes, results are shared exactly if the shared text is the smaller of the two."""
    for size in range(60):
        result = "r" * size
        view = {"evidence": [{"result": result}] * times}
        shared = {"evidence": [{"result_ref": "R1"}] * times, "shared_results": {"R1": result}}
        smaller = min(canonical_text(view), canonical_text(shared), key=len)
        assert encode(view, V6).text == smaller


@pytest.mark.parametrize("times", [2, 3, 5])
def test_the_result_rule_beside_shared_lines(times):
    """Where lines are shared anyway, results are shared exactly if that alone makes the text smaller; two kinds share one table."""
    base = encode(view_of_items(), V6).view
    for size in range(40):
        for kinds in (["r" * size], ["r" * size, "s" * size], ["r" * size, "s" * (size // 2)]):
            results = kinds * times
            view = {"evidence": [*view_of_items()["evidence"], *({"result": result} for result in results)]}
            options = []
            for shared in ([], kinds, kinds[:1], kinds[1:]):
                table = {f"R{number}": result for number, result in enumerate(dict.fromkeys(shared), start=1)}
                names = {result: name for name, result in table.items()}
                rows = [{"result_ref": names[r]} if r in names else {"result": r} for r in results]
                tables = {"shared_results": table} if table else {}
                options.append(canonical_text({**base, "evidence": [*base["evidence"], *rows], **tables}))
            assert len(encode(view, V6).text) == min(map(len, options)), (size, kinds)


def test_everything_unique_is_still_sent():
    """Each distinct item, result, query and id of the view stands in the v6 text; nothing is filtered or summarised."""
    view = view_of_items({"line": 1, "text": "counterevidence"}, {"line": 1, "text": "evidence"})
    view["evidence"].append(
        {"id": "E9", "query": {"tool": "db.query", "filter": {"old": True}}, "result": {"rows": [0]}}
    )
    encoded = comes_back(view)
    assert not encoded.fell_back
    for record in view["evidence"]:
        for part in (record["id"], record.get("query"), record.get("result"), *record.get("items", [])):
            assert part is None or canonical_text(part) in encoded.text


def test_the_smaller_text_is_the_only_rule():
    """Choosing between v5 and v6 text depends on their sizes alone: the evidence restored from either is the same."""
    small, large = {"evidence": view_of_items()["evidence"][:1]}, view_of_items()
    assert encode(small, V6).fell_back
    assert not encode(large, V6).fell_back
    for view in (small, large):
        assert canonical_text(restore(encode(view, V6))) == canonical_text(view)
        assert len(encode(view, V6).raw) <= len(encode(view, V5).raw)
