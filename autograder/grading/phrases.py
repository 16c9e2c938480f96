"""The sentences that reading a submission can tell its learner, in the lesson's language."""

from __future__ import annotations

from collections.abc import Mapping

_ZH: Mapping[str, str] = {
    # intake
    "too-large": "{name} 超过 {cap_mb} MB，没有读取；请清除输出（或嵌入的图片）后重新提交。",
    "link": "{name} 是符号链接，没有读取；请提交文件本身。",
    "not-a-file": "{name} 不是普通文件（是文件夹、管道或设备），没有读取；请提交 .ipynb 文件本身。",
    "unsafe-path": "压缩包里的路径 {name} 指向了别处，没有读取；请重新打包后提交。",
    "encrypted": "压缩包里的 {name} 加了密码，读不了；请提交不加密的文件。",
    "compression": "压缩包里的 {name} 用了不支持的压缩方式；请用普通的 zip（deflate）重新打包。",
    "damaged": "{name} 读取时出错，文件可能已损坏；请重新提交。",
    "duplicate-student": "有几个文件都是 {student} 的（{names}），不知道该批改哪一个；"
    "请只提交一个。",
    "several-notebooks": "文件夹里有几个 notebook（{names}），没有一个叫 {lesson}.ipynb；"
    "请只提交 {lesson}.ipynb。",
    # bytes -> notebook
    "empty-file": "文件是空的；请在 JupyterLab 里保存后重新提交。",
    "pdf": "这是一个 PDF 文件，不是 notebook；请提交 .ipynb 文件本身。",
    "other-file": "这是一个{kind}文件，不是 notebook；请提交 .ipynb 文件本身。",
    "utf16": "文件是 {encoding} 编码的，notebook 必须是 UTF-8；请用 JupyterLab 重新保存后提交。",
    "not-utf8": "文件不是 UTF-8 编码（第 {position} 个字节读不了）；"
    "请用 JupyterLab 重新保存后提交。",
    "conflict": "第 {line} 行有 Git 的合并冲突标记（<<<<<<< 或 >>>>>>>）；请解决冲突后重新提交。",
    "truncated": "文件在第 {line} 行就中断了，不完整；请重新保存后提交。",
    "not-json": "文件第 {line} 行第 {column} 个字符起不是有效的 notebook（JSON）内容；"
    "请用 JupyterLab 重新保存后提交。",
    "too-deep": "文件的内容嵌套得太深，不是正常的 notebook；请用 JupyterLab 重新保存后提交。",
    "not-notebook": "文件里没有单元格，不是 Jupyter notebook；请提交 .ipynb 文件本身。",
    "future-format": "文件的 nbformat 版本是 {version}，只能读 1 到 4；"
    "请用 JupyterLab 另存后提交。",
    "bad-cell": "第 {number} 个单元格的内容已损坏（{what}）；请用 JupyterLab 重新保存后提交。",
    "too-many-cells": "notebook 有 {count} 个单元格，超过上限 {cap} 个；请删去多余的单元格后提交。",
    # exercises
    "fullwidth": "第 {line} 行第 {column} 个字符 “{char}” 是全角字符，请换成半角 “{half}”。",
    "foreign-char": "第 {line} 行第 {column} 个字符 “{char}”（{code}）不能用在代码里，"
    "请换成 “{half}”。",
    "bad-char": "第 {line} 行第 {column} 个字符 “{char}”（{code}）不能用在代码里，请删去。",
    "invisible-char": "第 {line} 行第 {column} 个字符是看不见的字符（{code}），请删去或换成空格。",
    "string-open": "第 {line} 行第 {column} 个字符开始的字符串没有结束，请补上引号。",
    "bracket-open": "第 {line} 行第 {column} 个字符 “{char}” 没有配对的右括号。",
    "bracket-extra": "第 {line} 行第 {column} 个字符 “{char}” 没有配对的左括号。",
    "bracket-wrong": "第 {line} 行第 {column} 个字符 “{char}” 和前面的括号不配对。",
    "colon": "第 {line} 行第 {column} 个字符处缺少冒号 “:”。",
    "tabs": "第 {line} 行第 {column} 个字符处的缩进混用了制表符和空格，请统一用空格。",
    "indent": "第 {line} 行第 {column} 个字符处的缩进不对，请和上下行对齐。",
    "null": "第 {line} 行第 {column} 个字符是空字节（NUL），请删去。",
    "nested": "代码嵌套得太深，无法解析（从第 {line} 行第 {column} 个字符起）；请拆成几步来写。",
    "too-long": "单元格有 {chars} 个字符，超过上限 {cap} 个，没有解析；请删去多余的内容。",
    "syntax": "第 {line} 行第 {column} 个字符附近有语法错误。",
    "not-attempted": "{exercise} 的空（______）还没有填写。",
    "partly-attempted": "{exercise} 有 {total} 个空（______），还有没填写的。",
    "not-found": "在 {exercise} 的单元格里找不到填空处的语句；请只替换空（______），"
    "其余代码保持原样。",
    "not-compiled": "填入 {exercise} 的代码放回原题后不能编译（{message}）；请检查填入的内容。",
    # cells
    "missing-cell": "提交的 notebook 里没有 {exercise} 的单元格，它可能被删除了。",
    "missing-answer": "提交的 notebook 里没有 {exercise} 的回答单元格，它可能被删除了。",
    "untouched-answer": "{exercise} 没有作答。",
}

