// A machine on which the JSON Schema checker takes longer to load than a server's schema may take to be read.
import Module from "node:module";
import { serverSchemaCheck } from "../../src/mcp/server-schema-check.js";

const load = Module._load;
let isLoaded = false;
Module._load = function (name, ...rest) {
  const loaded = load.call(this, name, ...rest);
  if (!isLoaded && name.endsWith("/ajv")) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_500);
  isLoaded ||= name.endsWith("/ajv");
  return loaded;
};
process.stdout.write(`${serverSchemaCheck({ type: "object" })?.({}).ok}\n`);
