/** Commands that the files of a project name: scripts, targets, tests, and the steps of its pipelines. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readShell } from "../policy/index.js";
import type { ProjectCommand } from "../policy/suggest-rules.js";

const MAX_BYTES = 512 * 1024;
const MAX_COMMANDS = 300;

export function projectCommands(folder: string): readonly ProjectCommand[] {
  const names = namesIn(folder);
  const read = (name: string): string => textOf(join(folder, name));
  const found = [
    ...packageScripts(read("package.json"), names),
    ...["Makefile", "makefile", "GNUmakefile"]
      .filter((name) => names.has(name))
      .flatMap((name) => targets(read(name), name)),
    ...BY_FILE.flatMap(({ file, commands }) => {
      const name = [...names].find((one) => file.test(one));
      return name === undefined ? [] : commands.map((command) => ({ argv: command.split(" "), from: name }));
    }),
    ...pythonTools(names, read),
    ...gradle(names),
    ...pipelines(folder, names),
  ];
  return found.slice(0, MAX_COMMANDS);
}

const BY_FILE: readonly { readonly file: RegExp; readonly commands: readonly string[] }[] = [
  { file: /^go\.mod$/, commands: ["go build ./...", "go test ./...", "go vet ./..."] },
  {
    file: /^Cargo\.toml$/,
    commands: ["cargo build", "cargo check", "cargo test", "cargo clippy", "cargo fmt"],
  },
  { file: /\.(?:csproj|fsproj|sln|slnx)$/, commands: ["dotnet build", "dotnet test", "dotnet format"] },
  { file: /^pom\.xml$/, commands: ["mvn compile", "mvn test", "mvn verify"] },
  { file: /^tsconfig\.json$/, commands: ["tsc --noEmit"] },
  { file: /^(?:CMakeLists\.txt)$/, commands: ["cmake --build build", "ctest --test-dir build"] },
  { file: /^(?:pytest\.ini|conftest\.py|tox\.ini)$/, commands: ["pytest"] },
  { file: /^\.?eslint(?:rc.*|\.config\..*)$/, commands: ["eslint ."] },
  { file: /^vitest\.config\./, commands: ["vitest run"] },
  { file: /^jest\.config\./, commands: ["jest"] },
  { file: /^\.?golangci\.ya?ml$/, commands: ["golangci-lint run"] },
];

function packageScripts(text: string, names: ReadonlySet<string>): readonly ProjectCommand[] {
  const scripts = scriptsIn(text);
  const manager = names.has("pnpm-lock.yaml")
    ? "pnpm"
    : names.has("yarn.lock")
      ? "yarn"
      : names.has("bun.lock") || names.has("bun.lockb")
        ? "bun"
        : "npm";
  return scripts
    .filter((name) => /^[\w:.-]+$/.test(name) && !isSensitive(name))
    .map((name) => ({
      argv: name === "test" ? [manager, "test"] : [manager, "run", name],
      from: "package.json",
    }));
}

function scriptsIn(text: string): readonly string[] {
  try {
    const parsed: unknown = JSON.parse(text);
    const scripts =
      typeof parsed === "object" && parsed !== null && "scripts" in parsed ? parsed.scripts : {};
    return typeof scripts === "object" && scripts !== null ? Object.keys(scripts) : [];
  } catch {
    return [];
  }
}

/** Names behind which an install, a publication, a deployment or a secret is to be expected, and scripts that run by themselves. */
const isSensitive = (name: string): boolean =>
  /(?:^|[:_.-])(?:pre|post)?(?:publish|release|deploy|install|uninstall|upload|push|login|secrets?|tokens?|prepare|ship|prod|production|destroy|drop|reset|seed|migrate)/i.test(
    name,
  );

const targets = (text: string, from: string): readonly ProjectCommand[] =>
  [...text.matchAll(/^([A-Za-z][\w.-]*)(?:\s+[A-Za-z][\w.-]*)*\s*::?(?!=)/gm)].flatMap(([, name = ""]) =>
    isSensitive(name) ? [] : [{ argv: ["make", name], from }],
  );

function pythonTools(names: ReadonlySet<string>, read: (name: string) => string): readonly ProjectCommand[] {
  const from = "pyproject.toml";
  if (!names.has(from)) return [];
  const text = read(from);
  const runner = names.has("uv.lock") ? ["uv", "run"] : names.has("poetry.lock") ? ["poetry", "run"] : [];
  const tools = PYTHON_TOOLS.filter(({ mark }) => mark.test(text)).flatMap(({ commands }) => commands);
  return tools.flatMap((command) => {
    const argv = command.split(" ");
    return [{ argv, from }, ...(runner.length === 0 ? [] : [{ argv: [...runner, ...argv], from }])];
  });
}

const PYTHON_TOOLS = [
  { mark: /pytest/, commands: ["pytest"] },
  { mark: /ruff/, commands: ["ruff check .", "ruff format ."] },
  { mark: /mypy/, commands: ["mypy ."] },
  { mark: /black/, commands: ["black ."] },
];

function gradle(names: ReadonlySet<string>): readonly ProjectCommand[] {
  const from = ["build.gradle", "build.gradle.kts"].find((name) => names.has(name));
  if (from === undefined) return [];
  const program = names.has("gradlew") ? "./gradlew" : "gradle";
  return ["build", "test", "check"].map((task) => ({ argv: [program, task], from }));
}

/** The steps that are plain commands; anything dynamic is left out. */
function pipelines(folder: string, names: ReadonlySet<string>): readonly ProjectCommand[] {
  const workflows = join(".github", "workflows");
  const files = [
    ...(names.has(".github")
      ? [...namesIn(join(folder, workflows))].map((name) => join(workflows, name))
      : []),
    ...[".gitlab-ci.yml", ".circleci/config.yml"].filter((name) => existsSync(join(folder, name))),
  ].filter((name) => /\.ya?ml$/.test(name));
  return files.flatMap((from) =>
    stepsIn(textOf(join(folder, from))).flatMap((step) => {
      const { commands, doubts } = readShell(step, { language: "bash" });
      return doubts.length > 0 ? [] : commands.map(({ argv }) => ({ argv, from }));
    }),
  );
}

/** `run: command`, the lines below `run: |`, and list items below `script:`. */
function stepsIn(text: string): readonly string[] {
  const steps: string[] = [];
  let block: number | undefined;
  for (const line of text.split(/\r?\n/)) {
    const indent = line.search(/\S/);
    if (block !== undefined && indent > block) {
      steps.push(line.trim().replace(/^- /, ""));
      continue;
    }
    if (indent !== -1) block = undefined;
    const { value } = /^\s*(?:- )?(?:run|script|command):\s*(?<value>.*)$/.exec(line)?.groups ?? {};
    if (value === undefined) continue;
    if (/^[|>]?[+-]?$/.test(value)) block = indent;
    else steps.push(value.replace(/^(["'])(.*)\1$/, "$2"));
  }
  return steps.filter((step) => step !== "" && !step.startsWith("#") && !step.includes("${{"));
}

function namesIn(folder: string): ReadonlySet<string> {
  try {
    return new Set(readdirSync(folder));
  } catch {
    return new Set();
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8").slice(0, MAX_BYTES);
  } catch {
    return "";
  }
}
