/**
 * One journey per built-in tool, through the whole gate on a real folder, recorded as a person would see it and
 * compared as text: the announcement, the question, the answer, the content during the run, and the result.
 *
 * The texts are in fixtures/tools. After an intended change, write them again with `npx vitest run test/tools.test.ts
 * --update` and read every line that differs.
 */
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { endSentence } from "../src/call/index.js";
import type {
  CallFields,
  Decision,
  Question,
  SessionEvent,
  ToolCall,
  ToolCallContent,
} from "../src/call/index.js";
import { MemoryLedger } from "../src/history/index.js";
import type { Rule } from "../src/policy/index.js";
import { openGate } from "../src/run/index.js";
import type { Ask } from "../src/run/index.js";
import { builtInTools, webSearchTool } from "../src/tools/index.js";
import type { Tool } from "../src/tools/index.js";
import { aServer, sends } from "../src/tools/web/web.samples.js";
import { callText, diffLines } from "../src/view/index.js";

const PNG = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex");

const FILES: Record<string, string | Buffer> = {
  "notes.txt": "first\nsecond\nthird\n",
  "src/app.ts": 'import { greet } from "./greet.js";\n\ngreet("world");\ngreet("moon");\n',
  "src/greet.ts": "export const greet = (who: string) => console.log(`Hello ${who}`);\n",
  "secrets/key.txt": "do not show\n",
  ".env": "TOKEN=do-not-show\n",
  "build/out.js": "1;\n",
  "build/deep/map.js": "2;\n",
  "picture.png": PNG,
  "data.bin": Buffer.from([0, 1, 2, 255]),
};

/** The sample project, and beside it, outside, a file that a link in it leads to. */
async function sample(): Promise<string> {
  const above = await realpath(await mkdtemp(join(tmpdir(), "toolgate-tools-")));
  onTestFinished(() => rm(above, { recursive: true, force: true }));
  const root = join(above, "sample");
  for (const [name, content] of Object.entries(FILES)) {
    await mkdir(dirname(join(root, name)), { recursive: true });
    await writeFile(join(root, name), content);
  }
  await writeFile(join(above, "outside.txt"), "outside\n");
  await symlink("../outside.txt", join(root, "link.txt"));
  return root;
}

type Step = {
  /** Another tool than the journey's. */
  readonly name?: string;
  readonly input: unknown;
  /** The option that ann picks if she is asked; "allow_once" when left out. */
  readonly answer?: string;
  /** Her reason for the answer. */
  readonly reason?: string;
};

type Journey = {
  readonly tools?: readonly Tool[];
  readonly rules?: readonly Rule[];
  /** Further texts that differ from run to run, and what stands for them. */
  readonly standIns?: readonly (readonly [found: string, shown: string])[];
  readonly steps: readonly Step[];
};

const travelled = new Set<string>();

/** Takes a tool through its steps and writes down what was seen. */
async function journeyOf(name: string, journey: Journey): Promise<string> {
  const { tools = builtInTools, rules = [], standIns = [], steps } = journey;
  const root = await sample();
  const granted: Rule[] = [];
  let step: Step | undefined;
  const ask: Ask = () => {
    const { answer: optionId = "allow_once", reason } = step ?? {};
    const outcome = { type: "selected", optionId } as const;
    return Promise.resolve({ outcome, by: "person", who: "ann", ...(reason !== undefined && { reason }) });
  };
  const gate = await openGate({
    workspace: root,
    ledger: new MemoryLedger(),
    tools,
    policy: () => ({ rules: [...rules, ...granted] }),
    remember: (grant) => Promise.resolve(void granted.push(...grant.rules)),
    ask,
    // So that no text depends on how quick the machine is.
    now: () => 0,
  });
  onTestFinished(() => gate.close());
  // Before lines are broken: their length must not depend on where the folder lies.
  const named = [...standIns, [`${dirname(root)}/`, "/"], [dirname(root), "/"]] as const;
  const plain = <Value>(value: Value): Value =>
    // The same value with other texts inside.
    JSON.parse(named.reduce((json, [from, to]) => json.replaceAll(from, to), JSON.stringify(value))) as Value;
  const heading =
    rules.length === 0 ? ["no rules: all is asked"] : rules.map((rule) => plain(ruleText(rule)));
  const parts = [`${name}\n\nrules\n${heading.map((line) => `    ${line}`).join("\n")}`];
  for (const next of steps) {
    step = next;
    const events: SessionEvent[] = [];
    const stop = gate.onRecorded((recorded) => void events.push(...recorded));
    const call = await gate.call({ name: next.name ?? name, input: next.input });
    stop();
    travelled.add(call.name);
    parts.push(transcript(call.name, plain(events), plain(call)));
  }
  return `${parts.join("\n\n\n")}\n`;
}

