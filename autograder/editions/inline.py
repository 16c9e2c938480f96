"""Quarto's inline Markdown -> Markdown that JupyterLab, VS Code and code hosts all show."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from autograder.editions.references import KINDS, number
from autograder.editions.words import Words
from autograder.source.lines import without_comments

# What no rule below may look into: code, formulas, link targets, addresses.
_OPAQUE = re.compile(
    r"(?P<code>(`+)(?!`).+?(?<!`)\2(?!`))"
    r"|(?P<math>\$\$.+?\$\$|(?<!\\)\$(?!\s)(?:\\.|[^$\\])+?(?<!\s)\$(?!\d))"
    r"|(?P<link>\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*(?:\s+\"[^\"]*\"|\s+'[^']*')?\))"
    r"|(?P<href>(?<=href=)\"[^\"<>]*\"|(?<=href=)'[^'<>]*')"
    r"|(?P<url><https?://[^>\s]*>|https?://[A-Za-z0-9._~:/?#@!$&'*+,;=%-]+)"
)
_HELD = re.compile("\x00(\\d+)\x00")
_EQUATION = re.compile(r"^(\s*)\$\$(.+)\$\$\s*\{#(eq-[A-Za-z0-9_-]+)[^{}]*\}\s*$")
_TARGET = re.compile(r"^(?P<open>\]\(<?|[\"'])(?P<path>[^)#?\s\"'>]+)(?P<rest>.*)$", re.DOTALL)
_SCHEME = re.compile(r"^[A-Za-z][A-Za-z0-9+.-]*:")
_ATTRIBUTES = r"\{[^{}\n]*\}"
_IMAGE = re.compile(r"^(\s*)!\[([^\]\x00]*)(\x00\d+\x00)\{#(fig-[A-Za-z0-9_-]+)[^{}]*\}\s*$")
_SPAN = re.compile(r"\[([^\[\]]*)\]" + _ATTRIBUTES)
_AFTER = re.compile("(\x00\\d+\x00)" + _ATTRIBUTES)
_NOTE = re.compile(r"\^\[([^\[\]]*)\]")
_MARK = re.compile(r"\[\^([^\]\s]+)\](?!:)")
_LABEL = rf"(?P<label>(?:{'|'.join(KINDS)})-[A-Za-z0-9_-]*[A-Za-z0-9])"
_CROSS = re.compile(r"(?P<open>\[)?(?P<bare>-)?(?<![A-Za-z0-9._])@" + _LABEL + r"(?(open)\]|)")
_CROSS_PLAIN = re.compile(r"(?<![A-Za-z0-9._])-?@" + _LABEL)
_CITATION = re.compile(r"\[-?@[A-Za-z]")
# pandoc needs this space before an @, Chinese does not.
_SPACE_BEFORE = re.compile(r"(?<=[\u4e00-\u9fff]) (?=\[?-?@" + _LABEL + ")")
_SUB = re.compile(r"(?<![~\\])~([^~\s]+)~(?!~)")
_SUP = re.compile(r"(?<![\^\\\[])\^([^\^\s\[\]]+)\^")
_SHORTCODE = re.compile(r"(?<!\{)\{\{<\s*(/?)([\w-]+)\s*(.*?)\s*>\}\}(?!\})")
_ESCAPED = re.compile(r"\{(\{\{<.*?>\}\})\}")
_CHINESE_BREAK = re.compile(r"(?<=[\u2e80-\u9fff\uff00-\uffef])\n(?=[\u2e80-\u9fff\uff00-\uffef])")
# Another lesson, as a page links to it: `../lesson02/lesson02.html`.
_PAGE = re.compile(r"^(?:\.\./)(?P<slug>[\w-]+)/(?P=slug)\.html$")


def _to_notebook(match: re.Match[str], kind: str | None) -> str:
    """A link to a lesson's page, turned to its notebook."""
    target = _TARGET.match(match[0]) if kind in {"link", "href"} else None
    if target is None or _SCHEME.match(target["path"]):
        return match[0]
    path = target["path"]
    if path.endswith(".qmd") or _PAGE.match(path):
        path = f"{path.rpartition('.')[0]}.ipynb"
    return f"{target['open']}{path}{target['rest']}"


