/** The files that a name may stand for where a program looks for code: a yes is bound to what is in each of them. */

const ENDINGS = ["", ".js", ".cjs", ".mjs", ".json", ".node", ".ts", ".cts", ".mts", ".tsx", ".jsx"];

/** `node server` runs server.js, or what the folder of that name holds. */
export function nodeFiles(name: string): readonly string[] {
  if (name === "" || name === "-") return [];
  const path = /^file:\/\/(?<path>\/.*)$/.exec(name)?.groups?.["path"] ?? name;
  if (/^[a-z]+:/.test(path)) return [];
  const whole = path.replace(/\/+$/, "");
  const inFolder = ["package.json", ...ENDINGS.slice(1).map((ending) => `index${ending}`)];
  return [...ENDINGS.map((ending) => `${whole}${ending}`), ...inFolder.map((file) => `${whole}/${file}`)];
}

/** `python -m a.b` runs a/__init__.py and then a/b.py, or a/b/__init__.py and a/b/__main__.py. */
export function moduleFiles(name: string): readonly string[] {
  const parts = name.split(".").filter((part) => part !== "");
  if (parts.length === 0) return [];
  const packages = parts.map((_part, index) => `${parts.slice(0, index + 1).join("/")}/__init__.py`);
  const path = parts.join("/");
  return [...packages, `${path}.py`, `${path}/__main__.py`];
}
