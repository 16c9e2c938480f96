// What is on the page, made anew from the data each time.

import { h, highlighted } from "./dom.js";

export const LINK_KEYS = "qwerty";
export const CRITERION_KEYS = "asdfgh";

export function say(words, name, values = {}) {
  return (words[name] ?? name).replace(/\{(\w+)\}/g, (_, key) => values[key] ?? "");
}

const number = (score) => String(score);

export function scoresOf(question, step) {
  const count = Math.round(question.points / step);
  return Array.from({ length: count + 1 }, (_, n) => n * step);
}

export function bar(app) {
  const { overview, words } = app;
  const tab = (id, title, count, key) =>
    h(
      "button",
      { class: "tab", "aria-pressed": String(app.question === id), onclick: () => app.open(id), title: `${title}\nAlt+${key}` },
      h("span", { class: "tab-title" }, title),
      h("span", { class: "tab-count" }, say(words, "progress", count)),
      h("progress", { max: Math.max(1, count.total), value: count.done }),
    );
  return [
    h("h1", {}, overview.title, h("small", {}, words.title)),
    h(
      "nav",
      { class: "tabs" },
      overview.questions.map((one, n) => tab(one.id, short(one.title), one.count, n + 1)),
      tab(overview.whole.id, words.whole, overview.whole.count, overview.questions.length + 1),
    ),
    h(
      "div",
      { class: "tools" },
      status(app),
      h("button", { onclick: () => app.allocate() }, words.allocate),
      h("button", { onclick: () => app.bulk(), disabled: app.question === overview.whole.id }, words.bulk),
      h("button", { onclick: () => app.help(), title: "?" }, words.help),
      h("button", { class: "me", onclick: () => app.who(), title: words.reviewer }, app.by),
    ),
  ];
}

// `Q1 Why …` is Q1; other titles are cut.
function short(title) {
  const named = /^Q\d+/i.exec(title)?.[0];
  return named ?? (title.length > 10 ? `${title.slice(0, 9)}…` : title);
}

function status(app) {
  const { words, outbox, overview } = app;
  const waiting = outbox.entries.length;
  if (waiting && outbox.state !== "saved") {
    return h("span", { class: "status bad", id: "status" }, say(words, outbox.state, { n: waiting, why: outbox.why }));
  }
  if (app.unreadable) return h("span", { class: "status bad", id: "status" }, app.unreadable);
  if (waiting) return h("span", { class: "status", id: "status" }, say(words, "queued", { n: waiting }));
  const { waiting: lacking, trouble, damaged } = overview.gradebook;
  if (damaged) return h("span", { class: "status bad", id: "status" }, say(words, "damaged", { n: damaged }));
  if (trouble) return h("span", { class: "status bad", id: "status" }, say(words, "gradebook_trouble", { why: trouble }));
  if (lacking) return h("span", { class: "status", id: "status" }, say(words, "gradebook_waiting", { n: lacking }));
  return h("span", { class: "status good", id: "status" }, words.saved);
}

export function paper(app, item) {
  const { words } = app;
  const whole = item.question === app.overview.whole.id;
  const head = h(
    "div",
    { class: "paper-head" },
    h("h2", {}, say(words, "paper", { name: item.label })),
    item.student ? h("span", { class: "student" }, item.student) : null,
    item.reopened && !whole && item.standing === "reopened"
      ? h("p", { class: "asked" }, words.reopened, item.reopened.reason ? `（${item.reopened.reason}）` : "")
      : null,
    item.standing === "changed" ? h("p", { class: "asked" }, words.changed) : null,
  );
  const answers = whole ? item.answers : [item];
  const question = app.questionOf(item.question);
  return h(
    "div",
    {},
    whole ? null : h("h2", { class: "question" }, question.title),
    h(
      "article",
      { class: "paper" },
      head,
      answers.length ? answers.map((one) => answer(app, one, whole)) : h("p", { class: "text blank" }, words.no_answers),
      whole ? null : group(app, item),
    ),
    item.code.map((one) => code(app, one, whole)),
    whole ? null : rubric(app, question),
  );
}

// What a veto is proposed for by the code: the learner's cell beside the one that was handed out.
function code(app, one, open) {
  const { words, overview } = app;
  const side = (title, lines) =>
    h(
      "figure",
      {},
      h("figcaption", {}, title),
      lines.length
        ? h("div", { class: "text code" }, lines.map(([line, only]) => h("div", { class: only ? "only" : null }, line || "\u200b")))
        : h("div", { class: "text blank" }, words.empty),
    );
  return h(
    "details",
    { class: "paper compared", open },
    h("summary", {}, say(words, "code_beside", { title: overview.titles[one.exercise] ?? one.exercise })),
    h("p", { class: "small" }, words.code_marked),
    h("div", { class: "sides" }, side(words.code_learner, one.learner), side(words.code_pristine, one.pristine)),
  );
}

