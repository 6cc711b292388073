import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ansiRuns } from "./ansi-runs.js";

const text = (output: string): string =>
  ansiRuns(output)
    .map((run) => run.text)
    .join("");
const ESC = "\u001B";

describe("terminal output as runs", () => {
  test("keeps colours and weights as classes", () => {
    expect(ansiRuns(`${ESC}[31mred${ESC}[0m and ${ESC}[1;32mgreen${ESC}[22m`)).toEqual([
      { text: "red", className: "t-31" },
      { text: " and ", className: "" },
      { text: "green", className: "t-b t-32" },
    ]);
  });

  test.each([
    ["bright", `${ESC}[91mx`, "t-31"],
    ["256 colours", `${ESC}[38;5;196mx`, "t-31"],
    ["RGB", `${ESC}[38;2;10;200;30mx`, "t-32"],
    ["a ground", `${ESC}[44mx`, "b-44"],
    ["grey", `${ESC}[38;5;240mx`, "t-30"],
  ])("maps %s to one of eight colours", (_, output, className) => {
    expect(ansiRuns(output)).toEqual([{ text: "x", className }]);
  });

  test("drops moves of the cursor and shows everything else that hides", () => {
    expect(text(`a${ESC}[2Kb${ESC}[1Gc`)).toBe("abc");
    expect(text("safe\rEVIL")).toBe("safe\\rEVIL");
    expect(text(`${ESC}[8mhidden${ESC}[0m`)).toBe("hidden");
    expect(text(`${ESC}]8;;javascript:alert(1)\u0007x`)).toBe("⟨U+001B⟩]8;;javascript:alert(1)⟨U+0007⟩x");
    expect(text("\u009B2J")).toBe("⟨U+009B⟩2J");
    expect(text("line\r\nnext\n")).toBe("line\nnext\n");
  });

  test("never lets a control or a direction mark through, whatever a command prints", () => {
    const piece = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.constantFrom(
        ESC,
        `${ESC}[`,
        `${ESC}[31m`,
        "\u202E",
        "\r",
        "\u009B",
        `${ESC}]0;x\u0007`,
        "\n",
        ";",
        "m",
      ),
    );
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        expect(text(pieces.join(""))).not.toMatch(/(?![\n\t])[\p{Cc}\p{Cf}]/u);
      }),
    );
  });
});
