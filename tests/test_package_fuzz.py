"""Whatever stands in a package, only the project's own errors leave `core`, and looking at the result never fails."""

from __future__ import annotations

import json
import os
import re
import struct
import zipfile

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from package_tools import DECISIONS, FRAGMENTS, MESSAGES, PLAIN_MANIFEST, lay, record

from core.errors import InspectorError
from core.model import Investigation, sections
from core.package import check, investigation_to_package, open_package

EXAMPLES = int(os.environ.get("FUZZ_EXAMPLES", "60"))
FUZZ = settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
# Every field name of the format, so that odd values land where something is expected.
NAMES = sorted(
    set(
        re.findall(
            r"\w+",
            """index attempt status sent format messages request_hash request missing memory events reply outcome usage
            sent_at base_bytes context_bytes ledger supplied blocks evicted identity decision fragment body message start
            end path hash sent_bytes truncated kind fragments paths text summary lookups patch stop queries search
            referenceUrl arguments before after by id lookup requested_by evidence sources call_id role parts stands_for
            type name is_error bytes sha256 unreadable what severity file line expected found version title created
            prompts replies limits producer files records source_problems""",
        )
    )
)
WORDS = [
    "accepted",
    "completed",
    "messages",
    "text",
    "tool_call",
    "opaque",
    "f1",
    "compaction",
    "recorded",
    "messages.jsonl",
]
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.sampled_from([0, 1, 2, 2**53, 10**400, -1, 0.5])
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=()), max_size=5)
    | st.sampled_from(WORDS),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=6),
    max_leaves=25,
)


def _mutated(rows):
    """One of some good rows with one value somewhere replaced by any other, or taken away."""

    @st.composite
    def mutate(draw):
        row = json.loads(draw(st.sampled_from(rows)))
        for _ in range(draw(st.integers(1, 3))):
            at = row
            while True:
                keys = list(range(len(at))) if isinstance(at, list) else list(at)
                if not keys:
                    break
                key = draw(st.sampled_from(keys))
                if isinstance(at[key], dict | list) and draw(st.booleans()):
                    at = at[key]
                    continue
                if draw(st.booleans()):
                    at[key] = draw(JSON)
                else:
                    del at[key]
                break
        return row

    return mutate()


def _rows(data):
    good = data.decode().splitlines()
    return st.lists(JSON | _mutated(good) | st.sampled_from([json.loads(row) for row in good]), max_size=4)


def _look(investigation):
    """Look at everything, as pages do."""
    assert isinstance(investigation, Investigation)
    for decision in investigation.decisions:
        assert decision.key == (decision.index, decision.attempt)
        assert decision.prompt_bytes >= 0
        sections(decision.messages)
        repr(decision)
        if decision.memory is not None:
            [entry.identity for entry in decision.memory.ledger]
        if decision.reply is not None:
            [lookup.identity for lookup in decision.reply.lookups]
    for fragment in investigation.fragments:
        repr((fragment.byte_length, fragment.lookup.identity))
    for problem in investigation.problems:
        assert problem.what
        assert problem.what.isprintable()
        assert problem.file.isprintable()
        assert problem.file
        assert (problem.expected or "").isprintable()
        assert (problem.found or "").isprintable()
        assert isinstance(problem.line, int | None)
    return investigation


def _survives(path, target=None):
    """Open, check and convert it; what was said first."""
    try:
        investigation = _look(open_package(path))
        again = check(investigation)
        assert again.problems == investigation.problems
        assert again.problems_complete
        if target is not None:
            investigation_to_package(investigation, target)
            _look(open_package(target))
    except InspectorError as error:
        if not str(error).isprintable():
            pytest.fail(repr(error))
        return f"{type(error).__name__}: {error.message}"
    told = next((problem for problem in again.problems if problem.line is not None), *again.problems[:1] or (None,))
    return "no problem" if told is None else f"Problem: {told.what}"


@pytest.fixture(autouse=True)
def _no_waiting_for_the_disk(monkeypatch):
    """Syncing has its own tests; here it would only cost time."""
    monkeypatch.setattr("os.fsync", lambda _: None)


@FUZZ
@given(messages=_rows(MESSAGES), decisions=_rows(DECISIONS), fragments=_rows(FRAGMENTS))
def test_any_records(tmp_path_factory, messages, decisions, fragments):
    """Records of any shape: missing fields, wrong types, odd values; every line keeps its place, also when converted."""
    folder = tmp_path_factory.mktemp("fuzz")
    lay(folder / "p", manifest=PLAIN_MANIFEST, messages=messages, decisions=decisions, fragments=fragments)
    investigation = open_package(folder / "p")
    counts = [len(investigation.messages), len(investigation.decisions), len(investigation.fragments)]
    assert counts == [len(messages), len(decisions), len(fragments)]
    _survives(folder / "p", folder / "q")


