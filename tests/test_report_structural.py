"""The structural report holds the diagnosis and not one word of content."""

from __future__ import annotations

import json
import random
import re
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from types import MappingProxyType

import pytest
from stories import BODY, bounded, lines, read, search, source, story

from core.delivery import deliver
from core.diagnosis import diagnose
from core.model import Decision, Event, Fragment, Investigation, Message, Problem
from core.package import open_package
from core.report import structural, structural_html

SAMPLES = Path(__file__).parents[1] / "sample_archives"
NAMES = ("video_start_overwritten", "video_start_retained", "tight_budget", "overlapping_reads", "few_sources")


def report(run):
    deliveries = deliver(run)
    return structural(run, deliveries, diagnose(run, deliveries))


def stuffed(value, rng, seen):
    """The same value with a secret in every text, key and name; identities and references stay consistent."""
    if isinstance(value, str):
        return seen.setdefault(value, f"S3CR{rng.getrandbits(64):016x}T")
    if isinstance(value, dict | MappingProxyType):
        return {stuffed(k, rng, seen): stuffed(v, rng, seen) for k, v in value.items()} | {
            stuffed("extra", rng, seen): stuffed("more", rng, seen)
        }
    if isinstance(value, tuple | list):
        return type(value)(stuffed(each, rng, seen) for each in value)
    if is_dataclass(value):
        kept = {"store", "kind"}
        changed = {
            each.name: stuffed(getattr(value, each.name), rng, seen)
            for each in fields(value)
            if each.init and not (each.name == "store" or (each.name in kept and type(value).__name__.endswith("Part")))
        }
        return replace(value, **changed)
    return value


def secret_run(base, rng):
    """A run whose every text is a secret: unknown statuses, kinds, formats and events included."""
    seen = {}
    store = [stuffed(message, rng, seen) for message in base.messages]
    decisions = tuple(replace(stuffed(each, rng, seen), store=store) for each in base.decisions)
    fragments = tuple(stuffed(each, rng, seen) for each in base.fragments)
    return (
        Investigation(
            title=stuffed("title", rng, seen),
            decisions=decisions,
            messages=store,
            fragments=fragments,
            source=stuffed("file name", rng, seen),
            digest=stuffed("digest", rng, seen),
            prompts="recorded",
            replies="scripted",
            limits=base.limits,
            producer={stuffed("key", rng, seen): stuffed("value", rng, seen)},
            problems=(Problem(stuffed("file", rng, seen), 3, stuffed("what", rng, seen), stuffed("x", rng, seen)),),
        ),
        seen,
    )


def transcript():
    run = (
        story()
        .decide(read("a.js", 1, 9))
        .result(read("a.js", 1, 9), lines(1, 9), carried=lines(1, 9), sources=[source("a.js", 1, 9)])
    )
    run.decide(search("x"), events=(Event("patched", paths=("a.js",)),)).result(search("x"), BODY, carried=BODY[:50])
    run.compact("a summary").decide(read("a.js", 1, 9)).decide(search("x"), search("X "))
    return run.tell(problems=(Problem("decisions.jsonl", 2, "a cut line"),))


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("base", ["bounded", "transcript", "sample"])
def test_random_secrets_in_every_field_key_and_name_do_not_show(base, seed):
    """No path, query, text, title, key, unknown enum value or file name: neither in the object nor in its page."""
    base = {
        "bounded": lambda: bounded(
            [[(search("a"), BODY)], [(search("b"), lines(1, 9))], [search("a")]], policy="overwrite"
        ),
        "transcript": transcript,
        "sample": lambda: open_package(SAMPLES / "tight_budget"),
    }[base]()
    run, seen = secret_run(base, random.Random(seed))  # noqa: S311  # made-up secrets
    made = report(run)
    text = json.dumps(made) + structural_html(made)
    assert len(seen) > 20
    assert "S3CR" not in text
    assert not [secret for secret in seen.values() if secret[4:-1] in text]


