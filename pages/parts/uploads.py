"""Behind `state.py`: one session's uploads, in a private temporary folder that goes with the session."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
import weakref
from pathlib import Path
from typing import TYPE_CHECKING, Final

import streamlit as st

from core.errors import PackageError
from core.limits import MAX_UPLOAD_BYTES, MAX_UPLOADS, MIB

from . import catalogue

if TYPE_CHECKING:
    from .catalogue import Entry

_ENTRIES: Final = "ii_uploads"
_FOLDER: Final = "ii_upload_folder"


_LIVE: Final[weakref.WeakSet[_Folder]] = weakref.WeakSet()


class _Folder:
    """One session's own folder: readable by this user only, removed when the session's state, which holds it, is gone.

    No cache of Streamlit's holds it, not even one of the session's own: any visitor may ask the server to clear all.
    """

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="investigation-inspector-"))
        self.remove = weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)
        _LIVE.add(self)


def remove_all() -> None:
    """Remove every session's folder: the server is about to end, by a signal that leaves no time for finalizers."""
    for folder in tuple(_LIVE):
        folder.remove()


def entries() -> tuple[Entry, ...]:
    """What this session has uploaded, in order."""
    return tuple(st.session_state.get(_ENTRIES, {}).values())


def keep(name: str, content: bytes) -> Entry:
    """Store an upload and return its entry. Raises `PackageError` over the limits; the file's name is never a path here."""
    if len(content) > MAX_UPLOAD_BYTES:
        raise PackageError(
            "the upload is too large", expected=f"at most {MAX_UPLOAD_BYTES // MIB} MB", found=f"{len(content):,} bytes"
        )
    known: dict[str, Entry] = st.session_state.setdefault(_ENTRIES, {})
    digest = hashlib.sha256(content).hexdigest()
    if digest in known:
        return known[digest]
    if len(known) >= MAX_UPLOADS:
        raise PackageError(
            "too many uploads in one session", expected=f"at most {MAX_UPLOADS}", found=f"{len(known) + 1}"
        )
    if _FOLDER not in st.session_state:
        st.session_state[_FOLDER] = _Folder()
    folder: Path = st.session_state[_FOLDER].path / digest
    folder.mkdir(mode=0o700, exist_ok=True)
    path = folder / catalogue.stored_name(name)
    path.write_bytes(content)
    same = sum(each.path.name == path.name for each in known.values())
    known[digest] = catalogue.upload(f"{name} ({same + 1})" if same else name, path)
    return known[digest]


def drop(entry: Entry) -> None:
    """Take an upload away again that turned out to be nothing that can be opened."""
    known: dict[str, Entry] = st.session_state.get(_ENTRIES, {})
    known.pop(entry.path.parent.name, None)
    entry.path.unlink(missing_ok=True)
