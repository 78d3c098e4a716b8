"""Freezing: view to messages to hash, and what stands on disk stays as it is."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path

import pytest

from core.canonical import canonical_text, loads
from core.codec import CODECS, V4, V5, V6, encode, evidence_bodies, evidence_places, freeze, restore, view_of
from core.errors import JsonError, ViewError
from core.measure import measure
from core.package import PackageWriter, open_package

GOLDEN = Path(__file__).parent / "fixtures" / "codec"
VIEW = loads((GOLDEN / "v4.json").read_bytes())


@pytest.mark.parametrize("version", CODECS)
def test_a_frozen_request(version):
    """The messages are the version's instructions and the canonical text; the hash is over format and messages."""
    frozen = freeze(VIEW, version)
    assert frozen.format == version
    assert frozen.messages == (
        {"role": "system", "text": CODECS[version].instructions},
        {"role": "user", "text": (GOLDEN / f"{version[-2:]}.json").read_text()},
    )
    body = json.dumps(
        {"format": version, "messages": list(frozen.messages)},
        sort_keys=True,
        separators=(",", ":"),
        ensure_ascii=False,
    )
    assert frozen.request_hash == "sha256:" + sha256(body.encode()).hexdigest()
    assert frozen.text == frozen.messages[1]["text"]
    assert canonical_text(restore(frozen.view, version)) == canonical_text(VIEW)


def recorded(folder, version):
    with PackageWriter(folder, title="frozen", sync=False) as package:
        frozen = freeze(VIEW, version)
        package.append_decision(frozen.messages, format=version)
    return frozen


@pytest.mark.parametrize("version", CODECS)
def test_a_frozen_context_keeps_text_view_and_hash(tmp_path, version):
    """What was frozen is read back byte for byte with the same hash, and measuring in every version changes no file."""
    frozen = recorded(tmp_path / "package", version)
    before = {path.name: path.read_bytes() for path in (tmp_path / "package").iterdir()}
    investigation = open_package(tmp_path / "package")
    measured = measure(investigation, CODECS)
    (decision,) = open_package(tmp_path / "package").decisions
    assert decision.messages[1].text == frozen.text
    assert decision.request_hash == frozen.request_hash == decision.computed_request_hash()
    assert canonical_text(view_of(decision.messages[1].text)) == canonical_text(frozen.view)
    assert {path.name: path.read_bytes() for path in (tmp_path / "package").iterdir()} == before
    assert measured.contexts[0].versions[version].stored


def test_a_text_that_no_longer_matches_its_hash_says_so(tmp_path):
    """One changed character in a stored text is a problem of the package and a remark on the measured context."""
    recorded(tmp_path / "package", V5)
    file = tmp_path / "package" / "messages.jsonl"
    file.write_bytes(file.read_bytes().replace(b"line 2 of the player", b"line 2 of the slayer"))
    investigation = open_package(tmp_path / "package")
    assert any("request hash" in problem.what or "request_hash" in problem.what for problem in investigation.problems)
    (row,) = measure(investigation).contexts
    assert row.hash_matches is False
    assert row.versions[V6].exact


def test_what_is_no_view_is_said_so():
    """A stored text that is no JSON, holds a key twice, or is no object is an error with its reason."""
    with pytest.raises(JsonError, match="not JSON"):
        view_of("Read src/player.js first.")
    with pytest.raises(JsonError, match="the same key twice"):
        view_of('{"evidence":[],"evidence":[]}')
    with pytest.raises(ViewError, match="the stored text is not a working view"):
        view_of("[]")


@pytest.mark.parametrize("version", CODECS)
def test_evidence_bodies_are_the_restored_records(version):
    """Each evidence id, duplicates included, with its v4 record, whatever encoding carries it."""
    carried = list(evidence_bodies(encode(VIEW, version).view, version))
    assert [name for name, _ in carried] == ["E1", "E2", "E3", "E4", "E5", "E5"]
    assert [canonical_text(record) for _, record in carried] == [canonical_text(record) for record in VIEW["evidence"]]


@pytest.mark.parametrize("version", CODECS)
@pytest.mark.parametrize("wrapped", [False, True])
def test_evidence_places_point_at_the_bytes(version, wrapped):
    """The bytes at a record's place are its JSON in this encoding, those at its items' places are its items, in order."""
    view = {**VIEW, "verbatim": 1} if wrapped else VIEW
    encoded = encode(view, version)
    places = list(evidence_places(encoded.view, version))
    assert [place.id for place in places] == ["E1", "E2", "E3", "E4", "E5", "E5"]
    for place, record in zip(places, VIEW["evidence"], strict=True):
        assert loads(encoded.raw[slice(*place.span)])["id"] == record["id"]
        items = [encoded.raw[slice(*span)].decode() for span in place.items]
        assert items == [canonical_text(item) for item in record.get("items", [])]


def test_places_of_odd_views():
    """A view without a list of evidence has no places; records that are no objects have a span and no items."""
    assert list(evidence_places({"evidence": {}}, V4)) == []
    (place,) = evidence_places(encode({"evidence": ["é"]}, V4).view, V4)
    assert (place.span, place.items, place.id) == ((13, 17), (), None)


def test_new_requests_are_v6():
    """A request that is frozen without naming a version is v6, made from the v5 view before it is hashed."""
    frozen = freeze(VIEW)
    assert frozen.format == V6
    assert freeze(encode(VIEW, V5).view, given=V5) == frozen
