/** Sessions of apps and of external agents, for the page: by the same requests that apps make. */
import { AapProblem } from "../../aap/api/aap-problem.js";
import type { OpenedServer } from "../../aap/server/create-aap-server.js";
import { configIn } from "../../aap/sessions/session-config.js";
import { wireBlock } from "../../aap/api/content-blocks.js";
import type { ContentBlock, Ledger } from "../../call/index.js";
import type { ProblemCode } from "../../http/index.js";
import type { AppSessions } from "./serve-context.js";

export type AppSessionsOptions = {
  readonly server: OpenedServer;
  readonly ledger: Ledger;
  readonly agents: ReadonlySet<string>;
  readonly onError: (error: unknown) => void;
};

export function appSessions({ server, ledger, agents, onError }: AppSessionsOptions): AppSessions {
  const post = async (path: string, body: object): Promise<Response> => {
    const response = await server.fetch(
      new Request(`http://toolgate.invalid${path}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      }),
    );
    if (response.ok) return response;
    throw await problemIn(response);
  };
  return {
    serves: (info) => {
      const config = configIn(info);
      return config !== undefined && agents.has(config.agent.name);
    },
    create: async (agent) => {
      const response = await post("/sessions", { agent: { name: agent } });
      // The answer of our own server.
      return ((await response.json()) as { readonly sessionId: string }).sessionId;
    },
    prompt: async (sessionId, blocks) => {
      const stop = new AbortController();
      const last = (await lastSeq(ledger, sessionId)) ?? 0;
      const started = turnBegins(ledger, sessionId, last, stop.signal);
      const ended = post(`/sessions/${encodeURIComponent(sessionId)}/turns`, {
        stream: "none",
        messages: [{ role: "user", content: blocks.map((block: ContentBlock) => wireBlock(block)) }],
      });
      // A turn that fails later has recorded it.
      ended.catch(() => undefined);
      try {
        await Promise.race([started, ended]);
      } finally {
        stop.abort();
        started.catch(onError);
      }
    },
    cancel: (sessionId, wanted) => server.turns.cancel(sessionId, wanted),
    resume: async (sessionId) => void (await server.turns.resume(sessionId)),
    outlookOf: server.outlookOf,
    addPart: server.addPart,
    end: (sessionId) => server.turns.end(sessionId),
  };
}

async function turnBegins(
  ledger: Ledger,
  sessionId: string,
  after: number,
  signal: AbortSignal,
): Promise<void> {
  for await (const { event } of ledger.follow(sessionId, { after, signal }))
    if (event.type === "turn-started") return;
}

async function lastSeq(ledger: Ledger, sessionId: string): Promise<number | undefined> {
  for (let after = 0; ;) {
    const page = await ledger.read(sessionId, { after, limit: 1_000 });
    const last = page.at(-1)?.seq;
    if (last === undefined) return after;
    after = last;
  }
}

async function problemIn(response: Response): Promise<AapProblem> {
  // The answer of our own server.
  const { error } = (await response.json()) as {
    readonly error: { readonly code: ProblemCode; readonly message: string };
  };
  return new AapProblem(error.code, error.message);
}
