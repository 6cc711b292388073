// Makes the pictures of the page in docs/images: the built program, a scripted agent, a real Chromium.
//   node scripts/ready.mjs && node scripts/page-screens.mjs
import { spawn } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { openLedger } from "toolgate/history";

const root = fileURLToPath(new URL("..", import.meta.url));
const out = join(root, "docs", "images");
// Paths are in the pictures. Another run at the same time fails here.
const home = join(tmpdir(), "ann");
mkdirSync(home);
const project = join(home, "shop");
mkdirSync(join(project, "src"), { recursive: true });
mkdirSync(join(project, "reports"));
mkdirSync(out, { recursive: true });

const TOTAL = `export function total(lines, tax) {
  const net = lines.reduce((sum, line) => sum + line.price * line.count, 0);
  return Math.round(net * (1 + tax.rate));
}

/** The lines of a refund have negative counts. */
export function isRefund(lines) {
  return lines.every((line) => line.count < 0);
}

export function label(cents) {
  const sign = cents < 0 ? "-" : "";
  return sign + (Math.abs(cents) / 100).toFixed(2);
}
`;
writeFileSync(join(project, "src", "total.js"), TOTAL);
writeFileSync(
  join(project, "package.json"),
  JSON.stringify({ name: "shop", scripts: { test: "node --test", build: "node build.js", lint: "oxlint" } }),
);

const todo = (done) => ({
  tool: "todo_write",
  input: {
    todos: ["See the test fail", "Find what changed", "Fix rounding, keep the API", "Write the report"].map(
      (content, index) => ({
        content,
        status: index < done ? "completed" : index === done ? "in_progress" : "pending",
      }),
    ),
  },
});
const steps = [
  {
    think: "Refunds round towards zero. The invoice service rounds half up.",
    say: "I look at the code first, then at the change that broke it.",
    calls: [
      todo(0),
      { tool: "read_file", input: { path: "src/total.js" } },
      { tool: "grep", input: { pattern: "Math.round" } },
    ],
  },
  {
    say: "Negative totals round towards zero. I change **one** line, give labels a true minus, and keep the public API:\n\n```js\nreturn Math.floor(net * (1 + tax.rate) + 0.5);\n```",
    calls: [
      todo(2),
      {
        tool: "edit_file",
        input: {
          path: "src/total.js",
          edits: [
            {
              oldText: "Math.round(net * (1 + tax.rate))",
              newText: "Math.floor(net * (1 + tax.rate) + 0.5)",
            },
            { oldText: '"-"', newText: '"\u2212"' },
          ],
        },
      },
    ],
    otherwise: [{ say: "I leave it as it is." }],
  },
  {
    say: "The totals are right. The test compares them in euros, so I fetch the rates of today.",
    calls: [
      {
        tool: "terminal",
        // One part asks: for its host, and for where its output goes. Rules allow the parts beside it.
        input: {
          command:
            "cd reports && curl -sS https://rates.example.com/eur.json > rates.json && wc -c rates.json",
        },
      },
    ],
    otherwise: [{ say: "I leave it as it is." }],
  },
  { say: "The totals are right now: refunds round half up, as invoices do." },
];
const DAYS = ["Release 2.4", "Raise pricing coverage", "Tidy the fixtures", "Faster invoices"];
const TOOLS = [
  ["read_file", "read", "Read src/total.js"],
  ["terminal", "execute", "Run npm test"],
  ["edit_file", "edit", "Edit src/total.js"],
  ["grep", "search", "Search for 'round'"],
  ["terminal", "execute", "Run npm run build"],
  ["fetch", "fetch", "Fetch docs.example.com"],
];
const RULES = {
  read: "allow read",
  search: "allow read",
  edit: "allow edit src/**",
  execute: 'allow execute "npm test *"',
  fetch: "allow fetch docs.example.com",
};

mkdirSync(join(home, "config", "toolgate"), { recursive: true });
writeFileSync(
  join(home, "config", "toolgate", "rules.json"),
  JSON.stringify({
    rules: [
      { deny: "execute", command: "git push *", reason: "I push myself" },
      { ask: "read", path: "~/.npmrc" },
      { allow: "execute", command: "npm test *" },
      { allow: "fetch", host: "docs.example.com" },
    ],
  }),
);
writeFileSync(join(home, "script.json"), JSON.stringify({ steps }));

