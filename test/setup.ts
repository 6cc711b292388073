/** In CI the property tests look at the same cases each time, so that red means a change; everywhere else at new ones. */
import * as fc from "fast-check";

if (process.env["CI"]) fc.configureGlobal({ seed: 20_261_115 });