_EN: Mapping[str, str] = {
    "too-large": "{name} is larger than {cap_mb} MB and was not read; clear its outputs (or "
    "embedded pictures) and submit it again.",
    "link": "{name} is a symbolic link and was not read; submit the file itself.",
    "not-a-file": "{name} is not a regular file (a folder, pipe or device) and was not read; "
    "submit the .ipynb file itself.",
    "unsafe-path": "The path {name} in the archive points elsewhere and was not read; pack it "
    "again and resubmit.",
    "encrypted": "{name} in the archive is encrypted; submit it without a password.",
    "compression": "{name} in the archive uses an unsupported compression; pack it as a plain "
    "zip (deflate).",
    "damaged": "Reading {name} failed, it may be damaged; submit it again.",
    "duplicate-student": "Several files belong to {student} ({names}), so none was graded; "
    "submit one only.",
    "several-notebooks": "The folder holds several notebooks ({names}) and none is called "
    "{lesson}.ipynb; submit {lesson}.ipynb only.",
    "empty-file": "The file is empty; save it in JupyterLab and submit it again.",
    "pdf": "This is a PDF file, not a notebook; submit the .ipynb file itself.",
    "other-file": "This is a file of another kind ({kind}), not a notebook; submit the .ipynb "
    "file itself.",
    "utf16": "The file is encoded as {encoding}, a notebook must be UTF-8; save it again in "
    "JupyterLab and resubmit.",
    "not-utf8": "The file is not UTF-8 (byte {position} cannot be read); save it again in "
    "JupyterLab and resubmit.",
    "conflict": "Line {line} holds a Git merge conflict marker (<<<<<<< or >>>>>>>); resolve the "
    "conflict and submit again.",
    "truncated": "The file breaks off in line {line}; save it again and resubmit.",
    "not-json": "From line {line}, character {column} on the file is not a valid notebook "
    "(JSON); save it again in JupyterLab and resubmit.",
    "too-deep": "The file is nested too deeply to be a notebook; save it again in JupyterLab and "
    "resubmit.",
    "not-notebook": "The file holds no cells and is no Jupyter notebook; submit the .ipynb file "
    "itself.",
    "future-format": "The file's nbformat version is {version}, only 1 to 4 can be read; save it "
    "again in JupyterLab.",
    "bad-cell": "Cell {number} is damaged ({what}); save it again in JupyterLab and resubmit.",
    "too-many-cells": "The notebook has {count} cells, more than {cap}; delete what is not "
    "needed and submit again.",
    "fullwidth": "Line {line}, character {column}: “{char}” is a full-width character; replace "
    "it by “{half}”.",
    "foreign-char": "Line {line}, character {column}: “{char}” ({code}) cannot be used in code; "
    "replace it by “{half}”.",
    "bad-char": "Line {line}, character {column}: “{char}” ({code}) cannot be used in code; "
    "delete it.",
    "invisible-char": "Line {line}, character {column} is an invisible character ({code}); "
    "delete it or type a space.",
    "string-open": "The string that starts at line {line}, character {column} has no end; add "
    "the quote.",
    "bracket-open": "Line {line}, character {column}: “{char}” is never closed.",
    "bracket-extra": "Line {line}, character {column}: “{char}” has no opening bracket.",
    "bracket-wrong": "Line {line}, character {column}: “{char}” does not match the opening "
    "bracket.",
    "colon": "Line {line}, character {column}: a colon “:” is missing.",
    "tabs": "Line {line}, character {column}: the indentation mixes tabs and spaces; use spaces.",
    "indent": "Line {line}, character {column}: the indentation is wrong; align it with the "
    "lines around it.",
    "null": "Line {line}, character {column} is a null byte; delete it.",
    "nested": "The code is nested too deeply to be read (from line {line}, character {column} "
    "on); write it in several steps.",
    "too-long": "The cell has {chars} characters, more than {cap}, and was not read; delete what "
    "is not needed.",
    "syntax": "There is a syntax error near line {line}, character {column}.",
    "not-attempted": "The blank (______) of {exercise} is not filled in yet.",
    "partly-attempted": "{exercise} has {total} blanks (______) and not all are filled in.",
    "not-found": "The statement with the blank cannot be found in the cell of {exercise}; "
    "replace the blank (______) only and leave the rest as it was.",
    "not-compiled": "What was filled into {exercise} does not compile in its place ({message}); "
    "check it.",
    "missing-cell": "The notebook has no cell for {exercise}; it may have been deleted.",
    "missing-answer": "The notebook has no answer cell for {exercise}; it may have been deleted.",
    "untouched-answer": "{exercise} was not answered.",
}


def say(lang: str, key: str, **values: object) -> str:
    """Return the sentence `key` in the lesson's language (Chinese for zh*, else English)."""
    table = _ZH if lang.lower().startswith("zh") else _EN
    return table[key].format(**values)


def quoted(name: str) -> str:
    """Return a file's name fit for a sentence: no control characters, at most 120 characters."""
    clean = "".join(c if c.isprintable() else "�" for c in name)
    return clean if len(clean) <= 120 else clean[:117] + "..."  # noqa: PLR2004  # one line
