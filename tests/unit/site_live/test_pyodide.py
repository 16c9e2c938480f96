"""Pyodide as one script: packed the same each time, and refused when it is not the pinned one."""

from __future__ import annotations

import base64
import gzip
import io
import json
import tarfile
from pathlib import Path

import pytest

from autograder.errors import MissingOnMachine
from autograder.site.live.pyodide import VERSION, bundled, load_pyodide

FILES = {
    "pyodide.mjs": b"loader",
    "pyodide.asm.mjs": b"machine",
    "pyodide.asm.wasm": bytes(range(256)) * 40,
    "python_stdlib.zip": b"PK",
    "pyodide-lock.json": json.dumps(
        {"info": {"python": "3.14.2"}, "packages": {"numpy": {"file_name": "numpy.whl"}}}
    ).encode(),
    "README.md": b"not needed",
}


def package(files: dict[str, bytes]) -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w:gz") as archive:
        for name, data in files.items():
            member = tarfile.TarInfo(f"package/{name}")
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return made.getvalue()


def unpacked(script: bytes) -> dict[str, bytes]:
    text = script.decode().removeprefix("window.coursePyodide = ").removesuffix(";\n")
    content = json.loads(text)
    assert content["version"] == VERSION
    return {
        name: gzip.decompress(base64.b64decode(data)) for name, data in content["files"].items()
    }


def test_holds_what_is_needed_to_the_byte() -> None:
    pyodide = bundled(package(FILES))
    found = unpacked(pyodide.script)
    assert found.keys() == FILES.keys() - {"README.md"}
    assert found["pyodide.asm.wasm"] == FILES["pyodide.asm.wasm"]
    assert json.loads(found["pyodide-lock.json"]) == {"info": {"python": "3.14.2"}, "packages": {}}
    assert pyodide.python == "3.14"


def test_twice_the_same_bytes_and_no_time_in_them() -> None:
    made = package(FILES)
    assert bundled(made).script == bundled(made).script
    content = json.loads(bundled(made).script.decode()[len("window.coursePyodide = ") : -2])
    for data in content["files"].values():
        assert base64.b64decode(data)[4:8] == b"\0\0\0\0"  # gzip's time of the file


def test_a_package_without_a_file_is_refused() -> None:
    left = {name: data for name, data in FILES.items() if name != "python_stdlib.zip"}
    with pytest.raises(MissingOnMachine, match=r"has no file python_stdlib\.zip"):
        bundled(package(left))


def test_another_package_than_the_pinned_one_is_refused(tmp_path: Path) -> None:
    (tmp_path / f"pyodide-{VERSION}.tgz").write_bytes(package(FILES))
    with pytest.raises(MissingOnMachine, match="not the package"):
        load_pyodide(tmp_path)


def test_without_npm_it_says_what_lacks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MissingOnMachine, match="npm is not on PATH") as caught:
        load_pyodide(tmp_path / "cache")
    assert caught.value.exit_code == 3


@pytest.mark.parametrize(
    ("npm", "said"),
    [
        ("echo E404 >&2; echo more >&2; exit 1", "failed: E404"),
        ("exit 7", "failed: exit 7"),
        ("exit 0", "failed: exit 0"),
    ],
)
def test_npm_that_brings_nothing_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, npm: str, said: str
) -> None:
    tool = tmp_path / "bin" / "npm"
    tool.parent.mkdir()
    tool.write_text(f"#!/bin/sh\n{npm}\n")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", str(tool.parent))
    cache = tmp_path / "cache"
    with pytest.raises(MissingOnMachine, match=said):
        load_pyodide(cache)
    assert list(cache.iterdir()) == []
