/**
 * Reads ACP v1 `session/update`s into our events. Strict: the schema crate's rules, for our own
 * traffic. Lenient: for other agents' traffic, repairing what they get wrong.
 */
import type { SessionEvent } from "../../call/index.js";
import { CallReader } from "../call-reader.js";
import { isJsonObject } from "../json.js";
import type { JsonObject } from "../json.js";
import { V1_BLOCKS } from "../read-block.js";
import type { CallRules } from "../read-call.js";
import { readMeta } from "../read-call.js";
import { readInfo } from "../read-info.js";
import { MessageChunks } from "../read-message-chunk.js";
import { readPlanEntries } from "../read-plan.js";
import { reading } from "../read-result.js";
import type { ReaderOptions, ReadResult } from "../read-result.js";
import type { Troubles } from "../troubles.js";
import { readV1Diff } from "./read-diff.js";

const RULES: CallRules = {
  blocks: V1_BLOCKS,
  statuses: new Set(["pending", "in_progress", "completed", "failed"]),
  openEnums: false,
  nullClears: false,
  minimumLine: 0,
  readDiff: readV1Diff,
};

/** Updates that are ACP's and say nothing about what a session remembers. */
const NOT_FOLLOWED: ReadonlySet<unknown> = new Set([
  "available_commands_update",
  "config_option_update",
  "usage_update",
  "notice",
  "compaction_update",
  "compaction_summary_chunk",
]);

export class V1Reader {
  readonly #options: ReaderOptions;
  readonly #calls: CallReader;
  readonly #chunks = new MessageChunks(V1_BLOCKS, false);

  constructor(options: ReaderOptions) {
    this.#options = options;
    this.#calls = new CallReader(options, RULES);
  }

  read(update: unknown, at: number): ReadResult {
    return reading(this.#options.mode, at, (troubles) => this.#read(update, at, troubles));
  }

  #read(update: unknown, at: number, troubles: Troubles): readonly SessionEvent[] {
    if (!isJsonObject(update)) return troubles.fail("a session update must be an object");
    const chunk = this.#chunks.read(update, at, troubles);
    if (chunk) return chunk;
    this.#chunks.interrupt();
    switch (update["sessionUpdate"]) {
      case "tool_call":
        return this.#calls.read(update, { starts: true, at, troubles });
      case "tool_call_update":
        return this.#calls.read(update, { starts: false, at, troubles });
      case "plan":
        readMeta(update["_meta"], false, troubles);
        return [{ type: "plan-updated", at, entries: readPlanEntries(update["entries"], false, troubles) }];
      case "current_mode_update":
        return readMode(update, at, troubles);
      case "session_info_update":
        return readInfo(update, at, troubles);
      default:
        if (!NOT_FOLLOWED.has(update["sessionUpdate"])) {
          troubles.tolerate("unknown-update", `session update ${JSON.stringify(update["sessionUpdate"])} is not one of ACP's`);
        }
        return [];
    }
  }
}

function readMode(update: JsonObject, at: number, troubles: Troubles): SessionEvent[] {
  const modeId = update["currentModeId"];
  readMeta(update["_meta"], false, troubles);
  if (typeof modeId === "string") return [{ type: "mode-changed", at, modeId }];
  troubles.tolerate("bad-field", `"currentModeId" must be a text`);
  return [];
}
