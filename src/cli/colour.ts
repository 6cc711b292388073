/** Colour for terminals that want it. The coloured text must hold no control characters from outside. */

export function wantsColour(stream: NodeJS.WriteStream, env: NodeJS.ProcessEnv = process.env): boolean {
  if (env["NO_COLOR"] !== undefined && env["NO_COLOR"] !== "") return false;
  return stream.isTTY && env["TERM"] !== "dumb";
}

const [RED, GREEN, DIM, PLAIN] = ["\u001b[31m", "\u001b[32m", "\u001b[2m", "\u001b[39;22m"];

export const dimmed = (line: string): string => DIM + line + PLAIN;

/**
 * Colours removed and added lines of a diff, with the words that differ, and the marks of calls by how they ended. Lines
 * may have styles of their own.
 */
export function coloured(text: string): string {
  const lines = text.split("\n");
  return lines
    .map((line, index) => {
      const [, start = "", rest = ""] = CHANGED.exec(line) ?? [];
      if (start !== "") return changedLine(start, rest, partnerOf(lines, index));
      if (/^ {4}[│┆] /.test(line)) return dimmed(line);
      if (/^[│┆](?: |$)/.test(line)) return dimmed(line.charAt(0)) + line.slice(1);
      if (line.startsWith("✓ ")) return GREEN + "✓" + PLAIN + line.slice(1);
      return /^[✗⊘!⚑] /.test(line) ? RED + line.charAt(0) + PLAIN + line.slice(1) : line;
    })
    .join("\n");
}

const CHANGED = /^( {4}[│┆] [-+] )(.*)$/s;
const [INVERSE, NOT_INVERSE] = ["\u001b[7m", "\u001b[27m"];

function changedLine(start: string, rest: string, partner: string | undefined): string {
  const colour = start.includes("-") ? RED : GREEN;
  const part = partner === undefined ? undefined : differentPart(rest, partner);
  if (!part) return colour + start + rest + PLAIN;
  const { from, to } = part;
  return `${colour}${start}${rest.slice(0, from)}${INVERSE}${rest.slice(from, to)}${NOT_INVERSE}${rest.slice(to)}${PLAIN}`;
}

/** The line on the other side, where as many lines were removed as added. */
function partnerOf(lines: readonly string[], index: number): string | undefined {
  const sign = (at: number): string => /^ {4}│ ([-+]) /.exec(lines[at] ?? "")?.[1] ?? "";
  const own = sign(index);
  if (own === "") return undefined;
  let first = index;
  while (sign(first - 1) === own) first -= 1;
  let end = index + 1;
  while (sign(end) === own) end += 1;
  const count = end - first;
  const other = own === "-" ? end : first - count;
  const far = own === "-" ? "+" : "-";
  const isPaired =
    Array.from({ length: count }, (_, at) => sign(other + at)).every((one) => one === far) &&
    sign(own === "-" ? other + count : other - 1) !== far;
  return isPaired ? CHANGED.exec(lines[other + index - first] ?? "")?.[2] : undefined;
}

/** The part that is not the same at the beginning and at the end, in whole words. Undefined when little stays the same. */
function differentPart(
  line: string,
  other: string,
): { readonly from: number; readonly to: number } | undefined {
  const words = line.match(WORDS) ?? [];
  const others = other.match(WORDS) ?? [];
  const shortest = Math.min(words.length, others.length);
  let before = 0;
  while (before < shortest && words[before] === others[before]) before += 1;
  let after = 0;
  while (after < shortest - before && words.at(-1 - after) === others.at(-1 - after)) after += 1;
  const from = words.slice(0, before).join("").length;
  const to = line.length - words.slice(words.length - after).join("").length;
  const isLittle = line.trim() === "" || (to - from) * 2 > line.trim().length;
  return from >= to || isLittle ? undefined : { from, to };
}

const WORDS = /[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu;