function answer(app, one, titled) {
  const { words } = app;
  const question = app.questionOf(one.question);
  const places = new Map((question?.links ?? []).map((link, place) => [link.id, { place, line: link.line }]));
  const body = one.text.trim()
    ? h("div", { class: question && !question.manual ? "text code" : "text" }, highlighted(one.text, one.evidence, places))
    : h("div", { class: "text blank" }, words.empty);
  return h(
    "section",
    { class: "answer" },
    titled ? h("h3", {}, question?.title ?? one.question, mark(app, one.mark)) : null,
    one.reason ? h("p", { class: "reason" }, words.why_person, one.reason) : null,
    body,
    one.pictures.length ? h("div", { class: "pictures" }, one.pictures.map((src) => h("img", { src, alt: words.pictures }))) : null,
    titled ? null : marks(app, one),
  );
}

function mark(app, one) {
  if (!one) return null;
  const { words } = app;
  const how = { bulk: words.marked_bulk, group: words.marked_group, formgrader: words.marked_formgrader }[one.how];
  const text = one.score === null ? words.withdrawn : say(words, "marked", { by: one.by, score: number(one.score) });
  return h("span", { class: `mark how-${one.how}` }, text, how ? h("em", {}, how) : null, one.comment ? h("q", {}, one.comment) : null);
}

function marks(app, item) {
  const shown = [item.mark, ...item.earlier.slice().reverse()].filter(Boolean);
  if (!shown.length) return null;
  return h(
    "div",
    { class: "marks" },
    item.standing === "marked" ? mark(app, shown[0]) : h("h3", {}, app.words.earlier),
    h("ul", {}, (item.standing === "marked" ? shown.slice(1) : shown).map((one) => h("li", {}, mark(app, one)))),
  );
}

function group(app, item) {
  const { size, open, members } = item.group;
  if (!size) return null;
  const { words } = app;
  return h(
    "section",
    { class: "group" },
    h("h3", {}, say(words, "group", { n: size })),
    h(
      "ul",
      {},
      members.map((one) =>
        h(
          "li",
          {},
          h("b", {}, one.label),
          one.same ? h("em", {}, words.group_same) : null,
          one.score === null ? null : h("span", { class: "mark" }, number(one.score)),
          h("span", { class: "excerpt" }, one.excerpt),
        ),
      ),
    ),
    item.standing === "marked" && open
      ? h("button", { onclick: () => app.group() }, say(words, "group_do", { n: open }), kbd("g"))
      : null,
  );
}

// What stands where a paper would: that nothing is left here, and the way to where something is.
export function finished(app) {
  const { words } = app;
  const count = app.countOf(app.question);
  const others = count.total - count.done;
  const mine = app.overview.allocation.way !== "none" && others > 0;
  const next = app.nextQuestion();
  return h(
    "div",
    { class: "nothing" },
    h("p", {}, mine ? say(words, "nothing_left_mine", { n: others }) : words.nothing_left),
    next
      ? h("button", { class: "main next", onclick: () => app.open(next.id) }, say(words, "next_question", next), kbd("↵"))
      : mine ? null : h("p", {}, words.all_done),
  );
}

export const kbd = (key) => h("kbd", {}, key);

export function side(app, item) {
  const whole = item.question === app.overview.whole.id;
  const question = app.questionOf(item.question);
  return h(
    "aside",
    {},
    whole ? null : scores(app, item, question),
    whole ? null : links(app, question),
    whole ? null : comment(app, question),
    criteria(app, item, whole),
    vetoes(app, item),
  );
}

function scores(app, item, question) {
  const { words } = app;
  const levels = new Map(question.levels.map((level) => [level.score, level]));
  const suggested = item.suggestion?.score;
  return h(
    "section",
    { class: "scores" },
    suggestion(app, item, question),
    scoresOf(question, app.overview.step).map((score, n) => {
      const level = levels.get(score);
      return h(
        "button",
        {
          class: "score",
          "data-score": score,
          "aria-pressed": String(item.standing === "marked" && item.mark?.score === score),
          "data-suggested": item.suggestion && suggested === score,
          title: level?.note,
          onclick: () => app.mark(score),
        },
        kbd(String(n)),
        h("b", {}, say(words, "points", { score: number(score) })),
        h("span", {}, level?.public || level?.note || ""),
      );
    }),
  );
}

function suggestion(app, item, question) {
  const { words } = app;
  const known = question.agreement;
  if (!question.links.length || item.reason) return null;
  if (!known.enough) return h("p", { class: "suggestion locked" }, say(words, "suggestion_locked", known));
  const one = item.suggestion;
  if (!one) return null;
  const share = (count) => (known.told ? Math.round((100 * count) / known.told) : 0);
  const text =
    one.score === null
      ? words.suggestion_none
      : say(words, "suggestion", { score: number(one.score), confidence: Math.round(100 * one.confidence) });
  return h(
    "div",
    { class: "suggestion" },
    h("p", {}, text),
    h("p", { class: "small" }, say(words, "agreement", { ...known, exact: share(known.exact), half: share(known.within_half) })),
    one.flags.length ? h("p", { class: "small" }, `${words.flags}：${one.flags.map((flag) => words[`flag_${flag}`] ?? flag).join(" · ")}`) : null,
  );
}

