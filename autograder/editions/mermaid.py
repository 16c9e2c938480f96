"""mermaid.js without a browser: a diagram's source in, a laid-out SVG out.

mermaid runs inside QuickJS (mermaidx), in a process of its own that can be stopped. What it would
ask a browser about text is answered with the bundled font: mermaidx itself measures with DejaVu
Sans, which has no Chinese, and clips every Chinese label.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from importlib.util import find_spec

from autograder.editions import fonts, labels
from autograder.errors import CourseError, MissingOnMachine

TIME_LIMIT_S = 60
MAX_SOURCE_CHARS = 20_000  # mermaid draws "too large" instead of the diagram from 50,000 on
RENDER_ID = "my-svg"  # mermaidx names every diagram so
INK = "#1f2933"
PAPER = "#ffffff"
GROUP = "#f6f8fa"

_LINE = "#52606d"
_FILL = "#e8f1fb"
_BORDER = "#3a6ea5"

_SCALE = ("#cfe0f3", "#d5ecd9", "#fdeebf", "#f6d5cf", "#e3dbf2", "#d3eceb") * 2
_SECURE = (
    "secure",
    "securityLevel",
    "startOnLoad",
    "maxTextSize",
    "maxEdges",
    "suppressErrorRendering",
    "deterministicIds",
    "deterministicIDSeed",
    "fontFamily",
    "htmlLabels",
    "theme",
    "themeCSS",
    "themeVariables",
)

_COLORS = {
    "background": PAPER,
    "primaryColor": _FILL,
    "primaryTextColor": INK,
    "primaryBorderColor": _BORDER,
    "secondaryColor": "#e6f4ea",
    "tertiaryColor": GROUP,
    "lineColor": _LINE,
    "textColor": INK,
    "clusterBkg": GROUP,
    "clusterBorder": "#b3bfcc",
    "titleColor": INK,
    "edgeLabelBackground": PAPER,
    "noteBkgColor": "#fff6dc",
    "noteBorderColor": "#d9b64c",
    "noteTextColor": INK,
    "actorLineColor": "#9aa5b1",
    "labelBoxBkgColor": _FILL,
    "labelBoxBorderColor": _BORDER,
    "activationBkgColor": "#cfe0f3",
    "activationBorderColor": _BORDER,
    "sectionBkgColor": "#eef3f8",
    "altSectionBkgColor": PAPER,
    "sectionBkgColor2": "#eef3f8",
    "taskBkgColor": "#bcd6f2",
    "taskBorderColor": _BORDER,
    "taskTextColor": INK,
    "taskTextLightColor": INK,
    "taskTextDarkColor": INK,
    "taskTextOutsideColor": INK,
    "activeTaskBkgColor": _FILL,
    "activeTaskBorderColor": _BORDER,
    "doneTaskBkgColor": "#dfe3e8",
    "doneTaskBorderColor": "#7b8794",
    "critBkgColor": "#f8cfc9",
    "critBorderColor": "#b3372a",
    "gridColor": "#cbd2d9",
    "pieOpacity": "1",
    "pieStrokeWidth": "1px",
    "pieOuterStrokeWidth": "1px",
    "pieStrokeColor": _LINE,
    "pieOuterStrokeColor": _LINE,
    **{f"pie{number}": color for number, color in enumerate(_SCALE, start=1)},
    **{f"cScale{number}": color for number, color in enumerate(_SCALE)},
    **{f"cScaleInv{number}": _BORDER for number in range(len(_SCALE))},
    **{f"cScaleLabel{number}": INK for number in range(len(_SCALE))},
}


def lay_out(source: str) -> str:
    """Have mermaid lay the diagram out, in a process that is ended when it takes too long.

    Raises:
        CourseError: mermaid refuses the source or does not come to an end.
        MissingOnMachine: mermaidx or the font is not installed.
    """
    if len(source) > MAX_SOURCE_CHARS:
        raise CourseError(
            f"The diagram has {len(source)} characters, more than {MAX_SOURCE_CHARS}; split it."
        )
    if find_spec("mermaidx") is None:
        raise MissingOnMachine("mermaidx is missing; `pip install mermaidx` brings it.")
    fonts.font_file()
    # A gantt chart reads its dates in local time: every machine gets the same.
    environment = {**os.environ, "TZ": "UTC", "PYTHONIOENCODING": "utf-8"}
    try:
        done = subprocess.run(  # our own module; the source goes over stdin
            [sys.executable, "-m", "autograder.editions.mermaid"],
            input=json.dumps({"source": source, "config": _config(source)}),
            capture_output=True,
            encoding="utf-8",
            env=environment,
            timeout=TIME_LIMIT_S,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise CourseError(
            f"The diagram did not render within {TIME_LIMIT_S} s; make it simpler."
        ) from error
    try:
        answer = json.loads(done.stdout)
    except ValueError as error:
        last = (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]
        raise CourseError(f"The diagram does not render; its renderer ended: {last}") from error
    if "error" in answer:
        raise CourseError(_sentence(answer["error"], lines=len(source.splitlines())))
    return str(answer["svg"])


def _sentence(said: str, *, lines: int) -> str:
    """Put what mermaid said, several lines with a list of tokens, into one sentence."""
    if "produced no output" in said:
        return "The diagram does not render; mermaid drew nothing: its labels may not hold images."
    said = re.sub(r"^(\w*Error: )+", "", said.strip())
    said = re.sub(r"\n-*\^", "", said)  # the pointer below the excerpt
    said = re.split(r"\n?Expecting ", said)[0]
    line = re.search(r" on line (\d+)", said)
    if line and int(line[1]) > lines:  # mermaid goes on counting after the last one
        said = said.replace(line[0], " at its end")
    said = " ".join(said.split()).rstrip(" .:")
    return f"The diagram does not render; mermaid says: {said}."


def _config(source: str) -> dict[str, object]:
    sections = re.findall(r"^\s*section\s+(.+?)\s*$", source, flags=re.MULTILINE)
    # mermaid does not measure the names of a gantt chart's sections.
    section_px = max((fonts.width_px(name, 14) for name in sections), default=0)
    font = {"fontFamily": fonts.FAMILY}
    return {
        "securityLevel": "strict",
        "suppressErrorRendering": True,
        "deterministicIds": True,
        "deterministicIDSeed": RENDER_ID,
        # A diagram's own %%{init}%% may not undo what keeps its labels in their boxes.
        "secure": list(_SECURE),
        "flowchart": {
            "htmlLabels": True,
            "wrappingWidth": 320,
            "padding": 12,
            "nodeSpacing": 40,
            "rankSpacing": 46,
            "subGraphTitleMargin": {"top": 2, "bottom": 14},
        },
        "sequence": {"mirrorActors": False, "messageMargin": 34},
        "gantt": {
            "useWidth": 960,
            "axisFormat": "%m-%d",
            "fontSize": 13,
            "sectionFontSize": 14,
            "barHeight": 26,
            "barGap": 6,
            "topPadding": 56,
            "leftPadding": int(max(75, section_px + 30)),
        },
        "journey": {"textPlacement": "tspan"},
        "timeline": {"textPlacement": "tspan", "disableMulticolor": False},
        "theme": "base",
        **font,
        "themeVariables": {**font, **_COLORS},
    }


class _Measurer:
    """Answers mermaid's questions about text, in place of mermaidx's own measurer."""

    def width(self, text: str, size: float, *_font: str) -> float:
        return fonts.width_px(text or "", float(size or 16))

    def full(self, text: str, size: float, *_font: str) -> dict[str, float]:
        font = fonts.font(float(size or 16))
        return {
            "width": font.measure_text(text or ""),
            "ascent": font.ascent,
            "descent": -font.descent,
            "xHeight": font.x_height,
        }

    def glyphs(self, text: str, size: float, *_font: str) -> list[list[float]]:
        return [list(box) for box in fonts.font(float(size or 16)).glyph_boxes(text or "")]

    def foreign_object(self, html: str, size: float, *_font: str) -> dict[str, float]:
        size_px = float(size or 16)
        width, height, lines = labels.size_of(labels.read(html or ""), size_px)
        line_height = labels.LINE_HEIGHT * size_px
        return {"width": width, "height": height, "line_count": lines, "line_height": line_height}


def _answer(request: dict[str, object]) -> dict[str, str]:
    from mermaidx.engines.quickjs_engine import Engine, MermaidRenderError  # noqa: PLC0415

    engine = Engine()
    engine.start()
    engine._measurer = _Measurer()  # mermaidx offers no option for this
    try:
        svg = engine.render_svg(request["source"], "base", request["config"], None)
    except MermaidRenderError as error:
        return {"error": str(error)}
    return {"svg": svg}


def _main() -> None:
    """Answer one request from stdin: the process that `lay_out` starts."""
    sys.stdout.write(json.dumps(_answer(json.load(sys.stdin))))
    sys.stdout.flush()
    # mermaidx is already loading mermaid for a next diagram; there is none to wait for.
    os._exit(0)


if __name__ == "__main__":
    _main()
