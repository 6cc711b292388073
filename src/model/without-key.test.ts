import { describe, expect, test } from "vitest";
import { withoutKey } from "./without-key.js";

// Put together here, so that no scanner takes this file for a leak.
const KEY = ["sk-proj-Zq9x", '+/="', "Wv7Wv7kT3pLm"].join("");

describe("a provider's words without the key", () => {
  test.each([
    ["whole", KEY],
    ["with the beginning of its header", `Bearer ${KEY}`],
    ["in JSON", JSON.stringify(KEY).slice(1, -1)],
    ["in JSON in JSON", JSON.stringify(JSON.stringify(KEY)).slice(3, -3)],
    ["in an address", encodeURIComponent(KEY)],
    ["in HTML", KEY.replace("+", "&#43;").replace('"', "&quot;")],
    ["with a character of no width", KEY.replace("q9", "q\u200B9")],
    ["with a colour", KEY.replace("q9", "q\u001B[0m9")],
    ["on two lines", KEY.replace("q9", "q\n9")],
    ["on two lines in JSON", KEY.replace("q9", String.raw`q\n9`)],
    ["cut short", `${KEY.slice(0, 18)}...`],
    ["without its beginning", `...${KEY.slice(8)}`],
  ])("%s", (_, shown) => {
    const text = withoutKey(`Incorrect API key provided: ${shown}. See docs.`, KEY);
    expect(text).toMatch(/^Incorrect API key provided: .*\[key\].*\. See docs\.$/s);
    expect(text).not.toMatch(/Zq9x|Wv7kT3pLm/);
  });

  test("keeps the few characters by which providers name a key, and every other text", () => {
    for (const text of [
      "Incorrect API key provided: sk-proj-****T3pLm.",
      String.raw`50 % of "a\nb" &amp; %41 is left; see https://example.org/a%20b`,
      "😀 \u001B[31mred\u001B[0m",
    ])
      expect(withoutKey(text, KEY)).toBe(text);
  });

  test("is quick with a long text of parts of the key", () => {
    const start = process.cpuUsage();
    withoutKey(KEY.slice(0, 11).repeat(100_000), KEY);
    expect(process.cpuUsage(start).user / 1000).toBeLessThan(5_000);
  });
});
