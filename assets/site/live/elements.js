// Elements, and scripts that are loaded once and only when they are wanted.

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== null) made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
}

const scripts = new Map();

function load(address) {
  if (!scripts.has(address)) {
    scripts.set(
      address,
      new Promise((resolve, reject) => {
        const script = element("script", { src: address });
        script.onload = resolve;
        script.onerror = () => {
          scripts.delete(address);
          script.remove();
          reject(new Error(`${address.split("/").pop()}`));
        };
        document.head.append(script);
      }),
    );
  }
  return scripts.get(address);
}
