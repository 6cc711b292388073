import { expect, test } from "vitest";
import { decide } from "../decide.js";
import { plannedCommand } from "../intent.js";
import { inMode } from "../modes.js";
import type { Mode } from "../modes.js";
import type { Policy } from "../policy.js";
import type { Rule } from "../rule.js";

const executor = { shell: "/bin/bash", language: "bash" } as const;
const places = { roots: ["/ws"], home: "/home/u", scratch: "/tmp/scratch", canContain: true };

function verdictOn(command: string, rules: readonly Rule[] = [], mode: Mode = "accept-edits") {
  return decide(plannedCommand({ command, cwd: "/ws", executor }), { ...places, ...inMode(mode, rules) });
}

test.each([
  "npm test",
  "npx vitest run src/a.test.ts",
  "/usr/bin/env bash -c 'npm test'",
  "/usr/bin/time -v node a.js",
  "make -j4 && ./build/tests --all",
  "node -e 'console.log(1)'",
  "frobnicate --level 3 src",
  "python3 scripts/a.py | head -5",
  "go test ./... 2>&1 | tail",
  "git add config && git commit -m push",
  "rm -rf build src/old.ts",
  "find . -name '*.pyc' -delete",
  "find src -type f -delete",
  "git clean -fd",
  'for f in $(cat list); do sh "$f"; done',
  "node a.js > $TMPDIR/out.log",
  "cargo test > out.txt 2>&1",
  "grep -rn strlcpy /usr/include | node scripts/count.js",
  "node a.js /usr/share/dict/words",
  "cat /etc/os-release && make",
  "cat /etc/nginx/nginx.conf | head",
  "ls -l /usr/bin/python3",
  "node a.js /etc/passwd",
  "bazel test //...",
  "node client.js get /api/users/7",
  'tmp=$(mktemp) && git diff > "$tmp" && wc -l "$tmp"',
  "kill %1",
  "docker compose config --services",
  "docker compose -f deploy/dev.yml config -q",
  "git lfs ls-files",
  "go mod why example.com/a",
  "docker compose version",
  "aws --version",
  "brew --version && make",
  "git config user.email",
  "git config --get remote.origin.url",
  "git submodule status",
])("contains %s", (command) => {
  const { effect, contained } = verdictOn(command);
  expect([effect, contained]).toEqual(["ask", { guards: [] }]);
});

test.each([
  "find . -delete",
  "find -type f -delete",
  "find /ws ! -type d -delete",
  "git clean -fdx",
  "git push",
  "git -C sub fetch",
  "git config core.pager x",
  "git config user.name x",
  "git config --get credential.helper",
  "git config --get remote.origin.url x",
  "git -c alias.x=!sh config user.name",
  "git submodule update",
  "aws --version --profile x",
  "aws s3 ls --version",
  "docker compose version; docker ps",
  "npm ci",
  "curl localhost:3000",
  "npm test && git push",
  "sudo make",
  "npm run dev &",
  "cd .. && make",
  "node /home/u/other/a.js",
  "node a.js ../outside",
  "node a.js /data/a.csv",
  "node a.js /api/../home/u/a",
  "cat /api/users",
  "cat /etc/shadow",
  "cat /etc/../home/u/a",
  "cat /opt/app/settings.yml",
  "cat /usr/local/etc/app.conf",
  "ls /var/log",
  "du -sh ~/.cache/app",
  "grep -r token ~/.cache/pip | node a.js",
  "echo a > /etc/hosts",
  "mktemp -p /home/u/other",
  "kill 1",
  "kill %1 4242",
  "docker compose up",
  "docker compose -f ../other/compose.yml config",
  "git lfs pull",
  "go mod download",
  "cp a.js /usr/share/a.js && make",
  "make > ~/.bashrc",
  "node a.js > AGENTS.md",
  "rm -rf *",
])("does not contain %s", (command) => {
  expect(verdictOn(command)).toMatchObject({ effect: "ask" });
  expect(verdictOn(command).contained).toBeUndefined();
});

test("contains nothing where no sandbox holds, where everything is allowed and where nothing is", () => {
  const intent = plannedCommand({ command: "npm test", cwd: "/ws", executor });
  expect(decide(intent, { ...places, ...inMode("ask", []), canContain: false }).contained).toBeUndefined();
  expect(verdictOn("npm test", [], "allow-all")).toEqual(expect.objectContaining({ effect: "allow" }));
  expect(verdictOn("npm test", [], "read-only").effect).toBe("deny");
  expect(verdictOn("npm test", [], "read-only").contained).toBeUndefined();
});

test("guards the paths of rules, and asks about rules that no mount enforces", () => {
  const guarded = verdictOn("npm test", [
    { deny: "edit", path: "/ws/gen/**" },
    { deny: "read", path: "~/secrets/**" },
    { ask: "delete", path: "**/*.snap" },
    { deny: "fetch" },
    { deny: "fetch", host: "evil.example" },
    { ask: "execute", command: "git push *" },
    { deny: "execute", command: "sudo *" },
    { deny: "write_file", path: "/ws/a" },
    { deny: "*", server: "files" },
  ]);
  expect(guarded.contained?.guards).toEqual([
    { pattern: "/ws/gen/**", isHidden: false },
    { pattern: "/home/u/secrets/**", isHidden: true },
    { pattern: "**/*.snap", isHidden: false },
  ]);
  const open: readonly Rule[] = [
    { deny: "delete" },
    { ask: "edit" },
    { deny: "execute", command: "rm *" },
    { deny: "read", path: "/etc/**" },
    { ask: "terminal" },
  ];
  for (const rule of open)
    expect(verdictOn("npm test", [rule]).contained, JSON.stringify(rule)).toBeUndefined();
});

