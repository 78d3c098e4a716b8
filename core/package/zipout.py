"""Packing a finished folder as a zip: members stored, so that a record is one `pread`; same files, same bytes."""

from __future__ import annotations

import os
import shutil
import zipfile
from typing import TYPE_CHECKING

from ..limits import MIB
from .names import FILES

if TYPE_CHECKING:
    from pathlib import Path

_EPOCH = (1980, 1, 1, 0, 0, 0)
"""The first time that a zip can name: what varies between two runs must not stand in the file."""


def write_zip(folder: Path, target: Path) -> None:
    """Pack the package's files of `folder` as `target`. Raises OSError, FileExistsError if the name is taken."""
    draft = folder / "package.zip.draft"
    with draft.open("wb") as file:
        with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
            for name in FILES:
                _add(archive, folder / name)
        file.flush()
        os.fsync(file.fileno())
    try:
        os.link(draft, target)  # unlike a rename this never replaces a file that somebody else put there
    except FileExistsError:
        raise
    except OSError:  # a file system without hard links; the caller has looked whether the name is free
        draft.rename(target)


def _add(archive: zipfile.ZipFile, path: Path) -> None:
    info = zipfile.ZipInfo(path.name, _EPOCH)
    info.create_system = 3
    info.external_attr = 0o100644 << 16
    info.file_size = path.stat().st_size
    with path.open("rb") as source, archive.open(info, "w") as member:
        shutil.copyfileobj(source, member, MIB)