const ruleText = (rule: Rule): string => JSON.stringify(rule);

function transcript(name: string, events: readonly SessionEvent[], call: ToolCall): string {
  return [
    `=== ${name} ${JSON.stringify(call.rawInput)}`,
    ...withoutRepeats(events.filter(isShown).reduce(joined, []).flatMap(eventLines)),
    "",
    ...callText(call, { maxLines: 12 }).split("\n"),
    "",
    "the model receives",
    ...quoted(resultText(call)),
  ].join("\n");
}

/** The pid of a process differs in each run, and it may be known only after its first output. */
const isShown = (event: SessionEvent): boolean => event.type !== "process-started";

/** How output is cut into updates depends on the moment. */
function joined(events: readonly SessionEvent[], event: SessionEvent): readonly SessionEvent[] {
  const last = events.at(-1);
  if (event.type !== "terminal-output" || last?.type !== "terminal-output") return [...events, event];
  return [...events.slice(0, -1), { ...last, text: last.text + event.text }];
}

/** A title that is what it was says nothing. */
function withoutRepeats(lines: readonly string[]): readonly string[] {
  const [announced = ""] = lines;
  return lines.filter(
    (line, index) =>
      !line.startsWith("title: ") ||
      (lines.indexOf(line) === index &&
        !announced.startsWith(`announced: ${line.slice("title: ".length)} (`)),
  );
}

function eventLines(event: SessionEvent): readonly string[] {
  switch (event.type) {
    case "call-announced":
      return [`announced: ${event.title} (${event.kind})`];
    case "input-ready":
      return [];
    case "call-revised":
      return fieldLines(event.fields);
    case "question-asked":
      return questionLines(event.question);
    case "question-answered": {
      const { outcome, who, reason } = event.answer;
      const chosen = outcome.type === "selected" ? outcome.optionId : outcome.type;
      return [`answered: ${chosen}, by ${who}${reason === undefined ? "" : `: ${reason}`}`];
    }
    case "call-cleared":
      return [`let through ${decisionText(event.decision)}`];
    case "call-refused":
      return [`refused ${decisionText(event.decision)}`];
    case "run-started":
      return ["started"];
    case "content-appended":
      return contentLines(event.content);
    case "terminal-output":
      return ["prints", ...quoted(event.text)];
    case "terminal-exited":
      return [`exits: ${JSON.stringify(event.exit)}`];
    case "file-kept":
      return [`kept for an undo: ${event.change.type} ${event.change.path}`];
    case "plan-updated":
      return ["plan", ...event.entries.map(({ status, content }) => `    ${status}: ${content}`)];
    case "call-done":
      return ["done"];
    case "call-failed":
      return ["failed"];
    default:
      return [event.type];
  }
}

function fieldLines({ title, content, locations }: CallFields): readonly string[] {
  return [
    ...(title === undefined ? [] : [`title: ${title}`]),
    ...(content ?? []).flatMap(contentLines),
    ...(locations ?? []).map(({ path, line }) => `place: ${path}${line === undefined ? "" : `:${line}`}`),
  ];
}

function contentLines(content: ToolCallContent): readonly string[] {
  if (content.type === "diff") return ["diff", ...diffLines(content).map((line) => `    ${line}`)];
  return content.type === "terminal" ? ["a terminal opens"] : [`shows ${content.content.type}`];
}

function questionLines({ title, reason, about = [], options }: Question): readonly string[] {
  return [
    `asked: ${title}`,
    ...(reason === undefined ? [] : [`    why: ${reason}`]),
    ...about.map((line) => `    about: ${line}`),
    ...options.map(({ optionId, name }) => `    [${optionId}] ${name}`),
  ];
}

