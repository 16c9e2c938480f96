"""A lesson's diagrams: mermaid source in, a picture that looks the same everywhere out.

What mermaid laid out is finished here: every label becomes SVG text, ids become the picture's own.
Commands take their pictures from `drawn`, which keeps them.
"""

from __future__ import annotations

import copy
import hashlib
import math
import re
import xml.etree.ElementTree as ET

import novasvg

from autograder.editions import fonts, labels
from autograder.editions.labels import SVG
from autograder.editions.mermaid import GROUP, INK, PAPER, RENDER_ID, lay_out
from autograder.editions.picture import Picture
from autograder.errors import CourseError

# Notebooks show a picture at its size in pixels: at twice the size 16 px text would fill the page.
PNG_SCALE = 1

_MARGIN_PX = 8.0
_ON_LINES = frozenset({"messageText", "loopText", "sectionTitle"})
_REFERENCE = re.compile(r"#([A-Za-z_][\w.-]*)")

ET.register_namespace("", "http://www.w3.org/2000/svg")
ET.register_namespace("xlink", "http://www.w3.org/1999/xlink")


def render(source: str, *, alt: str, caption: str | None = None) -> Picture:
    """Render a mermaid diagram; the same arguments always give the same bytes.

    Raises:
        CourseError: mermaid refuses the source, or the font lacks one of its characters.
        MissingOnMachine: mermaidx or the font is not installed.
    """
    root = ET.fromstring(lay_out(source))  # noqa: S314  # written by mermaid in our own process
    _refuse_missing_glyphs(root)
    _raise_group_titles(root)
    _draw_labels(root)
    _halo(root)
    _drop_moving_parts(root)
    width, height = _frame(root)
    _describe(root, alt, caption)
    name = "diagram-" + hashlib.sha256(repr((source, alt, caption)).encode()).hexdigest()[:12]
    _rename_ids(root, name)
    bare = ET.tostring(root, encoding="unicode")
    return Picture(
        name=name,
        bare_svg=bare,
        text="".join(_texts(root)),
        png=_rasterize(bare),
        alt=alt,
        caption=caption,
        width_px=width,
        height_px=height,
    )


def _texts(root: ET.Element) -> list[str]:
    drawn = [*root.iter(f"{SVG}text"), *root.iter(f"{SVG}foreignObject")]
    return [text for element in drawn for text in element.itertext()]


def _refuse_missing_glyphs(root: ET.Element) -> None:
    lacking = fonts.missing("".join(_texts(root)))
    if lacking:
        named = ", ".join(f"{char} (U+{ord(char):04X})" for char in lacking)
        raise CourseError(
            f"The diagram uses {named}, which {fonts.FAMILY} cannot draw; use a word instead."
        )


def _draw_labels(root: ET.Element) -> None:
    """Put SVG text in the place of every HTML label: no viewer may lay it out anew."""
    for parent in list(root.iter()):
        for position, child in enumerate(list(parent)):
            if child.tag == f"{SVG}foreignObject":
                parent[position] = _drawn(child)


def _drawn(foreign: ET.Element) -> ET.Element:
    html = "".join(ET.tostring(child, encoding="unicode", method="html") for child in foreign)
    label = labels.read(re.sub(r"(</?)html:", r"\1", html))
    group = ET.Element(f"{SVG}g")
    if not any(label.paragraphs):
        return group
    width, height = _size(foreign)
    # The measurer made the height from the size, so the size comes back out of it.
    guess = height / (labels.LINE_HEIGHT * max(1, len(label.lines(16.0))))
    size = guess if 8 <= guess <= 40 else 16.0  # noqa: PLR2004  # sizes a label can have
    if "labelBkg" in html:
        group.append(_backing(PAPER, x=-4.0, width=width + 8, height=height))
    group.append(labels.text_element(label, size_px=size, center_x=width / 2, color=INK))
    return group


def _size(element: ET.Element) -> tuple[float, float]:
    return float(element.get("width", "0")), float(element.get("height", "0"))


def _backing(fill: str, *, x: float, width: float, height: float) -> ET.Element:
    style = f"fill: {fill}; stroke: none; opacity: 1"
    box = {"x": f"{x:g}", "y": "0", "width": f"{width:g}", "height": f"{height:g}"}
    return ET.Element(f"{SVG}rect", {**box, "style": style})


def _classes(element: ET.Element) -> list[str]:
    return element.get("class", "").split()


def _has_class(element: ET.Element, name: str) -> bool:
    return name in _classes(element)


