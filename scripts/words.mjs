// npm run check, part "words": the project's language. A name or a comment uses the trade's term (ARCHITECTURE.md has the
// glossary), and a file has the name of its one export. With file names, only those files are checked: node scripts/words.mjs src/run/gate.ts
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { parseSync } from "oxc-parser";

/** Retired words and the terms that replace them. They are found in identifiers, comments, strings and prose. */
const RETIRED = [
  [/told|tells|telling|untold/, "sent, reported, logged, shown"],
  [/heard|hears|hearing|unheard/, "received, followed, subscribed"],
  [/spoken|speaks|speaking/, "supports, uses, names"],
  [/whoever/, "the caller, the client, a person who …"],
  [/patience/, "…TimeoutMs, …GraceMs"],
  [/anew/, "again"],
  [/begun/, "started"],
  [/mended|mends|mend/, "fixed"],
];
const WORD = RETIRED.map(([pattern, instead]) => ({
  // Also as a part of a camelCase, kebab-case or UPPER_CASE name.
  pattern: new RegExp(
    String.raw`(?<![a-zA-Z])(?:${pattern.source})(?![a-z])|(?:${capitalised(pattern.source)})(?![a-z])|(?<![A-Z])(?:${pattern.source.toUpperCase()})(?![A-Z])`,
  ),
  instead,
}));

/** No sentence of ours begins with a word that leaves its subject open. */
const OPENER = /(?:^|[.!?:]\s+)(What|Whoever|It|Those|Of)\b(?!\?)/;
/** In a message, headings and questions ("What will happen") may ask. */
const MESSAGE_OPENER = /(?:^|[.!:]\s)(It|Those|Of|What (?:is|was|are|were)) [a-z](?!.*\?)/;
const BOUND = /\b(?:MOST|LONGEST|DEEPEST|LARGEST)_[A-Z_]+\b|\b[A-Z_]+_(?:MILLISECONDS|SECONDS)\b/;

const CODE = /\.(?:tsx?|mjs)$/;
/** Recorded traffic, other people's texts and generated files keep their words; docs/tools.md quotes the tools' descriptions. */
const APART =
  /^(?:test\/fixtures|src\/policy\/programs\/(?:data|packed)|registry|schema|package-lock|docs\/tools\.md)/;

/** Shipped files of one export are named after it. Commands are named as a person types them. */
const NAMED = /^(?:src|web)\/(?!cli\/commands\/)(?!.*\/index\.ts)(?!.*\.(?:test|samples|contract|d)\.)/;

const named = process.argv.slice(2);
const files =
  named.length > 0
    ? named
    : tracked().filter((path) => (CODE.test(path) || path.endsWith(".md")) && !APART.test(path));
const found = files
  .filter((path) => existsSync(path))
  .flatMap((path) => troublesIn(path, readFileSync(path, "utf8")));
for (const { path, line, message } of found) console.log(`${path}:${line}: ${message}`);
console.log(found.length === 0 ? "No retired words." : `${found.length} places to reword.`);
process.exit(found.length === 0 ? 0 : 1);

function tracked() {
  return execFileSync("git", ["ls-files", "-z"], { encoding: "utf8" }).split("\0").filter(Boolean);
}

function troublesIn(path, text) {
  if (path === "scripts/words.mjs") return [];
  return [
    ...retiredIn(path, text),
    ...(CODE.test(path) ? codeTroubles(path, text) : proseTroubles(path, text)),
  ];
}

function retiredIn(path, text) {
  return text.split("\n").flatMap((content, index) => {
    const retired = WORD.flatMap(({ pattern, instead }) => {
      const match = pattern.exec(content);
      return match ? [`"${match[0]}" is retired: ${instead}`] : [];
    });
    const bound = CODE.test(path) ? BOUND.exec(content) : undefined;
    const bounds = bound ? [`${bound[0]}: write MAX_… for a bound and …_MS for a time`] : [];
    return [...retired, ...bounds].map((message) => ({ path, line: index + 1, message }));
  });
}

