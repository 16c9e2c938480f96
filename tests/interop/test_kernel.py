"""The released notebook in a real kernel, top to bottom, with and without the course around it."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import nbformat
import pytest
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

ROOT = Path(__file__).resolve().parents[2]
LESSON = "lesson03"
FILLS = ("physical_bytes / interval_s", "(4e12, 10e9, 1.5, 600)", "(600.0, 1e10)")
INSTALL = "找不到 lessons：请下载整个课程文件夹，在里面打开。"
# A kernel that knows the libraries but no installed course.
ALONE = """
import sys
from pathlib import Path
sys.path[:] = [one for one in sys.path if not one or not (Path(one) / "lessons").is_dir()]
from ipykernel.kernelapp import IPKernelApp
IPKernelApp.launch_instance()
"""


@pytest.fixture
def notebook() -> Any:
    path = ROOT / "lessons" / LESSON / f"{LESSON}.ipynb"
    return nbformat.read(path, as_version=4)


@pytest.fixture
def kernels(tmp_path: Path) -> KernelSpecManager:
    spec = {
        "argv": [sys.executable, "-P", "-c", ALONE, "-f", "{connection_file}"],
        "display_name": "Python without the course",
        "language": "python",
        "env": {"PYTHONPATH": "", "IPYTHONDIR": str(tmp_path / "ipython")},
    }
    folder = tmp_path / "kernels" / "alone"
    folder.mkdir(parents=True)
    (folder / "kernel.json").write_text(json.dumps(spec), encoding="utf-8")
    return KernelSpecManager(kernel_dirs=[str(folder.parent)])


def execute(notebook: Any, folder: Path, kernels: KernelSpecManager) -> None:
    manager = AsyncKernelManager(kernel_name="alone", kernel_spec_manager=kernels)
    client = NotebookClient(
        notebook, km=manager, timeout=120, resources={"metadata": {"path": str(folder)}}
    )
    client.execute()


def test_filled_it_runs_from_the_learners_folder_without_an_error(
    notebook: Any, kernels: KernelSpecManager, tmp_path: Path
) -> None:
    # `course lab` puts the learner's copy here: the first cell finds the course above it.
    work = tmp_path / "course" / "work" / LESSON
    work.mkdir(parents=True)
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "lessons", tmp_path / "course" / "lessons", ignore=ignored)
    cells = {cell.id: cell for cell in notebook.cells}
    for name, count in (("checkpoint_io", 1), ("my_boundary_case", 2)):
        for text in FILLS[1 if count == 2 else 0 :][:count]:
            cells[name].source = cells[name].source.replace("______", text, 1)

    execute(notebook, work, kernels)

    outputs = [out for cell in notebook.cells for out in cell.get("outputs", ())]
    assert [
        out for out in outputs if out.output_type == "error" or out.get("name") == "stderr"
    ] == []
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))
    views = [view for out in outputs for view in out.get("data", ())]
    assert "application/vnd.jupyter.widget-view+json" in views


def test_in_an_empty_folder_one_sentence_says_how_to_get_the_course(
    notebook: Any, kernels: KernelSpecManager, tmp_path: Path
) -> None:
    folder = tmp_path / "downloads"
    folder.mkdir()
    with pytest.raises(CellExecutionError) as raised:
        execute(notebook, folder, kernels)
    assert (raised.value.ename, raised.value.evalue) == ("ModuleNotFoundError", INSTALL)
    assert "site-packages" not in str(raised.value)  # the cell's own lines, no library's
