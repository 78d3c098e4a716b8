"""Measure the stored contexts of packages in each encoding of the working view.

python scripts/measure_investigation_context.py PACKAGE... [--target-version VERSION]... [--json]
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # run as a file, only this folder is on the path

from core.commands.measure import measure_command  # needs the line above

if __name__ == "__main__":
    measure_command()
