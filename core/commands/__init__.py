"""The commands of the terminal: `investigation-inspector open | diagnose | measure | convert | report`.

One file a command; the scripts in scripts/ are thin entries to the same functions. A command is imported when it is asked
for: `open` starts without what the others need, and `diagnose` without the report.
"""

from __future__ import annotations

from importlib import import_module
from typing import Final

import click

COMMANDS: Final = ("open", "diagnose", "measure", "convert", "report")
"""Each is a file here that holds `NAME_command`."""


class _Commands(click.Group):
    """A group whose commands are imported by name."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  # click's signature
        """Every name, in the order in which they are explained."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002  # click's signature
        """The command of a name; None if there is none."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = getattr(import_module(f".{cmd_name}", __package__), f"{cmd_name}_command")
        return command


def _say_version(context: click.Context, _option: click.Parameter, wanted: bool) -> None:
    if not wanted:
        return
    from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415  # 50 ms that no command needs

    try:
        known = version("investigation-inspector")
    except PackageNotFoundError:  # a checkout that is not installed
        known = "(a checkout)"
    click.echo(f"investigation-inspector, version {known}")
    context.exit()


@click.command(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_say_version,
    help="Say the version, and exit.",
)
def main() -> None:
    """See what each decision of an agent's investigation received, and why a lookup was repeated."""
