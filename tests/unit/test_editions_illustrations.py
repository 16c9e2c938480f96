"""Which pictures go along with a lesson, and what of them."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from autograder.editions.build import build
from autograder.editions.imagedata import public_image
from autograder.errors import CourseError
from autograder.project import Project

NOTE = "canary-note-91"


def picture(kind: str) -> bytes:
    """A picture of 3 by 2 pixels with a note in every place the format has."""
    image, file = Image.new("RGB", (3, 2), (200, 30, 40)), io.BytesIO()
    exif = Image.Exif()
    exif[0x010E] = NOTE
    if kind == "png":
        info = PngInfo()
        info.add_text("Comment", NOTE)
        info.add_itxt("XML:com.adobe.xmp", NOTE)
        image.save(file, "PNG", pnginfo=info, exif=exif)
    elif kind == "jpg":
        image.save(file, "JPEG", exif=exif, comment=NOTE)
    else:
        image.save(file, "WEBP", lossless=True, exif=exif, xmp=NOTE.encode())
    return file.getvalue()


SVG = (
    f"<svg xmlns='http://www.w3.org/2000/svg'><!-- {NOTE} --><metadata>{NOTE}</metadata>"
    f"<text>甲</text></svg>\n{NOTE}"
)


@pytest.mark.parametrize("kind", ["png", "jpg", "webp"])
def test_notes_stay_and_pixels_go(kind: str) -> None:
    whole = picture(kind)
    assert NOTE.encode() in whole
    public = public_image(whole + NOTE.encode(), f".{kind}")
    assert NOTE.encode() not in public
    before, after = Image.open(io.BytesIO(whole)), Image.open(io.BytesIO(public))
    assert after.size == (3, 2)
    assert before.convert("RGB").tobytes() == after.convert("RGB").tobytes()
    assert public_image(public, f".{kind}") == public


def test_an_svg_loses_comments_and_metadata() -> None:
    public = public_image(SVG.encode(), ".svg").decode()
    assert public == "<svg xmlns='http://www.w3.org/2000/svg'><text>甲</text></svg>"


@pytest.mark.parametrize(
    ("data", "suffix"),
    [
        (b"", ".png"),
        (b"GIF89a", ".png"),
        (b"\x89PNG\r\n\x1a\n", ".png"),
        (picture("png")[:40], ".png"),
        (b"\xff\xd8\xff\xe0", ".jpg"),
        (picture("jpg")[:-2], ".jpeg"),
        (b"RIFF\x00\x00\x00\x00WEBX", ".webp"),
        (picture("webp")[:30], ".webp"),
        (b"<html>", ".svg"),
        (b"\xff\xfe", ".svg"),
        (b"<svg><script>1</script></svg>", ".svg"),
        (b"<svg onload='x()'></svg>", ".svg"),
    ],
)
def test_what_is_no_picture_is_refused(data: bytes, suffix: str) -> None:
    with pytest.raises(ValueError, match=r"^(is no|holds)"):
        public_image(data, suffix)


LESSON = """\
---
title: t
---

![图](shown.png){#fig-a} 和 <img src="img/also.svg"> 与 ![远](https://example.org/far.png)

`![](span.png)` <!-- ![](comment.png) --> ![][later]

[later]: later.jpg

```{=html}
<img alt="r" src='raw.webp'>
```

```markdown
![](fence.png)
```

![](notes.pdf) ![](missing.png) ![](../x/../x/up.png)

::: {.answer}
![](answer.png) ![](shown.png)
:::
"""


@pytest.fixture
def project(tmp_path: Path) -> Project:
    folder = tmp_path / "solutions" / "x"
    (folder / "img").mkdir(parents=True)
    (folder / "x.qmd").write_text(LESSON, encoding="utf-8")
    for name in ("shown", "span", "comment", "fence", "answer", "up", "beside"):
        (folder / f"{name}.png").write_bytes(picture("png"))
    (folder / "later.jpg").write_bytes(picture("jpg"))
    (folder / "raw.webp").write_bytes(picture("webp"))
    (folder / "img" / "also.svg").write_text(SVG, encoding="utf-8")
    (folder / "notes.pdf").write_bytes(b"%PDF")
    return Project(root=tmp_path)


def test_pictures_that_the_public_text_shows_go_along(project: Project) -> None:
    built = build(project, "x")
    lessons = project.lesson_modules / "x"
    assert {path.relative_to(lessons).as_posix() for path in lessons.rglob("*.*")} == {
        "x.ipynb", "x.qmd", "shown.png", "later.jpg", "raw.webp", "img/also.svg",
    }  # fmt: skip
    assert [warning.partition(": ")[0] for warning in built.warnings] == ["solutions/x/x.qmd:19"]
    assert "'notes.pdf'" in built.warnings[0]
    assert all(NOTE.encode() not in path.read_bytes() for path in lessons.rglob("*.*"))
    assert build(project, "x").changed == ()
    (lessons / "shown.png").write_bytes(b"other")
    assert build(project, "x", check=True).changed == (lessons / "shown.png",)


def test_a_picture_that_is_none_stops_the_build(project: Project) -> None:
    (project.source("x").parent / "shown.png").write_text("def answer(): ...", encoding="utf-8")
    with pytest.raises(CourseError, match=r"^solutions/x/x\.qmd:5: 'shown\.png' is no PNG file"):
        build(project, "x")
    assert not project.lesson_modules.exists()


def test_a_link_out_of_the_lesson_stops_the_build(project: Project, tmp_path: Path) -> None:
    outside = tmp_path / "outside.png"
    outside.write_bytes(picture("png"))
    shown = project.source("x").parent / "shown.png"
    shown.unlink()
    shown.symlink_to(outside)
    with pytest.raises(CourseError, match="leads out of the lesson"):
        build(project, "x")
