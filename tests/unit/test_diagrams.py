"""Diagrams: Chinese fits its boxes, the bytes are the same everywhere, faults are sentences."""

from __future__ import annotations

import base64
import io
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest
from fontTools.ttLib import TTFont
from PIL import Image, ImageFont

from autograder.editions import fonts, labels, mermaid
from autograder.editions.diagrams import Picture, render
from autograder.editions.kept import AFRESH
from autograder.errors import CourseError

SVG = "{http://www.w3.org/2000/svg}"

TIERS = """flowchart TB
  subgraph node["单机之内：快而易失"]
    hbm["第 1 层　GPU 显存 HBM<br/>3.35 TB/s"]
    dram["主机内存 DRAM（约 200 GB/s）"]
    nvme["本地 NVMe（6.6–53 GB/s）<br/>节点坏了就没了"]
  end
  pfs["并行文件系统，全体节点共用，扛得住丢一个节点，扛不住丢一个可用区，也扛不住误删"]
  obj["对象存储"]
  hbm -->|"D2H 拷贝，PCIe 5.0 ×16"| dram
  dram -->|"异步落盘"| nvme
  nvme -->|"上传"| pfs
  pfs -.->|"归档"| obj
"""
SEQUENCE = """sequenceDiagram
  participant T as 训练进程（rank 0，占着全部显存）
  participant S as 对象存储
  Note right of S: 清单最后写，条件 PUT 保证原子提交
  T->>S: 上传分片（multipart，64 MB）
  alt 提交成功
    S-->>T: 可以删旧检查点
  else 失败
    S-->>T: 保留上一个
  end
"""
GANTT = """gantt
  title 一个周期
  dateFormat YYYY-MM-DD
  section 训练计算与前向反向传播全过程
    前向与反向 :a, 2020-01-01, 20000d
  section 后台
    上传到对象存储 :b, after a, 12d
"""


