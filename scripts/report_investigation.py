"""Write a report of a package or recording: structural (no content) or full (with texts, secrets masked).

python scripts/report_investigation.py PATH [--kind structural|full] [--format html|json] [--out FILE] [--mask ...] [--list]
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # run as a file, only this folder is on the path

from core.commands.report import report_command  # needs the line above

if __name__ == "__main__":
    report_command()