function decisionText(decision: Decision | undefined): string {
  const { by, who, rule, reason } = decision ?? { by: "nobody" };
  const source =
    by === "person" ? `by ${who}` : rule === undefined ? "by no rule of their own" : `by rule ${rule}`;
  return reason === undefined ? source : `${source}: ${reason}`;
}

function resultText(call: ToolCall): string {
  if (call.state.status !== "done") return endSentence(call) ?? "";
  return typeof call.rawOutput === "string" ? call.rawOutput : JSON.stringify(call.rawOutput, undefined, 2);
}

const quoted = (text: string): readonly string[] =>
  text
    .replace(/\n$/, "")
    .split("\n")
    .map((line) => `    │ ${line}`);

test("read_file: a text, a part, an image; what is outside, denied, missing, not text", async () => {
  const text = await journeyOf("read_file", {
    rules: [{ allow: "read" }, { deny: "read", path: "/**/secrets/**", reason: "keys are not for agents" }],
    steps: [
      { input: { path: "notes.txt" } },
      { input: { path: "notes.txt", line: 2, limit: 1 } },
      { input: { path: "picture.png" } },
      { input: { path: "link.txt" } },
      { input: { path: ".env" }, answer: "reject_once", reason: "ask me for the value you need" },
      { input: { path: "secrets/key.txt" } },
      { input: { path: "nots.txt" } },
      { input: { path: "src" } },
      { input: { path: "data.bin" } },
      { input: { path: "notes.txt", line: 0 } },
    ],
  });
  await expect(text).toMatchFileSnapshot("fixtures/tools/read_file.txt");
});

test("list_directory: names with their sizes; what is denied, missing, no folder", async () => {
  const text = await journeyOf("list_directory", {
    rules: [{ allow: "read" }, { allow: "search" }, { deny: "*", path: "/**/secrets/**" }],
    steps: [
      { input: { path: "." } },
      { input: { path: "src" } },
      { input: { path: "secrets" } },
      { input: { path: "/" }, answer: "reject_once" },
      { input: { path: "notes.txt" } },
      { input: { path: "none" } },
    ],
  });
  await expect(text).toMatchFileSnapshot("fixtures/tools/list_directory.txt");
});

test("find_path: names by a pattern; nothing found; refused; a pattern that is none", async () => {
  const text = await journeyOf("find_path", {
    steps: [
      { input: { pattern: "**/*.ts" }, answer: "allow_always" },
      { input: { pattern: "**/*.go" } },
      { input: { pattern: "[" } },
      { input: { pattern: "*.ts", path: "none" } },
      { input: { pattern: "*", path: ".." }, answer: "reject_once", reason: "stay in the project" },
    ],
  });
  await expect(text).toMatchFileSnapshot("fixtures/tools/find_path.txt");
});

test("grep: lines by a pattern; below a denied folder it is asked; refused; a pattern that is none", async () => {
  const text = await journeyOf("grep", {
    rules: [{ allow: "search" }, { deny: "read", path: "/**/secrets/**" }],
    steps: [
      { input: { pattern: "greet\\(", path: "src" } },
      { input: { pattern: "greet", path: "src", context: 1, limit: 1 } },
      { input: { pattern: "show" }, answer: "reject_once", reason: "not below the whole project" },
      { input: { pattern: "show", path: "secrets" } },
      { input: { pattern: "(", path: "src" } },
      { input: { pattern: "nowhere", path: "src" } },
    ],
  });
  await expect(text).toMatchFileSnapshot("fixtures/tools/grep.txt");
});

test("edit_file: asked with its diff, then always; refused; a passage that is not there, or twice", async () => {
  const text = await journeyOf("edit_file", {
    rules: [{ allow: "read" }, { deny: "edit", path: "/**/notes.txt", reason: "notes are mine" }],
    steps: [
      { input: { path: "src/app.ts", oldText: '"moon"', newText: '"mars"' } },
      { input: { path: "src/new.ts", newText: "export {};\n" }, answer: "allow_always" },
      {
        input: {
          path: "src/greet.ts",
          edits: [
            { oldText: "Hello", newText: "Hi" },
            { oldText: "who", newText: "name", replaceAll: true },
          ],
        },
      },
      { input: { path: "notes.txt", oldText: "first", newText: "1st" } },
      { input: { path: ".git/config", newText: "[core]\n" }, answer: "reject_once" },
      { input: { path: "src/app.ts", oldText: "greet(", newText: "hello(" } },
      { input: { path: "src/app.ts", oldText: "sun", newText: "star" } },
      { input: { path: "src/app.ts" } },
    ],
  });
  await expect(text).toMatchFileSnapshot("fixtures/tools/edit_file.txt");
});

