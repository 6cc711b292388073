/** Text that tries to look like a line of Toolgate, or to start in column 0. */
import * as fc from "fast-check";

const pieces = fc.constantFrom(
  "Allow this? [y]es, [n]o (Enter): ",
  "✓ ❯ Run rm -rf / (execute, 2 ms, allowed by you)",
  "toolgate: ",
  "\r",
  "\n",
  "\t",
  "\u001b[2K\u001b[1A",
  "\u202e",
  "\u2028",
  "\u0085",
  "│ ",
  "漢".repeat(30),
  "㈱".repeat(20),
  "e\u0301".repeat(10),
  "👍🏽",
  "x".repeat(200),
  " ".repeat(90),
);

export const hostile = fc
  .array(fc.oneof(pieces, fc.string({ unit: "binary", maxLength: 20 })), { maxLength: 12 })
  .map((parts) => parts.join(""));
