// A text area with colours behind it: Python as it is typed, with line numbers.
// Colours only: bold or italic letters would have another width than those that are typed.

const KEYWORDS =
  "False|None|True|and|as|assert|async|await|break|class|continue|def|del|elif|else|except|" +
  "finally|for|from|global|if|import|in|is|lambda|nonlocal|not|or|pass|raise|return|try|while|" +
  "with|yield";
const TOKENS = new RegExp(
  [
    "(?<comment>#[^\\n]*)",
    "(?<string>[rbfuRBFU]{0,2}(?:\"\"\"[\\s\\S]*?(?:\"\"\"|$)|'''[\\s\\S]*?(?:'''|$)|" +
      '"(?:\\\\.|[^"\\\\\\n])*"?|\'(?:\\\\.|[^\'\\\\\\n])*\'?))',
    "(?<blank>\\b_{6}\\b)",
    `(?<keyword>\\b(?:${KEYWORDS})\\b)`,
    "(?<number>\\b(?:0[xob][\\da-fA-F_]+|\\d[\\d_]*(?:\\.[\\d_]*)?(?:[eE][+-]?\\d+)?))",
    // Full-width punctuation in code is a slip of the input method that is hard to see.
    "(?<wide>[，。；：（）“”‘’【】！？＝　]+)",
  ].join("|"),
  "g",
);
const INDENT = "    ";

function coloured(source) {
  const line = document.createDocumentFragment();
  let at = 0;
  for (const match of source.matchAll(TOKENS)) {
    const [kind, text] = Object.entries(match.groups).find(([, found]) => found !== undefined);
    line.append(source.slice(at, match.index), element("span", { class: `live-${kind}` }, text));
    at = match.index + text.length;
  }
  // An empty last line has height only with something on it.
  line.append(source.slice(at), "\n");
  return line;
}

class Editor {
  constructor(source, label, changed) {
    this.pristine = source;
    this.changed = changed;
    this.gutter = element("div", { class: "live-gutter", "aria-hidden": "true" });
    this.colours = element("pre", { class: "live-colours", "aria-hidden": "true" });
    this.text = element("textarea", {
      "class": "live-text",
      "aria-label": label,
      "spellcheck": "false",
      "autocapitalize": "off",
      "autocomplete": "off",
      "wrap": "off",
    });
    this.fault = element("div", { class: "live-fault", hidden: "" });
    const page = element("div", { class: "live-page" }, this.fault, this.colours, this.text);
    this.root = element("div", { class: "live-editor" }, this.gutter, page);
    this.leaving = false;
    this.text.addEventListener("input", () => this.redraw());
    this.text.addEventListener("keydown", (event) => this.typed(event));
    this.value = source;
  }

  get value() {
    return this.text.value;
  }

  set value(source) {
    this.text.value = source;
    this.redraw();
  }

  redraw() {
    const { value } = this;
    this.colours.replaceChildren(coloured(value));
    const lines = value.split("\n").length;
    this.gutter.textContent = Array.from({ length: lines }, (_, line) => line + 1).join("\n");
    this.point(null);
    this.changed(value);
  }

  // Mark the line that went wrong.
  point(line) {
    this.fault.hidden = line === null;
    if (line !== null) this.fault.style.setProperty("--line", line - 1);
  }

  // Tab indents; after Escape it leaves, so that nobody is caught in here.
  typed(event) {
    if (event.isComposing) return;
    if (event.key === "Escape") {
      this.leaving = true;
    } else if (event.key === "Tab" && !this.leaving && !event.ctrlKey && !event.altKey) {
      event.preventDefault();
      this.indent(event.shiftKey);
    } else if (event.key === "Enter" && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
      event.preventDefault();
      this.insert(`\n${this.nextIndent()}`);
    } else if (event.key !== "Shift") {
      this.leaving = false;
    }
  }

  nextIndent() {
    const above = this.value.slice(0, this.text.selectionStart).split("\n").pop();
    const [indent] = above.match(/^ */);
    return /:\s*(#.*)?$/.test(above) ? indent + INDENT : indent;
  }

  indent(back) {
    const { selectionStart: from, selectionEnd: to } = this.text;
    if (from === to && !back) {
      const column = from - (this.value.lastIndexOf("\n", from - 1) + 1);
      this.insert(INDENT.slice(column % INDENT.length));
      return;
    }
    const start = this.value.lastIndexOf("\n", from - 1) + 1;
    const lines = this.value.slice(start, to).split("\n");
    const moved = lines.map((line) => (back ? line.replace(/^ {1,4}/, "") : line && INDENT + line));
    this.text.setSelectionRange(start, to);
    this.insert(moved.join("\n"));
    const first = Math.max(start, from + moved[0].length - lines[0].length);
    this.text.setSelectionRange(first, from === to ? first : start + moved.join("\n").length);
  }

  insert(text) {
    // The one way that keeps the browser's undo; where it is gone, undo is what is lost.
    const [command, value] = text === "" ? ["delete"] : ["insertText", text];
    if (document.execCommand(command, false, value)) return;
    this.text.setRangeText(text, this.text.selectionStart, this.text.selectionEnd, "end");
    this.redraw();
  }
}
