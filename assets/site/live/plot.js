// The live plot: controls, the verdict in words, the numbers in tables, and the chart.

const SAID_AFTER_MS = 600;
const NEAR = "600px";

class LivePlot {
  constructor(root, { data, controls, script }) {
    this.root = root;
    this.plan = this.first = new Plan(data);
    this.chart = null;
    const change = (how, typing) => this.change(how, typing);
    this.controls = controls.map((spec) => {
      const place = root.querySelector(`[data-control="${spec.key}"]`);
      return new KINDS[spec.kind](place, spec, change, data);
    });
    root.querySelector(".live-reset").addEventListener("click", () => change(() => this.first));
    root.querySelector(".live-form").addEventListener("submit", (event) => event.preventDefault());
    root.classList.add("live-ready");
    this.show();
    this.drawLater(script);
  }

  change(how, typing = null) {
    this.plan = how(this.plan);
    this.show(typing);
  }

  show(typing) {
    const { plan } = this;
    const result = outlook(plan);
    const times = bands(plan);
    for (const control of this.controls) control.show(plan, typing);
    const verdict = verdict_sentence(plan, result);
    const detail = tiers_sentence(plan, times);
    this.at(".live-verdict").textContent = verdict;
    this.at(".live-verdict").dataset.feasible = result.feasible;
    this.at(".live-detail").textContent = detail;
    this.sayLater(`${verdict}${detail}`);
    this.showReadouts(readouts(plan, result));
    this.showTiers(plan, times);
    this.chart?.update(plan, result, times);
  }

  at(selector) {
    return this.root.querySelector(selector);
  }

  // A slider that is dragged would have a screen reader speak without end.
  sayLater(text) {
    clearTimeout(this.saying);
    this.saying = setTimeout(() => {
      const region = this.at(".live-announce");
      if (region.dataset.begun) region.textContent = text;
      region.dataset.begun = "yes";
    }, SAID_AFTER_MS);
  }

  showReadouts(values) {
    const rows = Object.entries(values).map(([name, value]) =>
      element("div", {}, element("dt", {}, name), element("dd", {}, value)),
    );
    this.at(".live-readouts").replaceChildren(...rows);
  }

  // The table says in words what the chart shows, and is its legend.
  showTiers(plan, times) {
    const rows = times.map((band) => {
      const cells = [
        seconds_text(band.fast_s),
        seconds_text(band.typical_s),
        seconds_text(band.slow_s),
        band.capped ? "集群上限" : "节点合计",
        band.typical_s <= plan.interval_s ? "写得完" : "写不完",
      ];
      const head = element("th", { scope: "row" }, swatch(LOOKS[band.id]), TIER_NAMES[band.id]);
      return element("tr", {}, head, ...cells.map((text) => element("td", {}, text)));
    });
    this.at(".live-tiers tbody").replaceChildren(...rows);
  }

  // The chart's library is 1.4 MB: it comes when the reader does, never before the first view.
  drawLater(script) {
    const place = this.at(".live-chart");
    const observer = new IntersectionObserver(
      (entries) => {
        if (!entries.some((entry) => entry.isIntersecting)) return;
        observer.disconnect();
        load(script).then(
          () => this.draw(place),
          () => { this.at(".live-late").hidden = false; },
        );
      },
      { rootMargin: NEAR },
    );
    observer.observe(this.root);
  }

  async draw(place) {
    place.hidden = false;
    this.at(".live-static").hidden = true;
    this.chart = new Chart(place);
    this.chart.update(this.plan, outlook(this.plan), bands(this.plan));
    await this.chart.show();
  }
}

function swatch({ colour, dash }) {
  const made = element("span", { "class": "live-swatch", "aria-hidden": "true" });
  made.innerHTML =
    '<svg viewBox="0 0 36 8" width="36" height="8"><path d="M1 4h34" stroke-width="3" ' +
    `stroke="${colour}" stroke-dasharray="${dash.join(" ")}"/></svg>`;
  return made;
}

function dump_time_alt(plan, result) {
  return (
    "写完一个检查点的时间与检查点间隔的双对数关系图（模型）：五层各一条带，对角线是 " +
    `T_dump = T，上方不可行。方案写 ${bytes_text(plan.written_bytes)}要 ` +
    `${seconds_text(result.dump_s)}，间隔 ${seconds_text(plan.interval_s)}，` +
    `${result.feasible ? "可行" : "不可行"}。`
  );
}

for (const root of document.querySelectorAll(".live-plot")) {
  new LivePlot(root, JSON.parse(root.querySelector(".live-data").textContent));
}

// What the page computes with, for whoever wants to check it.
window.courseModel = {
  Plan, ValueError, outlook, bands, verdict_sentence, tiers_sentence, readouts, dump_time_alt,
  physical_bytes, dump_time_s, required_average_Bps, is_feasible,
  bandwidth_limits_Bps, effective_bandwidth_Bps, format_g, format_whole,
  model_presets, cluster_presets, backend_presets,
};
