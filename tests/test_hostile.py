"""Inputs made to take memory, to lead out, or to block: each is told, and what it may take of memory is bounded.

`hostile.py` lays them down and opens each in a process of its own; `python -m benchmarks.faults` prints what each took.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hostile import HOSTILE, opened

pytestmark = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs Linux's account of memory")


LONG = int(os.environ.get("FUZZ_EXAMPLES", "0")) >= 1000
"""`make fuzz` tries those that take seconds, too."""


@pytest.mark.parametrize("kind", [kind for kind, hostile in HOSTILE.items() if LONG or not hostile.slow])
def test_hostile_input_is_told_within_its_memory(kind, tmp_path):
    """Only the project's own errors and problems say what is wrong, and the process took no more than the bound."""
    hostile = HOSTILE[kind]
    path = hostile.make(tmp_path)
    found = opened(path, hostile.how, tmp_path / "cache")
    assert "error" not in found, found
    assert any(hostile.says in told for told in found["told"]), found["told"]
    assert found["megabytes"] <= hostile.megabytes
