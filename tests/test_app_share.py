"""The Share page: what it lists before a full report, and that nothing of a package becomes a label."""

import pytest

from core.package import PackageWriter
from tests.app_driver import SAMPLES, shown, visit
from tests.app_packages import HOSTILE, hostile


@pytest.mark.parametrize("sample", SAMPLES)
def test_it_draws_every_sample(monkeypatch, sample):
    """Both kinds of report are offered for every sample."""
    app = visit(monkeypatch, "share", package=sample)
    assert not app.exception
    assert [button.label for button in app.get("download_button")] == [
        "Structural report (HTML)",
        "Structural report (JSON)",
        "Full report (HTML)",
    ]


KEY = "sk-ant-0123456789abcdefghijkl"


def test_what_looks_like_a_secret_is_listed_and_masked_by_its_hash(monkeypatch, tmp_path):
    """A key in a prompt is listed with its first characters and its hash, never whole."""
    with PackageWriter(tmp_path / "run", title="With a key", created="2026-11-30T12:00:00Z", sync=False) as package:
        package.append_decision([{"role": "user", "text": f"use {KEY} now"}], reply={"text": "ok"})
    app = visit(monkeypatch, "share", tmp_path / "run")
    assert not app.exception
    said = shown(app)
    assert "sk-a…" in said
    assert KEY not in said
    (choice,) = app.multiselect
    assert choice.value == []
    assert [option.partition(" ")[0] for option in choice.options] == ["key"]
    assert all(KEY not in option for option in choice.options)


def test_hostile_text_is_inert(monkeypatch, tmp_path):
    """No label or option of a widget carries text of the package."""
    app = visit(monkeypatch, "share", hostile(tmp_path / "hostile"))
    assert not app.exception
    assert not any(HOSTILE in option for choice in app.multiselect for option in choice.options)
