"""What a figure was measured on."""

from __future__ import annotations

import os
import platform
import shutil
from importlib.metadata import version
from pathlib import Path

PARTS = ("streamlit", "orjson", "msgspec", "rapidfuzz", "plotly")


def facts() -> list[str]:
    """Lines that say what this machine is and how busy it is: a ratio holds elsewhere, a time only here."""
    model = _field("/proc/cpuinfo", "model name") or platform.processor() or "unknown processor"
    memory = int((_field("/proc/meminfo", "MemTotal") or "0 kB").split()[0]) / 1024**2
    load = ", ".join(f"{one:.1f}" for one in os.getloadavg())
    return [
        f"machine: {model}, {os.cpu_count()} cores, {memory:.0f} GB, {platform.system()} {platform.release()}",
        f"python {platform.python_version()}, " + ", ".join(f"{part} {version(part)}" for part in PARTS),
        f"load average before: {load} (a busy machine makes times longer; ratios are taken in one run)",
    ]


def chromium() -> str | None:
    """The browser to measure and test with: `CHROME`, else Chromium or Chrome on the path; None where there is none."""
    return os.environ.get("CHROME") or next(
        filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
    )


def resident(process: int) -> float:
    """Megabytes (1e6 bytes) of a process that are in memory."""
    return int((_field(f"/proc/{process}/status", "VmRSS") or "0 kB").split()[0]) * 1024 / 1e6


def processor_seconds(process: int) -> float:
    """Seconds that a process has spent on processors: unlike a clock, little changed by what else the machine does."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _field(path: str, name: str) -> str | None:
    file = Path(path)
    if not file.exists():
        return None
    lines = file.read_text(encoding="utf-8").splitlines()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith(name)), None)
