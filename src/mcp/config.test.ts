import { expect, test } from "vitest";
import { readMcpConfig } from "./config.js";
import { mcpConfigFromAcp } from "./mcp-config-from-acp.js";
import { describeServer, fingerprint } from "./fingerprint.js";

test("reads the form that editors use", () => {
  const mcpServers = {
    files: {
      type: "stdio",
      command: "npx",
      args: ["-y", "server"],
      env: { KEY: "x" },
      cwd: "/ws",
      timeout: 5000,
    },
    docs: { url: "https://docs.example/mcp" },
    old: { type: "sse", url: "http://127.0.0.1:3001/sse", headers: { Authorization: "Bearer x" } },
  };
  const { type: _type, ...files } = mcpServers.files;
  expect(readMcpConfig({ mcpServers })).toEqual({ ...mcpServers, files });
});

test("accepts any server name, __proto__ too", () => {
  const json: unknown = JSON.parse(`{ "mcpServers": { "__proto__": { "command": "a" } } }`);
  expect(Object.entries(readMcpConfig(json))).toEqual([["__proto__", { command: "a" }]]);
});

test.each<[string, unknown, string]>([
  ["a text", "x", "The MCP servers cannot be read"],
  ["no servers", {}, `"mcpServers": `],
  ["a field too many", { mcpServers: {}, servers: {} }, `nobody knows the field "servers"`],
  ["neither command nor url", { mcpServers: { a: {} } }, `The MCP server "a" cannot be used: "command": `],
  [
    "a misspelled command",
    { mcpServers: { a: { comand: "x" } } },
    `nobody knows the field "comand", only "type", "command", "args", "env", "cwd", "timeout"`,
  ],
  [
    "a misspelled header",
    { mcpServers: { a: { url: "file:///x", header: {} } } },
    `nobody knows the field "header", only "type", "url", "headers", "timeout"`,
  ],
  [
    "both",
    { mcpServers: { a: { command: "x", url: "https://x.test" } } },
    `nobody knows the field "command"`,
  ],
  ["an empty command", { mcpServers: { a: { command: "" } } }, `"command": `],
  ["a NUL", { mcpServers: { a: { command: "x", args: ["a\0b"] } } }, "a NUL cannot be passed to a program"],
  ["args as a text", { mcpServers: { a: { command: "x", args: "-y" } } }, `"args": `],
  ["a variable that is none", { mcpServers: { a: { command: "x", env: { "A=B": "c" } } } }, `"env.A=B": `],
  ["an unknown type", { mcpServers: { a: { type: "ws", url: "https://x.test" } } }, `"type": `],
  ["a file", { mcpServers: { a: { url: "file:///etc/passwd" } } }, "it must be an http or https URL"],
  ["a user in the URL", { mcpServers: { a: { url: "https://me:pw@x.test" } } }, "without a user name"],
  [
    "two headers in one",
    { mcpServers: { a: { url: "https://x.test", headers: { A: "b\r\nC: d" } } } },
    "one line",
  ],
  ["a hidden name", { mcpServers: { "a\u200B": { command: "x" } } }, "its name has invisible characters"],
  ["a timeout of a day", { mcpServers: { a: { command: "x", timeout: 86_400_000 } } }, `"timeout": `],
])("%s is refused in words", (_what, json, words) => {
  expect(() => readMcpConfig(json)).toThrow(words);
  expect(() => readMcpConfig(json)).toThrow("was");
});

test("replaces variables for a caller that passes them, and shows the server as it is written", () => {
  const env = {
    KEY: "${TOKEN}",
    HOST: "${HOST:-localhost}",
    EMPTY: "${EMPTY:-x}",
    RAW: "$${TOKEN} ${a%b} $TOKEN",
  };
  const json = { mcpServers: { a: { command: "npx", args: ["--key=${TOKEN}"], env } } };
  const { a } = readMcpConfig(json, { variables: { TOKEN: "s3cret", EMPTY: "" } });
  expect(a).toMatchObject({
    args: ["--key=s3cret"],
    env: { KEY: "s3cret", HOST: "localhost", EMPTY: "x", RAW: "${TOKEN} ${a%b} $TOKEN" },
  });
  expect(a && describeServer(a, "/ws")).toBe(
    'runs npx "--key=${TOKEN}" in /ws with the variables KEY (from $TOKEN), HOST (from $HOST), EMPTY (from $EMPTY), RAW',
  );
  expect(readMcpConfig(json)).toEqual(json.mcpServers);
});

