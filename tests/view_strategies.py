"""Working views that try to break an encoding: names that collide, values that look equal, shapes that nobody expects."""

from __future__ import annotations

from hypothesis import strategies as st

RESERVED = [
    *("shared_metadata", "shared_paths", "shared_files", "shared_sources", "shared_results", "verbatim"),
    *(
        "metadata_ref",
        "origin_ref",
        "path_alias",
        "path_ref",
        "result_ref",
        "shared_source_lines_v1",
        "conflicting_lines",
    ),
]
ALIASES = ["F1", "F2", "P1", "P2", "M1", "M2", "R1", "R2"]
PATHS = ["src/a.js", "src/b.js", "é.js", "../../x", "a\ud800", *ALIASES]
CONFUSABLE = [0, 0.0, -0.0, 1, 1.0, True, False, None, "", "1", [], {}, 2**63, 2**64, -(2**63) - 1, 1e16, 10**30, 0.1]
ODD_TEXT = ["", "F1", '},{"', '"},{"line":1', "null", '"path_ref":', "\\", "\ud800", "\udfff", "😀", "\x00", "line\r\n"]

LONG = "a line of source, long enough to be worth sharing " * 3  # so that shared forms are the smaller ones too

text = st.sampled_from(ODD_TEXT) | st.text(max_size=6)
scalar = st.sampled_from(CONFUSABLE) | text | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
rare_key = st.sampled_from(RESERVED)
key = st.sampled_from(["a", "b", "line", "path", "items", "text"]) | text
value = st.recursive(
    scalar,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(key, inner, max_size=3),
    max_leaves=4,
)
# Views are drawn from few values, so that things repeat, collide and nearly collide.
line = st.sampled_from([1, 2, 3, 1.0, True, None, "1", 2**64])
flat_item = st.fixed_dictionaries(
    {"line": line, "text": st.sampled_from(["x", LONG, LONG, '},{"', "\ud800"])},
    optional={"truncated": st.sampled_from([True, False, None, 0])},
)
item = st.one_of(flat_item, flat_item, flat_item, st.fixed_dictionaries({"line": line, "nested": value}), value)
items = st.lists(flat_item, max_size=6) | st.lists(item, max_size=5)
metadata = st.fixed_dictionaries(
    {"path": st.sampled_from(PATHS)},
    optional={
        "content_hash": st.sampled_from(["sha256:aa", "sha256:bb", "", None, 1]),
        "blob": st.sampled_from(["c0", None, ""]),
        "size": st.sampled_from([1, 1.0, True, None]),
    },
)
origin = st.fixed_dictionaries(
    {}, optional={"repository": st.sampled_from(["r", "s"]), "revision": st.sampled_from(["9f", "8e", None, "", 1])}
)
good_metadata = st.sampled_from(
    [{"path": path, "content_hash": "sha256:aa"} for path in PATHS]
    + [{"path": "src/a.js", "content_hash": "sha256:aa", "blob": None}, {"path": "src/a.js", "blob": "c0", "size": 1.0}]
)
good_origin = st.sampled_from(
    [{"revision": "9f"}, {"revision": "8e"}, {"revision": "9f", "n": 1}, {"revision": "9f", "n": 1.0}]
)
query = st.fixed_dictionaries(
    {},
    optional={
        "path": st.sampled_from(PATHS) | scalar,
        "start": scalar,
        "tool": st.sampled_from(["source.read", "db.query"]),
    },
)
result = st.sampled_from(
    [None, {}, [], {"rows": [1]}, {"rows": [1.0]}, {"rows": [True]}, {"rows": ["r" * 40]}, "r" * 40, 2**64]
)
capture = st.fixed_dictionaries(
    {"id": st.sampled_from(["E1", "E2", "E3"]), "items": items, "metadata": good_metadata, "origin": good_origin},
    optional={"query": query, "coverage": value, "result": result, "requested": st.just([1, 3])},
)
record = st.fixed_dictionaries(
    {"id": st.sampled_from(["E1", "E2", None])},
    optional={
        "items": items | value,
        "metadata": metadata | value,
        "origin": origin | value,
        "query": query | value,
        "result": result | value,
        "paging": st.none(),
    },
)
tainted = st.builds(lambda base, name, extra: {**base, name: extra}, record, rare_key, value)
FILE = [{"line": number, "text": LONG + str(number), "truncated": False} for number in range(1, 6)]
OTHER = [
    {**FILE[1], "text": "seen otherwise"},
    {**FILE[1], "truncated": True},
    {**FILE[2], "line": 3.0},
    {**FILE[2], "line": True},
]
READS = [FILE[:3], FILE[1:], FILE, FILE[:2] * 2, FILE[::-1], [FILE[0], OTHER[0]], OTHER, [*FILE[3:], OTHER[1]], []]
read = st.fixed_dictionaries(
    {
        "id": st.sampled_from(["E1", "E2"]),
        "items": st.sampled_from(READS),
        "metadata": st.sampled_from([{"path": "F1", "blob": "c0"}, {"path": "src/a.js", "content_hash": "sha256:aa"}]),
        "origin": st.sampled_from([{"revision": "9f"}, {"revision": "9f"}, {"revision": "8e"}, None]),
        "query": st.sampled_from(
            [{"path": "F1"}, {"path": "src/a.js"}, {"path": "src/a.js", "start": 1}, {"path": "P1"}]
        ),
    },
    optional={"result": st.sampled_from([{"rows": ["r" * 90]}, {"rows": ["r" * 90]}, {"rows": []}])},
)
reads = st.lists(read, min_size=2, max_size=6)
mixed = st.lists(st.one_of(capture, read, record), max_size=6)
evidence = reads | mixed
odd_evidence = st.lists(st.one_of(capture, record, tainted, value), max_size=5)


