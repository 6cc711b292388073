// Packs the program descriptions (src/policy/programs/data/*.json) into one module of texts. Node 20 warns about imported
// JSON files, a browser cannot read them, and parsed ones would be in memory before the first command is judged.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL("../src/policy/programs/", import.meta.url));
const files = readdirSync(join(folder, "data"))
  .filter((name) => name.endsWith(".json"))
  .sort();
const families = files.map((name) => ({
  name: basename(name, ".json"),
  file: withoutSources(JSON.parse(readFileSync(join(folder, "data", name), "utf8"))),
}));

/** Where a description comes from is for its reader; no decision needs it. */
function withoutSources({ shared, programs }) {
  const plain = Object.entries(programs).map(([names, data]) => [names, { ...data, from: undefined }]);
  return { sources: {}, ...(shared && { shared }), programs: Object.fromEntries(plain) };
}

/** In single quotes: the text is full of double ones. */
const literal = (text) => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;

const lines = [
  "// Made by scripts/pack-programs.mjs from data/*.json. Not kept in git: change those files instead.",
  "export const packedPrograms = {",
  "  /** The family that describes each program. */",
  "  families: new Map<string, string>([",
  ...families.flatMap(({ name, file }) =>
    Object.keys(file.programs)
      .flatMap((names) => names.split(" "))
      .map((program) => `    [${JSON.stringify(program)}, ${JSON.stringify(name)}],`),
  ),
  "  ]),",
  "  /** Each family's file, as JSON. */",
  "  texts: new Map<string, string>([",
  ...families.map(({ name, file }) => `    [${JSON.stringify(name)}, ${literal(JSON.stringify(file))}],`),
  "  ]),",
  "};",
  "",
];
const target = join(folder, "packed-programs.ts");
const text = lines.join("\n");
if (!existsSync(target) || readFileSync(target, "utf8") !== text) writeFileSync(target, text);
