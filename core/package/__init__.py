"""The native package: open it, check it, write it. The format is described in `docs/package-format.md`."""

from .writer import PackageWriter, runs

__all__ = ["PackageWriter", "runs"]
