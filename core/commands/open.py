"""`investigation-inspector open PATH ...`: start the app on packages or recordings and print its address."""

from __future__ import annotations

import errno
import os
import socket
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
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    envvar="STREAMLIT_SERVER_PORT",
    show_default="8501, or the next one that is free",
    help="Port to listen on.",
)
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
@click.option(
    "--browser/--no-browser",
    default=None,
    help="Open it in the browser (default: where this machine has a display); its address is printed in any case.",
)
def open_command(
    paths: tuple[Path, ...],
    archive_dir: Path | None,
    port: int | None,
    address: str,
    hosts: tuple[str, ...],
    base_path: str,
    *,
    browser: bool | None,
) -> None:
    """Serve the app on packages or recordings (without PATH: the bundled stalled run) until Ctrl-C.

    Exit status: 2 where a path or an option is wrong or the port is taken.
    """
    arguments = [str(path.resolve()) for path in paths]
    if archive_dir is not None:
        arguments += ["--archive-dir", str(archive_dir.resolve())]
    flags = ["--server.address", address]
    if port is not None:
        _refuse_taken(address, port)
        flags += ["--server.port", str(port)]
    if browser or (browser is None and _has_display()):
        flags += ["--server.headless", "false"]
    for host in ("localhost", LOOPBACK, *hosts) if hosts else ():
        flags += ["--server.allowedHosts", host]
    if base_path:
        flags += ["--server.baseUrlPath", base_path.strip("/")]
    # Streamlit reads .streamlit/config.toml beside app.py, so the installed app binds and looks as the checkout's does.
    # Replacing this process hands Streamlit the terminal: Ctrl-C and exit status are its own.
    command = [sys.executable, "-m", "streamlit", "run", str(APP), *flags, "--", *arguments]
    os.execv(sys.executable, command)  # noqa: S606  # no shell; every argument is ours or a path the user typed


def _has_display() -> bool:
    """Whether a browser can be shown here; a test or a service that sets STREAMLIT_SERVER_HEADLESS decides itself."""
    if "STREAMLIT_SERVER_HEADLESS" in os.environ:
        return False
    return sys.platform in ("darwin", "win32") or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def _refuse_taken(address: str, port: int) -> None:
    """Say that a port is taken before the server is started, with what to do."""
    try:
        family = socket.getaddrinfo(address, port, type=socket.SOCK_STREAM)[0][0]
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as the server does
            probe.bind((address, port))
    except OSError as error:
        if error.errno not in (errno.EADDRINUSE, errno.EACCES):
            return  # whatever else it is, the server says it
        why = "in use" if error.errno == errno.EADDRINUSE else "not allowed for this user"
        advice = "name another with --port, or none for the first free one from 8501 on"
        raise click.UsageError(f"port {port} of {address} is {why}: {advice}") from error
