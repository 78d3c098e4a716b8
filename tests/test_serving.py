"""The server as strangers meet it: hosts, origins, XSRF, headers, and an archive folder that no parameter leaves."""

from __future__ import annotations

import asyncio
import gc
import io
import json
import os
import shutil
import tempfile
import tomllib
import urllib.error
import urllib.request
import zipfile
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from pathlib import Path

import pytest
from websockets.exceptions import InvalidStatus

from benchmarks.served import served
from benchmarks.visitor import Visitor
from core.errors import InspectorError
from pages.parts import holding, serving, uploads
from pages.parts.catalogue import Arguments, offered

ROOT = Path(__file__).resolve().parents[1]
SAMPLE = ROOT / "sample_archives" / "video_start_retained"
SETTINGS = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text())
OUTSIDE = "TITLE OF A PACKAGE OUTSIDE"
PRIVATE = "TITLE THAT ONE VISITOR MAY SEE"
INSIDE = "TITLE OF THE PACKAGE INSIDE"


def package(path, title):
    """A copy of a sample under another title."""
    shutil.copytree(SAMPLE, path)
    manifest = json.loads((path / "manifest.json").read_text())
    (path / "manifest.json").write_text(json.dumps(manifest | {"title": title}))
    return path


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder with `archive/` in it, and beside that what nobody may see."""
    home = tmp_path_factory.mktemp("place")
    package(home / "outside", OUTSIDE)
    (home / "secret.json").write_text(json.dumps({"secret": OUTSIDE}))
    archive = home / "archive"
    archive.mkdir()
    package(archive / "inside", INSIDE)
    (archive / "link").symlink_to(home / "outside")
    (archive / "linkdir").symlink_to(home)
    (archive / "secret.json").symlink_to(home / "secret.json")
    package(archive / "borrowed", "a package whose decisions are a link")
    (archive / "borrowed" / "decisions.jsonl").unlink()
    (archive / "borrowed" / "decisions.jsonl").symlink_to(home / "outside" / "decisions.jsonl")
    return home


@pytest.fixture(scope="module")
def address(place, tmp_path_factory):
    with served(tmp_path_factory.mktemp("log") / "log", "--archive-dir", place / "archive") as (found, _):
        yield found


@pytest.fixture
def mine(place):
    """A zipped package with a title that only its owner may see."""
    package(place / "mine", PRIVATE)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as container:
        for file in sorted((place / "mine").iterdir()):
            container.writestr(file.name, file.read_bytes())
    shutil.rmtree(place / "mine")
    return packed.getvalue()


def answer(url, *, method="GET", data=None, **headers):
    """Status, headers and body of one request."""
    sent = urllib.request.Request(  # noqa: S310  # our own server on this machine
        url, method=method, data=data, headers={name.replace("_", "-"): text for name, text in headers.items()}
    )
    try:
        with urllib.request.urlopen(sent, timeout=20) as response:  # noqa: S310
            return response.status, response.headers, response.read()
    except urllib.error.HTTPError as error:
        return error.code, error.headers, error.read()


def test_the_settings_keep_the_server_on_this_machine():
    """Loopback, allowed hosts, XSRF and origin checks on, no usage statistics, errors without tracebacks."""
    server = SETTINGS["server"]
    assert server["address"] == "127.0.0.1"
    assert server["allowedHosts"] == ["localhost", "127.0.0.1"]
    assert server["enableXsrfProtection"] is True
    assert server["enableCORS"] is True
    assert server["maxUploadSize"] == 200
    assert SETTINGS["browser"]["gatherUsageStats"] is False
    assert SETTINGS["client"]["showErrorDetails"] == "none"


@pytest.mark.parametrize("path", ["/", "/decisions", "/_stcore/health", "/_stcore/host-config", "/static/nothing.js"])
def test_a_foreign_host_is_refused(address, path):
    """DNS rebinding: a name that the server was not told is its own gets no page, no file and no answer of the API."""
    status, _, body = answer(address + path, Host="rebound.example")
    assert (status, body) == (400, b"Invalid host header")


def test_a_foreign_host_gets_no_session(address):
    """The websocket is refused too."""
    with pytest.raises(InvalidStatus) as refused:
        Visitor(address, headers={"Host": "rebound.example"})
    assert refused.value.response.status_code in (400, 403)


def test_the_names_of_this_machine_are_answered(address):
    """`localhost` with any port is one of the allowed hosts."""
    assert answer(address + "/_stcore/health", Host="localhost:9999")[0] == 200


def test_a_foreign_origin_gets_no_session(address):
    """A page of another site cannot open a session in the visitor's name."""
    with pytest.raises(InvalidStatus) as refused:
        Visitor(address, origin="http://elsewhere.example")
    assert refused.value.response.status_code == 403


