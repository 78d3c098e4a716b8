"""Faults put into packages at random: some here, thousands by `python -m benchmarks.faults`."""

from __future__ import annotations

import pytest
from package_faults import FAULTS, tried

TRIALS = {"writer killed at any byte of 300 KB": 8}


@pytest.mark.parametrize("kind", FAULTS)
def test_nothing_is_lost_and_everything_is_told(kind, tmp_path):
    """Every acknowledged record and every record that was not touched is there; every change is a problem or an error."""
    told = {tried(FAULTS[kind], seed, tmp_path) for seed in range(TRIALS.get(kind, 40))}
    assert told - {"no problem", "no package yet"}