test("write_file: asked with its diff; made with its folders; refused; a folder in its place", async () => {
  const text = await journeyOf("write_file", {
    steps: [
      { input: { path: "notes.txt", content: "first\nthird\n" } },
      { input: { path: "docs/how/to.md", content: "# How to\n" } },
      {
        input: { path: "link.txt", content: "elsewhere\n" },
        answer: "reject_once",
        reason: "that is not in the project",
      },
      { input: { path: "notes.txt", content: "first\nthird\n" } },
      { input: { path: "src", content: "" } },
    ],
  });
  await expect(text).toMatchFileSnapshot("fixtures/tools/write_file.txt");
});

test("move_path: asked with both names; refused; a name that is taken", async () => {
  const text = await journeyOf("move_path", {
    steps: [
      { input: { from: "notes.txt", to: "docs/notes.md" } },
      { input: { from: "build", to: "dist" }, answer: "reject_once" },
      { input: { from: ".env", to: "x.txt" }, answer: "reject_once" },
      { input: { from: "src/app.ts", to: "src/greet.ts" } },
      { input: { from: "src/app.ts", to: "build" } },
      { input: { from: "none", to: "some" } },
    ],
  });
  await expect(text).toMatchFileSnapshot("fixtures/tools/move_path.txt");
});

test("delete_path: asked with what goes; a link alone; refused; a folder that is not empty", async () => {
  const text = await journeyOf("delete_path", {
    steps: [
      { input: { path: "notes.txt" } },
      { input: { path: "link.txt" } },
      { input: { path: "build" } },
      { input: { path: "build", recursive: true } },
      { input: { path: "src", recursive: true }, answer: "reject_once", reason: "I still need it" },
      { input: { path: ".", recursive: true } },
      { input: { path: "none" } },
    ],
  });
  await expect(text).toMatchFileSnapshot("fixtures/tools/delete_path.txt");
});

test("read_output: of a command that is not known here", async () => {
  const text = await journeyOf("read_output", {
    rules: [{ allow: "read_output" }],
    steps: [{ input: { id: "call_9" } }],
  });
  await expect(text).toMatchFileSnapshot("fixtures/tools/read_output.txt");
});

test("terminal: asked, always, shown while it prints; refused; its exit code; its time", async () => {
  const text = await journeyOf("terminal", {
    rules: [
      { allow: "execute", command: "cat *" },
      { deny: "execute", command: "git push *", reason: "pushing is for people" },
    ],
    steps: [
      { input: { command: "cat notes.txt" } },
      { input: { command: "printf 'one\\n'; sleep 0.2; printf 'two\\n' >&2" } },
      { input: { command: "wc -l notes.txt" }, answer: "allow_always" },
      { input: { command: "wc -l notes.txt" } },
      { input: { command: "cat link.txt" } },
      { input: { command: "ls && git push origin main" } },
      { input: { command: "rm -rf build", cwd: "src" }, answer: "reject_once", reason: "use delete_path" },
      { input: { command: "echo $WHO; exit 3", env: { WHO: "world" } } },
      { input: { command: "echo started; sleep 60", timeout: 0.3 } },
      { input: { command: "ls", cwd: "none" } },
      { input: { command: "" } },
    ],
  });
  await expect(text).toMatchFileSnapshot("fixtures/tools/terminal.txt");
});

