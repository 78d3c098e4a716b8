"""What stands around every response of the server: which hosts are answered, and the headers that keep a page shut.

`app.py` hands `MIDDLEWARE` to `st.App`. Nothing here runs with a page. docs/serving.md says what a proxy may add.
"""

from __future__ import annotations

import asyncio
import gc
import re
import socket
import sys
import threading
import webbrowser
from base64 import b64encode
from contextlib import asynccontextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click
import streamlit as st
from starlette.datastructures import MutableHeaders
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.responses import HTMLResponse
from starlette.routing import Route
from streamlit.runtime.pages_manager import PagesManager

from . import catalogue, uploads

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable

    from starlette.requests import Request
    from starlette.types import ASGIApp, Message, Receive, Scope, Send


_PAGE: Final = (Path(st.__file__).parent / "static" / "index.html").read_text(encoding="utf-8")
"""Streamlit's own page, in whatever version is installed."""

_FOUND: Final = _PAGE.replace(
    "<head>", "<head><script>window.__streamlit = { BACKEND_BASE_URL: new URL('.', location.href).href }</script>", 1
)
"""The same, told where the server is: the folder of its address. Otherwise a page at `/decisions` asks below `/decisions/`
first, is answered 404 twice, which the browser's console shows as errors, and only then asks the root."""


def _inline_scripts() -> str:
    """The hashes of the scripts that stand in these pages."""
    scripts = re.findall(r"<script>(.*?)</script>", _FOUND, re.DOTALL)
    return " ".join(f"'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'" for script in scripts)


def pages(names: Iterable[str]) -> list[Route]:
    """The routes of the pages below the root; every other address is Streamlit's own affair."""
    base = str(st.get_option("server.baseUrlPath") or "").strip("/")

    async def found(_request: Request) -> HTMLResponse:  # async: Starlette would run it in a thread otherwise
        return HTMLResponse(_FOUND, headers={"Cache-Control": "no-cache"})

    return [Route("/" + "/".join(filter(None, (base, name))), found) for name in names]


POLICY: Final = "; ".join(
    (
        "default-src 'none'",
        f"script-src 'self' blob: {_inline_scripts()}",  # blob: is how Streamlit loads a component's script
        "style-src 'self' 'unsafe-inline'",  # Streamlit's styles are written into the page by its scripts
        "img-src 'self' data: blob:",
        "font-src 'self' data:",
        "connect-src 'self'",
        "manifest-src 'self'",
        "base-uri 'self'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    )
)
"""Whatever a page is made to ask for, the browser asks no other host; no inline script runs, no frame holds the app."""

HEADERS: Final = {
    "Content-Security-Policy": POLICY,
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}


class Headers:
    """Puts `HEADERS` on every HTTP response, and sends the messages of a session at once."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """The ASGI call."""
        if scope["type"] != "http":
            _send_at_once(send)
            await self._app(scope, receive, send)
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        await self._app(scope, receive, with_headers)


def _send_at_once(send: Send) -> None:
    """Switch Nagle's algorithm off on the connection behind a websocket's `send`.

    asyncio does that for TCP, but does not take the socket that Streamlit makes (protocol 0) for TCP. Left on, the last
    message of a run waits about 40 ms for the visitor's acknowledgement of those before.
    """
    transport = getattr(getattr(send, "__self__", None), "transport", None)  # uvicorn's; another server may have none
    connection = None if transport is None else transport.get_extra_info("socket")
    if connection is not None and connection.family in (socket.AF_INET, socket.AF_INET6):
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


def _hosts() -> list[str]:
    """Streamlit itself asks for an allowed host only at the websocket; here the pages and files ask for it too."""
    return list(st.get_option("server.allowedHosts") or ["*"])


MIDDLEWARE: Final = (
    Middleware(Headers),
    Middleware(TrustedHostMiddleware, allowed_hosts=_hosts(), www_redirect=False),
)

TIDY_SECONDS: Final = 60.0
"""How often what ended sessions left behind is let go of: their memory, and the folders of their uploads."""


_BROWSER_SECONDS: Final = 0.2
"""Until the server answers, after this has run."""


@asynccontextmanager
async def lifespan(_app: object) -> AsyncIterator[None]:
    """From the start to the end of the server: pages go through app.py, garbage is collected now and then.

    Collected once a minute instead of after every run (`runner.postScriptGC` is off), and cheaply: Streamlit's sessions
    are cycles of objects, so that only the collector ends them, and what was imported until now lives as long as the
    server: frozen, it is not looked at again (a collection took 110 to 200 ms without that, 30 to 60 ms with it).
    """
    PagesManager.uses_pages_directory = False  # else a first visitor's /decisions would run pages/decisions.py alone
    _greet()
    gc.collect()
    gc.freeze()
    tidying = asyncio.create_task(_tidy())
    try:
        yield
    finally:
        tidying.cancel()
        with suppress(asyncio.CancelledError):
            await tidying
        uploads.remove_all()


def _greet() -> None:
    """Say in the terminal where the app is and what is wrong with the command line; open the browser where that is asked.

    The port is bound by now. Streamlit opens no browser for an `st.App`, whatever `server.headless` says.
    """
    for complaint in catalogue.complaints(catalogue.read_arguments(sys.argv)):
        click.echo(f"warning: {complaint}", err=True)
    address = _address()
    click.echo(f"\n  Investigation Inspector: {address}\n  End it with Ctrl-C.\n")
    if not st.get_option("server.headless"):
        asyncio.get_running_loop().call_later(_BROWSER_SECONDS, _open_browser, address)


def _open_browser(address: str) -> None:
    threading.Thread(
        target=webbrowser.open, args=(address,), daemon=True
    ).start()  # a browser may keep its caller waiting


def _address() -> str:
    """Where a browser on this machine finds the app."""
    host = str(st.get_option("server.address") or "localhost")
    named = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)  # noqa: S104  # told apart, not bound
    scheme = "https" if st.get_option("server.sslCertFile") else "http"
    base = str(st.get_option("server.baseUrlPath") or "").strip("/")
    return f"{scheme}://{named}:{st.get_option('server.port')}" + (f"/{base}" if base else "")


async def _tidy() -> None:
    while True:
        await asyncio.sleep(TIDY_SECONDS)
        gc.collect()
