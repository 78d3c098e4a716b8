"""Encodings are lossless on adversarial views.

2,000 views for each property in CI; 20,000 and more by command: `CODEC_VIEWS=20000 pytest tests/test_codec_properties.py`.
"""

from __future__ import annotations

import os
from collections import Counter

import pytest
from hypothesis import HealthCheck, given, settings
from view_strategies import foreign_v5, views

from core.canonical import canonical_bytes, loads
from core.codec import CODECS, V4, V5, V6, encode, lineage, restore, v6
from core.errors import ViewError

VIEWS = int(os.environ.get("CODEC_VIEWS", "2000"))
many = settings(
    max_examples=VIEWS,
    deadline=None,
    derandomize=VIEWS == 2000,  # the same views on every CI run; more views are new ones
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)


@many
@given(views)
def test_every_version_is_an_exact_encoding(view):
    """Every version restores every earlier view exactly, is deterministic, leaves its input alone, and never grows."""
    before = canonical_bytes(view)
    own = {version: encode(view, version) for version in CODECS}
    _restores_exactly(view, own)
    _is_deterministic(view, own)
    _is_the_smaller_one(own[V5], own[V6])
    assert canonical_bytes(view) == before


def _restores_exactly(view, own):
    assert own[V4].raw == canonical_bytes(view)
    for version, encoded in own.items():
        assert canonical_bytes(encoded.view) == encoded.raw
        read = loads(encoded.raw)
        for earlier in lineage(version):
            assert canonical_bytes(restore(read, version, to=earlier)) == own[earlier].raw
    if "verbatim" not in own[V5].view:
        _candidate_restores(own[V5].view)


def _candidate_restores(view):
    """The v6 form itself, also where the v5 text is the smaller one and so is kept."""
    candidate = loads(canonical_bytes(v6._candidate(view)))
    assert canonical_bytes(v6.restore(candidate)) == canonical_bytes(view)


def _is_deterministic(view, own):
    turned = _turned(view)
    for version in CODECS:
        assert encode(turned, version).raw == own[version].raw


def _is_the_smaller_one(five, six):
    if "verbatim" in five.view:
        assert len(six.raw) == len(five.raw) + len('{"verbatim":}')
    else:
        assert len(six.raw) <= len(five.raw)
        assert six.fell_back == (six.raw == five.raw)


def _turned(value):
    """The same JSON value with every object's keys in reverse order."""
    if type(value) is dict:
        return {name: _turned(part) for name, part in reversed(list(value.items()))}
    return [_turned(part) for part in value] if type(value) is list else value


@many
@given(foreign_v5)
def test_a_stored_v5_view_comes_back_as_it_was(view):
    """v6 takes a v5 view of anybody as it is: odd aliases, unused entries and mixed forms come back exactly."""
    try:
        encoded = encode(view, V6, given=V5)
    except ViewError:
        with pytest.raises(ViewError):  # only a view that v5 itself cannot resolve is refused
            restore(view, V5)
        return
    assert canonical_bytes(restore(encoded, to=V5)) == canonical_bytes(view)
    if "verbatim" not in encoded.view:
        assert canonical_bytes(restore(encoded, to=V4)) == canonical_bytes(restore(view, V5))
        _candidate_restores(view)


def test_the_generated_views_reach_what_they_are_for():
    """Among 300 views there are shared lines that won, conflicts, RESULT entries, path references and wrapped views."""
    seen = Counter()

    @settings(max_examples=300, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
    @given(views)
    def look(view):
        encoded = encode(view, V6)
        for name in (b"shared_source_lines_v1", b"conflicting_lines", b"shared_results", b"path_ref", b"path_alias"):
            seen[name] += name in encoded.raw
        seen["wrapped"] += "verbatim" in encoded.view
        seen["v5 kept"] += encoded.fell_back and "verbatim" not in encoded.view

    look()
    assert all(count >= 5 for count in seen.values()), seen
    assert len(seen) == 7
