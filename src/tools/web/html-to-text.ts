/**
 * The text of a page without its tags, as a fallback. One pass from the beginning to the end: no page takes more than
 * linear time.
 */

/** Elements whose content is not text. */
const UNSEEN = new Set(["script", "style", "noscript", "template", "svg", "iframe", "textarea"]);
const LINE_ENDS = new Set(
  "address article aside blockquote br dd div dl dt footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section table title tr ul".split(
    " ",
  ),
);

export function htmlToText(html: string): string {
  // ASCII only: other letters may change their length with their case.
  const lower = html.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
  const parts: string[] = [];
  let at = 0;
  while (at < html.length) {
    const tag = lower.indexOf("<", at);
    if (tag < 0) break;
    parts.push(html.slice(at, tag));
    if (lower.startsWith("<!--", tag)) {
      at = after(lower, "-->", tag + 4);
      continue;
    }
    const [, name] = /^<\/?([a-z][a-z0-9]*)/.exec(lower.slice(tag, tag + 20)) ?? [];
    if (name === undefined && !/^<[!?/]/.test(lower.slice(tag, tag + 2))) {
      parts.push("<");
      at = tag + 1;
      continue;
    }
    if (name !== undefined && LINE_ENDS.has(name)) parts.push("\n");
    else if (name === "td" || name === "th") parts.push(" ");
    at = after(lower, ">", tag);
    if (name !== undefined && UNSEEN.has(name) && lower[tag + 1] !== "/") at = end(lower, `</${name}`, at);
  }
  parts.push(html.slice(at));
  return tidy(withoutEntities(parts.join("")));
}

/** The position after a mark, or the end when there is none: nothing is searched twice. */
function after(text: string, mark: string, from: number): number {
  const found = text.indexOf(mark, from);
  return found < 0 ? text.length : found + mark.length;
}

function end(text: string, mark: string, from: number): number {
  const found = text.indexOf(mark, from);
  return found < 0 ? text.length : found;
}

function tidy(text: string): string {
  const lines = text.split("\n").map((line) =>
    line
      .split(/[ \t\r\f]+/)
      .join(" ")
      .trim(),
  );
  return lines
    .filter((line, index) => line !== "" || (lines[index - 1] ?? "") !== "")
    .join("\n")
    .trim();
}

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ["amp", "&"],
  ["lt", "<"],
  ["gt", ">"],
  ["quot", '"'],
  ["apos", "'"],
  ["nbsp", " "],
  ["mdash", "—"],
  ["ndash", "–"],
  ["hellip", "…"],
]);

function withoutEntities(text: string): string {
  return text.replace(
    /&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([a-z]{2,6}));/g,
    (entity, decimal?: string, hex?: string, name?: string) => {
      if (name !== undefined) return ENTITIES.get(name) ?? entity;
      const code = decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number(decimal);
      return code > 0 && code <= 0x10_ffff ? String.fromCodePoint(code) : entity;
    },
  );
}
