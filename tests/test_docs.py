"""Documentation as tests: every command and every Python snippet in README.md and docs/ runs, or is here with the reason.

A block is what stands between fences that say `sh`, `bash`, `console` or `python`, or an indented block whose first line
starts like a command. Commands run as typed in a copy of the checkout after `make test`: with `.venv`, and with no other
Python that has the requirements; the installed command stands beside it, as after `pip install .`. One that serves the app is
started, asked for its health, and stopped.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from benchmarks.served import free_port

ROOT = Path(__file__).resolve().parents[1]
SECONDS = 120

NOT_RUN = {
    ("README.md", "make test"): "this is what runs it",
    ("README.md", "make run ARGS="): "its paths stand for the reader's own",
    (
        "docs/serving.md",
        "python -m pip install .",
    ): "tests/test_packaging.py builds the wheel and runs the command from it",
    ("docs/serving.md", "curl --fail"): "asks the server of the block before; tests/test_serving_proxy.py does",
    (
        "docs/diagnosis.md",
        ".venv/bin/python tests/fault_injector.py --runs 1000",
    ): "takes a minute; 200 runs are a test of their own",
    (
        "docs/reliability.md",
        ".venv/bin/python -m benchmarks.faults",
    ): "takes many minutes; tests/test_package_faults.py runs it for a few trials",
    ("docs/benchmarks.md", "make bench"): "takes minutes; each file is named in the table",
}
"""(file, start of the block's first line) → why the block is not run."""

IN_A_PAGE = {
    "docs/pages.md": "a page runs in the app only: tests/test_app_pages.py runs every real one",
}
"""Files whose Python blocks are not run on their own, and why."""

FENCE = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
INDENTED = re.compile(r"(?:^|\n\n)((?:    [^\n]+\n)+)")
COMMAND = re.compile(r"(python3?|make|investigation-inspector|streamlit|\.venv/bin/\S+|pip) ")
BARE = re.compile(r"(?:^|`)((?:python3? [-a-z]|streamlit run app\.py )[^`\n]*)", re.MULTILINE)
"""A command without `.venv/bin/` in a text: after `make run` it fails for whoever types it."""
SERVES = re.compile(r"\b(make run|streamlit run|investigation-inspector open)\b")
PORT = re.compile(r"--(?:server\.)?port[ =](\d+)")
SHELLS = ("sh", "bash", "shell", "console")


def documents():
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")), ROOT / "sample_archives" / "README.md"]


def blocks(text):
    """(language, content) of every block that can run, in order."""
    for language, content in FENCE.findall(text):
        if language in SHELLS:
            yield "sh", commands_of(content)
        elif language == "python":
            yield "python", content
    for content in INDENTED.findall(FENCE.sub("", text)):
        lines = re.sub(r"^    ", "", content, flags=re.MULTILINE)
        if COMMAND.match(lines):
            yield "sh", lines


def commands_of(content):
    """The commands of a block; in one with `$ ` before each command what stands between is output."""
    if not re.search(r"^\$ ", content, re.MULTILINE):
        return content
    return "".join(line[2:] + "\n" for line in content.splitlines() if line.startswith("$ "))


def found():
    for document in documents():
        name = str(document.relative_to(ROOT))
        for number, (language, content) in enumerate(blocks(document.read_text()), start=1):
            yield pytest.param(name, language, content, id=f"{name}-{number}-{language}")


def why_not(name, language, content):
    """The reason for which a block is not run; None if it is."""
    if language == "python" and name in IN_A_PAGE:
        return IN_A_PAGE[name]
    first = content.lstrip().splitlines()[0]
    return next((why for (file, start), why in NOT_RUN.items() if file == name and first.startswith(start)), None)


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A copy of the checkout's files with its `.venv`, and a folder of commands: the installed command only."""
    home = tmp_path_factory.mktemp("docs")
    copy, tools = home / "checkout", home / "bin"
    tools.mkdir()
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, copy / name)
    (copy / ".venv").symlink_to(sys.prefix)
    command = (
        "import sys; from investigation_inspector.core.commands import main; main(prog_name='investigation-inspector')"
    )
    script(tools / "investigation-inspector", f'exec "{sys.executable}" -c "{command}" "$@"')
    (home / "site").mkdir()
    (home / "site" / "investigation_inspector").symlink_to(copy)
    return home