def _view(records, task, extra):
    return {**extra, "task": task, "evidence": records}


plain_views = st.builds(_view, evidence, value, st.dictionaries(key, scalar, max_size=2))
odd_views = st.builds(_view, odd_evidence, value, st.dictionaries(key | rare_key, value, max_size=2)) | st.dictionaries(
    st.one_of(key, rare_key, st.just("evidence")), value, max_size=3
)
views = st.one_of(plain_views, plain_views, plain_views, odd_views)
"""v4 views: mostly with captures to share, some that use reserved names or have odd shapes."""

FOREIGN = ["zz", "", "F1", "P1", "M10", "path_ref"]
provenance = st.sampled_from(
    [{"path": path, "content_hash": "sha256:aa"} for path in ("src/a.js", "F1", "../../x")]
    + [{"path": "src/a.js", "content_hash": text} for text in ("", None, 1)]
    + [{"path": "src/a.js", "blob": "c0", "size": size} for size in (1, 1.0, True, None)]
    + [{"revision": "9f"}, {"revision": "9f"}, {"revision": None}, {"repository": "r"}, {}]
)
foreign_tables = st.fixed_dictionaries(dict.fromkeys(FOREIGN, provenance))
foreign_paths = st.fixed_dictionaries({name: st.sampled_from(PATHS) for name in FOREIGN})
reference = st.sampled_from(FOREIGN)


def _referring(base, metadata_ref, origin_ref, path_alias):
    made = dict(base)
    for field, alias in (("metadata", metadata_ref), ("origin", origin_ref)):
        if alias is not None:
            made.pop(field, None)
            made[f"{field}_ref"] = alias
    asked = made.get("query")
    if type(asked) is dict and path_alias is not None:
        made["query"] = {name: part for name, part in asked.items() if name != "path"} | {"path_alias": path_alias}
    return made


foreign_record = st.builds(
    _referring,
    st.one_of(capture, read, read, record),
    st.none() | reference,
    st.none() | reference,
    st.none() | reference,
)


def _foreign(records, tables, paths, odd, task):
    view = {"task": task, "evidence": records, "shared_metadata": tables, "shared_paths": paths, **odd}
    return {"verbatim": view} if "verbatim" in odd else view


foreign_v5 = st.builds(
    _foreign,
    st.lists(foreign_record, min_size=1, max_size=6),
    foreign_tables,
    foreign_paths,
    st.just({}) | st.dictionaries(rare_key, scalar, max_size=1),
    scalar,
)
"""v5 views as somebody else may have stored them: aliases of any name and order, entries that nothing uses."""
