"""The What if page: every sample, policies and budgets, encodings, missing facts."""

import json
import shutil
from pathlib import Path

import pytest

from tests.app_driver import SAMPLES, panels, shown, visit
from tests.app_packages import hostile, many_decisions, no_decisions
from tests.evidence_packages import many_fragments

SAMPLES_FOLDER = Path(__file__).parent.parent / "sample_archives"


def matrix(app):
    """The data of the matrix on the page."""
    (data,) = [data for data in panels(app).values() if "looks" in data]
    return data


@pytest.mark.parametrize("sample", SAMPLES)
def test_it_draws_every_sample(monkeypatch, sample):
    """No sample raises, and each page says that it answers delivery only."""
    app = visit(monkeypatch, "what_if", package=sample)
    assert not app.exception
    assert "It answers delivery only, never what the model would have decided" in shown(app)


def test_retain_would_have_kept_the_first_result(monkeypatch):
    """The stalled sample under the repaired policy: f1 whole in decision 3, marked as not recorded, and the fingerprint."""
    app = visit(monkeypatch, "what_if", package="video_start_overwritten")
    said = shown(app)
    assert (
        "1 of 3 prompts would have carried something else, first decision 3: f1 would have been whole (1,629 B)" in said
    )
    assert "retain, any budget from 3,414 B to 5,453 B; or overwrite, any budget ≥ 3,414 B" in said
    row = matrix(app)["rows"][0]
    assert (row["states"], row["recorded"]) == ([None, "whole", "whole"], [None, "whole", "marker_only"])


def test_the_policy_stands_in_the_address_and_can_be_changed(monkeypatch):
    """Opened with overwrite nothing differs; switching the control to retain redraws and writes the address."""
    app = visit(monkeypatch, "what_if", package="video_start_overwritten", policy="overwrite")
    assert "every one of 3 prompts would have carried what was recorded" in shown(app)
    assert matrix(app)["rows"][0]["states"] == [None, "whole", "marker_only"]
    (policy,) = [each for each in app.button_group if each.key == "what-if-policy"]
    policy.set_value("retain").run()
    assert matrix(app)["rows"][0]["states"] == [None, "whole", "whole"]
    assert "policy" not in app.query_params  # retain is the default, and defaults are left out
    app.number_input(key="what-if-budget").set_value(5_453).run()
    assert "every one of 3 prompts would have carried what was recorded" in shown(app)
    assert app.query_params["budget"] in ("5453", ["5453"])


def test_a_budget_in_the_address(monkeypatch):
    """One byte below the smallest budget that keeps everything, retain gives what was recorded."""
    under = shown(visit(monkeypatch, "what_if", package="video_start_overwritten", budget="5453"))
    assert "Under retain and 5,453 B, every one of 3 prompts would have carried what was recorded." in under
    enough = shown(visit(monkeypatch, "what_if", package="video_start_overwritten", budget="5454"))
    assert "smallest that keeps every body whole under retain: 5,454 B" in enough
    assert "f1 would have been whole" in enough


def test_encodings_of_a_view(monkeypatch):
    """A run with working views: what each context would weigh in the encodings that the address names, against no limit."""
    app = visit(monkeypatch, "what_if", package="overlapping_reads", formats="v4,v6")
    said = shown(app)
    assert "No prompt limit is recorded (limits.prompt_bytes)" in said
    assert "169,606" in said
    assert "(-72,733)" in said
    assert "as stored" not in said.replace("of each stored context", "")
    assert "exact" in said


def test_invalid_values_are_answered(monkeypatch):
    """A policy or budget that does not exist is said, and the recorded one is shown."""
    said = shown(visit(monkeypatch, "what_if", package="tight_budget", policy="forget", budget="-5"))
    assert "The address names no policy that can be opened: expected retain or overwrite." in said
    assert "The address names no budget that can be opened: expected a whole number." in said
    assert "recorded: 5,800 B" in said


def test_missing_facts_are_named(monkeypatch, tmp_path):
    """A run of plain messages without limits: nothing is replayed, and what is missing is listed."""
    app = visit(
        monkeypatch,
        "what_if",
        many_fragments(tmp_path / "many", 12),
    )
    assert not app.exception
    said = shown(app)
    assert "no prompt of this recording has the format bounded_repair_v1" in said
    assert "No budget is recorded (limits.context_bytes)" in said
    assert "No prompt limit is recorded (limits.prompt_bytes)" in said


@pytest.mark.parametrize("make", [hostile, no_decisions, many_decisions])
def test_odd_packages(monkeypatch, tmp_path, make):
    """Hostile text, no decisions at all, many decisions without limits: no page raises."""
    app = visit(
        monkeypatch,
        "what_if",
        make(tmp_path / "package"),
    )
    assert not app.exception
    assert "What if" in shown(app)


def test_a_memory_without_recorded_limits_is_replayed_under_a_given_budget(monkeypatch, tmp_path):
    """No limit in the manifest: both are named as missing, nothing is replayed until a budget is given, then it is."""
    path = tmp_path / "unlimited"
    shutil.copytree(SAMPLES_FOLDER / "video_start_overwritten", path)
    manifest = json.loads((path / "manifest.json").read_text(encoding="utf-8"))
    del manifest["limits"]
    (path / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    app = visit(monkeypatch, "what_if", path, package="unlimited")
    said = shown(app)
    assert "No budget is recorded (limits.context_bytes): give one to replay with." in said
    assert "What would have been delivered" not in said
    assert "recorded:" not in said
    app.number_input(key="what-if-budget").set_value(6_000).run()
    assert "Under retain and 6,000 B, 1 of 3 prompts would have carried something else" in shown(app)
