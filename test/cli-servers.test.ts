/** Messages about broken MCP files and servers that do not start: the built program. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { fingerprint } from "../src/mcp/fingerprint.js";
import { readServer } from "../src/mcp/config.js";
import { atHome } from "./cli-kit.js";
import { atDesk, script } from "./tmux-kit.js";

const HANDSHAKE = [
  { jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: 1 } },
  { jsonrpc: "2.0", id: 2, method: "session/new", params: { cwd: "/", mcpServers: [] as unknown[] } },
] as const;
const lines = (messages: readonly object[]) => messages.map((one) => `${JSON.stringify(one)}\n`).join("");

describe("mistakes in a file of servers", () => {
  test.each([
    ["{bad", '1: there is "b" where a name in double quotes should be. Nothing was started.'],
    [
      '{ "mcpServers": {\n"one": { "command": "x" },\n"two": {\n"comand": "x" } } }',
      '4: The MCP server "two" cannot be used: nobody knows the field "comand", only "type", "command", "args", "env", "cwd", "timeout". The server was not started. Correct its configuration.',
    ],
  ])(
    "reports a mistake in a file of servers with its line, and starts nothing: %s",
    async (text, message) => {
      const at = await atHome();
      const file = join(at.project, "mb.json");
      writeFileSync(file, text);
      expect(await at.runHere(["run", "--mcp", "mb.json", "look"])).toEqual({
        status: 1,
        stdout: "",
        stderr: `toolgate: ${file}:${message}\n`,
      });
    },
  );

  test("reports a mistake in mcp.json of the settings to run, serve and an editor", async () => {
    const at = await atHome({ "mcp.json": "{bad" });
    const message = `${join(at.settings, "mcp.json")}:1: there is "b" where a name in double quotes should be. Nothing was started.`;
    const run = await at.runHere(["run", "look"]);
    expect(run).toEqual({ status: 1, stdout: "", stderr: `toolgate: ${message}\n` });
    const serve = await at.runHere(["serve", "--port", "0"], { env: { TOOLGATE_TOKEN: "a".repeat(40) } });
    expect(serve).toMatchObject({ status: 1, stdout: "" });
    expect(serve.stderr).toContain(`toolgate: ${message}\n`);
    const acp = await at.run(["acp"], { input: lines(HANDSHAKE), openUntil: '"id":2' });
    expect(JSON.parse(acp.stdout.trim().split("\n").at(-1) ?? "")).toMatchObject({
      id: 2,
      error: { message },
    });
    expect({ status: acp.status, stderr: acp.stderr }).toEqual({
      status: 1,
      stderr: `toolgate: ${message}\n`,
    });
  });
});

describe("the project's .mcp.json", () => {
  test("reads .mcp.json with approval of each server, variables and the user's own server of the same name", async () => {
    const at = await atHome({ "mcp.json": { mcpServers: { both: { command: "nosuch-own" } } } });
    writeFileSync(
      join(at.project, ".mcp.json"),
      JSON.stringify({
        mcpServers: {
          both: { command: "nosuch-project" },
          shared: { command: "nosuch-shared", args: ["${MCP_TEST_TOKEN}"] },
        },
      }),
    );
    const approvedOne = {
      name: "shared",
      fingerprint: fingerprint({ command: "nosuch-shared", args: ["s3cret"] }, at.project),
      projectRoot: at.project,
      approvedAt: 1,
    };
    writeFileSync(
      join(at.settings, "mcp-servers.json"),
      JSON.stringify({ version: 1, servers: [approvedOne] }),
    );
    const said = at.script([{ say: "Done." }]);
    const run = (env: Record<string, string>) => at.runHere(["run", "--script", said, "look"], { env });
    const { stdout, stderr } = await run({ MCP_TEST_TOKEN: "s3cret" });
    expect(stdout).toContain("Done.");
    expect(stderr).toContain("the MCP server both is not approved for");
    expect(stderr).toMatch(
      /the MCP server shared could not be reached; continuing without it:\n    │ its program .*nosuch-shared/,
    );
    expect(stderr).not.toContain("s3cret");
    const unset = await run({});
    expect(unset.stdout).toContain("Done.");
    expect(unset.stderr).toContain(
      `${join(at.project, ".mcp.json")}:1: The MCP server "shared" cannot be used: the variable MCP_TEST_TOKEN in "args.0" is not set`,
    );
    expect(unset.stderr).toContain("Continuing without the servers of this file.");
  });
});

type Servers = Readonly<Record<string, object>>;

const GONE: Servers = { gone: { command: "nosuch-program" } };
const GONE_MESSAGE =
  /^toolgate: the MCP server gone could not be reached; continuing without it:\n    │ its program .*nosuch-program.*\.\n/;

/** Settings with these servers, approved for the folder. */
function approved(servers: Servers, cwd: string) {
  const list = Object.entries(servers).map(([name, config]) => ({
    name,
    fingerprint: fingerprint(readServer(name, config), cwd),
    projectRoot: cwd,
    approvedAt: 1,
  }));
  return { "mcp.json": { mcpServers: servers }, "mcp-servers.json": { version: 1, servers: list } };
}

