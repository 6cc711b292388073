/** One connection of a page to the live stream. The id of a frame says where both parts of the stream continue. */
import type { z } from "zod";
import type { SseWriter } from "../../aap/stream/event-stream.js";
import type { RecordedEvent } from "../../call/index.js";
import { redact } from "../../history/index.js";
import type { RedactionPattern } from "../../history/index.js";
import type { LiveFrame, liveQuery } from "../api/live-frames.js";
import type { SessionDetail } from "../api/session-bodies.js";
import type { SessionView } from "../sessions/session-view.js";
import type { LiveHub } from "./live-hub.js";

export type LiveStreamOptions = {
  readonly hub: LiveHub;
  readonly query: z.output<typeof liveQuery>;
  readonly lastEventId: string | undefined;
  readonly openView: (sessionId: string) => Promise<SessionView>;
  readonly detail: (view: SessionView) => Promise<SessionDetail>;
  readonly patterns: readonly RedactionPattern[];
};

/** `start.number.seq`. */
const EVENT_ID = /^([\da-f]{8})\.(\d{1,15})\.(\d{1,15})$/;

const DETAIL_MS = 250;

export async function streamLive(options: LiveStreamOptions, writer: SseWriter): Promise<void> {
  const { hub, query, lastEventId } = options;
  const [, start, number, seq] = EVENT_ID.exec(lastEventId ?? "") ?? [];
  let numberSent = start === hub.start ? Number(number) : undefined;
  let seqSent = start === undefined ? (query.after ?? 0) : Number(seq);
  const send = (frame: LiveFrame): void => {
    const id = `${hub.start}.${numberSent ?? hub.number}.${seqSent}`;
    writer.write(`id: ${id}\nevent: ${frame.type}\ndata: ${JSON.stringify(frame)}\n\n`);
  };
  for (const one of hub.framesSince(numberSent)) {
    numberSent = one.number;
    send(one.frame);
  }
  const stops = [
    hub.subscribe((one) => {
      numberSent = one.number;
      send(one.frame);
    }),
  ];
  try {
    if (query.session !== undefined) {
      const view = await options.openView(query.session);
      const note = (sent: number) => {
        seqSent = sent;
      };
      stops.push(await followView(view, options, seqSent, { send, note }));
    }
    await new Promise<void>((resolve) => {
      if (writer.signal.aborted) resolve();
      else writer.signal.addEventListener("abort", () => resolve(), { once: true });
    });
  } finally {
    for (const stop of stops) stop();
  }
}

async function followView(
  view: SessionView,
  { query, detail, patterns }: LiveStreamOptions,
  after: number,
  { send, note }: { readonly send: (frame: LiveFrame) => void; readonly note: (seq: number) => void },
): Promise<() => void> {
  let from = after;
  // Frames of a flush during the look below wait for it.
  let waiting: (() => void)[] | undefined = [];
  let timer: NodeJS.Timeout | undefined;
  const sendDetail = async (): Promise<void> => {
    timer = undefined;
    send({ type: "detail", seq: view.seq, session: await detail(view) });
  };
  const onFrames = (frames: readonly LiveFrame[], seq: number): void => {
    if (waiting) return void waiting.push(() => onFrames(frames, seq));
    if (seq <= from) return;
    from = seq;
    note(seq);
    for (const frame of frames) send(frame);
    timer ??= setTimeout(() => void sendDetail().catch(() => undefined), DETAIL_MS);
  };
  const onEvent =
    query.call === undefined
      ? undefined
      : (recorded: RecordedEvent) => {
          const output = outputOf(recorded, query.call, patterns);
          if (output) send(output);
        };
  const stop = view.subscribe({ onFrames, ...(onEvent && { onEvent }) });
  const { seq, frames } = await view.changedSince(after);
  from = seq;
  note(seq);
  if (frames === undefined) send({ type: "reload", seq });
  for (const frame of frames ?? []) send(frame);
  await sendDetail();
  const held = waiting;
  waiting = undefined;
  for (const next of held) next();
  return () => {
    clearTimeout(timer);
    stop();
  };
}

/** A secret that two pieces share is not found here; the card of the call has the redacted whole. */
function outputOf(
  { event }: RecordedEvent,
  toolCallId: string | undefined,
  patterns: readonly RedactionPattern[],
): LiveFrame | undefined {
  if (event.type !== "terminal-output" || event.toolCallId !== toolCallId) return undefined;
  const { terminalId, text, skipped } = event;
  return {
    type: "terminal-output",
    toolCallId,
    terminalId,
    text: redact(text, patterns),
    ...(skipped !== undefined && { skipped }),
  };
}
