"""The words that the editions add, in the lesson's language."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class Words:
    """What an edition says by itself. `derived` and `install` hold a `{source}` or nothing."""

    callouts: Mapping[str, str]
    figure: str
    table: str
    listing: str
    equation: str
    colon: str
    video: str
    diagram: str
    no_picture: str
    reference: str
    prepare: str
    install: str
    derived: str


_ZH = Words(
    callouts={
        "note": "注意",
        "tip": "提示",
        "important": "重要",
        "warning": "警告",
        "caution": "小心",
    },
    figure="图",
    table="表",
    listing="代码",
    equation="式",
    colon="：",
    video="视频",
    diagram="示意图",
    no_picture="（此图未能画出）",
    reference="参考答案",
    prepare="准备：找到本课用到的 lessons 文件夹。请先运行这一格。",
    install="找不到 lessons：请下载整个课程文件夹，在里面打开。",
    derived="由 {source} 生成，请勿手改；改源文件后运行 course build。",
)
_EN = Words(
    callouts={
        "note": "Note",
        "tip": "Tip",
        "important": "Important",
        "warning": "Warning",
        "caution": "Caution",
    },
    figure="Figure",
    table="Table",
    listing="Listing",
    equation="Equation",
    colon=": ",
    video="Video",
    diagram="Diagram",
    no_picture="(this diagram could not be drawn)",
    reference="Reference answer",
    prepare="Preparation: find the lessons folder that this notebook uses. Run this cell first.",
    install="No lessons folder: open this inside the whole course folder.",
    derived="Generated from {source}: do not edit by hand; edit the source and run course build.",
)


def words_for(lang: str) -> Words:
    """Chinese for `zh` and its variants, English for every other language."""
    return _ZH if lang.lower().split("-")[0] == "zh" else _EN