@pytest.mark.parametrize("name", NAMES)
def test_only_words_of_ours_stand_in_it(name):
    """Every text in the report of a sample is a word of the report's own vocabulary, or a salted hash."""
    run = open_package(SAMPLES / name)
    own = {
        *["structural", "recorded", "scripted", "model", "rebuilt", "unknown"],
        "recorded bytes",
        "recorded messages",
        "other",
    }
    own |= {"accepted", "rejected", "unused", "uncertain", "completed", "failed", "continued", "stopped", "patched"}
    own |= {"repetition_gate", "prompt_limit", "call_limit", "bounded_repair_v1", "investigation_project_v5"}
    own |= {"overwritten", "evicted", "uncertain_outcome", "delivered", "identity", "range", "raw", "view"}
    own |= {"whole", "cut", "overlap", "marker_only", "absent", "changed_answer", "overlapping range", "same query"}

    def texts(value):
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            for each in value.values():
                yield from texts(each)
        elif isinstance(value, list):
            for each in value:
                yield from texts(each)

    assert {each for each in texts(report(run)) if not re.fullmatch(r"[0-9a-f]{24}", each)} <= own


def test_the_diagnosis_still_holds():
    """States, cause, arithmetic, replaced by, last delivered and dropped at are all there, by number."""
    made = report(open_package(SAMPLES / "video_start_overwritten"))
    expected = {"stalled": True, "looped": False, "clear": False, "decision": 3, "cause": "overwritten"}
    assert made["verdict"] == expected
    assert made["deliveries"] == [
        {"decision": 1, "states": {}},
        {"decision": 2, "states": {"whole": [1]}},
        {"decision": 3, "states": {"marker_only": [1], "whole": [2]}},
    ]
    repeat = made["repeats"][0]
    assert (repeat["cause"], repeat["decision"], repeat["first_decision"], repeat["fragment"]) == (
        "overwritten",
        3,
        1,
        1,
    )
    assert repeat["proof"]["budget"] == {"context_bytes": 30000, "available": 28217, "needed": 2040, "free": 26586}
    assert (repeat["proof"]["last_delivered"], repeat["proof"]["dropped_at"], repeat["proof"]["replaced_by"]) == (
        2,
        3,
        2,
    )
    assert made["decisions"][2]["lookups"] == made["decisions"][0]["lookups"] == [repeat["lookup"]]


def test_two_reports_of_one_run_share_no_hash():
    """The salt is drawn for each report and not kept: nothing can be looked up from outside, or joined."""
    run = open_package(SAMPLES / "video_start_overwritten")
    hashes = [set(re.findall(r'"([0-9a-f]{24})"', json.dumps(report(run)))) for _ in range(2)]
    assert len(hashes[0]) >= 8
    assert hashes[0].isdisjoint(hashes[1])


def test_unreadable_records_are_counted_not_shown():
    """A decision, a message and a fragment that could not be read, and keys that stand twice."""
    problem = Problem("decisions.jsonl", 2, "S3CR not JSON")
    store = [Message("user", (), problem=problem)]
    broken = Decision(1, status="?", problem=problem, store=store, slices=((0, 1),))
    fragment = Fragment("S3CR", search("S3CR"), "?", None, "", problem=problem)
    made = report(Investigation("S3CR", (broken, broken), store, (fragment, fragment), problems=(problem,)))
    assert made["counts"]["decisions"] == {"other": 2}
    assert made["problems"] == {"error": 1}
    assert "S3CR" not in json.dumps(made)


def test_its_page_asks_nothing_of_any_host():
    """Self-contained: a policy that forbids everything but its own style, no script, no address."""
    page = structural_html(report(open_package(SAMPLES / "tight_budget")))
    assert "default-src 'none'; style-src 'unsafe-inline'" in page
    assert not re.findall(r"<script|<link|<img|<iframe|src=|href=|url\(|https?:", page)


def test_the_report_needs_no_memory_to_be_written():
    """Neither ledger nor memory policy is needed: it is another small contract, over deliveries and a diagnosis."""
    run = open_package(SAMPLES / "tight_budget")
    bare = replace(run, decisions=tuple(replace(each, memory=None) for each in run.decisions))
    shape = [json.loads(re.sub(r"[0-9a-f]{24}", "hash", json.dumps(report(each)))) for each in (run, bare)]
    assert shape[0] == shape[1]
    source_text = (Path(__file__).parents[1] / "core" / "report" / "structural.py").read_text()
    assert not re.search(r"from \.\.(?:memory|replay|runner)", source_text)