def one_line(text: str) -> str:
    """A text on one line; between two Chinese characters a line break leaves no space."""
    return " ".join(_CHINESE_BREAK.sub("", text.strip()).split())


@dataclass(kw_only=True, slots=True)
class Inline:
    """Turns lines; `warnings` gathers what had no portable form."""

    words: Words
    labels: Mapping[str, str]
    title: str = ""
    warnings: list[str] = field(default_factory=list)

    def line(self, text: str) -> str:
        """One line of Markdown, made portable."""
        text = without_comments(text)
        equation = _EQUATION.match(text)
        if equation:
            text = f"{equation[1]}$${self.tagged(equation[2], equation[3])}$$"
        held: list[str] = []

        def hold(match: re.Match[str]) -> str:
            held.append(self._held(match))
            return f"\x00{len(held) - 1}\x00"

        text = _OPAQUE.sub(hold, text.replace("\x00", "\ufffd"))
        text = self._rules(text)
        return _HELD.sub(lambda match: held[int(match[1])], text)

    def tagged(self, formula: str, label: str) -> str:
        """A formula with its number."""
        reference = self.labels.get(label)
        if reference is None:
            return formula
        return f"{formula.rstrip()} \\tag{{{number(reference).strip('()')}}}"

    def _held(self, match: re.Match[str]) -> str:
        """What stands for something that no rule looks into."""
        return _to_notebook(match, match.lastgroup)

    def _notes(self, text: str) -> str:
        """Footnotes: those written in place, and the marks of the others."""
        text = _NOTE.sub(r"（\1）" if self.words.colon == "：" else r" (\1)", text)
        return _MARK.sub(r"<sup>\1</sup>", text)

    def _rules(self, text: str) -> str:
        text = _SHORTCODE.sub(self._shortcode, text)
        text = _ESCAPED.sub(r"\1", text)
        text = _IMAGE.sub(self._figure, text)
        text = self._notes(text)
        text = _SPAN.sub(r"\1", text)
        text = _AFTER.sub(r"\1", text)
        if self.words.colon == "：":
            text = _SPACE_BEFORE.sub("", text)
        text = _CROSS.sub(self._cross, text)
        text = _CROSS_PLAIN.sub(self._cross, text)
        if _CITATION.search(text):
            self.warnings.append("a citation [@key] has no form in a notebook, write a link")
        text = _SUB.sub(r"<sub>\1</sub>", text)
        return _SUP.sub(r"<sup>\1</sup>", text)

    def _figure(self, match: re.Match[str]) -> str:
        indent, caption, link, label = match.groups()
        return f"{indent}![{caption}{link}\n\n{indent}{self.caption(label, caption)}"

    def caption(self, label: str | None, caption: str) -> str:
        """A caption line with the number of its label, if it has one."""
        reference = self.labels.get(label or "")
        text = one_line(caption)
        return f"*{reference}{self.words.colon}{text}*" if reference else f"*{text}*"

    def _cross(self, match: re.Match[str]) -> str:
        label = match["label"]
        reference = self.labels.get(label)
        if reference is None:
            self.warnings.append(f"@{label} refers to nothing in this edition")
            return match[0]
        if label.startswith("sec-"):
            return f"「{reference}」" if self.words.colon == "：" else f"“{reference}”"
        return number(reference) if "-@" in match[0] else reference

    def _shortcode(self, match: re.Match[str]) -> str:
        closing, name, rest = match.groups()
        first = rest.split()[0].strip("\"'") if rest else ""
        if closing or name == "pagebreak":
            return ""
        known = {
            "br": "<br>",
            "kbd": f"<kbd>{rest}</kbd>",
            "video": f"[{self.words.video}]({first})",
            "meta": self.title if first == "title" else "",
        }
        if name not in known or not known[name]:
            self.warnings.append(f"the shortcode {{{{< {name} >}}}} has no form in a notebook")
        return known.get(name, "")
