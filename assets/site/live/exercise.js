// An exercise in the page: an editor, a button that runs it, and what the checks say.

const LONG_MS = 10_000;
const MARKS = {
  "correct": "✓", "passed": "✓", "incorrect": "✗", "failed": "✗",
  "not attempted": "○", "cannot tell": "?",
};

const exercises = new Map();

// What a reader wrote stays in this browser; some browsers keep nothing for a page from disk.
const kept = {
  get(key) {
    try {
      return localStorage.getItem(key);
    } catch {
      return null;
    }
  },
  set(key, value) {
    try {
      if (value === null) localStorage.removeItem(key);
      else localStorage.setItem(key, value);
      return true;
    } catch {
      return false; // Then it lasts as long as the page.
    }
  },
};

function filled(words, values) {
  return words.replace(/\{(\w+)\}/g, (_, name) => values[name]);
}

class Exercise {
  constructor(root, data, words, machine) {
    Object.assign(this, { root, data, words, machine });
    this.unkept = element("p", { class: "live-note live-unkept", role: "status", hidden: "" }, words.unkept);
    this.key = `course:${data.lesson}:code:${data.id}`;
    this.editor = new Editor(data.cell, filled(words.editor, data), (source) => this.keep(source));
    this.status = element("p", { class: "live-status" });
    this.outcome = element("div", { class: "live-outcome" });
    const said = element("div", { role: "status", class: "live-said" }, this.status, this.outcome);
    root.querySelector(".live-static").replaceWith(this.editor.root, this.unkept, this.bar(), said);
    const before = kept.get(this.key);
    if (before !== null) this.editor.value = before;
    this.editor.text.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) this.run();
    });
    root.classList.add("live-ready");
  }

  bar() {
    const button = (name, act, kind = "") => {
      const made = element("button", { type: "button", class: `button ${kind} live-${name}` }, this.words[name]);
      made.addEventListener("click", act);
      return made;
    };
    this.runs = button("run", () => this.run(), "primary");
    this.stops = button("stop", () => this.machine.stop());
    this.stops.hidden = true;
    this.runs.hidden = !this.machine;
    const restores = button("restore", () => {
      this.editor.value = this.data.cell;
      this.say("");
    });
    const keys = element("span", { class: "live-keys" }, this.words.keys);
    return element("div", { class: "live-bar" }, this.runs, this.stops, restores, keys);
  }

  keep(source) {
    // Called by the editor while it is made, before there is anything to keep.
    if (!this.editor) return;
    this.unkept.hidden = kept.set(this.key, source === this.data.cell ? null : source);
  }

  say(text) {
    this.status.textContent = text;
    this.outcome.replaceChildren();
  }

  async run() {
    if (!this.machine || this.machine.busy) return;
    this.machine.busy = true;
    this.runs.setAttribute("aria-disabled", "true");
    this.stops.hidden = false;
    this.editor.point(null);
    try {
      this.say(this.machine.worker ? this.words.running : this.words.loading);
      await this.machine.start();
      this.say(this.words.running);
      this.show(await this.waited(this.machine.run(this.job())));
    } catch (error) {
      const stopped = error instanceof Stopped;
      this.say(stopped ? this.words.stopped : filled(this.words.broken, { why: error.message }));
    } finally {
      this.machine.busy = false;
      this.runs.removeAttribute("aria-disabled");
      if (document.activeElement === this.stops) this.runs.focus();
      this.stops.hidden = true;
    }
  }

  async waited(running) {
    const timer = setTimeout(() => this.say(this.words.long), LONG_MS);
    try {
      return await running;
    } finally {
      clearTimeout(timer);
    }
  }

  // The cells above run before, as in a notebook; other exercises as their editors hold them.
  job() {
    const { cells, setup, lang } = window.courseLesson;
    const place = cells.findIndex((cell) => cell.id === this.data.id);
    const before = cells
      .slice(0, place)
      .map(({ id, source }) => exercises.get(id)?.editor.value ?? source);
    const { name, tests } = cells[place];
    return { setup, lang, before, cell: this.editor.value, name, tests };
  }

  show({ output, error, check, tests }) {
    this.say("");
    if (error) this.editor.point(error.line);
    // Of an untouched blank a check may pass all the same; that would say the wrong thing.
    const shown = check?.outcome === "not attempted" ? [] : tests;
    const lines = [
      error && this.line(error.kind === "blank" ? "not attempted" : "failed", this.wrong(error)),
      check && this.line(check.outcome, check.sentence),
      ...shown.flatMap((test) => this.tested(test)),
      ...this.printed(output),
    ];
    this.outcome.append(...lines.filter(Boolean));
  }

  tested({ label, outcome, text, printed }) {
    const words = filled(this.words.test, { label, outcome: this.words.outcomes[outcome] });
    const line = this.line(outcome, text ? `${words}${this.words.colon}${text}` : words);
    return outcome === "passed" ? [line] : [line, ...this.printed(printed)];
  }

  printed(text) {
    if (!text) return [];
    return [
      element("p", { class: "live-printed" }, this.words.output),
      element("pre", { class: "live-output" }, text),
    ];
  }

  wrong({ kind, line, text }) {
    if (kind === "blank") return text;
    return line === null ? text : filled(this.words[kind], { line, text });
  }

  line(outcome, text) {
    const mark = element("span", { "class": "live-mark", "aria-hidden": "true" }, MARKS[outcome]);
    const kind = outcome.replace(" ", "-");
    return element("p", { class: `live-line live-is-${kind}` }, mark, ` ${text}`);
  }
}

function startExercises() {
  const roots = document.querySelectorAll(".live-exercise");
  if (!roots.length) return;
  const { words, scripts: addresses } = JSON.parse(
    document.getElementById("live-exercise-data").textContent,
  );
  const machine = addresses.length ? new Machine(addresses) : null;
  for (const root of roots) {
    const data = JSON.parse(root.querySelector(".live-data").textContent);
    exercises.set(data.id, new Exercise(root, data, words, data.runs ? machine : null));
  }
}

startExercises();
