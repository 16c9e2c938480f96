// The readers' page: theme, answers, printing, and what a reader writes. Without it the page reads
// and folds all the same.
(function () {
  "use strict";
  var root = document.documentElement;
  var site = root.dataset.site || "page";
  var all = function (selector, from) { return Array.from((from || document).querySelectorAll(selector)); };
  var one = function (id) { return document.getElementById(id); };

  // --- Kept on this device. From disk all pages share one store, hence the lesson's name. ---
  var memory = new Map();
  // Returns whether it will be there the next time: storage may be forbidden, or full.
  function keep(name, value) {
    memory.set(name, value);
    try {
      if (value === null) localStorage.removeItem(name);
      else localStorage.setItem(name, value);
      return true;
    } catch (error) { return false; }
  }
  function kept(name) {
    if (memory.has(name)) return memory.get(name);
    try { return localStorage.getItem(name); } catch (error) { return null; }
  }
  var own = function (name) { return "course:" + site + ":" + name; };

  // --- Light and dark ---
  var THEMES = ["system", "light", "dark"];
  var wish = window.matchMedia("(prefers-color-scheme: dark)");
  function isDark() { return root.dataset.theme ? root.dataset.theme === "dark" : wish.matches; }
  function tellTheme() {
    document.dispatchEvent(new CustomEvent("course:theme", { detail: { dark: isDark() } }));
  }
  function setUpTheme() {
    var button = one("theme");
    if (!button) return;
    var name = button.querySelector(".theme-name");
    function show() {
      name.textContent = button.dataset[root.dataset.theme || "system"];
      button.setAttribute("aria-label", button.dataset.label + "：" + name.textContent);
    }
    button.dataset.label = button.getAttribute("aria-label");
    button.addEventListener("click", function () {
      var next = THEMES[(THEMES.indexOf(root.dataset.theme || "system") + 1) % THEMES.length];
      if (next === "system") delete root.dataset.theme;
      else root.dataset.theme = next;
      keep("course:theme", next === "system" ? null : next);
      show();
      tellTheme();
    });
    wish.addEventListener("change", tellTheme);
    show();
  }

  // --- Answers ---
  var folds = all("details.answer");
  function setUpAnswers() {
    var button = one("answers");
    if (!button || !folds.length) return;
    var show = function () {
      button.setAttribute("aria-checked", String(folds.every(function (fold) { return fold.open; })));
    };
    button.addEventListener("click", function () {
      var open = button.getAttribute("aria-checked") !== "true";
      folds.forEach(function (fold) { fold.open = open; });
      keep(own("answers"), open ? "open" : null);
      show();
    });
    folds.forEach(function (fold) { fold.addEventListener("toggle", show); });
    if (kept(own("answers")) === "open") folds.forEach(function (fold) { fold.open = true; });
    show();
  }
  function openTarget() {
    var id = "";
    try { id = decodeURIComponent(location.hash.slice(1)); } catch (error) { return; }
    var target = id && one(id);
    var fold = target && target.closest("details");
    if (!fold) return;
    for (var outer = fold; outer; outer = outer.parentElement && outer.parentElement.closest("details")) {
      outer.open = true;
    }
    fold.scrollIntoView({ block: "start" });
    var summary = fold.querySelector("summary");
    if (summary) summary.focus({ preventScroll: true });
  }

  // --- Printing ---
  var openedForPrint = [];
  function printPage(withAnswers) {
    root.classList.toggle("print-without", !withAnswers);
    if (withAnswers) {
      openedForPrint = folds.filter(function (fold) { return !fold.open; });
      openedForPrint.forEach(function (fold) { fold.open = true; });
    }
    window.print();
  }
  function setUpPrint() {
    var button = one("print");
    if (!button) return;
    var dialog = one("print-ask");
    function ask() {
      if (dialog && dialog.showModal) { if (!dialog.open) dialog.showModal(); }
      else printPage(false);
    }
    button.addEventListener("click", ask);
    document.addEventListener("keydown", function (event) {
      var p = event.key === "p" || event.key === "P";
      if (dialog && p && (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey) {
        event.preventDefault();
        ask();
      }
    });
    if (dialog) {
      all("[data-print]", dialog).forEach(function (choice) {
        choice.addEventListener("click", function () {
          dialog.close();
          if (choice.dataset.print !== "cancel") printPage(choice.dataset.print === "with");
        });
      });
    }
    window.addEventListener("beforeprint", function () {
      // A picture that was never near the screen has not been loaded yet.
      all("img[loading=lazy]").forEach(function (image) { image.loading = "eager"; });
    });
    window.addEventListener("afterprint", function () {
      root.classList.remove("print-without");
      openedForPrint.forEach(function (fold) { fold.open = false; });
      openedForPrint = [];
    });
  }

  // --- What a reader writes, and marks ---
  var boxes = all("textarea[data-answer]");
  function fieldValue(field) {
    if (field.type === "checkbox") return field.checked ? "1" : null;
    if (field.type === "radio") return field.checked ? field.value : undefined;
    return field.value || null;
  }
  function restore(field) {
    var value = kept(own(field.dataset.keep));
    if (field.type === "checkbox") field.checked = value === "1";
    else if (field.type === "radio") field.checked = value === field.value;
    else field.value = value || "";
  }
  function showMarks() {
    var sum = 0;
    var marked = 0;
    boxes.forEach(function (box) {
      var id = box.dataset.answer;
      var marks = document.querySelector('[data-marks="' + id + '"]');
      document.querySelector('[data-written="' + id + '"]').textContent = box.value;
      marks.hidden = !box.value.trim();
      var chosen = marks.querySelector("input[type=radio]:checked");
      var total = one("own-total");
      var ticks = all("input[type=checkbox]", marks);
      var ticked = ticks.filter(function (tick) { return tick.checked; }).length;
      marks.querySelector(".total").textContent = (ticks.length ? "✓ " + ticked + " / " + ticks.length : "")
        + (chosen ? (ticks.length ? "　" : "") + marks.dataset.score.replace("{score}", chosen.value) : "");
      if (chosen && !marks.hidden) { sum += Number(chosen.value); marked += 1; }
      total.textContent = marked ? total.dataset.label + "　" + sum + " " + total.dataset.of : "";
    });
  }
  function setUpFields() {
    all("[data-keep]").forEach(function (field) {
      restore(field);
      field.addEventListener("input", function () {
        var value = fieldValue(field);
        var safe = value === undefined || keep(own(field.dataset.keep), value);
        if (boxes.length) showMarks();
        if (boxes.indexOf(field) >= 0) sayKept(field, safe);
      });
    });
    if (boxes.length) { showMarks(); setUpFile(); }
  }
  function sayKept(box, safe) {
    var said = one("import-said").dataset;
    one("own-" + box.dataset.answer + "-kept").textContent = safe ? said.kept : said.lost;
  }

  // --- Answers as a text file: "=== id" begins each; a line of an answer that begins so gets a \ ---
  var HEAD = "course-answers 1 ";
  function exported() {
    var parts = [HEAD + site, document.title, ""];
    boxes.forEach(function (box) {
      var text = box.value.replace(/\r\n?/g, "\n").replace(/^(\\*===)/gm, "\\$1");
      parts.push("=== " + box.dataset.answer, text, "");
    });
    return parts.join("\n");
  }
  function parsed(text) {
    var lines = text.replace(/^\ufeff/, "").replace(/\r\n?/g, "\n").split("\n");
    if (lines[0].trim() !== HEAD + site) return null;
    var found = new Map();
    var name = null;
    lines.slice(1).forEach(function (line) {
      var head = /^=== (\S+)\s*$/.exec(line);
      if (head) { name = head[1]; found.set(name, []); }
      else if (name !== null) found.get(name).push(line.replace(/^\\(\\*===)/, "$1"));
    });
    found.forEach(function (rows, id) { found.set(id, rows.join("\n").replace(/\n+$/, "")); });
    return found;
  }
  function take(text) {
    var said = one("import-said");
    var found = parsed(text);
    if (!found) { said.textContent = said.dataset.refused; return; }
    var mine = boxes.filter(function (box) { return found.get(box.dataset.answer); });
    var lost = mine.filter(function (box) {
      return box.value.trim() && box.value !== found.get(box.dataset.answer);
    });
    if (lost.length && !window.confirm(said.dataset.ask.replace("{count}", lost.length))) return;
    var safe = true;
    mine.forEach(function (box) {
      box.value = found.get(box.dataset.answer);
      var stays = keep(own(box.dataset.keep), box.value);
      sayKept(box, stays);
      safe = safe && stays;
    });
    said.textContent = said.dataset.imported.replace("{count}", mine.length)
      + (safe ? "" : " " + said.dataset.lost);
    showMarks();
  }
  function setUpFile() {
    var input = one("import-file");
    one("export").addEventListener("click", function () {
      var link = document.createElement("a");
      link.href = URL.createObjectURL(new Blob([exported()], { type: "text/plain;charset=utf-8" }));
      link.download = one("export").dataset.name;
      link.click();
      setTimeout(function () { URL.revokeObjectURL(link.href); }, 10000);
    });
    one("import").addEventListener("click", function () { input.click(); });
    input.addEventListener("change", function () {
      if (input.files[0]) input.files[0].text().then(take);
      input.value = "";
    });
  }

  // --- What scrolls sideways can be scrolled by keyboard, and says so ---
  function setUpScrolls() {
    function mark() {
      all(".scroll").forEach(function (box) {
        var scrolls = box.scrollWidth > box.clientWidth;
        if (!scrolls) { box.removeAttribute("tabindex"); return; }
        box.tabIndex = 0;
        if (!box.hasAttribute("role")) {
          box.setAttribute("role", "group");
          box.setAttribute("aria-label", root.dataset.scrolls);
        }
      });
    }
    mark();
    window.addEventListener("load", mark);
    window.addEventListener("resize", mark);
    if (document.fonts) document.fonts.ready.then(mark);
    document.addEventListener("toggle", mark, true);
  }

  // --- Where the reader is, in the table of contents ---
  function setUpContents() {
    var links = new Map(all(".contents a").map(function (link) {
      return [decodeURIComponent(link.hash.slice(1)), link];
    }));
    var fold = document.querySelector(".contents details");
    if (!fold) return;
    if (window.matchMedia("(max-width: 67.99rem)").matches) fold.open = false;
    var headings = all("article h2[id], article h3[id]").filter(function (h) { return links.has(h.id); });
    var waiting = false;
    function mark() {
      waiting = false;
      var here = headings.filter(function (h) { return h.getBoundingClientRect().top < 140; }).pop();
      links.forEach(function (link, id) {
        if (here && id === here.id) link.setAttribute("aria-current", "true");
        else link.removeAttribute("aria-current");
      });
    }
    window.addEventListener("scroll", function () {
      if (!waiting) { waiting = true; requestAnimationFrame(mark); }
    }, { passive: true });
    mark();
  }

  window.courseSite = { dark: isDark, keep: function (n, v) { keep(own(n), v); }, kept: function (n) { return kept(own(n)); } };
  setUpTheme();
  setUpAnswers();
  setUpPrint();
  setUpFields();
  setUpScrolls();
  setUpContents();
  window.addEventListener("hashchange", openTarget);
  // A second click on the same link changes no hash.
  document.addEventListener("click", function (event) {
    var link = event.target.closest && event.target.closest('a[href^="#"]');
    if (link && link.hash === location.hash) setTimeout(openTarget, 0);
  });
  openTarget();
})();
