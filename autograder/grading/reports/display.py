"""What a learner's process gave, made fit to be shown: text, pictures, and HTML without scripts."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterable, Mapping
from typing import Any

import nh3
from markupsafe import Markup

_ANSI = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_MAGIC = {"image/png": b"\x89PNG\r\n\x1a\n", "image/jpeg": b"\xff\xd8\xff"}

_TEXT_LIMIT = 20_000
"""Characters of one output that are shown; its middle gives way."""
_PICTURE_LIMIT = 4_000_000
"""Base64 characters of one picture; a larger one is not shown."""

# Tables and inline text, as pandas and friends give them; no pictures, forms, styles or links out.
_TAGS = {
    *("a", "b", "blockquote", "br", "caption", "code", "col", "colgroup", "dd", "del", "div"),
    *("dl", "dt", "em", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "i", "ins", "kbd", "li", "ol"),
    *("p", "pre", "s", "samp", "small", "span", "strong", "sub", "sup", "table", "tbody", "td"),
    *("tfoot", "th", "thead", "tr", "u", "ul", "var"),
}
_ATTRIBUTES = {
    "a": {"href", "title"},
    "ol": {"start"},
    "td": {"colspan", "rowspan"},
    "th": {"colspan", "rowspan", "scope"},
}


def plain_text(text: str) -> str:
    """Text without terminal codes, overwritten lines (progress bars) or control characters."""
    text = _ANSI.sub("", text).replace("\r\n", "\n")
    if "\r" in text:
        text = "\n".join(map(_last_written, text.split("\n")))
    return _CONTROL.sub("\ufffd", text)


def _last_written(line: str) -> str:
    """What a terminal shows of a line that was written over and over."""
    return next((part for part in reversed(line.split("\r")) if part), "")


def shortened(text: str, limit: int = _TEXT_LIMIT) -> str:
    """Head and tail of a text that is longer than `limit` characters."""
    if len(text) <= limit:
        return text
    half = limit // 2
    return f"{text[:half]}\n[…]\n{text[-half:]}"


def safe_html(html: str) -> str:
    """HTML without scripts, styles, forms, pictures, or links but to the web."""
    return nh3.clean(
        html,
        tags=_TAGS,
        attributes=_ATTRIBUTES,
        url_schemes={"http", "https", "mailto"},
        link_rel="noopener noreferrer nofollow",
    )


def raster(bundle: Mapping[str, Any]) -> tuple[str, str] | None:
    """The PNG or JPEG of a MIME bundle: its type and base64; None when there is no sound one."""
    for mime, magic in _MAGIC.items():
        data = bundle.get(mime)
        if isinstance(data, list):
            data = "".join(str(line) for line in data)
        if not isinstance(data, str) or len(data) > _PICTURE_LIMIT:
            continue
        try:
            raw = base64.b64decode("".join(data.split()), validate=True)
        except (binascii.Error, ValueError):
            continue
        if raw.startswith(magic):
            return mime, base64.b64encode(raw).decode()
    return None


def safe_outputs(outputs: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The outputs with only what may be shown: valid nbformat, built from known keys.

    Of a MIME bundle stay a PNG or JPEG, `text/plain`, and `text/html` sanitised. What had only
    something else (SVG, scripts, widgets) becomes a line that names its types.
    """
    return [shown for output in outputs if (shown := _shown(output)) is not None]


def _shown(output: Mapping[str, Any]) -> dict[str, Any] | None:
    match output.get("output_type"):
        case "stream":
            name = "stderr" if output.get("name") == "stderr" else "stdout"
            return {"output_type": "stream", "name": name, "text": _text(output.get("text"))}
        case "error":
            return {
                "output_type": "error",
                "ename": _text(output.get("ename")),
                "evalue": _text(output.get("evalue")),
                "traceback": [_text(line) for line in output.get("traceback") or ()],
            }
        case "display_data" | "execute_result" as kind:
            shown = {"output_type": kind, "data": _bundle(output.get("data")), "metadata": {}}
            if kind == "execute_result":
                count = output.get("execution_count")
                shown["execution_count"] = count if type(count) is int else None
            return shown
        case _:
            return None


def _bundle(data: Any) -> dict[str, str]:
    if not isinstance(data, Mapping):
        return {"text/plain": ""}
    shown: dict[str, str] = {}
    picture = raster(data)
    if picture is not None:
        shown[picture[0]] = picture[1]
    if "text/html" in data:
        shown["text/html"] = safe_html(_text(data["text/html"]))
    if "text/plain" in data:
        shown["text/plain"] = _text(data["text/plain"])
    if not shown:
        shown["text/plain"] = f"[{', '.join(sorted(_text(mime) for mime in data))}]"
    return shown


def _text(value: Any) -> str:
    if isinstance(value, list | tuple):
        value = "".join(part for part in value if isinstance(part, str))
    return shortened(plain_text(value)) if isinstance(value, str) else ""


def as_shown(output: Mapping[str, Any]) -> dict[str, Any]:
    """What a page needs to show an output that `safe_outputs` gave."""
    kind = output["output_type"]
    if kind == "stream":
        return {"kind": output["name"], "text": output["text"]}
    if kind == "error":
        text = ": ".join(part for part in (output["ename"], output["evalue"]) if part)
        return {"kind": "error", "text": text, "traceback": "\n".join(output["traceback"])}
    data = output["data"]
    picture = raster(data)
    if picture is not None:
        return {"kind": "picture", "mime": picture[0], "data": picture[1]}
    if "text/html" in data:
        return {"kind": "html", "html": Markup(data["text/html"])}  # noqa: S704  (sanitised by nh3)
    return {"kind": "text", "text": data["text/plain"]}
