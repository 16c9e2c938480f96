// The page's Python: loaded on the first run, ended to stop a loop, started again on the next.

const WORKER_SOURCE = /* worker.js, put here by the build */ "";
const READY_WITHIN_MS = 120_000;

class Stopped extends Error {}

class Machine {
  constructor(addresses) {
    this.addresses = addresses;
    this.worker = null;
    this.refuse = null;
    this.stopped = false;
    this.busy = false;
  }

  // Returns the lesson's code, which comes in a script of its own.
  async prepare() {
    await Promise.all(this.addresses.map(load));
    return window.courseLesson;
  }

  async start() {
    this.stopped = false;
    const lesson = await this.prepare();
    if (this.stopped) throw new Stopped();
    if (this.worker) return;
    // From disk neither a file nor a blob may be a module worker; a data: address may.
    const address = `data:text/javascript;charset=utf-8,${encodeURIComponent(WORKER_SOURCE)}`;
    this.worker = new Worker(address, { type: "module" });
    const { files: packed } = window.coursePyodide;
    try {
      await this.ask({ packed, files: lesson.files, runner: lesson.runner }, READY_WITHIN_MS);
    } catch (error) {
      this.end();
      throw error;
    }
  }

  async run(job) {
    const { report } = await this.ask({ job: JSON.stringify(job) });
    return report;
  }

  ask(message, patience_ms = null) {
    const { worker } = this;
    return new Promise((resolve, reject) => {
      const timer =
        patience_ms && setTimeout(() => reject(new Error(`${patience_ms / 1000} s`)), patience_ms);
      const settle = (how) => (value) => {
        clearTimeout(timer);
        how(value);
      };
      this.refuse = settle(reject);
      worker.onmessage = ({ data }) =>
        data.failed ? settle(reject)(new Error(data.failed)) : settle(resolve)(data);
      worker.onerror = (event) => settle(reject)(new Error(event.message || "Worker"));
      worker.postMessage(message);
    });
  }

  stop() {
    this.stopped = true;
    this.end();
    this.refuse?.(new Stopped());
  }

  end() {
    this.worker?.terminate();
    this.worker = null;
  }
}