test("fetch: a page of a host that a rule names; a host that none names; not found; no URL", async () => {
  const page = "<h1>Sample</h1><p>A <a href='/next'>link</a> &amp; <b>more</b>.</p>";
  const { port } = await aServer((request, response) => {
    if (request.url === "/away") response.writeHead(302, { location: "https://example.com/" }).end();
    else if (request.url === "/") sends(page, "text/html")(request, response);
    else sends("no such page", "text/plain", 404)(request, response);
  });
  const { port: other } = await aServer(sends("inside"));
  const site = `http://127.0.0.1:${port}`;
  const text = await journeyOf("fetch", {
    rules: [{ allow: "fetch", host: site }],
    standIns: [
      [`:${port}`, ":8080"],
      [`:${other}`, ":9090"],
    ],
    steps: [
      { input: { url: `${site}/` } },
      { input: { url: `${site}/`, format: "text" } },
      { input: { url: `${site}/away` } },
      { input: { url: "https://example.com/a?b=c" }, answer: "reject_once", reason: "no need" },
      { input: { url: "https://example.com/a" }, answer: "reject_once" },
      { input: { url: `http://127.0.0.1:${other}/` } },
      { input: { url: "http://169.254.169.254/latest/meta-data/" } },
      { input: { url: `${site}/none` } },
      { input: { url: "file:///etc/passwd" } },
      { input: { url: "https://example.com/a" }, answer: "reject_always" },
      { input: { url: `${site}/` } },
    ],
  });
  await expect(text).toMatchFileSnapshot("fixtures/tools/fetch.txt");
});

test("web_search: what is found; refused; a service that answers with an error", async () => {
  const results = [
    { url: "https://docs.example/regex", title: "regex", content: "Linear time." },
    { url: "https://other.example/", title: "Other", content: null },
  ];
  const { address } = await aServer((request, response) => {
    const isTooMuch = request.url?.includes("again") === true;
    const body = isTooMuch ? "slow down" : JSON.stringify({ results });
    sends(body, isTooMuch ? "text/plain" : "application/json", isTooMuch ? 429 : 200)(request, response);
  });
  const text = await journeyOf("web_search", {
    tools: [webSearchTool({ type: "searxng", url: address })],
    standIns: [[address, "http://127.0.0.1:8080"]],
    steps: [
      { input: { query: "rust regex" } },
      { input: { query: "our customers' names" }, answer: "reject_once", reason: "that stays here" },
      { input: { query: "again" }, answer: "allow_always" },
      { input: { query: "rust regex", count: 1 } },
      { input: { query: " " } },
    ],
  });
  await expect(text).toMatchFileSnapshot("fixtures/tools/web_search.txt");
});

const TODOS = [
  { content: "Read the code", status: "completed" },
  { content: "Fix the bug", status: "in_progress", priority: "high" },
  { content: "Run the tests", status: "pending" },
];

test("todo_write: the plan that the user sees; refused; an entry that cannot be read", async () => {
  const text = await journeyOf("todo_write", {
    steps: [
      { input: { todos: TODOS }, answer: "allow_always" },
      { input: { todos: [] } },
      { input: { todos: [{ status: "pending" }] } },
    ],
  });
  await expect(text).toMatchFileSnapshot("fixtures/tools/todo_write.txt");
  const refused = await journeyOf("todo_write refused", {
    rules: [{ deny: "todo_write" }],
    steps: [{ name: "todo_write", input: { todos: TODOS } }],
  });
  await expect(refused).toMatchFileSnapshot("fixtures/tools/todo_write refused.txt");
});

test("todo_read: the plan as it stands; refused; an input that is none", async () => {
  const text = await journeyOf("todo_read", {
    rules: [{ allow: "todo_write" }],
    steps: [
      { input: {} },
      { name: "todo_write", input: { todos: TODOS } },
      { input: {} },
      { input: {}, answer: "reject_once" },
      { input: "all of it" },
    ],
  });
  await expect(text).toMatchFileSnapshot("fixtures/tools/todo_read.txt");
});

test("thinking: a thought to see; refused; no thought", async () => {
  const text = await journeyOf("thinking", {
    steps: [
      { input: { thought: "First the test,\nthen the code." }, answer: "allow_always" },
      { input: { thought: "" } },
    ],
  });
  await expect(text).toMatchFileSnapshot("fixtures/tools/thinking.txt");
  const refused = await journeyOf("thinking refused", {
    rules: [{ deny: "think" }],
    steps: [{ name: "thinking", input: { thought: "x" } }],
  });
  await expect(refused).toMatchFileSnapshot("fixtures/tools/thinking refused.txt");
});

test("every built-in tool has a journey", () => {
  const names = [...builtInTools.map(({ name }) => name), "web_search"];
  expect(
    [...travelled].toSorted(),
    "add a test to this file that runs the tool, with its text in test/fixtures/tools",
  ).toEqual(names.toSorted());
});
