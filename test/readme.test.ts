import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";

const root = new URL("../", import.meta.url);

test("compiles the code in the README against the doors it names", () => {
  const readme = readFileSync(new URL("README.md", root), "utf8");
  const snippets = [...readme.matchAll(/```ts\n(.*?)```/gs)].map(([, code]) => code ?? "");
  expect(snippets.length).toBeGreaterThan(0);
  // Inside the repository, so that the package's own name resolves to the build.
  const folder = new URL("test/.readme/", root);
  mkdirSync(folder, { recursive: true });
  for (const [index, code] of snippets.entries()) {
    writeFileSync(
      new URL(`snippet-${index}.ts`, folder),
      `declare function send(update: unknown): void;\n${code}`,
    );
  }
  const config = { extends: "../../tsconfig.json", include: ["*.ts"], compilerOptions: { types: ["node"] } };
  writeFileSync(new URL("tsconfig.json", folder), JSON.stringify(config));
  const tsc = new URL("node_modules/typescript/bin/tsc", root).pathname;
  const { stdout, status } = spawnSync(process.execPath, [tsc, "-p", folder.pathname], { encoding: "utf8" });
  rmSync(folder, { recursive: true });
  expect(stdout).toBe("");
  expect(status).toBe(0);
});

test("names the two commands that do everything in a fresh clone", () => {
  const readme = readFileSync(new URL("README.md", root), "utf8");
  const commands = [...readme.matchAll(/^npm (?:start|test)\b/gm)].map(([command]) => command);
  expect(commands).toEqual(["npm start", "npm test"]);
});
