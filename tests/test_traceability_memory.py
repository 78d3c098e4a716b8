"""`docs/traceability-memory.md` names places and tests that exist."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in (ROOT / "docs" / "traceability-memory.md").read_text().splitlines()
    if re.match(r"\| \d+ \|", line)
]


def test_every_sentence_has_a_number_a_place_and_a_test():
    """The rows are numbered from 1 without a gap, and none has an empty cell."""
    assert [row[0] for row in ROWS] == [str(number) for number in range(1, 43)]
    assert all(len(row) == 4 and all(row) for row in ROWS)


def test_the_named_places_exist():
    """Each file exists, and each name that follows it stands in that file."""
    for row in ROWS:
        places = re.findall(r"`((?:core|scripts|benchmarks)/[\w/.]+)`((?:,? `\w+`)*)", row[2])
        assert places, row[0]
        for file, names in places:
            text = (ROOT / file).read_text()
            for name in re.findall(r"\w+", names):
                assert re.search(rf"\b{name}\b", text), (row[0], file, name)


def test_the_named_tests_exist():
    """Each test function is defined in its file."""
    for row in ROWS:
        tests = re.findall(r"`(tests/\w+\.py)::(\w+)`", row[3])
        assert tests, row[0]
        for file, name in tests:
            assert f"\ndef {name}(" in (ROOT / file).read_text(), (row[0], file, name)
