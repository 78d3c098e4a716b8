"""Conflicts over a whole run, and the characters that differ."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core import differing as differing_room
from core.codec import V4, V5, V6
from core.conflict_index import conflict_index
from core.differing import differing
from core.package import open_package

SAMPLES = Path(__file__).resolve().parents[1] / "sample_archives"


def test_the_conflicts_of_overlapping_reads():
    """One FILE disagrees at lines 167 (text) and 169 (flag alone) from decision 4 on; every encoding says the same."""
    found = conflict_index(open_package(SAMPLES / "overlapping_reads"))
    (file,) = found.files
    assert (file.number, file.path) == (1, "core/package/unzip.py")
    keys = ((4, 1), (5, 1), (5, 2), (6, 1), (7, 1), (8, 1), (9, 1))
    assert dict(file.lines) == {167: keys, 169: keys}
    assert file.keys == keys
    assert [len(each.files) for each in found.contexts] == [0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1]
    for context in found.contexts:
        assert (context.agreeing, context.differing, context.built) == ((V4, V5, V6), (), False)
        assert context.format == V5
    assert [line.kind for line in found.context((9, 1)).files[0].lines] == ["text", "truncation"]


@pytest.mark.parametrize("sample", ["adjacent_reads", "few_sources", "tight_budget"])
def test_runs_without_conflicts(sample):
    """No conflict is found where captures agree; a run without stored views is looked at in built ones."""
    run = open_package(SAMPLES / sample)
    seen = []
    found = conflict_index(run, lambda done, total: seen.append((done, total)))
    assert found.files == ()
    assert {each.built for each in found.contexts} == {sample == "tight_budget"}
    assert all(each.reason is None for each in found.contexts)
    assert seen[-1] == (len(run.decisions), len(run.decisions))


@pytest.mark.parametrize(
    ("texts", "marked"),
    [
        (("abc", "abc"), ((), ())),
        (("abc", "axc"), (((1, 2),), ((1, 2),))),
        (("if a > F and a > b:", "if a > b:"), (((7, 17),), ((7, 7),))),
        (("", "x"), (((0, 0),), ((0, 1),))),
        (("aXb", "ab", "aYb"), (((1, 2),), ((1, 1),), ((1, 2),))),
        (("é😀", "é😁"), (((1, 2),), ((1, 2),))),
    ],
)
def test_characters_that_differ(texts, marked):
    """Stretches are characters of each text; an empty one is a place where another text has more."""
    assert differing(texts) == marked


def test_what_is_too_much_is_not_marked(monkeypatch):
    """Too many texts, or too much between what they share, is answered with None."""
    monkeypatch.setattr(differing_room, "MAX_MARKED_CHARACTERS", 3)
    assert differing(("a" * 50 + "xyz", "a" * 50 + "b")) is not None
    assert differing(("a" * 50 + "wxyz", "a" * 50 + "b")) is None
    assert differing(tuple(map(str, range(12)))) is not None
    assert differing(tuple(map(str, range(13)))) is None


@given(st.lists(st.text("ab \n", max_size=12), min_size=1, max_size=4))
def test_what_is_not_marked_stands_in_every_text(texts):
    """Of two texts, what is left of both without the marked stretches is the same."""
    for one in texts:
        for other in texts:
            found = differing((one, other))
            rests = []
            for text, stretches in zip((one, other), found, strict=True):
                rest, at = "", 0
                for start, end in stretches:
                    assert at <= start <= end <= len(text)
                    rest, at = rest + text[at:start], end
                rests.append(rest + text[at:])
            assert rests[0] == rests[1]
            assert (found[0] == () and found[1] == ()) == (one == other)
