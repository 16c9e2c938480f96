// Dialogs: who reviews, vetoes, bulk acceptance, sharing the work, the keys.

import { h } from "./dom.js";
import { send } from "./net.js";
import { CRITERION_KEYS, LINK_KEYS, kbd, say, scoresOf } from "./view.js";

function opened(title, ...content) {
  const dialog = h("dialog", {}, h("h2", {}, title), content);
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

export function who(app, words) {
  return new Promise((resolve) => {
    const name = h("input", { id: "who", required: true, maxlength: 60, value: app.by || app.overview.reviewer, autocomplete: "off" });
    const form = h("form", { method: "dialog" }, h("p", {}, words.who_why), name, h("button", { class: "main" }, words.begin));
    const dialog = opened(words.who, form);
    dialog.addEventListener("cancel", (event) => app.by || event.preventDefault());
    dialog.addEventListener("close", () => resolve(name.value.trim() || app.by));
  });
}

export function veto(app, item, chosen) {
  const { words, overview } = app;
  const reason = h("textarea", { rows: 3, id: "veto-reason", required: true });
  let picked = chosen ?? null;
  const rows = overview.vetoes.map((one, n) =>
    h(
      "button",
      { type: "button", class: "pick", "aria-pressed": String(picked === one.id), "data-veto": one.id, onclick: () => pick(one.id) },
      h("b", {}, kbd(String(n + 1)), one.line),
      h("span", {}, one.definition),
      one.example ? h("span", { class: "small" }, words.veto_example, one.example) : null,
      one.not_this ? h("span", { class: "small" }, words.veto_beside, one.not_this) : null,
    ),
  );
  const known = () => item.vetoes.find((one) => one.id === picked);
  function pick(id) {
    picked = id;
    rows.forEach((row) => row.setAttribute("aria-pressed", String(row.dataset.veto === id)));
    reason.value = known()?.reason ?? "";
    reason.focus();
  }
  const decide = (standing) => {
    if (!picked || (standing && !reason.value.trim())) return reason.focus();
    app.decideVeto(known(), standing, reason.value.trim());
    dialog.close();
  };
  const dialog = opened(
    words.veto_pick,
    rows,
    h("label", { for: "veto-reason" }, words.veto_reason),
    reason,
    h(
      "div",
      { class: "row" },
      h("button", { class: "main bad", onclick: () => decide(true) }, words.veto_stands, kbd("Ctrl ↵")),
      h("button", { onclick: () => decide(false) }, words.veto_not),
      h("button", { onclick: () => dialog.close() }, words.cancel, kbd("Esc")),
    ),
  );
  dialog.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && event.ctrlKey) decide(true);
    const n = Number(event.key);
    if (event.target !== reason && n >= 1 && n <= rows.length) {
      event.preventDefault();
      pick(overview.vetoes[n - 1].id);
    }
  });
  if (picked) pick(picked);
}

export function bulk(app, question) {
  const { words } = app;
  const known = question.agreement;
  if (!known.enough) {
    const dialog = opened(words.bulk_title, h("p", {}, say(words, "bulk_locked", known)), h("p", { class: "small" }, say(words, "suggestion_locked", known)),
      h("div", { class: "row" }, h("button", { onclick: () => dialog.close() }, words.close)));
    return;
  }
  const above = h("input", { type: "range", min: 50, max: 99, value: 90, id: "above" });
  const shown = h("output", {}, "90%");
  const told = h("p", {});
  const accept = h("button", { class: "main", disabled: true, onclick: () => run(true) });
  const body = () => ({ by: app.by, question: question.id, above: above.value / 100 });
  async function run(doIt) {
    try {
      const data = await send("bulk", { ...body(), accept: doIt });
      if (doIt) {
        dialog.close();
        app.tell(say(words, "bulk_done", { n: data.marked }));
        await app.reload();
        return;
      }
      const scores = data.scores.map(([score, n]) => `${say(words, "points", { score })} × ${n}`).join("，");
      told.textContent = data.marked ? `${say(words, "bulk_count", { n: data.marked })} ${scores}` : words.bulk_none;
      accept.textContent = say(words, "bulk_do", { n: data.marked });
      accept.disabled = !data.marked;
    } catch (error) {
      told.textContent = say(words, "refused", { why: error.message });
    }
  }
  above.addEventListener("input", () => (shown.textContent = `${above.value}%`));
  above.addEventListener("change", () => run(false));
  const share = (count) => (known.told ? Math.round((100 * count) / known.told) : 0);
  const dialog = opened(
    words.bulk_title,
    h("p", {}, say(words, "agreement", { ...known, exact: share(known.exact), half: share(known.within_half) })),
    h("label", { for: "above" }, words.bulk_above, above, shown),
    told,
    h("p", { class: "small" }, words.bulk_kept),
    h("div", { class: "row" }, accept, h("button", { onclick: () => dialog.close() }, words.cancel)),
  );
  run(false);
}