test("asks about a command that only edits files, and contains code, when the mode is ask", () => {
  expect(verdictOn("node a.js", [], "ask").contained).toBeDefined();
  expect(verdictOn("sed -i s/a/b/ a.js", [], "ask").contained).toBeUndefined();
  expect(verdictOn("rm a.js", [], "ask").contained).toBeUndefined();
  expect(verdictOn("rm a.js").contained).toBeDefined();
});

const servers = { isRunning: true, isOutside: (port: number) => port === 8080 };
const stayingOn = (command: string, staying: Policy["staying"], background = false) =>
  decide(
    { ...plannedCommand({ command, cwd: "/ws", executor }), ...(background && { background }) },
    { ...places, ...inMode("accept-edits", []), ...(staying && { staying }) },
  ).contained;

test.each([
  "npm run dev &",
  "(npm run dev > /tmp/scratch/dev.log 2>&1 &); sleep 3",
  "node server.js & sleep 1; node get.js",
  "dotnet run --urls http://127.0.0.1:5080 &",
  "bin/rails server -p 3001 -d",
  "bundle exec rackup -p 3001 -D && sleep 2 && curl -s localhost:3001/a",
  "python3 -m http.server 8000 &",
  "node server.js & sleep 2; curl -s localhost:3000/a | node b.js; kill %1",
  "bin/rails s -p 3001 -d && sleep 2 && curl -s localhost:3001/a.json",
  "node server.js & sleep 1; pkill -f server.js",
])("lets a server stay in the sandbox: %s", (command) => {
  expect(stayingOn(command, { isRunning: false, isOutside: () => false })).toEqual({
    guards: [],
    stays: true,
  });
});

test("lets the output of a server go to a file of the workspace, and asks about other changes", () => {
  const contained = { guards: [], stays: true, logs: ["/ws/dev.log"] };
  expect(stayingOn("npm run dev > dev.log 2>&1 &", servers)).toEqual(contained);
  for (const command of [
    "echo a > dev.log; npm run dev &",
    "npm run dev > AGENTS.md &",
    "rm a.js; npm run dev &",
  ])
    expect(stayingOn(command, servers), command).toBeUndefined();
});

test("lets a command go on in the background of the sandbox", () => {
  expect(stayingOn("npm run dev", servers, true)).toEqual({ guards: [], stays: true });
  expect(stayingOn("npm run dev", undefined, true)).toBeUndefined();
});

test.each(["pkill -f server", "lsof -ti:3000 | xargs kill", "kill $(cat server.pid)", "ss -ltn; node a.js"])(
  "looks at and ends servers of the sandbox while one runs: %s",
  (command) => {
    expect(stayingOn(command, servers)).toEqual({ guards: [], stays: true });
    expect(stayingOn(command, { isRunning: false, isOutside: () => false })).toBeUndefined();
  },
);

test.each(["curl -s localhost:3000", "sleep 2; curl -X POST -d @a.json http://127.0.0.1:3000/a | node b.js"])(
  "reaches a server of the sandbox while one runs: %s",
  (command) => {
    expect(stayingOn(command, servers)).toEqual({ guards: [] });
  },
);

test("contains a request that reaches nobody, and says so; asks where somebody outside listens", () => {
  const nobody = { isRunning: false, isOutside: (port: number) => port === 8080 };
  for (const command of ["curl -s localhost:3000", "curl -s http://127.0.0.1:3000/a | node b.js"])
    expect(stayingOn(command, nobody), command).toEqual({ guards: [], reachesNobody: true });
  for (const command of [
    "curl localhost:8080/shutdown",
    "curl localhost:3000 localhost:8080",
    "curl localhost:3000 https://example.com",
    "curl -d @.env localhost:3000",
    "curl -o ~/.bashrc localhost:3000",
    "true & curl localhost:8080/shutdown",
  ])
    expect(stayingOn(command, nobody), command).toBeUndefined();
});

test.each([
  "curl localhost:8080",
  "curl localhost:3000 https://example.com",
  "curl http://192.168.1.1:3000",
  "curl -d @.env localhost:3000",
  "ssh localhost",
  "docker compose up &",
  "npm install &",
  "npm publish &",
  "python3 -m http.server 8000 --directory /home/u &",
  "node server.js --upstream https://example.com &",
  "sudo pkill node",
])("asks about %s although a server of the sandbox runs", (command) => {
  expect(stayingOn(command, servers)).toBeUndefined();
});

test("contains a command after cd and back, whose other way leads outside", () => {
  for (const text of ["set -e; cd src; ls; cd ..; npm test", "cd a/b; make; cd ../..; npm test"])
    expect(verdictOn(text), text).toMatchObject({ effect: "ask", contained: {} });
  // The way on which every change works leads outside itself, or the other one deletes everything.
  for (const text of [
    "cd /srv/other; npm test",
    "cd src; cd ../..; npm test",
    "cd src; make; cd ..; rm -rf *",
  ])
    expect(verdictOn(text).contained, text).toBeUndefined();
});

test("contains code of the session's own temporary file, by that name alone", () => {
  const own = (command: string, temporary: readonly string[]) =>
    decide(
      { ...plannedCommand({ command, cwd: "/ws", executor }), temporary },
      { ...places, ...inMode("accept-edits", []) },
    );
  expect(own("node /tmp/a.mjs", ["/tmp/a.mjs"]).contained).toBeDefined();
  expect(own("node /tmp/a.mjs", []).contained).toBeUndefined();
  expect(own("node /tmp/b.mjs", ["/tmp/a.mjs"]).contained).toBeUndefined();
  expect(own("node /tmp/a.mjs /tmp/other.json", ["/tmp/a.mjs"]).contained).toBeUndefined();
});