test("names the variables that a header sends, and needs another approval when they are others", () => {
  const server = (text: string) => {
    const json = { mcpServers: { a: { url: "https://docs.test/mcp", headers: { "X-Client": text } } } };
    const { a } = readMcpConfig(json, { variables: { KEY: "s3cret", OTHER: "s3cret" } });
    if (!a) throw new Error("There is no server.");
    return a;
  };
  expect(describeServer(server("Bearer ${KEY}"), "/ws")).toBe(
    "connects to https://docs.test/mcp (http) with the headers X-Client (from $KEY)",
  );
  const prints = ["toolgate", "${KEY}", "${OTHER}"].map((text) => fingerprint(server(text), "/ws"));
  expect(new Set(prints).size).toBe(3);
  // Tokens that are written out change with each session.
  expect(fingerprint(server("other"), "/ws")).toBe(prints[0]);
});

test.each(["TOKEN", "constructor"])(
  "names the server, the field and the variable %s that is not set",
  (name) => {
    const json = { mcpServers: { a: { url: "https://x.test", headers: { A: `Bearer \${${name}}` } } } };
    expect(() => readMcpConfig(json, { variables: {} })).toThrow(
      `The MCP server "a" cannot be used: the variable ${name} in "headers.A" is not set; set it, or write \${${name}:-default}. The server was not started.`,
    );
  },
);

test("converts the servers of an ACP session", () => {
  const configs = mcpConfigFromAcp(
    [
      { name: "files", command: "/bin/server", args: ["a"], env: [{ name: "KEY", value: "x" }] },
      { type: "http", name: "docs", url: "https://docs.example/mcp", headers: [{ name: "A", value: "b" }] },
      { type: "sse", name: "old", url: "https://old.example/sse", headers: [] },
    ],
    { cwd: "/ws" },
  );
  expect(configs).toEqual({
    files: { command: "/bin/server", args: ["a"], env: { KEY: "x" }, cwd: "/ws" },
    docs: { type: "http", url: "https://docs.example/mcp", headers: { A: "b" } },
    old: { type: "sse", url: "https://old.example/sse", headers: {} },
  });
});

test("refuses two servers of one name, and everything that a file may not hold", () => {
  const server = { name: "a", command: "x", args: [], env: [] };
  for (const odd of [null, 7, {}, { name: "a" }, { command: "x" }, { name: "a", url: "http://x" }])
    expect(() => mcpConfigFromAcp([odd])).toThrow("MCP server 1 is not described as ACP does");
  expect(() => mcpConfigFromAcp([server, server])).toThrow(`Two MCP servers are named "a"`);
  expect(() => mcpConfigFromAcp([{ type: "http", name: "a", url: "javascript:x", headers: [] }])).toThrow(
    "it must be an http or https URL",
  );
});

test("changes the fingerprint with anything that changes the program, and not with the order of variables", () => {
  const config = { command: "npx", args: ["-y", "server"], env: { A: "1", B: "2" } };
  const prints = [
    fingerprint(config, "/ws"),
    fingerprint({ ...config, command: "npm" }, "/ws"),
    fingerprint({ ...config, args: ["-y server"] }, "/ws"),
    fingerprint({ ...config, args: ["server", "-y"] }, "/ws"),
    fingerprint({ ...config, env: { A: "1", B: "3" } }, "/ws"),
    fingerprint({ ...config, env: { A: "1" } }, "/ws"),
    fingerprint({ ...config, cwd: "/tmp" }, "/ws"),
    fingerprint(config, "/other"),
    fingerprint({ url: "https://x.test/mcp" }, "/ws"),
    fingerprint({ url: "https://x.test/mcp", type: "sse" }, "/ws"),
    fingerprint({ url: "https://x.test/mcp", headers: { A: "1" } }, "/ws"),
    fingerprint({ url: "https://y.test/mcp" }, "/ws"),
  ];
  expect(new Set(prints).size).toBe(prints.length);
  expect(prints.every((print) => /^[0-9a-f]{64}$/.test(print))).toBe(true);
  expect(fingerprint({ ...config, env: { B: "2", A: "1" } }, "/ws")).toBe(prints[0]);
  expect(fingerprint({ url: "https://x.test/mcp", headers: { a: "another token" } }, "/elsewhere")).toBe(
    prints[10],
  );
});

test("describes every word that runs, without secret values", () => {
  const config = { command: "npx foo", args: ["-y", "a;b", "x\u202Ey"], env: { TOKEN: "s3cret" } };
  expect(describeServer(config, "/ws")).toBe(
    `runs "npx foo" -y "a;b" "x⟨U+202E⟩y" in /ws with the variables TOKEN`,
  );
  expect(
    describeServer({ url: "https://x.test/mcp", headers: { Authorization: "Bearer s3cret" } }, "/ws"),
  ).toBe("connects to https://x.test/mcp (http) with the headers Authorization");
});
