/** Sessions, their entries, events and calls, and all that changes them. */
import { DeviceStreams } from "../access/device-streams.js";
import { AapProblem } from "../../aap/api/aap-problem.js";
import { deleteSession } from "../../aap/sessions/delete-session.js";
import { frameWithoutId } from "../../aap/stream/event-stream.js";
import { readSeq, streamSessionEvents } from "../../aap/sessions/stream-session-events.js";
import { eventStream } from "../../aap/stream/event-stream.js";
import { leftOut, readSessionInfo, shownText } from "../../call/index.js";
import type { ContentBlock, SessionEvent } from "../../call/index.js";
import { redactSession } from "../../history/index.js";
import { redactedRecord } from "../../history/redaction/redact-event.js";
import { messageBlocks } from "../../agent/message-blocks.js";
import { FileNames } from "../../tools/search/file-names.js";
import { removeScratch } from "../../tools/scratch/scratch-folder.js";
import { sessionMarkdown, sessionText } from "../../view/index.js";
import { runningCommands, stopCommands } from "../../run/running-commands.js";
import type { BackgroundOutput } from "../../tools/background-commands.js";
import { commandQuery, stopRequest } from "../api/command-bodies.js";
import type { CommandOutput } from "../api/command-bodies.js";
import { SERVE_ENDPOINTS } from "../api/serve-endpoints.js";
import { liveQuery } from "../api/live-frames.js";
import { replayQuery } from "../api/replay-bodies.js";
import {
  cancelRequest,
  entriesQuery,
  fileQuery,
  newSessionRequest,
  promptRequest,
  sessionChange,
  sessionQuery,
  undoRequest,
} from "../api/session-bodies.js";
import type { ExportFormat, SessionDetail } from "../api/session-bodies.js";
import { streamLive } from "../live/stream-live.js";
import { SessionReplays } from "../replay/session-replay.js";
import { callDetail, callOf, eventsOfCall } from "../sessions/call-detail.js";
import { sessionDetail } from "../sessions/session-detail.js";
import { withModel } from "../sessions/with-model.js";
import type { SessionView } from "../sessions/session-view.js";
import { undoCalls } from "../sessions/undo-calls.js";
import { bodyOf, done, queryOf } from "./page-request.js";
import type { PageHandler, PageParts, PageRequest } from "./page-request.js";
import type { ServeContext } from "./serve-context.js";

type Name =
  | "live"
  | "pageSessions"
  | "pageCreateSession"
  | "startDemo"
  | "pageSession"
  | "changeSession"
  | "pageDeleteSession"
  | "entries"
  | "events"
  | "replay"
  | "prompt"
  | "compact"
  | "files"
  | "cancel"
  | "undo"
  | "commands"
  | "commandOutput"
  | "stopCommand"
  | "exportSession"
  | "call"
  | "callEvents"
  | "blob";