def test_a_foreign_origin_may_not_read_an_answer(address):
    """No answer carries a permission for another site's scripts."""
    for path in ("/", "/_stcore/host-config", "/_stcore/health"):
        _, headers, _ = answer(address + path, Origin="http://elsewhere.example")
        assert headers.get("Access-Control-Allow-Origin") in (None, address)


def test_an_upload_without_its_token_is_refused(address):
    """XSRF protection: neither storing nor deleting an upload works without the visitor's own token."""
    with Visitor(address) as visitor:
        visitor.open()
        upload = f"{address}/_stcore/upload_file/{visitor.session}/file"
        for method in ("PUT", "DELETE"):
            status, _, _ = answer(
                upload, method=method, data=b"x", Cookie="_streamlit_xsrf=forged", X_Xsrftoken="other"
            )
            assert status == 403, method
        assert answer(upload)[1]["Content-Type"] == "text/html; charset=utf-8"  # the page: no upload can be read back


@pytest.mark.parametrize("path", ["/", "/decisions", "/static/nothing.js", "/_stcore/health", "/media/nothing"])
def test_every_answer_carries_the_headers(address, path):
    """Pages, files, the health answer and errors: no frame, no sniffing, and no source but this server."""
    _, headers, _ = answer(address + path)
    policy = dict(part.split(" ", 1) for part in headers["Content-Security-Policy"].split("; "))
    assert policy["default-src"] == "'none'"
    assert policy["connect-src"] == "'self'"
    assert policy["img-src"] == "'self' data: blob:"
    assert policy["frame-ancestors"] == "'none'"
    assert "unsafe-inline" not in policy["script-src"]
    assert "unsafe-eval" not in policy["script-src"]
    assert not any("http" in sources or "*" in sources for sources in policy.values())
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "same-origin"
    assert headers["Cross-Origin-Opener-Policy"] == "same-origin"
    assert headers["Cross-Origin-Resource-Policy"] == "same-origin"


def test_the_archive_offers_what_lies_in_it(address):
    """The package of the archive folder opens under its plain name."""
    with Visitor(address) as visitor:
        visitor.open("overview", "package=inside")
        assert INSIDE in visitor.text()
        assert visitor.errors == []


ESCAPES = [
    "package=..",
    "package=../outside",
    "package=..%2Foutside",
    "package=..%252Foutside",
    "package=%2e%2e%2foutside",
    "package=..%5Coutside",
    "package=inside/../../outside",
    "package=inside%00outside",
    "package=%00",
    "package={outside}",
    "package=file://{outside}",
    "package=link",
    "package=linkdir",
    "package=linkdir-outside",
    "package=linkdir/outside",
    "package=secret.json",
    "package=outside",
    "package=inside&package=../outside",
    "package=inside&fragment=../../outside&decision=../1",
    "archive_dir={outside}&package=outside",
    "package=" + "A" * 5000,
    "package=%F0%9F%92%A9",
    "package=inside%0d%0aX-Injected:%201",
]