export function allocate(app) {
  const { words, overview } = app;
  const way = h(
    "select",
    { id: "way" },
    ["none", "question", "student"].map((one) => h("option", { value: one, selected: overview.allocation.way === one }, words[`allocate_${one}`])),
  );
  const known = overview.allocation.graders.length ? overview.allocation.graders : overview.reviewers.filter((one) => one !== "formgrader");
  const names = h("textarea", { id: "graders", rows: 4, value: known.join("\n") });
  const save = () => {
    app.outbox.push("allocate", { by: app.by, way: way.value, graders: names.value.split("\n"), based_on: overview.allocation.based_on }, "allocation");
    dialog.close();
  };
  const dialog = opened(
    words.allocate,
    h("label", { for: "way" }, words.allocate_way),
    way,
    h("label", { for: "graders" }, words.allocate_names),
    names,
    h("div", { class: "row" }, h("button", { class: "main", onclick: save }, words.save), h("button", { onclick: () => dialog.close() }, words.cancel)),
  );
}

export function keyList(app) {
  const { words, overview, item } = app;
  const question = app.questionOf(app.question);
  const range = (first, last) => (first === last ? `${first}` : `${first}–${last}`);
  const letters = (keys, count) => keys.slice(0, count).split("").join(" ");
  const tabs = ["Alt " + range(1, overview.questions.length + 1), words.key_question];
  const walk = [["u", words.key_undo], ["n", words.key_skip], ["p", words.key_back]];
  if (!item) return [app.nextQuestion() ? ["↵", words.key_next] : null, tabs, ["u", words.key_undo], ["p", words.key_back], ["?", words.key_help]].filter(Boolean);
  const decided = [
    overview.vetoes.length ? ["v", words.key_veto] : null,
    overview.criteria.length ? [letters(CRITERION_KEYS, overview.criteria.length), words.key_criteria] : null,
  ];
  if (!question) return [["↵", words.key_confirm], ...decided.reverse(), tabs, ...walk, ["?", words.key_help]].filter(Boolean);
  return [
    [range(0, Math.min(9, scoresOf(question, overview.step).length - 1)), words.key_score],
    question.links.length ? [letters(LINK_KEYS, question.links.length), words.key_link] : null,
    ["m", words.key_comment],
    tabs,
    ...walk,
    item.group?.size ? ["g", words.key_group] : null,
    ...decided,
    ["?", words.key_help],
    question.comments.length ? ["⇧" + range(1, Math.min(6, question.comments.length)), words.key_reuse] : null,
  ].filter(Boolean);
}

export function help(app) {
  const { words } = app;
  const dialog = opened(
    words.help,
    h("dl", { class: "keys" }, keyList(app).map(([key, what]) => [h("dt", {}, kbd(key)), h("dd", {}, what)])),
    h("div", { class: "row" }, h("button", { class: "main", onclick: () => dialog.close() }, words.close)),
  );
}
