/** The project of the demo: a shopping cart with a bug that its test finds, and the script that fixes it. */
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Script } from "../model/index.js";

const FILES: Readonly<Record<string, string>> = {
  "package.json": `{ "name": "cart", "private": true, "type": "module" }\n`,
  "cart.js": `/** What the cart costs, in cents. */
export function total(items) {
  let sum = 0;
  for (const { price, count } of items) sum += price + count;
  return sum;
}
`,
  "cart.test.js": `import { total } from "./cart.js";

const sum = total([{ price: 250, count: 2 }, { price: 100, count: 3 }]);
if (sum !== 800) {
  console.log(\`FAILED: two at 250 and three at 100 cost 800, not \${sum}\`);
  process.exit(1);
}
console.log("passed: two at 250 and three at 100 cost 800");
`,
};

/** Writes the project into a new folder and returns its path. */
export async function writeSampleProject(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "toolgate-demo-"));
  for (const [name, text] of Object.entries(FILES)) await writeFile(join(folder, name), text);
  return folder;
}

const todos = (...statuses: readonly string[]) => ({
  tool: "todo_write",
  input: {
    todos: ["See the test fail", "Find the mistake", "Fix it and run the test again"].map(
      (content, index) => ({
        content,
        status: statuses[index],
      }),
    ),
  },
});

const runTest = { tool: "terminal", input: { command: "node cart.test.js" } };

export const sampleScript: Script = {
  steps: [
    { say: "I will run the test first.", calls: [todos("in_progress", "pending", "pending"), runTest] },
    {
      say: "The sum is wrong. Let me look at the code.",
      calls: [
        todos("completed", "in_progress", "pending"),
        { tool: "read_file", input: { path: "cart.js" } },
      ],
    },
    {
      say: "Price and count are added where they should be multiplied.",
      calls: [
        {
          tool: "edit_file",
          input: { path: "cart.js", oldText: "sum += price + count", newText: "sum += price * count" },
        },
      ],
      otherwise: [
        { say: "Then the mistake stays: the loop in cart.js adds price and count. Nothing was changed." },
      ],
    },
    { calls: [todos("completed", "completed", "in_progress"), runTest] },
    { calls: [todos("completed", "completed", "completed")] },
    { say: "Fixed: the test passes now." },
  ],
};
