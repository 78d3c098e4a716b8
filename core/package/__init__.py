"""The native package: open it, check it, write it. The format is described in `docs/package-format.md`."""

from .convert import investigation_to_package
from .verify import check, open_package
from .writer import PackageWriter

__all__ = ["PackageWriter", "check", "investigation_to_package", "open_package"]