function codeTroubles(path, text) {
  const { comments, program } = parseSync(path, text);
  const openers = comments.flatMap(({ value, start }) => {
    const plain = value.replaceAll(/^\s*\*+ ?/gm, "").trim();
    const opener = OPENER.exec(plain.replaceAll(/\s+/g, " "));
    if (!opener) return [];
    const line = text.slice(0, start).split("\n").length;
    return [{ path, line, message: `a comment's sentence begins with "${opener[1]}": name its subject` }];
  });
  return [...openers, ...messageTroubles(path, text, program), ...nameTroubles(path, program)];
}

/** The texts that the product shows. Tests may hold any text. */
function messageTroubles(path, text, program) {
  if (!NAMED.test(path)) return [];
  return textsIn(program).flatMap(({ value, start }) => {
    const opener = MESSAGE_OPENER.exec(value);
    if (!opener) return [];
    const line = text.slice(0, start).split("\n").length;
    return [{ path, line, message: `a message's sentence begins with "${opener[1]}": name its subject` }];
  });
}

function textsIn(node) {
  if (Array.isArray(node)) return node.flatMap(textsIn);
  if (typeof node !== "object" || node === null) return [];
  if (node.type === "Literal") return typeof node.value === "string" ? [node] : [];
  if (node.type === "TemplateElement") return [{ value: node.value.cooked ?? "", start: node.start }];
  return Object.values(node).flatMap(textsIn);
}

/** The words of the path may be left out: v1/reader.ts has the V1Reader. A file of several equals has a free name. */
function nameTroubles(path, program) {
  const command = path.replace(/^src\/cli\/(?=[^/]+$)/, "src/cli/commands/");
  if (!NAMED.test(path) || (command !== path && existsSync(command))) return [];
  const declared = program.body.flatMap(({ type, declaration }) =>
    type !== "ExportNamedDeclaration"
      ? []
      : (declaration?.declarations ?? (declaration ? [declaration] : [])),
  );
  const values = declared.filter(({ type }) => !type.startsWith("TS"));
  if (values.length !== 1 && declared.length !== 1) return [];
  const stem = path.replace(/\.tsx?$/, "");
  const [own, whole] = [wordsOf(stem.split("/").at(-1)), wordsOf(stem)];
  const names = declared.map(({ id }) => id.name);
  const isNamed = names
    .map(wordsOf)
    .some(
      (words) =>
        words.join("") === own.join("") ||
        (own.every((word) => words.includes(word)) && words.every((word) => whole.includes(word))),
    );
  return isNamed ? [] : [{ path, line: 1, message: `name the file after its export ${names.join(" or ")}` }];
}

/** "readV1Diffs" is read, v1, diff. */
function wordsOf(name) {
  const words =
    name
      .replaceAll(/([a-z\d])([A-Z])/g, "$1 $2")
      .toLowerCase()
      .match(/[a-z\d]+/g) ?? [];
  return words.map((word) => word.replace(/s$/, ""));
}

function proseTroubles(path, text) {
  const prose = text.replaceAll(/^```.*?^```/gms, (block) => "\n".repeat(block.split("\n").length - 1));
  return prose.split(/\n\s*\n/).flatMap((paragraph, index, all) => {
    const opener = OPENER.exec(paragraph.replace(/^[\s>*#-]+/, "").replaceAll(/\s+/g, " "));
    if (!opener || paragraph.trimStart().startsWith("|")) return [];
    const line = all.slice(0, index).join("\n\n").split("\n").length + 2;
    return [{ path, line, message: `a sentence begins with "${opener[1]}": name its subject` }];
  });
}

function capitalised(source) {
  return source
    .split("|")
    .map((word) => word[0].toUpperCase() + word.slice(1))
    .join("|");
}