export function sessionHandlers(parts: PageParts): Readonly<Record<Name, PageHandler>> {
  const { context, summaries, index, views, turns, hub } = parts;
  const { ledger, onError, apps } = context;
  const streams = new DeviceStreams(context.devices);
  const namesIn = fileNamesByFolder();
  const replays = new SessionReplays(context);
  const detail = async (view: SessionView): Promise<SessionDetail> => {
    const found = await index.read(view.sessionId);
    if (!found) throw new AapProblem("NOT_FOUND", `There is no session ${view.sessionId}. Nothing was read.`);
    const isOpenHere = turns.isOpen(view.sessionId);
    return sessionDetail(context, await summaries.summary(found), view.book, isOpenHere);
  };
  const detailOf = async (sessionId: string) => detail(await views.open(sessionId));
  const isOfApp = async (sessionId: string) => apps.serves(await readSessionInfo(ledger, sessionId));
  return {
    live: async (request) => {
      const query = queryOf(request, liveQuery);
      const lastEventId = request.context.req.header("last-event-id");
      // A session that is not there is refused before the stream begins.
      if (query.session !== undefined) await views.open(query.session);
      const openView = (sessionId: string) => views.open(sessionId);
      const { redactPatterns: patterns } = context;
      return eventStream(
        streams.take(request.device, (writer) =>
          streamLive({ hub, query, lastEventId, openView, detail, patterns }, writer),
        ),
        onError,
        request.context.env.openSink,
      );
    },
    pageSessions: async (request) => Response.json(await summaries.page(queryOf(request, sessionQuery))),
    pageCreateSession: async (request) =>
      Response.json({ sessionId: await createSession(parts, request) }, { status: 201 }),
    startDemo: async () => {
      const demo = await context.demo?.();
      if (!demo) throw new AapProblem("NOT_FOUND", "This server has no demo. Nothing was started.");
      const { info, prompt, ...runs } = demo;
      return Response.json({ sessionId: await turns.create(runs, info, { prompt }) }, { status: 201 });
    },
    pageSession: async ({ id }) => Response.json(await detailOf(id)),
    changeSession: async (request) => {
      const change = await bodyOf(request, sessionChange);
      checkMode(context, change.modeId);
      if (change.model !== undefined) await checkModel(context, change.model);
      await turns.change(request.id, change);
      return Response.json(await detailOf(request.id));
    },
    pageDeleteSession: async ({ id }) => {
      if (!(await ledger.has(id)))
        throw new AapProblem("NOT_FOUND", `There is no session ${id}. Nothing was done.`);
      if (turns.isRunning(id)) await turns.cancel(id, {});
      await turns.end(id);
      await apps.end(id);
      await deleteSession(ledger, id);
      await removeScratch([id]);
      return done();
    },
    entries: async (request) => {
      const view = await views.open(request.id);
      return Response.json(view.page(queryOf(request, entriesQuery)));
    },
    events: async (request) => {
      const { context: http, id } = request;
      if (!(await ledger.has(id)))
        throw new AapProblem("NOT_FOUND", `There is no session ${id}. No events were sent.`);
      const last = http.req.header("last-event-id") ?? queryOf(request, SERVE_ENDPOINTS.events.query).after;
      const after = last === undefined ? 0 : readSeq(last);
      return eventStream(
        streams.take(request.device, async (writer) => {
          // A retry is no event of the session: it comes live only.
          const stop = turns.onModelRetry(id, ({ event, data }) => writer.write(frameWithoutId(event, data)));
          await streamSessionEvents(context, { sessionId: id, after }, writer).finally(stop);
        }),
        onError,
        http.env.openSink,
      );
    },
    replay: async (request) => {
      const found = await replays.of(request.id).at(queryOf(request, replayQuery));
      if (!found) throw new AapProblem("NOT_FOUND", `There is no session ${request.id}. Nothing was read.`);
      return Response.json(found);
    },
    prompt: async (request) => {
      const { prompt, attachesFiles = true } = await bodyOf(request, promptRequest);
      const { id } = request;
      const info = await readSessionInfo(ledger, id);
      if (apps.serves(info)) await apps.prompt(id, prompt);
      else await turns.prompt(id, attachesFiles ? withFiles(prompt, info.cwd) : prompt);
      return Response.json({ sessionId: id, isStarted: true }, { status: 202 });
    },
    compact: async ({ id }) => Response.json({ isDone: await turns.compact(id) }),
    files: async (request) => {
      const { session, text = "" } = queryOf(request, fileQuery);
      const { cwd } =
        session === undefined ? { cwd: context.folder } : await readSessionInfo(ledger, session);
      const found = cwd === undefined ? [] : await namesIn(cwd).findListed(text);
      return Response.json({ files: found });
    },
    cancel: async (request) => {
      const body = await bodyOf(request, cancelRequest);
      const { id } = request;
      const cancelled = (await isOfApp(id)) ? await apps.cancel(id, body) : await turns.cancel(id, body);
      return Response.json({ cancelled, ...(!cancelled && { why: "There was nothing to cancel." }) });
    },
    commands: async (request) => {
      const { session } = queryOf(request, commandQuery);
      const { book } = session === undefined ? {} : await views.open(session);
      const running = await runningCommands(ledger, book ? { book } : {});
      return Response.json(redactedRecord({ commands: running }, context.redactPatterns));
    },
    commandOutput: async ({ id, context: http }) => {
      const found = turns.background(id)?.peek(http.req.param("callId") ?? "");
      if (!found)
        throw new AapProblem(
          "NOT_FOUND",
          "Another process runs this command, or it is over. Its output is not known here.",
        );
      return Response.json(redactedRecord(outputBody(found), context.redactPatterns));
    },
    stopCommand: async (request) => {
      const { toolCallId } = await bodyOf(request, stopRequest);
      const ended = await stopCommands(ledger, request.id, toolCallId);
      return Response.json({
        processes: ended.map(({ process: { pid, startedAt }, outcome }) => ({ pid, startedAt, outcome })),
      });
    },
    undo: async (request) => {
      const body = await bodyOf(request, undoRequest);
      const { book } = await views.open(request.id);
      const open = turns.idle(request.id);
      return Response.json(await undoCalls(context, book, body, open?.gate));
    },
    exportSession: async (request) => {
      const { format = "markdown" } = queryOf(request, SERVE_ENDPOINTS.exportSession.query);
      const view = await views.open(request.id);
      return new Response(await exported(parts, view, format), {
        headers: {
          "content-type": `${EXPORT_TYPES[format]}; charset=utf-8`,
          "x-content-type-options": "nosniff",
        },
      });
    },
    call: async ({ id, context: http }) => {
      const { book } = await views.open(id);
      return Response.json(await callDetail(context, book, http.req.param("callId") ?? ""));
    },
    callEvents: async ({ id, context: http }) => {
      const { book } = await views.open(id);
      const { toolCallId } = callOf(book, http.req.param("callId") ?? "");
      const events = await eventsOfCall(context, id, toolCallId);
      // The walk changes texts and nothing else, so an event stays one.
      const shown = (event: SessionEvent) => redactedRecord(event, context.redactPatterns) as SessionEvent;
      return Response.json({ events: events.map(({ seq, event }) => ({ seq, event: shown(event) })) });
    },
    blob: async ({ id }) => {
      const bytes = /^[\da-f]{64}$/.test(id) ? await ledger.getBlob(id) : undefined;
      if (!bytes) throw new AapProblem("NOT_FOUND", "No such file is kept. Nothing was read.");
      const headers = { "content-type": "application/octet-stream", "x-content-type-options": "nosniff" };
      return new Response(new Uint8Array(bytes), { headers });
    },
  };
}

