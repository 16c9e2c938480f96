// The reviewing page: which answer is shown, and what the keys do.

import { h, show } from "./dom.js";
import * as dialogs from "./dialogs.js";
import { Outbox, Refusal, read } from "./net.js";
import { CRITERION_KEYS, LINK_KEYS, bar, finished, kbd, paper, say, scoresOf, side } from "./view.js";

const AHEAD = 5; // answers that are fetched before they are asked for
const RENEW_MS = 20000;

const place = (id) => document.getElementById(id);

class App {
  constructor(overview) {
    this.overview = overview;
    this.words = overview.words;
    this.by = overview.reviewer || localStorage.getItem("course-review-name") || "";
    this.item = null;
    this.ahead = [];
    this.seen = [];
    this.notices = [];
    this.draft = { links: new Set(), comment: "" };
    this.outbox = new Outbox(`course-review:${location.pathname}:${overview.lesson}`, {
      changed: () => this.drawBar(),
      done: (entry, data) => this.kept(entry, data),
      conflict: (entry, newest) => this.conflict(entry, newest),
      refused: (entry, error) => this.refused(entry, error),
    });
  }

  async start() {
    if (!this.by) await this.who();
    await this.renew();
    const wanted = location.hash.slice(1);
    const first = this.overview.questions.find((one) => one.count.done < one.count.total) ?? this.overview.questions[0];
    const known = [...this.overview.questions.map((one) => one.id), this.overview.whole.id];
    await this.open(known.includes(wanted) ? wanted : (first?.id ?? this.overview.whole.id));
    this.outbox.flush();
    setInterval(() => this.renew(), RENEW_MS);
  }

  questionOf(id) {
    return this.overview.questions.find((one) => one.id === id);
  }

  countOf(id) {
    return this.questionOf(id)?.count ?? this.overview.whole.count;
  }

  // The next question with papers for this reviewer, round the lesson; whole submissions come last.
  nextQuestion() {
    const { questions, whole } = this.overview;
    const at = questions.findIndex((one) => one.id === this.question);
    const round = [...questions.slice(at + 1), ...questions.slice(0, at + 1), { ...whole, title: this.words.whole }];
    for (const { id, title, count } of round) {
      const n = count.mine_total - count.mine_done;
      if (id !== this.question && n > 0) return { id, title, n };
    }
    return null;
  }

  // --- reading

  async renew() {
    try {
      this.overview = await read("overview", { by: this.by });
      this.unreadable = "";
      if (this.finished) this.draw();
      else this.drawBar();
      if (this.overview.gradebook.waiting) this.soon(3000);
    } catch (error) {
      if (!(error instanceof Refusal) || error.status === 403) return;
      this.unreadable = error.message;
      this.drawBar();
      return;
    }
    // The class was graded anew with another lesson.
    const gone = this.question && this.question !== this.overview.whole.id && !this.questionOf(this.question);
    if (gone) await this.open(this.overview.questions[0]?.id ?? this.overview.whole.id);
  }

  soon(wait = 400) {
    clearTimeout(this.renewing);
    this.renewing = setTimeout(() => this.renew(), wait);
  }

  async reload() {
    this.ahead = [];
    await this.renew();
    await this.next();
  }

  async open(question) {
    this.passing?.();
    this.question = question;
    this.finished = false;
    history.replaceState(null, "", `#${question}`);
    this.ahead = [];
    this.seen = [];
    this.item = null;
    show(place("desk"), h("p", { class: "nothing" }, this.words.loading));
    this.drawBar();
    await this.next();
  }

  // The next answer: one that was fetched ahead, or the server's.
  async next() {
    const question = this.question;
    let item = this.ahead.shift();
    // What was being fetched ahead may have come in another way meanwhile.
    const stale = (one) => one.item === this.item?.item || this.outbox.holds(this.target(one));
    while (item && stale(item)) item = this.ahead.shift();
    if (!item) item = await this.fetchNext(this.item?.item);
    if (question !== this.question) return;
    if (item && this.item) this.seen.push(this.item.item);
    this.lay(item ?? null);
    this.fill();
  }

