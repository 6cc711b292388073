/**
 * Reads ACP v2 (draft) `session/update`s into our events: one upsert per call, content that is
 * appended, terminals that the agent owns.
 */
import type { Meta, SessionEvent, ToolCall } from "../../call/index.js";
import { CallReader } from "../call-reader.js";
import { isJsonObject } from "../json.js";
import type { JsonObject } from "../json.js";
import { V2_BLOCKS } from "../read-block.js";
import type { CallMessage, CallRules } from "../read-call.js";
import { readCall, readId, readMeta } from "../read-call.js";
import { readInfo } from "../read-info.js";
import { MessageChunks } from "../read-message-chunk.js";
import { readPlanEntries } from "../read-plan.js";
import { reading } from "../read-result.js";
import type { ReaderOptions, ReadResult } from "../read-result.js";
import { isSentenceMark } from "../toolgate-meta.js";
import type { Troubles } from "../troubles.js";
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
  readonly #options: ReaderOptions;
  readonly #calls: CallReader;
  readonly #chunks = new MessageChunks(V2_BLOCKS, true);
  readonly #terminals = new V2Terminals();

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
    const call = (toolCallId: string): ToolCall | undefined => this.#options.session.call(toolCallId);
    switch (update["sessionUpdate"]) {
      case "tool_call_update":
        return this.#calls.read(update, { starts: false, at, troubles }, (message, known) => this.#complete(message, known));
      case "tool_call_content_chunk":
        return this.#readContentChunk(update, at, troubles);
      case "terminal_update":
        return this.#terminals.readUpdate(update, { at, troubles, call });
      case "terminal_output_chunk":
        return this.#terminals.readChunk(update, { at, troubles, call });
      case "plan_update":
        return readPlan(update, at, troubles);
      case "session_info_update":
        return readInfo(update, at, troubles);
      default:
        return unknownUpdate(update, troubles);
    }
  }

  /** `_meta` is patched key by key, and terminals are shown with what is known of them. */
  #complete(message: CallMessage, call: ToolCall | undefined): CallMessage {
    const { _meta, content } = message;
    return {
      ...message,
      ...(_meta && { _meta: patched(call?._meta, _meta) }),
      ...(content && { content: this.#terminals.fill(message.toolCallId, content) }),
    };
  }

  #readContentChunk(update: JsonObject, at: number, troubles: Troubles): readonly SessionEvent[] {
    readMeta(update["_meta"], false, troubles);
    if (!isJsonObject(update["content"])) return troubles.fail("a content chunk must have content");
    const toolCallId = readId(update["toolCallId"], troubles);
    const { content } = readCall({ toolCallId, content: [update["content"]] }, false, RULES, { cwd: this.#options.cwd, troubles });
    const known = this.#options.session.call(this.#calls.idOf(toolCallId));
    // A new call starts at its defaults, and its first content comes after that.
    const created = known ? [] : this.#calls.read({ toolCallId }, { starts: false, at, troubles });
    if (known && "assumed" in known.state && !known.state.assumed) {
      troubles.mend("late-update", "content came after the call had ended");
      return [];
    }
    const ourId = this.#calls.idOf(toolCallId);
    const items = this.#terminals.fill(ourId, content ?? []).filter(({ _meta }) => troubles.mode === "lenient" || !isSentenceMark(_meta));
    return [...created, ...items.map((item) => ({ type: "content-appended", toolCallId: ourId, at, content: item }) as const)];
  }
}

function patched(meta: Meta | undefined, patch: Meta): Meta {
  const entries = Object.entries({ ...meta, ...patch });
  return Object.fromEntries(entries.filter(([, value]) => value !== null));
}

function readPlan(update: JsonObject, at: number, troubles: Troubles): SessionEvent[] {
  const { plan } = update;
  readMeta(update["_meta"], false, troubles);
  if (!isJsonObject(plan) || typeof plan["planId"] !== "string" || typeof plan["type"] !== "string") {
    return troubles.fail("a plan update must have a plan with type and planId");
  }
  if (plan["type"] !== "items") return [];
  readMeta(plan["_meta"], false, troubles);
  return [{ type: "plan-updated", at, entries: readPlanEntries(plan["entries"], true, troubles) }];
}

/** What v2 has and we do not follow, and what is a vendor's or the future's, is passed over without fault. */
function unknownUpdate(update: JsonObject, troubles: Troubles): SessionEvent[] {
  if (typeof update["sessionUpdate"] !== "string") troubles.fail("a session update must say what it is");
  return [];
}
