/** Wrong usage and edge cases of the commands, with a home folder for each test. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openLedger } from "../src/history/index.js";
import { SessionRecord } from "../src/record/index.js";
import { atHome } from "./cli-kit.js";

const MODEL = "anthropic/claude-haiku-4-5";

test.each([
  [
    "run --script s.json --model anthropic/x go",
    "'--script <file>' cannot be used with option '--model <name>'",
  ],
  ["run --auth key go", "'--auth <method>' needs option '--agent <command>'"],
  ["run --base-url http://x go", "'--base-url <url>' needs option '--model <name>' or '--resume [session]'"],
  ["run --resume --script s --base-url u", "'--script <file>' cannot be used with option '--base-url <url>'"],
  ["run --token-file t go", "'--token-file <file>' needs option '--url <url>'"],
  ["run --trust look go", "'--trust <tool>' needs option '--url <url>'"],
  ["run --insecure-url go", "'--insecure-url' needs option '--url <url>'"],
  [
    "run --url http://x --resume --trust look",
    "'--trust' cannot be used with options '--url' and '--resume'",
  ],
  ["run --url http://x --resume --agent one", "'--agent' cannot be used with options '--url' and '--resume'"],
  ["acp --tls-cert c", "'--tls-cert <file>' needs option '--listen <[host:]port>'"],
  ["acp --tls-key k", "'--tls-key <file>' needs option '--listen <[host:]port>'"],
  ["acp --insecure-listen", "'--insecure-listen' needs option '--listen <[host:]port>'"],
  ["acp --allow-host h", "'--allow-host <name>' needs option '--listen <[host:]port>'"],
  ["acp --allow-origin o", "'--allow-origin <origin>' needs option '--listen <[host:]port>'"],
  ["acp --base-url u", "'--base-url <url>' needs option '--model <name>' or '--models <names...>'"],
  ["serve --base-url u", "'--base-url <url>' needs option '--model <name>'"],
  ["serve --script s --model m", "'--script <file>' cannot be used with option '--model <name>'"],
  [
    "serve --insecure-listen --tls-cert c",
    "'--insecure-listen' cannot be used with option '--tls-cert <file>'",
  ],
  ["rules test --input {}", "'--input <json>' needs option '--tool <name>'"],
  ["rules test --tool t --input {} --read f", "'--input <json>' cannot be used with option '--read <path>'"],
  ["rules test --tool t --input {} -- ls", "'--input' cannot be used with a command"],
  ["rules test --batch --rules f", "'--batch' cannot be used with option '--rules <file>'"],
  ["rules test --batch -- ls", "'--batch' cannot be used with a command"],
  ["mcp revoke s --cwd . --everywhere", "'--everywhere' cannot be used with option '--cwd <folder>'"],
  ["history delete s --keep-last 2", "'--keep-last <number>' needs option '--older-than <days>'"],
])("refuses %s and says why", async (line, message) => {
  const words = line.split(" ");
  const { status, stdout, stderr } = await (await atHome()).runHere(words);
  expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
  expect(stderr).toContain(`error: option ${message}`);
  expect(stderr).toMatch(/\nNothing was done\. Try: toolgate [a-z ]+ --help\n$/);
});

test("names the help of the program for a flag without a command", async () => {
  expect(await (await atHome()).run(["--bogus"])).toEqual({
    status: 2,
    stdout: "",
    stderr: "error: unknown option '--bogus'\nNothing was done. Try: toolgate --help\n",
  });
});

test.each(["run --script /etc hi", "run --mcp /etc hi", "rules check /etc", "rules test --rules /etc -- ls"])(
  "%s names the folder that is no file",
  async (line) => {
    expect(await (await atHome()).runHere(line.split(" "))).toEqual({
      status: 1,
      stdout: "",
      stderr: "toolgate: /etc is a folder where a file is needed. Nothing was done.\n",
    });
  },
);

test("reports an agent that ends at once, what was not done, and what to check", async () => {
  const at = await atHome();
  expect(await at.runHere(["run", "--agent", "node -e process.exit(3)", "go"])).toEqual({
    status: 1,
    stdout: "",
    stderr: `toolgate: node ended before it answered initialize: it ended with code 3. Nothing was done. Run the command by itself to see what it prints, and check that it supports ACP: node -e process.exit(3)
`,
  });
});

test.each([
  ["--script nosuch.json", /^toolgate: nosuch\.json does not exist\. .*\n$/],
  ["--mcp nosuch.json", /^toolgate: \/.*\/nosuch\.json does not exist\. .*\n$/],
  ["--model foo/bar", /^toolgate: "foo\/bar" names no known provider: .*\n$/],
  ["--model antropic/bar", /^toolgate: .* names no known provider \(Did you mean anthropic\?\): .*\n$/],
  ["--cwd /nosuch", /^toolgate: \/nosuch is not a folder .*\n$/],
])("reports acp %s once, also when no editor ever sends a message", async (line, message) => {
  const { status, stdout, stderr } = await (await atHome()).run(["acp", ...line.split(" ")]);
  expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
  expect(stderr).toMatch(message);
});

test("runs acp without an editor without an error, and starts no server", async () => {
  const at = await atHome({ "mcp.json": { mcpServers: { one: { command: "nosuch-program" } } } });
  expect(await at.run(["acp"])).toEqual({ status: 0, stdout: "", stderr: "" });
});

test("refuses an unknown session id and never uses it as a prompt", async () => {
  const at = await atHome();
  const script = at.script([{ say: "First." }, { say: "Second." }]);
  expect((await at.runHere(["run", "--script", script, "go"])).stdout).toContain("First.");
  const wrong = await at.runHere(["run", "--script", script, "--resume", "nosuch"]);
  expect(wrong).toEqual({
    status: 1,
    stdout: "",
    stderr:
      'toolgate: There is no session "nosuch". Nothing was done; see which there are with: toolgate history list. If that is what the agent should do, put it after --: toolgate run --resume -- nosuch\n',
  });
  expect((await at.runHere(["run", "--script", script, "--resume", "--", "more"])).stdout).toContain(
    "Second.",
  );
});

test("resumes a session with its script, and refuses when the script is gone", async () => {
  const at = await atHome();
  const script = at.script([{ say: "First." }, { say: "Second." }, { say: "Third." }]);
  await at.runHere(["run", "--script", script, "go"]);
  expect((await at.runHere(["run", "--resume", "--", "more"])).stdout).toContain("Second.");
  rmSync(script);
  const { status, stdout, stderr } = await at.runHere(["run", "--resume", "--", "more"]);
  expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
  expect(stderr).toContain(script);
});

test("lists the folder of each session in 80 columns, and filters by folder", async () => {
  const at = await atHome();
  const deep = join(at.project, "a-folder-with-a-name", "and-another-one-below-it", "cart");
  mkdirSync(deep, { recursive: true });
  const script = at.script([{ say: "Done." }]);
  const long = "a title that says very much and goes on and on until nobody wants to read any more of it";
  await at.runHere(["run", "--script", script, "in the project"]);
  await at.runHere(["run", "--script", script, "--cwd", deep, long]);
  const { stdout } = await at.runHere(["history", "list"]);
  expect(stdout.split("\n").filter((line) => line.length > 80)).toEqual([]);
  const [, below, , above] = stdout.split("\n");
  expect(below).toMatch(/^ {4}…\S+-one-below-it\/cart {2}a title that says .*…$/);
  expect(above).toBe("    ~/project  in the project");
  const found = await at.runHere(["history", "list", "--json", "--cwd", "."]);
  expect(JSON.parse(found.stdout)).toMatchObject({
    sessions: [{ cwd: at.project, title: "in the project" }],
  });
  expect((await at.runHere(["stats", "--by", "agent", "--cwd", "."])).status).toBe(0);
  const ledger = await openLedger(join(at.home, "toolgate", "ledger.sqlite"));
  const record = await SessionRecord.open(ledger, "session_0123abcd-0-0-0-0", { owner: "test" });
  const turn = { turnId: "turn_1", at: Date.now() };
  await record.append(
    [
      { type: "info-changed", at: 1, info: { _meta: { toolgate: { flags: { model: MODEL } } } } },
      { type: "turn-started", ...turn },
      {
        type: "step-ended",
        ...turn,
        stepId: "1",
        toolCallIds: [],
        usage: { inputTokens: 1e6, outputTokens: 0 },
      },
      { type: "turn-stopped", ...turn, stopReason: "end_turn" },
    ],
    { durable: true },
  );
  await record.close();
  await ledger.close();
  const [priced] = (await at.runHere(["history", "list", "--limit", "1"])).stdout.split("\n");
  expect(priced).toMatch(/^session_0123abcd {2}\S+ \S+ {2}0 calls {2}anthropic\/\S+ {2}\$\d+\.\d\d$/);
  const asJson = await at.runHere(["history", "list", "--json", "--limit", "1"]);
  expect(JSON.parse(asJson.stdout)).toMatchObject({
    sessions: [{ models: [MODEL], cost: expect.any(Number) }],
  });
});

test("revokes a remembered rule by the start of its id, if it is unique", async () => {
  const at = await atHome();
  await at.runHere(["rules", "add", '{"allow":"fetch"}']);
  await at.runHere(["rules", "add", '{"allow":"edit"}']);
  const file = join(at.settings, "grants.json");
  const stored = JSON.parse(readFileSync(file, "utf8"));
  const ids = ["4f2a81c09b7e", "4f2b00000000"];
  stored.grants.forEach((grant: { grantId: string }, index: number) => (grant.grantId = ids[index] ?? ""));
  writeFileSync(file, JSON.stringify(stored));
  const vague = await at.runHere(["rules", "revoke", "4f2"]);
  expect(vague.status).toBe(1);
  expect(vague.stderr)
    .toBe(`toolgate: "4f2" matches 2 remembered rules. Nothing was changed; type more of the id that you mean:
    │ 4f2a81c09b7e  {"allow":"fetch"}
    │ 4f2b00000000  {"allow":"edit"}
`);
  expect(await at.runHere(["rules", "revoke", "4f2a"])).toEqual({
    status: 0,
    stdout: '4f2a81c09b7e is revoked: {"allow":"fetch"}\n',
    stderr: "",
  });
  expect((await at.runHere(["rules", "revoke", ""])).stderr).toContain('Nothing is remembered under ""');
  expect((await at.runHere(["rules", "list"])).stdout).not.toContain('"allow":"fetch"');
});

test("explains what unreadable remembered rules mean and what to do", async () => {
  const at = await atHome({ "grants.json": "{broken" });
  const { status, stderr } = await at.runHere(["rules", "list"]);
  expect(status).toBe(1);
  expect(stderr).toBe(
    `toolgate: ${join(at.settings, "grants.json")}:1: there is "b" where a name in double quotes should be. No remembered rule is in force: what they allowed is asked about, and so is every other call, since what they denied is not known. Put the file right, or remove it to begin without any.\n`,
  );
});

test("uses the singular for one thing", async () => {
  const at = await atHome();
  const file = join(at.project, "r.json");
  writeFileSync(file, JSON.stringify({ rules: [{ allow: "fetch" }] }));
  expect((await at.runHere(["rules", "check", file])).stdout).toBe(`${file}: 1 rule, no mistakes found.\n`);
});

test("says in rules test why a program is asked about when a path is denied", async () => {
  const at = await atHome({
    "rules.json": { rules: [{ allow: "execute" }, { deny: "read", path: "**/.env" }] },
    // The answer must not depend on whether a sandbox is installed.
    "config.json": { contained: false },
  });
  const { stdout } = await at.runHere(["rules", "test", "--", "node", "build.js"]);
  expect(stdout).toContain(`ask
  rule: deny read **/.env
  because: node gets ${at.project}/build.js and may open anything there, also what the rule names
`);
});

test("shows the mode that a session was started in", async () => {
  const at = await atHome();
  await at.runHere(["run", "--script", at.script([{ say: "Done." }]), "--mode", "accept-edits", "go"]);
  expect((await at.runHere(["history", "show"])).stdout).toContain(
    `agent toolgate, mode accept-edits, in ${at.project}`,
  );
});

test("lists the models of the server that config.json names", async () => {
  const asked: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.url} ${request.headers.authorization}`);
    const data = [{ id: "small" }, { id: "large:8b" }, { id: "../up" }, { id: 3 }, {}];
    response.end(JSON.stringify({ object: "list", data }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const listed = async (model: string) =>
    (await atHome({ "config.json": { model, baseUrl } })).runHere(["models"], {
      env: { TOOLGATE_MODEL_KEY: "k-1" },
    });
  const { stdout } = await listed("openai-compatible/small");
  expect(stdout).toContain(`openai-compatible/large:8b  at ${baseUrl}\n`);
  expect(stdout).not.toContain("../up");
  // A server behind another provider's name gets no key of ours.
  await listed("anthropic/claude");
  expect(asked).toEqual(["/v1/models Bearer k-1"]);
});
