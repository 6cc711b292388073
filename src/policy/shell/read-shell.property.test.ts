import * as fc from "fast-check";
import { expect, test } from "vitest";
import { readArgv, readShell } from "./read-shell.js";

const RUNS = Number(process.env["TOOLGATE_RUNS"] ?? 60);
const quoted = (word: string) => `'${word.replaceAll("'", String.raw`'\''`)}'`;
const BITS = Array.from("'\"\\$();|&<>\n{}[]*?~#!=,-` \tab1\r\0");
const shellish = fc
  .array(fc.constantFrom(...BITS, "$(", "<<E\n", "if ", "; fi", "do ", "done", "é", "bash -c "), {
    maxLength: 40,
  })
  .map((some) => some.join(""));
/** Names that mean nothing to the reader, so that only the words are tested. */
const program = fc.stringMatching(/^[a-z]{2}zz$/);
const word = fc.string({ unit: "grapheme-ascii" });

test("reads any text without throwing", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: "binary" }), shellish, fc.string()), (text) => {
      const { commands, doubts } = readShell(text);
      expect(commands.length + doubts.length).toBeGreaterThan(0);
      for (const doubt of doubts) expect(doubt).toMatch(/^[\p{L}\p{N}\p{P}\p{S} ]+$/u);
    }),
    { numRuns: RUNS },
  );
});

test("reads any words without throwing", () => {
  const words = fc.array(
    fc.oneof(fc.string(), fc.constantFrom("env", "-S", "sudo", "bash", "-c", "find", "-exec", "git", "--")),
  );
  fc.assert(
    fc.property(words, (argv) => {
      const { commands, doubts } = readArgv(argv);
      expect(commands.length + doubts.length).toBeGreaterThan(0);
    }),
    { numRuns: RUNS },
  );
});

test("reads quoted words back exactly, without a doubt", () => {
  fc.assert(
    fc.property(program, fc.array(word), (name, words) => {
      const argv = [name, ...words];
      const plain = { argv, patterns: [], writes: [], reads: [], wrappers: [], after: [], feeds: [] };
      expect(readShell(argv.map(quoted).join(" "))).toEqual({ commands: [plain], doubts: [] });
      expect(readArgv(argv)).toEqual({ commands: [plain], doubts: [] });
    }),
    { numRuns: RUNS },
  );
});

test("a command behind any well-formed text is always found", () => {
  fc.assert(
    fc.property(fc.oneof(shellish, fc.string()), (text) => {
      const { commands, doubts } = readShell(`${text}\n; rm x`.replace("\n;", ";"));
      const unsure = doubts.some(
        (doubt) => doubt.startsWith("it is not well-formed") || doubt.includes("has no end"),
      );
      const hidden = /#|'|"|\\$|<</.test(text);
      if (!unsure && !hidden) expect(commands.some(({ argv }) => argv.join(" ") === "rm x")).toBe(true);
    }),
    { numRuns: RUNS },
  );
  fc.assert(
    fc.property(program, fc.array(word), (name, words) => {
      const { commands } = readShell(`${[name, ...words].map(quoted).join(" ")}; rm x`);
      expect(commands.at(-1)?.argv).toEqual(["rm", "x"]);
    }),
  );
});
