// The notebook's controls as the page's own inputs: each shows one thing of the plan and changes it.

class NumberControl {
  constructor(root, { key, label, unit, scale, stops }, change) {
    Object.assign(this, { label, unit, scale, stops, ...ACCESS[key] });
    this.slider = root.querySelector("input[type=range]");
    this.box = root.querySelector("input[type=number]");
    this.fault = root.querySelector(".live-fault-text");
    this.slider.addEventListener("input", () => {
      change((plan) => this.put(plan, stops[Number(this.slider.value)]));
    });
    // While somebody types, only what is in range counts; the rest is said when they are done.
    this.box.addEventListener("input", () => this.inRange() && this.typed(change));
    this.box.addEventListener("change", () => (this.inRange() ? this.typed(change) : this.refuse()));
  }

  inRange() {
    const { value, min, max } = this.box;
    return value.trim() !== "" && Number(value) >= Number(min) && Number(value) <= Number(max);
  }

  typed(change) {
    change((plan) => this.put(plan, Number(this.box.value) * this.scale), this.box);
  }

  refuse() {
    const { min, max } = this.box;
    this.fault.textContent = `${this.label}要在 ${min} 到 ${max} ${this.unit}之间，已改回原来的值。`;
    this.box.value = this.shown;
  }

  show(plan, typing) {
    const value = this.get(plan);
    const distance = (at) => Math.abs(this.stops[at] - value);
    const near = this.stops.reduce((best, _, at) => (distance(at) < distance(best) ? at : best), 0);
    this.slider.value = near;
    this.shown = String(Number(format_g(value / this.scale, 5)));
    this.slider.setAttribute("aria-valuetext", `${this.shown} ${this.unit}`);
    if (typing !== this.box) this.box.value = this.shown;
    this.fault.textContent = "";
    this.slider.disabled = this.box.disabled = Boolean(this.locked?.(plan));
  }
}

class ToggleControl {
  constructor(root, { key }, change) {
    Object.assign(this, ACCESS[key]);
    this.box = root.querySelector("input");
    this.box.addEventListener("change", () => change((plan) => this.put(plan, this.box.checked)));
  }

  show(plan) {
    this.box.checked = this.get(plan);
  }
}

class ChoiceControl {
  constructor(root, { key }, change, data) {
    this.choices = new Map(CHOICES[key](data));
    this.box = root.querySelector("select");
    this.box.addEventListener("change", () => {
      const choose = this.choices.get(this.box.value);
      if (choose) change(choose);
    });
  }

  // Name the choice that the plan agrees with, if there is one.
  show(plan) {
    const same = (other) => Object.keys(plan).every((key) => plan[key] === other[key]);
    const found = [...this.choices].find(([, choose]) => same(choose(plan)));
    this.box.value = found ? found[0] : OWN;
  }
}

const KINDS = { number: NumberControl, toggle: ToggleControl, choice: ChoiceControl };
