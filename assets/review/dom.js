// Elements. A string becomes a text node: nothing that anybody wrote is ever markup.

export function h(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (key === "value") element.value = value;
    else element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((one) => one !== null && one !== undefined && one !== false));
  return element;
}

export function show(place, ...children) {
  place.replaceChildren(...children.flat(Infinity).filter(Boolean));
}

// A text with its evidence marked. Offsets count characters, not UTF-16 units.
export function highlighted(text, evidence, places) {
  const characters = Array.from(text);
  const cuts = new Set([0, characters.length]);
  const spans = evidence.flatMap((one) => one.spans.map(([start, end]) => ({ link: one.link, start, end })));
  for (const { start, end } of spans) cuts.add(start).add(end);
  const at = [...cuts].sort((a, b) => a - b);
  return at.slice(0, -1).map((start, n) => {
    const piece = characters.slice(start, at[n + 1]).join("");
    const links = spans.filter((one) => one.start <= start && at[n + 1] <= one.end).map((one) => one.link);
    if (!links.length) return piece;
    const names = [...new Set(links)];
    const title = names.map((name) => places.get(name)?.line ?? name).join("\n");
    return h("mark", { class: `l${places.get(names[0])?.place ?? 0}`, title }, piece);
  });
}
