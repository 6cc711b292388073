/**
 * Reads ACP v1 `session/update`s into our events. Strict: the schema crate's rules, for our own
 * traffic. Lenient: for other agents' traffic, repairing what they get wrong.
 */
import { isOver } from "../../call/index.js";
import type { SessionEvent, ToolCall } from "../../call/index.js";
import { CallReader } from "../call-reader.js";
import { isJsonObject } from "../json.js";
import type { JsonObject } from "../json.js";
import { V1_BLOCKS } from "../read-block.js";
import type { CallRules } from "../read-call.js";
import { readMeta } from "../read-call.js";
import { readInfo } from "../read-info.js";
import { MessageChunks } from "../message-chunks.js";
import { readPlanEntries } from "../read-plan-entries.js";
import { readResult } from "../read-result.js";
import type { ReadResult } from "../read-result.js";
import { Reading } from "../reading.js";
import type { ReaderOptions } from "../reading.js";
import { readV1Diff } from "./read-diff.js";
import { AgentTerminals, takeTerminalMeta } from "./read-terminal-meta.js";

const RULES: CallRules = {
  blocks: V1_BLOCKS,
  statuses: new Set(["pending", "in_progress", "completed", "failed"]),
  openEnums: false,
  nullClears: false,
  minimumLine: 0,
  readDiff: readV1Diff,
};

/** Updates of ACP that change nothing in the recorded session. */
const NOT_FOLLOWED: ReadonlySet<unknown> = new Set([
  "available_commands_update",
  "config_option_update",
  "usage_update",
  "notice",
  "compaction_update",
  "compaction_summary_chunk",
]);

export class V1Reader {
  readonly #reading: Reading;
  readonly #calls: CallReader;
  readonly #chunks = new MessageChunks(V1_BLOCKS, false);
  readonly #terminals = new AgentTerminals();

  constructor(options: ReaderOptions) {
    this.#reading = new Reading(options);
    this.#calls = new CallReader(this.#reading, RULES);
  }

  read(update: unknown, at: number): ReadResult {
    return readResult(this.#reading, at, () => this.#read(update, this.#reading));
  }

  #read(update: unknown, reading: Reading): readonly SessionEvent[] {
    if (!isJsonObject(update)) return reading.fail("a session update must be an object");
    const chunk = this.#chunks.read(update, reading);
    if (chunk) return chunk;
    this.#chunks.interrupt();
    switch (update["sessionUpdate"]) {
      case "tool_call":
        return this.#readCall(update, true, reading);
      case "tool_call_update":
        return this.#readCall(update, false, reading);
      case "plan":
        readMeta(update["_meta"], false, reading);
        return [
          {
            type: "plan-updated",
            at: reading.at,
            entries: readPlanEntries(update["entries"], false, reading),
          },
        ];
      case "current_mode_update":
        return readMode(update, reading);
      case "session_info_update":
        return readInfo(update, reading);
      default:
        if (!NOT_FOLLOWED.has(update["sessionUpdate"])) {
          reading.tolerate(
            "unknown-update",
            `session update ${JSON.stringify(update["sessionUpdate"])} is not one of ACP's`,
          );
        }
        return [];
    }
  }

  #readCall(update: JsonObject, starts: boolean, reading: Reading): readonly SessionEvent[] {
    const meta = takeTerminalMeta(update);
    if (meta) this.#terminals.open(meta.reports);
    let call: ToolCall | undefined;
    const events = this.#calls.read(meta?.rest ?? update, starts, (message, known) => {
      call = known;
      return message.content ? { ...message, content: this.#terminals.fill(message.content) } : message;
    });
    const { toolCallId, at } = reading;
    const mayChange = !call || !isOver(call.state) || ("assumed" in call.state && call.state.assumed);
    if (!meta || toolCallId === undefined || !mayChange) return events;
    return this.#terminals.take(meta.reports, { toolCallId, at, call }, events);
  }
}

function readMode(update: JsonObject, reading: Reading): SessionEvent[] {
  const modeId = update["currentModeId"];
  readMeta(update["_meta"], false, reading);
  if (typeof modeId === "string") return [{ type: "mode-changed", at: reading.at, modeId }];
  reading.tolerate("bad-field", `"currentModeId" must be a text`);
  return [];
}
