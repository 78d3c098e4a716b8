"""Rebuild the packages in sample_archives/: same sources, same bytes.

    python scripts/build_sample_archives.py [NAME ...] [--into FOLDER]

To add a sample, write a builder (it gets the path of a package to make) and put it into `BUILDERS`.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))  # run as a file, this script's own folder is the only place Python looks in

from scripts.samples import adjacent_reads, few_sources, overlapping_reads, tight_budget, video_start  # noqa: E402  # needs the line above

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

BUILDERS: Mapping[str, Callable[[Path], None]] = {
    "video_start_overwritten": video_start.build_overwritten,
    "video_start_retained": video_start.build_retained,
    "tight_budget": tight_budget.build,
    "adjacent_reads": adjacent_reads.build,
    "few_sources": few_sources.build,
    "overlapping_reads": overlapping_reads.build,
}


def build(name: str, folder: Path) -> Path:
    """Make one package in `folder`, replacing the one that is there only once the new one is complete."""
    target = folder / name
    with tempfile.TemporaryDirectory(dir=folder, prefix=f".{name}-") as draft:
        made = Path(draft) / name
        BUILDERS[name](made)
        if target.exists():
            shutil.rmtree(target)
        made.rename(target)
    return target


def main() -> None:
    """Build the named samples, or all of them."""
    parser = argparse.ArgumentParser(description="Rebuild the sample archives.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"one of {', '.join(BUILDERS)} (default: all)")
    parser.add_argument("--into", type=Path, default=ROOT / "sample_archives", help="folder to write to")
    arguments = parser.parse_args()
    unknown = [name for name in arguments.names if name not in BUILDERS]
    if unknown:
        parser.error(f"unknown sample {', '.join(unknown)}; known: {', '.join(BUILDERS)}")
    arguments.into.mkdir(parents=True, exist_ok=True)
    for name in arguments.names or BUILDERS:
        target = build(name, arguments.into)
        size = sum(path.stat().st_size for path in target.iterdir())
        print(f"{name}: {size:,} bytes")


if __name__ == "__main__":
    main()
