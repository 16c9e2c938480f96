// The chart, drawn by BokehJS: a band and a typical line per tier, the diagonal, the plan.
// The notebook's figure has the same axes, colours and dashes.

class Chart {
  constructor(place) {
    this.place = place;
    this.sources = new Map();
    this.drawn = new Map();
    this.themed = [];
    this.main = this.frame("间隔 T", "写完要多久 T_dump", INTERVALS_S);
    this.lanes = this.frame("各层合计：低—典型—高", null, [-0.6, 4.6], "linear");
    this.lanes.y_range = this.main.y_range;
    this.drawInfeasible();
    Object.entries(LOOKS).forEach(([id, look], lane) => this.drawTier(id, look, lane));
    this.drawPlan();
    this.row = new Bokeh.Row({ sizing_mode: "stretch_width" });
  }

  source(name, columns) {
    const source = new Bokeh.ColumnDataSource({ name, data: columns });
    this.sources.set(name, source);
    return source;
  }

  frame(x_label, y_label, x_range, x_axis_type = "log") {
    const figure = Bokeh.Plotting.figure({
      x_axis_type,
      y_axis_type: "log",
      x_range: new Bokeh.Range1d({ start: x_range[0], end: x_range[1] }),
      y_range: new Bokeh.Range1d({ start: DUMPS_S[0], end: DUMPS_S[1] }),
      toolbar_location: null,
      tools: [],
      min_border: 0,
      outline_line_color: null,
      x_axis_label: x_label,
      y_axis_label: y_label,
    });
    const ticks = [...TIME_TICKS.keys()];
    const timed = x_axis_type === "log" ? [...figure.xaxes, ...figure.yaxes] : figure.yaxes;
    for (const axis of timed) {
      axis.ticker = new Bokeh.FixedTicker({ ticks });
      axis.major_label_overrides = TIME_TICKS;
    }
    // A grid of its own would stand between the ticks.
    figure.xgrids[0].ticker = figure.xaxes[0].ticker;
    figure.ygrids[0].ticker = figure.yaxes[0].ticker;
    return figure;
  }

  // Set what depends on the theme now and whenever the theme changes.
  theme(model, properties) {
    this.themed.push([model, properties]);
  }

  drawInfeasible() {
    const [low, high] = INTERVALS_S;
    const corner = this.main.patch({
      x: [low, high, high, low], y: [low, high, DUMPS_S[1], DUMPS_S[1]], line_color: null,
      hatch_pattern: "right_diagonal_line", hatch_scale: 14, hatch_weight: 1,
    });
    this.theme(corner.glyph, { fill_color: "out", hatch_color: "hatch" });
    const late = this.lanes.quad({
      source: this.source("late", { top: [DUMPS_S[1]], bottom: [1] }),
      left: -0.6, right: 4.6, top: { field: "top" }, bottom: { field: "bottom" },
      line_color: null, hatch_pattern: "right_diagonal_line", hatch_scale: 14, hatch_weight: 1,
    });
    this.theme(late.glyph, { fill_color: "out", hatch_color: "hatch" });
    const diagonal = this.main.line({ x: [low, high], y: [low, high], line_width: 2 });
    this.theme(diagonal.glyph, { line_color: "ink" });
    this.note({ x: 14, y: 60_000, text: "不可行：T_dump > T", size: "15px" });
    this.note({ x: 95_000, y: 14_000, text: "T_dump = T", size: "13px", align: "right" });
  }

  note({ x, y, text, size, align = "left" }) {
    const label = new Bokeh.Label({
      x, y, text, text_font_size: size, text_align: align, text_baseline: "middle", padding: 3,
    });
    this.theme(label, { text_color: "ink", background_fill_color: "page", text_font: "font" });
    this.main.add_layout(label);
    return label;
  }

  drawTier(id, { name, colour, dash }, lane) {
    const band = this.source(`band-${id}`, { x: [], y: [] });
    const shade = { fill_color: colour, fill_alpha: 0.1, line_color: null };
    this.main.patch({ x: { field: "x" }, y: { field: "y" }, source: band, ...shade });
    const stroke = { line_color: colour, line_dash: dash, line_width: 2.5 };
    const at = { x: { field: "x" }, y: { field: "y" } };
    const [line, beyond, least, bar, typical, lead] = [
      "line", "beyond", "least", "bar", "typical", "lead",
    ].map((part) => this.source(`${part}-${id}`, { x: [], y: [], top: [], bottom: [] }));
    this.main.line({ ...at, source: beyond, ...stroke, line_alpha: 0.35 });
    this.main.line({ ...at, source: line, ...stroke });
    const dot = this.main.scatter({ ...at, source: least, size: 9, fill_color: colour });
    this.theme(dot.glyph, { line_color: "page" });
    this.lanes.line({ ...at, source: lead, ...stroke });
    this.lanes.quad({
      source: bar, left: lane - 0.3, right: lane + 0.3, top: { field: "top" },
      bottom: { field: "bottom" }, fill_color: colour, fill_alpha: 0.45, line_color: colour,
    });
    const middle = this.lanes.line({ ...at, source: typical, line_width: 2.5 });
    this.theme(middle.glyph, { line_color: "ink" });
    this.laneNames = [...(this.laneNames ?? []), [lane, name]];
  }

