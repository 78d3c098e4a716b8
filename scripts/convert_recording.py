"""Write any recording as a package that shows the same.

python scripts/convert_recording.py IN OUT [--part N]
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # run as a file, only this folder is on the path

from core.commands.convert import convert_command  # needs the line above

if __name__ == "__main__":
    convert_command()