function outputBody({ state, output }: BackgroundOutput): CommandOutput {
  return {
    status: state.status,
    ...(state.status === "ended" && state.exit),
    ...(state.status === "failed" && { error: state.error }),
    text: shownText(output),
    leftOut: leftOut(output),
  };
}

async function createSession({ context, turns }: PageParts, request: PageRequest): Promise<string> {
  const { agent: name, title, modeId, model, prompt } = await bodyOf(request, newSessionRequest);
  const { agents, apps, agentFor, folder, startedWith } = context;
  const agent = name === undefined ? agents[0] : agents.find((one) => one.name === name);
  if (!agent)
    throw new AapProblem(
      "NOT_FOUND",
      `There is no agent "${name}", only ${agents.map((one) => one.name).join(", ")}. No session was made.`,
    );
  checkMode(context, modeId);
  if (agent.type === "external") {
    if (modeId !== undefined || model !== undefined || title !== undefined)
      throw new AapProblem(
        "BAD_REQUEST",
        `${agent.name} chooses the mode, the model and the title of its sessions. No session was made; leave "modeId", "model" and "title" out.`,
      );
    const sessionId = await apps.create(agent.name);
    if (prompt) await apps.prompt(sessionId, prompt);
    return sessionId;
  }
  if (model !== undefined) await checkModel(context, model);
  const started = {
    cwd: folder,
    agent: agent.name,
    ...(title !== undefined && { title }),
    _meta: { toolgate: { door: "page", flags: startedWith } },
  };
  const info = model === undefined ? started : withModel(started, model);
  const runs = await agentFor(info);
  if (!runs) throw new AapProblem("CONFLICT", "The agent's folder cannot be opened. No session was made.");
  return turns.create(runs, info, { prompt: prompt && withFiles(prompt, folder), modeId });
}

/** A mode that nothing knows would be shown, and the server's own would decide. */
function checkMode({ modes }: ServeContext, modeId: string | undefined): void {
  if (modeId === undefined || modes.some(({ id }) => id === modeId)) return;
  const names = modes.map(({ id }) => id).join(", ");
  throw new AapProblem("BAD_REQUEST", `There is no mode "${modeId}", only ${names}. Nothing was changed.`);
}

async function checkModel({ models }: ServeContext, model: string): Promise<void> {
  if ((await models()).some(({ name }) => name === model)) return;
  throw new AapProblem(
    "BAD_REQUEST",
    `This server has no key for the model "${model}". Nothing was changed.`,
  );
}

/** Files of the folder that the text names go with it. */
const withFiles = (prompt: readonly ContentBlock[], folder: string | undefined): readonly ContentBlock[] =>
  folder === undefined
    ? prompt
    : prompt.flatMap((block) =>
        block.type === "text" ? messageBlocks(block.text, folder, { onlyInside: true }) : [block],
      );

const MAX_LISTED_FOLDERS = 8;

/** The lists of the folders that were asked for last. */
function fileNamesByFolder(): (folder: string) => FileNames {
  const lists = new Map<string, FileNames>();
  return (folder) => {
    const names = lists.get(folder) ?? new FileNames(folder);
    lists.delete(folder);
    lists.set(folder, names);
    const [oldest] = lists.keys();
    if (lists.size > MAX_LISTED_FOLDERS && oldest !== undefined) lists.delete(oldest);
    return names;
  };
}

const EXPORT_TYPES: Readonly<Record<ExportFormat, string>> = {
  markdown: "text/markdown",
  text: "text/plain",
  ndjson: "application/x-ndjson",
  csv: "text/csv",
};

async function exported({ context }: PageParts, view: SessionView, format: ExportFormat): Promise<string> {
  const { archive, redactPatterns } = context;
  if (format === "ndjson" || format === "csv") {
    let text = "";
    for await (const piece of archive.export(view.sessionId, format)) text += piece;
    return text;
  }
  const session = redactSession(view.book.snapshot(), { patterns: redactPatterns });
  return format === "text" ? `${sessionText(session)}\n` : [...sessionMarkdown(session)].join("");
}