const server = spawn(
  process.execPath,
  [join(root, "dist", "cli", "main.js"), "serve", "--port", "0", "--script", join(home, "script.json")],
  {
    cwd: project,
    env: { ...process.env, HOME: home, XDG_CONFIG_HOME: join(home, "config"), XDG_STATE_HOME: home },
  },
);
process.once("exit", () => {
  server.kill("SIGKILL");
  rmSync(home, { recursive: true, force: true });
});
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));
const link = await new Promise((resolve) => {
  let text = "";
  for (const stream of [server.stdout, server.stderr])
    stream.on("data", (piece) => {
      text += piece;
      const found = /http\S+\/login#\S+/.exec(text);
      if (found) resolve(found[0]);
    });
});
const { origin } = new URL(link);
const browser = await chromium.launch({
  executablePath: process.env.TOOLGATE_CHROMIUM ?? "/usr/bin/chromium-headless-shell",
  args: ["--no-sandbox"],
});
const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
const page = await context.newPage();

try {
  await page.goto(link);
  await page.getByRole("button", { name: "Start the demo" }).waitFor();
  await shot("page-first");
  await pastDays(join(home, "toolgate", "ledger.sqlite"));
  await start("Round refunds half up");
  await page.getByRole("link", { name: "Answer in Inbox" }).waitFor();
  await start("Fix the failing price test");
  await answer();
  const session = page.url();
  await page.locator('[data-status="waiting"]').waitFor();
  for (const theme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme: theme });
    await page.setViewportSize({ width: 1440, height: 900 });
    await pictures(session, theme);
    await page.setViewportSize({ width: 390, height: 844 });
    await pictures(session, `phone-${theme}`);
  }
} finally {
  await browser.close();
  server.kill();
}

async function pictures(session, name) {
  await page.goto(`${origin}/inbox`);
  if (name.includes("phone")) {
    await page.locator("a.q").first().waitFor();
    await shot(`page-list-${name}`);
  }
  await page.locator("a.q", { hasText: "curl" }).first().click();
  await page.locator(".acts:not([data-inert])").waitFor();
  if (!name.includes("phone")) await page.keyboard.press("a");
  await shot(`page-inbox-${name}`);
  await page.goto(`${origin}/inbox`);
  await page.locator("a.q", { hasText: "total.js" }).first().click();
  await page.locator(".acts:not([data-inert])").waitFor();
  // The second change is rejected.
  await page.locator(".hunks input").last().uncheck();
  await shot(`page-edit-${name}`);
  await page.goto(session);
  await page.getByRole("article").last().waitFor();
  const size = page.viewportSize();
  if (!name.includes("phone")) {
    // High enough for the change and the question below it. The colours of the diff come a moment later.
    await page.setViewportSize({ ...size, height: 1400 });
    await page.locator(".diff .k-k").first().waitFor();
  }
  await page.locator(".acts:not([data-inert])").waitFor();
  await shot(`page-session-${name}`);
  await page.setViewportSize(size);
  await page.goto(`${session}/replay?moment=14`);
  await page.getByRole("log").getByRole("article").last().waitFor();
  await shot(`page-replay-${name}`);
  for (const view of [
    "s",
    "history",
    "stats",
    "rules?command=npm%20test%20%26%26%20npm%20publish",
    "devices",
  ]) {
    await page.goto(`${origin}/${view}`);
    await page.locator("h1").first().waitFor();
    await page
      .getByText(/^Reading/)
      .first()
      .waitFor({ state: "detached" });
    if (view.startsWith("rules")) await page.getByText("Would ask").waitFor();
    await page.waitForTimeout(600);
    await shot(`page-${view === "s" ? "sessions" : view.split("?")[0]}-${name}`);
  }
  if (name.includes("phone")) return;
  await page.goto(`${origin}/history?text=total`);
  await page
    .getByRole("link", { name: /^Edit src/ })
    .first()
    .click();
  await page.getByText("Life of this call").waitFor();
  await shot(`page-life-${name}`);
}

