"""Say of packages or recordings what was repeated and why, judged from the transmitted text.

python scripts/diagnose_investigation.py PATH... [--json] [--fail-on delivery|repeat]
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # run as a file, only this folder is on the path

from core.commands.diagnose import diagnose_command  # needs the line above

if __name__ == "__main__":
    diagnose_command()