  async fetchNext(after) {
    for (let wait = 1000; ; wait = Math.min(2 * wait, 15000)) {
      try {
        const { item } = await read("item", { question: this.question, by: this.by, after: after ?? "" });
        if (!item || this.outbox.holds(this.target(item))) return null;
        return item;
      } catch (error) {
        if (error instanceof Refusal && error.status === 404) {
          this.soon(0); // there is no such question any more
          return null;
        }
        if (error instanceof Refusal && error.status < 500) throw error;
        const why = error instanceof Refusal ? error.message : this.words.offline_reading;
        show(place("desk"), h("p", { class: "nothing bad" }, why));
        await new Promise((resolve) => setTimeout(resolve, wait));
      }
    }
  }

  async fill() {
    if (this.filling) return;
    this.filling = true;
    const question = this.question;
    try {
      while (this.ahead.length < AHEAD && this.item && question === this.question) {
        const last = this.ahead.at(-1) ?? this.item;
        const { item } = await read("item", { question, by: this.by, after: last.item });
        const known = [this.item, ...this.ahead].some((one) => one?.item === item?.item);
        if (!item || known || question !== this.question || this.outbox.holds(this.target(item))) break;
        this.ahead.push(item);
      }
    } catch {
      // fetched again when it is needed
    } finally {
      this.filling = false;
    }
  }

  async showItem(question, name) {
    if (question !== this.question) {
      this.question = question;
      this.ahead = [];
    }
    try {
      const { item } = await read("item", { question, by: this.by, item: name });
      this.lay(item);
      this.drawBar();
    } catch (error) {
      if (!(error instanceof Refusal) || error.status !== 404) throw error;
      await this.reload(); // it is not in the class any more
    }
  }

  async back() {
    const name = this.seen.pop();
    if (name) await this.showItem(this.question, name);
  }

  lay(item) {
    this.item = item;
    this.finished = !item;
    const marked = item?.mark?.links ?? null;
    const evidence = (item?.evidence ?? []).map((one) => one.link);
    this.draft = { links: new Set(marked ?? evidence), comment: item?.standing === "marked" ? item.mark.comment : "" };
    this.turned = new Map();
    this.draw();
    scrollTo(0, 0);
    document.activeElement?.blur();
  }

  // --- drawing

  draw() {
    if (!this.item) {
      show(place("desk"), finished(this));
    } else {
      const held = place("comment") === document.activeElement;
      show(place("desk"), paper(this, this.item), side(this, this.item));
      if (held) place("comment")?.focus();
    }
    this.drawBar();
  }

  drawBar() {
    if (!this.overview) return;
    show(place("bar"), bar(this));
    const last = this.last ? h("span", { class: "last" }, this.last, kbd("u"), this.words.key_undo) : null;
    show(place("keys"), last, dialogs.keyList(this).map(([key, what]) => h("span", {}, kbd(key), what)));
    show(place("notices"), this.notices);
  }

  tell(text) {
    this.last = text;
    this.drawBar();
  }

  notice(kind, ...content) {
    const box = h("div", { class: `notice ${kind}` }, content);
    const close = () => {
      this.notices = this.notices.filter((one) => one !== box);
      this.drawBar();
    };
    this.notices.push(box);
    this.drawBar();
    return { box, close };
  }

  // --- deciding

  target(item) {
    return `mark:${item.question}:${item.item}`;
  }

  mark(score) {
    const item = this.item;
    if (!item || this.question === this.overview.whole.id) return;
    const readable = this.questionOf(item.question).links.length > 0;
    this.outbox.push(
      "mark",
      {
        by: this.by,
        item: item.item,
        question: item.question,
        score,
        comment: this.draft.comment,
        links: readable ? [...this.draft.links] : null,
        based_on: item.based_on,
        answer: item.digest,
      },
      this.target(item),
    );
    this.last = `${say(this.words, "paper", { name: item.label })}：${say(this.words, "given", { score })}`;
    this.next();
  }

