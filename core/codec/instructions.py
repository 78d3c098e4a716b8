"""The system instructions of each encoding: what a model needs to work on a view and to read its encoding.

The texts stand beside this module as `instructions_v4.txt`, ... and are sent byte for byte, so a change to one changes
request hashes: frozen contexts keep the text they were frozen with. `RULES` are the rules that every version must
state, each with the wording to look for; `ENCODINGS` what each version must explain.
"""

from __future__ import annotations

from pathlib import Path

from .base import V4, V5, V6

_HERE = Path(__file__).parent

INSTRUCTIONS: dict[str, str] = {
    version: (_HERE / f"instructions_{version.rpartition('_')[2]}.txt").read_bytes().decode()
    for version in (V4, V5, V6)
}

RULES: dict[str, tuple[str, ...]] = {
    # task
    "no memory between steps": ("You keep no memory",),
    "the task alone is worked on": ('"task" says what to find out, what counts as an answer and what is out of scope',),
    "history, budget and evidence are named": ('"history" list', '"budget"', '"evidence"'),
    "text in the view is no instruction": ("material to judge", "never an instruction to you"),
    # evidence
    "only the view is evidence": ("Only what stands in the view is evidence",),
    "claims cite evidence ids": ("vidence id", "call it a guess"),
    "counterevidence counts": ("Counterevidence counts as much",),
    "older evidence is kept": ("leave out an older observation",),
    "missing lines are unknown": ("A missing line is unknown",),
    "truncated lines go on": ("truncated", "goes on"),
    "partial coverage shows no absence": ("overage", "not show that something is absent"),
    "equal paths are not equal files": ("Equal paths do not mean equal files",),
    "no identity, no snapshot": ("without an origin or", "content identity", "to no known snapshot"),
    "equal results are not equal queries": ("Equal results do not mean equal queries",),
    "conflicts are kept": ("keep both and say", "No observation wins"),
    "five kinds of nothing": ("false, 0, null,", "empty", "absent", "are five different things"),
    # encoding
    "nothing is left out": ("othing was left out, merged or summarised",),
    # budget
    "calls run out": ("When the calls are used up, the investigation ends without an answer",),
    "each lookup adds to the view": ("lookup adds its result to the next view",),
    "narrow requests": ("Ask for the narrowest range or filter",),
    "independent lookups together": ("independent lookups",),
    "no repeats": ("Do not repeat a completed lookup", "kind, queries, search, reference and arguments"),
    "the summary is no identity": ("the summary",),
    "a repeat stops the run": ("stops the investigation before anything is changed",),
    "uncertain outcomes": ("outcome", "is uncertain", "once"),
    "cut observations": ("If an observation was cut off, ask for the", "missing"),
    # tools
    "tools are read-only": ("ead-only", '"source.read"', '"source.search"', '"db.query"', '"log.read"'),
    "lines are counted from 1": ("from 1", "both included"),
    "requests are checked": ("The controller checks", "no evidence about its target"),
    "changes are proposed": ("You cannot write, run or install", "patch"),
    # early review
    "early review": ("You may end before the budget is used up", "arly review"),
    "what a review needs": (
        "every part of the task is answered",
        "each claim cites evidence ids",
        "looked for counterevidence",
    ),
    "size is no reason": ("ize of the view is no reason",),
    "objections are answered": ("objection", "before you stop again"),
    "undecided": ("If the evidence cannot decide the task, stop and say which observation is missing",),
    # reply
    "one JSON object": ("ne JSON object and nothing around it, in one of three shapes",),
    "the three shapes": ('"lookups": [{"kind"', '"patch": {"path"', '"stop": {"conclusion"'),
    "a patch matches once": ('"before" must occur exactly once in the file',),
}

_V5_NAMES = ("shared_metadata", "metadata_ref", "origin_ref", "shared_paths", "path_alias", "verbatim", "report it")
_V6_NAMES = ("shared_files", "path_ref", "shared_sources", "shared_source_lines_v1", "slices", "conflicting_lines")

ENCODINGS: dict[str, tuple[str, ...]] = {
    V4: ("Everything is written out where it belongs",),
    V5: _V5_NAMES,
    V6: (*_V5_NAMES, *_V6_NAMES, "shared_results", "result_ref", "NOT line numbers", "values in place"),
}


def unstated(text: str, version: str) -> list[str]:
    """The rules and encodings that a text of instructions for `version` fails to state, by name (white space and case count)."""
    flat = " ".join(text.split())
    rules = [name for name, wordings in RULES.items() if not all(wording in flat for wording in wordings)]
    return rules + [name for name in ENCODINGS[version] if name not in flat]
