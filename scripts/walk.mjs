// How much code one call touches: an edit over ACP v1, asked about and allowed, recorded in SQLite, then shown as text.
// Counts the files below dist/ in which at least one function ran between the prompt and its response, or for the view, by
// V8's own call counts. Loading files, opening the session and closing the connection are not counted. A reader opens the
// files that ARCHITECTURE.md names on the call's way; each of them must have run.
// A part of `npm run check`: fails when a call touches more files, or names more to its reader, than MAX_TOUCHED and MAX_NAMED.
//   node scripts/walk.mjs          the counts by room
//   node scripts/walk.mjs --files  and the files
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

/** A call that touches more files has ideas that it does not need, or ideas that are spread over files. */
const MAX_TOUCHED = 109;
const MAX_NAMED = 34;

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "toolgate-walk-"));
const coverage = join(folder, "coverage.json");
const script = join(folder, "agent.mjs");
const steps = [
  { calls: [{ tool: "edit_file", input: { path: "a.txt", oldText: "one", newText: "two" } }] },
  { say: "Done." },
];
writeFileSync(join(folder, "a.txt"), "one\n");
writeFileSync(
  script,
  `import { builtInTools, createAgent, openLedger, scriptedModel } from ${JSON.stringify(join(root, "dist/index.js"))};
import { serveAcp } from ${JSON.stringify(join(root, "dist/acp/index.js"))};
import { replaySession } from ${JSON.stringify(join(root, "dist/history/index.js"))};
import { sessionText } from ${JSON.stringify(join(root, "dist/view/index.js"))};
import { Session } from "node:inspector/promises";
import { writeFileSync } from "node:fs";
const inspector = new Session();
inspector.connect();
await inspector.post("Profiler.enable");
await inspector.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
// To take the counts sets them to zero.
const counts = () => inspector.post("Profiler.takePreciseCoverage");
const emit = process.stdin.emit.bind(process.stdin);
let turn;
process.stdin.emit = (name, chunk) => {
  if (name === "data" && String(chunk).includes("session/prompt")) void counts();
  // The client closes the connection when it has the response.
  if (name === "end") turn = counts();
  return emit(name, chunk);
};
const agent = createAgent({ name: "walker", model: scriptedModel({ steps: ${JSON.stringify(steps)} }), tools: builtInTools, rules: [] });
const ledger = await openLedger(${JSON.stringify(join(folder, "ledger.sqlite"))});
await serveAcp(agent, { ledger });
const [session] = await ledger.sessions();
await counts();
process.stderr.write(sessionText(replaySession(session.sessionId, await ledger.read(session.sessionId)).session) + "\\n");
const { result } = await counts();
writeFileSync(${JSON.stringify(coverage)}, JSON.stringify([...(await turn).result, ...result]));
process.exit();
`,
);

try {
  process.stderr.write(await drive());
  const files = touchedFiles();
  const rooms = grouped(files);
  for (const [room, inside] of [...rooms].toSorted(([, one], [, other]) => other.length - one.length))
    console.log(String(inside.length).padStart(4), room);
  console.log(String(files.length).padStart(4), "files in which a function ran");
  const opened = readersFiles();
  console.log(String(opened.length).padStart(4), "of them are named in ARCHITECTURE.md");
  const idle = opened.filter((path) => !files.includes(path.replace(/ts$/, "js")));
  for (const path of idle) console.error(`ARCHITECTURE.md names ${path}, in which no function ran.`);
  const isTooLong = files.length > MAX_TOUCHED || opened.length > MAX_NAMED;
  if (isTooLong)
    console.error(`A call may touch ${MAX_TOUCHED} files, and ARCHITECTURE.md name ${MAX_NAMED} of them.`);
  process.exitCode = idle.length === 0 && !isTooLong ? 0 : 1;
  if (process.argv.includes("--files")) console.log(files.join("\n"));
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** A client that opens a session, sends one prompt and allows what it is asked about. */
async function drive() {
  const child = spawn(process.execPath, [script], {
    cwd: folder,
    stdio: ["pipe", "pipe", "pipe"],
  });
  let shown = "";
  child.stderr.setEncoding("utf8").on("data", (text) => (shown += text));
  const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  let rest = "";
  child.stdout.setEncoding("utf8").on("data", (text) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines.filter(Boolean)) answer(JSON.parse(line));
  });
  function answer({ id, method, params, result }) {
    if (method === "session/request_permission") {
      const { optionId } = params.options.find(({ kind }) => kind === "allow_once");
      send({ id, result: { outcome: { outcome: "selected", optionId } } });
    } else if (id === 1) send({ id: 2, method: "session/new", params: { cwd: folder, mcpServers: [] } });
    else if (id === 2) {
      const prompt = [{ type: "text", text: "Change it" }];
      send({ id: 3, method: "session/prompt", params: { sessionId: result.sessionId, prompt } });
    } else if (id === 3) child.stdin.end();
  }
  send({ id: 1, method: "initialize", params: { protocolVersion: 1, clientCapabilities: {} } });
  await new Promise((resolve) => child.once("exit", resolve));
  return shown;
}

function touchedFiles() {
  const files = JSON.parse(readFileSync(coverage, "utf8")).flatMap(({ url, functions }) => {
    const [, path] = url.startsWith(pathToFileURL(root).href) ? (/\/dist\/(.+\.js)$/.exec(url) ?? []) : [];
    return path !== undefined && functions.some(({ ranges: [{ count }] }) => count > 0) ? [path] : [];
  });
  return [...new Set(files)].toSorted((one, other) => (one < other ? -1 : 1));
}

function readersFiles() {
  const page = readFileSync(join(root, "ARCHITECTURE.md"), "utf8");
  const way = page.slice(page.indexOf("## One call's way"), page.indexOf("### Other ways"));
  return [...new Set([...way.matchAll(/`([\w/-]+\/[\w-]+\.ts)`/g)].map(([, path]) => path))];
}

function roomOf(path) {
  return path.includes("/") ? path.slice(0, path.indexOf("/")) : path;
}

function grouped(files) {
  const rooms = new Map();
  for (const file of files) rooms.set(roomOf(file), [...(rooms.get(roomOf(file)) ?? []), file]);
  return rooms;
}
