/**
 * Files that Python takes for a module which a command names (`python -m nbstripout`): it looks in the current folder
 * before it looks among its own packages, so a file of that name there starts in place of the installed one.
 */
const PYTHON = /(?:^|[\s"'/!;&|])(?:python|pypy|uv|pipenv|poetry|pdm|hatch)[\w.]*[\\"']*(?=\s)/;
const MODULE = /\s-\w*m\s*["']?(?<name>[A-Za-z_]\w*(?:\.\w+)*)/g;

/** Relative to the folder in which the command runs. */
export function moduleFiles(command: string): readonly string[] {
  if (!PYTHON.test(` ${command}`)) return [];
  return [...command.matchAll(MODULE)].flatMap(({ groups }) => {
    const parts = (groups?.["name"] ?? "").split(".");
    const path = parts.join("/");
    const around = parts.slice(0, -1).map((_, index) => `${parts.slice(0, index + 1).join("/")}/__init__.py`);
    return [...ENDINGS.map((ending) => `${path}${ending}`), ...around];
  });
}

/** A module's text, its compiled form, and in machine code; a package. */
const ENDINGS = [".py", ".pyc", ".so", ".abi3.so", "/__init__.py", "/__main__.py"];