@FUZZ
@given(manifest=JSON | st.dictionaries(st.sampled_from(NAMES), JSON).map(lambda row: PLAIN_MANIFEST | row))
def test_any_manifest(tmp_path, manifest):
    """A manifest of any shape."""
    _survives(lay(tmp_path / "p", manifest=manifest, messages=MESSAGES, decisions=DECISIONS, fragments=FRAGMENTS))


@FUZZ
@given(data=st.data(), name=st.sampled_from(["manifest", "messages", "decisions", "fragments"]))
def test_any_bytes_in_a_file(tmp_path, data, name):
    """A file with bytes changed, put in, taken out, or cut."""
    good = {"messages": MESSAGES, "decisions": DECISIONS, "fragments": FRAGMENTS}
    good["manifest"] = json.dumps(PLAIN_MANIFEST).encode()
    _survives(lay(tmp_path / "p", **(good | {name: _damaged(data, good[name])})))


def _damaged(data, good):
    made = bytearray(good)
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(made)))
        end = data.draw(st.integers(at, min(len(made), at + 8)))
        made[at:end] = data.draw(
            st.binary(max_size=8) | st.sampled_from([b"", b"\n", b'"', b"\\", b"\xff", b"{", b"[0]", b"\0", b"1e999"])
        )
    return bytes(made)


@pytest.fixture(scope="module")
def zips(tmp_path_factory):
    """A stored and a deflated zip of the tiny run."""
    folder = tmp_path_factory.mktemp("zips")
    stored = record(folder / "stored.zip", zip=True).read_bytes()
    run = record(folder / "run")
    with zipfile.ZipFile(folder / "deflated.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(run.iterdir()):
            archive.write(file, f"run/{file.name}")
    return stored, (folder / "deflated.zip").read_bytes()


@settings(FUZZ, max_examples=2 * EXAMPLES)
@given(data=st.data(), which=st.integers(0, 1))
def test_any_bytes_in_a_zip(tmp_path, zips, data, which):
    """A zip with bytes changed anywhere, its directory above all."""
    good = zips[which]
    head = data.draw(st.integers(0, len(good))) if data.draw(st.booleans()) else good.index(b"PK\x01\x02")
    (tmp_path / "a.zip").write_bytes(good[:head] + _damaged(data, good[head:]))
    _survives(tmp_path / "a.zip")


@settings(FUZZ, max_examples=2 * EXAMPLES)
@given(
    which=st.integers(0, 1),
    member=st.integers(0, 3),
    field=st.sampled_from(
        [
            (4, "H"),
            (6, "H"),
            (8, "H"),
            (10, "H"),
            (16, "L"),
            (20, "L"),
            (24, "L"),
            (28, "H"),
            (30, "H"),
            (32, "H"),
            (34, "H"),
            (38, "L"),
            (42, "L"),
        ]
    ),
    value=st.sampled_from([0, 1, 8, 0xFFFF, 0xFFFFFFFF, 0x7FFFFFFF, 99]) | st.integers(0, 2000),
)
def test_any_field_of_a_zip_directory(tmp_path, zips, which, member, field, value):
    """A zip whose directory says anything of a member: flags, method, sizes, offsets, lengths."""
    data = bytearray(zips[which])
    at = data.index(b"PK\x01\x02")
    for _ in range(member):
        at = data.index(b"PK\x01\x02", at + 4)
    offset, kind = field
    struct.pack_into("<" + kind, data, at + offset, value & (0xFFFF if kind == "H" else 0xFFFFFFFF))
    (tmp_path / "a.zip").write_bytes(data)
    _survives(tmp_path / "a.zip")


@FUZZ
@given(
    which=st.integers(0, 1),
    field=st.sampled_from([(4, "H"), (6, "H"), (8, "H"), (10, "H"), (12, "L"), (16, "L"), (20, "H")]),
    value=st.integers(0, 0xFFFFFFFF) | st.integers(0, 3000) | st.sampled_from([0xFFFF, 0xFFFFFFFF]),
)
def test_any_end_of_a_zip(tmp_path, zips, which, field, value):
    """A zip whose end says anything of its directory."""
    data = bytearray(zips[which])
    offset, kind = field
    struct.pack_into(
        "<" + kind, data, data.rindex(b"PK\x05\x06") + offset, value & (0xFFFF if kind == "H" else 0xFFFFFFFF)
    )
    (tmp_path / "a.zip").write_bytes(data)
    _survives(tmp_path / "a.zip")


@FUZZ
@given(data=st.binary(max_size=200))
def test_any_file(tmp_path, data):
    """Any file at all, given as a package."""
    (tmp_path / "a").write_bytes(data)
    _survives(tmp_path / "a")
    (tmp_path / "a").write_bytes(b"PK\x03\x04" + data)
    _survives(tmp_path / "a")
