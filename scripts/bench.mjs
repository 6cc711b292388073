// npm run bench: every figure, one program each, or the ones named.
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL("../bench/", import.meta.url));
const wanted = process.argv.slice(2);
const programs = readdirSync(folder).filter((file) => file.endsWith(".mjs") && file !== "measure.mjs");
for (const program of programs) {
  if (wanted.length > 0 && !wanted.includes(program.replace(".mjs", ""))) continue;
  const { status } = spawnSync(process.execPath, [`${folder}${program}`], { stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}
