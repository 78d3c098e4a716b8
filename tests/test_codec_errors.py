"""References that lead nowhere, tables of another shape, unknown versions: errors that say where, never skipped."""

from __future__ import annotations

import copy
import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.canonical import loads
from core.codec import CODECS, V4, V5, V6, encode, growth, restore, restore_view
from core.errors import InspectorError, ViewError

GOLDEN = Path(__file__).parent / "fixtures" / "codec"
FIVE = loads((GOLDEN / "v5.json").read_bytes())
SIX = loads((GOLDEN / "v6.json").read_bytes())


def changed(view, path, value):
    """A copy of a view with one place of it set; a value of `...` removes it."""
    made = copy.deepcopy(view)
    inner = made
    for step in path[:-1]:
        inner = inner[step]
    if value is ...:
        del inner[path[-1]]
    else:
        inner[path[-1]] = value
    return made


E1 = ("evidence", 0)
SLICES = (*E1, "items", "shared_source_lines_v1", "slices")


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ((*E1, "metadata_ref"), "M9", r"evidence\[0\]: unknown metadata_ref \(expected one of 2 entries, found 'M9'\)"),
        ((*E1, "metadata_ref"), 1, r"evidence\[0\]: unknown metadata_ref"),
        ((*E1, "metadata_ref"), None, r"evidence\[0\]: unknown metadata_ref"),
        ((*E1, "origin_ref"), "m2", r"evidence\[0\]: unknown origin_ref"),
        ((*E1, "origin"), {}, r"evidence\[0\] says both origin and origin_ref"),
        ((*E1, "query", "path_alias"), "P2", r"evidence\[0\]: unknown path_alias"),
        ((*E1, "query", "path"), None, r"evidence\[0\] says both path and path_alias"),
        (("shared_metadata",), ..., r"unknown metadata_ref \(expected no reference, as the view has no such table"),
        (("shared_metadata",), [], r"shared_metadata is not a table \(expected object, found array\)"),
        (("shared_metadata", "M1"), None, r"shared_metadata 'M1' is no provenance \(expected object, found null\)"),
        (("shared_paths", "P1"), 5, r"shared_paths 'P1' is no path \(expected string, found number\)"),
        (("verbatim",), {}, "a wrapped view holds its one view and nothing else"),
    ],
)
def test_a_broken_v5_view_is_refused(path, value, message):
    """Restoring and encoding onwards name the place that cannot be resolved."""
    broken = changed(FIVE, path, value)
    with pytest.raises(ViewError, match=message):
        restore(broken, V5)
    if path != ("verbatim",):
        with pytest.raises(ViewError, match=message):
            encode(broken, V6, given=V5)


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ((*E1, "items", "shared_source_lines_v1", "file"), "F9", r"evidence\[0\]: unknown FILE .*found 'F9'"),
        ((*E1, "items", "shared_source_lines_v1", "file"), None, r"evidence\[0\]: unknown FILE"),
        ((*E1, "items", "shared_source_lines_v1"), [], r"evidence\[0\]: shared_source_lines_v1 has another shape"),
        ((*E1, "items", "more"), 1, r"evidence\[0\]: shared_source_lines_v1 has another shape"),
        (SLICES, None, r"evidence\[0\]: slices are no list"),
        (SLICES, [[0, 6]], r"evidence\[0\]: F1: a slice leads out of the table \(expected 5 records, found \[0, 6\]\)"),
        (SLICES, [[-1, 1]], "a slice leads out of the table"),
        (SLICES, [[0, 0]], "a slice leads out of the table"),
        (SLICES, [[5, 1]], "a slice leads out of the table"),
        (SLICES, [[0]], "a slice is two integers"),
        (SLICES, [[0, 1, 1]], "a slice is two integers"),
        (SLICES, [[True, 1]], "a slice is two integers"),
        (SLICES, [[0, 1.0]], "a slice is two integers"),
        (SLICES, [0], "a slice is two integers"),
        (("evidence", 2, "query", "path_ref"), "F3", r"evidence\[2\]: unknown path_ref"),
        (("evidence", 2, "query", "path"), "a", r"evidence\[2\] says both path and path_ref"),
        (("evidence", 3, "result_ref"), "R2", r"evidence\[3\]: unknown result_ref"),
        (("evidence", 3, "result"), None, r"evidence\[3\] says both result and result_ref"),
        (("shared_files", "F1", "metadata_ref"), "M9", "shared_files 'F1': unknown metadata_ref"),
        (("shared_files", "F1", "metadata_ref"), "M2", "shared_files 'F1' names no known snapshot"),
        (("shared_files", "F1", "more"), 1, "shared_files 'F1' is no FILE entry"),
        (("shared_files", "F1"), None, "shared_files 'F1' is no FILE entry"),
        (("shared_files",), ..., "unknown FILE"),
        (("shared_files", "F3"), {"metadata_ref": "M1", "origin_ref": "M2"}, "a FILE without its records .*'F3'"),
        (("shared_sources", "F3"), {"records": []}, "shared_sources: unknown FILE"),
        (("shared_sources", "F1", "records"), {}, "shared_sources 'F1' is no table of records"),
        (("shared_sources", "F1", "more"), 1, "shared_sources 'F1' is no table of records"),
        (
            ("shared_sources", "F1", "conflicting_lines"),
            ...,
            r"conflicting_lines do not match .*expected \[3\], found \[\]",
        ),
        (("shared_sources", "F1", "conflicting_lines"), [2, 3], "conflicting_lines do not match"),
        (("shared_sources", "F1", "conflicting_lines"), [3.0], "conflicting_lines do not match"),
        (("shared_sources", "F1", "conflicting_lines"), "3", "conflicting_lines do not match"),
        (("shared_sources", "F2", "conflicting_lines"), [1], "shared_sources 'F2': conflicting_lines do not match"),
        (("shared_results", "R2"), 1, "a RESULT entry that no record refers to .*'R2'"),
        (("shared_results",), ..., "unknown result_ref"),
        (("evidence", 2), {"id": "E3"}, "record 0 of F2 is in no capture"),
        (("verbatim",), {}, "a wrapped view holds its one view and nothing else"),
    ],
)
def test_a_broken_v6_view_is_refused(path, value, message):
    """Unknown references, slices out of range, wrong conflicts and records that would get lost are errors with their place."""
    with pytest.raises(ViewError, match=message):
        restore(changed(SIX, path, value), V6)