async function start(prompt) {
  await page.goto(`${origin}/s`);
  await page.getByRole("textbox", { name: /^Start / }).fill(prompt);
  await page.keyboard.press("Control+Enter");
  await page.waitForURL(/\/s\/./);
}

/** Allows the question of the session that is shown, and goes back to it. */
async function answer() {
  const session = page.url();
  await page.getByRole("link", { name: "Answer in Inbox" }).click();
  await page.locator(".acts:not([data-inert])").waitFor();
  await page.getByRole("button", { name: /^Allow once/ }).click();
  await page.getByText(/^Allowed once/).waitFor();
  await page.goto(session);
}

async function shot(name) {
  await page.screenshot({ path: join(out, `${name}.png`) });
}

/** Two weeks of recorded calls: the statistics of a first day show nothing. */
async function pastDays(file) {
  const ledger = await openLedger(file);
  const today = new Date().setHours(9, 0, 0, 0);
  for (let day = 13; day >= 1; day -= 1) {
    const sessionId = `day-${day}`;
    const lease = await ledger.claim(sessionId, "screens", { milliseconds: Infinity });
    const morning = today - day * 86_400_000;
    const isWeekend = [0, 6].includes(new Date(morning).getDay());
    const events = [
      {
        type: "info-changed",
        at: morning,
        info: { cwd: project, title: DAYS[day % DAYS.length], agent: ["helper", "opencode"][day % 2] },
      },
      { type: "turn-started", at: morning, turnId: "t1" },
    ];
    const count = isWeekend ? 12 + day : 60 + ((day * 37) % 70);
    for (let number = 1; number <= count; number += 1)
      events.push(...pastCall(number, morning + number * 60_000, day));
    events.push({ type: "turn-stopped", at: morning + count * 61_000, turnId: "t1", stopReason: "end_turn" });
    await ledger.append(lease, events, { durable: true });
    await ledger.release(lease);
  }
  await ledger.close();
}

function pastCall(number, at, day) {
  const [name, kind, usual] = TOOLS[number % TOOLS.length];
  const toolCallId = `call_${number}`;
  const one = (type, after, fields = {}) => ({ type, toolCallId, at: at + after, ...fields });
  const asks = kind === "execute" && number % 5 === 0;
  const isNo = asks && (number + day) % 9 === 0;
  const title = isNo ? "Run npm publish" : usual;
  const announced = one("call-announced", 0, { name, kind, title, kindSource: "declared" });
  const ready = one("input-ready", 10, { rawInput: kind === "execute" ? { command: title.slice(4) } : {} });
  const waited = asks ? [3_000, 9_000, 21_000, 60_000, 190_000, 900_000][(number + day) % 6] : 0;
  const questionId = `day-${day}/${toolCallId}/1`;
  const question = {
    questionId,
    sessionId: `day-${day}`,
    toolCallId,
    intentHash: "hash",
    title,
    options: [
      { optionId: "once", name: "Allow once", kind: "allow_once" },
      { optionId: "no", name: "Reject", kind: "reject_once" },
    ],
    askedAt: at + 20,
  };
  const given = {
    outcome: { type: "selected", optionId: isNo ? "no" : "once" },
    intentHash: "hash",
    by: "person",
    who: "Phone",
    at: at + 20 + waited,
  };
  const decision = asks
    ? { by: "person", who: "Phone", at: given.at }
    : number % 4 === 1
      ? { by: "sandbox", at: at + 20 }
      : { by: "rule", rule: RULES[kind] ?? "allow read", at: at + 20 };
  const asked = asks
    ? [
        one("question-asked", 20, { question }),
        { type: "question-answered", at: given.at, questionId, answer: given },
      ]
    : [];
  if (isNo) return [announced, ready, ...asked, one("call-refused", waited + 21, { decision })];
  const ran = waited + (kind === "execute" ? 400 + ((number * 733) % 9_000) : 4 + (number % 90));
  const end =
    (number + day) % 13 === 0
      ? one("call-failed", ran + 30, { error: "3 tests failed" })
      : one("call-done", ran + 30, { rawOutput: "ok" });
  return [
    announced,
    ready,
    ...asked,
    one("call-cleared", waited + 25, { decision }),
    one("run-started", waited + 30),
    end,
  ];
}
