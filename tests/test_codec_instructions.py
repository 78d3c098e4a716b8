"""System instructions: every version states the common rules and explains what it may meet."""

from __future__ import annotations

import re

import pytest

from core.codec import CODECS, V4, V5, V6
from core.codec.instructions import ENCODINGS, RULES, unstated
from core.codec.names import V5_FIELDS, V5_TABLES, V6_FIELDS, V6_TABLES


@pytest.mark.parametrize("version", CODECS)
def test_every_rule_and_encoding_is_stated(version):
    """No rule of the list and no encoding of the version is missing from its instructions."""
    assert unstated(CODECS[version].instructions, version) == []


@pytest.mark.parametrize("version", CODECS)
def test_a_rule_that_is_left_out_is_noticed(version):
    """Take the wording of any rule out of the text, and the check names that rule."""
    for rule, wordings in RULES.items():
        for wording in wordings:
            words = re.compile(r"\s+".join(map(re.escape, wording.split())))
            without = words.sub("", CODECS[version].instructions)
            assert without != CODECS[version].instructions
            assert rule in unstated(without, version)


def test_each_version_explains_the_names_it_writes():
    """v5 and v6 name each of their tables and fields, and the wrapped form; v4 names none."""
    five = (*V5_TABLES, *V5_FIELDS, "verbatim")
    assert all(f'"{name}"' in CODECS[V5].instructions for name in five)
    for name in (*five, *V6_TABLES, *V6_FIELDS, "conflicting_lines", "slices"):
        assert f'"{name}"' in CODECS[V6].instructions
    assert not any(name in CODECS[V4].instructions for name in (*five, *V6_TABLES, *V6_FIELDS))


def test_v6_says_more_in_fewer_bytes():
    """v6 explains more encodings than v5, and its instructions are shorter: 5,631 bytes after 7,794."""
    sizes = {version: len(codec.instructions.encode()) for version, codec in CODECS.items()}
    assert sizes == {V4: 6146, V5: 7794, V6: 5631}
    assert set(ENCODINGS[V5]) < set(ENCODINGS[V6])


@pytest.mark.parametrize("version", CODECS)
def test_the_texts_are_plain(version):
    """The instructions are sent as they are: UTF-8 with line feeds, no carriage return or tab, one line feed at the end."""
    text = CODECS[version].instructions
    assert not set("\r\t\x00") & set(text)
    assert text.endswith("\n")
    assert not text.endswith("\n\n")


def test_the_reply_shapes_are_the_same_in_every_version():
    """The three JSON shapes of a reply stand in every version, letter for letter."""
    shapes = {
        version: [line for line in codec.instructions.splitlines() if line.startswith('{"summary"')]
        for version, codec in CODECS.items()
    }
    assert len(shapes[V4]) == 3
    assert shapes[V4] == shapes[V5] == shapes[V6]
