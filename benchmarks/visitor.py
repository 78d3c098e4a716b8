"""One visitor of the app without a browser: speaks Streamlit's websocket, and holds what it was sent.

Streamlit's protocol is not documented; this follows what the browser's own side sends in the pinned version. It is for
benchmarks and tests only.
"""

from __future__ import annotations

import time
import urllib.request
from typing import TYPE_CHECKING, Any, Self

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState, WidgetStates
from websockets.sync.client import connect
from websockets.typing import Subprotocol

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from types import TracebackType

PATIENCE = 60.0
"""Seconds to wait for an answer."""
KEPT_RUNS = 2
"""Runs for which a browser keeps a message that it was not sent again (`global.maxCachedMessageAge`)."""


class Visitor:
    """A session of its own. `elements` are what the server sent last for each place of the page."""

    def __init__(self, address: str, *, origin: str | None = None, headers: Mapping[str, str] | None = None) -> None:
        """Connect to `http://host:port[/base]`. Raises `websockets.exceptions.InvalidStatus` where it is refused."""
        self._address = address.rstrip("/")
        stream = address.replace("http", "ws", 1).rstrip("/") + "/_stcore/stream"
        self._socket = connect(
            stream,
            origin=origin or address,  # type: ignore[arg-type]  # a NewType of str
            additional_headers=dict(headers or {}),
            subprotocols=[Subprotocol("streamlit")],
            max_size=None,
            open_timeout=PATIENCE,
            proxy=None,
            compression=None,
            legacy=True,  # kept open beyond a `with` block
        )
        self.elements: dict[tuple[int, ...], Any] = {}
        self._known: dict[str, ForwardMsg] = {}
        self._age: dict[str, int] = {}
        self.fragments: dict[str, str] = {}
        self.session = ""
        self.query = ""
        self.page = ""
        self._page_hash = ""
        self.errors: list[str] = []
        self.bytes = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Leave."""
        self._socket.close()

    def open(self, page: str = "", query: str = "") -> float:
        """Visit a page with a query string; the seconds until its run was over."""
        self.page, self.query, self._page_hash = page, query, ""
        self.elements.clear()
        return self._run(BackMsg(), {})

    def set(self, widget: str, **value: Any) -> float:
        """Change a widget (by its element's id) as a person does, in its fragment if it has one; the seconds it took.

        `value` is one field of `WidgetState`, such as `double_array_value=[3.0]`.
        """
        return self._run(BackMsg(), {widget: value}, self.fragments.get(widget, ""))

    def upload(self, widget: str, name: str, content: bytes) -> float:
        """Put a file into an uploader, as a person does; the seconds until the run that takes it was over."""
        request = BackMsg()
        request.file_urls_request.request_id = name
        request.file_urls_request.file_names.append(name)
        request.file_urls_request.session_id = self.session
        self._socket.send(request.SerializeToString())
        (urls,) = self._until("file_urls_response").file_urls_response.file_urls
        state = WidgetState(id=widget)
        file = state.file_uploader_state_value.uploaded_file_info.add()
        file.name, file.size, file.file_id = name, len(content), urls.file_id
        file.file_urls.CopyFrom(urls)
        start = time.perf_counter()
        self._put(urls.upload_url, name, content)
        message = BackMsg()
        message.rerun_script.widget_states.widgets.append(state)
        self._run(message, {})
        return time.perf_counter() - start

    def _put(self, path: str, name: str, content: bytes) -> None:
        with urllib.request.urlopen(f"{self._address}/_stcore/health") as response:  # noqa: S310  # the tested server
            cookie = response.headers["Set-Cookie"].partition(";")[0]
        body = b"".join(
            (
                b'--edge\r\nContent-Disposition: form-data; name="file"; filename="',
                name.encode(),
                b'"\r\nContent-Type: application/octet-stream\r\n\r\n',
                content,
                b"\r\n--edge--\r\n",
            )
        )
        headers = {
            "Content-Type": "multipart/form-data; boundary=edge",
            "Cookie": cookie,
            "X-Xsrftoken": cookie.partition("=")[2],
        }
        url = self._address + path
        urllib.request.urlopen(urllib.request.Request(url, body, headers, method="PUT")).close()  # noqa: S310  # the tested server

    def clear_cache(self) -> None:
        """Ask the server to forget every cache, as Streamlit lets any visitor do."""
        message = BackMsg(clear_cache=True)
        self._socket.send(message.SerializeToString())

    def _run(self, message: BackMsg, widgets: Mapping[str, Mapping[str, Any]], fragment: str = "") -> float:
        state = message.rerun_script
        state.query_string, state.page_name, state.fragment_id = self.query, self.page, fragment
        state.page_script_hash = self._page_hash  # known after the first run of a page, which is asked for by its name
        if self._page_hash:
            state.page_name = ""
        state.cached_message_hashes.extend(self._known)
        states = WidgetStates()
        states.CopyFrom(state.widget_states)
        for name, value in widgets.items():
            state_of = WidgetState(id=name)
            for field, content in value.items():
                if field == "double_array_value":
                    state_of.double_array_value.data.extend(content)
                else:
                    setattr(state_of, field, content)
            states.widgets.append(state_of)
        state.widget_states.CopyFrom(states)
        start = time.perf_counter()
        self._socket.send(message.SerializeToString())
        self._until_over()
        return time.perf_counter() - start

    def _until_over(self) -> None:
        while self._until("script_finished").script_finished == ForwardMsg.FINISHED_EARLY_FOR_RERUN:
            pass
        self._forget()

    def _until(self, kind: str) -> ForwardMsg:
        """Take what the server sends until a message of this kind; that message."""
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            raw = self._socket.recv(timeout=PATIENCE)
            self.bytes += len(raw)
            sent = ForwardMsg.FromString(raw if isinstance(raw, bytes) else raw.encode())
            message = self._whole(sent)
            self._note(message, tuple(sent.metadata.delta_path))
            if message.WhichOneof("type") == kind:
                return message
        raise TimeoutError(f"no answer in {PATIENCE:g} seconds")

    def _whole(self, sent: ForwardMsg) -> ForwardMsg:
        """The message, or the one that it refers to: what the server sends twice it sends as a hash, as to a browser."""
        if sent.WhichOneof("type") == "ref_hash":
            self._age[sent.ref_hash] = 0
            return self._known[sent.ref_hash]
        if sent.metadata.cacheable and sent.hash:
            self._known[sent.hash], self._age[sent.hash] = sent, 0
        return sent

    def _forget(self) -> None:
        """Let go of what was not used for some runs, as a browser does."""
        for name in tuple(self._known):
            self._age[name] += 1
            if self._age[name] > KEPT_RUNS:
                del self._known[name], self._age[name]

    def _note(self, message: ForwardMsg, place: tuple[int, ...]) -> None:
        kind = message.WhichOneof("type")
        if kind == "delta":
            self._take(message, place)
        elif kind == "new_session":
            self.session = message.new_session.initialize.session_id or self.session
        elif kind == "navigation":
            self._page_hash = message.navigation.page_script_hash
        elif kind == "page_info_changed":
            self.query = message.page_info_changed.query_string
        elif kind == "session_event" and message.session_event.HasField("script_compilation_exception"):
            self.errors.append(message.session_event.script_compilation_exception.message)

    def _take(self, message: ForwardMsg, place: tuple[int, ...]) -> None:
        delta = message.delta
        if delta.WhichOneof("type") != "new_element":
            return
        element = delta.new_element
        kind = element.WhichOneof("type")
        self.elements[place] = element
        inner = getattr(element, str(kind), None)
        if kind == "exception":
            self.errors.append(element.exception.message)
        if delta.fragment_id and getattr(inner, "id", ""):
            self.fragments[inner.id] = delta.fragment_id

    def of_kind(self, kind: str) -> Iterator[Any]:
        """The elements of one kind in the page's order, such as `slider` or `bidi_component`."""
        for _, element in sorted(self.elements.items()):
            if element.WhichOneof("type") == kind:
                yield getattr(element, kind)

    def text(self) -> str:
        """Everything that was sent for the page in sight, printed."""
        return "\n".join(str(element) for _, element in sorted(self.elements.items()))