  drawPlan() {
    const at = { x: { field: "x" }, y: { field: "y" } };
    const slack = this.main.line({
      ...at, source: this.source("slack", { x: [], y: [] }), line_dash: [2, 4], line_width: 2,
    });
    const deadline = this.lanes.line({
      ...at, source: this.source("deadline", { x: [], y: [] }), line_width: 2,
    });
    const point = this.main.scatter({
      ...at, source: this.source("point", { x: [], y: [] }), marker: "diamond", size: 18,
      line_width: 1.5,
    });
    this.theme(slack.glyph, { line_color: "plan" });
    this.theme(deadline.glyph, { line_color: "ink" });
    this.theme(point.glyph, { fill_color: "plan", line_color: "page" });
    this.label = this.note({ x: 1800, y: 600, text: "", size: "13px" });
    this.label.padding = 5;
    this.label.border_line_width = 1;
    this.theme(this.label, {
      text_color: "plan", border_line_color: "plan", background_fill_color: "page",
    });
    const { lanes } = this;
    const [xaxis] = lanes.xaxes;
    xaxis.ticker = new Bokeh.FixedTicker({ ticks: this.laneNames.map(([lane]) => lane) });
    xaxis.major_label_overrides = new Map(this.laneNames);
    lanes.xgrids[0].visible = false;
    lanes.yaxes[0].visible = false;
  }

  update(plan, result, times) {
    const set = (name, data) => {
      // Most of the chart stays where it is when one thing changes.
      const key = JSON.stringify(data);
      if (this.drawn.get(name) === key) return;
      this.drawn.set(name, key);
      this.sources.get(name).data = data;
    };
    const [low, high] = INTERVALS_S;
    times.forEach((band, lane) => {
      const at = band.typical_s;
      const least = clamp(at, INTERVALS_S);
      set(`band-${band.id}`, feasible_part(band));
      set(`line-${band.id}`, { x: [least, high], y: [at, at] });
      set(`beyond-${band.id}`, { x: [low, least], y: [at, at] });
      set(`least-${band.id}`, { x: [at], y: [at] });
      set(`bar-${band.id}`, { top: [band.slow_s], bottom: [band.fast_s] });
      set(`typical-${band.id}`, { x: [lane - 0.3, lane + 0.3], y: [at, at] });
      set(`lead-${band.id}`, { x: [-0.6, lane - 0.3], y: [at, at] });
    });
    const { dump_s } = result;
    const { interval_s } = plan;
    set("slack", { x: [interval_s, interval_s], y: [dump_s, interval_s] });
    set("point", { x: [interval_s], y: [dump_s] });
    set("deadline", { x: [-0.6, 4.6], y: [interval_s, interval_s] });
    set("late", { top: [DUMPS_S[1]], bottom: [interval_s] });
    this.placeLabel(plan, result);
    this.place.setAttribute("aria-label", dump_time_alt(plan, result));
  }

  placeLabel(plan, result) {
    const [low, high] = INTERVALS_S;
    const share = Math.log(plan.interval_s / low) / Math.log(high / low);
    const room_px = this.place.clientWidth - AXIS_PX - (this.wide ? LANES_PX : 0);
    const on_left = (1 - share) * room_px < LABEL_PX;
    const shown = clamp(result.dump_s, DUMPS_S);
    const near_bottom = shown < DUMPS_S[0] * 60;
    const fate = result.feasible
      ? `余量 ${factor_text(result.slack)} 倍`
      : `是间隔的 ${factor_text(1 / result.slack)} 倍`;
    this.label.setv({
      x: plan.interval_s,
      y: shown,
      x_offset: on_left ? -14 : 14,
      y_offset: near_bottom ? 46 : -46,
      text_align: on_left ? "right" : "left",
      text: [
        `方案：${bandwidth_text(result.effective_Bps)}`,
        `写完要 ${seconds_text(result.dump_s)}`,
        `平均要 ${bandwidth_text(plan.average_Bps)}`,
        fate,
      ].join("\n"),
    });
  }

  async show() {
    Bokeh.set_log_level("error");
    this.arrange();
    this.paint();
    await Bokeh.Plotting.show(this.row, this.place);
    new ResizeObserver(() => this.arrange()).observe(this.place);
    new MutationObserver(() => this.paint()).observe(document.documentElement, {
      attributes: true,
    });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.paint());
  }

  // The lanes stand beside the plot where there is room; the table below has their numbers.
  arrange() {
    const wide = this.place.clientWidth >= LANES_FROM_PX;
    if (wide === this.wide) return;
    this.wide = wide;
    const height = wide ? HEIGHT.wide : HEIGHT.narrow;
    this.main.setv({ sizing_mode: "stretch_width", height });
    this.lanes.setv({ width: LANES_PX, height });
    this.row.children = wide ? [this.main, this.lanes] : [this.main];
    const ticks = wide ? [...TIME_TICKS.keys()] : FEWER_TICKS;
    const ticker = new Bokeh.FixedTicker({ ticks });
    this.main.xaxes[0].ticker = ticker;
    this.main.xgrids[0].ticker = ticker;
  }

  paint() {
    const style = getComputedStyle(this.place);
    const colour = (name) => style.getPropertyValue(`--live-${name}`).trim();
    const named = (name) => (name === "font" ? style.fontFamily : colour(name));
    for (const [model, properties] of this.themed) {
      for (const [property, name] of Object.entries(properties)) {
        model.setv({ [property]: named(name) });
      }
    }
    for (const figure of [this.main, this.lanes]) {
      figure.setv({ background_fill_color: colour("page"), border_fill_color: colour("page") });
      for (const axis of [...figure.xaxes, ...figure.yaxes]) {
        axis.setv({
          axis_line_color: colour("soft"),
          major_tick_line_color: colour("soft"),
          major_label_text_color: colour("ink"),
          major_label_text_font: style.fontFamily,
          major_label_text_font_size: "12.5px",
          axis_label_text_color: colour("ink"),
          axis_label_text_font: style.fontFamily,
          axis_label_text_font_size: "13.5px",
          axis_label_text_font_style: "normal",
        });
      }
      for (const grid of [...figure.xgrids, ...figure.ygrids]) grid.grid_line_color = colour("grid");
    }
  }
}
