"""The native package: open it, check it, write it. The format is described in `docs/package-format.md`."""

from .convert import investigation_to_package
from .unzip import member_names
from .verify import check, open_package
from .writer import PackageWriter

__all__ = ["PackageWriter", "check", "investigation_to_package", "member_names", "open_package"]
