"""The guide's own nginx configuration, run: TLS, login, prefix, websocket, headers. Skipped where there is no nginx."""

from __future__ import annotations

import base64
import os
import re
import shutil
import socket
import ssl
import subprocess
import sys
import time
from http.client import HTTPConnection
from pathlib import Path

import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from benchmarks.served import free_port, served

ROOT = Path(__file__).resolve().parents[1]
GUIDE = (ROOT / "docs" / "serving.md").read_text()
NAME = "inspector.example.org"
LOGIN = {"Authorization": "Basic " + base64.b64encode(b"ada:a long pass phrase").decode()}
NGINX, OPENSSL = (shutil.which(name, path="/usr/sbin:/usr/bin:/usr/local/bin") for name in ("nginx", "openssl"))

pytestmark = pytest.mark.skipif(NGINX is None or OPENSSL is None, reason="needs nginx and openssl")


def block(language, start):
    """The block of the guide that starts like this."""
    return next(text for text in re.findall(rf"```{language}\n(.*?)```", GUIDE, re.DOTALL) if text.startswith(start))


@pytest.fixture(scope="module")
def proxy(tmp_path_factory):
    """The guide's proxy before the app as the guide starts it, with a certificate of our own; its port and its folder."""
    home = tmp_path_factory.mktemp("proxy")
    subprocess.run(["bash", "-euc", block("sh", "printf")], cwd=home, check=True)
    request = [OPENSSL, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", f"/CN={NAME}"]
    request += ["-addext", f"subjectAltName=DNS:{NAME}", "-keyout", "inspector.key", "-out", "inspector.crt"]
    subprocess.run(request, cwd=home, check=True, capture_output=True)
    options = block("sh", "investigation-inspector open").split()[2:]
    command = [sys.executable, "-c", "from core.commands import main; main()", "open"]
    port = free_port()
    with served(home / "log", *options, command=command, base="inspector") as (address, _):
        server = block("nginx", "# /etc/nginx").replace("/etc/nginx/", f"{home}/")
        server = server.replace("listen 443", f"listen 127.0.0.1:{port}")
        server = server.replace("http://127.0.0.1:8501", address.removesuffix("/inspector"))
        folders = "".join(
            f"{each}_temp_path {home}/{each};\n" for each in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        )
        user = (
            "user root;\n" if os.getuid() == 0 else ""
        )  # its workers must reach a folder that only this user may enter
        (home / "nginx.conf").write_text(
            f"{user}daemon off;\npid {home}/pid;\nevents {{}}\nhttp {{\naccess_log off;\n{folders}{server}}}\n"
        )
        run = [NGINX, "-e", str(home / "error.log"), "-c", str(home / "nginx.conf")]
        with subprocess.Popen(run, stderr=subprocess.PIPE) as running:
            try:
                _wait(port, running)
                yield home, port
            finally:
                running.terminate()


def _wait(port, running):
    until = time.monotonic() + 30
    while time.monotonic() < until:
        assert running.poll() is None, running.stderr.read().decode()
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    pytest.fail("nginx does not answer")


def answer(proxy, path, headers, host=NAME):
    """Status, headers and body of one request over TLS, the certificate checked."""
    home, port = proxy
    connection = HTTPConnection("127.0.0.1", port, timeout=20)
    trusting = ssl.create_default_context(cafile=home / "inspector.crt")
    plain = socket.create_connection(("127.0.0.1", port), 20)
    connection.sock = trusting.wrap_socket(plain, server_hostname=NAME)
    connection.request("GET", path, headers={"Host": f"{host}:{port}", **headers})
    response = connection.getresponse()
    body = response.read()
    connection.close()
    return response.status, response.headers, body


def session(proxy, origin, headers):
    """Open the app's websocket through the proxy, and leave again."""
    home, port = proxy
    connect(
        f"wss://{NAME}:{port}/inspector/_stcore/stream",
        sock=socket.create_connection(("127.0.0.1", port), 20),
        ssl=ssl.create_default_context(cafile=home / "inspector.crt"),
        origin=origin,
        additional_headers=headers,
        proxy=None,
        legacy=True,
    ).close()


def test_nobody_gets_in_without_a_login(proxy):
    """Neither a page nor a session."""
    assert answer(proxy, "/inspector/", {})[0] == 401
    with pytest.raises(InvalidStatus) as refused:
        session(proxy, f"https://{NAME}:{proxy[1]}", {})
    assert refused.value.response.status_code == 401


def test_who_is_let_in_gets_the_app_with_its_headers(proxy):
    """Page, health and session below the prefix; the app's headers arrive once, and the proxy's own beside them."""
    assert answer(proxy, "/inspector/_stcore/health", LOGIN)[2] == b"ok"
    status, headers, body = answer(proxy, "/inspector/decisions", LOGIN)
    assert (status, b"<title>" in body) == (200, True)
    (policy,) = headers.get_all("Content-Security-Policy")
    assert policy.startswith("default-src 'none'; ")
    assert headers["Strict-Transport-Security"] == "max-age=31536000"
    session(proxy, f"https://{NAME}:{proxy[1]}", LOGIN)


def test_the_cookie_of_the_upload_token_is_for_tls_only(proxy):
    """`proxy_cookie_flags` adds what the app cannot know."""
    cookie = answer(proxy, "/inspector/_stcore/health", LOGIN)[1]["Set-Cookie"].lower()
    assert cookie.startswith("_streamlit_xsrf=")
    assert "; secure" in cookie
    assert "samesite=lax" in cookie


def test_a_foreign_origin_or_host_gets_nothing_through_the_proxy(proxy):
    """The app's own checks hold behind it."""
    with pytest.raises(InvalidStatus) as refused:
        session(proxy, "https://elsewhere.example", LOGIN)
    assert refused.value.response.status_code == 403
    assert answer(proxy, "/inspector/", LOGIN, host="elsewhere.example")[0] == 400


def test_the_root_leads_to_the_prefix(proxy):
    """`/` redirects."""
    status, headers, _ = answer(proxy, "/", LOGIN)
    assert (status, headers["Location"].endswith("/inspector/")) == (302, True)
