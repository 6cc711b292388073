/**
 * A server asks the person a question while its tool runs. The question goes to the running call, whose clock pauses
 * meanwhile. The server does not name the call: unless exactly one is running, nobody is asked.
 */
import type { Client, ElicitRequest, ElicitResult } from "@modelcontextprotocol/client";
import { oneLine, visibleText } from "../call/index.js";
import type { AskReply, AskRequest } from "../tools/index.js";
import type { ReportProblem } from "./bounded-problems.js";
import { webUrl } from "./config.js";
import type { RunningCall, RunningCalls } from "./running-calls.js";
import { serverSchemaCheck } from "./server-schema-check.js";
import { visibleSchema } from "./visible-schema.js";

const MAX_MESSAGE = 2000;
const MAX_FORM = 32_768;
const MAX_QUESTIONS = 20;

export type ElicitationOptions = {
  readonly server: string;
  readonly running: RunningCalls;
  readonly onProblem: ReportProblem;
};

const DECLINED = { action: "decline" } as const;

export function answerElicitations(client: Client, { server, running, onProblem }: ElicitationOptions): void {
  client.setRequestHandler("elicitation/create", async ({ params }, { mcpReq }) => {
    const call = running.only;
    if (!call) {
      onProblem("it asked a question, and it is not known for which call. Nobody was asked.");
      return DECLINED;
    }
    if (call.isAsking || call.asked >= MAX_QUESTIONS) {
      onProblem(`${call.tool} asked too many questions. Nobody was asked this one.`);
      return DECLINED;
    }
    const request = askRequest(params, `${server}/${call.tool}`);
    if (typeof request === "string") {
      onProblem(request);
      return DECLINED;
    }
    return answerOf(await ask(call, request, mcpReq.signal), request, onProblem);
  });
}

/** The question, or a sentence about its mistake. */
function askRequest(params: ElicitRequest["params"], who: string): AskRequest | string {
  const words = visibleText(params.message.slice(0, MAX_MESSAGE), { keepNewlines: true });
  const message = `${oneLine(who, 120)} asks: ${words}`;
  if (params.mode === "url") {
    const url = webUrl(params.url);
    if (!url)
      return `it asked for ${params.url} to be opened, which is no http or https URL. Nobody was asked.`;
    return { message, url: url.href };
  }
  const schema = visibleSchema(params.requestedSchema, MAX_FORM);
  return schema ? { message, schema } : "it asked with a form that cannot be shown. Nobody was asked.";
}

async function ask(call: RunningCall, request: AskRequest, withdrawn: AbortSignal): Promise<AskReply> {
  call.asked += 1;
  call.isAsking = true;
  call.clock.pause();
  // A signal of its own, which is forgotten with its listener.
  const ended = AbortSignal.any([withdrawn, call.context.signal]);
  const cancelled = new Promise<AskReply>((resolve) => {
    ended.addEventListener("abort", () => resolve({ action: "cancel" }), { once: true });
  });
  try {
    return await Promise.race([call.context.ask(request), cancelled]);
  } catch {
    // The server must not learn why nobody could be asked.
    return { action: "cancel" };
  } finally {
    call.isAsking = false;
    call.clock.resume();
  }
}

function answerOf(reply: AskReply, { schema }: AskRequest, onProblem: ReportProblem): ElicitResult {
  if (reply.action !== "accept") return { action: reply.action };
  if (!schema) return { action: "accept" };
  const checked = serverSchemaCheck(schema)?.(reply.content);
  if (!checked?.ok) {
    const why = checked?.problem ?? "the form is no schema";
    onProblem(`the answer to its question does not fit the form: ${why}. The server received "cancel".`);
    return { action: "cancel" };
  }
  // The form is flat, as the protocol wants it, and the content fits the form.
  return { action: "accept", content: { ...reply.content } as NonNullable<ElicitResult["content"]> };
}
