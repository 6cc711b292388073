/** Cases of the catalogue for the page: hostile texts, output that attacks a terminal, commands that hide a part of themselves. */
import cases from "./fixtures/adversarial/page.json" with { type: "json" };

/** The cases write controls as escapes. */
const unescaped = (written: string): string =>
  written
    .replaceAll(/\\x([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replaceAll("\\r", "\r")
    .replaceAll("\\n", "\n")
    .replaceAll("\\t", "\t")
    .replaceAll("\\\\", "\\");

export const payloads: ReadonlyMap<string, string> = new Map(
  cases.flatMap(({ id, input }) => ("payload" in input ? [[id, input.payload] as const] : [])),
);

export const outputs = cases.flatMap(({ id, input }) =>
  "stdout" in input ? [[id, unescaped(input.stdout)] as const] : [],
);

export const hidingCommands = cases.flatMap(({ id, input }) =>
  "command" in input && id.startsWith("UI-") ? [[id, unescaped(input.command)] as const] : [],
);
