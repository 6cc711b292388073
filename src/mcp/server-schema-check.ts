/**
 * Checks values against a schema from a server. A pattern in it may take forever on some texts, so the check has a
 * time limit: V8 stops even a regular expression when a script's time is up.
 */
import { createContext, Script } from "node:vm";
import { jsonSchemaCheck } from "../tools/index.js";
import type { JsonSchemaCheck } from "../tools/index.js";

const MAX_MS = 1000;
const place = createContext({ work: () => undefined });
const script = new Script("work()");

/** Undefined when the schema is invalid, or cannot be compiled in time. */
export function serverSchemaCheck(schema: object): JsonSchemaCheck | undefined {
  loadChecker();
  try {
    const check = inTime(() => jsonSchemaCheck(schema));
    return (value) => {
      try {
        return inTime(() => check(value));
      } catch {
        return { ok: false, problem: "it cannot be checked: the server's own schema takes too long on it" };
      }
    };
  } catch {
    return undefined;
  }
}

let isLoaded = false;

/** Not within the limit: stopped in the middle of its loading, the checker would stay half loaded. */
function loadChecker(): void {
  if (!isLoaded) jsonSchemaCheck({});
  isLoaded = true;
}

function inTime<Result>(work: () => Result): Result {
  let result: { readonly value: Result } | undefined;
  place["work"] = () => {
    result = { value: work() };
  };
  script.runInContext(place, { timeout: MAX_MS });
  if (!result) throw new Error("The work was not done.");
  return result.value;
}
