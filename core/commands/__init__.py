"""The commands of the terminal: `investigation-inspector open | diagnose | measure | convert | report`.

One file a command; the scripts in scripts/ are thin entries to the same functions. A command is imported when it is asked
for: `open` starts without what the others need, and `diagnose` without the report.
"""

from __future__ import annotations

import errno
import os
import sys
from contextlib import suppress
from importlib import import_module
from typing import Any, Final

import click

from .said import UNREADABLE

COMMANDS: Final = ("open", "diagnose", "measure", "convert", "report")
"""Each is a file here that holds `NAME_command`."""


_FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF})


class Command(click.Command):
    """A command that ends with one line and status 2 where standard output takes no more; a closed pipe ends it silently."""

    def main(self, *arguments: Any, **options: Any) -> Any:
        """As click's. What a command writes to files it reports itself; an error without a file's name is of the stream."""
        try:
            return super().main(*arguments, **options)
        except OSError as error:
            if error.filename is not None or error.errno not in _FULL:
                raise
            _leave_stdout()
            with suppress(OSError):
                click.echo(f"standard output cannot be written: {error.strerror}", err=True)
            sys.exit(UNREADABLE)


def _leave_stdout() -> None:
    """What waits in the buffer goes nowhere, so that Python does not fail on it once more at its end."""
    with suppress(OSError, ValueError):  # ValueError: a stream without a file behind it
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


class _Commands(Command, click.Group):
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
