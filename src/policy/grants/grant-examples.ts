/** Examples of what rules would also let through. Each is decided on like a call, and shown only when it is allowed. */
import type { Intent } from "../intent.js";
import type { Rule } from "../rule.js";

const MAX_EXAMPLES = 3;

/** `isAllowed`: whether the rules in force and those of the grant allow it. */
export function grantExamples(
  rules: readonly Rule[],
  intent: Intent,
  isAllowed: (intent: Intent) => boolean,
): readonly string[] {
  const found = rules.map((rule) =>
    candidates(rule, intent).filter((one) => !isSame(one, intent) && isAllowed(one.intent)),
  );
  // Takes one example of each rule before a second one of any rule.
  const rounds = [0, 1, 2].flatMap((round) => found.flatMap((one) => one[round] ?? []));
  return [...new Set(rounds.map(({ text }) => text))].slice(0, MAX_EXAMPLES);
}

type Candidate = { readonly text: string; readonly intent: Intent };

const isSame = ({ intent: { command, paths } }: Candidate, asked: Intent): boolean =>
  command !== undefined ? command === asked.command : paths[0]?.path === asked.paths[0]?.path;

function candidates(rule: Rule, intent: Intent): readonly Candidate[] {
  const { command, host, path, width } = rule;
  if (width === "local" && host !== undefined)
    return [`curl -s -X POST ${host}/another/path -d 'a=b'`, `curl -s ${host}/`].map((text) =>
      asCommand(text, intent),
    );
  if (width === "host" && host !== undefined)
    return [`curl -s ${host}/another/path`, `curl -sI ${host}/`].map((text) => asCommand(text, intent));
  if (width === "family" && typeof command === "string")
    return familyExamples(command, intent).map((text) => asCommand(text, intent));
  if ((width === "subcommand" || width === "plain") && typeof command === "string") {
    const words = command.slice(0, -2);
    return further(words).map((more) => asCommand(more === "" ? words : `${words} ${more}`, intent));
  }
  const isRead = "allow" in rule && rule.allow === "read";
  const folder = path?.endsWith("/**") ? path.slice(0, -3) : undefined;
  if (path !== undefined && folder === undefined && path.includes("*")) {
    const other = path.replaceAll("*", "other");
    return [`${isRead ? "cat" : "touch"} ${other}`].map((text) => asCommand(text, intent));
  }
  if (folder === undefined) return [];
  if (intent.command !== undefined) {
    const texts = isRead
      ? [`cat ${folder}/README.md`, `ls -la ${folder}`, `grep -rn text ${folder}`]
      : [`touch ${folder}/new.txt`, `mkdir -p ${folder}/new`, `cp ${folder}/a.txt ${folder}/b.txt`];
    return texts.map((text) => asCommand(text, intent));
  }
  const access = isRead ? "read" : "write";
  return [`${folder}/README.md`, `${folder}/other/example.txt`].map((text) => ({
    text,
    intent: { ...intent, paths: [{ path: text, access }], baseHashes: {} },
  }));
}

/** A plain shell text in the workspace's folder; no content of a file is known for it but that of the question. */
const asCommand = (text: string, intent: Intent): Candidate => ({
  text,
  intent: { ...intent, command: text },
});

/** Members of a family; of the checks, first those of a program that the question is about. */
function familyExamples(pattern: string, { command }: Intent): readonly string[] {
  const examples = MEMBERS[pattern] ?? [];
  const words = new Set(typeof command === "string" ? command.split(/\s+/) : command);
  const isNear = (text: string): boolean => words.has(text.split(" ", 1)[0] ?? "");
  return [...examples.filter(isNear), ...examples.filter((text) => !isNear(text))];
}

const MEMBERS: { readonly [pattern: string]: readonly string[] } = {
  "*": [
    "go test ./...",
    "go vet ./...",
    "cargo test",
    "cargo clippy --all-targets",
    "dotnet test",
    "npm test",
    "npm run build",
    "pnpm lint",
    "yarn build",
    "npx tsc --noEmit",
    "pytest -q",
    "python -m pytest -q",
    "uv run pytest -q",
    "bundle exec rspec",
    "mvn test",
    "./gradlew build",
    "make test",
    "make build",
  ],
  "git *": ["git add -A", "git commit -m 'any message'", "git switch -c new-branch", "git stash"],
  "gh *": ["gh pr view 1", "gh pr checks 1", "gh issue list"],
  "docker *": ["docker ps -a", "docker logs web", "docker compose ps"],
  "docker compose *": [
    "docker compose up -d",
    "docker compose restart",
    "docker compose down",
    "docker ps -a",
  ],
  "docker compose exec *": [
    "docker compose exec -T db psql -c 'select 1'",
    "docker compose exec db pg_isready",
  ],
  "registry *": ["npm view vite version", "npm outdated"],
  "systemctl *": ["systemctl status nginx", "journalctl -u nginx -n 50"],
  "kubectl *": ["kubectl get pods", "kubectl logs web", "kubectl describe pod web"],
  "helm *": ["helm lint charts/app", "helm template charts/app"],
};

/** Words that people often add, by the program or subcommand; then words that many programs take. */
function further(words: string): readonly string[] {
  const known = Object.entries(USUAL).find(([start]) => words === start || words.endsWith(` ${start}`));
  return [...(known?.[1] ?? []), "", "src", "-v", "--verbose", "--help"];
}

const USUAL: { readonly [words: string]: readonly string[] } = {
  "go test": ["-run TestName ./pkg", "-v -race ./...", "-cover ./..."],
  "go build": ["./...", "-v ./cmd/app", "-race ./..."],
  "go vet": ["./...", "./pkg"],
  "cargo test": ["some_test", "--release", "--workspace"],
  "cargo build": ["--release", "--workspace"],
  "cargo check": ["--workspace", "--all-targets"],
  "cargo clippy": ["--all-targets", "--workspace"],
  "dotnet build": ["--configuration Release", "src/App"],
  "dotnet test": ["--filter SomeTest", "--no-build"],
  "git commit": ["-m 'any message'", "--amend --no-edit", "-a -m 'any message'"],
  "git add": ["-A", "src", "."],
  "git checkout": ["-b another-branch"],
  "git switch": ["another-branch", "-c new-branch"],
  "git merge": ["another-branch"],
  "git rebase": ["main"],
  "git stash": ["pop", ""],
  "git tag": ["v1.0.0"],
  pytest: ["-q tests", "-k name", "tests/test_a.py -x"],
  mypy: ["src", "--strict src"],
  vitest: ["run src/a.test.ts", "run"],
  "vitest run": ["src/a.test.ts", "--coverage"],
  jest: ["src/a.test.ts", "--coverage"],
  tsc: ["--noEmit", "-p tsconfig.json"],
  eslint: ["src", "--fix src"],
  prettier: ["--check src", "--write src"],
  "ruff check": ["src", "--fix src"],
  "ruff format": ["src", "--check src"],
  "npm test": ["-- src/a.test.ts", "--silent"],
  "pr view": ["1", "2 --comments"],
};