  toggleLink(id) {
    if (!this.draft.links.delete(id)) this.draft.links.add(id);
    this.draw();
  }

  addComment(text) {
    this.draft.comment = this.draft.comment ? `${this.draft.comment.trimEnd()}\n${text}` : text;
    this.draw();
  }

  criterionShown(one) {
    if (this.turned.has(one.id)) return this.turned.get(one.id);
    return one.value ?? one.proposal;
  }

  turnCriterion(one) {
    const whole = this.question === this.overview.whole.id;
    const now = whole ? this.criterionShown(one) : one.value;
    const value = now === null ? true : now ? false : whole ? true : null;
    if (whole) {
      this.turned.set(one.id, value);
    } else {
      this.criterion(one, value);
      one.value = value;
    }
    this.draw();
  }

  criterion(one, value) {
    const item = this.item.item;
    this.outbox.push("criterion", { by: this.by, item, criterion: one.id, value, based_on: one.based_on }, `criterion:${item}:${one.id}`);
  }

  confirm() {
    if (this.question !== this.overview.whole.id || !this.item) return;
    const values = this.item.criteria.map((one) => [one, this.criterionShown(one)]);
    if (values.some(([, value]) => value === null)) return;
    for (const [one, value] of values) if (value !== one.value) this.criterion(one, value);
    this.next();
  }

  veto(chosen) {
    if (this.item) dialogs.veto(this, this.item, chosen);
  }

  dismissVeto(one) {
    this.decideVeto(one, false, "");
  }

  decideVeto(one, standing, reason) {
    const item = this.item.item;
    const question = this.question === this.overview.whole.id ? null : this.question;
    this.outbox.push("veto", { by: this.by, item, veto: one.id, standing, reason, question, based_on: one.based_on }, `veto:${item}:${one.id}`);
    Object.assign(one, { standing, reason, by: this.by });
    this.draw();
  }

  group() {
    const item = this.item;
    if (!item?.group?.open || item.standing !== "marked") return;
    this.outbox.push("group", { by: this.by, item: item.item, question: item.question }, `group:${item.item}`);
  }

  undo() {
    this.outbox.push("undo", { by: this.by }, "undo");
  }

  // --- what came of it

  kept(entry, data) {
    this.soon();
    if (entry.action === "mark") return data.mark.seq;
    if (entry.action === "criterion" || entry.action === "veto") {
      const list = entry.action === "criterion" ? "criteria" : "vetoes";
      if (this.item?.item === entry.body.item) {
        this.item[list] = data[list];
        this.draw();
      }
      return data[list].find((one) => one.id === entry.body[entry.action]).based_on;
    }
    if (entry.action === "group") {
      this.ahead = [];
      this.tell(say(this.words, "group_done", { n: data.marked }));
      this.showItem(entry.body.question, entry.body.item);
    }
    if (entry.action === "undo") this.undone(data.undone);
    return null;
  }

  async undone(events) {
    this.last = null;
    const text = events.length ? this.words.undone : this.words.nothing_undo;
    this.passing?.();
    this.passing = this.notice("good", text).close;
    setTimeout(this.passing, 3000);
    const mark = events.find((one) => one.kind === "mark");
    this.ahead = [];
    if (mark) await this.showItem(mark.about, mark.item);
    else if (events.length && this.item) await this.showItem(this.question, this.item.item);
  }

