/**
 * A response, from the request to the events that come of it. Everything that can be wrong with the request is found
 * before this returns; the response then runs to its end, with or without a listener.
 */
import type { TurnEnd } from "../../agent/index.js";
import type { ContentBlock } from "../../call/index.js";
import { AapProblem, problemOf } from "../api/aap-problem.js";
import type { ServerContext } from "../server-context.js";
import { LiveResponse } from "../stream/live-response.js";
import type { Emitter } from "../stream/live-response.js";
import type { RequestNote } from "../stream/response-log.js";
import { lastEventAt, turnStartAfter } from "../stream/stream-event.js";
import { turnStop } from "../stream/turn-stop.js";
import { answeredProblem, checkSubmission, missingProblem } from "./submission.js";
import type { Checked } from "./submission.js";
import type { TurnPlan, TurnRunner } from "./turn-host.js";

type Clock = Pick<ServerContext, "now" | "onError" | "redactPatterns">;

export async function startResponse(
  server: Clock,
  plan: TurnPlan,
  runner: TurnRunner,
): Promise<LiveResponse> {
  try {
    return await prepare(server, plan, runner);
  } catch (error) {
    await runner.release(error instanceof AapProblem);
    throw error;
  }
}

async function prepare(
  server: Clock,
  { submission, note, notedAt }: TurnPlan,
  runner: TurnRunner,
): Promise<LiveResponse> {
  const { open, openTurn } = runner;
  const start = open.lastEnd;
  const hasPrompted = notedAt !== undefined && open.hasTurnAfter(notedAt);
  const prompt = hasPrompted ? undefined : submission?.userBlocks;
  const checked = submission && checkSubmission(submission, open.session.book, open.events, server.now());
  if (checked && !submission.userBlocks) checkAnswers(checked, openTurn);
  if (!prompt && !openTurn)
    throw new AapProblem("CONFLICT", "There is no turn to go on with. Nothing was done.");
  const noted: RequestNote = { ...note, ...(prompt && openTurn && { endsTurn: true }) };
  // A request that is only a prompt is noted in the same append.
  const isOnlyPrompt = prompt !== undefined && !openTurn && checked?.isNew !== true;
  if (!isOnlyPrompt) await runner.note(noted);
  if (checked) await runner.accept(checked);
  const started = prompt ? await storePrompt(runner, prompt, isOnlyPrompt ? noted : undefined) : {};
  return new LiveResponse(
    start,
    () => open.session.unwritten,
    (emitter, signal) => respond(server, runner, { start, ...started }, emitter, signal),
  );
}

type StartedTurn = StoredPrompt & { readonly start: number };

/** `prompt` is still to be stored; `failure` ends the response as one in the middle of the turn does. */
type StoredPrompt = {
  readonly prompt?: readonly ContentBlock[];
  readonly failure?: { readonly error: unknown };
};

/** Before the response begins: a prompt for which the store has no room is refused with a status. */
async function storePrompt(
  runner: TurnRunner,
  prompt: readonly ContentBlock[],
  note: RequestNote | undefined,
): Promise<StoredPrompt> {
  try {
    return (await runner.storePrompt(prompt, note)) ? {} : { prompt };
  } catch (error) {
    if (problemOf(error).code !== "BROKEN") throw error;
    return { failure: { error } };
  }
}

async function respond(
  { onError, redactPatterns }: Clock,
  runner: TurnRunner,
  { start, prompt, failure }: StartedTurn,
  { emit, notify }: Emitter,
  signal: AbortSignal,
): Promise<void> {
  const { open } = runner;
  open.emitTo({ emit, notify }, turnStartAfter(start));
  let end: TurnEnd;
  let isReusable = false;
  try {
    if (failure) throw failure.error;
    end = await runner.run(prompt, signal);
    await open.endEmitting();
    // A turn that waits holds nothing.
    isReusable = end.status === "stopped";
  } catch (error) {
    onError(error);
    // When even this cannot be recorded, nothing more can be done.
    await runner.cancelCalls("the server failed.").catch(() => undefined);
    await open.endEmitting().catch(() => undefined);
    end = { status: "stopped", stopReason: "error", error: failureText(error) };
  }
  // After a failure the log may have no end, or nothing at all of this response.
  const seq = open.lastEnd > start ? open.lastEnd : Math.max(open.session.seq, start + 1);
  // Before the stop is sent: the next request may come at once, and needs the session.
  await runner.release(isReusable);
  emit([lastEventAt(seq, turnStop(end, redactPatterns))]);
}

/** Answers without a user message must be complete, and must not be ones that were recorded before. */
function checkAnswers({ isNew, over, missing }: Checked, openTurn: TurnRunner["openTurn"]): void {
  // A client that sends the same answers again resumes an abandoned turn.
  if (!isNew && over.length > 0 && openTurn !== "abandoned") throw answeredProblem(over, missing);
  if (missing.length > 0) throw missingProblem(missing);
}

function failureText(error: unknown): string {
  const { code, message } = problemOf(error);
  return code === "BROKEN"
    ? "The server failed in the middle of the turn. Everything that was recorded before is kept."
    : message;
}
