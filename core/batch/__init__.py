"""Many packages and recordings at once: found in folders, worked on in parallel processes, one result for each.

`diagnose_file` and `measure_file` are pure: plain picklable arguments in, plain picklable data out, nothing shared. What
runs them here (`run`) can be exchanged for another engine that spreads work over machines.
"""

from .files import diagnose_file, measure_file, part_name
from .search import Found, PassedOver, find, is_package
from .work import Outcome, run
from .workers import Lost, in_processes

__all__ = [
    "Found",
    "Lost",
    "Outcome",
    "PassedOver",
    "diagnose_file",
    "find",
    "in_processes",
    "is_package",
    "measure_file",
    "part_name",
    "run",
]