function links(app, question) {
  if (!question.links.length) return null;
  return h(
    "section",
    { class: "links" },
    h("h3", {}, app.words.links),
    question.links.map((link, n) =>
      h(
        "button",
        {
          class: `link l${n}`,
          "aria-pressed": String(app.draft.links.has(link.id)),
          title: [app.words.evidence_hint, ...link.evidence].join("\n"),
          onclick: () => app.toggleLink(link.id),
        },
        kbd(LINK_KEYS[n] ?? ""),
        h("span", {}, link.line),
        link.mechanism ? h("em", {}, app.words.mechanism) : null,
      ),
    ),
  );
}

function comment(app, question) {
  const { words } = app;
  const used = question.comments;
  const asks = question.links.filter((link) => link.ask && !app.draft.links.has(link.id)).map((link) => link.ask);
  const offer = (text, key) =>
    h("li", {}, h("button", { class: "offer", onclick: () => app.addComment(text) }, key ? kbd(key) : null, text));
  return h(
    "section",
    { class: "comment" },
    h("label", { for: "comment" }, words.comment, kbd("m")),
    h("textarea", {
      id: "comment",
      rows: 3,
      placeholder: words.comment_placeholder,
      value: app.draft.comment,
      oninput: (event) => (app.draft.comment = event.target.value),
    }),
    used.length ? h("details", { open: true }, h("summary", {}, words.reuse), h("ul", {}, used.slice(0, 6).map((text, n) => offer(text, `⇧${n + 1}`)))) : null,
    asks.length ? h("details", {}, h("summary", {}, words.ask), h("ul", {}, asks.map((text) => offer(text)))) : null,
  );
}

function criteria(app, item, whole) {
  const { words } = app;
  if (!item.criteria.length) return null;
  const names = new Map(app.overview.criteria.map((one) => [one.id, one.line]));
  const open = item.criteria.some((one) => app.criterionShown(one) === null);
  return h(
    "section",
    { class: "criteria" },
    h("h3", {}, words.criteria),
    item.criteria.map((one, n) => {
      const value = whole ? app.criterionShown(one) : one.value;
      const state = value === null ? "open" : value ? "yes" : "no";
      const hint = one.value === null && one.proposal !== null ? (one.proposal ? words.proposed_yes : words.proposed_no) : null;
      return h(
        "button",
        { class: `criterion ${state}`, "data-criterion": one.id, onclick: () => app.turnCriterion(one) },
        kbd(CRITERION_KEYS[n] ?? ""),
        h("b", {}, words[state]),
        h("span", {}, names.get(one.id) ?? one.id, hint ? h("em", {}, hint) : null),
      );
    }),
    whole
      ? h("button", { class: "confirm", onclick: () => app.confirm(), disabled: open }, words.confirm_all, kbd("↵"))
      : null,
    whole && open ? h("p", { class: "small" }, words.criteria_left) : null,
  );
}

function vetoes(app, item) {
  const { words } = app;
  const lines = new Map(app.overview.vetoes.map((one) => [one.id, one]));
  const shown = item.vetoes.filter((one) => one.proposed || one.standing !== null);
  return h(
    "section",
    { class: "vetoes" },
    h("h3", {}, words.vetoes, h("button", { onclick: () => app.veto() }, words.veto_pick, kbd("v"))),
    shown.map((one) =>
      h(
        "div",
        { class: `veto ${one.standing === null ? "proposed" : one.standing ? "stands" : "not"}` },
        h("b", {}, lines.get(one.id)?.line ?? one.id),
        one.standing === null
          ? h("span", {}, one.from ? `${words.veto_proposed}（${app.questionOf(one.from)?.title ?? one.from}）` : words.veto_from_code)
          : h("span", {}, one.standing ? words.veto_stands : words.veto_not, one.reason ? h("q", {}, one.reason) : null, ` · ${one.by}`),
        one.standing === null
          ? h("span", { class: "row" },
              h("button", { onclick: () => app.veto(one.id) }, words.veto_stands),
              h("button", { onclick: () => app.dismissVeto(one) }, words.veto_not))
          : null,
      ),
    ),
  );
}

function rubric(app, question) {
  const { words } = app;
  if (!question.conclusion && !question.public.length) return null;
  return h(
    "section",
    { class: "rubric" },
    h("h3", {}, words.rubric),
    question.conclusion ? h("p", {}, h("b", {}, words.conclusion), question.conclusion) : null,
    question.public.map((line) => h("p", {}, line)),
  );
}