@pytest.fixture(scope="module", autouse=True)
def drawn_here() -> Iterator[None]:
    """No font comes from an earlier run; the other process of a test inherits this."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(AFRESH, "1")
        yield


@pytest.fixture(scope="module")
def tiers() -> Picture:
    return render(TIERS, alt="五层存储 <自上而下> & 更慢", caption="图 1")


@pytest.fixture(scope="module")
def sequence() -> Picture:
    return render(SEQUENCE, alt="提交的次序")


@pytest.fixture(scope="module")
def gantt() -> Picture:
    return render(GANTT, alt="一个周期")


def drawn_px(text: str, size: int = 16) -> float:
    # Pillow measures with FreeType: it shares no code with what laid the diagram out.
    return ImageFont.truetype(str(fonts.font_file()), size).getlength(text)


def parsed(svg: str) -> ET.Element:
    return ET.fromstring(svg)  # noqa: S314  # what this test rendered


def having(root: ET.Element, name: str) -> list[ET.Element]:
    return [one for one in root.iter() if name in one.get("class", "").split()]


def rows(element: ET.Element) -> list[str]:
    return ["".join(row.itertext()) for row in element.findall(f".//{SVG}text/{SVG}tspan")]


def width(element: ET.Element) -> float:
    return float(element.get("width", "nan"))


def test_every_label_of_a_flowchart_fits_its_box(tiers: Picture) -> None:
    nodes = having(parsed(tiers.svg), "node")
    assert len(nodes) == 5
    for node in nodes:
        (box,) = having(node, "label-container")
        lines = rows(node)
        assert lines
        assert max(map(drawn_px, lines)) + 16 <= width(box), lines
        assert len(lines) * 24 <= float(box.get("height", "nan"))


def test_line_breaks_are_the_authors_and_an_ideographic_space_stays(tiers: Picture) -> None:
    drawn = [rows(node) for node in having(parsed(tiers.svg), "node")]
    assert ["第 1 层　GPU 显存 HBM", "3.35 TB/s"] in drawn
    assert ["本地 NVMe（6.6–53 GB/s）", "节点坏了就没了"] in drawn


def test_a_long_label_is_broken_and_loses_nothing(tiers: Picture) -> None:
    (long,) = [rows(one) for one in having(parsed(tiers.svg), "node") if "pfs" in one.get("id", "")]
    assert len(long) > 1
    whole = "并行文件系统，全体节点共用，扛得住丢一个节点，扛不住丢一个可用区，也扛不住误删"
    assert "".join(long) == whole
    assert not any(row.startswith("，") for row in long)


def test_edge_labels_and_group_titles_fit_their_ground(tiers: Picture) -> None:
    root = parsed(tiers.svg)
    checked = 0
    for group in [*having(root, "edgeLabel"), *having(root, "cluster-label")]:
        for box in group.iter(f"{SVG}rect"):
            assert max(map(drawn_px, rows(group))) <= width(box)
            checked += 1
    assert checked == 5  # four arrows, one group


def test_participants_and_notes_fit_their_boxes(sequence: Picture) -> None:
    root = parsed(sequence.svg)
    parents = {child: parent for parent in root.iter() for child in parent}
    boxes = [*having(root, "actor-top"), *having(root, "note")]
    assert len(boxes) == 3
    for box in boxes:
        text = "".join(parents[box].find(f"{SVG}text").itertext())  # type: ignore[union-attr]
        assert drawn_px(text) <= width(box), text


def test_a_gantt_chart_leaves_room_for_its_sections(gantt: Picture) -> None:
    root = parsed(gantt.svg)
    titles = having(root, "sectionTitle")
    first_bar = min(float(bar.get("x", "nan")) for bar in having(root, "task"))
    for title in titles:
        left = float(title.get("x", "nan"))
        assert left + drawn_px("".join(title.itertext()), 14) <= first_bar


def test_a_gantt_chart_does_not_show_the_day_it_was_built(gantt: Picture) -> None:
    # Its 20,000 days, from 2020 on, hold today.
    assert not having(parsed(gantt.svg), "today")


@pytest.mark.parametrize("name", ["tiers", "sequence", "gantt"])
def test_nothing_is_cut_off_at_the_sides(name: str, request: pytest.FixtureRequest) -> None:
    picture: Picture = request.getfixturevalue(name)
    image = Image.open(io.BytesIO(picture.png)).convert("RGB")
    assert image.size == (picture.width_px, picture.height_px)
    last = image.width - 1
    for box in [(0, 0, 6, image.height), (last - 6, 0, last, image.height), (0, 0, last, 6)]:
        assert image.crop(box).getextrema() == ((255, 255),) * 3


@pytest.mark.parametrize("name", ["tiers", "sequence", "gantt"])
def test_the_embedded_font_has_every_glyph(name: str, request: pytest.FixtureRequest) -> None:
    picture: Picture = request.getfixturevalue(name)
    assert "foreignObject" not in picture.svg
    data = re.search(r"base64,([\w+/=]+)", picture.svg)
    assert data is not None
    root = parsed(picture.svg)
    text = {char for one in root.iter(f"{SVG}text") for char in "".join(one.itertext())}
    with TTFont(io.BytesIO(base64.b64decode(data[1]))) as font:
        assert {ord(char) for char in text if char.strip()} <= set(font.getBestCmap())


def test_the_picture_says_what_it_shows(tiers: Picture) -> None:
    root = parsed(tiers.svg)
    title = root.find(f"{SVG}title")
    assert root.get("role") == "img"
    assert title is not None
    assert title.text == tiers.alt == "五层存储 <自上而下> & 更慢"
    assert root.get("aria-labelledby") == title.get("id")
    assert root.findtext(f"{SVG}desc") == "图 1"


def test_ids_are_the_pictures_own_and_every_reference_finds_one(
    tiers: Picture, sequence: Picture
) -> None:
    ids = []
    for picture in (tiers, sequence):
        own = [one.get("id") for one in parsed(picture.svg).iter() if one.get("id")]
        assert len(own) == len(set(own))
        assert set(re.findall(r'"url\(#([^)]+)\)', picture.svg)) <= set(own)
        ids += own
    assert len(ids) == len(set(ids))


def test_another_process_without_any_font_of_the_machine_gives_the_same_bytes(
    tiers: Picture, tmp_path: Path
) -> None:
    empty = tmp_path / "fonts.conf"
    empty.write_text("<fontconfig></fontconfig>", encoding="utf-8")
    script = (
        "import sys; from hashlib import sha256; from autograder.editions.diagrams import render;"
        "p = render(sys.argv[1], alt=sys.argv[2], caption=sys.argv[3]);"
        "print(sha256(p.svg.encode()).hexdigest(), sha256(p.png).hexdigest())"
    )
    again = subprocess.run(
        [sys.executable, "-c", script, TIERS, tiers.alt, tiers.caption or ""],
        env={
            **os.environ,
            "FONTCONFIG_FILE": str(empty),
            "PYTHONHASHSEED": "7",
            "TZ": "Asia/Tokyo",
        },
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    assert again == [sha256(tiers.svg.encode()).hexdigest(), sha256(tiers.png).hexdigest()]


def test_a_fault_is_one_sentence_with_what_mermaid_said() -> None:
    with pytest.raises(CourseError) as caught:
        render("sequenceDiagram\n  甲->>乙: 好\n  乙=>>甲 坏\n", alt="坏")
    assert "Parse error on line 3" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_an_unclosed_box_is_at_the_end_not_on_a_line_that_is_not_there() -> None:
    with pytest.raises(CourseError, match="Parse error at its end"):
        render("flowchart TB\n  A[开始 --> B\n", alt="坏")


def test_a_sign_the_font_lacks_is_named() -> None:
    with pytest.raises(CourseError, match=r"U\+1F680"):
        render("flowchart TB\n  A[🚀 起飞]\n", alt="起飞")


def test_a_diagram_that_takes_too_long_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mermaid, "TIME_LIMIT_S", 0.05)
    with pytest.raises(CourseError, match="did not render within"):
        render("flowchart TB\n  A --> 太慢\n", alt="慢")


def test_a_huge_source_is_refused_before_it_is_laid_out() -> None:
    with pytest.raises(CourseError, match="split it"):
        render("flowchart TB\n" + "  A --> B\n" * 3000, alt="大")


def test_a_diagrams_own_settings_do_not_change_font_or_theme() -> None:
    init = '%%{init: {"theme": "dark", "fontFamily": "Comic Sans MS"}}%%\n'
    svg = render(init + "flowchart TB\n  A[开始的地方]\n", alt="主题").svg
    assert "Comic" not in svg
    assert "#e8f1fb" in svg  # our own light box


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("一二三四五，六", ["一二三四", "五，六"]),
        ("一二三四，五", ["一二三", "四，五"]),  # no comma at the head of a line
        ("一二三（四）", ["一二三", "（四）"]),  # no bracket left alone at the end
        ("写入 manifest", ["写入", "manifest"]),  # a word stays whole, even if it is too wide
        ("一二三四五", ["一二三", "四五"]),  # balanced: not four and a lonely one
    ],
)
def test_lines_break_as_chinese_is_set(text: str, expected: list[str]) -> None:
    # 64 px hold four characters of 16 px.
    label = labels.read(f'<div style="max-width: 64px"><p>{text}</p></div>')
    assert [labels.text_of(line) for line in label.lines(16.0)] == expected
