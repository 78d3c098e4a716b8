"""A bounded investigation driven by scripted replies: real lookups, real gates, real prompts; nobody reasons.

    tree = load_tree(Path("player"))
    scenario = Scenario("Video does not start", system=RULES, attempts=(Attempt(TASK, replies),), limits=LIMITS)
    result = run(scenario, tree)                     # in memory
    with PackageWriter("run-17", title=scenario.title, replies="scripted", limits=LIMITS) as package:
        run(scenario, tree, package)                 # and on disk, record by record

Replies are predetermined substitutes, so a run verifies what is delivered, not what a model would decide.
"""

from .recording import InMemoryRecorder, Recorder
from .run import Run, run
from .scenario import Attempt, Scenario, Scripted

__all__ = ["Attempt", "InMemoryRecorder", "Recorder", "Run", "Scenario", "Scripted", "run"]
