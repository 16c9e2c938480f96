// Real Python in a worker. The page starts it from a data: URL and hands it everything, packed;
// it asks nothing of any host, and a page opened from disk may do the same.

const unpacked = (packed) => {
  const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip")));
};

const as_module = (text) =>
  URL.createObjectURL(new Blob([text], { type: "text/javascript" }));

// Pyodide fetches its parts; they are here already, and nothing else is ever fetched.
function serve(packed) {
  self.fetch = async (address) => {
    const name = String(address.url ?? address).split("/").pop();
    if (!(name in packed)) throw new TypeError(`${name} is not part of this page`);
    const type = name.endsWith(".wasm") ? "application/wasm" : "application/octet-stream";
    const body = await unpacked(packed[name]).arrayBuffer();
    return new Response(body, { headers: { "Content-Type": type } });
  };
}

async function boot({ packed, files, runner }) {
  serve(packed);
  const text = (name) => unpacked(packed[name]).text();
  // The one import that a worker without an address cannot resolve.
  const machine = JSON.stringify(as_module(await text("pyodide.asm.mjs")));
  const loader = (await text("pyodide.mjs")).replace(/`[^`]*pyodide\.asm\.mjs`/, machine);
  const { loadPyodide } = await import(as_module(loader));
  const python = await loadPyodide({
    indexURL: "https://page.invalid/",
    lockFileContents: await text("pyodide-lock.json"),
  });
  for (const [path, content] of Object.entries(files)) {
    python.FS.mkdirTree(`/course/${path.slice(0, path.lastIndexOf("/") + 1)}`);
    python.FS.writeFile(`/course/${path}`, content);
  }
  python.runPython(runner, { filename: "runner.py" });
  return python.globals.get("run");
}

let run;

self.onmessage = async ({ data }) => {
  try {
    if (data.packed) {
      run = await boot(data);
      self.postMessage({ ready: true });
    } else {
      self.postMessage({ report: JSON.parse(run(data.job)) });
    }
  } catch (error) {
    self.postMessage({ failed: String(error.message ?? error) });
  }
};