def _raise_group_titles(root: ET.Element) -> None:
    """Draw the groups' titles above the arrows that would otherwise run through them."""
    for level in [one for one in root.iter() if _has_class(one, "root")]:
        for clusters in [one for one in level if _has_class(one, "clusters")]:
            for cluster in list(clusters):
                for title in [one for one in cluster if _has_class(one, "cluster-label")]:
                    cluster.remove(title)
                    _back(title)
                    level.append(title)


def _back(title: ET.Element) -> None:
    for foreign in title.findall(f"{SVG}foreignObject"):
        width, height = _size(foreign)
        title.insert(0, _backing(GROUP, x=-4.0, width=width + 8, height=height))


def _halo(root: ET.Element) -> None:
    """Keep the lifelines of a sequence diagram out of the text that stands on them."""
    style = f"fill: {PAPER}; stroke: {PAPER}; stroke-width: 6px; stroke-linejoin: round"
    for parent in list(root.iter()):
        for text in [one for one in parent if not _ON_LINES.isdisjoint(_classes(one))]:
            halo = copy.deepcopy(text)
            halo.set("aria-hidden", "true")
            for part in halo.iter():
                # An empty declaration would end the style for novasvg.
                part.set("style", f"{part.get('style', '').rstrip('; ')}; {style}".lstrip("; "))
            parent.insert(list(parent).index(text), halo)


def _drop_moving_parts(root: ET.Element) -> None:
    """Remove what depends on the day (a gantt chart's today) or serves only scripts."""
    for parent in list(root.iter()):
        for child in list(parent):
            if _has_class(child, "today"):
                parent.remove(child)
        parent.attrib.pop("data-points", None)


def _frame(root: ET.Element) -> tuple[int, int]:
    """Give the picture a margin, an opaque ground and a size; return the size in px."""
    left, top, width, height = map(float, root.get("viewBox", "0 0 0 0").split())
    left, top = math.floor(left - _MARGIN_PX), math.floor(top - _MARGIN_PX)
    width, height = math.ceil(width + 2 * _MARGIN_PX + 1), math.ceil(height + 2 * _MARGIN_PX + 1)
    root.set("viewBox", f"{left} {top} {width} {height}")
    root.set("width", str(width))
    root.set("height", str(height))
    # A page may space out its letters; that would take them out of their boxes.
    inherited = "letter-spacing: normal; word-spacing: normal; text-transform: none"
    root.set("style", f"max-width: 100%; height: auto; {inherited}; background-color: {PAPER}")
    box = {"x": str(left), "y": str(top), "width": str(width), "height": str(height)}
    style = f"fill: {PAPER}; stroke: none; filter: none"
    root.insert(0, ET.Element(f"{SVG}rect", {**box, "style": style}))
    return width, height


def _describe(root: ET.Element, alt: str, caption: str | None) -> None:
    for tag in ("title", "desc"):
        for child in root.findall(f"{SVG}{tag}"):
            root.remove(child)
    for name in [name for name in root.attrib if name.startswith("aria-")]:
        del root.attrib[name]
    root.set("role", "img")
    said = [("title", alt), *([("desc", caption)] if caption else [])]
    for position, (tag, text) in enumerate(said):
        element = ET.Element(f"{SVG}{tag}", {"id": f"{RENDER_ID}-{tag}"})
        element.text = text
        root.insert(position, element)
    root.set("aria-labelledby", f"{RENDER_ID}-title")
    if caption:
        root.set("aria-describedby", f"{RENDER_ID}-desc")


def _rename_ids(root: ET.Element, name: str) -> None:
    """Begin every id with the picture's name, wherever it is set or referred to."""
    old = {identity for one in root.iter() if (identity := one.get("id")) is not None}
    new = {
        one: name + one.removeprefix(RENDER_ID) if one.startswith(RENDER_ID) else f"{name}-{one}"
        for one in old
    }

    def renamed(match: re.Match[str]) -> str:
        return "#" + new.get(match[1], match[1])

    for element in root.iter():
        for key, value in element.attrib.items():
            if key == "id" or key.startswith("aria-"):
                element.set(key, new.get(value, value))
            elif "#" in value:
                element.set(key, _REFERENCE.sub(renamed, value))
        if element.tag == f"{SVG}style" and element.text:
            element.text = _REFERENCE.sub(renamed, element.text)


def _rasterize(svg: str) -> bytes:
    fonts.register()
    document = novasvg.Document.load_from_data(svg)
    size = (round(document.width * PNG_SCALE), round(document.height * PNG_SCALE))
    bitmap = document.render_to_bitmap(*size, novasvg.Color.from_hash(PAPER).to_int())
    return bytes(bitmap.to_bytes("png"))
