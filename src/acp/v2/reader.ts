/**
 * Reads ACP v2 (draft) `session/update`s into our events: one upsert per call, content that is
 * appended, terminals that the agent owns.
 */
import type { Meta, SessionEvent, ToolCall } from "../../call/index.js";
import { CallReader } from "../call-reader.js";
import { isJsonObject, isNone } from "../json.js";
import type { JsonObject } from "../json.js";
import { V2_BLOCKS } from "../read-block.js";
import type { CallMessage, CallRules } from "../read-call.js";
import { readCall, readId, readMeta } from "../read-call.js";
import { readInfo } from "../read-info.js";
import { MessageChunks } from "../message-chunks.js";
import { readPlanEntries } from "../read-plan-entries.js";
import { readResult } from "../read-result.js";
import type { ReadResult } from "../read-result.js";
import { isSentenceMark } from "../toolgate-meta.js";
import { Reading } from "../reading.js";
import type { ReaderOptions } from "../reading.js";
import { readV2Diff } from "./read-diff.js";
import { V2Terminals } from "./terminals.js";

const RULES: CallRules = {
  blocks: V2_BLOCKS,
  statuses: new Set(["pending", "in_progress", "paused", "completed", "failed", "cancelled"]),
  openEnums: true,
  nullClears: true,
  minimumLine: 1,
  readDiff: readV2Diff,
};

export class V2Reader {
  readonly #reading: Reading;
  readonly #calls: CallReader;
  readonly #chunks = new MessageChunks(V2_BLOCKS, true);
  readonly #terminals = new V2Terminals();

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
      case "tool_call_update":
        checkCapabilities(update["capabilities"], reading);
        return this.#calls.read(update, false, (message, known) => this.#complete(message, known));
      case "tool_call_content_chunk":
        return this.#readContentChunk(update, reading);
      case "terminal_update":
        return this.#terminals.readUpdate(update, reading);
      case "terminal_output_chunk":
        return this.#terminals.readChunk(update, reading);
      case "plan_update":
        return readPlan(update, reading);
      case "session_info_update":
        return readInfo(update, reading);
      default:
        return unknownUpdate(update, reading);
    }
  }

  /** Patches `_meta` key by key, and shows terminals with their known output. */
  #complete(message: CallMessage, call: ToolCall | undefined): CallMessage {
    const { _meta, content } = message;
    return {
      ...message,
      _meta: _meta && patched(call?._meta, _meta),
      content: content && this.#terminals.fill(message.toolCallId, content),
    };
  }

  #readContentChunk(update: JsonObject, reading: Reading): readonly SessionEvent[] {
    readMeta(update["_meta"], false, reading);
    if (!isJsonObject(update["content"])) return reading.fail("a content chunk must have content");
    const foreignId = readId(update["toolCallId"], reading);
    const { content } = readCall(
      { toolCallId: foreignId, content: [update["content"]] },
      false,
      RULES,
      reading,
    );
    const toolCallId = this.#calls.idOf(foreignId);
    const known = reading.session.call(toolCallId);
    if (known && "assumed" in known.state && !known.state.assumed) {
      reading.repair("late-update", "content came after the call had ended");
      return [];
    }
    // A new call starts at its defaults, and its first content comes after that.
    const created = known ? [] : this.#calls.read({ toolCallId: foreignId }, false);
    const items = this.#terminals
      .fill(toolCallId, content ?? [])
      .filter(({ _meta }) => reading.mode === "lenient" || !isSentenceMark(_meta));
    return [
      ...created,
      ...items.map(
        (item) => ({ type: "content-appended", toolCallId, at: reading.at, content: item }) as const,
      ),
    ];
  }
}

/** Capabilities of a call are checked and not kept; unreadable ones count as none. */
function checkCapabilities(capabilities: unknown, reading: Reading): void {
  if (isNone(capabilities)) return;
  const cancel = isJsonObject(capabilities) ? capabilities["cancel"] : undefined;
  if (!isJsonObject(capabilities) || !(isNone(cancel) || isJsonObject(cancel)))
    return reading.tolerate("bad-field", '"capabilities" must be an object of objects and was left out');
  readMeta(capabilities["_meta"], false, reading);
  if (isJsonObject(cancel)) readMeta(cancel["_meta"], false, reading);
}

function patched(meta: Meta | undefined, patch: Meta): Meta {
  const entries = Object.entries({ ...meta, ...patch });
  return Object.fromEntries(entries.filter(([, value]) => value !== null));
}

function readPlan(update: JsonObject, reading: Reading): SessionEvent[] {
  const { plan } = update;
  readMeta(update["_meta"], false, reading);
  if (!isJsonObject(plan) || typeof plan["planId"] !== "string" || typeof plan["type"] !== "string") {
    return reading.fail("a plan update must have a plan with type and planId");
  }
  if (plan["type"] !== "items") return [];
  readMeta(plan["_meta"], false, reading);
  return [{ type: "plan-updated", at: reading.at, entries: readPlanEntries(plan["entries"], true, reading) }];
}

/** Updates that we do not use, of vendors and of later versions, are ignored and are no error. */
function unknownUpdate(update: JsonObject, reading: Reading): SessionEvent[] {
  if (typeof update["sessionUpdate"] !== "string") reading.fail("a session update must say what it is");
  return [];
}
