/** Readers for the programs of data/python.json. */
import type { Reader } from "../program.js";
import { python } from "./python.js";

/** Tools that a project's own environment is asked for. */
const TOOLS =
  /^(?:python3?(?:\.\d+)?|pytest|py\.test|mypy|black|isort|flake8|pylint|pyflakes|pycodestyle|pydocstyle|autopep8|yapf|bandit|pyright|ruff|coverage|tox|nox|mkdocs|sphinx-build|pre-commit|pyproject-build)$/;

const OWN_FLAGS = /^(?:-q|--quiet|-v|--verbose|--frozen|--locked|--no-sync|--isolated|--no-project|--)$/;

/** `poetry run x` and its like are judged as `x`. */
const environmentRun: Reader = {
  nested: (args) => {
    const at = args.findIndex((word) => !OWN_FLAGS.test(word));
    const [name = "", ...rest] = at === -1 ? [] : args.slice(at);
    if (at === -1 || name.startsWith("-")) return { words: args, commands: [], mustOnlyRead: false };
    const inner = name.endsWith(".py")
      ? ["python", name, ...rest]
      : TOOLS.test(name)
        ? [name, ...rest]
        : [`run ${name}`];
    return { words: args.slice(0, at), commands: [inner], mustOnlyRead: false };
  },
};

const coverageRun: Reader = {
  nested: (args) => {
    const at = args.indexOf("-m");
    const file = args.findIndex((word) => word.endsWith(".py"));
    if (at !== -1 && args.slice(0, at).every((word) => word.startsWith("-")))
      return { words: args.slice(0, at), commands: [["python", ...args.slice(at)]], mustOnlyRead: false };
    return {
      words: file === -1 ? args : args.slice(0, file),
      commands: file === -1 ? [] : [["python", args[file] ?? ""]],
      mustOnlyRead: false,
    };
  },
};

/** `tests/test_a.py::test_b` names a test of that file. */
const pytest: Reader = {
  effects: (words) => ({ reads: words.map((word) => word.replace(/::.*$/, "")) }),
};

/** `AGENTS.ipynb` becomes `AGENTS.md`, and so does what `--output AGENTS` names. */
const nbconvert: Reader = {
  effects: (words, seen) => ({
    writes: [...words, ...seen.values("--output")]
      .map((name) => name.replace(/\.ipynb$/, ""))
      .flatMap((name) => [".md", ".py", ".html"].map((ending) => `${name}${ending}`)),
  }),
};

export const pythonReaders: readonly (readonly [name: string, reader: Reader])[] = [
  ["coverage-run", coverageRun],
  ["environment-run", environmentRun],
  ["nbconvert", nbconvert],
  ["pytest", pytest],
  ["python", python],
];
