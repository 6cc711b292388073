import { describe, expect, test } from "vitest";
import { completed, fileChoice, wantedAt } from "./prompt-completion.js";

const at = (text: string) => wantedAt(text, text.length);

describe("completion of a prompt", () => {
  test("takes commands only at the beginning, and then their values", () => {
    expect(at("/mo")).toMatchObject({ type: "command", word: "mo", start: 0 });
    expect(at("/mode re")).toMatchObject({ type: "value", command: "mode", word: "re", start: 6 });
    expect(at("see /mo")).toBeUndefined();
    expect(at("/mode read-only please")).toBeUndefined();
  });

  test("takes files after an @, but not in an address", () => {
    expect(at("look at @src/ma")).toMatchObject({ type: "file", word: "src/ma", start: 8 });
    expect(at('look at @"my no')).toMatchObject({ type: "file", word: "my no", start: 8 });
    expect(at("write to ada@example")).toBeUndefined();
    expect(wantedAt("@a and more", 2)).toMatchObject({ word: "a", end: 2 });
  });

  test("puts the choice in place of the word, and the cursor behind it", () => {
    const text = "see @ma now";
    const wanted = wantedAt(text, 7);
    expect(wanted && completed(text, wanted, fileChoice("src/main.ts"))).toEqual({
      text: "see @src/main.ts now",
      cursor: 17,
    });
    const quoted = at("@my");
    expect(quoted && completed("@my", quoted, fileChoice("my notes.md")).text).toBe('@"my notes.md" ');
  });
});
