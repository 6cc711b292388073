import { expect, test } from "vitest";
import type { Policy } from "./policy.js";
import { inMode } from "./modes.js";
import { suggestRules } from "./suggest-rules.js";
import type { RecordedCommand } from "./suggest-rules.js";

const policy: Policy = { ...inMode("ask", []), roots: ["/ws"], home: "/home/ann" };

const ran = (command: string, answer?: RecordedCommand["answer"]): RecordedCommand => ({
  command,
  cwd: "/ws",
  ...(answer && { answer }),
});

test.each([
  "npm install left-pad",
  "npm publish",
  "docker push x",
  "kubectl delete pod web",
  "gh secret list",
  "pip install x",
  "bash build.sh",
  "python3 a.py",
  "curl https://example.com",
  "rm -rf dist",
  "tee a.txt",
  "git push",
  "go test -exec ./x ./...",
  "mytool build",
  "npm run deploy",
])("never suggests a rule for %s", (command) => {
  const record = [ran(command, "allowed"), ran(command, "allowed"), ran(command, "allowed")];
  expect(suggestRules([{ argv: command.split(" "), from: "ci.yml" }], record, policy)).toEqual([]);
});

test("suggests what was allowed often and never refused, with its effect on the record", () => {
  const record = [
    ran("go test ./...", "allowed"),
    ran("cd pkg && go test ./... 2>&1 | tail -5", "allowed"),
    ran("go test -run X ./pkg"),
    ran("go test -v ./...", "none"),
    ran("npm publish", "allowed"),
    ran("npm publish", "allowed"),
    ran("ls"),
  ];
  expect(suggestRules([], record, policy)).toEqual([
    {
      rule: { allow: "execute", command: "go test *", width: "subcommand" },
      from: [],
      saved: 3,
      allowed: 2,
      saves: ["go test ./...", "cd pkg && go test ./... 2>&1 | tail -5"],
      alsoLets: ["go test -run X ./pkg", "go test -v ./..."],
    },
  ]);
});

test("counts only questions as saved: what ran in the sandbox asked nobody", () => {
  const project = [{ argv: ["go", "test", "./..."], from: "go.mod" }];
  expect(suggestRules(project, [ran("go test ./..."), ran("go test ./...")], policy)).toMatchObject([
    { saved: 0, saves: [], alsoLets: ["go test ./..."] },
  ]);
});

test("suggests nothing that somebody refused once", () => {
  const record = [ran("make all", "allowed"), ran("make all", "allowed"), ran("make all -k", "refused")];
  expect(suggestRules([{ argv: ["make", "all"], from: "Makefile" }], record, policy)).toEqual([]);
});

test("suggests what the project's files name, and nothing that a rule covers already", () => {
  const project = [
    { argv: ["npm", "test"], from: "package.json" },
    { argv: ["npm", "run", "lint"], from: "package.json" },
    { argv: ["npm", "ci"], from: "ci.yml" },
  ];
  const covered: Policy = {
    ...policy,
    rules: [...policy.rules, { allow: "execute", command: "npm test *" }],
  };
  expect(suggestRules(project, [], covered)).toEqual([
    {
      rule: { allow: "execute", command: "npm run lint *", width: "subcommand" },
      from: ["package.json"],
      saved: 0,
      allowed: 0,
      saves: [],
      alsoLets: [],
    },
  ]);
});