def _places(value, path=()):
    yield path
    inner = value.items() if type(value) is dict else enumerate(value) if type(value) is list else ()
    for name, part in inner:
        yield from _places(part, (*path, name))


EXAMPLES = int(os.environ.get("FUZZ_EXAMPLES", "600"))  # more by `make fuzz`
FUZZ = settings(max_examples=EXAMPLES, deadline=None, derandomize=EXAMPLES == 600)


def _try(restored):
    """Restore a view; what was said of it."""
    try:
        made = restored()
    except InspectorError as error:
        return f"{type(error).__name__}: {error.message}"
    assert type(made) is dict
    return "restored"


@FUZZ
@given(
    st.sampled_from([(V5, path) for path in _places(FIVE) if path] + [(V6, path) for path in _places(SIX) if path]),
    st.sampled_from([..., None, True, -1, 2**64, 0.5, "", "F1", "M1", [], {}, [[0, 1]], {"verbatim": 1}]),
)
def test_no_other_error_leaves_the_codec(place, value):
    """Whatever one place of an encoded view is changed to, it restores or raises one of the project's own errors."""
    version, path = place
    broken = changed({V5: FIVE, V6: SIX}[version], path, value)
    _try(lambda: restore(broken, version))


@FUZZ
@given(
    version=st.sampled_from([V4, V5, V6]),
    at=st.integers(0, 5000),
    cut=st.integers(0, 30),
    piece=st.binary(max_size=4)
    | st.sampled_from([b"", b'"', b"F1", b"null", b"{}", b"[", b"1e999", b"\\ud800", b"\xff"]),
)
def test_any_bytes_of_a_view(version, at, cut, piece):
    """Whatever bytes of a view's text are changed to, it is read and restored, or one of the project's own errors."""
    raw = (GOLDEN / f"{version[-2:]}.json").read_bytes()
    at %= len(raw)
    _try(lambda: restore(view_of(raw[:at] + piece + raw[at + cut :]), version))


