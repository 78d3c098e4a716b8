"""The installed package: what a wheel holds and that it works away from the checkout."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
from packaging.requirements import Requirement

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
