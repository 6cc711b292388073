// node test/peers/run.mjs [peer…]: journeys with real foreign peers, apart from `npm test`. Bundles main.ts and starts it.
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { rolldown } from "rolldown";

const here = fileURLToPath(new URL(".", import.meta.url));
const file = join(here, "../../node_modules/.toolgate-peers/main.mjs");
const bundle = await rolldown({ input: join(here, "main.ts"), platform: "node", external: /node-pty/ });
await bundle.write({ file, format: "esm" });
await bundle.close();
const { main } = await import(pathToFileURL(file).href);
process.exit(await main(process.argv.slice(2), here));