def script(path, line):
    path.write_text(f"#!/bin/sh\n{line}\n")
    path.chmod(0o755)


def surroundings(place):
    return {
        **os.environ,
        "PATH": f"{place / 'bin'}:/usr/local/bin:/usr/bin:/bin",  # not the Python that runs this
        "PYTHONPATH": f"{place / 'site'}:{place / 'checkout'}",
        "MAKEFLAGS": "-o .venv/.run -o .venv/.dev",  # installs nothing
        "STREAMLIT_SERVER_HEADLESS": "true",  # no browser on the desktop of whoever runs this
        "STREAMLIT_SERVER_PORT": str(free_port()),
    }


@pytest.mark.parametrize(("name", "language", "content"), list(found()))
def test_what_the_documentation_says_to_run_runs(name, language, content, place):
    """Status 0 and, where it serves the app, an answer to the health check."""
    why = why_not(name, language, content)
    if why is not None:
        pytest.skip(why)
    command = ["bash", "-euo", "pipefail", "-c", content] if language == "sh" else [sys.executable, "-c", content]
    env = surroundings(place)
    if language == "sh" and SERVES.search(content):
        serve(command, env, place / "checkout", place / "log")
        return
    done = subprocess.run(
        command, cwd=place / "checkout", env=env, capture_output=True, text=True, timeout=SECONDS, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def serve(command, env, cwd, log):
    """Start a server, wait for its health, and end it with everything that it started."""
    port = next(iter(PORT.findall(command[-1])), env["STREAMLIT_SERVER_PORT"])
    prefix = next(iter(re.findall(r"(?:--base-path|--server\.baseUrlPath)[ =](\w+)", command[-1])), None)
    url = f"http://127.0.0.1:{port}{f'/{prefix}' if prefix else ''}/_stcore/health"
    with (
        log.open("wb") as output,
        subprocess.Popen(
            command, cwd=cwd, env=env, stdout=output, stderr=subprocess.STDOUT, start_new_session=True
        ) as process,
    ):
        try:
            until = time.monotonic() + SECONDS
            while time.monotonic() < until:
                assert process.poll() is None, log.read_text()
                try:
                    with urllib.request.urlopen(url, timeout=2) as answer:  # our own server on this machine
                        assert answer.read() == b"ok"
                        return
                except (urllib.error.URLError, OSError):
                    time.sleep(0.1)
            pytest.fail(f"no server in {SECONDS} s: {log.read_text()}")
        finally:
            os.killpg(process.pid, signal.SIGTERM)


def test_every_reason_names_a_block():
    """A block that is gone must not leave its excuse behind."""
    known = [(param.values[0], param.values[2].lstrip().splitlines()[0]) for param in found()]
    for (file, start), why in NOT_RUN.items():
        if (ROOT / file).exists():
            assert any(name == file and first.startswith(start) for name, first in known), (file, start, why)


@pytest.mark.parametrize("document", documents(), ids=lambda path: str(path.relative_to(ROOT)))
def test_no_command_needs_a_python_that_nobody_has(document):
    """Also in the middle of a sentence: commands of the checkout name `.venv/bin/python`."""
    assert BARE.findall("so `python tests/x.py` does") == ["python tests/x.py"]
    found = BARE.findall(document.read_text())
    assert [command for command in found if not command.startswith("python -m pip install")] == []


def test_what_the_readme_says_of_make_holds(tmp_path):
    """`PORT` chooses the port, `ARGS` the paths, and the first time it says that it installs and how long that takes."""
    shutil.copy(ROOT / "Makefile", tmp_path)
    (tmp_path / "requirements.txt").touch()
    command = ["make", "--dry-run", "run", "PORT=8600", "ARGS=one two"]
    said = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    assert "Installing pinned requirements into .venv: about a minute, once" in said
    assert "-m streamlit run app.py --server.port 8600 -- one two" in said
    assert "--quiet" not in said


LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")


@pytest.mark.parametrize("document", documents(), ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(document):
    """Every relative link in the documentation names a file or folder of the checkout."""
    for target in LINK.findall(FENCE.sub("", document.read_text())):
        if "://" not in target and not target.startswith("mailto:"):
            assert (document.parent / target).exists(), target