  conflict(entry, newest) {
    const { words } = this;
    const told = (value) => (typeof value === "boolean" ? (value ? words.yes : words.no) : value === null || value === undefined ? words.withdrawn : String(value));
    const theirs = newest.score !== undefined ? newest.score : newest.value;
    const mine = entry.body.score ?? entry.body.value ?? entry.body.standing;
    const again = () => {
      this.outbox.push(entry.action, { ...entry.body, based_on: newest.seq }, entry.target);
      close();
    };
    const look = () => this.showItem(entry.body.question ?? this.question, entry.body.item);
    const theirsStay = () => {
      close();
      // What this page shows of it was never kept.
      if (this.item?.item === entry.body.item) look();
    };
    const { close } = this.notice(
      "bad",
      h("b", {}, say(words, "conflict", { by: newest.by })),
      h("span", {}, say(words, "conflict_theirs", { value: told(theirs) }), newest.comment ? h("q", {}, newest.comment) : null),
      h("span", {}, say(words, "conflict_mine", { value: told(mine) }), entry.body.comment ? h("q", {}, entry.body.comment) : null),
      h("button", { onclick: theirsStay }, words.keep_theirs),
      h("button", { onclick: again }, words.use_mine),
      entry.body.item ? h("button", { onclick: look }, words.look) : null,
    );
    this.soon();
  }

  refused(entry, error) {
    const { close } = this.notice(
      "bad",
      h("span", {}, say(this.words, "refused", { why: error.message })),
      entry.body.comment ? h("q", {}, entry.body.comment) : null,
      h("button", { onclick: () => close() }, this.words.dismiss),
    );
  }

  // --- dialogs

  async who() {
    this.by = await dialogs.who(this, this.words);
    localStorage.setItem("course-review-name", this.by);
    if (this.question) await this.open(this.question);
  }

  bulk() {
    const question = this.questionOf(this.question);
    if (question) dialogs.bulk(this, question);
  }

  allocate() {
    dialogs.allocate(this);
  }

  help() {
    dialogs.help(this);
  }

  // --- keys

  key(event) {
    if (document.querySelector("dialog[open]")) return;
    if (event.target.matches("textarea, input, select")) {
      if (event.key === "Escape") event.target.blur();
      return;
    }
    if (event.ctrlKey || event.metaKey) return;
    if (event.altKey) return this.keyAlt(event);
    const acted = this.act(event);
    if (acted) event.preventDefault();
  }

  keyAlt(event) {
    const ids = [...this.overview.questions.map((one) => one.id), this.overview.whole.id];
    const id = ids[Number(event.code.replace("Digit", "")) - 1];
    if (!id) return;
    event.preventDefault();
    this.open(id);
  }

  act(event) {
    const simple = {
      u: () => this.undo(),
      n: () => this.next(),
      p: () => this.back(),
      g: () => this.group(),
      v: () => this.veto(),
      "?": () => this.help(),
    };
    if (simple[event.key]) {
      simple[event.key]();
      return true;
    }
    if (!this.item) return this.goOn(event);
    const whole = this.question === this.overview.whole.id;
    const digit = /^Digit(\d)$/.exec(event.code)?.[1];
    if (digit !== undefined && !whole) return event.shiftKey ? this.reuse(Number(digit)) : this.score(Number(digit));
    if (event.key === "m" && !whole) {
      place("comment").focus();
      return true;
    }
    if (event.key === "Enter" && whole && !event.target.matches("button")) {
      this.confirm();
      return true;
    }
    const criterion = this.item.criteria[CRITERION_KEYS.indexOf(event.key)];
    if (criterion) {
      this.turnCriterion(criterion);
      return true;
    }
    const link = whole ? null : this.questionOf(this.question).links[LINK_KEYS.indexOf(event.key)];
    if (link) this.toggleLink(link.id);
    return Boolean(link);
  }

  // Enter on a finished question.
  goOn(event) {
    const next = this.finished && event.key === "Enter" && !event.target.matches("button") ? this.nextQuestion() : null;
    if (next) this.open(next.id);
    return Boolean(next);
  }

  score(n) {
    const score = scoresOf(this.questionOf(this.question), this.overview.step)[n];
    if (score === undefined) return false;
    this.mark(score);
    return true;
  }

  reuse(n) {
    const text = this.questionOf(this.question).comments[n - 1];
    if (text) this.addComment(text);
    return Boolean(text);
  }
}

const app = new App(await read("overview", { by: "" }));
document.title = `${app.overview.title} · ${app.words.title}`;
document.addEventListener("keydown", (event) => app.key(event));
await app.start();
