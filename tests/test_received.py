"""The delivery check for other people's test suites: what it finds, and what it says about what is missing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from stories import BODY, OTHER, search

from core.package import open_package
from core.received import NotReceived, assert_received, received

SAMPLES = Path(__file__).parents[1] / "sample_archives"


def third_call(name):
    """The transmitted string of decision 3, its two results, their hashes and lookups."""
    run = open_package(SAMPLES / name)
    prompt = "".join(message.text for message in run.decisions[2].messages[1:])
    results = list(run.fragments)[:2]
    hashes = sorted({source.hash for result in results for source in result.sources})
    return prompt, hashes, [result.lookup for result in results], [result.body for result in results]


def test_the_three_call_regression_passes_on_the_repaired_run():
    """Decision 3's transmitted string holds both files' hashes, the completed-lookup ledger, and both results."""
    prompt, hashes, lookups, bodies = third_call("video_start_retained")
    assert len(hashes) >= 2
    assert_received(prompt, hashes=hashes, lookups=lookups, bodies=bodies)


def test_the_three_call_regression_fails_on_the_historical_run_and_says_why():
    """The ledger still names the search; its source is absent, and the hash in the list of ranges is only a marker."""
    prompt, hashes, lookups, bodies = third_call("video_start_overwritten")
    assert received(prompt, lookups=lookups) == ()
    with pytest.raises(AssertionError) as failed:
        assert_received(prompt, hashes=hashes, lookups=lookups, bodies=bodies)
    said = str(failed.value)
    assert "only in the base context or the list of supplied ranges, with no result" in said
    assert "- body 'src/errors.js sha256:" in said
    assert "absent (1,629 B, sha256:" in said


def test_any_text_will_do():
    """A prompt of somebody else's rendering: raw, numbered, escaped bodies, identities and hashes anywhere in it."""
    numbered = "\n".join(f"{n}: {line}" for n, line in enumerate(OTHER.split("\n"), 5))
    prompt = f"seen: {search('play').identity}\n{json.dumps({'file': BODY})}\n{numbered}\nsha256:ab12"
    assert_received(
        prompt, hashes=["sha256:ab12"], lookups=[search("play"), search("play").identity], bodies=[BODY, OTHER]
    )


@pytest.mark.parametrize(
    ("wanted", "missing"),
    [
        ({"hashes": ["sha256:ab1"]}, NotReceived("hash", "'sha256:ab1'", "absent")),
        ({"hashes": [""]}, NotReceived("hash", "''", "absent")),
        (
            {"lookups": [search("x")]},
            NotReceived("lookup", '\'["search",["x"],null,null]\'', "its identity does not stand in the prompt"),
        ),
        ({"bodies": ["found"]}, NotReceived("body", "'found'", "coincidental, under 32 B at bytes 0-5")),
        (
            {"bodies": [BODY]},
            NotReceived(
                "body",
                "'export function start(video) { observe(video); return video…'",
                "cut, 48 of 73 B at bytes 17-65, and the prompt does not say so",
            ),
        ),
    ],
)
def test_each_miss_is_named_with_its_reason(wanted, missing):
    """A longer hash is another hash; a short text proves nothing where it stands by chance; a beginning is not the whole."""
    prompt = f"found sha256:ab12{BODY[:48]}"
    assert received(prompt, **wanted) == (missing,)


def test_a_lookup_with_another_outcome_is_not_completed():
    """The ledger of the documented rendering is read: uncertain is not completed."""
    run = open_package(SAMPLES / "tight_budget")
    prompt = run.decisions[4].messages[1].text
    uncertain = next(each for each in run.fragments if each.status == "uncertain")
    assert [each.why for each in received(prompt, lookups=[uncertain.lookup])] == [
        "the ledger says that it is uncertain, not completed"
    ]


def test_asking_for_nothing_is_a_mistake():
    """A check that cannot fail checks nothing."""
    with pytest.raises(ValueError, match="needs hashes, lookups or bodies"):
        assert_received("anything")


def test_a_prompt_that_is_bytes():
    """Bytes are no prompt text: a `TypeError` that says so, not a failure deep inside."""
    with pytest.raises(TypeError, match=r"^the prompt must be text \(str\), not bytes: decode it first$"):
        assert_received(b"prompt", hashes=["sha256:aa"])
