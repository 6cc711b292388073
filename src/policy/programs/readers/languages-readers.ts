/** Readers for the programs of data/languages.json. */
import type { NestedCommands, Reader } from "../program.js";

export const languagesReaders: readonly (readonly [name: string, reader: Reader])[] = [
  ["bundle-exec", { nested: bundledProgram }],
  // `spec/a_spec.rb:12` and `spec/a_spec.rb[1:2]` name examples of a file.
  ["rspec", { effects: (words) => ({ reads: words.map((word) => word.replace(/:\d+.*$|\[.*$/, "")) }) }],
];

/** `bundle exec x` is judged as `x`, where we know that gem's program. */
function bundledProgram(args: readonly string[]): NestedCommands {
  const [name = ""] = args;
  const isKnown = /^(?:rspec|rubocop|rake|rails)$/.test(name);
  const commands = args.length === 0 ? [] : [isKnown ? args : [`bundled ${name}`]];
  return { words: [], commands, mustOnlyRead: false };
}
