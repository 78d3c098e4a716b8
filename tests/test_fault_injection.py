"""The injected fault is found, and nothing else: 200 random runs here; 1,000 and more by command.

python tests/fault_injector.py --runs 1000
"""

from __future__ import annotations

from collections import Counter

import fault_injector
import pytest

RUNS = 200
CHUNK = 25


@pytest.mark.parametrize("first", range(0, RUNS, CHUNK))
def test_the_cause_found_is_the_cause_injected(first):
    """Cause, decision and identity are those of the injection, `unknown` where its proof was removed; no other repeat."""
    assert [said for seed in range(first, first + CHUNK) if (said := fault_injector.wrong(seed))] == []


def test_the_runs_are_what_they_claim_to_be():
    """Every fault occurs, a good part of the runs has no or a false log, and lengths go from 3 to 60 decisions."""
    made = [fault_injector.inject(seed) for seed in range(RUNS // 2)]
    faults = Counter(each.fault for each in made)
    assert set(faults) == {*fault_injector.BOUNDED_FAULTS, *fault_injector.MESSAGE_FAULTS}
    assert min(faults.values()) >= 2
    assert sum("memory" in each.how for each in made if each.how.startswith("bounded")) >= 15
    assert sum(each.cause == "unknown" for each in made) >= 3
    lengths = [len(each.investigation.decisions) for each in made]
    assert min(lengths) <= 4
    assert max(lengths) >= 50
