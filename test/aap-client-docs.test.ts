/** The pages about AAP keep their word: their code compiles against what is built, and prints what stands below it. */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";

const root = fileURLToPath(new URL("../", import.meta.url));
const page = readFileSync(join(root, "docs/aap-client.md"), "utf8");
const serverPage = readFileSync(join(root, "docs/aap.md"), "utf8");
const blocks = [...`${page}\n${serverPage}`.matchAll(/^```ts\n(.*?)^```\n(?:\n```text\n(.*?)^```$)?/gms)];

test("the code of both pages compiles, and the programs print what they say", () => {
  // Inside the repository, so that the package's own name resolves to what was built.
  const place = mkdtempSync(join(root, "test/.aap-client-"));
  onTestFinished(() => rmSync(place, { recursive: true, force: true }));
  for (const [index, [, code = ""]] of blocks.entries())
    writeFileSync(join(place, `block-${index}.ts`), code);
  const config = { extends: "../../tsconfig.json", include: ["*.ts"], compilerOptions: { noEmit: false } };
  writeFileSync(join(place, "tsconfig.json"), JSON.stringify(config));
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  expect(spawnSync(process.execPath, [tsc, "-p", place], { encoding: "utf8" }).stdout).toBe("");
  const programs = [...blocks.entries()].filter(([, [, , printed]]) => printed !== undefined);
  expect(programs).toHaveLength(2);
  for (const [index, [, , printed]] of programs) {
    const stdout = execFileSync(process.execPath, [join(place, `block-${index}.js`)], { encoding: "utf8" });
    expect(stdout).toBe(printed);
  }
});

test("lists every error code in the page", () => {
  const source = readFileSync(join(root, "src/aap/client/aap-error.ts"), "utf8");
  const codes = [...source.matchAll(/^ {2}\| "(\w+)"/gm)].map(([, code]) => code);
  expect(codes.length).toBeGreaterThan(5);
  for (const code of codes) expect(page).toContain(`| \`${code}\``);
});
