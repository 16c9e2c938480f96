"""Learners' verb `course submit`: the file to hand in, looked through, with a receipt."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from autograder.commands.inspection import Inspection, inspected
from autograder.commands.learner import student_notebook
from autograder.commands.notebook_file import NoNotebookError, digest, parsed
from autograder.commands.spoken import say, tell
from autograder.errors import CourseError, UsageError
from autograder.grading.intake.listing import MAX_NOTEBOOK_BYTES
from autograder.grading.intake.lms import canvas_name, moodle_name
from autograder.project import find_project
from autograder.wholefile import replace_file

_LONGEST_ID = 80
_FORBIDDEN = re.compile(r'[\x00-\x1f\x7f/\\:*?"<>|]')
_DEVICES = re.compile(r"(?i)(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?")


@dataclass(frozen=True, kw_only=True, slots=True)
class HandIn:
    """A file to hand in.

    Attributes:
        lesson: Slug of the lesson.
        own: The learner's notebook.
        target: Where the file to hand in goes.
        data: Its bytes, those of `own`.
        saved: When `own` was saved.
        written: Now.
        found: What looking it through showed.
        lang: The course's language.
    """

    lesson: str
    own: Path
    target: Path
    data: bytes
    saved: datetime
    written: datetime
    found: Inspection
    lang: str

    @property
    def receipt_file(self) -> Path:
        """Where the receipt goes, beside the file to hand in."""
        return self.target.with_suffix(".receipt.txt")

    def receipt(self) -> str:
        """Return the text of the receipt, one `name: value` a line."""
        rows = (
            ("课程", "lesson", self.lesson),
            ("文件", "file", self.target.name),
            ("来自", "from", self.own.name),
            ("存盘时间", "saved", self.saved.isoformat(timespec="seconds")),
            ("生成时间", "written", self.written.isoformat(timespec="seconds")),
            ("字节数", "bytes", str(len(self.data))),
            ("SHA-256", "sha256", digest(self.data)),
            ("还空着", "empty", ", ".join(self.found.empty) or say("无", "none", self.lang)),
        )
        return "".join(f"{say(zh, en, self.lang)}: {value}\n" for zh, en, value in rows)


def submit_lesson(lesson: str, student: str, file: Path | None) -> int:
    """Write the file to hand in, `ID.ipynb`, and its receipt; say what is still empty.

    Args:
        lesson: Slug of the lesson.
        student: The learner's id, as the class list has it.
        file: The notebook; the learner's own copy under work/ if None.

    Returns:
        0; a notebook with empty parts can be handed in, too.

    Raises:
        UsageError: The id cannot name a file, or the file is no notebook of this lesson.
        CourseError: The file cannot be read or written.
    """
    project = find_project()
    lang = project.lang
    name = file_name(student, lang)
    released = parsed(student_notebook(project, lesson).read_bytes())
    own = file or project.root / "work" / lesson / f"{lesson}.ipynb"
    data, saved = _read(own, lesson, lang)
    try:
        found = inspected(parsed(data), released)
    except NoNotebookError:
        raise UsageError(
            say(
                f"{own}: 不是完好的笔记本，没有交成。"
                "请在 JupyterLab 里打开它再存一次，或换一个文件。",
                f"{own}: no intact notebook, so nothing was written. Save it again in JupyterLab, "
                "or name another file.",
                lang,
            )
        ) from None
    _refuse_wrong(own, lesson, found, lang)
    handin = HandIn(
        lesson=lesson,
        own=own,
        target=project.root / "work" / lesson / "handin" / name,
        data=data,
        saved=saved,
        written=datetime.now().astimezone(),
        found=found,
        lang=lang,
    )
    _write(handin)
    _say(handin, project.root)
    return 0


def file_name(student: str, lang: str) -> str:
    """Return the name that grading takes for this learner's: `ID.ipynb`.

    Raises:
        UsageError: The id cannot name a file everywhere, or would be read as another one.
    """
    name = unicodedata.normalize("NFC", student.strip())
    file = f"{name}.ipynb"
    wrong = (
        not name
        or len(name) > _LONGEST_ID
        or name.startswith(".")
        or name.endswith(".")
        or _FORBIDDEN.search(name)
        or _DEVICES.fullmatch(name)
        or canvas_name(file)
        or moodle_name(file)
        or name == "__MACOSX"
    )
    if wrong:
        raise UsageError(
            say(
                f"--id {student!r} 不能作文件名：请写名单上的学号，如 s001，不含 / : * 等符号。",
                f"--id {student!r} cannot name a file: give your id as the class list has it, "
                "such as s001, without / : * and the like.",
                lang,
            )
        )
    return file


def _read(own: Path, lesson: str, lang: str) -> tuple[bytes, datetime]:
    try:
        data = own.read_bytes()
        saved = datetime.fromtimestamp(own.stat().st_mtime).astimezone()
    except OSError as error:
        raise UsageError(
            say(
                f"{own}: 读不到（{error.strerror}）。先运行 course lab {lesson}，"
                "或用 --file 指出你的笔记本。",
                f"{own}: cannot be read ({error.strerror}). Run course lab {lesson} first, "
                "or name your notebook with --file.",
                lang,
            )
        ) from error
    if len(data) > MAX_NOTEBOOK_BYTES:
        raise UsageError(
            say(
                f"{own}: 超过 {MAX_NOTEBOOK_BYTES >> 20} MB，评分不收。"
                "请清除全部输出（Edit > Clear Outputs of All Cells），存盘再交。",
                f"{own}: larger than the {MAX_NOTEBOOK_BYTES >> 20} MB that grading takes. "
                "Clear all outputs, save, and submit again.",
                lang,
            )
        )
    return data, saved


def _refuse_wrong(own: Path, lesson: str, found: Inspection, lang: str) -> None:
    if found.answers:
        raise UsageError(
            say(
                f"{own}: 这是带参考答案的一份，不是你的作答，没有交成。",
                f"{own}: this is the edition with the answers, not your work; nothing was written.",
                lang,
            )
        )
    if found.lesson not in {None, lesson} or not found.recognised:
        other = found.lesson or "?"
        raise UsageError(
            say(
                f"{own}: 不是 {lesson} 的笔记本（它是 {other}），没有交成。请换成对的文件。",
                f"{own}: no notebook of {lesson} (it is {other}), so nothing was written. "
                "Name the right file.",
                lang,
            )
        )


def _write(handin: HandIn) -> None:
    target = handin.target
    try:
        replace_file(target, handin.data)
        replace_file(handin.receipt_file, handin.receipt().encode("utf-8"))
    except OSError as error:
        raise CourseError(
            say(
                f"{target}: 写不进去（{error.strerror}）。请检查磁盘空间、权限和路径长度。",
                f"{target}: cannot be written ({error.strerror}). Check space, permission and the "
                "length of the path.",
                handin.lang,
            )
        ) from error


def _say(handin: HandIn, root: Path) -> None:
    name, saved, lang = handin.own.name, handin.saved, handin.lang
    minutes = max(0, int((handin.written - saved).total_seconds() // 60))
    tell(
        f"交的是 {name} 在 {saved:%H:%M:%S} 存盘的内容（{minutes} 分钟前）；"
        "浏览器里之后的改动不在其中，要先按 Ctrl+S 再运行一次。",
        f"This is {name} as saved at {saved:%H:%M:%S}, {minutes} min ago; what you changed in "
        "the browser since is not in it: press Ctrl+S and run this again.",
        lang,
    )
    for problem in handin.found.problems:
        tell(*problem, lang)
    shown = handin.target.relative_to(root).as_posix()
    receipt = handin.receipt_file.name
    tell(
        f"要交的文件：{shown}；回执：{receipt}（SHA-256 与时间）。",
        f"Hand in {shown}; its receipt is {receipt} (SHA-256 and time).",
        lang,
    )