async function atHomeWith(servers: Servers) {
  const at = await atHome();
  for (const [name, value] of Object.entries(approved(servers, at.project)))
    writeFileSync(join(at.settings, name), JSON.stringify(value));
  return at;
}

describe("servers that do not start", () => {
  test("continues without a server whose program does not exist, and says so in the log", async () => {
    const at = await atHomeWith(GONE);
    const log = join(at.home, "log");
    const said = at.script([{ say: "Done." }]);
    const { status, stdout, stderr } = await at.runHere(["run", "--script", said, "--log", log, "look"]);
    expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringContaining("Done.") });
    expect(stderr).toMatch(GONE_MESSAGE);
    expect(readFileSync(log, "utf8")).toMatch(
      /"level":"warn".*"server":"gone","error":"its program .*"msg":"MCP server could not be reached"/,
    );
  });

  test("continues without a server that ends at once, and one at an address where nobody listens", async () => {
    const at = await atHomeWith({
      short: { command: process.execPath, args: ["-e", "console.error('no key');process.exit(3)"] },
      web: { url: await closedUrl() },
    });
    const { status, stderr } = await at.runHere(["run", "--script", at.script([{ say: "Done." }]), "look"]);
    expect(status).toBe(0);
    expect(stderr).toMatch(
      /the MCP server short could not be reached; continuing without it:\n    │ .*it ended with code 3 and last wrote to stderr: no key\./,
    );
    expect(stderr).toMatch(
      /the MCP server web could not be reached; continuing without it:\n    │ .*ECONNREFUSED.*\./,
    );
  });

  test("continues for an editor without a server of the settings and one of the editor", async () => {
    const at = await atHomeWith(GONE);
    const [hello, session] = HANDSHAKE;
    const theirs = { name: "theirs", command: "/nosuch/program", args: [], env: [] };
    const opened = { ...session, params: { cwd: at.project, mcpServers: [theirs] } };
    const { stderr, stdout } = await at.run(["acp"], { input: lines([hello, opened]), openUntil: '"id":2' });
    expect(stdout).toContain('"sessionId"');
    expect(stderr).toMatch(GONE_MESSAGE);
    expect(stderr).toMatch(
      /the MCP server theirs could not be reached; continuing without it:\n    │ its program .*\.\n/,
    );
  });

  test("continues without a server that never answers at a terminal where nothing has to be asked", async () => {
    const desk = await atDesk({ files: { "s.json": script([{ say: "Done." }]) } });
    const settings = join(desk.home, "config", "toolgate");
    mkdirSync(settings, { recursive: true });
    const servers = { hangs: { command: "sleep", args: ["1000"] } };
    for (const [name, value] of Object.entries(approved(servers, desk.project)))
      writeFileSync(join(settings, name), JSON.stringify(value));
    // Poll for twenty seconds: a regression would wait for a minute.
    const { code, text } = await desk.runs("toolgate run --script s.json look");
    expect(text.replaceAll(/\n +/g, " ")).toContain(
      "toolgate: the MCP server hangs could not be reached; continuing without it: │ it has not answered in time.",
    );
    expect({ code, text }).toEqual({ code: 0, text: expect.stringContaining("Done.") });
  });
});

/** An address where nothing listens. */
async function closedUrl(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}/mcp`;
}
