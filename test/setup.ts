/**
 * The random cases of the property tests. In CI they are the same each time, so that red means a change; everywhere else
 * they are new ones. The short mode tries a sixth of fast-check's default.
 */
import * as fc from "fast-check";

fc.configureGlobal({
  numRuns: process.env["TOOLGATE_LONG"] ? 100 : 15,
  ...(process.env["CI"] && { seed: 20_261_115 }),
});
