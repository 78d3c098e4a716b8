"""Every benchmark, one after the other, with the facts of the machine: `python -m benchmarks [NAME ...]` (`make bench`).

Each file of this folder that can be run alone is one benchmark; its own `--help` names its options. A benchmark that
fails is said and does not stop the next; figures are never a reason to fail.
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

from benchmarks.machine import facts

HERE = Path(__file__).resolve().parent


def names() -> list[str]:
    """The benchmarks of this folder."""
    files = sorted(HERE.glob("*.py"))
    return [file.stem for file in files if file.stem != "__main__" and '__name__ == "__main__"' in file.read_text()]


def main(wanted: list[str]) -> int:
    """Run them; the exit status is 1 where one could not be run."""
    unknown = set(wanted) - set(names())
    if unknown:
        print(f"no such benchmark: {', '.join(sorted(unknown))}; there are {', '.join(names())}", file=sys.stderr)
        return 2
    print("\n".join(facts()))
    failed = []
    for name in wanted or names():
        print(f"\n## {name} (python -m benchmarks.{name})\n", flush=True)
        start = time.monotonic()
        done = subprocess.run([sys.executable, "-m", f"benchmarks.{name}"], cwd=HERE.parent, check=False)  # noqa: S603  # our own files
        print(f"\n({time.monotonic() - start:.0f} s)", flush=True)
        if done.returncode:
            failed.append(name)
            print(f"{name} could not be run: exit status {done.returncode}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
