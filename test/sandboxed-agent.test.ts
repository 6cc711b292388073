/** Another agent's program in the sandbox: the workspace, its own settings, and the hosts that rules allow. */
import { spawn } from "node:child_process";
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { NoSandbox, openSandbox } from "../src/tools/index.js";
import { enterAgent } from "../src/tools/sandbox/enter-agent.js";
import { openHostProxy } from "../src/tools/sandbox/host-proxy.js";
import { aWorkspace } from "../src/tools/tools.samples.js";
import { atHome } from "./cli-kit.js";
import { childProgram } from "./child-programs.js";

const why = await openSandbox({ network: true }).then(
  () => "",
  (error: unknown) => {
    if (error instanceof NoSandbox) return `: ${error.message}`;
    throw error;
  },
);

async function aServer(): Promise<number> {
  const server = createServer((socket) => socket.end("hello from outside")).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await new Promise((resolve) => server.once("listening", resolve));
  // A TCP server always has an address of this form.
  return (server.address() as AddressInfo).port;
}

/** Asks the proxy for a connection and prints all that comes; then connects without it. */
const REACH = `
const net = require("node:net");
const [port, ...hosts] = process.argv.slice(2);
const reach = (options, first) => new Promise((resolve) => {
  let text = "";
  net.connect(options, function () { this.write(first); }).on("data", (data) => (text += data))
    .on("error", () => resolve("none")).on("close", () => resolve(text.replaceAll("\\r\\n", " ")));
});
(async () => {
  const proxy = { host: "127.0.0.1", port: Number(new URL(process.env.HTTPS_PROXY).port) };
  for (const host of hosts) console.log(host, await reach(proxy, \`CONNECT \${host} HTTP/1.1\\r\\n\\r\\n\`));
  console.log("direct", await reach({ host: "127.0.0.1", port: Number(port) }, "x"));
})();
`;

test.skipIf(why !== "")(`an agent reaches the hosts that are allowed, by the proxy alone${why}`, async () => {
  const port = await aServer();
  const { root } = await aWorkspace({ "reach.js": REACH });
  const refused: string[] = [];
  const entered = await enterAgent(
    [process.execPath, "reach.js", String(port), `localhost:${port}`, "evil.example:443", "nonsense"],
    {
      roots: [root],
      cwd: root,
      own: [],
      guards: [],
      allows: (url) => url.startsWith("https://localhost:"),
      onRefused: (host) => void refused.push(host),
    },
  );
  const [program, ...words] = entered.argv;
  const child = spawn(program, words, { env: { PATH: "/usr/bin:/bin", SECRET: "1" }, cwd: root });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => void (output += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => void (output += text));
  await new Promise((resolve) => child.once("close", resolve));
  expect(await entered.leave()).toEqual([]);
  expect(output.split("\n")).toEqual([
    `localhost:${port} HTTP/1.1 200 Connection Established  hello from outside`,
    expect.stringContaining("evil.example:443 HTTP/1.1 403 Forbidden"),
    expect.stringContaining("nonsense HTTP/1.1 400 Bad Request"),
    "direct none",
    "",
  ]);
  expect(refused).toEqual(["evil.example"]);
});

test("the proxy connects to no name that leads to this machine, and takes CONNECT alone", async () => {
  const port = await aServer();
  const { outside } = await aWorkspace();
  const path = join(outside, "proxy");
  const proxy = await openHostProxy({
    path,
    allows: () => true,
    onRefused: () => undefined,
    resolve: () => Promise.resolve(["127.0.0.1"]),
  });
  onTestFinished(() => proxy.close());
  const answer = (first: string) =>
    new Promise<string>((resolve) => {
      let text = "";
      const socket = spawn("node", ["-e", CLIENT, path, first]);
      socket.stdout.on("data", (data: Buffer) => void (text += data.toString()));
      socket.on("close", () => resolve(text));
    });
  expect(await answer(`CONNECT example.com:${port} HTTP/1.1\r\n\r\n`)).toContain("502 Bad Gateway");
  // To a parser of addresses, these name the first host.
  for (const name of ["example.com?.evil.example", "example.com#.evil.example", "me@evil.example", "a%2eb"])
    expect(await answer(`CONNECT ${name}:${port} HTTP/1.1\r\n\r\n`)).toContain("400 Bad Request");
  expect(await answer(`GET http://example.com/ HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`)).toContain(
    "405",
  );
});

const CLIENT = `const [path, first] = process.argv.slice(1); const s = require("node:net").connect(path, () => s.write(first)); s.pipe(process.stdout);`;

test.skipIf(why !== "")(
  `toolgate run --agent --sandbox drives an agent that sees no home${why}`,
  async () => {
    const at = await atHome();
    mkdirSync(join(at.home, ".ssh"));
    writeFileSync(join(at.home, ".ssh", "id_rsa"), "KEY");
    copyFileSync(childProgram("acp-home-reader.mjs"), join(at.project, "agent.mjs"));
    const { stdout, stderr, status } = await at.runHere([
      "run",
      "--sandbox",
      "--agent",
      `${process.execPath} agent.mjs ${join(at.home, ".ssh", "id_rsa")}`,
      "go",
    ]);
    expect([status, stderr]).toEqual([0, expect.any(String)]);
    expect(stdout).toContain("It read: nothing");
  },
);