def view_of(raw):
    """The view of a text, as the measuring takes it."""
    value = loads(raw)
    if type(value) is not dict:
        raise ViewError("no object")
    return value


def test_versions():
    """An unknown version is an error that lists the known ones; encode goes on, restore goes back."""
    known = "investigation_project_v4, investigation_project_v5, investigation_project_v6"
    with pytest.raises(ViewError, match=rf"unknown encoding \(expected one of {known}, found v7\)"):
        encode({}, "v7")
    for wrong in (lambda: encode({}, V5, given="x"), lambda: restore({}, "x"), lambda: restore({}, V5, to="x")):
        with pytest.raises(ViewError, match="unknown encoding"):
            wrong()
    with pytest.raises(ViewError, match="encode only goes to later versions"):
        encode({}, V5, given=V6)
    with pytest.raises(ViewError, match="restore only goes to earlier versions"):
        restore({}, V5, to=V6)
    with pytest.raises(ViewError, match="the version of a bare view must be named"):
        restore({})


def test_the_registry_is_a_plain_dict():
    """Three versions, each naming the one before; a later one would be one more entry."""
    assert type(CODECS) is dict
    assert {version: codec.previous for version, codec in CODECS.items()} == {V4: None, V5: V4, V6: V5}


def test_restore_view_goes_one_version_back():
    """v6 gives the v5 view, v5 the v4 view, v4 itself."""
    four = loads((GOLDEN / "v4.json").read_bytes())
    assert restore_view(SIX, V6) == FIVE
    assert restore_view(FIVE, V5) == four
    assert restore_view(four, V4) == four
    assert restore_view(encode(four, V6)) == FIVE


@pytest.mark.parametrize(
    ("limit", "message"),
    [
        ("MAX_RESTORED_BYTES", r"at most 3,000 bytes, found more"),
        ("MAX_RESTORED_ITEMS", r"at most 3,000 items, found more"),
    ],
)
def test_a_small_text_that_stands_for_too_much_is_refused(monkeypatch, limit, message):
    """One record, result, object or path that is referred to very often is refused before it is unpacked."""
    monkeypatch.setattr(growth, limit, 3000)
    often = {"shared_source_lines_v1": {"file": "F1", "slices": [[0, 1]] * 3001}}
    slices = {
        "evidence": [{"items": often}],
        "shared_files": {"F1": {"metadata": {"path": "a", "blob": "1"}, "origin": {"revision": "1"}}},
        "shared_sources": {"F1": {"records": ["x"]}},
    }
    with pytest.raises(ViewError, match=message):
        restore(slices, V6)
    if limit == "MAX_RESTORED_BYTES":
        results = {"evidence": [{"result_ref": "R1"}] * 4, "shared_results": {"R1": "r" * 998}}
        objects = {"evidence": [{"metadata_ref": "M1"}] * 4, "shared_metadata": {"M1": {"a": "r" * 992}}}
        paths = {"evidence": [{"query": {"path_alias": "P1"}}] * 4, "shared_paths": {"P1": "r" * 998}}
        for view, version in ((results, V6), (objects, V5), (paths, V5)):
            with pytest.raises(ViewError, match=message):
                restore(view, version)
            assert restore({**view, "evidence": view["evidence"][:3]}, version)


def test_the_exact_bound_counts_only_what_is_referred_to(monkeypatch):
    """A large record that stands once does not count for the small one beside it that stands often."""
    monkeypatch.setattr(growth, "MAX_RESTORED_BYTES", 5000)
    slices = {"file": "F1", "slices": [[0, 2], *[[1, 1]] * 900]}
    view = {
        "evidence": [{"items": {"shared_source_lines_v1": slices}}],
        "shared_files": {"F1": {"metadata": {"path": "a", "blob": "1"}, "origin": {"revision": "1"}}},
        "shared_sources": {"F1": {"records": ["x" * 1000, "y"]}},
    }
    assert len(restore(view, V6)["evidence"][0]["items"]) == 902
