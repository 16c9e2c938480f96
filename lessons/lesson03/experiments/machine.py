"""What a measurement has to say about the machine it was taken on; no names, no paths."""

from __future__ import annotations

import importlib.util
import os
import platform
import re
import sys
from pathlib import Path

_MEMINFO = Path("/proc/meminfo")
_CPUINFO = Path("/proc/cpuinfo")
_GPU = Path("/proc/driver/nvidia/gpus")


def describe_machine() -> dict[str, str | float]:
    """Return system, processor, cores, memory and the load of the last minute."""
    about: dict[str, str | float] = {
        "system": f"{platform.system()} {_version()}",
        "processor": _processor(),
        "cores": cores(),
        "memory_bytes": memory_bytes() or 0,
        "python": platform.python_version(),
        "virtual": "yes" if "hypervisor" in _read(_CPUINFO) else "unknown",
    }
    if hasattr(os, "getloadavg"):
        about["load_1min"] = round(os.getloadavg()[0], 2)
    return about


def cores() -> int:
    """Return the cores that this process may use."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def memory_bytes() -> int | None:
    """Return the machine's memory, None where the system does not tell."""
    if hasattr(os, "sysconf") and "SC_PHYS_PAGES" in os.sysconf_names:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return None


def available_bytes() -> int | None:
    """Return the memory that can be used without swapping, None where that is not known."""
    for line in _read(_MEMINFO).splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    return memory_bytes()


def has_gds() -> bool:
    """Whether there is an NVIDIA GPU and kvikio, with which a read can go straight to the GPU."""
    return _GPU.is_dir() and importlib.util.find_spec("kvikio") is not None


def _version() -> str:
    """Return the numbers of the kernel's version; what a vendor appends may name a machine."""
    found = re.match(r"\d+(\.\d+){0,2}", platform.release())
    return found[0] if found else ""


def _processor() -> str:
    for line in _read(_CPUINFO).splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except OSError:
        return ""
