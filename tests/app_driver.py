"""Driving the app under `AppTest`: run it at an address, and read what its components were given."""

import json
import struct
import sys
from pathlib import Path

from streamlit.testing.v1 import AppTest

APP = Path(__file__).parents[1] / "app.py"
SAMPLES_FOLDER = APP.parent / "sample_archives"
SAMPLES = sorted(path.name for path in SAMPLES_FOLDER.iterdir() if path.is_dir())


def start(monkeypatch, *arguments, page=None, **query):
    """The app after its first run, opened with these arguments, on this page, at this address."""
    monkeypatch.setattr(sys, "argv", [str(APP), *map(str, arguments)])
    app = AppTest.from_file(str(APP), default_timeout=60)
    for name, value in query.items():
        app.query_params[name] = value
    app.run()
    if page is not None:
        app.switch_page(f"pages/{page}.py").run()
    return app


def visit(monkeypatch, page, *arguments, **query):
    """The app after a first run that was asked for this page at this address, as by a pasted link."""
    monkeypatch.setattr(sys, "argv", [str(APP), *map(str, arguments)])
    app = AppTest.from_file(str(APP), default_timeout=60)
    for name, value in query.items():
        app.query_params[name] = value
    return app.switch_page(f"pages/{page}.py").run()


def panels(app):
    """Key → data of every panel and component that carries JSON."""
    found = {}
    for component in app.get("bidi_component"):
        text = component.proto.json or component.proto.mixed.json
        if text:
            found[component.proto.id] = json.loads(text)
    return found


def texts(node):
    """All texts in a tree, in order."""
    if isinstance(node, str):
        yield node
    elif isinstance(node, dict):
        for value in node.values():
            yield from texts(value)
    elif isinstance(node, list):
        for value in node:
            yield from texts(value)


def shown(app):
    """Everything that panels say, as one text."""
    return "\n".join(text for data in panels(app).values() for text in texts(data))


def payloads(app):
    """The bytes of every prompt that the viewer's feeds were given: in a feed each stands behind its length."""
    found = []
    for component in app.get("bidi_component"):
        left = component.proto.bytes
        while left:
            size = struct.unpack_from("<I", left)[0]
            found.append(left[4 : 4 + size])
            left = left[4 + size :]
    return found
