/** Colour for terminals that want it. The coloured text must hold no control characters from outside. */

export function wantsColour(stream: NodeJS.WriteStream, env: NodeJS.ProcessEnv = process.env): boolean {
  if (env["NO_COLOR"] !== undefined && env["NO_COLOR"] !== "") return false;
  return stream.isTTY && env["TERM"] !== "dumb";
}

const [RED, GREEN, DIM, PLAIN] = ["\u001b[31m", "\u001b[32m", "\u001b[2m", "\u001b[39;22m"];

export const dimmed = (line: string): string => DIM + line + PLAIN;

/** Colours removed and added lines of a diff, and the marks of calls by how they ended. */
export function coloured(text: string): string {
  return text
    .split("\n")
    .map((line) => {
      if (/^ {4}[│┆] - /.test(line)) return RED + line + PLAIN;
      if (/^ {4}[│┆] \+ /.test(line)) return GREEN + line + PLAIN;
      if (/^ {4}[│┆] /.test(line)) return dimmed(line);
      if (/^[│┆](?: |$)/.test(line)) return dimmed(line.charAt(0)) + line.slice(1);
      if (line.startsWith("✓ ")) return GREEN + "✓" + PLAIN + line.slice(1);
      return /^[✗⊘!⚑] /.test(line) ? RED + line.charAt(0) + PLAIN + line.slice(1) : line;
    })
    .join("\n");
}
