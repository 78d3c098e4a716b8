"""Investigation Inspector as a library: record a run, open it, and assert what a prompt carried.

Installed, the checkout is the package `investigation_inspector`; in the checkout itself the same code is `core`. The
names are looked up on first use, so that a test runner that merely imports this file does not load `core` twice.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .core.package import PackageWriter, open_package
    from .core.received import assert_received

__all__ = ["PackageWriter", "assert_received", "open_package"]

_HOMES = {"PackageWriter": ".core.package", "open_package": ".core.package", "assert_received": ".core.received"}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name], __name__), name)
