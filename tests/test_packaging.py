"""The installed package: what a wheel holds and that it works away from the checkout."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from benchmarks.served import served
from benchmarks.visitor import Visitor

ROOT = Path(__file__).resolve().parents[1]
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text())


def _code_folders() -> set[str]:
    return {
        ".".join(("investigation_inspector", *path.parent.relative_to(ROOT).parts))
        for room in ("core", "pages")
        for path in (ROOT / room).rglob("*.py")
    }


def test_every_folder_with_code_is_packaged():
    """A new room that pyproject.toml does not list would be missing from the wheel."""
    listed = set(SETTINGS["tool"]["setuptools"]["packages"]) - {"investigation_inspector"}
    assert listed == _code_folders()


def test_pins_lie_within_the_declared_ranges():
    """Each dependency of the package is pinned for `make run`, each extra for `make test`."""
    pins = {
        Requirement(line).name.lower().replace("_", "-"): Requirement(line).specifier
        for name in ("requirements.txt", "requirements-dev.txt")
        for line in (ROOT / name).read_text().splitlines()
        if line and not line.startswith(("#", "-r"))
    }
    declared = [
        *SETTINGS["project"]["dependencies"],
        *SETTINGS["project"]["optional-dependencies"]["test"],
        *SETTINGS["project"]["optional-dependencies"]["lint"],
    ]
    for text in declared:
        wanted = Requirement(text)
        (pin,) = pins[wanted.name.lower().replace("_", "-")]
        assert wanted.specifier.contains(pin.version), text


@pytest.fixture(scope="module")
def unpacked_wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    subprocess.run(["git", "clone", "--quiet", "--no-hardlinks", str(ROOT), str(source)], check=True)
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "-w", str(folder)]
    subprocess.run([*command, str(source)], check=True)
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as container:
        container.extractall(folder / "site")
    return folder / "site"


def test_the_wheel_carries_the_app_and_its_files(unpacked_wheel):
    """The app, its configuration, the viewer's files and the bundled samples are in the wheel, the tests are not."""
    home = unpacked_wheel / "investigation_inspector"
    for name in ("app.py", ".streamlit/config.toml", "sample_archives/video_start_overwritten/manifest.json"):
        assert (home / name).is_file(), name
    assert list((home / "pages" / "parts" / "viewer").glob("*.js"))
    assert not (home / "tests").exists()
    assert not (home / "scripts").exists()


def test_the_library_names_import_from_the_wheel(unpacked_wheel):
    """`import investigation_inspector` exposes assert_received, PackageWriter and open_package, from any folder."""
    code = "import investigation_inspector as i; print(i.assert_received, i.PackageWriter, i.open_package)"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=unpacked_wheel,
        env={**os.environ, "PYTHONPATH": str(unpacked_wheel)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


COMMAND = "import sys; from investigation_inspector.core.commands import main; sys.argv[0] = 'investigation-inspector'; main()"
"""What the installed entry point runs (pyproject.toml, `project.scripts`)."""


def _command(site, *arguments):
    """The installed command's process arguments and surroundings: the unpacked wheel, and nothing of the checkout."""
    return [sys.executable, "-c", COMMAND, *map(str, arguments)], {**os.environ, "PYTHONPATH": str(site)}


def _run(site, cwd, *arguments):
    command, env = _command(site, *arguments)
    return subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, check=False)


def test_the_entry_point_is_the_function_that_is_tested_here():
    """`investigation-inspector` is `main` of the commands."""
    assert SETTINGS["project"]["scripts"] == {
        "investigation-inspector": "investigation_inspector.core.commands:main",
    }


def test_the_command_works_from_the_wheel(unpacked_wheel, tmp_path):
    """`--help`, `diagnose` and `measure` on a bundled sample, several files in processes included, away from the checkout."""
    samples = unpacked_wheel / "investigation_inspector" / "sample_archives"
    said = _run(unpacked_wheel, tmp_path, "--help")
    assert (said.returncode, said.stderr) == (0, "")
    for name in ("open", "diagnose", "measure", "convert", "report"):
        assert f"  {name} " in said.stdout, name
    said = _run(unpacked_wheel, tmp_path, "diagnose", samples / "video_start_overwritten", "--fail-on", "delivery")
    assert (said.returncode, said.stderr) == (1, "")
    assert "overwritten, not a matter of attention" in said.stdout
    said = _run(unpacked_wheel, tmp_path, "measure", samples, "--json", "--jobs", "2")
    assert said.returncode == 0, said.stderr
    assert json.loads(said.stdout)["totals"]["contexts"] == sum(
        len((folder / "decisions.jsonl").read_text().splitlines()) for folder in samples.iterdir() if folder.is_dir()
    )


def test_open_serves_the_bundled_sample_from_the_wheel(unpacked_wheel, tmp_path):
    """`open` without a path: healthy, a visitor gets the stalled sample with its verdict, and every page has its files."""
    command, env = _command(unpacked_wheel, "open")
    with served(tmp_path / "log", command=command, cwd=tmp_path, env=env) as (address, _), Visitor(address) as visitor:
        visitor.open()
        said = visitor.text()
        assert "Video does not start: the newest result replaces the earlier ones" in said
        assert "overwritten, not a matter of attention" in said
        for page in (unpacked_wheel / "investigation_inspector" / "pages").glob("*.py"):
            visitor.open(page.stem)
            assert visitor.errors == [], page.name
            assert visitor.elements, page.name
