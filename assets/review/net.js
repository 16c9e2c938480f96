// Talking to the server: reading, and an outbox that loses nothing.

const xsrf = document.querySelector('meta[name="xsrf"]').content;

export class Refusal extends Error {
  constructor(status, data) {
    super(data.error || data.message || String(status));
    this.status = status;
    this.data = data;
  }
}

async function ask(path, options = {}) {
  const response = await fetch(path, { credentials: "same-origin", cache: "no-store", ...options });
  const data = await response.json().catch(() => ({}));
  if (!response.ok) throw new Refusal(response.status, data);
  return data;
}

export function read(path, values) {
  return ask(`api/${path}?${new URLSearchParams(values)}`);
}

export function send(action, body) {
  return ask(`api/do/${action}`, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-XSRFToken": xsrf },
    body: JSON.stringify(body),
  });
}

// randomUUID is there on https only, and a course's server may be plain http.
function fresh() {
  return Array.from(crypto.getRandomValues(new Uint8Array(12)), (one) => one.toString(16).padStart(2, "0")).join("");
}

const FIRST_MS = 1000;
const LONGEST_MS = 15000;

// Decisions wait here until the server has them, in order, over reloads too. An entry is
// {action, body, target}: when one about a target has been kept, later ones about it build on that.
export class Outbox {
  constructor(key, on) {
    this.key = key;
    this.on = on;
    this.entries = JSON.parse(localStorage.getItem(key) || "[]");
    this.state = "saved";
    this.busy = false;
    this.waited = FIRST_MS;
    addEventListener("online", () => this.flush());
  }

  push(action, body, target) {
    this.entries.push({ action, body: { ...body, request: fresh() }, target });
    this.keep();
    this.flush();
  }

  holds(target) {
    return this.entries.some((one) => one.target === target);
  }

  keep() {
    localStorage.setItem(this.key, JSON.stringify(this.entries));
    this.on.changed();
  }

  async flush() {
    if (this.busy) return;
    this.busy = true;
    clearTimeout(this.timer);
    while (this.entries.length) {
      const entry = this.entries[0];
      try {
        const data = await send(entry.action, entry.body);
        this.done(entry, data);
      } catch (error) {
        if (!(error instanceof Refusal) || error.status >= 500 || error.status === 403) {
          this.why = error.data?.error ?? "";
          this.later(error.status === 403 ? "expired" : this.why ? "stuck" : "offline");
          break;
        }
        this.entries.shift();
        this.keep();
        if (error.status === 409) this.on.conflict(entry, error.data.newest);
        else this.on.refused(entry, error);
      }
    }
    this.busy = false;
    if (!this.entries.length) this.state = "saved";
    this.on.changed();
  }

  done(entry, data) {
    this.entries.shift();
    this.waited = FIRST_MS;
    this.state = "saved";
    const seq = this.on.done(entry, data);
    if (seq) {
      for (const other of this.entries) {
        if (other.target === entry.target && "based_on" in other.body) other.body.based_on = seq;
      }
    }
    this.keep();
  }

  later(state) {
    this.state = state;
    this.timer = setTimeout(() => this.flush(), this.waited);
    this.waited = Math.min(2 * this.waited, LONGEST_MS);
  }
}
