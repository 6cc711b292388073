/** The transcripts on the pages are what the commands write. `node scripts/transcripts.mjs` writes them anew. */
import { readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { anthropic } from "./fakes/anthropic.js";
import { KEY, startFake } from "./fakes/fake-provider.js";
import { openAiChat } from "./fakes/openai-chat.js";
import { freshPage } from "./transcript-kit.js";
import type { TranscriptOptions } from "./transcript-kit.js";

const FILES = {
  "package.json": `{ "name": "cart", "private": true, "type": "module" }\n`,
  "cart.js": `export const total = (price, count) => price + count;\n`,
  "cart.test.js": `import { total } from "./cart.js";

console.log(total(250, 2) === 500 ? "passed" : \`FAILED: 2 at 250 cost 500, not \${total(250, 2)}\`);
`,
  "fix.json": `{
  "steps": [
    { "say": "Price and count are added where they should be multiplied.",
      "calls": [{ "tool": "edit_file", "input":
        { "path": "cart.js", "oldText": "price + count", "newText": "price * count" } }],
      "otherwise": [{ "say": "Then I leave the file as it is." }] },
    { "calls": [{ "tool": "terminal", "input": { "command": "node cart.test.js" } }] },
    { "say": "Fixed." }
  ]
}
`,
};

async function fresh(name: string, options: Partial<TranscriptOptions> = {}) {
  const file = new URL(`../docs/${name}.md`, import.meta.url);
  const page = readFileSync(file, "utf8");
  const wanted = await freshPage(page, { files: FILES, ...options });
  if (process.env["TRANSCRIPTS"] === "write") writeFileSync(file, wanted);
  return { page: readFileSync(file, "utf8"), wanted };
}

/** Some thirty programs one after the other, on a machine that may be busy. */
const MINUTES = 180_000;
const STALE = "the page is stale: node scripts/transcripts.mjs";

test.each(["getting-started", "history"])(
  "the page %s shows what the commands write",
  async (name) => {
    const { page, wanted } = await fresh(name);
    expect(page, STALE).toBe(wanted);
  },
  MINUTES,
);

test(
  "the page models shows what the commands write, with providers on the loopback",
  async () => {
    const reads = { id: "call-1", tool: "read_file", input: { path: "cart.js" } };
    const ollama = await startFake(openAiChat, [
      { say: "I will look.", calls: [reads] },
      { say: "It adds price and count. It should multiply them." },
    ]);
    const gateway = await startFake(anthropic, [
      { status: 529 },
      { say: "One function, total, and it has a mistake." },
    ]);
    const { page, wanted } = await fresh("models", {
      env: { TOOLGATE_MODEL_KEY: KEY },
      servers: {
        "http://localhost:11434": ollama.url,
        "https://gateway.example": gateway.url,
        "the-real-key": KEY,
      },
    });
    expect(page, STALE).toBe(wanted);
  },
  MINUTES,
);
