/** The error that a caller gets when its call was not done: refused, cancelled, failed, or unknown. */
import { endSentence } from "../call/index.js";
import type { ToolCall } from "../call/index.js";

export class CallNotDone extends Error {
  readonly code = "CALL_NOT_DONE";
  readonly status: ToolCall["state"]["status"];
  readonly toolCallId: string;

  constructor(call: ToolCall) {
    super(endSentence(call) ?? `Tool call ${call.toolCallId} has not ended: it is ${call.state.status}.`);
    this.name = "CallNotDone";
    this.status = call.state.status;
    this.toolCallId = call.toolCallId;
  }
}
