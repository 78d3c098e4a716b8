"""`investigation-inspector open PATH ...`: start the app on packages or recordings and print its address."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

APP = Path(__file__).resolve().parents[2] / "app.py"
LOOPBACK = "127.0.0.1"


@click.command("open")
@click.argument("paths", nargs=-1, type=click.Path(exists=True, path_type=Path))
@click.option(
    "--archive-dir",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="List a folder's packages and recordings in the app.",
)
@click.option("--port", default=8501, show_default=True, envvar="STREAMLIT_SERVER_PORT", help="Port to listen on.")
@click.option(
    "--address", default=LOOPBACK, show_default=True, help="Address to bind; read docs/serving.md before you change it."
)
@click.option(
    "--host",
    "hosts",
    multiple=True,
    metavar="NAME",
    help="A name under which a proxy serves the app, beside localhost; may be given several times. Others are refused.",
)
@click.option("--base-path", default="", metavar="PATH", help="Prefix of every address, such as inspector.")
def open_command(
    paths: tuple[Path, ...], archive_dir: Path | None, port: int, address: str, hosts: tuple[str, ...], base_path: str
) -> None:
    """Open packages or recordings in the browser (without PATH: the bundled stalled run)."""
    arguments = [str(path.resolve()) for path in paths]
    if archive_dir is not None:
        arguments += ["--archive-dir", str(archive_dir.resolve())]
    flags = ["--server.port", str(port), "--server.address", address]
    for host in ("localhost", LOOPBACK, *hosts) if hosts else ():
        flags += ["--server.allowedHosts", host]
    if base_path:
        flags += ["--server.baseUrlPath", base_path.strip("/")]
    # Streamlit reads .streamlit/config.toml beside app.py, so the installed app binds and looks as the checkout's does.
    # Replacing this process hands Streamlit the terminal: Ctrl-C and exit status are its own.
    command = [sys.executable, "-m", "streamlit", "run", str(APP), *flags, "--", *arguments]
    os.execv(sys.executable, command)  # noqa: S606  # no shell; every argument is ours or a path the user typed