@pytest.mark.parametrize("query", ESCAPES)
def test_no_parameter_leaves_the_archive_folder(address, place, query):
    """Parents, absolute paths, links that lead out, NUL, encodings: a page is shown, and nothing from outside on it."""
    with Visitor(address) as visitor:
        for page in ("overview", "decisions"):
            visitor.open(page, query.format(outside=place / "outside"))
            assert OUTSIDE not in visitor.text()
            assert visitor.errors == []
            assert visitor.elements


@pytest.mark.parametrize("path", ["/../outside", "/%2e%2e/outside", "/..%2foutside", "/media/../outside", "//outside/"])
def test_no_path_leads_to_a_file(address, path):
    """Paths of the address are no paths of the machine."""
    _, _, body = answer(address + path + "/manifest.json")
    assert OUTSIDE.encode() not in body


def test_a_package_whose_files_are_links_is_refused(address):
    """A package in the archive cannot borrow another's decisions: it is a message, and the sidebar still works."""
    with Visitor(address) as visitor:
        visitor.open("overview", "package=borrowed")
        said = visitor.text()
        assert "This package cannot be opened." in said
        assert "decisions.jsonl" in said
        assert visitor.errors == []


def test_links_out_of_the_archive_are_not_listed(place):
    """Only the two packages that lie in the folder are offered."""
    names = [
        entry.name for entry in offered(Arguments(archive_dir=str(place / "archive"))) if entry.origin == "archive"
    ]
    assert names == ["borrowed", "inside"]


def test_a_listed_package_that_became_a_link_is_refused(tmp_path):
    """Between the listing and the opening a folder was exchanged for a link that leads out."""
    archive, outside = tmp_path / "archive", package(tmp_path / "outside", OUTSIDE)
    archive.mkdir()
    inside = package(archive / "inside", INSIDE)
    (entry,) = [each for each in offered(Arguments(archive_dir=str(archive))) if each.origin == "archive"]
    shutil.rmtree(inside)
    inside.symlink_to(outside)
    with pytest.raises(InspectorError, match="no longer lies in the archive folder"):
        holding.hold(entry, 1)


def test_many_first_visitors_at_once(tmp_path):
    """A fresh server that several people ask for an inner page at once gives every one of them that page."""
    with served(tmp_path / "log") as (address, _), ThreadPoolExecutor(10) as pool:

        def visit(number):
            with Visitor(address) as visitor:
                visitor.open("decisions", f"decision={number % 3 + 1}")
                return (
                    visitor.errors,
                    f"decision={number % 3 + 1}" in visitor.query,
                    len(list(visitor.of_kind("slider"))),
                )

        assert list(pool.map(visit, range(10))) == [([], True, 1)] * 10


def test_a_path_prefix_moves_everything(tmp_path):
    """`server.baseUrlPath`: pages, health and session answer below it, and nothing above it gives a session."""
    with served(tmp_path / "log", flags=["--server.baseUrlPath=inspector"], base="inspector") as (address, _):
        assert answer(address + "/_stcore/health")[2] == b"ok"
        with Visitor(address, origin=address.removesuffix("/inspector")) as visitor:
            visitor.open("overview")
            assert visitor.query.startswith("package=video_start_overwritten")
        with pytest.raises(InvalidStatus):
            Visitor(address.removesuffix("/inspector"))


def uploaded(visitor, content):
    """Open the app and upload `content` as `mine.zip`; the address it then has."""
    visitor.open("overview")
    (uploader,) = visitor.of_kind("file_uploader")
    visitor.upload(uploader.id, "mine.zip", content)
    return visitor.query


def test_an_upload_is_seen_by_its_own_session_only(address, mine):
    """Another session gets a message for the same address, whatever it guesses, and finds no trace of the file."""
    with Visitor(address) as owner, Visitor(address) as other:
        query = uploaded(owner, mine)
        assert PRIVATE in owner.text()
        name = dict(part.split("=") for part in query.split("&"))["package"]
        for guess in (query, f"package={name}", "package=mine.zip", "package=mine", "package=upload-"):
            for page in ("overview", "decisions"):
                other.open(page, guess)
                assert PRIVATE not in other.text()
                assert "mine.zip" not in other.text()
        other.open("overview", query)
        assert "uploads belong to the session that made them" in other.text()
        owner.open("decisions", query)
        assert PRIVATE in owner.text()


