/** The page about the built-in tools names every tool, its kind and each field of its input; it is written by hand. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { taskTool } from "../src/agent/index.js";
import { builtInTools, webSearchTool } from "../src/tools/index.js";

// The formatter takes stars for emphasis, and writes some signs with a backslash.
const plain = (text: string) => text.replaceAll(/[\\*_`]/g, "").replaceAll(/\s+/g, " ");
const page = plain(readFileSync(new URL("../docs/tools.md", import.meta.url), "utf8"));

test.each([...builtInTools, taskTool(), webSearchTool({ type: "brave", key: "k" })])(
  "$name is in the docs as it is",
  (tool) => {
    const section = `## ${tool.name}\n\n${tool.description} (${tool.kind})`;
    expect(page.includes(plain(section)), `docs/tools.md lacks this section:\n${section}`).toBe(true);
    const { properties = {} } = tool.parameters as { properties?: Record<string, { description?: string }> };
    for (const [name, { description }] of Object.entries(properties))
      expect(page, `docs/tools.md lacks the field ${name} of ${tool.name}`).toMatch(
        new RegExp(`- ${name}(?: \\(optional\\))?${description === undefined ? "" : ": "}`),
      );
  },
);
