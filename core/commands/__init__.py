"""The commands of the terminal: `investigation-inspector open | diagnose | measure | convert | report`.

One file a command; the scripts in scripts/ are thin entries to the same functions.
"""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

import click

from .convert import convert_command
from .diagnose import diagnose_command
from .measure import measure_command
from .open import open_command
from .report import report_command


def _version() -> str:
    try:
        return version("investigation-inspector")
    except PackageNotFoundError:  # a checkout that is not installed
        return "(a checkout)"


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(_version(), prog_name="investigation-inspector")
def main() -> None:
    """See what each decision of an agent's investigation received, and why a lookup was repeated."""


for command in (open_command, diagnose_command, measure_command, convert_command, report_command):
    main.add_command(command)