def test_the_same_upload_in_two_sessions_is_two_uploads(address, mine):
    """Two visitors with the same file: what one does with it does not touch the other's."""
    with Visitor(address) as one, Visitor(address) as other:
        query = uploaded(one, mine)
        assert uploaded(other, mine) == query
        other.close()
        one.open("decisions", query)
        assert PRIVATE in one.text()


def test_nobody_can_take_an_upload_away(address, mine):
    """Streamlit lets any visitor clear the caches of all: an upload does not live in one."""
    with Visitor(address) as owner, Visitor(address) as other:
        query = uploaded(owner, mine)
        other.open("overview")
        other.clear_cache()
        other.open("overview")
        owner.open("overview", query)
        assert PRIVATE in owner.text()


def test_an_upload_of_no_package_is_a_message(address):
    """Refused with the reason; the page and the package in hand stay."""
    with Visitor(address) as visitor:
        uploaded(visitor, b"not a package")
        assert "no reader knows this file" in visitor.text()
        assert visitor.query.startswith("package=video_start_overwritten")
        assert visitor.errors == []


def test_an_upload_over_the_limit_is_refused_by_the_server(tmp_path):
    """413 from its announced length, before any of it is taken in (`server.maxUploadSize`, here 1 MB)."""
    with served(tmp_path / "log", flags=["--server.maxUploadSize=1"]) as (address, _), Visitor(address) as visitor:
        visitor.open("overview")
        cookie = answer(address + "/_stcore/health")[1]["Set-Cookie"].partition(";")[0]
        connection = HTTPConnection(address.removeprefix("http://"), timeout=20)
        connection.putrequest("PUT", f"/_stcore/upload_file/{visitor.session}/file")
        connection.putheader("Cookie", cookie)
        connection.putheader("X-Xsrftoken", cookie.partition("=")[2])
        connection.putheader("Content-Type", "multipart/form-data; boundary=edge")
        connection.putheader("Content-Length", str(1024 * 1024 + 1))
        connection.endheaders()
        assert connection.getresponse().status == 413
        connection.close()


def test_the_folder_of_uploads_goes_with_its_session(monkeypatch, tmp_path):
    """It is private to this user, and removed once nothing of the session is left."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    folder = uploads._Folder()
    (folder.path / "file").touch()
    assert folder.path.stat().st_mode & 0o777 == 0o700
    del folder
    assert list(tmp_path.iterdir()) == []


def test_no_upload_outlives_the_server(tmp_path, mine):
    """A server that is told to end while visitors are there removes their uploads."""
    home = tmp_path / "temporary"
    home.mkdir()
    with served(tmp_path / "log", env={**os.environ, "TMPDIR": str(home)}) as (address, process):
        visitor = Visitor(address)
        uploaded(visitor, mine)
        assert [path.name for path in home.glob("investigation-inspector-*/*/*")] == ["mine.zip"]
        process.terminate()
        process.wait(20)
        assert list(home.glob("investigation-inspector-*")) == []
    visitor.close()


def test_ended_sessions_are_let_go_of(monkeypatch):
    """A cycle of objects, as Streamlit's sessions are, is collected by the server without waiting for a full heap."""
    monkeypatch.setattr(serving, "TIDY_SECONDS", 0.01)
    collected = []

    class Session:
        def __del__(self):
            collected.append(True)

    async def live():
        async with serving.lifespan(None):
            session = Session()
            session.itself = session
            del session
            for _ in range(200):
                await asyncio.sleep(0.01)
                if collected:
                    return

    gc.disable()
    try:
        with ThreadPoolExecutor(1) as apart:  # a browser test before it may have left a running loop in this thread
            apart.submit(asyncio.run, live()).result()
    finally:
        gc.enable()
        gc.unfreeze()
    assert collected == [True]
